package mcpproxy

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/gate"
)

// forgetful is a gate that can record nothing.
type forgetful struct{ *fakeGate }

func (forgetful) Check(context.Context, gate.Ask) gate.Answer {
	return gate.Answer{Reasons: []authz.Reason{{Code: authz.NoEvidence, Detail: "the disk is full"}}}
}

func (f forgetful) Refuse(ctx context.Context, a gate.Ask, _ authz.Code, _ string, _ []byte) gate.Answer {
	return f.Check(ctx, a)
}

// careless is a gate that recorded an ALLOW and could not record that it was
// taken back.
type careless struct{ *fakeGate }

func (careless) Check(context.Context, gate.Ask) gate.Answer {
	return gate.Answer{Evidence: gate.EvidenceRef{ID: "d-1"}, Reasons: []authz.Reason{
		{Code: authz.OperandChanged, Detail: "exchanged"}, {Code: authz.NoEvidence, Detail: "the disk is full"},
	}}
}

// Where there is no record, the operator's log says why a call was refused.
func TestReasonsWithoutARecord(t *testing.T) {
	const full = "BLOCK (no_evidence), without a record: the disk is full\n"
	lost, half := forgetful{newFakeGate()}, careless{newFakeGate()}
	for name, test := range map[string]struct {
		gate authorizer
		from Side
		line string
		want string
	}{
		"a call":                {lost, Client, callOf(2, "allow"), "tools/call allow: " + full},
		"a request that acts":   {lost, Client, `{"jsonrpc":"2.0","id":2,"method":"prompts/get"}`, "prompts/get: " + full},
		"no message":            {lost, Client, `[]`, "(malformed: "},
		"an unknown method":     {lost, Server, `{"jsonrpc":"2.0","id":2,"method":"x"}`, `(unknown_method: the server may not send "x" as a request): ` + full},
		"an ALLOW taken back":   {half, Client, callOf(2, "allow"), "tools/call allow: " + full},
		"a request in a result": {lost, Server, `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"k":{"method":"roots/list"}}}}`, "roots/list: " + full},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, newFakeGate())
			b.feed(Client, []byte(c1+"\n"))
			var log lockedBuffer
			b.gate = test.gate
			b.log.SetOutput(&log)
			b.feed(test.from, []byte(test.line+"\n"))
			if !strings.Contains(log.String(), test.want) {
				t.Errorf("the log lacks %q:\n%s", test.want, log.String())
			}
			if strings.Contains(b.toClient.String()+b.toServer.String(), "disk") {
				t.Errorf("what is for operators reached a side: %s %s", b.toClient.String(), b.toServer.String())
			}
		})
	}
}

// What has a record is not repeated in the log.
func TestReasonsWithARecord(t *testing.T) {
	b := newBench(t, newFakeGate())
	var log lockedBuffer
	b.log.SetOutput(&log)
	b.feed(Client, []byte(callOf(1, "deny")+"\n[]\n"))
	if log.Len() > 0 {
		t.Errorf("the log says %s", log.String())
	}
}

// TestBreakerInTheLog: the operator is told once that the judge is not asked any
// more, and at the end how often that was.
func TestBreakerInTheLog(t *testing.T) {
	call := `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"deny","arguments":{"why":"breaker"}}}`
	steps := `
		C> ` + fmt.Sprintf(call, 1) + listing
	for id := 1; id <= 3; id++ {
		if id > 1 {
			steps += `
			C> ` + fmt.Sprintf(call, id)
		}
		steps += `
			G< check deny pinned: BLOCK judge_breaker
			C< ...licet: Blocked (judge_breaker), decision d-1....`
	}
	log := script(t, newFakeGate(), Options{}, steps)
	const want = "licet mcp: tools/call deny: the judge has blocked too many calls of this session, and is not asked any more (decision d-1)\n" +
		"licet mcp: asked the gate 3 times about calls that were not judged, as the judge had blocked too many (judge_breaker)\n"
	if log != want {
		t.Errorf("the log says %s", log)
	}
}

// What the sides write can't paint the operator's terminal, nor fill it.
func TestLogIsPlain(t *testing.T) {
	log := script(t, newFakeGate(), Options{}, `
		S> {"jsonrpc":"2.0","id":"`+"\u009b2J\u202e"+`","result":{}}
		S> {"jsonrpc":"2.0","id":"`+strings.Repeat("x", 2*maxShown)+`","result":{}}`)
	if !strings.Contains(log, `id "<U+009B>2J<U+202E>"`+"\n") {
		t.Errorf("the log says %q", log)
	}
	for line := range strings.Lines(log) {
		if len(line) > maxShown+len(" ...\n") {
			t.Errorf("a line of %d bytes in the log", len(line))
		}
	}
}
