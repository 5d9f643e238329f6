package fakellm

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/toolcall"
)

// fault is one way in which an answer is not what was asked for. Those with a
// status are errors of the API, in the words that each dialect has for them;
// the others change an answer with status 200.
type fault struct {
	help                      string
	status                    int
	openai, anthropic, gemini string // the error's name
	message                   string // where servers are known by it
}

// faults holds all of them by name.
var faults = map[string]fault{
	"rate":        {"429, ask later", 429, "rate_limit_exceeded", "rate_limit_error", "RESOURCE_EXHAUSTED", "slow down"},
	"quota":       {"the money is spent: 429, Anthropic 402", 429, "insufficient_quota", "billing_error", "RESOURCE_EXHAUSTED", "no quota is left"},
	"auth":        {"401", 401, "invalid_api_key", "authentication_error", "UNAUTHENTICATED", "who are you?"},
	"forbidden":   {"403", 403, "permission_denied", "permission_error", "PERMISSION_DENIED", "not for you"},
	"bad_request": {"400", 400, "invalid_request_error", "invalid_request_error", "INVALID_ARGUMENT", "what?"},
	"not_found":   {"404", 404, "model_not_found", "not_found_error", "NOT_FOUND", "there is no such model"},
	"too_large":   {"413", 413, "request_too_large", "request_too_large", "INVALID_ARGUMENT", "too many bytes"},
	"invalid":     {"422", 422, "unprocessable", "invalid_request_error", "INVALID_ARGUMENT", "no"},
	"overflow":    {"400, the prompt does not fit", 400, "context_length_exceeded", "invalid_request_error", "INVALID_ARGUMENT", "prompt is too long; it exceeds the maximum number of tokens"},
	"late":        {"408", 408, "request_timeout", "timeout_error", "DEADLINE_EXCEEDED", "too slow"},
	"conflict":    {"409", 409, "conflict", "conflict_error", "ABORTED", "again, please"},
	"server":      {"500", 500, "server_error", "api_error", "INTERNAL", "oh"},
	"overloaded":  {"503, Anthropic 529", 503, "overloaded", "overloaded_error", "UNAVAILABLE", "too many questions"},
	"redirect":    {"307 to another address", 307, "redirect", "redirect", "redirect", ""},
	"cut":         {help: "the connection ends in the middle of the answer"},
	"hang":        {help: "no answer, until the client goes"},
	"oversize":    {help: "an answer of more than 4 MiB"},
	"html":        {help: "a page in the place of JSON, with 200"},
	"error_200":   {help: "an error in the place of an answer, with 200"},
	"length":      {help: "the answer stops at the limit of output"},
	"refusal":     {help: "the model refuses; Gemini has no word for it and says so in text"},
	"filter":      {help: "the provider's filter held the answer back"},
	"empty":       {help: "no choices, candidates or content"},
	"prose":       {help: "text round the verdict"},
	"double":      {help: "the verdict twice"},
	"duplicate":   {help: "the member decision twice in the verdict"},
	"wrong_type":  {help: "the decision is a number"},
	"nonce_echo":  {help: "the prompt's nonce stands in the verdict"},
	"other_model": {help: "another model than the one asked for says that it answered"},
	"no_model":    {help: "no model says that it answered"},
}

func faultNames() []string { return slices.Sorted(maps.Keys(faults)) }

// FaultHelp lists all faults with what they do, one a line.
func FaultHelp() string {
	var b strings.Builder
	for _, name := range faultNames() {
		fmt.Fprintf(&b, "  %-12s %s\n", name, faults[name].help)
	}
	return b.String()
}

// reply is what a rule makes of a question, before a dialect writes it.
type reply struct {
	fault      string
	text       string
	calls      []call
	model      string
	retryAfter int
}

// answer returns the reply of a rule.
func (r Rule) answer(a ask) reply {
	text := r.Text
	if len(r.Drift) > 0 {
		text = r.Drift[(max(a.epoch, 1)-1)%len(r.Drift)]
	}
	out := reply{fault: r.Fault, text: text, calls: r.Calls, model: a.model, retryAfter: r.RetryAfter}
	if r.Model != "" {
		out.model = r.Model
	}
	switch r.Fault {
	case "prose":
		out.text = "Here is my verdict:\n" + text + "\nI hope it helps."
	case "double":
		out.text = text + "\n" + text
	case "duplicate":
		out.text = `{"decision":"block",` + strings.TrimPrefix(with(text, "decision", toolcall.StringOf("allow")), "{")
	case "wrong_type":
		one, _ := toolcall.ParseDecimal("1") // is a number
		out.text = with(text, "decision", toolcall.NumberOf(one))
	case "nonce_echo":
		out.text = with(text, "rationale", toolcall.StringOf("as told by "+a.nonce))
	case "refusal":
		out.text, out.calls = "I can't help with that.", nil
	case "length":
		out.text, out.calls = text[:len(text)/2], slices.Clone(r.Calls)
		for i, c := range out.calls {
			out.calls[i].arguments = c.arguments[:len(c.arguments)/2]
		}
	case "other_model":
		out.model = "another-" + out.model
	case "no_model":
		out.model = ""
	}
	return out
}

// with returns a verdict with one member set. Only a verdict of a script gets
// here, which is an object.
func with(text, name string, value toolcall.Value) string {
	v, err := toolcall.Parse([]byte(text), toolcall.Bounds{})
	if err != nil {
		panic(err)
	}
	members := []toolcall.Member{{Name: name, Value: value}}
	for i := range v.Len() {
		if n, old := v.Member(i); n != name {
			members = append(members, toolcall.Member{Name: n, Value: old})
		}
	}
	return toolcall.ObjectOf(members...).Canonical()
}
