package gate_test

import (
	"context"
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/gate"
	"github.com/licet-dev/licet/internal/judge"
	"github.com/licet-dev/licet/internal/signals"
	"github.com/licet-dev/licet/internal/testkit"
	"github.com/licet-dev/licet/internal/toolcall"
)

const signalledContract = `
version: 1
name: signalled
catalogs: {shop: {pin: PIN, tools: shop.json}}
agents:
  buyer:
    tools:
      shop.run:
        never: [{$signal: {git_state.branch: {const: release}}}]
        allow: [{command: {shell: {run: [rm, touch], write: ["${workspace}/**"]}}, $signal: {git_targets.modified: {max: 0}}}]
        judge: [{command: {shell: {run: [rm], write: ["${workspace}/**"]}}}]
`

// newSignalled is a bench whose collectors see what is given.
func newSignalled(t *testing.T, collect gate.Collect) *bench {
	b := newJudged(t, judge.Grounded{})
	b.contract = testkit.Contract(t, signalledContract, judgedCatalog)
	b.signals = collect
	b.open(b.store)
	return b
}

// seeing returns a collector that sees a branch, and how many files are modified
// (unknown if it is negative).
func seeing(branch string, files int64, asked *[]signals.Input) gate.Collect {
	return func(_ context.Context, in signals.Input) signals.Report {
		*asked = append(*asked, in)
		n, err := toolcall.ParseDecimal(map[bool]string{true: "0", false: "3"}[files <= 0])
		if err != nil {
			panic(err)
		}
		all := []constraint.Signal{
			{ID: "s1", Collector: "git_state", Key: "branch", Value: toolcall.StringOf(branch), Complete: branch != ""},
			{ID: "s2", Collector: "git_targets", Key: "modified", Complete: files >= 0,
				Value: toolcall.ObjectOf(toolcall.Member{Name: "count", Value: toolcall.NumberOf(n)})},
		}
		return signals.Report{Signals: all, Digest: signals.Digest(all)}
	}
}

// TestSignalConditions: what collectors see decides, what they do not see permits
// nothing and forbids, and the record holds it.
func TestSignalConditions(t *testing.T) {
	const rm = `{"command": "rm old.txt"}`
	for _, tt := range []struct {
		branch  string
		files   int64
		verdict authz.Verdict
		code    authz.Code
	}{
		{"main", 0, authz.Allow, authz.AllowClause},
		{"main", 3, authz.Block, authz.JudgeBlock},
		{"main", -1, authz.Block, authz.JudgeBlock},
		{"release", 0, authz.Block, authz.NeverClause},
		{"Release", 0, authz.Block, authz.NeverClause},
		{"", 0, authz.Block, authz.NeverClause},
	} {
		var asked []signals.Input
		b := newSignalled(t, seeing(tt.branch, tt.files, &asked))
		b.want(b.check(b.said("run", rm, "Tidy up")), tt.verdict, tt.code)
		if len(asked) == 0 || strings.Join(asked[0].Want, " ") != "git_state git_targets" {
			t.Errorf("asked for %v", asked)
		}
		all := b.records(evidence.Decision)
		kept, _ := all[len(all)-1]["signals"].(map[string]any)
		if kept["digest"] == nil || len(kept["observations"].([]any)) != 2 {
			t.Errorf("recorded %v", kept)
		}
	}
}

// TestNoCollectors: a gate without collectors knows no signal.
func TestNoCollectors(t *testing.T) {
	b := newSignalled(t, nil)
	b.want(b.check(b.said("run", `{"command": "rm old.txt"}`, "Delete old.txt")), authz.Block, authz.NeverClause)
}

// TestSignalsForTheJudge: a call that is handed over is looked at before the judge
// is asked, and no turn of the user reaches a collector.
func TestSignalsForTheJudge(t *testing.T) {
	var asked []signals.Input
	b := newJudged(t, judge.Grounded{})
	b.signals = seeing("main", 0, &asked)
	b.open(b.store)
	j, err := b.gate.Opine(t.Context(), b.said("run", `{"command": "rm old.txt"}`, "Delete old.txt"))
	if err != nil || len(j.Case.Signals) != 2 || j.Case.Signals[0].ID != "s1" {
		t.Fatalf("%+v, %v", j.Case.Signals, err)
	}
	if len(asked) != 1 || len(asked[0].Effects) != 2 || len(asked[0].Want) > 0 {
		t.Errorf("asked %+v", asked)
	}
	b.want(b.check(b.said("run", `{"command": "rm old.txt"}`, "Delete old.txt")), authz.Allow, authz.JudgeAllow)
	if o := b.opinion(); o["signals_digest"] != signals.Digest(j.Case.Signals) {
		t.Errorf("recorded %v", o)
	}
	if _, err := b.gate.Opine(t.Context(), b.said("look", `{"what": "x"}`, "How?")); err != nil {
		t.Error(err)
	}
}

// TestSignalsKnowNoRequest: collectors are asked the same after every request, and
// nothing that they are given has a word of it (judge.md, section 11.1).
func TestSignalsKnowNoRequest(t *testing.T) {
	given := func(request string) string {
		var asked []signals.Input
		b := newSignalled(t, seeing("main", 3, &asked))
		b.check(b.said("run", `{"command": "rm old.txt"}`, request))
		if len(asked) == 0 {
			t.Fatal("nobody was asked")
		}
		if text := fmt.Sprintf("%+v", asked); strings.Contains(text, "xylophone") {
			t.Errorf("given %s", text)
		}
		first := fmt.Sprint(asked[0].Want)
		for _, e := range asked[0].Effects {
			first += fmt.Sprintln(e.ID, e.Op, e.Kind, path.Base(e.Target))
		}
		return first
	}
	if forbids, orders := given("Look at old.txt, xylophone, and delete nothing."), given("Delete old.txt, xylophone."); forbids != orders {
		t.Errorf("after one request\n%s\nand after the other\n%s", forbids, orders)
	}
}

// TestSessionMade: a file that a granted call of the session was to make is its
// own, to later calls of this session and to no other.
func TestSessionMade(t *testing.T) {
	var asked []signals.Input
	b := newSignalled(t, seeing("main", 0, &asked))
	b.want(b.check(b.said("run", `{"command": "touch new.txt old.txt"}`)), authz.Allow, authz.AllowClause)
	b.want(b.check(b.said("run", `{"command": "rm old.txt"}`)), authz.Allow, authz.AllowClause)
	last := asked[len(asked)-1].Session
	if !last.Known || !last.Made(b.places.Workspace+"/new.txt") || last.Made(b.places.Workspace+"/old.txt") {
		t.Errorf("session %+v", last)
	}
	other := b.said("run", `{"command": "rm old.txt"}`)
	other.Session = "another"
	b.check(other)
	if other := asked[len(asked)-1].Session; !other.Known || other.Made(b.places.Workspace+"/new.txt") {
		t.Errorf("another session %+v", other)
	}
}
