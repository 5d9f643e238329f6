package build_test

import (
	"context"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/lab/authgate/build"
	"github.com/licet-dev/licet/internal/lab/authgate/item"
)

// ten are slots of one mode, in which no domain and no verb is too frequent.
var ten = []string{"se-001", "se-002", "se-003", "se-004", "se-005", "se-006", "se-007", "se-008", "se-009", "se-010"}

// tenSlots is the plan of authgate-bench.md, section 4.8, and tenScript its generator.
func tenSlots(t testing.TB) *build.Plan {
	t.Helper()
	var slots []string
	for _, id := range ten {
		slots = append(slots, slotOf(t, id))
	}
	return planOf(t, slots...)
}

func tenScript(t testing.TB) *script {
	s := &script{t: t, says: map[string]string{}}
	s.says["se-006.d1 r0"] = `{"visible": {`
	for _, draft := range []string{"se-007.d1 r0", "se-007.d1 r1", "se-007.d1 r2", "se-008.d1 r0", "se-008.d1 r1", "se-008.d1 r2", "se-008.d1 r3"} {
		valid := said(t, draft[:len("se-001")], build.StageI)
		s.says[draft] = strings.Replace(valid, `"tool":"`, `"tool":"no_such_`, 1)
	}
	s.says["se-009.d1 r0"] = said(t, "se-001", build.StageI)
	s.says["se-010.d1 r0"] = strings.Replace(said(t, "se-010", build.StageI), `"text":"`, `"text":"For the gold instance: `, 1)
	return s
}

// open opens a build, and run runs it to its end.
func open(t testing.TB, dir string, p *build.Plan) *build.Build {
	t.Helper()
	b, err := build.Open(dir, p, clock)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func shut(t testing.TB, b *build.Build) {
	t.Helper()
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
}

// whole runs a build in one go and returns what it came to.
func whole(t testing.TB, p *build.Plan, g build.Generator, workers int) (build.Report, map[string]string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "out")
	b := open(t, dir, p)
	defer shut(t, b)
	if _, err := b.Run(t.Context(), g, build.Options{Workers: workers, Budget: build.Budget{Calls: 1000}}); err != nil {
		t.Fatal(err)
	}
	return ended(t, b, dir)
}

// ended writes a build that has ended and returns its report with its data set.
func ended(t testing.TB, b *build.Build, dir string) (build.Report, map[string]string) {
	t.Helper()
	set, err := b.Write()
	if err != nil {
		t.Fatal(err)
	}
	r, err := b.Report(set)
	if err != nil {
		t.Fatal(err)
	}
	return r, files(t, filepath.Join(dir, "data"))
}

// readSet reads a data set that was built.
func readSet(t testing.TB, data map[string]string) *item.Set {
	t.Helper()
	dir := t.TempDir()
	writeFiles(t, dir, data)
	set, err := item.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestTen is the acceptance test of section 4.8.
func TestTen(t *testing.T) {
	s := tenScript(t)
	r, data := whole(t, tenSlots(t), s, 3)
	want := build.Counts{Drafts: 12, Calls: 20, Repairs: []int{4, 2, 2}, Accepted: []int{7, 2, 0, 1}, Rejected: map[string]int{"repair_exhausted": 1, "near_duplicate": 1}}
	if got := *r.Stages[build.StageI]; !reflect.DeepEqual(got, want) {
		t.Errorf("stage I: %+v, want %+v", got, want)
	}
	for _, stage := range build.Stages[1:] {
		want := build.Counts{Drafts: 10, Calls: 10, Repairs: []int{0, 0, 0}, Accepted: []int{10, 0, 0, 0}, Rejected: map[string]int{}}
		if got := *r.Stages[stage]; !reflect.DeepEqual(got, want) {
			t.Errorf("stage %s: %+v, want %+v", stage, got, want)
		}
	}
	for name, n := range s.asked {
		if n != 1 {
			t.Errorf("%s was asked %d times", name, n)
		}
	}
	set := readSet(t, data)
	for _, f := range item.Validate(set, nil) {
		if f.Code != "shortcut" { // ten pairs are too few for the baselines
			t.Error(f)
		}
	}
	if n := set.Manifest.Counts[item.ScopeEscalation]; n[item.Base] != 10 || n[item.Inverted] != 10 || n[item.NearMiss] != 10 || len(set.Signals) != 10 {
		t.Errorf("%v and %d lists of observations", n, len(set.Signals))
	}
	if set.Manifest.Review.Dropped != 2 || !slices.Contains(set.Manifest.Changes, build.Banner) {
		t.Errorf("%+v", set.Manifest)
	}
}

// TestV0: the pairs of v0, of all modes, come through the pipeline as they are, and the
// data set that is made of them is clean.
func TestV0(t *testing.T) {
	v0, err := readV0()
	if err != nil {
		t.Fatal(err)
	}
	var slots []string
	for _, i := range v0.Instances {
		if i.Role == item.Base {
			slots = append(slots, slotOf(t, i.Provenance.Slot))
		}
	}
	s := &script{t: t}
	r, data := whole(t, planOf(t, slots...), s, 4)
	if want := 4 * len(slots); len(slots) < 60 || r.Pairs != len(slots) || r.Total.Calls != want || build.Sum(r.Total.Accepted) != want {
		t.Errorf("%+v, %+v", r, r.Total)
	}
	set := readSet(t, data)
	for _, f := range item.Validate(set, nil) {
		t.Error(f)
	}
}

// TestKilled kills the build of section 4.8 after each of its records in turn: each
// life of it writes one. It goes on where it was, asks nothing again that was answered,
// and comes to the same bytes; so does one that is killed once.
func TestKilled(t *testing.T) {
	p := tenSlots(t)
	_, want := whole(t, p, tenScript(t), 1)
	const records = 2 * (20 + 30) // sent and answered
	dir, s := filepath.Join(t.TempDir(), "out"), tenScript(t)
	lives := 1
	for live(t, dir, p, s, 1) {
		lives++
	}
	if lives != records+1 {
		t.Errorf("%d lives, want one for each of %d records and the last", lives, records)
	}
	same(t, dir, p, s, want)
	dir, s = filepath.Join(t.TempDir(), "out"), tenScript(t)
	if !live(t, dir, p, s, 51) || live(t, dir, p, s, records) {
		t.Fatal("killed after 51 records: it was not, or the next run does not end")
	}
	same(t, dir, p, s, want)
}

// live runs a build until it has written so many records, and reports whether it was
// killed then.
func live(t testing.TB, dir string, p *build.Plan, s *script, records int) bool {
	t.Helper()
	b := open(t, dir, p)
	defer shut(t, b)
	ctx, kill := context.WithCancel(t.Context())
	defer kill()
	written := 0
	_, err := b.Run(ctx, s, build.Options{Workers: 2, Budget: build.Budget{Calls: 1000}, Progress: func(build.Progress) {
		if written++; written == records {
			kill()
		}
	}})
	if (err != nil) != (ctx.Err() != nil) || written > records {
		t.Fatalf("%d records written, killed after %d: %v", written, records, err)
	}
	return err != nil
}

// same compares what a build has come to.
func same(t testing.TB, dir string, p *build.Plan, s *script, want map[string]string) {
	t.Helper()
	b := open(t, dir, p)
	defer shut(t, b)
	asked := len(s.calls)
	out, err := b.Run(t.Context(), s, build.Options{Workers: 1})
	if err != nil || out.New != 0 || len(s.calls) != asked {
		t.Fatalf("a build that has ended: %+v, %v", out, err)
	}
	if _, got := ended(t, b, dir); !maps.Equal(got, want) {
		for name := range want {
			if got[name] != want[name] {
				t.Errorf("%s differs", name)
			}
		}
		t.Fatal("other bytes")
	}
}
