package gate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/decide"
	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/facts"
	"github.com/licet-dev/licet/internal/judge"
	"github.com/licet-dev/licet/internal/signals"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Judgement is an opinion with what it was formed on.
type Judgement struct {
	Model    string // as the contract names it
	Digest   string // of what the judge goes by
	Case     judge.Case
	Opinion  judge.Opinion
	Handed   bool           // a judge clause hands the call over
	Decision authz.Decision // that the call gets now
}

// judge asks the judge about a call that a judge clause hands over, and decides
// it with the opinion. Facts and decision are made once more after the answer, so
// that what the contract forbids stays forbidden and the opinion is about what the
// call would touch now.
func (g *Gate) judge(ctx context.Context, r *request, before *decide.Facts) (d authz.Decision, err error) {
	c, err := caseOf(r, before.Answers)
	if err != nil {
		return d, err
	}
	err = g.within(ctx, func(ctx context.Context) error { return g.signal(ctx, r, before.Answers, &c) })
	if err != nil {
		return d, err
	}
	by, raw := g.opinion(ctx, r, c)
	err = g.within(ctx, func(ctx context.Context) error {
		d, err = g.judged(ctx, r, before, by, raw)
		return err
	})
	return d, err
}

// judged decides a call with what the judge says of it.
func (g *Gate) judged(ctx context.Context, r *request, before *decide.Facts, j Judgement, raw judge.Opinion) (d authz.Decision, err error) {
	facts, err := g.gather(ctx, r)
	if err != nil {
		return d, err
	}
	facts.Approval = before.Approval
	d = decide.Decide(r.contract, r.ask.Call, facts)
	after, err := caseOf(r, facts.Answers)
	if err != nil {
		return d, err
	}
	r.affected = after.Affected
	j.Opinion = judge.Check(j.Case, raw, judge.Now{Denied: d.Verdict == authz.Block && !d.Judge, Affected: r.affected})
	j.Handed = true
	r.judged = &j
	if d.Judge {
		if facts.Judged, err = g.judgedOf(ctx, r); err != nil {
			return d, err
		}
		d = decide.Decide(r.contract, r.ask.Call, facts)
	}
	*before = facts
	return d, nil
}

// opinion asks the judge that the contract names, and says who that is. One that
// is missing or that panics has none.
func (g *Gate) opinion(ctx context.Context, r *request, c judge.Case) (by Judgement, o judge.Opinion) {
	by = Judgement{Model: r.contract.Judge().Model, Case: c}
	if r.silent != nil {
		by.Digest = r.silent.Digest
		return by, r.silent.Opinion
	}
	defer func() {
		if p := recover(); p != nil {
			o = judge.None(judge.Internal, fmt.Sprintf("panic: %v", p))
		}
	}()
	who, err := g.judgeOf(r.contract.Judge())
	if err != nil {
		return by, unavailable(err)
	}
	by.Digest = who.Digest()
	ctx, cancel := context.WithTimeout(ctx, g.o.JudgeDeadline)
	defer cancel()
	return by, who.Judge(ctx, c)
}

// judgeOf returns the judge that a contract sets.
func (g *Gate) judgeOf(settings contract.Judge) (judge.Judge, error) {
	switch {
	case settings.Model != contract.BuiltinJudge && g.o.Models != nil:
		return g.o.Models(settings)
	case settings.Model == contract.BuiltinJudge && g.o.Judge != nil:
		return g.o.Judge, nil
	}
	return nil, errors.New("this gate has no judge " + settings.Model)
}

// ErrPolicy is behind the error of a judge whose policy can't be read.
var ErrPolicy = errors.New("the policy can't be read")

// unavailable is the opinion of a judge that could not be made.
func unavailable(err error) judge.Opinion {
	if errors.Is(err, ErrPolicy) {
		return judge.None(judge.Policy, err.Error())
	}
	return judge.None(judge.Internal, err.Error())
}

// caseOf returns what the judge sees of a call, but for signals: nothing of who
// asks, of the contract, or of what the call carries beside its arguments.
func caseOf(r *request, answers constraint.Answers) (judge.Case, error) {
	a := actionOf(r, answers)
	for _, argument := range slices.Sorted(maps.Keys(a.Commands)) {
		scripts, err := facts.Scripts(a.Commands[argument])
		if err != nil {
			return judge.Case{}, err
		}
		for _, s := range scripts {
			a.Scripts = append(a.Scripts, judge.Script(s))
		}
	}
	c := judge.NewCase(a, r.ask.Asserted.Turns)
	c.Session = r.ask.Session
	for _, e := range r.ask.Asserted.Results {
		c.Calls = append(c.Calls, judge.Earlier(e))
	}
	return c, nil
}

// actionOf returns what a call would do, without what the user wrote.
func actionOf(r *request, answers constraint.Answers) judge.Action {
	call := r.ask.Call
	a := judge.Action{
		Server: call.Server, Tool: call.Tool, Arguments: call.Arguments,
		Cwd: r.ask.Cwd, Places: answers.Places, Commands: map[string]constraint.Shell{},
	}
	if call.Tool == "" {
		a.Tool = call.Method
	}
	if pinned, ok := r.contract.Catalog(call.Server); ok {
		if tool, ok := pinned.Approved.Tool(call.Tool); ok {
			a.ReadOnly = tool.ReadOnlyHint()
		}
	}
	if r.rule != nil {
		for argument, q := range r.rule.CommandLines(call.Arguments) {
			a.Commands[argument] = answers.Shell[q.Key]
		}
	}
	return a
}

// noWords tells operators why the judge found no consent.
const noWords = "no user turns are known here (MCP carries none), so no words of the user can authorize anything: " +
	"give them to `licet decide` as \"request\""

// judgedOf puts an opinion into the words of package decide.
func (g *Gate) judgedOf(ctx context.Context, r *request) (decide.Judged, error) {
	o := r.judged.Opinion
	j := decide.Judged{Asked: true, Opinion: o.Verdict, Soft: o.NoVerdict.Soft(), Why: o.Rationale}
	if o.Verdict == authz.NoVerdict {
		j.Why = strings.TrimSuffix(string(o.NoVerdict)+": "+o.Rationale, ": ")
	}
	if len(o.Failed) > 0 {
		j.Why += fmt.Sprintf(" Checks that fail: %v.", o.Failed)
	}
	if len(r.judged.Case.Turns) == 0 && o.Verdict != authz.NoVerdict {
		j.Why = noWords
	}
	err := g.reach(ctx, r, &j)
	return j, err
}

// reach finds out whether a person can be asked, where the judge decides nothing.
func (g *Gate) reach(ctx context.Context, r *request, j *decide.Judged) error {
	enrolled, err := g.o.Store.Approvers(ctx)
	if err != nil {
		return fmt.Errorf("reading approvers: %w", err)
	}
	j.Reachable = reachable(r.contract.Approvals(), enrolled)
	if !j.Reachable && j.Opinion != authz.OpinionAllow && j.Opinion != authz.OpinionBlock {
		j.Why = strings.TrimLeft(sentence(j.Why)+" No approver can be reached: too few are enrolled.", " ")
	}
	return nil
}

// sentence returns text that another sentence can follow.
func sentence(text string) string {
	if text == "" || strings.ContainsAny(text[len(text)-1:], ".?!") {
		return text
	}
	return text + "."
}

// reachable reports whether enough of those who may answer are enrolled.
func reachable(a contract.Approvals, enrolled []string) bool {
	n := 0
	for _, name := range enrolled {
		if len(a.Approvers) == 0 || slices.Contains(a.Approvers, name) {
			n++
		}
	}
	return n >= a.Quorum
}

// Opine returns what the judge thinks of a call now, also where the contract does
// not ask it, and the decision that the call gets. Nothing is recorded or used
// up, and no Grant can come of it. An error says that there is nothing to judge.
func (g *Gate) Opine(ctx context.Context, a Ask) (Judgement, error) {
	r := g.newRequest(a)
	if r.rule == nil {
		return Judgement{}, fmt.Errorf("the contract lists no %s for agent %q", a.Call.Server+"."+a.Call.Tool, a.Call.Agent)
	}
	facts, d, err := g.weigh(ctx, r)
	if err != nil {
		return Judgement{}, err
	}
	if r.judged == nil {
		c, err := caseOf(r, facts.Answers)
		if err != nil {
			return Judgement{}, err
		}
		err = g.within(ctx, func(ctx context.Context) error { return g.signal(ctx, r, facts.Answers, &c) })
		if err != nil {
			return Judgement{}, err
		}
		j, raw := g.opinion(ctx, r, c)
		j.Opinion = judge.Check(c, raw, judge.Now{Denied: d.Code() == authz.NeverClause, Affected: c.Affected})
		j.Handed = d.Code() == authz.JudgeBreaker
		r.judged = &j
	}
	r.judged.Decision = d
	return *r.judged, nil
}

// uncovered returns what the call is about that no quoted words authorize. It is
// computed from the case, so that an agent is told nothing that a model wrote.
func (j *Judgement) uncovered() (targets []string) {
	covered := map[string]bool{}
	for _, s := range j.Opinion.Spans {
		for _, id := range s.Effects {
			covered[id] = true
		}
	}
	for _, e := range j.Case.Effects {
		if e.Risk() != judge.Low && !covered[e.ID] {
			targets = append(targets, e.Target)
		}
	}
	return targets
}

// Bounds of what is kept of an opinion.
const (
	maxKept       = 64 << 10 // bytes with the words of call and user; beyond, these are left out
	maxBoundaries = 100
)

// kept returns the opinion as it is written down: with the words of call and user
// where they may stand in it, and if that is not too large.
func (j *Judgement) kept(open bool) toolcall.Value {
	if v := j.Value(true); open && len(v.AppendCanonical(nil)) <= maxKept {
		return v
	}
	return j.Value(false)
}

// Value returns the opinion as records and tickets keep it (docs/spec/evidence.md,
// "opinion"), with secrets masked. open is whether words of the call and of the
// user stand in it.
func (j *Judgement) Value(open bool) toolcall.Value {
	var o object
	o.text("model", j.Model)
	o.text("policy_digest", j.Digest)
	o.text("raw", j.Opinion.Raw.String())
	o.text("checked", j.Opinion.Verdict.String())
	o.text("no_verdict", string(j.Opinion.NoVerdict))
	o.text("authorization", string(j.Opinion.Authorization))
	o.text("failure_mode", string(j.Opinion.FailureMode))
	o.text("risk", j.Opinion.Risk.String())
	failed := make([]string, len(j.Opinion.Failed))
	for i, code := range j.Opinion.Failed {
		failed[i] = string(code)
	}
	o.value("failed", texts(failed))
	o.value("effects", j.effects(open))
	o.value("spans", j.spans(open))
	o.value("uncovered", texts(j.words(j.Opinion.Uncovered, open)))
	o.value("boundaries", j.boundaries(open))
	if len(j.Case.Signals) > 0 {
		o.text("signals_digest", signals.Digest(j.Case.Signals))
	}
	if open {
		o.text("rationale", evidence.Line(j.Opinion.Rationale))
	}
	if j.Opinion.Alert() {
		o.value("alert", toolcall.Boolean(true))
	}
	if j.Opinion.Asked != nil {
		o.value("asked", j.asked(open))
	}
	return toolcall.ObjectOf(o...)
}

// words returns what a model wrote where ids of effects belong: anything, of which
// only the ids are kept where words of the call may not be.
func (j *Judgement) words(all []string, open bool) (kept []string) {
	for _, s := range all {
		if slices.ContainsFunc(j.Case.Effects, func(e judge.Effect) bool { return e.ID == s }) {
			kept = append(kept, s)
		} else if open {
			kept = append(kept, evidence.Line(s))
		}
	}
	return kept
}

// asked says how the opinion of a model came about.
func (j *Judgement) asked(open bool) toolcall.Value {
	a := j.Opinion.Asked
	var o object
	o.text("template_digest", a.Template)
	o.text("schema_digest", a.Schema)
	o.value("view", texts(a.View))
	o.text("reported", evidence.Line(a.Model))
	o.text("fingerprint", evidence.Line(a.Fingerprint))
	o.text("finish", evidence.Line(a.Finish))
	for name, on := range map[string]bool{
		"scripted": a.Scripted, "cached": a.Cached, "alternate": a.Alternate, "repaired": a.Repaired, "estimated": a.Estimated,
	} {
		if on {
			o.value(name, toolcall.Boolean(true))
		}
	}
	if a.Stage > 0 {
		o.value("stage", number(a.Stage))
	}
	o.value("requests", number(a.Requests))
	o.value("input_tokens", number(int(a.Input)))
	o.value("output_tokens", number(int(a.Output)))
	o.text("cost", a.Cost)
	var votes []toolcall.Value
	for _, v := range a.Votes {
		var vote object
		vote.text("raw", v.Raw.String())
		vote.text("checked", v.Checked.String())
		vote.text("no_verdict", string(v.NoVerdict))
		votes = append(votes, toolcall.ObjectOf(vote...))
	}
	if len(votes) > 0 {
		o.value("votes", toolcall.ArrayOf(votes...))
	}
	if t := j.Opinion.Omitted; t.From > 0 {
		o.value("omitted_turns", toolcall.ArrayOf(number(t.From), number(t.To)))
	}
	o.text("confidence", j.Opinion.Confidence)
	if open {
		o.value("action_effects", texts(j.words(j.Opinion.Saw, true)))
		o.value("signals_used", texts(j.words(j.Opinion.Signals, true)))
	}
	return toolcall.ObjectOf(o...)
}

func (j *Judgement) effects(open bool) toolcall.Value {
	list := make([]toolcall.Value, len(j.Case.Effects))
	for i, e := range j.Case.Effects {
		var o object
		o.text("id", e.ID)
		o.text("op", string(e.Op))
		o.text("kind", string(e.Kind))
		if open {
			o.text("target", evidence.Line(e.Target))
		}
		o.text("risk", e.Risk().String())
		list[i] = toolcall.ObjectOf(o...)
	}
	return toolcall.ArrayOf(list...)
}

func (j *Judgement) boundaries(open bool) toolcall.Value {
	list := make([]toolcall.Value, min(len(j.Case.Boundaries), maxBoundaries))
	for i, b := range j.Case.Boundaries[:len(list)] {
		var o object
		o.value("turn", number(b.Turn))
		if open {
			o.text("text", evidence.Line(b.Text))
		}
		list[i] = toolcall.ObjectOf(o...)
	}
	return toolcall.ArrayOf(list...)
}

func (j *Judgement) spans(open bool) toolcall.Value {
	list := make([]toolcall.Value, len(j.Opinion.Spans))
	for i, s := range j.Opinion.Spans {
		var o object
		o.value("turn", number(s.Turn))
		if open {
			o.text("quote", evidence.Line(s.Quote))
		}
		o.value("effects", texts(j.words(s.Effects, open)))
		list[i] = toolcall.ObjectOf(o...)
	}
	return toolcall.ArrayOf(list...)
}

func number(n int) toolcall.Value {
	d, err := toolcall.ParseDecimal(strconv.Itoa(n))
	if err != nil {
		panic("gate: an integer is no decimal: " + err.Error()) // it always is one
	}
	return toolcall.NumberOf(d)
}

func texts(all []string) toolcall.Value {
	list := make([]toolcall.Value, len(all))
	for i, s := range all {
		list[i] = toolcall.StringOf(s)
	}
	return toolcall.ArrayOf(list...)
}
