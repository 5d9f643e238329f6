package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/ledger"
	"github.com/licet-dev/licet/internal/toolcall"
)

func (a *app) log() *cobra.Command {
	c := &cobra.Command{
		Use: "log", Short: "Read and verify the evidence", Args: cobra.NoArgs,
		Long: `Every decision, outcome and answer is one record, linked to the one before by
SHA-256. "show" prints records, "verify" checks that none was changed, removed
or moved.`,
	}
	c.AddCommand(a.logShow(), a.logVerify())
	return c
}

// entry is what `log show` reads of a record's body; docs/spec/evidence.md has
// all of it.
type entry struct {
	Agent     string         `json:"agent"`
	Server    string         `json:"server"`
	Method    string         `json:"method"`
	Tool      string         `json:"tool"`
	Verdict   string         `json:"verdict"`
	Shadow    *authz.Verdict `json:"shadow"`
	Reasons   []authz.Reason `json:"reasons"`
	Ticket    string         `json:"ticket"`
	Decision  string         `json:"decision"`
	Status    string         `json:"status"`
	Approver  string         `json:"approver"`
	Approve   bool           `json:"approve"`
	Overrides string         `json:"overrides"`

	Credential string `json:"credential"`
	Revoked    bool   `json:"revoked"`
}

// shown selects records.
type shown struct {
	last              uint64
	agent, verdict    string
	id                string
	asJSON, decisions bool
}

func (a *app) logShow() *cobra.Command {
	var f shown
	c := &cobra.Command{
		Use: "show [RECORD]", Short: "Print the last records, or one", Args: cobra.MaximumNArgs(1),
		Long: `Prints records, oldest first. --json prints each as the envelope that was sealed,
one a line: what docs/spec/evidence.md describes and "log verify" checks. RECORD
is the name or the index of one record, which is then shown in full.`,
		Example: "  licet log show --last 20 --verdict BLOCK\n  licet log show 17\n  licet log show d-ABCDEFGHIJKLMNOP --json",
		RunE: a.inState(func(ctx context.Context, s *state, args []string) error {
			if len(args) == 1 {
				f.id = args[0]
			}
			return a.showLog(ctx, s, f)
		}),
	}
	c.Flags().Uint64Var(&f.last, "last", 50, "how many records to look at, from the end; 0 = all")
	c.Flags().StringVar(&f.agent, "agent", "", "only records of this agent")
	c.Flags().StringVar(&f.verdict, "verdict", "", "only decisions with this verdict: ALLOW, BLOCK, REQUIRE_APPROVAL")
	c.Flags().BoolVar(&f.decisions, "decisions", false, "only decisions")
	c.Flags().BoolVar(&f.asJSON, "json", false, "print the sealed envelopes, one a line")
	return c
}

func (a *app) showLog(ctx context.Context, s *state, f shown) error {
	if f.verdict != "" {
		if err := new(authz.Verdict).UnmarshalText([]byte(f.verdict)); err != nil {
			return usagef("--verdict: %v", err)
		}
	}
	if f.id != "" {
		r, err := recordOf(ctx, s, f.id)
		if err != nil {
			return err
		}
		if f.asJSON {
			return a.printEnvelope(r)
		}
		return a.printWhole(ctx, s, r)
	}
	head, err := s.store.Head(ctx)
	if err != nil {
		return err
	}
	from := uint64(0)
	if f.last > 0 && head.Next > f.last {
		from = head.Next - f.last
	}
	fit := 0
	err = s.store.Records(ctx, from, int(head.Next-from), func(r evidence.Record) error {
		var e entry
		if err := json.Unmarshal(r.Body, &e); err != nil {
			return fmt.Errorf("record %d: %w", r.Index, err)
		}
		if !f.fits(r, e) {
			return nil
		}
		fit++
		if f.asJSON {
			return a.printEnvelope(r)
		}
		a.line(fmt.Sprintf("%6d  %s  %-18s  ", r.Index, moment(r.Time), r.ID), a.describe(r, e), 8)
		return nil
	})
	if err == nil && fit == 0 {
		fmt.Fprintln(a.err, noneFits(from, head.Next))
	}
	return err
}

// noneFits words that none of the records from one index on is shown.
func noneFits(from, end uint64) string {
	switch {
	case end == 0:
		return "There are no records yet."
	case from == 0:
		return "No record fits."
	}
	return fmt.Sprintf("None of the last %d records fits; --last 0 looks at all.", end-from)
}

// fits reports whether a record is one of those that were asked for.
func (f shown) fits(r evidence.Record, e entry) bool {
	return (f.agent == "" || e.Agent == f.agent) && (f.verdict == "" || e.Verdict == f.verdict) &&
		(!f.decisions || r.Kind == evidence.Decision)
}

// printEnvelope prints a record as it was sealed.
func (a *app) printEnvelope(r evidence.Record) error {
	line, err := r.Marshal()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.out, "%s\n", line)
	return err
}

// recordOf returns a record by its name or its index.
func recordOf(ctx context.Context, s *state, name string) (r evidence.Record, err error) {
	if index, notOne := strconv.ParseUint(name, 10, 63); notOne == nil {
		err = ledger.ErrNotFound
		if e := s.store.Records(ctx, index, 1, func(found evidence.Record) error { r, err = found, nil; return nil }); e != nil {
			err = e
		}
	} else {
		r, err = s.store.Record(ctx, name)
	}
	if errors.Is(err, ledger.ErrNotFound) {
		return r, fmt.Errorf("no record %q: `licet log show` lists names and indices", name)
	}
	return r, err
}

// printWhole prints all of one record: every member of its body, and of a
// decision what came of it.
func (a *app) printWhole(ctx context.Context, s *state, r evidence.Record) error {
	body, err := toolcall.Parse(r.Body, toolcall.Bounds{Bytes: 2 * evidence.MaxBody})
	if err != nil {
		return fmt.Errorf("record %d: %w", r.Index, err)
	}
	fmt.Fprintf(a.out, "%s  %s %d, %s\n", a.style().bold(r.ID), r.Kind, r.Index, moment(r.Time))
	for i := range body.Len() {
		name, v := body.Member(i)
		lead := fmt.Sprintf("  %-15s ", printable(name))
		for _, text := range values(name, v) {
			a.line(lead, printable(text), len(lead))
			lead = strings.Repeat(" ", len(lead))
		}
	}
	if r.Kind != evidence.Decision {
		return nil
	}
	outcome, err := outcomeOf(ctx, s, r)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "outcome: %s\nWhy, clause by clause: licet why %s%s\n", outcome, r.ID, a.stateFlag())
	return nil
}

// values returns a member of a record as lines: a text as it is, each reason on
// its own, all else as JSON.
func values(name string, v toolcall.Value) (lines []string) {
	switch {
	case v.Kind() == toolcall.String:
		return []string{v.Text()}
	case name != "reasons":
		return []string{v.Canonical()}
	}
	for i := range v.Len() {
		r := v.Elem(i)
		line := r.Get("code").Text()
		for _, more := range []string{r.Get("clause").Text(), r.Get("detail").Text()} {
			if more != "" {
				line += "  " + more
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// outcomeOf returns what was recorded of how a call ended.
func outcomeOf(ctx context.Context, s *state, decision evidence.Record) (string, error) {
	head, err := s.store.Head(ctx)
	if err != nil {
		return "", err
	}
	outcome := "none recorded"
	err = s.store.Records(ctx, decision.Index+1, int(head.Next-decision.Index-1), func(r evidence.Record) error {
		if r.Kind != evidence.Outcome {
			return nil
		}
		var e entry
		if err := json.Unmarshal(r.Body, &e); err != nil {
			return fmt.Errorf("record %d: %w", r.Index, err)
		}
		if e.Decision == decision.ID {
			outcome = fmt.Sprintf("%s, record %s at %s", e.Status, r.ID, moment(r.Time))
		}
		return nil
	})
	return outcome, err
}

// describe words one record in a line.
func (a *app) describe(r evidence.Record, e entry) string {
	s := a.style()
	switch r.Kind {
	case evidence.Decision:
		var v authz.Verdict
		_ = v.UnmarshalText([]byte(e.Verdict)) // anything else reads BLOCK
		what := strings.Trim(e.Server+"."+e.Tool, ".")
		if e.Tool == "" {
			what = strings.Trim(e.Server+" "+e.Method, " ")
		}
		line := fmt.Sprintf("%s  %s %s", s.verdict(v), printable(e.Agent), printable(what))
		for i, reason := range e.Reasons {
			if i == 0 {
				line += "  " + string(reason.Code)
			}
			if i == 0 && reason.Clause != "" {
				line += " " + s.faint(printable(reason.Clause))
			}
		}
		if e.Ticket != "" {
			line += "  ticket " + e.Ticket
		}
		return strings.TrimRight(line, " ") + s.shadow(e.Shadow)
	case evidence.Outcome:
		return "outcome  " + e.Status + "  of " + e.Decision
	case evidence.Answer:
		if e.Overrides != "" {
			return "override  of " + e.Overrides + ", ticket " + e.Ticket + " by " + printable(e.Approver)
		}
		return map[bool]string{true: "approved", false: "denied"}[e.Approve] + "  ticket " + e.Ticket + " by " + printable(e.Approver)
	case evidence.Approver:
		return "approver  " + printable(e.Approver) + " enrolled, or changed the passphrase"
	case evidence.Credential:
		return "credential  " + printable(e.Credential) + map[bool]string{true: " revoked", false: " added or replaced"}[e.Revoked]
	case evidence.Reveal:
		return "reveal  secrets of ticket " + e.Ticket + " shown to " + printable(e.Approver)
	case evidence.Attempt:
		return "attempt  wrong passphrase for approver " + printable(e.Approver)
	}
	return string(r.Kind)
}

func (a *app) logVerify() *cobra.Command {
	var head string
	var asJSON bool
	c := &cobra.Command{
		Use: "verify", Short: "Check that no record was changed, removed or moved", Args: cobra.NoArgs,
		Long: `Recomputes every hash and link of the log. Records cut off at the end leave a
shorter log that is whole in itself: note the printed head somewhere else and
give it back with --head, which then must still be in the log.`,
		Example: "  licet log verify --head sha256:0f3a...",
		RunE: a.inState(func(ctx context.Context, s *state, _ []string) error {
			if head != "" && !hashForm.MatchString(head) {
				return usagef("--head is sha256: and 64 hexadecimal digits, as `licet log verify` prints it, not %q", head)
			}
			return a.verifyLog(ctx, s, head, asJSON)
		}),
	}
	c.Flags().StringVar(&head, "head", "", "hash of a record, noted earlier, that must be in the log")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// hashForm is how the hash of a record is written. Another text is a slip, and no
// sign that the log was changed.
var hashForm = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// verification is the result of `log verify`.
type verification struct {
	Verified bool   `json:"verified"`
	Records  uint64 `json:"records"`
	Head     string `json:"head,omitempty"`
	Problem  string `json:"problem,omitempty"`
}

func (a *app) verifyLog(ctx context.Context, s *state, head string, asJSON bool) error {
	v, err := verify(ctx, s, head, a.progress("verified"))
	if err != nil {
		return err
	}
	if asJSON {
		err = printJSON(a.out, v)
	} else if v.Verified {
		fmt.Fprintf(a.out, "Verified %d records. Head: %s\n", v.Records, v.Head)
	} else {
		fmt.Fprintf(a.out, "%s after %d good records:\n      %s\n", a.style().paint("1;31", "NOT VERIFIED"), v.Records, wrap(v.Problem, a.width()-8, "      "))
	}
	if err != nil || v.Verified {
		return err
	}
	return exit(exitFailure)
}

// verify walks the whole log. An error means that it could not be read.
func verify(ctx context.Context, s *state, head string, tick func(done, total uint64)) (verification, error) {
	link, err := s.store.Head(ctx)
	if err != nil {
		return verification{}, err
	}
	var v evidence.Verifier
	found := head == "" || head == evidence.Genesis
	err = s.store.Records(ctx, 0, int(link.Next), func(r evidence.Record) error {
		if err := v.Next(r); err != nil {
			return err
		}
		found = found || r.Hash == head
		tick(v.Head().Next, link.Next)
		return nil
	})
	out := verification{Records: v.Head().Next, Head: v.Head().Hash}
	switch {
	case errors.Is(err, evidence.ErrTampered):
		out.Problem = err.Error()
	case err != nil:
		return out, err
	case v.Head() != link:
		out.Problem = fmt.Sprintf("the store's head says %d records with hash %s", link.Next, link.Hash)
	case !found:
		out.Problem = "no record has the hash " + head + ": the log was cut or exchanged"
	default:
		out.Verified = true
	}
	return out, nil
}

// progress returns a function that reports on standard error, on a terminal
// only, once work has taken two seconds.
func (a *app) progress(word string) func(done, total uint64) {
	if !isTerminal(a.err) {
		return func(uint64, uint64) {}
	}
	start, last := time.Now(), time.Now()
	return func(done, total uint64) {
		now := time.Now()
		if now.Sub(start) < 2*time.Second || now.Sub(last) < 200*time.Millisecond && done < total || done == 0 {
			return
		}
		last = now
		left := time.Duration(float64(now.Sub(start)) / float64(done) * float64(total-done))
		fmt.Fprintf(a.err, "\r%d of %d %s, about %s left   ", done, total, word, span(left))
		if done == total {
			fmt.Fprintln(a.err)
		}
	}
}

// paced is progress for work that is counted in int.
func (a *app) paced(word string) func(done, all int) {
	report := a.progress(word)
	return func(done, all int) { report(uint64(done), uint64(all)) }
}
