package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/lab/authgate/item"
	"github.com/licet-dev/licet/internal/lab/authgate/modeljudge"
	"github.com/licet-dev/licet/internal/lab/authgate/result"
	"github.com/licet-dev/licet/internal/lab/authgate/run"
	"github.com/licet-dev/licet/internal/lab/authgate/vary"
)

// authgateRunFlags are the flags of `authgate run`.
type authgateRunFlags struct {
	data, out        string
	models, policies []string
	signals          bool
	collectors       bool // each left out once
	invariance       bool
	epochs           int
	workers, calls   int
	money            string
	database, schema string

	list     string // file of models
	scoring  string
	patience time.Duration
	batch    string   // folder
	answers  []string // files

	recordTo, replayFrom string // tapes
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
model, and the others are baselines that see little or nothing. Any other NAME is
a model of the file of --models (docs/judge.md says what stands in it). It is asked
for a decision and why (--scoring raw), or as the gate asks, with the gate's checks
(--scoring checked). A server that wants a pause gets it. A question that had no
answer, for whatever reason that is not the model's, is no result: the next run
asks it again.

A policy is a name, of a file policies/NAME.md in the data set, or NAME=FILE.
Without --policy it is "none=", one of no text, which no model judges by.

Where no server can be reached, --batch writes the questions into files of a folder,
in the form of OpenAI's Batch API, and the run waits. With --answers, files of
answers are imported and the run goes on; repairs of answers that cannot be read may
be due then, in new files.

With --database several processes, on as many machines as there are, answer the
questions of one run together: start the same command on each. Each has all answers
in its own folder at the end. The schema holds one run; --calls and --money then
bound what all processes ask and spend, from the beginning of the run.

The exit status is 0 once all questions are answered, 5 if answers are to come in
files, and 1 if the run was stopped or a question had no answer.`,
		Example: "  licet-lab authgate run --data v0 --out run --model grounded --model always-block\n" +
			"  licet-lab authgate run --data v0 --out run --models models.yaml --model large --policy rules --policy implicit\n" +
			"  licet-lab authgate run --data v0 --out run --model grounded --database DATABASE_URL\n" +
			"  licet-lab authgate report --data v0 --out report run/results.jsonl",
		RunE: clikit.RunE(func(cmd *cobra.Command, _ []string) error {
			if f.database != "" && !cmd.Flags().Changed("patience") {
				f.patience = sharedPatience
			}
			return a.runAuthgateRun(cmd.Context(), f)
		}),
	}
	f.register(c)
	return c
}

func (f *authgateRunFlags) register(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.data, "data", "", "folder of the data set (required)")
	flags.StringVar(&f.out, "out", "", "folder for the answers (required)")
	flags.StringArrayVar(&f.models, "model", nil, "judge to ask (required; can stand several times)")
	flags.StringVar(&f.list, "models", "", "file that says which models there are")
	flags.StringVar(&f.scoring, "scoring", "raw", "what models are asked for: raw (a decision) or checked (what the gate asks for)")
	flags.StringArrayVar(&f.policies, "policy", []string{"none="}, "policy to judge by: NAME or NAME=FILE (can stand several times)")
	flags.BoolVar(&f.signals, "signals", false, "ask with observations of the environment too")
	flags.BoolVar(&f.collectors, "collectors", false, "ask with the observations of all collectors but one, too, for each")
	flags.BoolVar(&f.invariance, "invariance", false, "ask variants that change nothing of what is right, too")
	flags.IntVar(&f.epochs, "epochs", 1, "how often each question is asked")
	flags.IntVar(&f.workers, "workers", runtime.NumCPU(), "how many questions are put to each judge at a time")
	flags.IntVar(&f.calls, "calls", 0, "stop after so many questions (default: no bound)")
	flags.StringVar(&f.money, "money", "", "stop once the answers state that they cost so much (default: no bound)")
	flags.DurationVar(&f.patience, "patience", 10*time.Minute, "how long one question may be held back by pauses that its server wants; with --database 4m")
	flags.StringVar(&f.batch, "batch", "", "ask models through files in this folder")
	flags.StringArrayVar(&f.answers, "answers", nil, "file of answers to import, with --batch (can stand several times)")
	flags.StringVar(&f.database, "database", "", "share the run over the PostgreSQL whose URL this environment variable holds")
	flags.StringVar(&f.schema, "schema", "licet_authgate", "schema of the database that holds the run")
	flags.StringVar(&f.recordTo, "record", "", "keep questions and answers in this new file, without keys")
	flags.StringVar(&f.replayFrom, "replay", "", "take the answers from such a file, without a network")
	if err := c.RegisterFlagCompletionFunc("model", cobra.FixedCompletions(run.BuiltInNames(), cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err)
	}
	for _, name := range []string{"data", "out", "model"} {
		if err := c.MarkFlagRequired(name); err != nil {
			panic(err)
		}
	}
}

func (a *app) runAuthgateRun(ctx context.Context, f authgateRunFlags) (err error) {
	if err := f.check(); err != nil {
		return err
	}
	models, err := a.authgateModels(&f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, models.close()) }()
	plan, err := f.plan(models)
	if err != nil {
		return err
	}
	o := run.Options{Workers: f.workers, Calls: f.calls, Progress: a.authgateProgress()}
	if f.money != "" {
		o.Money, _ = new(big.Rat).SetString(f.money)
	}
	ask, goesOn, err := a.asker(f)
	if err != nil {
		return err
	}
	j, err := run.OpenJournal(f.out, plan)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	var imported error
	before := 0
	if len(f.answers) > 0 { // what they answer is found by all that is open
		first, err := run.Run(ctx, plan, j, run.Options{Workers: o.Workers})
		if err != nil {
			return err
		}
		before = first.New
		imported = a.importAnswers(models.files, f.answers)
	}
	out, err := ask(ctx, plan, j, o)
	out.New += before
	if out.All > 0 {
		fmt.Fprintf(a.out, "%d of %d questions answered, %d of them now\n", out.Done, out.All, out.New)
	}
	if err == nil && models.files != nil {
		err = a.exportRequests(models.files, out.Open[run.Waiting])
	}
	switch {
	case imported != nil:
		return imported
	case err != nil && ctx.Err() != nil:
		return fmt.Errorf("%w: the same command goes on", err)
	case err != nil:
		return err
	}
	return unfinished(out, goesOn)
}

// importAnswers takes up files of answers. What it came to is said even if some answer
// is one to nothing.
func (a *app) importAnswers(files *modeljudge.Files, paths []string) error {
	in, err := files.Import(paths...)
	fmt.Fprintf(a.out, "%d answers imported, %d failed at the service, %d known before\n", len(in.New), len(in.Failed), in.Repeated)
	return err
}

// exportRequests writes what waits for answers, and the status for it.
func (a *app) exportRequests(files *modeljudge.Files, waiting int) error {
	paths, err := files.Export()
	if err != nil || waiting == 0 {
		return err
	}
	fmt.Fprintf(a.out, "%d questions wait for answers to %s\n", waiting, strings.Join(paths, ", "))
	return clikit.Exit(clikit.Waiting)
}

// unfinished says why a run has not ended, nil if it has.
func unfinished(out run.Outcome, goesOn string) error {
	if out.Stopped != "" {
		return fmt.Errorf("stopped, as %s: %s", out.Stopped, goesOn)
	}
	if out.Done == out.All {
		return nil
	}
	var why []string
	asked := 0
	for _, code := range slices.Sorted(maps.Keys(out.Open)) {
		why = append(why, fmt.Sprintf("%d %s", out.Open[code], code))
		asked += out.Open[code]
	}
	if rest := out.All - out.Done - asked; rest > 0 {
		why = append(why, fmt.Sprintf("%d not asked then", rest))
	}
	return fmt.Errorf("%d questions have no answer (%s): the same command asks them again", out.All-out.Done, strings.Join(why, ", "))
}

// check refuses flags that do not go together.
func (f *authgateRunFlags) check() error {
	switch {
	case f.epochs < 1 || f.workers < 1 || f.calls < 0 || f.patience < 0:
		return clikit.Usagef("--epochs and --workers are 1 or more, --calls and --patience 0 or more")
	case f.money != "" && !result.IsDecimal(f.money):
		return clikit.Usagef("--money %s: expected a decimal", f.money)
	case f.scoring != "raw" && f.scoring != "checked":
		return clikit.Usagef("--scoring %s: expected raw or checked", f.scoring)
	case len(f.answers) > 0 && f.batch == "":
		return clikit.Usagef("--answers: they are those to files of --batch")
	case f.database != "" && f.batch != "":
		return clikit.Usagef("--batch: its files are those of one process, and --database shares a run among several")
	case f.database != "" && f.patience > sharedPatience:
		return clikit.Usagef("--patience is at most %s with --database: who takes longer is taken for dead", sharedPatience)
	case f.batch != "" && f.recordTo+f.replayFrom != "":
		return clikit.Usagef("--batch: its files are all that there is to keep, without --record and --replay")
	}
	return nil
}

// plan reads what is to be asked.
func (f *authgateRunFlags) plan(models *authgateModels) (*run.Plan, error) {
	set, err := item.Open(f.data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.data, err)
	}
	p := &run.Plan{Dataset: set.Manifest.DatasetDigest, Items: run.Items(set), Epochs: f.epochs}
	if p.Forms, err = f.forms(p.Items); err != nil {
		return nil, err
	}
	models.manifest = set.Manifest
	for _, name := range f.models {
		judge, err := models.judge(name)
		if err != nil {
			return nil, err
		}
		p.Judges = append(p.Judges, judge)
	}
	for _, word := range f.policies {
		policy, err := f.policy(word)
		if err != nil {
			return nil, err
		}
		if policy.Text == "" && models.list != nil {
			return nil, clikit.Usagef("--policy %s has no text, and a model judges by one: name it, such as --policy rules", word)
		}
		p.Policies = append(p.Policies, policy)
	}
	return p, nil
}

// forms are those in which items are asked.
func (f *authgateRunFlags) forms(items []run.Item) ([]result.Form, error) {
	all := []result.Form{result.Plain}
	collectors := run.Collectors(items)
	if (f.signals || f.collectors) && len(collectors) == 0 {
		return nil, clikit.Usagef("--signals: the data set %s has no observations", f.data)
	}
	if f.collectors && !f.signals {
		return nil, clikit.Usagef("--collectors is compared with --signals, which is missing")
	}
	if f.signals {
		all = append(all, result.Signals)
	}
	if f.collectors {
		for _, c := range collectors {
			all = append(all, result.Without(c))
		}
	}
	if f.invariance {
		for _, t := range vary.Transforms {
			all = append(all, result.Varied(string(t)))
		}
	}
	return all, nil
}

// policy reads a policy by its word: NAME, NAME=FILE, or NAME= for one of no text.
func (f *authgateRunFlags) policy(word string) (run.Policy, error) {
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
