package facts

import (
	"fmt"
	"slices"

	"github.com/licet-dev/licet/internal/toolcall"
)

// maxHashes bounds what is kept of one result: 512 KiB of hashes.
const maxHashes = 1 << 16

// Observe reads the result of a tool call (MCP 2026-07-28, CallToolResult) and
// returns what is kept of it. What stands at a path is taken from
// structuredContent; without one, from each text block that is one JSON or YAML
// document. All other text, that of embedded resources and links too, is free
// text. A result that failed or is not complete has no leaves: nothing was
// stated by it.
//
// The first maxHashes hashes are kept; cut reports that there was more, which
// does not count as stated. The key has at least 32 bytes.
func Observe(key []byte, result toolcall.Value) (leaves []Leaf, cut bool, err error) {
	h, err := newHasher(key)
	if err != nil {
		return nil, false, fmt.Errorf("hashing a result: %w", err)
	}
	if !succeeded(result) {
		return nil, false, nil
	}
	o := observer{hasher: h, left: maxHashes, seen: map[[2]Hash]bool{}}
	structured := result.Get("structuredContent")
	o.value(structured, nil)
	content := result.Get("content")
	for i := range content.Len() {
		o.block(content.Elem(i), structured)
	}
	return o.leaves, o.cut, nil
}

// succeeded reports whether a result is complete and no failure. What it says
// in a way that this version does not know is taken as a failure.
func succeeded(result toolcall.Value) bool {
	failed, kind := result.Get("isError"), result.Get("resultType")
	return (failed.Kind() == toolcall.Absent || failed.Kind() == toolcall.Bool && !failed.Bool()) &&
		(kind.Kind() == toolcall.Absent || kind.Text() == "complete")
}

// observer collects the leaves of one result.
type observer struct {
	*hasher
	leaves []Leaf
	left   int // hashes that may still be kept
	cut    bool
	seen   map[[2]Hash]bool // Path and Whole of the leaves: a value says the same again
}

// block reads one content block. A document in it counts as structured where
// nothing else does; where it only repeats the structured content (as MCP asks
// servers to do), it adds nothing. Anything else beside structured content is
// free text, so that it cannot claim a place.
func (o *observer) block(b, structured toolcall.Value) {
	switch b.Get("type").Text() {
	case "text":
		text := b.Get("text").Text()
		doc, ok := Document(text)
		if ok && (isAbsent(structured) || doc.Equal(structured)) {
			o.value(doc, nil)
			return
		}
		o.free(text)
	case "resource":
		o.free(b.Get("resource").Get("uri").Text())
		o.free(b.Get("resource").Get("text").Text())
	case "resource_link":
		for _, name := range []string{"uri", "name", "title", "description"} {
			o.free(b.Get(name).Text())
		}
	}
}

func isAbsent(v toolcall.Value) bool {
	return v.Kind() == toolcall.Absent || v.Kind() == toolcall.Null
}

// value keeps every text and number in v, which stands at the place steps.
// Names of members are text of the result as well, at no place.
func (o *observer) value(v toolcall.Value, steps []toolcall.Step) {
	switch v.Kind() {
	case toolcall.String:
		o.text(o.path(steps), v.Text())
	case toolcall.Number:
		n := o.sum(numberDomain, v.Number().String())
		o.keep(Leaf{Path: o.path(steps), Whole: n, Numbers: []Hash{n}})
	case toolcall.Array:
		inner := append(slices.Clip(steps), toolcall.Step{Elements: true})
		for i := range v.Len() {
			o.value(v.Elem(i), inner)
		}
	case toolcall.Object:
		for i := range v.Len() {
			name, member := v.Member(i)
			o.free(name)
			o.value(member, append(slices.Clip(steps), toolcall.Step{Name: name}))
		}
	}
}

func (o *observer) free(text string) { o.text(0, text) }

// text keeps the leading tokens of a text, as many as there is room for.
func (o *observer) text(path Hash, text string) {
	l := Leaf{Path: path, Whole: o.whole(text)}
	if o.seen[[2]Hash{l.Path, l.Whole}] {
		return
	}
	for t := range tokens(text) {
		if len(l.Tokens)+len(l.Numbers)+4 > o.left {
			o.cut = true
			break
		}
		l.Tokens = append(l.Tokens, o.sum(tokenDomain, t.text))
		if t.number != "" {
			l.Numbers = append(l.Numbers, o.sum(numberDomain, t.number))
		}
	}
	slices.Sort(l.Numbers)
	l.Numbers = slices.Compact(l.Numbers)
	if len(l.Tokens) > 0 {
		o.keep(l)
	}
}

// keep adds a leaf if there is room for it and it says something new.
func (o *observer) keep(l Leaf) {
	size := 2 + len(l.Tokens) + len(l.Numbers)
	id := [2]Hash{l.Path, l.Whole}
	switch {
	case o.seen[id]:
	case size > o.left:
		o.cut = true
	default:
		o.seen[id] = true
		o.left -= size
		o.leaves = append(o.leaves, l)
	}
}
