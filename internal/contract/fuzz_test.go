package contract_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/contract"
)

// FuzzLoad checks that any text either loads, twice to the same digest, or is
// refused with problems whose places lie in the text.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(pinned(f, valid)))
	f.Add([]byte(pinned(f, rich)))
	for _, p := range problems {
		text := p.new
		if p.old != "" {
			text = edit(f, small, p.old, p.new)
		}
		f.Add([]byte(pinned(f, text)))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := contract.Load("licet.yaml", text, open)
		if err == nil {
			again, err := contract.Load("licet.yaml", text, open)
			if err != nil || !strings.HasPrefix(c.Digest(), "sha256:") || again.Digest() != c.Digest() {
				t.Errorf("loaded with digest %q, again: %v", c.Digest(), err)
			}
			return
		}
		all := contract.Problems(nil)
		if c != nil || !errors.As(err, &all) || len(all) == 0 {
			t.Fatalf("refused with %v and a contract %v", err, c != nil)
		}
		for _, p := range all {
			if p.Line < 1 || p.Column < 1 || p.Line > bytes.Count(text, []byte("\n"))+2 || p.Message == "" || p.File != "licet.yaml" {
				t.Errorf("a problem without a place: %+v", p)
			}
		}
	})
}

// FuzzSetPin checks that a text with another pin differs from the one before in
// one place only, and can be given that pin again without a change.
func FuzzSetPin(f *testing.F) {
	f.Add([]byte(valid))
	for _, text := range []string{
		"catalogs: {bank: {pin: , tools: x}}", "catalogs:\n  bank:\n    pin:\n", "catalogs: {bank: {pin: 'a''b'}}",
		`{"catalogs": {"bank": {"pin":"\"", "tools": "é"}}}`, "catalogs:\r\n  bank:\r\n    tools: x\r\n", "catalogs: {bank: {}}",
		"catalogs:\n  bank:\n    pin: |\n      x\n", "catalogs: {bank: {pin}}", "? catalogs\n: ? bank\n  : tools: x\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := contract.SetPin(text, "bank", newPin)
		if err != nil {
			return
		}
		before, after, found := bytes.Cut(got, []byte(newPin))
		before = bytes.TrimSuffix(bytes.TrimSuffix(before, []byte("pin: ")), []byte(" "))
		if !found || !bytes.HasPrefix(text, before) {
			t.Errorf("text before the pin changed:\n%q\n%q", text, got)
		}
		if rest := bytes.TrimLeft(after, ", \r\n"); !bytes.HasSuffix(text, rest) {
			t.Errorf("text behind the pin changed:\n%q\n%q", text, got)
		}
		if again, err := contract.SetPin(got, "bank", newPin); err != nil || !bytes.Equal(again, got) {
			t.Errorf("a second time: %q, %v", again, err)
		}
	})
}
