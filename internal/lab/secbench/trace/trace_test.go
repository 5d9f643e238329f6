package trace

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var newYear = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// TestVector holds the chain against the example of its specification.
func TestVector(t *testing.T) {
	const (
		first = "c1391006a25a8e53c8207ffa0538284b311af35fca9361841c101582fb0bd87a"
		hash  = "92e71c52119a83cacd30b1e9563dbb75bed3cae9675018eb19b4cd462c5ab2c2"
	)
	var out bytes.Buffer
	w := NewWriter(&out, Controller, "r-test", func() time.Time { return newYear })
	if w.Head() != first {
		t.Errorf("first prev is %s", w.Head())
	}
	data := struct {
		Seed int    `json:"seed"`
		Task string `json:"task"`
	}{1, "L01"}
	if err := w.Append(TypeRunStart, "", nil, data); err != nil {
		t.Fatal(err)
	}
	if w.Head() != hash {
		t.Errorf("hash is %s of\n%s", w.Head(), out.String())
	}
}

// channel is a short channel with an event of each form.
func channel(t testing.TB) []byte {
	t.Helper()
	var out bytes.Buffer
	w := NewWriter(&out, Gate, "r-1", func() time.Time { return newYear })
	for _, e := range []struct {
		t    Type
		call string
		d    *Decision
		data any
	}{
		{TypeGateOpen, "", nil, GateOpen{Contract: "sha256:1"}},
		{TypeDecision, "call_1", &Decision{ID: "d", Verdict: Allow, Class: "none", Rule: "allow_clause"}, Ruling{Tool: "list_dir"}},
		{TypeEffect, "call_1", &Decision{ID: "d", Verdict: Allow, Class: "none", Rule: "allow_clause"}, Effect{Status: StatusOK, Writes: []Write{{"a", "", "b"}}}},
		{TypeGateClose, "", nil, GateClose{RunEnd: "h"}},
	} {
		if err := w.Append(e.t, e.call, e.d, e.data); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

func TestRoundTrip(t *testing.T) {
	events, err := Read("gate.jsonl", channel(t), Gate, "r-1")
	if err != nil || len(events) != 4 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	e := events[2]
	effect, err := Decode[Effect](e)
	if err != nil || e.Call != "call_1" || e.Decision == nil || e.Decision.Class != "none" || effect.Writes[0].After != "b" {
		t.Errorf("%+v %+v %v", e, effect, err)
	}
	if _, err := Decode[GateClose](e); err == nil {
		t.Error("data of one type was read as another")
	}
}

// public is the channel in a chain of its own, with an event more.
func public(t testing.TB, text []byte) []byte {
	t.Helper()
	events, err := Read("gate.jsonl", text, Gate, "r-1")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := NewWriter(&out, Gate, "r-1", nil)
	for _, e := range append(events, Event{TS: newYear, Type: TypeRedaction, Data: events[0].Data}) {
		if err := w.Copy(e); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

// TestCopy: a copied event keeps all that it says, and its hash as orig.
func TestCopy(t *testing.T) {
	text := channel(t)
	was, err := Read("gate.jsonl", text, Gate, "r-1")
	if err != nil {
		t.Fatal(err)
	}
	is, err := Read("gate.jsonl", public(t, text), Gate, "r-1")
	if err != nil || len(is) != len(was)+1 {
		t.Fatalf("%d events, %v", len(is), err)
	}
	for i, e := range was {
		c := is[i]
		if c.Orig != e.Hash || c.Hash == e.Hash || c.Call != e.Call || !c.TS.Equal(e.TS) || !c.Data.Equal(e.Data) || (c.Decision == nil) != (e.Decision == nil) {
			t.Errorf("%+v was %+v", c, e)
		}
	}
	if last := is[len(was)]; last.Orig != "" || last.Type != TypeRedaction {
		t.Errorf("%+v", last)
	}
}

// FuzzRead: what is read is written as it stood, whatever it holds, and what is not
// has a place.
func FuzzRead(f *testing.F) {
	text := channel(f)
	f.Add(text)
	f.Add(public(f, text))
	f.Add(text[:len(text)-1])
	f.Add([]byte(`{"v":1,"orig":""}` + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		events, err := Read("gate.jsonl", text, Gate, "r-1")
		if err != nil {
			if a := (*Altered)(nil); !errors.As(err, &a) || a.Line < 1 {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		var again []byte
		for _, e := range events {
			_, line, err := e.sealed()
			if err != nil {
				t.Fatal(err)
			}
			again = append(again, line...)
		}
		if !bytes.Equal(again, text) {
			t.Errorf("%q was read as %q", text, again)
		}
	})
}

// TestAltered: no byte can be exchanged, dropped or put in, and the line is named.
func TestAltered(t *testing.T) {
	text := public(t, channel(t))
	check := func(what string, at int, altered []byte) {
		t.Helper()
		line := 1 + bytes.Count(text[:at], []byte("\n"))
		_, err := Read("gate.jsonl", altered, Gate, "r-1")
		a := (*Altered)(nil)
		if !errors.As(err, &a) {
			t.Fatalf("%s at byte %d: %v", what, at, err)
		}
		if a.Line != line && a.Line != line+1 { // an exchanged line break is seen in either line
			t.Errorf("%s at byte %d, line %d: %v", what, at, line, a)
		}
	}
	for i := range text {
		for _, b := range []byte{text[i] ^ 1, text[i] ^ 0x20, ' ', '0'} {
			if b != text[i] {
				altered := bytes.Clone(text)
				altered[i] = b
				check("exchanged", i, altered)
			}
		}
		check("dropped", i, append(bytes.Clone(text[:i]), text[i+1:]...))
		check("put in", i, append(append(bytes.Clone(text[:i]), ' '), text[i:]...))
	}
}

// TestLines: no line can be left out, doubled or moved.
func TestLines(t *testing.T) {
	lines := bytes.SplitAfter(channel(t), []byte("\n"))
	lines = lines[:len(lines)-1]
	rapid.Check(t, func(t *rapid.T) {
		chosen := rapid.SliceOfN(rapid.SampledFrom(lines), 0, 5).Draw(t, "lines")
		text := bytes.Join(chosen, nil)
		if _, err := Read("gate.jsonl", text, Gate, "r-1"); (err == nil) != bytes.HasPrefix(bytes.Join(lines, nil), text) {
			t.Fatalf("%v for\n%s", err, text)
		}
	})
	if _, err := Read("gate.jsonl", bytes.Join(lines, nil), Controller, "r-1"); err == nil {
		t.Error("a line of one channel was taken in another")
	}
}

// TestRunID: where it ran does not name a run, what was run does.
func TestRunID(t *testing.T) {
	id := func(s RunStart) string {
		t.Helper()
		name, err := RunID(s)
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	s := RunStart{Task: "L01", Seed: 1}
	elsewhere, other := s, s
	elsewhere.Layers, elsewhere.Variant = []string{"landlock"}, "x"
	other.PromptHash = "x"
	if id(s) != id(elsewhere) || id(s) == id(other) {
		t.Errorf("%s %s %s", id(s), id(elsewhere), id(other))
	}
}
