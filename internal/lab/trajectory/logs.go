package trajectory

import (
	"archive/zip"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/toolcall"
)

// readInspect reads a log of Inspect, a trajectory for each sample.
func readInspect(v toolcall.Value) ([]*Trajectory, error) {
	samples := v.Get("samples")
	if samples.Kind() != toolcall.Array {
		return nil, errors.New("it has no list of samples")
	}
	var all []*Trajectory
	for i := range samples.Len() {
		all = append(all, readSample(samples.Elem(i), v.Get("eval")))
	}
	return all, nil
}

// readSample reads the messages of a sample; newer logs may have only events.
func readSample(v, eval toolcall.Value) *Trajectory {
	v = attached(v, v.Get("attachments"))
	b := newBuilder(textOf(v.Get("id")) + "/" + v.Get("epoch").Canonical())
	b.label("task", eval.Get("task"))
	b.label("model", eval.Get("model"))
	scores := v.Get("scores")
	for i := range scores.Len() {
		name, score := scores.Member(i)
		b.label("score "+name, score.Get("value"))
	}
	if messages := v.Get("messages"); messages.Len() > 0 {
		b.messages(messages)
		b.count("event", v.Get("events").Len())
		return &b.Trajectory
	}
	b.turn(v.Get("input").Text())
	events := v.Get("events")
	for i := range events.Len() {
		b.event(events.Elem(i))
	}
	b.count("pooled message", v.Get("events_data").Len())
	return &b.Trajectory
}

func (b *builder) event(e toolcall.Value) {
	kind := e.Get("event").Text()
	if kind != "tool" {
		b.miss("event of type %s", kind)
		return
	}
	b.call(e.Get("id").Text(), e.Get("function").Text(), e.Get("arguments"))
	failed := e.Get("failed").Bool() || e.Get("error").Kind() == toolcall.Object
	b.result(e.Get("id").Text(), b.content(e.Get("result"), false), failed)
}

const attachment = "attachment://"

// attached returns v with the texts that stand in attachments put in.
func attached(v, attachments toolcall.Value) toolcall.Value {
	switch v.Kind() {
	case toolcall.String:
		if name, is := strings.CutPrefix(v.Text(), attachment); is && attachments.Get(name).Kind() == toolcall.String {
			return attachments.Get(name)
		}
	case toolcall.Array:
		elems := make([]toolcall.Value, v.Len())
		for i := range elems {
			elems[i] = attached(v.Elem(i), attachments)
		}
		return toolcall.ArrayOf(elems...)
	case toolcall.Object:
		members := make([]toolcall.Member, v.Len())
		for i := range members {
			name, member := v.Member(i)
			members[i] = toolcall.Member{Name: name, Value: attached(member, attachments)}
		}
		return toolcall.ObjectOf(members...)
	}
	return v
}

// archive reads an Inspect log in its packed form (.eval): header.json and
// samples/*.json in a ZIP archive. All members together are within the bound of
// one record.
func (f *file) archive(text []byte) {
	z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		f.problem(0, "a damaged ZIP archive: "+err.Error())
		return
	}
	left := f.options.Bytes
	eval := toolcall.Value{}
	if text, err := member(z, "header.json", &left); err == nil {
		header, _, _ := parsePython(text, len(text)+1) // without it, samples lack two labels
		eval = header.Get("eval")
	}
	samples := 0
	for _, entry := range z.File {
		if path.Dir(entry.Name) != "samples" || path.Ext(entry.Name) != ".json" {
			continue
		}
		samples++
		text, err := member(z, entry.Name, &left)
		if err != nil {
			f.give(nil, &Problem{f.name + "!" + entry.Name, 0, err.Error()})
			continue
		}
		v, repaired, wrong := parsePython(text, len(text)+1)
		if wrong != nil {
			f.give(nil, &Problem{f.name + "!" + entry.Name, wrong.Line, wrong.Reason})
			continue
		}
		t := readSample(v, eval)
		t.Format = "inspect"
		t.count("NaN or Infinity", repaired)
		f.finish(text, t)
	}
	if samples == 0 {
		f.problem(0, "a ZIP archive without samples is no log of Inspect")
	}
}

// member reads a member of an archive and takes its size from left.
func member(z *zip.Reader, name string, left *int) ([]byte, error) {
	for _, entry := range z.File {
		if entry.Name != name {
			continue
		}
		if entry.Method != zip.Store && entry.Method != zip.Deflate {
			return nil, fmt.Errorf("it is packed by method %d, which is not read: store the log as .json", entry.Method)
		}
		r, err := entry.Open()
		if err != nil {
			return nil, err
		}
		defer r.Close()
		text, err := io.ReadAll(io.LimitReader(r, int64(*left)+1))
		if err == nil && len(text) > *left {
			err = errLong
		}
		*left -= min(len(text), *left)
		return text, err
	}
	return nil, fmt.Errorf("there is no %s", name)
}

// readATIF reads a trajectory of Harbor, versions 1.x.
func readATIF(v toolcall.Value) ([]*Trajectory, error) {
	if version := v.Get("schema_version").Text(); !strings.HasPrefix(version, "ATIF-v1.") {
		return nil, fmt.Errorf("the version %q is none of ATIF-v1", version)
	}
	b := newBuilder(v.Get("session_id").Text())
	b.label("agent", v.Get("agent").Get("name"))
	b.label("model", v.Get("agent").Get("model_name"))
	steps := v.Get("steps")
	for i := range steps.Len() {
		b.atifStep(steps.Elem(i))
	}
	return b.done(), nil
}

func (b *builder) atifStep(s toolcall.Value) {
	switch source := s.Get("source").Text(); source {
	case "user":
		b.turn(b.content(s.Get("message"), true))
	case "agent":
		b.answer("")
		b.says(b.content(s.Get("message"), false))
		calls := s.Get("tool_calls")
		for i := range calls.Len() {
			c := calls.Elem(i)
			b.call(c.Get("tool_call_id").Text(), c.Get("function_name").Text(), c.Get("arguments"))
		}
	default:
		b.miss("step of %s", source)
	}
	results := s.Get("observation").Get("results")
	for i := range results.Len() {
		r := results.Elem(i)
		b.result(r.Get("source_call_id").Text(), b.content(r.Get("content"), false), false)
	}
}

// span is what is read of one OTel span.
type span struct {
	trace, start string
	failed       bool
	attributes   map[string]toolcall.Value
}

// readOTel reads spans in OTLP's JSON, a trajectory for each trace. Contents are
// often not recorded; a call without arguments has a flaw.
func readOTel(v toolcall.Value) ([]*Trajectory, error) {
	var spans []span
	for _, s := range nested(v, "resourceSpans", "scopeSpans", "spans") {
		one := span{trace: s.Get("traceId").Text(), start: s.Get("startTimeUnixNano").Text(), attributes: map[string]toolcall.Value{}}
		if n := s.Get("startTimeUnixNano"); n.Kind() == toolcall.Number {
			one.start = n.Canonical()
		}
		one.failed = s.Get("status").Get("code").Canonical() == "2" || s.Get("status").Get("code").Text() == "STATUS_CODE_ERROR"
		list := s.Get("attributes")
		for i := range list.Len() {
			one.attributes[list.Elem(i).Get("key").Text()] = anyValue(list.Elem(i).Get("value"))
		}
		spans = append(spans, one)
	}
	if len(spans) == 0 {
		return nil, errors.New("it has no spans")
	}
	slices.SortStableFunc(spans, func(a, b span) int { // times are digits, as long as one another in this age
		return cmp.Or(cmp.Compare(len(a.start), len(b.start)), strings.Compare(a.start, b.start))
	})
	traces := map[string]*builder{}
	var all []*Trajectory
	for _, s := range spans {
		b := traces[s.trace]
		if b == nil {
			b = newBuilder(s.trace)
			traces[s.trace] = b
			all = append(all, &b.Trajectory)
		}
		b.span(s)
	}
	return all, nil
}

// nested returns the elements of lists within the elements of lists.
func nested(v toolcall.Value, names ...string) []toolcall.Value {
	if len(names) == 0 {
		return []toolcall.Value{v}
	}
	var all []toolcall.Value
	list := v.Get(names[0])
	for i := range list.Len() {
		all = append(all, nested(list.Elem(i), names[1:]...)...)
	}
	return all
}

func (b *builder) span(s span) {
	text := func(name string) string { return s.attributes["gen_ai."+name].Text() }
	switch operation := text("operation.name"); operation {
	case "execute_tool":
		c := b.once(text("tool.call.id"), text("tool.name"), s.attributes["gen_ai.tool.call.arguments"])
		if result, recorded := s.attributes["gen_ai.tool.call.result"]; recorded && c.Result == nil {
			c.Result = &Result{Text: textOf(result), Failed: s.failed}
		}
	case "chat", "invoke_agent", "generate_content":
		b.talk(fromText(s.attributes["gen_ai.input.messages"]))
		b.talk(fromText(s.attributes["gen_ai.output.messages"]))
	default:
		b.miss("span of operation %s", operation)
	}
}

// talk reads messages made of parts. Each request repeats the conversation so far,
// so turns that are there are not added again.
func (b *builder) talk(messages toolcall.Value) {
	turns := 0
	for i := range messages.Len() {
		m := messages.Elem(i)
		role, parts := m.Get("role").Text(), m.Get("parts")
		var said []string
		for j := range parts.Len() {
			p := parts.Elem(j)
			switch kind := p.Get("type").Text(); {
			case kind == "text" && role == "user":
				said = append(said, p.Get("content").Text())
			case kind == "tool_call":
				b.once(p.Get("id").Text(), p.Get("name").Text(), p.Get("arguments"))
			case kind == "tool_call_response":
				if c := b.byID[p.Get("id").Text()]; c != nil && c.Result == nil {
					c.Result = &Result{Text: textOf(p.Get("response"))}
				}
			default:
				b.miss("part of type %s", kind)
			}
		}
		if len(said) > 0 {
			if turns++; turns > b.turns {
				b.turn(strings.Join(said, "\n"))
			}
		}
	}
}

// once adds a call unless it is there: a span and the messages around it say it
// again. Without arguments the first of them leaves it to the next.
func (b *builder) once(id, tool string, args toolcall.Value) *Call {
	c := b.byID[id]
	switch {
	case c == nil:
		return b.call(id, tool, args)
	case c.Args.Kind() == toolcall.Absent && args.Kind() != toolcall.Absent:
		c.Flaw, c.RawArgs = "", ""
		c.arguments(args)
	}
	return c
}

// textOf returns a text, or what else stands in its place as JSON.
func textOf(v toolcall.Value) string {
	if v.Kind() == toolcall.String {
		return v.Text()
	}
	return v.Canonical()
}

// anyValue returns what OTLP's AnyValue says.
func anyValue(v toolcall.Value) toolcall.Value {
	if v.Len() == 0 {
		return toolcall.Value{}
	}
	kind, inner := v.Member(0)
	switch kind {
	case "arrayValue":
		var elems []toolcall.Value
		for i := range inner.Get("values").Len() {
			elems = append(elems, anyValue(inner.Get("values").Elem(i)))
		}
		return toolcall.ArrayOf(elems...)
	case "kvlistValue":
		var members []toolcall.Member
		seen := map[string]bool{}
		for i := range inner.Get("values").Len() {
			m := inner.Get("values").Elem(i)
			name := m.Get("key").Text()
			if seen[name] {
				return toolcall.Value{} // two readers would take two values from it
			}
			seen[name] = true
			members = append(members, toolcall.Member{Name: name, Value: anyValue(m.Get("value"))})
		}
		return toolcall.ObjectOf(members...)
	}
	return inner
}

// fromText reads a value that may be written as JSON in a text.
func fromText(v toolcall.Value) toolcall.Value {
	if v.Kind() != toolcall.String {
		return v
	}
	parsed, _ := parse([]byte(v.Text()), len(v.Text())+1)
	return parsed
}
