package item

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const at = "2026-11-30T10:00:00Z"

// reviewedSet returns two pairs of v0 that nobody has labelled, finished.
func reviewedSet(t *testing.T) *Set {
	t.Helper()
	s, _ := fresh(t)
	s.Instances = slices.DeleteFunc(s.Instances, func(i Instance) bool { return i.PairID != "ag0-se-001" && i.PairID != "ag0-ip-001" })
	s.Signals = slices.DeleteFunc(s.Signals, func(r Signals) bool { return r.PairID != "ag0-se-001" && r.PairID != "ag0-ip-001" })
	s.Reviews, s.journals = nil, map[string]*Journal{}
	s.finish()
	return s
}

func (s *Set) standing(id string) *Standing {
	for _, p := range s.Standings() {
		for _, r := range p.Rows {
			if r.ID == id {
				return r
			}
		}
	}
	return nil
}

func (s *Set) pair(id string) *PairStanding {
	return *lastOf(s.Standings(), func(p *PairStanding) bool { return p.ID == id })
}

// tester is a test, or a property that is tried.
type tester interface {
	Helper()
	Fatal(...any)
}

// writes appends lines to the journal of a reviewer, through its parser.
func (s *Set) writes(t tester, reviewer string, lines ...any) {
	t.Helper()
	j, err := ReadJournal(reviewer, jsonl(lines))
	if err != nil {
		t.Fatal(err)
	}
	if old := s.journals[reviewer]; old != nil {
		j.Labels, j.Rulings, j.Confirmations = append(old.Labels, j.Labels...), append(old.Rulings, j.Rulings...), append(old.Confirmations, j.Confirmations...)
	}
	s.journals[reviewer] = j
}

// label returns the label of a row as it is, edited.
func (s *Set) label(id, reviewer, kind string, edit func(*Labelled)) Labelled {
	row := s.standing(id)
	l := Labelled{Reviewed{LabelSchema, id, reviewer, kind, string(row.Label.Gold), string(row.Mode), true, ""}, row.Seen, at}
	if row.Label.Gold == Allow {
		l.Mode, l.Quote = "", row.Visible.Request[0].Text
	}
	if edit != nil {
		edit(&l)
	}
	return l
}

// agree makes two people label a pair as its rows are, but for what edit changes of
// the second one's label of the base row.
func (s *Set) agree(t tester, pair string, edit func(*Labelled)) {
	t.Helper()
	for _, reviewer := range []string{"anna", "ben"} {
		for _, suffix := range []string{"-base", "-inv", "-near"} {
			change := edit
			if reviewer == "anna" || suffix != "-base" {
				change = nil
			}
			s.writes(t, reviewer, s.label(pair+suffix, reviewer, Human, change))
		}
	}
}

func (s *Set) ruling(id, by, decision, mode string) Ruling {
	return Ruling{RulingSchema, id, s.standing(id).Seen, decision, mode, "It is so.", By{by, Human, at}}
}

func (s *Set) confirmation(pair, by string, fits bool) Confirmation {
	return Confirmation{ConfirmationSchema, pair, s.pair(pair).Seen, true, true, fits, "So it is.", By{by, Human, at}}
}

func otherMode(l *Labelled)   { l.Mode = string(ExternalSharing) }
func unsure(l *Labelled)      { l.Gold, l.Mode = Unsure, "" }
func implausible(l *Labelled) { l.Plausible = false }
func allows(l *Labelled)      { l.Gold, l.Mode, l.Quote = "allow", "", "customers" }

// TestStates: what is said of the base row of a pair decides its state, and what
// the row says of its review.
func TestStates(t *testing.T) {
	const pair, base = "ag0-se-001", "ag0-se-001-base"
	mode := string(ScopeEscalation)
	for name, c := range map[string]struct {
		says   func(*Set)
		want   State
		status string
		codes  []string
	}{
		"nothing":   {func(*Set) {}, Pending, "pending", nil},
		"one label": {func(s *Set) { s.writes(t, "anna", s.label(base, "anna", Human, nil)) }, OneLabel, "pending", nil},
		"the same person twice": {func(s *Set) {
			s.writes(t, "anna", s.label(base, "anna", Human, nil), s.label(base, "anna", Human, nil))
			s.Reviews = []Reviewed{s.label(base, "anna", Human, nil).Reviewed}
		}, OneLabel, "pending", nil},
		"a model": {func(s *Set) {
			s.writes(t, "m", s.label(base, "m", Model, nil))
			s.writes(t, "n", s.label(base, "n", Model, nil))
			s.writes(t, "anna", s.label(base, "anna", Human, nil))
		}, OneLabel, "pending", nil},
		"two people": {func(s *Set) { s.agree(t, pair, nil) }, Agreed, "agreed", nil},
		"a model says otherwise": {func(s *Set) {
			s.agree(t, pair, nil)
			s.writes(t, "m", s.label(base, "m", Model, unsure))
		}, Conflict, "pending", []string{"review_disagree"}},
		"unsure":       {func(s *Set) { s.agree(t, pair, unsure) }, Conflict, "pending", []string{"review_disagree"}},
		"another mode": {func(s *Set) { s.agree(t, pair, otherMode) }, Conflict, "pending", []string{"review_wrong_mode"}},
		"implausible":  {func(s *Set) { s.agree(t, pair, implausible) }, Conflict, "pending", []string{"review_implausible"}},
		"both against the row": {func(s *Set) {
			s.agree(t, pair, allows)
			s.writes(t, "anna", s.label(base, "anna", Human, allows))
		}, Conflict, "pending", []string{"review_disagree", "review_disagree"}},
		"taken back": {func(s *Set) {
			s.agree(t, pair, unsure)
			s.writes(t, "ben", s.label(base, "ben", Human, nil))
		}, Agreed, "agreed", nil},
		"ruled for the row": {func(s *Set) {
			s.agree(t, pair, unsure)
			s.writes(t, "cleo", s.ruling(base, "cleo", "block", mode))
		}, Adjudicated, "adjudicated", nil},
		"ruled against it": {func(s *Set) {
			s.agree(t, pair, unsure)
			s.writes(t, "cleo", s.ruling(base, "cleo", "allow", ""))
		}, Conflict, "pending", []string{"review_disagree", "review_disagree"}},
		"ruled in another mode": {func(s *Set) {
			s.agree(t, pair, otherMode)
			s.writes(t, "cleo", s.ruling(base, "cleo", "block", string(ExternalSharing)))
		}, Conflict, "pending", []string{"review_wrong_mode", "review_disagree"}},
		"ruled by a labeller": {func(s *Set) {
			s.agree(t, pair, unsure)
			s.writes(t, "ben", s.ruling(base, "ben", "block", mode))
		}, Conflict, "pending", []string{"review_disagree"}},
		"ruled too early": {func(s *Set) {
			s.agree(t, pair, unsure)
			s.journals["ben"].Labels = s.journals["ben"].Labels[:2]
			s.writes(t, "cleo", s.ruling(base, "cleo", "block", mode))
		}, Conflict, "pending", []string{"review_disagree"}},
		"two rulings": {func(s *Set) {
			s.agree(t, pair, unsure)
			s.writes(t, "cleo", s.ruling(base, "cleo", "block", mode))
			s.writes(t, "dan", s.ruling(base, "dan", "allow", ""))
		}, Conflict, "pending", []string{"review_disagree", "review_disagree"}},
		"given up through a sibling": {func(s *Set) {
			s.agree(t, pair, nil)
			s.writes(t, "cleo", s.ruling("ag0-se-001-near", "cleo", Drop, ""))
		}, GivenUp, "dropped", nil},
		"confirmed": {func(s *Set) {
			s.agree(t, pair, nil)
			s.writes(t, "anna", s.confirmation(pair, "anna", true))
		}, Published, "agreed", nil},
		"ruled and confirmed": {func(s *Set) {
			s.agree(t, pair, unsure)
			s.writes(t, "cleo", s.ruling(base, "cleo", "block", mode), s.confirmation(pair, "cleo", true))
		}, Published, "adjudicated", nil},
		"confirmed too early": {func(s *Set) {
			s.agree(t, pair, unsure)
			s.writes(t, "cleo", s.confirmation(pair, "cleo", true))
		}, Conflict, "pending", []string{"review_disagree"}},
		"refused": {func(s *Set) {
			s.agree(t, pair, nil)
			s.writes(t, "anna", s.confirmation(pair, "anna", false))
		}, Conflict, "pending", []string{"review_disagree"}},
		"refused, then confirmed": {func(s *Set) {
			s.agree(t, pair, nil)
			s.writes(t, "anna", s.confirmation(pair, "anna", false), s.confirmation(pair, "anna", true))
		}, Published, "agreed", nil},
		"changed since": {func(s *Set) {
			s.agree(t, pair, nil)
			s.writes(t, "cleo", s.ruling("ag0-se-001-near", "cleo", Drop, ""), s.confirmation(pair, "cleo", true))
			for _, suffix := range []string{"base", "inv", "near"} {
				s.row("se-001-" + suffix).add(" Thanks.")
			}
			s.finish()
		}, Pending, "pending", nil},
		"changed and labelled anew": {func(s *Set) {
			s.agree(t, pair, nil)
			s.writes(t, "cleo", s.ruling(base, "cleo", Drop, ""))
			for _, suffix := range []string{"base", "inv", "near"} {
				s.row("se-001-" + suffix).add(" Thanks.")
			}
			s.finish()
			s.agree(t, pair, nil)
		}, Agreed, "agreed", nil},
		"other observations": {func(s *Set) {
			s.agree(t, pair, nil)
			observes("se-001", func(r *Signals) { r.Observations[0].Complete = false })(s)
			s.finish()
		}, Pending, "pending", nil},
		"another reason": {func(s *Set) { // is a matter of the pair, not of the labels
			s.agree(t, pair, nil)
			s.writes(t, "anna", s.confirmation(pair, "anna", true))
			s.row("se-001-base").Label.Rationale = "Nobody asked for that."
			s.finish()
		}, Agreed, "agreed", nil},
	} {
		s := reviewedSet(t)
		c.says(s)
		row := s.standing(base)
		var codes []string
		for _, clash := range row.Clashes {
			codes = append(codes, clash.Code)
		}
		if row.State != c.want || row.review().Status != c.status || !slices.Equal(codes, c.codes) {
			t.Errorf("%s: %s (%s), %v; want %s (%s), codes %v", name, row.State, row.review().Status, row.Clashes, c.want, c.status, c.codes)
		}
		if other := s.standing("ag0-ip-001-base"); other.State != Pending {
			t.Errorf("%s: the other pair is %s", name, other.State)
		}
	}
}

// TestStatesInAnyOrder: whatever models say, and in whatever order people and models
// speak, the state is the same, and no row is agreed without the labels of two
// people that are its own.
func TestStatesInAnyOrder(t *testing.T) {
	s := reviewedSet(t)
	const pair = "ag0-se-001"
	edits := []func(*Labelled){nil, unsure, otherMode, implausible}
	rapid.Check(t, func(t *rapid.T) {
		said := map[string][]any{}
		rights := map[string]int{} // labels of people as the row's own
		for _, who := range []struct{ name, kind string }{{"anna", Human}, {"ben", Human}, {"m", Model}} {
			for _, suffix := range []string{"-base", "-near"} {
				edit := rapid.IntRange(-1, len(edits)-1).Draw(t, who.name+suffix)
				if edit >= 0 {
					said[who.name] = append(said[who.name], s.label(pair+suffix, who.name, who.kind, edits[edit]))
				}
				if edit == 0 && who.kind == Human {
					rights[suffix]++
				}
			}
		}
		states := func(names []string) string {
			s.journals = map[string]*Journal{}
			for _, name := range names {
				for _, line := range rapid.Permutation(said[name]).Draw(t, "order of "+name) {
					s.writes(t, name, line)
				}
			}
			return fmt.Sprint(s.standing(pair+"-base").State, s.standing(pair+"-near").State)
		}
		first, second := states([]string{"anna", "ben", "m"}), states([]string{"m", "ben", "anna"})
		if first != second {
			t.Fatalf("%s in one order, %s in another", first, second)
		}
		for _, suffix := range []string{"-base", "-near"} {
			if s.standing(pair+suffix).State == Agreed && rights[suffix] < 2 {
				t.Fatalf("%s is agreed, but %d people say so", suffix, rights[suffix])
			}
		}
	})
}

// TestReviewOfARow: a row that says of its review what nobody has said is refused,
// and so is a reviewer who is a person here and a model there.
func TestReviewOfARow(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(*Set)
		want string
	}{
		"as it is": {func(*Set) {}, ""},
		"agreed":   {func(s *Set) { s.row("se-001-base").Review.Status = "agreed" }, "/review"},
		"invented": {func(s *Set) { s.row("se-001-base").Review.Labels = []ReviewLabel{{"zoe", Human, "block"}} }, "/review"},
		"of two kinds": {func(s *Set) {
			s.Reviews = []Reviewed{{ReviewSchema, "ag0-se-001-base", "m", Human, "block", string(ScopeEscalation), true, ""}}
		}, "/kind"},
		"rules all the same": {func(s *Set) {
			s.Reviews = []Reviewed{{ReviewSchema, "ag0-se-001-base", "z", Model, "block", string(ScopeEscalation), true, ""}}
			s.writes(t, "z", s.ruling("ag0-se-001-base", "z", "block", string(ScopeEscalation)))
		}, "/kind"},
		"adjudicated":   {func(s *Set) { s.row("se-001-base").Review.AdjudicatedBy = new("zoe") }, "/review"},
		"fewer of them": {func(s *Set) { s.row("se-001-base").Review.Labels = nil }, "/review"},
	} {
		s := reviewedSet(t)
		s.writes(t, "m", s.label("ag0-se-001-base", "m", Model, nil))
		s.finish()
		c.edit(s)
		paths := []string{}
		for _, f := range Validate(s, nil) {
			if f.File == instancesFile && f.Path == "/review" || f.Path == "/kind" {
				paths = append(paths, f.Path)
			}
		}
		if c.want == "" && len(paths) > 0 || c.want != "" && !slices.Contains(paths, c.want) {
			t.Errorf("%s: findings at %v, want %q", name, paths, c.want)
		}
	}
}

// TestPackReviews: journals are packed into rows and manifest, a pair that was
// ruled out is left out and noted once, and packing again gives the same bytes.
func TestPackReviews(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(v0)); err != nil {
		t.Fatal(err)
	}
	s := reviewedSet(t)
	s.agree(t, "ag0-se-001", nil)
	s.agree(t, "ag0-ip-001", unsure)
	s.writes(t, "cleo", s.ruling("ag0-ip-001-base", "cleo", Drop, ""))
	for name, j := range s.journals {
		file, err := JournalFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(dir, JournalFolder), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, file), append(jsonl(j.Labels), jsonl(j.Rulings)...), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var before map[string]string
	for range 2 {
		packed, err := ReadDrafts(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := packed.Write(); err != nil {
			t.Fatal(err)
		}
		files := map[string]string{}
		for _, name := range []string{instancesFile, signalsFile, manifestFile, dropsFile} {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			files[name] = string(text)
			if before != nil && before[name] != files[name] {
				t.Errorf("%s is another when it is packed again", name)
			}
		}
		before = files
	}
	s, err := ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range Validate(s, nil) {
		t.Error(f)
	}
	r := s.Manifest.Review
	if r.Status != "unreviewed" || r.HumanConfirmed != 3 || r.Dropped != 44 || r.KappaPeople[ScopeEscalation] != "1.0000" || len(r.KappaPeople) != 1 {
		t.Errorf("review: %+v", r)
	}
	if s.standing("ag0-ip-001-base") != nil || strings.Count(before[dropsFile], "Dropped by cleo: It is so.") != 3 || !strings.Contains(before[dropsFile], `"codes":["review_disagree"]`) {
		t.Error("the pair that was ruled out is not dropped, or not noted")
	}
}

// TestJournal: what is not exactly a line of its reviewer refuses the journal.
func TestJournal(t *testing.T) {
	s := reviewedSet(t)
	label := string(jsonl([]any{s.label("ag0-se-001-base", "anna", Human, nil)}))
	allow := string(jsonl([]any{s.label("ag0-se-001-inv", "anna", Human, nil)}))
	ruling := string(jsonl([]any{s.ruling("ag0-se-001-base", "anna", "block", string(ScopeEscalation))}))
	confirmation := string(jsonl([]any{s.confirmation("ag0-se-001", "anna", false)}))
	for name, c := range map[string]struct{ text, old, new, want string }{
		"label":                 {label, "", "", ""},
		"all":                   {allow + label + ruling + confirmation, "", "", ""},
		"empty":                 {"", "", "", ""},
		"torn":                  {label, "\n", "", "reviews/anna.jsonl:1: not_json: was not written to its end"},
		"second line":           {label + label, "\n{", "\n[{", "reviews/anna.jsonl:2: not_json"},
		"another schema":        {label, "label/1", "label/2", "/schema"},
		"another reviewer":      {label, `"anna"`, `"ben"`, "/reviewer: schema: \"ben\", but this is the journal of anna"},
		"no kind":               {label, `"human"`, `"robot"`, "/kind"},
		"two kinds":             {label + allow, `"human"`, `"model"`, "/kind"},
		"no time":               {label, at, "yesterday", "/at"},
		"no digest":             {label, "sha256:", "sha1:", "/seen"},
		"no decision":           {label, `"block"`, `"Block"`, "allow, block or unsure"},
		"no mode":               {label, `"scope_escalation"`, `""`, "none of the five"},
		"allowed with a mode":   {allow, `"mode":""`, `"mode":"scope_escalation"`, "only what is blocked has one"},
		"allowed without quote": {label, `"block","instance":"ag0-se-001-base","kind":"human","mode":"scope_escalation"`, `"allow","instance":"ag0-se-001-base","kind":"human","mode":""`, "the quote is missing"},
		"blocked with a quote":  {label, `"quote":""`, `"quote":"x"`, "is not allowed"},
		"long quote":            {label, `"quote":""`, `"quote":"` + strings.Repeat("x", MaxQuote+1) + `"`, "more than 600"},
		"unsure of a mode":      {label, `"block"`, `"unsure"`, ""},
		"ruled by a model":      {ruling, `"human"`, `"model"`, "only a person rules"},
		"ruled without reason":  {ruling, "It is so.", " ", "say why"},
		"ruled otherwise":       {ruling, `"block"`, `"unsure"`, "allow, block or drop"},
		"dropped with a mode":   {ruling, `"block"`, `"drop"`, "only what is blocked has one"},
		"confirmed by a model":  {confirmation, `"human"`, `"model"`, "only a person confirms"},
		"no without reason":     {confirmation, "So it is.", "", "say why"},
		"yes without reason":    {strings.Replace(confirmation, `"signals_fit":false`, `"signals_fit":true`, 1), "So it is.", "", ""},
		"long reason":           {confirmation, "So it is.", strings.Repeat("x", MaxWhy+1), "say why"},
	} {
		text := strings.Replace(c.text, c.old, c.new, 1)
		if c.old != "" && text == c.text {
			t.Fatalf("%s: %q is not in the text", name, c.old)
		}
		_, err := ReadJournal("anna", []byte(text))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	for name, right := range map[string]bool{"a": true, "anna.b-2_c": true, strings.Repeat("a", 40): true, "": false, "Anna": false, "../x": false, ".a": false, "a.": false, "a/b": false, strings.Repeat("a", 41): false, "ä": false} {
		if _, err := JournalFile(name); (err == nil) != right {
			t.Errorf("the name %q: %v", name, err)
		}
	}
}

// FuzzReadJournal: what is read as a journal is, written again line by line, what
// was read, and its lines are of its reviewer.
func FuzzReadJournal(f *testing.F) {
	const digest = `"sha256:0000000000000000000000000000000000000000000000000000000000000000"`
	f.Add([]byte(`{"schema":"licet.authgate.label/1","instance":"ag0-se-001-base","reviewer":"a","kind":"human","gold":"block","mode":"scope_escalation","plausible":true,"quote":"","seen":` + digest + `,"at":"2026-11-30T10:00:00Z"}` + "\n"))
	f.Add([]byte(`{"schema":"licet.authgate.ruling/1","instance":"x","seen":` + digest + `,"decision":"drop","mode":"","why":"w","reviewer":"a","kind":"human","at":"2026-11-30T10:00:00Z"}` + "\n"))
	f.Add([]byte(`{"schema":"licet.authgate.confirmation/1","pair":"x","seen":` + digest + `,"same_action":true,"only_request":true,"signals_fit":true,"why":"","reviewer":"a","kind":"human","at":"2026-11-30T10:00:00Z"}` + "\n"))
	f.Add([]byte("{}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		j, err := ReadJournal("a", text)
		if err != nil {
			return
		}
		var again []byte
		for _, l := range j.Labels {
			if l.Reviewer != "a" || l.answer().shape() != nil {
				t.Errorf("a label %+v", l)
			}
			again = append(again, jsonl([]any{l})...)
		}
		again = append(append(again, jsonl(j.Rulings)...), jsonl(j.Confirmations)...)
		if lines := bytes.Count(text, []byte("\n")); bytes.Count(again, []byte("\n")) != lines {
			t.Errorf("%d lines, but %q", lines, again)
		}
		if _, err := ReadJournal("a", again); err != nil {
			t.Errorf("%q: %v", again, err)
		}
	})
}

// TestPieces: the runs of a turn are the turn, and what is marked is what differs.
func TestPieces(t *testing.T) {
	for _, c := range []struct{ text, other, want string }{
		{"Delete the old disk.", "Delete the old disk.", "Delete the old disk."},
		{"Delete the old disk.", "Delete /srv/a.", "Delete [the old disk.]"},
		{"Delete /srv/b, 12 now", "Delete /srv/a, 13 now", "Delete [/srv/b, 12] now"},
		{"a b a", "a a", "a [b] a"},
		{"to be ... or", "to be", "to be ... [or]"},
		{"", "x", ""},
		{"x", "", "[x]"},
	} {
		i, other := &Instance{Visible: Visible{Request: []Turn{{1, c.text}}}}, &Instance{Visible: Visible{Request: []Turn{{1, c.other}}}}
		got := ""
		for _, p := range i.Pieces(1, other) {
			if p.Differs {
				p.Text = "[" + p.Text + "]"
			}
			got += p.Text
		}
		if got != c.want {
			t.Errorf("%q beside %q: %q, want %q", c.text, c.other, got, c.want)
		}
	}
	i := &Instance{Visible: Visible{Request: []Turn{{1, "Delete it, not that."}}}, Label: Label{Coverage: []Span{{"f1", 1, "Delete it"}}, Boundaries: []Span{{"f2", 1, "not that"}, {"f2", 2, "it"}}}}
	got := fmt.Sprint(i.Pieces(1, i))
	if want := "[{Delete it false true false} {,  false false false} {not that false false true} {. false false false}]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestPiecesAreTheTurn: for any two texts, the runs together are the text.
func TestPiecesAreTheTurn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[ab,. é\n]{0,20}`).Draw(t, "text")
		other := rapid.StringMatching(`[ab,. é\n]{0,20}`).Draw(t, "other")
		i, o := &Instance{Visible: Visible{Request: []Turn{{1, text}}}}, &Instance{Visible: Visible{Request: []Turn{{1, other}}}}
		got := ""
		for _, p := range i.Pieces(1, o) {
			got += p.Text
		}
		if got != text {
			t.Fatalf("%q is %q", text, got)
		}
	})
}
