package cases_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/contract"
)

// good holds every word of case files once.
const good = `contract: licet.yaml
defaults:
  agent: buyer
  user: ann
  session: s1
  server: shop
  cwd: ${workspace}
  files:
    "private/key": secret
  results:
    shop.accounts: {accounts: [{iban: X1}]}
cases:
  - name: one call
    why: allow[0] needs a known account
    kind: attack
    twin: a story
    tags: [pay, b.1]
    files:
      link: {link: private/key}
      "${home}/x": home
    call: {tool: pay, arguments: {amount: 1, to: X1}}
    expect: {verdict: BLOCK, code: limit, clause: "limits[0]"}
  - name: a story
    why: every step once
    steps:
      - turn: Pay X1.
      - call: {tool: accounts, session: s2, agent: other, user: bob, server: bank, cwd: /x}
        result: a text
        repeat: 3
        expect: {verdict: ALLOW, code: allow_clause}
      - call: {tool: pay, arguments: {}, approval: last, request: [a, b], history: [{tool: accounts}, {server: x, tool: z, result: [1]}], signals: {git_state.dirty: 2, git_state.branch: main, git_state.repository: true, git_targets.modified: [a, b]}}
        expect: {verdict: REQUIRE_APPROVAL, code: approve_clause}
      - approve: ann
      - deny: bob
      - wait: 16m
      - contract: {replace: "max: 100,", with: ""}
      - definition: {tool: pay, set: {description: other}}
      - call: {raw: "{}"}
        expect: {verdict: BLOCK, code: malformed, clause: "agents.buyer"}
`

func TestLoad(t *testing.T) {
	s := load(t, good)
	if s.Name != "shop.cases.yaml" || s.Contract.Name != "licet.yaml" || len(s.Contract.Files) != 1 || len(s.Cases) != 2 {
		t.Fatalf("read as %+v", s)
	}
	one, story := s.Cases[0], s.Cases[1]
	if one.Why != "allow[0] needs a known account" || strings.Join(one.Tags, " ") != "b.1 pay" || one.Kind != cases.Attack || one.Twin != "a story" || one.Line != 13 || len(one.Steps) != 1 {
		t.Errorf("one call is %+v", one)
	}
	wantFiles := []cases.File{
		{Path: "${workspace}/private/key", Content: "secret"},
		{Path: "${workspace}/link", Link: "private/key"},
		{Path: "${home}/x", Content: "home"},
	}
	for i, f := range one.Files {
		if len(one.Files) != len(wantFiles) || f != wantFiles[i] {
			t.Fatalf("files are %+v, want %+v", one.Files, wantFiles)
		}
	}
	call := one.Steps[0].Act.(cases.Call)
	if call.Agent != "buyer" || call.User != "ann" || call.Session != "s1" || call.Server != "shop" || call.Cwd != "${workspace}" ||
		call.Arguments.Canonical() != `{"amount":1,"to":"X1"}` {
		t.Errorf("the call is %+v", call)
	}
	if want := (cases.Expect{Code: authz.LimitReached, Clause: `agents.buyer.tools["shop.pay"].limits[0]`}); one.Steps[0].Expect != want {
		t.Errorf("expects %+v, want %+v", one.Steps[0].Expect, want)
	}
	checkStory(t, story)
}

func checkStory(t *testing.T, c cases.Case) {
	t.Helper()
	var words []string
	for _, s := range c.Steps {
		words = append(words, s.Act.Word())
	}
	if got := strings.Join(words, " "); got != "turn call call approve deny wait contract definition call" {
		t.Fatalf("the steps are %s", got)
	}
	if turn := c.Steps[0].Act.(cases.Turn); turn != (cases.Turn{Session: "s1", Text: "Pay X1."}) {
		t.Errorf("turn is %+v", turn)
	}
	other := c.Steps[1].Act.(cases.Call)
	if other.Agent != "other" || other.User != "bob" || other.Session != "s2" || other.Server != "bank" || other.Cwd != "/x" ||
		c.Steps[1].Repeat != 3 || other.Result.Canonical() != `{"content":[{"text":"a text","type":"text"}]}` {
		t.Errorf("the first call is %+v", c.Steps[1])
	}
	pay := c.Steps[2].Act.(cases.Call)
	const structured = `{"content":[{"text":"{\"accounts\":[{\"iban\":\"X1\"}]}","type":"text"}],"structuredContent":{"accounts":[{"iban":"X1"}]}}`
	if pay.Approval != cases.LastTicket || len(pay.Request) != 2 || len(pay.History) != 2 || pay.History[0].Result.Canonical() != structured ||
		pay.History[0].Server != "shop" || pay.History[1].Server != "x" || c.Steps[2].Repeat != 1 {
		t.Errorf("the second call is %+v", c.Steps[2])
	}
	var seen []string
	for _, o := range pay.Signals {
		seen = append(seen, fmt.Sprint(o.ID, " ", o.Name(), " ", o.Complete, " ", o.Value.Canonical()))
	}
	if got := strings.Join(seen, ", "); got != `s1 git_state.dirty true 2, s2 git_state.branch true "main", s3 git_state.repository true true, s4 git_targets.modified true {"count":2,"names":["a","b"]}` {
		t.Errorf("the signals are %s", got)
	}
	if a, d := c.Steps[3].Act.(cases.Answered), c.Steps[4].Act.(cases.Answered); !a.Approve || a.By != "ann" || d.Approve || d.By != "bob" {
		t.Errorf("answers are %+v and %+v", a, d)
	}
	if w := c.Steps[5].Act.(cases.Wait); w.For != 16*time.Minute {
		t.Errorf("waits %v", w.For)
	}
	if e := c.Steps[6].Act.(cases.ContractEdit); e.Replace != "max: 100," || e.With != "" {
		t.Errorf("the edit is %+v", e)
	}
	if d := c.Steps[7].Act.(cases.DefinitionEdit); d.Server != "shop" || d.Tool != "pay" || d.Set.Get("description").Text() != "other" {
		t.Errorf("the definition is %+v", d)
	}
	if raw := c.Steps[8].Act.(cases.Call); string(raw.Raw) != "{}" || raw.Tool != "" || c.Steps[8].Expect.Clause != "agents.buyer" {
		t.Errorf("the raw call is %+v", c.Steps[8])
	}
}

// refused are texts behind head that are no case file.
var refused = []struct{ name, text, want string }{
	{"unknown word", "- {name: a, whi: b}", `6:13: unknown word "whi" in a case: expected name, why, kind, twin, tags, files, call, expect or steps; did you mean "why"?`},
	{"no why", "- {name: a, call: {tool: pay}, expect: {verdict: ALLOW, code: approved}}", `6:3: a case needs "why"`},
	{"empty why", "- {name: a, why: ' ', call: {tool: pay}, expect: {verdict: ALLOW, code: approved}}", `6:18: expected the clause or constraint that decides, and why in one line`},
	{"name in two lines", "- {name: \"a\\nb\", why: w, call: {tool: pay}, expect: {verdict: ALLOW, code: approved}}", `6:10: expected the name of the case in one line`},
	{"name as number", "- {name: 1, why: w, call: {tool: pay}, expect: {verdict: ALLOW, code: approved}}", `6:10: expected the name of the case, found 1; quote it`},
	{"no call", "- {name: a, why: w}", `6:3: a case needs "call"`},
	{"no expect", "- {name: a, why: w, call: {tool: pay}}", `6:3: a case needs "expect"`},
	{"call and steps", "- {name: a, why: w, call: {tool: pay}, steps: []}", `6:3: a case has either "call" and "expect", or "steps"`},
	{"steps and expect", "- {name: a, why: w, expect: {verdict: ALLOW, code: approved}, steps: [{wait: 1s}]}", `6:3: a case has either "call" and "expect", or "steps"`},
	{"no steps", "- {name: a, why: w, steps: []}", `6:28: an empty list; remove "steps" or add an entry`},
	{"enforced, denied", "- {name: a, why: w, call: {tool: wipe}, expect: {verdict: BLOCK, code: blocked_tool, enforced: false}}", `expected true, found false; leave it out if shadow mode will do`},
	{"two acts", "- {name: a, why: w, steps: [{wait: 1s, turn: x}]}", `6:29: a step is one of call, turn, approve, deny, outsider, wait, contract or definition, found 2`},
	{"no act", "- {name: a, why: w, steps: [{repeat: 1}]}", `found 0`},
	{"expect beside wait", "- {name: a, why: w, steps: [{wait: 1s, expect: {verdict: ALLOW, code: approved}}]}", `6:29: "expect" stands beside "call" only`},
	{"call without expect", "- {name: a, why: w, steps: [{call: {tool: pay}}]}", `6:29: a step needs "expect"`},
	{"repeat of zero", "- {name: a, why: w, steps: [{call: {tool: pay}, repeat: 0, expect: {verdict: ALLOW, code: approved}}]}", `6:57: expected a whole number from 1 to 10000, found 0`},
	{"unknown verdict", "- {name: a, why: w, call: {tool: pay}, expect: {verdict: DENY, code: approved}}", `6:58: unknown word "DENY" in verdict: expected ALLOW, BLOCK or REQUIRE_APPROVAL`},
	{"no code", "- {name: a, why: w, call: {tool: pay}, expect: {verdict: ALLOW}}", `6:48: expect needs "code"`},
	{"unknown code", "- {name: a, why: w, call: {tool: pay}, expect: {verdict: BLOCK, code: no_claus}}", `did you mean "no_clause"?`},
	{"code of another verdict", "- {name: a, why: w, call: {tool: pay}, expect: {verdict: ALLOW, code: no_clause}}", `6:71: no_clause is a reason for BLOCK, not for ALLOW`},
	{"arguments as list", "- {name: a, why: w, call: {tool: pay, arguments: []}, expect: {verdict: ALLOW, code: approved}}", `6:50: expected the arguments of the call, found a list`},
	{"argument left empty", "- {name: a, why: w, call: {tool: pay, arguments: {a: }}, expect: {verdict: ALLOW, code: approved}}", `expected a value, found nothing`},
	{"no tool", "- {name: a, why: w, call: {}, expect: {verdict: ALLOW, code: approved}}", `6:27: a call needs "tool"`},
	{"raw and tool", "- {name: a, why: w, call: {raw: x, tool: pay}, expect: {verdict: ALLOW, code: approved}}", `6:27: "tool" is part of the message in "raw"`},
	{"short clause of raw", "- {name: a, why: w, call: {raw: x}, expect: {verdict: ALLOW, code: approved, clause: 'allow[0]'}}", `6:86: no rule of the contract stands beside the tool of this call; write it in full, from "agents." on`},
	{"short clause of an unknown tool", "- {name: a, why: w, call: {tool: pays}, expect: {verdict: ALLOW, code: approved, clause: 'allow[0]'}}", `6:90: no rule of the contract stands beside the tool of this call`},
	{"short clause of an unknown agent", "- {name: a, why: w, call: {tool: pay, agent: x}, expect: {verdict: ALLOW, code: approved, clause: 'allow[0]'}}", `6:99: no rule of the contract stands beside the tool of this call`},
	{"same name", "- {name: a, why: w, call: {tool: pay}, expect: {verdict: ALLOW, code: approved}}\n- {name: a, why: w, call: {tool: pay}, expect: {verdict: ALLOW, code: approved}}", `7:1: a case named "a" stands in line 6, too`},
	{"kind", "- {name: a, why: w, kind: evil, call: {tool: pay}, expect: {verdict: ALLOW, code: approved}}", `6:27: unknown word "evil" in kind: expected benign or attack`},
	{"twin that is not there", "- {name: a, why: w, twin: b, call: {tool: pay}, expect: {verdict: ALLOW, code: approved}}", `6:1: the twin "b" is no other case of this file`},
	{"twin of itself", "- {name: a, why: w, twin: a, call: {tool: pay}, expect: {verdict: ALLOW, code: approved}}", `6:1: the twin "a" is no other case of this file`},
	{"tag with a space", "- {name: a, why: w, tags: [a b], call: {tool: pay}, expect: {verdict: ALLOW, code: approved}}", `6:28: "a b" is no tag; use up to 100 letters, digits, dots, _ and -`},
	{"tag twice", "- {name: a, why: w, tags: [x, x], call: {tool: pay}, expect: {verdict: ALLOW, code: approved}}", `6:27: "x" stands in the list twice`},
	{"file outside", "- {name: a, why: w, files: {../x: y}, call: {tool: pay}, expect: {verdict: ALLOW, code: approved}}", `6:29: "../x" is no path below a place`},
	{"absolute file", "- {name: a, why: w, files: {/etc/x: y}, call: {tool: pay}, expect: {verdict: ALLOW, code: approved}}", `is no path below a place`},
	{"file with two spellings", "- {name: a, why: w, files: {a//x: y}, call: {tool: pay}, expect: {verdict: ALLOW, code: approved}}", `is no path below a place`},
	{"place within a path", "- {name: a, why: w, files: {'a/${home}': y}, call: {tool: pay}, expect: {verdict: ALLOW, code: approved}}", `a place stands at the beginning of a path only`},
	{"file as number", "- {name: a, why: w, files: {x: 1}, call: {tool: pay}, expect: {verdict: ALLOW, code: approved}}", `6:32: expected the text of the file, or {link: TARGET}, found 1`},
	{"approver with a space", "- {name: a, why: w, steps: [{approve: a b}]}", `"a b" is no name of an approver`},
	{"odd duration", "- {name: a, why: w, steps: [{wait: 1 hour}]}", `6:36: expected a duration such as 90s, 15m, 1h, 1d or 1w, found "1 hour"`},
	{"replace nothing", "- {name: a, why: w, steps: [{contract: {replace: '', with: x}}]}", `expected a text that stands in the contract once, found an empty text`},
	{"definition of an unknown tool", "- {name: a, why: w, steps: [{definition: {tool: pays, set: {title: x}}}]}", `"shop.pays" is no tool of the contract's catalogs: expected server.tool; did you mean "shop.pay"?`},
	{"definition as text", "- {name: a, why: w, steps: [{definition: {tool: pay, set: x}}]}", `expected members of the definition, found "x"`},
	{"turn without text", "- {name: a, why: w, steps: [{turn: ''}]}", `expected what the user writes, found an empty text`},
	{"no signal", "- {name: a, why: w, call: {tool: pay, signals: {git_state.dirt: 1}}, expect: {verdict: ALLOW, code: approved}}", `6:49: "git_state.dirt" is no signal: expected collector.key, see docs/signals.md; did you mean "git_state.dirty"?`},
	{"signal of another kind", "- {name: a, why: w, call: {tool: pay, signals: {git_state.dirty: true}}, expect: {verdict: ALLOW, code: approved}}", `6:66: dirty is a whole number, found true`},
	{"signals as a list", "- {name: a, why: w, call: {tool: pay, signals: [a]}, expect: {verdict: ALLOW, code: approved}}", `6:48: expected signals, such as {git_state.dirty: 0}, found a list`},
	{"history without tool", "- {name: a, why: w, call: {tool: pay, history: [{result: 1}]}, expect: {verdict: ALLOW, code: approved}}", `6:49: a past call needs "tool"`},
	{"an alias", "- &x {name: a}\n- *x", `an anchor (&x)`},
	{"a word that YAML versions read differently", "- {name: no, why: w}", `YAML versions read no differently`},
}

// refusedFiles are texts that are no case file as a whole.
var refusedFiles = []struct{ name, text, want string }{
	{"empty", "", `f:1:1: the case file is empty`},
	{"two documents", "cases: []\n---\ncases: []\n", `f:2:1: a second YAML document; a case file is one document`},
	{"list", "[]", `f:1:1: expected a case file as a mapping, found a list`},
	{"contract", "version: 1\nname: x\nagents: {}\n", `f:1:1: unknown word "version" in a case file: expected contract, defaults or cases`},
	{"no cases", "contract: licet.yaml\n", `f:1:1: a case file needs "cases"`},
	{"empty list", "cases: []\n", `f:1:8: an empty list; remove "cases" or add an entry`},
	{"contract as list", "contract: []\ncases: [{wait: 1}]\n", `f:1:11: expected the file of the contract, found a list`},
	{"no such contract", "contract: other.yaml\ncases: []\n", `f:1:11: reading the contract: open other.yaml: file does not exist; name it with "contract"`},
	{"contract refused", "contract: broken.yaml\ncases: []\n", `broken.yaml:1:10: version 2 of the language is not known: expected 1`},
	{"unknown default", "defaults: {agnet: buyer}\ncases: []\n", `f:1:12: unknown word "agnet" in defaults: expected agent, user, session, server, cwd, files or results; did you mean "agent"?`},
	{"results of an unknown tool", "defaults: {results: {shop.acounts: {}}}\ncases: []\n", `f:1:22: "shop.acounts" is no tool of the contract's catalogs: expected server.tool; did you mean "shop.accounts"?`},
	{"results as list", "defaults: {results: []}\ncases: []\n", `f:1:21: expected a mapping of tools to results, found a list`},
	{"no agent", "cases: [{name: a, why: w, call: {server: shop, tool: pay}, expect: {verdict: ALLOW, code: approved}}]\n", `f:1:33: a call needs "agent" and "server"; they may stand in "defaults"`},
	{"no server", "cases: [{name: a, why: w, call: {agent: buyer, tool: pay}, expect: {verdict: ALLOW, code: approved}}]\n", `f:1:33: a call needs "agent" and "server"; they may stand in "defaults"`},
}

func TestLoadRefuses(t *testing.T) {
	for _, tt := range refused {
		t.Run(tt.name, func(t *testing.T) { wantRefused(t, head+tt.text+"\n", tt.want) })
	}
	for _, tt := range refusedFiles {
		t.Run(tt.name, func(t *testing.T) { wantRefused(t, tt.text, tt.want) })
	}
}

func wantRefused(t *testing.T, text, want string) {
	t.Helper()
	s, err := cases.Load("f", []byte(text), open(t))
	if s != nil || err == nil {
		t.Fatal("loaded")
	}
	if !strings.Contains(err.Error(), want) {
		t.Errorf("refused with\n%v\nwant\n%s", err, want)
	}
}

// The contract lies beside a case file, or above the folder cases.
func TestContractOf(t *testing.T) {
	const text = "cases: [{name: a, why: w, call: {agent: b, server: shop, tool: pay}, expect: {verdict: BLOCK, code: unknown_agent}}]\n"
	for name, want := range map[string]string{
		"x/shop.cases.yaml":       "x/licet.yaml",
		"x/cases/pay.yaml":        "x/licet.yaml",
		"x/cases/shop.cases.yaml": "x/cases/licet.yaml",
	} {
		s, err := cases.Load(name, []byte(text), open(t))
		if err != nil || s.Contract.Name != want {
			t.Errorf("%s is about %+v, %v; want %s", name, s, err, want)
		}
	}
}

func TestIsFile(t *testing.T) {
	for name, want := range map[string]bool{
		"a.cases.yaml": true, "x/a.cases.yaml": true, "x/cases/a.yaml": true, "cases/a.yaml": true,
		"a.yaml": false, "cases.yaml": false, "cases/a.yml": false, "cases/x/a.yaml": false, "licet.yaml": false,
	} {
		if got := cases.IsFile(name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// FuzzLoad checks that any text is refused with problems that have a place, or
// loads, twice to the same cases: each with a name of its own, a reason, and
// steps.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(good))
	for _, tt := range refused {
		f.Add([]byte(head + tt.text + "\n"))
	}
	for _, tt := range refusedFiles {
		f.Add([]byte(tt.text))
	}
	files := thin(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := cases.Load("f", text, files)
		if err != nil {
			var problems contract.Problems
			if s != nil || !errors.As(err, &problems) || len(problems) == 0 {
				t.Fatalf("refused with %v and a suite %v", err, s != nil)
			}
			for _, p := range problems {
				if p.File == "" || p.Line < 1 || p.Column < 1 || p.Message == "" {
					t.Errorf("a problem without a place: %+v", p)
				}
			}
			return
		}
		if again, err := cases.Load("f", text, files); err != nil || !reflect.DeepEqual(s, again) {
			t.Errorf("loaded twice: %v", err)
		}
		names := map[string]bool{}
		for _, c := range s.Cases {
			if c.Name == "" || names[c.Name] || c.Why == "" || len(c.Steps) == 0 || c.Line < 1 {
				t.Errorf("an incomplete case: %+v", c)
			}
			names[c.Name] = true
			for _, step := range c.Steps {
				if step.Act == nil {
					t.Errorf("%s has a step without an act", c.Name)
				}
			}
		}
	})
}
