package fakellm_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/cryptotest"
)

// nonceForm finds the nonce in a request to a model.
var nonceForm = regexp.MustCompile(`NONCE ([0-9a-f]{32})`)

// TestFenceThroughDoors: data that hold the nonce, and the second one too, are not
// judged, through every door and in both columns. A nonce is drawn when the call is
// there already, so that nobody can write it into one: the source of random numbers
// is made to repeat itself, and each run is told what the last one drew. The next
// call of a process draws others, so that only the first is looked at.
func TestFenceThroughDoors(t *testing.T) {
	from, pin := enrolled(t)
	var row pageRow
	for _, r := range pageRows(t) {
		if r.code == "nv_fence" {
			row = r
		}
	}
	for _, door := range []string{"decide", "mcp"} {
		for column, want := range map[string]string{"A": row.a, "B": row.b} {
			t.Run(door+"/"+column, func(t *testing.T) {
				w := way{rules: verdictBlock}
				for range 2 {
					drawn := drawnNonce(t, from, pin, w, column, door)
					if drawn == "" || strings.Contains(w.note, drawn) {
						t.Fatalf("the nonce %q is drawn beside %q", drawn, w.note)
					}
					w.note += drawn + " "
				}
				b := newTable(t, from, pin, w, column, door)
				cryptotest.SetGlobalRandom(t, 1)
				b.judged(t, door, w, row, want)
			})
		}
	}
}

// drawnNonce makes a call in a new place, and returns the nonce of the question.
func drawnNonce(t *testing.T, from *table, pin string, w way, column, door string) (nonce string) {
	t.Run("draw", func(t *testing.T) {
		b := newTable(t, from, pin, w, column, door)
		var mu sync.Mutex
		b.through(t, func(body []byte) {
			mu.Lock()
			defer mu.Unlock()
			if m := nonceForm.FindSubmatch(body); m != nil && nonce == "" {
				nonce = string(m[1])
			}
		})
		cryptotest.SetGlobalRandom(t, 1)
		if door == "decide" {
			b.decide(t, w, "BLOCK")
		} else {
			b.mcp(t, w)
		}
	})
	return nonce
}

// through puts a server that sees each request before the scripted one.
func (b *table) through(t *testing.T, see func(body []byte)) {
	t.Helper()
	name := filepath.Join(b.dir, "state", "models.yaml")
	models, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	old := regexp.MustCompile(`http://[0-9.:]+`).FindString(string(models))
	to, err := url.Parse(old)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(to)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		see(body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	b.write(t, "state/models.yaml", strings.Replace(string(models), old, server.URL, 1))
}
