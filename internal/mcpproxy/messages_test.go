package mcpproxy

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/internal/gate"
)

// TestPasses sends each method of the table through, as both kinds of message
// and from both sides: only the table decides.
func TestPasses(t *testing.T) {
	for _, m := range Methods() {
		for _, from := range []Side{Client, Server} {
			for _, notification := range []bool{false, true} {
				for _, name := range []string{m.Name, m.Name + "x", strings.ToUpper(m.Name)} {
					_, known := lookup(from, name, notification)
					want := slices.ContainsFunc(methods, func(o Method) bool {
						return o.Name == name && o.From == from && o.Notification == notification
					})
					if known != want {
						t.Errorf("%s from %s, notification %v: known is %v", name, from, notification, known)
					}
				}
			}
		}
	}
	for _, m := range Methods() {
		if m.Name == "notifications/cancelled" && m.From == Client || m.Judged {
			continue // each has a test of its own
		}
		message := `{"jsonrpc":"2.0","id":5,"method":"` + m.Name + `","params":{"x":1}}`
		if m.Notification {
			message = `{"jsonrpc":"2.0","method":"` + m.Name + `"}`
		}
		text := "C> " + message + "\nS< " + message
		if m.From == Server {
			text = "S> " + message + "\nC< " + message
		}
		t.Run(m.From.String()+" "+m.Name, func(t *testing.T) { script(t, newFakeGate(), Options{}, text) })
	}
}

func TestMethodsIsACopy(t *testing.T) {
	Methods()[0].Name = "changed"
	if _, known := lookup(Client, "initialize", false); !known {
		t.Error("a caller of Methods can change the table")
	}
}

// TestMessages plays what is not a tool call.
func TestMessages(t *testing.T) {
	const held = `{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"messages":[]}}`
	for name, test := range map[string]string{
		"unknown request": `
			C> {"jsonrpc":"2.0","id":1,"method":"tools/delete"}
			G< refuse unknown_method: the client may not send "tools/delete" as a request
			C< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"licet: BLOCK (unknown_method), decision d-2. The call did not run. Repeating it unchanged will not help."}}`,
		"unknown notification": `
			C> {"jsonrpc":"2.0","method":"notifications/hello"}
			G< refuse unknown_method: the client may not send "notifications/hello" as a notification`,
		"a request sent as a notification": `
			C> {"jsonrpc":"2.0","method":"tools/list"}
			G< refuse unknown_method: ...`,
		"a call sent as a notification": `
			C> {"jsonrpc":"2.0","method":"tools/call","params":{"name":"allow"}}
			G< refuse unknown_method: ...`,
		"a notification sent as a request": `
			C> {"jsonrpc":"2.0","id":1,"method":"notifications/initialized"}
			G< refuse unknown_method: ...
			C< ...-32601...`,
		"new input for a task": `
			C> {"jsonrpc":"2.0","id":1,"method":"tasks/update","params":{"taskId":"t","inputResponses":{}}}
			G< refuse unknown_method: ...
			C< ...-32601...`,
		"a method that only the server may use": `
			C> {"jsonrpc":"2.0","id":1,"method":"sampling/createMessage"}
			G< refuse unknown_method: ...
			C< ...-32601...`,
		"a defect while recording": `
			C> {"jsonrpc":"2.0","id":1,"method":"panic/refuse"}
			G< refuse unknown_method: ...
			C< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"licet: BLOCK (internal)...`,
		"methods that act are judged": `
			C> {"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}
			G< check resources/read unverified: BLOCK not_listed
			C< {"jsonrpc":"2.0","id":1,"error":{"code":403,"message":"licet: BLOCK (not_listed), decision d-1...
			C> {"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"p"}}
			G< check prompts/get unverified: BLOCK not_listed
			C< {"jsonrpc":"2.0","id":2,"error":{"code":403,...
			C> {"jsonrpc":"2.0","id":3,"method":"completion/complete","params":{}}
			G< check completion/complete unverified: BLOCK not_listed
			C< {"jsonrpc":"2.0","id":3,"error":{"code":403,...`,
		"requests of the server are judged": `
			S> {"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"password?"}}
			G< check elicitation/create unverified: BLOCK not_listed
			S< {"jsonrpc":"2.0","id":1,"error":{"code":403,...
			S> {"jsonrpc":"2.0","id":"r","method":"roots/list"}
			G< check roots/list unverified: BLOCK not_listed
			S< {"jsonrpc":"2.0","id":"r","error":{"code":403,...`,
		"and pass with a grant": `
			S> ` + held + `
			G< check sampling/createMessage unverified: ALLOW allow_clause
			C< ` + held + `
			C> {"jsonrpc":"2.0","id":1,"result":{"role":"assistant"}}
			G< done succeeded {"role":"assistant"}
			S< {"jsonrpc":"2.0","id":1,"result":{"role":"assistant"}}`,
		"and have an outcome when nobody answers": `
			S> ` + held + `
			G< check sampling/createMessage unverified: ALLOW allow_clause
			C< ` + held + `
			S.
			G< done unknown`,
		"a call from the server": `
			S> ` + c1 + `
			G< refuse unknown_method: the server may not send "tools/call" as a request
			S< ...-32601...`,
		"a ping of the server is answered": `
			S> {"jsonrpc":"2.0","id":1,"method":"ping"}
			C< {"jsonrpc":"2.0","id":1,"method":"ping"}
			C> {"jsonrpc":"2.0","id":1,"result":{}}
			S< {"jsonrpc":"2.0","id":1,"result":{}}`,
		"an answer that nobody waits for": `
			C> {"jsonrpc":"2.0","id":1,"result":{}}
			S> {"jsonrpc":"2.0","id":1,"result":{}}`,
		"a malformed line of the server": `
			S> Starting up...
			S> {"id":1,"method":"x"}
			S> [1]
			S> {"jsonrpc":"2.0","id":{},"result":{},"result":{}}`,
		"input asked for outside of a call": `
			C> {"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"t"}}
			S< {"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"t"}}
			S> {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","task":{"inputRequests":{}}}}
			C< {"jsonrpc":"2.0","id":1,"error":{"code":502,...does not pass on...`,
		"cancelled, never asked": `
			C> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
			C> {"jsonrpc":"2.0","method":"notifications/cancelled"}`,
		"cancelled, passing": `
			C> {"jsonrpc":"2.0","id":1,"method":"ping"}
			S< {"jsonrpc":"2.0","id":1,"method":"ping"}
			C> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
			S< {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
			S> {"jsonrpc":"2.0","id":1,"result":{}}
			C< {"jsonrpc":"2.0","id":1,"result":{}}`,
		"the relay's own request is nobody's to cancel": `
			C> ` + c1 + `
			S< {"id":"licet:NONCE:1",...
			C> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"licet:NONCE:1"}}
			C> {"jsonrpc":"2.0","id":"licet:NONCE:1","method":"ping"}
			G< refuse malformed: another request has the same id...
			C< {"jsonrpc":"2.0","id":null,...`,
		"the same id twice": `
			C> {"jsonrpc":"2.0","id":1,"method":"ping"}
			S< {"jsonrpc":"2.0","id":1,"method":"ping"}
			C> {"jsonrpc":"2.0","id":1,"method":"ping"}
			G< refuse malformed: another request has the same id and no answer yet
			C< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,...
			C> {"jsonrpc":"2.0","id":"1","method":"ping"}
			S< {"jsonrpc":"2.0","id":"1","method":"ping"}
			C> ` + c1 + `
			G< refuse malformed: another request has the same id and no answer yet
			C< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,...`,
		"a call without a name": `
			C> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{}}}
			G< refuse malformed: ...
			C< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,...`,
		"calls keep their order": allowed + `
			C> ` + slowCall + `
			C> ` + callOf(3, "allow") + `
			G< check allow pinned: ALLOW allow_clause
			C> {"jsonrpc":"2.0","id":4,"method":"ping"}
			S< {"jsonrpc":"2.0","id":4,"method":"ping"}
			ok
			G< check allow pinned: ALLOW allow_clause
			S< ` + slowCall + `
			S< ` + callOf(3, "allow"),
	} {
		t.Run(name, func(t *testing.T) { script(t, newFakeGate(), Options{}, test) })
	}
}

// slowCall is one that the gate decides only when ticket t-1 is approved.
const slowCall = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"allow","arguments":{"slow":true}}}`

// A decision that takes long holds up its neighbours for a moment, also when
// there are many of it, and costs none of them its grant.
func TestSlowDecision(t *testing.T) {
	for name, test := range map[string]string{
		"one goes ahead": `
			C> ` + slowCall + `
			C> ` + callOf(3, "allow") + `
			G< check allow pinned: ALLOW allow_clause
			T 999ms
			T 1ms
			S< ` + callOf(3, "allow") + `
			T 30s
			ok
			G< check allow pinned: ALLOW allow_clause
			S< ` + slowCall,
		"those that go ahead keep their order": `
			C> ` + slowCall + `
			C> ` + callOf(3, "allow") + `
			G< check allow pinned: ALLOW allow_clause
			T 400ms
			C> ` + callOf(4, "allow") + `
			G< check allow pinned: ALLOW allow_clause
			T 600ms
			S< ` + callOf(3, "allow") + `
			S< ` + callOf(4, "allow"),
		"many slow ones": `
			C> ` + slowCall + `
			C> ` + strings.Replace(slowCall, ":2,", ":5,", 1) + `
			C> ` + strings.Replace(slowCall, ":2,", ":6,", 1) + `
			C> ` + callOf(3, "allow") + `
			G< check allow pinned: ALLOW allow_clause
			T 1s
			S< ` + callOf(3, "allow"),
		"a held one waits on": `
			C> ` + slowCall + `
			C> ` + callOf(3, "hold") + `
			G< check hold pinned: REQUIRE_APPROVAL approve_clause
			T 1s
			C> ` + callOf(4, "allow") + `
			G< check allow pinned: ALLOW allow_clause
			S< ` + callOf(4, "allow"),
	} {
		t.Run(name, func(t *testing.T) { script(t, newFakeGate(), Options{Hold: time.Minute}, allowed+test) })
	}
}

// A call that waits for its turn can still be cancelled.
func TestCancelledBeforeItsTurn(t *testing.T) {
	script(t, newFakeGate(), Options{}, allowed+`
		C> `+slowCall+`
		C> `+callOf(3, "allow")+`
		G< check allow pinned: ALLOW allow_clause
		C> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}
		ok
		G< check allow pinned: ALLOW allow_clause
		G< done withheld
		S< `+slowCall)
}

func TestTooManyInFlight(t *testing.T) {
	script(t, newFakeGate(), Options{MaxInFlight: 1}, `
		C> {"jsonrpc":"2.0","id":1,"method":"ping"}
		S< {"jsonrpc":"2.0","id":1,"method":"ping"}
		C> `+callOf(2, "allow")+`
		G< refuse limit: too many requests have no answer yet
		C< {"jsonrpc":"2.0","id":2,"result":{..."code":"limit"...It may be repeated later....
		C> {"jsonrpc":"2.0","id":4,"method":"ping"}
		G< refuse limit: too many requests have no answer yet
		C< {"jsonrpc":"2.0","id":4,"error":{"code":403,...
		S> {"jsonrpc":"2.0","id":1,"result":{}}
		C< {"jsonrpc":"2.0","id":1,"result":{}}
		C> {"jsonrpc":"2.0","id":3,"method":"ping"}
		S< {"jsonrpc":"2.0","id":3,"method":"ping"}`)
}

func TestGrantThatDoesNotRedeem(t *testing.T) {
	for code, err := range map[string]error{"timeout": gate.ErrGrantExpired, "internal": gate.ErrRedeemed} {
		f := newFakeGate()
		f.unredeem = err
		script(t, f, Options{}, `
			C> `+c1+listing+`
			G< check allow pinned: ALLOW allow_clause
			G< done withheld
			C< {"jsonrpc":"2.0","id":1,"result":{..."code":"`+code+`"..."verdict":"BLOCK"...`)
	}
}

func TestOutcomeThatCannotBeRecorded(t *testing.T) {
	f := newFakeGate()
	f.undone = errLost
	log := script(t, f, Options{}, allowed+`
		S> `+r1+`
		G< done succeeded {"content":[]}
		C< `+r1)
	if !strings.Contains(log, "lost") {
		t.Errorf("the log does not say so: %s", log)
	}
}

// TestFraming plays lines that are no message, or might be two.
func TestFraming(t *testing.T) {
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for name, test := range map[string]string{
		"LF":    `C> "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"` + "\n" + `S< "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"`,
		"CR LF": `C> "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n"` + "\n" + `S< "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n"`,
		"empty lines": `
			C> "\n"
			C> " \t\r\n"
			C> "\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n\n"
			S< ` + ping,
		"two in one write": `
			C> "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n"
			S< ` + ping + `
			S< {"jsonrpc":"2.0","id":2,"method":"ping"}`,
		"one in two writes": `
			C> "{\"jsonrpc\":\"2.0\",\"id\":1,"
			C> "\"method\":\"ping\"}\n"
			S< ` + ping,
		"two on one line": `
			C> ` + ping + ping + `
			G< refuse malformed: ...data after the value
			C< {"jsonrpc":"2.0","id":null,"error":{"code":-32700,...`,
		"a call between carriage returns": `
			C> "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"x\":\r{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"deny\"}}\r}}\n"
			G< refuse malformed: message has a carriage return inside
			C< {"jsonrpc":"2.0","id":null,"error":{"code":-32700,...
			C> ` + ping + `
			S< ` + ping,
		"a last line without an end": `
			C> "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"
			C.
			G< refuse malformed: message has no line end: it may be cut short
			C< {"jsonrpc":"2.0","id":null,"error":{"code":-32700,...`,
		"batch": `
			C> [` + ping + `]
			G< refuse malformed: ...batches...
			C< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,...`,
		"NUL": `
			C> "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"\x00}\n"
			G< refuse malformed: ...
			C< {"jsonrpc":"2.0","id":null,"error":{"code":-32700,...`,
		"byte order mark": `
			C> "\ufeff{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"
			G< refuse malformed: ...
			C< {"jsonrpc":"2.0","id":null,"error":{"code":-32700,...`,
		"invalid UTF-8": `
			C> "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"x\":\"\xff\"}}\n"
			G< refuse malformed: ...
			C< {"jsonrpc":"2.0","id":null,"error":{"code":-32700,...`,
		"a member twice": `
			C> {"jsonrpc":"2.0","id":1,"method":"tools/call","method":"ping"}
			G< refuse malformed: ...duplicate member
			C< {"jsonrpc":"2.0","id":null,"error":{"code":-32700,...`,
		"a member in other letters": `
			C> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"deny","Name":"allow"}}
			G< refuse malformed: ...letter case
			C< {"jsonrpc":"2.0","id":1,"error":{"code":-32600,...`,
		"id null": `
			C> {"jsonrpc":"2.0","id":null,"method":"ping"}
			G< refuse malformed: ...
			C< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,...`,
		"id with a fraction": `
			C> {"jsonrpc":"2.0","id":1.5,"method":"ping"}
			G< refuse malformed: ...
			C< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,...`,
		"a version that is none": `
			C> {"jsonrpc":"1.0","id":"a","method":"ping"}
			G< refuse malformed: ...
			C< {"jsonrpc":"2.0","id":"a","error":{"code":-32600,...`,
		"malformed under an id in flight": `
			C> ` + ping + `
			S< ` + ping + `
			C> {"jsonrpc":"1.0","id":1,"method":"ping"}
			G< refuse malformed: ...
			C< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,...`,
		"too long": `
			C> {"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("x", 300) + `"}}
			G< refuse malformed: message is longer than 256 bytes
			C< {"jsonrpc":"2.0","id":null,"error":{"code":-32700,...
			C> ` + ping + `
			S< ` + ping,
		"too long by the server": `
			C> ` + ping + `
			S< ` + ping + `
			S> {"jsonrpc":"2.0","id":1,"result":{"x":"` + strings.Repeat("x", 300) + `"}}
			C< {"jsonrpc":"2.0","id":1,"error":{"code":502,...`,
		"a carriage return by the server": `
			C> ` + ping + `
			S< ` + ping + `
			S> "{\"jsonrpc\":\"2.0\",\"id\":1,\r\"result\":{}}\n"
			C< {"jsonrpc":"2.0","id":1,"error":{"code":502,...`,
	} {
		t.Run(name, func(t *testing.T) { script(t, newFakeGate(), Options{MaxMessage: 256}, test) })
	}
}

func TestLongestMessage(t *testing.T) {
	text := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for _, end := range []string{"\n", "\r\n"} {
		for spare, fine := range map[int]bool{0: true, 1: true, -1: false, -2: false, -3: false} {
			l, err := newLines(strings.NewReader(text+end), len(text)+spare).next()
			if err != nil || (l.bad == "") != fine || fine && string(l.wire) != text+end {
				t.Errorf("%d bytes to spare before %q: %q, %v", spare, end, l.bad, err)
			}
		}
	}
}

// TestListings plays what the client may see of the server's tools and words.
func TestListings(t *testing.T) {
	const (
		list       = "C> " + `{"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\nS< " + `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
		listModern = "C> " + `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{` + modernFields + `}}}` + "\nS< ..."
		initialize = "C> " + `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}` + "\nS< ..."
		discover   = "C> " + `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{}}` + "\nS< ..."
		odd        = `{ "name" : "allow", "description":"\u0061","inputSchema":{"type":"object"} , "x":1e2}`
		changed    = `{"name":"deny","description":"send it all","inputSchema":{"type":"object"}}`
		fresh      = `{"name":"fresh","inputSchema":{"type":"object"}}`
	)
	for name, test := range map[string]string{
		"all may be seen": list + `
			S> { "id":1, "jsonrpc":"2.0", "result" : {"tools":[ ` + odd + ` ], "y":1.0} }
			C< { "id":1, "jsonrpc":"2.0", "result" : {"tools":[ ` + odd + ` ], "y":1.0} }`,
		"some may not": list + `
			S> { "id":1, "jsonrpc":"2.0", "result" : {"tools":[ ` + changed + ` , ` + odd + `,` + fresh + `, ` + hideDef + `,` + holdDef + ` ], "y":1.0} }
			C< { "id":1, "jsonrpc":"2.0", "result" : {"tools":[` + odd + `,` + holdDef + `], "y":1.0} }`,
		"none may": list + `
			S> {"jsonrpc":"2.0","id":1,"result":{"tools":[` + changed + `]}}
			C< {"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`,
		"one is there twice": list + `
			S> {"jsonrpc":"2.0","id":1,"result":{"tools":[` + allowDef + `,` + allowDef + `,` + holdDef + `]}}
			C< {"jsonrpc":"2.0","id":1,"result":{"tools":[` + holdDef + `]}}`,
		"some are no tools": list + `
			S> {"jsonrpc":"2.0","id":1,"result":{"tools":[7,{"name":"allow"},` + holdDef + `]}}
			C< {"jsonrpc":"2.0","id":1,"result":{"tools":[` + holdDef + `]}}`,
		"modern, filtered": listModern + `
			S> {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","ttlMs":5,"cacheScope":"public","tools":[` + changed + `]}}
			C< {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","ttlMs":5,"cacheScope":"private","tools":[]}}`,
		"modern, filtered, tools first": listModern + `
			S> {"jsonrpc":"2.0","id":1,"result":{"tools":[` + changed + `],"cacheScope":"public"}}
			C< {"jsonrpc":"2.0","id":1,"result":{"tools":[],"cacheScope":"private"}}`,
		"modern, filtered, no scope": listModern + `
			S> {"jsonrpc":"2.0","id":1,"result":{"tools":[` + changed + `]}}
			C< {"jsonrpc":"2.0","id":1,"result":{"cacheScope":"private","tools":[]}}`,
		"modern, not filtered": listModern + `
			S> {"jsonrpc":"2.0","id":1,"result":{"tools":[` + allowDef + `],"cacheScope":"public"}}
			C< {"jsonrpc":"2.0","id":1,"result":{"tools":[` + allowDef + `],"cacheScope":"public"}}`,
		"no listing": list + `
			S> {"jsonrpc":"2.0","id":1,"result":{"tools":null}}
			C< {"jsonrpc":"2.0","id":1,"error":{"code":502,...`,
		"an error": list + `
			S> {"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}
			C< {"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}`,
		"approved instructions": initialize + `
			S> {"jsonrpc":"2.0","id":1,"result":{"instructions":"Be good.","capabilities":{}}}
			C< {"jsonrpc":"2.0","id":1,"result":{"instructions":"Be good.","capabilities":{}}}`,
		"no instructions": initialize + `
			S> {"jsonrpc":"2.0","id":1,"result":{"capabilities":{}}}
			C< {"jsonrpc":"2.0","id":1,"result":{"capabilities":{}}}`,
		"other instructions": initialize + `
			S> {"jsonrpc":"2.0", "id":1,"result":{"instructions" : "Be bad.", "capabilities":{}}}
			C< {"jsonrpc":"2.0", "id":1,"result":{"instructions" : "", "capabilities":{}}}`,
		"instructions that are no text": discover + `
			S> {"jsonrpc":"2.0","id":1,"result":{"instructions":["Be bad."]}}
			C< {"jsonrpc":"2.0","id":1,"result":{"instructions":""}}`,
	} {
		t.Run(name, func(t *testing.T) { script(t, newFakeGate(), Options{}, test) })
	}
}

func TestWithoutApprovedCopy(t *testing.T) {
	f := newFakeGate()
	f.none = true
	script(t, f, Options{}, `
		C> {"jsonrpc":"2.0","id":1,"method":"initialize"}
		S< ...
		S> {"jsonrpc":"2.0","id":1,"result":{"instructions":"Be good."}}
		C< {"jsonrpc":"2.0","id":1,"result":{"instructions":""}}
		C> {"jsonrpc":"2.0","id":2,"method":"tools/list"}
		S< ...
		S> {"jsonrpc":"2.0","id":2,"result":{"tools":[`+allowDef+`]}}
		C< {"jsonrpc":"2.0","id":2,"result":{"tools":[]}}
		C> `+callOf(3, "allow")+`
		G< check allow unverified: BLOCK catalog_unverified
		C< ...catalog_unverified...`)
}

func TestEmptyResultGetsAMember(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:      `{"a":1}`,
		`{ }`:     `{"a":1 }`,
		`{"b":2}`: `{"a":1,"b":2}`,
		`{"a":2}`: `{"a":1}`,
	} {
		raw := []byte(text)
		if got := string(apply(raw, []edit{whole(raw).set(raw, "a", "1")})); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}
