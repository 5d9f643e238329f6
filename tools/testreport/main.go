package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const module = "github.com/licet-dev/licet/"

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run returns the exit status: 0 good, 1 something failed, 2 wrong usage.
func run(args []string, in io.Reader, out, errOut io.Writer) int {
	flags := flag.NewFlagSet("testreport", flag.ContinueOnError)
	flags.SetOutput(errOut)
	floor := flags.Float64("floor", 0, "lowest `percentage` of covered statements of the packages named as arguments")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	r, err := read(in, out)
	if err != nil {
		fmt.Fprintf(errOut, "testreport: reading the events of go test: %v\n", err)
		return 1
	}
	if err := r.finish(out, *floor, flags.Args()); err != nil {
		fmt.Fprintf(errOut, "testreport: %v\n", err)
		return 1
	}
	return 0
}

// event is one line of `go test -json` (go doc test2json; build events: go
// help buildjson).
type event struct {
	Action     string
	Package    string
	ImportPath string
	Test       string
	Output     string
}

type report struct {
	packages                int
	passed, failed, skipped int
	broken                  int                // packages that failed or did not build
	skips                   []string           // "package.Test: reason"
	coverage                map[string]float64 // percent of statements, by package without the module's path
}

var covered = regexp.MustCompile(`coverage: ([0-9.]+)% of statements`)

// read prints failures and package lines as they arrive and counts the rest.
func read(in io.Reader, out io.Writer) (*report, error) {
	r := &report{coverage: map[string]float64{}}
	said := map[string]string{} // output of each running test
	for decoder := json.NewDecoder(in); ; {
		var e event
		err := decoder.Decode(&e)
		if errors.Is(err, io.EOF) {
			return r, nil
		}
		if err != nil {
			return nil, err
		}
		name := e.Package + "." + e.Test
		switch {
		case e.Action == "build-output":
			fmt.Fprint(out, e.Output)
		case e.Action == "output" && e.Test == "":
			r.packageOutput(e, out)
		case e.Action == "output":
			said[name] += e.Output
		case e.Test == "":
			r.packageDone(e, said, out)
		default:
			r.testDone(e, said[name], out)
			if e.Action == "pass" || e.Action == "fail" || e.Action == "skip" {
				delete(said, name)
			}
		}
	}
}

// packageOutput passes on what a package says besides its tests, but for the
// bare words that repeat its verdict.
func (r *report) packageOutput(e event, out io.Writer) {
	if m := covered.FindStringSubmatch(e.Output); m != nil {
		if percent, err := strconv.ParseFloat(m[1], 64); err == nil {
			r.coverage[strings.TrimPrefix(e.Package, module)] = percent
		}
	}
	line := strings.TrimSpace(e.Output)
	if line != "PASS" && line != "FAIL" && !strings.HasPrefix(line, "coverage: ") {
		fmt.Fprint(out, e.Output)
	}
}

// packageDone also prints what unfinished tests said: a test that ended the
// whole process has no end of its own.
func (r *report) packageDone(e event, said map[string]string, out io.Writer) {
	switch e.Action {
	case "pass":
		r.packages++
	case "fail":
		r.packages++
		r.broken++
		for _, name := range slices.Sorted(maps.Keys(said)) {
			if strings.HasPrefix(name, e.Package+".") {
				fmt.Fprint(out, said[name])
			}
		}
	}
}

func (r *report) testDone(e event, said string, out io.Writer) {
	switch e.Action {
	case "pass":
		r.passed++
	case "skip":
		r.skipped++
		r.skips = append(r.skips, fmt.Sprintf("%s.%s: %s", strings.TrimPrefix(e.Package, module), e.Test, reason(said)))
	case "fail":
		r.failed++
		fmt.Fprint(out, said)
	}
}

// reason returns what a skipped test said, without the frame that go test
// puts around it.
func reason(said string) string {
	var words []string
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "=== ") && !strings.HasPrefix(line, "--- ") {
			words = append(words, line)
		}
	}
	return cmp.Or(strings.Join(words, " "), "no reason given")
}

// finish prints skips, coverage and totals and says what is wrong.
func (r *report) finish(out io.Writer, floor float64, packages []string) error {
	for _, skip := range r.skips {
		fmt.Fprintf(out, "skipped: %s\n", skip)
	}
	problems := r.checkCoverage(out, floor, packages)
	verdict := "ok  "
	if r.failed > 0 || r.broken > 0 {
		verdict = "FAIL"
		problems = append(problems, fmt.Errorf("%d tests failed, in %d packages", r.failed, r.broken))
	}
	if r.skipped > 0 {
		verdict = "FAIL"
		problems = append(problems, fmt.Errorf("%d tests skipped: install what they need", r.skipped))
	}
	if r.passed == 0 {
		verdict = "FAIL"
		problems = append(problems, errors.New("no test passed"))
	}
	fmt.Fprintf(out, "%s\t%s...\t%d tests passed, %d failed, %d skipped in %d packages\n",
		verdict, module, r.passed, r.failed, r.skipped, r.packages)
	return errors.Join(problems...)
}

func (r *report) checkCoverage(out io.Writer, floor float64, packages []string) []error {
	var problems []error
	for _, name := range packages {
		percent, measured := r.coverage[name]
		fmt.Fprintf(out, "covered: %5.1f %% of statements  %s\n", percent, name)
		switch {
		case !measured:
			problems = append(problems, fmt.Errorf("%s: coverage was not measured", name))
		case percent < floor:
			problems = append(problems, fmt.Errorf("%s: %.1f %% of statements covered, want %.1f %%", name, percent, floor))
		}
	}
	return problems
}
