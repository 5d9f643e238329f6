package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func writeTree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestLook(t *testing.T) {
	root := writeTree(t, map[string]string{
		"fuzzed/a.go":        "package fuzzed\nfunc Parse(s string) error { return nil }",
		"fuzzed/a_test.go":   "package fuzzed\nimport \"testing\"\nfunc FuzzB(f *testing.F) {}\nfunc FuzzA(f *testing.F) {}\nfunc FuzzNot() {}",
		"bytes/a.go":         "package bytes\nfunc DecodeAll(n int, b []byte) {}",
		"method/a.go":        "package method\ntype T int\nfunc (t *T) UnmarshalText(b []byte) error { return nil }",
		"reader/a.go":        "package reader\nimport \"io\"\nfunc Load(r io.Reader) {}",
		"other/a.go":         "package other\nfunc Parsed(s string) {}\nfunc parse(s string) {}\nfunc ReadOnly() {}\nfunc Parser(s string) {}\ntype t int\nfunc (t) Load(s string) {}\ntype T int\nfunc (T) Read(b []byte) {}",
		"testonly/a_test.go": "package testonly\nfunc Parse(s string) {}",
		"testdata/a.go":      "not Go at all",
		".hidden/a.go":       "not Go at all",
		"module/go.mod":      "module example.org/other",
		"module/a.go":        "package module\nfunc Parse(s string) {}",
	})
	targets, missing, err := look(root)
	if err != nil {
		t.Fatal(err)
	}
	if want := []target{{"fuzzed", "FuzzA"}, {"fuzzed", "FuzzB"}}; !slices.Equal(targets, want) {
		t.Errorf("targets = %v, want %v", targets, want)
	}
	if want := []string{"bytes", "method", "reader"}; !slices.Equal(missing, want) {
		t.Errorf("packages that parse without a target = %v, want %v", missing, want)
	}
}

// TestFuzzAll runs real fuzzing on a module of its own.
func TestFuzzAll(t *testing.T) {
	const good = "package p\nimport \"testing\"\nfunc FuzzP(f *testing.F) {\n\tf.Add(\"x\")\n\tf.Fuzz(func(t *testing.T, s string) {\n\t\t_ = len(s)\n\t})\n}\n"
	tests := []struct {
		name  string
		files map[string]string
		want  string // part of the error; "" = none
	}{
		{"fuzzed", map[string]string{"p/p_test.go": good}, ""},
		{"finds", map[string]string{"p/p_test.go": strings.Replace(good, "_ = len(s)", "t.Fatal(\"found\")", 1)}, "found"},
		{"a parser without a target", map[string]string{"p/p_test.go": good, "q/q.go": "package q\nfunc Parse(s string) {}\n"}, "q parses and has no fuzz target"},
		{"no target", map[string]string{"q/q.go": "package q\n"}, "no fuzz target found"},
		{"does not parse", map[string]string{"q/q.go": "packag q\n"}, "looking for fuzz targets"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.files["go.mod"] = "module example.org/fuzzed\n\ngo 1.26\n"
			var out strings.Builder
			err := fuzzAll(writeTree(t, test.files), time.Second, time.Second, &out)
			if (err == nil) != (test.want == "") || (err != nil && !strings.Contains(err.Error(), test.want)) {
				t.Fatalf("fuzzAll = %v, want %q", err, test.want)
			}
			if err == nil && !strings.Contains(out.String(), "p FuzzP") {
				t.Errorf("does not name the target: %s", out.String())
			}
		})
	}
}

func TestStoppedLate(t *testing.T) {
	late := "fuzz: elapsed: 6s, execs: 9 (0/sec)\n--- FAIL: FuzzP (6.04s)\n    context deadline exceeded\nFAIL\nexit status 1\n"
	if !stoppedLate([]byte(late)) {
		t.Error("a late stop is taken for a finding")
	}
	for name, said := range map[string]string{
		"a finding":                             "--- FAIL: FuzzP (6.04s)\n    --- FAIL: FuzzP (0.00s)\n        p_test.go:6: found\n    Failing input written to testdata\nFAIL\n",
		"both":                                  late + "    Failing input written to testdata\n",
		"a test that ran into its own deadline": "--- FAIL: FuzzP (6.04s)\n    --- FAIL: FuzzP (0.00s)\n        p_test.go:6: x: context deadline exceeded\nFAIL\n",
		"nothing":                               "",
	} {
		if stoppedLate([]byte(said)) {
			t.Errorf("%s is taken for a late stop", name)
		}
	}
}

func TestCountExecutions(t *testing.T) {
	for said, want := range map[string]int{
		"": 0,
		"fuzz: elapsed: 0s, gathering baseline coverage: 0/2 completed\nok\n":                       0,
		"fuzz: elapsed: 3s, execs: 100 (33/sec)\nfuzz: elapsed: 5s, execs: 812345 (1/sec)\nPASS\n":  812345,
		"fuzz: elapsed: 3s, execs: 99999999999999999999 (1/sec)\n":                                  0,
		"fuzz: elapsed: 3s, execs: 0 (0/sec), new interesting: 0 (total: 2)\nPASS\nok  \tx\t3.1s\n": 0,
	} {
		if got := countExecutions([]byte(said)); got != want {
			t.Errorf("countExecutions(%q) = %d, want %d", said, got, want)
		}
	}
}

func TestShare(t *testing.T) {
	for _, test := range []struct {
		each, budget time.Duration
		n            int
		want         time.Duration
	}{
		{30 * time.Second, 0, 100, 30 * time.Second},
		{5 * time.Second, 4 * time.Minute, 10, 5 * time.Second},
		{5 * time.Second, 4 * time.Minute, 80, 3 * time.Second},
		{5 * time.Second, 4 * time.Minute, 1000, 2 * time.Second},
	} {
		if got := share(test.each, test.budget, test.n); got != test.want {
			t.Errorf("share(%v, %v, %d) = %v, want %v", test.each, test.budget, test.n, got, test.want)
		}
	}
}

func TestUsage(t *testing.T) {
	var out strings.Builder
	if got := run([]string{"-each", "soon"}, &out, &out); got != 2 {
		t.Errorf("run with a wrong duration = %d, want 2", got)
	}
}

func TestPastSeeds(t *testing.T) {
	found := errors.New("found")
	for name, c := range map[string]struct {
		tries int // the one that ends the fuzzing
		last  error
		want  int
	}{
		"at once":            {1, nil, 1},
		"slow seeds":         {3, nil, 3},
		"never":              {3, errNoExecutions, 3},
		"a finding is final": {1, found, 1},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []time.Duration
			_, err := pastSeeds(time.Second, func(d time.Duration) (int, error) {
				asked = append(asked, d)
				if len(asked) < c.tries {
					return 0, errNoExecutions
				}
				return 7, c.last
			})
			all := []time.Duration{time.Second, 4 * time.Second, 16 * time.Second}
			if !errors.Is(err, c.last) || !slices.Equal(asked, all[:c.want]) {
				t.Errorf("asked for %v: %v", asked, err)
			}
		})
	}
}
