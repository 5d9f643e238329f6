package mcpproxy

import (
	"fmt"
	"time"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/gate"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Codes of JSON-RPC errors. The first three are those of JSON-RPC 2.0; our own
// lie outside of -32768 to -32000, which MCP 2026-07-28 keeps for itself, and
// are borrowed from HTTP.
const (
	codeParse         = -32700
	codeInvalid       = -32600
	codeUnknownMethod = -32601
	codeParams        = -32602
	codeRefused       = 403 // the gate did not allow it
	codeBadAnswer     = 502 // the other side gave no answer that can be passed on
)

// decisionKey is the member of a refusal's _meta that programs read.
const decisionKey = toolcall.ReservedPrefix + "decision"

var noID = []byte("null")

// errorReply is a JSON-RPC error. Clients show the model its message at most,
// so the message says all.
func errorReply(id []byte, code int, message string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`+"\n",
		id, code, toolcall.StringOf(message).Canonical())
}

// toolReply is a tool result that says to the model why there is no other.
func toolReply(q *request, text string, decision toolcall.Value) []byte {
	members := []toolcall.Member{
		{Name: "content", Value: toolcall.ArrayOf(toolcall.ObjectOf(
			toolcall.Member{Name: "type", Value: toolcall.StringOf("text")},
			toolcall.Member{Name: "text", Value: toolcall.StringOf(text)},
		))},
		{Name: "isError", Value: toolcall.Boolean(true)},
	}
	if decision.Kind() == toolcall.Object {
		members = append(members, toolcall.Member{Name: "_meta", Value: toolcall.ObjectOf(
			toolcall.Member{Name: decisionKey, Value: decision},
		)})
	}
	if q.modern() {
		members = append(members, toolcall.Member{Name: "resultType", Value: toolcall.StringOf("complete")})
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", q.msg.RawID, toolcall.ObjectOf(members...).Canonical())
}

// refusal answers a judged request that is not forwarded.
func refusal(q *request, a gate.Answer) []byte {
	if q.call.Tool == "" {
		return errorReply(q.msg.RawID, codeRefused, a.Told())
	}
	return toolReply(q, a.Told(), decision(a))
}

// decision is what an agent is told, for programs.
func decision(a gate.Answer) toolcall.Value {
	members := []toolcall.Member{
		{Name: "verdict", Value: toolcall.StringOf(a.Verdict.String())},
		{Name: "code", Value: toolcall.StringOf(string(a.Code()))},
	}
	if a.Shadow != nil {
		members = append(members, toolcall.Member{Name: "shadow", Value: toolcall.StringOf(a.Shadow.String())})
	}
	if a.Evidence.ID != "" {
		members = append(members, toolcall.Member{Name: "id", Value: toolcall.StringOf(a.Evidence.ID)})
	}
	if n := a.NoVerdict; n != "" {
		members = append(members, toolcall.Member{Name: "no_verdict", Value: toolcall.StringOf(string(n))})
		if after, again := n.Retry(); again {
			members = append(members, toolcall.Member{Name: "retry_after", Value: toolcall.StringOf(after.String())})
		}
	}
	if a.Ticket != nil {
		members = append(members,
			toolcall.Member{Name: "ticket", Value: toolcall.StringOf(a.Ticket.ID)},
			toolcall.Member{Name: "expires", Value: toolcall.StringOf(a.Ticket.Expires.UTC().Format(time.RFC3339))})
	}
	return toolcall.ObjectOf(members...)
}

// blocked is an answer that the relay gives itself.
func blocked(code authz.Code, detail string) gate.Answer {
	return gate.Answer{Reasons: []authz.Reason{{Code: code, Detail: detail}}}
}
