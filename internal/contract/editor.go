package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/sqlcheck"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// EditorSchema returns the JSON Schema (2020-12) of the contract language, for
// editors: they complete words, show what each means and underline one that is
// misspelt. It is generated from the words that [Load] reads, and is looser than
// Load, which knows the catalogs: what it refuses Load refuses, too.
func EditorSchema() []byte {
	root := closed(contractWords, map[string]schema{
		"version":   about("Version of the language.", schema{"const": 1}),
		"name":      about("Name of the contract.", named),
		"catalogs":  about("The approved copy of what each server offers.", mapOf(named, catalogSchema())),
		"labels":    about("Names that stand for several tools, for conditions on the session.", mapOf(named, listOf(said("A tool as server.tool.")))),
		"agents":    about("What each agent may do. An agent that is not listed may do nothing.", mapOf(named, agentSchema())),
		"approvals": about("How held calls are answered.", approvalsSchema()),
		"judge":     about("Who judges the calls that judge clauses hand over, and what follows.", judgeSchema()),
		"evidence": about("What records must not keep.", closed(evidenceWords, map[string]schema{
			"redact": about("Arguments of a tool, by path, whose values are not recorded.", mapOf(nil, listOf(said("Path of an argument.")))),
		})),
	}, "version", "name", "agents")
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "licet contract, version 1"
	root["$defs"] = schema{
		"sources": schema{"oneOf": []any{sourceSchema(), listOf(sourceSchema())}},
		"clauses": listOf(defined("clause")),
		"clause":  clauseSchema(),
		"limits":  listOf(limitSchema()),

		"count": signalBounds(constraint.SignalCount),
		"names": signalBounds(constraint.SignalNames),
		"flag":  signalBounds(constraint.SignalFlag),
		"word":  signalBounds(constraint.SignalWord),
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(root); err != nil {
		panic(fmt.Sprintf("contract: encoding the schema of the language: %v", err)) // it is ours
	}
	return b.Bytes()
}

// schema is a JSON Schema.
type schema map[string]any

// Forms that values share.
var (
	named    = schema{"type": "string", "pattern": "^[A-Za-z0-9_-]{1,100}$"}
	duration = schema{"type": "string", "pattern": "^[1-9][0-9]{0,8}[smhdw]$"}
	number   = schema{"type": "number"}
	positive = schema{"type": "integer", "minimum": 1}
	size     = schema{"oneOf": []any{schema{"type": "integer", "minimum": 0},
		schema{"type": "object", "minProperties": 1, "additionalProperties": false,
			"properties": schema{"min": schema{"type": "integer", "minimum": 0}, "max": schema{"type": "integer", "minimum": 0}}}}}
)

// about returns a schema with a description.
func about(description string, s schema) schema {
	described := schema{"description": description}
	for k, v := range s {
		described[k] = v
	}
	return described
}

func said(description string) schema { return schema{"type": "string", "description": description} }

func defined(name string) schema { return schema{"$ref": "#/$defs/" + name} }

func listOf(items schema) schema { return schema{"type": "array", "items": items, "minItems": 1} }

func oneOf(w yamlwalk.Words) schema { return schema{"enum": w.Known} }

// mapOf returns the schema of a mapping from names, of any form if keys is nil.
func mapOf(keys, values schema) schema {
	s := schema{"type": "object", "additionalProperties": values}
	if keys != nil {
		s["propertyNames"] = keys
	}
	return s
}

// closed returns the schema of a mapping of known words. One that members lacks
// gets a null, which is no schema: a test finds it.
func closed(w yamlwalk.Words, members map[string]schema, required ...string) schema {
	properties := schema{}
	for _, word := range w.Known {
		properties[word] = members[word]
	}
	s := schema{"type": "object", "additionalProperties": false, "properties": properties}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

func catalogSchema() schema {
	return closed(catalogWords, map[string]schema{
		"pin":     said("Digest of the copy, written by `licet catalog pin`."),
		"tools":   said("File of the copy, counted from the folder of the contract."),
		"resolve": about("none: the gate does not share the server's file system.", oneOf(resolveWords)),
	}, "pin", "tools")
}

func agentSchema() schema {
	return closed(agentWords, map[string]schema{
		"authenticate": about("Who may speak as this agent. Left out: only doors started locally for it.",
			closed(authenticateWords, map[string]schema{"token": about("Name of a configured credential.", named)}, "token")),
		"extends": said("An agent whose rules apply, too: the stricter result counts."),
		"mode":    about("shadow: decide and record everything, hold nothing.", oneOf(modeWords)),
		"tools":   about("Rules by server.tool, by a group such as server.get_*, or by server:method. What is not listed is refused.", mapOf(nil, ruleSchema())),
		"limits":  about("Limits over all calls of the agent.", defined("limits")),
	})
}

func ruleSchema() schema {
	rule := closed(ruleWords, map[string]schema{
		"never":           about("A call that one of these clauses matches is BLOCK, whatever else holds.", defined("clauses")),
		"allow":           about("Else a call for which one of these clauses holds is ALLOW.", defined("clauses")),
		"judge":           about("Else a call for which one of these clauses holds is judged: do the user's own words authorize every effect of it?", defined("clauses")),
		"approve":         about("Else a call for which one of these clauses holds needs a person.", defined("clauses")),
		"limits":          about("Limits over the calls of this tool.", defined("limits")),
		"extra_arguments": about("allow: arguments that the tool does not declare are let through.", oneOf(extraWords)),
	})
	rule["anyOf"] = []any{schema{"required": []string{"allow"}}, schema{"required": []string{"judge"}}, schema{"required": []string{"approve"}}}
	return schema{"oneOf": []any{about("One word for all calls with valid arguments.", oneOf(shorthands)), rule}}
}

func clauseSchema() schema {
	s := closed(conditionWords, map[string]schema{
		"$session": about("A condition on the calls granted in this session.", sessionSchema()),
		"$request": about("Some user turn contains one of the words or phrases.", fixed(map[string]schema{"mentions": listOf(said("A word or phrase."))}, "mentions")),
		"$signal":  about("What collectors see of the environment of the call.", signalSchema()),
		"$when":    said("A CEL expression over call, session, principal and now."),
		"$approvers": about("Who may answer calls that this clause holds; in approve only.",
			listOf(named)),
		"$quorum": about("How many of them must agree; in approve only.", positive),
	})
	s["description"] = "A clause: arguments, by path, with their constraints. It holds when all of them hold."
	s["patternProperties"] = schema{"^[^$]": constraintSchema()}
	return s
}

// fixed returns the schema of a mapping whose members are named here only.
func fixed(members map[string]schema, required ...string) schema {
	s := schema{"type": "object", "additionalProperties": false, "properties": members, "minProperties": 1}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

func sessionSchema() schema {
	tools := listOf(said("A tool as server.tool, or a label."))
	return fixed(map[string]schema{
		"called":     about("One of these was granted in this session.", tools),
		"not_called": about("None of these was granted in this session.", tools),
		"distinct": about("The argument has at most this many values in one session.", fixed(map[string]schema{
			"tool": said("A tool as server.tool; this one if left out."), "argument": said("Path of an argument."), "max": positive,
		}, "argument", "max")),
	})
}

// signalBounds says what a signal of a kind can be bounded by.
func signalBounds(kind constraint.SignalKind) schema {
	text := schema{"type": "string"}
	switch kind {
	case constraint.SignalFlag:
		return fixed(map[string]schema{"const": {"type": "boolean"}}, "const")
	case constraint.SignalWord:
		return fixed(map[string]schema{"const": text, "in": listOf(text), "not_in": listOf(text), "pattern": text})
	}
	return fixed(map[string]schema{"min": number, "max": number})
}

// signalSchema lists the signals.
func signalSchema() schema {
	members := map[string]schema{}
	for _, collector := range constraint.SignalCollectors() {
		for _, k := range constraint.SignalKeys(collector) {
			members[collector+"."+k.Key] = about(strings.ToUpper(k.Says[:1])+k.Says[1:]+".", defined(string(k.Kind)))
		}
	}
	return fixed(members)
}

func constraintSchema() schema {
	any_ := schema{}
	texts := listOf(schema{"type": "string"})
	members := map[string]schema{
		"const":       about("Exactly this value.", any_),
		"in":          about("One of these values.", listOf(any_)),
		"not_in":      about("None of these values.", listOf(any_)),
		"min":         about("A number of at least this.", number),
		"max":         about("A number of at most this.", number),
		"multiple_of": about("A multiple of this number.", schema{"type": "number", "exclusiveMinimum": 0}),
		"length":      about("A text of this many characters, or {min, max}.", size),
		"items":       about("An array of this many elements, or {min, max}.", size),
		"pattern":     said("A text that this RE2 expression matches from beginning to end."),
		"path": about("A file that the patterns cover.", fixed(map[string]schema{
			"read": texts, "write": texts, "base": said("What a relative path counts from."),
		})),
		"from": about("Stated in one of these sources.", defined("sources")),
		"url": about("A URL that leads where this says; https only unless schemes says otherwise.", fixed(map[string]schema{
			"schemes": texts, "hosts": texts, "ports": listOf(positive), "paths": texts,
		})),
		"email": about("Mail addresses, each of a named domain or listed.", fixed(map[string]schema{"domains": texts, "addresses": texts})),
		"identifiers": about("Every identifier inside the text comes from one of these sources.", fixed(map[string]schema{
			"from": defined("sources"), "patterns": texts,
		}, "from")),
		"shell": about("A command whose every effect is covered; in never, one that matches is enough.", fixed(map[string]schema{
			"run": texts, "opaque": texts, "read": texts, "write": texts, "net": texts,
		})),
		"sql": about("SQL statements that do only this; what the parser of the dialect does not take is refused.", fixed(map[string]schema{
			"dialect": schema{"enum": sqlcheck.Dialects()}, "read_only": {"const": true}, "statements": listOf(schema{"enum": sqlcheck.Classes()}), "tables": texts,
		}, "dialect")),
		"numbers":  about("How from reads numbers in texts.", schema{"enum": []string{"en"}}),
		"optional": about("Where the argument is absent, the constraints hold.", schema{"const": true}),
	}
	words := yamlwalk.Words{Known: append(constraint.Kinds(), "numbers", "optional")}
	s := closed(words, members)
	s["minProperties"] = 1
	return s
}

func sourceSchema() schema {
	return schema{"oneOf": []any{
		about("request: a turn of the user in this session.", schema{"const": "request"}),
		fixed(map[string]schema{
			"result": said("A tool as server.tool: results of its earlier calls in this session."),
			"at":     said("The field of the result; without it any text counts."),
		}, "result"),
		fixed(map[string]schema{"literal": about("These values.", listOf(schema{"type": []string{"string", "number"}}))}, "literal"),
		fixed(map[string]schema{"claim": said("A claim of the verified user.")}, "claim"),
	}}
}

func limitSchema() schema {
	split := schema{"oneOf": []any{oneOf(byWords), closed(byArgumentWords, map[string]schema{byArgument: said("Path of an argument.")}, byArgument)}}
	s := closed(limitWords, map[string]schema{
		"calls": about("How many calls.", positive),
		"sum":   said("Path of a number that is added up; max is its bound."),
		"max":   about("The bound of the sum.", schema{"type": "number", "exclusiveMinimum": 0}),
		"per": about("Length of the window, such as 90s, 15m, 1h, 1d or 1w, or session.",
			schema{"oneOf": []any{duration, schema{"const": "session"}}}),
		"by":   about("Which counts are kept apart; [agent] if left out.", listOf(split)),
		"over": about("approve: beyond the limit a person is asked instead of BLOCK.", oneOf(overWords)),
	}, "per")
	s["oneOf"] = []any{schema{"required": []string{"calls"}, "properties": schema{"max": false}}, schema{"required": []string{"sum", "max"}}}
	return s
}

func judgeSchema() schema {
	return closed(judgeWords, map[string]schema{
		"model":         about("The judge: builtin/grounded, also if left out, needs no model; any other is a name in the operator's file of models.", schema{"type": "string", "pattern": "^(builtin/grounded|[A-Za-z0-9_-]{1,100})$"}),
		"on_block":      about("What follows where the judge says block; block if left out.", oneOf(outcomeWords)),
		"on_no_verdict": about("What follows where there is no usable opinion; block if left out. Some failures always block.", oneOf(outcomeWords)),
		"policy":        about("The prose by which a model judges; rules if left out.", oneOf(policyWords)),
		"votes":         about("How often a model is asked about one call; 1 if left out.", schema{"enum": []int{1, 3, 5}}),
		"two_stage":     about("Whether a model may allow with one letter where nothing is at stake; false if left out.", schema{"type": "boolean"}),
		"view":          about("What a model sees beyond, or short of, what it sees by default.", listOf(oneOf(viewWords))),
	})
}

func approvalsSchema() schema {
	return closed(approvalWords, map[string]schema{
		"expire":    about("From the making of a ticket to the end of its use; 15m if left out.", duration),
		"approvers": about("Who may answer; left out, every configured approver.", listOf(named)),
		"quorum":    about("How many of them must agree; 1 if left out.", schema{"type": "integer", "minimum": 1, "maximum": 100}),
	})
}
