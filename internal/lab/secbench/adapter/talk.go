package adapter

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/licet-dev/licet/internal/lab/secbench/model"
	"github.com/licet-dev/licet/internal/llm"
	"github.com/licet-dev/licet/internal/toolcall"
)

// dropped is told of a call that was not looked at.
const dropped = `{"status":"dropped"}`

// toolsOf returns the definitions of tools, which are listed as MCP does.
func toolsOf(definitions []byte) ([]llm.Tool, error) {
	v, err := toolcall.Parse(definitions, toolcall.Bounds{})
	if err != nil {
		return nil, fmt.Errorf("the definitions of tools: %w", err)
	}
	var all []llm.Tool
	for i := range v.Get("tools").Len() {
		t := v.Get("tools").Elem(i)
		all = append(all, llm.Tool{
			Name: t.Get("name").Text(), Description: t.Get("description").Text(), Schema: []byte(t.Get("inputSchema").Canonical()),
		})
	}
	if len(all) == 0 {
		return nil, errors.New("the definitions of tools have none")
	}
	return all, nil
}

// nativeTurn repeats a turn whose calls were made by the API's own means. Results
// that belong to no call, as one in prose, are told as text.
func nativeTurn(t model.Turn) llm.Turn {
	out := llm.Turn{Text: t.Answer.Text}
	for i, c := range t.Answer.Calls {
		result := dropped
		if i < len(t.Results) {
			result = t.Results[i]
		}
		out.Calls = append(out.Calls, llm.Call{Name: nameAgain(c.Name), Arguments: argumentsAgain(c.Arguments)})
		out.Results = append(out.Results, result)
	}
	more := t.Results[min(len(out.Calls), len(t.Results)):]
	out.User = joined(append(more[:len(more):len(more)], t.Note))
	return out
}

// textTurn repeats a turn whose calls stood in its text.
func textTurn(t model.Turn) llm.Turn {
	var told []string
	for _, r := range t.Results { // JSON of one line: it ends no fence
		told = append(told, "```result\n"+r+"\n```")
	}
	return llm.Turn{Text: t.Answer.Written, User: joined(append(told, t.Note))}
}

// joined puts texts below one another, without the empty ones.
func joined(texts []string) string {
	var all []string
	for _, t := range texts {
		if t != "" {
			all = append(all, t)
		}
	}
	return strings.Join(all, "\n\n")
}

var notInNames = regexp.MustCompile(`[^a-zA-Z0-9_-]`)

// nameAgain writes the name of a tool so that every server takes it back: a made-up
// one may have any form.
func nameAgain(name string) string {
	if name == "" {
		return "unnamed"
	}
	name = notInNames.ReplaceAllString(name, "_")
	return name[:min(len(name), 64)]
}

// argumentsAgain writes the arguments of a call so that every server takes them back:
// many refuse a conversation with a call in it that is no object.
func argumentsAgain(arguments string) string {
	if v, err := toolcall.Parse([]byte(arguments), toolcall.Bounds{}); err == nil && v.Kind() == toolcall.Object {
		return arguments
	}
	return toolcall.ObjectOf(toolcall.Member{Name: "unreadable", Value: toolcall.StringOf(arguments)}).Canonical()
}
