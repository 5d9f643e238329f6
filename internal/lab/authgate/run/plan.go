package run

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/licet-dev/licet/internal/lab/authgate/result"
)

// Policy is the prose that a judge applies.
type Policy struct{ Name, Text string }

// Digest is that of the text, "" of none.
func (p Policy) Digest() string {
	if p.Text == "" {
		return ""
	}
	return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(p.Text)))
}

// Plan is all that a run asks.
type Plan struct {
	Dataset  string // digest
	Items    []Item
	Judges   []Judge
	Policies []Policy
	Forms    []result.Form // an item is asked in those that it has
	Epochs   int
}

// View says what of the trajectory is shown: the triplet as it was written.
const View = "calls+results"

// question is one thing to ask.
type question struct {
	judge  Judge
	policy Policy
	item   *Item
	row    result.Row // without an answer
}

// questions returns all questions, in an order that depends on the plan alone.
func (p *Plan) questions(run string) ([]question, error) {
	var all []question
	for _, judge := range p.Judges {
		for _, policy := range p.Policies {
			for _, form := range p.Forms {
				for epoch := 1; epoch <= p.Epochs; epoch++ {
					for i := range p.Items {
						if _, has := p.Items[i].In(form); !has {
							continue
						}
						q, err := p.question(run, judge, policy, form, epoch, &p.Items[i])
						if err != nil {
							return nil, err
						}
						all = append(all, q)
					}
				}
			}
		}
	}
	return all, nil
}

func (p *Plan) question(run string, judge Judge, policy Policy, form result.Form, epoch int, item *Item) (question, error) {
	key, err := json.Marshal([]any{item.ID, form, epoch, policy.Name, policy.Digest(), judge.Name(), judge.Digest(), p.Dataset})
	if err != nil {
		return question{}, fmt.Errorf("naming a call: %w", err)
	}
	return question{judge, policy, item, result.Row{
		Schema: result.Schema, Run: run, Dataset: p.Dataset, Item: result.Item(item.ID, form), Instance: item.ID, Form: form,
		Policy: policy.Name, PolicyDigest: policy.Digest(), View: View, Model: judge.Name(), Epoch: epoch,
		CallKey: fmt.Sprintf("sha256:%x", sha256.Sum256(key)), Judge: judge.Kind(),
	}}, nil
}

// visible is what the judge of a question is shown.
func (q *question) visible() Visible {
	v, _ := q.item.In(q.row.Form)
	return v
}

// parts are what makes a run the one that it is.
type parts struct {
	Format   string            `json:"format"`
	Dataset  string            `json:"dataset"`
	Judges   map[string]string `json:"judges"`   // digests by name
	Policies map[string]string `json:"policies"` // the same
	Forms    []result.Form     `json:"forms"`
	Epochs   int               `json:"epochs"`
	View     string            `json:"view"`
}

const format = "licet.authgate.run/1"

func (p *Plan) parts() parts {
	id := parts{Format: format, Dataset: p.Dataset, Judges: map[string]string{}, Policies: map[string]string{}, Forms: slices.Sorted(slices.Values(p.Forms)), Epochs: p.Epochs, View: View}
	for _, j := range p.Judges {
		id.Judges[j.Name()] = j.Digest()
	}
	for _, policy := range p.Policies {
		id.Policies[policy.Name] = policy.Digest()
	}
	return id
}

// check refuses a plan in which something stands twice, or nothing at all, and one with
// answers that nobody reads.
func (p *Plan) check() error {
	id := p.parts()
	if len(p.Items) == 0 || len(p.Judges) == 0 || len(p.Policies) == 0 || len(p.Forms) == 0 || p.Epochs < 1 {
		return fmt.Errorf("a run of %d items, %d judges, %d policies, %d forms and %d epochs asks nothing", len(p.Items), len(p.Judges), len(p.Policies), len(p.Forms), p.Epochs)
	}
	if p.Epochs > result.MaxEpochs {
		return fmt.Errorf("a run has at most %d epochs, not %d", result.MaxEpochs, p.Epochs)
	}
	if len(id.Judges) < len(p.Judges) || len(id.Policies) < len(p.Policies) || len(slices.Compact(id.Forms)) < len(p.Forms) {
		return fmt.Errorf("a judge, a policy or a form of the run stands twice")
	}
	return nil
}
