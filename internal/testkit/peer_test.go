package testkit

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// recorder is a testing.TB that notes how it was ended.
type recorder struct {
	testing.TB
	skipped, failed bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Skip(...any)           { r.skipped = true; runtime.Goexit() }
func (r *recorder) Fatalf(string, ...any) { r.failed = true; runtime.Goexit() }

// ended runs f and returns what became of its test.
func ended(t *testing.T, f func(testing.TB)) *recorder {
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(r)
	}()
	<-done
	return r
}

func TestPeer(t *testing.T) {
	argv := Peer(t, "server-filesystem")
	for _, path := range argv {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("Peer named %s: %v", path, err)
		}
	}
}

func TestPeerWithoutNode(t *testing.T) {
	peer := func(tb testing.TB) { Peer(tb, "server-filesystem") }
	t.Setenv("PATH", t.TempDir())
	t.Setenv("LICET_REQUIRE_NODE", "")
	if r := ended(t, peer); !r.skipped || r.failed {
		t.Errorf("not required: %+v, want a skip", r)
	}
	t.Setenv("LICET_REQUIRE_NODE", "1")
	if r := ended(t, peer); r.skipped || !r.failed {
		t.Errorf("required: %+v, want a failure", r)
	}
}

func TestUnknownPeer(t *testing.T) {
	if r := ended(t, func(tb testing.TB) { Peer(tb, "nobody") }); !r.failed {
		t.Errorf("unknown peer: %+v, want a failure", r)
	}
}

func TestRoot(t *testing.T) {
	if _, err := os.Stat(filepath.Join(Root(t), "go.mod")); err != nil {
		t.Error(err)
	}
}
