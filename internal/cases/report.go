package cases

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/licet-dev/licet/internal/authz"
)

// Difference says in lines of text what a case that did not pass expected and
// got, with all that operators are told. It is empty for one that passed.
func (r Result) Difference() string {
	if r.Status == Passed {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "why       %s\n", r.Case.Why)
	if r.Step < len(r.Case.Steps) {
		fmt.Fprintf(&b, "step %-4d %s\n", r.Step+1, describe(r.Case.Steps[r.Step], r.Round))
	}
	if r.Err != nil {
		fmt.Fprintf(&b, "%-9s %s\n", r.Status, strings.ReplaceAll(r.Err.Error(), "\n", "\n          "))
		return b.String()
	}
	var first authz.Reason
	var rest []authz.Reason
	if len(r.Got.Reasons) > 0 {
		first, rest = r.Got.Reasons[0], r.Got.Reasons[1:]
	}
	fmt.Fprintf(&b, "expected  %s\n", joined("  ", r.Want.Verdict.String(), string(r.Want.Code), r.Want.Clause))
	fmt.Fprintf(&b, "got       %s\n", joined("  ", r.Got.Verdict.String(), string(first.Code), first.Clause))
	for _, line := range append([]string{first.Detail}, details(rest)...) {
		if line != "" {
			fmt.Fprintf(&b, "          %s\n", line)
		}
	}
	return b.String()
}

// details returns a line for each reason.
func details(reasons []authz.Reason) []string {
	lines := make([]string, len(reasons))
	for i, r := range reasons {
		lines[i] = joined(": ", r.Clause, r.Detail)
	}
	return lines
}

// Line returns where to look in the suite's file: the step that decided, or the
// case; 0 in no file.
func (r Result) Line() int {
	if r.Step < len(r.Case.Steps) && r.Case.Steps[r.Step].Line > 0 {
		return r.Case.Steps[r.Step].Line
	}
	return r.Case.Line
}

// describe names a step in one line; round counts its repetitions.
func describe(s Step, round int) string {
	switch a := s.Act.(type) {
	case Call:
		text := fmt.Sprintf("%s.%s %s", a.Server, a.Tool, a.Arguments.Canonical())
		if a.Raw != nil {
			text = fmt.Sprintf("%s, a raw message of %d bytes", a.Server, len(a.Raw))
		}
		if a.Approval != "" {
			text += ", naming the ticket " + a.Approval
		}
		if s.Repeat > 1 {
			text += fmt.Sprintf(", %d of %d times", round, s.Repeat)
		}
		return "call " + text
	case Answered:
		return a.Word() + " by " + a.By
	case TurnedAway:
		return "an answer by " + a.By + ", who may not"
	case Wait:
		return "wait " + a.For.String()
	default:
		return a.Word()
	}
}

// joined joins what is not empty.
func joined(between string, parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		if p != "" && b.Len() > 0 {
			b.WriteString(between)
		}
		b.WriteString(p)
	}
	return b.String()
}

// Stricter reports whether a Wrong answer is on the safe side of the expected
// one: it permits less.
func (r Result) Stricter() bool {
	return r.Status == Wrong && r.Got.Verdict != r.Want.Verdict && authz.Stricter(r.Got.Verdict, r.Want.Verdict) == r.Got.Verdict
}

// The elements of a JUnit report, as build servers read it (there is no
// standard; these are the members that the schema of Jenkins' xunit plugin and
// of Apache Ant's JUnit task have in common).
type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
		junitCounts
	}
	junitSuite struct {
		Name  string      `xml:"name,attr"`
		Cases []junitCase `xml:"testcase"`
		junitCounts
	}
	junitCounts struct {
		Tests    int     `xml:"tests,attr"`
		Failures int     `xml:"failures,attr"`
		Errors   int     `xml:"errors,attr"`
		Skipped  int     `xml:"skipped,attr"`
		Time     seconds `xml:"time,attr"`
	}
	junitCase struct {
		Name    string     `xml:"name,attr"`
		Class   string     `xml:"classname,attr"`
		File    string     `xml:"file,attr"`
		Line    int        `xml:"line,attr"`
		Time    seconds    `xml:"time,attr"`
		Failure *junitText `xml:"failure"`
		Error   *junitText `xml:"error"`
		Skipped *junitText `xml:"skipped"`
	}
	junitText struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	seconds time.Duration
)

// MarshalText writes seconds with three digits, as JUnit does.
func (s seconds) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%.3f", time.Duration(s).Seconds()), nil
}

// add counts one result.
func (c *junitCounts) add(r Result) {
	c.Tests++
	c.Time += seconds(r.Took)
	switch r.Status {
	case Passed:
	case Broken:
		c.Errors++
	case Unsupported:
		c.Skipped++
	default:
		c.Failures++
	}
}

// WriteJUnit writes results as a JUnit report: a testsuite for each file. What
// is wrong is a failure, what is broken an error, and what the door cannot do
// is skipped, each with the difference.
func WriteJUnit(w io.Writer, results []Result) error {
	var report junitSuites
	for i, r := range results {
		if i == 0 || results[i-1].Suite != r.Suite {
			report.Suites = append(report.Suites, junitSuite{Name: r.Suite.Name})
		}
		suite := &report.Suites[len(report.Suites)-1]
		suite.Cases = append(suite.Cases, junitOf(r))
		suite.add(r)
		report.add(r)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(report); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func junitOf(r Result) junitCase {
	c := junitCase{Name: r.Case.Name, Class: r.Suite.Name, File: r.Suite.Name, Line: r.Case.Line, Time: seconds(r.Took)}
	text := &junitText{Text: r.Difference()}
	switch r.Status {
	case Passed:
	case Broken:
		text.Message = r.Err.Error()
		c.Error = text
	case Unsupported:
		text.Message = r.Err.Error()
		c.Skipped = text
	default:
		text.Message = fmt.Sprintf("expected %s %s, got %s", r.Want.Verdict, cmp.Or(string(r.Want.Code), "for any reason"), r.Got.Verdict)
		c.Failure = text
	}
	return c
}
