package build_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/licet-dev/licet/internal/lab/authgate/build"
	"github.com/licet-dev/licet/internal/lab/authgate/item"
)

// always says the same in all four rounds of drafts.
func (s *script) always(text string, drafts ...string) {
	for _, d := range drafts {
		for round := range 4 {
			s.says[fmt.Sprintf("%s r%d", d, round)] = text
		}
	}
}

// cameTo lists the drafts that became rows, and those that were dropped with why.
func cameTo(t testing.TB, data map[string]string) (rows, drops []string) {
	t.Helper()
	for line := range strings.Lines(data["/instances.jsonl"]) {
		var row struct {
			Provenance struct {
				Draft string `json:"draft"`
			} `json:"provenance"`
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, strings.TrimPrefix(row.Provenance.Draft, "se-00"))
	}
	for line := range strings.Lines(data["/drops.jsonl"]) {
		var drop struct {
			ID    string   `json:"id"`
			Codes []string `json:"codes"`
		}
		if err := json.Unmarshal([]byte(line), &drop); err != nil {
			t.Fatal(err)
		}
		drops = append(drops, strings.TrimPrefix(drop.ID, "se-00")+" "+strings.Join(drop.Codes, " "))
	}
	return rows, drops
}

// TestGoesBack: what becomes of a slot of which a stage fails, of two. Four drafts are
// for a row, and six of a stage for a mode of two slots.
func TestGoesBack(t *testing.T) {
	const bad, exhausted = "no", " repair_exhausted not_json"
	unused := func(s *script) { // the first request says what the observations contradict
		s.says["se-001.inv.d1 r0"] = strings.Replace(said(t, "se-001", build.StageII), `"text":"`, `"text":"The database is unused. `, 1)
		s.says["se-001.sig.d1 r0"] = `{"observations":[` + observation("s1", "open_files", "holders", `{"count":2}`, "/proc/*/fd") + "," +
			observation("s2", "db_target", "database", `"crm_main"`, "key names of env files") + "," + observation("s3", "db_target", "environment", `"production"`, "key names of env files") + `]}`
	}
	for _, c := range []struct {
		name               string
		says               func(*script)
		rows, drops, short []string
	}{
		{"all is well", func(*script) {}, []string{"1.d1", "1.inv.d1", "1.near.d1"}, nil, []string{}},
		{"a request fails once", func(s *script) { s.always(bad, "se-001.inv.d1") }, []string{"1.d1", "1.inv.d2", "1.near.d1"}, []string{"1.inv.d1" + exhausted}, []string{}},
		{"a near-miss is tried once", func(s *script) { s.always(bad, "se-001.near.d1") }, []string{"1.d1", "1.inv.d1"}, []string{"1.near.d1" + exhausted}, []string{}},
		{
			"a request fails for good", func(s *script) { s.always(bad, "se-001.inv.d1", "se-001.inv.d2", "se-001.inv.d3", "se-001.inv.d4") },
			[]string{"1.d2", "1.inv.d5", "1.near.d1"},
			[]string{"1.d1 repair_exhausted", "1.inv.d1" + exhausted, "1.inv.d2" + exhausted, "1.inv.d3" + exhausted, "1.inv.d4" + exhausted}, []string{},
		},
		{
			"observations contradict a request", unused, []string{"1.d2", "1.inv.d2", "1.near.d2"},
			[]string{"1.d1 new_fact", "1.inv.d1 new_fact", "1.near.d1 new_fact", "1.sig.d1 new_fact"}, []string{},
		},
		{
			"nothing is left", func(s *script) { s.always(bad, "se-001.d1", "se-001.d2", "se-001.d3", "se-001.d4") }, nil,
			[]string{"1.d1" + exhausted, "1.d2" + exhausted, "1.d3" + exhausted, "1.d4" + exhausted}, []string{"se-001"},
		},
		{
			"the mode has had its drafts", func(s *script) {
				s.always(bad, "se-002.d1", "se-002.d2", "se-002.d3", "se-001.d1", "se-001.d2", "se-001.d3")
			}, nil,
			[]string{"1.d1" + exhausted, "1.d2" + exhausted, "1.d3" + exhausted, "2.d1" + exhausted, "2.d2" + exhausted, "2.d3" + exhausted}, []string{"se-001", "se-002"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &script{t: t, says: map[string]string{}}
			c.says(s)
			r, data := whole(t, planOf(t, slotOf(t, "se-001"), slotOf(t, "se-002")), s, 2)
			rows, drops := cameTo(t, data)
			if !slices.Contains(c.short, "se-002") {
				c.rows = append(c.rows, "2.d1", "2.inv.d1", "2.near.d1")
			}
			if !slices.Equal(rows, c.rows) || !slices.Equal(drops, c.drops) || !slices.Equal(r.Short, c.short) {
				t.Errorf("rows %q, want %q\ndrops %q, want %q\nshort %q", rows, c.rows, drops, c.drops, r.Short)
			}
		})
	}
}

func observation(id, collector, key, value, check string) string {
	return fmt.Sprintf(`{"id":%q,"collector":%q,"key":%q,"value":%s,"check":%q,"age_s":0,"complete":true}`, id, collector, key, value, check)
}

// TestLarge: an answer that is larger than a row is refused, repeated to the generator
// and kept as far as it fits, and the data set can be read.
func TestLarge(t *testing.T) {
	s := &script{t: t, says: map[string]string{}}
	s.always(strings.Repeat("\x01", 200_000), "se-001.d1", "se-001.d2", "se-001.d3")
	s.says["se-001.d1 r0"] = strings.Replace(said(t, "se-001", build.StageI), `"args":{`, `"args":{"more":"`+strings.Repeat("x", 31_000-len(said(t, "se-001", build.StageI)))+`",`, 1)
	_, data := whole(t, planOf(t, slotOf(t, "se-001")), s, 1)
	if _, drops := cameTo(t, data); len(drops) != 3 || drops[0] != "1.d1 repair_exhausted not_json" {
		t.Errorf("%q", drops)
	}
	for line := range strings.Lines(data["/drops.jsonl"]) {
		if len(line) > item.MaxRow {
			t.Errorf("a row of %d bytes", len(line))
		}
	}
	for _, c := range s.calls {
		if len(c.System)+len(c.User) > 3*item.MaxRow {
			t.Errorf("%s in round %d: a prompt of %d bytes", c.Draft, c.Round, len(c.System)+len(c.User))
		}
		if c.Draft == "se-001.d1" && c.Round == 1 && !strings.Contains(c.User, `- schema at "": makes a row of more than`) {
			t.Errorf("round 1: %s", c.User[len(c.User)-500:])
		}
	}
}

// TestReviewed: a pair that a review drops is made again, and nothing else is.
func TestReviewed(t *testing.T) {
	dir, s := filepath.Join(t.TempDir(), "out"), &script{t: t}
	p := planOf(t, slotOf(t, "se-001"), slotOf(t, "se-002"))
	b := open(t, dir, p)
	if err := b.Drop("se-002", "review_implausible"); err == nil {
		t.Error("dropped before the build has ended")
	}
	o := build.Options{Workers: 1, Budget: build.Budget{Calls: 100}}
	if _, err := b.Run(t.Context(), s, o); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{{"se-009", "review_implausible"}, {"se-001", "schema"}} {
		if err := b.Drop(c[0], c[1]); err == nil {
			t.Errorf("dropped: %q", c)
		}
	}
	if err := b.Drop("se-002", "review_implausible"); err != nil {
		t.Fatal(err)
	}
	out, err := b.Run(t.Context(), s, o)
	if err != nil || out.New != 4 {
		t.Fatalf("%+v, %v", out, err)
	}
	_, data := ended(t, b, dir)
	rows, drops := cameTo(t, data)
	if want := []string{"1.d1", "1.inv.d1", "1.near.d1", "2.d2", "2.inv.d2", "2.near.d2"}; !slices.Equal(rows, want) || len(drops) != 4 || drops[0] != "2.d1 review_implausible" {
		t.Errorf("rows %q, drops %q", rows, drops)
	}
	shut(t, b)
	same(t, dir, p, s, data)
	b = open(t, dir, p)
	defer shut(t, b)
	const review = `{"schema":"licet.authgate.review/1","instance":"ag9-se-001-base","reviewer":"r","kind":"model","gold":"block","mode":"scope_escalation","plausible":true,"quote":""}`
	if err := os.WriteFile(filepath.Join(dir, "data", "reviews.jsonl"), []byte(review+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if set, err := b.Write(); err != nil || len(set.Instances[0].Review.Labels) != 1 || set.Manifest.Review.ModelLabels != 1 {
		t.Errorf("with a review: %+v, %v", set, err)
	}
}

// TestOrder: whatever the order is in which answers come, the same bytes come of them.
func TestOrder(t *testing.T) {
	p := tenSlots(t)
	want := inOrder(t, p, nil)
	seed := rand.Uint64()
	if got := inOrder(t, p, rand.New(rand.NewPCG(seed, 0))); !maps.Equal(got, want) {
		t.Errorf("seed %d: other bytes", seed)
	}
}

// inOrder builds through files and returns the data set. With a source of chance, some
// answers of some files come at a time.
func inOrder(t *testing.T, p *build.Plan, random *rand.Rand) map[string]string {
	t.Helper()
	dir, s := filepath.Join(t.TempDir(), "out"), tenScript(t)
	f := offline(t, filepath.Join(t.TempDir(), "requests"))
	b := open(t, dir, p)
	defer shut(t, b)
	for {
		paths, _, err := b.Export(f, build.Budget{Calls: 100})
		if err != nil {
			t.Fatal(err)
		}
		if len(paths) == 0 {
			_, data := ended(t, b, dir)
			return data
		}
		at, later := 0, func(string) bool { return false }
		if random != nil {
			at, later = random.IntN(len(paths)), func(string) bool { return random.IntN(3) > 0 }
		}
		requests, err := os.ReadFile(paths[at])
		if err != nil {
			t.Fatal(err)
		}
		take(t, b, f, answers(t, s, requests, later))
	}
}

// TestAnswerless: what is lost on the way stays to be asked, what cannot be asked at
// all ends the run, and what is refused is an answer.
func TestAnswerless(t *testing.T) {
	dir, p := filepath.Join(t.TempDir(), "out"), planOf(t, slotOf(t, "se-001"), slotOf(t, "se-002"))
	s := &script{t: t, lost: map[string]bool{"se-001.d1 r0": true}, says: map[string]string{"se-002.d1 r0": ""}}
	o := build.Options{Workers: 2, Budget: build.Budget{Calls: 100}}
	b := open(t, dir, p)
	out, err := b.Run(t.Context(), s, o)
	if err != nil || out.Lost != 1 || out.New != 2 || s.asked["se-001.d1 r0"] != 1 {
		t.Fatalf("%+v, %v", out, err)
	}
	if r, err := b.Report(nil); err != nil || r.Total.Refused != 1 || r.Total.Repairs[0] != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := b.Write(); err == nil {
		t.Error("a build that has not ended is written")
	}
	shut(t, b)
	s.lost, s.fails = nil, "se-001.inv.d1 r0"
	b = open(t, dir, p)
	defer shut(t, b)
	if _, err := b.Run(t.Context(), s, o); err == nil || !strings.Contains(err.Error(), "asking for se-001.inv.d1: the key is refused") {
		t.Errorf("%v", err)
	}
	s.fails = ""
	if out, err := b.Run(t.Context(), s, o); err != nil || out.Lost != 0 || s.asked["se-002.inv.d1 r0"] != 1 {
		t.Errorf("%+v, %v", out, err)
	}
}

// TestBudget: a budget holds for a build as a whole, and a larger one lets it go on.
func TestBudget(t *testing.T) {
	dir, s := filepath.Join(t.TempDir(), "out"), &script{t: t}
	f := offline(t, filepath.Join(t.TempDir(), "requests"))
	p := planOf(t, slotOf(t, "se-001"), slotOf(t, "se-002"))
	for _, c := range []struct {
		calls   int
		money   *big.Rat
		done    int
		stopped string
	}{
		{3, nil, 3, "the budget of 3 calls is spent"},
		{3, nil, 3, "the budget of 3 calls is spent"},
		{99, big.NewRat(5, 100), 5, "it has cost 0.0500 dollars"}, // a cent each
		{99, nil, 8, ""},
	} {
		b := open(t, dir, p)
		if paths, stopped, err := b.Export(f, build.Budget{Calls: 1}); err != nil || stopped == "" && c.done < 8 || len(paths) > 0 {
			t.Errorf("into files: %q, %q, %v", paths, stopped, err)
		}
		out, err := b.Run(t.Context(), s, build.Options{Workers: 1, Budget: build.Budget{Calls: c.calls, Money: c.money}})
		if err != nil || out.Stopped != c.stopped || out.Done != c.done || (out.Left == 0) != (c.done == 8) {
			t.Errorf("%+v: %+v, %v", c, out, err)
		}
		shut(t, b)
	}
}

// TestAnother: what a build is made of cannot change within it, and what is no build is
// left alone.
func TestAnother(t *testing.T) {
	path := planFile(t, slotOf(t, "se-001"))
	dir := filepath.Join(t.TempDir(), "out")
	read := func(by build.Author) *build.Plan {
		t.Helper()
		p, err := build.ReadPlan(path, by)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	shut(t, open(t, dir, read(author)))
	other := author
	other.Model = "another-1"
	hotter := author
	hotter.Params = map[string]string{"temperature": "1.1"}
	rename := *read(author)
	rename.Name = "another"
	policy := *read(author)
	policy.Policies = map[string]string{"rules": "Be kind."}
	slots := *read(author)
	slots.Slots = append(slices.Clone(slots.Slots), slots.Slots[0])
	for want, p := range map[string]*build.Plan{
		"model was scripted-1 and is another-1":  read(other),
		"parameter temperature was 0.9 and is 1": read(hotter),
		"name was scripted and is another":       &rename,
		"policy implicit was sha256:":            &policy,
		"slots was sha256:":                      &slots,
	} {
		if _, err := build.Open(dir, p, clock); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "manifest.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := build.Open(full, read(author), clock); err == nil || !strings.Contains(err.Error(), "has manifest.json and no build") {
		t.Errorf("%v", err)
	}
	last := open(t, dir, read(author))
	if _, err := build.Open(dir, read(author), clock); err == nil || !strings.Contains(err.Error(), "the build may be another process's") {
		t.Errorf("a build is open twice: %v", err)
	}
	shut(t, last)
	shut(t, open(t, dir, read(author)))
}

// TestDamaged: a journal that says what cannot be is refused, with its line.
func TestDamaged(t *testing.T) {
	dir, s := filepath.Join(t.TempDir(), "out"), &script{t: t}
	p := planOf(t, slotOf(t, "se-001"))
	b := open(t, dir, p)
	if _, err := b.Run(t.Context(), s, build.Options{Workers: 1, Budget: build.Budget{Calls: 1}}); err != nil {
		t.Fatal(err)
	}
	shut(t, b)
	written := files(t, dir)
	journal := written["/journal.jsonl"]
	body := "/bodies/" + strings.TrimPrefix(journal[strings.Index(journal, `"body":"`)+len(`"body":"`):][:len("sha256:")+64], "sha256:")
	for want, edit := range map[string]func(map[string]string){
		"journal.jsonl:2: nothing that this build asks": func(w map[string]string) {
			w["/journal.jsonl"] = strings.Replace(journal, `{"answered":{"key":"sha256:`, `{"answered":{"key":"sha256:0`, 1)
		},
		"line 1":     func(w map[string]string) { w["/journal.jsonl"] = strings.Replace(journal, `"sent"`, `"send"`, 1) },
		"the digest": func(w map[string]string) { w[body] += " " },
	} {
		damaged := t.TempDir()
		w := maps.Clone(written)
		edit(w)
		writeFiles(t, damaged, w)
		if _, err := build.Open(damaged, p, clock); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestPrompts: a prompt says what its stage must know and nothing that it must not. A
// repair holds the first prompt, the answer as it came, and each finding.
func TestPrompts(t *testing.T) {
	s := &script{t: t, says: map[string]string{}}
	answer := strings.Replace(strings.Replace(said(t, "se-001", build.StageI), `"gold":"block"`, `"gold":"allow"`, 1), `"tool":"`, `"tool":"no_such_`, 1)
	s.says["se-001.d1 r0"] = answer
	s.always("no", "se-002.d1")
	whole(t, planOf(t, slotOf(t, "se-001"), slotOf(t, "se-002")), s, 1)
	prompts := map[string]build.Call{}
	for _, c := range s.calls {
		prompts[fmt.Sprintf("%s r%d", c.Draft, c.Round)] = c
		if bytes.Contains([]byte(c.System+c.User), []byte("{{")) {
			t.Errorf("%s has a place that is not filled in", c.Draft)
		}
	}
	base, inverted := rowOf(t, "se-001", "base"), rowOf(t, "se-001", "inv")
	for name, want := range map[string]struct{ has, lacks []string }{
		"se-001.d1 r0":     {[]string{"Risk alone", "larger than what was asked", "sql_execute", "Water the plants", "8 to 900", base.Domain, "nothing yet", "override_check"}, nil},
		"se-001.d1 r1":     {[]string{prompts["se-001.d1 r0"].User, answer, "- tool_unknown at", `- schema at "/label/gold"`}, nil},
		"se-002.d2 r0":     {[]string{"- " + base.Domain + ": " + base.Visible.Action.Tool}, []string{"nothing yet", base.Visible.Request[0].Text}},
		"se-001.inv.d1 r0": {[]string{base.Visible.Request[0].Text, base.Label.Effects[0].Target, "Risk alone"}, []string{base.Label.Rationale}},
		"se-001.near.d1 r0": {[]string{base.Visible.Request[0].Text, inverted.Visible.Request[0].Text, "What differs: " + *rowOf(t, "se-001", "near").Label.NearMissKind},
			[]string{base.Label.Rationale, inverted.Label.Rationale}},
		"se-001.sig.d1 r0": {[]string{base.Label.Effects[0].Target, "git ls-files"}, []string{base.Visible.Request[0].Text, inverted.Visible.Request[0].Text, "block", "allow", base.Label.Rationale}},
	} {
		c, asked := prompts[name]
		if !asked {
			t.Errorf("%s was not asked for: %q", name, slices.Sorted(maps.Keys(prompts)))
		}
		for _, text := range want.has {
			if !strings.Contains(c.System+c.User, text) {
				t.Errorf("%s lacks %q", name, text)
			}
		}
		for _, text := range want.lacks {
			if strings.Contains(c.System+c.User, text) {
				t.Errorf("%s has %q", name, text)
			}
		}
	}
}
