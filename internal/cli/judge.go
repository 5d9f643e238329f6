package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/gate"
	"github.com/licet-dev/licet/internal/toolcall"
)

func (a *app) judgeCommand() *cobra.Command {
	var path, modelsPath string
	var asJSON bool
	c := &cobra.Command{
		Use:   "judge --contract FILE < call.json",
		Short: "What the judge thinks of a call: do the user's own words authorize it?",
		Long: `Reads a call in the form of "licet decide" and prints what the judge thinks of it:
the opinion, the user's turns with the quoted words marked, every effect of the
call and whether words cover it, the checks that fail, and what the environment
says. The user's turns are the member "request" of the call; which files a command
touches is known only with "cwd" and "workspace". A contract that names no model
needs none; docs/judge.md has examples and says how a model is set up.

The judge decides only calls that a judge clause of the contract hands over. The
last lines say whether one does, and what the call would get; that verdict is the
exit status, as with "licet decide". Nothing is decided, recorded or used up.`,
		Example: "  licet judge --contract licet.yaml < call.json",
		Args:    cobra.NoArgs,
		RunE:    run(func(cmd *cobra.Command, _ []string) error { return a.runJudge(cmd.Context(), path, modelsPath, asJSON) }),
	}
	c.Flags().StringVar(&path, "contract", "", "contract file (required)")
	c.Flags().StringVar(&modelsPath, "models", "", modelsHelp)
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	if err := c.MarkFlagRequired("contract"); err != nil {
		panic(err)
	}
	return c
}

func (a *app) runJudge(ctx context.Context, path, modelsPath string, asJSON bool) error {
	p, err := a.pose(ctx, path)
	if err != nil {
		return err
	}
	defer p.state.Close()
	current := func() *contract.Contract { return p.contract }
	g, err := a.newGate(p.state, current, p.places, a.models(p.state, modelsPath, p.places, current))
	if err != nil {
		return err
	}
	j, err := g.Opine(ctx, p.ask)
	if err != nil {
		return err
	}
	if err := a.printJudgement(j, asJSON); err != nil {
		return err
	}
	return exit(exitOf(j.Decision.Verdict))
}

// opinionJSON is an opinion as records keep it (docs/spec/evidence.md).
type opinionJSON struct {
	Model         string          `json:"model"`
	PolicyDigest  string          `json:"policy_digest"`
	Raw           string          `json:"raw"`
	Checked       string          `json:"checked"`
	NoVerdict     string          `json:"no_verdict,omitempty"`
	Authorization string          `json:"authorization,omitempty"`
	FailureMode   string          `json:"failure_mode,omitempty"`
	Risk          string          `json:"risk"`
	Failed        []string        `json:"failed"`
	Effects       []effectOfCall  `json:"effects"`
	Spans         []spanOfTurn    `json:"spans"`
	Uncovered     []string        `json:"uncovered"`
	Boundaries    []boundaryWords `json:"boundaries"`
	Rationale     string          `json:"rationale,omitempty"`
	Alert         bool            `json:"alert,omitempty"`
	Asked         *askedModel     `json:"asked,omitempty"`
}

// askedModel says how the opinion of a model came about.
type askedModel struct {
	Template      string        `json:"template_digest"`
	Schema        string        `json:"schema_digest"`
	View          []string      `json:"view"`
	Reported      string        `json:"reported,omitempty"`
	Fingerprint   string        `json:"fingerprint,omitempty"`
	Finish        string        `json:"finish,omitempty"`
	Scripted      bool          `json:"scripted,omitempty"`
	Cached        bool          `json:"cached,omitempty"`
	Alternate     bool          `json:"alternate,omitempty"`
	Repaired      bool          `json:"repaired,omitempty"`
	Estimated     bool          `json:"estimated,omitempty"`
	Stage         int           `json:"stage,omitempty"`
	Requests      int           `json:"requests"`
	Input         int64         `json:"input_tokens"`
	Output        int64         `json:"output_tokens"`
	Cost          string        `json:"cost,omitempty"`
	Votes         []voteOfModel `json:"votes,omitempty"`
	Omitted       []int         `json:"omitted_turns,omitempty"`
	Confidence    string        `json:"confidence,omitempty"`
	ActionEffects []string      `json:"action_effects,omitempty"`
	SignalsUsed   []string      `json:"signals_used,omitempty"`
}

type voteOfModel struct {
	Raw       string `json:"raw"`
	Checked   string `json:"checked"`
	NoVerdict string `json:"no_verdict,omitempty"`
}

type effectOfCall struct {
	ID     string `json:"id"`
	Op     string `json:"op"`
	Kind   string `json:"kind"`
	Target string `json:"target,omitempty"`
	Risk   string `json:"risk"`
}

type spanOfTurn struct {
	Turn    int      `json:"turn"`
	Quote   string   `json:"quote,omitempty"`
	Effects []string `json:"effects"`
}

type boundaryWords struct {
	Turn int    `json:"turn"`
	Text string `json:"text,omitempty"`
}

// judgementJSON is what `licet judge --json` prints.
type judgementJSON struct {
	Opinion opinionJSON    `json:"opinion"`
	Turns   []string       `json:"turns"`
	Signals *seenJSON      `json:"signals,omitempty"` // what collectors saw of the environment
	Handed  bool           `json:"handed_over"`       // a judge clause hands the call over
	Verdict authz.Verdict  `json:"verdict"`           // that the call gets now
	Reasons []authz.Reason `json:"reasons"`
}

func (a *app) printJudgement(j gate.Judgement, asJSON bool) error {
	out := judgementJSON{Turns: slices.Concat([]string{}, j.Case.Turns), Handed: j.Handed, Verdict: j.Decision.Verdict, Reasons: j.Decision.Reasons}
	if err := json.Unmarshal(j.Value(true).AppendCanonical(nil), &out.Opinion); err != nil {
		return fmt.Errorf("reading the opinion: %w", err)
	}
	out.Signals = seenOf(toolcall.ObjectOf(toolcall.Member{Name: "signals", Value: j.Seen()}))
	if asJSON {
		return printJSON(a.out, out)
	}
	a.printOpinion(out.Opinion, out.Turns)
	a.printSeen(out.Signals)
	switch {
	case out.Handed:
	case len(out.Reasons) > 0 && out.Reasons[0].Code == authz.Approved:
		fmt.Fprintln(a.out, "a person has approved this call: the judge is not asked")
	default:
		fmt.Fprintln(a.out, "no judge clause hands this call over: the contract decides it")
	}
	a.printVerdict(out.Verdict, j.Decision.Shadow, out.Reasons)
	return nil
}

// opinionOf returns the opinion and the turns in the copy of a held call, nil if
// it was not judged.
func opinionOf(call toolcall.Value) (o *opinionJSON, turns []string) {
	if json.Unmarshal(call.Get("opinion").AppendCanonical(nil), &o) != nil ||
		json.Unmarshal(call.Get("turns").AppendCanonical(nil), &turns) != nil {
		return nil, nil
	}
	return o, turns
}

// printOpinion prints an opinion. Without turns the quotes stand by themselves.
func (a *app) printOpinion(o opinionJSON, turns []string) {
	s := a.style()
	line := "the judge " + o.Model + " says " + s.bold(o.Checked)
	if o.Raw != o.Checked {
		line += ", before the checks " + o.Raw
	}
	if o.NoVerdict != "" {
		line += ": " + o.NoVerdict
	} else {
		line += fmt.Sprintf(" (authorization %s, failure mode %s, risk %s)", o.Authorization, o.FailureMode, o.Risk)
	}
	a.line("", line, 2)
	if o.Rationale != "" {
		fmt.Fprintf(a.out, "  %s\n", wrap(printable(o.Rationale), a.width()-4, "  "))
	}
	a.printTurns(o, turns)
	a.printEffects(o)
	for _, b := range o.Boundaries {
		a.line(fmt.Sprintf("  forbidden in turn %d: ", b.Turn), printable(b.Text), 5)
	}
	for _, code := range o.Failed {
		fmt.Fprintf(a.out, "  check fails: %s\n", code)
	}
	if o.Alert {
		fmt.Fprintln(a.out, "  "+s.bold("alert: somebody has to look at this"))
	}
	if o.Asked != nil {
		a.printAsked(*o.Asked)
	}
}

// printAsked prints how the opinion of a model came about.
func (a *app) printAsked(m askedModel) {
	fmt.Fprintf(a.out, "  asked: %s, %d tokens in, %d out", counted(m.Requests, "request"), m.Input, m.Output)
	for _, part := range []struct {
		is   bool
		text string
	}{
		{m.Estimated, "tokens are estimated"}, {m.Cost != "", m.Cost}, {m.Stage > 0, fmt.Sprintf("stage %d decided", m.Stage)}, {m.Cached, "an answer of before"},
		{m.Repaired, "asked again for the form"}, {m.Alternate, "the alternate model"}, {len(m.View) > 0, "view " + strings.Join(m.View, " ")},
	} {
		if part.is {
			fmt.Fprintf(a.out, "; %s", part.text)
		}
	}
	fmt.Fprintln(a.out)
	for i, v := range m.Votes {
		fmt.Fprintln(a.out, strings.TrimRight(fmt.Sprintf("  vote %d: %s %s", i+1, v.Checked, v.NoVerdict), " "))
	}
	if m.Scripted {
		fmt.Fprintln(a.out, "  scripted: a script answered, which says nothing about any model")
	}
}

// printEffects prints what the call does, and which words cover it.
func (a *app) printEffects(o opinionJSON) {
	for _, e := range o.Effects {
		by := "needs no words"
		if e.Risk != "low" {
			by = "no words quoted"
		}
		for _, span := range o.Spans {
			if slices.Contains(span.Effects, e.ID) {
				by = fmt.Sprintf("by »%s« in turn %d", span.Quote, span.Turn)
			}
		}
		words := printable(by)
		if slices.Contains(o.Uncovered, e.ID) {
			words = a.style().bold("not covered")
		}
		a.line("  ", fmt.Sprintf("%s %s %s %s (%s): %s", e.ID, e.Op, e.Kind, printable(e.Target), e.Risk, words), 5)
	}
}
