package llm

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// chatUse is a call as a message repeats it.
type chatUse struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function chatFunction `json:"function"`
}

// chatFunction is what was called, in messages and answers.
type chatFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// chatMessages are the messages of a question.
func chatMessages(q Question) []chatMessage {
	var list []chatMessage
	if q.Talk == nil || q.System != "" {
		list = append(list, chatMessage{Role: "system", Content: q.System})
	}
	list = append(list, chatMessage{Role: "user", Content: q.User})
	if q.Talk == nil {
		return list
	}
	for n, t := range q.Talk.Turns {
		own := chatMessage{Role: "assistant", Content: t.said()}
		for i, c := range t.Calls {
			own.ToolCalls = append(own.ToolCalls, chatUse{c.id(n, i), "function", chatFunction(c)})
		}
		list = append(list, own)
		for i, r := range t.Results {
			list = append(list, chatMessage{Role: "tool", Content: r, ToolCallID: t.Calls[i].id(n, i)})
		}
		if t.User != "" {
			list = append(list, chatMessage{Role: "user", Content: t.User})
		}
	}
	return list
}

// talk puts the rest of a conversation into a request.
func (r *chatRequest) talk(t *Talk) {
	r.TopP, r.Seed = t.TopP, t.Seed
	for _, tool := range t.Tools {
		r.Tools = append(r.Tools, chatTool{"function", function{Name: tool.Name, Description: tool.Description, Parameters: tool.Schema}})
	}
}

// chatTurn is the choice in a conversation. Servers differ in how they write it.
type chatTurn struct {
	FinishReason string `json:"finish_reason"`
	Message      *struct {
		Content   jsontext.Value `json:"content"`
		Refusal   string         `json:"refusal"`
		ToolCalls []struct {
			Function chatCalled `json:"function"`
		} `json:"tool_calls"`
		FunctionCall *chatCalled `json:"function_call"` // the older form of one call
	} `json:"message"`
}

// chatCalled is a call as a model makes it.
type chatCalled struct {
	Name      string         `json:"name"`
	Arguments jsontext.Value `json:"arguments"`
}

// decodeChatTurn reads a turn of a conversation. The text of a refusal stands in its own
// member.
func decodeChatTurn(reply []byte) (Answer, *Failure) {
	var r chatReply[chatTurn]
	if f := envelope(reply, &r, asSaid); f != nil {
		return Answer{}, f
	}
	a, choice, f := r.only()
	if f != nil {
		return a, f
	}
	message := choice.Message
	if message == nil {
		return a, failf(Malformed, "a choice without a message")
	}
	a.Finish = choice.FinishReason
	if a.Text, f = chatText(message.Content); f != nil {
		return a, f
	}
	a.Text, a.Refused = a.Text+message.Refusal, message.Refusal != "" || a.Finish == "content_filter"
	for _, call := range message.ToolCalls {
		a.Calls = append(a.Calls, call.Function.call())
	}
	if message.FunctionCall != nil && len(a.Calls) == 0 {
		a.Calls = []Call{message.FunctionCall.call()}
	}
	return a, nil
}

// chatText reads content: a text, or a list of parts of one.
func chatText(content jsontext.Value) (string, *Failure) {
	var text string
	if json.Unmarshal(content, &text, asSaid) == nil || len(content) == 0 {
		return text, nil
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if f := envelope(content, &parts, asSaid); f != nil {
		return "", f
	}
	for _, p := range parts {
		switch p.Type {
		case "text":
			text += p.Text
		case "thinking": // comes before an answer and is none
		default:
			return "", failf(Malformed, "a part that is no text: %s", word(p.Type))
		}
	}
	return text, nil
}

// call returns the call. Arguments are an object in a text, or for some servers the
// object itself.
func (c chatCalled) call() Call {
	switch c.Arguments.Kind() {
	case '"':
		if text, err := jsontext.AppendUnquote(nil, c.Arguments); err == nil {
			return Call{c.Name, string(text)}
		}
	case 'n':
		return Call{Name: c.Name}
	}
	return Call{c.Name, written(c.Arguments)}
}
