package result_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/lab/authgate/result"
	"github.com/licet-dev/licet/internal/lab/authgate/result/resulttest"
)

func good() result.Row {
	return result.Row{
		Schema: result.Schema, Run: "r", Dataset: "sha256:x", Item: "a-base-signals", Instance: "a-base", Form: result.Signals, Policy: "rules", Model: "m", Epoch: 1, CallKey: "k",
		Outcome: result.Verdict, RawDecision: result.Allow, CheckedDecision: result.Block, CheckCodes: []string{"uncovered"}, Confidence: "0.93", ConfidenceSource: "stated",
		Tokens: &result.Tokens{Input: 10, Cached: 4, Output: 1}, Cost: "0.0001", LatencyMS: new(int64(12)), Judge: result.Live,
	}
}

func lines(t testing.TB, rows ...result.Row) string {
	t.Helper()
	return resulttest.Text(t, rows)
}

func TestRoundTrip(t *testing.T) {
	second := good()
	second.Epoch, second.Outcome, second.Reason, second.RawDecision, second.CheckedDecision, second.CheckCodes = 2, result.NoVerdict, "nv_timeout", "", "", nil
	text := lines(t, second, good())
	rows, err := result.Read(strings.NewReader("\n" + text))
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 2 || rows[0].Epoch != 1 || rows[1].Reason != "nv_timeout" || *rows[0].LatencyMS != 12 {
		t.Errorf("%+v", rows)
	}
	if again := lines(t, rows...); again != text {
		t.Errorf("%s, and again %s", text, again)
	}
}

// TestRefuses: each of these is wrong in one way, and no line with it is read or written.
func TestRefuses(t *testing.T) {
	for name, change := range map[string]func(*result.Row){
		"schema":                      func(r *result.Row) { r.Schema = "licet.authgate.result/2" },
		"form":                        func(r *result.Row) { r.Form = "loud"; r.Item = "a-base-loud" },
		"form without a collector":    func(r *result.Row) { r.Form = result.Without(""); r.Item = result.Item(r.Instance, r.Form) },
		"item of another":             func(r *result.Row) { r.Item = "b-base-signals" },
		"instance":                    func(r *result.Row) { r.Instance = "a b"; r.Item = "a b-signals" },
		"no model":                    func(r *result.Row) { r.Model = "" },
		"no data set":                 func(r *result.Row) { r.Dataset = "" },
		"no call key":                 func(r *result.Row) { r.CallKey = "" },
		"epoch":                       func(r *result.Row) { r.Epoch = 0 },
		"epochs without end":          func(r *result.Row) { r.Epoch = 1001 },
		"judge":                       func(r *result.Row) { r.Judge = "" },
		"cache":                       func(r *result.Row) { r.Cache = "miss" },
		"outcome":                     func(r *result.Row) { r.Outcome = "" },
		"a verdict without decision":  func(r *result.Row) { r.RawDecision = "" },
		"a verdict with a reason":     func(r *result.Row) { r.Reason = "nv_timeout" },
		"a decision of no verdict":    func(r *result.Row) { r.Outcome, r.Reason = result.NoVerdict, "nv_timeout" },
		"no verdict without a reason": func(r *result.Row) { r.Outcome, r.RawDecision, r.CheckedDecision = result.NoVerdict, "", "" },
		"a word that is no decision":  func(r *result.Row) { r.RawDecision = "deny" },
		"a check that allows":         func(r *result.Row) { r.RawDecision, r.CheckedDecision = result.Block, result.Allow },
		"a check that is surer":       func(r *result.Row) { r.RawDecision, r.CheckedDecision = result.Unsure, result.Allow },
		"confidence":                  func(r *result.Row) { r.Confidence = "1.1" },
		"confidence of nowhere":       func(r *result.Row) { r.ConfidenceSource = "" },
		"cost":                        func(r *result.Row) { r.Cost = "-1" },
		"cost as a float":             func(r *result.Row) { r.Cost = "1e-4" },
		"tokens":                      func(r *result.Row) { r.Tokens.Cached = 11 },
		"latency":                     func(r *result.Row) { r.LatencyMS = new(int64(-1)) },
	} {
		r := good()
		change(&r)
		if line, err := r.Line(); err == nil {
			t.Errorf("%s: written as %s", name, line)
		}
	}
	line := lines(t, good())
	for name, text := range map[string]string{
		"twice":             line + line,
		"an unknown member": strings.Replace(line, `{`, `{"gold":"block",`, 1),
		"a member twice":    strings.Replace(line, `{`, `{"run":"r",`, 1),
		"no JSON":           "x",
		"two in a line":     strings.TrimSpace(line) + strings.TrimSpace(line),
	} {
		if rows, err := result.Read(strings.NewReader(text)); err == nil {
			t.Errorf("%s: read as %+v", name, rows)
		}
	}
}

// FuzzRead: what is read can be written, and reads the same.
func FuzzRead(f *testing.F) {
	line := lines(f, good())
	f.Add(line)
	f.Add(line + strings.Replace(line, `"epoch":1`, `"epoch":2`, 1))
	f.Add(strings.Replace(line, `"allow"`, `"unsure"`, 1))
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := result.Read(strings.NewReader(text))
		if err != nil {
			return
		}
		again, err := result.Read(strings.NewReader(lines(t, rows...)))
		if err != nil || !slices.EqualFunc(rows, again, func(a, b result.Row) bool {
			return a.Key() == b.Key() && a.RawDecision == b.RawDecision && a.Outcome == b.Outcome
		}) {
			t.Errorf("%v, and again %v, %v", rows, again, err)
		}
	})
}
