package shell

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"
)

// maxFields is how many words one word with braces may become.
const maxFields = 256

// field is one word after expansion, as far as it can be told.
type field struct {
	text  string // the value if known; a pattern if glob; else roughly how it is spelled
	known bool
	lead  string // what the value certainly begins with, and text too
	glob  bool   // the value is any of the names that match text
	many  bool   // it may be no word or several
	tree  bool   // it is a file at or below text
	pipe  bool   // it is the name of a pipe, whose number is not known
	span  Span
}

func literal(text string, span Span) field {
	return field{text: text, known: true, lead: text, span: span}
}

// cut returns the field without its first n bytes. They must be of lead.
func (f field) cut(n int) field {
	f.text, f.lead = f.text[n:], f.lead[n:]
	return f
}

// mayBeOption says whether a program may read the word as an option.
// Behind the first of several words, any other may be one.
func (f field) mayBeOption() bool {
	if !f.known && (f.lead == "" || f.many && !f.glob) {
		return true
	}
	return strings.HasPrefix(f.lead, "-")
}

func (f field) word() Word { return Word{f.text, f.known && !f.tree && !f.pipe} }

// builder puts the parts of a word together.
type builder struct {
	value, pattern, shown strings.Builder
	lead                  strings.Builder
	unknown, glob, many   bool
	quoted                bool // an empty word stays a word
	pipe                  bool
}

// exact adds text that is certain and stands for itself.
func (b *builder) exact(text string) {
	b.value.WriteString(text)
	b.shown.WriteString(text)
	if !b.unknown && !b.glob {
		b.lead.WriteString(text)
	}
	for _, r := range text {
		if strings.ContainsRune(`*?[]\`, r) {
			b.pattern.WriteByte('\\')
		}
		b.pattern.WriteRune(r)
	}
}

// wild adds characters of a pattern.
func (b *builder) wild(text string) {
	b.glob = true
	b.value.WriteString(text)
	b.pattern.WriteString(text)
	b.shown.WriteString(text)
}

// unsure adds something that is not known, with its spelling.
func (b *builder) unsure(spelling string) {
	b.unknown = true
	b.shown.WriteString(spelling)
}

func (b *builder) field(span Span) field {
	f := field{lead: b.lead.String(), many: b.many, span: span}
	switch {
	case b.unknown:
		f.text = b.shown.String()
	case b.glob:
		f.text, f.glob, f.many = b.pattern.String(), true, true
		if !strings.HasPrefix(f.text, f.lead) { // quoting has changed its length
			f.lead = ""
		}
	default:
		f.text, f.known, f.pipe = b.value.String(), true, b.pipe
	}
	return f
}

// fields expands a word of a command: braces, then all else.
func (w *walker) fields(word *syntax.Word, st state, by int) []field {
	if !w.step(1) {
		return nil
	}
	span := w.span(word)
	split := *word
	if !syntax.SplitBraces(&split) {
		return w.one(word, span, st, by)
	}
	if w.src.dialect == Sh {
		w.differs(by, span)
	}
	alternatives, ok := braces(&split)
	if !ok {
		w.unknown(by, span, "braces that stand for too many words")
		return []field{{text: span.Text, many: true, span: span}}
	}
	var all []field
	for _, alternative := range alternatives {
		all = append(all, w.one(alternative, span, st, by)...)
	}
	return all
}

// one expands a word without braces. An unquoted expansion may leave no word.
func (w *walker) one(word *syntax.Word, span Span, st state, by int) []field {
	var b builder
	w.parts(&b, word.Parts, st, by, false)
	f := b.field(span)
	if f.known && f.text == "" && !b.quoted {
		return nil
	}
	if f.glob {
		w.lists(f, st, by)
	}
	return []field{f}
}

// lists records that the shell reads the names in the folders where a pattern is
// looked for.
func (w *walker) lists(f field, st state, by int) {
	names := strings.Split(f.text, "/")
	at := slices.IndexFunc(names, wildcard)
	folder := unescape(strings.Join(names[:at], "/"), `*?[]\`)
	switch {
	case at == 0:
		folder = "."
	case folder == "":
		folder = "/"
	}
	w.file(st, by, Read, literal(folder, f.span), slices.ContainsFunc(names[at+1:], wildcard), "where a pattern is looked for")
}

// wildcard says whether a name of a pattern stands for others.
func wildcard(name string) bool {
	for i := 0; i < len(name); i++ {
		switch name[i] {
		case '\\':
			i++
		case '*', '?', '[':
			return true
		}
	}
	return false
}

// single expands a word that stays one word: a value, a redirection's target,
// a here-document. Patterns and white space in it stand for themselves.
func (w *walker) single(word *syntax.Word, st state, by int) field {
	if word == nil {
		return literal("", Span{})
	}
	if !w.step(1) {
		return field{}
	}
	var b builder
	w.parts(&b, word.Parts, st, by, true)
	f := b.field(w.span(word))
	f.many = false
	return f
}

// parts expands the parts of a word that is not split (solid) or may be.
func (w *walker) parts(b *builder, parts []syntax.WordPart, st state, by int, solid bool) {
	for i, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			w.lit(b, p, i == 0, len(parts) == 1, st, by, solid)
		case *syntax.SglQuoted:
			b.quoted = true
			w.singleQuoted(b, p, by)
		case *syntax.DblQuoted:
			b.quoted = true
			if p.Dollar {
				w.differs(by, w.span(p))
			}
			w.quotedParts(b, p.Parts, "$`\"\\", st, by)
		case *syntax.ParamExp:
			w.param(b, p, st, by, solid)
		case *syntax.ProcSubst:
			w.substitution(p, st, by)
			b.exact("/dev/fd/63")
			b.pipe = true
		default: // substitutions and extended patterns
			w.substitution(p, st, by)
			b.unsure(w.span(p).Text)
			b.many = true
		}
	}
}

// heredoc returns the text of a here-document. Where its end word is quoted,
// raw, nothing in it is expanded.
func (w *walker) heredoc(body *syntax.Word, raw bool, span Span, st state, by int) field {
	var b builder
	switch {
	case body == nil:
	case raw:
		b.exact(body.Lit())
	default:
		w.quotedParts(&b, body.Parts, "$`\\", st, by)
	}
	return b.field(span)
}

// quotedParts expands what stands between double quotes, where a backslash
// quotes the escapable characters alone.
func (w *walker) quotedParts(b *builder, parts []syntax.WordPart, escapable string, st state, by int) {
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.exact(unescape(p.Value, escapable))
		case *syntax.ParamExp:
			w.param(b, p, st, by, true)
		default:
			w.substitution(p, st, by)
			b.unsure(w.span(p).Text)
		}
	}
}

// singleQuoted expands '...' and $'...'.
func (w *walker) singleQuoted(b *builder, p *syntax.SglQuoted, by int) {
	if !p.Dollar {
		b.exact(p.Value)
		return
	}
	if w.src.dialect == Sh {
		w.differs(by, w.span(p))
	}
	if text, ok := ansiC(p.Value); ok {
		b.exact(text)
	} else {
		b.unsure(w.span(p).Text)
	}
}

// lit expands unquoted text: quoting by backslash, tilde, patterns.
func (w *walker) lit(b *builder, p *syntax.Lit, first, alone bool, st state, by int, solid bool) {
	text := p.Value
	if strings.ContainsFunc(text, deceptive) {
		w.unknown(by, w.span(p), "an invisible character, or a blank that is none to the shell")
	}
	if first && strings.HasPrefix(text, "~") {
		text = w.tilde(b, text, alone, st)
	}
	// bash expands a tilde behind "=" and ":" in assignments, and in arguments
	// that look like one.
	if at := tildeInside(text, solid); at >= 0 {
		defer b.unsure(text[at:])
		text = text[:at]
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			i++
			b.quoted = true
			if text[i] != '\n' {
				b.exact(text[i : i+1])
			}
		case strings.IndexByte("*?", c) >= 0 && !solid, c == '[' && !solid && strings.IndexByte(text[i:], ']') > 0:
			b.wild(text[i : i+1])
		case c == '[' && !solid && !alone: // the bracket may close in a part to come
			b.unsure("[")
			b.many = true
		case c == ']' && b.glob:
			b.wild("]")
		case b.glob && (c == '-' || c == '!' || c == '^'): // between brackets, where quoting would change the meaning
			b.wild(text[i : i+1])
		default:
			b.exact(text[i : i+1])
		}
	}
}

func tildeInside(text string, assignment bool) int {
	if at := strings.Index(text, "=~"); at >= 0 {
		return at + 1
	}
	if at := strings.Index(text, ":~"); at >= 0 && (assignment || strings.Contains(text, "=")) {
		return at + 1
	}
	return -1
}

// deceptive says whether a reader takes a character for nothing or for a blank
// where the shell does not.
func deceptive(r rune) bool {
	return r > unicode.MaxASCII && (unicode.IsSpace(r) || !unicode.IsGraphic(r) ||
		unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point))
}

// tilde expands a leading ~ and returns the rest of the text. alone says that
// the word has no other part, which could belong to a user's name.
func (w *walker) tilde(b *builder, text string, alone bool, st state) string {
	name, rest, slash := strings.Cut(text, "/")
	if slash {
		rest = "/" + rest
	}
	home, ok := w.value(st, "HOME")
	if name == "~" && ok && (slash || alone) {
		b.exact(home)
	} else {
		b.unsure(name)
	}
	return rest
}

// param expands a variable. Only what is certain is expanded; substitutions
// inside it happen in any case.
func (w *walker) param(b *builder, p *syntax.ParamExp, st state, by int, quoted bool) {
	value, ok := w.paramValue(p, st, by)
	if ok && (quoted || !strings.ContainsAny(value, " \t\n*?[\\")) {
		b.exact(value)
		return
	}
	b.unsure(w.span(p).Text)
	name := ""
	if p.Param != nil {
		name = p.Param.Value
	}
	number := len(name) == 1 && strings.Contains("#?$!", name)
	b.many = b.many || !quoted && !number || name == "@" || p.Names != 0 || p.Index != nil
}

// indirect is ${!name}: the value of a variable that another one names. bash
// evaluates an index in that name.
func (w *walker) indirect(p *syntax.ParamExp, st state, by int) {
	if !p.Excl || p.Names != 0 {
		return
	}
	if allElements(p.Index) {
		return // their indexes
	}
	if name, known := w.value(st, p.Param.Value); !known || p.Index != nil || !syntax.ValidName(name) {
		w.unknown(by, w.span(p), "which variable is meant is not known, and bash evaluates its name")
	}
}

func (w *walker) paramValue(p *syntax.ParamExp, st state, by int) (string, bool) {
	w.indirect(p, st, by)
	plain := p.Param != nil && !p.Excl && !p.Length && !p.Width && p.Index == nil && p.Slice == nil && p.Repl == nil && p.Names == 0
	if plain && p.Exp == nil {
		return w.value(st, p.Param.Value)
	}
	w.within(p, st, by)
	if p.Exp != nil && p.Exp.Op == syntax.OtherParamOps {
		w.unknown(by, w.span(p), "an expansion that may run what the variable says")
	}
	if !plain || p.Exp.Word == nil {
		return "", false
	}
	value, ok := w.value(st, p.Param.Value)
	if !ok {
		return "", false
	}
	word := func() (string, bool) {
		quiet := &walker{analyzer: &analyzer{env: w.env, bounds: w.bounds}, src: w.src} // its effects are recorded already
		f := quiet.single(p.Exp.Word, st, 0)
		return f.text, f.known
	}
	switch p.Exp.Op {
	case syntax.DefaultUnset, syntax.ErrorUnset, syntax.AssignUnset:
		return value, true
	case syntax.DefaultUnsetOrNull, syntax.ErrorUnsetOrNull, syntax.AssignUnsetOrNull:
		if value != "" {
			return value, true
		}
		return word()
	case syntax.AlternateUnset:
		return word()
	case syntax.AlternateUnsetOrNull:
		if value == "" {
			return "", true
		}
		return word()
	}
	return "", false
}

// substitution walks a command or process substitution, or arithmetic.
func (w *walker) substitution(p syntax.Node, st state, by int) {
	switch p := p.(type) {
	case *syntax.CmdSubst:
		w.nested(p.Stmts, st, by)
	case *syntax.ProcSubst:
		if w.src.dialect == Sh {
			w.differs(by, w.span(p))
		}
		if p.Op == syntax.CmdOut { // >(...) reads what the command writes
			st = st.reading(input{kind: fromPipe})
		}
		w.nested(p.Stmts, st, by)
	case *syntax.ArithmExp:
		w.arithmetic(p.X, st, by)
	default:
		w.within(p, st, by)
	}
}

// nested walks statements that run in a shell of their own as part of command
// by.
func (w *walker) nested(stmts []*syntax.Stmt, st state, by int) {
	inner := *w
	inner.src.parent = by
	inner.escaped = nil
	if w.enter() {
		inner.list(stmts, st)
	}
	w.leave()
}

// within walks every substitution and every arithmetic below a node.
func (w *walker) within(n syntax.Node, st state, by int) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.ArithmExp:
			w.substitution(n, st, by)
			return false
		case *syntax.ParamExp:
			w.indexes(n, st, by)
		}
		return w.step(1)
	})
}

// allElements says whether an index is @ or *.
func allElements(index syntax.ArithmExpr) bool {
	word, ok := index.(*syntax.Word)
	return ok && slices.Contains([]string{"@", "*"}, word.Lit())
}

// indexes walks the arithmetic that belongs to an expansion.
func (w *walker) indexes(p *syntax.ParamExp, st state, by int) {
	exprs := []syntax.ArithmExpr{p.Index}
	if p.Slice != nil {
		exprs = append(exprs, p.Slice.Offset, p.Slice.Length)
	}
	for _, x := range exprs {
		if x != nil && !allElements(x) {
			w.arithmetic(x, st, by)
		}
	}
}

// arithmetic walks an expression. bash evaluates the value of a variable as an
// expression again, and an index in it runs commands; so what is not written
// out must be a number.
func (w *walker) arithmetic(x syntax.Node, st state, by int) {
	syntax.Walk(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			w.substitution(n, st, by)
			w.numeric(field{text: w.span(n).Text, span: w.span(n)}, by)
			return false
		case *syntax.ParamExp:
			if n.Param != nil && !strings.Contains("#?$!", n.Param.Value) {
				w.numeric(w.valueOf(n.Param.Value, w.span(n), st), by)
			}
		case *syntax.Word:
			if name := n.Lit(); syntax.ValidName(name) {
				w.numeric(w.valueOf(name, w.span(n), st), by)
			} else {
				w.written(n, by)
			}
		}
		return w.step(1)
	})
}

// written checks the text of a word in an expression that is no name. Quotes do
// not keep it from being evaluated, and a name that is put together is one, too.
func (w *walker) written(word *syntax.Word, by int) {
	syntax.Walk(word, func(n syntax.Node) bool {
		text := ""
		switch n := n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.ParamExp, *syntax.ArithmExp:
			return false // for itself
		case *syntax.Lit:
			text = n.Value
		case *syntax.SglQuoted:
			text = n.Value
		}
		if _, err := strconv.ParseInt(strings.TrimSuffix(text, "#"), 0, 64); text != "" && err != nil { // 10#$x is a number
			w.unknown(by, w.span(word), "text in arithmetic that bash evaluates")
			return false
		}
		return w.step(1)
	})
}

func (w *walker) valueOf(name string, span Span, st state) field {
	value, ok := w.value(st, name)
	return field{text: value, known: ok, span: span}
}

// numeric records that a value is evaluated as an expression, unless it is a
// number.
func (w *walker) numeric(f field, by int) {
	if slices.Contains([]string{"$?", "$#", "$$", "$!"}, strings.Trim(f.span.Text, `"`)) {
		return
	}
	if _, err := strconv.ParseInt(f.text, 10, 64); !f.known || f.text != "" && err != nil {
		w.unknown(by, f.span, "arithmetic on what may not be a number, which bash evaluates")
	}
}

// braces returns the words that a word with brace expansions stands for.
func braces(word *syntax.Word) ([]*syntax.Word, bool) {
	words := []*syntax.Word{{}}
	for _, part := range word.Parts {
		exp, ok := part.(*syntax.BraceExp)
		choices := [][]syntax.WordPart{{part}}
		if ok {
			choices = nil
			elems := exp.Elems
			if exp.Sequence {
				elems = sequence(exp)
			}
			if elems == nil {
				return nil, false
			}
			for _, elem := range elems {
				inner, ok := braces(elem)
				if !ok {
					return nil, false
				}
				for _, alternative := range inner {
					choices = append(choices, alternative.Parts)
				}
			}
		}
		if len(words)*len(choices) > maxFields {
			return nil, false
		}
		var next []*syntax.Word
		for _, left := range words {
			for _, right := range choices {
				next = append(next, &syntax.Word{Parts: append(append([]syntax.WordPart{}, left.Parts...), right...)})
			}
		}
		words = next
	}
	return words, true
}

// sequence returns the words of {1..9}, and nil for those that are long, padded
// with zeros, of letters, or with steps.
func sequence(exp *syntax.BraceExp) []*syntax.Word {
	if len(exp.Elems) != 2 {
		return nil
	}
	first, err := strconv.Atoi(exp.Elems[0].Lit())
	last, err2 := strconv.Atoi(exp.Elems[1].Lit())
	if err != nil || err2 != nil || first > last || last-first >= maxFields {
		return nil
	}
	var words []*syntax.Word
	for n := first; n <= last; n++ {
		words = append(words, &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: strconv.Itoa(n)}}})
	}
	if strconv.Itoa(first) != exp.Elems[0].Lit() || strconv.Itoa(last) != exp.Elems[1].Lit() {
		return nil
	}
	return words
}

// unescape takes off backslashes before the given characters, and before line
// ends.
func unescape(text, before string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			if text[i+1] == '\n' {
				i++
				continue
			}
			if strings.IndexByte(before, text[i+1]) >= 0 {
				i++
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// ansiC expands the inside of $'...' (bash manual, ANSI-C Quoting). Control
// characters that terminals act on, and what ends the text early, are not
// certain.
func ansiC(text string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		if at := strings.IndexByte(`abeEfnrtv\'"?`, text[i]); at >= 0 {
			b.WriteByte("\a\b\x1b\x1b\f\n\r\t\v\\'\"?"[at])
			continue
		}
		base, digits := 16, 2
		switch text[i] {
		case 'x':
		case 'u':
			digits = 4
		case 'U':
			digits = 8
		case '0', '1', '2', '3', '4', '5', '6', '7':
			base, digits = 8, 3
			i-- // the digit belongs to the number
		default:
			return "", false
		}
		end := i + 1
		for end < len(text) && end-i <= digits && isDigit(text[end], base) {
			end++
		}
		n, err := strconv.ParseUint(text[i+1:end], base, 32)
		if err != nil || n == 0 || n > unicode.MaxASCII {
			return "", false
		}
		b.WriteByte(byte(n))
		i = end - 1
	}
	return b.String(), true
}

func isDigit(c byte, base int) bool {
	_, err := strconv.ParseUint(string(c), base, 8)
	return err == nil
}
