package llm

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// anthropicUse is a call as a message repeats it.
type anthropicUse struct {
	Type  string         `json:"type"`
	ID    string         `json:"id"`
	Name  string         `json:"name"`
	Input jsontext.Value `json:"input"`
}

// anthropicResult is what came of a call.
type anthropicResult struct {
	Type      string `json:"type"`
	ToolUseID string `json:"tool_use_id"`
	Content   string `json:"content"`
}

// anthropicMessages are the messages of a question. Results come first in the message
// that follows their calls.
func anthropicMessages(q Question) []anthropicMessage {
	list := []anthropicMessage{{"user", q.User}}
	if q.Talk == nil {
		return list
	}
	for n, t := range q.Talk.Turns {
		var own, told []any
		if text := t.said(); text != "" {
			own = append(own, anthropicBlock{Type: "text", Text: text})
		}
		for i, c := range t.Calls {
			own = append(own, anthropicUse{"tool_use", c.id(n, i), c.Name, jsontext.Value(c.Arguments)})
		}
		for i, r := range t.Results {
			told = append(told, anthropicResult{"tool_result", t.Calls[i].id(n, i), r})
		}
		if t.User != "" {
			told = append(told, anthropicBlock{Type: "text", Text: t.User})
		}
		list = append(list, anthropicMessage{"assistant", own}, anthropicMessage{"user", told})
	}
	return list
}

// talk puts the rest of a conversation into a request.
func (r *anthropicRequest) talk(t *Talk) {
	r.TopP = t.TopP
	for _, tool := range t.Tools {
		r.Tools = append(r.Tools, anthropicTool{tool.Name, tool.Description, tool.Schema})
	}
}

// turn reads a turn of a conversation.
func (r anthropicReply) turn(a Answer) (Answer, *Failure) {
	if r.Content == nil && r.StopReason == "" {
		return a, failf(Malformed, "neither content nor why it ended")
	}
	a.Refused = r.StopReason == "refusal"
	var texts []string
	for _, b := range r.said() {
		switch b.Type {
		case "text":
			texts = append(texts, b.Text)
		case "tool_use":
			a.Calls = append(a.Calls, Call{b.Name, written(b.Input)})
		default:
			return a, failf(Malformed, "a block that is neither text nor a call: %s", word(b.Type))
		}
	}
	a.Text = strings.Join(texts, "\n")
	return a, nil
}
