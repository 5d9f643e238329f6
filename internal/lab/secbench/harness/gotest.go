package harness

import (
	"regexp"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/licet-dev/licet/internal/lab/secbench/sandbox"
)

// report is what `go test -json` says (go doc test2json).
type report struct {
	tests   map[string]string // "pass" or "fail" by name
	refused bool              // a system call, by seccomp
	text    string            // all that is not about a single test, with standard error
}

// read reads what a go command printed. Lines that are no events are left out: the
// tests have printed them.
func read(r sandbox.Result) report {
	all := report{tests: map[string]string{}}
	var text strings.Builder
	for line := range strings.Lines(string(r.Stdout)) {
		var e struct {
			Action string
			Test   string
			Output string
		}
		if json.Unmarshal([]byte(line), &e) != nil {
			continue
		}
		all.refused = all.refused || e.Action == "output" && strings.HasPrefix(e.Output, "signal: bad system call")
		switch {
		case e.Test == "":
			text.WriteString(e.Output)
		case e.Action == "pass" || e.Action == "fail":
			all.tests[e.Test] = e.Action
		}
	}
	text.Write(r.Stderr)
	all.text = text.String()
	return all
}

// explained reports whether it is told why no test ran, by a place in a file or by how
// the test program ended itself. Where it is not, as where a compiler could not be
// started, that need not be the doing of the tree.
func (r report) explained() bool { return ofTree.MatchString(r.text) }

var ofTree = regexp.MustCompile(`(?m)^\S+\.go:\d+:\d+: |^exit status \d+$`)

// maxWhy bounds what is kept of why no test ran, in bytes.
const maxWhy = 2 << 10

// why says why no test ran, without the name of the temporary folder.
func (r report) why(folder string) string {
	text := strings.ToValidUTF8(strings.ReplaceAll(r.text, folder, "."), "?")
	if len(text) > maxWhy {
		text = strings.ToValidUTF8(text[:maxWhy], "") + "\n"
	}
	return text
}
