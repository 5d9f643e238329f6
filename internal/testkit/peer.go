package testkit

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// peers names the entry file of each npm peer below test/peers/node_modules;
// test/peers/package.json holds their versions.
var peers = map[string]string{
	"server-filesystem": "@modelcontextprotocol/server-filesystem/dist/index.js",
}

// Peer returns the command line that starts an npm peer, to which a test adds
// the peer's own arguments. Without Node or without `npm ci` in test/peers it
// skips the test, or fails it where LICET_REQUIRE_NODE=1.
func Peer(t testing.TB, name string) []string {
	t.Helper()
	entry, ok := peers[name]
	if !ok {
		t.Fatalf("no peer %q", name)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		Missing(t, "LICET_REQUIRE_NODE", "needs node on PATH")
	}
	script := filepath.Join(Root(t), "test", "peers", "node_modules", filepath.FromSlash(entry))
	if _, err := os.Stat(script); err != nil {
		Missing(t, "LICET_REQUIRE_NODE", "needs npm peers: run `make peers`")
	}
	return []string{node, script}
}

// Missing skips the test with the reason, or fails it where the environment
// variable named by require is 1.
func Missing(t testing.TB, require, reason string) {
	t.Helper()
	if os.Getenv(require) == "1" {
		t.Fatalf("%s, and %s=1 permits no skip", reason, require)
	}
	t.Skip(reason)
}

// BuildCache returns the go command's cache of builds. A test that gives a program
// another home gives it this, too, where it may run the go command: that would build
// the standard library anew, for some 20 seconds.
func BuildCache(t testing.TB) string {
	t.Helper()
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatalf("asking for the cache of builds: %v", err)
	}
	return strings.TrimSpace(string(cache))
}

// Root returns the folder of the module's go.mod.
func Root(t testing.TB) string {
	t.Helper()
	_, file, _, ok := runtime.Caller(0)
	if !ok || !filepath.IsAbs(file) {
		t.Fatal("the place of the sources is not known: run tests without -trimpath")
	}
	return filepath.Join(filepath.Dir(file), "..", "..")
}
