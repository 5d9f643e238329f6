package redact_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/licet-dev/licet/internal/lab/secbench/redact"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
)

// BenchmarkText: 64 KiB of code, of the same escaped as in JSON, of letters and of
// digits that may be an encoding, each with an input of 4 KiB that must not be shown.
func BenchmarkText(b *testing.B) {
	loaded, err := task.Get("T01")
	if err != nil {
		b.Fatal(err)
	}
	f, err := loaded.Fixture(1)
	if err != nil {
		b.Fatal(err)
	}
	var code strings.Builder
	for code.Len() < 64<<10 {
		for _, file := range f.Files {
			code.WriteString(file.Text)
		}
	}
	escaped, err := json.Marshal(code.String())
	if err != nil {
		b.Fatal(err)
	}
	_, _, h := fixture(b, "T01")
	h.Triggers = append(h.Triggers, bytes.Repeat([]byte("0123456789abcdefghijklmnopqrstuv"), 128))
	for name, text := range map[string]string{
		"code": code.String(), "JSON": string(escaped),
		"letters": strings.Repeat("VGhlIHF1aWNrIGJyb3duIGZveCBqdW1wcyBvdmVy", 2<<10),
		"digits":  strings.Repeat("54686520717569636b2062726f776e20666f78", 2<<10),
	} {
		text = text[:64<<10]
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				redact.New(h).Text(text)
			}
		})
	}
}
