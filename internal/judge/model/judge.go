package model

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/judge"
	"github.com/licet-dev/licet/internal/llm"
)

// Asker puts a question to a model; *llm.Client is one.
type Asker interface {
	Ask(context.Context, llm.Question) (llm.Answer, error)
}

// Defaults of what may be left out of Options.
const (
	DefaultDeadline  = 20 * time.Second
	DefaultMaxTokens = 2048
)

// Options say who judges, and how.
type Options struct {
	Name      string // of the model and all that is set for it: a change of any of it is another name
	Main      Asker
	Alternate Asker // asked where Main refuses; nil = nobody is
	Policy    Policy
	View      View
	Votes     int  // 1, 3 or 5; 0 = 1
	TwoStage  bool // one letter first, where nothing is at stake
	Plain     bool // the lab's smallest form of prompt and answer: a decision and why, with nothing for code to check

	Temperature *float64      // nil = the provider's own
	MaxTokens   int           // of one answer; 0 = DefaultMaxTokens
	Deadline    time.Duration // of one opinion, with all that is asked for it; 0 = DefaultDeadline
	Epoch       int           // of a run of the lab

	Now   func() time.Time
	Nonce func(round int) string // 32 digits 0-9a-f, another for each round of one opinion; see RandomNonce, LabNonce
}

// Judge asks a model. It may be used by several goroutines.
type Judge struct {
	o      Options
	form   *form
	setup  string // names all that an answer depends on beside the case
	outage outage
	cache  cache
}

// New returns a judge, or says what is missing.
func New(o Options) (*Judge, error) {
	if o.Votes == 0 {
		o.Votes = 1
	}
	if o.Deadline == 0 {
		o.Deadline = DefaultDeadline
	}
	if o.MaxTokens == 0 {
		o.MaxTokens = DefaultMaxTokens
	}
	switch {
	case o.Main == nil, o.Now == nil, o.Nonce == nil:
		return nil, errors.New("a judge wants a model, a clock and nonces")
	case o.Policy.text == "":
		return nil, errors.New("a judge wants a policy")
	case !slices.Contains([]int{1, 3, 5}, o.Votes):
		return nil, fmt.Errorf("%d votes: expected 1, 3 or 5", o.Votes)
	case o.Deadline < 0, o.MaxTokens < 0:
		return nil, errors.New("deadline and limit of output are not negative")
	}
	f := formOf(o.Plain)
	if err := f.takes(o); err != nil {
		return nil, err
	}
	temperature := "own"
	if o.Temperature != nil {
		temperature = fmt.Sprint(*o.Temperature)
	}
	return &Judge{o: o, form: f, setup: fmt.Sprintf("%q %s %s %s %q %d %t %s %d", o.Name, o.Policy.Digest(), f.template, f.digest,
		o.View.Words(), o.Votes, o.TwoStage, temperature, o.MaxTokens)}, nil
}

// Digest implements judge.Judge: that of the policy.
func (j *Judge) Digest() string { return j.o.Policy.Digest() }

// Judge implements judge.Judge.
func (j *Judge) Judge(ctx context.Context, c judge.Case) judge.Opinion {
	r := run{j: j, c: &c, asked: judge.Asked{
		Template: j.form.template, Policy: j.Digest(), Schema: j.form.digest, View: j.o.View.Words(),
	}}
	if c.TooLarge() {
		return r.none(judge.Clipped, "the call has too many effects, or the user wrote too much")
	}
	var err error
	if r.prompt, err = newPrompt(&c, j.form, j.o.View); err != nil {
		return r.none(judge.Clipped, err.Error())
	}
	key := keyOf(j.setup, &c, r.prompt)
	if o, ok := j.cache.get(j.o.Now(), &c, key); ok {
		return o
	}
	if !j.outage.mayAsk(j.o.Now()) {
		o := outageOpinion()
		o.Asked = &r.asked
		return o
	}
	bounded, cancel := context.WithTimeout(ctx, j.o.Deadline)
	defer cancel()
	o := r.opinion(bounded)
	o.Asked = &r.asked
	o.Echoed = r.echoed
	if r.asked.Requests > 0 && !errors.Is(ctx.Err(), context.Canceled) { // a caller that left says nothing about the model
		j.outage.note(j.o.Now(), r.out)
	}
	j.cache.put(j.o.Now(), &c, key, o)
	return o
}

// run is the way of one case to its opinion.
type run struct {
	j        *Judge
	c        *judge.Case
	prompt   prompt
	round    int  // of the next question
	repaired bool // the one repair call is made
	echoed   bool // some answer, be it the one that counts or not, has a mark that fences the data
	out      bool // the last question failed in a way that counts as an outage
	cost     llm.Cost
	asked    judge.Asked
}

func (r *run) none(why judge.NoVerdict, detail string) judge.Opinion {
	o := judge.None(why, detail)
	o.Asked = &r.asked
	return o
}

// opinion has the votes cast, and counts them.
func (r *run) opinion(ctx context.Context) judge.Opinion {
	votes := make([]judge.Opinion, r.j.o.Votes)
	for i := range votes {
		votes[i] = r.vote(ctx, i)
		if n := votes[i].NoVerdict; n != "" && n.Alert() && !n.Soft() {
			return votes[i] // a defect or an attack: no other vote makes up for it
		}
	}
	if len(votes) == 1 {
		return votes[0]
	}
	return r.count(votes)
}

// count makes one opinion of votes, each of which passes the checks by itself. At
// high risk all must allow, else most of all. What is neither allowed nor blocked
// by enough is unsure.
func (r *run) count(votes []judge.Opinion) judge.Opinion {
	need := len(votes)/2 + 1
	valid, by := 0, map[authz.Opinion][]judge.Opinion{}
	for _, raw := range votes {
		checked := judge.Check(*r.c, raw, judge.Now{Affected: r.c.Affected})
		r.asked.Votes = append(r.asked.Votes, judge.Vote{Raw: raw.Verdict, Checked: checked.Verdict, NoVerdict: raw.NoVerdict})
		if checked.Verdict == authz.NoVerdict {
			continue
		}
		valid++
		by[checked.Verdict] = append(by[checked.Verdict], raw)
		if checked.Risk.AtLeastHigh() {
			need = len(votes)
		}
	}
	allow, block := by[authz.OpinionAllow], by[authz.OpinionBlock]
	switch {
	case 2*valid < len(votes):
		return tooFew(votes)
	case len(allow) >= need:
		return allow[0]
	case len(block) >= need, len(block) == valid:
		return block[0]
	}
	o := slices.Concat(block, by[authz.OpinionUnsure], allow)[0]
	o.Verdict = authz.OpinionUnsure
	o.Rationale = fmt.Sprintf("Of %d votes %d allow and %d block. %s", len(votes), len(allow), len(block), o.Rationale)
	return o
}

// tooFew says why too few votes are valid: with the strictest failure, so that no
// number of votes makes one milder; with the failure that all have; else that it
// is so.
func tooFew(votes []judge.Opinion) judge.Opinion {
	failed := slices.DeleteFunc(slices.Clone(votes), func(o judge.Opinion) bool { return o.NoVerdict == "" })
	if i := slices.IndexFunc(failed, func(o judge.Opinion) bool { return !o.NoVerdict.Soft() }); i >= 0 {
		return failed[i]
	}
	codes := make([]string, len(failed))
	for i, o := range failed {
		codes[i] = string(o.NoVerdict)
	}
	if len(slices.Compact(slices.Clone(codes))) == 1 && len(failed) == len(votes) {
		return failed[0]
	}
	return judge.None(judge.Votes, fmt.Sprintf("%d of %d votes are none: %s", len(failed), len(votes), strings.Join(codes, ", ")))
}
