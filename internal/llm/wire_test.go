package llm

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestDialLoopback: a name that leads to another machine is found out before a
// byte is sent, whatever it is called.
func TestDialLoopback(t *testing.T) {
	for address, ok := range map[string]bool{
		"127.0.0.1:80": true, "[::1]:80": true, "[::ffff:127.0.0.1]:80": true,
		"192.0.2.1:80": false, "[2001:db8::1]:80": false, "0.0.0.0:80": false, "localhost:80": false, "": false,
	} {
		if err := dialLoopback(address); (err == nil) != ok {
			t.Errorf("%q: %v", address, err)
		}
	}
	w := newWire(&url.URL{Scheme: "http", Host: "localhost"}, Key{})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://192.0.2.1/", nil) // as if localhost led there
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.RoundTrip(req); err == nil || !strings.Contains(err.Error(), "loopback address only") {
		t.Errorf("dialled: %v", err)
	}
}
