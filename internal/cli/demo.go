package cli

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/contracts"
	"github.com/licet-dev/licet/internal/approval"
	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/store/sqlite"
)

func (a *app) demo() *cobra.Command {
	var path string
	var keep bool
	c := &cobra.Command{
		Use: "demo", Short: "See it work: a small bank, an agent led astray, and the gate between them", Args: cobra.NoArgs,
		Long: `Starts a small bank as an MCP server in a process of its own, the gate in front
of it, and plays the recorded session of an agent: an honest task, an injected
instruction, a payment that a person must approve, a replayed approval, a spent
limit and a tool that changes its definition. Offline, nothing to set up.`,
		Example: "  licet demo\n  licet demo --keep\n  licet demo --contract my.yaml",
		RunE:    run(func(cmd *cobra.Command, _ []string) error { return a.runDemo(cmd.Context(), path, keep) }),
	}
	c.Flags().StringVar(&path, "contract", "", "try another contract for the same session (server \"bank\")")
	c.Flags().BoolVar(&keep, "keep", false, "leave the demo's directory and say where it is")
	return c
}

// demoStep is one line of the recorded session.
type demoStep struct {
	Say       string          `json:"say"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Do        string          `json:"do"`
}

// What a step can do beside a call.
const (
	doApprove = "approve"
	doName    = "name the ticket"
	doWait    = "wait for the change"
)

// demoServer is what contracts call the server of the demo.
const demoServer = "bank"

// changeAfter is the call of the recorded session, counted among those that run,
// after which the bank changes a definition; changeWait is how long the demo
// waits to hear of it, as another contract may let fewer calls run.
const (
	changeAfter = 5
	changeWait  = 3 * time.Second
)

// demoRun is one demo on its way.
type demoRun struct {
	*app
	dir     string
	state   *state
	client  *demoClient
	ticket  string // the last one that a held call got
	verdict map[authz.Verdict]int
}

func (a *app) runDemo(ctx context.Context, contractPath string, keep bool) (err error) {
	if contractPath != "" { // else the gate would say it, in the middle of the play
		f, err := readContract(contractPath, constraint.Places{})
		if err != nil {
			return err
		}
		if servers := f.contract.Servers(); !slices.Contains(servers, demoServer) {
			return usagef("the demo plays the server %q, of which %s says nothing", demoServer, contractPath)
		}
	}
	dir, err := os.MkdirTemp("", "licet-demo-")
	if err != nil {
		return err
	}
	if !keep {
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	if contractPath == "" {
		if err := os.CopyFS(filepath.Join(dir, "contract"), sub(contracts.Files, "bank")); err != nil {
			return err
		}
		contractPath = filepath.Join(dir, "contract", "licet.yaml")
	}
	a.state = filepath.Join(dir, "state")
	d := &demoRun{app: a, dir: dir, verdict: map[authz.Verdict]int{}}
	if d.state, err = a.openState(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.state.Close()) }()
	if err := d.play(ctx, contractPath); err != nil {
		return err
	}
	if err := d.proof(ctx); err != nil {
		return err
	}
	d.goOn(keep)
	return nil
}

func sub(files fs.FS, dir string) fs.FS {
	s, err := fs.Sub(files, dir)
	if err != nil {
		panic(err) // the name is a constant
	}
	return s
}

// play starts gate and bank and goes through the session.
func (d *demoRun) play(ctx context.Context, contractPath string) error {
	s := d.style()
	fmt.Fprintf(d.out, "%s\n%s\n", s.bold("licet demo"), s.faint("agent  ->  licet mcp (contract "+filepath.Base(contractPath)+")  ->  bank, an MCP server"))
	passphrase := approval.NewID("demo-")
	if err := enrolApprover(ctx, d.state.store, "you", passphrase, approval.Iterations, ""); err != nil {
		return err
	}
	var err error
	if d.client, err = d.startGate(ctx, contractPath); err != nil {
		return err
	}
	steps, err := demoSteps()
	if err == nil {
		for i, step := range steps {
			if err = d.step(ctx, i+1, step); err != nil {
				err = fmt.Errorf("step %d: %w", i+1, err)
				break
			}
		}
	}
	return errors.Join(err, d.client.stop())
}

func demoSteps() (steps []demoStep, err error) {
	text, err := contracts.Files.ReadFile("bank/session.jsonl")
	if err != nil {
		return nil, err
	}
	for d := json.NewDecoder(bytes.NewReader(text)); d.More(); {
		var s demoStep
		if err := d.Decode(&s); err != nil {
			return nil, fmt.Errorf("reading the recorded session: %w", err)
		}
		steps = append(steps, s)
	}
	return steps, nil
}

func (d *demoRun) step(ctx context.Context, n int, step demoStep) error {
	fmt.Fprintf(d.out, "\n%2d  %s\n", n, wrap(step.Say, d.width()-4, "    "))
	switch step.Do {
	case doApprove:
		return d.approve(ctx)
	case doWait:
		return d.client.await("notifications/tools/list_changed", changeWait)
	}
	named := ""
	if step.Do == doName {
		named = d.ticket
	}
	fmt.Fprintf(d.out, "    %s\n", wrap(step.Tool+" "+string(step.Arguments), d.width()-4, "      "))
	if err := d.client.call(step.Tool, step.Arguments, named); err != nil {
		return err
	}
	return d.printLast(ctx)
}

// approve answers the open ticket as its approver would in a second window.
func (d *demoRun) approve(ctx context.Context) error {
	if d.ticket == "" {
		fmt.Fprintln(d.out, "    (there is no ticket: nothing was held)")
		return nil
	}
	fmt.Fprintf(d.out, "    %s\n    ", d.style().faint("licet approvals approve "+d.ticket+" --as you"))
	t, err := ticketOf(ctx, d.state, d.ticket)
	if err != nil {
		return err
	}
	return d.answerTicket(ctx, d.state, t, approval.Answer{Ticket: t.ID, Approver: "you", Approve: true})
}

// printLast prints the decision that was recorded last.
func (d *demoRun) printLast(ctx context.Context) error {
	e, err := lastDecision(ctx, d.state)
	if err != nil {
		return err
	}
	var v authz.Verdict
	if err := v.UnmarshalText([]byte(e.Verdict)); err != nil {
		return err
	}
	d.verdict[v]++
	s := d.style()
	fmt.Fprintf(d.out, "    %s  %s\n", s.verdict(v), s.bold(string(e.Reasons[0].Code)))
	for _, r := range e.Reasons {
		if text := reasonLine(r); text != "" {
			fmt.Fprintf(d.out, "      %s\n", s.faint(wrap(text, d.width()-8, "        ")))
		}
	}
	if v == authz.RequireApproval {
		d.ticket = e.Ticket
		fmt.Fprintf(d.out, "      ticket %s\n", e.Ticket)
	}
	return nil
}

// lastDecision looks back from the end of the log for a decision.
func lastDecision(ctx context.Context, s *state) (entry, error) {
	head, err := s.store.Head(ctx)
	if err != nil {
		return entry{}, err
	}
	var last entry
	for i := head.Next; i > 0 && last.Verdict == ""; i-- {
		err := s.store.Records(ctx, i-1, 1, func(r evidence.Record) error {
			if r.Kind != evidence.Decision {
				return nil
			}
			return json.Unmarshal(r.Body, &last)
		})
		if err != nil {
			return entry{}, err
		}
	}
	if len(last.Reasons) == 0 {
		return entry{}, errors.New("the log has no decision")
	}
	return last, nil
}

// proof verifies the log, then changes a copy of it and verifies that.
func (d *demoRun) proof(ctx context.Context) error {
	s := d.style()
	fmt.Fprintf(d.out, "\n%s\n    %s\n    ", s.bold("The record"), s.faint("licet log verify"))
	if err := d.verifyLog(ctx, d.state, "", false); err != nil {
		return err
	}
	copied, err := d.tamperedCopy(ctx)
	if err != nil {
		return fmt.Errorf("changing a copy of the log: %w", err)
	}
	defer copied.Close()
	fmt.Fprintf(d.out, "    In a copy, one word of one record is changed afterwards:\n    ")
	var failed exit
	if err := d.verifyLog(ctx, copied, "", false); !errors.As(err, &failed) {
		return errors.Join(errors.New("a changed log was verified as good"), err)
	}
	return nil
}

// tamperedCopy copies the state and turns one recorded BLOCK into an ALLOW,
// as somebody with a database tool could.
func (d *demoRun) tamperedCopy(ctx context.Context) (*state, error) {
	dir := filepath.Join(d.dir, "tampered")
	if err := d.state.store.Backup(ctx, dir); err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, sqlite.FileName))
	if err != nil {
		return nil, err
	}
	_, err = db.ExecContext(ctx, `UPDATE records SET body = replace(body, '"verdict":"BLOCK"', '"verdict":"ALLOW"')
		WHERE idx = (SELECT max(idx) FROM records WHERE body LIKE '%"verdict":"BLOCK"%')`)
	if err := errors.Join(err, db.Close()); err != nil {
		return nil, err
	}
	store, err := sqlite.Open(ctx, dir, sqlite.Options{})
	if err != nil {
		return nil, err
	}
	return &state{dir: dir, store: store, key: d.state.key}, nil
}

// goOn says what to do next.
func (d *demoRun) goOn(keep bool) {
	s := d.style()
	fmt.Fprintf(d.out, "\n%d calls: %d allowed, %d held, %d blocked.\n", d.verdict[authz.Allow]+d.verdict[authz.RequireApproval]+d.verdict[authz.Block],
		d.verdict[authz.Allow], d.verdict[authz.RequireApproval], d.verdict[authz.Block])
	if keep {
		fmt.Fprintf(d.out, "Kept: %s (look with: licet log show --state %[1]s/state)\n", d.dir)
	}
	fmt.Fprintf(d.out, "\n%s\n", s.bold("Your own server"))
	for _, line := range []string{
		"licet init --from-mcp -- npx -y @modelcontextprotocol/server-filesystem DIR",
		"licet approvals enroll NAME",
		"licet approvals watch",
	} {
		fmt.Fprintf(d.out, "  %s\n", line)
	}
}
