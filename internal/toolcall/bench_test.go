package toolcall_test

import (
	"crypto/sha256"
	"encoding/json"
	"strings"
	"testing"

	"github.com/gowebpki/jcs"

	"github.com/licet-dev/licet/internal/toolcall"
)

// benchMessage is a call of about 1 KB with six arguments.
var benchMessage = []byte(`{"jsonrpc":"2.0","id":42,"method":"tools/call","params":{"name":"send_mail","arguments":{` +
	`"to":["ops@example.org","dev@example.org"],"subject":"Weekly report","priority":3,"budget":1234.56,` +
	`"body":"` + strings.Repeat("All systems are running, and nothing needs your attention. ", 12) + `",` +
	`"options":{"html":false,"track":true,"retry":{"times":3,"wait":0.5},"attach":null}},` +
	`"_meta":{"progressToken":7}}}`)

// BenchmarkDigest is the whole way from bytes to the digest of a call.
func BenchmarkDigest(b *testing.B) {
	b.SetBytes(int64(len(benchMessage)))
	b.ReportAllocs()
	for b.Loop() {
		m, err := toolcall.ParseMessage(benchMessage, toolcall.Bounds{})
		if err != nil {
			b.Fatal(err)
		}
		c, err := m.Call("support", "mail")
		if err != nil {
			b.Fatal(err)
		}
		c.Digest()
	}
}

// BenchmarkDigestPeer does what a program without this package would do:
// encoding/json into a map, gowebpki/jcs, SHA-256. It is not strict.
func BenchmarkDigestPeer(b *testing.B) {
	b.SetBytes(int64(len(benchMessage)))
	b.ReportAllocs()
	for b.Loop() {
		var m map[string]any
		if err := json.Unmarshal(benchMessage, &m); err != nil {
			b.Fatal(err)
		}
		text, err := jcs.Transform(benchMessage)
		if err != nil {
			b.Fatal(err)
		}
		sha256.Sum256(text)
	}
}

func BenchmarkParse(b *testing.B) {
	b.SetBytes(int64(len(benchMessage)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := toolcall.Parse(benchMessage, toolcall.Bounds{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCanonical(b *testing.B) {
	v, err := toolcall.Parse(benchMessage, toolcall.Bounds{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	buf := make([]byte, 0, 2*len(benchMessage))
	for b.Loop() {
		buf = v.AppendCanonical(buf[:0])
	}
}
