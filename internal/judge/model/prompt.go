package model

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/judge"
	"github.com/licet-dev/licet/internal/shell"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Bounds of the blocks, in bytes. What of REQUEST and TRAJECTORY goes beyond is
// left out and said to be; a call for which another block goes beyond is not
// judged.
const (
	maxAction     = 64 << 10
	maxRequest    = 96 << 10
	maxTrajectory = 64 << 10
	maxBoundaries = 96 << 10
	maxFacts      = 128 << 10
	maxSignals    = 64 << 10
)

// shownFiles is how many files of one effect are listed by name.
const shownFiles = 20

// View is what a model sees beyond, or short of, what it sees by default. All of
// it is recorded.
type View struct {
	Results   bool // the results of earlier calls
	NoFacts   bool // nothing of what code computed
	NoSignals bool // nothing of what collectors saw
}

// Words returns the switches that are not in their place.
func (v View) Words() (words []string) {
	if v.Results {
		words = append(words, "+results")
	}
	if v.NoFacts {
		words = append(words, "-facts")
	}
	if v.NoSignals {
		words = append(words, "-signals")
	}
	return words
}

// block is one fenced part of a prompt.
type block struct {
	name  string
	lines []string
}

func (b block) size() (n int) {
	for _, l := range b.lines {
		n += len(l) + 1
	}
	return n
}

// prompt is a case as a model sees it, without the nonce.
type prompt struct {
	blocks  []block // those that have something in them
	omitted judge.Turns
}

// newPrompt writes a case down. The error says what would have to be cut.
func newPrompt(c *judge.Case, f *form, v View) (prompt, error) {
	var p prompt
	request, omitted, err := requestBlock(c.Turns)
	if err != nil {
		return p, err
	}
	p.omitted = omitted
	all := f.blocks(c, request, v)
	for _, most := range []struct {
		name  string
		bytes int
	}{{"BOUNDARIES", maxBoundaries}, {"ACTION", maxAction}, {"FACTS", maxFacts}, {signalsName, maxSignals}} {
		for _, b := range all {
			if b.name == most.name && b.size() > most.bytes {
				return p, fmt.Errorf("%s has %d bytes, and more than %d would have to be cut", b.name, b.size(), most.bytes)
			}
		}
	}
	if slices.ContainsFunc(c.Action.Scripts, func(s judge.Script) bool { return s.Long }) {
		return p, fmt.Errorf("a script that the call would run is longer than %d bytes", maxAction)
	}
	p.blocks = slices.DeleteFunc(all, func(b block) bool { return len(b.lines) == 0 })
	return p, nil
}

// requestBlock has the turns of the user. Where they are too long, those in the
// middle are left out: the first and the newest stay.
func requestBlock(turns []string) (b block, omitted judge.Turns, err error) {
	b.name = "REQUEST"
	lines, size := make([]string, len(turns)), 0
	for i, turn := range turns {
		var o object
		o.value("turn", number(i+1))
		o.value("text", text(turn))
		lines[i] = o.line()
		size += len(lines[i]) + 1
	}
	if size <= maxRequest {
		b.lines = lines
		return b, omitted, nil
	}
	note := object{{Name: "omitted_turns", Value: toolcall.ArrayOf(number(len(turns)), number(len(turns)))}}.line()
	last := len(lines) - 1
	size = len(lines[0]) + len(note) + 2
	from := last + 1 // the first of those that stay at the end
	for from > 1 && size+len(lines[from-1])+1 <= maxRequest {
		from--
		size += len(lines[from]) + 1
	}
	if from > last {
		return b, omitted, fmt.Errorf("the first and the last turn of the user have more than %d bytes", maxRequest)
	}
	omitted = judge.Turns{From: 2, To: from}
	note = object{{Name: "omitted_turns", Value: toolcall.ArrayOf(number(2), number(from))}}.line()
	b.lines = slices.Concat(lines[:1], []string{note}, lines[from:])
	return b, omitted, nil
}

func boundariesBlock(all []judge.Boundary) block {
	b := block{name: "BOUNDARIES"}
	for _, boundary := range all {
		var o object
		o.value("turn", number(boundary.Turn))
		o.value("text", text(boundary.Text))
		b.lines = append(b.lines, o.line())
	}
	return b
}

// trajectoryBlock has the earlier calls, of which the newest stay.
func trajectoryBlock(calls []judge.Earlier, results bool) block {
	b := block{name: "TRAJECTORY"}
	size := 0
	for i := len(calls) - 1; i >= 0; i-- {
		var o object
		o.text("tool", toolName(calls[i].Server, calls[i].Tool))
		if args := calls[i].Arguments; args.Kind() != toolcall.Absent {
			o.value("args", args)
		}
		if result := calls[i].Result; results && result.Kind() != toolcall.Absent {
			o.value("result", result)
		}
		line := o.line()
		if size += len(line) + 1; size > maxTrajectory {
			b.lines = append(b.lines, object{{Name: "omitted_calls", Value: number(i + 1)}}.line())
			break
		}
		b.lines = append(b.lines, line)
	}
	slices.Reverse(b.lines)
	return b
}

// toolName names a tool with its server, where there is one.
func toolName(server, tool string) string {
	if server == "" {
		return tool
	}
	return server + "." + tool
}

// actionBlock has the call in one line.
func actionBlock(a judge.Action) block {
	var o object
	o.text("tool", toolName(a.Server, a.Tool))
	o.value("args", a.Arguments)
	var commands []toolcall.Value
	for _, argument := range slices.Sorted(maps.Keys(a.Commands)) {
		commands = append(commands, commandsOf(a.Commands[argument])...)
	}
	if len(commands) > 0 {
		o.value("argv", toolcall.ArrayOf(commands...))
	}
	o.text("cwd", a.Cwd)
	var scripts []toolcall.Value
	for _, s := range a.Scripts {
		var script object
		script.value("path", text(s.Path))
		script.text("digest", s.Digest)
		script.value("body", text(s.Body))
		scripts = append(scripts, toolcall.ObjectOf(script...))
	}
	if len(scripts) > 0 {
		o.value("scripts", toolcall.ArrayOf(scripts...))
	}
	return block{"ACTION", []string{o.line()}}
}

// commandsOf returns the words of each command of a command line. A word whose
// value is not known is an object with its text.
func commandsOf(s constraint.Shell) (all []toolcall.Value) {
	for _, e := range s.Effects {
		if e.Kind != shell.Execute {
			continue
		}
		words := make([]toolcall.Value, len(e.Words))
		for i, w := range e.Words {
			words[i] = text(w.Text)
			if !w.Known {
				words[i] = toolcall.ObjectOf(toolcall.Member{Name: "unknown", Value: words[i]})
			}
		}
		all = append(all, toolcall.ArrayOf(words...))
	}
	return all
}

// factsBlock has the effects, and what of them no word of the user names.
func factsBlock(c *judge.Case) block {
	b := block{name: "FACTS"}
	complete := len(c.Effects) > 0
	for _, e := range c.Effects {
		var o object
		o.text("effect", e.ID)
		o.text("op", string(e.Op))
		o.text("kind", string(e.Kind))
		o.text("target", e.Target)
		o.text("risk", e.Risk().String())
		o.flag("unresolved", e.Unresolved)
		o.flag("irrecoverable", e.Irrecoverable)
		o.flag("leaves_this_machine", e.Crosses)
		if len(e.Affected) > 0 {
			o.value("files", number(len(e.Affected)))
			o.value("among_them", texts(e.Affected[:min(len(e.Affected), shownFiles)]))
		}
		b.lines = append(b.lines, o.line())
		complete = complete && !e.Unresolved
	}
	all := object{{Name: "complete", Value: toolcall.Boolean(complete)}, {Name: "uncovered", Value: texts(c.Unnamed())}}
	b.lines = append(b.lines, all.line())
	return b
}

const signalsName = "SIGNALS"

// signalsBlock has what collectors saw of the environment.
func signalsBlock(all []constraint.Signal) block {
	b := block{name: signalsName}
	for _, s := range all {
		b.lines = append(b.lines, line(s.Record()))
	}
	return b
}

// question writes the prompt with a nonce. Votes differ in the order of the blocks
// and in the last line. It fails where the nonce stands in a block.
func (p prompt) question(nonce string, vote int, last string) (string, bool) {
	var s strings.Builder
	s.WriteString("NONCE " + nonce + "\n")
	for i := range p.blocks {
		b := p.blocks[(i+vote)%len(p.blocks)]
		body := strings.Join(b.lines, "\n")
		if strings.Contains(strings.ToLower(body), nonce) {
			return "", false
		}
		fmt.Fprintf(&s, "<<%s %s\n%s\n%s %s>>\n", b.name, nonce, body, b.name, nonce)
	}
	s.WriteString(last)
	return s.String(), true
}

// The last lines of a prompt, one for each vote: what they ask for is the same.
// Those for the letter are the only difference of the first stage.
var (
	objectLines = [5]string{
		"Answer with the object.",
		"Give your judgement of the action as the object described above.",
		"Now judge the action, and answer with the one object.",
		"Decide whether the user's words authorize every effect, and answer with the object.",
		"Weigh each effect against the user's words, and answer with the object.",
	}
	letterLines = [5]string{
		"Answer with one letter and nothing else: A for allow, B for block. If in doubt, B.",
		"Give your judgement as a single letter, A (allow) or B (block), and lean to B.",
		"Now judge the action with one letter: A is allow, B is block. When unsure, write B.",
		"Decide whether the user's words authorize every effect: A if they do, else B. One letter only; in doubt B.",
		"Weigh each effect against the user's words, and write A (allow) or B (block) alone. Doubt means B.",
	}
)

// repairText asks again after an answer that could not be read. It says what was
// wrong with its form, and suggests no decision.
const repairText = "Your last answer was not of the form that is asked for: %s. Answer once more, with exactly one object of that form."
