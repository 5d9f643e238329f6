package fakellm

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// object is a JSON object to be written.
type object = map[string]any

// A dialect writes answers as one API does.
type dialect struct {
	answer func(ask, reply) object
	fail   func(f fault, retryAfter int, quota bool) (status int, body object)
}

var dialects = map[string]dialect{
	"openai":           {chatAnswer, openaiError},
	"openai-responses": {responsesAnswer, openaiError},
	"anthropic":        {anthropicAnswer, anthropicError},
	"gemini":           {geminiAnswer, geminiError},
}

// tokens stands for a count that nobody made.
func tokens(text string) int { return len(text)/4 + 1 }

// fingerprint is what answers name as the system they come from.
const fingerprint = "scripted"

func chatAnswer(a ask, r reply) object {
	message, finish := object{"role": "assistant", "content": r.text, "refusal": nil}, "stop"
	if len(r.calls) > 0 {
		message["tool_calls"], finish = chatCalls(r.calls), "tool_calls"
	}
	if a.tool != "" {
		message["content"] = nil
		message["tool_calls"] = []object{{"id": "call_1", "type": "function", "function": object{"name": a.tool, "arguments": r.text}}}
	}
	switch r.fault {
	case "refusal":
		message = object{"role": "assistant", "content": nil, "refusal": r.text}
	case "filter":
		message, finish = object{"role": "assistant", "content": nil}, "content_filter"
	case "length":
		finish = "length"
	}
	choices := []object{{"index": 0, "message": message, "finish_reason": finish}}
	if r.fault == "empty" {
		choices = []object{}
	}
	return object{
		"id": "scripted", "object": "chat.completion", "model": r.model, "system_fingerprint": fingerprint, "choices": choices,
		"usage": object{"prompt_tokens": tokens(a.text), "completion_tokens": tokens(r.text)},
	}
}

// chatCalls are calls of tools, whose arguments are a text.
func chatCalls(calls []call) []object {
	var list []object
	for i, c := range calls {
		list = append(list, object{"id": "call_" + strconv.Itoa(i+1), "type": "function", "function": object{"name": c.name, "arguments": c.arguments}})
	}
	return list
}

func responsesAnswer(a ask, r reply) object {
	part := object{"type": "output_text", "text": r.text}
	status, details := "completed", object(nil)
	switch r.fault {
	case "refusal":
		part = object{"type": "refusal", "refusal": r.text}
	case "filter":
		status, details = "incomplete", object{"reason": "content_filter"}
	case "length":
		status, details = "incomplete", object{"reason": "max_output_tokens"}
	}
	output := []object{{"type": "message", "role": "assistant", "content": []object{part}}}
	if r.fault == "empty" {
		output = []object{}
	}
	return object{
		"id": "scripted", "object": "response", "model": r.model, "status": status, "incomplete_details": details,
		"error": nil, "output": output, "store": false,
		"usage": object{"input_tokens": tokens(a.text), "output_tokens": tokens(r.text)},
	}
}

// anthropicAnswer calls the tool once for each JSON object that the text is a
// row of; any other text is said as text.
func anthropicAnswer(a ask, r reply) object {
	content, stop := []object{{"type": "text", "text": r.text}}, "end_turn"
	if list := objects(r.text); a.tool != "" && len(list) > 0 {
		content, stop = nil, "tool_use"
		for _, o := range list {
			content = append(content, object{"type": "tool_use", "id": "toolu_1", "name": a.tool, "input": o})
		}
	}
	if len(r.calls) > 0 {
		content, stop = nil, "tool_use"
		if r.text != "" {
			content = []object{{"type": "text", "text": r.text}}
		}
	}
	for i, c := range r.calls {
		content = append(content, object{"type": "tool_use", "id": "toolu_" + strconv.Itoa(i+1), "name": c.name, "input": inputOf(c.arguments)})
	}
	switch r.fault {
	case "refusal", "filter": // one word for both
		stop = "refusal"
	case "length":
		stop = "max_tokens"
	case "empty":
		content = []object{}
	}
	return object{
		"id": "scripted", "type": "message", "role": "assistant", "model": r.model, "content": content, "stop_reason": stop,
		"usage": object{"input_tokens": tokens(a.text), "output_tokens": tokens(r.text)},
	}
}

// inputOf returns arguments as the JSON that they are, or as a text.
func inputOf(arguments string) any {
	if v := jsontext.Value(arguments); v.IsValid() {
		return v
	}
	return arguments
}

// objects returns the JSON objects that a text is a row of, nil if it is
// anything else. Duplicate members are left in.
func objects(text string) []jsontext.Value {
	d := jsontext.NewDecoder(strings.NewReader(text), jsontext.AllowDuplicateNames(true))
	var list []jsontext.Value
	for d.PeekKind() == '{' {
		v, err := d.ReadValue()
		if err != nil {
			return nil
		}
		list = append(list, v.Clone())
	}
	if strings.TrimSpace(text[d.InputOffset():]) != "" {
		return nil
	}
	return list
}

func geminiAnswer(a ask, r reply) object {
	finish := "STOP"
	switch r.fault {
	case "filter":
		return object{"modelVersion": r.model, "promptFeedback": object{"blockReason": "SAFETY"}}
	case "length":
		finish = "MAX_TOKENS"
	}
	candidates := []object{{"content": object{"role": "model", "parts": []object{{"text": r.text}}}, "finishReason": finish}}
	if r.fault == "empty" {
		candidates = []object{}
	}
	return object{
		"modelVersion": r.model, "candidates": candidates,
		"usageMetadata": object{"promptTokenCount": tokens(a.text), "candidatesTokenCount": tokens(r.text)},
	}
}

func openaiError(f fault, _ int, _ bool) (int, object) {
	return f.status, object{"error": object{"message": f.message, "type": f.openai, "code": f.openai, "param": nil}}
}

func anthropicError(f fault, _ int, quota bool) (int, object) {
	status := f.status
	switch {
	case quota:
		status = 402
	case f.anthropic == "overloaded_error":
		status = 529
	}
	return status, object{"type": "error", "error": object{"type": f.anthropic, "message": f.message}, "request_id": "scripted"}
}

// geminiError says how long to wait in its own way, too, and names the quota
// that is spent.
func geminiError(f fault, retryAfter int, quota bool) (int, object) {
	details := []object{}
	if retryAfter > 0 {
		details = append(details, object{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": seconds(retryAfter)})
	}
	if quota {
		details = append(details, object{
			"@type":      "type.googleapis.com/google.rpc.QuotaFailure",
			"violations": []object{{"quotaId": "GenerateRequestsPerDayPerProject"}},
		})
	}
	return f.status, object{"error": object{"code": f.status, "message": f.message, "status": f.gemini, "details": details}}
}

// marshal writes an object, with whatever duplicate members a script put into it.
func marshal(o object) []byte {
	text, err := json.Marshal(o, json.Deterministic(true), jsontext.AllowDuplicateNames(true))
	if err != nil {
		panic(err) // it is made of texts, numbers and values that were read
	}
	return text
}
