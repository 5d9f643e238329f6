package facts_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/facts"
	"github.com/licet-dev/licet/internal/toolcall"
)

// BenchmarkObserve reads a result of about 1,000 words in 200 fields.
func BenchmarkObserve(b *testing.B) {
	var rows strings.Builder
	for i := range 100 {
		fmt.Fprintf(&rows, "- {name: Alice Example %d, subject: rent for the flat in May %d}\n", i, i)
	}
	text := rows.String()
	for _, bb := range []struct{ name, text string }{{"YAML", text}, {"text", "free text " + text}} {
		result := textResult(bb.text)
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				leaves, _, err := facts.Observe(key, result)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(facts.EncodeLeaves(leaves))), "bytes")
			}
		})
	}
}

// BenchmarkAnswer asks for one value in a turn of 100 words and a result of 1,000.
func BenchmarkAnswer(b *testing.B) {
	s := said(b, textResult(strings.Repeat("ten words of free text that state nothing at all ", 100)))
	s.Turns = []string{strings.Repeat("ten words of a turn that state nothing at all ", 10)}
	in := facts.Input{Key: key, Session: s, Questions: []constraint.Question{{Key: "q", Stated: &constraint.StatedQuestion{
		Sources: []constraint.Source{request, from(b, ""), from(b, "[].iban")},
		Value:   toolcall.StringOf("GB29NWBK60161331926819"),
	}}}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := facts.Answer(b.Context(), in); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkResolve follows a path in a folder, its last names not there yet.
func BenchmarkResolve(b *testing.B) {
	dir := b.TempDir()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := facts.Resolve("a/new/file.txt", dir); err != nil {
			b.Fatal(err)
		}
	}
}
