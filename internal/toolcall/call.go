package toolcall

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Digest names one exact call: "sha256:" or, keyed, "hmac-sha256:" and 64
// lower-case hexadecimal digits.
type Digest string

// Call is one tool call, or another request that is judged like one.
type Call struct {
	Agent     string // who asks, as the door authenticated it
	Server    string // which server is asked, by its configured name
	Method    string // MCP method, "tools/call" for a tool call
	Tool      string // name of the tool; "" for another method
	Arguments Value  // an object; for another method its params without _meta
	Params    Value  // an object: the other members of params, without _meta
	Ticket    string // approval that the call names, "" for none; not in the digest
}

// ReservedPrefix begins the names in _meta that are licet's own (MCP 2025-06-18,
// _meta: names have a prefix that ends in a slash).
const ReservedPrefix = "dev.licet/"

// Reserved reports whether a reader that ignores letter case could take a member
// of _meta for one of licet's.
func Reserved(member string) bool {
	prefix, _, found := strings.Cut(member, "/")
	return found && FoldEqual(prefix+"/", ReservedPrefix)
}

// ticketKey is the member of params._meta in which a call names its approval.
const ticketKey = ReservedPrefix + "approval"

// Call returns the call that m makes of server, as asked by agent. A call of a
// tool is a request with a name and, where it has any, an object of arguments
// (MCP 2026-07-28, tools/call); null counts as none. An error is a
// [*SyntaxError].
func (m Message) Call(agent, server string) (Call, error) {
	if m.Kind != Request && m.Kind != Notification {
		return Call{}, m.refuse("", "a response is no call")
	}
	ticket, err := m.ticket()
	if err != nil {
		return Call{}, err
	}
	c := Call{Agent: agent, Server: server, Method: m.Method, Ticket: ticket}
	if m.Method != "tools/call" {
		c.Arguments, c.Params = without(m.Params, "_meta"), ObjectOf()
		return c, nil
	}
	c.Tool = m.Params.Get("name").Text()
	c.Arguments = orEmpty(m.Params.Get("arguments"))
	if c.Arguments.Kind() == Null { // what the official Go client sends for none
		c.Arguments = ObjectOf()
	}
	c.Params = without(m.Params, "name", "arguments", "_meta")
	switch {
	case m.Kind == Notification:
		return Call{}, m.refuse("", "tools/call is a request and needs an id")
	case c.Tool == "":
		return Call{}, m.refuse("/params/name", "name must be a string that is not empty")
	case c.Arguments.Kind() != Object:
		return Call{}, m.refuse("/params/arguments", "arguments must be an object")
	}
	return c, nil
}

// ticket returns the approval that the call names, "" for none. What names one
// unreadably, or in another spelling, is refused: it must not pass as a call that
// names none.
func (m Message) ticket() (string, error) {
	meta := m.Params.Get("_meta")
	if k := meta.Kind(); k != Absent && k != Object {
		return "", m.refuse("/params/_meta", "_meta must be an object")
	}
	for i := range meta.Len() {
		if name, _ := meta.Member(i); name != ticketKey && Reserved(name) {
			return "", m.refuse(jsontext.Pointer("/params/_meta").AppendToken(name),
				fmt.Sprintf("%s in _meta is reserved: expected %q", ReservedPrefix, ticketKey))
		}
	}
	named := meta.Get(ticketKey)
	if named.Kind() != Absent && named.Text() == "" {
		return "", m.refuse("/params/_meta/dev.licet~1approval", "the approval must be a string that is not empty")
	}
	return named.Text(), nil
}

// without returns object without the named members; of an absent object it
// returns an empty one.
func without(object Value, names ...string) Value {
	var rest []Member
	for i := range object.Len() {
		if name, value := object.Member(i); !slices.Contains(names, name) {
			rest = append(rest, Member{name, value})
		}
	}
	return ObjectOf(rest...)
}

// Digest returns the SHA-256 of the canonical JSON object with the members
// agent, server, method, tool, arguments and params of c. Absent arguments or
// params count as empty.
func (c Call) Digest() Digest {
	var buf [2048]byte // on the stack, enough for most calls
	sum := sha256.Sum256(c.appendCanonical(buf[:0]))
	return Digest(hex.AppendEncode(append(buf[:0], "sha256:"...), sum[:]))
}

// KeyedDigest returns the HMAC-SHA-256 (RFC 2104) of the same text under key.
// It stands for a call whose values must not be guessed from its digest.
func (c Call) KeyedDigest(key []byte) Digest {
	mac := hmac.New(sha256.New, key)
	mac.Write(c.appendCanonical(nil)) // a hash returns no error
	return Digest("hmac-sha256:" + hex.EncodeToString(mac.Sum(nil)))
}

// appendCanonical writes the members in canonical order.
func (c Call) appendCanonical(b []byte) []byte {
	b = StringOf(c.Agent).AppendCanonical(append(b, `{"agent":`...))
	b = orEmpty(c.Arguments).AppendCanonical(append(b, `,"arguments":`...))
	b = StringOf(c.Method).AppendCanonical(append(b, `,"method":`...))
	b = orEmpty(c.Params).AppendCanonical(append(b, `,"params":`...))
	b = StringOf(c.Server).AppendCanonical(append(b, `,"server":`...))
	b = StringOf(c.Tool).AppendCanonical(append(b, `,"tool":`...))
	return append(b, '}')
}

// orEmpty returns v, or an empty object where v is absent.
func orEmpty(v Value) Value {
	if v.kind == Absent {
		return ObjectOf()
	}
	return v
}
