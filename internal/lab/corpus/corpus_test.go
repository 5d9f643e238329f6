package corpus

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/lab/doors"
)

const bypass = "../../../corpora/bypass/cases.jsonl"

func bypassText(t testing.TB) []byte {
	t.Helper()
	text, err := os.ReadFile(bypass)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// rowsOf are the rows of each surface in the bypass corpus; a run that sees
// fewer is not looking.
var rowsOf = map[string]int{"mcp": 40, "policy": 16, "approval": 17, "bash": 60, "hook": 13}

func TestBypassCore(t *testing.T) {
	c, err := Open(bypass)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Run(t.Context(), doors.Core{})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, row := range r.Rows {
		seen[row.Surface]++
		if row.Status <= Stricter {
			t.Errorf("%s: %s: %s", row.ID, row.Status, row.Reason)
		}
	}
	for surface, n := range rowsOf {
		if seen[surface] != n {
			t.Errorf("%s: %d rows, want %d", surface, seen[surface], n)
		}
	}
}

// TestBlind: what the translation may not see changes no decision, not in a
// byte. Policy rows are left out: their table is by id.
func TestBlind(t *testing.T) {
	var whole, blind Corpus
	for line := range bytes.Lines(bypassText(t)) {
		var r row
		if err := strict(line, &r); err != nil {
			t.Fatal(err)
		}
		if r.Surface == "policy" {
			continue
		}
		for c, r := range map[*Corpus]row{&whole: r, &blind: {Surface: r.Surface, Input: r.Input}} {
			p, err := plan(r)
			if err != nil {
				t.Fatal(err)
			}
			c.all = append(c.all, p)
		}
	}
	want, got := decisions(t, whole), decisions(t, blind)
	if len(want) < 40 {
		t.Fatalf("looked at %d rows", len(want))
	}
	for i := range want {
		if !bytes.Equal(want[i], got[i]) {
			t.Errorf("row %d: with a name\n%s\nwithout\n%s", i, want[i], got[i])
		}
	}
}

// decisions returns the contract of each row with the answers that it gave.
func decisions(t *testing.T, c Corpus) (all [][]byte) {
	t.Helper()
	r, err := c.Run(t.Context(), doors.Core{})
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range r.Rows {
		if c.all[i].suite == nil {
			all = append(all, []byte(c.all[i].waits.Error()))
			continue
		}
		text := slices.Clone(c.all[i].suite.Contract.Text)
		for _, a := range row.Answers {
			reasons, err := json.Marshal(a.Reasons)
			if err != nil {
				t.Fatal(err)
			}
			text = fmt.Appendf(text, "\n%s %s", a.Verdict, reasons)
		}
		all = append(all, text)
	}
	return all
}

// TestTwins: the policies of the corpus, translated, let harmless calls through.
// Without this a contract that blocks all would pass for a good one.
func TestTwins(t *testing.T) {
	policies := map[string]json.RawMessage{}
	for line := range bytes.Lines(bypassText(t)) {
		var r struct {
			ID    string
			Input struct{ Policy json.RawMessage }
		}
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		policies[r.ID] = r.Input.Policy
	}
	for _, c := range []struct {
		row, call string
		want      authz.Verdict
	}{
		{"m018", `"refund","arguments":{"amount":500,"currency":"usd"}`, authz.Allow},
		{"m018", `"refund","arguments":{"amount":5001,"currency":"usd"}`, authz.Block},
		{"m018", `"read_file","arguments":{"path":"/srv/proj/a.md"}`, authz.Allow},
		{"m018", `"read_file","arguments":{"path":"/srv/other/a.md"}`, authz.Block},
		{"m018", `"fetch","arguments":{"url":"https://docs.example.com/a"}`, authz.Allow},
		{"m018", `"fetch","arguments":{"url":"http://docs.example.com/a"}`, authz.Block},
		{"m018", `"send_email","arguments":{}`, authz.RequireApproval},
		{"m018", `"drop_table","arguments":{}`, authz.Block},
		{"m034", `"send_note","arguments":{"to":"a@example.com"}`, authz.Allow},
		{"m041", `"call_tool","arguments":{"tool_name":"read_file"}`, authz.Allow},
		{"m049", `"write_file","arguments":{"path":"/srv/proj/d/new.txt","content":"x"}`, authz.Allow},
		{"m053", `"fetch","arguments":{"url":"https://docs.example.com/pub/a"}`, authz.Allow},
		{"m053", `"fetch","arguments":{"url":"https://docs.example.com/admin"}`, authz.Block},
		{"m055", `"fetch","arguments":{"url":"https://good.test/"}`, authz.Allow},
		{"m055", `"fetch","arguments":{"url":"https://evil.test/"}`, authz.Block},
		{"m057", `"refund","arguments":{"amount":100,"currency":"usd"}`, authz.Allow},
	} {
		input, err := json.Marshal(map[string]any{
			"policy": policies[c.row],
			"raw":    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":` + c.call + `}}`,
		})
		if err != nil {
			t.Fatal(err)
		}
		p, err := plan(row{ID: "twin", Surface: "mcp", Input: input, Expected: c.want})
		if err != nil {
			t.Fatal(err)
		}
		r, err := (&Corpus{[]planned{p}}).Run(t.Context(), doors.Core{})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Rows[0]; got.Status != Passed {
			t.Errorf("%s: %s: %s: %s", c.row, c.call, got.Status, got.Reason)
		}
	}
}

// TestPlanted: a program that a row has on PATH is stopped where the agent can write
// it, and where nobody says that it can, the same command is allowed.
func TestPlanted(t *testing.T) {
	for input, want := range map[string]authz.Verdict{
		`"command":"head -5 a","allow":["head"],"resolved":{"head":"/home/u/.local/bin/head","agent_writable":true}`:                            authz.Block,
		`"command":"head -5 a","allow":["head"],"resolved":{"head":"/home/u/.local/bin/head","agent_writable":false}`:                           authz.Allow,
		`"command":"head -5 a","allow":["head"],"resolved":{"head":"/home/u/.local/bin/head"}`:                                                  authz.Allow,
		`"command":"head -5 a","allow":["head"],"resolved":{"head":"/srv/proj/bin/head","agent_writable":false}`:                                authz.Block, // a command may write the project
		`"command":"head -5 a","allow":["head"],"resolved":{"tail":"/home/u/.local/bin/tail","agent_writable":true}`:                            authz.Allow,
		`"command":"/usr/bin/head -5 a","allow":["head"],"resolved":{"head":"/home/u/.local/bin/head","agent_writable":true}`:                   authz.Allow,
		`"command":"env head -5 a","allow":["env","head"],"resolved":{"head":"/home/u/.local/bin/head","agent_writable":true}`:                  authz.Block,
		`"command":"head -5 a","approve":["head"],"resolved":{"head":"/home/u/.local/bin/head","agent_writable":true}`:                          authz.Block,
		`"command":"head -5 a","approve":["head"],"resolved":{"head":"/home/u/.local/bin/head","agent_writable":false}`:                         authz.RequireApproval,
		`"command":"echo a","allow":["echo"],"resolved":{"echo":"/home/u/.local/bin/echo","agent_writable":true}`:                               authz.Allow, // the shell's own
		`"command":"head a | tail","allow":["head","tail"],"resolved":{"tail":"/home/u/.local/bin/tail","agent_writable":true}`:                 authz.Block,
		`"command":"cp a ~/.local/bin/wc; wc a","allow":["cp","wc"],"resolved":{"xyz":"/home/u/.local/bin/xyz","agent_writable":true}`:          authz.Block,
		`"command":"cp a ~/.local/bin/wc; /usr/bin/wc a","allow":["cp","wc"],"resolved":{"xyz":"/home/u/.local/bin/xyz","agent_writable":true}`: authz.Allow,
	} {
		p, err := plan(row{ID: "twin", Surface: "bash", Input: []byte(`{"tool":"Bash","cwd":"/srv/proj","default":"BLOCK",` + input + `}`), Expected: want})
		if err != nil {
			t.Fatal(err)
		}
		r, err := (&Corpus{[]planned{p}}).Run(t.Context(), doors.Core{})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Rows[0]; got.Status != Passed {
			t.Errorf("%s: %s: %s", input, got.Status, got.Reason)
		}
	}
}

// TestUnknown: what the translation does not know refuses the corpus, with the
// line.
func TestUnknown(t *testing.T) {
	const base = `{"id":"x","source":"s","class":"c","surface":%q,"input":%s,"expected":"BLOCK","why":"w"}`
	const pol = `"policy":{"agent":"a","default":"BLOCK","tools":{"f":{}}}`
	for name, c := range map[string]struct{ surface, input, says string }{
		"a surface":           {"fax", `{}`, "fax"},
		"mcp: a member":       {"mcp", `{` + pol + `,"raw":"{}","mood":1}`, "mood"},
		"mcp: of the policy":  {"mcp", `{"policy":{"agent":"a","default":"BLOCK","mood":1},"raw":"{}"}`, "mood"},
		"mcp: of an argument": {"mcp", `{"policy":{"agent":"a","default":"BLOCK","tools":{"f":{"args":{"x":{"mood":1}}}}},"raw":"{}"}`, "mood"},
		"mcp: of the catalog": {"mcp", `{` + pol + `,"raw":"{}","catalog":{"mood":1}}`, "mood"},
		"mcp: a transport":    {"mcp", `{` + pol + `,"raw":"{}","transport":"pigeon"}`, "pigeon"},
		"mcp: a default":      {"mcp", `{"policy":{"agent":"a","default":"ALLOW"},"raw":"{}"}`, "ALLOW"},
		"mcp: a type":         {"mcp", `{"policy":{"agent":"a","default":"BLOCK","tools":{"f":{"args":{"x":{"type":"fish"}}}}},"raw":"{}"}`, "fish"},
		"mcp: a rate":         {"mcp", `{"policy":{"agent":"a","default":"BLOCK","tools":{"f":{}},"rate":{"f":"1/fortnight"}},"raw":"{}"}`, "fortnight"},
		"mcp: an event":       {"mcp", `{` + pol + `,"raw":"{}","catalog":{"event":"bang","pinned":["f"],"observed":["f"]}}`, "bang"},
		"mcp: no message":     {"mcp", `{` + pol + `}`, "raw"},
		"mcp: two messages":   {"mcp", `{` + pol + `,"raw":"{}","raw_hex":"7b7d"}`, "raw"},
		"mcp: not hex":        {"mcp", `{` + pol + `,"raw_hex":"xy"}`, "hex"},
		"mcp: no link":        {"mcp", `{` + pol + `,"raw":"{}","fs":{"/a":"file"}}`, "link"},
		"mcp: others' calls":  {"mcp", `{` + pol + `,"raw":"{}","history":{"agent":"b","calls_last_hour":1}}`, "history"},
		"approval: a member":  {"approval", `{"sequence":[],"mood":1}`, "mood"},
		"approval: of a step": {"approval", `{"sequence":[{"step":"approve","tool":"f","mood":1}]}`, "mood"},
		"approval: a step":    {"approval", `{"sequence":[{"step":"dance","tool":"f"}]}`, "dance"},
		"approval: no steps":  {"approval", `{"sequence":[]}`, "no steps"},
		"approval: a name":    {"approval", `{"sequence":[{"step":"approve","tool":"f","nonce":"n1"},{"step":"execute","tool":"f","nonce":"n2"}]}`, "n2"},
		"policy: no entry":    {"policy", `{}`, "nothing translates"},
		"bash":                {"bash", `{"mood":1}`, "mood"},
		"bash: a program":     {"bash", `{"tool":"t","command":"c","cwd":"/srv/proj","default":"BLOCK","resolved":{"head":"/elsewhere/head"}}`, "elsewhere"},
		"bash: two names":     {"bash", `{"tool":"t","command":"c","cwd":"/srv/proj","default":"BLOCK","resolved":{"head":"/home/u/tail"}}`, "tail"},
		"bash: no flag":       {"bash", `{"tool":"t","command":"c","cwd":"/srv/proj","default":"BLOCK","resolved":{"agent_writable":"yes"}}`, "yes"},
		"hook":                {"hook", `{"mood":1}`, "mood"},
	} {
		line := fmt.Sprintf(base, c.surface, c.input)
		if _, err := read("c.jsonl", []byte("\n"+line)); err == nil || !strings.Contains(err.Error(), c.says) || !strings.HasPrefix(err.Error(), "c.jsonl:2: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, text := range map[string]string{
		"a member of the row": `{"id":"x","surface":"bash","input":{},"expected":"BLOCK","why":"w","mood":1}`,
		"a member twice":      `{"id":"x","id":"x","surface":"bash","input":{},"expected":"BLOCK","why":"w"}`,
		"a verdict":           `{"id":"x","surface":"bash","input":{},"expected":"MAYBE","why":"w"}`,
		"no sentence why":     `{"id":"x","surface":"bash","input":{},"expected":"BLOCK"}`,
		"nothing":             "\n",
		"an id twice":         strings.Repeat(`{"id":"x","surface":"bash","input":{},"expected":"BLOCK","why":"w"}`+"\n", 2),
	} {
		if _, err := read("c.jsonl", []byte(text)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// TestPolicies: the table has an entry for each policy row and no other.
func TestPolicies(t *testing.T) {
	left := map[string]bool{}
	for id := range rules {
		left[id] = true
	}
	for line := range bytes.Lines(bypassText(t)) {
		var r row
		if err := strict(line, &r); err != nil {
			t.Fatal(err)
		}
		delete(left, r.ID)
	}
	if len(left) > 0 {
		t.Errorf("no row for %v", left)
	}
	s := rules["p004"]
	s.refused = false
	if _, err := planOf(s); err == nil {
		t.Error("a contract that is refused without need passes for one that blocks")
	}
}

func planOf(s said) (planned, error) {
	p := planned{}
	c, err := s.translate([]byte(`{"request":{"agent":"a1","tool":"drop_table","arguments":{}}}`))
	if err == nil {
		err = p.put(c)
	}
	return p, err
}

// TestJudge: every way in which an answer can differ from the expected one.
func TestJudge(t *testing.T) {
	answer := func(v authz.Verdict) cases.Answer {
		return cases.Answer{Verdict: v, Reasons: []authz.Reason{{Code: authz.NoClause}}}
	}
	wrong := func(step int, want, got authz.Verdict) cases.Result {
		return cases.Result{Status: cases.Wrong, Step: step, Want: cases.Expect{Verdict: want}, Got: answer(got), Answers: []cases.Answer{answer(got)}}
	}
	for name, c := range map[string]struct {
		result cases.Result
		want   Status
		failed bool
	}{
		"passed":                 {cases.Result{Status: cases.Passed}, Passed, false},
		"looser":                 {wrong(1, authz.Block, authz.Allow), Wrong, true},
		"stricter":               {wrong(1, authz.Allow, authz.RequireApproval), Stricter, true},
		"stricter before":        {wrong(0, authz.Allow, authz.Block), Wrong, true},
		"the same, another code": {wrong(1, authz.Block, authz.Block), Wrong, true},
		"a check":                {cases.Result{Status: cases.Broken, Err: fmt.Errorf("x: %w", doors.Unmet{Why: "y"})}, Wrong, true},
		"a door that fails":      {cases.Result{Status: cases.Broken, Err: os.ErrClosed}, Broken, true},
		"a door that cannot":     {cases.Result{Status: cases.Unsupported, Err: cases.Inexpressible{Why: "no"}}, Inexpressible, false},
	} {
		r := Report{}
		r.add(planned{id: "x", surface: "mcp", last: 1}.judge(c.result))
		if got := r.Rows[0].Status; got != c.want || r.Failed() != c.failed {
			t.Errorf("%s: %s, failed %v", name, got, r.Failed())
		}
	}
}

// TestOpen: a file is read for what it is.
func TestOpen(t *testing.T) {
	if _, err := Open("no-such-file"); err == nil {
		t.Error("a file that is not there was read")
	}
	c, err := Open(bypass, "../../../contracts/bank/bank.cases.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for surface, least := range map[string]int{Surface: 25, "policy": 16} {
		if n := len(c.On([]string{surface}).all); n < least {
			t.Errorf("%s: %d cases, want at least %d", surface, n, least)
		}
	}
}

// FuzzRead: what is read is either asked or waits, and a contract that was
// translated loads, unless the case is that it must not.
func FuzzRead(f *testing.F) {
	for line := range bytes.Lines(bypassText(f)) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.Contains(line, []byte("raw_gen")) {
			return // the text may ask for any amount of memory
		}
		all, err := read("c.jsonl", line)
		if err != nil {
			return
		}
		for _, p := range all {
			if (p.suite == nil) == (p.waits == nil) {
				t.Fatal("a row neither asks nor waits, or both")
			}
			if p.suite == nil {
				continue
			}
			last := p.suite.Cases[0].Steps[p.last]
			if _, err := p.suite.Contract.Load(); err != nil && last.Expect.Code != authz.NoContract {
				t.Errorf("the contract is refused: %v", err)
			}
			if last.Expect.Verdict != p.expected {
				t.Errorf("the row's verdict is not asked for")
			}
		}
	})
}
