package llm

import (
	"net/http"

	"github.com/go-json-experiment/json/jsontext"
)

// chat is the Chat Completions API of OpenAI and of the many servers that speak
// it.
type chat struct{}

func (chat) path(string) string { return "chat/completions" }

func (chat) authorize(h http.Header, secret string) {
	h.Set("Authorization", "Bearer "+secret)
}

type chatMessage struct {
	Role       string    `json:"role"`
	Content    string    `json:"content"`
	ToolCalls  []chatUse `json:"tool_calls,omitempty"`
	ToolCallID string    `json:"tool_call_id,omitzero"`
}

type function struct {
	Name        string         `json:"name"`
	Description string         `json:"description,omitzero"`
	Parameters  jsontext.Value `json:"parameters,omitempty"`
	Strict      bool           `json:"strict,omitzero"`
}

type chatTool struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type namedSchema struct {
	Name   string         `json:"name"`
	Strict bool           `json:"strict"`
	Schema jsontext.Value `json:"schema"`
}

type responseFormat struct {
	Type       string      `json:"type"`
	JSONSchema namedSchema `json:"json_schema"`
}

type chatRequest struct {
	Model               string          `json:"model"`
	Messages            []chatMessage   `json:"messages"`
	MaxCompletionTokens int             `json:"max_completion_tokens"`
	MaxTokens           int             `json:"max_tokens,omitzero"`
	Temperature         *float64        `json:"temperature,omitzero"`
	TopP                *float64        `json:"top_p,omitzero"`
	Seed                *int            `json:"seed,omitzero"`
	Stop                []string        `json:"stop,omitempty"`
	LogProbs            bool            `json:"logprobs,omitzero"`
	TopLogProbs         int             `json:"top_logprobs,omitzero"`
	ResponseFormat      *responseFormat `json:"response_format,omitzero"`
	Tools               []chatTool      `json:"tools,omitempty"`
	ToolChoice          *chatTool       `json:"tool_choice,omitzero"`
	ParallelToolCalls   *bool           `json:"parallel_tool_calls,omitzero"`
}

func (chat) encode(c Config, q Question, local bool) ([]byte, *Failure) {
	r := chatRequest{
		Model:               c.Model,
		Messages:            chatMessages(q),
		MaxCompletionTokens: q.MaxTokens,
		Temperature:         q.Temperature,
		Stop:                q.Stop,
		LogProbs:            q.TopLogProbs > 0,
		TopLogProbs:         q.TopLogProbs,
	}
	if local { // older local servers know only the old name; OpenAI refuses both together
		r.MaxTokens = q.MaxTokens
	}
	switch {
	case q.Talk != nil:
		r.talk(q.Talk)
	case q.Schema == nil || c.Form == ByPrompt:
	case c.Form == ByTool:
		one := false
		r.ParallelToolCalls = &one
		r.Tools = []chatTool{{"function", function{Name: q.Schema.Name, Parameters: q.schema(), Strict: true}}}
		r.ToolChoice = &chatTool{"function", function{Name: q.Schema.Name}}
	default:
		r.ResponseFormat = &responseFormat{"json_schema", namedSchema{q.Schema.Name, true, q.schema()}}
	}
	return marshal(r)
}

// chatReply is an answer: of choices that are a [chatChoice], or a [chatTurn] in a
// conversation.
type chatReply[C any] struct {
	Model             string `json:"model"`
	SystemFingerprint string `json:"system_fingerprint"`
	Choices           []C    `json:"choices"`
	Usage             struct {
		PromptTokens     int64 `json:"prompt_tokens"`
		CompletionTokens int64 `json:"completion_tokens"`
		Details          struct {
			Cached *int64 `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	} `json:"usage"`
}

type chatChoice struct {
	FinishReason string `json:"finish_reason"`
	Message      struct {
		Content   string `json:"content"`
		Refusal   string `json:"refusal"`
		ToolCalls []struct {
			Function chatFunction `json:"function"`
		} `json:"tool_calls"`
	} `json:"message"`
	LogProbs struct {
		Content []chatToken `json:"content"`
	} `json:"logprobs"`
}

type chatToken struct {
	Token   string      `json:"token"`
	LogProb float64     `json:"logprob"`
	Top     []chatToken `json:"top_logprobs"`
}

// only returns what an answer says of itself, and its only choice.
func (r chatReply[C]) only() (a Answer, choice C, f *Failure) {
	u := r.Usage
	cached, untold := counted(u.Details.Cached)
	a = Answer{
		Model: r.Model, Fingerprint: r.SystemFingerprint,
		Usage: Usage{Input: u.PromptTokens - cached, Cached: cached, Output: u.CompletionTokens, CachedUntold: untold, WrittenUntold: true},
	}
	if len(r.Choices) != 1 {
		return a, choice, failf(Malformed, "%d choices: expected one", len(r.Choices))
	}
	return a, r.Choices[0], nil
}

// decode: the refusal field comes first, as a refusal finishes like any answer;
// content beside a tool call would be text round the object.
func (chat) decode(reply []byte, q Question) (Answer, *Failure) {
	if q.Talk != nil {
		return decodeChatTurn(reply)
	}
	var r chatReply[chatChoice]
	if f := envelope(reply, &r); f != nil {
		return Answer{}, f
	}
	a, choice, f := r.only()
	if f != nil {
		return a, f
	}
	message := choice.Message
	a.Finish, a.LogProbs = choice.FinishReason, tokenProbs(choice.LogProbs.Content)
	switch {
	case message.Refusal != "":
		return a, failf(Refusal, "")
	case a.Finish == "content_filter":
		return a, failf(Filter, "")
	case a.Finish == "length":
		return a, failf(Length, "")
	case a.Finish != "stop" && a.Finish != "tool_calls":
		return a, failf(Malformed, "finished with %s", finishWord(a.Finish))
	case len(message.ToolCalls) == 0:
		a.Text = message.Content
	case q.Schema == nil || len(message.ToolCalls) > 1 || message.Content != "" || message.ToolCalls[0].Function.Name != q.Schema.Name:
		return a, failf(Malformed, "other calls of tools than the one that was asked for")
	default:
		a.Text = message.ToolCalls[0].Function.Arguments
	}
	return a, nil
}

func tokenProbs(tokens []chatToken) []TokenProb {
	var list []TokenProb
	for _, t := range tokens {
		list = append(list, TokenProb{t.Token, t.LogProb, tokenProbs(t.Top)})
	}
	return list
}
