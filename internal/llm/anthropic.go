package llm

import (
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// anthropic is the Messages API. The schema is that of the input of one tool,
// which the model is made to call.
type anthropic struct{}

func (anthropic) path(string) string { return "messages" }

func (anthropic) authorize(h http.Header, secret string) {
	h.Set("X-Api-Key", secret)
}

type anthropicBlock struct {
	Type  string         `json:"type"`
	Text  string         `json:"text,omitzero"`
	Cache *cacheControl  `json:"cache_control,omitzero"`
	Name  string         `json:"name,omitzero"`
	Input jsontext.Value `json:"input,omitempty"`
}

type cacheControl struct {
	Type string `json:"type"`
}

type anthropicTool struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	InputSchema jsontext.Value `json:"input_schema"`
}

type toolChoice struct {
	Type            string `json:"type"`
	Name            string `json:"name"`
	DisableParallel bool   `json:"disable_parallel_tool_use"`
}

type anthropicMessage struct {
	Role    string `json:"role"`
	Content any    `json:"content"` // a text, or blocks
}

type anthropicRequest struct {
	Model       string             `json:"model"`
	MaxTokens   int                `json:"max_tokens"`
	System      []anthropicBlock   `json:"system,omitempty"`
	Messages    []anthropicMessage `json:"messages"`
	Temperature *float64           `json:"temperature,omitzero"`
	TopP        *float64           `json:"top_p,omitzero"`
	Stop        []string           `json:"stop_sequences,omitempty"`
	Tools       []anthropicTool    `json:"tools,omitempty"`
	ToolChoice  *toolChoice        `json:"tool_choice,omitzero"`
}

// encode marks the system text for the prompt cache: it is the same for every
// question. Log-probabilities are not offered by this API.
func (anthropic) encode(c Config, q Question, _ bool) ([]byte, *Failure) {
	r := anthropicRequest{
		Model: c.Model, MaxTokens: q.MaxTokens, Temperature: q.Temperature, Stop: q.Stop,
		Messages: anthropicMessages(q),
	}
	if q.System != "" { // an empty text block is refused
		r.System = []anthropicBlock{{Type: "text", Text: q.System, Cache: &cacheControl{"ephemeral"}}}
	}
	switch {
	case q.Talk != nil:
		r.talk(q.Talk)
	case q.Schema != nil:
		r.Tools = []anthropicTool{{q.Schema.Name, "Give the answer.", q.schema()}}
		r.ToolChoice = &toolChoice{"tool", q.Schema.Name, true}
	}
	return marshal(r)
}

type anthropicReply struct {
	Model      string           `json:"model"`
	Content    []anthropicBlock `json:"content"`
	StopReason string           `json:"stop_reason"`
	Usage      struct {
		Input   int64  `json:"input_tokens"`
		Written *int64 `json:"cache_creation_input_tokens"`
		Cached  *int64 `json:"cache_read_input_tokens"`
		Output  int64  `json:"output_tokens"`
	} `json:"usage"`
}

// decode looks at the stop reason before the content: a refusal has content too.
func (anthropic) decode(reply []byte, q Question) (Answer, *Failure) {
	var r anthropicReply
	var options []json.Options
	if q.Talk != nil {
		options = append(options, asSaid)
	}
	if f := envelope(reply, &r, options...); f != nil {
		return Answer{}, f
	}
	u := r.Usage
	a := Answer{Model: r.Model, Finish: r.StopReason, Usage: Usage{Input: u.Input, Output: u.Output}}
	a.Usage.Cached, a.Usage.CachedUntold = counted(u.Cached)
	a.Usage.Written, a.Usage.WrittenUntold = counted(u.Written)
	if q.Talk != nil {
		return r.turn(a)
	}
	switch r.StopReason {
	case "tool_use", "end_turn", "stop_sequence":
	case "refusal":
		return a, failf(Refusal, "")
	case "max_tokens":
		return a, failf(Length, "")
	case "model_context_window_exceeded":
		return a, failf(Overflow, "")
	default:
		return a, failf(Malformed, "finished with %s", finishWord(r.StopReason))
	}
	content := r.said()
	switch {
	case len(content) != 1:
		return a, failf(Malformed, "%d blocks: expected one", len(content))
	case q.Schema == nil && content[0].Type == "text":
		a.Text = content[0].Text
	case q.Schema != nil && content[0].Type == "tool_use" && content[0].Name == q.Schema.Name:
		a.Text = string(content[0].Input)
	default:
		return a, failf(Malformed, "other content than was asked for")
	}
	return a, nil
}

// said returns the content without thinking, which comes before an answer and
// is none.
func (r anthropicReply) said() []anthropicBlock {
	var list []anthropicBlock
	for _, b := range r.Content {
		if b.Type != "thinking" && b.Type != "redacted_thinking" {
			list = append(list, b)
		}
	}
	return list
}
