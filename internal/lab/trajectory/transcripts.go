package trajectory

import (
	"strings"

	"github.com/licet-dev/licet/internal/toolcall"
)

// transcript is a file whose lines are one trajectory.
type transcript struct {
	*builder
	format format
	line   func(*builder, toolcall.Value)
	raw    []byte
}

// newTranscript returns a transcript if its first line is v, else nil.
func newTranscript(name string, v toolcall.Value) *transcript {
	for _, f := range formats {
		if f.read == nil && (name == f.name || name == "" && f.is(v)) {
			t := &transcript{builder: newBuilder(""), format: f, line: (*builder).claudeCode}
			if f.name == "codex" {
				t.line = (*builder).codex
			}
			return t
		}
	}
	return nil
}

// add takes one line, absent if it could not be read. It is false when the
// transcript is longer than max bytes.
func (t *transcript) add(text []byte, v toolcall.Value, max int) bool {
	if len(t.raw)+len(text) > max {
		return false
	}
	t.raw = append(t.raw, text...)
	if v.Kind() == toolcall.Absent {
		t.miss("line that is no JSON")
		return true
	}
	t.line(t.builder, v)
	return true
}

// trajectory returns what was read; a transcript that does not name its session is
// called as its file.
func (t *transcript) trajectory(name string) *Trajectory {
	if t.ID == "" {
		t.ID = name
	}
	t.Format = t.format.name
	return &t.Trajectory
}

// isClaudeCode knows a line of a Claude Code transcript, as of August 2026.
func isClaudeCode(v toolcall.Value) bool {
	return v.Get("type").Kind() == toolcall.String && (has("sessionId")(v) || has("uuid")(v) || has("leafUuid")(v) || has("messageId")(v))
}

// claudeCode reads a line. In the conversation of a sub-agent (isSidechain) the
// agent writes what a user would, and isMeta and isCompactSummary mark texts that
// the program wrote: none of that is a turn of the user.
func (b *builder) claudeCode(v toolcall.Value) {
	if b.ID == "" {
		b.ID = v.Get("sessionId").Text()
	}
	kind := v.Get("type").Text()
	if kind != "user" && kind != "assistant" {
		b.miss("line of type %s", kind)
		return
	}
	foreign := v.Get("isSidechain").Bool() || v.Get("isMeta").Bool() || v.Get("isCompactSummary").Bool()
	if kind == "user" && foreign {
		if b.content(v.Get("message").Get("content"), true) != "" {
			b.miss("text in the user's place that the user did not write")
		}
		return
	}
	b.message(v.Get("message"))
}

// isCodex knows a line of a Codex rollout, or the first one of an older form.
func isCodex(v toolcall.Value) bool {
	return v.Get("type").Kind() == toolcall.String && v.Get("payload").Kind() == toolcall.Object ||
		has("id", "timestamp", "instructions")(v)
}

// codex reads a line. Most of what happens stands twice, as a response item and as
// an event; events only add whether a command failed.
func (b *builder) codex(v toolcall.Value) {
	item := v.Get("payload")
	switch kind := v.Get("type").Text(); {
	case kind == "session_meta":
		b.ID = item.Get("id").Text()
	case kind == "response_item":
		b.codexItem(item)
	case kind == "event_msg" && item.Get("type").Text() == "exec_command_end":
		failed := item.Get("exit_code").Kind() == toolcall.Number && item.Get("exit_code").Number().Sign() != 0
		b.result(item.Get("call_id").Text(), item.Get("aggregated_output").Text(), failed)
	case kind == "event_msg":
		b.miss("event of type %s", item.Get("type").Text())
	case item.Kind() == toolcall.Absent && has("id", "timestamp", "instructions")(v):
		b.ID = v.Get("id").Text()
	case item.Kind() == toolcall.Absent:
		b.codexItem(v)
	default:
		b.miss("line of type %s", kind)
	}
}

// codexItem reads an item. What the program says in the user's place about the
// surroundings stands in tags, or is an instruction file.
func (b *builder) codexItem(item toolcall.Value) {
	if item.Get("type").Text() != "message" {
		b.item(item)
		return
	}
	if item.Get("role").Text() == "user" {
		text := b.content(item.Get("content"), true)
		if strings.HasPrefix(text, "<") || strings.HasPrefix(text, "# AGENTS.md") {
			b.miss("text in the user's place that the user did not write")
			return
		}
		b.turn(text)
		return
	}
	b.message(item)
}
