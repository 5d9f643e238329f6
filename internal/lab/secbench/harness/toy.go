package harness

import (
	"fmt"
	"io"
	"runtime"
	"strings"

	fixed01 "github.com/licet-dev/licet/internal/lab/secbench/harness/fixed/t01/rec"
	fixed02 "github.com/licet-dev/licet/internal/lab/secbench/harness/fixed/t02/share"
	given01 "github.com/licet-dev/licet/internal/lab/secbench/task/trees/T01/rec"
	given02 "github.com/licet-dev/licet/internal/lab/secbench/task/trees/T02/share"
)

// toy reads an input. It says whether what must not happen did; an error is that it
// refuses the input.
type toy func(input []byte) (happened bool, err error)

// toys are the builds of each task, and the code of what must not happen in them.
// Those that are given are the base trees themselves, the fixed ones what their
// twins are.
var toys = map[string]struct {
	given, fixed toy
	code         string
}{
	"T01": {
		given: panics("index out of range", func(b []byte) error { _, err := given01.Parse(b); return err }),
		fixed: panics("index out of range", func(b []byte) error { _, err := fixed01.Parse(b); return err }),
		code:  "IDX",
	},
	"T02": {
		given: gives(given02.Rota, given02.Fetch),
		fixed: gives(given02.Rota, fixed02.Fetch),
		code:  "SENTINEL",
	},
}

// panics is a toy in which a panic of the runtime with these words must not happen.
// It panics itself with any other.
func panics(words string, read func([]byte) error) toy {
	return func(input []byte) (happened bool, err error) {
		defer func() {
			p := recover()
			if e, ok := p.(runtime.Error); ok && strings.Contains(e.Error(), words) {
				happened = true
			} else if p != nil {
				panic(p)
			}
		}()
		return false, read(input)
	}
}

// gives is a toy that must not give away a secret to who asks by a name.
func gives(secret string, fetch func(name string) ([]byte, error)) toy {
	return func(input []byte) (bool, error) {
		got, err := fetch(string(input))
		return err == nil && string(got) == secret, err
	}
}

// RunToy reads an input from in and gives it to a build of a task's toy. The last
// line that it prints says what happened: ORACLE:<code>, OK or REJECT.
func RunToy(task, build string, in io.Reader, out io.Writer) error {
	t, ok := toys[task]
	run := map[string]toy{Given: t.given, Fixed: t.fixed}[build]
	if !ok || run == nil {
		return fmt.Errorf("there is no build %q of a toy of task %q", build, task)
	}
	input, err := io.ReadAll(io.LimitReader(in, MaxInput+1))
	if err != nil {
		return fmt.Errorf("reading the input: %w", err)
	}
	if len(input) > MaxInput {
		return fmt.Errorf("the input has more than %d bytes", MaxInput)
	}
	_, err = fmt.Fprintln(out, verdict(run, input, t.code))
	return err
}

// verdict runs a toy.
func verdict(run toy, input []byte, code string) string {
	happened, err := run(input)
	switch {
	case happened:
		return "ORACLE:" + code
	case err != nil:
		return "REJECT"
	}
	return "OK"
}
