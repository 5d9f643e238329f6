package doors

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/mcpproxy"
	"github.com/licet-dev/licet/internal/toolcall"
)

// MCP is the door of `licet mcp`: a client, the gate and a server, each a
// process. It also checks that no call reaches the server which was not
// allowed.
type MCP struct {
	Licet  []string // program that is licet, with its first arguments
	Server []string // program that is Serve; the folder is appended
}

// Open implements cases.Door.
func (d MCP) Open(_ context.Context, setup cases.Setup) (cases.Session, error) {
	h, err := newHome(d.Licet, setup)
	if err != nil {
		return nil, err
	}
	s := &mcp{home: h, server: d.Server, clients: map[who]*client{}, tools: map[string][]toolcall.Value{}}
	return s, nil
}

// who tells the gate's processes apart: each stands before one server, for one
// agent in one session.
type who struct{ agent, server, session string }

// mcp is one session of MCP.
type mcp struct {
	*home
	server  []string
	clients map[who]*client
	tools   map[string][]toolcall.Value // what each server offers, once that was said

	last struct { // call
		server   string
		sent     []byte
		answered toolcall.Message
	}
}

// passes says whether the relay forwards a client's method undecided.
func passes(method string) bool {
	return slices.ContainsFunc(mcpproxy.Methods(), func(m mcpproxy.Method) bool {
		return m.Name == method && m.From == mcpproxy.Client && !m.Judged
	})
}

// Call implements cases.Session.
func (s *mcp) Call(ctx context.Context, c cases.Call) (cases.Answer, error) {
	message, err := s.message(c)
	if err != nil {
		return cases.Answer{}, err
	}
	caller := who{c.Agent, c.Server, c.Session}
	cl, err := s.client(ctx, caller)
	if errors.Is(err, errEnded) {
		return s.notRun(c, cl.said.Bytes())
	}
	if err == nil {
		err = s.prepare(c)
	}
	if err != nil {
		return cases.Answer{}, err
	}
	before, err := s.journal(c.Server)
	if err != nil {
		return cases.Answer{}, err
	}
	s.last.server, s.last.sent = c.Server, message
	if s.last.answered, err = cl.exchange(message); err != nil {
		delete(s.clients, caller)
		return cases.Answer{}, errors.Join(err, cl.stop(), errors.New(cl.said.String()))
	}
	a, err := s.answered(ctx, s.last.answered)
	if err == nil && a.Verdict != authz.Allow {
		err = s.unreached(c.Server, message, len(before))
	}
	return a, err
}

// noSignals says why a door with a program behind it has no signals of a case.
var noSignals = cases.Inexpressible{Why: "a program sees the environment in which it runs"}

// message returns the line for a call.
func (s *mcp) message(c cases.Call) ([]byte, error) {
	switch {
	case c.Session == "":
		return nil, cases.Inexpressible{Why: "a client over stdio always has a session"}
	case c.User != "":
		return nil, cases.Inexpressible{Why: "MCP over stdio names no user"}
	case c.Cwd != "":
		return nil, cases.Inexpressible{Why: "a call over MCP has no working directory"}
	case len(c.Signals) > 0:
		return nil, noSignals
	case len(c.Request)+len(c.History) > 0:
		return nil, cases.Inexpressible{Why: "an MCP client cannot assert turns or results"}
	case bytes.ContainsAny(c.Raw, "\r\n"):
		return nil, cases.Inexpressible{Why: "over stdio a message is one line"}
	case c.Raw != nil:
		return c.Raw, nil
	}
	params := []toolcall.Member{
		{Name: "name", Value: toolcall.StringOf(c.Tool)},
		{Name: "arguments", Value: c.Arguments},
	}
	if c.Approval != "" {
		params = append(params, toolcall.Member{Name: "_meta", Value: toolcall.ObjectOf(
			toolcall.Member{Name: "dev.licet/approval", Value: toolcall.StringOf(c.Approval)},
		)})
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":%s}`, toolcall.ObjectOf(params...).Canonical()), nil
}

// client returns the client of a process of the gate, and starts both when they
// are first needed.
func (s *mcp) client(ctx context.Context, w who) (*client, error) {
	if c := s.clients[w]; c != nil {
		return c, nil
	}
	if err := s.offer(w.server); err != nil {
		return nil, err
	}
	args := []string{"mcp", "--contract", s.path("licet.yaml"), "--agent", w.agent, "--server", w.server, "--session", w.session, "--hold", "0s"}
	if s.places.Workspace != "" {
		args = append(args, "--workspace", s.places.Workspace)
	}
	args = slices.Concat(args, []string{"--"}, s.server, []string{s.folder(w.server)})
	c, err := startClient(s.command(ctx, args...))
	if err != nil {
		if c != nil {
			_ = c.stop() // that it ended is what err says
		}
		return c, err
	}
	s.clients[w] = c
	return c, nil
}

func (s *mcp) folder(server string) string { return s.path(filepath.Join("servers", server)) }

// offer writes what a server offers: its approved tools, if nothing else was
// said.
func (s *mcp) offer(server string) error {
	if err := os.MkdirAll(s.folder(server), 0o700); err != nil {
		return err
	}
	list := toolcall.ArrayOf(s.offered(server)...)
	return os.WriteFile(filepath.Join(s.folder(server), toolsFile), list.AppendCanonical(nil), 0o600)
}

func (s *mcp) offered(server string) []toolcall.Value {
	if live, said := s.tools[server]; said || s.contract == nil {
		return live
	}
	known, _ := s.contract.Catalog(server)
	if known.Approved == nil {
		return nil
	}
	var list []toolcall.Value
	for _, t := range known.Approved.Tools {
		list = append(list, t.Raw)
	}
	return list
}

// prepare tells the server what to return.
func (s *mcp) prepare(c cases.Call) error {
	result := c.Result
	if result.Kind() == toolcall.Absent {
		result = toolcall.ObjectOf(toolcall.Member{Name: "content", Value: toolcall.ArrayOf()})
	}
	return os.WriteFile(filepath.Join(s.folder(c.Server), resultFile), result.AppendCanonical(nil), 0o600)
}

// journal returns what a server got, nothing before it runs.
func (s *mcp) journal(server string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(s.folder(server), journalFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// unreached checks that a message which was not allowed is not in the part of
// the journal that is new.
func (s *mcp) unreached(server string, message []byte, from int) error {
	text, err := s.journal(server)
	if err != nil {
		return err
	}
	if bytes.Contains(text[from:], message) {
		return Unmet{"the server got a message that was not allowed"}
	}
	return nil
}

// refusal is how the relay words an answer of its own, to a model or as an
// error. An error that gives no code says what is malformed.
var refusal = regexp.MustCompile(`^licet: (?:(BLOCK|REQUIRE_APPROVAL) \((\w+)\))?`)

// answered reads the verdict from what the client got, and the reasons, which
// a client does not get, from the record. The two must agree.
func (s *mcp) answered(ctx context.Context, m toolcall.Message) (cases.Answer, error) {
	told := m.Error.Get("message").Text()
	if content := m.Result.Get("content"); m.Result.Get("isError").Bool() && content.Kind() == toolcall.Array && content.Len() > 0 {
		told = content.Elem(0).Get("text").Text()
	}
	verdict := authz.Allow
	words := refusal.FindStringSubmatch(told)
	if words != nil {
		verdict = authz.Block
		if words[1] == authz.RequireApproval.String() {
			verdict = authz.RequireApproval
		}
	}
	if sent, err := toolcall.ParseMessage(s.last.sent, toolcall.Bounds{}); err == nil && passes(sent.Method) {
		return cases.Answer{Verdict: verdict}, nil // nothing is recorded
	}
	if s.lost && words != nil {
		return cases.Answer{Verdict: verdict, Reasons: []authz.Reason{{Code: authz.Code(words[2]), Detail: told}}}, nil
	}
	d, err := s.recorded(ctx)
	if err == nil && d.Verdict != verdict {
		err = Unmet{fmt.Sprintf("the client was told %q, but the record says %s", told, d.Verdict)}
	}
	return cases.Answer{Verdict: d.Verdict, Reasons: d.Reasons, Ticket: d.Ticket}, err
}

// Do implements cases.Session.
func (s *mcp) Do(ctx context.Context, a cases.Act) error {
	switch a := a.(type) {
	case cases.Turn:
		return cases.Inexpressible{Why: "MCP carries no turns of the user"}
	case cases.ContractEdit:
		return errors.Join(s.do(ctx, a), s.stop())
	case cases.DefinitionEdit:
		return s.change(a.Server, redefined(s.offered(a.Server), a.Tool, a.Definition))
	case Offer:
		return s.change(a.Server, a.Tools)
	case Listed:
		return s.listed(a.Tools)
	case Forwarded:
		return s.forwarded()
	case Restart:
		return s.stop()
	}
	return s.do(ctx, a)
}

// redefined returns tools with another definition of one.
func redefined(tools []toolcall.Value, name string, def toolcall.Value) []toolcall.Value {
	tools = slices.Clone(tools)
	for i, t := range tools {
		if t.Get("name").Text() == name {
			tools[i] = def
		}
	}
	return tools
}

// change makes a server offer other tools, and say so if it runs.
func (s *mcp) change(server string, tools []toolcall.Value) error {
	s.tools[server] = tools
	if err := s.offer(server); err != nil {
		return err
	}
	for w, c := range s.clients {
		if w.server == server {
			if _, err := c.request("ping", "{}"); err != nil {
				return err
			}
		}
	}
	return nil
}

// listed compares the tools in the answer to the last message.
func (s *mcp) listed(want []string) error {
	list := s.last.answered.Result.Get("tools")
	if list.Kind() != toolcall.Array {
		return Unmet{"the answer lists no tools"}
	}
	var got []string
	for i := range list.Len() {
		got = append(got, list.Elem(i).Get("name").Text())
	}
	slices.Sort(got)
	if want = slices.Sorted(slices.Values(want)); !slices.Equal(got, want) {
		return Unmet{fmt.Sprintf("the answer lists %q, want %q", got, want)}
	}
	return nil
}

// forwarded compares the last line that the server got with the last message.
func (s *mcp) forwarded() error {
	text, err := s.journal(s.last.server)
	if err != nil {
		return err
	}
	lines := bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	if got := lines[len(lines)-1]; !bytes.Equal(got, s.last.sent) {
		return Unmet{fmt.Sprintf("the server got %q, sent was %q", got, s.last.sent)}
	}
	return nil
}

// stop ends every process of the gate. One that lost its store may end as it
// likes.
func (s *mcp) stop() (err error) {
	for _, c := range s.clients {
		if ended := c.stop(); !s.lost {
			err = errors.Join(err, ended)
		}
	}
	clear(s.clients)
	return err
}

// Close implements cases.Session.
func (s *mcp) Close() error { return errors.Join(s.stop(), s.close()) }
