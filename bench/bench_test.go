package main

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestMain lets the program of the tests be that of the engines, too.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "-contest" {
		main()
	}
	os.Exit(m.Run())
}

func engines(t *testing.T) []engine {
	t.Helper()
	var all []engine
	for _, c := range contestants {
		e, err := c.build(small)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

// TestEnginesAgree is what every comparison rests on.
func TestEnginesAgree(t *testing.T) {
	for _, e := range engines(t) {
		if err := agree(e, requests()); err != nil {
			t.Error(err)
		}
	}
}

// TestWorkload keeps the mix of answers: an engine that always says no must not
// look good.
func TestWorkload(t *testing.T) {
	counts := map[answer]int{}
	calls := requests()
	for _, r := range calls {
		counts[r.want]++
		if n := len(r.message); n < 900 || n > 1200 {
			t.Errorf("a message has %d bytes, not about a kilobyte: %s", n, r.message)
		}
	}
	if len(calls) < 64 || 3*counts[allowed] < len(calls) || counts[held] < 5 || counts[blocked] < 20 {
		t.Errorf("%d calls with %v", len(calls), counts)
	}
}

// TestDisagreement turns one expected answer around: each engine must be found
// wrong.
func TestDisagreement(t *testing.T) {
	for _, e := range engines(t) {
		calls := requests()
		i := slices.IndexFunc(calls, func(r request) bool { return r.want == allowed })
		calls[i].want = blocked
		if err := agree(e, calls); err == nil || !strings.Contains(err.Error(), "expected blocked") {
			t.Errorf("%s: a wrong answer passes: %v", e.name, err)
		}
	}
}

// TestRun prints a table with a line for each ratio.
func TestRun(t *testing.T) {
	var out, errOut bytes.Buffer
	if status := run([]string{"-rounds", "1", "-each", "1ms"}, nil, &out, &errOut); status != 0 {
		t.Fatalf("exit status %d: %s", status, errOut.String())
	}
	for _, want := range []string{"every engine gave the expected answers", "licet / cedar-go", "licet / OPA", "same calls: 10000", "Loading a contract"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, out.String())
		}
	}
	if status := run([]string{"-rounds", "0"}, nil, &out, &errOut); status != 2 {
		t.Errorf("no rounds: exit status %d, want 2", status)
	}
	if status := run([]string{"-contest", "nobody"}, nil, &out, &errOut); status != 1 {
		t.Errorf("an engine that there is not: exit status %d, want 1", status)
	}
}

func TestGoal(t *testing.T) {
	for _, tt := range []struct {
		goal  goal
		value float64
		want  string
	}{
		{goal{most: 0.2}, 0.2, "<= 0.20  met"},
		{goal{most: 0.2}, 0.21, "<= 0.20  missed"},
		{goal{least: 0.7}, 0.7, ">= 0.70  met"},
		{goal{least: 0.7}, 0.69, ">= 0.70  missed"},
		{goal{}, 1, "none"},
	} {
		if got := tt.goal.verdict(tt.value); got != tt.want {
			t.Errorf("verdict of %v on %v is %q, want %q", tt.goal, tt.value, got, tt.want)
		}
	}
}

func TestFigures(t *testing.T) {
	const output = "goos: linux\nBenchmarkDigest-2  100  30.5 ns/op  7 B/op\nBenchmarkDigest-2  100  10 ns/op\nok  \tx\t0.1s\n"
	if got := figures(output)["BenchmarkDigest ns/op"]; !slices.Equal(got, []float64{10, 30.5}) {
		t.Errorf("read %v", got)
	}
}
