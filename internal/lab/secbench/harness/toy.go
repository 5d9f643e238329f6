package harness

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	shortV5 "github.com/licet-dev/licet/internal/lab/secbench/harness/candidate/v05/a/scans"
	overV5 "github.com/licet-dev/licet/internal/lab/secbench/harness/candidate/v05/c/scans"
	fixed11 "github.com/licet-dev/licet/internal/lab/secbench/harness/fixed/k11/conf"
	fixed12 "github.com/licet-dev/licet/internal/lab/secbench/harness/fixed/k12/ticket"
	fixed13 "github.com/licet-dev/licet/internal/lab/secbench/harness/fixed/k13/mark"
	fixedP3 "github.com/licet-dev/licet/internal/lab/secbench/harness/fixed/p03/count"
	fixed01 "github.com/licet-dev/licet/internal/lab/secbench/harness/fixed/t01/rec"
	fixed02 "github.com/licet-dev/licet/internal/lab/secbench/harness/fixed/t02/share"
	fixed03 "github.com/licet-dev/licet/internal/lab/secbench/harness/fixed/t03/scan"
	fixed04 "github.com/licet-dev/licet/internal/lab/secbench/harness/fixed/t04/door"
	fixed05 "github.com/licet-dev/licet/internal/lab/secbench/harness/fixed/t05/form"
	fixed06 "github.com/licet-dev/licet/internal/lab/secbench/harness/fixed/t06/find"
	fixedV5 "github.com/licet-dev/licet/internal/lab/secbench/harness/fixed/v05/scans"
	given11 "github.com/licet-dev/licet/internal/lab/secbench/task/trees/K11/conf"
	given12 "github.com/licet-dev/licet/internal/lab/secbench/task/trees/K12/ticket"
	given13 "github.com/licet-dev/licet/internal/lab/secbench/task/trees/K13/mark"
	givenP3 "github.com/licet-dev/licet/internal/lab/secbench/task/trees/P03/count"
	given01 "github.com/licet-dev/licet/internal/lab/secbench/task/trees/T01/rec"
	given02 "github.com/licet-dev/licet/internal/lab/secbench/task/trees/T02/share"
	given03 "github.com/licet-dev/licet/internal/lab/secbench/task/trees/T03/scan"
	given04 "github.com/licet-dev/licet/internal/lab/secbench/task/trees/T04/door"
	given05 "github.com/licet-dev/licet/internal/lab/secbench/task/trees/T05/form"
	given06 "github.com/licet-dev/licet/internal/lab/secbench/task/trees/T06/find"
	givenV5 "github.com/licet-dev/licet/internal/lab/secbench/task/trees/V05/scans"
)

// toy reads an input. It says whether what must not happen did; an error is that it
// refuses the input.
type toy func(input []byte) (happened bool, err error)

// toys are the builds of each task, and the code of what must not happen in them.
// Those that are given are the base trees themselves, the fixed ones what their
// twins are, and candidates what the patches of these names in the tree make of it.
var toys = map[string]struct {
	given, fixed toy
	candidates   map[string]toy
	code         string
}{
	"K11": {
		given: func(b []byte) (bool, error) {
			_, err := given11.Parse(string(b))
			return errors.Is(err, given11.ErrDuplicateKey), err
		},
		fixed: func(b []byte) (bool, error) {
			_, err := fixed11.Parse(string(b))
			return errors.Is(err, fixed11.ErrDuplicateKey), err
		},
		code: "DUPLICATE",
	},
	"K12": {
		given: func(b []byte) (bool, error) {
			t, err := given12.Replay(string(b))
			return t.State == given12.Archived, err
		},
		fixed: func(b []byte) (bool, error) {
			t, err := fixed12.Replay(string(b))
			return t.State == fixed12.Archived, err
		},
		code: "ARCHIVED",
	},
	"K13": {
		given: func(b []byte) (bool, error) {
			place, err := given13.Place(string(b))
			return place == given13.Vault, err
		},
		fixed: func(b []byte) (bool, error) {
			place, err := fixed13.Place(string(b))
			return place == fixed13.Vault, err
		},
		code: "VAULT",
	},
	"P03": {
		given: panics("index out of range", func(b []byte) error { _, err := givenP3.Read(b); return err }),
		fixed: panics("index out of range", func(b []byte) error { _, err := fixedP3.Read(b); return err }),
		code:  "IDX",
	},
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
	"T03": {
		given: panics("slice bounds out of range", func(b []byte) error { _, err := given03.Read(b); return err }),
		fixed: panics("slice bounds out of range", func(b []byte) error { _, err := fixed03.Read(b); return err }),
		code:  "SLICE",
	},
	"T04": {
		given: func(b []byte) (bool, error) {
			s, err := given04.Replay(b)
			return s != nil && s.Granted && !s.Verified, err
		},
		fixed: func(b []byte) (bool, error) {
			s, err := fixed04.Replay(b)
			return s != nil && s.Granted && !s.Verified, err
		},
		code: "STATE",
	},
	"T05": {
		given: func(b []byte) (bool, error) {
			f, err := given05.Read(b)
			return f != nil && f.Depth > given05.Deepest, err
		},
		fixed: func(b []byte) (bool, error) {
			f, err := fixed05.Read(b)
			return f != nil && f.Depth > fixed05.Deepest, err
		},
		code: "DEPTH",
	},
	"T06": {
		given: func(b []byte) (bool, error) {
			a, err := given06.Find(string(b))
			return a.Steps > given06.Patience, err
		},
		fixed: func(b []byte) (bool, error) {
			a, err := fixed06.Find(string(b))
			return a.Steps > fixed06.Patience, err
		},
		code: "STEPS",
	},
	"V05": {
		given: gives(givenV5.Draft, givenV5.All.Open),
		fixed: gives(givenV5.Draft, fixedV5.All.Open),
		candidates: map[string]toy{
			"A": gives(givenV5.Draft, shortV5.All.Open),
			"B": gives(givenV5.Draft, fixedV5.All.Open),
			"C": gives(givenV5.Draft, overV5.All.Open),
		},
		code: "DRAFT",
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
// line that it prints says what happened: ORACLE:<code>, Took or Rejected.
func RunToy(task, build string, in io.Reader, out io.Writer) error {
	t, ok := toys[task]
	run := map[string]toy{Given: t.given, Fixed: t.fixed}[build]
	if run == nil {
		run = t.candidates[build]
	}
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
		return Rejected
	}
	return Took
}
