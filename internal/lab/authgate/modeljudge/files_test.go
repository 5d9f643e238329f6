package modeljudge_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/lab/authgate/modeljudge"
	"github.com/licet-dev/licet/internal/lab/authgate/result"
	"github.com/licet-dev/licet/internal/lab/authgate/run"
	"github.com/licet-dev/licet/internal/lab/fakellm"
)

func openFiles(t testing.TB, dir string) *modeljudge.Files {
	t.Helper()
	f, err := modeljudge.OpenFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func export(t testing.TB, f *modeljudge.Files) []string {
	t.Helper()
	paths, err := f.Export()
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// texts returns what is in files, one after the other.
func texts(t testing.TB, paths []string) string {
	t.Helper()
	var all strings.Builder
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

// answer has requests answered by a script, into a new file.
func answer(t testing.TB, script, requests string) string {
	t.Helper()
	s, err := fakellm.Parse("script.yaml", []byte(script))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := s.AnswerBatch(strings.NewReader(requests), &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "answers.jsonl")
	if err := os.WriteFile(path, out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// through is a run whose model is asked through files.
type through struct {
	t            *testing.T
	runs, folder string
	files        *modeljudge.Files
}

// goOn runs what can be run, and returns how many questions wait, and the rows.
func (r *through) goOn() (int, []result.Row) {
	r.t.Helper()
	r.files = openFiles(r.t, r.folder)
	j, err := modeljudge.NewOffline(options("https://api.example.org"), r.files)
	if err != nil {
		r.t.Fatal(err)
	}
	out, rows, err := play(r.t, r.runs, plan(j))
	if err != nil {
		r.t.Fatal(err)
	}
	return out.Open[run.Waiting], rows
}

// TestThroughFiles: a run through files comes, in waves, to what a live run comes to.
// Repairs are due when the first answers are imported, a failure of the service is
// asked again, and to export or import something again changes nothing.
func TestThroughFiles(t *testing.T) {
	const script = `rules: [{when: {match: "was not of the form"}, verdict: {decision: block, rationale: late}}, {when: {match: "Make some"}, text: "Well."}, {text: '` + plainAllow + `'}]`
	const broken = `rules: [{when: {match: "cache/tmp"}, fault: server}, {when: {match: "Remove cache"}, fault: hang}, {when: {match: "Make some"}, text: "Well."}]`
	r := &through{t: t, runs: t.TempDir(), folder: filepath.Join(t.TempDir(), "batch")}
	if waiting, rows := r.goOn(); waiting != 6 || len(rows) != 0 {
		t.Fatalf("%d wait, %d rows", waiting, len(rows))
	}
	first := export(t, r.files)
	requests := texts(t, first)
	r.goOn()
	if again := texts(t, export(t, r.files)); again != requests || strings.Count(requests, "\n") != 6 {
		t.Errorf("exported again it is\n%s", again)
	}
	bad := answer(t, broken, requests)
	in, err := r.files.Import(bad)
	if err != nil || len(in.New) != 2 || len(in.Failed) != 4 || len(in.Waiting) != 4 {
		t.Fatalf("%+v, %v", in, err)
	}
	waiting, rows := r.goOn()
	second := texts(t, export(t, r.files))
	if waiting != 6 || len(rows) != 0 || strings.Count(second, "_r1_e1_") != 2 || strings.Count(second, "_r0_e1_") != 4 {
		t.Fatalf("%d wait, %d rows, and these requests:\n%s", waiting, len(rows), second)
	}
	good := answer(t, script, second)
	if in, err = r.files.Import(bad, good); err != nil || len(in.New) != 6 || len(in.Failed) != 0 || in.Repeated != 2 {
		t.Fatalf("%+v, %v", in, err)
	}
	kept := texts(t, []string{filepath.Join(r.folder, "answers.jsonl")})
	if in, err = r.files.Import(good); err != nil || len(in.New) != 0 || in.Repeated != 6 || texts(t, []string{filepath.Join(r.folder, "answers.jsonl")}) != kept {
		t.Errorf("again: %+v, %v", in, err)
	}
	waiting, rows = r.goOn()
	if waiting != 0 || len(rows) != 6 || len(export(t, r.files)) != 0 {
		t.Fatalf("%d wait, %d rows", waiting, len(rows))
	}
	if left, err := filepath.Glob(filepath.Join(r.folder, "requests*")); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	_, want, err := play(t, t.TempDir(), plan(live(t, options(serve(t, script).URL))))
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range rows {
		if w := want[i]; got.Item != w.Item || got.RawDecision != w.RawDecision || got.Rationale != w.Rationale || *got.Tokens != *w.Tokens || got.Cost != w.Cost || got.Retries != w.Retries || got.LatencyMS != nil {
			t.Errorf("%+v, live it is %+v", got, w)
		}
		if got.Judge != result.Scripted { // the script says so in its answers
			t.Errorf("%s: %s", got.Item, got.Judge)
		}
	}
}

// TestForeignAnswers: what nobody asked goes to quarantine and is an error, and all
// else is taken up. What another model answered is not taken up, unless the list of
// models has its name. Whoever answers, a row says batch.
func TestForeignAnswers(t *testing.T) {
	r := &through{t: t, runs: t.TempDir(), folder: t.TempDir()}
	r.goOn()
	requests := texts(t, export(t, r.files))
	path := answer(t, `rules: [{text: '`+plainAllow+`'}]`, requests)
	text := strings.ReplaceAll(texts(t, []string{path}), `"system_fingerprint":"scripted"`, `"system_fingerprint":"x"`)
	write := func(text string) string {
		path := filepath.Join(t.TempDir(), "answers.jsonl")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if _, err := r.files.Import(write(strings.ReplaceAll(text, `"model":"m"`, `"model":"n"`))); err == nil || !strings.Contains(err.Error(), `answered by "n", and "m" was asked`) {
		t.Errorf("another model: %v", err)
	}
	strange := write(strings.Replace(text, "eval_canary-inv", "eval_canary-odd", 1))
	for range 2 {
		in, err := r.files.Import(strange)
		if err == nil || !strings.Contains(err.Error(), "1 answers to what this run did not ask") || len(in.Unknown) != 1 || len(in.Waiting) != 1 {
			t.Errorf("%+v, %v", in, err)
		}
	}
	if n := strings.Count(texts(t, []string{filepath.Join(r.folder, "quarantine.jsonl")}), "\n"); n != 1 {
		t.Errorf("%d lines in quarantine", n)
	}
	waiting, rows := r.goOn()
	if waiting != 1 || len(rows) != 5 || rows[0].Judge != result.Batch || rows[0].ModelReported != "m" || rows[0].Started != "" {
		t.Errorf("%d wait, %+v", waiting, rows)
	}
	o := options("https://api.example.org")
	o.Model.Config.Provider = "anthropic"
	if _, err := modeljudge.NewOffline(o, r.files); err == nil {
		t.Error("a file for another API")
	}
}
