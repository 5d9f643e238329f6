package replay_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/lab/replay"
	"github.com/licet-dev/licet/internal/testkit"
)

const tools = `{"tools": [{"name": "list", "inputSchema": {"type": "object", "properties": {}}},
	{"name": "hidden", "inputSchema": {"type": "object", "properties": {}}},
	{"name": "pay", "inputSchema": {"type": "object", "properties": {"to": {"type": "string"}}}},
	{"name": "ask", "inputSchema": {"type": "object", "properties": {"x": {"type": "integer"}}}}]}`

const rules = `
version: 1
name: shop
catalogs: {shop: {pin: PIN, tools: shop.json}}
agents:
  buyer:
    tools:
      shop.list: allow
      shop.ask: approve
      shop.pay: {allow: [{to: {from: [request, {result: shop.list}, {result: shop.hidden}]}}, {to: {from: {result: shop.list, at: "[].iban"}}}]}
`

func source(t testing.TB, text string) cases.Source {
	t.Helper()
	c, err := catalog.Parse([]byte(tools))
	if err != nil {
		t.Fatal(err)
	}
	text = strings.ReplaceAll(text, "PIN", c.Digest())
	return cases.Source{Name: "licet.yaml", Text: []byte(text), Files: map[string][]byte{"shop.json": []byte(tools)}}
}

func judges(t testing.TB) replay.Judges {
	return replay.Judges{All: []replay.Judge{judge(t, rules)}}
}

func judge(t testing.TB, text string) replay.Judge {
	t.Helper()
	j, err := replay.NewJudge(source(t, text), "buyer", "")
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func file(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

const traces = `{"id":"a result","calls":[{"tool":"list","args":{},"result":"IBAN1"},{"tool":"pay","args":{"to":"IBAN1"}}]}
{"id":"another's result","calls":[{"tool":"pay","args":{"to":"IBAN1"}}]}
{"id":"the prompt","prompt":"pay IBAN2","calls":[{"tool":"pay","args":{"to":"IBAN2"}}]}
{"id":"an attacker's goal","goal":"pay IBAN2","calls":[{"tool":"pay","args":{"to":"IBAN2"}}]}
{"id":"a call that did not run","calls":[{"tool":"hidden","args":{},"result":"IBAN3"},{"tool":"pay","args":{"to":"IBAN3"}}]}
{"id":"a call that failed","calls":[{"tool":"list","args":{},"result":"IBAN4","error":"IBAN4"},{"tool":"pay","args":{"to":"IBAN4"}}]}
{"id":"a place in a document","calls":[{"tool":"list","args":{},"result":"- iban: IBAN5\n  note: IBAN6"},{"tool":"pay","args":{"to":"IBAN5"}}]}
{"id":"asked twice, and once more","calls":[{"tool":"ask","args":{"x":1}},{"tool":"ask","args":{"x":1.0}},{"tool":"ask","args":{"x":2}},{"tool":"list","args":{}}]}
{"id":"none","calls":[]}
`

// TestSession: the user's turns and the results of calls that were let through are
// facts of a trace, and of no other.
func TestSession(t *testing.T) {
	want := map[string]string{
		"a result": "ALLOW ALLOW", "another's result": "BLOCK", "the prompt": "ALLOW", "an attacker's goal": "BLOCK",
		"a call that did not run": "BLOCK BLOCK", "a call that failed": "ALLOW BLOCK", "a place in a document": "ALLOW ALLOW",
		"asked twice, and once more": "REQUIRE_APPROVAL REQUIRE_APPROVAL REQUIRE_APPROVAL ALLOW", "none": "",
	}
	check := func(name string, o replay.Options) {
		f, err := replay.Run{Judges: judges(t), Options: o}.File(t.Context(), file(t, "t.jsonl", traces))
		if err != nil || len(f.Outcomes) != len(want) {
			t.Fatalf("%s: %d outcomes, %v", name, len(f.Outcomes), err)
		}
		for _, o := range f.Outcomes {
			if got := verdicts(o); got != want[o.ID] {
				t.Errorf("%s: %s: %s, want %s: %+v", name, o.ID, got, want[o.ID], o.Calls)
			}
		}
	}
	check("as recorded", replay.Options{})
	want["the prompt"] = "BLOCK"
	check("without turns", replay.Options{NoTurns: true})
	want["the prompt"], want["a call that did not run"], want["asked twice, and once more"] = "ALLOW", "BLOCK", "REQUIRE_APPROVAL"
	check("ending", replay.Options{End: true})
}

func verdicts(o replay.Outcome) string {
	var all []string
	for _, d := range o.Calls {
		all = append(all, d.Verdict.String())
	}
	return strings.Join(all, " ")
}

// TestCalls: each call counts for itself, also behind one that was stopped.
func TestCalls(t *testing.T) {
	f, err := replay.Run{Judges: judges(t)}.File(t.Context(), file(t, "t.jsonl", traces))
	if err != nil {
		t.Fatal(err)
	}
	want := replay.Calls{All: 15, Held: 3, Blocked: 5, Codes: map[authz.Code]int{authz.ApproveClause: 3, authz.NoClause: 4, authz.NotListed: 1}}
	if got := replay.CallsOf(f.Outcomes); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := replay.CallsOf(nil); got.All != 0 || len(got.Codes) != 0 {
		t.Errorf("of nothing: %+v", got)
	}
	if got, want := replay.CountOf(f.By("suite")[""]), f.Count(); got != want || len(f.By("suite")) != 1 {
		t.Errorf("by a label that none has: %+v, want %+v", got, want)
	}
}

// TestFrozen: the contracts from the policies of tau-bench are those that their pages
// say were written before they were asked about a session.
func TestFrozen(t *testing.T) {
	for _, name := range []string{"tau-airline", "tau-retail"} {
		dir := filepath.Join(testkit.Root(t), "contracts", name)
		read := func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, name)) }
		text, err := read("licet.yaml")
		if err != nil {
			t.Fatal(err)
		}
		source, err := cases.ReadSource(name, text, read)
		if err != nil {
			t.Fatal(err)
		}
		c, err := source.Load()
		if err != nil {
			t.Fatal(err)
		}
		page, err := read("README.md")
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(page, []byte("`"+c.Digest()+"`")) {
			t.Errorf("the page of %s does not have the digest %s", name, c.Digest())
		}
	}
}

// TestAsked: the same call shares its ticket.
func TestAsked(t *testing.T) {
	f, err := replay.Run{Judges: judges(t)}.File(t.Context(), file(t, "t.jsonl", traces))
	if err != nil || f.Outcomes[7].Asked != 2 {
		t.Errorf("%+v, %v", f.Outcomes[7], err)
	}
}

// TestFlawedArguments: the gate is given what was recorded, and refuses it.
func TestFlawedArguments(t *testing.T) {
	text := `[{"type":"function_call","call_id":"1","name":"list","arguments":"{oops"},{"type":"function_call","call_id":"2","name":"list","arguments":"{}"}]`
	f, err := replay.Run{Judges: judges(t)}.File(t.Context(), file(t, "t.json", text))
	if err != nil || verdicts(f.Outcomes[0]) != "BLOCK ALLOW" || f.Outcomes[0].Calls[0].Code != authz.Malformed || f.Outcomes[0].Calls[0].Args != "{oops" {
		t.Errorf("%+v, %v", f, err)
	}
}

// TestSuites: who names a suite is judged by the contract with a server of that
// name; each call can also be judged as one of the server that has its tool.
func TestSuites(t *testing.T) {
	path := file(t, "t.jsonl", `{"id":"a","suite":"shop","calls":[{"tool":"list","args":{}}]}
{"id":"b","suite":"bank","calls":[{"tool":"list","args":{}}]}
{"id":"c","suite":"bank","calls":[{"tool":"pay","args":{}},{"tool":"sing","args":{}}]}
not json
`)
	two := strings.Replace(rules, "catalogs: {shop", "catalogs: {bank: {pin: PIN, tools: shop.json}, shop", 1) + "      bank.list: approve\n"
	for name, tt := range map[string]struct {
		judges replay.Judges
		want   string
	}{
		"one server":  {judges(t), "a ALLOW, 2 left out, 1 problem"},
		"whatever":    {replay.Judges{All: judges(t).All, Any: true}, "a ALLOW, b ALLOW, c BLOCK BLOCK, 0 left out, 1 problem"},
		"two servers": {replay.Judges{All: []replay.Judge{judge(t, two)}}, "a ALLOW, b REQUIRE_APPROVAL, c BLOCK BLOCK, 0 left out, 1 problem"},
		"by the tool": {replay.Judges{All: []replay.Judge{judge(t, strings.Replace(two, "bank", "kiosk", -1))}, ByTool: true}, "a ALLOW, b ALLOW, c BLOCK BLOCK, 0 left out, 1 problem"},
	} {
		f, err := replay.Run{Judges: tt.judges}.File(t.Context(), path)
		got := ""
		for _, o := range f.Outcomes {
			got += o.ID + " " + verdicts(o) + ", "
		}
		if got += fmt.Sprintf("%d left out, %d problem", f.LeftOut, len(f.Problems)); err != nil || got != tt.want {
			t.Errorf("%s: %s, %v, want %s", name, got, err, tt.want)
		}
	}
	bare := file(t, "t.jsonl", `{"id":"a","calls":[]}`)
	if _, err := (replay.Run{Judges: replay.Judges{All: []replay.Judge{judge(t, two)}}}).File(t.Context(), bare); err == nil || !strings.Contains(err.Error(), "names no suite") {
		t.Errorf("no suite, and two servers: %v", err)
	}
}

// TestCount: the strictest answer decides, and a trace without calls is none.
func TestCount(t *testing.T) {
	var n replay.Count
	for _, all := range [][]authz.Verdict{
		{}, {authz.Allow}, {authz.Allow, authz.RequireApproval, authz.Allow}, {authz.RequireApproval, authz.Block}, {authz.Block, authz.RequireApproval},
	} {
		var o replay.Outcome
		for _, v := range all {
			o.Calls = append(o.Calls, replay.Decision{Verdict: v})
		}
		n.Add(o)
	}
	if want := (replay.Count{Traces: 4, Empty: 1, Allowed: 1, Held: 1, Blocked: 2}); n != want || n.Plus(n).Blocked != 4 {
		t.Errorf("%+v, want %+v", n, want)
	}
}

// run replays a file with a journal and returns the report as one text.
func run(t testing.TB, r replay.Run, journal, path string) (string, error) {
	j, err := r.OpenJournal(journal, []string{path})
	if err != nil {
		return "", err
	}
	defer j.Close()
	r.Journal = j
	f, err := r.File(t.Context(), path)
	if err != nil {
		return "", err
	}
	files, err := r.Report([]replay.File{f}).Files()
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	for _, name := range []string{"report.html", "report.md", "report.json"} {
		b.Write(files[name])
	}
	return b.String(), nil
}

// TestResume: whatever beginning of the journal a killed run left, the next one
// comes to the same journal and report.
func TestResume(t *testing.T) {
	path := file(t, "t.jsonl", traces+"not json\n")
	r := replay.Run{Judges: judges(t)}
	whole := filepath.Join(t.TempDir(), "answers.jsonl")
	want, err := run(t, r, whole, path)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		left := filepath.Join(dir, "answers.jsonl")
		if err := os.WriteFile(left, text[:rapid.IntRange(0, len(text)).Draw(rt, "length")], 0o666); err != nil {
			rt.Fatal(err)
		}
		got, err := run(t, r, left, path)
		after, _ := os.ReadFile(left)
		if err != nil || got != want || !bytes.Equal(after, text) {
			rt.Fatalf("%v: another report, or another journal:\n%s\nwant\n%s", err, after, text)
		}
	})
}

// FuzzJournal: whatever stands in the journal, it is refused, or the run comes to a
// report that has every trace of the file.
func FuzzJournal(f *testing.F) {
	path := file(f, "t.jsonl", traces)
	r := replay.Run{Judges: judges(f)}
	journal := filepath.Join(f.TempDir(), "answers.jsonl")
	if _, err := run(f, r, journal, path); err != nil {
		f.Fatal(err)
	}
	text, err := os.ReadFile(journal)
	if err != nil {
		f.Fatal(err)
	}
	heading, rest, _ := bytes.Cut(text, []byte("\n"))
	f.Add(text)
	f.Add(append(append([]byte{}, heading...), "\n{}\n"...))
	f.Add(rest)
	f.Add([]byte("\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		left := filepath.Join(t.TempDir(), "answers.jsonl")
		if err := os.WriteFile(left, text, 0o666); err != nil {
			t.Fatal(err)
		}
		j, err := r.OpenJournal(left, []string{path})
		if err != nil {
			return
		}
		defer j.Close()
		resumed := r
		resumed.Journal = j
		f, err := resumed.File(t.Context(), path)
		if err == nil && len(f.Outcomes) != strings.Count(traces, "\n") {
			t.Errorf("%d outcomes", len(f.Outcomes))
		}
	})
}

// TestOtherRun: a journal is taken up by the run that began it only.
func TestOtherRun(t *testing.T) {
	path := file(t, "t.jsonl", traces)
	journal := filepath.Join(t.TempDir(), "answers.jsonl")
	r := replay.Run{Judges: judges(t)}
	if _, err := run(t, r, journal, path); err != nil {
		t.Fatal(err)
	}
	other := r
	other.Options.End = true
	if _, err := run(t, other, journal, path); err == nil || !strings.Contains(err.Error(), "another run") {
		t.Errorf("with another option: %v", err)
	}
	stricter := replay.Run{Judges: judges(t)}
	stricter.Judges.All[0] = judge(t, strings.Replace(rules, "shop.ask: approve", "shop.ask: block", 1))
	if _, err := run(t, stricter, journal, path); err == nil || !strings.Contains(err.Error(), "another run") {
		t.Errorf("with another contract: %v", err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(traces, "IBAN1", "IBAN9", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := run(t, r, journal, path); err == nil || !strings.Contains(err.Error(), "the files are others") {
		t.Errorf("with another file: %v", err)
	}
	if err := os.WriteFile(journal, []byte("{}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := run(t, r, journal, path); err == nil || !strings.Contains(err.Error(), "another run") {
		t.Errorf("with a file that is no journal: %v", err)
	}
}
