package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// form is a way to read a text: byte i of it comes from bytes from[i] to to[i] of the
// text.
type form struct {
	name     string
	text     []byte
	from, to []int
}

func (f *form) add(from, to int, bytes ...byte) {
	for _, b := range bytes {
		f.text = append(f.text, b)
		f.from = append(f.from, from)
		f.to = append(f.to, to)
	}
}

// end keeps apart what comes before and what comes after.
func (f *form) end(at int) { f.add(at, at, 0) }

// is says whether a form is these bytes and no more.
func (f *form) is(b []byte) bool {
	n := len(b)
	return n > 0 && bytes.HasPrefix(f.text, b) && f.whole(0, n) && (len(f.text) == n || len(f.text) == n+1 && !f.whole(n, n+1))
}

// whole says whether no end stands between bytes i and j.
func (f *form) whole(i, j int) bool {
	for ; i < j; i++ {
		if f.from[i] == f.to[i] {
			return false
		}
	}
	return true
}

// span returns where bytes i to j of the form come from.
func (f *form) span(i, j int) (from, to int) {
	return slices.Min(f.from[i:j]), slices.Max(f.to[i:j])
}

// forms are the ways in which keys and inputs are looked for.
func forms(s string) []form {
	all := []form{raw(s)}
	if strings.Contains(s, `\`) {
		all = append(all, escaped(s, 1))
	}
	if strings.Contains(s, `\\`) {
		all = append(all, escaped(s, len(s)))
	}
	if strings.Contains(s, "%") {
		all = append(all, percent(s))
	}
	all = append(all, backwards(s), joined(s, apart))
	all = append(all, hexadecimal(s, 0), hexadecimal(s, 1))
	return append(all, base64s(s)...)
}

// raw is the text as it stands.
func raw(s string) form {
	f := form{name: "raw"}
	for i := range len(s) {
		f.add(i, i+1, s[i])
	}
	return f
}

// escaped reads the escapes of JSON, and \x with two digits. Up to so many
// backslashes in a row are one: JSON in JSON has two where it means one, and so on.
func escaped(s string, most int) form {
	f := form{name: "escaped"}
	for i := 0; i < len(s); {
		row := 0
		for row < most && i+row+1 < len(s) && s[i+row] == '\\' {
			row++
		}
		skip := max(0, row-1)
		n, bytes := escape(s[i+skip:])
		f.add(i, i+skip+n, bytes...)
		i += skip + n
	}
	return f
}

var letters = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f'}

// escape reads what a text begins with: a byte, or an escape and its length.
func escape(s string) (n int, bytes []byte) {
	if s[0] != '\\' || len(s) == 1 {
		return 1, []byte{s[0]}
	}
	digits := map[byte]int{'x': 2, 'u': 4}[s[1]]
	if digits > 0 && len(s) >= 2+digits {
		if v, err := strconv.ParseUint(s[2:2+digits], 16, 32); err == nil {
			if digits == 2 {
				return 4, []byte{byte(v)}
			}
			return 6, utf8.AppendRune(nil, rune(v))
		}
	}
	if b, ok := letters[s[1]]; ok {
		return 2, []byte{b}
	}
	return 2, []byte{s[1]}
}

// percent reads %XX as URLs have it.
func percent(s string) form {
	f := form{name: "percent"}
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if b, err := hex.DecodeString(s[i+1 : i+3]); err == nil {
				f.add(i, i+3, b[0])
				i += 2
				continue
			}
		}
		f.add(i, i+1, s[i])
	}
	return f
}

// backwards reads the text from its end.
func backwards(s string) form {
	f := form{name: "backwards"}
	for i := len(s) - 1; i >= 0; i-- {
		f.add(i, i+1, s[i])
	}
	return f
}

// Bytes by which a value is split up: an input; a key, which is of letters and digits.
const (
	apart    = " .-\n\t\r"
	apartKey = apart + "_,;:/\\|+*=~'\"`()[]{}<>"
)

const joinedForm = "joined"

// joined leaves out bytes.
func joined(s, without string) form {
	f := form{name: joinedForm}
	for i := range len(s) {
		if strings.IndexByte(without, s[i]) < 0 {
			f.add(i, i+1, s[i])
		}
	}
	return f
}

// digits are runs of hexadecimal digits of either case, with separators or 0x between
// them.
var digits = regexp.MustCompile(`(?:(?:0[xX])?[0-9A-Fa-f]+[ :,._\n\t-]{0,2})+`)

// prefix stands before digits and is none of them.
var prefix = regexp.MustCompile(`0[xX]`)

// hexadecimal reads digits by two, from the first or the second on.
func hexadecimal(s string, skip int) form {
	f := form{name: "hex"}
	for _, run := range digits.FindAllStringIndex(s, -1) {
		text := prefix.ReplaceAllStringFunc(s[run[0]:run[1]], func(p string) string { return strings.Repeat("_", len(p)) })
		var at []int
		for i := range len(text) {
			if strings.IndexByte("0123456789abcdefABCDEF", text[i]) >= 0 {
				at = append(at, run[0]+i)
			}
		}
		for i := skip; i+1 < len(at); i += 2 {
			b, err := hex.DecodeString(string([]byte{s[at[i]], s[at[i+1]]}))
			if err == nil {
				f.add(at[i], at[i+1]+1, b...)
			}
		}
		f.end(run[1])
	}
	return f
}

// base64Run is what can be base64 of both alphabets.
var base64Run = regexp.MustCompile(`[A-Za-z0-9+/_-]{4,}`)

// base64s read base64 in the four places at which it can begin.
func base64s(s string) []form {
	all := make([]form, 4)
	for skip := range all {
		f := &all[skip]
		f.name = "base64"
		for _, run := range base64Run.FindAllStringIndex(s, -1) {
			start := min(run[0]+skip, run[1])
			text := strings.NewReplacer("-", "+", "_", "/").Replace(s[start:run[1]])
			if len(text)%4 == 1 {
				text = text[:len(text)-1]
			}
			decoded, err := base64.RawStdEncoding.DecodeString(text)
			if err != nil {
				continue
			}
			for i, b := range decoded { // byte i stands in letters i*8/6 to (i*8+7)/6
				f.add(start+i*8/6, start+(i*8+7)/6+1, b)
			}
			f.end(run[1])
		}
	}
	return all
}
