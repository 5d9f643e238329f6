package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call walks a simple command.
func (w *walker) call(c *syntax.CallExpr, st state, by int) (ok, fail state) {
	var args []field
	for _, word := range c.Args {
		args = append(args, w.fields(word, st, by)...)
	}
	w.commands[by].Words = words(args)
	if len(c.Args) == 0 {
		st = w.assign(c.Assigns, st, by)
		return st, st
	}
	if len(args) == 0 { // $unset, or nothing but substitutions without output
		w.unknown(by, w.span(c), "which program is run is not known")
		return st, st
	}
	w.assign(c.Assigns, st, by) // for the program only
	inner := st
	for _, assign := range c.Assigns {
		inner = w.set(inner, assign.Name.Value, field{})
	}
	ok, fail = w.run(args, inner, by)
	if len(c.Assigns) > 0 && ok.same(inner) && fail.same(inner) {
		return st, st
	}
	return ok, fail
}

func words(fields []field) []Word {
	list := make([]Word, len(fields))
	for i, f := range fields {
		list[i] = f.word()
	}
	return list
}

// assign walks assignments and returns the state after them.
func (w *walker) assign(list []*syntax.Assign, st state, by int) state {
	for _, as := range list {
		if as.Name == nil || as.Naked {
			continue
		}
		value := field{}
		switch {
		case as.Array != nil || as.Index != nil:
			w.within(as, st, by)
			if as.Index != nil {
				w.arithmetic(as.Index, st, by)
			}
			if as.Array != nil {
				w.elements(as.Array, st, by)
			}
		case as.Append:
			w.single(as.Value, st, by)
		default:
			value = w.single(as.Value, st, by)
		}
		w.variable(by, as.Name.Value, value, w.span(as), st)
		st = w.set(st, as.Name.Value, value)
	}
	return st
}

// elements walks the indexes of a list of elements, "([i]=x ...)".
func (w *walker) elements(list *syntax.ArrayExpr, st state, by int) {
	for _, element := range list.Elems {
		if element.Index != nil {
			w.arithmetic(element.Index, st, by)
		}
	}
}

// variable records what giving a variable a value leads to: programs look
// some up to know what to run.
func (w *walker) variable(by int, name string, value field, span Span, st state) {
	setting := findSetting(name)
	switch {
	case setting == nil || setting.kind == "safe":
	case setting.kind == "shell" && value.known:
		w.inner(value.text, span, Bash, st, by)
	case setting.kind == "shellwith" && value.known:
		w.inner(withWords(value).text, span, Bash, st, by)
	default:
		w.unknown(by, span, "the variable "+name+" changes what programs do or which are run")
	}
}

// inner walks a text that command by gives to a shell.
func (w *walker) inner(text string, span Span, dialect Dialect, st state, by int) (ok, fail state) {
	return w.text(text, source{text: text, within: &span, dialect: dialect, parent: by}, st)
}

// declare walks export, declare, local, readonly and typeset.
func (w *walker) declare(c *syntax.DeclClause, st state) (ok, fail state) {
	span := w.span(c)
	by := w.command(Command{Span: span, Parent: w.src.parent})
	list := []Word{{c.Variant.Value, true}}
	for _, as := range c.Args {
		arg := literal(w.span(as).Text, w.span(as))
		if as.Name == nil {
			arg = w.single(as.Value, st, by)
			option := arg.known && strings.ContainsAny(arg.text[:min(1, len(arg.text))], "-+")
			if !option || strings.ContainsAny(arg.text, "ni") { // -n makes a name stand for another, -i evaluates values
				w.unknown(by, w.span(as), "which variable is set, or to what, is not known")
			}
		}
		list = append(list, arg.word())
	}
	w.commands[by].Words = list
	w.add(by, span, Effect{Kind: Execute, Words: list, Name: []string{c.Variant.Value}})
	st = w.assign(c.Args, st, by)
	return st, st
}

// shellPrograms have a row in the table like programs, and are commands of bash
// and of dash: run by name, they are not looked up along PATH.
var shellPrograms = []string{"true", "false", ":", "exit", "times", "umask", "ulimit", "type", "bg", "fg", "pwd", "echo", "jobs", "wait", "test", "[", "kill"}

// run walks a command whose words are known to be args.
func (w *walker) run(args []field, st state, by int) (ok, fail state) {
	name := args[0]
	if !name.known {
		w.add(by, name.span, Effect{Kind: Execute, Words: words(args)})
		w.unknown(by, name.span, "which program is run is not known")
		return st.forget(), st.forget() // it may be a builtin
	}
	if body, ok := st.funcs[name.text]; ok {
		if body != nil {
			return w.function(body, args, st)
		}
		w.unknown(by, name.span, name.text+" may be a function or an alias, which is not known")
		return st.forget(), st.forget()
	}
	if builtin, ok := builtins[name.text]; ok {
		w.add(by, spanOf(args), Effect{Kind: Execute, Words: words(args), Name: []string{name.text}})
		return builtin(w, args, st, by)
	}
	at := len(w.effects)
	w.program(args, st, by)
	if at < len(w.effects) && slices.Contains(shellPrograms, name.text) {
		w.effects[at].Search, w.effects[at].Folders = "", nil
	}
	return st, st
}

// under walks a command that command by runs as a program, as wrappers do.
func (w *walker) under(args []field, st state, by int) {
	if len(args) == 0 || !w.enter() {
		return
	}
	defer w.leave()
	child := w.command(Command{Words: words(args), Span: spanOf(args), Parent: by})
	if !args[0].known {
		w.add(child, args[0].span, Effect{Kind: Execute, Words: words(args)})
		w.unknown(child, args[0].span, "which program is run is not known")
		return
	}
	w.program(args, st, child)
}

// spanOf returns the span from the first to the last word.
func spanOf(args []field) Span {
	if len(args) == 1 {
		return args[0].span
	}
	span := args[0].span
	var text []string
	for _, f := range args {
		text = append(text, f.span.Text)
		span.Start, span.End = min(span.Start, f.span.Start), max(span.End, f.span.End)
	}
	span.Text = strings.Join(text, " ")
	return span
}
