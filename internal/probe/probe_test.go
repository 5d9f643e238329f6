package probe_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/licet-dev/licet/internal/probe"
	"github.com/licet-dev/licet/internal/testkit"
)

// peerVariable makes this test program one of the servers in peers.
const peerVariable = "PROBE_TEST_PEER" // what begins with LICET_ is kept from servers

func TestMain(m *testing.M) {
	if name := os.Getenv(peerVariable); name != "" {
		peers[name]()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// ask probes one of the peers.
func ask(t *testing.T, peer string, timeout time.Duration) (*probe.Server, error) {
	t.Helper()
	return probe.Catalog(t.Context(), []string{os.Args[0]}, probe.Options{
		Env: append(os.Environ(), peerVariable+"="+peer), Timeout: timeout,
	})
}

const tool = `{"name":"read","inputSchema":{"type":"object"}}`

// peers are servers, by name. Most follow a script: what they write for each
// line that they read, by method.
var peers = map[string]func(){
	"sdk":        func() { serveSDK(nil) },
	"sdk modern": func() { serveSDK([]string{"2026-07-28"}) },
	"old":        script(map[string]string{"initialize": result(`{"protocolVersion":"2024-11-05","serverInfo":{"name":"old"}}`), "tools/list": result(`{"tools":[` + tool + `]}`)}),
	"modern only": script(map[string]string{
		"initialize":      failure(-32601, "unknown method"),
		"server/discover": result(`{"supportedVersions":["2026-07-28"],"instructions":"Be kind.","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"new","version":"7"}}}`),
		"tools/list":      result(`{"resultType":"complete","tools":[` + tool + `]}`),
	}),
	"other modern": script(map[string]string{
		"initialize":      failure(-32022, "unsupported"),
		"server/discover": result(`{"supportedVersions":["2031-01-01"]}`),
	}),
	"chatty": script(map[string]string{
		"initialize":                `{"jsonrpc":"2.0","method":"notifications/message","params":{}}` + "\n" + handshake,
		"notifications/initialized": `{"jsonrpc":"2.0","id":"p1","method":"ping"}` + "\n" + `{"jsonrpc":"2.0","id":"r1","method":"roots/list"}`,
		"p1":                        "", "r1": "",
		"tools/list": result(`{"tools":[` + tool + `]}`),
	}),
	"endless pages":   script(map[string]string{"initialize": handshake, "tools/list": result(`{"tools":[],"nextCursor":"again"}`)}),
	"endless notices": func() { notices() },
	"no tools":        script(map[string]string{"initialize": handshake, "tools/list": failure(-32601, "no \x1b[31mtools"), "server/discover": failure(-32601, "no")}),
	"log on stdout":   script(map[string]string{"initialize": "Server \x1b[2J running"}),
	"duplicate":       script(map[string]string{"initialize": `{"jsonrpc":"2.0","id":$ID,"id":7,"result":{}}`}),
	"wrong id":        script(map[string]string{"initialize": `{"jsonrpc":"2.0","id":77,"result":{}}`}),
	"unknown version": script(map[string]string{"initialize": result(`{"protocolVersion":"1999-01-01"}`)}),
	"twice":           script(map[string]string{"initialize": handshake, "tools/list": result(`{"tools":[` + tool + `,` + tool + `]}`)}),
	"partial":         script(map[string]string{"initialize": handshake, "tools/list": result(`{"tools":[` + tool + `],"resultType":"input_required"}`)}),
	"no array":        script(map[string]string{"initialize": handshake, "tools/list": result(`{"tools":{}}`)}),
	"long line":       script(map[string]string{"initialize": result(`{"pad":"` + strings.Repeat("x", 5<<20) + `"}`)}),
	"cut off":         func() { fmt.Print(`{"jsonrpc":`) },
	"dies": func() {
		fmt.Fprintln(os.Stderr, "cannot find \x1b[31mthe database")
		os.Exit(7)
	},
	"silent":   func() { bufio.NewReader(os.Stdin).ReadString(0) },
	"stubborn": func() { signal.Ignore(syscall.SIGTERM); select {} },
}

const handshake = `{"jsonrpc":"2.0","id":$ID,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"scripted","version":"1.2"},"instructions":"Ask first."}}`

func result(r string) string { return `{"jsonrpc":"2.0","id":$ID,"result":` + r + `}` }

func failure(code int, message string) string {
	text, err := json.Marshal(message)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":$ID,"error":{"code":%d,"message":%s}}`, code, text)
}

// script answers each message by its method, or by its id if it is a response.
// What it does not expect ends it.
func script(answers map[string]string) func() {
	return func() {
		in := bufio.NewScanner(os.Stdin)
		for in.Scan() {
			var m struct {
				ID     json.RawMessage
				Method string
			}
			if err := json.Unmarshal(in.Bytes(), &m); err != nil {
				panic(err)
			}
			key := m.Method
			if key == "" {
				key = strings.Trim(string(m.ID), `"`)
			}
			answer, ok := answers[key]
			switch {
			case ok && answer != "":
				fmt.Println(strings.ReplaceAll(answer, "$ID", string(m.ID)))
			case !ok && m.ID != nil:
				fmt.Fprintf(os.Stderr, "unexpected: %s\n", in.Text())
				os.Exit(1)
			}
		}
	}
}

// notices never stops talking.
func notices() {
	for {
		if _, err := fmt.Println(`{"jsonrpc":"2.0","method":"notifications/message"}`); err != nil {
			return
		}
	}
}

// serveSDK is a server made with the official SDK, with more tools than fit on
// a page.
func serveSDK(versions []string) {
	s := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "3"}, &mcp.ServerOptions{
		Instructions: "Hello.", PageSize: 2, SupportedProtocolVersions: versions,
	})
	for i := range 5 {
		s.AddTool(&mcp.Tool{Name: fmt.Sprintf("tool_%d", i), InputSchema: map[string]any{"type": "object"}},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return nil, errors.New("no tool may be called")
			})
	}
	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

func TestCatalog(t *testing.T) {
	for _, tt := range []struct {
		peer, name, version, protocol, instructions string
		tools                                       int
	}{
		{"sdk", "sdk", "3", "2025-11-25", "Hello.", 5},
		{"old", "old", "", "2024-11-05", "", 1},
		{"modern only", "new", "7", "2026-07-28", "Be kind.", 1},
		{"chatty", "scripted", "1.2", "2025-11-25", "Ask first.", 1},
	} {
		t.Run(tt.peer, func(t *testing.T) {
			s, err := ask(t, tt.peer, time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			if s.Name != tt.name || s.Version != tt.version || s.Protocol != tt.protocol {
				t.Errorf("server %q %q, MCP %q", s.Name, s.Version, s.Protocol)
			}
			if s.Catalog.Instructions != tt.instructions || len(s.Catalog.Tools) != tt.tools {
				t.Errorf("instructions %q and %d tools", s.Catalog.Instructions, len(s.Catalog.Tools))
			}
		})
	}
}

// A server that refuses legacy sessions is the same server in the other era.
func TestErasAgree(t *testing.T) {
	legacy, err := ask(t, "sdk", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	modern, err := ask(t, "sdk modern", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if legacy.Catalog.Digest() != modern.Catalog.Digest() {
		t.Errorf("MCP %s and MCP %s give different catalogs", legacy.Protocol, modern.Protocol)
	}
}

func TestCatalogRefuses(t *testing.T) {
	for peer, want := range map[string]string{
		"other modern":    `the server does not speak it, but "[\"2031-01-01\"]"`,
		"endless pages":   "more than 100 pages",
		"endless notices": "more than 10000 messages",
		"no tools":        `the server refused tools/list: "no \x1b[31mtools" (-32601)`,
		"log on stdout":   `a line that is no MCP message: "Server \x1b[2J running"`,
		"duplicate":       "duplicate",
		"wrong id":        `a request that was not made: id "77"`,
		"unknown version": `MCP "1999-01-01", which is not known`,
		"twice":           `tool "read" is defined twice`,
		"partial":         `resultType "\"input_required\""`,
		"no array":        "tools is object, not an array",
		"long line":       "more than 4194304 bytes",
		"cut off":         `cut off: "{\"jsonrpc\":"`,
		"dies":            `the server ended before it answered initialize; it wrote to standard error:` + "\n  " + `"cannot find \x1b[31mthe database"`,
	} {
		t.Run(peer, func(t *testing.T) {
			s, err := ask(t, peer, time.Minute)
			if err == nil {
				t.Fatalf("got %+v", s)
			}
			if !strings.Contains(err.Error(), want) {
				t.Errorf("got  %v\nwant %s", err, want)
			}
			if strings.Contains(err.Error(), "\x1b") {
				t.Errorf("an escape sequence of the server is in the error: %q", err)
			}
		})
	}
}

// A server that does not answer is ended, also one that does not want to.
func TestCatalogTimeout(t *testing.T) {
	for _, peer := range []string{"silent", "stubborn"} {
		t.Run(peer, func(t *testing.T) {
			t.Parallel()
			_, err := ask(t, peer, 300*time.Millisecond)
			if err == nil || !strings.Contains(err.Error(), "no answer within 300ms") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestCatalogCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := probe.Catalog(ctx, []string{os.Args[0]}, probe.Options{Env: append(os.Environ(), peerVariable+"=silent")})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestCatalogNoProgram(t *testing.T) {
	for _, argv := range [][]string{nil, {"no-such-program-of-licet"}} {
		if _, err := probe.Catalog(t.Context(), argv, probe.Options{}); err == nil {
			t.Errorf("%q was started", argv)
		}
	}
}

// The options are the whole environment: none is inherited.
func TestEnvironment(t *testing.T) {
	t.Setenv(peerVariable, "old")
	_, err := probe.Catalog(t.Context(), []string{os.Args[0], "-test.run=^$"}, probe.Options{})
	if err == nil {
		t.Error("the server saw our environment")
	}
}

func TestFilesystemServer(t *testing.T) {
	argv := append(testkit.Peer(t, "server-filesystem"), t.TempDir())
	s, err := probe.Catalog(t.Context(), argv, probe.Options{Env: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	read, ok := s.Catalog.Tool("read_text_file")
	if !ok || !read.ReadOnlyHint() {
		t.Errorf("read_text_file: %v, readOnlyHint %v", ok, read.ReadOnlyHint())
	}
}
