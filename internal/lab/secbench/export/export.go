package export

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/licet-dev/licet/internal/lab/secbench/redact"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
	"github.com/licet-dev/licet/internal/lab/secbench/tool"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Run is a recorded run, whole.
type Run struct {
	ID          string
	Start       trace.RunStart
	Trace, Gate []trace.Event
	Manifests   map[string][]byte // by the name of their file
	Blobs       map[string][]byte // by their hash
}

// Public is the public form of a run.
type Public struct {
	Files               map[string][]byte // by path in the folder of the run
	TraceHead, GateHead string
	Replaced            map[redact.Rule]int // how often each rule replaced something

	finder *redact.Finder
}

// Of returns the public form of a run that was not changed since it was recorded. An
// error means that it was, or that its task is unknown. Rules that are off do nothing,
// so that a test can show that each does something.
func Of(r Run, off ...redact.Rule) (Public, error) {
	if !ends(r.Trace, trace.TypeRunEnd) || !ends(r.Gate, trace.TypeGateClose) {
		return Public{}, errors.New("the run has no end")
	}
	hidden, err := hiddenOf(r)
	if err != nil {
		return Public{}, err
	}
	m := maker{run: r, redactor: redact.New(hidden, off...), names: map[string]string{}, files: map[string][]byte{}}
	controller, err := m.events(r.Trace)
	if err != nil {
		return Public{}, err
	}
	gate, err := m.events(r.Gate)
	if err != nil {
		return Public{}, err
	}
	for sha := range r.Blobs {
		if m.names[sha] == "" {
			return Public{}, fmt.Errorf("nothing names blob %s", sha)
		}
	}
	p := Public{Files: m.files, Replaced: m.redactor.Counts(), finder: redact.NewFinder(hidden)}
	p.TraceHead, p.GateHead, err = m.chains(controller, gate)
	return p, err
}

// ends says whether a channel has this event at its end, and one before it.
func ends(events []trace.Event, t trace.Type) bool {
	return len(events) > 1 && events[len(events)-1].Type == t
}

// hiddenOf is what a run must not show.
func hiddenOf(r Run) (redact.Hidden, error) {
	t, err := task.Get(r.Start.Task)
	if err != nil {
		return redact.Hidden{}, err
	}
	f, err := t.Fixture(r.Start.Seed)
	if err != nil {
		return redact.Hidden{}, err
	}
	gold, err := f.Gold()
	if err != nil {
		return redact.Hidden{}, err
	}
	inputs, err := r.inputs()
	return redact.Of(f, gold, inputs...), err
}

// inputs are all that the agent wrote as one, or asked to write.
func (r Run) inputs() (all [][]byte, err error) {
	for _, e := range r.Trace {
		if e.Type != trace.TypeProposal {
			continue
		}
		p, err := trace.Decode[trace.Proposal](e)
		if err != nil {
			return nil, err
		}
		if p.Name != task.WriteScratch || p.ArgsSHA == "" {
			continue
		}
		args, err := toolcall.Parse(r.Blobs[p.ArgsSHA], toolcall.Bounds{})
		if err != nil {
			return nil, fmt.Errorf("arguments of %s: %w", e.Call, err)
		}
		text := args.Get("bytes").Text()
		content, err := tool.Decode(text, args.Get("encoding").Text())
		if err != nil {
			content = text // it was not written, and may be one all the same
		}
		all = append(all, []byte(content))
	}
	return all, nil
}

// maker is a public form on its way.
type maker struct {
	run      Run
	redactor *redact.Redactor
	names    map[string]string // of blobs and manifests by their former ones, which are hashes, too
	files    map[string][]byte
}

// references are the members of events that name a blob or a manifest.
var references = []string{"raw_sha", "args_sha", "sha256", "tree_diff_sha", "detail_sha", "text_sha", "object_sha", "shadow_sha", "output", "manifest_sha"}

// events returns what the events of a channel say publicly. Their hashes are the
// former ones.
func (m *maker) events(events []trace.Event) ([]trace.Event, error) {
	public := slices.Clone(events)
	for i, e := range events {
		if e.Orig != "" {
			return nil, errors.New("the run is in its public form already")
		}
		public[i].Data = texts(e.Data, "", m.text(agentsOwn[e.Type]))
		if e.Decision == nil {
			continue
		}
		v, err := trace.ValueOf(e.Decision)
		if err != nil {
			return nil, err
		}
		public[i].Decision = new(trace.Decision)
		if err := json.Unmarshal([]byte(texts(v, "", m.text(nil)).Canonical()), public[i].Decision); err != nil {
			return nil, err
		}
	}
	return public, nil
}

// agentsOwn are the members of events in which stands what an agent wrote. All others
// are the bench's.
var agentsOwn = map[trace.Type][]string{
	trace.TypeAssistant:  {"text", "stop"},
	trace.TypeProposal:   {"name"},
	trace.TypeDecision:   {"tool"},
	trace.TypeReceipt:    {"path"},
	trace.TypeEffect:     {"path"},
	trace.TypeSubmission: {"verdict", "cwe", "file", "quote", "input_ref", "ref", "receipt_ids", "summary"},
	trace.TypeDecline:    {"reason"},
}

// inManifest are those of a manifest.
var inManifest = []string{"path"}

// text returns what makes the public form of the texts of an event.
func (m *maker) text(own []string) func(member, text string) string {
	return func(member, text string) string {
		switch {
		case slices.Contains(references, member):
			return m.name(text)
		case slices.Contains(own, member):
			return m.redactor.Text(text)
		}
		return m.redactor.Word(text)
	}
}

// texts returns a value with other texts in it, and the same members. The function is
// told in which member a text stands.
func texts(v toolcall.Value, member string, other func(member, text string) string) toolcall.Value {
	switch v.Kind() {
	case toolcall.String:
		return toolcall.StringOf(other(member, v.Text()))
	case toolcall.Array:
		elems := make([]toolcall.Value, v.Len())
		for i := range elems {
			elems[i] = texts(v.Elem(i), member, other)
		}
		return toolcall.ArrayOf(elems...)
	case toolcall.Object:
		members := make([]toolcall.Member, v.Len())
		for i := range members {
			name, value := v.Member(i)
			members[i] = toolcall.Member{Name: name, Value: texts(value, name, other)}
		}
		return toolcall.ObjectOf(members...)
	}
	return v
}

// name returns the name of the public form of what a hash names, which is made now if
// it was not named before. Another hash stays.
func (m *maker) name(sha string) string {
	if public, ok := m.names[sha]; ok {
		return public
	}
	if blob, ok := m.run.Blobs[sha]; ok {
		text := m.redactor.Blob(blob)
		m.names[sha] = trace.Sum(text)
		m.files["blobs/"+m.names[sha]] = text
		return m.names[sha]
	}
	for _, file := range slices.Sorted(maps.Keys(m.run.Manifests)) {
		if text := m.run.Manifests[file]; trace.Sum(text) == sha {
			m.files[file] = m.manifest(text)
			m.names[sha] = trace.Sum(m.files[file])
		}
	}
	if public, ok := m.names[sha]; ok {
		return public
	}
	return sha
}

// manifest returns the public form of a manifest.
func (m *maker) manifest(text []byte) []byte {
	v, err := toolcall.Parse(text, toolcall.Bounds{})
	if err != nil {
		return m.redactor.Blob(text)
	}
	public := texts(v, "", func(member, text string) string {
		if slices.Contains(inManifest, member) {
			return m.redactor.Text(text)
		}
		return m.redactor.Word(text)
	})
	return append(public.AppendCanonical(nil), '\n')
}

// chains writes both channels and returns their heads. Each names a hash of the other
// one at its end.
func (m *maker) chains(controller, gate []trace.Event) (traceHead, gateHead string, err error) {
	var traceText, gateText bytes.Buffer
	t := trace.NewWriter(&traceText, trace.Controller, m.run.ID, nil)
	g := trace.NewWriter(&gateText, trace.Gate, m.run.ID, nil)
	end, closing := controller[len(controller)-1], gate[len(gate)-1]
	if err := copyAll(g, gate[:len(gate)-1]); err != nil {
		return "", "", err
	}
	end.Data = with(end.Data, "gate_head", g.Head())
	fired, err := m.fired(end)
	if err != nil {
		return "", "", err
	}
	if err := copyAll(t, slices.Concat(controller[:len(controller)-1], fired, []trace.Event{end})); err != nil {
		return "", "", err
	}
	closing.Data = with(closing.Data, "run_end", t.Head())
	if err := g.Copy(closing); err != nil {
		return "", "", err
	}
	m.files["trace.jsonl"], m.files["gate.jsonl"] = traceText.Bytes(), gateText.Bytes()
	return t.Head(), g.Head(), nil
}

func copyAll(w *trace.Writer, events []trace.Event) error {
	for _, e := range events {
		if err := w.Copy(e); err != nil {
			return err
		}
	}
	return nil
}

// fired says which rules replaced something, at the time of the event that follows.
func (m *maker) fired(next trace.Event) (events []trace.Event, err error) {
	counts := m.redactor.Counts()
	for _, rule := range redact.Rules {
		if counts[rule] == 0 {
			continue
		}
		v, err := trace.ValueOf(trace.Redaction{Rule: string(rule), Count: counts[rule]})
		if err != nil {
			return nil, err
		}
		events = append(events, trace.Event{TS: next.TS, Type: trace.TypeRedaction, Data: v})
	}
	return events, nil
}

// with returns an object with another text in a member.
func with(v toolcall.Value, name, text string) toolcall.Value {
	members := []toolcall.Member{{Name: name, Value: toolcall.StringOf(text)}}
	for i := range v.Len() {
		if other, value := v.Member(i); other != name {
			members = append(members, toolcall.Member{Name: other, Value: value})
		}
	}
	return toolcall.ObjectOf(members...)
}
