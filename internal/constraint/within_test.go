package constraint

import (
	"testing"

	"github.com/licet-dev/licet/internal/toolcall"
)

// TestWithin is the table of comparisons: what a permits, b permits (permits),
// and what a forbids, b forbids (forbids).
func TestWithin(t *testing.T) {
	tests := []struct {
		a, b             string
		permits, forbids bool
	}{
		{`{"max": 5}`, `{"max": 9}`, true, true},
		{`{"max": 9}`, `{"max": 5}`, false, false},
		{`{"max": 5, "min": 0}`, `{"max": 5}`, true, true},
		{`{"max": 5}`, `{"max": 5, "min": 0}`, false, false},
		{`{"min": 2}`, `{"min": 1.5}`, true, true},
		{`{"max": 5.0}`, `{"max": 5}`, true, true},
		{`{"multiple_of": 10}`, `{"multiple_of": 2.5}`, true, true},
		{`{"multiple_of": 2.5}`, `{"multiple_of": 10}`, false, false},
		{`{"max": 5}`, `{"min": 5}`, false, false},

		{`{"const": 5}`, `{"in": [5, 6]}`, true, true},
		{`{"in": [5]}`, `{"const": 5}`, true, true},
		{`{"in": [5, 6]}`, `{"const": 5}`, false, false},
		{`{"in": [5, 6]}`, `{"max": 6}`, true, false}, // nothing is proven of two words in a never clause
		{`{"in": [5, 7]}`, `{"max": 6}`, false, false},
		{`{"in": [5, 7], "max": 6}`, `{"const": 5}`, true, false},
		{`{"in": ["a", "b"]}`, `{"not_in": ["c"]}`, true, false},
		{`{"in": ["a", "B"]}`, `{"not_in": ["b"]}`, false, false}, // not_in compares loosely
		{`{"not_in": ["a", "b"]}`, `{"not_in": ["a"]}`, true, true},
		{`{"not_in": ["a"]}`, `{"not_in": ["a", "b"]}`, false, false},
		{`{"in": ["ab"]}`, `{"pattern": "a."}`, true, false},
		{`{"in": ["ab", "b"]}`, `{"pattern": "a."}`, false, false},
		{`{"in": ["ann"]}`, `{"from": {"literal": ["ann", "bob"]}}`, true, false},
		{`{"in": ["ann"]}`, `{"from": "request"}`, false, false},

		{`{"length": {"max": 3}}`, `{"length": {"max": 5}}`, true, true},
		{`{"length": 3}`, `{"length": {"min": 1, "max": 3}}`, true, true},
		{`{"length": {"min": 1}}`, `{"length": {"max": 5}}`, false, false},
		{`{"items": {"min": 2}}`, `{"items": {"min": 1}}`, true, true},
		{`{"items": 1}`, `{"length": 1}`, false, false},
		{`{"pattern": "a+"}`, `{"pattern": "a+"}`, true, true},
		{`{"pattern": "a+"}`, `{"pattern": "a*"}`, false, false},

		{`{"optional": true, "max": 5}`, `{"max": 9}`, false, true},
		{`{"max": 5}`, `{"optional": true, "max": 9}`, true, true},
		{`{"optional": true, "max": 5}`, `{"optional": true, "max": 9}`, true, true},

		{`{"from": "request"}`, `{"from": ["request", {"claim": "user"}]}`, true, false},
		{`{"from": ["request", {"claim": "user"}]}`, `{"from": "request"}`, false, false},
		{`{"from": {"literal": ["a"]}}`, `{"from": [{"literal": ["b", "a"]}]}`, true, false},
		{`{"from": {"result": "s.t", "at": "x"}}`, `{"from": {"result": "s.t", "at": "x"}}`, true, false},
		{`{"from": {"result": "s.t", "at": "x"}}`, `{"from": {"result": "s.t"}}`, false, false},
		{`{"identifiers": {"from": "request", "patterns": ["a.b"]}}`, `{"identifiers": {"from": "request"}}`, true, false},
		{`{"identifiers": {"from": "request"}}`, `{"identifiers": {"from": "request", "patterns": ["a.b"]}}`, false, false},
		{`{"identifiers": {"from": "request", "patterns": ["a.b"]}}`, `{"identifiers": {"from": "request", "patterns": ["a.b", "a.b"]}}`, false, false},

		{`{"path": {"read": ["${workspace}/a/**"]}}`, `{"path": {"read": ["${workspace}/**"]}}`, true, false},
		{`{"path": {"read": ["${workspace}/a.txt"]}}`, `{"path": {"read": ["${workspace}/*"]}}`, true, false},
		{`{"path": {"read": ["${workspace}/*"]}}`, `{"path": {"read": ["${workspace}/a.txt"]}}`, false, false},
		{`{"path": {"read": ["${workspace}/*/b/**"]}}`, `{"path": {"read": ["${workspace}/*/*/**"]}}`, true, false},
		{`{"path": {"read": ["${workspace}/a"]}}`, `{"path": {"read": ["${workspace}/a/**"]}}`, false, false},
		{`{"path": {"read": ["${workspace}/a/**"]}}`, `{"path": {"read": ["${workspace}/*"]}}`, false, false},
		{`{"path": {"read": ["${home}/a/**"]}}`, `{"path": {"read": ["${workspace}/**"]}}`, false, false},
		{`{"path": {"read": ["/etc/a/**"]}}`, `{"path": {"read": ["/etc/**"]}}`, false, false}, // links on the way
		{`{"path": {"read": ["/etc/**"]}}`, `{"path": {"read": ["/etc/**", "/usr/**"]}}`, true, true},
		{`{"path": {"read": ["${workspace}/**", "!${workspace}/x"]}}`, `{"path": {"read": ["${workspace}/**"]}}`, true, true},
		{`{"path": {"read": ["${workspace}/**"]}}`, `{"path": {"read": ["${workspace}/**", "!${workspace}/x"]}}`, false, false},
		{`{"path": {"write": ["${workspace}/a/**"]}}`, `{"path": {"read": ["${workspace}/a/**"]}}`, false, false},
		{`{"path": {"write": ["${workspace}/licet.yaml"]}}`, `{"path": {"write": ["${workspace}/*"]}}`, false, false}, // guarded
		{`{"path": {"write": ["${workspace}/licet.yaml"]}}`, `{"path": {"write": ["${workspace}/licet.yaml", "${tmp}/**"]}}`, true, true},
		{`{"path": {"read": ["${workspace}/a/**"], "base": "${workspace}"}}`, `{"path": {"read": ["${workspace}/**"]}}`, false, false},

		{`{"url": {"hosts": ["a.example.org"]}}`, `{"url": {"hosts": ["*.example.org"]}}`, true, true},
		{`{"url": {"hosts": ["*.b.example.org"]}}`, `{"url": {"hosts": ["*.example.org"]}}`, true, true},
		{`{"url": {"hosts": ["example.org"]}}`, `{"url": {"hosts": ["*.example.org"]}}`, false, false},
		{`{"url": {"hosts": ["*.example.org"]}}`, `{"url": {"hosts": ["example.org"]}}`, false, false},
		{`{"url": {"hosts": ["example.org"]}}`, `{"url": {"schemes": ["https"]}}`, true, false}, // in never, no scheme is every scheme
		{`{"url": {"hosts": ["localhost"]}}`, `{"url": {"schemes": ["https"]}}`, false, false},
		{`{"url": {"hosts": ["*.lan"]}}`, `{"url": {"schemes": ["https"]}}`, false, false},
		{`{"url": {"schemes": ["https"]}}`, `{"url": {"hosts": ["example.org"]}}`, false, false},
		{`{"url": {"hosts": ["example.org"]}}`, `{"url": {"hosts": ["example.org"], "schemes": ["https", "http"]}}`, true, false},
		{`{"url": {"hosts": ["example.org"], "schemes": ["http"]}}`, `{"url": {"hosts": ["example.org"]}}`, false, true},
		{`{"url": {"hosts": ["example.org"]}}`, `{"url": {"hosts": ["example.org"], "ports": [443]}}`, true, false},
		{`{"url": {"hosts": ["example.org"], "ports": [443]}}`, `{"url": {"hosts": ["example.org"]}}`, true, true},
		{`{"url": {"hosts": ["example.org"], "ports": [8443]}}`, `{"url": {"hosts": ["example.org"]}}`, false, true},
		{`{"url": {"hosts": ["example.org"], "paths": ["/docs/a"]}}`, `{"url": {"hosts": ["example.org"], "paths": ["/docs"]}}`, true, true},
		{`{"url": {"hosts": ["example.org"], "paths": ["/docs2"]}}`, `{"url": {"hosts": ["example.org"], "paths": ["/docs"]}}`, false, false},
		{`{"url": {"hosts": ["example.org"]}}`, `{"url": {"hosts": ["example.org"], "paths": ["/docs"]}}`, false, false},

		{`{"email": {"domains": ["a.example.org"]}}`, `{"email": {"domains": ["*.example.org"]}}`, true, true},
		{`{"email": {"addresses": ["x@a.org"]}}`, `{"email": {"domains": ["a.org"]}}`, true, true},
		{`{"email": {"domains": ["a.org"]}}`, `{"email": {"addresses": ["x@a.org"]}}`, false, false},
		{`{"email": {"addresses": ["x@a.org"]}}`, `{"email": {"addresses": ["x@a.org", "y@a.org"]}}`, true, true},
		{`{"email": {"addresses": ["x@a.org"]}}`, `{"email": {"addresses": ["X@a.org"]}}`, false, false},
	}
	for _, tt := range tests {
		a, b := withinSet(t, tt.a, true), withinSet(t, tt.b, true)
		if got := a.PermitsWithin(b); got != tt.permits {
			t.Errorf("%s permits only what %s does: got %t", tt.a, tt.b, got)
		}
		if got := a.ForbidsWithin(b); got != tt.forbids {
			t.Errorf("%s forbids only what %s does: got %t", tt.a, tt.b, got)
		}
	}
}

// TestWithinText is about servers whose file system the gate does not share.
func TestWithinText(t *testing.T) {
	a, b := `{"path": {"read": ["/srv/a/**"]}}`, `{"path": {"read": ["/srv/**"]}}`
	if !withinSet(t, a, false).PermitsWithin(withinSet(t, b, false)) {
		t.Error("as text, what lies below /srv/a lies below /srv")
	}
	if withinSet(t, a, false).PermitsWithin(withinSet(t, a, true)) {
		t.Error("a path as text is no path that is followed")
	}
	if (&Set{}).PermitsWithin(withinSet(t, a, false)) || withinSet(t, a, false).PermitsWithin(&Set{}) || (&Set{}).ForbidsWithin(&Set{}) {
		t.Error("of the zero set nothing is proven")
	}
}

func withinSet(t *testing.T, spec string, resolve bool) *Set {
	t.Helper()
	return compile(t, spec, Env{Resolve: resolve, Source: func(string, string) error { return nil }})
}

func TestConditionWithin(t *testing.T) {
	tests := []struct {
		word, a, b string
		want       bool
	}{
		{"$request", `{"mentions": ["pay"]}`, `{"mentions": ["send", "pay"]}`, true},
		{"$request", `{"mentions": ["send", "pay"]}`, `{"mentions": ["pay"]}`, false},
		{"$session", `{"called": ["s.a"]}`, `{"called": ["s.a", "s.b"]}`, true},
		{"$session", `{"called": ["s.a", "s.b"]}`, `{"called": ["s.a"]}`, false},
		{"$session", `{"not_called": ["s.a", "s.b"]}`, `{"not_called": ["s.a"]}`, true},
		{"$session", `{"not_called": ["s.a"]}`, `{"not_called": ["s.a", "s.b"]}`, false},
		{"$session", `{"called": ["s.a"], "not_called": ["s.b"]}`, `{"not_called": ["s.b"]}`, true},
		{"$session", `{"not_called": ["s.b"]}`, `{"called": ["s.a"], "not_called": ["s.b"]}`, false},
		{"$session", `{"distinct": {"argument": "x", "max": 1}}`, `{"distinct": {"argument": "x", "max": 2}}`, true},
		{"$session", `{"distinct": {"argument": "x", "max": 2}}`, `{"distinct": {"argument": "x", "max": 1}}`, false},
		{"$session", `{"distinct": {"argument": "x", "max": 1}}`, `{"distinct": {"argument": "y", "max": 1}}`, false},
		{"$signal", `{"git_state.dirty": {"max": 0}}`, `{"git_state.dirty": {"max": 1}}`, true},
		{"$signal", `{"git_state.dirty": {"max": 1}}`, `{"git_state.dirty": {"max": 0}}`, false},
		{"$signal", `{"git_state.dirty": {"max": 0}, "git_state.staged": {"max": 0}}`, `{"git_state.dirty": {"max": 0}}`, true},
		{"$signal", `{"git_state.dirty": {"max": 0}}`, `{"git_state.staged": {"max": 0}}`, false},
		{"$signal", `{"git_state.branch": {"const": "a"}}`, `{"git_state.branch": {"in": ["a", "b"]}}`, true},
		{"$when", `"1 < 2"`, `"1 < 2"`, true},
		{"$when", `"1 < 2"`, `"1 <  2"`, false},
	}
	for _, tt := range tests {
		a, b := withinCondition(t, tt.word, tt.a), withinCondition(t, tt.word, tt.b)
		if got := ConditionWithin(a, b); got != tt.want {
			t.Errorf("%s %s within %s: got %t", tt.word, tt.a, tt.b, got)
		}
		if MayFail(a) != (tt.word == "$when") {
			t.Errorf("%s: MayFail is %t", tt.word, MayFail(a))
		}
	}
	if ConditionWithin(withinCondition(t, "$when", `"1 < 2"`), withinCondition(t, "$request", `{"mentions": ["pay"]}`)) {
		t.Error("two words are compared")
	}
}

func withinCondition(t *testing.T, word, spec string) Condition {
	t.Helper()
	c, err := NewCondition(word, value(t, spec), Surroundings{
		Server: "s", Tool: "t",
		Tools:    func(name string) ([][2]string, error) { return [][2]string{{"s", name[2:]}}, nil },
		Argument: func(string, string, toolcall.Path) error { return nil },
	})
	if err != nil {
		t.Fatalf("%s %s: %v", word, spec, err)
	}
	return c
}
