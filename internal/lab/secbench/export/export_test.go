package export_test

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/licet-dev/licet/internal/lab/secbench/export"
	"github.com/licet-dev/licet/internal/lab/secbench/redact/redacttest"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
)

const id = "r-0123456789abcdef"

// told is a run of T01 in which an agent says something, and has a text as its input.
func told(t *testing.T, prose string, blob []byte) export.Run {
	t.Helper()
	now := func() time.Time { return time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC) }
	var texts [2]bytes.Buffer
	w := trace.NewWriter(&texts[0], trace.Controller, id, now)
	g := trace.NewWriter(&texts[1], trace.Gate, id, now)
	manifest := []byte("{\"files\":[]}\n")
	run := export.Run{
		ID: id, Start: trace.RunStart{Task: "T01", Seed: 1},
		Manifests: map[string][]byte{"manifest.pre.json": manifest, "manifest.post.json": manifest},
		Blobs:     map[string][]byte{trace.Sum(blob): blob},
	}
	put := func(w *trace.Writer, kind trace.Type, data any) {
		if err := w.Append(kind, "", nil, data); err != nil {
			t.Fatal(err)
		}
	}
	put(w, trace.TypeRunStart, run.Start)
	put(w, trace.TypeSnapshot, trace.Snapshot{When: trace.Pre, ManifestSHA: trace.Sum(manifest)})
	put(w, trace.TypeAssistant, trace.Assistant{Text: prose, RawSHA: trace.Sum(blob)})
	put(g, trace.TypeGateOpen, trace.GateOpen{})
	put(w, trace.TypeRunEnd, trace.RunEnd{GateHead: g.Head()})
	put(g, trace.TypeGateClose, trace.GateClose{RunEnd: w.Head()})
	run.Trace, run.Gate = read(t, texts[0].Bytes(), trace.Controller), read(t, texts[1].Bytes(), trace.Gate)
	return run
}

func read(t *testing.T, text []byte, c trace.Channel) []trace.Event {
	t.Helper()
	events, err := trace.Read("channel", text, c, id)
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// TestOf: a name follows what it names, and the ends of the channels one another.
func TestOf(t *testing.T) {
	run := told(t, "see /srv/x", []byte("in /srv/y"))
	p, err := export.Of(run)
	if err != nil {
		t.Fatal(err)
	}
	controller, gate := read(t, p.Files["trace.jsonl"], trace.Controller), read(t, p.Files["gate.jsonl"], trace.Gate)
	said, err := trace.Decode[trace.Assistant](controller[2])
	if err != nil || said.Text != "see [E]/x" || string(p.Files["blobs/"+said.RawSHA]) != "in [E]/y" || len(p.Files) != 5 {
		t.Errorf("%+v, %v", said, err)
	}
	counted, err := trace.Decode[trace.Redaction](controller[3])
	if err != nil || controller[3].Type != trace.TypeRedaction || counted != (trace.Redaction{Rule: "E", Count: 2}) {
		t.Errorf("%+v, %v", counted, err)
	}
	end, err := trace.Decode[trace.RunEnd](controller[4])
	if err != nil || end.GateHead != gate[0].Hash || controller[4].Hash != p.TraceHead || gate[1].Hash != p.GateHead {
		t.Errorf("%+v, %v", end, err)
	}
	if closed, err := trace.Decode[trace.GateClose](gate[1]); err != nil || closed.RunEnd != p.TraceHead {
		t.Errorf("%+v, %v", closed, err)
	}
}

// TestOfRefuses: a run without its end, with a blob that nothing names, or of a task
// that is not there.
func TestOfRefuses(t *testing.T) {
	for want, change := range map[string]func(*export.Run){
		"no end":           func(r *export.Run) { r.Trace = r.Trace[:3] },
		"nothing names":    func(r *export.Run) { r.Blobs["x"] = nil },
		"there is no task": func(r *export.Run) { r.Start.Task = "X01" },
		"already":          func(r *export.Run) { r.Gate[0].Orig = "x" },
	} {
		run := told(t, "", nil)
		change(&run)
		if _, err := export.Of(run); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %s, got %v", want, err)
		}
	}
}

// FuzzOf: in the public form of a run, whatever was said in it, nothing is found that
// must not be there, and its chains hold.
func FuzzOf(f *testing.F) {
	f.Add("", []byte(nil))
	for _, disguise := range redacttest.Disguises {
		f.Add(disguise("lk_canary_0123456789abcdef0123456789abcdef"), []byte(disguise("\x01\x09abc")))
	}
	f.Add("a:\nb /srv/x", []byte(`{"a":"b:\\c","/srv/x":["[A:1]",61616161]}`))
	f.Fuzz(func(t *testing.T, prose string, blob []byte) {
		if !utf8.ValidString(prose) {
			return // no trace holds such a text
		}
		p, err := export.Of(told(t, prose, blob))
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range p.Files {
			if leaks := p.Leaks(name, text); len(leaks) > 0 {
				t.Errorf("%v in %q", leaks, text)
			}
		}
		read(t, p.Files["trace.jsonl"], trace.Controller)
		read(t, p.Files["gate.jsonl"], trace.Gate)
	})
}
