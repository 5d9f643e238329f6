package shell

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestRowsHaveTests: each row shows a command that acts and one that does not.
func TestRowsHaveTests(t *testing.T) {
	acting, idle := map[*row]bool{}, map[*row]bool{}
	for _, test := range table().tests {
		if test.acts {
			acting[test.row] = true
			continue
		}
		idle[test.row] = true
		for _, effect := range strings.Split(test.want, "; ") {
			if effect != "" && !strings.HasPrefix(effect, "run ") {
				t.Errorf("programs.tbl:%d: %s is shown as harmless and has the effect %s", test.line, test.command, effect)
			}
		}
	}
	rows := 0
	var visit func(rows map[string]*row)
	visit = func(list map[string]*row) {
		for name, r := range list {
			rows++
			if !acting[r] || !idle[r] {
				t.Errorf("the row of %s (%q) needs a test that acts and one that does not", name, r.name)
			}
			visit(r.subs)
		}
	}
	visit(table().programs)
	if rows < 500 {
		t.Errorf("looked at %d names: the test is not looking", rows)
	}
}

// TestTableDefects: a table that does not say what it means is refused.
func TestTableDefects(t *testing.T) {
	for text, want := range map[string]string{
		"x | -a |":                  "want 4 columns",
		"x | -a -a | |":             "stands twice",
		"x | a | |":                 "is none",
		"x | -o=fly | |":            `no kind "fly"`,
		"x | | fly... |":            `no kind "fly"`,
		"x | @none | |":             "no group @none",
		"@g -o=fly\nx | @g | |":     `no kind "fly"`,
		"x y | | |":                 `no row for "x"`,
		"x | | |\nx | | |":          "stands twice",
		"x, | | |":                  "empty name",
		"x | --a,b: | |":            "is none",
		"\n# comment\n\nx | -a- | ": "want 4 columns",
	} {
		if _, err := parseTable(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestBounds: what is beyond a bound, or cannot be read, is one unknown effect,
// and never the part that was read.
func TestBounds(t *testing.T) {
	for name, c := range map[string]struct {
		command string
		bounds  Bounds
		why     string
	}{
		"200,000 commands": {strings.Repeat("true && ", 200_000) + "true", Bounds{}, "too long"},
		"bytes":            {"rm aaaa", Bounds{Bytes: 6}, "too long"},
		"nodes":            {strings.Repeat("true;", 20), Bounds{Nodes: 50}, "too many parts"},
		"most nodes":       {strings.Repeat("a;", 60_000), Bounds{}, "too many parts"},
		"steps":            {"for a in 1 2 3; do rm $a; done", Bounds{Steps: 10}, "too long or too deep"},
		"depth":            {"sh -c 'sh -c \"sh -c true\"'", Bounds{Depth: 3}, "nested too deep"},
		"recursion":        {"f() { f; }; f", Bounds{}, "nested too deep"},
		"doubling":         {"f() { f; f; }; f", Bounds{}, "nested too deep"},
		"nested loops":     {strings.Repeat("for a in 1 2 3 4 5 6 7 8 9 0; do ", 8) + "rm $a" + strings.Repeat("; done", 8), Bounds{}, "too long or too deep"},
		"wrappers":         {strings.Repeat("env ", 100) + "rm x", Bounds{}, "nested too deep"},
		"parentheses":      {strings.Repeat("(", 60_000), Bounds{}, "nested too deep"},
		"syntax":           {"rm x; if", Bounds{}, "does not parse"},
		"inner syntax":     {"rm x; eval 'if'", Bounds{}, "does not parse"},
		"not UTF-8":        {"rm \xff", Bounds{}, "not valid UTF-8"},
		"control":          {"rm x\r", Bounds{}, "control characters"},
		"C1 control":       {"rm x\u009b", Bounds{}, "control characters"},
	} {
		start := time.Now()
		a := Analyze(c.command, Env{Cwd: "/w", Bounds: c.bounds})
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("%s: took %v", name, took)
		}
		if len(a.Effects) != 1 || a.Effects[0].Kind != Unknown || a.Effects[0].Opaque || len(a.Commands) != 1 || !strings.Contains(a.Effects[0].Why, c.why) {
			t.Errorf("%s: %+.200v, want one unknown effect: %s", name, a, c.why)
		}
	}
}

// TestEffect: what an effect carries beside what the tables of commands show.
func TestEffect(t *testing.T) {
	of := func(a Analysis, k Kind) Effect {
		t.Helper()
		i := slices.IndexFunc(a.Effects, func(e Effect) bool { return e.Kind == k })
		if i < 0 {
			t.Fatalf("no effect %v in %+v", k, a.Effects)
		}
		return a.Effects[i]
	}
	push := of(Analyze("git -C a push origin -fu --ta main", testEnv), Execute)
	if want := []string{"git", "push"}; !slices.Equal(push.Name, want) {
		t.Errorf("name %q, want %q", push.Name, want)
	}
	if want := []string{"-C", "-f", "--force", "-u", "--set-upstream", "--tags"}; !slices.Equal(push.Options, want) {
		t.Errorf("options %q, want %q", push.Options, want)
	}
	if want := (Word{"git", true}); push.Words[0] != want || len(push.Words) != 8 {
		t.Errorf("words %v", push.Words)
	}
	unknown := of(Analyze(`echo a"$X"`, testEnv), Execute)
	if want := (Word{"a$X", false}); unknown.Words[1] != want {
		t.Errorf("word %v, want %v", unknown.Words[1], want)
	}
	line := "echo é; rm -r 'a b'"
	write := of(Analyze(line, testEnv), Write)
	if c := write.Cause; line[c.Start:c.End] != "'a b'" || c.Text != "'a b'" || write.Path != "/w/a b" || !write.PathKnown {
		t.Errorf("%+v", write)
	}
	line = "true; sh -c 'rm x'"
	write = of(Analyze(line, testEnv), Write)
	if c := write.Cause; line[c.Start:c.End] != "'rm x'" || c.Text != "x" {
		t.Errorf("cause %+v: offsets of the word, text of what runs", c)
	}
	a := Analyze("env nice rm x", testEnv)
	var chain []string
	for i := of(a, Write).By; i >= 0; i = a.Commands[i].Parent {
		chain = append(chain, a.Commands[i].Words[0].Text)
	}
	if want := []string{"rm", "nice", "env"}; !slices.Equal(chain, want) {
		t.Errorf("commands %q, want %q", chain, want)
	}
	matched := Analyze(`cat 'a*'/*.go`, Env{Cwd: "/w[1]"})
	if listed := of(matched, Read); listed.Path != "/w[1]/a*" || !listed.PathKnown {
		t.Errorf("%+v", listed)
	}
	glob := matched.Effects[len(matched.Effects)-1]
	if glob.Path != `/w\[1\]/a\*/*.go` || glob.PathKnown || !glob.Pattern {
		t.Errorf("%+v", glob)
	}
	if k := Kind(0); k != Unknown || k.String() != "unknown" {
		t.Errorf("the zero kind is %v", k)
	}
}

// TestEnvironment: what is not known of the place is not guessed.
func TestEnvironment(t *testing.T) {
	for _, c := range []struct {
		command string
		env     Env
		want    string
	}{
		{"rm x", Env{}, "write ?"},
		{"rm x", Env{Cwd: "relative"}, "write ?"},
		{"rm /x ~/y", Env{}, "unknown; write /x; write ?"},
		{"cd /a && rm x", Env{}, "write /a/x"},
		{"cd a && rm x", Env{}, "write ?"},
		{"cd && rm x", Env{Cwd: "/w"}, "write ?"},
		{"cd && rm x", Env{Cwd: "/w", Home: "/h"}, "write /h/x"},
		{"rm $T/x", Env{Cwd: "/w", Vars: map[string]string{"T": "/t"}}, "write /t/x"},
		{"rm $PWD/x; cd a; rm $PWD/x", Env{Cwd: "/w"}, "unknown; write /w/x; write ?"},
		{"rm ~/x", Env{Home: "/h", Vars: map[string]string{"HOME": "/v"}}, "write /v/x"},
		{"rm $'x'", Env{Cwd: "/w", Dialect: Sh}, "unknown; write /w/x"},
		{"rm {a,b}", Env{Cwd: "/w", Dialect: Sh}, "unknown; write /w/a; write /w/b"},
		{"true &> x", Env{Cwd: "/w", Dialect: Sh}, "unknown; write /w/x"},
		{"cat <(true)", Env{Cwd: "/w", Dialect: Sh}, "run true; unknown"},
		{"[[ -n x ]]", Env{Cwd: "/w", Dialect: Sh}, "unknown"},
		{"cat <<< x", Env{Cwd: "/w", Dialect: Sh}, "unknown"},
		{"rm $\"x\"", Env{Cwd: "/w", Dialect: Sh}, "unknown; write /w/x"},
	} {
		if got := summary(Analyze(c.command, c.env)); got != c.want {
			t.Errorf("%s in %+v: %s, want %s", c.command, c.env, got, c.want)
		}
	}
}

// bare is the effects without where the line causes them.
func bare(a Analysis) []Effect {
	list := slices.Clone(a.Effects)
	for i := range list {
		list[i].Cause = Span{}
	}
	return list
}

// spellings writes a word in every way that quotes it whole.
var spellings = []func(string) string{
	func(s string) string { return s },
	func(s string) string { return "'" + s + "'" },
	func(s string) string { return `"` + s + `"` },
	func(s string) string { return `\` + strings.Join(strings.Split(s, ""), `\`) },
	func(s string) string { return s[:1] + "''" + s[1:] },
	func(s string) string { return `""` + s },
	func(s string) string { return "\\\n" + s },
	func(s string) string {
		hex := ""
		for _, c := range []byte(s) {
			hex += fmt.Sprintf(`\x%02x`, c)
		}
		return "$'" + hex + "'"
	},
}

// TestQuoting: how a literal word is quoted never changes the effects.
func TestQuoting(t *testing.T) {
	words := []string{"rm", "cat", "env", "-r", "-rf", "--recursive", "--", "/etc/x", "a", "git", "push", "find", ".", "-delete", "sh", "-c", "tar", "xf", "cd", "x=1", "sed", "s/a/b/w", "--output=x", "-o", "xargs", "sudo", "eval"}
	rapid.Check(t, func(t *rapid.T) {
		picked := rapid.SliceOfN(rapid.SampledFrom(words), 1, 7).Draw(t, "words")
		if strings.Contains(picked[0], "=") {
			picked[0] = "rm" // quoted, an assignment is a command
		}
		plain := strings.Join(picked, " ")
		var quoted []string
		for i, word := range picked {
			how := rapid.IntRange(0, len(spellings)-1).Draw(t, fmt.Sprint("quoting of ", i))
			quoted = append(quoted, spellings[how](word))
		}
		line := strings.Join(quoted, " ")
		if want, got := bare(Analyze(plain, testEnv)), bare(Analyze(line, testEnv)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s\n%+v\n%s\n%+v", plain, want, line, got)
		}
	})
}

// TestJoining: what a command does, it also does with another one before or
// after it.
func TestJoining(t *testing.T) {
	cases := classCases(t)
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SampledFrom(cases).Draw(t, "first").command
		y := rapid.SampledFrom(cases).Draw(t, "second").command
		checkJoined(t, x, y)
	})
}

// checkJoined checks that "x; y" has every effect of x, or is unknown as a
// whole.
func checkJoined(t interface{ Errorf(string, ...any) }, x, y string) {
	alone, joined := Analyze(x, testEnv), Analyze(x+"; "+y, testEnv)
	if wholly(joined) {
		return
	}
	effects := bare(joined)
	for _, e := range bare(alone) {
		if !slices.ContainsFunc(effects, func(f Effect) bool { return reflect.DeepEqual(e, f) }) {
			t.Errorf("%q has %+v, and not with %q behind it", x, e, y)
			return
		}
	}
}

// wholly says whether a line is unknown as a whole.
func wholly(a Analysis) bool {
	return len(a.Commands) == 1 && len(a.Effects) == 1 && a.Effects[0].Kind == Unknown
}

// FuzzAnalyze: no line makes the analysis panic or exceed its bounds; every
// effect belongs to a command and stands in the line; the same line gives the
// same analysis; and a command that is joined takes no effect away.
func FuzzAnalyze(f *testing.F) {
	for _, c := range classCases(f) {
		f.Add(c.command)
	}
	for _, test := range table().tests {
		f.Add(test.command)
	}
	bounds := Bounds{Bytes: 4096, Nodes: 2000, Depth: 12, Steps: 5000}
	env := Env{Cwd: "/w", Home: "/h", Bounds: bounds}
	f.Fuzz(func(t *testing.T, line string) {
		start := time.Now()
		a := Analyze(line, env)
		if took := time.Since(start); took > 2*time.Second {
			t.Fatalf("took %v", took)
		}
		if len(a.Effects) > bounds.Steps || len(a.Commands) > bounds.Steps {
			t.Fatalf("%d effects of %d commands", len(a.Effects), len(a.Commands))
		}
		for _, e := range a.Effects {
			if e.By < 0 || e.By >= len(a.Commands) || e.Cause.Start < 0 || e.Cause.End < e.Cause.Start || e.Cause.End > len(line) {
				t.Fatalf("%+v of %d commands", e, len(a.Commands))
			}
			if e.PathKnown && !strings.HasPrefix(e.Path, "/") {
				t.Fatalf("%+v: a path that is known and not absolute", e)
			}
		}
		for i, c := range a.Commands {
			if c.Parent >= i {
				t.Fatalf("command %d is run by %d", i, c.Parent)
			}
		}
		if again := Analyze(line, env); !reflect.DeepEqual(a, again) {
			t.Fatalf("%+v\n%+v", a, again)
		}
		if !strings.HasSuffix(line, `\`) { // it would quote the semicolon
			checkJoined(t, line, "rm x")
		}
	})
}
