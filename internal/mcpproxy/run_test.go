package mcpproxy

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/licet-dev/licet/internal/bank"
	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/gate"
	"github.com/licet-dev/licet/internal/store/memory"
	"github.com/licet-dev/licet/internal/testkit"
)

// playEnv makes the test program play a server instead of testing.
const playEnv = "MCPPROXY_TEST_PLAY"

func TestMain(m *testing.M) {
	play, found := roles[os.Getenv(playEnv)]
	if !found {
		os.Exit(m.Run())
	}
	if err := play(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
}

// roles are the servers that the test program can play.
var roles = map[string]func() error{
	"bank": func() error { return bank.Serve(context.Background(), os.Stdin, os.Stdout, bank.Options{}) },
	"env": func() error {
		wd, err := os.Getwd()
		fmt.Fprintf(os.Stderr, "dir=%s\n", filepath.Base(wd))
		for _, v := range os.Environ() {
			fmt.Fprintln(os.Stderr, v)
		}
		return err
	},
	"paint": func() error {
		_, err := fmt.Fprint(os.Stderr, "\x1b[2J\x1b]0;title\a\u009b1m \u202edrawkcab\r\n\tindented\n\nno break at the end")
		return err
	},
	"leaves":  func() error { return readRequests(3) },
	"crashes": func() error { return errors.Join(readRequests(3), errors.New("a defect")) },
	"fail":    func() error { return fmt.Errorf("cannot serve\n%s", strings.Repeat("x", 3*maxLogLine)) },
}

// ends are the roles that end after three requests, and how.
var ends = map[string]string{"leaves": "exit status 0", "crashes": "exit status 3"}

// readRequests reads n lines of standard input.
func readRequests(n int) error {
	in := bufio.NewReader(os.Stdin)
	for range n {
		if _, err := in.ReadString('\n'); err != nil {
			return err
		}
	}
	return nil
}

// playing returns options by which the test program plays a role.
func playing(role string) Options {
	return Options{
		Agent: "bot", Server: "bank", Session: "s", Command: []string{os.Args[0]},
		Env: append(os.Environ(), playEnv+"="+role, "LICET_SECRET=1", "licet_secret=2"),
		In:  strings.NewReader(""), Out: io.Discard, Log: io.Discard,
	}
}

// newGate returns a real gate; an empty text is no contract.
func newGate(t *testing.T, text string) *gate.Gate {
	t.Helper()
	var c *contract.Contract
	if text != "" {
		approved, err := catalog.Parse(testkit.BankCatalog(t))
		if err != nil {
			t.Fatal(err)
		}
		text = strings.ReplaceAll(text, "PIN", approved.Digest())
		if c, err = contract.Load("test.yaml", []byte(text), func(string) ([]byte, error) { return testkit.BankCatalog(t), nil }); err != nil {
			t.Fatal(err)
		}
	}
	g, err := gate.New(gate.Options{
		Contract: func() *contract.Contract { return c },
		Store:    memory.New(time.Now),
		Key:      bytes.Repeat([]byte{7}, gate.MinKey),
		Places:   constraint.Places{},
	})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestRunRefusesToStart(t *testing.T) {
	complete := playing("bank")
	complete.Gate = newGate(t, "")
	for name, spoil := range map[string]func(*Options){
		"no gate":    func(o *Options) { o.Gate = nil },
		"no agent":   func(o *Options) { o.Agent = "" },
		"no server":  func(o *Options) { o.Server = "" },
		"no command": func(o *Options) { o.Command = nil },
		"no input":   func(o *Options) { o.In = nil },
		"no output":  func(o *Options) { o.Out = nil },
		"no log":     func(o *Options) { o.Log = nil },
		"no program": func(o *Options) { o.Command = []string{filepath.Join(t.TempDir(), "missing")} },
	} {
		o := complete
		spoil(&o)
		if err := Run(t.Context(), o); err == nil {
			t.Errorf("%s: it ran", name)
		}
	}
	if err := Run(t.Context(), complete); err != nil {
		t.Errorf("complete: %v", err)
	}
}

// runQuietly runs with a client that says nothing, until the server ends.
func runQuietly(t *testing.T, o Options) (log string, err error) {
	t.Helper()
	var buffer lockedBuffer
	in, never := io.Pipe()
	defer never.Close()
	o.Gate, o.Log, o.In = newGate(t, ""), &buffer, in
	err = Run(t.Context(), o)
	return buffer.String(), err
}

func TestServerEnvironment(t *testing.T) {
	o := playing("env")
	o.Dir = t.TempDir()
	got, err := runQuietly(t, o)
	if err == nil || !strings.Contains(err.Error(), "ended by itself") {
		t.Errorf("a server that ends: %v", err)
	}
	if strings.Contains(strings.ToUpper(got), "LICET_SECRET") {
		t.Errorf("the server can read the gate's settings:\n%s", got)
	}
	for _, want := range []string{"[bank] " + playEnv + "=env\n", "[bank] dir=" + filepath.Base(o.Dir) + "\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestServerThatFails(t *testing.T) {
	log, err := runQuietly(t, playing("fail"))
	if err == nil || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("got %v, want its exit status", err)
	}
	if !strings.Contains(log, "[bank] cannot serve\n") {
		t.Errorf("the log lacks what the server said:\n%s", log)
	}
	for line := range strings.Lines(log) {
		if len(line) > maxLogLine+len("[bank] \n") {
			t.Errorf("a line of %d bytes in the log", len(line))
		}
	}
}

// When the server ends, every open request is answered, and one line says who
// ended, how, and what became of them.
func TestServerThatEnds(t *testing.T) {
	for role, status := range ends {
		var out lockedBuffer
		o := playing(role)
		o.Gate, o.Out = newGate(t, ""), &out
		in, client := io.Pipe()
		defer client.Close()
		o.In = in
		ended := make(chan error, 1)
		go func() { ended <- Run(t.Context(), o) }()
		// The third line that the server gets is the relay's own listing for the call.
		for _, line := range []string{`{"jsonrpc":"2.0","id":"p","method":"ping"}`, `{"jsonrpc":"2.0","id":"l","method":"prompts/list"}`, c1} {
			if _, err := io.WriteString(client, line+"\n"); err != nil {
				t.Fatal(err)
			}
		}
		want := "server bank ended by itself (" + status + "): the 2 requests without an answer got an error each; those that are calls may have run"
		if err := <-ended; err == nil || err.Error() != want {
			t.Errorf("%s: got  %v\nwant %s", role, err, want)
		}
		for _, answer := range []string{`"id":"p","error":{"code":502,`, `"id":"l","error":{"code":502,`, `"id":1,"result":{`} {
			if strings.Count(out.String(), answer) != 1 {
				t.Errorf("%s: no %s in\n%s", role, answer, out.String())
			}
		}
		if n := strings.Count(out.String(), "\n"); n != 3 {
			t.Errorf("%s: %d answers", role, n)
		}
	}
}

// What a server says can't paint the operator's terminal, and all of it is kept.
func TestServerThatPaints(t *testing.T) {
	got, err := runQuietly(t, playing("paint"))
	if err == nil {
		t.Error("it ended well")
	}
	const want = "[bank] <U+001B>[2J<U+001B>]0;title<U+0007><U+009B>1m <U+202E>drawkcab\n[bank]     indented\n[bank] \n[bank] no break at the end\n"
	if got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	o := playing("bank")
	o.Gate = newGate(t, "")
	in, never := io.Pipe()
	defer never.Close()
	out, toClient := io.Pipe()
	o.In, o.Out = in, toClient
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, o) }()
	if _, err := io.WriteString(never, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`+"\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("ended with %v", err)
	}
}

const bankContract = `
version: 1
name: test
catalogs:
  bank: {pin: PIN, tools: bank.json}
agents:
  bot:
    tools:
      bank.get_contacts: allow
      bank.get_balance: allow
      bank.delete_file: block
      bank.send_money:
        allow:
          - amount: {min: 0.01, max: 100}
            recipient: {from: {result: bank.get_contacts, at: "contacts[].iban"}}
approvals: {expire: 15m, approvers: [you]}
`

// connect runs relay and server and returns a client that speaks this version.
func connect(t *testing.T, o Options, version string, opts *mcp.ClientOptions, serve func(context.Context, Options) error) *mcp.ClientSession {
	t.Helper()
	in, toRelay := io.Pipe()
	fromRelay, out := io.Pipe()
	o.In, o.Out = in, out
	ended := make(chan error, 1)
	go func() {
		ended <- serve(context.Background(), o)
		out.Close()
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, opts)
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: fromRelay, Writer: toRelay},
		&mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; err != nil {
			t.Errorf("the relay ended with %v", err)
		}
	})
	return session
}

func callTool(t *testing.T, s *mcp.ClientSession, tool string, arguments map[string]any) (text string, failed bool) {
	t.Helper()
	params := &mcp.CallToolParams{Name: tool}
	if arguments != nil { // a nil map would be sent as null, which is no object
		params.Arguments = arguments
	}
	result, err := s.CallTool(t.Context(), params)
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return result.Content[0].(*mcp.TextContent).Text, result.IsError
}

// TestBank drives a real server in a process of its own through a real gate,
// in every version that the official client speaks.
func TestBank(t *testing.T) {
	for _, version := range mcp.SupportedProtocolVersions() {
		t.Run(version, func(t *testing.T) {
			o := playing("bank")
			o.Gate = newGate(t, bankContract)
			s := connect(t, o, version, nil, Run)
			if got := s.InitializeResult().ProtocolVersion; got != version {
				t.Errorf("they speak %s", got)
			}
			if got := s.InitializeResult().Instructions; got != bank.Instructions {
				t.Errorf("instructions: %q", got)
			}
			list, err := s.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, tool := range list.Tools {
				names = append(names, tool.Name)
			}
			if got := strings.Join(names, " "); got != "get_balance get_contacts send_money" {
				t.Errorf("listed: %s", got)
			}
			for i, step := range []struct {
				tool      string
				arguments map[string]any
				want      string
			}{
				{"send_money", map[string]any{"recipient": "GB29NWBK60161331926819", "amount": 50}, "(no_clause)"},
				{"get_contacts", nil, "GB33BUKB20201555555555"},
				{"send_money", map[string]any{"recipient": "GB29NWBK60161331926819", "amount": 50}, "sent 50.00"},
				{"send_money", map[string]any{"recipient": "GB33BUKB20201555555555", "amount": 50}, "(no_clause)"},
				{"send_money", map[string]any{"recipient": "GB29NWBK60161331926819", "amount": 500}, "(no_clause)"},
				{"send_money", map[string]any{"recipient": "GB29NWBK60161331926819", "amount": 5, "x": 1}, "(invalid_arguments)"},
				{"delete_file", map[string]any{"path": "notes/todo.txt"}, "(blocked_tool)"},
				{"read_file", map[string]any{"path": "notes/todo.txt"}, "(not_listed)"},
				{"get_balance", nil, "2450.00"},
			} {
				text, failed := callTool(t, s, step.tool, step.arguments)
				if !strings.Contains(text, step.want) || failed != strings.Contains(step.want, "(") {
					t.Errorf("step %d, %s: error %v, %q, want %q", i, step.tool, failed, text, step.want)
				}
			}
		})
	}
}

// A definition that changes while the server runs vanishes, and calls of it are
// refused; the other tools go on.
func TestBankChanges(t *testing.T) {
	for _, version := range mcp.SupportedProtocolVersions() {
		for _, listens := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, listens %v", version, listens), func(t *testing.T) {
				changed := make(chan struct{}, 8)
				opts := &mcp.ClientOptions{}
				if listens {
					opts.ToolListChangedHandler = func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} }
				}
				o := playing("")
				o.Gate = newGate(t, bankContract)
				s := connect(t, o, version, opts, besideBank(bank.Options{ChangeAfter: 2}))
				callTool(t, s, "get_contacts", nil)
				callTool(t, s, "get_balance", nil)
				if listens {
					<-changed
				} else if _, err := s.ListTools(t.Context(), nil); err != nil {
					t.Fatal(err)
				}
				text, failed := callTool(t, s, "send_money", map[string]any{"recipient": "GB29NWBK60161331926819", "amount": 50})
				if !failed || !strings.Contains(text, "(quarantined)") {
					t.Errorf("send_money: error %v, %q", failed, text)
				}
				list, err := s.ListTools(t.Context(), nil)
				if err != nil {
					t.Fatal(err)
				}
				for _, tool := range list.Tools {
					if tool.Name == "send_money" {
						t.Error("send_money is still listed")
					}
				}
				if text, failed := callTool(t, s, "get_balance", nil); failed || text != "2500.00" {
					t.Errorf("get_balance: error %v, %q", failed, text)
				}
			})
		}
	}
}

// besideBank relays to a bank in this process.
func besideBank(b bank.Options) func(context.Context, Options) error {
	return func(ctx context.Context, o Options) error {
		fromRelay, toServer := io.Pipe()
		fromServer, toRelay := io.Pipe()
		go func() {
			_ = bank.Serve(ctx, fromRelay, toRelay, b) // how it ends is the bank's own test
			toRelay.Close()
		}()
		return run(ctx, o, grants{o.Gate}, &fakeServer{fromServer, toServer, func() {}})
	}
}
