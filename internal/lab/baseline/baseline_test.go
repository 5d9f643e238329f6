package baseline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/lab/corpus"
	"github.com/licet-dev/licet/internal/toolcall"
)

// definition is a tool with an argument of every type.
const definition = `{"name": "f", "inputSchema": {"type": "object", "additionalProperties": false, "required": ["s"], "properties": {
	"n": {"type": "number"}, "i": {"type": "integer"}, "s": {"type": "string"}, "t": {"type": "string"},
	"l": {"type": "array", "items": {"type": "string"}}, "p": {"type": "array", "items": {"type": "object", "properties": {"price": {"type": "number"}}}}}}}`

func value(t testing.TB, text string) toolcall.Value {
	t.Helper()
	v, err := toolcall.Parse([]byte(text), toolcall.Bounds{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// suite is one call of the tool f under a rule.
func suite(t testing.TB, rule, args string) *cases.Suite {
	t.Helper()
	c, err := catalog.FromTools("", []toolcall.Value{value(t, definition), value(t, `{"name": "g", "inputSchema": {"type": "object"}}`)})
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`{"version": 1, "name": "c", "catalogs": {"x": {"pin": %q, "tools": "x.json"}}, "agents": {"a": {"tools": {"x.f": %s, "x.g": "allow"}}}}`, c.Digest(), rule)
	s := &cases.Suite{Contract: cases.Source{Name: "c.yaml", Text: []byte(text), Files: map[string][]byte{"x.json": c.Marshal()}}}
	call := cases.Call{Agent: "a", Session: "s", Server: "x", Tool: "f", Arguments: value(t, args)}
	s.Cases = []cases.Case{{Name: "c", Why: "w", Steps: []cases.Step{{Act: call}}}}
	return s
}

// gate returns what licet answers.
func gate(t testing.TB, s *cases.Suite) authz.Verdict {
	t.Helper()
	results, err := cases.Run(t.Context(), cases.Core{}, []*cases.Suite{s}, cases.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if results[0].Err != nil {
		t.Fatalf("%s: %v", s.Contract.Text, results[0].Err)
	}
	return results[0].Answers[0].Verdict
}

// asked returns what a baseline answers.
func asked(t testing.TB, l Language, s *cases.Suite) Given {
	t.Helper()
	call, source, now := lastCall(s)
	c, err := load(source)
	if err != nil {
		t.Fatal(err)
	}
	g, err := asker{known: map[string]translation{}}.put(l, c, call, now)
	if err != nil {
		t.Fatalf("%s: %v", l.Name, err)
	}
	return g
}

func language(t testing.TB, name string) Language {
	t.Helper()
	for _, l := range Languages() {
		if l.Name == name {
			return l
		}
	}
	t.Fatalf("no language %q", name)
	return Language{}
}

// said is how the table below writes a verdict: A, R, B, or ? where the call turns
// on what the language cannot say.
func letter(g Given) string {
	if !g.Counts() {
		return "?"
	}
	return map[authz.Verdict]string{authz.Allow: "A", authz.RequireApproval: "R", authz.Block: "B"}[g.Verdict]
}

// TestAnswers has one rule and call a line, and the answers of licet, by name,
// Rego, Cedar and CEL.
func TestAnswers(t *testing.T) {
	for _, tt := range []struct{ rule, args, want string }{
		{`"allow"`, `{"s": "x"}`, "AAAAA"},
		{`"approve"`, `{"s": "x"}`, "RRRRR"},
		{`"block"`, `{"s": "x"}`, "BBBBB"},
		// the schema
		{`"allow"`, `{}`, "BABBB"},
		{`"allow"`, `{"s": 1}`, "BABBB"},
		{`"allow"`, `{"s": "x", "other": 1}`, "BABBB"},
		{`"allow"`, `{"s": "x", "i": 1.5}`, "BABBB"},
		{`"allow"`, `{"s": "x", "l": ["a", 1]}`, "BABBB"},
		// bounds
		{`{"allow": [{"n": {"min": 0.01, "max": 100}}]}`, `{"s": "x", "n": 100}`, "AAAAA"},
		{`{"allow": [{"n": {"min": 0.01, "max": 100}}]}`, `{"s": "x", "n": 100.01}`, "BABBB"},
		{`{"allow": [{"n": {"min": 0.01, "max": 100}}]}`, `{"s": "x"}`, "BABBB"},
		{`{"allow": [{"n": {"min": 0.01, "max": 100, "optional": true}}]}`, `{"s": "x"}`, "AAAAA"},
		{`{"allow": [{"i": {"max": 5}}], "approve": [{"i": {"max": 50}}]}`, `{"s": "x", "i": 50}`, "RARRR"},
		{`{"allow": [{"p[].price": {"max": 9}}]}`, `{"s": "x", "p": [{"price": 5}, {"price": 50}]}`, "BAB?B"},
		{`{"allow": [{"p[].price": {"max": 9}}]}`, `{"s": "x", "p": [{"price": 5}, {}]}`, "BAB?B"},
		{`{"allow": [{"p[].price": {"max": 9}}]}`, `{"s": "x", "p": []}`, "BAB?B"},
		{`{"allow": [{"p[].price": {"max": 9}}]}`, `{"s": "x", "p": [{"price": 9}]}`, "AAA?A"},
		{`{"allow": [{"i": {"multiple_of": 5}}]}`, `{"s": "x", "i": 15}`, "AAA?A"},
		{`{"allow": [{"i": {"multiple_of": 5}}]}`, `{"s": "x", "i": 16}`, "BAB?B"},
		// lists
		{`{"allow": [{"s": {"in": ["a", "b"]}}]}`, `{"s": "b"}`, "AAAAA"},
		{`{"allow": [{"s": {"in": ["a", "b"]}}]}`, `{"s": "B"}`, "BABBB"},
		{`{"allow": [{"l[]": {"in": ["a", "b"]}}]}`, `{"s": "x", "l": ["a", "c"]}`, "BABBB"},
		{`{"allow": [{"l[]": {"in": ["a", "b"]}}]}`, `{"s": "x", "l": ["a", "b"]}`, "AAAAA"},
		{`{"allow": [{"l[]": {"in": ["a", "b"]}}]}`, `{"s": "x", "l": []}`, "BABBB"},
		{`{"allow": [{}], "never": [{"s": {"in": ["evil"]}}]}`, `{"s": "evil"}`, "BABBB"},
		{`{"allow": [{}], "never": [{"s": {"in": ["evil"]}}]}`, `{"s": " Evil "}`, "BABAB"},
		{`{"allow": [{}], "never": [{"l[]": {"in": ["evil"]}}]}`, `{"s": "x", "l": ["a", "evil"]}`, "BABBB"},
		{`{"allow": [{"s": {"from": {"literal": ["a"]}}}]}`, `{"s": "a"}`, "AAAAA"},
		// texts
		{`{"allow": [{"s": {"pattern": "a[0-9]+"}}]}`, `{"s": "a1"}`, "AAA?A"},
		{`{"allow": [{"s": {"pattern": "a[0-9]+"}}]}`, `{"s": "a1\nb"}`, "BAB?B"},
		{`{"allow": [{"s": {"pattern": "a.*"}}]}`, `{"s": "a\nb"}`, "AAAAA"},
		{`{"allow": [{"s": {"length": {"max": 2}}}]}`, `{"s": "äö"}`, "AAA?A"},
		{`{"allow": [{"s": {"length": {"max": 2}}}]}`, `{"s": "äöü"}`, "BAB?B"},
		{`{"allow": [{"l": {"items": {"max": 1}}}]}`, `{"s": "x", "l": ["a", "b"]}`, "BAB?B"},
		{`{"allow": [{"s": {"path": {"read": ["/a/**", "!/a/b/**"]}}}]}`, `{"s": "/a/c"}`, "AAAAA"},
		{`{"allow": [{"s": {"path": {"read": ["/a/**", "!/a/b/**"]}}}]}`, `{"s": "/a/b/c"}`, "BABBB"},
		{`{"allow": [{"s": {"path": {"read": ["/a/**"]}}}]}`, `{"s": "/a/../b"}`, "BABBB"},
		{`{"allow": [{"s": {"path": {"write": ["/a/*.txt"]}}}]}`, `{"s": "/a/b.txt"}`, "AAAAA"},
		{`{"allow": [{"s": {"path": {"write": ["/a/**"]}}}]}`, `{"s": "/a/b/AGENTS.md"}`, "BABAB"},
		{`{"allow": [{"s": {"path": {"write": ["/a/**", "/a/AGENTS.md"]}}}]}`, `{"s": "/a/AGENTS.md"}`, "AAAAA"},
		{`{"allow": [{"s": {"path": {"read": ["/**"]}}}]}`, `{"s": ""}`, "BABBB"},
		{`{"allow": [{"s": {"path": {"read": ["/**"]}}}]}`, `{"s": "/a\\b"}`, "BABAB"},
		{`{"allow": [{"s": {"path": {"write": ["/a/*.txt"]}}}]}`, `{"s": "/a/b/c.txt"}`, "BABBB"},
		{`{"allow": [{"s": {"path": {"read": ["/**"]}}}], "never": [{"s": {"path": {"read": ["/a/**"]}}}]}`, `{"s": "/a/b"}`, "BABBB"},
		{`{"allow": [{"s": {"url": {"hosts": ["a.example"], "paths": ["/pub"]}}}]}`, `{"s": "https://a.example/pub/x?q=1"}`, "AAAAA"},
		{`{"allow": [{"s": {"url": {"hosts": ["a.example"]}}}]}`, `{"s": "https://a.example@evil.example/"}`, "BABBB"},
		{`{"allow": [{"s": {"url": {"hosts": ["a.example"]}}}]}`, `{"s": "https://a.example.evil.example/"}`, "BABBB"},
		{`{"allow": [{"s": {"url": {"hosts": ["*.a.example"]}}}]}`, `{"s": "https://x.a.example/y"}`, "AAAAA"},
		{`{"allow": [{"s": {"url": {"hosts": ["*.a.example"]}}}]}`, `{"s": "https://evil.example/x.a.example/y"}`, "BABBB"},
		{`{"allow": [{"s": {"url": {"hosts": ["a.example"]}}}]}`, `{"s": "HTTPS://A.EXAMPLE/"}`, "AAABA"},
		{`{"allow": [{}], "never": [{"s": {"url": {"hosts": ["a.example"]}}}]}`, `{"s": "http://u@a.example:80/"}`, "BAB?B"},
		{`{"allow": [{"s": {"email": {"domains": ["a.example"]}}}]}`, `{"s": "x@a.example"}`, "AAAAA"},
		{`{"allow": [{"s": {"email": {"domains": ["a.example"]}}}]}`, `{"s": "x@a.example, y@a.example"}`, "AAABA"},
		{`{"allow": [{"s": {"email": {"domains": ["a.example"]}}}]}`, `{"s": "x@a.example, y@b.example"}`, "BABBB"},
		{`{"allow": [{"s": {"email": {"domains": ["a.example"]}}}]}`, `{"s": "x@b.example\nx@a.example"}`, "BABBB"},
		{`{"allow": [{"s": {"shell": {"run": ["git status"]}}}]}`, `{"s": "git status -s"}`, "AAA?A"},
		{`{"allow": [{"s": {"shell": {"run": ["git status"]}}}]}`, `{"s": "git status; rm -r x"}`, "BAB?B"},
		{`{"allow": [{"s": {"shell": {"run": ["git", "!git push"]}}}]}`, `{"s": "git push"}`, "BAB?B"},
		{`{"allow": [{"s": {"shell": {"run": ["git status"]}}}]}`, `{"s": "'git' status"}`, "AAB?B"},
		{`{"allow": [{"s": {"sql": {"dialect": "sqlite", "tables": ["orders"]}}}]}`, `{"s": "SELECT a FROM orders"}`, "AAA?A"},
		{`{"allow": [{"s": {"sql": {"dialect": "sqlite", "tables": ["orders"]}}}]}`, `{"s": "SELECT a FROM users"}`, "BAB?B"},
		{`{"allow": [{"s": {"sql": {"dialect": "sqlite", "tables": ["orders"]}}}]}`, `{"s": "SELECT a FROM orders, users"}`, "BAB?B"},
		{`{"allow": [{"s": {"sql": {"dialect": "sqlite", "read_only": true}}}]}`, `{"s": "SELECT 1; DROP TABLE x"}`, "BAB?B"},
		{`{"allow": [{"s": {"sql": {"dialect": "sqlite", "read_only": true}}}]}`, `{"s": "SELECT 'please update me'"}`, "AAB?B"},
		// what was before the call
		{`{"allow": [{"s": {"from": "request"}}]}`, `{"s": "x"}`, "BA???"},
		{`{"allow": [{"s": {"from": "request"}, "n": {"max": 1}}]}`, `{"s": "x", "n": 2}`, "BABBB"},
		{`{"allow": [{}], "never": [{"$session": {"called": ["x.g"]}}]}`, `{"s": "x"}`, "AA???"},
		{`{"allow": [{"$when": "call.arguments.s == \"x\""}]}`, `{"s": "x"}`, "AA??A"},
		{`{"allow": [{"$when": "call.arguments.s == \"x\" && !(\"x.g\" in session.called)"}]}`, `{"s": "x"}`, "AA???"},
	} {
		s := suite(t, tt.rule, tt.args)
		got := letter(Given{Verdict: gate(t, s)})
		for _, name := range []string{"names, Go", "Rego", "Cedar", "CEL"} {
			got += letter(asked(t, language(t, name), s))
		}
		if got != tt.want {
			t.Errorf("%s with %s: licet, names, Rego, Cedar, CEL answer %s, want %s", tt.rule, tt.args, got, tt.want)
		}
		goes, rego := asked(t, language(t, "names, Go"), s), asked(t, language(t, "names, Rego"), s)
		if goes.Verdict != rego.Verdict {
			t.Errorf("%s: by name, Go says %s and Rego %s", tt.rule, goes.Verdict, rego.Verdict)
		}
	}
}

// TestTranslation holds for any rule whose clauses are made of the plain
// constraints, and any arguments: a language that can say the rule gives the
// same answer as licet.
func TestTranslation(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		rule := fmt.Sprintf(`"allow": [%s], "approve": [%s]`, clauses.Draw(r, "allow"), clauses.Draw(r, "approve"))
		if never := forbidding.Draw(r, "never"); never != "{}" { // which would forbid everything
			rule += `, "never": [` + never + `]`
		}
		rule = "{" + rule + "}"
		args := arguments.Draw(r, "arguments")
		s := suite(t, rule, args)
		want := gate(t, s)
		for _, name := range []string{"Rego", "Cedar", "CEL"} {
			if g := asked(t, language(t, name), s); g.Counts() && g.Verdict != want {
				r.Errorf("%s answers %s (%s), licet %s, to %s under %s", name, g.Verdict, g.Err, want, args, rule)
			}
		}
	})
}

// choice is the texts that a place may have.
type choice struct {
	name  string
	texts []string
}

// some draws an object that has each member with a chance of n in 9.
func some(choices []choice, n func(name string) int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		var members []string
		for _, c := range choices {
			if rapid.IntRange(1, 9).Draw(t, c.name) <= n(c.name) {
				members = append(members, fmt.Sprintf("%q: %s", c.name, rapid.SampledFrom(c.texts).Draw(t, c.name)))
			}
		}
		return "{" + strings.Join(members, ", ") + "}"
	})
}

// clauses are clauses of plain constraints on the arguments of the tool f.
var clauses = some([]choice{
	{"n", []string{`{"min": 1}`, `{"max": 2.5}`, `{"in": [1, 2.5]}`, `{"const": 2}`, `{"not_in": [1, 1.5]}`, `{"multiple_of": 2}`}},
	{"i", []string{`{"min": 1}`, `{"max": 3}`, `{"in": [1, 2]}`, `{"const": 2}`, `{"not_in": [1]}`, `{"multiple_of": 2}`}},
	{"s", []string{`{"pattern": "a.*"}`, `{"pattern": "[ab]+"}`, `{"length": 1}`, `{"length": {"min": 1, "max": 2}}`, `{"in": ["a", "b"]}`, `{"const": "a"}`, `{"not_in": ["a"]}`}},
	{"t", []string{`{"pattern": "a", "optional": true}`, `{"in": ["a", "b"], "optional": true}`}},
	{"l", []string{`{"items": 1}`, `{"items": {"max": 2}}`}},
	{"l[]", []string{`{"in": ["a", "b"]}`, `{"length": 1}`, `{"pattern": "[ab]"}`}},
	{"p[].price", []string{`{"max": 2}`, `{"min": 1}`, `{"max": 2, "optional": true}`}},
}, func(string) int { return 2 })

// forbidding are clauses of never.
var forbidding = some([]choice{
	{"n", []string{`{"min": 3}`, `{"in": [1]}`}}, {"i", []string{`{"max": 1}`, `{"const": 2}`, `{"not_in": [1, 2]}`}},
	{"s", []string{`{"pattern": "b.*"}`, `{"length": {"max": 1}}`, `{"in": ["A", "x"]}`}},
	{"l[]", []string{`{"const": "B"}`, `{"in": ["a", "b"]}`}}, {"p[].price", []string{`{"min": 3}`}},
}, func(string) int { return 2 })

// arguments are right and wrong ones of the tool f.
var arguments = some([]choice{
	{"n", []string{"1", "2", "2.0", "2.5", "3", "null", `"1"`}},
	{"i", []string{"1", "2", "4", "2.5", "null"}},
	{"s", []string{`"a"`, `"ab"`, `"b"`, `""`, `"a\nb"`, "1"}},
	{"t", []string{`"a"`, `"c"`, "null"}},
	{"l", []string{`[]`, `["a"]`, `["a", "b"]`, `["c"]`, `["a", null]`, "null", `"a"`}},
	{"p", []string{`[]`, `[{"price": 1}]`, `[{"price": 1}, {"price": 3}]`, `[{}]`, `[{"price": 2}, {}]`}},
	{"other", []string{"1"}},
}, func(name string) int { return cmp.Or(map[string]int{"other": 1, "s": 8}[name], 4) })

// TestNotesAreTrue says with a sample of every word what the table of extents
// says: a word that is not expressible is not said, and all others are.
func TestNotesAreTrue(t *testing.T) {
	samples := map[string]string{
		"const": `{"i": {"const": 1}}`, "in": `{"i": {"in": [1]}}`, "not_in": `{"i": {"not_in": [1]}}`, "min": `{"i": {"min": 1}}`, "max": `{"i": {"max": 1}}`,
		"multiple_of": `{"i": {"multiple_of": 2}}`, "length": `{"s": {"length": 1}}`, "items": `{"l": {"items": 1}}`, "pattern": `{"s": {"pattern": "a.*"}}`,
		"path": `{"s": {"path": {"read": ["/a/**"]}}}`, "from": `{"s": {"from": "request"}}`, "identifiers": `{"s": {"identifiers": {"from": "request"}}}`,
		"url": `{"s": {"url": {"hosts": ["a.example"]}}}`, "email": `{"s": {"email": {"domains": ["a.example"]}}}`,
		"shell": `{"s": {"shell": {"run": ["ls"]}}}`, "sql": `{"s": {"sql": {"dialect": "sqlite", "read_only": true}}}`,
		"$when": `{"$when": "true"}`, "$session": `{"$session": {"called": ["x.g"]}}`, "$request": `{"$request": {"mentions": ["x"]}}`,
		"$signal": `{"$signal": {"git_state.dirty": {"max": 0}}}`,
	}
	besides := []string{schemaWord, "limits", "approvals", "catalogs", "loading"}
	for _, word := range Words() {
		sample, ok := samples[word]
		if !ok {
			if !slices.Contains(besides, word) {
				t.Errorf("no sample of %s", word)
			}
			continue
		}
		c, err := suite(t, `{"allow": [`+sample+`]}`, `{}`).Contract.Load()
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range Languages() {
			if l.byName {
				continue
			}
			tr := translation{language: l, policies: policies(c, constraint.Places{})}
			unsaid := tr.unsaid("a", "x.f")
			if says := len(unsaid) == 0; says == (l.Note(word).Extent == No) {
				t.Errorf("%s: the table says %s of %s, and not said is %q", l.Name, l.Note(word).Extent, word, unsaid)
			}
		}
	}
}

// TestRun puts the corpora of the project to all: every case has an answer of
// every baseline, and leaving out what cannot be said is never stricter than
// refusing it.
func TestRun(t *testing.T) {
	c, err := corpus.Open("../../../corpora/bypass", "../../../contracts")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Outcomes) < 150 || len(r.Outcomes)+len(r.LeftOut) != len(c.Entries()) {
		t.Errorf("%d outcomes, %d left out, of %d cases", len(r.Outcomes), len(r.LeftOut), len(c.Entries()))
	}
	for _, o := range r.Outcomes {
		if len(o.Baselines) != len(Languages()) {
			t.Errorf("%s: %d answers", o.ID, len(o.Baselines))
		}
		for i, l := range Languages() {
			if g := o.Baselines[i]; g.Strict > g.Verdict {
				t.Errorf("%s: %s says %s where it refuses what it cannot say, and %s where it leaves it out", o.ID, l.Name, g.Strict, g.Verdict)
			}
		}
	}
	if _, err := r.Report().Files(); err != nil {
		t.Error(err)
	}
}

func TestRead(t *testing.T) {
	message := func(text string) cases.Call { return cases.Call{Agent: "a", Server: "x", Raw: []byte(text)} }
	for _, tt := range []struct {
		call cases.Call
		want string
	}{
		{cases.Call{Agent: "a", Server: "x", Tool: "f", Arguments: value(t, `{"n": 1.50}`)}, "x.f map[n:1.5]"},
		{cases.Call{Agent: "a", Server: "x", Tool: "f"}, "x.f map[]"},
		{message(`{"method": "tools/call", "params": {"name": "f", "arguments": {"a": 1, "a": 2}}}`), "x.f map[a:2]"},
		{message(`{"method": "tools/call", "params": {"NAME": "f"}}`), "x.f map[]"},
		{message(`{"method": "resources/read", "params": {"uri": "u"}}`), "x:resources/read map[uri:u]"},
		{message(`{"method": `), "error"},
		{message(`{"method": "tools/call", "params": {"name": 1}}`), "error"},
		{message(`{"method": "tools/call"}`), "error"},
	} {
		r, err := read(tt.call, time.Time{})
		got := fmt.Sprint(r.subject, " ", r.arguments())
		if err != nil {
			got = "error"
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.call.Raw, got, tt.want)
		}
	}
}

// TestLastCall plays what happened before the call into contract and clock.
func TestLastCall(t *testing.T) {
	s := suite(t, `{"allow": [{"n": {"max": 5}}]}`, `{"s": "x", "n": 7}`)
	call := s.Cases[0].Steps[0]
	s.Cases[0].Steps = []cases.Step{call, {Act: cases.Wait{For: time.Hour}}, {Act: cases.ContractEdit{Replace: `"max": 5`, With: `"max": 9`}}, call}
	before := string(s.Contract.Text)
	if _, _, at := lastCall(s); !at.Equal(cases.Begin.Add(time.Hour)) {
		t.Errorf("the call is at %s", at)
	}
	for _, l := range Languages() {
		if g := asked(t, l, s); g.Verdict != authz.Allow {
			t.Errorf("%s answers %s: it was not asked under the contract as it is then", l.Name, g.Verdict)
		}
	}
	if string(s.Contract.Text) != before || len(s.Cases[0].Steps) != 4 {
		t.Error("the case itself was changed")
	}
}

// TestExtends asks about a call that the extension narrows, one that the agent it
// extends does not allow, and calls of that agent itself.
func TestExtends(t *testing.T) {
	for _, tt := range []struct{ base, own, want string }{
		{`{"allow": [{"n": {"max": 5}}]}`, `{"allow": [{"n": {"min": 3}}]}`, "BLOCK"}, // 7
		{`{"allow": [{"n": {"max": 9}}]}`, `{"allow": [{"n": {"min": 3}}]}`, "ALLOW"},
		{`{"allow": [{"n": {"max": 9}}]}`, `"approve"`, "REQUIRE_APPROVAL"},
	} {
		s := suite(t, tt.base, `{"s": "x", "n": 7}`)
		s.Contract.Text = []byte(strings.Replace(string(s.Contract.Text), `"agents": {`, `"agents": {"b": {"extends": "a", "tools": {"x.f": `+tt.own+`}}, `, 1))
		for _, l := range Languages() {
			if g := asked(t, l, s); !l.byName && g.Verdict != gate(t, s) {
				t.Errorf("%s, extended by %s: %s answers the agent itself %s, licet %s", tt.base, tt.own, l.Name, g.Verdict, gate(t, s))
			}
		}
		call := s.Cases[0].Steps[0].Act.(cases.Call)
		call.Agent = "b"
		s.Cases[0].Steps[0].Act = call
		for _, name := range []string{"Rego", "Cedar", "CEL"} {
			if g := asked(t, language(t, name), s); g.Verdict.String() != tt.want || gate(t, s).String() != tt.want {
				t.Errorf("%s, extended by %s: %s answers %s, licet %s, want %s", tt.base, tt.own, name, g.Verdict, gate(t, s), tt.want)
			}
		}
	}
}
