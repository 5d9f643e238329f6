package cases_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/cases"
)

// passing are cases that hold; each shows that one word of the format does what
// it says.
const passing = `
- name: files
  why: the path lies in the workspace
  files: {a.txt: text, private/key: secret, in: {link: a.txt}}
  call: {tool: read, arguments: {path: "${workspace}/in"}}
  expect: {verdict: ALLOW, code: allow_clause, clause: "allow[0]"}
- name: a link into what is excluded
  why: links are followed
  files: {private/key: secret, out: {link: private}}
  call: {tool: read, arguments: {path: "${workspace}/out/key"}}
  expect: {verdict: BLOCK, code: no_clause}
- name: a link home
  why: links are followed
  files: {"${home}/x": secret, out: {link: "${home}"}}
  call: {tool: read, arguments: {path: "${workspace}/out/x"}}
  expect: {verdict: BLOCK, code: no_clause}
- name: cwd
  why: a relative path counts from there
  files: {sub/a: text}
  call: {tool: read, arguments: {path: a}, cwd: "${workspace}/sub"}
  expect: {verdict: ALLOW, code: allow_clause}
- name: no cwd
  why: a relative path counts from nowhere
  call: {tool: read, arguments: {path: a}}
  expect: {verdict: BLOCK, code: no_clause}
- name: request
  why: the user named the account in this very call
  call: {tool: pay, arguments: {amount: 1, to: X7}, request: [Pay X7]}
  expect: {verdict: ALLOW, code: allow_clause}
- name: history
  why: an earlier result named the account
  call: {tool: pay, arguments: {amount: 1, to: X1}, history: [{tool: accounts}]}
  expect: {verdict: ALLOW, code: allow_clause}
- name: turns
  why: the user named the account in this session, not in the other
  steps:
    - turn: Pay X7.
    - call: {tool: pay, arguments: {amount: 1, to: X7}}
      expect: {verdict: ALLOW, code: allow_clause}
    - call: {tool: pay, arguments: {amount: 1, to: X7}, session: other}
      expect: {verdict: REQUIRE_APPROVAL, code: approve_clause}
- name: a result of its own
  why: what a step says takes the place of the default
  steps:
    - call: {tool: accounts}
      result: {accounts: [{iban: X2}]}
      expect: {verdict: ALLOW, code: allow_clause}
    - call: {tool: pay, arguments: {amount: 1, to: X2}}
      expect: {verdict: ALLOW, code: allow_clause}
    - call: {tool: pay, arguments: {amount: 1, to: X1}}
      expect: {verdict: REQUIRE_APPROVAL, code: approve_clause}
- name: no session
  why: nothing was stated in a session that is not known
  steps:
    - call: {tool: accounts, session: ""}
      expect: {verdict: ALLOW, code: allow_clause}
    - call: {tool: pay, arguments: {amount: 1, to: X1}, session: ""}
      expect: {verdict: REQUIRE_APPROVAL, code: approve_clause}
- name: another user
  why: an approval is for one user
  steps:
    - call: {tool: pay, arguments: {amount: 500}, user: ann}
      expect: {verdict: REQUIRE_APPROVAL, code: approve_clause}
    - approve: bob
    - call: {tool: pay, arguments: {amount: 500}, user: eve, approval: last}
      expect: {verdict: BLOCK, code: approval_mismatch}
- name: somebody who may not answer
  why: the contract names who may, and the ticket stays open for them
  steps:
    - call: {tool: pay, arguments: {amount: 500}}
      expect: {verdict: REQUIRE_APPROVAL, code: approve_clause, enforced: true}
    - outsider: eve
    - approve: ann
    - call: {tool: pay, arguments: {amount: 500}}
      expect: {verdict: ALLOW, code: approved}
- name: a ticket of that name
  why: there is none
  call: {tool: pay, arguments: {amount: 500}, approval: t-NONE}
  expect: {verdict: BLOCK, code: approval_unknown}
- name: a good message
  why: raw is judged like any call
  call: {raw: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"accounts","arguments":{}}}'}
  expect: {verdict: ALLOW, code: allow_clause}
- name: a bad message
  why: a member twice
  call: {raw: '{"jsonrpc":"2.0","id":1,"id":1,"method":"tools/call","params":{"name":"accounts","arguments":{}}}'}
  expect: {verdict: BLOCK, code: malformed}
- name: a method that a contract can list
  why: no rule lists resources/read
  call: {raw: '{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a"}}'}
  expect: {verdict: BLOCK, code: not_listed}
- name: a method that no contract can list
  why: it is no method that acts
  call: {raw: '{"jsonrpc":"2.0","id":1,"method":"tools/none","params":{}}'}
  expect: {verdict: BLOCK, code: unknown_method}
- name: a definition as approved
  why: other members than those that are pinned may differ
  steps:
    - definition: {tool: pay, set: {icons: []}}
    - call: {tool: pay, arguments: {amount: 500}}
      expect: {verdict: REQUIRE_APPROVAL, code: approve_clause}
- name: a narrower contract
  why: a changed contract decides at once
  steps:
    - call: {tool: accounts}
      expect: {verdict: ALLOW, code: allow_clause}
    - contract: {replace: "shop.accounts: allow", with: "shop.accounts: block"}
    - contract: {replace: "shop.wipe: block", with: "shop.wipe: approve"}
    - call: {tool: accounts}
      expect: {verdict: BLOCK, code: blocked_tool}
    - call: {tool: wipe}
      expect: {verdict: REQUIRE_APPROVAL, code: approve_clause}
`

func TestPassing(t *testing.T) { want(t, cases.Passed, play(t, passing)) }

// Each of these must fail: the gate answers otherwise.
func TestWrong(t *testing.T) {
	for name, tt := range map[string]struct {
		expect   string
		stricter bool
	}{
		"verdict":           {"{verdict: BLOCK, code: no_clause}", false},
		"code":              {"{verdict: ALLOW, code: approved}", false},
		"clause":            {"{verdict: ALLOW, code: allow_clause, clause: 'allow[1]'}", false},
		"clause of another": {"{verdict: ALLOW, code: allow_clause, clause: 'agents.other.tools[\"shop.accounts\"].allow[0]'}", false},
	} {
		t.Run(name, func(t *testing.T) {
			results := play(t, "- {name: x, why: w, call: {tool: accounts}, expect: "+tt.expect+"}\n")
			want(t, cases.Wrong, results)
			if got := results[0].Got; got.Verdict != authz.Allow || results[0].Stricter() != tt.stricter {
				t.Errorf("got %+v, stricter %v", got, results[0].Stricter())
			}
		})
	}
	held := play(t, "- {name: x, why: w, call: {tool: pay, arguments: {amount: 500}}, expect: {verdict: ALLOW, code: approved}}\n")
	want(t, cases.Wrong, held)
	if !held[0].Stricter() {
		t.Error("REQUIRE_APPROVAL is no stricter than ALLOW")
	}
}

// A story ends at its first wrong answer, and says which it was.
func TestWrongStep(t *testing.T) {
	results := play(t, `
- name: x
  why: w
  steps:
    - call: {tool: pay, arguments: {amount: 1, to: X1}, request: [Pay X1]}
      repeat: 9
      expect: {verdict: ALLOW, code: allow_clause}
    - call: {tool: accounts}
      expect: {verdict: ALLOW, code: allow_clause}
`)
	want(t, cases.Wrong, results)
	r := results[0]
	if r.Step != 0 || r.Round != 6 || len(r.Answers) != 6 || r.Line() != 10 || r.Case.Line != 7 {
		t.Errorf("step %d, round %d, %d answers, line %d of case %d", r.Step, r.Round, len(r.Answers), r.Line(), r.Case.Line)
	}
	const difference = `why       w
step 1    call shop.pay {"amount":1,"to":"X1"}, 6 of 9 times
expected  ALLOW  allow_clause
got       BLOCK  limit  agents.buyer.tools["shop.pay"].limits[0]
          5 of 5 are used up, this call takes 1
`
	if got := r.Difference(); got != difference {
		t.Errorf("the difference is\n%s\nwant\n%s", got, difference)
	}
}

// The details of an answer name places, not directories of this run.
func TestDetailsNamePlaces(t *testing.T) {
	results := play(t, "- {name: x, why: w, files: {private/a: b}, call: {tool: read, arguments: {path: '${workspace}/private/a'}}, expect: {verdict: ALLOW, code: approved}}\n")
	want(t, cases.Wrong, results)
	if d := results[0].Difference(); !strings.Contains(d, `path: "${workspace}/private/a" is excluded`) {
		t.Error(d)
	}
}

func TestBroken(t *testing.T) {
	for steps, why := range map[string]string{
		"{approve: ann}": "no call was held before: there is nothing to answer",
		"{call: {tool: pay, arguments: {amount: 5}, approval: last}, expect: {verdict: BLOCK, code: approval_open}}":                            "no call was held before: there is no last ticket",
		"{call: {tool: pay, arguments: {amount: 500}}, expect: {verdict: REQUIRE_APPROVAL, code: approve_clause}}, {approve: eve}":              "eve cannot answer the ticket: eve is not an approver of this ticket (approval_mismatch)",
		"{call: {tool: pay, arguments: {amount: 500}}, expect: {verdict: REQUIRE_APPROVAL, code: approve_clause}}, {deny: ann}, {approve: bob}": "bob cannot answer the ticket: the ticket is denied (approval_denied)",
		"{call: {tool: pay, arguments: {amount: 500}}, expect: {verdict: REQUIRE_APPROVAL, code: approve_clause}}, {wait: 1h}, {approve: bob}":  "bob cannot answer the ticket: the ticket is expired (approval_expired)",
		"{outsider: eve}": "no call was held before: there is nothing to answer",
		"{call: {tool: pay, arguments: {amount: 500}}, expect: {verdict: REQUIRE_APPROVAL, code: approve_clause}}, {outsider: ann}": "ann was let answer the ticket",
		"{contract: {replace: 'max: 9', with: 'max: 8'}}":                                                        `"max: 9" occurs 0 times in the contract, not once`,
		"{contract: {replace: 'shop.', with: 'x.'}}":                                                             `times in the contract, not once`,
		"{contract: {replace: 'shop.wipe: block', with: 'shop.wipe: blok'}}":                                     `loading the contract: licet.yaml:10:18: unknown word "blok"`,
		"{definition: {server: shop, tool: pay, set: {inputSchema: {}}}}, {turn: x}, {wait: 1s}, {approve: ann}": "nothing to answer",
	} {
		results := play(t, "- {name: x, why: w, steps: ["+steps+"]}\n")
		want(t, cases.Broken, results)
		if !strings.Contains(results[0].Err.Error(), why) || !strings.Contains(results[0].Difference(), why) {
			t.Errorf("%s is broken: %v; want %s", steps, results[0].Err, why)
		}
	}
}

// A file that cannot be made breaks the case.
func TestBrokenFiles(t *testing.T) {
	want(t, cases.Broken, play(t, "- {name: x, why: w, files: {a: text, a/b: text}, call: {tool: accounts}, expect: {verdict: ALLOW, code: allow_clause}}\n"))
}

// mute is a door that can do nothing but open.
type mute struct{ err error }

func (m mute) Open(context.Context, cases.Setup) (cases.Session, error) { return m, nil }
func (m mute) Call(context.Context, cases.Call) (cases.Answer, error)   { return cases.Answer{}, m.err }
func (m mute) Do(_ context.Context, a cases.Act) error                  { return m.err }
func (m mute) Close() error                                             { return nil }

func TestUnsupported(t *testing.T) {
	suites := []*cases.Suite{load(t, head+passing)}
	results, err := cases.Run(t.Context(), mute{fmt.Errorf("asking: %w", cases.Inexpressible{Why: "it is mute"})}, suites, cases.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want(t, cases.Unsupported, results)
	if got := results[0].Difference(); !strings.Contains(got, "not expressible asking: it is mute") {
		t.Error(got)
	}
	results, err = cases.Run(t.Context(), mute{errors.New("it is broken")}, suites, cases.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want(t, cases.Broken, results)
}

// unheard is an act that no door knows.
type unheard struct{}

func (unheard) Word() string { return "unheard" }

func TestCoreKnowsItsActs(t *testing.T) {
	s := load(t, head+passing)
	s.Cases = []cases.Case{{Name: "x", Steps: []cases.Step{{Act: unheard{}}}}}
	results, err := cases.Run(t.Context(), cases.Core{}, []*cases.Suite{s}, cases.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want(t, cases.Unsupported, results)
	if got := results[0].Difference(); !strings.Contains(got, `step 1    unheard`) || !strings.Contains(got, `this door has no step "unheard"`) {
		t.Error(got)
	}
}

// A door that answers nothing has the zero Answer: it meets no expectation but
// a BLOCK for any reason.
func TestZeroAnswer(t *testing.T) {
	for e, meets := range map[cases.Expect]bool{
		{}: true, {Verdict: authz.Allow}: false, {Verdict: authz.RequireApproval}: false, {Code: authz.NoClause}: false, {Clause: "x"}: false,
	} {
		if e.Meets(cases.Answer{}) != meets {
			t.Errorf("%+v meets nothing: want %v", e, meets)
		}
	}
}

// However many cases run at a time, results stand in the order of the files.
func TestOrderAndProgress(t *testing.T) {
	suites := []*cases.Suite{load(t, head+passing), load(t, head+passing)}
	for _, parallel := range []int{1, 7} {
		var seen []int
		results, err := cases.Run(t.Context(), cases.Core{}, suites, cases.Options{
			Parallel: parallel,
			Progress: func(done, all int) {
				if all != 2*len(suites[0].Cases) {
					t.Errorf("%d cases in all", all)
				}
				seen = append(seen, done)
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		want(t, cases.Passed, results)
		for i, r := range results {
			s := suites[i/len(suites[0].Cases)]
			if r.Suite != s || r.Case != &s.Cases[i%len(s.Cases)] {
				t.Errorf("result %d is of %s", i, r.Case.Name)
			}
		}
		if len(seen) != len(results) || !slices.IsSorted(seen) || seen[len(seen)-1] != len(results) {
			t.Errorf("progress was %v", seen)
		}
	}
}

func TestSelectAndCancel(t *testing.T) {
	suites := []*cases.Suite{load(t, head+passing)}
	results, err := cases.Run(t.Context(), cases.Core{}, suites, cases.Options{
		Select: func(_ *cases.Suite, c *cases.Case) bool { return c.Name == "cwd" },
	})
	if err != nil || len(results) != 1 || results[0].Case.Name != "cwd" {
		t.Errorf("selected %+v, %v", results, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := cases.Run(ctx, cases.Core{}, suites, cases.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled run ends with %v", err)
	}
}

// A contract that is refused opens no session.
func TestCoreRefusesContract(t *testing.T) {
	s := load(t, head+passing)
	s.Contract.Text = []byte("version: 2\n")
	results, err := cases.Run(t.Context(), cases.Core{}, []*cases.Suite{s}, cases.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want(t, cases.Broken, results)
	s.Contract.Files = nil
	if _, err := s.Contract.Load(); err == nil {
		t.Error("a contract without its files loads")
	}
}

// TestEnforced: in shadow mode a case gets the answer of the rules, unless it
// says that the answer must hold.
func TestEnforced(t *testing.T) {
	const text = "- {name: x, why: w, steps: [{contract: {replace: 'buyer:', with: \"buyer:\\n    mode: shadow\"}}, {call: {tool: wipe}, expect: {verdict: BLOCK, code: blocked_tool%s}}]}\n"
	want(t, cases.Passed, play(t, fmt.Sprintf(text, "")))
	want(t, cases.Wrong, play(t, fmt.Sprintf(text, ", enforced: true")))
}

// TestPlayWhole: on request a story goes on after a wrong answer, under a
// contract that Change made.
func TestPlayWhole(t *testing.T) {
	s := load(t, head+`
- name: x
  why: w
  steps:
    - {call: {tool: wipe}, expect: {verdict: BLOCK, code: blocked_tool}}
    - {call: {tool: accounts}, expect: {verdict: ALLOW, code: allow_clause}}
`)
	change := func(text []byte) ([]byte, error) {
		return []byte(strings.Replace(string(text), "shop.wipe: block", "shop.wipe: allow", 1)), nil
	}
	for whole, answers := range map[bool]int{false: 1, true: 2} {
		r := cases.Play(t.Context(), cases.Core{}, s, &s.Cases[0], cases.Options{Change: change, Whole: whole})
		if r.Status != cases.Wrong || len(r.Answers) != answers || r.Answers[0].Verdict != authz.Allow {
			t.Errorf("whole %v: %v with %+v", whole, r.Status, r.Answers)
		}
	}
}
