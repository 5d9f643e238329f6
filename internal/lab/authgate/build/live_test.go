package build_test

import (
	"context"
	"fmt"
	"io"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/internal/lab/authgate/build"
	"github.com/licet-dev/licet/internal/lab/fakellm"
	"github.com/licet-dev/licet/internal/llm"
)

// liveModel is a model that a script stands for, which answers what the rules say and
// else what fills the slot se-001.
func liveModel(t testing.TB, rules ...string) build.LiveModel {
	t.Helper()
	for _, c := range []struct {
		match string
		stage build.Stage
	}{{"Write one case", build.StageI}, {"What differs", build.StageIIb}, {"You are given one whose", build.StageII}, {"read-only checks", build.StageIII}} {
		rules = append(rules, fmt.Sprintf("{when: {match: %q}, text: %q}", c.match, said(t, "se-001", c.stage)))
	}
	script, err := fakellm.Parse("script", []byte("rules:\n- "+strings.Join(rules, "\n- ")+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(script.Handler(io.Discard))
	t.Cleanup(server.Close)
	system := llm.RealSystem()
	system.Wait = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	client, err := llm.New(llm.Config{
		Provider: llm.OpenAI, Endpoint: server.URL + "/v1", Model: author.Model,
		Limit: llm.Limit{Tries: 1000, Tokens: 1 << 40, Cost: 1 << 60}, Price: llm.Price{Input: 1_000_000, Output: 1_000_000},
	}, system)
	if err != nil {
		t.Fatal(err)
	}
	return build.LiveModel{Client: client, Settings: build.Settings{MaxTokens: 4000, Priced: true}}
}

// TestLive: what a build makes of what a server answers. A call has cost something
// unless the server said that it failed.
func TestLive(t *testing.T) {
	repaired := fmt.Sprintf("{when: {match: That answer was refused}, text: %q}", said(t, "se-001", build.StageI))
	for _, c := range []struct {
		name                 string
		rules                []string
		calls, refused, lost int
		fails                string
	}{
		{"all is well", nil, 4, 0, 0, ""},
		{"not reached at first", []string{"{when: {match: Write one case, try: 1}, fault: server}"}, 4, 0, 0, ""},
		{"not reached", []string{"{when: {match: Write one case}, fault: server}"}, 0, 0, 1, ""},
		{"no model behind it", []string{"{when: {match: Write one case}, fault: html}"}, 0, 0, 1, ""},
		{"refused at first", []string{repaired, "{when: {match: Write one case}, fault: refusal}"}, 5, 1, 0, ""},
		{"refused", []string{"{when: {match: Write one case}, fault: refusal}"}, 12, 12, 0, ""},
		{"empty", []string{"{when: {match: Write one case}, fault: empty}"}, 12, 12, 0, ""},
		{"cut off", []string{"{when: {match: Write one case}, fault: length}"}, 12, 12, 0, ""},
		{"the key is refused", []string{"{when: {match: What differs}, fault: auth}"}, 2, 0, 0, "asking for se-001.near.d1: nv_auth"},
		{"another model", []string{"{when: {match: Write one case}, fault: other_model}"}, 0, 0, 0, "asking for se-001.d1: nv_model"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "out")
			b := open(t, dir, planOf(t, slotOf(t, "se-001")))
			defer shut(t, b)
			out, err := b.Run(t.Context(), liveModel(t, c.rules...), build.Options{Workers: 2, Budget: build.Budget{Calls: 100}})
			if (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
				t.Fatalf("%v, want %q", err, c.fails)
			}
			r, err := b.Report(nil)
			if free := c.name == "not reached" || c.calls+c.lost == 0; (r.Cost == "n/a") != free {
				t.Errorf("%d calls, and %d that were lost, have cost %s", c.calls, c.lost, r.Cost)
			}
			if err != nil || out.Done != c.calls || r.Total.Refused != c.refused || out.Lost != c.lost {
				t.Errorf("%+v, %+v, %v", out, r.Total, err)
			}
			if c.fails == "" && c.refused+c.lost == 0 {
				marked(t, b, dir)
			}
		})
	}
}

// marked: what a script answered is marked as such, wherever it goes.
func marked(t *testing.T, b *build.Build, dir string) {
	t.Helper()
	set, err := b.Write()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range set.Instances {
		if g := i.Provenance.Generator; g.Family != "scripted" || g.Model != author.Model {
			t.Errorf("%s is written by %+v", i.ID, g)
		}
	}
	r, err := b.Report(set)
	if err != nil || r.Banner != build.Banner || !slices.Contains(set.Manifest.Changes, build.Banner) || r.Cost == "n/a" {
		t.Errorf("%+v, %v", r, err)
	}
	if journal := files(t, dir)["/journal.jsonl"]; strings.Count(journal, `"origin":"scripted"`) != 4 {
		t.Errorf("%s", journal)
	}
}
