package toolcall

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
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
// outermost object, nil where there is none; it is part of raw.
func parse(raw []byte, b Bounds) (v Value, id []byte, err error) {
	b = b.orDefault()
	if len(raw) > b.Bytes {
		return Value{}, nil, syntaxError(raw, int64(b.Bytes), "", fmt.Sprintf("text is longer than %d bytes", b.Bytes))
	}
	if !jsontext.Value(raw).IsValid(jsontext.AllowDuplicateNames(true)) {
		return Value{}, nil, invalid(raw)
	}
	p := parsers.Get().(*parser)
	p.reset(raw, b)
	p.next()
	if v, err = p.value(1); err != nil {
		return Value{}, nil, err // p is not used again: it still holds what it read
	}
	if p.id.end > 0 {
		id = raw[p.id.start:p.id.end:p.id.end]
	}
	p.release()
	return v, id, nil
}

// parser builds the value of one text, which jsontext has found to be strict
// JSON but for duplicate members: those are found here, at less cost, once the
// members of an object are sorted. So it looks only for where tokens begin and
// end, and refuses only them and what is over a bound.
type parser struct {
	bounds Bounds
	text   string // strings without escapes are parts of it
	at     int    // where the next token begins, or white space, a comma or a colon before it
	open   list   // what was read of the arrays and objects that are still open
	id     struct{ start, end int }

	// Room for what the value holds, so that a message takes a few pieces of
	// memory and not two for each object.
	names  []string
	values []Value
	lists  []list
}

// parsers keeps parsers for their room in open.
var parsers = sync.Pool{New: func() any { return new(parser) }}

// reset makes room for as many values as there are commas and brackets, which
// in most messages is what they have.
func (p *parser) reset(raw []byte, b Bounds) {
	lists := bytes.Count(raw, []byte("{")) + bytes.Count(raw, []byte("["))
	values := lists + bytes.Count(raw, []byte(","))
	p.bounds, p.text = b, string(raw)
	p.names = make([]string, 0, min(values, chunk))
	p.values = make([]Value, 0, min(values, chunk))
	p.lists = make([]list, 0, min(lists, chunk))
}

// release gives p back without what it read, all of whose arrays and objects
// are shut. The room that one huge message took is dropped.
func (p *parser) release() {
	open := list{names: p.open.names[:0], values: p.open.values[:0]}
	if cap(open.names)+cap(open.values) > 2048 {
		open = list{}
	}
	*p = parser{open: open}
	parsers.Put(p)
}

// value reads the value that begins here, which has depth-1 arrays and objects
// around it.
func (p *parser) value(depth int) (Value, error) {
	switch p.text[p.at] {
	case '{', '[':
		return p.container(depth)
	case '"':
		start := p.at
		s, err := p.quoted()
		return Value{kind: String, text: s, plain: len(s) == p.at-start-len(`""`)}, err // an escape is longer than what it stands for
	case 'n':
		p.at += len("null")
		return NullValue, nil
	case 't':
		p.at += len("true")
		return Boolean(true), nil
	case 'f':
		p.at += len("false")
		return Boolean(false), nil
	default:
		return p.number()
	}
}

// container reads the array or object that begins here.
func (p *parser) container(depth int) (Value, error) {
	if depth > p.bounds.Depth {
		return Value{}, p.refuse(p.at, fmt.Sprintf("more than %d arrays and objects around one another", p.bounds.Depth))
	}
	kind := Array
	if p.text[p.at] == '{' {
		kind = Object
	}
	names, values := len(p.open.names), len(p.open.values)
	p.at++
	for c := p.next(); c != '}' && c != ']'; c = p.next() {
		var err error
		if kind == Object {
			err = p.member(depth)
		} else {
			err = p.element(depth)
		}
		if err != nil {
			return Value{}, err
		}
	}
	p.at++
	l := p.shut(names, values)
	if l.repeats() {
		return Value{}, invalid([]byte(p.text))
	}
	return Value{kind: kind, list: l}, nil
}

// next goes to the next token and returns its first byte. Before the value and
// inside an array or object there always is one.
func (p *parser) next() byte {
	for {
		switch c := p.text[p.at]; c {
		case ' ', '\t', '\r', '\n', ',', ':':
			p.at++
		default:
			return c
		}
	}
}

// member reads one member of an object.
func (p *parser) member(depth int) error {
	name, err := p.quoted()
	if err != nil {
		return err
	}
	p.open.names = append(p.open.names, name)
	p.next()
	start := p.at
	if err := p.element(depth); err != nil {
		return err
	}
	if depth == 1 && name == "id" {
		p.id.start, p.id.end = start, p.at
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

// shut takes the names and values from these places on as a list of their own.
func (p *parser) shut(names, values int) *list {
	if len(p.open.values) == values {
		return nil
	}
	l := &keep(&p.lists, []list{{}})[0]
	l.names = keep(&p.names, p.open.names[names:])
	l.values = keep(&p.values, p.open.values[values:])
	l.sort()
	clear(p.open.names[names:])
	clear(p.open.values[values:])
	p.open = list{names: p.open.names[:names], values: p.open.values[:values]}
	return l
}

// chunk is how many things keep makes room for at once, at most: together with
// the part that takes room of its own it bounds what stays empty to a quarter.
const chunk = 64

// keep returns a copy of s, in what is left of room where it fits.
func keep[T any](room *[]T, s []T) []T {
	if len(s) > cap(*room)-len(*room) {
		if len(s) > chunk/4 {
			return append([]T(nil), s...)
		}
		*room = make([]T, 0, chunk)
	}
	start := len(*room)
	*room = append(*room, s...)
	return slices.Clip((*room)[start:])
}

// quoted reads the string that begins here.
func (p *parser) quoted() (string, error) {
	rest := p.text[p.at+1:]
	if s := rest[:strings.IndexByte(rest, '"')]; strings.IndexByte(s, '\\') < 0 {
		p.at += len(s) + len(`""`)
		return s, nil
	}
	end := 0
	for ; rest[end] != '"'; end++ {
		if rest[end] == '\\' {
			end++
		}
	}
	s, err := jsontext.AppendUnquote(nil, p.text[p.at:p.at+end+len(`""`)])
	if err != nil {
		return "", p.refuse(p.at, err.Error())
	}
	p.at += end + len(`""`)
	return string(s), nil
}

// number reads the number that begins here.
func (p *parser) number() (Value, error) {
	start := p.at
	for p.at < len(p.text) && !ends[p.text[p.at]] {
		p.at++
	}
	text := p.text[start:p.at]
	n, ok := scanNumber(text)
	if !ok {
		return Value{}, p.refuse(start, "not a JSON number")
	}
	if n.width() > p.bounds.Digits {
		return Value{}, p.refuse(start, fmt.Sprintf("number has more than %d digits written out", p.bounds.Digits))
	}
	if len(n.whole) == len(text) && len(text) <= 21 {
		return Value{kind: Number, text: text}, nil // most numbers; only longer ones are written with an exponent
	}
	var buf [32]byte
	if canonical := n.appendCanonical(buf[:0]); string(canonical) != text {
		text = string(canonical)
	}
	return Value{kind: Number, text: text}, nil
}

// ends says which bytes stand after a number.
var ends = [256]bool{',': true, ']': true, '}': true, ' ': true, '\t': true, '\r': true, '\n': true}

// refuse returns an error at the value that begins at offset.
func (p *parser) refuse(offset int, msg string) error {
	dec := jsontext.NewDecoder(strings.NewReader(p.text))
	for dec.InputOffset() <= int64(offset) {
		if _, err := dec.ReadToken(); err != nil {
			return refused([]byte(p.text), err) // a duplicate member before it
		}
	}
	return syntaxError([]byte(p.text), int64(offset), dec.StackPointer(), msg)
}

// invalid says why and where raw is no strict JSON.
func invalid(raw []byte) error {
	dec := jsontext.NewDecoder(bytes.NewReader(raw))
	for {
		if _, err := dec.ReadToken(); err != nil {
			return refused(raw, err)
		}
		if dec.StackDepth() == 0 {
			return syntaxError(raw, skip(raw, dec.InputOffset(), space), "", "data after the value")
		}
	}
}

// refused returns what jsontext found, in the words of this package.
func refused(raw []byte, err error) error {
	var found *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.EOF):
		return syntaxError(raw, int64(len(raw)), "", "no value")
	case !errors.As(err, &found):
		return fmt.Errorf("reading JSON: %w", err)
	case errors.Is(err, jsontext.ErrDuplicateName):
		return syntaxError(raw, found.ByteOffset, found.JSONPointer, "duplicate member")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return syntaxError(raw, int64(len(raw)), found.JSONPointer, "text ends before the value does")
	default:
		msg := strings.TrimPrefix(found.Err.Error(), "jsontext: ")
		return syntaxError(raw, found.ByteOffset, found.JSONPointer, msg)
	}
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
