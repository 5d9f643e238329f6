package model

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/judge"
	"github.com/licet-dev/licet/internal/llm"
)

// letterTokens is room for one letter, and for what some models put before it.
const letterTokens = 16

// vote has the case judged once, in one stage or two.
func (r *run) vote(ctx context.Context, n int) judge.Opinion {
	if r.j.o.TwoStage {
		r.asked.Stage = 2
		if r.harmless() && r.letter(ctx, n) {
			r.asked.Stage = 1
			return judge.Opinion{
				Verdict: authz.OpinionAllow, Authorization: judge.Implied, FailureMode: judge.NoFailure, Risk: r.c.Floor(),
				Omitted: r.prompt.omitted, Rationale: "The first stage allows it: nothing is at stake.",
			}
		}
	}
	q := llm.Question{Schema: &llm.Schema{Name: r.j.form.name, JSON: []byte(r.j.form.schema)}, MaxTokens: r.j.o.MaxTokens}
	if f := r.write(&q, n, objectLines[n]); f != nil {
		return *f
	}
	o := r.object(ctx, q)
	if (o.NoVerdict == judge.Malformed || o.NoVerdict == judge.Schema) && !r.repaired {
		r.repaired, r.asked.Repaired = true, true
		q.User += "\n" + fmt.Sprintf(repairText, o.Rationale)
		q.Round = r.next()
		if again := r.object(ctx, q); !again.NoVerdict.Soft() { // what failed in another way makes the first failure no milder
			o = again
		}
	}
	o.Omitted = r.prompt.omitted
	return o
}

// harmless reports whether a letter may decide: all effects are known, none
// reaches high risk, the user forbade nothing and all that was written is shown.
func (r *run) harmless() bool {
	return !r.j.o.View.NoFacts && !r.c.Floor().AtLeastHigh() && len(r.c.Boundaries) == 0 && r.prompt.omitted == judge.Turns{}
}

// letter asks for one letter. All but exactly A leaves the case to the second
// stage, a failure too.
func (r *run) letter(ctx context.Context, n int) bool {
	q := llm.Question{MaxTokens: letterTokens}
	if f := r.write(&q, n, letterLines[n]); f != nil {
		return false
	}
	a, err := r.ask(ctx, r.j.o.Main, q)
	return err == nil && a.Text == "A"
}

// next returns the number of the next question.
func (r *run) next() int {
	r.round++
	return r.round - 1
}

// write puts the prompt into a question. Data that hold the nonce get a new one,
// once.
func (r *run) write(q *llm.Question, vote int, last string) *judge.Opinion {
	q.System, q.Temperature, q.Epoch = r.j.form.prompt(r.j.o.Policy), r.j.o.Temperature, r.j.o.Epoch
	for range 2 {
		q.Round = r.next()
		q.Nonce = r.j.o.Nonce(q.Round)
		var ok bool
		if q.User, ok = r.prompt.question(q.Nonce, vote, last); ok {
			return nil
		}
	}
	o := r.none(judge.Fence, "the data hold the nonce, and a second one too")
	return &o
}

// object has one question answered with the object, by the alternate model where
// the main one refuses.
func (r *run) object(ctx context.Context, q llm.Question) judge.Opinion {
	a, err := r.ask(ctx, r.j.o.Main, q)
	if code := codeOf(err); r.j.o.Alternate != nil && (code == judge.Refusal || code == judge.Filter) {
		r.asked.Alternate = true
		q.Round = r.next()
		a, err = r.ask(ctx, r.j.o.Alternate, q)
	}
	if err != nil {
		return judge.None(codeOf(err), strings.TrimLeft(strings.TrimPrefix(err.Error(), string(codeOf(err))), ": "))
	}
	return r.j.form.read(a.Text)
}

// ask puts a question and notes what it came to.
func (r *run) ask(ctx context.Context, who Asker, q llm.Question) (llm.Answer, error) {
	a, err := who.Ask(ctx, q)
	n := &r.asked
	n.Requests += a.Tries
	n.Input, n.Output = n.Input+a.Usage.Input+a.Usage.Cached+a.Usage.Written, n.Output+a.Usage.Output
	n.Estimated, n.Scripted = n.Estimated || a.Usage.Estimated, n.Scripted || a.Scripted
	n.Model, n.Fingerprint, n.Finish = a.Model, a.Fingerprint, a.Finish
	if r.cost += a.Cost; r.cost > 0 {
		n.Cost = r.cost.String()
	}
	r.echoed = r.echoed || echoes(a.Text, q.Nonce)
	r.out = err != nil && codeOf(err).Outage()
	return a, err
}

// codeOf returns the code of a failure, "" for none. The codes of package llm are
// those of judge.
func codeOf(err error) judge.NoVerdict {
	if err == nil {
		return ""
	}
	if f := (*llm.Failure)(nil); errors.As(err, &f) {
		return judge.NoVerdict(f.Code)
	}
	return judge.Internal
}
