package mcpproxy

import (
	"fmt"

	"github.com/licet-dev/licet/internal/toolcall"
)

// Members of an answer that some reader gives a meaning to: results and errors
// of MCP 2024-11-05 to 2026-07-28. A client that ignores letter case would take
// a member that differs from one of them only in case for it, and see what the
// relay has not looked at.
var (
	resultMembers = []string{
		"_meta", "action", "cacheScope", "capabilities", "completion", "content", "contents", "createdAt", "description",
		"error", "inputRequests", "instructions", "isError", "lastUpdatedAt", "messages", "model", "nextCursor",
		"pollInterval", "pollIntervalMs", "prompts", "protocolVersion", "requestState", "resourceTemplates", "resources",
		"result", "resultType", "role", "roots", "serverInfo", "status", "statusMessage", "stopReason",
		"structuredContent", "supportedVersions", "task", "taskId", "tasks", "tools", "ttl", "ttlMs",
	}
	taskMembers = []string{
		"createdAt", "error", "inputRequests", "lastUpdatedAt", "pollInterval", "pollIntervalMs", "result", "status",
		"statusMessage", "taskId", "ttl", "ttlMs",
	}
	inputMembers = []string{"method", "params"}
	errorMembers = []string{"code", "data", "message"}
)

// ambiguous refuses an answer that has a member which could be taken for a
// known one, wherever the relay reads.
func ambiguous(m toolcall.Message) error {
	for _, part := range []struct {
		object toolcall.Value
		known  []string
	}{
		{m.Result, resultMembers},
		{m.Result.Get("task"), taskMembers},
		{m.Error, errorMembers},
	} {
		if err := noTwin(part.object, part.known); err != nil {
			return err
		}
	}
	requests := m.Result.Get("inputRequests")
	if requests.Kind() != toolcall.Object {
		return nil
	}
	for i := range requests.Len() {
		_, request := requests.Member(i)
		if err := noTwin(request, inputMembers); err != nil {
			return err
		}
	}
	return nil
}

// noTwin refuses members of an object that are not known but differ from a
// known one only in letter case. The error does not repeat what the server
// wrote: an agent reads it.
func noTwin(object toolcall.Value, known []string) error {
	if object.Kind() != toolcall.Object {
		return nil
	}
	for i := range object.Len() {
		member, _ := object.Member(i)
		for _, name := range known {
			if member != name && toolcall.FoldEqual(member, name) {
				return fmt.Errorf("the answer has a member that differs from %q only in letter case", name)
			}
		}
	}
	return nil
}
