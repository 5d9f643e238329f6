package harness

import (
	"fmt"
	"io"
	"runtime"
	"strings"

	fixed01 "github.com/licet-dev/licet/internal/lab/secbench/harness/fixed/t01/rec"
	given01 "github.com/licet-dev/licet/internal/lab/secbench/task/trees/T01/rec"
)

// toy reads an input. An error is that it refuses it.
type toy func(input []byte) error

// toys are the builds of each task, and the code of what must not happen in them.
// Those that are given are the base trees themselves, the fixed ones what their
// twins are.
var toys = map[string]struct {
	given, fixed toy
	code         string
	happened     func(panicked any) bool
}{
	"T01": {
		given:    func(b []byte) error { _, err := given01.Parse(b); return err },
		fixed:    func(b []byte) error { _, err := fixed01.Parse(b); return err },
		code:     "IDX",
		happened: indexOutOfRange,
	},
}

func indexOutOfRange(panicked any) bool {
	err, ok := panicked.(runtime.Error)
	return ok && strings.Contains(err.Error(), "index out of range")
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
	_, err = fmt.Fprintln(out, verdict(run, input, t.code, t.happened))
	return err
}

// verdict runs a toy. It panics as the toy does where that is not what the task is
// about.
func verdict(run toy, input []byte, code string, happened func(any) bool) (word string) {
	defer func() {
		if p := recover(); p != nil {
			if !happened(p) {
				panic(p)
			}
			word = "ORACLE:" + code
		}
	}()
	if err := run(input); err != nil {
		return "REJECT"
	}
	return "OK"
}
