package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/approval"
	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/ledger"
	"github.com/licet-dev/licet/internal/toolcall"
)

// maxTickets bounds a listing.
const maxTickets = 1000

func (a *app) approvals() *cobra.Command {
	c := &cobra.Command{
		Use:   "approvals",
		Short: "See and answer held calls",
		Long: `A held call waits as a ticket. An approver answers it with a passphrase, which
the agent must not know; silence is no. The agent then repeats exactly the same
call, which succeeds once.

  licet approvals enroll alice      once: choose a passphrase
  licet approvals watch             an inbox for a second window`,
		Args: cobra.NoArgs,
	}
	c.AddCommand(a.approvalsList(), a.approvalsShow(), a.approvalsAnswer("approve", true),
		a.approvalsAnswer("deny", false), a.approvalsOverride(), a.approvalsWatch(), a.approvalsEnroll())
	return c
}

// inState runs f on a state directory that exists.
func (a *app) inState(f func(ctx context.Context, s *state, args []string) error) func(*cobra.Command, []string) error {
	return run(func(cmd *cobra.Command, args []string) error {
		s, err := a.readState(cmd.Context())
		if err != nil {
			return err
		}
		return errors.Join(f(cmd.Context(), s, args), s.Close())
	})
}

// ticketJSON is a ticket with its state, as --json prints it.
type ticketJSON struct {
	approval.Ticket
	State     approval.State  `json:"state"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Params    json.RawMessage `json:"params,omitempty"`  // what the call carries beside its arguments
	Opinion   json.RawMessage `json:"opinion,omitempty"` // of the judge, if it was asked
	Turns     json.RawMessage `json:"turns,omitempty"`   // of the user, as the judge saw them
	Signals   *seenJSON       `json:"signals,omitempty"` // what collectors saw of the environment
}

func (a *app) approvalsList() *cobra.Command {
	var all, asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List open tickets", Args: cobra.NoArgs,
		Example: "  licet approvals list --all",
		RunE: a.inState(func(ctx context.Context, s *state, _ []string) error {
			return a.listTickets(ctx, s, all, asJSON)
		}),
	}
	c.Flags().BoolVar(&all, "all", false, "closed tickets too")
	c.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	return c
}

func (a *app) listTickets(ctx context.Context, s *state, all, asJSON bool) error {
	tickets, now, err := ticketsNow(ctx, s, all)
	if err != nil {
		return err
	}
	if asJSON {
		for _, t := range tickets {
			if err := printJSON(a.out, ticketJSON{Ticket: t, State: t.State(now)}); err != nil {
				return err
			}
		}
		return nil
	}
	if len(tickets) == 0 {
		fmt.Fprintln(a.out, "No open tickets.")
		return nil
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "TICKET\tSTATE\tAGENT\tTOOL\tOPENED\tEXPIRES")
	for _, t := range tickets {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", t.ID, t.State(now), printable(t.Subject.Agent),
			printable(t.Subject.Ref()), ago(t.Opened, now), ago(t.Expires, now))
	}
	return w.Flush()
}

func ticketsNow(ctx context.Context, s *state, all bool) ([]approval.Ticket, time.Time, error) {
	now, err := s.store.Now(ctx)
	if err != nil {
		return nil, now, err
	}
	tickets, err := s.store.Tickets(ctx, maxTickets)
	if !all {
		tickets = slices.DeleteFunc(tickets, func(t approval.Ticket) bool { return t.State(now) != approval.Open })
	}
	return tickets, now, err
}

func (a *app) approvalsShow() *cobra.Command {
	var asJSON, reveal, full bool
	var who credentials
	c := &cobra.Command{
		Use: "show TICKET", Short: "Show the call that a ticket is about", Args: cobra.ExactArgs(1),
		Long: `Shows the whole call as the agent made it. Detected secrets are masked; --reveal
shows them to an approver, and that is recorded.`,
		Example: "  licet approvals show t-ABCDEFGHIJKLMNOP",
		RunE: a.inState(func(ctx context.Context, s *state, args []string) error {
			return a.showTicket(ctx, s, args[0], who, look{reveal, full, asJSON})
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().BoolVar(&full, "full", false, "show long values whole")
	c.Flags().BoolVar(&reveal, "reveal", false, "show detected secrets too; needs an approver's passphrase and is recorded")
	who.flags(c)
	return c
}

// look says how a ticket is shown.
type look struct{ reveal, full, asJSON bool }

func (a *app) showTicket(ctx context.Context, s *state, id string, who credentials, how look) error {
	t, err := ticketOf(ctx, s, id)
	if err != nil {
		return err
	}
	if how.reveal {
		if err := a.recordReveal(ctx, s, t, who); err != nil {
			return err
		}
	}
	call, err := copyOf(ctx, s, id, how.reveal)
	if err != nil && !errors.Is(err, ledger.ErrNotFound) {
		return err
	}
	now, err := s.store.Now(ctx)
	if err != nil {
		return err
	}
	if how.asJSON {
		return printJSON(a.out, ticketJSON{
			Ticket: t, State: t.State(now),
			Arguments: call.Get("arguments").AppendCanonical(nil), Params: call.Get("params").AppendCanonical(nil),
			Opinion: rawJSON(call.Get("opinion")), Turns: rawJSON(call.Get("turns")), Signals: seenOf(call),
		})
	}
	a.printTicket(t, call, now, how.full)
	return nil
}

// copyOf returns the call of a ticket, {"arguments", "params"} and, if it was judged,
// "opinion", "turns" and "signals", secrets masked unless they are to be revealed; absent once the ticket is closed.
func copyOf(ctx context.Context, s *state, id string, reveal bool) (toolcall.Value, error) {
	sealed, err := s.store.Copy(ctx, id)
	if err != nil {
		return toolcall.Value{}, err
	}
	plain, err := approval.Unseal(s.key, id, sealed)
	if err != nil {
		return toolcall.Value{}, fmt.Errorf("%w: it was sealed under another key, restore %s", err, filepath.Join(s.dir, "key"))
	}
	call, err := toolcall.Parse(plain, toolcall.Bounds{Bytes: 2 * toolcall.DefaultBytes, Depth: 128})
	if err != nil {
		return toolcall.Value{}, fmt.Errorf("reading the copy of ticket %s: %w", id, err)
	}
	if !reveal {
		call = masked(call)
	}
	return call, nil
}

// masked returns the copy of a held call with secrets masked. In the opinion they
// are from the start, and a member of it, authorization, has the name of one.
func masked(call toolcall.Value) toolcall.Value {
	members := make([]toolcall.Member, call.Len())
	for i := range members {
		name, value := call.Member(i)
		if name != "opinion" {
			value, _ = evidence.Redact(value)
		}
		members[i] = toolcall.Member{Name: name, Value: value}
	}
	return toolcall.ObjectOf(members...)
}

func (a *app) printTicket(t approval.Ticket, call toolcall.Value, now time.Time, full bool) {
	s := a.style()
	fmt.Fprintf(a.out, "%s  %s  opened %s, expires %s\n", s.bold(t.ID), t.State(now), ago(t.Opened, now), ago(t.Expires, now))
	if t.Overrides != "" {
		fmt.Fprintf(a.out, "  the user lets the blocked call of %s run\n", t.Overrides)
	}
	fmt.Fprintf(a.out, "  agent %s wants to call %s\n", s.bold(printable(t.Subject.Agent)), s.bold(printable(t.Subject.Ref())))
	if call.Kind() == toolcall.Absent {
		fmt.Fprintln(a.out, "  the ticket is closed, its copy of the call is erased")
	}
	a.printMembers(t, call.Get("arguments"), full)
	if beside := call.Get("params"); beside.Len() > 0 {
		fmt.Fprintln(a.out, "  and sends beside the arguments")
		a.printMembers(t, beside, full)
	}
	if o, turns := opinionOf(call); o != nil {
		a.printOpinion(*o, turns)
	}
	a.printSeen(seenOf(call))
	for _, answer := range t.Answers {
		word := map[bool]string{true: "approved", false: "denied"}[answer.Approve]
		fmt.Fprintln(a.out, strings.TrimRight(fmt.Sprintf("  %s by %s %s %s", word, printable(answer.Approver), ago(answer.At, now), printable(answer.Note)), " "))
	}
}

// longValue is how many characters of one value are shown unless all are asked
// for: what an approver must see shall not scroll away.
const longValue = 1200

// printMembers prints the members of an object, each value as it is: white space
// is not folded, as two values that differ must not look alike.
func (a *app) printMembers(t approval.Ticket, v toolcall.Value, full bool) {
	for i := range v.Len() {
		name, value := v.Member(i)
		text := []rune(printable(value.Canonical()))
		if n := len(text); n > longValue && !full {
			text = slices.Concat(text[:longValue/2], []rune(fmt.Sprintf(" … %d of %d characters not shown: licet approvals show %s --full … ", n-longValue, n, t.ID)), text[n-longValue/2:])
		}
		fmt.Fprintf(a.out, "    %s: %s\n", printable(name), string(text))
	}
}

// ticketOf returns a ticket by its name, with an error that helps.
func ticketOf(ctx context.Context, s *state, id string) (approval.Ticket, error) {
	t, err := s.store.Ticket(ctx, id)
	if errors.Is(err, ledger.ErrNotFound) {
		return t, fmt.Errorf("no ticket %q: `licet approvals list --all` shows those there are", id)
	}
	return t, err
}

func (a *app) approvalsAnswer(word string, approve bool) *cobra.Command {
	var who credentials
	var note string
	c := &cobra.Command{
		Use: word + " TICKET", Args: cobra.ExactArgs(1),
		Short:   map[bool]string{true: "Approve exactly the call of a ticket, once", false: "Refuse the call of a ticket"}[approve],
		Example: "  licet approvals " + word + " t-ABCDEFGHIJKLMNOP --as alice",
		RunE: a.inState(func(ctx context.Context, s *state, args []string) error {
			t, err := ticketOf(ctx, s, args[0])
			if err != nil {
				return err
			}
			name, err := a.approver(ctx, s, who)
			if err != nil {
				return err
			}
			return a.answerTicket(ctx, s, t, approval.Answer{Ticket: t.ID, Approver: name, Approve: approve, Note: note})
		}),
	}
	c.Flags().StringVar(&note, "note", "", "a word to keep with the answer")
	who.flags(c)
	return c
}

// answerTicket records an answer and says what it means.
func (a *app) answerTicket(ctx context.Context, s *state, t approval.Ticket, answer approval.Answer) error {
	receipt, err := s.store.Commit(ctx, ledger.Entry{
		Kind: evidence.Answer, ID: approval.NewID("a-"), Answer: &answer,
		Body: func(st ledger.Stamp) ([]byte, error) { return answerBody(t, answer, st), nil },
	})
	if err != nil {
		return fmt.Errorf("recording the answer: %w", err)
	}
	if c := receipt.Conflict; c != nil {
		return fmt.Errorf("ticket %s can't be answered: %s (%s)", t.ID, c.Detail, c.Code)
	}
	if answer.Approve {
		fmt.Fprintf(a.out, "Approved %s: exactly this call may now run once, within %s.\n",
			t.ID, span(t.Expires.Sub(receipt.Time)))
	} else {
		fmt.Fprintf(a.out, "Denied %s.\n", t.ID)
	}
	return nil
}

// answerBody writes the record of an answer (docs/spec/evidence.md, "answer").
func answerBody(t approval.Ticket, answer approval.Answer, s ledger.Stamp) []byte {
	id := t.ID
	if s.Ticket != nil {
		id = s.Ticket.ID // shared
	}
	members := []toolcall.Member{
		{Name: "ticket", Value: toolcall.StringOf(id)},
		{Name: "call_digest", Value: toolcall.StringOf(t.Subject.Call)},
		{Name: "approver", Value: toolcall.StringOf(answer.Approver)},
		{Name: "approve", Value: toolcall.Boolean(answer.Approve)},
		{Name: "counted", Value: toolcall.Boolean(s.Conflict == nil)},
	}
	if t.Overrides != "" {
		members = append(members, toolcall.Member{Name: "overrides", Value: toolcall.StringOf(t.Overrides)})
	}
	if answer.Note != "" {
		members = append(members, toolcall.Member{Name: "note", Value: toolcall.StringOf(evidence.Line(answer.Note))})
	}
	if s.Conflict != nil {
		members = append(members, toolcall.Member{Name: "code", Value: toolcall.StringOf(string(s.Conflict.Code))})
	}
	return toolcall.ObjectOf(members...).AppendCanonical(nil)
}

// recordReveal records that an approver looked at the secrets of a call.
func (a *app) recordReveal(ctx context.Context, s *state, t approval.Ticket, who credentials) error {
	name, err := a.approver(ctx, s, who)
	if err != nil {
		return err
	}
	if !t.MayAnswer(name) {
		return fmt.Errorf("%s is not an approver of ticket %s", name, t.ID)
	}
	body := toolcall.ObjectOf(
		toolcall.Member{Name: "ticket", Value: toolcall.StringOf(t.ID)},
		toolcall.Member{Name: "approver", Value: toolcall.StringOf(name)},
	).AppendCanonical(nil)
	_, err = s.store.Commit(ctx, ledger.Entry{
		Kind: evidence.Reveal, ID: approval.NewID("r-"),
		Body: func(ledger.Stamp) ([]byte, error) { return body, nil },
	})
	return err
}

func (a *app) approvalsEnroll() *cobra.Command {
	var file, old string
	var by credentials
	c := &cobra.Command{
		Use: "enroll NAME", Short: "Enrol an approver, or change the passphrase", Args: cobra.ExactArgs(1),
		Long: `Keeps what can check the passphrase, not the passphrase. Choose one that stands
nowhere on this account in the clear: an agent that runs under the same account
can read what you can read. To change it, the old one is asked for first. Once
there is an approver, another one is enrolled only with the passphrase of one
who is: an agent that runs commands must not be able to make itself an approver.`,
		Example: "  licet approvals enroll alice",
		RunE: run(func(cmd *cobra.Command, args []string) error {
			if !approverForm.MatchString(args[0]) {
				return usagef("an approver's name is 1 to 64 letters, digits and any of . _ @ -, not %q", args[0])
			}
			return a.enrol(cmd.Context(), args[0], file, old, by)
		}),
	}
	c.Flags().StringVar(&file, "passphrase-file", "", "read the new passphrase from this file, - for standard input")
	c.Flags().StringVar(&old, "old-passphrase-file", "", "read the old passphrase from this file")
	c.Flags().StringVar(&by.name, "by", "", "name of an approver who agrees to a further one (default: the only one there is)")
	c.Flags().StringVar(&by.file, "by-passphrase-file", "", "read that approver's passphrase from this file")
	return c
}

// approverForm is a name that stands in contracts and records as it is.
var approverForm = regexp.MustCompile(`^[\pL\pN._@-]{1,64}$`)

// enrol asks for everything before it makes a state directory.
func (a *app) enrol(ctx context.Context, name, file, oldFile string, by credentials) (err error) {
	var who string
	s, err := a.readState(ctx)
	if err == nil {
		who, err = a.agreeing(ctx, s, name, oldFile, by)
	} else if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	defer func() {
		if s != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	if err != nil {
		return err
	}
	passphrase, err := a.newPassphrase(name, file)
	if err != nil {
		return err
	}
	if s == nil {
		if s, err = a.openState(ctx); err != nil {
			return err
		}
	}
	if err := enrolApprover(ctx, s.store, name, passphrase, approval.Iterations, who); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "Enrolled approver %s.\n", name)
	return nil
}

// agreeing asks for the passphrase of an approver who agrees that name becomes
// one: of the very same where it is changed, of any other where there is one. ""
// is nobody: there is none yet.
func (a *app) agreeing(ctx context.Context, s *state, name, oldFile string, by credentials) (string, error) {
	known, err := s.store.Approver(ctx, name)
	if errors.Is(err, ledger.ErrNotFound) {
		return a.anyApprover(ctx, s, by)
	}
	if err != nil {
		return "", err
	}
	return name, a.prove(ctx, s, known, "Old passphrase of "+name, oldFile)
}

// anyApprover asks for the passphrase of an approver, if there is one.
func (a *app) anyApprover(ctx context.Context, s *state, by credentials) (string, error) {
	names, err := s.store.Approvers(ctx)
	if err != nil || len(names) == 0 {
		return "", err
	}
	return a.approver(ctx, s, by)
}

// enrolApprover writes an approver and the record of it. by is the approver who
// agrees; "" while there is none.
func enrolApprover(ctx context.Context, store ledger.Store, name, passphrase string, iterations int, by string) error {
	who, err := approval.NewApprover(name, passphrase, iterations)
	if err != nil {
		return err
	}
	body := toolcall.ObjectOf(toolcall.Member{Name: "approver", Value: toolcall.StringOf(name)}).AppendCanonical(nil)
	_, err = store.Commit(ctx, ledger.Entry{
		Kind: evidence.Approver, ID: approval.NewID("e-"), Enrol: &who, By: by,
		Body: func(ledger.Stamp) ([]byte, error) { return body, nil },
	})
	return err
}
