package contract

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/toolcall"
)

// ToolsCall is the MCP method of a tool call.
const ToolsCall = "tools/call"

// methodSchemas are the other methods that act, each with the JSON Schema of its
// params (MCP 2025-11-25 and 2026-07-28; rule 5 of the language). `_meta` is no
// argument: the door takes it off.
var methodSchemas = map[string]string{
	"resources/read": `{"type": "object", "properties": {"uri": {"type": "string"}}, "required": ["uri"]}`,
	"prompts/get": `{"type": "object", "properties": {"name": {"type": "string"},
		"arguments": {"type": "object", "additionalProperties": {"type": "string"}}}, "required": ["name"]}`,
	"completion/complete": `{"type": "object", "properties": {
		"ref": {"type": "object", "properties": {"type": {"type": "string"}, "name": {"type": "string"},
			"title": {"type": "string"}, "uri": {"type": "string"}}, "required": ["type"]},
		"argument": {"type": "object", "properties": {"name": {"type": "string"}, "value": {"type": "string"}}, "required": ["name", "value"]},
		"context": {"type": "object", "properties": {"arguments": {"type": "object", "additionalProperties": {"type": "string"}}}}
		}, "required": ["ref", "argument"]}`,
	"sampling/createMessage": `{"type": "object", "properties": {
		"messages": {"type": "array", "items": {"type": "object", "properties": {"role": {"type": "string"}, "content": {}, "_meta": {"type": "object"}},
			"required": ["role", "content"]}},
		"systemPrompt": {"type": "string"}, "includeContext": {"type": "string"}, "temperature": {"type": "number"},
		"maxTokens": {"type": "integer"}, "stopSequences": {"type": "array", "items": {"type": "string"}},
		"modelPreferences": {"type": "object"}, "metadata": {"type": "object"},
		"tools": {"type": "array", "items": {"type": "object"}}, "toolChoice": {"type": "object"}, "task": {"type": "object"}
		}, "required": ["messages", "maxTokens"]}`,
	"elicitation/create": `{"type": "object", "properties": {"mode": {"type": "string"}, "message": {"type": "string"},
		"requestedSchema": {"type": "object"}, "url": {"type": "string"}, "elicitationId": {"type": "string"}, "task": {"type": "object"}
		}, "required": ["message"]}`,
	"roots/list": `{"type": "object", "properties": {}}`,
}

// Methods returns the MCP methods beside tools/call that a contract can list as
// `server:method`, sorted.
func Methods() []string { return slices.Sorted(maps.Keys(methodSchemas)) }

// methods returns the definition of each method in the form of a tool.
var methods = sync.OnceValue(func() map[string]catalog.Tool {
	all := map[string]catalog.Tool{}
	for name, text := range methodSchemas {
		schema, err := toolcall.Parse([]byte(text), toolcall.Bounds{})
		if err != nil {
			panic(fmt.Sprintf("contract: schema of %s: %v", name, err)) // it is ours
		}
		all[name] = catalog.Tool{Name: name, Raw: toolcall.ObjectOf(toolcall.Member{Name: "inputSchema", Value: schema})}
	}
	return all
})
