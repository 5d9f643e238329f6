package judge

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Action is a call, with what is known of the place where it would run.
type Action struct {
	Server, Tool string
	ReadOnly     bool // the approved definition says that the tool changes nothing
	Arguments    toolcall.Value
	Commands     map[string]constraint.Shell // what arguments that are command lines would do, by the path of the argument
	Cwd          string                      // absolute; "" is unknown
	Places       constraint.Places
	Scripts      []Script // files that a command line of the call is about to run
}

// Script is a file that is about to be run.
type Script struct {
	Path   string
	Digest string // of the whole file: "sha256:..."
	Body   string // as it lies on the disk
	Long   bool   // Body is only the beginning of it
}

// Earlier is a call that was made before in the session.
type Earlier struct {
	Server, Tool      string
	Arguments, Result toolcall.Value // absent where they are not known
}

// Case is what a judge sees of one call.
type Case struct {
	Action     Action
	Turns      []string // of the user, normalized (NFC, LF); turn 1 is the first
	Boundaries []Boundary
	Effects    []Effect  // with ids f1, f2, ...
	Affected   string    // digest of the effects, with all files that they touch and what is about to be run
	Calls      []Earlier // the oldest first
	Session    string    // bounds for how long an opinion may be kept; no judge sees it. "" = not known

	// Signals are what collectors saw of the environment. They state facts and
	// are no consent; [NewCase] leaves them out, and so does [Grounded].
	Signals []constraint.Signal

	sentences []sentence
}

// Boundary is something that the user forbade, kept as it was written.
type Boundary struct {
	Turn int
	Text string

	said sentence
}

// Bounds of a case that is judged.
const (
	maxEffects = 500     // of one call
	maxPairs   = 100_000 // of a sentence and an effect
)

// TooLarge reports whether a case is beyond the bounds of what is judged: 500
// effects, or 100,000 pairs of a sentence and an effect.
func (c *Case) TooLarge() bool {
	return len(c.Effects) > maxEffects || len(c.Effects)*len(c.sentences) > maxPairs
}

// NewCase puts a case together. What the action would do is computed here, from
// facts alone: no turn of the user plays a part in it.
func NewCase(a Action, turns []string) Case {
	c := Case{Action: a, Effects: effects(a)}
	for i := range c.Effects {
		c.Effects[i].ID = fmt.Sprintf("f%d", i+1)
	}
	for i, turn := range turns {
		turn = normal(turn)
		c.Turns = append(c.Turns, turn)
		for _, s := range sentences(i+1, turn) {
			c.sentences = append(c.sentences, s)
			if s.forbids() {
				c.Boundaries = append(c.Boundaries, Boundary{Turn: s.turn, Text: s.text, said: s})
			}
		}
	}
	c.Affected = digest(c.Effects, a.Scripts)
	return c
}

// normal returns a text in the form in which quotes are compared: NFC, and lines
// that end as on Unix (judge.md, section 5, `quote_not_found`).
func normal(text string) string {
	return norm.NFC.String(strings.ReplaceAll(text, "\r\n", "\n"))
}

// effect returns the effect of an id, nil if there is none.
func (c *Case) effect(id string) *Effect {
	i := slices.IndexFunc(c.Effects, func(e Effect) bool { return e.ID == id })
	if i < 0 {
		return nil
	}
	return &c.Effects[i]
}

// Floor returns the least risk that an opinion on the case can speak of: that of
// its worst effect. A call without effects that could be determined is critical.
func (c *Case) Floor() Risk {
	if len(c.Effects) == 0 {
		return Critical
	}
	floor := Low
	for _, e := range c.Effects {
		floor = min(floor, e.Risk())
	}
	return floor
}

// Unnamed returns the ids of the effects of more than low risk that no word of the
// user names, be it consent or not: what of the call Go finds uncovered. What
// selects an unresolved target is not known, so that it has a check of its own.
func (c *Case) Unnamed() (ids []string) {
	for i := range c.Effects {
		e := &c.Effects[i]
		named := func(s sentence) bool { return s.mentions(e) }
		if e.Risk() != Low && !e.Unresolved && !slices.ContainsFunc(c.sentences, named) {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

// digest returns "sha256:..." over effects, the files that they touch, and what
// the scripts say that are about to be run.
func digest(effects []Effect, scripts []Script) string {
	h := sha256.New()
	for _, e := range effects {
		fmt.Fprintf(h, "%q %q %q %t %t %t %q\n", e.Op, e.Kind, e.Target, e.Unresolved, e.Irrecoverable, e.Crosses, e.Affected)
	}
	for _, s := range scripts {
		fmt.Fprintf(h, "%q %q\n", s.Path, s.Digest)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}
