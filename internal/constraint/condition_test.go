package constraint

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/internal/toolcall"
)

// around is what surrounds conditions here: server bank with the tools send and
// balance, and the label private.
var around = Surroundings{
	Server: "bank", Tool: "send",
	Tools: func(name string) ([][2]string, error) {
		switch name {
		case "private":
			return [][2]string{{"bank", "balance"}, {"bank", "contacts"}}, nil
		case "bank.send", "bank.balance":
			return [][2]string{{"bank", name[len("bank."):]}}, nil
		}
		return nil, errors.New("no such tool or label: " + name)
	},
	Argument: func(_, _ string, path toolcall.Path) error {
		if path.String() != "to" && path.String() != "ids[]" {
			return errors.New("no such argument: " + path.String())
		}
		return nil
	},
}

func compileCondition(t testing.TB, word, spec string) Condition {
	t.Helper()
	c, err := NewCondition(word, value(t, spec), around)
	if err != nil {
		t.Fatalf("%s %s: %v", word, spec, err)
	}
	return c
}

// judge asks both sides, with digests that are the canonical texts.
func judge(t testing.TB, c Condition, args string, a Answers) (permits, forbids bool, why string) {
	t.Helper()
	v := value(t, args)
	for _, q := range c.Questions(v) {
		if q.Digest != nil && a.Digests == nil {
			digests := make([]string, len(q.Digest.Values))
			for i, v := range q.Digest.Values {
				digests[i] = v.Canonical()
			}
			a.Digests = map[string][]string{q.Key: digests}
		}
	}
	permits, miss, err := c.Permits(v, a)
	if err != nil {
		t.Fatalf("%s: %v", args, err)
	}
	forbids, match, err := c.Forbids(v, a)
	if err != nil {
		t.Fatalf("%s: %v", args, err)
	}
	if permits {
		return permits, forbids, match.String()
	}
	return permits, forbids, miss.String()
}

func session(marks ...Mark) Session { return Session{Known: true, Marks: marks} }

func TestSession(t *testing.T) {
	balance, contacts, send := Mark{Server: "bank", Tool: "balance"}, Mark{Server: "bank", Tool: "contacts"}, Mark{Server: "bank", Tool: "send"}
	other := Mark{Server: "tank", Tool: "balance"}
	argument := Mark{Server: "bank", Tool: "balance", Argument: "to", Digest: "x"} // says nothing about a call by itself
	for _, tt := range []struct {
		spec    string
		s       Session
		permits bool
		forbids bool
		why     string
	}{
		{`{"called": ["private"]}`, Session{}, false, true, "no session is known"},
		{`{"called": ["private"]}`, session(), false, false, "private was not called in this session"},
		{`{"called": ["private"]}`, session(balance), true, true, "bank.balance was called in this session"},
		{`{"called": ["bank.send", "private"]}`, session(contacts), true, true, "bank.contacts was called in this session"},
		{`{"called": ["bank.send", "bank.balance"]}`, session(other, argument), false, false, "bank.balance or bank.send was not called in this session"},
		{`{"not_called": ["private"]}`, Session{}, false, true, "no session is known"},
		{`{"not_called": ["private"]}`, session(send), true, true, "private was not called in this session"},
		{`{"not_called": ["private"]}`, session(send, contacts), false, false, "bank.contacts was called in this session"},
		{`{"called": ["bank.send"], "not_called": ["private"]}`, session(send), true, true, "private was not called in this session"},
		{`{"called": ["bank.send"], "not_called": ["private"]}`, session(), false, false, "bank.send was not called in this session"},
		{`{"called": ["bank.send"], "not_called": ["private"]}`, session(send, balance), false, false, "bank.balance was called in this session"},
	} {
		permits, forbids, why := judge(t, compileCondition(t, "$session", tt.spec), "{}", Answers{Session: tt.s})
		if permits != tt.permits || forbids != tt.forbids || why != tt.why {
			t.Errorf("%s, %v: permits %t, forbids %t: %s", tt.spec, tt.s, permits, forbids, why)
		}
	}
}

func TestDistinct(t *testing.T) {
	had := func(tool, argument string, digests ...string) (marks []Mark) {
		for _, d := range digests {
			marks = append(marks, Mark{"bank", tool, argument, d})
		}
		return marks
	}
	const own, ids, balance = `{"distinct": {"argument": "to", "max": 2}}`, `{"distinct": {"argument": "ids[]", "max": 3}}`, `{"distinct": {"tool": "bank.balance", "argument": "to", "max": 1}}`
	for _, tt := range []struct {
		spec, args string
		marks      []Mark
		want       string // "" permits
	}{
		{own, `{"to": "a"}`, nil, ""},
		{own, `{"to": "a"}`, had("send", "to", `"b"`), ""},
		{own, `{"to": "a"}`, had("send", "to", `"b"`, `"a"`), ""},
		{own, `{"to": "a"}`, had("send", "to", `"b"`, `"c"`), "to would have more than 2 values in this session"},
		{own, `{"to": 1.0}`, had("send", "to", `"1"`, `1`), ""},
		{own, `{"to": "a"}`, append(had("balance", "to", `"b"`, `"c"`), had("send", "ids[]", `"d"`, `"e"`)...), ""},
		{own, `{}`, nil, "to is absent"},
		{own, `{"to": null}`, nil, "to is absent"},
		{ids, `{"ids": [1, 2, 2]}`, had("send", "ids[]", "3"), ""},
		{ids, `{"ids": [1, 2, 4]}`, had("send", "ids[]", "3"), "ids[] would have more than 3 values in this session"},
		{ids, `{"ids": []}`, nil, "ids[] is absent"},
		{ids, `{"ids": 7}`, nil, wrongWay},
		{balance, `{}`, had("balance", "to", "x"), ""},
		{balance, `{"to": "a"}`, had("balance", "to", "x", "y"), "to would have more than 1 values in this session"},
	} {
		permits, forbids, why := judge(t, compileCondition(t, "$session", tt.spec), tt.args, Answers{Session: session(tt.marks...)})
		if permits != (tt.want == "") || !permits && why != tt.want || !forbids {
			t.Errorf("%s, %s, %v: permits %t, forbids %t: %s", tt.spec, tt.args, tt.marks, permits, forbids, why)
		}
	}
	c := compileCondition(t, "$session", own)
	blind := Answers{Session: session(), Digests: map[string][]string{}}
	if permits, _, why := judge(t, c, `{"to": "a"}`, blind); permits || why != "the values of to cannot be compared" {
		t.Errorf("without digests: %t, %s", permits, why)
	}
	if err := c.NeverUsable(); err == nil || err.Error() != "at /distinct: distinct in a never clause would be turned off by one more value: bound it in allow and approve" {
		t.Errorf("never: %v", err)
	}
}

func TestRequest(t *testing.T) {
	c := compileCondition(t, "$request", `{"mentions": ["pay", "send money", "pay"]}`)
	qs := c.Questions(value(t, "{}"))
	if len(qs) != 1 || !slices.Equal(qs[0].Mention.Phrases, []string{"pay", "send money"}) {
		t.Fatalf("asks %v", qs)
	}
	for _, tt := range []struct {
		answers          map[string]bool
		permits, forbids bool
		why              string
	}{
		{nil, false, true, "no user turns are known"},
		{map[string]bool{"x": true}, false, true, "no user turns are known"},
		{map[string]bool{qs[0].Key: false}, false, false, "no user turn mentions pay, send money"},
		{map[string]bool{qs[0].Key: true}, true, true, "a user turn mentions pay or send money"},
	} {
		permits, forbids, why := judge(t, c, "{}", Answers{Mentioned: tt.answers})
		if permits != tt.permits || forbids != tt.forbids || why != tt.why {
			t.Errorf("%v: permits %t, forbids %t: %s", tt.answers, permits, forbids, why)
		}
	}
}

func TestWhen(t *testing.T) {
	noon := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	known := Answers{Session: session(Mark{Server: "bank", Tool: "balance"}, Mark{Server: "bank", Tool: "balance"}), Now: noon, Principal: Principal{Agent: "support", User: "ann"}}
	for _, tt := range []struct {
		text             string
		a                Answers
		permits, forbids bool
	}{
		{`call.arguments.amount > 5 && call.server + "." + call.tool == "bank.send"`, Answers{}, true, true},
		{`call.arguments.amount < 5`, Answers{}, false, false},
		{`"bank.balance" in session.called && size(session.called) == 1 && session.known`, known, true, true},
		{`!("bank.balance" in session.called)`, known, false, false},
		{`!("bank.balance" in session.called)`, Answers{}, false, true},
		{`!session.known || !("bank.balance" in session.called)`, Answers{}, true, true},
		{`principal.user == "ann" && principal.agent == call.agent && call.agent == "support"`, known, true, true},
		{`principal.user != "ann"`, Answers{}, false, true},
		{`now.getHours() >= 9 && now.getHours() < 17`, known, true, true},
		{`now.getHours() >= 9`, Answers{}, false, true},
	} {
		spec := toolcall.StringOf(tt.text).Canonical()
		permits, forbids, why := judge(t, compileCondition(t, "$when", spec), `{"amount": 7.5}`, tt.a)
		if permits != tt.permits || forbids != tt.forbids {
			t.Errorf("%s: permits %t, forbids %t: %s", tt.text, permits, forbids, why)
		}
	}
	c := compileCondition(t, "$when", `"call.arguments.amount > 5"`)
	for _, args := range []string{"{}", `{"amount": "7"}`, `{"amount": 0.1234567890123456789}`, `{"amount": null}`} {
		if ok, _, err := c.Permits(value(t, args), Answers{}); ok || err == nil {
			t.Errorf("%s permits %t, %v", args, ok, err)
		}
		if ok, _, err := c.Forbids(value(t, args), Answers{}); ok || err == nil {
			t.Errorf("%s forbids %t, %v", args, ok, err)
		}
	}
}

func TestWatches(t *testing.T) {
	for _, tt := range []struct{ word, spec, want string }{
		{"$session", `{"called": ["private"], "not_called": ["bank.send"]}`, "[bank.balance  bank.contacts  bank.send ]"},
		{"$session", `{"distinct": {"argument": "ids[]", "max": 3}}`, "[bank.send ids[]]"},
		{"$request", `{"mentions": ["pay"]}`, "[]"},
		{"$when", `"call.tool == 'x' && session.known"`, "[]"},
		{"$when", `"call.arguments.a in session.called"`, "[all]"},
	} {
		var got []string
		for _, w := range compileCondition(t, tt.word, tt.spec).Watches() {
			if w.All {
				got = append(got, "all")
				continue
			}
			got = append(got, w.Server+"."+w.Tool+" "+w.Argument.String())
		}
		if fmt.Sprint(got) != tt.want {
			t.Errorf("%s %s watches %v, want %s", tt.word, tt.spec, got, tt.want)
		}
	}
}

// conditionErrors holds operands that are refused, with the whole message.
var conditionErrors = []struct{ word, spec, want string }{
	{"$sesion", "{}", `unknown condition "$sesion": expected $request, $session, $signal, $when; did you mean "$session"?`},
	{"$session", "{}", "expected {called: [...]}, {not_called: [...]} or {distinct: {argument: PATH, max: N}}, got an empty object"},
	{"$session", `"private"`, "expected {called: [...]}, {not_called: [...]} or {distinct: {argument: PATH, max: N}}, got string"},
	{"$session", `{"caled": []}`, `at /caled: unknown member "caled": expected called, distinct, not_called; did you mean "called"?`},
	{"$session", `{"called": []}`, "at /called: expected a list of tools and labels, got an empty array"},
	{"$session", `{"called": "private"}`, "at /called: expected a list of tools and labels, got string"},
	{"$session", `{"called": ["private", 7]}`, "at /called/1: expected a tool as server.tool or a label, got number"},
	{"$session", `{"not_called": ["nothing"]}`, "at /not_called/0: no such tool or label: nothing"},
	{"$session", `{"distinct": 3}`, "at /distinct: expected {argument: PATH, max: N}, got number"},
	{"$session", `{"distinct": {"max": 3}}`, `at /distinct: distinct needs "argument": the path whose values are counted`},
	{"$session", `{"distinct": {"argument": "to"}}`, `at /distinct: distinct needs "max": how many values the argument may have in one session, at least 1`},
	{"$session", `{"distinct": {"argument": "to", "max": 0}}`, `at /distinct: distinct needs "max": how many values the argument may have in one session, at least 1`},
	{"$session", `{"distinct": {"argument": "to", "max": 1.5}}`, "at /distinct/max: expected a whole number of at least 0, got 1.5"},
	{"$session", `{"distinct": {"argument": "", "max": 1}}`, "at /distinct/argument: path is empty"},
	{"$session", `{"distinct": {"argument": "from", "max": 1}}`, "at /distinct/argument: no such argument: from"},
	{"$session", `{"distinct": {"argument": "to", "max": 1, "tool": "private"}}`, `at /distinct/tool: expected one tool as server.tool, got "private"`},
	{"$session", `{"distinct": {"argument": "to", "max": 1, "tool": "bank.x"}}`, `at /distinct/tool: expected one tool as server.tool, got "bank.x"`},
	{"$session", `{"distinct": {"argument": "to", "maxx": 1}}`, `at /distinct/maxx: unknown member "maxx": expected argument, max, tool; did you mean "max"?`},
	{"$request", "{}", `expected {mentions: [pay, "send money"]}, got an empty object`},
	{"$request", `{"mention": ["pay"]}`, `at /mention: unknown member "mention": expected mentions; did you mean "mentions"?`},
	{"$request", `{"mentions": "pay"}`, "at /mentions: expected a list of words and phrases, got string"},
	{"$request", `{"mentions": ["pay", " - "]}`, `at /mentions/1: expected a word or phrase, got " - "`},
	{"$request", `{"mentions": [7]}`, "at /mentions/0: expected a word or phrase, got 7"},
	{"$signal", "{}", "expected {git_targets.untracked_affected: {max: 0}}, got an empty object"},
	{"$signal", `{"git_target.x": {}}`, `at /git_target.x: unknown collector "git_target": expected ` + strings.Join(SignalCollectors(), ", ") + `; did you mean "git_targets"?`},
	{"$signal", `{"git_state.dirt": {"max": 0}}`, `at /git_state.dirt: unknown key of git_state "dirt": expected repository, branch, staged, dirty, untracked, ignored, stash, unpushed, worktrees, operation; did you mean "dirty"?`},
	{"$signal", `{"git_state.dirty": {"const": 0}}`, "at /git_state.dirty: git_state.dirty is a count: expected max, min"},
	{"$signal", `{"git_targets.modified": {"in": ["a"]}}`, "at /git_targets.modified: git_targets.modified is a names: expected max, min"},
	{"$signal", `{"git_targets.recoverable": {"const": 1}}`, "at /git_targets.recoverable: git_targets.recoverable is true or false: expected {const: true} or {const: false}, got object"},
	{"$when", "true", "expected a CEL expression as text, got boolean"},
	{"$when", `"1 +"`, "CEL: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"},
}

func TestConditionErrors(t *testing.T) {
	for _, tt := range conditionErrors {
		c, err := NewCondition(tt.word, value(t, tt.spec), around)
		if se := (*SpecError)(nil); c != nil || !errors.As(err, &se) || err.Error() != tt.want {
			t.Errorf("%s %s:\n got %v\nwant %s", tt.word, tt.spec, err, tt.want)
		}
	}
	method := around
	method.Tool = ""
	_, err := NewCondition("$session", value(t, `{"distinct": {"argument": "to", "max": 1}}`), method)
	if err == nil || err.Error() != `at /distinct: distinct needs "tool" here: this rule is about no tool` {
		t.Errorf("without a tool: %v", err)
	}
}

// TestConditionCanonical holds operands of one meaning in a group, and different
// meanings in different groups.
func TestConditionCanonical(t *testing.T) {
	seen := map[string]string{}
	for _, group := range [][]string{
		{`$session {"called": ["private", "bank.send"]}`, `$session {"called": ["bank.send", "private", "private"]}`, `$session {"called": ["bank.send", "bank.balance", "private"]}`},
		{`$session {"called": ["bank.balance"]}`}, {`$session {"not_called": ["bank.balance"]}`},
		{`$session {"distinct": {"argument": "to", "max": 3}}`, `$session {"distinct": {"max": 3.0, "tool": "bank.send", "argument": "[\"to\"]"}}`},
		{`$session {"distinct": {"argument": "to", "max": 4}}`}, {`$session {"distinct": {"argument": "to", "max": 3, "tool": "bank.balance"}}`},
		{`$request {"mentions": ["a", "b"]}`, `$request {"mentions": ["b", "a", "b"]}`}, {`$request {"mentions": ["a", "B"]}`},
		{`$signal {"git_state.dirty": {"max": 0, "min": 0}, "git_state.branch": {"in": ["a", "b"]}}`, `$signal {"git_state.branch": {"in": ["b", "a"]}, "git_state.dirty": {"min": 0, "max": 0.0}}`},
		{`$signal {"git_state.dirty": {"max": 1}}`}, {`$signal {"git_state.dirty": {"min": 1}}`},
		{`$when "true"`}, {`$when "true "`},
	} {
		for i, one := range group {
			word, spec, _ := strings.Cut(one, " ")
			got := compileCondition(t, word, spec).Canonical().Canonical()
			if other, dup := seen[got]; dup != (i > 0) || i > 0 && other != group[0] {
				t.Errorf("%s has the form of %s", one, other)
			}
			seen[got] = group[0]
		}
	}
}
