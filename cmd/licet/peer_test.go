package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/licet-dev/licet/internal/testkit"
)

// filesServer is a file server on the official SDK with the two tools that the
// test calls, for the protocol versions that the npm server does not speak.
func filesServer() {
	type file struct {
		Path string `json:"path"`
	}
	type newFile struct {
		Path    string `json:"path"`
		Content string `json:"content"`
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "files", Version: "1"}, nil)
	text := func(s string) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
	}
	mcp.AddTool(s, &mcp.Tool{Name: "read_text_file", Description: "Read a file.", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, _ *mcp.CallToolRequest, f file) (*mcp.CallToolResult, any, error) {
			content, err := os.ReadFile(f.Path)
			return text(string(content)), nil, err
		})
	mcp.AddTool(s, &mcp.Tool{Name: "write_file", Description: "Write a file."},
		func(_ context.Context, _ *mcp.CallToolRequest, f newFile) (*mcp.CallToolResult, any, error) {
			return text("written"), nil, os.WriteFile(f.Path, []byte(f.Content), 0o600)
		})
	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// TestFilesystemServer puts the gate in front of a real file server with the
// contract that `licet init` wrote, in every protocol version: the npm server
// for those that it speaks, one on the official SDK for all.
func TestFilesystemServer(t *testing.T) {
	t.Run("npm", func(t *testing.T) {
		server := testkit.Peer(t, "server-filesystem")
		spoken := 0
		for _, version := range mcp.SupportedProtocolVersions() {
			t.Run(version, func(t *testing.T) {
				if f := newFiles(t, server, version); f != nil {
					spoken++
					f.check()
				}
			})
		}
		if spoken == 0 {
			t.Error("the npm server speaks no version that the client speaks")
		}
	})
	t.Run("sdk", func(t *testing.T) {
		server := filepath.Join(filepath.Dir(program(t)), "licet-files")
		if self, err := os.Executable(); err != nil || os.Symlink(self, server) != nil {
			t.Fatal("no file server")
		}
		for _, version := range mcp.SupportedProtocolVersions() {
			t.Run(version, func(t *testing.T) {
				f := newFiles(t, []string{server}, version)
				if f == nil {
					t.Fatalf("the server does not speak %s", version)
				}
				f.check()
			})
		}
	})
}

// files is a gate in front of a file server, and a workspace with a way out.
type files struct {
	*testing.T
	workspace, outside string
	licet, home        string
	command            []string // of the gate
	client             *mcp.ClientSession
}

// newFiles prepares everything; nil if the server does not speak the version.
func newFiles(t *testing.T, server []string, version string) *files {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := &files{T: t, workspace: filepath.Join(root, "workspace"), outside: filepath.Join(root, "outside"), licet: program(t), home: filepath.Join(root, "home")}
	for path, content := range map[string]string{"workspace/a.txt": "inside", "outside/secret.txt": "secret"} {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(f.outside, filepath.Join(f.workspace, "link")); err != nil {
		t.Fatal(err)
	}
	server = append(slices.Clone(server), f.workspace)
	contracts := filepath.Join(root, "contract")
	f.run("init", append([]string{"--from-mcp", "--name", "files", "--out", contracts, "--"}, server...)...)
	contract := filepath.Join(contracts, "licet.yaml")
	f.run("contract", "check", contract)
	f.command = append([]string{"mcp", "--contract", contract, "--state", filepath.Join(root, "state"), "--hold", "0s", "--"}, server...)
	if !f.connect(version) {
		return nil
	}
	return f
}

func (f *files) connect(version string) bool {
	f.Helper()
	cmd := exec.Command(f.licet, f.command...)
	cmd.Stderr = os.Stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(f.Context(), &mcp.CommandTransport{Command: cmd}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		return false
	}
	f.Cleanup(func() {
		if err := session.Close(); err != nil {
			f.Error(err)
		}
	})
	f.client = session
	return session.InitializeResult().ProtocolVersion == version
}

// run runs a licet command that must succeed and returns what it printed.
func (f *files) run(command string, args ...string) string {
	f.Helper()
	out, errOut, status := runProgram(f.T, []string{"HOME=" + f.home}, append([]string{command}, args...)...)
	if status != 0 {
		f.Fatalf("licet %s %q: exit status %d\n%s%s", command, args, status, out, errOut)
	}
	return out
}

// call calls a tool and returns its text and whether it failed.
func (f *files) call(tool string, arguments any) (string, bool) {
	f.Helper()
	result, err := f.client.CallTool(f.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		f.Fatalf("%s: %v", tool, err)
	}
	text, ok := result.Content[0].(*mcp.TextContent)
	if !ok {
		f.Fatalf("%s: no text in %v", tool, result.Content)
	}
	return text.Text, result.IsError
}

func (f *files) blocked(tool string, arguments any, code string) {
	f.Helper()
	if text, failed := f.call(tool, arguments); !failed || !strings.Contains(text, "BLOCK") || !strings.Contains(text, code) {
		f.Errorf("%s %v: %q, want BLOCK %s", tool, arguments, text, code)
	}
}

type args map[string]any

func (f *files) check() {
	in := func(elem ...string) string { return filepath.Join(append([]string{f.workspace}, elem...)...) }
	if text, failed := f.call("read_text_file", args{"path": in("a.txt")}); failed || text != "inside" {
		f.Errorf("reading inside the workspace: %v %q", failed, text)
	}
	f.blocked("read_text_file", args{"path": f.workspace + "/../outside/secret.txt"}, "no_clause")
	f.blocked("read_text_file", args{"path": in("link", "secret.txt")}, "no_clause")
	f.blocked("read_text_file", args{"path": filepath.Join(f.outside, "secret.txt")}, "no_clause")
	f.blocked("read_text_file", args{"path": in("a.txt"), "follow": true}, "invalid_arguments")
	f.blocked("delete_everything", args{}, "not_listed")
	f.duplicates(in("a.txt"), filepath.Join(f.outside, "secret.txt"))

	// A write is held, works once after an approval, and not twice.
	path := in("new.txt")
	write := args{"path": path, "content": "approved"}
	text, failed := f.call("write_file", write)
	ticket := regexp.MustCompile(`t-[A-Z0-9]{16}`).FindString(text)
	if !failed || !strings.Contains(text, "REQUIRE_APPROVAL") || ticket == "" {
		f.Fatalf("a write: %q", text)
	}
	if _, err := os.Stat(path); err == nil {
		f.Error("the held write was executed")
	}
	passphrase := filepath.Join(f.home, "passphrase")
	if err := os.MkdirAll(f.home, 0o700); err != nil {
		f.Fatal(err)
	}
	if err := os.WriteFile(passphrase, []byte("correct horse battery"), 0o600); err != nil {
		f.Fatal(err)
	}
	state := f.command[slices.Index(f.command, "--state")+1]
	f.run("approvals", "enroll", "ann", "--passphrase-file", passphrase, "--state", state)
	f.run("approvals", "approve", ticket, "--as", "ann", "--passphrase-file", passphrase, "--state", state)
	if text, failed := f.call("write_file", args{"path": path, "content": "other"}); !failed || !strings.Contains(text, "REQUIRE_APPROVAL") {
		f.Errorf("another write after the approval: %q", text)
	}
	if text, failed := f.call("write_file", write); failed {
		f.Errorf("the approved write: %q", text)
	}
	if content, err := os.ReadFile(path); err != nil || string(content) != "approved" {
		f.Errorf("the file has %q (%v)", content, err)
	}
	if err := os.Remove(path); err != nil {
		f.Error(err)
	}
	if text, failed := f.call("write_file", write); !failed || !strings.Contains(text, "REQUIRE_APPROVAL") {
		f.Errorf("the approved write once more: %q", text)
	}
	if _, err := os.Stat(path); err == nil {
		f.Error("the approved write was executed twice")
	}
	f.run("log", "verify", "--state", state)
}

// duplicates sends a call whose argument stands twice, which the client's own
// encoder can't.
func (f *files) duplicates(inside, outside string) {
	f.Helper()
	quote := func(s string) string {
		text, err := json.Marshal(s)
		if err != nil {
			f.Fatal(err)
		}
		return string(text)
	}
	g := startProcess(f.T, f.licet, f.command...)
	line := `{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"read_text_file","arguments":{"path":` + quote(inside) + `,"path":` + quote(outside) + `}}}`
	c := make(chan response, 1)
	g.mu.Lock()
	g.waiting[77], g.waiting[0] = c, c // the id of a message that can't be read is null
	g.send(line)
	g.mu.Unlock()
	select {
	case r := <-c:
		if r.Error == nil || !strings.Contains(r.Error.Message, "duplicate") {
			f.Errorf("a duplicate argument: %+v", r)
		}
	case <-g.ended:
		f.Errorf("a duplicate argument ended the gate: %s", g.errors.String())
	}
}
