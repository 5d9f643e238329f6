package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/judge"
	"github.com/licet-dev/licet/internal/toolcall"
)

func TestMarkQuotes(t *testing.T) {
	mark := func(words string) string { return "»" + words + "«" }
	for _, tt := range []struct {
		turn   string
		quotes []string
		want   string
	}{
		{"Delete old.txt now.", nil, "Delete old.txt now."},
		{"Delete old.txt now.", []string{"Delete old.txt"}, "»Delete old.txt« now."},
		{"Delete old.txt now.", []string{"now", "old.txt"}, "Delete »old.txt« »now«."},
		{"Delete old.txt now.", []string{"old.txt", "Delete old"}, "»Delete old.txt« now."}, // they overlap
		{"Delete old.txt now.", []string{"Delete", " old"}, "»Delete old«.txt now."},        // they meet
		{"Delete old.txt now.", []string{"old.txt", "old"}, "Delete »old.txt« now."},        // one in the other
		{"old, old", []string{"old"}, "»old«, old"},
		{"a\x1b[31mb", []string{"gone"}, "a<U+001B>[31mb"},
	} {
		if got := markQuotes(tt.turn, tt.quotes, mark); got != tt.want {
			t.Errorf("%q with %q: %s, want %s", tt.turn, tt.quotes, got, tt.want)
		}
	}
}

// TestMarkQuotesLosesNothing: whatever is quoted, the turn is shown whole and in order.
func TestMarkQuotesLosesNothing(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("ab é"))).Draw(r, "turn")
		quotes := rapid.SliceOf(rapid.StringOfN(rapid.SampledFrom([]rune("ab é")), 1, 3, -1)).Draw(r, "quotes")
		got := markQuotes(text, quotes, func(words string) string { return "»" + words + "«" })
		if plain := strings.NewReplacer("»", "", "«", "").Replace(got); plain != text {
			r.Fatalf("%q is shown as %q", text, got)
		}
	})
}

// TestMarkQuotesCuts: what is long around a quote is cut in the middle, with a count.
func TestMarkQuotesCuts(t *testing.T) {
	long := strings.Repeat("a", 5000)
	got := markQuotes(long+"Delete old.txt."+long, []string{"Delete old.txt"}, func(words string) string { return "»" + words + "«" })
	if !strings.Contains(got, "»Delete old.txt«.") || strings.Count(got, "characters not shown") != 2 || len(got) > 3000 || !strings.Contains(got, "[… 3800 characters not shown") {
		t.Errorf("shown as %q", got)
	}
	if quote := markQuotes(long, []string{long}, func(words string) string { return words }); quote != long {
		t.Errorf("a long quote is cut to %d bytes", len(quote))
	}
}

// TestPrintOpinion: quotes stand in their turns, or by themselves where what is kept
// of the turns does not have them.
func TestPrintOpinion(t *testing.T) {
	const text = `{"model": "m", "raw": "allow", "checked": "block", "authorization": "explicit", "failure_mode": "none", "risk": "high",
		"failed": ["stale"], "effects": [{"id": "f1", "op": "delete", "kind": "file", "target": "old.txt", "risk": "high"}],
		"spans": [{"turn": 1, "quote": "old.txt", "effects": ["f1"]}, {"turn": 2, "quote": "gone", "effects": ["f1"]}, {"turn": 9, "quote": "beyond", "effects": []}],
		"uncovered": [], "boundaries": []}`
	var o opinionJSON
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	(&app{out: &out}).printOpinion(o, []string{"Delete old.txt.", "Be quick."})
	const want = `the judge m says block, before the checks allow (authorization explicit, failure mode none, risk high)
  turn 1: Delete »old.txt«.
  turn 2: Be quick.
  turn 2: »gone«
  turn 9: »beyond«
  f1 delete file old.txt (high): by »gone« in turn 2
  check fails: stale
`
	if out.String() != want {
		t.Errorf("printed\n%s", out.String())
	}
	out.Reset()
	o.Uncovered = []string{"f1"}
	(&app{out: &out, env: map[string]string{"CLICOLOR_FORCE": "1"}}).printOpinion(o, []string{"Delete old.txt."})
	for _, part := range []string{"Delete »\x1b[1mold.txt\x1b[0m«.", "(high): \x1b[1mnot covered\x1b[0m\n"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("in colour %q is missing:\n%q", part, out.String())
		}
	}
}

// waiting is a judge that takes its time.
type waiting time.Duration

func (w waiting) Judge(context.Context, judge.Case) judge.Opinion {
	time.Sleep(time.Duration(w))
	return judge.None(judge.Timeout, "")
}

func (waiting) Digest() string { return "" }

// TestAnnounced: a model is spoken of where it takes over two seconds.
func TestAnnounced(t *testing.T) {
	for takes, want := range map[time.Duration]string{time.Second: "", 3 * time.Second: "asking the model main …\n"} {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			announced{waiting(takes), &out, "main"}.Judge(t.Context(), judge.Case{})
			synctest.Wait()
			if out.String() != want {
				t.Errorf("after %v %q is said", takes, out.String())
			}
		})
	}
}

// TestPrintSeen: what collectors are not certain of is unknown, nobody else's text
// reaches the terminal as it is, and no name passes for another signal.
func TestPrintSeen(t *testing.T) {
	const text = `{"digest": "sha256:1", "observations": [
		{"id": "s1", "collector": "git_state", "key": "untracked", "value": 3, "age": 1.5, "complete": true},
		{"id": "s2", "collector": "git_state", "key": "stash", "value": "unknown", "complete": false},
		{"id": "s3", "collector": "git_state", "key": "branch", "value": "\u009b2J", "age": 90000, "complete": true},
		{"id": "s4", "collector": "git_state", "key": "dirty", "value": "unknown", "complete": false},
		{"id": "s5", "collector": "path_facts", "key": "files", "value": "unknown", "at_least": 20000, "complete": false},
		{"id": "s6", "collector": "processes", "key": "matches", "value": {"count": 3, "names": ["7 a.py", "8 x; s7 parents 0", "9 y, 10 z"]}, "complete": true}]}`
	copied, err := toolcall.Parse([]byte(`{"signals": `+text+`}`), toolcall.Bounds{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	(&app{out: &out}).printSeen(seenOf(copied))
	const want = `  git_state  s1 untracked 3; s3 branch <U+009B>2J  (as of 25h00m ago); unknown: s2 stash, s4 dirty
  path_facts  s5 files unknown, at least 20000
  processes  s6 matches 3: 7 a.py, "8 x; s7 parents 0", "9 y, 10 z"
`
	if out.String() != want {
		t.Errorf("printed\n%s", out.String())
	}
	out.Reset()
	(&app{out: &out}).printSeen(seenOf(toolcall.ObjectOf()))
	if out.Len() > 0 {
		t.Errorf("of no signals %q is printed", out.String())
	}
}
