package doors

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/licet-dev/licet/internal/toolcall"
)

// client is an MCP client in front of one `licet mcp`. It sends lines and reads
// answers, one at a time.
type client struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	said   bytes.Buffer // standard error
	lines  chan toolcall.Message
	number int
}

// answerTime is how long the gate may take for one answer.
const answerTime = 30 * time.Second

// errEnded says that the gate ended instead of answering.
var errEnded = errors.New("the gate ended")

// ownID begins the ids of the client's own requests, so that an answer to a
// message of a case is known by having another.
const ownID = `"licet-lab-`

// startClient starts the gate and shakes hands.
func startClient(cmd *exec.Cmd) (*client, error) {
	c := &client{cmd: cmd, lines: make(chan toolcall.Message, 16)}
	cmd.Stderr = &c.said
	var err error
	if c.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the gate: %w", err)
	}
	go c.read(out)
	_, err = c.request("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"licet-lab","version":"1"}}`)
	if err == nil {
		err = c.send([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	}
	return c, err
}

// read hands out what the gate writes until it ends or writes what is no
// message.
func (c *client) read(out io.Reader) {
	defer close(c.lines)
	for r := bufio.NewReader(out); ; {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return
		}
		m, err := parse(line)
		if err != nil {
			return
		}
		c.lines <- m
	}
}

// parse reads a message. An error without an id, which answers what could not
// be read (JSON-RPC 2.0, section 5), is a response here.
func parse(line []byte) (toolcall.Message, error) {
	m, err := toolcall.ParseMessage(line, toolcall.Bounds{})
	if err == nil {
		return m, nil
	}
	v, perr := toolcall.Parse(line, toolcall.Bounds{})
	if perr != nil || v.Get("id").Kind() != toolcall.Null || v.Get("error").Kind() != toolcall.Object {
		return toolcall.Message{}, err
	}
	return toolcall.Message{Kind: toolcall.Response, Raw: line, Error: v.Get("error")}, nil
}

func (c *client) send(line []byte) error {
	_, err := c.in.Write(append(bytes.Clone(line), '\n'))
	if err != nil {
		err = errEnded // the pipe is broken because of that, and says no more
	}
	return err
}

// request makes a request of the client's own.
func (c *client) request(method, params string) (toolcall.Message, error) {
	c.number++
	id := fmt.Sprintf(`%s%d"`, ownID, c.number)
	err := c.send(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
	if err != nil {
		return toolcall.Message{}, err
	}
	return c.await(func(m toolcall.Message) bool { return string(m.RawID) == id })
}

// exchange sends the message of a case and returns the answer to it, whatever
// id that has.
func (c *client) exchange(line []byte) (toolcall.Message, error) {
	if err := c.send(line); err != nil {
		return toolcall.Message{}, err
	}
	return c.await(func(m toolcall.Message) bool { return !strings.HasPrefix(string(m.RawID), ownID) })
}

// await returns the next response that is wanted.
func (c *client) await(wanted func(toolcall.Message) bool) (toolcall.Message, error) {
	late := time.NewTimer(answerTime)
	defer late.Stop()
	for {
		select {
		case m, open := <-c.lines:
			if !open {
				return m, errEnded
			}
			if m.Kind == toolcall.Response && wanted(m) {
				return m, nil
			}
		case <-late.C:
			return toolcall.Message{}, fmt.Errorf("no answer within %s", answerTime)
		}
	}
}

// stop ends the gate, which ends the server.
func (c *client) stop() error {
	err := c.in.Close()
	for range c.lines { // until the gate closes its side
	}
	return errors.Join(err, c.cmd.Wait())
}
