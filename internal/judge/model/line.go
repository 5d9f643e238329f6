package model

import (
	"encoding/hex"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/toolcall"
)

// object builds one JSON object and leaves out what is empty.
type object []toolcall.Member

func (o *object) value(name string, v toolcall.Value) {
	*o = append(*o, toolcall.Member{Name: name, Value: v})
}

func (o *object) text(name, s string) {
	if s != "" {
		o.value(name, text(s))
	}
}

func (o *object) flag(name string, on bool) {
	if on {
		o.value(name, toolcall.Boolean(true))
	}
}

// line writes the object as one line of a block.
func (o object) line() string { return line(toolcall.ObjectOf(o...)) }

// line writes an object as one line. Every text of a prompt passes here: detected
// secrets are masked, and what a reader could not see, or could take for a line
// break or another direction of writing, is escaped.
func line(v toolcall.Value) string {
	masked, _ := evidence.Redact(v)
	return escape(masked.Canonical())
}

// escape writes control and format characters of a JSON text as \u escapes. In
// canonical JSON they stand inside of texts only, so that the value stays the same.
func escape(s string) string {
	if strings.IndexFunc(s, hidden) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if !hidden(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			b.WriteString(`\u` + strconv.FormatInt(0x10000+int64(unit), 16)[1:])
		}
	}
	return b.String()
}

// hidden reports whether a character is one of control (Cc), of format, such as
// those that turn the direction of writing (Cf), a line or paragraph separator, or
// of private use.
func hidden(r rune) bool { return unicode.In(r, unicode.C, unicode.Zl, unicode.Zp) }

// text returns a text, or where it is not UTF-8 its bytes in hexadecimal.
func text(s string) toolcall.Value {
	if utf8.ValidString(s) {
		return toolcall.StringOf(s)
	}
	return toolcall.ObjectOf(toolcall.Member{Name: "bytes", Value: toolcall.StringOf(hex.EncodeToString([]byte(s)))})
}

func texts(all []string) toolcall.Value {
	list := make([]toolcall.Value, len(all))
	for i, s := range all {
		list[i] = text(s)
	}
	return toolcall.ArrayOf(list...)
}

func number(n int) toolcall.Value {
	d, err := toolcall.ParseDecimal(strconv.Itoa(n))
	if err != nil {
		panic("model: an integer is no decimal: " + err.Error()) // it always is one
	}
	return toolcall.NumberOf(d)
}
