package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/licet-dev/licet/internal/approval"
	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/ledger"
	"github.com/licet-dev/licet/internal/toolcall"
)

// credentials say who answers, and where the passphrase comes from.
type credentials struct{ name, file string }

func (c *credentials) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.name, "as", "", "name of the approver (default: the only one enrolled, else your user name)")
	cmd.Flags().StringVar(&c.file, "passphrase-file", "", "read the passphrase from this file, - for standard input (default: ask on the terminal)")
}

// approver asks for the passphrase and checks it.
func (a *app) approver(ctx context.Context, s *state, c credentials) (string, error) {
	name, err := approverName(ctx, s, c.name)
	if err != nil {
		return "", err
	}
	who, err := s.store.Approver(ctx, name)
	if errors.Is(err, ledger.ErrNotFound) {
		return "", fmt.Errorf("no approver %q is enrolled: run `licet approvals enroll %[1]s`", name)
	}
	if err != nil {
		return "", err
	}
	return name, a.prove(ctx, s, who, "Passphrase of "+name, c.file)
}

// prove asks for the passphrase of an approver and checks it. A wrong one is
// recorded and counted, and after approval.MaxTries of them none is looked at for
// a while: else whoever can start licet could guess for ever.
func (a *app) prove(ctx context.Context, s *state, who approval.Approver, prompt, file string) error {
	if err := mayTry(ctx, s, who.Name); err != nil {
		return err
	}
	passphrase, err := a.passphrase(prompt, file)
	if err != nil {
		return err
	}
	if err := who.Check(passphrase); err != nil {
		return wrongTry(ctx, s, who.Name, err)
	}
	return mayTry(ctx, s, who.Name) // of many tries at once, only those that count get to know
}

// mayTry returns an error while no passphrase of an approver is looked at. It
// says until when, at the latest: the time is that of the store and found to the
// minute.
func mayTry(ctx context.Context, s *state, name string) error {
	var windows []authz.TakeKey
	for w := time.Minute; w <= approval.TryWindow; w += time.Minute {
		key := approval.WrongTry(name).Key()
		key.Window = int64(w)
		windows = append(windows, key)
	}
	used, err := s.store.Used(ctx, windows)
	if err != nil {
		return fmt.Errorf("counting wrong passphrases: %w", err)
	}
	wait := approval.TryWindow
	for i, n := range used { // ever longer windows: what does not fill one has left it in the rest of the time
		if wrong, ok := n.Int64(); ok && wrong < approval.MaxTries {
			wait = approval.TryWindow - time.Duration(windows[i].Window)
		}
	}
	if wait == 0 {
		return nil
	}
	now, err := s.store.Now(ctx)
	if err != nil {
		return err
	}
	return fmt.Errorf("approver %s: %d wrong passphrases within %s: no more is looked at before %s, in %s",
		name, approval.MaxTries, span(approval.TryWindow), moment(now.Add(wait)), span(wait))
}

// wrongTry records and counts a wrong passphrase. It returns why, or that it was
// one too many.
func wrongTry(ctx context.Context, s *state, name string, why error) error {
	receipt, err := s.store.Commit(ctx, ledger.Entry{
		Kind: evidence.Attempt, ID: approval.NewID("w-"), Takes: []authz.Take{approval.WrongTry(name)},
		Body: func(st ledger.Stamp) ([]byte, error) {
			return toolcall.ObjectOf(
				toolcall.Member{Name: "approver", Value: toolcall.StringOf(name)},
				toolcall.Member{Name: "counted", Value: toolcall.Boolean(st.Conflict == nil)},
			).AppendCanonical(nil), nil
		},
	})
	if err != nil {
		return fmt.Errorf("recording a wrong passphrase: %w", err)
	}
	err = mayTry(ctx, s, name)
	if receipt.Conflict == nil { // else it was one too many: whether it matched is not said
		err = errors.Join(fmt.Errorf("approver %s: %w", name, why), err)
	}
	return cmp.Or(err, why)
}

func approverName(ctx context.Context, s *state, name string) (string, error) {
	if name != "" {
		return name, nil
	}
	names, err := s.store.Approvers(ctx)
	if err != nil {
		return "", err
	}
	if len(names) == 1 {
		return names[0], nil
	}
	if u, err := user.Current(); err == nil {
		return u.Username, nil
	}
	return "", usagef("say who answers with --as NAME: enrolled are %s", strings.Join(names, ", "))
}

// passphrase reads a passphrase from a file or, without echo, the terminal.
func (a *app) passphrase(prompt, file string) (string, error) {
	switch {
	case file == "-":
		line, err := bufio.NewReader(io.LimitReader(a.in, 4096)).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return "", fmt.Errorf("reading the passphrase: %w", err)
		}
		return strings.TrimRight(line, "\r\n"), nil
	case file != "":
		text, err := os.ReadFile(file)
		if err != nil {
			return "", fmt.Errorf("reading the passphrase: %w", err)
		}
		return string(bytes.TrimRight(text, "\r\n")), nil
	case !isTerminal(a.in):
		return "", usagef("standard input is no terminal to ask for the passphrase: use --passphrase-file")
	}
	fmt.Fprintf(a.err, "%s: ", prompt)
	text, err := term.ReadPassword(int(a.in.(*os.File).Fd()))
	fmt.Fprintln(a.err)
	if err != nil {
		return "", fmt.Errorf("reading the passphrase: %w", err)
	}
	return string(text), nil
}

// newPassphrase reads a passphrase that can be taken, twice on a terminal.
func (a *app) newPassphrase(name, file string) (string, error) {
	passphrase, err := a.passphrase(fmt.Sprintf("New passphrase of %s (%d characters or more)", name, approval.MinPassphrase), file)
	if err != nil {
		return "", err
	}
	if len(passphrase) < approval.MinPassphrase {
		return "", fmt.Errorf("a passphrase has at least %d characters: nothing was changed", approval.MinPassphrase)
	}
	if file != "" {
		return passphrase, nil
	}
	again, err := a.passphrase("Once more", "")
	if err == nil && again != passphrase {
		err = errors.New("the two passphrases differ: nothing was changed")
	}
	return passphrase, err
}
