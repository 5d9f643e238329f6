package contract_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/contract"
)

// lintTools is a catalog with arguments that a linter can reason about.
const lintTools = `{"tools": [
	{"name": "send", "inputSchema": {"type": "object", "properties": {
		"to": {"type": "string"}, "amount": {"type": "number"}, "kind": {"enum": ["gift", "bill"]},
		"level": {"type": "integer", "minimum": 0, "maximum": 10}, "code": {"type": "string", "maxLength": 5}, "note": {"type": "string"},
		"mode": {"const": "fast"}, "mixed": {"type": ["number", "string"], "maximum": 10}, "either": {"anyOf": [{"enum": ["a"]}, {"enum": ["b"]}]}}}},
	{"name": "mail", "inputSchema": {"type": "object", "properties": {
		"recipientEmails": {"type": "array", "items": {"type": "string"}},
		"parts": {"type": "array", "items": {"$ref": "#/$defs/part"}}, "from_account": {"type": "string"}},
		"$defs": {"part": {"type": "object", "properties": {"file_name": {"type": "string"}, "text": {"type": "string"}}}}}},
	{"name": "look", "inputSchema": {"type": "object", "properties": {"count": {"type": "integer"}}}},
	{"name": "list", "inputSchema": {"type": "object", "properties": {"folder": {"enum": ["in", "out"]}}}}
]}`

// lint loads a contract with these agents and returns its warnings.
func lint(t testing.TB, agents, rest string) []contract.Warning {
	t.Helper()
	tools, err := catalog.Parse([]byte(lintTools))
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("version: 1\nname: lint\ncatalogs: {x: {pin: %q, tools: x.json}}\nagents:\n%s%s", tools.Digest(), agents, rest)
	c, err := contract.Load("licet.yaml", []byte(text), func(string) ([]byte, error) { return []byte(lintTools), nil })
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return contract.Lint("licet.yaml", []byte(text), c)
}

// lintCases are contracts with all that is warned of in each, as "line code
// message". The rules begin in line 5.
var lintCases = []struct{ name, rules, want string }{
	{"nothing", `x.look: allow`, ``},
	{"approve may be open", `x.send: approve`, ``},

	{"allow shadows approve", `x.look: {allow: [{count: {min: 1, max: 9}}], approve: [{count: {min: 2, max: 5}}]}`,
		`shadowed: allow[0] allows every call that this clause covers, so nobody is asked`},
	{"allow shadows judge", `x.look: {allow: [{count: {min: 1, max: 9}}], judge: [{count: {min: 2, max: 5}}]}`,
		`shadowed: allow[0] allows every call that this clause covers, so nobody is asked`},
	{"never shadows judge", `x.look: {judge: [{count: {min: 5, max: 9}}], never: [{count: {min: 5}}]}`,
		`shadowed: never[0] blocks every call that this clause covers`},
	{"judge shadows approve", `x.look: {judge: [{count: {min: 1, max: 9}}], approve: [{count: {min: 2, max: 5}}]}`,
		`shadowed: judge[0] hands every call that this clause covers to the judge`},
	{"judge is narrower", `x.look: {judge: [{count: {min: 2, max: 5}}], approve: [{count: {min: 1, max: 9}}]}`, ``},
	{"judge repeated", `x.look: {judge: [{count: {min: 1, max: 9}}, {count: {min: 2, max: 5}}]}`,
		`shadowed: judge[0] covers every call that this clause covers`},
	{"judge bounded above only", `x.send: {judge: [{amount: {max: 5}}]}`, `no-minimum: amount is bounded above only`},
	{"approve is wider", `x.look: {allow: [{count: {min: 2, max: 5}}], approve: [{count: {min: 1, max: 9}}]}`, ``},
	{"listed values within bounds", `x.look: {allow: [{count: {min: 1, max: 9}}], approve: [{count: {in: [1, 9]}}]}`,
		`shadowed: allow[0] allows every call that this clause covers, so nobody is asked`},
	{"one listed value outside", `x.look: {allow: [{count: {min: 1, max: 9}}], approve: [{count: {in: [1, 10]}}]}`, ``},
	{"longer list", `x.look: {allow: [{count: {in: [1, 2, 3]}}], approve: [{count: {const: 2}}]}`,
		`shadowed: allow[0] allows every call that this clause covers, so nobody is asked`},
	{"fewer excluded", `x.send: {allow: [{to: {const: A}, note: {not_in: [a]}}], approve: [{to: {const: A}, note: {not_in: [a, b]}}]}`,
		`shadowed: allow[0] allows every call that this clause covers, so nobody is asked`},
	{"more excluded", `x.send: {allow: [{to: {const: A}, note: {not_in: [a, b]}}], approve: [{to: {const: A}, note: {not_in: [a]}}]}`, ``},
	{"fewer sources", `x.send: {allow: [{to: {from: [request, {literal: [A]}]}}], approve: [{to: {from: request}}]}`,
		`shadowed: allow[0] allows every call that this clause covers, so nobody is asked`},
	{"other sources", `x.send: {allow: [{to: {from: request}}], approve: [{to: {from: {literal: [A]}}}]}`, ``},
	{"absent is let through", `x.look: {allow: [{count: {min: 1, max: 9}}], approve: [{count: {min: 1, max: 9, optional: true}}]}`, ``},
	{"present is enough", `x.look: {allow: [{count: {min: 1, max: 9, optional: true}}], approve: [{count: {min: 1, max: 9}}]}`,
		`shadowed: allow[0] allows every call that this clause covers, so nobody is asked`},
	{"a condition more", `x.look: {allow: [{}], approve: [{$request: {mentions: [pay]}}]}`,
		`shadowed: allow[0] allows every call that this clause covers, so nobody is asked`},
	{"a condition less", `x.look: {allow: [{$request: {mentions: [pay]}}], approve: [{}]}`, ``},
	{"the same condition", `x.look: {allow: [{$request: {mentions: [pay]}}], approve: [{$request: {mentions: [pay]}, count: {const: 1}}]}`,
		`shadowed: allow[0] allows every call that this clause covers, so nobody is asked`},
	{"never shadows allow", `x.look: {allow: [{count: {min: 5, max: 9}}], never: [{count: {min: 5}}]}`,
		`shadowed: never[0] blocks every call that this clause covers`},
	{"never shadows a part", `x.look: {allow: [{count: {min: 4, max: 9}}], never: [{count: {min: 5}}]}`, ``},
	{"never without constraints", `x.look: {approve: [{}], never: [{}]}`,
		`shadowed: never[0] blocks every call that this clause covers`},
	{"absent is never forbidden", `x.look: {allow: [{count: {min: 5, max: 9, optional: true}}], never: [{count: {min: 5}}]}`, ``},
	{"twice", `x.look: {allow: [{count: {const: 1}}, {count: {const: 1}}]}`,
		`shadowed: allow[0] covers every call that this clause covers`},
	{"the wider one last", `x.look: {allow: [{count: {const: 1}}, {count: {in: [1, 2]}}]}`,
		`shadowed: allow[1] covers every call that this clause covers`},
	{"never twice", `x.look: {approve: [{}], never: [{count: {min: 5}}, {count: {min: 5}}]}`,
		`shadowed: never[0] covers every call that this clause covers`},
	{"never narrower", `x.look: {approve: [{}], never: [{count: {min: 5}}, {count: {min: 6}}]}`,
		`shadowed: never[0] covers every call that this clause covers`},
	{"never overlaps", `x.look: {approve: [{}], never: [{count: {min: 5}}, {count: {max: 6}}]}`, ``},
	{"another panel", `x.look: {approve: [{$approvers: [ada]}, {$approvers: [bob]}]}`, ``},
	{"the same panel", `x.look: {approve: [{$approvers: [ada]}, {$approvers: [ada]}]}`,
		`shadowed: approve[0] covers every call that this clause covers`},

	{"above the schema's maximum", `x.send: {approve: [{level: {min: 11}}]}`,
		`never-holds: no valid value of level satisfies this, so the clause never holds`},
	{"at the schema's maximum", `x.send: {approve: [{level: {min: 10}}]}`, ``},
	{"below the schema's minimum", `x.send: {approve: [{level: {max: -1}}]}`,
		`never-holds: no valid value of level satisfies this, so the clause never holds`},
	{"longer than the schema's maxLength", `x.send: {approve: [{code: {length: {min: 6}}}]}`,
		`never-holds: no valid value of code satisfies this, so the clause never holds`},
	{"as long as the schema's maxLength", `x.send: {approve: [{code: {length: 5}}]}`, ``},
	{"const not in the enum", `x.send: {approve: [{kind: {const: loan}}]}`,
		`never-holds: no valid value of kind satisfies this, so the clause never holds`},
	{"or absent", `x.send: {approve: [{kind: {const: loan, optional: true}}]}`, ``},
	{"const in the enum", `x.send: {approve: [{kind: {const: gift}}]}`, ``},
	{"an entry not in the enum", `x.send: {approve: [{kind: {in: [gift, loan]}}]}`,
		`never-holds: no valid value is "loan"`},
	{"an entry beyond the schema's maximum", `x.send: {approve: [{level: {in: [5, 20]}}]}`,
		`never-holds: no valid value is 20`},
	{"the const of the schema", `x.send: {approve: [{mode: {const: fast}}]}`, ``},
	{"not the const of the schema", `x.send: {approve: [{mode: {const: slow}}]}`,
		`never-holds: no valid value of mode satisfies this, so the clause never holds`},
	{"one of two enums", `x.send: {approve: [{either: {const: b}}]}`, ``},
	{"pattern that no enum value matches", `x.send: {approve: [{kind: {pattern: "g"}}]}`,
		`never-holds: no valid value of kind satisfies this, so the clause never holds`},
	{"pattern that an enum value matches", `x.send: {approve: [{kind: {pattern: "g.*"}}]}`, ``},
	{"all excluded", `x.send: {approve: [{kind: {not_in: [gift, bill]}}]}`,
		`never-holds: no valid value of kind satisfies this, so the clause never holds`},
	{"empty intersection", `x.send: {approve: [{note: {in: [ab, cd], pattern: "x.*"}}]}`,
		`never-holds: no valid value of note satisfies this, so the clause never holds`},
	{"an entry outside", `x.send: {approve: [{amount: {in: [1, 20], max: 10}}]}`,
		`never-holds: no valid value is 20`},
	{"whole numbers only", `x.send: {approve: [{amount: {const: 1.5, multiple_of: 1}}]}`,
		`never-holds: no valid value of amount satisfies this, so the clause never holds`},
	{"never matches no enum value", `x.send: {approve: [{}], never: [{kind: {const: loan}}]}`,
		`never-holds: no valid value of kind matches this, so the clause blocks nothing`},
	{"never matches carelessly", `x.send: {approve: [{}], never: [{kind: {const: GIFT}}]}`, ``},
	{"never matches another type", `x.send: {approve: [{}], never: [{mixed: {min: 11}}]}`, ``},
	{"never above the maximum", `x.send: {approve: [{}], never: [{level: {min: 11}}]}`,
		`never-holds: no valid value of level matches this, so the clause blocks nothing`},

	{"open destination", `x.send: allow`,
		`open-destination: x.send is allowed wherever "to" leads`},
	{"bounded destination", `x.send: {allow: [{to: {pattern: "[A-Z]+"}}]}`, ``},
	{"bounded by length only", `x.send: {allow: [{to: {length: {max: 9}}}]}`,
		`open-destination: x.send is allowed wherever "to" leads`},
	{"an expression may bound it", `x.send: {allow: [{$when: "call.arguments.to == 'A'"}]}`, ``},
	{"destinations in lists and below", `x.mail: allow`,
		`open-destination: x.mail is allowed wherever "parts[].file_name" leads
open-destination: x.mail is allowed wherever "recipientEmails" leads`},
	{"each of them bounded", `x.mail: {allow: [{"recipientEmails[]": {from: request}, "parts[].file_name": {const: a}}]}`, ``},
	{"listed by the schema", `x.list: allow`, ``},

	{"max without min", `x.look: {allow: [{count: {max: 5}}]}`,
		`no-minimum: count is bounded above only`},
	{"max with a minimum of the schema", `x.send: {approve: [{level: {max: 5}}]}`, ``},
	{"max in never", `x.look: {approve: [{}], never: [{count: {max: 5}}]}`, ``},
	{"sum without min", `x.send: {approve: [{}], limits: [{sum: amount, max: 5, per: 1d}]}`,
		`no-minimum: agents.a.tools["x.send"].approve[0] permits any number of calls with 0, which use nothing of this sum up`},
	{"sum with min", `x.send: {approve: [{amount: {min: 1}}], limits: [{sum: amount, max: 5, per: 1d}]}`, ``},

	{"more calls in less time", `x.look: {allow: [{}], limits: [{calls: 5, per: 1d}, {calls: 5, per: 1h}]}`,
		`never-binds: limits[0] is reached first, so this limit never binds`},
	{"fewer calls in less time", `x.look: {allow: [{}], limits: [{calls: 5, per: 1d}, {calls: 4, per: 1h}]}`, ``},
	{"equal limits", `x.look: {allow: [{}], limits: [{calls: 5, per: 1h}, {calls: 5, per: 60m}]}`,
		`never-binds: limits[0] is reached first, so this limit never binds`},
	{"session and duration", `x.look: {allow: [{}], limits: [{calls: 5, per: session}, {calls: 9, per: 1h}]}`, ``},
	{"calls without a user are refused", `x.look: {allow: [{}], limits: [{calls: 5, per: 1h}, {calls: 9, per: 1h, by: [agent, user]}]}`, ``},
	{"each session less than all", `x.look: {allow: [{}], limits: [{calls: 5, per: 1h}, {calls: 9, per: 1h, by: [agent, session]}]}`,
		`never-binds: limits[0] is reached first, so this limit never binds`},
	{"all more than each user", `x.look: {allow: [{}], limits: [{calls: 9, per: 1h}, {calls: 5, per: 1h, by: [agent, user]}]}`, ``},
	{"beyond it a person is asked", `x.look: {allow: [{}], limits: [{calls: 5, per: 1h, over: approve}, {calls: 9, per: 1h}]}`, ``},
	{"calls and a sum", `x.look: {allow: [{count: {min: 1}}], limits: [{calls: 5, per: 1h}, {sum: count, max: 9, per: 1h}]}`, ``},

	{"a source without at", `x.look: allow
      x.send: {approve: [{to: {from: [request, {result: x.look}]}}]}`,
		`source-without-at: any text in a result of x.look counts, also what a stranger wrote there`},
	{"a source with at", `x.look: allow
      x.send: {approve: [{to: {from: {result: x.look, at: id}}}]}`, ``},
	{"a source that nobody may call", `x.send: {approve: [{to: {from: {result: x.look, at: id}}}]}`,
		`never-holds: no agent may call x.look, so this source never holds`},
	{"a source of identifiers", `x.send: {approve: [{note: {identifiers: {from: {result: x.look, at: id}}}}]}`,
		`never-holds: no agent may call x.look, so this source never holds`},
	{"a blocked source", `x.look: block
      x.send: {approve: [{to: {from: {result: x.look, at: id}}}]}`,
		`never-holds: no agent may call x.look, so this source never holds`},
	{"a call that nobody may make", `x.send: {approve: [{$session: {called: [x.look]}}]}`,
		`never-holds: no agent may call x.look, so this condition never holds`},
	{"a call that nobody may make, in never", `x.send: {approve: [{}], never: [{$session: {called: [x.look]}}]}`, ``},
	{"a call that somebody may make", `x.look: allow
      x.send: {approve: [{$session: {called: [x.look]}}]}`, ``},

	{"a group under allow", `"x.l*": allow`,
		`group-allow: x.l* allows every tool of that prefix, also one that the next copy of the catalog adds`},
	{"a group under approve", `"x.*": approve`, ``},
}

func TestLint(t *testing.T) {
	for _, tt := range lintCases {
		if got := sayings(lint(t, "  a:\n    tools:\n      "+tt.rules+"\n", "")); got != tt.want {
			t.Errorf("%s:\n%s\nsays\n%s\nwant\n%s", tt.name, tt.rules, got, tt.want)
		}
	}
}

func sayings(all []contract.Warning) string {
	lines := make([]string, len(all))
	for i, w := range all {
		lines[i] = w.Code + ": " + w.Message
	}
	return strings.Join(lines, "\n")
}

// TestLintAgents is the table of what concerns more than one rule.
func TestLintAgents(t *testing.T) {
	for _, tt := range []struct{ name, agents, rest, want string }{
		{"shadow mode", "  a: {mode: shadow, tools: {x.look: allow}}\n", "",
			"shadow-mode: agent a is in shadow mode: its calls are recorded, and no clause or limit stops one"},
		{"the agent's limit comes first", "  a: {tools: {x.look: {allow: [{}], limits: [{calls: 9, per: 1h}]}}, limits: [{calls: 9, per: 2h}]}\n", "",
			"never-binds: agents.a.limits[0] is reached first, so this limit never binds"},
		{"the agent's limit comes later", "  a: {tools: {x.look: {allow: [{}], limits: [{calls: 8, per: 1h}]}}, limits: [{calls: 9, per: 2h}]}\n", "", ""},
		{"the agent's limit is for each tool", "  a: {tools: {x.look: {allow: [{}], limits: [{calls: 9, per: 1h}]}}, limits: [{calls: 9, per: 2h, by: [agent, tool]}]}\n", "", ""},
		{"extends what is blocked", "  a: {tools: {x.look: block}}\n  b: {extends: a, tools: {x.look: approve}}\n", "",
			`never-holds: agents.a.tools["x.look"] blocks it, so nothing here can permit a call`},
		{"extends what is allowed", "  a: {tools: {x.look: allow}}\n  b: {extends: a, tools: {x.look: approve}}\n", "", ""},
		{"an extension need not bound again", "  a: {tools: {x.send: {approve: [{amount: {min: 1}}]}}}\n" +
			"  b: {extends: a, tools: {x.send: {allow: [{amount: {max: 5}}], limits: [{sum: amount, max: 9, per: 1d}]}}}\n", "", ""},
		{"inherited rules are named once", "  a: {tools: {x.send: allow}}\n  b: {extends: a}\n", "",
			`open-destination: x.send is allowed wherever "to" leads`},
		{"a source that only another agent may call", "  a: {tools: {x.look: allow}}\n" +
			"  b: {tools: {x.send: {approve: [{to: {from: {result: x.look, at: id}}}]}}}\n", "",
			"never-holds: agent b may never call x.look, so this source holds only in a session that it shares with another agent"},
		{"in shadow mode all calls are made", "  a: {mode: shadow, tools: {x.send: {approve: [{to: {from: {result: x.look, at: id}}}]}}}\n", "",
			"shadow-mode: agent a is in shadow mode: its calls are recorded, and no clause or limit stops one"},
		{"nobody is asked", "  a: {tools: {x.look: allow}}\n", "approvals: {expire: 5m}\n",
			"unanswered: no call is ever held, so nobody is asked"},
		{"a limit asks", "  a: {tools: {x.look: allow}, limits: [{calls: 9, per: 1h, over: approve}]}\n", "approvals: {approvers: [ada]}\n", ""},
		{"others are asked", "  a: {tools: {x.look: {approve: [{$approvers: [bob]}]}}}\n", "approvals: {approvers: [ada]}\n",
			"unanswered: every clause of approve names its own approvers, so these are never asked"},
		{"they are asked", "  a: {tools: {x.look: approve}}\n", "approvals: {approvers: [ada]}\n", ""},
	} {
		if got := sayings(lint(t, tt.agents, tt.rest)); got != tt.want {
			t.Errorf("%s:\n%s\nsays\n%s\nwant\n%s", tt.name, tt.agents, got, tt.want)
		}
	}
}

// TestLintPlaces checks where warnings stand, and that they come in the order
// of the text.
func TestLintPlaces(t *testing.T) {
	got := lint(t, "  a:\n    tools:\n      x.send: allow\n      x.look:\n        allow:\n          - count: {max: 5}\n", "approvals: {approvers: [ada]}\n")
	var places []string
	for _, w := range got {
		places = append(places, fmt.Sprintf("%s:%d:%d %s", w.File, w.Line, w.Column, w.Code))
		if w.Hint == "" {
			t.Errorf("%s says nothing of what to do", w)
		}
	}
	want := "licet.yaml:7:15 open-destination licet.yaml:10:26 no-minimum licet.yaml:11:12 unanswered"
	if got := strings.Join(places, " "); got != want {
		t.Errorf("warnings at %s\nwant %s", got, want)
	}
}

// TestShadowedClausesChangeNothing checks over random clauses and calls that a
// clause which is said to be shadowed can be removed.
func TestShadowedClausesChangeNothing(t *testing.T) {
	removed := 0
	rapid.Check(t, func(t *rapid.T) {
		l, call := drawLists(t), drawCall(t)
		for word, index := range shadowedIn(t, l) {
			less := maps.Clone(l)
			if less[word] = slices.Delete(slices.Clone(l[word]), index, index+1); len(less[word]) == 0 {
				delete(less, word)
			}
			if less["allow"] == nil && less["approve"] == nil {
				continue // that would be no rule
			}
			removed++
			if a, b := verdict(t, l.rule(t), call), verdict(t, less.rule(t), call); a != b {
				t.Errorf("%v gives %s, without %s[%d] %s for %s", l, a, word, index, b, call.Canonical())
			}
		}
	})
	if removed < 20 {
		t.Errorf("removed %d clauses: the test is not looking", removed)
	}
}

// shadowedIn returns one shadowed clause of each list, by its index.
func shadowedIn(t rapid.TB, l lists) map[string]int {
	text := pinned(t, l.text())
	c, err := contract.Load("licet.yaml", []byte(text), open)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	r := c.Agent("a").Rule("bank", contract.ToolsCall, "send_money")
	for _, w := range contract.Lint("licet.yaml", []byte(text), c) {
		for word, clauses := range map[string][]*contract.Clause{"allow": r.Allow, "approve": r.Approve, "never": r.Never} {
			for i, k := range clauses {
				if w.Code == contract.Shadowed && k.Line() == w.Line {
					found[word] = i
				}
			}
		}
	}
	return found
}

// text writes each clause on a line of its own.
func (l lists) text() string {
	text := "version: 1\nname: drawn\ncatalogs: {bank: {pin: BANK, tools: catalogs/bank.json}}\n" +
		"agents:\n  a:\n    tools:\n      bank.send_money:\n"
	for _, word := range slices.Sorted(maps.Keys(l)) {
		text += "        " + word + ":\n"
		for _, clause := range l[word] {
			text += "          - " + clause + "\n"
		}
	}
	return text
}

// TestLintJudge: settings of a judge that no call is handed to.
func TestLintJudge(t *testing.T) {
	for rule, want := range map[string]int{"x.look: approve": 1, "x.look: judge": 0} {
		got := lint(t, "  a: {tools: {"+rule+"}}\n", "judge: {on_block: approve}\n")
		if len(got) != want || want == 1 && got[0].Code != contract.Unanswered {
			t.Errorf("%s: %v", rule, got)
		}
	}
	if got := lint(t, "  a: {tools: {x.look: judge}}\n", "approvals: {approvers: [ann]}\n"); len(got) != 0 {
		t.Errorf("approvers whom the judge may leave a call to: %v", got)
	}
}
