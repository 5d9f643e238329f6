package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/approval"
	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/gate"
	"github.com/licet-dev/licet/internal/ledger"
)

func (a *app) approvalsOverride() *cobra.Command {
	var who credentials
	var note string
	c := &cobra.Command{
		Use: "override DECISION", Args: cobra.ExactArgs(1),
		Short: "Let a call that the judge blocked or did not decide run, once",
		Long: `Takes the name of a decision that blocks a call because of the judge, as "licet
decide" and "licet log show" print it, and lets exactly this call run once within
10 minutes. It takes an approver's passphrase, like the answer to a ticket; "licet
why DECISION" shows what it is about.

The agent repeats the call. The judge is not asked again, but the contract is: what
it forbids stays forbidden. If agent, session, contract or approved tools are others
by then, or the call would touch other files, the override does not serve it.`,
		Example: "  licet approvals override d-ABCDEFGHIJKLMNOP --as alice",
		RunE: a.inState(func(ctx context.Context, s *state, args []string) error {
			return a.override(ctx, s, args[0], who, note)
		}),
	}
	c.Flags().StringVar(&note, "note", "", "a word to keep with the answer")
	who.flags(c)
	return c
}

// override opens the ticket of a blocked call and answers it, in one transaction.
func (a *app) override(ctx context.Context, s *state, id string, who credentials, note string) error {
	t, sealed, err := overrideOf(ctx, s, id)
	if err != nil {
		return err
	}
	name, err := a.approver(ctx, s, who)
	if err != nil {
		return err
	}
	answer := approval.Answer{Ticket: t.ID, Approver: name, Approve: true, Note: note}
	receipt, err := s.store.Commit(ctx, ledger.Entry{
		Kind: evidence.Answer, ID: approval.NewID("a-"), Open: &t, Copy: sealed, Answer: &answer,
		Body: func(st ledger.Stamp) ([]byte, error) { return answerBody(t, answer, st), nil },
	})
	if err != nil {
		return fmt.Errorf("recording the override: %w", err)
	}
	if c := receipt.Conflict; c != nil {
		return fmt.Errorf("%s can't be overridden: %s (%s)", t.Overrides, c.Detail, c.Code)
	}
	if t = *receipt.Ticket; t.State(receipt.Time) != approval.Granted {
		fmt.Fprintf(a.out, "Approved %s, which waits for others to approve it too, within %s.\n", t.ID, span(t.Expires.Sub(receipt.Time)))
		return nil
	}
	fmt.Fprintf(a.out, "Overrode %s with %s: exactly this call may now run once, within %s.\n", t.Overrides, t.ID, span(t.Expires.Sub(receipt.Time)))
	return nil
}

// overrideOf makes the ticket for the blocked call of a record, and its sealed copy.
func overrideOf(ctx context.Context, s *state, id string) (t approval.Ticket, sealed []byte, err error) {
	r, err := recordOf(ctx, s, id)
	if err != nil {
		return t, nil, err
	}
	now, err := s.store.Now(ctx)
	if err != nil {
		return t, nil, err
	}
	return gate.Override(s.key, r, now)
}
