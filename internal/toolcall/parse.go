package toolcall

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// Defaults of [Bounds].
const (
	DefaultBytes  = 4 << 20 // 4 MiB
	DefaultDepth  = 64
	DefaultDigits = 400
)

// Bounds limits one message. A zero field means its default.
type Bounds struct {
	Bytes  int // length of the text
	Depth  int // arrays and objects around one another
	Digits int // digits of a number written out without exponent
}

func (b Bounds) orDefault() Bounds {
	if b.Bytes == 0 {
		b.Bytes = DefaultBytes
	}
	if b.Depth == 0 {
		b.Depth = DefaultDepth
	}
	if b.Digits == 0 {
		b.Digits = DefaultDigits
	}
	return b
}

// SyntaxError says why and where a text was refused.
type SyntaxError struct {
	Offset  int64  // bytes before the place
	Line    int    // from 1
	Column  int    // in bytes, from 1
	Pointer string // the value it is in, as JSON Pointer (RFC 6901); "" is the whole text
	Msg     string
}

// Error returns message and position in one line.
func (e *SyntaxError) Error() string {
	at := ""
	if e.Pointer != "" {
		at = fmt.Sprintf(" (at %q)", e.Pointer)
	}
	return fmt.Sprintf("line %d, column %d%s: %s", e.Line, e.Column, at, e.Msg)
}

func syntaxError(raw []byte, offset int64, pointer jsontext.Pointer, msg string) *SyntaxError {
	before := raw[:offset]
	return &SyntaxError{
		Offset:  offset,
		Line:    1 + bytes.Count(before, []byte{'\n'}),
		Column:  len(before) - bytes.LastIndexByte(before, '\n'),
		Pointer: string(pointer),
		Msg:     msg,
	}
}

// Parse reads exactly one JSON value (RFC 8259), strictly: no duplicate
// members, no invalid UTF-8, no lone surrogates, nothing after the value but
// white space, and nothing over the bounds. An error is a [*SyntaxError]. The
// value keeps no reference to raw.
func Parse(raw []byte, b Bounds) (Value, error) {
	v, _, err := parse(raw, b)
	return v, err
}

// parse is Parse and also returns the exact text of the member "id" of the
// outermost object, "" where there is none.
func parse(raw []byte, b Bounds) (v Value, id string, err error) {
	b = b.orDefault()
	if len(raw) > b.Bytes {
		return Value{}, "", syntaxError(raw, int64(b.Bytes), "", fmt.Sprintf("text is longer than %d bytes", b.Bytes))
	}
	p := parsers.Get().(*parser)
	defer p.release()
	p.reset(raw, b)
	if v, err = p.document(); err != nil {
		return Value{}, "", err
	}
	return v, p.id, nil
}

// parser builds the value of one text. Parsers are kept for reuse, because a
// decoder and its tables cost more than a small message.
type parser struct {
	bounds Bounds
	raw    []byte
	text   string // the same bytes; strings without escapes are parts of it
	input  bytes.Buffer
	dec    jsontext.Decoder
	open   list // what was read of the arrays and objects that are still open
	id     string
}

var parsers = sync.Pool{New: func() any { return new(parser) }}

func (p *parser) reset(raw []byte, b Bounds) {
	p.bounds, p.raw, p.text = b, raw, string(raw)
	p.input = *bytes.NewBuffer(raw)
	p.dec.Reset(&p.input)
}

// release gives p back without what it read. Tables that one huge message made
// are dropped: clearing them would slow down every small one after it.
func (p *parser) release() {
	if cap(p.open.names)+cap(p.open.values) > 2048 {
		p.open = list{}
	}
	clear(p.open.names[:cap(p.open.names)])
	clear(p.open.values[:cap(p.open.values)])
	p.open = list{names: p.open.names[:0], values: p.open.values[:0]}
	p.raw, p.text, p.id, p.input = nil, "", "", bytes.Buffer{}
	p.dec.Reset(&p.input)
	parsers.Put(p)
}

func (p *parser) document() (Value, error) {
	v, err := p.value(1)
	if err != nil {
		return Value{}, err
	}
	if end := skip(p.raw, p.dec.InputOffset(), space); end < int64(len(p.raw)) {
		return Value{}, p.errorAt(end, "", "data after the value")
	}
	return v, nil
}

// value reads the next value, which has depth-1 arrays and objects around it.
func (p *parser) value(depth int) (Value, error) {
	if k := p.dec.PeekKind(); k == '{' || k == '[' {
		return p.container(depth)
	}
	lit, err := p.dec.ReadValue()
	if err != nil {
		return Value{}, p.syntax(err)
	}
	switch lit.Kind() {
	case 'n':
		return NullValue, nil
	case '"':
		s, err := p.unquote(lit)
		return Value{kind: String, text: s, plain: len(s) == len(lit)-len(`""`)}, err // an escape is longer than what it stands for
	case '0':
		return p.number(lit)
	default:
		return Boolean(lit.Kind() == 't'), nil
	}
}

// container reads an array or object.
func (p *parser) container(depth int) (Value, error) {
	open, err := p.dec.ReadToken()
	if err != nil {
		return Value{}, p.syntax(err)
	}
	if depth > p.bounds.Depth {
		return Value{}, p.refuse(1, fmt.Sprintf("more than %d arrays and objects around one another", p.bounds.Depth))
	}
	names, values := len(p.open.names), len(p.open.values)
	next, kind := (*parser).element, Array
	if open.Kind() == '{' {
		next, kind = (*parser).member, Object
	}
	for k := p.dec.PeekKind(); k != '}' && k != ']'; k = p.dec.PeekKind() {
		if err := next(p, depth); err != nil {
			return Value{}, err
		}
	}
	if _, err := p.dec.ReadToken(); err != nil {
		return Value{}, p.syntax(err)
	}
	return Value{kind: kind, list: p.shut(names, values)}, nil
}

// shut takes the names and values from these places on as a list of their own.
func (p *parser) shut(names, values int) *list {
	if len(p.open.values) == values {
		return nil
	}
	l := &list{values: slices.Clone(p.open.values[values:])}
	if len(p.open.names) > names {
		l.names = slices.Clone(p.open.names[names:])
		sort.Sort(l)
	}
	p.open = list{names: p.open.names[:names], values: p.open.values[:values]}
	return l
}

// member reads one member of an object.
func (p *parser) member(depth int) error {
	lit, err := p.dec.ReadValue()
	if err != nil {
		return p.syntax(err)
	}
	name, err := p.unquote(lit)
	if err != nil {
		return err
	}
	p.open.names = append(p.open.names, name)
	start := p.dec.InputOffset()
	if err := p.element(depth); err != nil {
		return err
	}
	if depth == 1 && name == "id" {
		p.id = p.text[skip(p.raw, start, separator):p.dec.InputOffset()]
	}
	return nil
}

// element reads one element of an array, or the value of a member.
func (p *parser) element(depth int) error {
	v, err := p.value(depth + 1)
	if err != nil {
		return err
	}
	p.open.values = append(p.open.values, v)
	return nil
}

// unquote returns the text of the string literal that was just read.
func (p *parser) unquote(lit jsontext.Value) (string, error) {
	if bytes.IndexByte(lit, '\\') < 0 {
		end := p.dec.InputOffset()
		return p.text[end-int64(len(lit))+1 : end-1], nil
	}
	s, err := jsontext.AppendUnquote(nil, lit)
	if err != nil {
		return "", p.refuse(len(lit), err.Error())
	}
	return string(s), nil
}

// number returns the number literal that was just read as a value.
func (p *parser) number(lit jsontext.Value) (Value, error) {
	end := p.dec.InputOffset()
	text := p.text[end-int64(len(lit)) : end]
	n, ok := scanNumber(text)
	if !ok {
		return Value{}, p.refuse(len(lit), "not a JSON number")
	}
	if n.width() > p.bounds.Digits {
		return Value{}, p.refuse(len(lit), fmt.Sprintf("number has more than %d digits written out", p.bounds.Digits))
	}
	var buf [32]byte
	if canonical := n.appendCanonical(buf[:0]); string(canonical) != text {
		text = string(canonical)
	}
	return Value{kind: Number, text: text}, nil
}

// refuse returns an error at the start of the token that was just read, which
// is size bytes long.
func (p *parser) refuse(size int, msg string) error {
	return p.errorAt(p.dec.InputOffset()-int64(size), p.dec.StackPointer(), msg)
}

// syntax returns what the decoder found, in the words of this package.
func (p *parser) syntax(err error) error {
	var found *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.EOF):
		return p.errorAt(int64(len(p.raw)), "", "no value")
	case !errors.As(err, &found):
		return fmt.Errorf("reading JSON: %w", err)
	case errors.Is(err, jsontext.ErrDuplicateName):
		return p.errorAt(found.ByteOffset, found.JSONPointer, "duplicate member")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return p.errorAt(int64(len(p.raw)), found.JSONPointer, "text ends before the value does")
	default:
		msg := strings.TrimPrefix(found.Err.Error(), "jsontext: ")
		return p.errorAt(found.ByteOffset, found.JSONPointer, msg)
	}
}

func (p *parser) errorAt(offset int64, pointer jsontext.Pointer, msg string) error {
	return syntaxError(p.raw, offset, pointer, msg)
}

// What stands between the tokens of JSON.
const (
	space     = " \t\r\n"
	separator = space + ",:"
)

// skip returns the first offset at or after offset where raw has none of chars.
func skip(raw []byte, offset int64, chars string) int64 {
	return int64(len(raw) - len(bytes.TrimLeft(raw[offset:], chars)))
}
