package redact

import (
	"bytes"
	"iter"
	"strings"
	"unicode/utf8"
)

// place is where a byte of a form comes from: bytes from to to of the text. An end,
// which keeps apart what stands before and after it, comes from none.
type place struct{ from, to int32 }

// form is a way to read a text (specification, section 9, "Forms searched").
type form struct {
	name    string
	text    []byte
	at      []place // of each byte
	decoded bool    // nothing of it stands in what it was read from
	joined  bool    // bytes were left out
	turned  bool    // it is read from its end
}

// steps make other forms of one.
var steps = []func(*form) []*form{
	(*form).escaped, (*form).percent, (*form).join, (*form).turn, (*form).hexadecimal, (*form).base64,
}

// depth is how many steps are taken one after another: base64 of hexadecimal digits
// that are written backwards takes three.
const depth = 3

// read shows each form of a text, the text itself first.
func read(s string, see func(*form)) { raw(s).read(depth, see) }

func (f *form) read(more int, see func(*form)) {
	see(f)
	if f.decoded {
		f = f.printable()
	}
	if more == 0 || len(f.text) == 0 {
		return
	}
	for _, step := range steps {
		for _, g := range step(f) {
			g.read(more-1, see)
		}
	}
}

const rawForm = "raw"

// raw is the text as it stands.
func raw(s string) *form {
	f := &form{name: rawForm, text: []byte(s), at: make([]place, len(s))}
	for i := range f.at {
		f.at[i] = place{int32(i), int32(i + 1)}
	}
	return f
}

// next returns an empty form that a step is to fill from another one, with room for so
// many bytes.
func (f *form) next(name string, size int) *form {
	if f.name != rawForm {
		name = f.name + " of " + name
	}
	return &form{name: name, text: make([]byte, 0, size), at: make([]place, 0, size), joined: f.joined, turned: f.turned}
}

// add appends a byte that comes from bytes i to j of another form.
func (f *form) add(of *form, i, j int, b byte) {
	first, last := of.at[i], of.at[j-1]
	f.text = append(f.text, b)
	f.at = append(f.at, place{min(first.from, last.from), max(first.to, last.to)})
}

// end keeps apart what comes before and what comes after.
func (f *form) end() {
	f.text = append(f.text, 0)
	f.at = append(f.at, place{})
}

// whole says whether no end stands between bytes i and j.
func (f *form) whole(i, j int) bool {
	for _, p := range f.at[i:j] {
		if p.from == p.to {
			return false
		}
	}
	return true
}

// span returns where bytes i to j of the form come from.
func (f *form) span(i, j int) (from, to int) {
	p := f.at[i]
	for _, q := range f.at[i+1 : j] {
		p = place{min(p.from, q.from), max(p.to, q.to)}
	}
	return int(p.from), int(p.to)
}

// is says whether a form is these bytes and no more, and all that the text s says.
func (f *form) is(b []byte, s string) bool {
	n := len(b)
	if n == 0 || !bytes.HasPrefix(f.text, b) || !f.whole(0, n) || len(f.text) > n && (len(f.text) > n+1 || f.whole(n, n+1)) {
		return false
	}
	from, to := f.span(0, n)
	return strings.Trim(s[:from]+s[to:], "= \t\r\n") == ""
}

// shortest is how many letters an encoding of whole bytes has at least.
const shortest = whole * 4 / 3

// printable leaves out what is no encoding again: all but rows of printable bytes.
// Nearly all of what words read as base64 say goes here, and with it the time to read
// that again.
func (f *form) printable() *form {
	g := f.next("", 0)
	g.name = f.name
	for i, row := 0, 0; i <= len(f.text); i++ {
		if i < len(f.text) && (f.text[i] >= ' ' && f.text[i] < 0x7f || strings.IndexByte(blank, f.text[i]) >= 0) {
			row++
			continue
		}
		if row >= shortest {
			g.text, g.at = append(g.text, f.text[i-row:i]...), append(g.at, f.at[i-row:i]...)
			g.end()
		}
		row = 0
	}
	return g
}

// escaped reads the escapes of JSON, and \x with two digits: each for itself, and as
// JSON in JSON has them, where any number of backslashes in a row is one.
func (f *form) escaped() (all []*form) {
	if bytes.Contains(f.text, []byte(`\`)) {
		all = append(all, f.unescape(1))
	}
	if bytes.Contains(f.text, []byte(`\\`)) {
		all = append(all, f.unescape(len(f.text)))
	}
	return all
}

// unescape takes up to so many backslashes in a row for one.
func (f *form) unescape(most int) *form {
	g := f.next("escaped", len(f.text))
	for i := 0; i < len(f.text); {
		row := 0
		for row < most && i+row+1 < len(f.text) && f.text[i+row] == '\\' {
			row++
		}
		skip := max(0, row-1)
		r, n := escape(f.text[i+skip:])
		if n < 6 {
			g.add(f, i, i+skip+n, byte(r))
		} else {
			for _, b := range utf8.AppendRune(nil, r) {
				g.add(f, i, i+skip+n, b)
			}
		}
		i += skip + n
	}
	return g
}

// escape reads what a text begins with, a byte or an escape: what it means, and its
// length, which is 6 if that is a character and no byte.
func escape(s []byte) (r rune, n int) {
	if s[0] != '\\' || len(s) == 1 {
		return rune(s[0]), 1
	}
	switch s[1] {
	case 'x':
		n = 4
	case 'u':
		n = 6
	case 'n', 't', 'r', 'b', 'f':
		return rune("\n\t\r\b\f"[strings.IndexByte("ntrbf", s[1])]), 2
	}
	if n < 4 || n > len(s) {
		return rune(s[1]), 2
	}
	for _, b := range s[2:n] {
		if hexLetters.value[b] < 0 {
			return rune(s[1]), 2
		}
		r = r<<4 | rune(hexLetters.value[b])
	}
	return r, n
}

// percent reads %XX as URLs have it, and as forms on the web do, where + is a blank.
func (f *form) percent() []*form {
	all := changed(f, f.unquote('+'))
	if len(all) > 0 && bytes.Contains(f.text, []byte("+")) {
		all = append(all, f.unquote(' '))
	}
	return all
}

// unquote reads %XX, and + as another byte.
func (f *form) unquote(plus byte) *form {
	g := f.next("percent", len(f.text))
	for i := 0; i < len(f.text); i++ {
		b, n := f.text[i], 1
		if b == '+' {
			b = plus
		}
		if b == '%' && i+2 < len(f.text) {
			if high, low := hexLetters.value[f.text[i+1]], hexLetters.value[f.text[i+2]]; high >= 0 && low >= 0 {
				b, n = byte(high)<<4|byte(low), 3
			}
		}
		g.add(f, i, i+n, b)
		i += n - 1
	}
	return g
}

// changed returns a form if it is shorter than the one that it was made of.
func changed(f, g *form) []*form {
	if len(g.text) == len(f.text) {
		return nil
	}
	return []*form{g}
}

// turn reads the text from its end.
func (f *form) turn() []*form {
	if f.turned {
		return nil
	}
	g := f.next("backwards", len(f.text))
	g.turned = true
	for i := len(f.text) - 1; i >= 0; i-- {
		g.add(f, i, i+1, f.text[i])
	}
	return []*form{g}
}

// Bytes by which a value is split up: any; a key, which is of letters and digits.
const (
	blank    = " \t\r\n"
	apart    = blank + ".-"
	apartKey = apart + "_,;:/\\|+*=~'\"`()[]{}<>"
)

// join leaves out what stands between parts of a value.
func (f *form) join() []*form {
	if f.joined || f.turned { // the other way round is the same
		return nil
	}
	return changed(f, f.without(apart))
}

// without leaves out bytes.
func (f *form) without(bytes string) *form {
	g := f.next("joined", len(f.text))
	g.joined = true
	for i, b := range f.text {
		if strings.IndexByte(bytes, b) < 0 {
			g.add(f, i, i+1, b)
		}
	}
	return g
}

// alphabet is what an encoding consists of.
type alphabet struct {
	value   [256]int8 // of a letter; -1 = it is none
	between string    // what may stand between two letters
	prefix  string    // what may stand before letters and is none
}

// gap is how many bytes may stand between two letters: a line break and an indentation.
const gap = 64

var (
	hexLetters    = alphabetOf("0123456789abcdef", "0123456789ABCDEF", blank+":,._-+", "0x")
	base64Letters = alphabetOf(alphanumeric+"+/", alphanumeric+"-_", blank, "")
)

const alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// alphabetOf has two letters for each value, or one twice.
func alphabetOf(letters, others, between, prefix string) *alphabet {
	a := alphabet{between: between, prefix: prefix}
	for i := range a.value {
		a.value[i] = int8(max(strings.IndexByte(letters, byte(i)), strings.IndexByte(others, byte(i))))
	}
	return &a
}

// runs are the places of the letters of each encoded run. A run is valid until the
// next one.
func (f *form) runs(a *alphabet) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		var run []int
		between := 0
		for i := 0; i < len(f.text); i++ {
			switch b := f.text[i]; {
			case a.prefix != "" && b == a.prefix[0] && i+1 < len(f.text) && f.text[i+1]|0x20 == a.prefix[1]:
				i++
			case a.value[b] >= 0:
				run, between = append(run, i), 0
			case len(run) > 0 && between < gap && strings.IndexByte(a.between, b) >= 0:
				between++
			default:
				if len(run) > 0 && !yield(run) {
					return
				}
				run = run[:0]
			}
		}
		if len(run) > 0 {
			yield(run)
		}
	}
}

// hexadecimal reads hexadecimal digits by two, from the first and from the second on.
func (f *form) hexadecimal() []*form {
	all := []*form{f.next("hex", 0), f.next("hex", 0)}
	for run := range f.runs(hexLetters) {
		for skip, g := range all {
			for i := skip; i+1 < len(run); i += 2 {
				high, low := hexLetters.value[f.text[run[i]]], hexLetters.value[f.text[run[i+1]]]
				g.add(f, run[i], run[i+1]+1, byte(high)<<4|byte(low))
			}
			g.end()
		}
	}
	return decoded(all)
}

// base64 reads base64 in the four places at which it can begin.
func (f *form) base64() []*form {
	all := []*form{f.next("base64", 0), f.next("base64", 0), f.next("base64", 0), f.next("base64", 0)}
	for run := range f.runs(base64Letters) {
		if len(run) < 4 {
			continue
		}
		for phase, g := range all {
			for i := 0; i+1 < len(run); i++ {
				if n := (i + phase) % 4 * 2; n < 6 { // bits of the letter that the byte before has
					first, second := base64Letters.value[f.text[run[i]]], base64Letters.value[f.text[run[i+1]]]
					g.add(f, run[i], run[i+1]+1, byte(first)<<(2+n)|byte(second)>>(4-n))
				}
			}
			g.end()
		}
	}
	return decoded(all)
}

// decoded returns forms in which nothing stands that was there before.
func decoded(all []*form) []*form {
	for _, f := range all {
		f.decoded, f.joined, f.turned = true, false, false
	}
	return all
}
