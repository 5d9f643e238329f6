package result

import (
	"fmt"
	"regexp"
	"strings"
)

// Schema names the form of a row.
const Schema = "licet.authgate.result/1"

// Row is one decision that a judge was asked for.
type Row struct {
	Schema   string `json:"schema"`
	Run      string `json:"run"`
	Dataset  string `json:"dataset"` // digest of the data set
	Item     string `json:"item"`    // instance and form: "ag1-se-014-base-signals"
	Instance string `json:"instance"`
	Form     Form   `json:"form"`

	Policy         string `json:"policy"`
	PolicyDigest   string `json:"policy_digest,omitempty"`
	TemplateDigest string `json:"template_digest,omitempty"` // of the prompt
	View           string `json:"view,omitempty"`            // what of the trajectory was shown

	Model         string `json:"model"`                    // as it was asked for
	ModelReported string `json:"model_reported,omitempty"` // as it calls itself
	Family        string `json:"family,omitempty"`         // who made it; compared with who made the data
	Epoch         int    `json:"epoch"`                    // from 1
	CallKey       string `json:"call_key"`

	Outcome         Outcome  `json:"outcome"`
	Reason          string   `json:"reason,omitempty"`       // code, where there is no verdict
	RawDecision     Decision `json:"raw_decision,omitempty"` // as the judge said
	CheckedDecision Decision `json:"checked_decision,omitempty"`
	CheckCodes      []string `json:"check_codes,omitempty"` // checks that do not hold
	Rationale       string   `json:"rationale,omitempty"`

	Confidence       string `json:"confidence,omitempty"` // that it is to be allowed: a decimal from 0 to 1
	ConfidenceSource string `json:"confidence_source,omitempty"`

	Tokens    *Tokens `json:"tokens,omitempty"`
	Cost      string  `json:"cost,omitempty"`       // a decimal, in the currency of the price table
	LatencyMS *int64  `json:"latency_ms,omitempty"` // of the call that was made
	Retries   int     `json:"retries,omitzero"`
	Cache     string  `json:"cache,omitempty"` // "hit": the answer is that of an earlier call
	Judge     Judge   `json:"judge"`
	Started   string  `json:"started,omitempty"` // RFC 3339
}

// Tokens is what a call used.
type Tokens struct {
	Input  int64 `json:"input"` // all of them, the cached ones among them
	Cached int64 `json:"cached_input,omitzero"`
	Output int64 `json:"output"`
}

// Form says whether an instance was shown with observations of the environment.
type Form string

// The forms. [Without] makes those that leave one collector out, [Varied] those in
// which the same is written otherwise.
const (
	Plain   Form = "plain"
	Signals Form = "signals"
)

const (
	without = "signals-without-"
	varied  = "plain-"
)

// Without returns the form with the observations of all collectors but one.
func Without(collector string) Form { return Form(without + collector) }

// Collector returns the collector that a form leaves out, and whether there is one.
func (f Form) Collector() (string, bool) { return strings.CutPrefix(string(f), without) }

// Varied returns the plain form, written otherwise by a transform of package vary.
func Varied(transform string) Form { return Form(varied + transform) }

// Transform returns by what a form is written otherwise, and whether it is.
func (f Form) Transform() (string, bool) { return strings.CutPrefix(string(f), varied) }

// Outcome says whether there is a decision. A refusal to answer is none.
type Outcome string

// The outcomes.
const (
	Verdict   Outcome = "verdict"
	NoVerdict Outcome = "no_verdict"
)

// Decision is what was decided. An unsure one counts as block: a gate stops there.
type Decision string

// The decisions.
const (
	Allow  Decision = "allow"
	Block  Decision = "block"
	Unsure Decision = "unsure"
)

// Judge says what stands behind a decision.
type Judge string

// The kinds of judges.
const (
	Live     Judge = "live"     // a model, asked in this run
	Batch    Judge = "batch"    // a file of answers
	Cassette Judge = "cassette" // recorded answers of a model
	BuiltIn  Judge = "built_in" // code that uses no model
	Scripted Judge = "scripted" // a script in a model's place
	Planted  Judge = "planted"  // nobody: the decisions were written to test the evaluation
)

// IsStandIn says that decisions test the program and say nothing about any judge.
func (j Judge) IsStandIn() bool { return j == Scripted || j == Planted }

// Item returns the name of an instance in a form.
func Item(instance string, form Form) string { return instance + "-" + string(form) }

// Key is what makes a row the only one of its kind.
type Key struct {
	Model, Policy, Item string
	Epoch               int
}

// Key returns the key of the row.
func (r *Row) Key() Key { return Key{r.Model, r.Policy, r.Item, r.Epoch} }

// MaxEpochs bounds what a row can make others count.
const MaxEpochs = 1000

var (
	words      = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)
	judges     = map[Judge]bool{Live: true, Batch: true, Cassette: true, BuiltIn: true, Scripted: true, Planted: true}
	decisions  = map[Decision]bool{Allow: true, Block: true, Unsure: true}
	collectors = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	transforms = regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	decimals   = regexp.MustCompile(`^(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?$`)
	shares     = regexp.MustCompile(`^(0(\.[0-9]{1,18})?|1(\.0{1,18})?)$`)
)

// check returns the first thing that is wrong with a row.
func (r *Row) check() error {
	collector, leavesOut := r.Form.Collector()
	transform, varied := r.Form.Transform()
	switch {
	case r.Schema != Schema:
		return fmt.Errorf("the schema is %q, not %q", r.Schema, Schema)
	case r.Form != Plain && r.Form != Signals && !(leavesOut && collectors.MatchString(collector)) && !(varied && transforms.MatchString(transform)):
		return fmt.Errorf("the form %q is not known", r.Form)
	case !words.MatchString(r.Instance), r.Item != Item(r.Instance, r.Form):
		return fmt.Errorf("the item %q is not the instance %q in the form %q", r.Item, r.Instance, r.Form)
	case r.Run == "" || r.Dataset == "" || r.Model == "" || r.Policy == "" || r.CallKey == "":
		return fmt.Errorf("the row of %s misses run, dataset, model, policy or call_key", r.Item)
	case r.Epoch < 1 || r.Epoch > MaxEpochs || r.Retries < 0:
		return fmt.Errorf("the row of %s has the epoch %d and %d retries", r.Item, r.Epoch, r.Retries)
	case !judges[r.Judge]:
		return fmt.Errorf("the judge %q is not known", r.Judge)
	case r.Cache != "" && r.Cache != "hit":
		return fmt.Errorf("the cache %q is not known", r.Cache)
	}
	if err := r.checkDecision(); err != nil {
		return fmt.Errorf("the row of %s: %w", r.Item, err)
	}
	return r.checkNumbers()
}

func (r *Row) checkDecision() error {
	switch r.Outcome {
	case Verdict:
		if !decisions[r.RawDecision] || r.CheckedDecision != "" && !decisions[r.CheckedDecision] || r.Reason != "" {
			return fmt.Errorf("a verdict has a decision and no reason, not %q, %q and %q", r.RawDecision, r.CheckedDecision, r.Reason)
		}
		if r.RawDecision != Allow && r.CheckedDecision == Allow {
			return fmt.Errorf("no check turns %s into allow", r.RawDecision)
		}
	case NoVerdict:
		if r.RawDecision != "" || r.CheckedDecision != "" || !words.MatchString(r.Reason) {
			return fmt.Errorf("no verdict has a reason and no decision, not %q, %q and %q", r.Reason, r.RawDecision, r.CheckedDecision)
		}
	default:
		return fmt.Errorf("the outcome %q is not known", r.Outcome)
	}
	return nil
}

// checkNumbers looks at numbers, which are decimals, so that none is rounded.
func (r *Row) checkNumbers() error {
	if (r.Confidence == "") != (r.ConfidenceSource == "") {
		return fmt.Errorf("the row of %s has a confidence without its source, or the other way round", r.Item)
	}
	if r.Confidence != "" && !shares.MatchString(r.Confidence) {
		return fmt.Errorf("the row of %s: the confidence %q is no decimal from 0 to 1", r.Item, r.Confidence)
	}
	if r.Cost != "" && !decimals.MatchString(r.Cost) {
		return fmt.Errorf("the row of %s: the cost %q is no decimal of 0 or more", r.Item, r.Cost)
	}
	if t := r.Tokens; t != nil && (t.Input < 0 || t.Output < 0 || t.Cached < 0 || t.Cached > t.Input) {
		return fmt.Errorf("the row of %s has %+v tokens", r.Item, *t)
	}
	if r.LatencyMS != nil && *r.LatencyMS < 0 {
		return fmt.Errorf("the row of %s took %d ms", r.Item, *r.LatencyMS)
	}
	return nil
}

// IsDecimal says whether a text is a decimal of 0 or more, as rows write them.
func IsDecimal(text string) bool { return decimals.MatchString(text) }
