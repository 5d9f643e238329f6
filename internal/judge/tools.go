package judge

import (
	"maps"
	"slices"

	"github.com/licet-dev/licet/internal/toolcall"
)

// effects returns what an action would do, with no more than one effect beyond
// those that are judged.
func effects(a Action) []Effect {
	var all []Effect
	for _, path := range slices.Sorted(maps.Keys(a.Commands)) {
		line := ""
		if p, err := toolcall.ParsePath(path); err == nil {
			for _, v := range p.Select(a.Arguments).Values {
				line += v.Text()
			}
		}
		all = append(all, commandEffects(line, a.Commands[path], a)...)
	}
	if len(a.Commands) == 0 {
		all = toolEffects(a)
	}
	return all[:min(len(all), maxEffects+1)]
}

// toolEffects returns the effects of a tool that runs no command line: what it
// does, by its name, and every value that it gets. What a server does with a
// value is not known, so the user must have said each.
func toolEffects(a Action) []Effect {
	class := opOf(a.Tool)
	op := map[string]Op{"delete": Delete, "send": Send, "write": Write, "execute": Execute}[class]
	if op == "" {
		op = ChangeState
	}
	verbs := append(parts(a.Tool), classes["say "+class]...)
	t := toolCall{op: op, verbs: verbs, quiet: a.ReadOnly}
	operation := Effect{Op: op, Kind: KindOperation, Target: a.Server + "." + a.Tool, quiet: a.ReadOnly,
		Irrecoverable: !a.ReadOnly, Crosses: op == Send}
	for _, v := range verbs {
		operation.names = append(operation.names, name{text: v, as: folded})
	}
	t.all = []Effect{operation}
	t.value("", a.Arguments)
	return t.all
}

// toolCall collects the effects of a call of a tool.
type toolCall struct {
	op    Op
	verbs []string
	quiet bool
	all   []Effect
}

// value adds the effects of a value that stands at a place of the arguments.
func (t *toolCall) value(at string, v toolcall.Value) {
	switch v.Kind() {
	case toolcall.Object:
		for i := range v.Len() {
			key, value := v.Member(i)
			if at != "" {
				key = at + "." + key
			}
			t.value(key, value)
		}
	case toolcall.Array:
		for i := range v.Len() {
			t.value(at, v.Elem(i))
		}
	case toolcall.String, toolcall.Number, toolcall.Bool:
		t.leaf(at, v)
	}
}

// leaf adds the effect of a text, a number or a true.
func (t *toolCall) leaf(at string, v toolcall.Value) {
	e := Effect{Op: t.op, Kind: KindArgument, Target: at + ": " + v.Text(), quiet: t.quiet, Irrecoverable: !t.quiet, Crosses: t.op == Send, verbs: t.verbs}
	switch {
	case v.Kind() == toolcall.Bool && !v.Bool(), v.Kind() == toolcall.String && v.Text() == "":
		return
	case v.Kind() == toolcall.Bool:
		e.Target, e.verbs, e.names = at+": true", nil, []name{{text: at, as: spoken}}
		if anyIs(at, "override") {
			e.Op = OverrideCheck
		}
	case v.Kind() == toolcall.Number:
		e.Target, e.names = at+": "+v.Number().String(), []name{{text: v.Number().String(), as: numeric}}
	default:
		e.names = []name{{text: v.Text(), as: folded}, {text: v.Text(), as: host}}
	}
	if anyIs(at, "credential") {
		e.Op, e.quiet, e.verbs = UseCredential, false, nil
	}
	t.all = append(t.all, e)
}
