package shell

import (
	"maps"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxUnrolled is how many words a loop may run over to be walked word by word.
const maxUnrolled = 16

// walker walks one text. Each method takes the state before a part and returns
// the states after it: ok if it succeeds, fail if it does not.
type walker struct {
	*analyzer
	src     source
	escaped *state // what break, continue and return leave behind
}

// span returns where a node stands.
func (w *walker) span(n syntax.Node) Span {
	if word, ok := n.(*syntax.Word); ok && len(word.Parts) == 0 {
		return w.spanOf(0, 0)
	}
	return w.spanOf(int(n.Pos().Offset()), int(n.End().Offset()))
}

// stmtSpan is the span of a statement without what ends it.
func (w *walker) stmtSpan(s *syntax.Stmt) Span {
	end := int(s.End().Offset())
	if s.Semicolon.IsValid() {
		end = int(s.Semicolon.Offset())
	}
	start := int(s.Pos().Offset())
	end = min(max(start, end), len(w.src.text))
	return w.spanOf(start, start+len(strings.TrimRight(w.src.text[start:end], " \t\n")))
}

func (w *walker) spanOf(start, end int) Span {
	end = min(max(start, end), len(w.src.text))
	start = min(start, end)
	text := w.src.text[start:end]
	if w.src.within != nil {
		return Span{w.src.within.Start, w.src.within.End, text}
	}
	return Span{start, end, text}
}

// differs records that shells called sh read something differently.
func (w *walker) differs(by int, span Span) {
	if w.src.dialect == Sh {
		w.unknown(by, span, "shells that are called sh read this differently")
	}
}

func (w *walker) list(stmts []*syntax.Stmt, st state) (ok, fail state) {
	ok, fail = st, st
	for _, s := range stmts {
		ok, fail = w.stmt(s, w.either(ok, fail))
	}
	return ok, fail
}

// either is what is known where one of two states holds.
func (w *walker) either(x, y state) state {
	if x.same(y) {
		return x
	}
	return w.merge(x, y)
}

func (w *walker) stmt(s *syntax.Stmt, st state) (ok, fail state) {
	if !w.step(1) {
		return st, st
	}
	call, simple := s.Cmd.(*syntax.CallExpr)
	inner, by := st, -1
	if simple || len(s.Redirs) > 0 || s.Cmd == nil {
		by = w.command(Command{Span: w.stmtSpan(s), Parent: w.src.parent})
		inner = w.redirects(s.Redirs, st, by)
	}
	switch {
	case simple:
		ok, fail = w.call(call, inner, by)
	case s.Cmd != nil:
		ok, fail = w.compound(s.Cmd, inner)
	default:
		ok, fail = inner, inner
	}
	ok, fail = ok.reading(st.input), fail.reading(st.input)
	if s.Background || s.Coprocess {
		return st, st // it ran in a shell of its own
	}
	if s.Negated {
		return fail, ok
	}
	return ok, fail
}

func (w *walker) compound(cmd syntax.Command, st state) (ok, fail state) {
	switch c := cmd.(type) {
	case *syntax.BinaryCmd:
		return w.binary(c, st)
	case *syntax.Block:
		return w.list(c.Stmts, st)
	case *syntax.Subshell:
		w.nested(c.Stmts, st, w.src.parent)
		return st, st
	case *syntax.IfClause:
		return w.ifClause(c, st)
	case *syntax.WhileClause:
		return w.loop(st, func(st state) state {
			ok, fail := w.list(c.Cond, st)
			enter, leave := ok, fail
			if c.Until {
				enter, leave = fail, ok
			}
			return w.either(leave, w.either(w.list(c.Do, enter)))
		})
	case *syntax.ForClause:
		return w.forClause(c, st)
	case *syntax.CaseClause:
		return w.caseClause(c, st)
	case *syntax.FuncDecl:
		if c.Name == nil {
			break
		}
		st.funcs = maps.Clone(st.funcs)
		st.funcs[c.Name.Value] = c.Body
		return st, st
	case *syntax.TimeClause:
		if c.Stmt == nil {
			return st, st
		}
		return w.stmt(c.Stmt, st)
	case *syntax.CoprocClause:
		w.nested([]*syntax.Stmt{c.Stmt}, st.reading(input{kind: fromPipe}), w.src.parent)
		return st, st
	case *syntax.DeclClause:
		return w.declare(c, st)
	case *syntax.TestClause:
		return w.test(c, st)
	case *syntax.ArithmCmd, *syntax.LetClause:
		by := w.command(Command{Span: w.span(c), Parent: w.src.parent})
		w.calculate(c, st, by)
		return st, st
	}
	by := w.command(Command{Span: w.span(cmd), Parent: w.src.parent})
	w.unknown(by, w.span(cmd), "a form of command that is not read")
	return st.forget(), st.forget()
}

func (w *walker) binary(c *syntax.BinaryCmd, st state) (ok, fail state) {
	switch c.Op {
	case syntax.AndStmt:
		okX, failX := w.stmt(c.X, st)
		okY, failY := w.stmt(c.Y, okX)
		return okY, w.either(failX, failY)
	case syntax.OrStmt:
		okX, failX := w.stmt(c.X, st)
		okY, failY := w.stmt(c.Y, failX)
		return w.either(okX, okY), failY
	default: // pipes: each side in a shell of its own
		w.nested([]*syntax.Stmt{c.X}, st, w.src.parent)
		w.nested([]*syntax.Stmt{c.Y}, st.reading(input{kind: fromPipe}), w.src.parent)
		return st, st
	}
}

func (w *walker) ifClause(c *syntax.IfClause, st state) (ok, fail state) {
	if len(c.Cond) == 0 { // else
		return w.list(c.Then, st)
	}
	condOK, condFail := w.list(c.Cond, st)
	ok, fail = w.list(c.Then, condOK)
	otherOK, otherFail := condFail, condFail
	if c.Else != nil {
		otherOK, otherFail = w.ifClause(c.Else, condFail)
	}
	return w.either(ok, otherOK), w.either(fail, otherFail)
}

func (w *walker) caseClause(c *syntax.CaseClause, st state) (ok, fail state) {
	by := w.command(Command{Span: w.span(c.Word), Parent: w.src.parent})
	w.single(c.Word, st, by)
	after := st
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			w.single(p, st, by)
		}
		after = w.either(after, w.either(w.list(item.Stmts, after))) // ;& falls through
	}
	return after, after
}

// loop walks a body until nothing new becomes known of the state: what one
// round changes, the next one starts from.
func (w *walker) loop(st state, body func(state) state) (ok, fail state) {
	outer := w.escaped
	effects, commands := len(w.effects), len(w.commands)
	for {
		w.effects, w.commands = w.effects[:effects], w.commands[:commands]
		w.escaped = nil
		after := w.either(st, body(st))
		if w.escaped != nil {
			after = w.either(after, *w.escaped)
		}
		if after.same(st) || !w.step(1) {
			break
		}
		st = after
	}
	w.escapeTo(outer)
	return st, st
}

// escape notes a state in which the code that follows may be left out.
func (w *walker) escape(st state) {
	if w.escaped != nil {
		st = w.either(*w.escaped, st)
	}
	w.escaped = &st
}

// escapeTo hands what has escaped to the surrounding loop or function as well.
func (w *walker) escapeTo(outer *state) {
	inner := w.escaped
	w.escaped = outer
	if inner != nil {
		w.escape(*inner)
	}
}

func (w *walker) forClause(c *syntax.ForClause, st state) (ok, fail state) {
	iter, ok2 := c.Loop.(*syntax.WordIter)
	if !ok2 {
		by := w.command(Command{Span: w.span(c.Loop), Parent: w.src.parent})
		w.calculate(c.Loop, st, by)
		return w.loop(st, func(st state) state { return w.either(w.list(c.Do, st)) })
	}
	by := w.command(Command{Span: w.span(iter), Parent: w.src.parent})
	var items []field
	exact := len(iter.Items) > 0
	for _, word := range iter.Items {
		items = append(items, w.fields(word, st, by)...)
	}
	for _, f := range items {
		exact = exact && f.known
	}
	w.variable(by, iter.Name.Value, field{}, w.span(iter.Name), st)
	if !exact || c.Select || len(items) > maxUnrolled {
		return w.loop(st, func(st state) state {
			return w.either(w.list(c.Do, w.set(st, iter.Name.Value, field{})))
		})
	}
	outer := w.escaped
	w.escaped = nil
	for _, f := range items {
		st = w.either(w.list(c.Do, w.set(st, iter.Name.Value, f)))
		if w.escaped != nil {
			st = w.either(st, *w.escaped)
		}
	}
	w.escapeTo(outer)
	return st, st
}

// function walks the body of a function that is called.
func (w *walker) function(body *syntax.Stmt, args []field, st state) (ok, fail state) {
	if !w.enter() {
		return st, st
	}
	defer w.leave()
	outer := w.escaped
	w.escaped = nil
	inner := st
	for i := range 9 {
		value := field{}
		if i+1 < len(args) && !anyMany(args[:i+2]) {
			value = args[i+1]
		}
		inner = w.set(inner, string(rune('1'+i)), value)
	}
	ok, fail = w.stmt(body, inner)
	if w.escaped != nil {
		ok, fail = w.either(ok, *w.escaped), w.either(fail, *w.escaped)
	}
	w.escaped = outer
	for i := range 9 { // the caller's own are not known here any more
		name := string(rune('1' + i))
		ok, fail = w.set(ok, name, field{}), w.set(fail, name, field{})
	}
	return ok, fail
}

func anyMany(fields []field) bool {
	for _, f := range fields {
		if f.many {
			return true
		}
	}
	return false
}

// test walks [[ ... ]], whose operators for numbers evaluate their operands.
func (w *walker) test(c *syntax.TestClause, st state) (ok, fail state) {
	span := w.span(c)
	by := w.command(Command{Span: span, Parent: w.src.parent, Words: []Word{{"[[", true}}})
	w.differs(by, span)
	syntax.Walk(c.X, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryTest:
			if n.Op >= syntax.TsEql && n.Op <= syntax.TsGtr {
				for _, x := range []syntax.TestExpr{n.X, n.Y} {
					if word, ok := x.(*syntax.Word); ok {
						w.numeric(w.single(word, st, by), by)
					}
				}
				return false
			}
		case *syntax.UnaryTest:
			if word, ok := n.X.(*syntax.Word); ok && (n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar) && !syntax.ValidName(word.Lit()) {
				w.unknown(by, w.span(n), "a test that evaluates an index")
			}
		case *syntax.Word:
			w.single(n, st, by)
			return false
		}
		return w.step(1)
	})
	return st, st
}

// calculate walks every expression of (( )), let and for (( )).
func (w *walker) calculate(n syntax.Node, st state, by int) {
	w.differs(by, w.span(n))
	w.arithmetic(n, st, by)
}

// redirects walks the redirections of a command, and returns the state with its
// standard input.
func (w *walker) redirects(list []*syntax.Redirect, st state, by int) state {
	for _, r := range list {
		span := w.spanOf(int(r.Pos().Offset()), int(r.Word.End().Offset()))
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			raw := strings.ContainsAny(w.span(r.Word).Text, `'"\`)
			st = feed(st, r, input{fromText, w.heredoc(r.Hdoc, raw, span, st, by)})
		case syntax.WordHdoc:
			w.differs(by, span)
			f := w.single(r.Word, st, by)
			f.span = span
			st = feed(st, r, input{fromText, f})
		default:
			st = w.fileRedirect(r, span, st, by)
		}
		if r.N != nil && strings.HasPrefix(r.N.Value, "{") {
			name := strings.Trim(r.N.Value, "{}")
			w.variable(by, name, field{}, span, st)
			st = w.set(st, name, field{})
		}
	}
	return st
}

// feed gives the command its standard input, if r is about that.
func feed(st state, r *syntax.Redirect, in input) state {
	if r.N == nil || r.N.Value == "0" {
		st.input = in
	}
	return st
}

func (w *walker) fileRedirect(r *syntax.Redirect, span Span, st state, by int) state {
	fields := w.fields(r.Word, st, by)
	target := field{text: w.span(r.Word).Text, span: span}
	if len(fields) == 1 {
		target = fields[0]
	}
	target.span = span
	if target.known && target.text == "-" && r.Op != syntax.DplIn && r.Op != syntax.DplOut {
		target.text = "./-" // a file, whereas programs take it for a stream
	}
	descriptor := target.known && strings.Trim(target.text, "0123456789-") == ""
	switch r.Op {
	case syntax.DplIn, syntax.DplOut:
		if descriptor {
			return st
		}
		w.differs(by, span) // bash writes a file where >& names one
		w.file(st, by, Write, target, false, "redirection")
	case syntax.RdrIn:
		w.file(st, by, Read, target, false, "redirection")
		st = feed(st, r, input{fromFile, target})
	case syntax.RdrInOut:
		w.file(st, by, Read, target, false, "redirection")
		w.file(st, by, Write, target, false, "redirection")
		st = feed(st, r, input{fromFile, target})
	case syntax.RdrAll, syntax.AppAll:
		w.differs(by, span)
		w.file(st, by, Write, target, false, "redirection")
	default:
		w.file(st, by, Write, target, false, "redirection")
	}
	return st
}
