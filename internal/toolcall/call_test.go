package toolcall_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/licet-dev/licet/internal/toolcall"
)

// call reads the call of a message that the test knows to be good.
func call(t *testing.T, text string) toolcall.Call {
	t.Helper()
	m, err := toolcall.ParseMessage([]byte(text), toolcall.Bounds{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	c, err := m.Call("support", "bank")
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return c
}

// toolsCall is a call of the tool "pay" with these members of params beside
// its name.
func toolsCall(params string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pay"` + params + `}}`
}

func TestCall(t *testing.T) {
	for _, c := range []struct {
		name, text                      string
		method, tool, arguments, params string
		ticket                          string
	}{
		{"tool", toolsCall(`,"arguments":{"b":2,"a":1.0}`), "tools/call", "pay", `{"a":1,"b":2}`, `{}`, ""},
		{"tool without arguments", toolsCall(``), "tools/call", "pay", `{}`, `{}`, ""},
		{"arguments null", toolsCall(`,"arguments":null`), "tools/call", "pay", `{}`, `{}`, ""},
		{"other members", toolsCall(`,"_meta":{"x":1},"task":{"ttl":5},"requestState":"s"`), "tools/call", "pay", `{}`,
			`{"requestState":"s","task":{"ttl":5}}`, ""},
		{"ticket", toolsCall(`,"_meta":{"dev.licet/approval":"T-1"}`), "tools/call", "pay", `{}`, `{}`, "T-1"},
		{"method", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"bank://a","name":"n","_meta":{"dev.licet/approval":"T-2"}}}`,
			"resources/read", "", `{"name":"n","uri":"bank://a"}`, `{}`, "T-2"},
		{"method without params", `{"jsonrpc":"2.0","id":1,"method":"roots/list"}`, "roots/list", "", `{}`, `{}`, ""},
		{"notification", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
			"notifications/cancelled", "", `{"requestId":1}`, `{}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := call(t, c.text)
			if got.Agent != "support" || got.Server != "bank" || got.Method != c.method || got.Tool != c.tool || got.Ticket != c.ticket {
				t.Errorf("read as %+v", got)
			}
			if got.Arguments.Canonical() != c.arguments || got.Params.Canonical() != c.params {
				t.Errorf("arguments %s, params %s", got.Arguments.Canonical(), got.Params.Canonical())
			}
		})
	}
}

// refusedCalls are messages that are no calls.
var refusedCalls = []struct {
	name, text   string
	offset       int64
	pointer, msg string
}{
	{"response", `{"jsonrpc":"2.0","id":1,"result":{}}`, 0, "", "no call"},
	{"without id", `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"pay"}}`, 0, "", "needs an id"},
	{"without params", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, 0, "/params/name", "name must be"},
	{"without name", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"uri":"x"}}`, 46, "/params/name", "name must be"},
	{"empty name", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":""}}`, 56, "/params/name", "name must be"},
	{"name as number", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}`, 56, "/params/name", "name must be"},
	{"arguments false", toolsCall(`,"arguments":false`), 69, "/params/arguments", "must be an object"},
	{"arguments array", toolsCall(`,"arguments":[]`), 69, "/params/arguments", "must be an object"},
	{"arguments as text", toolsCall(`,"arguments":"{}"`), 69, "/params/arguments", "must be an object"},
	{"meta null", toolsCall(`,"_meta":null`), 69, "/params/_meta", "must be an object"},
	{"meta as text", toolsCall(`,"_meta":"x"`), 69, "/params/_meta", "must be an object"},
	{"ticket null", toolsCall(`,"_meta":{"dev.licet/approval":null}`), 78, "/params/_meta/dev.licet~1approval", "approval must be"},
	{"ticket empty", toolsCall(`,"_meta":{"dev.licet/approval":""}`), 78, "/params/_meta/dev.licet~1approval", "approval must be"},
	{"ticket misspelt", toolsCall(`,"_meta":{"dev.licet/aproval":"T"}`), 78, "/params/_meta/dev.licet~1aproval", "expected \"dev.licet/approval\""},
	{"ticket in capitals", toolsCall(`,"_meta":{"Dev.Licet/Approval":"T"}`), 78, "/params/_meta/Dev.Licet~1Approval", "is reserved"},
	{"decision of a client", toolsCall(`,"_meta":{"dev.licet/decision":{"verdict":"ALLOW"}}`), 78, "/params/_meta/dev.licet~1decision", "is reserved"},
	{"ticket as list", toolsCall(`,"_meta":{"dev.licet/approval":["T"]}`), 78, "/params/_meta/dev.licet~1approval", "approval must be"},
}

func TestCallRefuses(t *testing.T) {
	for _, c := range refusedCalls {
		t.Run(c.name, func(t *testing.T) {
			m, err := toolcall.ParseMessage([]byte(c.text), toolcall.Bounds{})
			if err != nil {
				t.Fatalf("%s: %v", c.text, err)
			}
			_, err = m.Call("support", "bank")
			position(t, c.text, err, toolcall.SyntaxError{
				Offset: c.offset, Line: 1, Column: int(c.offset) + 1, Pointer: c.pointer, Msg: c.msg,
			})
		})
	}
	if _, err := (toolcall.Message{}).Call("support", "bank"); err == nil {
		t.Error("the zero Message is a call")
	}
}

// The digest is part of records and approvals: its text is fixed here.
func TestDigestText(t *testing.T) {
	c := call(t, toolsCall(`,"arguments":{"to":"é","amount":1e2},"task":{}`))
	const text = `{"agent":"support","arguments":{"amount":100,"to":"é"},"method":"tools/call","params":{"task":{}},"server":"bank","tool":"pay"}`
	sum := sha256.Sum256([]byte(text))
	if got, want := c.Digest(), "sha256:"+hex.EncodeToString(sum[:]); string(got) != want {
		t.Errorf("digest %s, want %s", got, want)
	}
	mac := hmac.New(sha256.New, []byte("key"))
	mac.Write([]byte(text))
	if got, want := c.KeyedDigest([]byte("key")), "hmac-sha256:"+hex.EncodeToString(mac.Sum(nil)); string(got) != want {
		t.Errorf("keyed digest %s, want %s", got, want)
	}
	if c.KeyedDigest([]byte("key")) == c.KeyedDigest([]byte("other")) {
		t.Error("two keys give one digest")
	}
}

func TestDigestCovers(t *testing.T) {
	base := call(t, toolsCall(`,"arguments":{"amount":9007199254740992}`))
	same := map[string]toolcall.Call{
		"order, spelling, ids and _meta": call(t, `{"method":"tools/call","params":{"_meta":{"progressToken":1,"dev.licet/approval":"T"},`+
			`"arguments":{"amount": 9007199254740992.0},"name":"p\u0061y"},"id":"x","jsonrpc":"2.0"}`),
	}
	other := map[string]toolcall.Call{
		"arguments": call(t, toolsCall(`,"arguments":{"amount":9007199254740993}`)),
		"type":      call(t, toolsCall(`,"arguments":{"amount":"9007199254740992"}`)),
		"params":    call(t, toolsCall(`,"arguments":{"amount":9007199254740992},"task":{}`)),
		"method":    call(t, `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"amount":9007199254740992}}`),
	}
	for field, change := range map[string]func(*toolcall.Call){
		"agent":  func(c *toolcall.Call) { c.Agent = "other" },
		"server": func(c *toolcall.Call) { c.Server = "other" },
		"tool":   func(c *toolcall.Call) { c.Tool = "other" },
	} {
		c := base
		change(&c)
		other[field] = c
	}
	for name, c := range same {
		if c.Digest() != base.Digest() {
			t.Errorf("%s changed the digest", name)
		}
	}
	for name, c := range other {
		if c.Digest() == base.Digest() {
			t.Errorf("another %s has the same digest", name)
		}
	}
	made := toolcall.Call{Agent: "support", Server: "bank", Method: "tools/call", Tool: "pay"}
	if made.Digest() != call(t, toolsCall(``)).Digest() {
		t.Error("a call made without arguments differs from one read without arguments")
	}
}
