package trajectory

import (
	"fmt"
	"strings"

	"github.com/licet-dev/licet/internal/toolcall"
)

// builder collects the steps of one trajectory.
type builder struct {
	Trajectory
	byID    map[string]*Call // the newest call of each id
	waiting []*Call          // for a result, but for those at the front that got one
	turns   int
	open    bool   // the last answer goes on
	said    string // id of the message that the last answer is; "" = it has none
}

func newBuilder(id string) *builder {
	return &builder{Trajectory: Trajectory{ID: id, Labels: map[string]string{}}, byID: map[string]*Call{}}
}

func (b *builder) done() []*Trajectory { return []*Trajectory{&b.Trajectory} }

func (b *builder) miss(format string, args ...any) { b.count(fmt.Sprintf(format, args...), 1) }

// label keeps a scalar that the source says of the trajectory.
func (b *builder) label(name string, v toolcall.Value) {
	switch v.Kind() {
	case toolcall.String:
		b.Labels[name] = v.Text()
	case toolcall.Number, toolcall.Bool:
		b.Labels[name] = v.Canonical()
	}
}

func (b *builder) turn(text string) {
	if strings.TrimSpace(text) != "" {
		b.Steps = append(b.Steps, Step{Turn: text})
		b.turns++
		b.open = false
	}
}

// call adds a call. Arguments are an object, or the JSON text of one.
func (b *builder) call(id, tool string, args toolcall.Value) *Call {
	c := &Call{ID: id, Tool: tool}
	c.arguments(args)
	b.Steps = append(b.Steps, Step{Call: c})
	b.waiting = append(b.waiting, c)
	if b.open {
		last := &b.Answers[len(b.Answers)-1]
		last.Calls = append(last.Calls, c)
	}
	if id != "" {
		b.byID[id] = c
	}
	return c
}

// answer begins a message of the agent, or goes on with the last one if the id says
// that it is the same: some transcripts write it in parts.
func (b *builder) answer(id string) {
	if id == "" || id != b.said {
		b.Answers = append(b.Answers, Answer{})
	}
	b.open, b.said = true, id
}

// begun begins a message where a format has only its parts: with the first of them
// after a turn or a result.
func (b *builder) begun() {
	if !b.open {
		b.answer("")
	}
}

// says adds to what the agent says in its message.
func (b *builder) says(text string) {
	last := &b.Answers[len(b.Answers)-1]
	if last.Text != "" && text != "" {
		last.Text += "\n"
	}
	last.Text += text
}

const unrecorded = "no arguments were recorded"

func (c *Call) arguments(v toolcall.Value) {
	switch v.Kind() {
	case toolcall.Object:
		c.Args = v
		return
	case toolcall.Absent, toolcall.Null:
		c.Flaw = unrecorded
		return
	case toolcall.String:
		c.RawArgs = v.Text()
		parsed, wrong := parse([]byte(c.RawArgs), len(c.RawArgs)+1)
		if wrong == nil && parsed.Kind() == toolcall.Object {
			c.Args, c.RawArgs = parsed, ""
			return
		}
		v = parsed
		if wrong != nil {
			c.Flaw = "the arguments are no JSON: " + wrong.Reason
			return
		}
	default:
		c.RawArgs = v.Canonical()
	}
	c.Flaw = "the arguments are " + v.Kind().String() + ", no object"
}

// result adds what a call returned: the call of that id, without one the oldest
// that has no result. What comes a second time only tells that it failed.
func (b *builder) result(id, text string, failed bool) {
	b.open = false
	c := b.byID[id]
	if id == "" {
		c = b.oldest()
	}
	switch {
	case c == nil:
		b.miss("result without its call")
	case c.Result == nil:
		c.Result = &Result{Text: text, Failed: failed}
	default:
		c.Result.Failed = c.Result.Failed || failed
		b.miss("result that was there")
	}
}

// oldest returns the oldest call without a result, nil if there is none.
func (b *builder) oldest() *Call {
	for len(b.waiting) > 0 && b.waiting[0].Result != nil {
		b.waiting = b.waiting[1:]
	}
	if len(b.waiting) == 0 {
		return nil
	}
	return b.waiting[0]
}

// messages reads a list of messages or items.
func (b *builder) messages(list toolcall.Value) {
	for i := range list.Len() {
		b.message(list.Elem(i))
	}
}

// message reads one message of a chat, in the shapes of OpenAI's and Anthropic's
// APIs, Inspect and AgentDojo, or one item of OpenAI's Responses.
func (b *builder) message(m toolcall.Value) {
	switch role := m.Get("role").Text(); role {
	case "user":
		b.turn(b.content(m.Get("content"), true))
	case "assistant":
		b.answer(m.Get("id").Text())
		b.says(b.content(m.Get("content"), false))
		b.refused(m)
		calls := m.Get("tool_calls")
		if calls.Kind() == toolcall.Array {
			for i := range calls.Len() {
				b.toolCall(calls.Elem(i))
			}
		}
		if old := m.Get("function_call"); old.Kind() == toolcall.Object {
			b.call("", old.Get("name").Text(), old.Get("arguments"))
		}
	case "tool", "function":
		failed := m.Get("error").Kind() != toolcall.Absent && m.Get("error").Kind() != toolcall.Null
		b.result(m.Get("tool_call_id").Text(), b.content(m.Get("content"), false), failed)
	case "":
		b.item(m)
	default:
		b.miss("message of %s", role)
	}
}

// refused notes where the provider says that the model refused: "refusal" of
// OpenAI's API, in the message or as a block, and "stop_reason" of Anthropic's.
func (b *builder) refused(m toolcall.Value) {
	refused := m.Get("refusal").Text() != "" || m.Get("stop_reason").Text() == "refusal"
	if blocks := m.Get("content"); blocks.Kind() == toolcall.Array {
		for i := range blocks.Len() {
			refused = refused || blocks.Elem(i).Get("type").Text() == "refusal"
		}
	}
	if refused {
		b.Answers[len(b.Answers)-1].Refused = true
	}
}

// toolCall reads an element of tool_calls; "function" is an object, or the name
// itself (AgentDojo, Inspect).
func (b *builder) toolCall(v toolcall.Value) {
	f := v.Get("function")
	switch f.Kind() {
	case toolcall.Object:
		b.call(v.Get("id").Text(), f.Get("name").Text(), f.Get("arguments"))
	case toolcall.String:
		args := v.Get("args")
		if args.Kind() == toolcall.Absent {
			args = v.Get("arguments")
		}
		c := b.call(v.Get("id").Text(), f.Text(), args)
		if reason := v.Get("parse_error").Text(); reason != "" {
			c.Flaw, c.RawArgs, c.Args = "the agent's program could not read the arguments: "+reason, args.Canonical(), toolcall.Value{}
		}
	default:
		b.miss("tool call of type %s", v.Get("type").Text())
	}
}

// item reads an item of OpenAI's Responses, which Codex also writes.
func (b *builder) item(v toolcall.Value) {
	switch kind := v.Get("type").Text(); kind {
	case "function_call":
		b.begun()
		b.call(v.Get("call_id").Text(), v.Get("name").Text(), v.Get("arguments"))
	case "custom_tool_call": // its input is free text
		b.begun()
		b.call(v.Get("call_id").Text(), v.Get("name").Text(), toolcall.ObjectOf(toolcall.Member{Name: "input", Value: v.Get("input")}))
	case "function_call_output", "custom_tool_call_output":
		b.result(v.Get("call_id").Text(), b.content(v.Get("output"), false), v.Get("status").Text() == "incomplete")
	default:
		b.miss("item of type %s", kind)
	}
}

// content returns the text of a message and reads the blocks of Anthropic's form.
// Only a user's message has results, only an assistant's has calls.
func (b *builder) content(v toolcall.Value, user bool) string {
	if v.Kind() != toolcall.Array {
		return v.Text()
	}
	var texts []string
	for i := range v.Len() {
		block := v.Elem(i)
		switch kind := block.Get("type").Text(); {
		case block.Kind() == toolcall.String:
			texts = append(texts, block.Text())
		case kind == "text" || kind == "input_text" || kind == "output_text":
			texts = append(texts, block.Get("text").Text()+block.Get("content").Text()) // one of them is absent
		case kind == "refusal":
			texts = append(texts, block.Get("refusal").Text())
		case kind == "tool_use" && !user:
			b.call(block.Get("id").Text(), block.Get("name").Text(), block.Get("input"))
		case kind == "tool_result" && user:
			b.result(block.Get("tool_use_id").Text(), b.content(block.Get("content"), false), block.Get("is_error").Bool())
		default:
			b.miss("block of type %s", kind)
		}
	}
	return strings.Join(texts, "\n")
}
