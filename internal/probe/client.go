package probe

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Bounds of one conversation.
const (
	maxMessages = 10_000   // from the server
	maxBytes    = 32 << 20 // from the server
	maxPages    = 100
)

// client speaks to one server, one request at a time.
type client struct {
	in    *bufio.Reader
	out   io.Writer
	asked int64 // id of the last request
	read  int   // messages so far
	bytes int   // bytes so far
}

func newClient(p *process) *client {
	return &client{in: bufio.NewReaderSize(p.stdout, toolcall.DefaultBytes+2), out: p.stdin}
}

// refusal is an error response of the server.
type refusal struct {
	method, code, message string
}

func (r *refusal) Error() string {
	return fmt.Sprintf("the server refused %s: %s (%s)", r.method, quoted(r.message), r.code)
}

// describeLegacy opens a session as up to 2025-11-25 and lists the tools.
func (c *client) describeLegacy() (*Server, error) {
	result, err := c.request("initialize", object(
		"protocolVersion", toolcall.StringOf(legacy[0]),
		"capabilities", object(),
		"clientInfo", clientInfo,
	))
	if err != nil {
		return nil, err
	}
	version := result.Get("protocolVersion").Text()
	if !slices.Contains(legacy, version) {
		return nil, fmt.Errorf("the server answered initialize with MCP %s, which is not known", quoted(version))
	}
	if err := c.send(object("jsonrpc", version2, "method", toolcall.StringOf("notifications/initialized"))); err != nil {
		return nil, err
	}
	s := &Server{Protocol: version}
	s.name(result.Get("serverInfo"))
	return s, c.list(s, result, toolcall.Value{})
}

// describeModern asks as of 2026-07-28, where each request stands alone.
func (c *client) describeModern() (*Server, error) {
	meta := object(
		metaPrefix+"protocolVersion", toolcall.StringOf(modern),
		metaPrefix+"clientCapabilities", object(),
		metaPrefix+"clientInfo", clientInfo,
	)
	result, err := c.request("server/discover", object("_meta", meta))
	if err != nil {
		return nil, err
	}
	if !supports(result.Get("supportedVersions"), modern) {
		return nil, fmt.Errorf("the server does not speak it, but %s", quoted(result.Get("supportedVersions").Canonical()))
	}
	s := &Server{Protocol: modern}
	s.name(result.Get("_meta").Get(metaPrefix + "serverInfo"))
	return s, c.list(s, result, meta)
}

// metaPrefix begins the members of _meta that open each modern request.
const metaPrefix = "io.modelcontextprotocol/"

var (
	version2   = toolcall.StringOf("2.0")
	clientInfo = object("name", toolcall.StringOf("licet"), "version", toolcall.StringOf("1"))
)

func supports(versions toolcall.Value, version string) bool {
	for i := range versions.Len() {
		if versions.Kind() == toolcall.Array && versions.Elem(i).Text() == version {
			return true
		}
	}
	return false
}

func (s *Server) name(info toolcall.Value) {
	s.Name, s.Version = info.Get("name").Text(), info.Get("version").Text()
}

// list reads all pages of the tools into s. opening is the result that held the
// instructions; meta is what each request carries, absent for none.
func (c *client) list(s *Server, opening, meta toolcall.Value) error {
	instructions := opening.Get("instructions")
	if k := instructions.Kind(); k != toolcall.Absent && k != toolcall.Null && k != toolcall.String {
		return fmt.Errorf("the server's instructions are no text but %s", k)
	}
	tools, err := c.pages(meta)
	if err != nil {
		return err
	}
	s.Catalog, err = catalog.FromTools(instructions.Text(), tools)
	return err
}

func (c *client) pages(meta toolcall.Value) (tools []toolcall.Value, err error) {
	cursor := toolcall.Value{}
	for range maxPages {
		result, err := c.request("tools/list", object("cursor", cursor, "_meta", meta))
		if err != nil {
			return nil, err
		}
		if kind := result.Get("resultType"); kind.Kind() != toolcall.Absent && kind.Text() != "complete" {
			return nil, fmt.Errorf("the server's answer to tools/list is not complete: resultType %s", quoted(kind.Canonical()))
		}
		page := result.Get("tools")
		if page.Kind() != toolcall.Array {
			return nil, fmt.Errorf("the server's answer to tools/list: tools is %s, not an array", page.Kind())
		}
		for i := range page.Len() {
			tools = append(tools, page.Elem(i))
		}
		cursor = result.Get("nextCursor")
		switch cursor.Kind() {
		case toolcall.Absent, toolcall.Null:
			return tools, nil
		case toolcall.String:
		default:
			return nil, fmt.Errorf("the server's answer to tools/list: nextCursor is %s, not a string", cursor.Kind())
		}
	}
	return nil, fmt.Errorf("the server's list of tools has more than %d pages", maxPages)
}

// errEnded says that the server takes or gives no more messages.
var errEnded = errors.New("the server ended")

// request sends a request and returns the result of its answer. An error
// response is a [*refusal].
func (c *client) request(method string, params toolcall.Value) (toolcall.Value, error) {
	c.asked++
	id := strconv.FormatInt(c.asked, 10)
	err := c.send(object("jsonrpc", version2, "id", number(id), "method", toolcall.StringOf(method), "params", params))
	for {
		var m toolcall.Message
		if err == nil {
			m, err = c.receive()
		}
		switch {
		case errors.Is(err, errEnded):
			return toolcall.Value{}, fmt.Errorf("%w before it answered %s", err, method)
		case err != nil:
			return toolcall.Value{}, fmt.Errorf("waiting for the answer to %s: %w", method, err)
		case m.Kind == toolcall.Request:
			err = c.answer(m)
		case m.Kind == toolcall.Notification: // says nothing about the list that is being read
		case string(m.RawID) != id:
			return toolcall.Value{}, fmt.Errorf("the server answered a request that was not made: id %s", quoted(string(m.RawID)))
		case m.Error.Kind() != toolcall.Absent:
			return toolcall.Value{}, &refusal{method, m.Error.Get("code").Canonical(), m.Error.Get("message").Text()}
		case m.Result.Kind() != toolcall.Object:
			return toolcall.Value{}, fmt.Errorf("the server answered %s with %s, not an object", method, m.Result.Kind())
		default:
			return m.Result, nil
		}
	}
}

// answer answers a request of the server: it may ask whether we are there, and
// nothing else.
func (c *client) answer(m toolcall.Message) error {
	if m.Method == "ping" {
		return c.send(object("jsonrpc", version2, "id", m.ID, "result", object()))
	}
	return c.send(object("jsonrpc", version2, "id", m.ID, "error", object(
		"code", number("-32601"), // JSON-RPC 2.0, section 5.1: method not found
		"message", toolcall.StringOf("licet only lists tools"),
	)))
}

// receive returns the next message that the server sends.
func (c *client) receive() (toolcall.Message, error) {
	for {
		line, err := c.in.ReadSlice('\n')
		c.read++
		c.bytes += len(line)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			return toolcall.Message{}, fmt.Errorf("a message has more than %d bytes", toolcall.DefaultBytes)
		case err != nil && len(line) > 0:
			return toolcall.Message{}, fmt.Errorf("the last line was cut off: %s", quoted(string(line)))
		case err != nil: // however it came about
			return toolcall.Message{}, errEnded
		case c.read > maxMessages || c.bytes > maxBytes:
			return toolcall.Message{}, fmt.Errorf("the server sent more than %d messages or %d bytes", maxMessages, maxBytes)
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		m, err := toolcall.ParseMessage(bytes.Clone(line), toolcall.Bounds{})
		if err != nil {
			return toolcall.Message{}, fmt.Errorf("the server wrote a line that is no MCP message: %s: %w", quoted(string(line)), err)
		}
		return m, nil
	}
}

func (c *client) send(message toolcall.Value) error {
	if _, err := c.out.Write(append(message.AppendCanonical(nil), '\n')); err != nil {
		return errEnded // nobody reads any more, however it came about
	}
	return nil
}

// object returns an object of names and values in turn; absent values are left
// out.
func object(pairs ...any) toolcall.Value {
	members := make([]toolcall.Member, 0, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		members = append(members, toolcall.Member{Name: pairs[i].(string), Value: pairs[i+1].(toolcall.Value)})
	}
	return toolcall.ObjectOf(members...)
}

func number(text string) toolcall.Value {
	d, err := toolcall.ParseDecimal(text)
	if err != nil {
		panic(fmt.Sprintf("probe: %q is no number: %v", text, err))
	}
	return toolcall.NumberOf(d)
}

// maxQuoted is how many bytes of a server's text an error shows.
const maxQuoted = 200

// quoted shortens a text of the server and escapes what a terminal would act on.
func quoted(text string) string {
	if len(text) > maxQuoted {
		return strconv.Quote(text[:maxQuoted]) + "…"
	}
	return strconv.Quote(text)
}
