package build_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/licet-dev/licet/internal/lab/authgate/build"
	"github.com/licet-dev/licet/internal/llm"
)

// offline is a model that is asked through files in a folder.
func offline(t testing.TB, dir string) build.Files {
	t.Helper()
	m, err := llm.NewOffline(llm.Config{Provider: llm.OpenAI, Endpoint: "http://127.0.0.1:1/v1", Model: author.Model})
	if err != nil {
		t.Fatal(err)
	}
	return build.Files{Model: m, Dir: dir, Settings: build.Settings{MaxTokens: 4000}}
}

var idForm = regexp.MustCompile(`^(I|II|IIb|III)_(se-\d{3})((?:-(?:inv|near|sig))?)-(d\d)_r(\d)_e1_[0-9a-f]{12}$`)

// answers answers a file of requests as the service would, by a script, and leaves
// out those of which drop is true.
func answers(t testing.TB, s *script, requests []byte, drop func(id string) bool) []byte {
	t.Helper()
	var out [][]byte
	for line := range bytes.Lines(requests) {
		var r struct {
			ID string `json:"custom_id"`
		}
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		m := idForm.FindStringSubmatch(r.ID)
		if m == nil {
			t.Fatalf("the id %s", r.ID)
		}
		round, err := strconv.Atoi(m[5])
		if err != nil {
			t.Fatal(err)
		}
		if drop != nil && drop(r.ID) {
			continue
		}
		a, err := s.Ask(t.Context(), build.Call{Stage: build.Stage(m[1]), Draft: m[2] + strings.Replace(m[3], "-", ".", 1) + "." + m[4], Round: round})
		if err != nil {
			t.Fatal(err)
		}
		message := fmt.Sprintf(`{"content":%s}`, text(t, a.Text))
		if a.Text == "" {
			message = `{"refusal":"no"}`
		}
		out = append(out, fmt.Appendf(nil, `{"id":"x","custom_id":%q,"response":{"status_code":200,"request_id":"r","body":{"model":%q,"choices":[{"finish_reason":"stop","message":%s}],"usage":{"prompt_tokens":7,"completion_tokens":3}}},"error":null}`+"\n", r.ID, author.Model, message))
	}
	slices.Reverse(out) // the order is arbitrary
	return bytes.Join(out, nil)
}

// wave exports a wave and returns its requests; nil is none.
func wave(t testing.TB, b *build.Build, f build.Files) []byte {
	t.Helper()
	paths, stopped, err := b.Export(f, build.Budget{Calls: 1000})
	if err != nil || stopped != "" || len(paths) > 1 {
		t.Fatalf("%q, stopped %q, %v", paths, stopped, err)
	}
	if len(paths) == 0 {
		return nil
	}
	requests, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	return requests
}

func take(t testing.TB, b *build.Build, f build.Files, text []byte) build.Imported {
	t.Helper()
	done, err := b.Import(f, "answers.jsonl", text)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// TestWaves is section 4.8 through files of requests and answers. A process writes one
// wave, and the next one reads its answers, twice.
func TestWaves(t *testing.T) {
	dir, p, s := filepath.Join(t.TempDir(), "out"), tenSlots(t), tenScript(t)
	f := offline(t, filepath.Join(t.TempDir(), "requests"))
	var sizes []int
	var all [][]byte
	for {
		b := open(t, dir, p)
		for _, text := range all[max(0, len(all)-1):] {
			take(t, b, f, text)
			if done := take(t, b, f, text); done != (build.Imported{}) {
				t.Errorf("importing again: %+v", done)
			}
		}
		requests := wave(t, b, f)
		if again := wave(t, b, f); !bytes.Equal(again, requests) {
			t.Error("another export has other bytes")
		}
		if requests == nil {
			_, got := ended(t, b, dir)
			shut(t, b)
			if want := []int{10, 4, 2, 2, 2, 10, 10, 10}; !slices.Equal(sizes, want) {
				t.Errorf("waves of %v calls, want %v", sizes, want)
			}
			killedWaves(t, dir, p, f, all, got)
			return
		}
		shut(t, b)
		sizes = append(sizes, bytes.Count(requests, []byte("\n")))
		all = append(all, answers(t, s, requests, nil))
	}
}

// killedWaves takes the journal of a build that has ended, cuts it after a record, and
// lets the build go on with the files of answers that there were.
func killedWaves(t *testing.T, dir string, p *build.Plan, f build.Files, all [][]byte, want map[string]string) {
	written := files(t, dir)
	records := strings.SplitAfter(written["/journal.jsonl"], "\n")
	if len(records) != 8+50+1 {
		t.Fatalf("%d records", len(records)-1)
	}
	for n := 1; n < len(records); n += 19 {
		dir := t.TempDir()
		written["/journal.jsonl"] = strings.Join(records[:n], "") + records[n][:len(records[n])/2]
		writeFiles(t, dir, written)
		b := open(t, dir, p)
		waves := strings.Count(strings.Join(records[:n], ""), `"wave":`)
		for i, text := range all {
			if i >= waves { // as the command does it: answers that there are, then the next wave
				wave(t, b, f)
			}
			if done := take(t, b, f, text); done.Unknown > 0 {
				t.Errorf("cut after %d records: %+v", n, done)
			}
		}
		if _, got := ended(t, b, dir); !maps.Equal(got, want) {
			t.Errorf("cut after %d records: other bytes", n)
		}
		shut(t, b)
	}
}

func writeFiles(t testing.TB, dir string, all map[string]string) {
	t.Helper()
	for name, text := range all {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLost: a call that a file says to be lost is in the next wave, once, however
// often the file is imported; one without a line waits; and what was not asked goes
// into quarantine.
func TestLost(t *testing.T) {
	dir, s := filepath.Join(t.TempDir(), "out"), &script{t: t}
	p := planOf(t, slotOf(t, "se-001"), slotOf(t, "se-002"), slotOf(t, "se-003"))
	f := offline(t, filepath.Join(t.TempDir(), "requests"))
	b := open(t, dir, p)
	defer shut(t, b)
	first := wave(t, b, f)
	text := answers(t, s, first, func(id string) bool { return !strings.HasPrefix(id, "I_se-001") })
	lostID := regexp.MustCompile(`I_se-002[^"]*`).FindString(string(first))
	text = fmt.Appendf(text, `{"id":"y","custom_id":%q,"response":null,"error":{"code":"batch_expired","message":"late"}}`+"\n", lostID)
	text = fmt.Appendf(text, `{"id":"z","custom_id":"I_other_r0_e1_aaaaaaaaaaaa","response":null,"error":{"code":"x"}}`+"\n")
	if done := take(t, b, f, text); done != (build.Imported{New: 1, Lost: 1, Unknown: 1}) {
		t.Errorf("%+v", done)
	}
	if done := take(t, b, f, text); done != (build.Imported{Unknown: 1}) {
		t.Errorf("again: %+v", done)
	}
	if kept := files(t, dir)["/quarantine.jsonl"]; strings.Count(kept, "\n") != 1 || !strings.Contains(kept, "I_other") {
		t.Errorf("in quarantine: %s", kept)
	}
	paths, _, err := b.Export(f, build.Budget{Calls: 100})
	if err != nil || len(paths) != 2 { // the first waits for se-003
		t.Fatalf("%q, %v", paths, err)
	}
	second, err := os.ReadFile(paths[1])
	if err != nil || !bytes.Contains(second, []byte(lostID)) || bytes.Count(second, []byte("\n")) != 1 {
		t.Errorf("the second wave: %s, %v", second, err)
	}
	if done := take(t, b, f, text); done != (build.Imported{Unknown: 1}) {
		t.Errorf("after the second wave: %+v", done)
	}
	if done := take(t, b, f, answers(t, s, append(first, second...), func(id string) bool { return strings.HasPrefix(id, "I_se-001") })); done.New != 2 {
		t.Errorf("the rest: %+v", done)
	}
	if r, err := b.Report(nil); err != nil || r.Stages[build.StageI].Drafts != 3 || r.Total.Calls != 3 || r.Asked != 4 {
		t.Errorf("%+v, %v", r, err)
	}
}
