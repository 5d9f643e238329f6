package main

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/cli"
	lab "github.com/licet-dev/licet/internal/lab/cli"
)

// main is the function that a program is.
type mainFunc func(ctx context.Context, args, env []string, in io.Reader, out, errOut io.Writer) int

// said is what a command printed, and how it ended.
type said struct {
	status   int
	out, err string
}

func (m mainFunc) run(t *testing.T, args ...string) said {
	var out, errOut strings.Builder
	status := m(t.Context(), args, []string{"HOME=" + t.TempDir()}, strings.NewReader(""), &out, &errOut)
	return said{status, out.String(), errOut.String()}
}

// TestEveryCommand walks both programs by their own completion: each command has
// help with an example, and a misspelt one is wrong usage, never a success.
func TestEveryCommand(t *testing.T) {
	for name, program := range map[string]struct {
		main  mainFunc
		least int // commands
	}{"licet": {cli.Run, 35}, "licet-lab": {lab.Run, 10}} {
		if seen := walk(t, program.main, name); seen < program.least {
			t.Errorf("%s: looked at %d commands only", name, seen)
		}
	}
}

// walk checks a command and those below it, and returns how many there are.
func walk(t *testing.T, m mainFunc, path ...string) (seen int) {
	t.Helper()
	name := strings.Join(path, " ")
	help := m.run(t, slices.Concat(path[:1], []string{"help"}, path[1:])...)
	if help.status != 0 || help.err != "" || !strings.Contains(help.out, "Usage:\n  "+path[0]) {
		t.Errorf("help of %s: %+v", name, help)
	}
	if flag := m.run(t, append(slices.Clone(path), "--no-such-flag")...); path[len(path)-1] != "help" && (flag.status != 2 || flag.out != "") {
		t.Errorf("%s with an unknown flag: %+v", name, flag)
	}
	if !strings.Contains(help.out, "Available Commands:") && !strings.Contains(help.out, "Additional Commands:") {
		if !strings.Contains(help.out, "Examples:\n  ") {
			t.Errorf("%s has no example", name)
		}
		return 1
	}
	if bare := m.run(t, path...); bare.status != 0 || bare.out != help.out || bare.err != "" {
		t.Errorf("%s alone is not its help: %+v", name, bare)
	}
	for _, args := range [][]string{append(slices.Clone(path), "qqqq"), slices.Concat(path[:1], []string{"help"}, path[1:], []string{"qqqq"})} {
		if wrong := m.run(t, args...); wrong.status != 2 || wrong.out != "" || !strings.Contains(wrong.err, `unknown command "qqqq" for "`+name+`"`) {
			t.Errorf("%q: %+v", args, wrong)
		}
	}
	for line := range strings.Lines(m.run(t, slices.Concat(path[:1], []string{"__complete"}, path[1:], []string{""})...).out) {
		if word, _, ok := strings.Cut(line, "\t"); ok {
			seen += walk(t, m, append(slices.Clone(path), word)...)
		}
	}
	return seen + 1
}
