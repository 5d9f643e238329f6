package evidence_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/toolcall"
)

var noon = time.Date(2026, 11, 29, 12, 0, 0, 500_000_000, time.UTC)

// sealed returns a log of n records.
func sealed(t testing.TB, n int) []evidence.Record {
	t.Helper()
	head := evidence.Start()
	var log []evidence.Record
	for i := range n {
		kind := evidence.Kinds()[i%len(evidence.Kinds())]
		r, err := evidence.Seal(head, kind, fmt.Sprint("r", i), noon.Add(time.Duration(i)*time.Second), fmt.Appendf(nil, `{"n":%d}`, i))
		if err != nil {
			t.Fatal(err)
		}
		log = append(log, r)
		head = evidence.After(r)
	}
	return log
}

// verify returns the head after the log, or the first error.
func verify(log []evidence.Record) (evidence.Link, error) {
	var v evidence.Verifier
	for _, r := range log {
		if err := v.Next(r); err != nil {
			return v.Head(), err
		}
	}
	return v.Head(), nil
}

func TestSealRefuses(t *testing.T) {
	head := evidence.Start()
	seal := func(kind evidence.Kind, id string, at time.Time, body []byte) error {
		_, err := evidence.Seal(head, kind, id, at, body)
		return err
	}
	fits := make([]byte, evidence.MaxBody)
	if err := seal(evidence.Decision, strings.Repeat("n", evidence.MaxName), noon, fits); err != nil {
		t.Errorf("name and body at their bounds: %v", err)
	}
	for name, err := range map[string]error{
		"no name":           seal(evidence.Decision, "", noon, nil),
		"long name":         seal(evidence.Decision, strings.Repeat("n", evidence.MaxName+1), noon, nil),
		"name with NUL":     seal(evidence.Decision, "a\x00", noon, nil),
		"name not UTF-8":    seal(evidence.Decision, "a\xff", noon, nil),
		"no kind":           seal("", "a", noon, nil),
		"unknown kind":      seal("rumour", "a", noon, nil),
		"body over bound":   seal(evidence.Decision, "a", noon, append(fits, 0)),
		"time out of range": seal(evidence.Decision, "a", time.Date(2262, 1, 1, 0, 0, 0, 0, time.UTC), nil),
		"no time":           seal(evidence.Decision, "a", time.Time{}, nil),
	} {
		if err == nil {
			t.Errorf("%s: sealed", name)
		}
	}
	if _, err := evidence.Seal(evidence.Link{}, evidence.Decision, "a", noon, nil); err == nil {
		t.Error("a record was linked to the zero Link, which is the head of no log")
	}
}

func TestTimeNeverGoesBack(t *testing.T) {
	first := sealed(t, 1)[0]
	head := evidence.After(first)
	berlin := time.FixedZone("Berlin", 3600)
	for _, c := range []struct{ clock, want time.Time }{
		{noon.Add(-time.Hour), first.Time},
		{noon, first.Time},
		{noon.Add(time.Nanosecond).In(berlin), first.Time.Add(time.Nanosecond)},
	} {
		r, err := evidence.Seal(head, evidence.Outcome, "b", c.clock, []byte(`{}`))
		if err != nil || r.Time != c.want || head.At(c.clock) != c.want {
			t.Errorf("at %s: record of %s, %v, want %s", c.clock, r.Time, err, c.want)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	odd, err := evidence.Seal(evidence.Start(), evidence.Answer, `"ä\" `+"\u2028", noon, []byte(`{"a":[1e+30,"\n"]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range append(sealed(t, 5), odd) {
		line, err := want.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		got, err := evidence.Parse(line)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("read back %+v, %v, want %+v", got, err, want)
		}
		v, err := toolcall.Parse(line, toolcall.Bounds{})
		if err != nil || v.Canonical() != string(line) {
			t.Errorf("not canonical JSON: %s, %v", line, err)
		}
	}
}

func TestMarshalRefuses(t *testing.T) {
	for _, body := range []string{"", "no JSON", `{"a": 1}`, `{"b":1,"a":2}`, `{"a":1.0}`, `{} {}`} {
		r, err := evidence.Seal(evidence.Start(), evidence.Decision, "a", noon, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		if line, err := r.Marshal(); err == nil {
			t.Errorf("body %q, which is not canonical, was written as %s", body, line)
		}
	}
}

// marshalled returns a record as text, with one thing replaced in it.
func marshalled(t testing.TB, old, new string) string {
	t.Helper()
	line, err := sealed(t, 2)[1].Marshal()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(line), old) == 0 {
		t.Fatalf("%s does not hold %s", line, old)
	}
	return strings.Replace(string(line), old, new, 1)
}

func unreadable(t testing.TB) map[string]string {
	return map[string]string{
		"empty":              "",
		"no object":          "[]",
		"empty object":       "{}",
		"cut off":            marshalled(t, `"version":1}`, `"version":1`),
		"two values":         marshalled(t, `"version":1}`, `"version":1} {}`),
		"missing member":     marshalled(t, `"kind":"outcome",`, ``),
		"extra member":       marshalled(t, `"kind"`, `"extra":1,"kind"`),
		"duplicate member":   marshalled(t, `"kind"`, `"id":"r1","kind"`),
		"other member":       marshalled(t, `"kind"`, `"Kind"`),
		"newer version":      marshalled(t, `"version":1`, `"version":2`),
		"fractional index":   marshalled(t, `"index":1`, `"index":1.5`),
		"negative index":     marshalled(t, `"index":1`, `"index":-1`),
		"huge index":         marshalled(t, `"index":1`, `"index":9223372036854775808`),
		"text for a number":  marshalled(t, `"index":1`, `"index":"1"`),
		"number for a text":  marshalled(t, `"id":"r1"`, `"id":1`),
		"no name":            marshalled(t, `"id":"r1"`, `"id":""`),
		"unknown kind":       marshalled(t, `"outcome"`, `"rumour"`),
		"body is a text":     marshalled(t, `{"n":1}`, `"n"`),
		"body is null":       marshalled(t, `{"n":1}`, `null`),
		"hash in capitals":   marshalled(t, `"hash":"sha256:`, `"hash":"SHA256:`),
		"short hash":         marshalled(t, `"hash":"sha256:`, `"hash":"sha256:0`),
		"prev of no hash":    marshalled(t, `"prev":"sha256:`, `"prev":"md5:`),
		"body_digest cut":    marshalled(t, `"body_digest":"sha256:`, `"body_digest":"`),
		"local time":         marshalled(t, `12:00:01.5Z`, `13:00:01.5+01:00`),
		"zero more in time":  marshalled(t, `12:00:01.5Z`, `12:00:01.50Z`),
		"no time":            marshalled(t, `2026-11-29T12:00:01.5Z`, `yesterday`),
		"time out of range":  marshalled(t, `2026-11-29`, `2300-11-29`),
		"number over bounds": marshalled(t, `{"n":1}`, `{"n":1e9999}`),
	}
}

func TestParseRefuses(t *testing.T) {
	for name, line := range unreadable(t) {
		if r, err := evidence.Parse([]byte(line)); err == nil {
			t.Errorf("%s: read %s as %+v", name, line, r)
		}
	}
}

// TestParseLayout: white space and order of members are not part of a record.
func TestParseLayout(t *testing.T) {
	log := sealed(t, 2)
	text := marshalled(t, `"id":"r1",`, "")
	text = strings.Replace(text, `{"body":`, "{ \"id\" :\t\"r1\",\n \"body\": ", 1)
	r, err := evidence.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := verify([]evidence.Record{log[0], r}); err != nil {
		t.Errorf("a record in another layout: %v", err)
	}
}

// TestTampered changes every member of a record, and the log around it.
func TestTampered(t *testing.T) {
	other := sealed(t, 9)[8]
	member := func(change func(*evidence.Record)) func([]evidence.Record) []evidence.Record {
		return func(log []evidence.Record) []evidence.Record {
			change(&log[2])
			return log
		}
	}
	for name, tamper := range map[string]func([]evidence.Record) []evidence.Record{
		"index":       member(func(r *evidence.Record) { r.Index = 3 }),
		"id":          member(func(r *evidence.Record) { r.ID = "x" }),
		"time":        member(func(r *evidence.Record) { r.Time = r.Time.Add(time.Nanosecond) }),
		"kind":        member(func(r *evidence.Record) { r.Kind = evidence.Approver }),
		"no kind":     member(func(r *evidence.Record) { r.Kind = "rumour" }),
		"prev":        member(func(r *evidence.Record) { r.Prev = other.Prev }),
		"body digest": member(func(r *evidence.Record) { r.BodyDigest = other.BodyDigest }),
		"body":        member(func(r *evidence.Record) { r.Body = other.Body }),
		"body with its digest": member(func(r *evidence.Record) {
			r.Body, r.BodyDigest = other.Body, other.BodyDigest
		}),
		"hash":    member(func(r *evidence.Record) { r.Hash = other.Hash }),
		"dropped": func(log []evidence.Record) []evidence.Record { return slices.Delete(log, 2, 3) },
		"first dropped": func(log []evidence.Record) []evidence.Record {
			return log[1:]
		},
		"doubled":   func(log []evidence.Record) []evidence.Record { return slices.Insert(log, 2, log[1]) },
		"inserted":  func(log []evidence.Record) []evidence.Record { return slices.Insert(log, 2, other) },
		"reordered": func(log []evidence.Record) []evidence.Record { log[1], log[2] = log[2], log[1]; return log },
		"resealed": func(log []evidence.Record) []evidence.Record {
			r, err := evidence.Seal(evidence.After(log[1]), log[2].Kind, log[2].ID, log[2].Time, []byte(`{"n":7}`))
			if err != nil {
				t.Fatal(err)
			}
			log[2] = r
			return log
		},
		"time before the record before": func(log []evidence.Record) []evidence.Record {
			early := evidence.Link{Next: 2, Hash: log[1].Hash}
			r, err := evidence.Seal(early, log[2].Kind, log[2].ID, log[1].Time.Add(-time.Hour), log[2].Body)
			if err != nil {
				t.Fatal(err)
			}
			return append(log[:2], r)
		},
	} {
		log := sealed(t, 5)
		if _, err := verify(log); err != nil {
			t.Fatal(err)
		}
		head, err := verify(tamper(log))
		if !errors.Is(err, evidence.ErrTampered) {
			t.Errorf("%s: verification says %v", name, err)
		}
		if head.Next > 3 {
			t.Errorf("%s: found only at record %d", name, head.Next)
		}
	}
}

// TestCutOff: what is missing at the end shows only in the head.
func TestCutOff(t *testing.T) {
	log := sealed(t, 5)
	whole, err := verify(log)
	if err != nil || whole != evidence.After(log[4]) {
		t.Fatalf("head of the whole log: %+v, %v", whole, err)
	}
	if cut, err := verify(log[:4]); err != nil || cut == whole {
		t.Errorf("a log without its last record: head %+v, %v", cut, err)
	}
	if empty, err := verify(nil); err != nil || empty != evidence.Start() {
		t.Errorf("an empty log: head %+v, %v", empty, err)
	}
}

// TestAnyChange: whatever byte of a written log changes, it does not verify to
// the same head.
func TestAnyChange(t *testing.T) {
	log := sealed(t, 3)
	want := evidence.After(log[2])
	var lines [][]byte
	for _, r := range log {
		line, err := r.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	rapid.Check(t, func(t *rapid.T) {
		changed := slices.Clone(lines)
		i := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
		line := bytes.Clone(lines[i])
		at := rapid.IntRange(0, len(line)-1).Draw(t, "at")
		line[at] = rapid.Byte().Filter(func(b byte) bool { return b != line[at] }).Draw(t, "byte")
		changed[i] = line
		var v evidence.Verifier
		for _, line := range changed {
			r, err := evidence.Parse(line)
			if err != nil || v.Next(r) != nil {
				return
			}
		}
		if v.Head() == want {
			t.Errorf("byte %d of record %d is not covered: %s", at, i, line)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, line := range unreadable(f) {
		f.Add([]byte(line))
	}
	for _, r := range sealed(f, 4) {
		line, err := r.Marshal()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := evidence.Parse(line)
		if err != nil {
			return
		}
		first, err := r.Marshal()
		if err != nil {
			t.Fatalf("a record that was read can't be written: %v", err)
		}
		again, err := evidence.Parse(first)
		if err != nil {
			t.Fatalf("%s was written and can't be read: %v", first, err)
		}
		second, err := again.Marshal()
		if err != nil || !bytes.Equal(first, second) {
			t.Errorf("written %s, then %s, %v", first, second, err)
		}
	})
}

// TestWorkedExample recomputes the example of the specification.
func TestWorkedExample(t *testing.T) {
	page, err := os.ReadFile("../../docs/spec/evidence.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := func(pattern string, n int) []string {
		found := regexp.MustCompile("(?m)^"+pattern+"$").FindAllString(string(page), -1)
		if len(found) != n {
			t.Fatalf("the page shows %d lines like %s, want %d", len(found), pattern, n)
		}
		return found
	}
	var v evidence.Verifier
	var log []evidence.Record
	for _, line := range shown(`\{"body":.*\}`, 2) {
		r, err := evidence.Parse([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		if err := v.Next(r); err != nil {
			t.Error(err)
		}
		if again, err := r.Marshal(); err != nil || string(again) != line {
			t.Errorf("the example is written %s, %v", again, err)
		}
		log = append(log, r)
	}
	for what, c := range map[string]struct{ hashed, want string }{
		"body":   {shown(`\{"note":"first"\}`, 1)[0], log[0].BodyDigest},
		"header": {shown(`\{"body_digest":.*\}`, 1)[0], log[0].Hash},
		"result": {shown(`\{"body_digest":.*\}`, 1)[0], shown(`sha256:[0-9a-f]{64}`, 1)[0]},
	} {
		if got := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(c.hashed))); got != c.want {
			t.Errorf("%s: the example's digest is %s, the page says %s", what, got, c.want)
		}
	}
}
