package cli

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/lab/authgate/item"
	"github.com/licet-dev/licet/internal/lab/authgate/result"
	"github.com/licet-dev/licet/internal/lab/authgate/run"
)

// authgateRunFlags are the flags of `authgate run`.
type authgateRunFlags struct {
	data, out        string
	models, policies []string
	signals          bool
	epochs           int
	workers, calls   int
	money            string
	database, schema string
}

func (a *app) authgateRun() *cobra.Command {
	var f authgateRunFlags
	c := &cobra.Command{
		Use: "run --data FOLDER --out FOLDER --model NAME ...", Short: "Ask judges about the items of a data set", Args: cobra.NoArgs,
		Long: `Asks each judge about each instance of a data set, under each policy, without and
with observations of the environment, as often as there are epochs. Each answer is
a line of results.jsonl in the folder of --out, written as it comes: a run that
was killed, or stopped by a budget, goes on where it stopped when it is started
again, and asks nothing twice.

The judges that need no model are ` + strings.Join(run.BuiltInNames(), ", ") + `.
They go by no policy: "grounded" is the judge that contracts have, without a
model, and the others are baselines that see little or nothing.

A policy is a name, of a file policies/NAME.md in the data set, or NAME=FILE.
Without --policy it is "none=", one of no text.

With --database several processes, on as many machines as there are, answer the
questions of one run together: start the same command on each. Each has all answers
in its own folder at the end. The schema holds one run; --calls and --money then
bound what all processes ask and spend, from the beginning of the run.

The exit status is 0 once all questions are answered, and 1 if the run was stopped.`,
		Example: "  licet-lab authgate run --data v0 --out run --model grounded --model always-block\n" +
			"  licet-lab authgate run --data v0 --out run --model grounded --database DATABASE_URL\n" +
			"  licet-lab authgate report --data v0 --out report run/results.jsonl",
		RunE: clikit.RunE(func(cmd *cobra.Command, _ []string) error {
			return a.runAuthgateRun(cmd.Context(), f)
		}),
	}
	c.Flags().StringVar(&f.data, "data", "", "folder of the data set (required)")
	c.Flags().StringVar(&f.out, "out", "", "folder for the answers (required)")
	c.Flags().StringArrayVar(&f.models, "model", nil, "judge to ask (required; can stand several times)")
	c.Flags().StringArrayVar(&f.policies, "policy", []string{"none="}, "policy to judge by: NAME or NAME=FILE (can stand several times)")
	c.Flags().BoolVar(&f.signals, "signals", false, "ask with observations of the environment too")
	c.Flags().IntVar(&f.epochs, "epochs", 1, "how often each question is asked")
	c.Flags().IntVar(&f.workers, "workers", runtime.NumCPU(), "how many questions are asked at a time")
	c.Flags().IntVar(&f.calls, "calls", 0, "stop after so many questions (default: no bound)")
	c.Flags().StringVar(&f.money, "money", "", "stop once the answers state that they cost so much (default: no bound)")
	c.Flags().StringVar(&f.database, "database", "", "share the run over the PostgreSQL whose URL this environment variable holds")
	c.Flags().StringVar(&f.schema, "schema", "licet_authgate", "schema of the database that holds the run")
	if err := c.RegisterFlagCompletionFunc("model", cobra.FixedCompletions(run.BuiltInNames(), cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err)
	}
	for _, name := range []string{"data", "out", "model"} {
		if err := c.MarkFlagRequired(name); err != nil {
			panic(err)
		}
	}
	return c
}

func (a *app) runAuthgateRun(ctx context.Context, f authgateRunFlags) (err error) {
	plan, err := f.plan()
	if err != nil {
		return err
	}
	o := run.Options{Workers: f.workers, Calls: f.calls, Progress: a.authgateProgress()}
	if f.money != "" {
		if !result.IsDecimal(f.money) {
			return clikit.Usagef("--money %s: expected a decimal", f.money)
		}
		o.Money, _ = new(big.Rat).SetString(f.money)
	}
	ask, goesOn := run.Run, "the same command goes on"
	if f.database != "" {
		d, err := a.runDatabase(f)
		if err != nil {
			return err
		}
		ask, goesOn = d.Run, "with a larger budget it goes on"
	}
	j, err := run.OpenJournal(f.out, plan)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	out, err := ask(ctx, plan, j, o)
	if out.All > 0 {
		fmt.Fprintf(a.out, "%d of %d questions answered, %d of them now\n", out.Done, out.All, out.New)
	}
	switch {
	case err == nil && out.Stopped != "":
		err = fmt.Errorf("stopped, as %s: %s", out.Stopped, goesOn)
	case err != nil && ctx.Err() != nil:
		err = fmt.Errorf("%w: the same command goes on", err)
	}
	return err
}

// plan reads what is to be asked.
func (f authgateRunFlags) plan() (*run.Plan, error) {
	if f.epochs < 1 || f.workers < 1 || f.calls < 0 {
		return nil, clikit.Usagef("--epochs and --workers are 1 or more, --calls 0 or more")
	}
	set, err := item.ReadDir(f.data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.data, err)
	}
	p := &run.Plan{Dataset: set.Manifest.DatasetDigest, Items: run.Items(set), Forms: []result.Form{result.Plain}, Epochs: f.epochs}
	if f.signals && len(set.Signals) == 0 {
		return nil, clikit.Usagef("--signals: the data set %s has no observations", f.data)
	}
	if f.signals {
		p.Forms = append(p.Forms, result.Signals)
	}
	for _, name := range f.models {
		judge, ok := run.BuiltIn(name)
		if !ok {
			return nil, clikit.Usagef("--model %q: there are %s", name, strings.Join(run.BuiltInNames(), ", "))
		}
		p.Judges = append(p.Judges, judge)
	}
	for _, word := range f.policies {
		policy, err := f.policy(word)
		if err != nil {
			return nil, err
		}
		p.Policies = append(p.Policies, policy)
	}
	return p, nil
}

// policy reads a policy by its word: NAME, NAME=FILE, or NAME= for one of no text.
func (f authgateRunFlags) policy(word string) (run.Policy, error) {
	name, path, named := strings.Cut(word, "=")
	if name == "" || strings.ContainsAny(name, `/\`) {
		return run.Policy{}, clikit.Usagef("--policy %q: expected NAME or NAME=FILE", word)
	}
	if named && path == "" {
		return run.Policy{Name: name}, nil
	}
	if !named {
		path = filepath.Join(f.data, "policies", name+".md")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return run.Policy{}, fmt.Errorf("--policy %s: %w", word, err)
	}
	return run.Policy{Name: name, Text: string(text)}, nil
}

// authgateProgress returns what tells a terminal how far a run is, and how long the
// rest will take at the pace of this one.
func (a *app) authgateProgress() func(run.Progress) {
	if !clikit.IsTerminal(a.err) {
		return nil
	}
	begin, last := time.Now(), time.Time{}
	return func(p run.Progress) {
		now := time.Now()
		if p.Done == p.All {
			fmt.Fprint(a.err, "\r\x1b[K")
			return
		}
		if now.Sub(last) < often {
			return
		}
		last = now
		left := time.Duration(float64(now.Sub(begin)) * float64(p.All-p.Done) / float64(p.New))
		fmt.Fprintf(a.err, "\r\x1b[K%d of %d questions, about %s left", p.Done, p.All, left.Round(time.Second))
	}
}
