package mcpproxy

import (
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	c1 = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"allow","arguments":{}}}`
	r1 = `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`

	modernFields = `"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/protocolVersion":"2026-07-28"`
	modernList   = `
S< {"id":"licet:NONCE:1","jsonrpc":"2.0","method":"tools/list","params":{"_meta":{` + modernFields + `}}}
S> {"jsonrpc":"2.0","id":"licet:NONCE:1","result":{"resultType":"complete","tools":` + allTools + `}}
`
)

// allowed is a first call that is forwarded.
const allowed = `
C> ` + c1 + listing + `
G< check allow pinned: ALLOW allow_clause
S< ` + c1 + `
`

// TestCalls plays what can become of one tool call.
func TestCalls(t *testing.T) {
	for name, test := range map[string]string{
		"allowed": allowed + `
			S> ` + r1 + `
			G< done succeeded {"content":[]}
			C< ` + r1,
		"blocked": `
			C> ` + callOf(1, "deny") + listing + `
			G< check deny pinned: BLOCK never_clause
			C< {"jsonrpc":"2.0","id":1,"result":{"_meta":{"dev.licet/decision":{"code":"never_clause","id":"d-1","verdict":"BLOCK"}},"content":[{"text":"licet: Forbidden (never_clause), decision d-1. The call did not run: policy forbids this whatever the user says.","type":"text"}],"isError":true}}`,
		"blocked by a judge": `
			C> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"deny","arguments":{"why":"words"}}}` + listing + `
			G< check deny pinned: BLOCK judge_block
			C< {"jsonrpc":"2.0","id":1,"result":{"_meta":{"dev.licet/decision":{"code":"judge_block","id":"d-1","verdict":"BLOCK"}},"content":[{"text":"licet: Blocked (judge_block), decision d-1. The call did not run: not authorized by the user's words; do not retry unchanged, ask the user. They do not name /w/build.","type":"text"}],"isError":true}}`,
		"not decided, retry": `
			C> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"deny","arguments":{"why":"nv_timeout"}}}` + listing + `
			G< check deny pinned: BLOCK judge_no_verdict
			C< {"jsonrpc":"2.0","id":1,"result":{"_meta":{"dev.licet/decision":{"code":"judge_no_verdict","id":"d-1","no_verdict":"nv_timeout","retry_after":"30s","verdict":"BLOCK"}},"content":[{"text":"licet: Not decided (nv_timeout), decision d-1. The call did not run: no verdict was reached; this is not a finding against the action. One retry makes sense, after 30 seconds.","type":"text"}],"isError":true}}`,
		"not decided, no retry": `
			C> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"deny","arguments":{"why":"nv_policy"}}}` + listing + `
			G< check deny pinned: BLOCK judge_no_verdict
			C< {"jsonrpc":"2.0","id":1,"result":{"_meta":{"dev.licet/decision":{"code":"judge_no_verdict","id":"d-1","no_verdict":"nv_policy","verdict":"BLOCK"}},...A retry makes no sense before an operator has looked."..."isError":true}}`,
		"blocked, modern": `
			C> {"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"deny","_meta":{` + modernFields + `}}}` + modernList + `
			G< check deny pinned: BLOCK never_clause
			C< {"jsonrpc":"2.0","id":"x","result":{..."isError":true,"resultType":"complete"}}`,
		"held": `
			C> ` + callOf(1, "hold") + listing + `
			G< check hold pinned: REQUIRE_APPROVAL approve_clause
			C< {"jsonrpc":"2.0","id":1,"result":{"_meta":{"dev.licet/decision":{"code":"approve_clause","expires":"2027-01-15T08:00:00Z","id":"d-1","ticket":"t-1","verdict":"REQUIRE_APPROVAL"}},"content":[{"text":"licet: REQUIRE_APPROVAL (approve_clause), decision d-1. The call did not run. Ask your user to approve ticket t-1 with ` + "`licet approvals approve t-1`" + `, then repeat this exact call.","type":"text"}],"isError":true}}
			ok
			C> ` + callOf(2, "hold") + `
			G< check hold pinned: ALLOW approved
			S< ` + callOf(2, "hold"),
		"a defect of the gate": `
			C> ` + callOf(1, "panic") + listing + `
			G< refuse internal: panic: a defect
			C< {"jsonrpc":"2.0","id":1,"result":{..."code":"internal"..."isError":true}}`,
		"a tool that the server does not have": `
			C> ` + callOf(1, "ghost") + listing + `
			G< check ghost unverified: BLOCK catalog_unverified
			C< ...catalog_unverified...`,
		"an error of the tool": allowed + `
			S> {"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":true}}
			G< done failed
			C< {"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":true}}`,
		"an isError that is no boolean": allowed + `
			S> {"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":"no"}}
			G< done failed
			C< {"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":"no"}}`,
		"an error of the server": allowed + `
			S> {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"m","data":1}}
			G< done failed
			C< {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"m","data":1}}`,
		"a task, 2025-11-25": allowed + `
			S> {"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"t","status":"working"}}}
			G< done unknown
			C< {"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"t","status":"working"}}}`,
		"a task, 2026-07-28": allowed + `
			S> {"jsonrpc":"2.0","id":1,"result":{"resultType":"task","taskId":"t"}}
			G< done unknown
			C< {"jsonrpc":"2.0","id":1,"result":{"resultType":"task","taskId":"t"}}`,
		"input required": allowed + `
			S> {"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{}}}}}
			G< check elicitation/create unverified: BLOCK not_listed
			G< done failed
			C< {"jsonrpc":"2.0","id":1,"result":{"content":[{"text":"licet: the server asked for elicitation/create: BLOCK (not_listed)...","type":"text"}],"isError":true}}`,
		"input required, allowed": allowed + `
			S> {"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"k":{"method":"sampling/createMessage","params":{}}},"requestState":"s"}}
			G< check sampling/createMessage unverified: ALLOW allow_clause
			G< done unknown
			G< done unknown
			C< {"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"k":{"method":"sampling/createMessage","params":{}}},"requestState":"s"}}`,
		"input required, one of two not": allowed + `
			S> {"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"sampling/createMessage"},"b":{"method":"roots/list"}}}}
			G< check sampling/createMessage unverified: ALLOW allow_clause
			G< done unknown
			G< check roots/list unverified: BLOCK not_listed
			G< done failed
			C< {"jsonrpc":"2.0","id":1,"result":{...asked for roots/list...`,
		"input required, a method that no server may send": allowed + `
			S> {"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"tools/call","params":{"name":"allow"}}}}}
			G< done failed
			C< {"jsonrpc":"2.0","id":1,"result":{...does not pass on...`,
		"input required, no object": allowed + `
			S> {"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":[1]}}
			G< done failed
			C< {"jsonrpc":"2.0","id":1,"result":{...does not pass on...`,
		"input required, type left out": allowed + `
			S> {"jsonrpc":"2.0","id":1,"result":{"content":[],"inputRequests":{}}}
			G< done failed
			C< {"jsonrpc":"2.0","id":1,"result":{...does not pass on...`,
		"input required by an error": allowed + `
			S> {"jsonrpc":"2.0","id":1,"error":{"code":-32042,"message":"open","data":{"elicitations":[]}}}
			G< done failed
			C< {"jsonrpc":"2.0","id":1,"result":{...does not pass on...`,
		"a result of an unknown type": allowed + `
			S> {"jsonrpc":"2.0","id":1,"result":{"resultType":"surprise","content":[]}}
			G< done failed
			C< {"jsonrpc":"2.0","id":1,"result":{...unknown type...`,
		"a malformed answer": allowed + `
			S> {"jsonrpc":"2.0","id":1,"result":{"content":[],"content":[1]}}
			G< done unknown
			C< {"jsonrpc":"2.0","id":1,"error":{"code":502,"message":"licet: the server's answer was malformed; the call may have run"}}
			S> ` + r1,
		"an answer that breaks off": allowed + `
			S> {"jsonrpc":"2.0","id":1,"result":{"content":[
			G< done unknown
			C< {"jsonrpc":"2.0","id":1,"error":{"code":502,...`,
		"the server dies": allowed + `
			S.
			G< done unknown
			C< {"jsonrpc":"2.0","id":1,"error":{"code":502,"message":"licet: the connection ended before the answer came; the call may have run"}}`,
		"cancelled after it was forwarded": allowed + `
			C> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
			G< done unknown
			S< {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
			S> ` + r1 + `
			C> ` + c1 + `
			G< refuse malformed: another request has the same id and no answer yet
			C< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,...`,
		"the client ends first": allowed + `
			C.
			S> ` + r1 + `
			G< done succeeded {"content":[]}
			C< ` + r1,
		"the client ends and nobody answers": allowed + `
			C.
			T 6s
			G< done unknown
			C< {"jsonrpc":"2.0","id":1,"error":{"code":502,...`,
		"a malformed request that looks like the answer": allowed + `
			S> {"jsonrpc":"2.0","id":1,"method":"ping","method":"ping"}
			S> ` + r1 + `
			G< done succeeded {"content":[]}
			C< ` + r1,
		"another spelling of the id": allowed + `
			S> {"jsonrpc":"2.0","id":"1","result":{"content":[]}}`,
		"answered twice": allowed + `
			S> ` + r1 + `
			G< done succeeded {"content":[]}
			C< ` + r1 + `
			S> ` + r1,
	} {
		t.Run(name, func(t *testing.T) { script(t, newFakeGate(), Options{}, test) })
	}
}

// TestHeld plays calls that wait for a person.
func TestHeld(t *testing.T) {
	const asked = `
		C> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hold"}}` + listing + `
		G< check hold pinned: REQUIRE_APPROVAL approve_clause
`
	for name, test := range map[string]string{
		"approved in time": asked + `
			T 20s
			ok
			G< check hold pinned: ALLOW approved
			S< {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hold"}}`,
		"not answered": asked + `
			T 30s
			C< {"jsonrpc":"2.0","id":1,...approve t-1...`,
		"others pass": asked + `
			C> ` + callOf(2, "allow") + `
			G< check allow pinned: ALLOW allow_clause
			S< ` + callOf(2, "allow") + `
			C> {"jsonrpc":"2.0","id":3,"method":"ping"}
			S< {"jsonrpc":"2.0","id":3,"method":"ping"}
			ok
			G< check hold pinned: ALLOW approved
			S< {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hold"}}`,
		"answered before it was asked": asked + `
			S> ` + r1 + `
			ok
			G< check hold pinned: ALLOW approved
			S< {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hold"}}`,
		"cancelled": asked + `
			C> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
			ok`,
		"the client ends": asked + `
			C.
			C< ...approve t-1...`,
		"the tool changes meanwhile": asked + `
			S> {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}
			C< {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}
			ok
			S< {"id":"licet:NONCE:2","jsonrpc":"2.0","method":"tools/list","params":{}}
			S> {"jsonrpc":"2.0","id":"licet:NONCE:2","result":{"tools":[{"name":"hold","description":"H","inputSchema":{"type":"object"}}]}}
			G< check hold quarantined: BLOCK quarantined
			C< {"jsonrpc":"2.0","id":1,"result":{..."code":"quarantined"...`,
		"the tools change and the tool does not": asked + `
			S> {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}
			C< {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}
			ok
			S< {"id":"licet:NONCE:2","jsonrpc":"2.0","method":"tools/list","params":{}}
			S> {"jsonrpc":"2.0","id":"licet:NONCE:2","result":{"tools":[` + holdDef + `]}}
			G< check hold pinned: ALLOW approved
			S< {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hold"}}`,
		"the tools change and can't be listed": asked + `
			S> {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}
			C< {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}
			ok
			S< {"id":"licet:NONCE:2","jsonrpc":"2.0","method":"tools/list","params":{}}
			S> {"jsonrpc":"2.0","id":"licet:NONCE:2","error":{"code":1,"message":"no"}}
			G< check hold unverified: BLOCK catalog_unverified
			C< {"jsonrpc":"2.0","id":1,"result":{..."code":"catalog_unverified"...`,
	} {
		t.Run(name, func(t *testing.T) { script(t, newFakeGate(), Options{Hold: 30 * time.Second}, test) })
	}
}

// TestCatalog plays how the relay comes to know the server's tools.
func TestCatalog(t *testing.T) {
	const (
		own      = `S< {"id":"licet:NONCE:1","jsonrpc":"2.0","method":"tools/list","params":{}}`
		changed  = `{"name":"allow","description":"A","inputSchema":{"type":"object"}}`
		blocked  = `C< {"jsonrpc":"2.0","id":1,"result":{..."code":"catalog_unverified"...`
		quiet    = `G< check allow unverified: BLOCK catalog_unverified`
		notice   = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
		theirs   = `{"jsonrpc":"2.0","id":7,"method":"tools/list"}`
		asksPage = `{"jsonrpc":"2.0","id":8,"method":"tools/list","params":{"cursor":"p"}}`
	)
	for name, test := range map[string]string{
		"pages": `
			C> ` + c1 + `
			` + own + `
			S> {"jsonrpc":"2.0","id":"licet:NONCE:1","result":{"tools":[` + denyDef + `],"nextCursor":"p"}}
			S< {"id":"licet:NONCE:2","jsonrpc":"2.0","method":"tools/list","params":{"cursor":"p"}}
			S> {"jsonrpc":"2.0","id":"licet:NONCE:2","result":{"tools":[` + allowDef + `]}}
			G< check allow pinned: ALLOW allow_clause
			S< ` + c1,
		"changed": `
			C> ` + c1 + `
			` + own + `
			S> {"jsonrpc":"2.0","id":"licet:NONCE:1","result":{"tools":[` + changed + `,` + denyDef + `]}}
			G< check allow quarantined: BLOCK quarantined
			C< ...quarantined...
			C> ` + callOf(2, "deny") + `
			G< check deny pinned: BLOCK never_clause
			C< ...never_clause...`,
		"defined twice": `
			C> ` + c1 + `
			` + own + `
			S> {"jsonrpc":"2.0","id":"licet:NONCE:1","result":{"tools":[` + allowDef + `,` + allowDef + `]}}
			G< check allow quarantined: BLOCK quarantined
			C< ...quarantined...`,
		"a definition that can't be read": `
			C> ` + c1 + `
			` + own + `
			S> {"jsonrpc":"2.0","id":"licet:NONCE:1","result":{"tools":[{"name":"allow"},7]}}
			` + quiet + `
			` + blocked,
		"listing answered with an error, then well": `
			C> ` + c1 + `
			` + own + `
			S> {"jsonrpc":"2.0","id":"licet:NONCE:1","error":{"code":-1,"message":"no"}}
			` + quiet + `
			` + blocked + `
			C> ` + callOf(2, "allow") + `
			S< {"id":"licet:NONCE:2","jsonrpc":"2.0","method":"tools/list","params":{}}
			S> {"jsonrpc":"2.0","id":"licet:NONCE:2","result":{"tools":` + allTools + `}}
			G< check allow pinned: ALLOW allow_clause
			S< ` + callOf(2, "allow"),
		"listing that is none": `
			C> ` + c1 + `
			` + own + `
			S> {"jsonrpc":"2.0","id":"licet:NONCE:1","result":{"tools":{}}}
			` + quiet + `
			` + blocked,
		"listing that is malformed": `
			C> ` + c1 + `
			` + own + `
			S> {"jsonrpc":"2.0","id":"licet:NONCE:1","result":{"tools":[],"tools":[]}}
			` + quiet + `
			` + blocked,
		"listing without an answer": `
			C> ` + c1 + `
			` + own + `
			T 10s
			` + quiet + `
			` + blocked,
		"the server dies while it lists": `
			C> ` + c1 + `
			` + own + `
			S.
			` + quiet + `
			` + blocked,
		"one listing serves calls that wait for it": `
			C> ` + c1 + `
			` + own + `
			C> ` + callOf(2, "allow") + `
			S> {"jsonrpc":"2.0","id":"licet:NONCE:1","result":{"tools":` + allTools + `}}
			G< check allow pinned: ALLOW allow_clause
			G< check allow pinned: ALLOW allow_clause
			S< ` + c1 + `
			S< ` + callOf(2, "allow"),
		"one that waits for a listing is cancelled": `
			C> ` + c1 + `
			` + own + `
			C> ` + callOf(2, "allow") + `
			C> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}
			G< check allow unverified: BLOCK catalog_unverified
			S> {"jsonrpc":"2.0","id":"licet:NONCE:1","result":{"tools":` + allTools + `}}
			G< check allow pinned: ALLOW allow_clause
			S< ` + c1,
		"changes during every listing": `
			C> ` + c1 + `
			` + own + `
			S> ` + notice + `
			C< ` + notice + `
			S> {"jsonrpc":"2.0","id":"licet:NONCE:1","result":{"tools":` + allTools + `}}
			S< ...NONCE:2...
			S> ` + notice + `
			C< ` + notice + `
			S> {"jsonrpc":"2.0","id":"licet:NONCE:2","result":{"tools":` + allTools + `}}
			S< ...NONCE:3...
			S> ` + notice + `
			C< ` + notice + `
			S> {"jsonrpc":"2.0","id":"licet:NONCE:3","result":{"tools":` + allTools + `}}
			` + quiet + `
			` + blocked,
		"the client's listing serves too": `
			C> ` + theirs + `
			S< ` + theirs + `
			S> {"jsonrpc":"2.0","id":7,"result":{"tools":[` + allowDef + `]}}
			C< {"jsonrpc":"2.0","id":7,"result":{"tools":[` + allowDef + `]}}
			C> ` + c1 + `
			G< check allow pinned: ALLOW allow_clause
			S< ` + c1,
		"one that is older than a change does not": `
			C> ` + theirs + `
			S< ` + theirs + `
			S> ` + notice + `
			C< ` + notice + `
			S> {"jsonrpc":"2.0","id":7,"result":{"tools":[` + allowDef + `]}}
			C< {"jsonrpc":"2.0","id":7,"result":{"tools":[` + allowDef + `]}}
			C> ` + c1 + `
			` + own,
		"one page of the client's does not": `
			C> ` + theirs + `
			S< ` + theirs + `
			S> {"jsonrpc":"2.0","id":7,"result":{"tools":[` + allowDef + `],"nextCursor":"p"}}
			C< {"jsonrpc":"2.0","id":7,"result":{"tools":[` + allowDef + `],"nextCursor":"p"}}
			C> ` + c1 + `
			` + own,
		"one page that differs casts doubt": allowed + `
			C> ` + asksPage + `
			S< ` + asksPage + `
			S> {"jsonrpc":"2.0","id":8,"result":{"tools":[` + changed + `]}}
			C< {"jsonrpc":"2.0","id":8,"result":{"tools":[]}}
			C> ` + callOf(2, "allow") + `
			S< ...NONCE:2...`,
		"one page that agrees does not": allowed + `
			C> ` + asksPage + `
			S< ` + asksPage + `
			S> {"jsonrpc":"2.0","id":8,"result":{"tools":[` + allowDef + `]}}
			C< {"jsonrpc":"2.0","id":8,"result":{"tools":[` + allowDef + `]}}
			C> ` + callOf(2, "allow") + `
			G< check allow pinned: ALLOW allow_clause
			S< ` + callOf(2, "allow"),
		"it ages": allowed + `
			T 61s
			C> ` + callOf(2, "allow") + `
			S< ...NONCE:2...`,
		"modern, with the client's own words": `
			C> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"allow","_meta":{` + modernFields + `,"progressToken":1,"dev.licet/approval":"t"}}}
			` + modernList + `
			G< check allow pinned: ALLOW allow_clause
			S< ...progressToken...`,
	} {
		t.Run(name, func(t *testing.T) { script(t, newFakeGate(), Options{}, test) })
	}
}

func TestListingWithoutEnd(t *testing.T) {
	page := func(n string, tools string) string {
		return "\nS< ...NONCE:" + n + "\"...\nS> " + `{"jsonrpc":"2.0","id":"licet:NONCE:` + n + `","result":{"nextCursor":"p","tools":[` + tools + `]}}`
	}
	const blocked = "\nG< check allow unverified: BLOCK catalog_unverified\nC< ...catalog_unverified..."
	for name, test := range map[string]string{
		"pages": func() string {
			text := "C> " + c1
			for n := 1; n <= listPages; n++ {
				text += page(strconv.Itoa(n), "")
			}
			return text + blocked
		}(),
		"tools": "C> " + c1 + page("1", strings.TrimSuffix(strings.Repeat("1,", listTools+1), ",")) + blocked,
	} {
		t.Run(name, func(t *testing.T) {
			if log := script(t, newFakeGate(), Options{}, test); !strings.Contains(log, "more than") {
				t.Errorf("the log does not say why: %s", log)
			}
		})
	}
}
