package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/evidence"
)

// shownDecisions is how many of the last records `licet status` looks at.
const shownDecisions = 10

func (a *app) statusCommand() *cobra.Command {
	var path string
	var asJSON bool
	c := &cobra.Command{
		Use: "status", Short: "Contract, pins, state directory, last decisions, open tickets", Args: cobra.NoArgs,
		Long: `Shows what there is, and makes nothing: also a state directory comes with the
first decision only. Exit status 1 says that the contract is refused.`,
		Example: "  licet status --contract licet.yaml",
		RunE: run(func(cmd *cobra.Command, _ []string) error {
			st, err := a.gatherStatus(cmd.Context(), path)
			if err != nil {
				return err
			}
			if asJSON {
				err = printJSON(a.out, st)
			} else {
				a.printStatus(st)
			}
			if err == nil && st.Contract != nil && st.Contract.Refused != "" {
				return exit(exitFailure)
			}
			return err
		}),
	}
	c.Flags().StringVar(&path, "contract", "", "contract file to report on")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// status is what `licet status --json` prints.
type status struct {
	State     string            `json:"state"`
	Contract  *contractStatus   `json:"contract,omitempty"`
	Records   uint64            `json:"records"`
	Head      string            `json:"head,omitempty"`
	Decisions []json.RawMessage `json:"last_decisions"`
	Tickets   []ticketJSON      `json:"open_tickets"`
	Approvers []string          `json:"approvers"`

	lines []string // the decisions as text
	none  bool     // there is no state directory
}

type contractStatus struct {
	File    string            `json:"file"`
	Name    string            `json:"name,omitempty"`
	Digest  string            `json:"digest,omitempty"`
	Agents  []string          `json:"agents,omitempty"`
	Shadow  []string          `json:"shadow,omitempty"` // agents in shadow mode: nothing is enforced for them
	Pins    map[string]string `json:"pins,omitempty"`
	Refused string            `json:"refused,omitempty"` // why the contract does not load
}

func (a *app) gatherStatus(ctx context.Context, path string) (st status, err error) {
	if path != "" {
		st.Contract = statusOfContract(path)
	}
	if st.State, err = a.stateDir(); err != nil {
		return st, err
	}
	st.Decisions, st.Tickets, st.Approvers = []json.RawMessage{}, []ticketJSON{}, []string{}
	s, err := a.readState(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		st.none = true
		return st, nil
	}
	if err != nil {
		return st, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	head, err := s.store.Head(ctx)
	if err != nil {
		return st, err
	}
	st.Records, st.Head = head.Next, head.Hash
	if err := st.readDecisions(ctx, a, s); err != nil {
		return st, err
	}
	tickets, now, err := ticketsNow(ctx, s, false)
	if err != nil {
		return st, err
	}
	for _, t := range tickets {
		st.Tickets = append(st.Tickets, ticketJSON{Ticket: t, State: t.State(now)})
	}
	names, err := s.store.Approvers(ctx)
	st.Approvers = append(st.Approvers, names...)
	return st, err
}

func (st *status) readDecisions(ctx context.Context, a *app, s *state) error {
	from := uint64(0)
	if st.Records > shownDecisions {
		from = st.Records - shownDecisions
	}
	return s.store.Records(ctx, from, shownDecisions, func(r evidence.Record) error {
		var e entry
		if err := json.Unmarshal(r.Body, &e); err != nil {
			return fmt.Errorf("record %d: %w", r.Index, err)
		}
		line, err := r.Marshal()
		if err == nil && r.Kind == evidence.Decision {
			st.Decisions = append(st.Decisions, line)
			st.lines = append(st.lines, a.describe(r, e))
		}
		return err
	})
}

func statusOfContract(path string) *contractStatus {
	st := &contractStatus{File: path}
	f, err := readContract(path, constraint.Places{})
	if err != nil {
		st.Refused = err.Error()
		return st
	}
	st.Name, st.Digest, st.Agents, st.Pins = f.contract.Name(), f.contract.Digest(), f.contract.Agents(), map[string]string{}
	for _, name := range f.contract.Agents() {
		if f.contract.Agent(name).Shadow {
			st.Shadow = append(st.Shadow, name)
		}
	}
	for _, server := range f.contract.Servers() {
		pinned, _ := f.contract.Catalog(server)
		st.Pins[server] = pinned.Pin
	}
	return st
}

func (a *app) printStatus(st status) {
	s := a.style()
	head := func(name string) string { return s.bold(fmt.Sprintf("%-10s", name)) }
	if c := st.Contract; c == nil {
		fmt.Fprintf(a.out, "%s none named: use --contract FILE\n", head("contract"))
	} else if c.Refused != "" {
		fmt.Fprintf(a.out, "%s %s is refused:\n", head("contract"), c.File)
		for line := range strings.Lines(c.Refused) {
			a.line("           ", printable(strings.TrimSuffix(line, "\n")), 13)
		}
	} else {
		fmt.Fprintf(a.out, "%s %s from %s\n           %s\n", head("contract"), c.Name, c.File, c.Digest)
		for _, server := range slices.Sorted(maps.Keys(c.Pins)) {
			fmt.Fprintf(a.out, "           %s pinned at %s\n", server, c.Pins[server])
		}
		for _, name := range c.Shadow {
			fmt.Fprintf(a.out, "           %s\n", s.paint("1;35", "SHADOW: nothing is enforced for agent "+name))
		}
	}
	if st.none {
		a.line(head("state")+" ", st.State+", which is not there yet: the first decision makes it", 11)
		return
	}
	fmt.Fprintf(a.out, "%s %s, %s\n", head("state"), st.State, counted(int(st.Records), "record"))
	if len(st.Approvers) == 0 {
		a.line(head("approvers")+" ", "none: held calls can't be answered before `licet approvals enroll NAME"+a.stateFlag()+"`", 11)
	} else {
		a.line(head("approvers")+" ", printable(strings.Join(st.Approvers, ", ")), 11)
	}
	fmt.Fprintf(a.out, "%s %d of the last %d records\n", head("decisions"), len(st.lines), shownDecisions)
	for _, line := range st.lines {
		a.line("           ", line, 13)
	}
	fmt.Fprintf(a.out, "%s %d open\n", head("tickets"), len(st.Tickets))
	for _, t := range st.Tickets {
		fmt.Fprintf(a.out, "           %s  %s wants %s\n", t.ID, printable(t.Subject.Agent), printable(t.Subject.Ref()))
	}
}
