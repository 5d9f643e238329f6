package judge

import "github.com/licet-dev/licet/internal/authz"

// Turns are the turns of a user from one to another, both included. The zero
// value is none.
type Turns struct{ From, To int }

// Has reports whether a turn is one of them.
func (t Turns) Has(turn int) bool { return turn >= t.From && turn <= t.To && t.From > 0 }

// Asked says how the opinion of a model came about, for the record.
type Asked struct {
	Template, Policy, Schema string   // digests of the three texts that the model was given
	View                     []string // what it saw beyond, or short of, what it sees by default: "+results", "-facts"
	Model                    string   // as the answer reports it, "" if there was none
	Fingerprint              string   // of the provider's system, "" if it gives none
	Finish                   string   // why the answer ended, in the provider's word
	Scripted                 bool     // a script answered: says nothing about any model
	Cached                   bool     // the same question was answered before in the session
	Alternate                bool     // the main model refused, another one answered
	Repaired                 bool     // an answer was refused, and asked for again
	Stage                    int      // that decided, 1 or 2; 0 where there is one only
	Requests                 int      // to servers
	Input, Output            int64    // tokens
	Estimated                bool     // a server counted none of them: an upper bound
	Cost                     string   // in dollars, "" where there is no price
	Votes                    []Vote   // none where one answer decides
}

// Vote is one of several answers to the same question, before and after the
// checks.
type Vote struct {
	Raw, Checked authz.Opinion
	NoVerdict    NoVerdict // "" where there is an opinion
}

// Alert reports whether an operator has to look at an opinion: after the
// failures that say so, and where data seem to have been obeyed.
func (o *Opinion) Alert() bool {
	return o.Echoed || o.Verdict == authz.NoVerdict && o.NoVerdict.Alert()
}
