package bank

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/testkit"
	"github.com/licet-dev/licet/internal/toolcall"
)

var update = flag.Bool("update", false, "rewrite catalog.json from what the server lists")

// connect starts a bank and returns a client of it that speaks this version.
func connect(t *testing.T, version string, o Options, changed func()) *mcp.ClientSession {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- Serve(context.Background(), fromClient, toClient, o)
		toClient.Close()
	}()
	opts := &mcp.ClientOptions{}
	if changed != nil {
		opts.ToolListChangedHandler = func(context.Context, *mcp.ToolListChangedRequest) { changed() }
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, opts)
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer},
		&mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Error(err)
		}
		// A subscription may still have something to say to a client that left.
		if err := <-served; err != nil && !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("the server ended with %v", err)
		}
	})
	return session
}

func call(t *testing.T, s *mcp.ClientSession, tool string, arguments map[string]any) *mcp.CallToolResult {
	t.Helper()
	result, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return result
}

// listed returns what the server says on the wire about itself: opening is the
// message that it answers with its instructions, meta what each message says.
func listed(t *testing.T, opening, meta string) *catalog.Catalog {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	go func() {
		if err := Serve(context.Background(), fromClient, toClient, Options{}); err != nil {
			t.Error(err)
		}
		toClient.Close()
	}()
	defer toServer.Close()
	answers := bufio.NewScanner(fromServer)
	ask := func(message string) toolcall.Value {
		if _, err := io.WriteString(toServer, message+"\n"); err != nil {
			t.Fatal(err)
		}
		if !answers.Scan() {
			t.Fatalf("no answer to %s: %v", message, answers.Err())
		}
		m, err := toolcall.ParseMessage(answers.Bytes(), toolcall.Bounds{})
		if err != nil {
			t.Fatal(err)
		}
		return m.Result
	}
	instructions := ask(opening).Get("instructions").Text()
	if meta == "{}" {
		if _, err := io.WriteString(toServer, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	list := ask(`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":` + meta + `}}`).Get("tools")
	var defs []toolcall.Value
	for i := range list.Len() {
		defs = append(defs, list.Elem(i))
	}
	c, err := catalog.FromTools(instructions, defs)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const modernMeta = `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

func TestCatalogIsWhatTheServerLists(t *testing.T) {
	legacy := listed(t, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",`+
		`"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, "{}")
	if *update {
		if err := os.WriteFile("catalog.json", legacy.Marshal(), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Skip("rewrote catalog.json; run again without -update")
	}
	approved, err := catalog.Parse(testkit.BankCatalog(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(approved.Tools) != 8 {
		t.Errorf("%d tools, want 8", len(approved.Tools))
	}
	for _, change := range catalog.Diff(approved, legacy) {
		t.Errorf("handshake: %+v", change)
	}
	modern := listed(t, `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":`+modernMeta+`}}`, modernMeta)
	for _, change := range catalog.Diff(approved, modern) {
		t.Errorf("2026-07-28: %+v", change)
	}
	for _, tool := range approved.Tools {
		if closed := tool.InputSchema().Get("additionalProperties"); !closed.Equal(toolcall.Boolean(false)) {
			t.Errorf("%s takes arguments that its schema does not name", tool.Name)
		}
		reads := strings.HasPrefix(tool.Name, "get_") || strings.HasPrefix(tool.Name, "list_") || strings.HasPrefix(tool.Name, "read_")
		if tool.ReadOnlyHint() != reads {
			t.Errorf("%s: readOnlyHint is %v", tool.Name, tool.ReadOnlyHint())
		}
	}
}

func TestTools(t *testing.T) {
	for _, version := range mcp.SupportedProtocolVersions() {
		t.Run(version, func(t *testing.T) {
			var journal bytes.Buffer
			s := connect(t, version, Options{Journal: &journal}, nil)
			steps := []struct {
				tool      string
				arguments map[string]any
				want      string
				failed    bool
			}{
				{"get_balance", nil, "2500.00", false},
				{"get_contacts", nil, "GB33BUKB20201555555555", false},
				{"list_transactions", nil, "salary", false},
				{"send_money", map[string]any{"recipient": "GB29NWBK60161331926819", "amount": 40.10, "note": "paper"}, "sent 40.10", false},
				{"send_money", map[string]any{"recipient": "X", "amount": 1e6}, "not enough money: 2459.90", true},
				{"get_balance", nil, "2459.90", false},
				{"send_money", map[string]any{"recipient": "X"}, "amount", true},
				{"read_file", map[string]any{"path": "notes/todo.txt"}, "pay Chen", false},
				{"write_file", map[string]any{"path": "a", "content": "b"}, "written", false},
				{"list_files", nil, "a\ninvoices/chen.txt\nnotes/todo.txt", false},
				{"delete_file", map[string]any{"path": "a"}, "deleted", false},
				{"delete_file", map[string]any{"path": "a"}, "no file", true},
				{"read_file", map[string]any{"path": "a"}, "no file", true},
			}
			for i, step := range steps {
				result := call(t, s, step.tool, step.arguments)
				text := result.Content[0].(*mcp.TextContent).Text
				if result.IsError != step.failed || !strings.Contains(text, step.want) {
					t.Errorf("step %d, %s: error %v, %q; want %v, %q", i, step.tool, result.IsError, text, step.failed, step.want)
				}
			}
			// What the schema refuses does not run; what runs and fails does.
			if lines := strings.Count(journal.String(), "\n"); lines != len(steps)-1 {
				t.Errorf("%d calls in the journal, want %d:\n%s", lines, len(steps)-1, journal.String())
			}
			if want := `{"arguments":{"recipient":"GB29NWBK60161331926819","amount":40.1,"note":"paper"},"tool":"send_money"}`; !strings.Contains(journal.String(), want) {
				t.Errorf("the journal lacks %s:\n%s", want, journal.String())
			}
		})
	}
}

func TestDefinitionChanges(t *testing.T) {
	for _, version := range mcp.SupportedProtocolVersions() {
		t.Run(version, func(t *testing.T) {
			changed := make(chan struct{}, 1)
			s := connect(t, version, Options{ChangeAfter: 2}, func() { changed <- struct{}{} })
			before, err := s.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			call(t, s, "get_balance", nil)
			call(t, s, "get_balance", nil)
			<-changed
			after, err := s.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			for i := range before.Tools {
				same := before.Tools[i].Description == after.Tools[i].Description
				if name := before.Tools[i].Name; same != (name != "send_money") {
					t.Errorf("%s: description unchanged is %v", name, same)
				}
			}
		})
	}
}

func TestJournalThatCannotBeWritten(t *testing.T) {
	_, writer := io.Pipe()
	writer.Close()
	s := connect(t, "2025-11-25", Options{Journal: writer}, nil)
	result := call(t, s, "get_balance", nil)
	if text := result.Content[0].(*mcp.TextContent).Text; !result.IsError || !strings.Contains(text, "writing the journal") {
		t.Errorf("a call without a journal: error %v, %q", result.IsError, text)
	}
}
