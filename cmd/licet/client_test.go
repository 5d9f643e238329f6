package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/contract"
)

// gateProcess is a gate in a process of its own with a client's end of it.
type gateProcess struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	errors strings.Builder

	mu      sync.Mutex // guards in and waiting
	next    int
	waiting map[int]chan response
	ended   chan struct{} // closed when the gate's output ends
}

// response is what the tests read of a JSON-RPC response.
type response struct {
	ID     int
	Result struct {
		IsError bool
		Content []struct{ Text string }
		Tools   []struct{ Name string }
		Meta    struct {
			Decision struct{ Verdict, Code, Ticket string } `json:"dev.licet/decision"`
		} `json:"_meta"`
	}
	Error *struct{ Message string }
}

// refused says whether the gate, not the server, gave the answer.
func (r response) refused() bool { return r.Error != nil || r.Result.Meta.Decision.Verdict != "" }

// startProcess starts a program that relays and shakes hands through it.
func startProcess(t testing.TB, path string, args ...string) *gateProcess {
	t.Helper()
	g := &gateProcess{cmd: exec.Command(path, args...), waiting: map[int]chan response{}, ended: make(chan struct{})}
	g.cmd.Stderr = &g.errors
	in, err := g.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	g.in = in
	out, err := g.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := g.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = g.cmd.Process.Kill() // it has ended already in most tests
		<-g.ended
	})
	go g.read(out)
	if _, ok := g.request("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`); !ok {
		_ = g.cmd.Wait()
		t.Fatalf("the gate did not start: %s", g.errors.String())
	}
	g.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return g
}

func (g *gateProcess) read(out io.Reader) {
	defer close(g.ended)
	for scan := bufio.NewReaderSize(out, 1<<20); ; {
		line, err := scan.ReadBytes('\n')
		if err != nil {
			return
		}
		var r response
		if json.Unmarshal(line, &r) != nil {
			continue // a notification
		}
		g.mu.Lock()
		if c := g.waiting[r.ID]; c != nil {
			delete(g.waiting, r.ID)
			c <- r
		}
		g.mu.Unlock()
	}
}

func (g *gateProcess) send(line string) bool {
	_, err := io.WriteString(g.in, line+"\n")
	return err == nil
}

// request sends one request and waits for its response; false if the gate ended
// before it came.
func (g *gateProcess) request(method, params string) (response, bool) {
	g.mu.Lock()
	g.next++
	id := g.next
	c := make(chan response, 1)
	g.waiting[id] = c
	sent := g.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params))
	g.mu.Unlock()
	if !sent {
		return response{}, false
	}
	select {
	case r := <-c:
		return r, true
	case <-g.ended:
		select {
		case r := <-c:
			return r, true
		default:
			return response{}, false
		}
	}
}

func (g *gateProcess) call(tool, arguments string) (response, bool) {
	return g.request("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, arguments))
}

// bankContract writes a contract over the bank's catalog into a new directory;
// rules are the lines below `tools:` and after.
func bankContract(t testing.TB, rules string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../contracts/bank")); err != nil {
		t.Fatal(err)
	}
	approved, err := os.ReadFile(filepath.Join(dir, "catalogs", "bank.json"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Parse(approved)
	if err != nil {
		t.Fatal(err)
	}
	text := "version: 1\nname: test\ncatalogs:\n  bank: {pin: \"" + c.Digest() + "\", tools: catalogs/bank.json}\nagents:\n  a:\n    tools:\n" + rules
	if _, err := contract.Load("test", []byte(text), func(string) ([]byte, error) { return approved, nil }); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "licet.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
