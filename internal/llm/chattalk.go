package llm

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

// turn reads a turn of a conversation. The text of a refusal stands in its own
// member.
func (c chatChoice) turn(a Answer) (Answer, *Failure) {
	a.Text = c.Message.Content
	if refusal := c.Message.Refusal; refusal != "" {
		a.Text, a.Refused = a.Text+refusal, true
	}
	for _, call := range c.Message.ToolCalls {
		a.Calls = append(a.Calls, Call(call.Function))
	}
	switch a.Finish {
	case "stop", "tool_calls", "length":
	case "content_filter":
		a.Refused = true
	default:
		return a, failf(Malformed, "finished with %s", finishWord(a.Finish))
	}
	return a, nil
}
