package mutate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/mutate"
)

// tools is a catalog with an argument of each type.
const tools = `{"tools": [
	{"name": "t", "inputSchema": {"type": "object", "properties": {"size": {"type": "number"}, "text": {"type": "string"}, "list": {"type": "array", "items": {"type": "string"}}}}},
	{"name": "u", "inputSchema": {"type": "object", "properties": {}}}
]}`

// source returns a contract with one rule for tool s.t.
func source(t testing.TB, rule string) cases.Source {
	t.Helper()
	c, err := catalog.Parse([]byte(tools))
	if err != nil {
		t.Fatal(err)
	}
	text := "version: 1\nname: x\ncatalogs: {s: {pin: '" + c.Digest() + "', tools: t.json}}\nlabels: {some: [s.t, s.u]}\n" +
		"agents:\n  a:\n    tools:\n      s.t: " + rule + "\n      s.u: block\n"
	s := cases.Source{Name: "licet.yaml", Text: []byte(text), Files: map[string][]byte{"t.json": []byte(tools)}}
	if _, err := s.Load(); err != nil {
		t.Fatalf("%s: %v", rule, err)
	}
	return s
}

// TestList: each way to say something has the mutants that its word promises.
func TestList(t *testing.T) {
	for rule, want := range map[string][]string{
		`allow`: {"swap-effect : \"allow\" -> \"approve\"", "swap-effect : \"allow\" -> \"block\""},
		`{allow: [{size: {max: 5}}]}`: {
			"drop-clause .allow[0]: dropped, so the tool is blocked", "swap-effect .allow[0]: moved to approve",
			"drop .allow[0].size.max: 5 dropped", "widen .allow[0].size.max: 5 -> 6", "widen .allow[0].size.max: 5 -> 5000",
			"weaken .allow[0].size.optional: true added", `extra-arguments .extra_arguments: "allow" added`,
		},
		`{allow: [{size: {min: 0.10, max: 1}}]}`: {
			"drop .allow[0].size.min: 0.10 dropped", "widen .allow[0].size.min: 0.10 -> 0.09", "widen .allow[0].size.min: 0.10 -> -9999.90", "widen .allow[0].size.max: 1 -> 2",
		},
		`{allow: [{}], never: [{size: {max: 5, min: 1}}]}`: { // in never a bound that says less permits more
			"drop-clause .never[0]: dropped", "widen .never[0].size.max: 5 -> 4", "widen .never[0].size.min: 1 -> 2", "drop .never[0].size.max: 5 dropped",
		},
		`{allow: [{text: {const: x}}]}`:                {`loosen-pin .allow[0].text: {"const": "x"} -> {"in": ["x", "xx"]}`},
		`{allow: [{text: {in: [p, q]}}]}`:              {`drop-entry .allow[0].text.in[0]: "p" dropped`, `weaken .allow[0].text.in: ["p", "q"] -> ["p", "q", "qx"]`},
		`{allow: [{text: {not_in: [p, q]}}]}`:          {`drop-entry .allow[0].text.not_in[1]: "q" dropped`},
		`{allow: [{size: {multiple_of: 5}}]}`:          {"weaken .allow[0].size.multiple_of: 5 -> 0.5"},
		`{allow: [{text: {length: 5}}]}`:               {`widen .allow[0].text.length: 5 -> {"min": 5, "max": 6}`},
		`{allow: [{list: {items: {min: 2, max: 3}}}]}`: {"widen .allow[0].list.items.min: 2 -> 1", "widen .allow[0].list.items.max: 3 -> 4", "drop .allow[0].list.items.min: 2 dropped"},
		`{allow: [{text: {pattern: "a+"}}]}`:           {`weaken .allow[0].text.pattern: "a+" -> "(?:a+).*"`, `weaken .allow[0].text.pattern: "a+" -> ".*(?:a+)"`},
		`{allow: [{text: {path: {read: ["/a/b/**", "!/a/b/c"]}}}]}`: {
			`loosen-place .allow[0].text.path.read[0]: "/a/b/**" -> "/a/**"`, `drop-exclusion .allow[0].text.path.read[1]: "!/a/b/c" dropped`,
		},
		`{allow: [{text: {url: {hosts: [a.example.org], paths: [/x/y]}}}]}`: {
			`loosen-place .allow[0].text.url.hosts: ["a.example.org"] -> ["a.example.org", "*.example.org"]`,
			`loosen-place .allow[0].text.url.paths[0]: "/x/y" -> "/x"`, `drop .allow[0].text.url.hosts: ["a.example.org"] dropped`,
		},
		`{allow: [{text: {email: {domains: [a.example], addresses: [x@b.example]}}}]}`: {`drop .allow[0].text.email.addresses: ["x@b.example"] dropped`},
		`{allow: [{text: {sql: {dialect: sqlite, read_only: true, tables: [a.b, c]}}}]}`: {
			`weaken .allow[0].text.sql: {"dialect": "sqlite", "read_only": true, "tables": ["a.b", "c"]} -> {"dialect": "sqlite", "tables": ["a.b", "c"], "statements": ["select", "update"]}`,
			`loosen-place .allow[0].text.sql.tables[0]: "a.b" -> "a.*"`, `loosen-place .allow[0].text.sql.tables[1]: "c" -> "*"`,
		},
		`{allow: [{text: {from: {result: s.u, at: a.b}}}]}`: {
			`loosen-source .allow[0].text.from.at: "a.b" dropped`, `loosen-source .allow[0].text.from: {"result": "s.u", "at": "a.b"} -> [{"result": "s.u", "at": "a.b"}, "request"]`,
		},
		`{allow: [{text: {identifiers: {from: [request, {result: s.u, at: a}], patterns: ["x+"]}}}]}`: {
			`drop-entry .allow[0].text.identifiers.patterns[0]: "x+" dropped`, `loosen-source .allow[0].text.identifiers.from[1].at: "a" dropped`,
		},
		`{allow: [{text: {shell: {run: [git status, ls], opaque: [go test], net: [a.b.example]}}}]}`: {
			`loosen-place .allow[0].text.shell.run[0]: "git status" -> "git"`, `drop-entry .allow[0].text.shell.run[1]: "ls" dropped`,
			`loosen-place .allow[0].text.shell.opaque[0]: "go test" -> "go"`, `drop .allow[0].text.shell.opaque: ["go test"] dropped`,
		},
		`{allow: [{$session: {not_called: [some], distinct: {argument: text, max: 2}}}]}`: {
			"drop .allow[0].$session.not_called: [\"some\"] dropped", "widen .allow[0].$session.distinct.max: 2 -> 3",
		},
		`{allow: [{$signal: {git_state.dirty: {max: 0}, git_state.branch: {const: main}}}]}`: {
			`drop .allow[0].$signal["git_state.branch"]: {"const": "main"} dropped`, `widen .allow[0].$signal["git_state.dirty"].max: 0 -> 1`,
		},
		`{allow: [{$request: {mentions: [pay, send]}}]}`: {`drop-entry .allow[0].$request.mentions[0]: "pay" dropped`},
		`{allow: [{$when: now.getHours() >= 7 && now.getHours() < 19}]}`: {
			`weaken .allow[0].$when: "now.getHours() >= 7 && now.getHours() < 19" -> "now.getHours() >= 7 || now.getHours() < 19"`,
			`weaken .allow[0].$when: "now.getHours() >= 7 && now.getHours() < 19" -> "now.getHours() >= 7 && now.getHours() <= 19"`,
		},
		`judge`: {`swap-effect : "judge" -> "allow"`, `swap-effect : "judge" -> "approve"`, `swap-effect : "judge" -> "block"`},
		`{judge: [{size: {max: 5}}]}`: {
			"drop-clause .judge[0]: dropped, so the tool is blocked", "swap-effect .judge[0]: moved to allow", "widen .judge[0].size.max: 5 -> 6",
		},
		`{approve: [{$approvers: [p, q], $quorum: 2}]}`: {
			"drop-approval .approve[0].$quorum: 2 -> 1", "swap-effect .approve[0]: moved to allow",
		},
		`{allow: [{}], limits: [{sum: size, max: 10, per: 1d}]}`: {
			`lift-limit .limits[0]: {"sum": "size", "max": 10, "per": "1d"} dropped`, "lift-limit .limits[0].max: 10 -> 11", `lift-limit .limits[0].per: "1d" -> "43200s"`,
			`lift-limit .limits[0].over: "approve" added`, `lift-limit .limits[0].by: ["agent", "session"] added`,
		},
	} {
		mutants, err := mutate.List(source(t, rule))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range mutants {
			got = append(got, string(m.Operator)+" "+strings.TrimPrefix(m.ID(), `agents.a.tools["s.t"]`))
		}
		for _, w := range want {
			if !slices.Contains(got, w) {
				t.Errorf("%s\nno mutant %s\namong\n  %s", rule, w, strings.Join(got, "\n  "))
			}
		}
	}
}

// TestApply: a mutant is the contract with its change in it and nothing else,
// also in a text that a case has edited; where the place is gone, the text stays.
func TestApply(t *testing.T) {
	s := source(t, `{allow: [{size: {max: 5}}, {text: {const: x}}]}`)
	mutants, err := mutate.List(s)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(mutants, func(m *mutate.Mutant) bool { return strings.HasSuffix(m.ID(), "size.max: 5 -> 6") })
	if i < 0 {
		t.Fatal("no such mutant")
	}
	if m := mutants[i]; m.Line != 8 {
		t.Errorf("line %d, want 8", m.Line)
	}
	for text, want := range map[string]string{
		"agents: {a: {tools: {s.t: {allow: [{size: {max: 5}}], approve: [{}]}}}}": `{"agents": {"a": {"tools": {"s.t": {"allow": [{"size": {"max": 6}}], "approve": [{}]}}}}}`,
		"agents: {a: {tools: {s.t: block}}}":                                      "agents: {a: {tools: {s.t: block}}}",
		"agents: {b: {}}":                                                         "agents: {b: {}}",
	} {
		got, err := mutants[i].Apply([]byte(text))
		if err != nil || string(got) != want {
			t.Errorf("%s\n got %s (%v)\nwant %s", text, got, err, want)
		}
	}
}

// suite returns a case file about a contract.
func suite(t *testing.T, s cases.Source, text string) *cases.Suite {
	t.Helper()
	loaded, err := cases.Load("x.cases.yaml", []byte("defaults: {agent: a, server: s}\ncases:\n"+text), func(name string) ([]byte, error) {
		if name == "licet.yaml" {
			return s.Text, nil
		}
		return s.Files[name], nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

const within = "- {name: within, why: max, call: {tool: t, arguments: {size: 5}}, expect: {verdict: ALLOW, code: allow_clause}}\n"

// TestReasons: a reason is believed only as long as nothing speaks against it.
func TestReasons(t *testing.T) {
	const id = `agents.a.tools["s.t"].allow[0].size.max: 5 -> 6`
	for text, want := range map[string]string{
		"equivalent: [{mutant: '" + id + "', why: because}]":                                                 "a call tells the two apart: s.t {\"size\":6}: BLOCK no_clause, with the change ALLOW allow_clause",
		"unnoticed: [{mutant: '" + id + "', why: because}]":                                                  "",
		"unnoticed: [{mutant: 'agents.a.tools[\"s.t\"]: gone', why: because}]":                               "the contract has no such mutant",
		"unnoticed: [{mutant: '" + id + "', why: ''}]":                                                       "expected the reason, found an empty text",
		"unnoticed: [{mutant: '" + id + "'}]":                                                                `a reason needs "why"`,
		"because: [{mutant: x, why: z}]":                                                                     `unknown word "because"`,
		"unnoticed: [{mutant: '" + id + "', why: a}]\nequivalent: [{mutant: '" + id + "', why: a}]":          "a reason for this mutant stands above",
		"unnoticed: [{mutant: 'agents.a.tools[\"s.t\"].allow[0]: dropped, so the tool is blocked', why: a}]": `the case "within" notices it`,
	} {
		s := source(t, `{allow: [{size: {max: 5}}]}`)
		r, err := mutate.ParseReasons("r.yaml", []byte(text))
		if err == nil {
			_, err = mutate.Run(t.Context(), s, []*cases.Suite{suite(t, s, within)}, mutate.Options{Suggest: true, Reasons: r})
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s\n got %v\nwant %s", text, err, want)
		}
	}
}

// TestRunRefuses: a case that fails on the contract itself could not notice a
// change of it.
func TestRunRefuses(t *testing.T) {
	s := source(t, `{allow: [{size: {max: 4}}]}`)
	if _, err := mutate.Run(t.Context(), s, []*cases.Suite{suite(t, s, within)}, mutate.Options{}); err == nil || !strings.Contains(err.Error(), "does not pass on the contract itself") {
		t.Errorf("got %v", err)
	}
}

// TestSuggestionNotices: the case that is suggested for a survivor, with what the
// contract says of it, kills the survivor.
func TestSuggestionNotices(t *testing.T) {
	s := source(t, `{allow: [{size: {max: 5}}]}`)
	outcomes, err := mutate.Run(t.Context(), s, []*cases.Suite{suite(t, s, within)}, mutate.Options{Suggest: true})
	if err != nil {
		t.Fatal(err)
	}
	looked := 0
	for _, o := range outcomes {
		if o.State != mutate.Survived || o.Suggestion == nil || strings.Contains(o.Suggestion.Case(), "steps:") || o.Operator == mutate.ShadowMode {
			continue
		}
		looked++
		filled := strings.NewReplacer("name: …", "name: new", "why: …", "why: new",
			"expect: …", "expect: {verdict: "+o.Suggestion.Contract.Verdict.String()+", code: "+string(o.Suggestion.Contract.Reasons[0].Code)+"}").Replace(o.Suggestion.Case())
		again, err := mutate.Run(t.Context(), s, []*cases.Suite{suite(t, s, within+filled)}, mutate.Options{
			Select: func(m *mutate.Mutant) bool { return m.ID() == o.ID() },
		})
		if err != nil || len(again) != 1 || again[0].State != mutate.Killed || again[0].By.Name != "new" {
			t.Errorf("%s is not killed by\n%s%v %v", o.ID(), filled, again, err)
		}
	}
	if looked < 3 {
		t.Errorf("looked at %d suggestions", looked)
	}
}

// FuzzParseReasons checks that a text is refused with places that lie in it, or
// read, and never both.
func FuzzParseReasons(f *testing.F) {
	for _, text := range []string{"equivalent: [{mutant: x, why: z}]", "unnoticed: []", "x", "equivalent: {a: b}", "equivalent: [{mutant: 1}]", ""} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		_, err := mutate.ParseReasons("r", text)
		if err != nil && !strings.HasPrefix(err.Error(), "r:") {
			t.Errorf("a problem without a place: %v", err)
		}
	})
}

// TestSuggestions: for each kind of change the search finds a call or a story.
func TestSuggestions(t *testing.T) {
	for rule, id := range map[string]string{
		`{allow: [{text: {const: p}}]}`:                                                      `.allow[0].text: {"const": "p"} -> {"in": ["p", "px"]}`,
		`{allow: [{size: {multiple_of: 10}}]}`:                                               `.allow[0].size.multiple_of: 10 -> 1`,
		`{allow: [{text: {length: 5}}]}`:                                                     `.allow[0].text.length: 5 -> {"min": 5, "max": 6}`,
		`{allow: [{list: {items: {max: 2}}}]}`:                                               `.allow[0].list.items.max: 2 -> 3`,
		`{allow: [{text: {not_in: [p, q]}}]}`:                                                `.allow[0].text.not_in[1]: "q" dropped`,
		`{allow: [{text: {url: {hosts: [a.example.org]}}}]}`:                                 `.allow[0].text.url.hosts: ["a.example.org"] -> ["a.example.org", "*.example.org"]`,
		`{allow: [{text: {email: {domains: [a.example.org]}}}]}`:                             `.allow[0].text.email: {"domains": ["a.example.org"]} dropped`,
		`{allow: [{text: {sql: {dialect: sqlite, statements: [select]}}}]}`:                  `.allow[0].text.sql.statements: ["select"] -> ["select", "delete"]`,
		`{allow: [{text: {from: [request, {literal: [p, q]}]}}]}`:                            `.allow[0].text.from[1].literal[1]: "q" dropped`,
		`{allow: [{text: {from: {result: s.u, at: a}}}]}`:                                    `.allow[0].text.from.at: "a" dropped`,
		`{allow: [{text: {path: {read: ["/a/b/**", "!/a/b/c"]}}}]}`:                          `.allow[0].text.path.read[1]: "!/a/b/c" dropped`,
		`{allow: [{text: {shell: {run: [git status, echo]}}}]}`:                              `.allow[0].text.shell.run[1]: "echo" dropped`,
		`{allow: [{$request: {mentions: [pay, send]}}]}`:                                     `.allow[0].$request.mentions[0]: "pay" dropped`,
		`{allow: [{text: {in: [p, q, r]}, $session: {distinct: {argument: text, max: 2}}}]}`: `.allow[0].$session.distinct.max: 2 -> 3`,
		`{approve: [{$approvers: [p, q], $quorum: 2}]}`:                                      `.approve[0].$quorum: 2 -> 1`,
		`{allow: [{}], limits: [{calls: 3, per: 1d}]}`:                                       `.limits[0].calls: 3 -> 4`,
		`{allow: [{size: {min: 0}}], limits: [{sum: size, max: 10, per: 1d}]}`:               `.limits[0].max: 10 -> 11`,
		`{allow: [{}]}`: `.extra_arguments: "allow" added`,
	} {
		s := source(t, rule)
		none := suite(t, s, "- {name: u, why: w, call: {tool: u}, expect: {verdict: BLOCK, code: blocked_tool}}\n")
		outcomes, err := mutate.Run(t.Context(), s, []*cases.Suite{none}, mutate.Options{
			Suggest: true, Select: func(m *mutate.Mutant) bool { return m.ID() == `agents.a.tools["s.t"]`+id },
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(outcomes) != 1 || outcomes[0].State != mutate.Survived || outcomes[0].Suggestion == nil {
			t.Errorf("%s: %s: %+v", rule, id, outcomes)
		}
	}
}
