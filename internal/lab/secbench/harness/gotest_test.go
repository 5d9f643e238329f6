package harness

import (
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/lab/secbench/sandbox"
)

// TestExplained: that no test ran is the doing of the tree only where the go command
// says what is wrong with it. A compiler that could not be started, or was killed, is
// nothing that a tree did.
func TestExplained(t *testing.T) {
	for name, c := range map[string]struct {
		stdout, stderr string
		want           bool
	}{
		"a tree that does not compile":   {`{"ImportPath":"a","Action":"build-output","Output":"./a.go:3:5: undefined: b\n"}`, "", true},
		"a file that cannot be read":     {"", "a.go:1:1: expected 'package', found b\n", true},
		"a program that ends itself":     {`{"Action":"output","Package":"a","Output":"exit status 2\n"}`, "", true},
		"nothing":                        {"", "", false},
		"a compiler that was killed":     {`{"ImportPath":"a","Action":"build-output","Output":"a: /go/compile: signal: killed\n"}`, "", false},
		"no process":                     {"", "go: fork/exec /go/compile: resource temporarily unavailable\n", false},
		"a go command that crashed":      {"", "runtime: failed to create new OS thread\nfatal error: newosproc\n", false},
		"a program that was not started": {`{"Action":"output","Package":"a","Output":"fork/exec /tmp/a.test: text file busy\n"}`, "", false},
		"what a test printed":            {`{"Action":"output","Package":"a","Test":"TestB","Output":"exit status 2\n"}`, "", false},
	} {
		r := read(sandbox.Result{Stdout: []byte(c.stdout + "\n"), Stderr: []byte(c.stderr)})
		if r.explained() != c.want {
			t.Errorf("%s: %q", name, r.text)
		}
	}
}

// TestWhy: what is kept is bounded, is text, and does not name the folder.
func TestWhy(t *testing.T) {
	r := report{text: "/x/y/a.go:1:1: \xff" + strings.Repeat("é", maxWhy)}
	if why := r.why("/x/y"); len(why) > maxWhy+1 || !strings.HasPrefix(why, "./a.go:1:1: ?é") || why != strings.ToValidUTF8(why, "!") {
		t.Errorf("%d bytes: %.40q", len(why), why)
	}
}
