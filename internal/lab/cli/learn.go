package cli

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/lab/learn"
	"github.com/licet-dev/licet/internal/lab/replay"
	"github.com/licet-dev/licet/internal/lab/trajectory"
)

// learnFlags are the flags of `licet-lab learn`.
type learnFlags struct {
	contract, agent, out string
	without              []string
	percent              int
}

func (a *app) learn() *cobra.Command {
	var f learnFlags
	c := &cobra.Command{
		Use: "learn --contract FILE --out PROPOSAL TRACES ...", Short: "Propose a contract from what agents did, and try it on what it did not see", Args: cobra.MinimumNArgs(1),
		Long: `Writes a contract that permits what recorded traces did: a clause for each tool
that they called, which asks of each argument what its values have in common.
TRACES are as for "replay". Of the contract that is given only the catalogs are
taken; it stays as it is, and so does a file that PROPOSAL names already.

A part of the traces is held back and replayed under the proposal, to show what
it would have stopped later. Which part depends on the records alone.`,
		Example: "  licet-lab learn --contract licet.yaml --out proposal.yaml traces.jsonl",
		RunE: clikit.RunE(func(cmd *cobra.Command, args []string) error {
			return a.runLearn(cmd.Context(), f, args)
		}),
	}
	c.Flags().StringVar(&f.contract, "contract", "", "contract whose catalogs are used (required)")
	c.Flags().StringVar(&f.agent, "agent", "", "agent that the proposal is for (default: the only one of the contract)")
	c.Flags().StringVar(&f.out, "out", "", "file to write the proposal to, which must not exist (required)")
	c.Flags().StringArrayVar(&f.without, "without", nil, "leave out records with this label, such as attack (can stand several times)")
	c.Flags().IntVar(&f.percent, "hold-out", 30, "how much of 100 is held back")
	for _, name := range []string{"contract", "out"} {
		if err := c.MarkFlagRequired(name); err != nil {
			panic(err)
		}
	}
	return c
}

func (a *app) runLearn(ctx context.Context, f learnFlags, files []string) error {
	if f.percent < 0 || f.percent > 90 {
		return clikit.Usagef("--hold-out %d: from 0 to 90", f.percent)
	}
	source, err := readContract(f.contract)
	if err != nil {
		return err
	}
	base, err := source.Load()
	if err != nil {
		return err
	}
	if f.agent, err = clikit.Only("agent", f.agent, base.Agents()); err != nil {
		return err
	}
	seen, kept, err := f.examples(base, files)
	if err != nil {
		return err
	}
	place, err := placer(f.contract, f.out)
	if err != nil {
		return err
	}
	p, err := learn.Propose(ctx, base, f.agent, place, seen)
	if err != nil {
		return err
	}
	if err := writeNew(f.out, p.Text); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "%s: proposed from %d traces; of %d arguments it says nothing\n", clikit.Printable(f.out), len(seen), len(p.Unbounded))
	for _, name := range p.Unbounded {
		fmt.Fprintf(a.out, "  %s\n", clikit.Printable(name))
	}
	proposal, err := readContract(f.out)
	if err != nil {
		return err
	}
	return a.tryProposal(ctx, proposal, f.agent, kept)
}

// tryProposal replays what was held back.
func (a *app) tryProposal(ctx context.Context, proposal cases.Source, agent string, kept []learn.Example) error {
	var n replay.Count
	var stopped []replay.Outcome
	for _, e := range kept {
		judge, err := replay.NewJudge(proposal, agent, e.Server)
		if err != nil {
			return err
		}
		o, err := judge.Play(ctx, e.Trace, replay.Options{})
		if err != nil {
			return fmt.Errorf("%s: %w", e.Trace.ID, err)
		}
		if n.Add(o); o.Verdict() != authz.Allow {
			stopped = append(stopped, o)
		}
	}
	fmt.Fprintf(a.out, "of the %d traces held back with calls it would have stopped %d\n", n.Traces, len(stopped))
	for _, o := range stopped {
		d, _ := o.Stopped()
		fmt.Fprintf(a.out, "  %s: %s\n", clikit.Printable(o.ID), clikit.Printable(d.String()))
	}
	return nil
}

// examples reads the traces and holds some back, by the digest of what they are
// called and of their record.
func (f learnFlags) examples(base *contract.Contract, files []string) (seen, kept []learn.Example, err error) {
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			return nil, nil, err
		}
		defer file.Close()
		for t, err := range trajectory.Read(name, file, trajectory.Options{}) {
			if err != nil {
				return nil, nil, err
			}
			if slices.ContainsFunc(f.without, func(label string) bool { return t.Labels[label] != "" }) {
				continue
			}
			server := t.Labels["suite"]
			if server == "" {
				server, err = clikit.Only("server", "", base.Servers())
			}
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %s: %w", name, t.ID, err)
			}
			sum := sha256.Sum256([]byte(t.ID + "\n" + t.Digest))
			if binary.BigEndian.Uint32(sum[:])%100 < uint32(f.percent) {
				kept = append(kept, learn.Example{Server: server, Trace: t})
				continue
			}
			seen = append(seen, learn.Example{Server: server, Trace: t})
		}
	}
	return seen, kept, nil
}

// placer returns what names a file that a contract names from the folder of another
// file.
func placer(from, to string) (func(string) string, error) {
	from, err := filepath.Abs(filepath.Dir(from))
	if err != nil {
		return nil, err
	}
	if to, err = filepath.Abs(filepath.Dir(to)); err != nil {
		return nil, err
	}
	return func(file string) string {
		if filepath.IsAbs(file) {
			return file
		}
		path := filepath.Join(from, filepath.FromSlash(file))
		if relative, err := filepath.Rel(to, path); err == nil {
			path = relative
		}
		return filepath.ToSlash(path)
	}, nil
}

// writeNew writes a file that is not there yet.
func writeNew(name string, text []byte) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already: a proposal takes the place of nothing", name)
	}
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Close())
}
