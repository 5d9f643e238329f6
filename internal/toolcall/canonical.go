package toolcall

import (
	"sort"
	"strings"
)

// Canonical returns the canonical JSON text of v; see [Value.AppendCanonical].
func (v Value) Canonical() string { return string(v.AppendCanonical(nil)) }

// AppendCanonical appends the canonical JSON text of v to b. Two values have
// the same text exactly if they are [Value.Equal]. The text is that of RFC
// 8785, except that a number keeps all its digits where RFC 8785 would round
// it to a float64. An absent value has no text.
func (v Value) AppendCanonical(b []byte) []byte {
	switch v.kind {
	case Null:
		b = append(b, "null"...)
	case Bool, Number:
		b = append(b, v.text...)
	case String:
		if v.plain {
			return append(append(append(b, '"'), v.text...), '"')
		}
		b = appendQuoted(b, v.text)
	case Array:
		b = append(b, '[')
		for i := range v.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			b = v.list.values[i].AppendCanonical(b)
		}
		b = append(b, ']')
	case Object:
		b = append(b, '{')
		for i := range v.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendQuoted(b, v.list.names[i]), ':')
			b = v.list.values[i].AppendCanonical(b)
		}
		b = append(b, '}')
	}
	return b
}

// appendQuoted appends s as a JSON string with the escapes of RFC 8785,
// section 3.2.2.2: the two-letter ones where they exist, \u00xx for the other
// control characters, and nothing else.
func appendQuoted(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	done := 0 // s[:done] is written
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !escaped[c] {
			continue
		}
		b = append(b, s[done:i]...)
		done = i + 1
		if at := strings.IndexByte("\"\\\b\f\n\r\t", c); at >= 0 {
			b = append(b, '\\', `"\bfnrt`[at])
		} else {
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xf])
		}
	}
	b = append(b, s[done:]...)
	return append(b, '"')
}

// escaped says which bytes appendQuoted writes in another way.
var escaped = func() (is [256]bool) {
	for c := range ' ' {
		is[c] = true
	}
	is['"'], is['\\'] = true, true
	return is
}()

// sort puts members into canonical order. Few of them, as in most messages, are
// faster put in their places one by one.
func (l *list) sort() {
	if len(l.names) > few {
		sort.Sort(l)
		return
	}
	for i, name := range l.names {
		value, at := l.values[i], i
		for ; at > 0 && compareUTF16(name, l.names[at-1]) < 0; at-- {
			l.names[at], l.values[at] = l.names[at-1], l.values[at-1]
		}
		l.names[at], l.values[at] = name, value
	}
}

// repeats reports whether two members, which are sorted, have one name.
func (l *list) repeats() bool {
	for i := 1; l != nil && i < len(l.names); i++ {
		if l.names[i] == l.names[i-1] {
			return true
		}
	}
	return false
}
func (l *list) Len() int           { return len(l.names) }
func (l *list) Less(i, j int) bool { return compareUTF16(l.names[i], l.names[j]) < 0 }
func (l *list) Swap(i, j int) {
	l.names[i], l.names[j] = l.names[j], l.names[i]
	l.values[i], l.values[j] = l.values[j], l.values[i]
}

// compareUTF16 orders valid UTF-8 texts by their UTF-16 code units (RFC 8785,
// section 3.2.3). That is the order of the UTF-8 bytes but for one case: a
// character beyond U+FFFF begins with a surrogate (D800-DFFF) and so comes
// before U+E000-U+FFFF, whose UTF-8 begins with EE or EF.
func compareUTF16(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return int(utf16Rank(a[i])) - int(utf16Rank(b[i]))
		}
	}
	return len(a) - len(b)
}

// utf16Rank moves the lead bytes EE and EF behind those of four-byte characters.
func utf16Rank(c byte) byte {
	if c == 0xEE || c == 0xEF {
		return c + 0x10
	}
	return c
}
