package toolcall_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/licet-dev/licet/internal/toolcall"
)

// goodMessages are messages of each kind.
var goodMessages = []struct {
	text   string
	kind   toolcall.MessageKind
	rawID  string
	method string
}{
	{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, toolcall.Request, "1", "ping"},
	{`{"jsonrpc":"2.0","id":"\u0061","method":"tools/list","params":{}}`, toolcall.Request, `"\u0061"`, "tools/list"},
	{`{"jsonrpc":"2.0","id":"","method":"ping"}`, toolcall.Request, `""`, "ping"},
	{`{"method":"ping", "id" : -9223372036854775808 ,"jsonrpc":"2.0"}`, toolcall.Request, "-9223372036854775808", "ping"},
	{`{"jsonrpc":"2.0","id":18446744073709551615,"method":"ping"}`, toolcall.Request, "18446744073709551615", "ping"},
	{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, toolcall.Notification, "", "notifications/initialized"},
	{`{"jsonrpc":"2.0","id":1,"result":{}}`, toolcall.Response, "1", ""},
	{`{"jsonrpc":"2.0","id":1,"result":null}`, toolcall.Response, "1", ""},
	{`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}`, toolcall.Response, "1", ""},
	{`{"jsonrpc":"2.0","id":1,"method":"ping","x-unknown":{"Method":"id","id":7}}`, toolcall.Request, "1", "ping"},
	{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"Name":1,"NAME":2},"extra":{"URI":1}}}`,
		toolcall.Request, "1", "tools/call"},
}

func TestParseMessage(t *testing.T) {
	for _, c := range goodMessages {
		m, err := toolcall.ParseMessage([]byte(c.text), toolcall.Bounds{})
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if m.Kind != c.kind || string(m.RawID) != c.rawID || m.Method != c.method || string(m.Raw) != c.text {
			t.Errorf("%s: read as kind %d, id %s, method %q", c.text, m.Kind, m.RawID, m.Method)
		}
	}
}

// refusedMessages are strict JSON but no strict message.
var refusedMessages = []struct {
	name, text   string
	offset       int64
	pointer, msg string
}{
	{"batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, 0, "", "batches"},
	{"text", ` "ping"`, 1, "", "an object, not string"},
	{"no version", `{"id":1,"method":"ping"}`, 0, "/jsonrpc", `must be "2.0"`},
	{"version 1", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, 1, "/jsonrpc", `must be "2.0"`},
	{"version as number", `{"jsonrpc":2.0,"id":1,"method":"ping"}`, 1, "/jsonrpc", `must be "2.0"`},

	{"id null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, 17, "/id", "id must be"},
	{"id true", `{"jsonrpc":"2.0","id":true,"method":"ping"}`, 17, "/id", "id must be"},
	{"id array", `{"jsonrpc":"2.0","id":[1],"method":"ping"}`, 17, "/id", "id must be"},
	{"id with fraction", `{"jsonrpc":"2.0","id":1.0,"method":"ping"}`, 17, "/id", "id must be"},
	{"id with exponent", `{"jsonrpc":"2.0","id":1e2,"method":"ping"}`, 17, "/id", "id must be"},
	{"id minus zero", `{"jsonrpc":"2.0","id":-0,"method":"ping"}`, 17, "/id", "id must be"},
	{"id of 21 digits", `{"jsonrpc":"2.0","id":123456789012345678901,"method":"ping"}`, 17, "/id", "id must be"},

	{"member in other case", `{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call"}`, 40, "/Method", `from "method"`},
	{"only in other case", `{"jsonrpc":"2.0","ID":1,"method":"ping"}`, 17, "/ID", `from "id"`},
	{"long s", `{"jsonrpc":"2.0","id":1,"method":"ping","param\u017f":{}}`, 40, "/paramſ", `from "params"`},
	{"dotless i", `{"jsonrpc":"2.0","id":1,"method":"ping","ıd":2}`, 40, "/ıd", `from "id"`},
	{"param in other case", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","Name":"b"}}`, 67, "/params/Name", `from "name"`},
	{"Kelvin sign", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"tasK":{}}}`, 56, "/params/tasK", `from "task"`},

	{"no method", `{"jsonrpc":"2.0","id":1}`, 0, "", "exactly one of result and error"},
	{"method null", `{"jsonrpc":"2.0","id":1,"method":null}`, 24, "/method", "method must be"},
	{"method empty", `{"jsonrpc":"2.0","id":1,"method":""}`, 24, "/method", "method must be"},
	{"params array", `{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}`, 40, "/params", "must be an object"},
	{"params null", `{"jsonrpc":"2.0","id":1,"method":"ping","params":null}`, 40, "/params", "must be an object"},
	{"request with result", `{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`, 40, "/result", "no result"},
	{"request with error", `{"jsonrpc":"2.0","id":1,"method":"ping","error":{}}`, 40, "/error", "no error"},
	{"result and error", `{"jsonrpc":"2.0","id":1,"result":{},"error":{}}`, 0, "", "exactly one of result and error"},
	{"response without id", `{"jsonrpc":"2.0","result":{}}`, 0, "", "has an id"},
	{"response with params", `{"jsonrpc":"2.0","id":1,"result":{},"params":{}}`, 36, "/params", "no params"},
	{"error as text", `{"jsonrpc":"2.0","id":1,"error":"no"}`, 24, "/error", "must be an object"},
}

func TestParseMessageRefuses(t *testing.T) {
	for _, c := range refusedMessages {
		t.Run(c.name, func(t *testing.T) {
			m, err := toolcall.ParseMessage([]byte(c.text), toolcall.Bounds{})
			position(t, c.text, err, toolcall.SyntaxError{
				Offset: c.offset, Line: 1, Column: int(c.offset) + 1, Pointer: c.pointer, Msg: c.msg,
			})
			if m.Kind != 0 {
				t.Errorf("%s: refused, but left kind %d", c.text, m.Kind)
			}
		})
	}
	for _, c := range refusedTexts {
		if _, err := toolcall.ParseMessage([]byte(c.text), toolcall.Bounds{}); err == nil {
			t.Errorf("%s: %q was accepted as a message", c.name, c.text)
		}
	}
}

// An id below another member, or in a nested message, is not the id.
func TestRawIDIsOutermost(t *testing.T) {
	m, err := toolcall.ParseMessage([]byte(`{"jsonrpc":"2.0","method":"x","params":{"id":5}}`), toolcall.Bounds{})
	if err != nil || m.RawID != nil || m.Kind != toolcall.Notification {
		t.Errorf("id %s, kind %d, error %v", m.RawID, m.Kind, err)
	}
}

// FuzzParseMessage: what is accepted is one JSON object whose envelope every
// reader sees alike, also one that ignores letter case (encoding/json does),
// and whose raw id is the id.
func FuzzParseMessage(f *testing.F) {
	for _, c := range goodMessages {
		f.Add([]byte(c.text))
	}
	for _, c := range refusedMessages {
		f.Add([]byte(c.text))
	}
	for _, c := range refusedCalls {
		f.Add([]byte(c.text))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := toolcall.ParseMessage(raw, toolcall.Bounds{})
		if err != nil {
			var where *toolcall.SyntaxError
			if !errors.As(err, &where) || m.Kind != 0 {
				t.Fatalf("%q: kind %d, error %v", raw, m.Kind, err)
			}
			return
		}
		var loose struct {
			Method string
			ID     json.RawMessage
			Params struct{ Name any }
		}
		if err := json.Unmarshal(raw, &loose); err != nil {
			t.Fatalf("%q is accepted, but encoding/json says %v", raw, err)
		}
		if loose.Method != m.Method || !bytes.Equal(loose.ID, m.RawID) {
			t.Fatalf("%q: method %q and id %s, but encoding/json reads %q and %s", raw, m.Method, m.RawID, loose.Method, loose.ID)
		}
		c, err := m.Call("agent", "server")
		if err != nil {
			return
		}
		if c.Tool != "" && loose.Params.Name != c.Tool {
			t.Fatalf("%q: tool %q, but encoding/json reads %v", raw, c.Tool, loose.Params.Name)
		}
		if c.Arguments.Kind() != toolcall.Object || c.Params.Kind() != toolcall.Object {
			t.Fatalf("%q: arguments are %s, params are %s", raw, c.Arguments.Kind(), c.Params.Kind())
		}
	})
}
