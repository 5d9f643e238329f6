package toolcall

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// MessageKind says what a [Message] is. The zero MessageKind is none of them.
type MessageKind uint8

const (
	Request      MessageKind = iota + 1 // has a method and an id
	Notification                        // has a method and no id
	Response                            // has an id and either result or error
)

// Message is one JSON-RPC 2.0 message.
type Message struct {
	Kind   MessageKind
	Raw    []byte // the text, as given to ParseMessage
	RawID  []byte // exact text of the id, a part of Raw; nil where there is none
	ID     Value  // a string or an integer; absent for a notification
	Method string
	Params Value // an object, or absent
	Result Value
	Error  Value // an object, or absent
}

// maxIDDigits lets every 64-bit integer be an id.
const maxIDDigits = 20

// envelope and params list the members that some peer gives a meaning to:
// JSON-RPC 2.0, and the params of all MCP revisions up to 2026-07-28. A member
// that differs from one of them only in letter case is refused, because a
// reader that ignores case would take it for the other.
var (
	envelope = foldIndex("jsonrpc", "id", "method", "params", "result", "error")
	params   = foldIndex("_meta", "action", "argument", "arguments", "capabilities", "clientInfo",
		"content", "context", "cursor", "data", "elicitationId", "includeContext", "inputResponses", "level", "logger",
		"maxTokens", "message", "messages", "metadata", "mode", "modelPreferences", "name",
		"notifications", "progress", "progressToken", "protocolVersion", "reason", "ref",
		"requestId", "requestState", "requestedSchema", "status", "stopSequences", "systemPrompt", "task", "taskId",
		"temperature", "toolChoice", "tools", "total", "uri", "url")
)

// foldIndex maps the fold key of each name to the name.
func foldIndex(names ...string) map[string]string {
	index := make(map[string]string, len(names))
	for _, n := range names {
		index[foldKey(n)] = n
	}
	return index
}

// ParseMessage reads one JSON-RPC 2.0 message, strictly. Beyond [Parse] it
// refuses batches, members of the envelope and of params that differ from a
// known one only in letter case, a version other than "2.0", an id that is
// neither a string nor an integer of at most 20 digits, params that are no
// object, and a mix of request and response. Other members are left to the
// receiver. An error is a [*SyntaxError]. The message keeps raw, which must
// not be changed.
func ParseMessage(raw []byte, b Bounds) (Message, error) {
	v, id, err := parse(raw, b)
	if err != nil {
		return Message{}, err
	}
	m := Message{
		Raw:    raw,
		RawID:  id,
		ID:     v.Get("id"),
		Method: v.Get("method").Text(),
		Params: v.Get("params"),
		Result: v.Get("result"),
		Error:  v.Get("error"),
	}
	if err := m.check(v); err != nil {
		return Message{}, err
	}
	return m, nil
}

// check refuses what is no JSON-RPC 2.0 message; v is the whole of it.
func (m *Message) check(v Value) error {
	if v.Kind() != Object {
		return m.refuse("", "a message is an object, not "+v.Kind().String()+"; batches are not accepted")
	}
	if err := m.checkFolding("", v, envelope); err != nil {
		return err
	}
	if v.Get("jsonrpc").Text() != "2.0" {
		return m.refuse("/jsonrpc", `jsonrpc must be "2.0"`)
	}
	if err := m.checkID(); err != nil {
		return err
	}
	if v.Get("method").Kind() == Absent {
		return m.checkResponse()
	}
	return m.checkRequest()
}

func (m *Message) checkID() error {
	switch m.ID.Kind() {
	case Absent, String:
		return nil
	case Number:
		digits := bytes.TrimPrefix(m.RawID, []byte("-"))
		if len(digits) <= maxIDDigits && isDigits(digits) && string(m.RawID) != "-0" {
			return nil
		}
	}
	return m.refuse("/id", fmt.Sprintf("id must be a string or an integer of at most %d digits, without fraction or exponent", maxIDDigits))
}

func isDigits(b []byte) bool {
	_, rest := cutDigits(string(b))
	return rest == ""
}

func (m *Message) checkRequest() error {
	switch {
	case m.Method == "":
		return m.refuse("/method", "method must be a string that is not empty")
	case m.Result.Kind() != Absent:
		return m.refuse("/result", "a message with a method has no result")
	case m.Error.Kind() != Absent:
		return m.refuse("/error", "a message with a method has no error")
	case m.Params.Kind() != Absent && m.Params.Kind() != Object:
		return m.refuse("/params", "params must be an object")
	}
	m.Kind = Request
	if m.ID.Kind() == Absent {
		m.Kind = Notification
	}
	return m.checkFolding("/params", m.Params, params)
}

func (m *Message) checkResponse() error {
	hasResult, hasError := m.Result.Kind() != Absent, m.Error.Kind() != Absent
	switch {
	case hasResult == hasError:
		return m.refuse("", "a message has a method, or else exactly one of result and error")
	case m.ID.Kind() == Absent:
		return m.refuse("", "a response has an id")
	case m.Params.Kind() != Absent:
		return m.refuse("/params", "a response has no params")
	case hasError && m.Error.Kind() != Object:
		return m.refuse("/error", "error must be an object")
	}
	m.Kind = Response
	return nil
}

// checkFolding refuses members of the object at pointer that are not known but
// differ from a known one only in letter case.
func (m *Message) checkFolding(pointer jsontext.Pointer, object Value, known map[string]string) error {
	for i := range object.Len() {
		member, _ := object.Member(i)
		if known[member] == member {
			continue // as most: there is nothing to fold
		}
		if name, found := known[foldKey(member)]; found && name != member {
			return m.refuse(pointer.AppendToken(member), fmt.Sprintf("member differs from %q only in letter case", name))
		}
	}
	return nil
}

// refuse returns an error at the member that pointer names or, where there is
// none, at the nearest value around it.
func (m *Message) refuse(pointer jsontext.Pointer, msg string) error {
	dec := jsontext.NewDecoder(bytes.NewReader(m.Raw))
	offset, depth := skip(m.Raw, 0, space), 0
	for {
		start := skip(m.Raw, dec.InputOffset(), separator)
		if _, err := dec.ReadToken(); err != nil {
			return syntaxError(m.Raw, offset, pointer, msg) // read all: Raw was parsed before
		}
		if at := dec.StackPointer(); len(at) > depth && at.Contains(pointer) {
			offset, depth = start, len(at)
		}
	}
}
