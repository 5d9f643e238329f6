package main

import (
	"strings"
	"testing"
)

const (
	passes = `{"Action":"run","Package":"github.com/licet-dev/licet/a","Test":"TestX"}
{"Action":"output","Package":"github.com/licet-dev/licet/a","Test":"TestX","Output":"=== RUN   TestX\n"}
{"Action":"output","Package":"github.com/licet-dev/licet/a","Test":"TestX","Output":"chatter\n"}
{"Action":"pass","Package":"github.com/licet-dev/licet/a","Test":"TestX"}
{"Action":"output","Package":"github.com/licet-dev/licet/a","Output":"PASS\n"}
{"Action":"output","Package":"github.com/licet-dev/licet/a","Output":"coverage: 91.5% of statements\n"}
{"Action":"output","Package":"github.com/licet-dev/licet/a","Output":"ok  \tgithub.com/licet-dev/licet/a\t0.1s\tcoverage: 91.5% of statements\n"}
{"Action":"pass","Package":"github.com/licet-dev/licet/a"}
`
	skips = `{"Action":"output","Package":"github.com/licet-dev/licet/b","Test":"TestS","Output":"=== RUN   TestS\n"}
{"Action":"output","Package":"github.com/licet-dev/licet/b","Test":"TestS","Output":"    b_test.go:3: needs node\n"}
{"Action":"output","Package":"github.com/licet-dev/licet/b","Test":"TestS","Output":"--- SKIP: TestS (0.00s)\n"}
{"Action":"skip","Package":"github.com/licet-dev/licet/b","Test":"TestS"}
{"Action":"pass","Package":"github.com/licet-dev/licet/b"}
`
	fails = `{"Action":"output","Package":"github.com/licet-dev/licet/c","Test":"TestF","Output":"    c_test.go:9: got 1, want 2\n"}
{"Action":"fail","Package":"github.com/licet-dev/licet/c","Test":"TestF"}
{"Action":"fail","Package":"github.com/licet-dev/licet/c"}
`
	exits = `{"Action":"output","Package":"github.com/licet-dev/licet/e","Test":"TestE","Output":"last words\n"}
{"Action":"fail","Package":"github.com/licet-dev/licet/e"}
`
	breaks = `{"ImportPath":"github.com/licet-dev/licet/d","Action":"build-output","Output":"d.go:1: undefined: x\n"}
{"ImportPath":"github.com/licet-dev/licet/d","Action":"build-fail"}
{"Action":"fail","Package":"github.com/licet-dev/licet/d","FailedBuild":"github.com/licet-dev/licet/d"}
`
)

func TestRun(t *testing.T) {
	tests := []struct {
		name   string
		args   []string
		in     string
		status int
		want   []string // parts of the output
		not    []string
	}{
		{"passes", nil, passes, 0,
			[]string{"ok  \tgithub.com/licet-dev/licet/a\t0.1s", "1 tests passed, 0 failed, 0 skipped in 1 packages"},
			[]string{"chatter", "PASS", "\ncoverage"}},
		{"a skip with its reason fails", nil, passes + skips, 1,
			[]string{"skipped: b.TestS: b_test.go:3: needs node", "1 tests passed, 0 failed, 1 skipped in 2 packages", "1 tests skipped: install what they need"}, nil},
		{"a failed test", nil, passes + fails, 1, []string{"got 1, want 2", "FAIL\t", "1 tests failed, in 1 packages"}, nil},
		{"a test that ends the process", nil, passes + exits, 1, []string{"last words", "0 tests failed, in 1 packages"}, nil},
		{"a package that does not build", nil, passes + breaks, 1, []string{"undefined: x", "FAIL\t"}, nil},
		{"no tests at all", nil, "", 1, []string{"no test passed"}, nil},
		{"only skips", nil, skips, 1, []string{"no test passed"}, nil},
		{"covered enough", []string{"-floor", "91.5", "a"}, passes, 0, []string{" 91.5 % of statements  a"}, nil},
		{"covered too little", []string{"-floor", "92", "a"}, passes, 1, []string{"want 92.0 %"}, nil},
		{"not measured", []string{"-floor", "0", "b"}, passes + skips, 1, []string{"b: coverage was not measured"}, nil},
		{"no JSON", nil, "ok a 0.1s\n", 1, []string{"reading the events"}, nil},
		{"wrong flag", []string{"-x"}, passes, 2, nil, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out strings.Builder
			if got := run(test.args, strings.NewReader(test.in), &out, &out); got != test.status {
				t.Errorf("exit status %d, want %d", got, test.status)
			}
			for _, want := range test.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("no %q in:\n%s", want, out.String())
				}
			}
			for _, not := range test.not {
				if strings.Contains(out.String(), not) {
					t.Errorf("%q in:\n%s", not, out.String())
				}
			}
		})
	}
}
