package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/facts"
	"github.com/licet-dev/licet/internal/gate"
	"github.com/licet-dev/licet/internal/judge"
	"github.com/licet-dev/licet/internal/judge/models"
	"github.com/licet-dev/licet/internal/signals"
	"github.com/licet-dev/licet/internal/toolcall"
)

func (a *app) decide() *cobra.Command {
	var path, modelsPath string
	var asJSON bool
	c := &cobra.Command{
		Use:   "decide --contract FILE < call.json",
		Short: "Decide one call read from standard input, and record it",
		Long: `Reads one call as a JSON object and prints the decision. The exit status is the
verdict: 0 ALLOW, 3 BLOCK, 4 REQUIRE_APPROVAL. Nothing is run.

  {"agent": "support", "session": "s1", "server": "bank", "tool": "send_money",
   "arguments": {"recipient": "GB29NWBK60161331926819", "amount": 50}}

Optional members: "user", "cwd", "workspace", "approval" (the ticket that the
call names), and, for this one decision and recorded as asserted, "request"
(the user's turns, a list of texts) and "history" (earlier calls, a list of
{"server", "tool", "arguments", "result"}; the arguments are optional).`,
		Example: "  licet decide --contract licet.yaml < call.json",
		Args:    cobra.NoArgs,
		RunE: run(func(cmd *cobra.Command, _ []string) error {
			return a.runDecide(cmd.Context(), path, modelsPath, asJSON)
		}),
	}
	c.Flags().StringVar(&path, "contract", "", "contract file (required)")
	c.Flags().StringVar(&modelsPath, "models", "", modelsHelp)
	c.Flags().BoolVar(&asJSON, "json", false, "print the decision as JSON")
	if err := c.MarkFlagRequired("contract"); err != nil {
		panic(err)
	}
	return c
}

func (a *app) runDecide(ctx context.Context, path, modelsPath string, asJSON bool) error {
	raw, err := io.ReadAll(io.LimitReader(a.in, toolcall.DefaultBytes+1))
	if err != nil {
		return fmt.Errorf("reading the call: %w", err)
	}
	ask, workspace, malformed := readAsk(raw)
	places, err := facts.ResolvePlaces(workspace)
	if err != nil {
		return fmt.Errorf("workspace %q: %w", workspace, err)
	}
	s, err := a.openState(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	var answer gate.Answer
	switch w, err := watchContract(ctx, path, places, s, a.err); {
	case errors.Is(err, errNotKept):
		answer.Reasons = []authz.Reason{{Code: authz.NoEvidence, Detail: err.Error()}}
	case err != nil:
		return err
	default:
		g, err := a.newGate(s, w.current, places, a.models(s, modelsPath, places, w.current))
		if err != nil {
			return err
		}
		answer = decideOnce(ctx, g, ask, malformed, raw)
	}
	if err := a.printAnswer(answer, asJSON); err != nil {
		return err
	}
	return exit(exitOf(answer.Verdict))
}

// decideOnce asks the gate about a call, or about input that is none.
func decideOnce(ctx context.Context, g *gate.Gate, ask gate.Ask, malformed error, raw []byte) gate.Answer {
	if malformed != nil {
		return g.Refuse(ctx, ask, authz.Malformed, malformed.Error(), raw)
	}
	return g.Check(ctx, ask)
}

// newGate puts a gate together over an opened state. Commands are taken to run with
// the PATH of licet itself. m makes the judges that are models.
func (a *app) newGate(s *state, current func() *contract.Contract, places constraint.Places, m gate.Models) (*gate.Gate, error) {
	own, err := s.own()
	if err != nil {
		return nil, fmt.Errorf("finding the state directory: %w", err)
	}
	return gate.New(gate.Options{
		Contract: current, Store: s.store, Key: s.key, Own: own, Places: places, Path: a.env["PATH"],
		Judge: judge.Grounded{}, Models: m, JudgeDeadline: models.MaxDeadline, Signals: signals.Collect,
	})
}

// callMembers are the members of a call on standard input.
var callMembers = []string{
	"agent", "user", "session", "server", "tool", "arguments", "request", "history", "cwd", "workspace", "approval",
}

// readAsk reads a call from its JSON form. An error says what is wrong with it;
// what could be read is returned for the record.
func readAsk(raw []byte) (gate.Ask, string, error) {
	ask := gate.Ask{Door: "decide", Live: catalog.Pinned, Speaks: authz.Credential{Operator: true}}
	v, err := toolcall.Parse(raw, toolcall.Bounds{})
	if err != nil {
		return ask, "", err
	}
	if v.Kind() != toolcall.Object {
		return ask, "", fmt.Errorf("a call is a JSON object, not %s", v.Kind())
	}
	r := reader{v: v}
	for i := range v.Len() {
		if name, _ := v.Member(i); !slices.Contains(callMembers, name) {
			r.fail("unknown member %q: a call has %s", name, strings.Join(callMembers, ", "))
		}
	}
	ask.Principal = authz.Principal{Agent: r.text("agent", true), User: r.text("user", false)}
	ask.Session, ask.Cwd = r.text("session", false), r.text("cwd", false)
	ask.Call = toolcall.Call{
		Agent: ask.Principal.Agent, Server: r.text("server", true), Method: contract.ToolsCall, Tool: r.text("tool", true),
		Arguments: r.arguments(), Params: toolcall.ObjectOf(), Ticket: r.text("approval", false),
	}
	ask.Asserted = gate.Asserted{Turns: r.turns(), Results: r.history()}
	return ask, r.text("workspace", false), r.err
}

// reader takes a call apart and keeps the first thing that is wrong.
type reader struct {
	v   toolcall.Value
	err error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

func (r *reader) text(name string, required bool) string {
	switch v := r.v.Get(name); {
	case v.Kind() == toolcall.String && (v.Text() != "" || !required):
		return v.Text()
	case v.Kind() != toolcall.Absent || required:
		r.fail("%q must be a text that is not empty", name)
	}
	return ""
}

func (r *reader) arguments() toolcall.Value {
	switch v := r.v.Get("arguments"); v.Kind() {
	case toolcall.Object:
		return v
	case toolcall.Absent:
		return toolcall.ObjectOf()
	default:
		r.fail(`"arguments" must be an object, not %s`, v.Kind())
		return toolcall.ObjectOf()
	}
}

// list returns the elements of an optional array.
func (r *reader) list(name string) (elems []toolcall.Value) {
	v := r.v.Get(name)
	if k := v.Kind(); k != toolcall.Array && k != toolcall.Absent {
		r.fail("%q must be a list", name)
		return nil
	}
	for i := range v.Len() {
		elems = append(elems, v.Elem(i))
	}
	return elems
}

func (r *reader) turns() (turns []string) {
	for _, v := range r.list("request") {
		if v.Kind() != toolcall.String {
			r.fail(`"request" must be a list of texts`)
		}
		turns = append(turns, v.Text())
	}
	return turns
}

func (r *reader) history() (results []gate.AssertedResult) {
	for _, v := range r.list("history") {
		one := reader{v: v}
		results = append(results, gate.AssertedResult{
			Server: one.text("server", true), Tool: one.text("tool", true), Arguments: v.Get("arguments"), Result: v.Get("result"),
		})
		if one.err != nil {
			r.fail(`"history": %w`, one.err)
		}
	}
	return results
}

// answerJSON is an Answer as operators read it (contract.md, section 5).
type answerJSON struct {
	Verdict        authz.Verdict  `json:"verdict"`
	Shadow         *authz.Verdict `json:"shadow,omitempty"` // the agent is in shadow mode: what the verdict would have been
	Reasons        []authz.Reason `json:"reasons"`
	Told           string         `json:"told,omitempty"`       // what the agent is told of a call that does not run
	Uncovered      []string       `json:"uncovered,omitempty"`  // of a call that the judge blocks: what no words of the user authorize
	NoVerdict      *noVerdictJSON `json:"no_verdict,omitempty"` // of a call that the judge did not decide
	CallDigest     string         `json:"call_digest,omitempty"`
	ContractDigest string         `json:"contract_digest,omitempty"`
	CatalogDigest  string         `json:"catalog_digest,omitempty"`
	Evidence       *evidenceJSON  `json:"evidence,omitempty"`
	Overridable    bool           `json:"overridable,omitempty"` // licet approvals override can let the call run once
	Approval       *approvalJSON  `json:"approval,omitempty"`
}

// noVerdictJSON says why the judge did not decide a call, and when one retry makes
// sense; not at all without retry_after.
type noVerdictJSON struct {
	Code       string `json:"code"`
	RetryAfter string `json:"retry_after,omitempty"` // least duration, 0s = at once
}

func noVerdictOf(n judge.NoVerdict) *noVerdictJSON {
	if n == "" {
		return nil
	}
	out := &noVerdictJSON{Code: string(n)}
	if after, again := n.Retry(); again {
		out.RetryAfter = after.String()
	}
	return out
}

type evidenceJSON struct {
	ID    string `json:"id"`
	Index uint64 `json:"index"`
}

type approvalJSON struct {
	ID      string    `json:"id"`
	Expires time.Time `json:"expires"`
}

func (a *app) printAnswer(ans gate.Answer, asJSON bool) error {
	if asJSON || !isTerminal(a.out) {
		out := answerJSON{
			Verdict: ans.Verdict, Shadow: ans.Shadow, Reasons: ans.Reasons, Told: ans.Told(), Uncovered: ans.Uncovered,
			NoVerdict: noVerdictOf(ans.NoVerdict), Overridable: ans.Overridable, CallDigest: string(ans.CallDigest),
			ContractDigest: ans.ContractDigest, CatalogDigest: ans.CatalogDigest,
		}
		if ans.Evidence.ID != "" {
			out.Evidence = &evidenceJSON{ans.Evidence.ID, ans.Evidence.Index}
		}
		if ans.Ticket != nil {
			out.Approval = &approvalJSON{ans.Ticket.ID, ans.Ticket.Expires}
		}
		return printJSON(a.out, out)
	}
	s := a.style()
	fmt.Fprintf(a.out, "%s  %s%s\n", s.verdict(ans.Verdict), s.bold(string(ans.Code())), s.shadow(ans.Shadow))
	for _, r := range ans.Reasons {
		fmt.Fprintf(a.out, "  %s\n", wrap(reasonLine(r), a.width()-4, "    "))
	}
	if told := ans.Told(); told != "" {
		fmt.Fprintf(a.out, "  %s\n", wrap("the agent is told: "+printable(told), a.width()-4, "    "))
	}
	if ans.Ticket != nil {
		fmt.Fprintf(a.out, "  ticket %s, until %s; to approve it:\n", ans.Ticket.ID, moment(ans.Ticket.Expires))
		fmt.Fprintf(a.out, "    licet approvals approve %s%s\n", ans.Ticket.ID, a.stateFlag())
	}
	if ans.Overridable {
		fmt.Fprintln(a.out, "  to let it run once all the same:")
		fmt.Fprintf(a.out, "    licet approvals override %s%s\n", ans.Evidence.ID, a.stateFlag())
	}
	if ans.Evidence.ID != "" {
		fmt.Fprintln(a.out, s.faint(fmt.Sprintf("  record %s at index %d", ans.Evidence.ID, ans.Evidence.Index)))
	}
	return nil
}
