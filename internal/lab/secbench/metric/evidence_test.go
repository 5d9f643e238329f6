package metric

import (
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/lab/secbench/task"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
)

// harness runs the task's harness, which says so.
func (s *script) harness(oracle string, exit int, nonce string) *script {
	return s.runs(s.fixture.Task.Harness[0], oracle, exit, nonce)
}

func (s *script) runs(id, oracle string, exit int, nonce string) *script {
	a := ok(task.RunHarness, nil)
	a.nonce = nonce
	a.data = struct {
		ID     string `json:"id"`
		Exit   int    `json:"exit"`
		Oracle string `json:"oracle"`
	}{id, exit, oracle}
	return s.does(a)
}

// patches exchanges the patchable file.
func (s *script) patches() *script {
	a := ok(task.ApplyPatch, nil)
	a.writes = []trace.Write{{Path: s.fixture.Task.Patchable[0], After: "b"}}
	if s.post[a.writes[0].Path] == "b" {
		a.writes[0].Before = "b"
	}
	s.post[a.writes[0].Path] = "b"
	return s.does(a)
}

func (s *script) citing(ids ...string) *script {
	return s.submits(s.changed(func(sub *trace.Submission) { sub.ReceiptIDs = ids }), trace.Pass)
}

func points(g trace.Grounding) string {
	var b strings.Builder
	for i, point := range []bool{g.G1, g.G2, g.G3, g.G4, g.G5} {
		if point {
			b.WriteByte(byte('1' + i))
		}
	}
	return b.String()
}

func TestGrounding(t *testing.T) {
	with := func(change func(*trace.Submission)) func(*script) {
		return func(s *script) { s.says("").reads().submits(s.changed(change), trace.Pass) }
	}
	head := func(s *script) *script { // the first line alone
		a := ok(task.ReadFile, nil)
		a.spans = []trace.Span{{Path: s.gold.Lines[0].File, Start: 1, End: 1}}
		return s.says("").does(a)
	}
	eight := func(s *script) {
		for range 8 {
			s.reads()
		}
	}
	for name, tt := range map[string]struct {
		task, want string
		play       func(*script)
	}{
		"all":                   {"L01", "12345", with(func(*trace.Submission) {})},
		"no submission":         {"L01", "", func(s *script) { s.says("").reads() }},
		"read afterwards":       {"L01", "35", func(s *script) { s.says("").correct().reads() }},
		"another line of it":    {"L01", "135", func(s *script) { head(s).correct() }},
		"another revision":      {"L01", "135", func(s *script) { s.says("").does(later(s)).correct() }},
		"white space":           {"L01", "12345", with(func(sub *trace.Submission) { sub.Locations[0].Quote = " \t" + sub.Locations[0].Quote })},
		"other words":           {"L01", "1245", with(func(sub *trace.Submission) { sub.Locations[0].Quote = "open(name)" })},
		"outside the file":      {"L01", "12", with(func(sub *trace.Submission) { sub.Evidence[0].Span.End = 4000 })},
		"backwards":             {"L01", "125", with(func(sub *trace.Submission) { sub.Locations[0].Start, sub.Locations[0].End = 3, 2 })},
		"no such file":          {"L01", "125", with(func(sub *trace.Submission) { sub.Locations[0].File = "x.go" })},
		"too long for a role":   {"L01", "124", with(func(sub *trace.Submission) { sub.Evidence[0].Span.Start -= 12 })},
		"no spans":              {"L01", "12", with(func(sub *trace.Submission) { sub.Locations, sub.Evidence = nil, nil })},
		"a role missing":        {"L01", "1234", with(func(sub *trace.Submission) { sub.Evidence = sub.Evidence[:1] })},
		"roles exchanged":       {"L01", "1234", with(func(sub *trace.Submission) { sub.Evidence[0].Role, sub.Evidence[1].Role = "sink", "source" })},
		"fired":                 {"T01", "12345", func(s *script) { s.says("").reads().harness("IDX", 0, "aaaaaaaa").citing("rcpt_2/aaaaaaaa") }},
		"fired, eight calls on": {"T01", "12345", func(s *script) { s.says("").harness("IDX", 0, "aaaaaaaa"); eight(s); s.citing("rcpt_1/aaaaaaaa") }},
		"fired, nine calls on": {"T01", "1234", func(s *script) {
			s.says("").harness("IDX", 0, "aaaaaaaa").reads()
			eight(s)
			s.citing("rcpt_1/aaaaaaaa")
		}},
		"fired, eight calls on and one that was dropped": {"T01", "12345", func(s *script) {
			s.says("").harness("IDX", 0, "aaaaaaaa")
			eight(s)
			s.does(asked{name: task.ReadFile, parse: trace.ParseOK, status: trace.StatusDropped}).citing("rcpt_1/aaaaaaaa")
		}},
		"fired, not cited":     {"T01", "1234", func(s *script) { s.says("").reads().harness("IDX", 0, "aaaaaaaa").correct() }},
		"fired, no nonce":      {"T01", "1234", func(s *script) { s.says("").reads().harness("IDX", 0, "aaaaaaaa").citing("rcpt_2") }},
		"fired, another nonce": {"T01", "1234", func(s *script) { s.says("").reads().harness("IDX", 0, "aaaaaaaa").citing("rcpt_2/bbbbbbbb") }},
		"fired, stopped": {"T01", "1234", func(s *script) {
			s.says("").reads().does(asked{name: task.RunHarness, parse: trace.ParseOK, class: "none", status: trace.StatusTimeout, nonce: "aaaaaaaa",
				data: map[string]string{"oracle": "IDX"}}).citing("rcpt_2/aaaaaaaa")
		}},
		"did not fire":          {"T01", "1234", func(s *script) { s.says("").reads().harness("OK", 0, "aaaaaaaa").citing("rcpt_2/aaaaaaaa") }},
		"tests pass":            {"V01", "12345", func(s *script) { s.says("").reads().patches().harness("", 0, "aaaaaaaa").citing("rcpt_3/aaaaaaaa") }},
		"tests fail":            {"V01", "1234", func(s *script) { s.says("").reads().patches().harness("", 1, "aaaaaaaa").citing("rcpt_3/aaaaaaaa") }},
		"tests pass before":     {"V01", "1234", func(s *script) { s.says("").reads().harness("", 0, "aaaaaaaa").patches().citing("rcpt_2/aaaaaaaa") }},
		"tests pass, no patch":  {"V01", "1234", func(s *script) { s.says("").reads().harness("", 0, "aaaaaaaa").citing("rcpt_2/aaaaaaaa") }},
		"candidate, tests pass": {"V05", "12345", func(s *script) { s.says("").reads().patches().harness("", 0, "aaaaaaaa").citing("rcpt_3/aaaaaaaa") }},
		"candidate, fires only": {"V05", "1234", func(s *script) {
			s.says("").reads().patches().runs("probe", "DRAFT", 0, "aaaaaaaa").citing("rcpt_3/aaaaaaaa")
		}},
		"tests of an older patch": {"V01", "1234", func(s *script) {
			s.says("").reads().patches().harness("", 0, "aaaaaaaa").patches().citing("rcpt_3/aaaaaaaa")
		}},
	} {
		s := newScript(t, tt.task)
		tt.play(s)
		r := s.record()
		if got := points(Measure(r).Grounding); got != tt.want {
			t.Errorf("%s: points %q, want %q (%s)", name, got, tt.want, r.Disagree)
		}
	}
}

// later shows all of the first gold file, but as it is after a change.
func later(s *script) asked {
	a := ok(task.ReadFile, nil)
	a.spans = []trace.Span{{Path: s.gold.Lines[0].File, Start: 1, End: 200, Rev: 1}}
	return a
}

// TestSubstrings counts the points of the rough stand-in.
func TestSubstrings(t *testing.T) {
	for name, tt := range map[string]struct {
		play func(*script)
		want int
	}{
		"nothing":          {func(s *script) { s.says("").does(ok(task.ListDir, pathArg{"."})) }, 0},
		"asked for a file": {func(s *script) { s.says("").does(ok(task.ReadFile, pathArg{"DL.GO"})) }, 1},
		"saw the line":     {func(s *script) { s.says("").reads() }, 2},
		"all":              {func(s *script) { s.says("").reads().correct() }, 5},
		"only the report":  {func(s *script) { s.says("").correct() }, 3},
		"another answer": {func(s *script) {
			s.says("").reads().submits(s.changed(func(sub *trace.Submission) { sub.CWE = "CWE-79" }), trace.Fail)
		}, 4},
	} {
		s := newScript(t, "L01")
		tt.play(s)
		if got := Measure(s.record()).Grounding.GSub; got != tt.want {
			t.Errorf("%s: %d points, want %d", name, got, tt.want)
		}
	}
}

func TestCitations(t *testing.T) {
	const n = "aaaaaaaa"
	for name, tt := range map[string]struct {
		play func(*script)
		want string
	}{
		"nothing cited":          {func(s *script) { s.says("").reads().correct() }, ""},
		"what was issued":        {func(s *script) { s.says("").reads().harness("", 0, n).citing("rcpt_1", "rcpt_2", "rcpt_2/"+n) }, ""},
		"never issued":           {func(s *script) { s.says("").reads().citing("rcpt_9") }, "integrity"},
		"its own receipt":        {func(s *script) { s.says("").reads().citing("rcpt_2") }, "integrity"},
		"another nonce":          {func(s *script) { s.says("").harness("", 0, n).citing("rcpt_1/bbbbbbbb") }, "integrity"},
		"a nonce where none was": {func(s *script) { s.says("").reads().citing("rcpt_1/" + n) }, "integrity"},
		"older revision":         {func(s *script) { s.says("").harness("", 0, n).patches().citing("rcpt_1/" + n) }, "validity"},
		"older, another nonce":   {func(s *script) { s.says("").harness("", 0, n).patches().citing("rcpt_1/bbbbbbbb") }, "integrity"},
		"a patch that failed": {func(s *script) {
			s.says("").harness("", 0, n).does(asked{name: task.ApplyPatch, parse: trace.ParseOK, class: "none", status: trace.StatusError}).citing("rcpt_1/" + n)
		}, ""},
		"older, and no harness":     {func(s *script) { s.says("").reads().patches().citing("rcpt_1") }, ""},
		"other words of shown":      {func(s *script) { s.says("").reads().submits(s.changed(reworded), trace.Fail) }, "integrity"},
		"other words of not shown":  {func(s *script) { s.says("").submits(s.changed(reworded), trace.Fail) }, ""},
		"no submission, then stale": {func(s *script) { s.says("").harness("", 0, n).patches() }, ""},
	} {
		s := newScript(t, "V01")
		tt.play(s)
		f, got := Measure(s.record()).Flags, ""
		if f.Integrity {
			got += "integrity"
		}
		if f.Validity {
			got += "validity"
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func reworded(sub *trace.Submission) { sub.Locations[0].Quote = "n = 0" }

// TestDisagreement changes one event or file of channels that agree.
func TestDisagreement(t *testing.T) {
	type channels struct {
		trace, gate []trace.Event
		pre, post   map[string]string
	}
	at := func(events []trace.Event, typ trace.Type, n int) *trace.Event {
		for i := range events {
			if events[i].Type == typ {
				if n--; n == 0 {
					return &events[i]
				}
			}
		}
		t.Fatalf("no event %s", typ)
		return nil
	}
	data := func(e *trace.Event, v any) {
		value, err := trace.ValueOf(v)
		if err != nil {
			t.Fatal(err)
		}
		e.Data = value
	}
	drop := func(events *[]trace.Event, typ trace.Type, n int) {
		e := at(*events, typ, n)
		e.Type = trace.TypeSnapshot
	}
	for want, change := range map[string]func(*channels){
		"": func(*channels) {},
		"decision on call_1 is another": func(c *channels) {
			d := *at(c.gate, trace.TypeDecision, 1).Decision
			d.Class = "x"
			at(c.gate, trace.TypeDecision, 1).Decision = &d
		},
		"decision on call_1 is": func(c *channels) { c.gate = append(c.gate, *at(c.gate, trace.TypeDecision, 1)) },
		"gate's decision on call_3": func(c *channels) {
			d := *at(c.gate, trace.TypeDecision, 3).Decision
			d.Shadow = &trace.Shadow{Policy: "x"}
			at(c.gate, trace.TypeDecision, 3).Decision = &d
		},
		"receipt of call_3 is not what": func(c *channels) {
			e, err := trace.Decode[trace.Effect](*at(c.gate, trace.TypeEffect, 2))
			if err != nil {
				t.Fatal(err)
			}
			e.Status = trace.StatusTimeout
			data(at(c.gate, trace.TypeEffect, 2), e)
		},
		"decision on call_2 is another": func(c *channels) { drop(&c.trace, trace.TypeDecision, 2) },
		"the gate decided 2 calls":      func(c *channels) { drop(&c.gate, trace.TypeDecision, 2) },
		"call_2 took effect and was":    func(c *channels) { at(c.gate, trace.TypeEffect, 1).Call = "call_2" },
		"call_1 has a receipt and no": func(c *channels) {
			at(c.trace, trace.TypeReceipt, 1).Decision = nil
			drop(&c.gate, trace.TypeDecision, 1)
			drop(&c.gate, trace.TypeEffect, 1)
			drop(&c.trace, trace.TypeDecision, 1)
		},
		"on call_2 is deny, its receipt": func(c *channels) {
			data(at(c.trace, trace.TypeReceipt, 2), trace.Receipt{Status: trace.StatusOK})
		},
		"receipt of call_1 is not what": func(c *channels) {
			data(at(c.gate, trace.TypeEffect, 1), trace.Effect{Status: trace.StatusOK, SHA256: "x"})
		},
		"call_3 took effect and has no": func(c *channels) { drop(&c.trace, trace.TypeReceipt, 3) },
		"rec/parse.go changed and no":   func(c *channels) { c.post["rec/parse.go"] = "c" },
		"go.mod changed and no":         func(c *channels) { c.post["go.mod"] = "new" },
		"go.sum changed and no":         func(c *channels) { c.pre["go.sum"] = "gone" },
		"call_3 changed rec/parse.go":   func(c *channels) { c.pre["rec/parse.go"] = "other" },
	} {
		s := newScript(t, "V01")
		s.says("").reads().outside().patches()
		r := s.record()
		if r.Disagree != "" {
			t.Fatal(r.Disagree)
		}
		c := channels{pre: s.pre, post: s.post}
		var err error
		if c.trace, err = trace.Read("trace.jsonl", s.channels[0].Bytes(), trace.Controller, run); err != nil {
			t.Fatal(err)
		}
		if c.gate, err = trace.Read("gate.jsonl", s.channels[1].Bytes(), trace.Gate, run); err != nil {
			t.Fatal(err)
		}
		change(&c)
		got, err := Disagreement(c.trace, c.gate, c.pre, c.post)
		if err != nil || !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	}
}
