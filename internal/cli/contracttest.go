package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/contract"
)

func (a *app) contractTest() *cobra.Command {
	t := &contractTester{app: a}
	var only string
	c := &cobra.Command{
		Use:   "test [DIR|FILE ...]",
		Short: "Play the cases beside a contract and compare its answers",
		Long: `Plays case files (NAME.cases.yaml beside a contract, or NAME.yaml in its folder
cases/) through a gate in memory, with the time that a case says. A folder
stands for all case files below it; without an argument it is this folder.
Exit status 1 says that an answer was not the expected one.

With --coverage it also says which clauses, constraints and limits of the
contract no case exercises: a constraint is exercised when leaving it out
changes the answer of a case.`,
		Example: "  licet contract test\n  licet contract test contracts/bank --run payment --watch",
		RunE: run(func(cmd *cobra.Command, args []string) error {
			var err error
			if t.only, err = regexp.Compile(only); err != nil {
				return usagef("--run: %q is no regular expression (RE2)", only)
			}
			if t.least < 0 || t.least > 100 {
				return usagef("--coverage-min is a percentage from 0 to 100")
			}
			if len(args) == 0 {
				args = []string{"."}
			}
			return t.start(cmd.Context(), args)
		}),
	}
	c.Flags().StringVar(&only, "run", "", "play only cases whose name matches this regular expression (RE2)")
	c.Flags().StringVar(&t.junit, "junit", "", "also write a JUnit report to this file")
	c.Flags().BoolVar(&t.asJSON, "json", false, "print the results as one JSON object")
	c.Flags().BoolVar(&t.coverage, "coverage", false, "say what of the contract no case exercises")
	c.Flags().IntVar(&t.least, "coverage-min", 0, "fail if cases exercise less than this percentage of a contract")
	c.Flags().BoolVar(&t.watch, "watch", false, "play again whenever a case file or a contract changes, until interrupted")
	return c
}

// contractTester plays case files.
type contractTester struct {
	*app
	only            *regexp.Regexp
	junit           string
	asJSON          bool
	coverage, watch bool
	least           int       // percent
	unread          []checked // files of this round that can't be used
}

// start plays once, or again and again.
func (t *contractTester) start(ctx context.Context, paths []string) error {
	if !t.watch {
		_, err := t.round(ctx, paths)
		return err
	}
	for {
		read, err := t.round(ctx, paths)
		if err != nil && !errors.As(err, new(exit)) {
			fmt.Fprintf(t.err, "licet: %v\n", err)
		}
		fmt.Fprintln(t.err, "Watching for changes. End with Ctrl-C.")
		if !changed(ctx, paths, read) {
			return nil
		}
	}
}

// lookEvery is how often files are looked at for changes.
const lookEvery = 300 * time.Millisecond

// changed waits until a file was changed, or case files came or went; false if
// ctx ended first.
func changed(ctx context.Context, paths []string, read map[string]stamp) bool {
	before, _ := cases.Find(paths...) // an error means that there is none yet
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
		now, _ := cases.Find(paths...)
		if !slices.Equal(before, now) {
			return true
		}
		for path, was := range read {
			if stampOf(path) != was {
				return true
			}
		}
	}
}

// stampOf returns the stamp of a file, the zero stamp if there is none.
func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stamp{info.Size(), info.ModTime()}
}

// round plays all cases once and returns the files that it depended on.
func (t *contractTester) round(ctx context.Context, paths []string) (map[string]stamp, error) {
	read := map[string]stamp{}
	found, err := cases.Find(paths...)
	if err != nil {
		return read, err
	}
	suites, problems, err := readSuites(found, read)
	if err != nil {
		return read, err
	}
	t.unread = refused(problems)
	if len(suites) == 0 {
		return read, t.report(ctx, nil)
	}
	results, err := cases.Run(ctx, cases.Core{}, suites, cases.Options{
		Select:   func(_ *cases.Suite, c *cases.Case) bool { return t.only.MatchString(c.Name) },
		Progress: t.paced("cases"),
	})
	if err != nil {
		return read, err
	}
	if len(results) == 0 && len(t.unread) == 0 {
		return read, fmt.Errorf("no case matches --run %q", t.only)
	}
	return read, t.report(ctx, results)
}

// readSuites reads case files, noting every file that is read. Problems are
// those of all files.
func readSuites(found []string, read map[string]stamp) ([]*cases.Suite, contract.Problems, error) {
	var suites []*cases.Suite
	var all contract.Problems
	for _, path := range found {
		s, files, err := cases.Read(path)
		for _, f := range files {
			read[f] = stampOf(f)
		}
		var problems contract.Problems
		switch {
		case errors.As(err, &problems):
			all = append(all, problems...)
		case err != nil:
			return nil, nil, err
		default:
			suites = append(suites, s)
		}
	}
	return suites, all, nil
}

// refused gathers by file why case files or contracts can't be used.
func refused(problems contract.Problems) (files []checked) {
	for _, p := range problems {
		if len(files) == 0 || files[len(files)-1].File != p.File {
			files = append(files, checked{File: p.File})
		}
		last := &files[len(files)-1]
		last.Problems = append(last.Problems, problemJSON{p.Line, p.Column, p.Message, p.Hint})
	}
	return files
}

// report shows the results everywhere it was asked to.
func (t *contractTester) report(ctx context.Context, results []cases.Result) error {
	var measured []covered
	if t.coverage || t.least > 0 {
		items, err := cases.Measure(ctx, results)
		if err != nil {
			return err
		}
		measured = coverageOf(items)
	}
	if t.junit != "" {
		if err := writeJUnit(t.junit, results); err != nil {
			return err
		}
	}
	if t.asJSON {
		if err := printJSON(t.out, testedOf(results, measured, t.unread)); err != nil {
			return err
		}
	} else {
		t.printResults(results)
		for _, c := range measured {
			t.printCovered(c)
		}
	}
	for _, c := range t.unread {
		if !t.asJSON {
			t.printChecked(c)
		}
	}
	short := slices.ContainsFunc(measured, func(c covered) bool { return c.Percent < t.least })
	if short && !t.asJSON {
		fmt.Fprintf(t.out, "FAIL  less than %d %% is exercised\n", t.least)
	}
	if short || len(t.unread) > 0 || slices.ContainsFunc(results, failed) {
		return exit(exitFailure)
	}
	return nil
}

func failed(r cases.Result) bool { return r.Status != cases.Passed }

func writeJUnit(path string, results []cases.Result) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("writing the JUnit report: %w", err)
	}
	return errors.Join(cases.WriteJUnit(f, results), f.Close())
}

// printResults shows what did not pass, and a line for each file.
func (t *contractTester) printResults(results []cases.Result) {
	st := t.style()
	for len(results) > 0 {
		suite, n, bad := results[0].Suite, 0, 0
		for ; n < len(results) && results[n].Suite == suite; n++ {
			if failed(results[n]) {
				bad++
				t.printFailed(results[n])
			}
		}
		if bad == 0 {
			fmt.Fprintf(t.out, "%s    %s  %s\n", st.paint("1;32", "ok"), suite.Name, counted(n, "case"))
		} else {
			fmt.Fprintf(t.out, "%s  %s  %d of %s\n", st.paint("1;31", "FAIL"), suite.Name, bad, counted(n, "case"))
		}
		results = results[n:]
	}
}

func (t *contractTester) printFailed(r cases.Result) {
	fmt.Fprintln(t.out, t.style().bold(printable(fmt.Sprintf("%s:%d: %s", r.Suite.Name, r.Line(), r.Case.Name))))
	for line := range strings.Lines(r.Difference()) {
		t.line("  ", printable(strings.TrimSuffix(line, "\n")), 12)
	}
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// covered is how much of one contract its cases exercise.
type covered struct {
	Contract  string          `json:"contract"`
	Percent   int             `json:"percent"` // rounded down
	Exercised int             `json:"exercised"`
	Items     int             `json:"items"`
	Missing   []uncoveredJSON `json:"missing,omitempty"`

	counts map[cases.Kind][2]int // exercised, all
}

type uncoveredJSON struct {
	Line   int    `json:"line"`
	Kind   string `json:"kind"`
	Clause string `json:"clause"`
	Part   string `json:"part,omitempty"`
}

func coverageOf(items []cases.Item) (all []covered) {
	for _, it := range items {
		if len(all) == 0 || all[len(all)-1].Contract != it.Contract {
			all = append(all, covered{Contract: it.Contract, counts: map[cases.Kind][2]int{}})
		}
		c := &all[len(all)-1]
		n := c.counts[it.Kind]
		n[1]++
		c.Items++
		if it.Exercised {
			n[0]++
			c.Exercised++
		} else {
			c.Missing = append(c.Missing, uncoveredJSON{it.Line, string(it.Kind), it.Clause, it.Part})
		}
		c.counts[it.Kind] = n
		c.Percent = 100 * c.Exercised / c.Items
	}
	return all
}

// printCovered shows what no case exercises.
func (t *contractTester) printCovered(c covered) {
	fmt.Fprintf(t.out, "%s: %d %% exercised", t.style().bold(c.Contract), c.Percent)
	for i, kind := range []cases.Kind{cases.Clause, cases.Constraint, cases.Limit} {
		n := c.counts[kind]
		fmt.Fprintf(t.out, "%s %d of %s", [...]string{":", ",", ","}[i], n[0], counted(n[1], string(kind)))
	}
	fmt.Fprintln(t.out)
	for _, m := range c.Missing {
		what, why := m.Clause, "no answer is decided by it"
		if m.Kind == string(cases.Constraint) {
			what, why = m.Clause+" "+m.Part, "leaving it out changes no answer"
		}
		t.line(fmt.Sprintf("  %s:%d: ", c.Contract, m.Line), printable(what)+": "+why, 4)
	}
}

// tested is what `licet contract test --json` prints.
type tested struct {
	Passed   int        `json:"passed"`
	Failed   int        `json:"failed"`
	Cases    []caseJSON `json:"cases"`
	Refused  []checked  `json:"refused,omitempty"` // case files and contracts that can't be used
	Coverage []covered  `json:"coverage,omitempty"`
}

// caseJSON is what came of one case. Step, from 1, Expected and Got are those of
// the call that was answered wrongly.
type caseJSON struct {
	File     string      `json:"file"`
	Line     int         `json:"line"`
	Name     string      `json:"name"`
	Tags     []string    `json:"tags,omitempty"`
	Status   string      `json:"status"`
	Step     int         `json:"step,omitempty"`
	Expected *expectJSON `json:"expected,omitempty"`
	Got      *answerJSON `json:"got,omitempty"`
	Error    string      `json:"error,omitempty"`
}

type expectJSON struct {
	Verdict authz.Verdict `json:"verdict"`
	Code    authz.Code    `json:"code"`
	Clause  string        `json:"clause,omitempty"`
}

func testedOf(results []cases.Result, measured []covered, unread []checked) tested {
	t := tested{Cases: []caseJSON{}, Refused: unread, Coverage: measured}
	for _, r := range results {
		c := caseJSON{File: r.Suite.Name, Line: r.Case.Line, Name: r.Case.Name, Tags: r.Case.Tags, Status: r.Status.String()}
		if failed(r) {
			t.Failed++
			c.Step = r.Step + 1
		} else {
			t.Passed++
		}
		if r.Err != nil {
			c.Error = r.Err.Error()
		} else if failed(r) {
			c.Expected = &expectJSON{r.Want.Verdict, r.Want.Code, r.Want.Clause}
			c.Got = &answerJSON{Verdict: r.Got.Verdict, Reasons: r.Got.Reasons}
		}
		t.Cases = append(t.Cases, c)
	}
	return t
}
