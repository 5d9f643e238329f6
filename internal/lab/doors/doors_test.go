package doors_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/lab/cli"
	"github.com/licet-dev/licet/internal/lab/doors"
	"github.com/licet-dev/licet/internal/toolcall"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"licet-lab": func() {
			os.Exit(cli.Run(context.Background(), os.Args, os.Environ(), os.Stdin, os.Stdout, os.Stderr))
		},
		"no-gate": noGate,
	})
}

// noGate stands where the gate should and lets everything through: it runs the
// server that the gate would start.
func noGate() {
	i := slices.Index(os.Args, "--")
	cmd := exec.Command(os.Args[i+1], os.Args[i+2:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		os.Exit(1)
	}
}

var (
	gate   = []string{"licet-lab", "gate"}
	server = []string{"licet-lab", "serve-catalog"}
	all    = map[string]cases.Door{
		"core": doors.Core{}, "cli": doors.CLI{Licet: gate}, "mcp": doors.MCP{Licet: gate, Server: server},
	}
)

// TestDoors: every door gives the same answer to the same case, and names the
// cases that it cannot play.
func TestDoors(t *testing.T) {
	suite := shop(t)
	for name, door := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			results, err := cases.Run(t.Context(), door, []*cases.Suite{suite}, cases.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range results {
				want := cases.Unsupported
				if slices.Contains(r.Case.Tags, name) {
					want = cases.Passed
				}
				if r.Status != want {
					t.Errorf("%s: %s, want %s: step %d, want %v, got %v, %v", r.Case.Name, r.Status, want, r.Step, r.Want, r.Got, r.Err)
				}
			}
		})
	}
}

func shop(t *testing.T) *cases.Suite {
	t.Helper()
	const file = "testdata/shop.cases.yaml"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s, err := cases.Load(file, text, func(name string) ([]byte, error) { return os.ReadFile(filepath.Join("testdata", name)) })
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// one runs one case of the shop on a door.
func one(t *testing.T, door cases.Door, steps ...cases.Step) cases.Result {
	t.Helper()
	s := shop(t)
	s.Cases = []cases.Case{{Name: "case", Files: []cases.File{{Path: "${workspace}/dir/.keep"}}, Steps: steps}}
	results, err := cases.Run(t.Context(), door, []*cases.Suite{s}, cases.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return results[0]
}

func step(a cases.Act) cases.Step { return cases.Step{Act: a} }

func call(tool string, v authz.Verdict, code authz.Code) cases.Step {
	return cases.Step{
		Act:    cases.Call{Agent: "buyer", Session: "s", Server: "shop", Tool: tool, Arguments: toolcall.ObjectOf()},
		Expect: cases.Expect{Verdict: v, Code: code},
	}
}

func raw(text string, v authz.Verdict) cases.Step {
	return cases.Step{
		Act:    cases.Call{Agent: "buyer", Session: "s", Server: "shop", Raw: []byte(text)},
		Expect: cases.Expect{Verdict: v},
	}
}

const (
	listing = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	listed  = `{"jsonrpc":"2.0", "id":"x", "method":"tools/call", "params":{"name":"list","arguments":{}}}`
)

// TestActs: what the doors can do beyond the steps of case files.
func TestActs(t *testing.T) {
	other := toolcall.ObjectOf(
		toolcall.Member{Name: "name", Value: toolcall.StringOf("other")},
		toolcall.Member{Name: "inputSchema", Value: toolcall.ObjectOf(toolcall.Member{Name: "type", Value: toolcall.StringOf("object")})},
	)
	for name, c := range map[string]struct {
		doors string
		want  cases.Status
		steps []cases.Step
	}{
		"a listing":               {"mcp", cases.Passed, []cases.Step{raw(listing, authz.Allow), step(doors.Listed{Tools: []string{"read", "pay", "list"}})}},
		"a listing that is not":   {"mcp", cases.Broken, []cases.Step{raw(listing, authz.Allow), step(doors.Listed{Tools: []string{"read", "pay"}})}},
		"no listing":              {"mcp", cases.Broken, []cases.Step{raw(listed, authz.Allow), step(doors.Listed{})}},
		"other tools at first":    {"mcp", cases.Passed, []cases.Step{step(doors.Offer{Server: "shop", Tools: []toolcall.Value{other}}), call("list", authz.Block, authz.CatalogUnverified)}},
		"other tools later":       {"mcp", cases.Passed, []cases.Step{call("list", authz.Allow, ""), step(doors.Offer{Server: "shop", Tools: []toolcall.Value{other}}), call("list", authz.Block, authz.CatalogUnverified)}},
		"what was forwarded":      {"mcp", cases.Passed, []cases.Step{raw(listed, authz.Allow), step(doors.Forwarded{})}},
		"what was not forwarded":  {"mcp", cases.Broken, []cases.Step{raw(strings.Replace(listed, "list", "wipe", 1), authz.Block), step(doors.Forwarded{})}},
		"a second process":        {"cli mcp", cases.Passed, []cases.Step{call("list", authz.Allow, ""), call("list", authz.Allow, ""), step(doors.Restart{}), call("list", authz.Block, authz.LimitReached)}},
		"another directory":       {"core cli mcp", cases.Passed, []cases.Step{step(doors.Exchange{Dir: "${workspace}/dir"}), call("list", authz.Allow, "")}},
		"no such directory":       {"core cli mcp", cases.Broken, []cases.Step{step(doors.Exchange{Dir: "${workspace}/none"})}},
		"a store that never was":  {"cli mcp", cases.Passed, []cases.Step{step(doors.LoseStore{}), call("list", authz.Block, authz.NoEvidence)}},
		"a store that was":        {"cli mcp", cases.Passed, []cases.Step{call("list", authz.Allow, ""), step(doors.LoseStore{}), call("list", authz.Block, "")}},
		"an agent nobody knows":   {"core cli mcp", cases.Passed, []cases.Step{{Act: cases.Call{Agent: "eve", Session: "s", Server: "shop", Tool: "list", Arguments: toolcall.ObjectOf()}, Expect: cases.Expect{Code: authz.UnknownAgent}}}},
		"a refused contract":      {"core cli", cases.Broken, []cases.Step{step(cases.ContractEdit{Replace: "version: 1", With: "version: 2"})}},
		"an answer by a stranger": {"cli mcp", cases.Broken, []cases.Step{pay(t, "50", authz.RequireApproval), step(cases.Answered{By: "eve", Approve: true})}},
	} {
		for name2, door := range all {
			want := c.want
			if !slices.Contains(strings.Fields(c.doors), name2) {
				continue
			}
			t.Run(name+" "+name2, func(t *testing.T) {
				t.Parallel()
				if r := one(t, door, c.steps...); r.Status != want {
					t.Errorf("%s, want %s: step %d, want %v, got %v, %v", r.Status, want, r.Step, r.Want, r.Got, r.Err)
				}
			})
		}
	}
}

func pay(t *testing.T, amount string, v authz.Verdict) cases.Step {
	t.Helper()
	n, err := toolcall.ParseDecimal(amount)
	if err != nil {
		t.Fatal(err)
	}
	s := call("pay", v, "")
	c := s.Act.(cases.Call)
	c.Arguments = toolcall.ObjectOf(
		toolcall.Member{Name: "to", Value: toolcall.StringOf("X")},
		toolcall.Member{Name: "amount", Value: toolcall.NumberOf(n)},
	)
	s.Act = c
	return s
}

// TestNoGate: the door sees that nobody decides.
func TestNoGate(t *testing.T) {
	door := doors.MCP{Licet: []string{"no-gate"}, Server: server}
	r := one(t, door, call("read", authz.Allow, ""))
	if r.Status != cases.Broken {
		t.Errorf("a program that lets everything through is %s: %v", r.Status, r.Err)
	}
	for name, door := range map[string]cases.Door{"cli": doors.CLI{Licet: []string{"no-such-program"}}, "mcp": doors.MCP{Licet: []string{"no-such-program"}, Server: server}} {
		if r := one(t, door, call("list", authz.Block, "")); r.Status != cases.Broken {
			t.Errorf("%s: a program that is not there is %s", name, r.Status)
		}
	}
}

// TestServe: the server answers what a gate asks, and keeps every line as it
// came.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"tools.json": `[{"name":"a"}]`, "result.json": `{"content":[]}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sent := `{"jsonrpc":"2.0","id":1,"method":"initialize"}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
		`{"jsonrpc":"2.0", "id":"b" ,"method":"tools/list"}` + "\r\n" +
		`not json` + "\n" +
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{}}` + "\n" +
		`{"jsonrpc":"2.0","id":4,"method":"ping"}` + "\n" +
		`{"jsonrpc":"2.0","id":5,"method":"prompts/list"}` + "\n"
	var out strings.Builder
	if err := doors.Serve(dir, strings.NewReader(sent), &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for i, want := range []string{`"id":1,"result":{"protocolVersion"`, `"id":"b","result":{"tools":[{"name":"a"}]}`, `"id":3,"result":{"content":[]}`, `"id":4,"result":{}`, `"id":5,"error":{"code":-32601`} {
		if i >= len(lines) || !strings.Contains(lines[i], want) {
			t.Fatalf("answered %q, want line %d with %s", lines, i, want)
		}
	}
	journal, err := os.ReadFile(filepath.Join(dir, "journal.jsonl"))
	if err != nil || string(journal) != sent {
		t.Errorf("the journal has %q, %v", journal, err)
	}
}
