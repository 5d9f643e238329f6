package controller

import (
	"regexp"
	"strings"

	"github.com/licet-dev/licet/internal/lab/secbench/tool"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Steps of a repair, in their order.
const (
	stepFence    = "strip_fence"     // a byte order mark, and one code fence around the text
	stepObject   = "only_object"     // the only object in the text
	stepCommas   = "trailing_commas" // commas before a closing bracket
	stepUnwrap   = "unwrap"          // one wrapper around the arguments
	stepIntegers = "integers"        // "12" where the schema wants 12
)

// repair normalises a proposal, each step at most once and only where it is needed.
// It never makes up a name or an argument and never changes a path. The value is
// absent where no object came of it.
func repair(name, raw string) (string, toolcall.Value, []string) {
	steps := []string{}
	text := raw
	for _, s := range []struct {
		name string
		do   func(string) string
	}{{stepFence, stripFence}, {stepObject, onlyObject}, {stepCommas, trailingCommas}} {
		if _, ok := object(text); ok {
			break
		}
		if better := s.do(text); better != text {
			text, steps = better, append(steps, s.name)
		}
	}
	v, ok := object(text)
	if !ok {
		return name, toolcall.Value{}, steps
	}
	if tool.Check(name, v) == nil {
		return name, v, steps
	}
	if inner, args, ok := unwrap(name, v); ok {
		name, v, steps = inner, args, append(steps, stepUnwrap)
	}
	if tool.Known(name) && tool.Check(name, v) != nil {
		if better := integers(v); !better.Equal(v) && tool.Check(name, better) == nil {
			v, steps = better, append(steps, stepIntegers)
		}
	}
	return name, v, steps
}

var fence = regexp.MustCompile("(?s)\\A\\s*```[a-z]*\n(.*?)\n?```\\s*\\z")

func stripFence(text string) string {
	text = strings.TrimPrefix(text, "\ufeff")
	if m := fence.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return text
}

// onlyObject returns the one object at the top of a text, or the text as it is where
// there is none, or more than one. Brackets are counted outside of strings, so that
// an object that does not parse yet is found, too.
func onlyObject(text string) string {
	found, start, depth := "", 0, 0
	inString, escaped := false, false
	for i, r := range text {
		switch {
		case escaped:
			escaped = false
		case inString && r == '\\':
			escaped = true
		case r == '"' && depth > 0:
			inString = !inString
		case inString:
		case r == '{':
			if depth == 0 {
				start = i
			}
			depth++
		case r == '}' && depth > 0:
			if depth--; depth == 0 {
				if found != "" {
					return text
				}
				found = text[start : i+1]
			}
		}
	}
	if found == "" || depth != 0 {
		return text
	}
	return found
}

var stringOrComma = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|,(\s*[}\]])`)

// trailingCommas drops commas before a closing bracket, outside of strings.
func trailingCommas(text string) string {
	return stringOrComma.ReplaceAllStringFunc(text, func(m string) string {
		if strings.HasPrefix(m, ",") {
			return m[1:]
		}
		return m
	})
}

// unwrap takes one wrapper off: the first of tool_calls, function, or a name beside
// args, parameters, input or arguments, which may be a text that is an object.
func unwrap(name string, v toolcall.Value) (string, toolcall.Value, bool) {
	if calls := v.Get("tool_calls"); calls.Kind() == toolcall.Array && calls.Len() > 0 {
		v = calls.Elem(0)
	}
	if f := v.Get("function"); f.Kind() == toolcall.Object {
		v = f
	}
	for _, member := range []string{"name", "tool", "function"} {
		if given := v.Get(member); given.Kind() == toolcall.String && (name == "" || name == given.Text()) {
			name = given.Text()
			break
		}
	}
	for _, member := range []string{"arguments", "args", "parameters", "input"} {
		args := v.Get(member)
		if args.Kind() == toolcall.String {
			args, _ = object(args.Text())
		}
		if args.Kind() == toolcall.Object {
			return name, args, true
		}
	}
	return name, v, false
}

var digits = regexp.MustCompile(`\A[0-9]{1,6}\z`)

// integers turns texts of digits into numbers where the schemas of the tools want
// integers: they are the members start and end, at whatever depth.
func integers(v toolcall.Value) toolcall.Value {
	switch v.Kind() {
	case toolcall.Object:
		var members []toolcall.Member
		for i := range v.Len() {
			name, value := v.Member(i)
			if (name == "start" || name == "end") && value.Kind() == toolcall.String && digits.MatchString(value.Text()) {
				if d, err := toolcall.ParseDecimal(value.Text()); err == nil {
					value = toolcall.NumberOf(d)
				}
			}
			members = append(members, toolcall.Member{Name: name, Value: integers(value)})
		}
		return toolcall.ObjectOf(members...)
	case toolcall.Array:
		var elems []toolcall.Value
		for i := range v.Len() {
			elems = append(elems, integers(v.Elem(i)))
		}
		return toolcall.ArrayOf(elems...)
	}
	return v
}
