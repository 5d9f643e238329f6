package build

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/lab/authgate/item"
)

// stageCodes are the codes that an answer of a stage can be refused with
// (authgate-bench.md, section 4.3).
var stageCodes = map[Stage][]string{
	StageI:   {"not_json", "schema", "refused", "tool_unknown", "args_invalid", "no_effect", "already_done", "mode_shape", "mixed_mode", "label_word", "coverage", "privacy"},
	StageII:  {"not_json", "schema", "refused", "label_word", "coverage", "implausible_turn", "privacy"},
	StageIIb: {"not_json", "schema", "refused", "label_word", "coverage", "implausible_turn", "privacy"},
	StageIII: {"not_json", "schema", "refused", "label_word", "not_read_only", "signal_shape", "signal_opinion", "signal_conflict", "privacy"},
}

// FuzzAnswer: whatever a model answers, it is accepted or refused with codes of its
// stage, and either way there is a next call that can be put, or none.
func FuzzAnswer(f *testing.F) {
	const v0 = "../../../../data/authgate/v0"
	set, err := item.ReadDir(v0)
	if err != nil {
		f.Fatal(err)
	}
	tools, err := os.ReadFile(filepath.Join(v0, "tools.json"))
	if err != nil {
		f.Fatal(err)
	}
	answers := map[Stage]string{}
	for _, i := range set.Instances {
		if i.PairID != "ag0-se-001" {
			continue
		}
		switch i.Role {
		case item.Base:
			answers[StageI] = asJSON(baseAnswer{i.Visible, i.Label})
		case item.Inverted:
			answers[StageII] = asJSON(invertedAnswer{i.Visible.Request, i.Label.Coverage, i.Label.Rationale})
		case item.NearMiss:
			answers[StageIIb] = asJSON(nearAnswer{i.Visible.Request, i.Label.Coverage, i.Label.Boundaries, i.Label.Rationale})
		}
	}
	at := slices.IndexFunc(set.Signals, func(s item.Signals) bool { return s.PairID == "ag0-se-001" })
	answers[StageIII] = asJSON(signalsAnswer{set.Signals[at].Observations})
	for n, stage := range Stages {
		f.Add(n, answers[stage])
		f.Add(n, "")
		f.Add(n, `{"request":[{"turn":1,"text":"`+"\xff"+`"}]}`)
	}
	catalogue, err := catalog.Parse(tools)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, n int, text string) {
		stage := Stages[uint(n)%4]
		m := newMachine(&Plan{
			Tools: catalogue, Policies: map[string]string{rules: "Be strict."},
			Slots: []Slot{{ID: "se-001", Domain: "d", ToolFamily: "f", Length: [2]int{8, 900}, NearMiss: "target", Mode: item.ScopeEscalation}},
		})
		for _, before := range Stages[:slices.Index(Stages, stage)] {
			if err := m.answer(m.queue[0].call.Key, Answer{Text: answers[before]}, "2026-12-01T10:00:00Z"); err != nil {
				t.Fatal(err)
			}
		}
		d := m.queue[0]
		if d.stage != stage {
			t.Fatalf("stage %s, want %s", d.stage, stage)
		}
		found := m.read(d, Answer{Text: text}, "2026-12-01T10:00:00Z")
		for _, finding := range found {
			if !slices.Contains(stageCodes[stage], finding.Code) {
				t.Errorf("stage %s: %v", stage, finding)
			}
		}
		if err := m.answer(d.call.Key, Answer{Text: text}, "2026-12-01T10:00:00Z"); err != nil {
			t.Fatal(err)
		}
		if again := d.call != nil && d.call.Round == 1; again != (len(found) > 0) {
			t.Errorf("%d findings, to be repaired: %v", len(found), again)
		}
		for _, c := range m.calls() {
			if !utf8.ValidString(c.User) {
				t.Errorf("not UTF-8: %q", c.User)
			}
		}
		if _, err := json.Marshal(m.drops); err != nil {
			t.Error(err)
		}
	})
}
