package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/licet-dev/licet/internal/toolcall"
)

// demoClient is the agent's side of the demo: the little of an MCP client that
// a recorded session needs.
type demoClient struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	errors bytes.Buffer
	id     int

	messages chan toolcall.Message
	heard    map[string]bool // methods of notifications that came
}

// startGate starts `licet mcp` in front of `licet bank` and shakes hands.
func (d *demoRun) startGate(ctx context.Context, contractPath string) (*demoClient, error) {
	self, err := d.executable()
	if err != nil {
		return nil, err
	}
	c := &demoClient{messages: make(chan toolcall.Message, 64), heard: map[string]bool{}, cmd: exec.CommandContext(ctx, self,
		"mcp", "--contract", contractPath, "--state", d.state.dir, "--hold", "0s", "--",
		self, "bank", "--journal", filepath.Join(d.dir, "journal.jsonl"), "--change-after", strconv.Itoa(changeAfter))}
	c.cmd.Env = os.Environ()
	c.cmd.Stderr = &c.errors
	c.cmd.WaitDelay = 5 * time.Second
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the gate: %w", err)
	}
	go c.read(out)
	if err := c.handshake(); err != nil {
		return nil, errors.Join(err, c.stop())
	}
	return c, nil
}

// executable returns how to start this program again now. The name it was started by
// comes first: under `go test` the executable is the test.
func (a *app) executable() (string, error) {
	if path, err := exec.LookPath(a.self); err == nil {
		return filepath.Abs(path)
	}
	return os.Executable()
}

func (c *demoClient) handshake() error {
	err := c.request("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"licet-demo","version":"1"}}`)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(c.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
		return err
	}
	return c.request("tools/list", "{}")
}

// call makes a tool call, and names a ticket in it where one is given.
func (c *demoClient) call(tool string, arguments json.RawMessage, ticket string) error {
	params := map[string]any{"name": tool, "arguments": arguments}
	if ticket != "" {
		params["_meta"] = map[string]string{"dev.licet/approval": ticket}
	}
	text, err := json.Marshal(params)
	if err != nil {
		return err
	}
	return c.request("tools/call", string(text))
}

// request sends one request and waits for the response to it.
func (c *demoClient) request(method, params string) error {
	c.id++
	id := strconv.Itoa(c.id)
	if _, err := fmt.Fprintf(c.in, `{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`+"\n", id, method, params); err != nil {
		return c.failed(err)
	}
	for m := range c.messages {
		c.heard[m.Method] = true
		if m.Kind == toolcall.Response && string(m.RawID) == id {
			return nil
		}
	}
	return c.failed(io.ErrUnexpectedEOF)
}

// await waits until a notification has come, at most for a while.
func (c *demoClient) await(method string, wait time.Duration) error {
	for late := time.After(wait); !c.heard[method]; {
		select {
		case m, open := <-c.messages:
			if !open {
				return c.failed(io.ErrUnexpectedEOF)
			}
			c.heard[m.Method] = true
		case <-late:
			return nil
		}
	}
	return nil
}

// read hands out what the gate writes until it ends.
func (c *demoClient) read(out io.Reader) {
	defer close(c.messages)
	for r := bufio.NewReader(out); ; {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return
		}
		m, err := toolcall.ParseMessage(line, toolcall.Bounds{})
		if err != nil {
			return
		}
		c.messages <- m
	}
}

func (c *demoClient) failed(err error) error {
	return fmt.Errorf("the gate ended: %w\n%s", err, c.errors.String())
}

// stop ends the gate, which ends the bank.
func (c *demoClient) stop() error {
	err := c.in.Close()
	for range c.messages { // until the gate closes its side
	}
	return errors.Join(err, c.cmd.Wait())
}
