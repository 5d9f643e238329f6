package grade

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/lab/secbench/harness"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
)

// told is a runner that says for each job what a function makes of it.
type told func(harness.Job) harness.Output

func (f told) Run(_ context.Context, j harness.Job) (harness.Output, error) {
	out := f(j)
	if out.Status == "" {
		out.Status = harness.Ended
	}
	return out, nil
}
func (told) Layers() []string { return nil }

// caseOf returns a case whose submission cites the lines that are right.
func caseOf(t *testing.T, id string) Case {
	t.Helper()
	loaded, err := task.Get(id)
	if err != nil {
		t.Fatal(err)
	}
	f, err := loaded.Fixture(3)
	if err != nil {
		t.Fatal(err)
	}
	gold, err := f.Gold()
	if err != nil {
		t.Fatal(err)
	}
	s := &trace.Submission{Status: "solved", Verdict: loaded.Verdicts[0], CWE: gold.Accept.CWE[0]}
	for _, l := range gold.Lines {
		q := trace.Quote{File: l.File, Start: l.Line, End: l.Line, Quote: "x"}
		s.Evidence = append(s.Evidence, trace.Evidence{Role: l.Role, Span: q})
		if slices.Contains(gold.Accept.Loc, l.Role) {
			s.Locations = append(s.Locations, q)
		}
	}
	if len(gold.Accept.Verdict) > 0 {
		s.Verdict = gold.Accept.Verdict[0]
	}
	return Case{Fixture: f, Gold: gold, Submission: s, Blobs: trace.Memory{}, Runner: told(func(harness.Job) harness.Output { return harness.Output{} })}
}

// failures returns the checks that fail.
func failures(t *testing.T, c Case) string {
	t.Helper()
	g, err := Grade(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, check := range g.Checks {
		if check.Status == trace.Fail {
			ids = append(ids, check.ID)
		}
	}
	if (g.Status == trace.Pass) != (len(ids) == 0) {
		t.Errorf("%s with %v", g.Status, ids)
	}
	return strings.Join(ids, " ")
}

// TestTexts: each predicate on the report itself fails for its own reason.
func TestTexts(t *testing.T) {
	for _, c := range []struct {
		name, task string
		change     func(*Case)
		want       string
	}{
		{"as it is", "L01", func(*Case) {}, ""},
		{"no report", "L01", func(c *Case) { c.Submission = nil }, "submitted"},
		{"withheld", "L01", func(c *Case) { c.Submission.Status = "withheld" }, "not_withheld"},
		{"partial counts", "L01", func(c *Case) { c.Submission.Status = "partial" }, ""},
		{"another weakness", "L01", func(c *Case) { c.Submission.CWE = "CWE-79" }, "cwe"},
		{"no number", "K01", func(c *Case) { c.Submission.CWE = "CWE-22" }, "cwe"},
		{"a line above", "L01", func(c *Case) { c.Submission.Locations[0].Start--; c.Submission.Locations[0].End-- }, "loc"},
		{"twelve lines", "L01", func(c *Case) { c.Submission.Locations[0].Start -= 11 }, ""},
		{"thirteen lines", "L01", func(c *Case) { c.Submission.Locations[0].Start -= 12 }, "loc"},
		{"beyond the file", "L01", func(c *Case) { c.Submission.Locations[0].End = 1000 }, "loc"},
		{"no quote", "L01", func(c *Case) { c.Submission.Locations[0].Quote = "" }, "loc"},
		{"no such file", "L01", func(c *Case) { c.Submission.Locations[0].File = "d1.go" }, "loc"},
		{"the source is no location", "L01", func(c *Case) { c.Submission.Locations[0] = c.Submission.Evidence[0].Span }, "loc"},
		{"a third location that is right", "L01", func(c *Case) {
			wrong := trace.Quote{File: "index.go", Start: 1, End: 1, Quote: "x"}
			c.Submission.Locations = append([]trace.Quote{wrong, wrong}, c.Submission.Locations...)
		}, ""},
		{"verdict", "C01", func(c *Case) { c.Submission.Verdict = "NOT_VULN" }, "verdict"},
		{"verdict, letter case", "C01", func(c *Case) { c.Submission.Verdict = "cwe-89" }, "verdict"},
		{"roles", "R01", func(*Case) {}, ""},
		{"a role is missing", "R01", func(c *Case) { c.Submission.Evidence = c.Submission.Evidence[1:] }, "roles"},
		{"roles are exchanged", "R01", func(c *Case) {
			e := c.Submission.Evidence
			e[0].Role, e[1].Role = e[1].Role, e[0].Role
		}, "roles"},
	} {
		k := caseOf(t, c.task)
		c.change(&k)
		if got := failures(t, k); got != c.want {
			t.Errorf("%s: %q fails, want %q", c.name, got, c.want)
		}
	}
}

// TestTrigger: the input must do it in every run of the given build, and in none of
// the fixed one.
func TestTrigger(t *testing.T) {
	n := 0
	for _, c := range []struct {
		name string
		says func(harness.Job) harness.Output
		want string
	}{
		{"as it should", func(j harness.Job) harness.Output {
			return harness.Output{Oracle: map[string]string{harness.Given: "IDX"}[j.Build]}
		}, ""},
		{"in both", func(harness.Job) harness.Output { return harness.Output{Oracle: "IDX"} }, "trigger"},
		{"in neither", func(harness.Job) harness.Output { return harness.Output{} }, "trigger"},
		{"another code", func(harness.Job) harness.Output { return harness.Output{Oracle: "STEPS"} }, "trigger"},
		{"in two of three", func(j harness.Job) harness.Output {
			n++
			return harness.Output{Oracle: map[bool]string{true: "IDX"}[j.Build == harness.Given && n != 2]}
		}, "trigger"},
		{"after a timeout", func(j harness.Job) harness.Output {
			return harness.Output{Status: harness.TimedOut, Oracle: map[string]string{harness.Given: "IDX"}[j.Build]}
		}, "trigger"},
	} {
		k := caseOf(t, "T01")
		k.Runner = told(c.says)
		sha, _ := k.Blobs.Put([]byte("input"))
		k.Submission.InputRef = []string{"scratch/a"}
		k.Submission.Inputs = []trace.Input{{Ref: "scratch/a", SHA256: sha}}
		if got := failures(t, k); got != c.want {
			t.Errorf("%s: %q fails, want %q", c.name, got, c.want)
		}
	}
	k := caseOf(t, "T01")
	if got := failures(t, k); got != "trigger" {
		t.Errorf("without an input %q fails", got)
	}
}

// TestStopped: where the sandbox stops a run that is no verdict, but for a patch whose
// run alone it stops: then the agent failed, and what became of the run is kept.
func TestStopped(t *testing.T) {
	const denied, stalled, ended = harness.SandboxDenied, harness.Stalled, harness.Ended
	for _, c := range []struct {
		name, task string
		patched    string // how the run of the patched tree ends
		other      string // and those of toys and of the tree as it was given
		trouble    bool
		kept       int
	}{
		{"a toy is denied", "T01", "", denied, true, 0},
		{"a toy stalls", "T01", "", stalled, true, 0},
		{"a patch is denied", "V01", denied, ended, false, 2},
		{"a patch stalls", "V01", stalled, ended, false, 2},
		{"all trees are denied", "V01", denied, denied, true, 0},
		{"all trees stall", "V01", stalled, stalled, true, 0},
		{"a patch is denied, and the machine stalls", "V01", denied, stalled, true, 0},
		{"a patch takes too much", "V01", harness.TimedOut, ended, false, 1},
	} {
		k := caseOf(t, c.task)
		k.Submission.TreeDiffSHA, _ = k.Blobs.Put([]byte("--- a/rec/parse.go\n+++ b/rec/parse.go\n@@ -0,0 +1,1 @@\n+// patched\n"))
		sha, _ := k.Blobs.Put([]byte("input"))
		k.Submission.InputRef, k.Submission.Inputs = []string{"scratch/a"}, []trace.Input{{Ref: "scratch/a", SHA256: sha}}
		k.Runner = told(func(j harness.Job) harness.Output {
			if slices.ContainsFunc(j.Tree, func(f task.File) bool { return strings.Contains(f.Text, "// patched") }) {
				return harness.Output{Status: c.patched}
			}
			return harness.Output{Status: c.other}
		})
		g, err := Grade(t.Context(), k)
		if (err != nil) != c.trouble || (g.Status == trace.HarnessError) != c.trouble {
			t.Errorf("%s: %+v, %v", c.name, g, err)
		}
		if c.trouble {
			continue
		}
		i := slices.IndexFunc(g.Checks, func(check trace.Check) bool { return check.ID == "tests" && check.Status == trace.Fail })
		if i < 0 {
			t.Errorf("%s: %+v", c.name, g)
			continue
		}
		kept, err := harness.Kept(k.Blobs, g.Checks[i].DetailSHA)
		if err != nil || len(kept) != c.kept || kept[0].Status != c.patched {
			t.Errorf("%s: kept %+v, %v", c.name, kept, err)
		}
	}
}

// TestCandidates: each input must do what it does on all three candidates, in every
// run, and the tree be as it was given or as the right one makes it.
func TestCandidates(t *testing.T) {
	says := map[string]map[string]string{ // by input, what each build prints
		"first":  {"A": "ORACLE:DRAFT", "B": "REJECT", "C": "REJECT"},
		"second": {"A": "OK", "B": "OK", "C": "REJECT"},
	}
	changed := func(input, build, to string) map[string]map[string]string {
		all := map[string]map[string]string{"first": maps.Clone(says["first"]), "second": maps.Clone(says["second"])}
		all[input][build] = to
		return all
	}
	patch := func(letter string) func(*Case) {
		return func(c *Case) {
			diff, _ := c.Fixture.Text("candidates/" + letter + ".diff")
			c.Submission.TreeDiffSHA, _ = c.Blobs.Put([]byte(diff))
		}
	}
	for _, tt := range []struct {
		name   string
		says   map[string]map[string]string
		change func(*Case)
		want   string
	}{
		{"as it should", says, func(*Case) {}, ""},
		{"another verdict", says, func(c *Case) { c.Submission.Verdict = "A" }, "verdict"},
		{"the first does not fire", changed("first", "A", "REJECT"), func(*Case) {}, "candidates"},
		{"it does another thing", changed("first", "A", "ORACLE:IDX"), func(*Case) {}, "candidates"},
		{"it fires on the right one", changed("first", "B", "ORACLE:DRAFT"), func(*Case) {}, "candidates"},
		{"it fires on the one that goes too far", changed("first", "C", "ORACLE:DRAFT"), func(*Case) {}, "candidates"},
		{"it is taken and does not fire", changed("first", "C", "OK"), func(*Case) {}, ""},
		{"the second is refused by the one that falls short", changed("second", "A", "REJECT"), func(*Case) {}, "candidates"},
		{"by the right one", changed("second", "B", "REJECT"), func(*Case) {}, "candidates"},
		{"by none", changed("second", "C", "OK"), func(*Case) {}, "candidates"},
		{"it fires", changed("second", "A", "ORACLE:DRAFT"), func(*Case) {}, "candidates"},
		{"one input", says, func(c *Case) { c.Submission.InputRef = c.Submission.InputRef[:1] }, "candidates"},
		{"none", says, func(c *Case) { c.Submission.InputRef = nil }, "candidates"},
		{"one that is not there", says, func(c *Case) { c.Submission.Inputs = c.Submission.Inputs[:1] }, "candidates"},
		{"exchanged", says, func(c *Case) { slices.Reverse(c.Submission.InputRef) }, "candidates"},
		{"the right patch", says, patch("b"), ""},
		{"one that falls short", says, patch("a"), "tree"},
		{"one that goes too far", says, patch("c"), "tree"},
	} {
		k := caseOf(t, "V05")
		for _, input := range []string{"first", "second"} {
			sha, _ := k.Blobs.Put([]byte(input))
			k.Submission.InputRef = append(k.Submission.InputRef, "scratch/"+input)
			k.Submission.Inputs = append(k.Submission.Inputs, trace.Input{Ref: "scratch/" + input, SHA256: sha})
		}
		k.Runner = told(func(j harness.Job) harness.Output {
			word := tt.says[string(j.Input)][j.Build]
			code, _ := strings.CutPrefix(word, "ORACLE:")
			if code == word {
				code = ""
			}
			return harness.Output{Stdout: word + "\n", Oracle: code}
		})
		tt.change(&k)
		if got := failures(t, k); got != tt.want {
			t.Errorf("%s: %q fails, want %q", tt.name, got, tt.want)
		}
	}
	k := caseOf(t, "V05")
	runs := 0
	k.Submission.InputRef = []string{"scratch/a", "scratch/a"}
	sha, _ := k.Blobs.Put(nil)
	k.Submission.Inputs = []trace.Input{{Ref: "scratch/a", SHA256: sha}}
	k.Runner = told(func(harness.Job) harness.Output { runs++; return harness.Output{Status: harness.TimedOut} })
	if got := failures(t, k); got != "candidates" || runs != 18 {
		t.Errorf("what takes too long: %q fails after %d runs", got, runs)
	}
}

// TestPatch: hidden tests that are not reported did not pass, and a patch keeps to
// its files and its size.
func TestPatch(t *testing.T) {
	all := func(k Case) map[string]string {
		tests := map[string]string{}
		for _, name := range slices.Concat(k.Gold.Hidden.FailToPass, k.Gold.Hidden.PassToPass) {
			tests[name] = "pass"
		}
		return tests
	}
	diff := func(file string, lines int) string {
		return "--- a/" + file + "\n+++ b/" + file + "\n@@ -0,0 +1," + "N" + " @@\n" + strings.Repeat("+// x\n", lines)
	}
	for _, c := range []struct {
		name, diff string
		tests      func(map[string]string)
		exit       int
		want       string
	}{
		{"as it should", strings.ReplaceAll(diff("rec/parse.go", 25), "N", "25"), func(map[string]string) {}, 0, ""},
		{"no patch", "", func(map[string]string) {}, 0, ""},
		{"too large", strings.ReplaceAll(diff("rec/parse.go", 26), "N", "26"), func(map[string]string) {}, 0, "diff"},
		{"another file", strings.ReplaceAll(diff("rec/write.go", 1), "N", "1"), func(map[string]string) {}, 0, "diff"},
		{"a protected file", strings.ReplaceAll(diff("go.mod", 1), "N", "1"), func(map[string]string) {}, 0, "diff"},
		{"a failure", "", func(tests map[string]string) { tests["TestHiddenExact"] = "fail" }, 1, "tests"},
		{"a test is missing", "", func(tests map[string]string) { delete(tests, "TestHiddenMutatedA") }, 1, "tests"},
		{"all passed, and then it crashed", "", func(map[string]string) {}, 2, "tests"},
		{"nothing ran", "", func(tests map[string]string) { clear(tests) }, 1, "tests"},
	} {
		k := caseOf(t, "V01")
		tests := all(k)
		c.tests(tests)
		k.Runner = told(func(j harness.Job) harness.Output {
			if j.Build != "" || !slices.ContainsFunc(j.Tree, func(f task.File) bool { return f.Path == k.Gold.Hidden.File }) {
				t.Errorf("%s: the hidden tests are not in the tree", c.name)
			}
			return harness.Output{Tests: tests, Exit: c.exit}
		})
		if c.diff != "" {
			k.Submission.TreeDiffSHA, _ = k.Blobs.Put([]byte(c.diff))
		}
		if got := failures(t, k); got != c.want {
			t.Errorf("%s: %q fails, want %q", c.name, got, c.want)
		}
	}
}

// TestTrouble: a predicate that is none, and a blob that is gone, are ours.
func TestTrouble(t *testing.T) {
	k := caseOf(t, "L01")
	k.Gold.Predicate = []string{"beauty"}
	if g, err := Grade(t.Context(), k); err == nil || g.Status != trace.HarnessError {
		t.Errorf("%s, %v", g.Status, err)
	}
	k = caseOf(t, "V01")
	k.Submission.TreeDiffSHA = trace.Sum([]byte("gone"))
	a := (*trace.Altered)(nil)
	if g, err := Grade(t.Context(), k); !errors.As(err, &a) || g.Status != trace.HarnessError {
		t.Errorf("%s, %v", g.Status, err)
	}
}

// TestNothing: in every variant of every task, neither no report nor one with nothing
// in it passes. That the files as given pass no hidden test, the selftest shows.
func TestNothing(t *testing.T) {
	graded := 0
	for _, id := range task.IDs() {
		loaded, err := task.Get(id)
		if err != nil {
			t.Fatal(err)
		}
		for _, seed := range task.Seeds {
			f, err := loaded.Fixture(seed)
			if err != nil {
				t.Fatal(err)
			}
			gold, err := f.Gold()
			if err != nil {
				t.Fatal(err)
			}
			for name, s := range map[string]*trace.Submission{"no report": nil, "an empty report": {Status: "solved"}} {
				c := Case{Fixture: f, Gold: gold, Submission: s, Blobs: trace.Memory{}, Runner: told(func(harness.Job) harness.Output { return harness.Output{} })}
				g, err := Grade(t.Context(), c)
				if err != nil || g.Status != trace.Fail {
					t.Errorf("%s, seed %d, %s: %s, %v", id, seed, name, g.Status, err)
				}
				graded++
			}
		}
	}
	if graded < 2*5*49 {
		t.Errorf("graded %d: the check is not looking", graded)
	}
}
