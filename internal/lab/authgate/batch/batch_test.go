package batch_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/lab/authgate/batch"
)

// key returns a key that begins with a digit.
func key(digit string) string { return "sha256:" + strings.Repeat(digit, 64) }

func body(model string) []byte {
	return []byte(`{"model":"` + model + `","messages":[{"role":"user","content":"zeta before alpha"}]}`)
}

func call(item string) batch.Call {
	return batch.Call{Stage: "eval", Item: item, Epoch: 1, Key: key("a"), Body: body("m")}
}

func idOf(t testing.TB, c batch.Call) string {
	t.Helper()
	id, err := c.ID()
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// TestID: an id says what was asked, and is never longer, or of other characters,
// than the service takes.
func TestID(t *testing.T) {
	for _, c := range []struct {
		call batch.Call
		want string
	}{
		{batch.Call{Stage: "eval", Item: "ag1-se-014-base-signals", Round: 1, Epoch: 2, Key: key("b")}, "eval_ag1-se-014-base-signals_r1_e2_bbbbbbbbbbbb"},
		{batch.Call{Stage: "I", Item: "se-014.d1", Key: key("0")}, "I_se-014-d1_r0_e0_000000000000"},
		{batch.Call{Stage: "II", Item: "Straße 7", Key: key("0")}, "II_Stra-e-7_r0_e0_000000000000"},
		{batch.Call{Stage: "eval", Item: strings.Repeat("x", 100), Round: 10, Epoch: 3, Key: key("c")}, "eval_" + strings.Repeat("x", 39) + "_r10_e3_cccccccccccc"},
	} {
		if got := idOf(t, c.call); got != c.want || len(got) > 64 {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
	for _, c := range []batch.Call{
		{}, {Stage: "a b", Item: "x", Key: key("0")}, {Stage: "I", Key: key("0")}, {Stage: "I", Item: "x", Key: "0"},
		{Stage: "I", Item: "x", Key: key("0"), Round: -1}, {Stage: "I", Item: "x", Key: key("0"), Epoch: 10_000}, {Stage: "I", Item: "x", Key: key("G")},
	} {
		if id, err := c.ID(); err == nil {
			t.Errorf("%+v is %s", c, id)
		}
	}
}

// TestRequests: the same bytes in whatever order the calls come, members of a body
// in their own order, one model a file.
func TestRequests(t *testing.T) {
	calls := []batch.Call{call("b"), call("a"), call("c")}
	calls[2].Body = body("another")
	files, err := batch.Requests(calls, batch.Limits{})
	if err != nil || len(files) != 2 || files[0].Model != "another" || files[0].Calls != 1 || files[1].Calls != 2 {
		t.Fatalf("%+v, %v", files, err)
	}
	const want = `{"custom_id":"eval_a_r0_e1_aaaaaaaaaaaa","method":"POST","url":"/v1/chat/completions","body":{"model":"m","messages":[{"role":"user","content":"zeta before alpha"}]}}` + "\n" +
		`{"custom_id":"eval_b_r0_e1_aaaaaaaaaaaa","method":"POST","url":"/v1/chat/completions","body":{"model":"m","messages":[{"role":"user","content":"zeta before alpha"}]}}` + "\n"
	if string(files[1].Text) != want {
		t.Errorf("%s", files[1].Text)
	}
	slices.Reverse(calls)
	if again, err := batch.Requests(calls, batch.Limits{}); err != nil || !reflect.DeepEqual(again, files) {
		t.Errorf("in another order: %+v, %v", again, err)
	}
	for name, calls := range map[string][]batch.Call{
		"two calls are eval_a":                       {call("a"), call("a")},
		"expected an object with model and messages": {{Stage: "I", Item: "x", Key: key("0"), Body: []byte(`{"model":"m"}`)}},
		"line 1":           {{Stage: "I", Item: "x", Key: key("0"), Body: []byte(`{"model":"m","model":"n","messages":[1]}`)}},
		"the stage":        {{}},
		"a file at most 9": {call("a")},
	} {
		l := batch.Limits{}
		if strings.Contains(name, "at most") {
			l.Bytes = 9
		}
		if _, err := batch.Requests(calls, l); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSplit: no file is over a limit, none could take the first line of the next
// one, and together they have every call once. The service's own limits hold where
// none are given.
func TestSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var calls []batch.Call
		for i := range rapid.IntRange(0, 40).Draw(t, "calls") {
			c := call(fmt.Sprintf("%d-%s", i, strings.Repeat("x", rapid.IntRange(0, 20).Draw(t, "long"))))
			c.Body = body(rapid.SampledFrom([]string{"m", "n"}).Draw(t, "model"))
			calls = append(calls, c)
		}
		l := batch.Limits{Lines: rapid.IntRange(1, 9).Draw(t, "lines"), Bytes: rapid.IntRange(200, 2000).Draw(t, "bytes")}
		files, err := batch.Requests(calls, l)
		if err != nil {
			t.Fatal(err)
		}
		lines := 0
		for i, f := range files {
			lines += f.Calls
			if f.Calls != bytes.Count(f.Text, []byte("\n")) || f.Calls > l.Lines || len(f.Text) > l.Bytes {
				t.Errorf("file %d has %d lines and %d bytes", i, f.Calls, len(f.Text))
			}
			if i+1 < len(files) && files[i+1].Model == f.Model && f.Calls < l.Lines && len(f.Text)+bytes.IndexByte(files[i+1].Text, '\n')+1 <= l.Bytes {
				t.Errorf("file %d ends early", i)
			}
		}
		if lines != len(calls) {
			t.Errorf("%d lines for %d calls", lines, len(calls))
		}
	})
	many := make([]batch.Call, 50_000)
	for i := range many {
		many[i] = call(fmt.Sprint(i))
	}
	files, err := batch.Requests(many, batch.Limits{})
	if err != nil || len(files) != 2 || files[0].Calls != 49_999 {
		t.Errorf("%d files, %v", len(files), err)
	}
}

// line is an answer as the service writes it.
func line(id, model, content string) string {
	return fmt.Sprintf(`{"id":"batch_req_1","custom_id":%q,"response":{"status_code":200,"request_id":"r","body":{"model":%q,"choices":[{"message":{"content":%q}}]}},"error":null}`, id, model, content)
}

// parts of ids that are asked for in the tests below.
const (
	idA = "eval_a_r0_e1_aaaaaaaaaaaa"
	idB = "eval_b_r0_e1_aaaaaaaaaaaa"
	idC = "eval_c_r0_e1_aaaaaaaaaaaa"
)

func read(t testing.TB, text ...string) []batch.Answer {
	t.Helper()
	all, err := batch.Read("answers.jsonl", strings.NewReader(strings.Join(text, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// ids of answers, of calls or of what is not known.
func ids(t testing.TB, in batch.Imported) string {
	t.Helper()
	var s []string
	for _, a := range in.New {
		s = append(s, "new "+a.ID[5:6])
	}
	for _, a := range in.Failed {
		s = append(s, "failed "+a.ID[5:6])
	}
	for _, c := range in.Waiting {
		s = append(s, "waiting "+idOf(t, c)[5:6])
	}
	for _, u := range in.Unknown {
		s = append(s, fmt.Sprintf("unknown %s %t", u.ID, u.Changed))
	}
	if in.Repeated > 0 {
		s = append(s, fmt.Sprintf("repeated %d", in.Repeated))
	}
	return strings.Join(s, ", ")
}

// TestImport: each rule of joining, and the error that some of them are.
func TestImport(t *testing.T) {
	const late = `{"id":"x","custom_id":"` + idB + `","response":null,"error":{"code":"batch_expired","message":"too late"}}`
	const busy = `{"custom_id":"` + idB + `","response":{"status_code":503,"body":{"error":{"message":"busy"}}}}`
	due := []batch.Call{call("a"), call("b"), call("c")}
	known := map[string]batch.Answer{}
	for _, a := range read(t, line("eval_k_r0_e1_aaaaaaaaaaaa", "m", "k"), line(idC, "m", "c")) {
		known[a.ID] = a
	}
	for _, c := range []struct {
		name    string
		answers []string
		reports map[string]string
		want    string // or what the error says
	}{
		{name: "in any order", answers: []string{line(idB, "m", "1"), line(idA, "m", "2")}, want: "new a, new b"},
		{name: "a missing one waits", answers: []string{line(idB, "m", "1")}, want: "new b, waiting a"},
		{name: "an error, from a second file", answers: []string{line(idA, "m", "1"), late}, want: "new a, failed b, waiting b"},
		{name: "another status than 200", answers: []string{line(idA, "m", "1"), busy}, want: "new a, failed b, waiting b"},
		{name: "an error, and an answer later", answers: []string{late, line(idB, "m", "1"), busy}, want: "new b, waiting a"},
		{name: "the same twice", answers: []string{line(idA, "m", "1"), line(idA, "m", "1")}, want: "new a, waiting b, repeated 1"},
		{name: "the same, written in another way", answers: []string{line(idA, "m", "1"), strings.Replace(line(idA, "m", "1"), `"model":"m","choices"`, `"model" : "\u006d", "choices"`, 1)}, want: "new a, waiting b, repeated 1"},
		{name: "twice, and not the same", answers: []string{line(idA, "m", "1"), line(idA, "m", "2")}, want: idA + " has two answers that differ"},
		{name: "what is known already", answers: []string{line(idC, "m", "c"), line("eval_k_r0_e1_aaaaaaaaaaaa", "m", "k")}, want: "waiting a, waiting b, repeated 2"},
		{name: "known, and not the same", answers: []string{line("eval_k_r0_e1_aaaaaaaaaaaa", "m", "other")}, want: "two answers that differ"},
		{name: "asked by nobody", answers: []string{line(idA, "m", "1"), line("eval_z_r0_e1_aaaaaaaaaaaa", "m", "1")}, want: "new a, waiting b, unknown eval_z_r0_e1_aaaaaaaaaaaa false"},
		{name: "asked with another prompt", answers: []string{line("eval_a_r0_e1_bbbbbbbbbbbb", "m", "1")}, want: "waiting a, waiting b, unknown eval_a_r0_e1_bbbbbbbbbbbb true"},
		{name: "another model", answers: []string{line(idA, "n", "1")}, want: idA + ` is answered by "n", and "m" was asked`},
		{name: "by the name that is recorded for it", answers: []string{line(idA, "m-2026", "1")}, reports: map[string]string{"m": "m-2026"}, want: "new a, waiting b"},
		{name: "not by the name that is recorded for it", answers: []string{line(idA, "m", "1")}, reports: map[string]string{"m": "m-2026"}, want: `and "m-2026" was asked`},
	} {
		in, err := batch.Import(due, known, read(t, c.answers...), c.reports)
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %s", c.name, err, c.want)
			}
			continue
		}
		if got := ids(t, in); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	if _, err := batch.Import([]batch.Call{call("a"), call("a")}, nil, nil, nil); err == nil {
		t.Error("a call that is due twice")
	}
}

// TestImportTwice: importing the same files again, at once or one after the other,
// in any order, comes to the same.
func TestImportTwice(t *testing.T) {
	due := []batch.Call{call("a"), call("b"), call("c")}
	answers := read(t, line(idA, "m", "1"), line(idB, "m", "2"), line(idA, "m", "1"), `{"custom_id":"`+idC+`","error":{"code":"x"}}`)
	want, err := batch.Import(due, nil, answers, nil)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]batch.Answer{}
	for _, a := range want.New {
		known[a.ID] = a
	}
	rand.Shuffle(len(answers), func(i, j int) { answers[i], answers[j] = answers[j], answers[i] })
	again, err := batch.Import(due, known, answers, nil)
	if err != nil || len(again.New) > 0 || !reflect.DeepEqual(again.Waiting, want.Waiting) || !reflect.DeepEqual(again.Failed, want.Failed) || again.Repeated != 3 {
		t.Errorf("%s, %v", ids(t, again), err)
	}
}

var refused = map[string]string{
	"no JSON":               `eval`,
	"two objects":           `{"custom_id":"a","error":{}} {}`,
	"a member twice":        `{"custom_id":"a","custom_id":"b","error":{}}`,
	"deep within, too":      `{"custom_id":"a","response":{"status_code":200,"body":{"model":"m","model":"n"}}}`,
	"no id":                 `{"error":{}}`,
	"an id that is none":    `{"custom_id":"a b","error":{}}`,
	"a long id":             `{"custom_id":"` + strings.Repeat("a", 65) + `","error":{}}`,
	"nothing":               `{"custom_id":"a"}`,
	"nulls":                 `{"custom_id":"a","response":null,"error":null}`,
	"no status":             `{"custom_id":"a","response":{"body":{}}}`,
	"an odd status":         `{"custom_id":"a","response":{"status_code":20,"body":{}}}`,
	"part of a status":      `{"custom_id":"a","response":{"status_code":200.5,"body":{}}}`,
	"a text for a response": `{"custom_id":"a","response":"yes"}`,
	"200 without an object": `{"custom_id":"a","response":{"status_code":200,"body":"yes"}}`,
	"not UTF-8":             "{\"custom_id\":\"a\",\"error\":{\"code\":\"\xff\"}}",
	"longer than a line":    `{"custom_id":"a","error":{"code":"` + strings.Repeat("x", 4<<20) + `"}}`,
}

// blanks is a file without an end.
type blanks struct{}

func (blanks) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	p[len(p)-1] = '\n'
	return len(p), nil
}

// TestReadRefuses: what is no file of answers is refused as a whole, with its line.
func TestReadRefuses(t *testing.T) {
	good := `{"custom_id":"good","error":{}}` + "\n"
	for name, text := range refused {
		if all, err := batch.Read("in.jsonl", strings.NewReader(good+text)); err == nil || all != nil || !strings.HasPrefix(err.Error(), "in.jsonl") {
			t.Errorf("%s: %d answers, %v", name, len(all), err)
		}
	}
	if all, err := batch.Read("in.jsonl", blanks{}); err == nil || all != nil || !strings.Contains(err.Error(), "has more than") {
		t.Errorf("without an end: %d answers, %v", len(all), err)
	}
	all := read(t, "", `{"custom_id":"a","error":"gone"}`, `{"custom_id":"b","error":{"code":400,"message":"no","type":"x"},"more":1}`, "")
	if len(all) != 2 || *all[0].Error != (batch.Error{Message: "gone"}) || *all[1].Error != (batch.Error{Code: "400", Message: "no"}) {
		t.Errorf("%+v", all)
	}
}

// FuzzRead: what is read can be written and is read to the same again, and no answer
// is usable without an object.
func FuzzRead(f *testing.F) {
	f.Add([]byte(line(idA, "m", "1")))
	f.Add([]byte(`{"custom_id":"a","error":{"code":7}}`))
	for name, text := range refused {
		if !strings.Contains(name, "than") {
			f.Add([]byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		all, err := batch.Read("in.jsonl", bytes.NewReader(text))
		if err != nil {
			return
		}
		var again []byte
		for _, a := range all {
			if a.Usable() && a.Body.Kind() != '{' {
				t.Errorf("usable: %+v", a)
			}
			line, err := a.Line()
			if err != nil {
				t.Fatalf("%+v: %v", a, err)
			}
			again = append(again, line...)
		}
		back, err := batch.Read("again.jsonl", bytes.NewReader(again))
		if err != nil || !reflect.DeepEqual(back, all) {
			t.Errorf("%+v is read again as %+v, %v", all, back, err)
		}
	})
}
