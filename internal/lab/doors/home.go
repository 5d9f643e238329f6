package doors

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/licet-dev/licet/internal/approval"
	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/ledger"
	"github.com/licet-dev/licet/internal/store/sqlite"
)

// home is the gate's side of one case on disk: the contract, the state
// directory, and the program that is run on both.
type home struct {
	dir      string
	program  []string
	source   cases.Source
	contract *contract.Contract // nil = refused
	problems error              // why it was refused; nil = it was not
	places   constraint.Places
	search   string // PATH of the case; "" = that of this process
	enrolled []string
	lost     bool   // the state directory was taken away
	seen     string // id of the newest decision that was read
}

// newHome writes the contract and what it names into a folder of its own.
func newHome(program []string, setup cases.Setup) (*home, error) {
	dir, err := os.MkdirTemp("", "licet-door-")
	if err != nil {
		return nil, err
	}
	h := &home{dir: dir, program: program, source: setup.Contract, places: setup.Places, search: setup.Path}
	if err := h.write(); err != nil {
		return nil, errors.Join(err, h.close())
	}
	return h, nil
}

func (h *home) close() error { return os.RemoveAll(h.dir) }

func (h *home) path(name string) string { return filepath.Join(h.dir, name) }

func (h *home) write() error {
	for name, content := range h.source.Files {
		if !filepath.IsLocal(name) {
			return fmt.Errorf("the contract names %s, which does not lie beside or below it", name)
		}
		if err := os.MkdirAll(filepath.Dir(h.path(name)), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(h.path(name), content, 0o600); err != nil {
			return err
		}
	}
	return h.setText(h.source.Text)
}

// setText writes the contract's text and says what licet will make of it.
func (h *home) setText(text []byte) error {
	h.source.Text = text
	h.contract, h.problems = h.source.Load()
	return os.WriteFile(h.path("licet.yaml"), text, 0o600)
}

// environ is the environment of the gate: its home and temporary directory are
// the case's, and nothing of the user's own licet reaches it.
func (h *home) environ() []string {
	env := slices.DeleteFunc(os.Environ(), func(e string) bool {
		return strings.HasPrefix(e, "LICET_") || strings.HasPrefix(e, "XDG_")
	})
	env = append(env, "HOME="+h.places.Home, "TMPDIR="+h.places.Tmp)
	if h.search != "" {
		env = append(env, "PATH="+h.search)
	}
	return env
}

// command makes a run of the program on the state directory of this home.
func (h *home) command(ctx context.Context, args ...string) *exec.Cmd {
	args = slices.Concat(h.program[1:], args[:1], []string{"--state", h.path("state")}, args[1:])
	cmd := exec.CommandContext(ctx, h.program[0], args...)
	cmd.Env = h.environ()
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// output is what a run that ended said.
type output struct {
	out, err []byte
	status   int
}

func (h *home) run(ctx context.Context, in []byte, args ...string) (output, error) {
	cmd := h.command(ctx, args...)
	var out, errOut bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, &errOut
	err := cmd.Run()
	if failed := (*exec.ExitError)(nil); err != nil && !errors.As(err, &failed) {
		return output{}, fmt.Errorf("running %s: %w", cmd, err)
	}
	return output{out.Bytes(), errOut.Bytes(), cmd.ProcessState.ExitCode()}, nil
}

// notRun is the answer where the program ended before it could decide the call
// c. That must have a reason which the case gave it, and the program must
// have said so: one that just ends has decided nothing.
func (h *home) notRun(c cases.Call, said []byte) (cases.Answer, error) {
	text := strings.TrimSpace(string(said))
	var problems contract.Problems
	switch {
	case h.contract == nil && errors.As(h.problems, &problems) && strings.Contains(text, problems[0].Message):
		return refused(h.problems), nil
	case h.contract != nil && h.contract.Agent(c.Agent) == nil && strings.Contains(text, "no agent"):
		return cases.Answer{Reasons: []authz.Reason{{Code: authz.UnknownAgent, Detail: text}}}, nil
	case h.contract != nil && !slices.Contains(h.contract.Servers(), c.Server) && strings.Contains(text, "no server"):
		return cases.Answer{Reasons: []authz.Reason{{Code: authz.NotListed, Detail: text}}}, nil
	case h.contract == nil && h.lost && strings.Contains(text, "state directory"): // the store is opened first
		return refused(h.problems), nil
	case h.contract != nil && h.lost && strings.Contains(text, "state directory"):
		return cases.Answer{Reasons: []authz.Reason{{Code: authz.NoEvidence, Detail: text}}}, nil
	case text == "":
		return cases.Answer{}, errors.New("the gate failed and said nothing")
	}
	return cases.Answer{}, fmt.Errorf("the gate failed: %s", text)
}

// do does what needs neither a call nor a server.
func (h *home) do(ctx context.Context, a cases.Act) error {
	switch a := a.(type) {
	case cases.Answered:
		return h.answer(ctx, a)
	case cases.TurnedAway:
		if err := h.enrol(ctx, a.By); err != nil {
			return err
		}
		if err := h.mustRun(ctx, "approvals", "approve", a.Ticket, "--as", a.By, "--passphrase-file", h.path("passphrase")); err == nil {
			return Unmet{a.By + " was let answer the ticket"}
		}
		return nil
	case cases.Wait:
		return h.wait(ctx, a.For)
	case cases.ContractEdit:
		return errors.Join(h.setText(a.Text), h.problems)
	case Exchange:
		return a.do(h.places)
	case LoseStore:
		return h.lose()
	}
	return cases.Inexpressible{Why: a.Word()}
}

// lose puts a file where the state directory was.
func (h *home) lose() error {
	h.lost = true
	if err := os.RemoveAll(h.path("state")); err != nil {
		return err
	}
	return os.WriteFile(h.path("state"), nil, 0o600)
}

// answer answers a ticket as an approver does, with a passphrase from a file.
func (h *home) answer(ctx context.Context, a cases.Answered) error {
	if err := h.enrol(ctx, a.By); err != nil {
		return err
	}
	return h.mustRun(ctx, "approvals", a.Word(), a.Ticket, "--as", a.By, "--passphrase-file", h.path("passphrase"))
}

// enrol makes somebody an approver, once.
func (h *home) enrol(ctx context.Context, name string) error {
	if slices.Contains(h.enrolled, name) {
		return nil
	}
	secret := h.path("passphrase")
	if err := os.WriteFile(secret, []byte("a passphrase for the lab\n"), 0o600); err != nil {
		return err
	}
	enrol := []string{"approvals", "enroll", name, "--passphrase-file", secret}
	if len(h.enrolled) > 0 {
		enrol = append(enrol, "--by", h.enrolled[0], "--by-passphrase-file", secret)
	}
	if err := h.mustRun(ctx, enrol...); err != nil {
		return err
	}
	h.enrolled = append(h.enrolled, name)
	return nil
}

func (h *home) mustRun(ctx context.Context, args ...string) error {
	o, err := h.run(ctx, nil, args...)
	if err == nil && o.status != clikit.Fine {
		err = fmt.Errorf("licet %s: exit status %d: %s", strings.Join(args, " "), o.status, o.err)
	}
	return err
}

// wait writes a record that is dated ahead.
func (h *home) wait(ctx context.Context, d time.Duration) (err error) {
	var ahead time.Duration
	s, err := sqlite.Open(ctx, h.path("state"), sqlite.Options{Clock: func() time.Time { return time.Now().Add(ahead) }})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	now, err := s.Now(ctx)
	if err != nil {
		return err
	}
	ahead = time.Until(now.Add(d))
	_, err = s.Commit(ctx, ledger.Entry{
		Kind: evidence.Outcome, ID: approval.NewID("o-"),
		Body: func(ledger.Stamp) ([]byte, error) { return []byte(`{"detail":"the lab let time pass"}`), nil },
	})
	return err
}

// recorded returns the newest decision, which no call before had.
func (h *home) recorded(ctx context.Context) (newest decision, err error) {
	s, err := sqlite.Open(ctx, h.path("state"), sqlite.Options{ReadOnly: true})
	if err != nil {
		return newest, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	head, err := s.Head(ctx)
	if err != nil {
		return newest, err
	}
	from := head.Next - min(head.Next, recordsPerCall)
	err = s.Records(ctx, from, recordsPerCall, func(r evidence.Record) (err error) {
		if r.Kind == evidence.Decision {
			newest, err = parseDecision(r)
		}
		return err
	})
	if err == nil && newest.id == h.seen {
		err = Unmet{"the call left no record"}
	}
	h.seen = newest.id
	return newest, err
}
