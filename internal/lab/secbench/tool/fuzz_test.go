package tool

import (
	"encoding/base64"
	"encoding/hex"
	"testing"
)

// FuzzDecode: what is written in any encoding is the content that was meant, and no
// text is more than it is long.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{"", "00ff", "AP8=", "x\n", "0", "=", "\xff"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for encoding, written := range map[string]string{
			"utf8": text, "hex": hex.EncodeToString([]byte(text)), "base64": base64.StdEncoding.EncodeToString([]byte(text)),
		} {
			if content, err := Decode(written, encoding); err != nil || content != text {
				t.Errorf("%s: %q is read as %q, %v", encoding, written, content, err)
			}
			if content, err := Decode(text, encoding); err == nil && len(content) > len(text) {
				t.Errorf("%s: %q is read as %q", encoding, text, content)
			}
		}
	})
}
