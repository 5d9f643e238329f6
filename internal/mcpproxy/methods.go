package mcpproxy

import "slices"

// Side is an end of the relay.
type Side uint8

// The two ends.
const (
	Client Side = iota + 1
	Server
)

// String returns the word for s.
func (s Side) String() string {
	switch s {
	case Client:
		return "client"
	case Server:
		return "server"
	}
	return "nobody"
}

// Method is one method of the protocol. Since and Until are the first and the
// last revision that has it, "" for an open end: they document, and are not
// enforced, because a peer refuses by itself what its revision lacks.
type Method struct {
	Name         string
	From         Side // who may send it
	Notification bool // it has no id and gets no answer
	Judged       bool // it acts, so the gate decides each one; else it passes
	Since, Until string
}

const (
	legacy = "2025-11-25" // the last revision with a handshake
	modern = "2026-07-28" // the first without one
)

// methods is the whole protocol as the relay knows it (MCP 2024-11-05 to
// 2026-07-28). What is not here is refused; tasks/update is left out on
// purpose, because it carries new input into a call that was judged without.
var methods = []Method{
	{Name: "initialize", From: Client, Until: legacy},
	{Name: "server/discover", From: Client, Since: modern},
	{Name: "ping", From: Client, Until: legacy},
	{Name: "tools/list", From: Client},
	{Name: "tools/call", From: Client, Judged: true},
	{Name: "resources/list", From: Client},
	{Name: "resources/templates/list", From: Client},
	{Name: "resources/read", From: Client, Judged: true},
	{Name: "resources/subscribe", From: Client, Until: legacy},
	{Name: "resources/unsubscribe", From: Client, Until: legacy},
	{Name: "prompts/list", From: Client},
	{Name: "prompts/get", From: Client, Judged: true},
	{Name: "completion/complete", From: Client, Since: "2025-03-26", Judged: true},
	{Name: "logging/setLevel", From: Client, Until: legacy},
	{Name: "subscriptions/listen", From: Client, Since: modern},
	{Name: "tasks/get", From: Client, Since: legacy},
	{Name: "tasks/result", From: Client, Since: legacy, Until: legacy},
	{Name: "tasks/list", From: Client, Since: legacy, Until: legacy},
	{Name: "tasks/cancel", From: Client, Since: legacy},
	{Name: "notifications/initialized", From: Client, Notification: true, Until: legacy},
	{Name: "notifications/cancelled", From: Client, Notification: true},
	{Name: "notifications/progress", From: Client, Notification: true, Until: legacy},
	{Name: "notifications/roots/list_changed", From: Client, Notification: true, Until: legacy},

	{Name: "ping", From: Server, Until: legacy},
	{Name: "sampling/createMessage", From: Server, Judged: true, Until: legacy},
	{Name: "elicitation/create", From: Server, Judged: true, Since: "2025-06-18", Until: legacy},
	{Name: "roots/list", From: Server, Judged: true, Until: legacy},
	{Name: "notifications/cancelled", From: Server, Notification: true},
	{Name: "notifications/progress", From: Server, Notification: true},
	{Name: "notifications/message", From: Server, Notification: true},
	{Name: "notifications/tools/list_changed", From: Server, Notification: true},
	{Name: "notifications/resources/list_changed", From: Server, Notification: true},
	{Name: "notifications/resources/updated", From: Server, Notification: true},
	{Name: "notifications/prompts/list_changed", From: Server, Notification: true},
	{Name: "notifications/subscriptions/acknowledged", From: Server, Notification: true, Since: modern},
	{Name: "notifications/elicitation/complete", From: Server, Notification: true, Since: legacy, Until: legacy},
	{Name: "notifications/tasks/status", From: Server, Notification: true, Since: legacy, Until: legacy},
}

// Methods returns every method that passes or is judged. All others are
// refused.
func Methods() []Method { return slices.Clone(methods) }

// lookup returns the method as this side may send it.
func lookup(from Side, name string, notification bool) (Method, bool) {
	i := slices.IndexFunc(methods, func(m Method) bool {
		return m.Name == name && m.From == from && m.Notification == notification
	})
	if i < 0 {
		return Method{}, false
	}
	return methods[i], true
}
