package modeljudge

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/licet-dev/licet/internal/judge"
	"github.com/licet-dev/licet/internal/judge/model"
	"github.com/licet-dev/licet/internal/judge/models"
	"github.com/licet-dev/licet/internal/lab/authgate/result"
	"github.com/licet-dev/licet/internal/lab/authgate/run"
	"github.com/licet-dev/licet/internal/llm"
)

// Options say whom to ask, and in which form.
type Options struct {
	Name    string       // in results
	Model   models.Model // as the operator's list has it, with its key; its alternate is not asked
	Checked bool         // the gate's form and checks; false = the raw form
	Family  string       // who made the model, as data sets name who wrote them; "" = not known
}

// Judge asks one model. It is asked by several at a time.
type Judge struct {
	o     Options
	kind  result.Judge
	asker func(*result.Row) model.Asker // for the question of a row
	now   func() time.Time
}

// New returns a judge that asks a server, or the tape of its configuration. How long a
// question waits for a server that wants pauses is the configuration's patience.
func New(o Options, s llm.System) (*Judge, error) {
	client, err := llm.New(o.Model.Config, s)
	if err != nil {
		return nil, fmt.Errorf("the model %s: %w", o.Name, err)
	}
	kind := result.Live
	if o.Model.Config.Tape.Replays() {
		kind = result.Cassette
	}
	return &Judge{o, kind, func(*result.Row) model.Asker { return client }, s.Now}, nil
}

// NewOffline returns a judge that takes its answers from files, and leaves there what
// has none yet.
func NewOffline(o Options, f *Files) (*Judge, error) {
	offline, err := llm.NewOffline(o.Model.Config)
	if err != nil {
		return nil, fmt.Errorf("the model %s: %w", o.Name, err)
	}
	f.names(o.Model.Config)
	return &Judge{o, result.Batch, func(row *result.Row) model.Asker { return carried{f, offline, row} }, time.Now}, nil
}

// Name implements run.Judge.
func (j *Judge) Name() string { return j.o.Name }

// Kind implements run.Judge. A row says [result.Scripted] where a script answered.
func (j *Judge) Kind() result.Judge { return j.kind }

// Digest implements run.Judge: with another prompt, model or parameter it is another
// judge. Where its server is reached does not matter.
func (j *Judge) Digest() string {
	c := j.o.Model.Config
	template, schema := model.Digests(!j.o.Checked)
	text, err := json.Marshal([]any{j.kind, c.Provider, c.Model, c.Reports, c.Form, c.Context, j.o.Model.Temperature, j.o.Model.MaxTokens, j.o.Checked, template, schema})
	if err != nil {
		panic(err) // texts and numbers
	}
	return fmt.Sprintf("sha256:%x", sha256.Sum256(text))
}

// unhurried is longer than any question takes with its pauses: what bounds it is the
// client, which knows what of it was spent on waiting.
const unhurried = 24 * time.Hour

// Decide implements run.Judge.
func (j *Judge) Decide(ctx context.Context, v run.Visible, policy string, row *result.Row) error {
	p, err := model.MeasuredPolicy(row.Policy, policy)
	if err != nil {
		return fmt.Errorf("the policy %s: %w", row.Policy, err)
	}
	c, err := j.caseOf(ctx, v)
	if err != nil {
		return err
	}
	t := &tally{to: j.asker(row)}
	m, err := model.New(model.Options{
		Name: j.o.Name, Main: t, Policy: p, View: model.View{Results: true}, Plain: !j.o.Checked,
		Temperature: j.o.Model.Temperature, MaxTokens: j.o.Model.MaxTokens, Deadline: unhurried, Epoch: row.Epoch,
		Now: j.now, Nonce: model.LabNonce(row.Dataset, row.Item, row.Epoch),
	})
	if err != nil {
		return err
	}
	begun := j.now()
	o := m.Judge(ctx, c)
	if t.err != nil {
		return t.err
	}
	if j.kind == result.Live {
		row.Started = begun.UTC().Format(time.RFC3339)
	}
	j.fill(row, c, o)
	t.fill(row, j.o.Model.Config.Price)
	return nil
}

// fill writes down what was decided.
func (j *Judge) fill(row *result.Row, c judge.Case, o judge.Opinion) {
	row.TemplateDigest, row.Family = o.Asked.Template, j.o.Family
	if j.o.Checked {
		run.Take(row, judge.Check(c, o, judge.Now{Affected: c.Affected}))
		row.Confidence, row.ConfidenceSource = confidence(row.RawDecision, o.Confidence)
		return
	}
	row.Rationale = o.Rationale
	if o.NoVerdict != "" {
		row.Outcome, row.Reason = result.NoVerdict, string(o.NoVerdict)
		return
	}
	row.Outcome, row.RawDecision = result.Verdict, result.Decision(o.Verdict.String())
}
