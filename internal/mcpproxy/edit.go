package mcpproxy

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// span is the place of one value in a text that was parsed strictly.
type span struct{ start, end int }

func whole(raw []byte) span { return span{0, len(raw)} }

// text returns the bytes at s.
func (s span) text(raw []byte) []byte { return raw[s.start:s.end] }

// member returns the place of a member's value in the object at s.
func (s span) member(raw []byte, name string) (span, bool) {
	dec := jsontext.NewDecoder(bytes.NewReader(s.text(raw)))
	if open, err := dec.ReadToken(); err != nil || open.Kind() != '{' {
		return span{}, false
	}
	for {
		key, err := dec.ReadToken()
		if err != nil || key.Kind() != '"' {
			return span{}, false
		}
		found := key.String() == name
		value, err := dec.ReadValue()
		if err != nil {
			return span{}, false
		}
		if found {
			return s.ending(dec, value), true
		}
	}
}

// elements returns the places of the elements of the array at s.
func (s span) elements(raw []byte) (all []span) {
	dec := jsontext.NewDecoder(bytes.NewReader(s.text(raw)))
	if open, err := dec.ReadToken(); err != nil || open.Kind() != '[' {
		return nil
	}
	for dec.PeekKind() != ']' {
		value, err := dec.ReadValue()
		if err != nil {
			return nil
		}
		all = append(all, s.ending(dec, value))
	}
	return all
}

// ending returns the place of the value that dec, which reads the text at s,
// has just read.
func (s span) ending(dec *jsontext.Decoder, value jsontext.Value) span {
	end := s.start + int(dec.InputOffset())
	return span{end - len(value), end}
}

// edit puts another text in the place of a value.
type edit struct {
	at   span
	text []byte
}

// apply returns raw with the edits made; their places do not overlap.
func apply(raw []byte, edits []edit) []byte {
	slices.SortFunc(edits, func(a, b edit) int { return a.at.start - b.at.start })
	var out []byte
	done := 0
	for _, e := range edits {
		out = append(append(out, raw[done:e.at.start]...), e.text...)
		done = e.at.end
	}
	return append(out, raw[done:]...)
}

// set returns the edit that gives the object at s this member.
func (s span) set(raw []byte, name, value string) edit {
	if at, found := s.member(raw, name); found {
		return edit{at, []byte(value)}
	}
	inside := s.start + 1 // after the brace
	text := `"` + name + `":` + value
	if bytes.TrimLeft(raw[inside:s.end], " \t\r\n")[0] != '}' {
		text += ","
	}
	return edit{span{inside, inside}, []byte(text)}
}
