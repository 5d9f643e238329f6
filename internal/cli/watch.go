package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/approval"
	"github.com/licet-dev/licet/internal/ledger"
)

// watchEvery is how often the inbox looks for new tickets.
const watchEvery = 500 * time.Millisecond

func (a *app) approvalsWatch() *cobra.Command {
	var who credentials
	c := &cobra.Command{
		Use: "watch", Short: "An inbox for a second window: answer held calls as they come", Args: cobra.NoArgs,
		Long: `Asks for the approver's passphrase once, then shows each held call as it comes
and asks: a to approve, d to deny, s to leave it for later. Ends with q or at
the end of input.`,
		Example: "  licet approvals watch --as alice",
		RunE: run(func(cmd *cobra.Command, _ []string) error {
			s, err := a.readState(cmd.Context())
			if err != nil {
				return err
			}
			return errors.Join(a.watch(cmd.Context(), s, who), s.Close())
		}),
	}
	who.flags(c)
	return c
}

func (a *app) watch(ctx context.Context, s *state, who credentials) error {
	if who.file == "-" {
		return usagef("watch reads answers from standard input, so the passphrase must come from elsewhere")
	}
	name, err := a.approver(ctx, s, who)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "Watching as %s. Waiting for held calls ...\n", name)
	in := inbox{app: a, state: s, name: name, lines: lines(a.in), seen: map[string]bool{}}
	for {
		done, err := in.round(ctx)
		if done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case line, open := <-in.lines:
			if !open || strings.TrimSpace(line) == "q" {
				return nil
			}
		case <-time.After(watchEvery):
		}
	}
}

// inbox shows each ticket once and takes an answer to it.
type inbox struct {
	*app
	state *state
	name  string
	lines <-chan string
	seen  map[string]bool
}

// lines hands out the lines of a stream until it ends.
func lines(r io.Reader) <-chan string {
	c := make(chan string)
	go func() {
		defer close(c)
		for scan := bufio.NewScanner(r); scan.Scan(); {
			c <- scan.Text()
		}
	}()
	return c
}

// round asks about every new ticket; done means that the person has left.
func (in *inbox) round(ctx context.Context) (done bool, err error) {
	tickets, now, err := ticketsNow(ctx, in.state, false)
	if err != nil {
		return false, err
	}
	for i := len(tickets) - 1; i >= 0; i-- { // oldest first
		t := tickets[i]
		if in.seen[t.ID] || !t.MayAnswer(in.name) {
			continue
		}
		in.seen[t.ID] = true
		call, err := copyOf(ctx, in.state, t.ID, false)
		if err != nil && !errors.Is(err, ledger.ErrNotFound) {
			return false, err
		}
		fmt.Fprintln(in.out)
		in.printTicket(t, call, now, false)
		if done, err := in.ask(ctx, t); done || err != nil {
			return done, err
		}
	}
	return false, nil
}

// settle is how long a person sees a ticket before what is typed counts.
const settle = 300 * time.Millisecond

// forget throws away what was typed on a terminal before the ticket was shown:
// an answer to one call must not approve the next.
func (in *inbox) forget() {
	if !isTerminal(in.in) {
		return
	}
	for late := time.After(settle); ; {
		select {
		case _, open := <-in.lines:
			if !open {
				return
			}
		case <-late:
			return
		}
	}
}

// ask takes one answer. What is no clear yes is no approval.
func (in *inbox) ask(ctx context.Context, t approval.Ticket) (done bool, err error) {
	in.forget()
	for {
		fmt.Fprintf(in.out, "  %s, %s: [a]pprove, [d]eny, [s]kip, [q]uit? ", printable(t.Subject.Agent), printable(t.Subject.Ref()))
		var line string
		select {
		case <-ctx.Done():
			return true, nil
		case l, open := <-in.lines:
			if !open {
				return true, nil
			}
			line = strings.ToLower(strings.TrimSpace(l))
		}
		switch line {
		case "a", "approve", "d", "deny":
			answer := approval.Answer{Ticket: t.ID, Approver: in.name, Approve: line[0] == 'a'}
			if err := in.answerTicket(ctx, in.state, t, answer); err != nil {
				fmt.Fprintf(in.err, "licet: %v\n", err) // somebody else was faster: go on
			}
			return false, nil
		case "s", "skip":
			return false, nil
		case "q", "quit":
			return true, nil
		}
	}
}
