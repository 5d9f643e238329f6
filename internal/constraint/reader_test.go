package constraint

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/toolcall"
)

// spread returns text of so many bytes as one argument, and as the elements of
// one.
func spread(unit string, bytes int) map[string]toolcall.Selection {
	n := bytes / len(unit)
	many := make([]toolcall.Value, n)
	for i := range many {
		many[i] = toolcall.StringOf(unit)
	}
	one := toolcall.StringOf(strings.Repeat(unit, n))
	return map[string]toolcall.Selection{"one text": {Values: []toolcall.Value{one}}, "elements": {Values: many}}
}

// TestOverlong: a constraint that reads an argument is not satisfied in a
// permitting clause, matches in a never clause, and asks nothing, where the
// argument is longer than it reads. Up to there it judges.
func TestOverlong(t *testing.T) {
	for _, tt := range []struct {
		spec, unit      string
		permits, forbid bool // the side reads
	}{
		{`{"identifiers": {"from": "request"}}`, "a@ok.example ", true, true},
		{`{"email": {"domains": ["ok.example"]}}`, "a@ok.example,", true, true},
		{`{"url": {"hosts": ["ok.example"]}}`, "https://ok.example/", true, true},
		{`{"not_in": ["x"]}`, "é", true, false},
		{`{"in": ["x"]}`, "é", false, true},
		{`{"const": "x"}`, "é", false, true},
		{`{"const": "x"}`, "a", false, false},
		{`{"pattern": ".*"}`, "é", false, false},
	} {
		s := compile(t, tt.spec, local)
		for _, long := range []bool{false, true} {
			bytes := maxText - maxText%len(tt.unit)
			if long {
				bytes += len(tt.unit)
			}
			for name, sel := range spread(tt.unit, bytes) {
				permits, miss := s.Permits(sel, Answers{})
				if over := miss.Want == tooLong; over != (long && tt.permits) || over && permits {
					t.Errorf("%s, %s of %d bytes: permits %t, %s", tt.spec, name, bytes, permits, miss.Want)
				}
				forbids, match := s.Forbids(sel, Answers{})
				if over := match.Want == tooLong; over != (long && tt.forbid) || over && !forbids {
					t.Errorf("%s, %s of %d bytes: forbids %t, %s", tt.spec, name, bytes, forbids, match.Want)
				}
				if long && tt.permits && len(s.Questions(sel)) > 0 {
					t.Errorf("%s, %s of %d bytes asks", tt.spec, name, bytes)
				}
			}
		}
	}
}

// TestOverlongPart: a text inside an array counts, and other constraints of the
// set still narrow a never clause.
func TestOverlongPart(t *testing.T) {
	text := toolcall.StringOf(strings.Repeat("é", maxText))
	sel := toolcall.Selection{Values: []toolcall.Value{toolcall.ArrayOf(toolcall.ObjectOf(toolcall.Member{Name: "a", Value: text}))}}
	if ok, match := compile(t, `{"in": ["x"]}`, local).Forbids(sel, Answers{}); !ok || match.Want != tooLong {
		t.Errorf("forbids %t, %s", ok, match.Want)
	}
	if ok, match := compile(t, `{"in": ["x"], "items": {"min": 2}}`, local).Forbids(sel, Answers{}); ok {
		t.Errorf("forbids: %s", match.Want)
	}
}

// hostile are texts that once took work in the square of their length, or much
// for each byte.
var hostile = []string{
	"a", "1 2 ", "aa11 ", "a.b/", "a.", "a.com ", "a:", "a@", "a/b@", "_a.com", "a_b.c_d.", "[.", "://", "a:/ ", "::", "1:2:", "1-", "請.", "é.é", "\u0301", "\ufdfa",
	"請evil.com", "- ", "12, ", "a'@", "=", "ſ", "'x@y", "2001:db8::1 ",
}

// longLabel is a name with a label that takes a mapping to ASCII the longest.
var longLabel = func() string {
	var b strings.Builder
	for r := rune(0x4e00); b.Len() < maxText/4; r++ {
		b.WriteRune(r)
	}
	return b.String() + ".com"
}()

// TestHostileTexts: no text of a message makes a set allocate more than a small
// multiple of what it reads.
func TestHostileTexts(t *testing.T) {
	const most = 32 << 20 // bytes, for all that one decision does
	specs := []string{
		`{"identifiers": {"from": "request"}}`, `{"in": ["delete"]}`, `{"not_in": ["delete"]}`, `{"email": {"domains": ["ok.example"]}}`, `{"url": {"hosts": ["ok.example"]}}`,
	}
	for _, unit := range hostile {
		for name, sel := range spread(unit, maxText/4) {
			for _, spec := range specs {
				s := compile(t, spec, local)
				if n := allocated(func() { decideOn(s, sel) }); n > most {
					t.Errorf("%s, %s of %q: %d MiB", spec, name, unit, n>>20)
				}
			}
		}
	}
	for _, text := range []string{longLabel, "https://" + longLabel, "a@" + longLabel} {
		for _, spec := range specs {
			s := compile(t, spec, local)
			if n := allocated(func() { decideOn(s, toolcall.Selection{Values: []toolcall.Value{toolcall.StringOf(text)}}) }); n > most {
				t.Errorf("%s of %.12q: %d MiB", spec, text, n>>20)
			}
		}
	}
}

func decideOn(s *Set, sel toolcall.Selection) {
	a := home.answer(s.Questions(sel))
	s.Permits(sel, a)
	s.Forbids(sel, a)
}

// allocated returns how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func BenchmarkHostileTexts(b *testing.B) {
	for spec, kind := range map[string]string{
		`{"identifiers": {"from": "request"}}`: "identifiers", `{"in": ["delete"]}`: "in", `{"email": {"domains": ["ok.example"]}}`: "email", `{"url": {"hosts": ["ok.example"]}}`: "url",
	} {
		s := compile(b, spec, local)
		for _, unit := range append(hostile, longLabel) {
			for name, sel := range spread(unit, maxText) {
				b.Run(fmt.Sprintf("%s/%.4q/%s", kind, unit, name), func(b *testing.B) {
					for b.Loop() {
						decideOn(s, sel)
					}
				})
			}
		}
	}
}
