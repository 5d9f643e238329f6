package fakellm_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/cli"
	"github.com/licet-dev/licet/internal/judge"
	"github.com/licet-dev/licet/internal/testkit"
)

// asBank is the argument that makes this test program the server behind `licet
// mcp`. It is no variable of the environment: of one that does not reach the server,
// every copy of the program would start another.
const asBank = "bank"

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == asBank {
		os.Exit(cli.Run(context.Background(), []string{"licet", "bank"}, os.Environ(), os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// pageRow is one row of the table of docs/spec/judge.md.
type pageRow struct {
	code     string
	requests int
	a, b     string // verdicts
	breaker  bool
	outage   bool
	alerts   bool
	keeps    bool
	retry    string
}

// pageRows reads the table.
func pageRows(t *testing.T) (rows []pageRow) {
	t.Helper()
	page, err := os.ReadFile("../../../docs/spec/judge.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(page), "| code | when |")
	if !found {
		t.Fatal("the page has no table of codes")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	for _, line := range strings.Split(table, "\n")[2:] {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if len(cells) != 11 {
			t.Fatalf("%d cells: %s", len(cells), line)
		}
		n, err := strconv.Atoi(cells[3])
		if err != nil {
			t.Fatal(err)
		}
		word, _, _ := strings.Cut(cells[4], ",")
		rows = append(rows, pageRow{
			code: strings.Trim(cells[0], "`"), requests: n, a: word, b: cells[5],
			breaker: cells[6] == "yes", outage: cells[7] == "yes", alerts: cells[8] == "yes", keeps: cells[9] == "yes", retry: cells[10],
		})
	}
	return rows
}

// way is how the scripted server is made to give one code.
type way struct {
	rules  string // of the script
	votes  int
	tries  int64  // that may be used up in all; 0: many
	note   string // of the call that is judged
	files  string // what is wrong with the operator's files
	before int    // calls that come first, in the same process
}

const verdictBlock = `{verdict: {action_effects: [sends], authorizing_spans: [], uncovered_effects: [f1], authorization: none, ` +
	`failure_mode: scope_escalation, risk: high, signals_used: [], confidence: 1, rationale: No., decision: block}}`

// ways has a row for every row of the page. nv_fence needs nonces that are known
// before: it has a test of its own.
var ways = map[string]way{
	"block":        {rules: verdictBlock},
	"nv_timeout":   {rules: "{fault: late}"},
	"nv_transport": {rules: "{fault: cut}"},
	"nv_rate":      {rules: "{fault: rate}"},
	"nv_server":    {rules: "{fault: overloaded}"},
	"nv_quota":     {rules: "{fault: quota}"},
	"nv_auth":      {rules: "{fault: auth}"},
	"nv_request":   {rules: "{fault: not_found}"},
	"nv_malformed": {rules: "{fault: prose}"},
	"nv_schema":    {rules: "{fault: wrong_type}"},
	"nv_refusal":   {rules: "{fault: refusal}"},
	"nv_filter":    {rules: "{fault: filter}"},
	"nv_length":    {rules: "{fault: length}"},
	"nv_overflow":  {rules: "{fault: overflow}"},
	"nv_clipped":   {rules: verdictBlock, note: strings.Repeat("word ", 14<<10)},
	"nv_fence":     {files: "elsewhere"},
	"nv_model":     {rules: "{fault: other_model}"},
	"nv_votes": {votes: 3, rules: "{when: {match: Answer with the object}, " + verdictBlock[1:] +
		"\n- {when: {match: Give your judgement of}, fault: refusal}\n- {fault: filter}"},
	"nv_outage":   {rules: "{fault: forbidden}", before: 5},
	"nv_budget":   {rules: verdictBlock, votes: 3, tries: 1},
	"nv_policy":   {rules: verdictBlock, files: "policy"},
	"nv_internal": {rules: verdictBlock, files: "models"},
}

// TestNoVerdictTable: every row of the page, through `licet decide` and through
// `licet mcp`, with and without somebody who may answer.
func TestNoVerdictTable(t *testing.T) {
	rows := pageRows(t)
	from, pin := enrolled(t)
	if len(rows) != len(ways) || len(rows) != 22 {
		t.Errorf("%d rows on the page, %d here", len(rows), len(ways))
	}
	for _, row := range rows {
		w, known := ways[row.code]
		if !known {
			t.Errorf("the page has a row for %s, and the test none", row.code)
		}
		if n := judge.NoVerdict(row.code); n.Outage() != row.outage || row.code != "block" && n.Alert() != row.alerts {
			t.Errorf("%s: outage %t, alert %t", row.code, n.Outage(), n.Alert())
		}
		if w.files == "elsewhere" {
			continue
		}
		for _, door := range []string{"decide", "mcp"} {
			if door == "decide" && w.before > 0 {
				continue // a process that decides one call has no outage
			}
			for column, want := range map[string]string{"A": row.a, "B": row.b} {
				t.Run(row.code+"/"+door+"/"+column, func(t *testing.T) {
					t.Parallel()
					b := newTable(t, from, pin, w, column, door)
					b.play(t, door, w, row, want)
				})
			}
		}
	}
}

// table is a place where one row is played.
type table struct {
	dir string
	log *log // of the scripted server
}

// enrolled makes a folder with a state in which somebody may answer tickets, and
// returns the pin of the bank's catalog.
func enrolled(t *testing.T) (b *table, pin string) {
	b = &table{dir: t.TempDir()}
	b.write(t, "tools.json", string(testkit.BankCatalog(t)))
	b.write(t, "pass", "correct horse battery staple\n")
	b.licet(t, "", "approvals", "enroll", "you", "--passphrase-file", "pass")
	c, err := catalog.Parse(testkit.BankCatalog(t))
	if err != nil {
		t.Fatal(err)
	}
	return b, c.Digest()
}

// newTable makes the place: column B is a contract that says block, or one that
// says approve where nobody can.
func newTable(t *testing.T, from *table, pin string, w way, column, door string) *table {
	t.Helper()
	b := &table{dir: t.TempDir(), log: &log{}}
	url := serve(t, "rules:\n- "+w.rules+"\n", b.log)
	outcome := "approve"
	if column == "B" && door == "mcp" {
		outcome = "block"
	}
	b.write(t, "tools.json", string(testkit.BankCatalog(t)))
	state := filepath.Join(b.dir, "state")
	if err := os.Mkdir(state, 0o700); err != nil {
		t.Fatal(err)
	}
	if column == "A" || door == "mcp" {
		for _, name := range []string{"licet.db", "key"} {
			text, err := os.ReadFile(filepath.Join(from.dir, "state", name))
			if err != nil {
				t.Fatal(err)
			}
			b.write(t, filepath.Join("state", name), string(text))
		}
	}
	b.write(t, "c.yaml", fmt.Sprintf(`version: 1
name: table
catalogs: {bank: {pin: %q, tools: tools.json}}
agents: {a: {tools: {bank.send_money: judge}}}
judge: {model: main, on_no_verdict: %s, votes: %d}
`, pin, outcome, max(w.votes, 1)))
	tries := w.tries
	if tries == 0 {
		tries = 1000
	}
	text := fmt.Sprintf("models: {main: {provider: openai, endpoint: %q, model: scripted, tries: 2, limit: {tries: %d, tokens: 100000000}}}\n", url+"/v1", tries)
	if w.files == "policy" {
		text += "policies: {rules: not-there.md}\n"
	}
	if w.files != "models" {
		b.write(t, "state/models.yaml", text)
	}
	return b
}

func (b *table) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// licet runs the program, with paths that count from the folder of the table.
func (b *table) licet(t *testing.T, in string, args ...string) (out string, status int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status = cli.Run(t.Context(), b.args(args), b.env(), strings.NewReader(in), &stdout, &stderr)
	if status == 1 || status == 2 {
		t.Fatalf("%v: %s", args, stderr.String())
	}
	return stdout.String(), status
}

func (b *table) args(args []string) []string {
	all := []string{"licet"}
	for _, a := range args {
		if a == "c.yaml" || a == "pass" {
			a = filepath.Join(b.dir, a)
		}
		all = append(all, a)
	}
	return all
}

func (b *table) env() []string {
	return append(os.Environ(), "LICET_STATE="+filepath.Join(b.dir, "state"), "HOME="+b.dir)
}

// play puts the calls of a row through a door, and more of them afterwards.
func (b *table) play(t *testing.T, door string, w way, row pageRow, verdict string) {
	t.Helper()
	b.judged(t, door, w, row, verdict)
	if door == "mcp" {
		b.serveMCP(t, func(call func(arguments string) decision) {
			if w.before == 0 {
				b.again(t, call, w, row)
			}
			b.breaks(t, call, w, row)
		})
	}
}

// judged puts the calls of a row through a door and looks at what came of the last.
func (b *table) judged(t *testing.T, door string, w way, row pageRow, verdict string) {
	t.Helper()
	var got decision
	if door == "decide" {
		got = b.decide(t, w, verdict)
	} else {
		got = b.mcp(t, w)
	}
	opinions := b.opinions(t)
	last := opinions[len(opinions)-1]
	code, told := "judge_no_verdict", "licet: Not decided ("+row.code+")"
	if row.code == "block" {
		code, told, row.code = "judge_block", "licet: Blocked (judge_block)", ""
	}
	if got.verdict != verdict || got.code != code {
		t.Errorf("got %+v, want %s %s", got, verdict, code)
	}
	if verdict == "BLOCK" && (!strings.HasPrefix(got.told, told) || !strings.Contains(got.told, advice[row.retry])) {
		t.Errorf("told %q, want %q and %q", got.told, told, advice[row.retry])
	}
	if last.NoVerdict != row.code || last.Alert != row.alerts {
		t.Errorf("recorded %q, alert %t, want %q, %t", last.NoVerdict, last.Alert, row.code, row.alerts)
	}
	requests := strings.Count(b.log.String(), "\n") - w.before
	if requests != row.requests || last.Asked != nil && last.Asked.Requests != row.requests {
		t.Errorf("%d requests, recorded %+v, want %d", requests, last.Asked, row.requests)
	}
	if answered := requests > 0 && row.code != "nv_transport"; answered && !last.Asked.Scripted {
		t.Error("the record does not say that a script answered")
	}
}

// advice is what an agent is told of a retry.
var advice = map[string]string{
	"no": "", "at once": "One retry makes sense, at once", "after 30 s": "One retry makes sense, after 30 seconds",
	"after 60 s": "One retry makes sense, after 1 min", "after 300 s": "One retry makes sense, after 5 min",
}

// breaks makes three more calls, each with another amount: blocks open the breaker,
// failures never do.
func (b *table) breaks(t *testing.T, call func(arguments string) decision, w way, row pageRow) {
	t.Helper()
	var last decision
	for _, amount := range []string{"6", "7", "8"} {
		last = call(strings.Replace(w.call(), `"amount":5`, `"amount":`+amount, 1))
	}
	want := "judge_no_verdict"
	if row.breaker {
		want = "judge_breaker"
	}
	if last.code != want {
		t.Errorf("after four different calls: %+v, want %s", last, want)
	}
}

// decision is what a door says of a call.
type decision struct{ verdict, code, told string }

// call is the call of all rows.
func (w way) call() string {
	note, _ := json.Marshal("for Ann " + w.note)
	return fmt.Sprintf(`{"recipient":"GB29","amount":5,"note":%s}`, note)
}

// decide asks `licet decide`, and holds its exit status against the verdict.
func (b *table) decide(t *testing.T, w way, verdict string) decision {
	t.Helper()
	out, status := b.licet(t, `{"agent":"a","session":"s","server":"bank","tool":"send_money","request":["Pay Ann"],"arguments":`+w.call()+`}`, "decide", "--contract", "c.yaml")
	if want := map[string]int{"BLOCK": 3, "REQUIRE_APPROVAL": 4}[verdict]; status != want {
		t.Errorf("exit status %d, want %d", status, want)
	}
	var d struct {
		Verdict, Told string
		Reasons       []struct{ Code string }
	}
	if err := json.Unmarshal([]byte(out), &d); err != nil {
		t.Fatal(err)
	}
	return decision{d.Verdict, d.Reasons[0].Code, d.Told}
}

// mcp makes the calls of a row through `licet mcp`, each with another amount so
// that each is another question, and returns the decision on the last.
func (b *table) mcp(t *testing.T, w way) (got decision) {
	t.Helper()
	b.serveMCP(t, func(call func(arguments string) decision) {
		for range w.before {
			call(w.call())
		}
		got = call(w.call())
	})
	return got
}

// again makes the call twice more in another process. A verdict is kept, a failure
// is not: it is asked for each time.
func (b *table) again(t *testing.T, call func(arguments string) decision, w way, row pageRow) {
	t.Helper()
	before := strings.Count(b.log.String(), "\n")
	call(w.call())
	call(w.call())
	want := 2 * row.requests
	switch {
	case row.keeps:
		want = row.requests
	case w.tries > 0:
		want = 1 // the budget of the process
	}
	if got := strings.Count(b.log.String(), "\n") - before; got != want {
		t.Errorf("two more calls made %d requests, want %d", got, want)
	}
	opinions := b.opinions(t)
	if last := opinions[len(opinions)-1]; row.keeps && (last.Asked == nil || !last.Asked.Cached) {
		t.Errorf("the record does not say that the answer is one of before: %+v", last.Asked)
	}
}

// serveMCP runs `licet mcp` before the bank for as long as use takes.
func (b *table) serveMCP(t *testing.T, use func(call func(arguments string) decision)) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	in, toLicet := io.Pipe()
	fromLicet, out := io.Pipe()
	var stderr bytes.Buffer
	ended := make(chan int)
	go func() {
		status := cli.Run(t.Context(), b.args([]string{"mcp", "--contract", "c.yaml", "--session", "s", "--hold", "0s", "--", self, asBank}), b.env(), in, out, &stderr)
		out.Close()
		ended <- status
	}()
	replies := bufio.NewReader(fromLicet)
	n := 0
	ask := func(method, params string) map[string]json.RawMessage {
		n++
		fmt.Fprintf(toLicet, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", n, method, params)
		for {
			line, err := replies.ReadString('\n')
			if err != nil {
				t.Fatalf("%s: %v: %s", method, err, stderr.String())
			}
			var m map[string]json.RawMessage
			if json.Unmarshal([]byte(line), &m) == nil && string(m["id"]) == strconv.Itoa(n) {
				return m
			}
		}
	}
	ask("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`)
	fmt.Fprintln(toLicet, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	ask("tools/list", `{}`)
	use(func(arguments string) decision {
		reply := ask("tools/call", `{"name":"send_money","arguments":`+arguments+`}`)
		var result struct {
			Content []struct{ Text string }
			Meta    struct {
				Decision struct{ Verdict, Code string } `json:"dev.licet/decision"`
			} `json:"_meta"`
		}
		if err := json.Unmarshal(reply["result"], &result); err != nil || len(result.Content) == 0 {
			t.Fatalf("%s: %v", reply, err)
		}
		return decision{result.Meta.Decision.Verdict, result.Meta.Decision.Code, result.Content[0].Text}
	})
	toLicet.Close()
	go io.Copy(io.Discard, fromLicet)
	<-ended
}

// recordedOpinion is what the test reads of a record.
type recordedOpinion struct {
	NoVerdict string `json:"no_verdict"`
	Alert     bool   `json:"alert"`
	Asked     *struct {
		Requests         int
		Scripted, Cached bool
	} `json:"asked"`
}

var opinionForm = regexp.MustCompile(`"opinion"`)

// opinions returns those of all decisions, the oldest first.
func (b *table) opinions(t *testing.T) (all []recordedOpinion) {
	t.Helper()
	out, _ := b.licet(t, "", "log", "show", "--decisions", "--json", "--last", "100")
	for line := range strings.Lines(out) {
		if !opinionForm.MatchString(line) {
			continue
		}
		var r struct {
			Body struct{ Opinion recordedOpinion } `json:"body"`
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		all = append(all, r.Body.Opinion)
	}
	if len(all) == 0 {
		t.Fatalf("no opinion is recorded: %s", out)
	}
	return all
}
