package ledger_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/ledger"
	"github.com/licet-dev/licet/internal/store/memory"
	"github.com/licet-dev/licet/internal/storetest"
)

// played returns the Breaker after opinions in turns: a letter is one on a call of
// its own, b block, a allow, u unsure, n none; a digit begins that turn.
func played(script string) (b ledger.Breaker, turn string) {
	words := map[rune]authz.Opinion{'b': authz.OpinionBlock, 'a': authz.OpinionAllow, 'u': authz.OpinionUnsure, 'n': authz.NoVerdict}
	for i, r := range script {
		if o, is := words[r]; is {
			b = b.After(ledger.Counted{Turn: turn, Call: fmt.Sprint("c", i), Opinion: o})
		} else {
			turn = string(r)
		}
	}
	return b, turn
}

func TestBreaker(t *testing.T) {
	for script, want := range map[string]bool{
		"1":                 false,
		"1bb":               false,
		"1bbb":              true,
		"1bab":              false,
		"1babb":             false,
		"1babbb":            true,
		"1bbubb":            true,  // unsure ends no row
		"1bbnb":             true,  // nor does what is no opinion
		"1nnnnnn":           false, // and it never counts
		"1uuuuuu":           false,
		"1bb2b":             true,  // a row goes on over turns
		"1bbb2":             false, // a new turn closes
		"1bbb2bb":           false, // and all begins anew
		"1bbb2bbb":          true,
		"1bbabbabbabba":     false, // 8 of 12
		"1bbabbabbabbab":    false,
		"1bbabbabbabbabab":  true, // 10 of 15
		"1bbabbabbabbab2ab": true,
		"1bbabbabbabbab" + strings.Repeat("a", 36) + "b": true,  // 10 of the last 50
		"1bbabbabbabbab" + strings.Repeat("a", 37) + "b": false, // the first block is over 50 back
	} {
		if b, turn := played(script); b.Open(turn) != want {
			t.Errorf("after %s the breaker is open: %t", script, !want)
		}
	}
	b, _ := played("1bbb")
	if b.Open("2") || !b.Open("1") {
		t.Error("a new turn does not close it, or looking at it does")
	}
	same := ledger.Breaker{}
	for range 5 {
		same = same.After(ledger.Counted{Turn: "1", Call: "c", Opinion: authz.OpinionBlock})
	}
	if same.Open("1") || len(same) != 1 {
		t.Errorf("one call opens it: %v", same)
	}
}

// counter is the rule of the breaker, told as a story: it keeps all that counted.
type counter struct {
	turn string
	open bool
	row  int
	all  []string // turn, call and opinion
}

// recent are the newest that counted.
func (m *counter) recent() []string { return m.all[max(0, len(m.all)-50):] }

func (m *counter) add(turn, call string, o authz.Opinion) {
	key := fmt.Sprint(turn, " ", call, " ", o)
	if m.open && turn != m.turn {
		*m = counter{}
	}
	if o == authz.NoVerdict || slices.Contains(m.recent(), key) {
		return
	}
	m.turn, m.all = turn, append(m.all, key)
	switch o {
	case authz.OpinionBlock:
		m.row++
	case authz.OpinionAllow:
		m.row = 0
	}
	blocks := strings.Count(strings.Join(m.recent(), "\n")+"\n", " block\n")
	m.open = m.row >= 3 || blocks >= 10
}

// TestBreakerModel plays random opinions through a store: it is open exactly where
// the story says so, and then an opinion that comes late is not written.
func TestBreakerModel(t *testing.T) {
	opened := 0
	rapid.Check(t, func(r *rapid.T) {
		s := memory.New(nil)
		model, turn := counter{}, 0
		likely := rapid.SampledFrom([][]authz.Opinion{
			{authz.OpinionBlock, authz.OpinionAllow, authz.OpinionAllow, authz.OpinionUnsure, authz.NoVerdict},
			{authz.OpinionBlock, authz.OpinionAllow, authz.OpinionAllow, authz.OpinionAllow, authz.OpinionAllow},
		}).Draw(r, "likely")
		for i := range rapid.IntRange(1, 120).Draw(r, "calls") {
			if rapid.IntRange(0, 20).Draw(r, "new turn") == 0 {
				turn++
			}
			o := ledger.Opined{Agent: "a", Session: "s", Counted: ledger.Counted{
				Turn: fmt.Sprint("t", turn), Call: fmt.Sprint("c", rapid.IntRange(0, 40).Draw(r, "call")), Opinion: rapid.SampledFrom(likely).Draw(r, "opinion"),
			}}
			open := model.open && model.turn == o.Turn
			if b, err := s.Breaker(t.Context(), "a", "s"); err != nil || b.Open(o.Turn) != open {
				r.Fatalf("call %d: open is %t, %v, want %t after %v", i, !open, err, open, b)
			}
			e := storetest.Entry(fmt.Sprint("r", i))
			e.Opined = &o
			_, err := s.Commit(t.Context(), e)
			if open != errors.Is(err, ledger.ErrStale) || !open && err != nil {
				r.Fatalf("call %d, open %t: %v", i, open, err)
			}
			if open {
				opened++
				continue
			}
			model.add(o.Turn, o.Call, o.Opinion)
		}
	})
	if opened == 0 {
		t.Error("it never opened: the test is not looking")
	}
}
