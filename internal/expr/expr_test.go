package expr_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/expr"
	"github.com/licet-dev/licet/internal/toolcall"
)

const args = `{"amount": 12.5, "count": 3, "to": "bob@ok.example", "tags": ["a", "b"], "nested": {"deep": [{"price": 1}, {"price": 2}]},
	"big": 9007199254740993, "huge": 1e30, "odd": 0.1234567890123456789, "bigger": 9223372036854775808, "flag": true, "nothing": null, "exp": 1e2}`

func value(t testing.TB, text string) toolcall.Value {
	t.Helper()
	v, err := toolcall.Parse([]byte(text), toolcall.Bounds{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// full is an input in which everything is known.
func full(t testing.TB) expr.Input {
	return expr.Input{
		Agent: "support", Server: "bank", Tool: "send", Arguments: value(t, args),
		Session: true, Called: []string{"bank.balance", "mail.read"}, User: "ann",
		Now: time.Date(2026, 3, 4, 12, 30, 0, 0, time.UTC),
	}
}

// evaluations hold an expression and what it says; an error where it ends in "…".
var evaluations = []struct{ text, want string }{
	{`true`, "true"}, {`1 > 2`, "false"},
	{`call.agent == "support" && call.server == "bank" && call.tool == "send"`, "true"},
	{`call.arguments.amount == 12.5`, "true"}, {`call.arguments.amount > 12 && call.arguments.amount < 13`, "true"},
	{`call.arguments.count == 3 && call.arguments.count == 3.0`, "true"}, {`call.arguments.count + 1 == 4`, "true"},
	{`call.arguments.exp == 100`, "true"},
	{`call.arguments.big == 9007199254740993`, "true"}, {`call.arguments.big == 9007199254740992`, "false"},
	{`call.arguments.huge > 1.0`, "true"},
	{`call.arguments.odd > 0.1`, "error: evaluating the expression: 0.1234567890123456789 is a number that 64 bits cannot hold exactly"},
	{`call.arguments.bigger > 1.0`, "error: evaluating the expression: 9223372036854775808 is a number that 64 bits cannot hold exactly"},
	{`call.arguments.to.endsWith("@ok.example")`, "true"}, {`call.arguments["to"].matches("^bob@")`, "true"},
	{`"a" in call.arguments.tags`, "true"}, {`call.arguments.tags.all(t, t != "c")`, "true"}, {`size(call.arguments.tags) == 2`, "true"},
	{`call.arguments.nested.deep.exists(d, d.price == 2)`, "true"}, {`call.arguments.nested.deep[1].price == 1`, "false"},
	{`call.arguments.all(k, k != "evil")`, "true"}, {`call.arguments.map(k, k)[0] == "amount"`, "true"},
	{`call.arguments.nested == {"deep": [{"price": 1}, {"price": 2}]}`, "true"},
	{`has(call.arguments.amount) && !has(call.arguments.missing)`, "true"}, {`call.arguments.flag`, "error: …"}, {`call.arguments.flag == true`, "true"},
	{`call.arguments.nothing == null`, "true"},
	{`call.arguments.missing == 1`, "error: evaluating the expression: no such key: missing"},
	{`call.arguments.to > 5`, "error: evaluating the expression: no such overload"},
	{`call.arguments.amount * 2 == 25`, "error: evaluating the expression: no such overload"}, {`call.arguments.amount * 2.0 == 25.0`, "true"},
	{`1 / (call.arguments.count - 3) == 1`, "error: evaluating the expression: division by zero"},
	{`call.arguments.big * call.arguments.big > 0`, "error: evaluating the expression: integer overflow"},
	{`call.arguments.missing == 1 || true`, "true"},
	{`session.known && session.called == ["bank.balance", "mail.read"]`, "true"}, {`session.called.exists(c, c.startsWith("mail."))`, "true"},
	{`principal.user == "ann" && principal.agent == "support"`, "true"},
	{`now.getHours() == 12 && now.getDayOfWeek() == 3`, "true"}, {`(now + duration("2h")).getHours() == 14`, "true"}, {`now < timestamp("2027-01-01T00:00:00Z")`, "true"},
}

func TestEval(t *testing.T) {
	for _, tt := range evaluations {
		e, err := expr.Compile(tt.text)
		if err != nil {
			if tt.want != "error: …" {
				t.Errorf("%s: %v", tt.text, err)
			}
			continue
		}
		if got := say(e.Eval(full(t))); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.text, got, tt.want)
		}
	}
}

func say(r expr.Result, err error) string {
	switch {
	case err != nil && r != expr.Unknown:
		return "a result beside an error"
	case err != nil:
		return "error: " + err.Error()
	}
	return map[expr.Result]string{expr.True: "true", expr.False: "false", expr.Unknown: "unknown"}[r]
}

// TestUnknown evaluates with nothing known but the call.
func TestUnknown(t *testing.T) {
	in := expr.Input{Agent: "support", Server: "bank", Tool: "send", Arguments: value(t, args)}
	for text, want := range map[string]string{
		`session.known`:                                                 "false",
		`size(session.called) == 0`:                                     "unknown",
		`session.called == []`:                                          "unknown",
		`"x" in session.called`:                                         "unknown",
		`!("x" in session.called)`:                                      "unknown",
		`session.called.all(c, c != "x")`:                               "unknown",
		`session.known && "x" in session.called`:                        "false",
		`!session.known || !("x" in session.called)`:                    "true",
		`principal.user == ""`:                                          "unknown",
		`principal.user != "mallory"`:                                   "unknown",
		`principal.user in ["ann"] ? true : false`:                      "unknown",
		`now > timestamp("2020-01-01T00:00:00Z")`:                       "unknown",
		`now > timestamp("2020-01-01T00:00:00Z") || true`:               "true",
		`principal.user == "ann" && call.tool == "other"`:               "false",
		`call.arguments.amount > 5 && call.tool == "send"`:              "true",
		`[principal.user].exists(u, u == "ann") || call.tool == "send"`: "true",
	} {
		e, err := expr.Compile(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := say(e.Eval(in)); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// refusals hold a text that is no expression, and the beginning of what is said.
var refusals = []struct{ text, want string }{
	{"", "1:1: the expression is empty"}, {" \n", "1:1: the expression is empty"},
	{"call.arguments.amount", "1:1: the expression must be true or false, but it is of type dyn"},
	{"1 + 1", "1:1: the expression must be true or false, but it is of type int"},
	{"true &&", "1:8: Syntax error: mismatched input '<EOF>'"},
	{"true &&\n  call.agnt == 'x'", "2:7: undeclared reference to 'call.agnt' (did you mean 'call.agent'?)"},
	{"caller.agent == 'x'", "1:7: undeclared reference to 'caller.agent'"},
	{"call.agent == 1", "1:12: found no matching overload for '_==_'"},
	{"session.marks == []", "1:1: undeclared reference to 'session'"},
	{"signals.load > 1", "1:1: undeclared reference to 'signals'"},
	{"now.getHours('Europe/Berlin') > 8", "1:13: found no matching overload for 'getHours'"},
	{"call.agent.matches('(')", "1:20: invalid matches argument"},
	{"now > timestamp('yesterday')", "1:17: invalid timestamp argument"},
	{"now > now - duration('5 hours')", "1:22: invalid duration argument"},
	{"call.arguments.a.all(a, call.arguments.b.all(b, call.arguments.c.all(c, call.arguments.d.all(d, a == b && c == d))))", "1:1: the expression may cost"},
	{strings.Repeat("(", 60) + "true" + strings.Repeat(")", 60), "1:1: expression recursion limit exceeded"},
	{"'" + strings.Repeat("x", 5000) + "' == call.agent", "1:1: expression code point size exceeds limit"},
	{"`a` == 1", "1:1: Syntax error"},
	{"os.getenv('HOME') == ''", "1:1: undeclared reference to 'os'"},
}

func TestRefusals(t *testing.T) {
	for _, tt := range refusals {
		e, err := expr.Compile(tt.text)
		at := (*expr.Error)(nil)
		if e != nil || !errors.As(err, &at) || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%.60s: %v, want %s", tt.text, err, tt.want)
		}
	}
}

// TestCost evaluates a cheap expression on a call that makes it dear.
func TestCost(t *testing.T) {
	e, err := expr.Compile("call.arguments.ids.all(a, call.arguments.ids.exists(b, a == b))")
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int]string{10: "true", 3000: "error: evaluating the expression: operation cancelled: actual cost limit exceeded"} {
		ids := make([]toolcall.Value, n)
		for i := range ids {
			ids[i] = toolcall.StringOf(fmt.Sprint(i))
		}
		in := expr.Input{Arguments: toolcall.ObjectOf(toolcall.Member{Name: "ids", Value: toolcall.ArrayOf(ids...)})}
		if got := say(e.Eval(in)); got != want {
			t.Errorf("%d ids: %s, want %s", n, got, want)
		}
	}
}

func TestReadsSession(t *testing.T) {
	for text, want := range map[string]bool{
		"session.known": false, "call.tool == 'x'": false, "'x' in session.called": true,
		"call.arguments.a.exists(x, x in session.called)": true, "size('session.called') == 3": false,
	} {
		e, err := expr.Compile(text)
		if err != nil || e.ReadsSession() != want {
			t.Errorf("%s: %v, %v", text, e, err)
		}
	}
}

// TestConcurrent plans and evaluates one expression in several places at once.
func TestConcurrent(t *testing.T) {
	e, err := expr.Compile(`call.arguments.tags.exists(t, t == "b")`)
	if err != nil {
		t.Fatal(err)
	}
	in := full(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				if got := say(e.Eval(in)); got != "true" {
					t.Error(got)
				}
			}
		})
	}
	all.Wait()
}

// TestNumbers states that a number in an expression is the number of the call,
// or an error: never another one near it.
func TestNumbers(t *testing.T) {
	e, err := expr.Compile("call.arguments.a == call.arguments.b")
	if err != nil {
		t.Fatal(err)
	}
	number := rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?(e-?[0-9]{1,2})?`)
	rapid.Check(t, func(t *rapid.T) {
		a := number.Draw(t, "a")
		b := a
		if rapid.Bool().Draw(t, "other") {
			b = number.Draw(t, "b")
		}
		v, err := toolcall.Parse([]byte(`{"a": `+a+`, "b": `+b+`}`), toolcall.Bounds{})
		if err != nil {
			t.Skip()
		}
		r, err := e.Eval(expr.Input{Arguments: v})
		if err == nil && (r == expr.True) != v.Get("a").Equal(v.Get("b")) {
			t.Fatalf("%s == %s is %v", a, b, r)
		}
	})
}

// FuzzExpr states that a text is refused with a place in it, or says the same
// twice of the same input, without a panic.
func FuzzExpr(f *testing.F) {
	for _, tt := range evaluations {
		f.Add(tt.text)
	}
	for _, tt := range refusals {
		f.Add(tt.text)
	}
	in := full(f)
	f.Fuzz(func(t *testing.T, text string) {
		e, err := expr.Compile(text)
		if err != nil {
			at := (*expr.Error)(nil)
			if !errors.As(err, &at) || at.Line < 1 || at.Column < 1 || at.Line > strings.Count(text, "\n")+1 {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if a, b := say(e.Eval(in)), say(e.Eval(in)); a != b {
			t.Fatalf("%q says %s, then %s", text, a, b)
		}
		if got := say(e.Eval(expr.Input{})); got == "" {
			t.Fatalf("%q says nothing", text)
		}
	})
}

func BenchmarkCompile(b *testing.B) {
	for b.Loop() {
		if _, err := expr.Compile(`call.arguments.amount < 100 && !("bank.balance" in session.called)`); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFirstEval(b *testing.B) {
	in := full(b)
	for b.Loop() {
		b.StopTimer()
		e, err := expr.Compile(`call.arguments.amount < 100 && !("bank.balance" in session.called)`)
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		if _, err := e.Eval(in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEval(b *testing.B) {
	in := full(b)
	e, err := expr.Compile(`call.arguments.amount < 100 && !("bank.balance" in session.called)`)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := e.Eval(in); err != nil {
			b.Fatal(err)
		}
	}
}
