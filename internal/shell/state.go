package shell

import (
	"maps"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxCwds is how many folders a command is taken to run in, one of them in
// truth; where there are more, the folder is unknown.
const maxCwds = 4

// state is what is known at one point of the line. It is a value: maps are
// copied before they are changed.
type state struct {
	cwds  []string                // the folders that may be current; empty = unknown
	vars  map[string]string       // variables with a certain value
	funcs map[string]*syntax.Stmt // functions; nil = one of several, or none
	input input
}

// input is where standard input comes from.
type input struct {
	kind inputKind
	word field // text or file
}

type inputKind uint8

const (
	elsewhere inputKind = iota // from whoever started the line
	fromText                   // here-document or here-string
	fromFile
	fromPipe
)

func (a *analyzer) start() state {
	st := state{vars: maps.Clone(a.env.Vars), funcs: map[string]*syntax.Stmt{}}
	if st.vars == nil {
		st.vars = map[string]string{}
	}
	if path.IsAbs(a.env.Cwd) {
		st.cwds = []string{path.Clean(a.env.Cwd)}
	}
	if _, set := st.vars["HOME"]; !set && path.IsAbs(a.env.Home) {
		st.vars["HOME"] = a.env.Home
	}
	return st
}

// forget is the state after something unknown has run in this shell.
func (st state) forget() state {
	funcs := map[string]*syntax.Stmt{}
	for name := range st.funcs {
		funcs[name] = nil
	}
	return state{vars: map[string]string{}, funcs: funcs, input: st.input}
}

func (st state) in(cwds []string) state {
	st.cwds = cwds
	return st
}

func (st state) reading(in input) state {
	st.input = in
	return st
}

// set gives a variable a value; one that is not known is forgotten.
func (a *analyzer) set(st state, name string, value field) state {
	a.step(len(st.vars))
	st.vars = maps.Clone(st.vars)
	delete(st.vars, name)
	if value.known {
		st.vars[name] = value.text
	}
	return st
}

// value returns the value of a variable, if it is certain.
func (a *analyzer) value(st state, name string) (string, bool) {
	if a.fragile[name] {
		return "", false
	}
	if v, ok := st.vars[name]; ok {
		return v, true
	}
	if name == "PWD" && len(st.cwds) == 1 {
		return st.cwds[0], true
	}
	return "", false
}

// merge is what is known where a or b may be the case.
func (a *analyzer) merge(x, y state) state {
	a.step(len(x.vars) + len(x.funcs))
	if len(x.cwds) == 0 || len(y.cwds) == 0 {
		x.cwds = nil
	} else if !slices.Equal(x.cwds, y.cwds) {
		all := slices.Concat(x.cwds, y.cwds)
		slices.Sort(all)
		if all = slices.Compact(all); len(all) > maxCwds {
			all = nil
		}
		x.cwds = all
	}
	x.vars = maps.Clone(x.vars)
	maps.DeleteFunc(x.vars, func(name, v string) bool { w, ok := y.vars[name]; return !ok || v != w })
	funcs := maps.Clone(y.funcs)
	for name, body := range x.funcs {
		if other, ok := y.funcs[name]; !ok || other != body {
			funcs[name] = nil
		}
	}
	for name := range y.funcs {
		if _, ok := x.funcs[name]; !ok {
			funcs[name] = nil
		}
	}
	x.funcs = funcs
	return x
}

// same says whether two states know the same.
func (st state) same(other state) bool {
	return slices.Equal(st.cwds, other.cwds) && maps.Equal(st.vars, other.vars) && maps.Equal(st.funcs, other.funcs)
}

// join returns where p leads from folder cwd. Only folders above env.Cwd are
// known not to be links, so a ".." is taken back only there: after any other
// name the system may lead it elsewhere, and it is left in.
func (a *analyzer) join(cwd, p string) string {
	if !path.IsAbs(p) {
		p = cwd + "/" + p
	}
	at := ""
	for name := range strings.SplitSeq(p, "/") {
		switch name {
		case "", ".":
		case "..":
			if real := path.Clean(a.env.Cwd) + "/"; strings.HasPrefix(real, at+"/") {
				at = at[:max(strings.LastIndexByte(at, '/'), 0)]
			} else {
				at += "/.."
			}
		default:
			at += "/" + name
		}
	}
	return max(at, "/")
}

// noteFragile collects the variables that a text changes in ways that the walk
// does not follow: inside expansions and arithmetic, and local to functions.
// Their values are never certain.
func (a *analyzer) noteFragile(n syntax.Node) {
	name := ""
	switch n := n.(type) {
	case *syntax.ParamExp:
		if n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) && n.Param != nil {
			name = n.Param.Value
		}
	case *syntax.BinaryArithm:
		if strings.HasSuffix(n.Op.String(), "=") { // comparisons, too
			name = variableOf(n.X)
		}
	case *syntax.UnaryArithm:
		if n.Op == syntax.Inc || n.Op == syntax.Dec {
			name = variableOf(n.X)
		}
	case *syntax.DeclClause:
		if v := n.Variant.Value; v == "export" || v == "readonly" {
			return
		}
		for _, assign := range n.Args {
			if assign.Name != nil {
				a.fragile[assign.Name.Value] = true
			}
		}
	}
	if name != "" {
		a.fragile[name] = true
	}
}

// variableOf returns the name of the variable that an expression is.
func variableOf(x syntax.ArithmExpr) string {
	word, ok := x.(*syntax.Word)
	if !ok {
		return ""
	}
	return word.Lit()
}
