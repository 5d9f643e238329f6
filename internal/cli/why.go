package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/decide"
	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/explain"
	"github.com/licet-dev/licet/internal/facts"
	"github.com/licet-dev/licet/internal/gate"
	"github.com/licet-dev/licet/internal/judge"
	"github.com/licet-dev/licet/internal/toolcall"
)

func (a *app) why() *cobra.Command {
	var o whyOptions
	c := &cobra.Command{
		Use:   "why {RECORD | --contract FILE < call.json}",
		Short: "Explain a decision: every clause, every limit, and what would change it",
		Long: `Explains a recorded decision, or what a contract says of a call that is read from
standard input in the form of "licet decide". Prints every clause with each of its
constraints and the value that it saw, every limit with what is used of it, and
the smallest change of the arguments that would get a wider verdict, where one of
one or two arguments is found. Nothing is decided, recorded or used up.

Of a recorded decision, verdict and reasons are as recorded. The rest is evaluated
again, under the contract of that time and with the facts of now: what was stated
and used up may be more by now, and the workspace is the one that --workspace
names. Where the record holds not all arguments (secrets are redacted, long texts
cut), only what is recorded is told.`,
		Example: "  licet why d-ABCDEFGHIJKLMNOP\n  licet why --contract licet.yaml < call.json",
		Args:    cobra.MaximumNArgs(1),
		RunE: run(func(cmd *cobra.Command, args []string) error {
			if (len(args) == 1) == (o.contract != "") {
				return usagef("name either a record or, with --contract, the contract for a call on standard input")
			}
			if o.contract != "" {
				return a.whyCall(cmd.Context(), o)
			}
			return a.whyRecord(cmd.Context(), args[0], o)
		}),
	}
	c.Flags().StringVar(&o.contract, "contract", "", "explain the call on standard input under this contract")
	c.Flags().StringVar(&o.workspace, "workspace", "", "workspace of a recorded call")
	c.Flags().BoolVar(&o.asJSON, "json", false, "print JSON")
	return c
}

type whyOptions struct {
	contract, workspace string
	asJSON              bool
}

// whyCall explains a call on standard input.
func (a *app) whyCall(ctx context.Context, o whyOptions) error {
	p, err := a.pose(ctx, o.contract)
	if err != nil {
		return err
	}
	defer p.state.Close()
	e, judged, err := a.explainAsk(ctx, p.state, p.contract, p.ask, p.places)
	if err != nil {
		return err
	}
	out := whyJSON{Explanation: explanationOf(e)}
	if judged != nil {
		out.Turns = judged.Case.Turns
		if err := json.Unmarshal(judged.Value(true).AppendCanonical(nil), &out.Opinion); err != nil {
			return fmt.Errorf("reading the opinion: %w", err)
		}
	}
	return a.printWhy(out, o.asJSON)
}

// posed is a call on standard input with what it takes to look at it under a
// contract. Its state is open.
type posed struct {
	ask      gate.Ask
	places   constraint.Places
	contract *contract.Contract
	state    *state
}

// pose reads a call from standard input and the contract at path, and opens the
// state.
func (a *app) pose(ctx context.Context, path string) (p posed, err error) {
	raw, err := io.ReadAll(io.LimitReader(a.in, toolcall.DefaultBytes+1))
	if err != nil {
		return p, fmt.Errorf("reading the call: %w", err)
	}
	ask, workspace, err := readAsk(raw)
	if err != nil {
		return p, fmt.Errorf("reading the call: %w", err)
	}
	places, err := facts.ResolvePlaces(workspace)
	if err != nil {
		return p, fmt.Errorf("workspace %q: %w", workspace, err)
	}
	f, err := readContract(path, places)
	if err != nil {
		return p, err
	}
	s, err := a.openState(ctx)
	return posed{ask, places, f.contract, s}, err
}

// noModel stands in the place of judges that are models: an explanation decides
// many variants of a call, and asks and spends nothing.
func noModel(settings contract.Judge) (judge.Judge, error) {
	return nil, fmt.Errorf("the model %s is not asked here: \"licet judge\" asks it", settings.Model)
}

// explainAsk explains a call under a contract with the facts of now, and says what
// the judge thinks of it, nil if it is not asked.
func (a *app) explainAsk(ctx context.Context, s *state, c *contract.Contract, ask gate.Ask, places constraint.Places) (explain.Explanation, *gate.Judgement, error) {
	g, err := a.newGate(s, func() *contract.Contract { return c }, places, noModel)
	if err != nil {
		return explain.Explanation{}, nil, err
	}
	now, judged, err := g.Facts(ctx, ask)
	if err != nil {
		return explain.Explanation{}, nil, err
	}
	e, err := explain.Explain(c, ask.Call, now, func(call toolcall.Call) (decide.Facts, error) {
		changed := ask
		changed.Call = call
		facts, _, err := g.Facts(ctx, changed)
		return facts, err
	})
	return e, judged, err
}

// decision is what `licet why` reads of a recorded decision.
type decision struct {
	Agent          string          `json:"agent"`
	User           string          `json:"user"`
	Session        string          `json:"session"`
	Server         string          `json:"server"`
	Method         string          `json:"method"`
	Tool           string          `json:"tool"`
	Cwd            string          `json:"cwd"`
	CallDigest     string          `json:"call_digest"`
	ContractDigest string          `json:"contract_digest"`
	Verdict        authz.Verdict   `json:"verdict"`
	Shadow         *authz.Verdict  `json:"shadow"`
	Reasons        []authz.Reason  `json:"reasons"`
	Ticket         string          `json:"ticket"`
	Opinion        *opinionJSON    `json:"opinion"`
	Signals        *seenJSON       `json:"signals"`
	Asserted       json.RawMessage `json:"asserted"`
}

// turns returns what is kept of the turns of the user that were asserted; nothing
// where they were too large.
func (d decision) turns() []string {
	var kept struct {
		Turns []string `json:"turns"`
	}
	if json.Unmarshal(d.Asserted, &kept) != nil {
		return nil
	}
	return kept.Turns
}

// whyRecord explains a recorded decision.
func (a *app) whyRecord(ctx context.Context, id string, o whyOptions) error {
	places, err := facts.ResolvePlaces(o.workspace)
	if err != nil {
		return fmt.Errorf("workspace %q: %w", o.workspace, err)
	}
	s, err := a.readState(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	r, err := recordOf(ctx, s, id)
	if err != nil {
		return err
	}
	if r.Kind != evidence.Decision {
		return fmt.Errorf("record %q is no decision but of kind %s", id, r.Kind)
	}
	var d decision
	if err := json.Unmarshal(r.Body, &d); err != nil {
		return fmt.Errorf("record %q: %w", id, err)
	}
	out := whyJSON{Recorded: &recordedJSON{ID: r.ID, Time: r.Time, Agent: d.Agent, Server: d.Server, Tool: d.Tool, Verdict: d.Verdict, Shadow: d.Shadow,
		Reasons: d.Reasons, Ticket: d.Ticket, ContractDigest: d.ContractDigest, Opinion: d.Opinion, Signals: d.Signals}}
	if d.Opinion != nil {
		out.Recorded.Turns = d.turns()
	}
	ask, missing, err := askOf(r, d)
	if err != nil {
		return err
	}
	if missing != "" {
		out.NotEvaluated = missing
		return a.printWhy(out, o.asJSON)
	}
	kept, err := s.store.Contract(ctx, d.ContractDigest)
	if err != nil {
		return fmt.Errorf("contract %s of the record: %w", d.ContractDigest, err)
	}
	c, err := loadBundle(d.ContractDigest, kept)
	if err != nil {
		return err
	}
	e, _, err := a.explainAsk(ctx, s, c, ask, places)
	if err != nil {
		return err
	}
	out.Explanation = explanationOf(e)
	return a.printWhy(out, o.asJSON)
}

// askOf makes the call of a record again. missing says what of it was not
// recorded, so that it cannot be evaluated again; "" is nothing.
func askOf(r evidence.Record, d decision) (ask gate.Ask, missing string, err error) {
	body, err := toolcall.Parse(r.Body, toolcall.Bounds{Bytes: 2 * evidence.MaxBody})
	if err != nil {
		return ask, "", fmt.Errorf("record %q: %w", r.ID, err)
	}
	call := toolcall.Call{
		Agent: d.Agent, Server: d.Server, Method: d.Method, Tool: d.Tool,
		Arguments: body.Get("arguments"), Params: toolcall.ObjectOf(),
	}
	switch {
	case d.ContractDigest == "" || call.Arguments.Kind() != toolcall.Object:
		return ask, "no call was judged: what came in could not be read as one, or no contract was loaded", nil
	case string(call.Digest()) != d.CallDigest:
		return ask, "the record does not hold the whole call: values are redacted or cut", nil
	}
	ask = gate.Ask{Door: "why", Principal: authz.Principal{Agent: d.Agent, User: d.User}, Session: d.Session, Cwd: d.Cwd,
		Call: call, Live: liveOf(d), Speaks: authz.Credential{Operator: len(d.Reasons) == 0 || d.Reasons[0].Code != authz.Unauthenticated}}
	turns := body.Get("asserted").Get("turns")
	for i := range turns.Len() {
		ask.Asserted.Turns = append(ask.Asserted.Turns, turns.Elem(i).Text())
	}
	return ask, "", nil
}

// liveOf returns how the live definition of the tool compared with its pin when
// the decision was made, as far as the decision shows it.
func liveOf(d decision) catalog.State {
	if len(d.Reasons) > 0 {
		switch d.Reasons[0].Code {
		case authz.Quarantined:
			return catalog.Quarantined
		case authz.CatalogUnverified:
			return catalog.Unverified
		}
	}
	return catalog.Pinned
}

// whyJSON is what `licet why --json` prints.
type whyJSON struct {
	Recorded     *recordedJSON    `json:"recorded,omitempty"`
	NotEvaluated string           `json:"not_evaluated,omitempty"` // why there is no explanation
	Explanation  *explanationJSON `json:"explanation,omitempty"`
	Opinion      *opinionJSON     `json:"opinion,omitempty"` // of the judge on a call that is not recorded, if it was asked
	Turns        []string         `json:"turns,omitempty"`   // of the user, as the judge saw them
}

// recordedJSON is a decision as its record has it.
type recordedJSON struct {
	ID             string         `json:"id"`
	Time           time.Time      `json:"time"`
	Agent          string         `json:"agent"`
	Server         string         `json:"server"`
	Tool           string         `json:"tool"`
	Verdict        authz.Verdict  `json:"verdict"`
	Shadow         *authz.Verdict `json:"shadow,omitempty"`
	Reasons        []authz.Reason `json:"reasons"`
	Ticket         string         `json:"ticket,omitempty"`
	ContractDigest string         `json:"contract_digest,omitempty"`
	Opinion        *opinionJSON   `json:"opinion,omitempty"` // of a call that was judged
	Turns          []string       `json:"turns,omitempty"`   // of the user, as far as they are kept, of such a call
	Signals        *seenJSON      `json:"signals,omitempty"` // what collectors saw of the environment
}

// explanationJSON is what was evaluated now.
type explanationJSON struct {
	Verdict authz.Verdict  `json:"verdict"`
	Shadow  *authz.Verdict `json:"shadow,omitempty"`
	Reasons []authz.Reason `json:"reasons"`
	Clauses []clauseJSON   `json:"clauses"`
	Limits  []limitJSON    `json:"limits"`
	Changes []proposalJSON `json:"changes"`
}

type clauseJSON struct {
	Step        string           `json:"step"`
	Path        string           `json:"path"`
	Holds       bool             `json:"holds"`
	Error       string           `json:"error,omitempty"`
	Constraints []constraintJSON `json:"constraints"`
}

type constraintJSON struct {
	Argument string          `json:"argument"`
	Word     string          `json:"word,omitempty"`
	Operand  json.RawMessage `json:"operand,omitempty"`
	Holds    bool            `json:"holds"`
	Value    json.RawMessage `json:"value,omitempty"`
	Why      string          `json:"why,omitempty"`
}

type limitJSON struct {
	Path  string `json:"path"`
	Used  string `json:"used,omitempty"`
	Takes string `json:"takes"`
	Max   string `json:"max"`
	Fits  bool   `json:"fits"`
	Asks  bool   `json:"asks,omitempty"`
}

type proposalJSON struct {
	Verdict   authz.Verdict   `json:"verdict"`
	Edits     []editJSON      `json:"edits"`
	Arguments json.RawMessage `json:"arguments"`
}

type editJSON struct {
	Argument string          `json:"argument"`
	Old      json.RawMessage `json:"old,omitempty"`
	New      json.RawMessage `json:"new,omitempty"`
}

func explanationOf(e explain.Explanation) *explanationJSON {
	out := &explanationJSON{Verdict: e.Decision.Verdict, Shadow: e.Decision.Shadow, Reasons: e.Decision.Reasons,
		Clauses: []clauseJSON{}, Limits: []limitJSON{}, Changes: []proposalJSON{}}
	for _, k := range e.Clauses {
		c := clauseJSON{k.Step, k.Path, k.Holds, k.Error, []constraintJSON{}}
		for _, f := range k.Findings {
			c.Constraints = append(c.Constraints, constraintJSON{f.Argument, f.Kind, rawJSON(f.Operand), f.Holds, rawJSON(f.Value), f.Why})
		}
		out.Clauses = append(out.Clauses, c)
	}
	for _, l := range e.Limits {
		out.Limits = append(out.Limits, limitJSON{l.Path, l.Used, l.Takes, l.Max, l.Fits, l.Asks})
	}
	for _, c := range e.Changes {
		change := proposalJSON{Verdict: c.Verdict, Arguments: rawJSON(c.Arguments)}
		for _, edit := range c.Edits {
			change.Edits = append(change.Edits, editJSON{edit.Argument, rawJSON(edit.Old), rawJSON(edit.New)})
		}
		out.Changes = append(out.Changes, change)
	}
	return out
}

// rawJSON returns a value as it is written, nil if it is absent.
func rawJSON(v toolcall.Value) json.RawMessage {
	if v.Kind() == toolcall.Absent {
		return nil
	}
	return v.AppendCanonical(nil)
}
