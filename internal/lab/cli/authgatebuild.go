package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/judge/models"
	"github.com/licet-dev/licet/internal/lab/authgate/build"
	"github.com/licet-dev/licet/internal/lab/authgate/item"
	"github.com/licet-dev/licet/internal/lab/authgate/result"
	"github.com/licet-dev/licet/internal/llm"
)

// authgateBuildFlags are the flags of `authgate build`.
type authgateBuildFlags struct {
	plan, out     string
	list          string // file of models
	model, family string
	calls         int
	money         string
	temperature   string
	maxOutput     int
	workers       int
	patience      time.Duration
	batch         string // folder
	answers       []string
	drops         []string // SLOT=CODE
	asJSON        bool
}

func (a *app) authgateBuild() *cobra.Command {
	var f authgateBuildFlags
	c := &cobra.Command{
		Use: "build --plan FILE --out FOLDER --models FILE --model NAME --family NAME --calls N", Short: "Make a data set of contrast pairs with a model", Args: cobra.NoArgs,
		Long: `Has a model write contrast pairs, and keeps what the validators let through. The
plan says what to make: slots, each with its mode, domain, family of tools, risk,
length and example (docs/authgate-build.md).

A slot goes through four stages: I the base row, II the request that authorizes the
same action, IIb the near-miss, III the observations. What a validator refuses goes
back to the model with all findings, at most three times; a draft that fails, or is
like an accepted one, makes room for another, up to four. A pair that fails gives its
slot back to stage I. A slot for which nothing is left is short: validators are
never relaxed.

All that was asked and answered is in a journal in the folder of --out, written
before it counts. A build that was killed, or stopped by a budget, goes on where it
stopped when it is started again, asks nothing again that was answered, and comes to
the same bytes. With another plan, prompt, model or parameter it is another build,
and refused in that folder. When it has ended, FOLDER/data is the data set.

The model is one of the file of --models (docs/judge.md says what stands in it).
Where no server can be reached, --batch writes what is due into files of a folder,
in the form of OpenAI's Batch API, and the build waits; with --answers, files of
answers are imported and the build goes on.

After a review, --drop SLOT=CODE takes a pair out of a build that has ended, for
review_disagree, review_wrong_mode or review_implausible, and makes another one.

The exit status is 0 once each slot has its pair, 5 if answers are to come in files,
and 1 if a slot is short, a budget is spent, or a call had no answer.`,
		Example: "  licet-lab authgate build --plan plan.yaml --out build --models models.yaml --model writer --family example --calls 500 --money 20\n" +
			"  licet-lab authgate build --plan plan.yaml --out build --models models.yaml --model writer --family example --calls 500 --batch requests\n" +
			"  licet-lab authgate validate build/data",
		RunE: clikit.RunE(func(cmd *cobra.Command, _ []string) error {
			return a.runAuthgateBuild(cmd.Context(), f)
		}),
	}
	f.register(c)
	return c
}

func (f *authgateBuildFlags) register(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.plan, "plan", "", "file that says what to make (required)")
	flags.StringVar(&f.out, "out", "", "folder of the build (required)")
	flags.StringVar(&f.list, "models", "", "file that says which models there are (required)")
	flags.StringVar(&f.model, "model", "", "model of that file that writes (required)")
	flags.StringVar(&f.family, "family", "", "who made the model; judges of the same family are warned about (required)")
	flags.IntVar(&f.calls, "calls", 0, "stop once so many calls were sent in all (required)")
	flags.StringVar(&f.money, "money", "", "stop once the answers have cost so many dollars (required if the model has a price)")
	flags.StringVar(&f.temperature, "temperature", "0.9", "of the model, from 0 to 2, or own for the provider's own")
	flags.IntVar(&f.maxOutput, "max-output", 8000, "tokens of one answer at most")
	flags.IntVar(&f.workers, "workers", 4, "how many calls are made at a time")
	flags.DurationVar(&f.patience, "patience", 10*time.Minute, "how long one call may be held back by pauses that its server wants")
	flags.StringVar(&f.batch, "batch", "", "ask through files in this folder")
	flags.StringArrayVar(&f.answers, "answers", nil, "file of answers to import, with --batch (can stand several times)")
	flags.StringArrayVar(&f.drops, "drop", nil, "SLOT=CODE: drop the pair of a slot after a review (can stand several times)")
	flags.BoolVar(&f.asJSON, "json", false, "print the counts as JSON")
	for _, name := range []string{"plan", "out", "models", "model", "family", "calls"} {
		if err := c.MarkFlagRequired(name); err != nil {
			panic(err)
		}
	}
}

func (a *app) runAuthgateBuild(ctx context.Context, f authgateBuildFlags) (err error) {
	settings, budget, of, err := f.read()
	if err != nil {
		return err
	}
	plan, err := build.ReadPlan(f.plan, build.Author{Family: f.family, Model: of.Config.Model, Params: settings.Params()})
	if err != nil {
		return err
	}
	b, err := build.Open(f.out, plan, time.Now)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	for _, word := range f.drops {
		slot, code, _ := strings.Cut(word, "=")
		if err := b.Drop(slot, code); err != nil {
			return clikit.Usagef("--drop %s: %v", word, err)
		}
	}
	var made built
	if f.batch != "" {
		made, err = f.carry(b, settings, budget, of)
	} else {
		made, err = a.askBuild(ctx, f, b, settings, budget, of)
	}
	if err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("%w: the same command goes on", err)
		}
		return err
	}
	return a.endBuild(f, b, made)
}

// read reads the flags that are no text, and the model.
func (f *authgateBuildFlags) read() (s build.Settings, budget build.Budget, of models.Model, err error) {
	s = build.Settings{MaxTokens: f.maxOutput}
	switch {
	case f.calls < 1 || f.workers < 1 || f.maxOutput < 1 || f.patience < 0:
		return s, budget, of, clikit.Usagef("--calls, --workers and --max-output are 1 or more, --patience 0 or more")
	case f.money != "" && !result.IsDecimal(f.money):
		return s, budget, of, clikit.Usagef("--money %s: expected a decimal", f.money)
	case len(f.answers) > 0 && f.batch == "":
		return s, budget, of, clikit.Usagef("--answers: they are those to files of --batch")
	}
	if f.temperature != "own" {
		t, err := strconv.ParseFloat(f.temperature, 64)
		if err != nil || !(t >= 0 && t <= 2) {
			return s, budget, of, clikit.Usagef("--temperature %s: expected a number from 0 to 2, or own", f.temperature)
		}
		s.Temperature = &t
	}
	list, err := readModels(f.list)
	if err != nil {
		return s, budget, of, err
	}
	if of, err = list.Of(f.model); err != nil {
		return s, budget, of, clikit.Usagef("--model: %v", err)
	}
	s.Priced = of.Config.Price != llm.Price{}
	switch {
	case s.Priced && f.money == "":
		return s, budget, of, clikit.Usagef("--money is missing: %s has a price for %s", f.list, f.model)
	case !s.Priced && f.money != "":
		return s, budget, of, clikit.Usagef("--money: %s has no price for %s, so that it would stop nothing", f.list, f.model)
	}
	budget.Calls = f.calls
	if s.Priced {
		budget.Money, _ = new(big.Rat).SetString(f.money)
	}
	return s, budget, of, nil
}

// built says how far a build came.
type built struct {
	State    string       `json:"state"` // ended, short, waiting, stopped or unanswered
	Why      string       `json:"why,omitzero"`
	Data     string       `json:"data,omitzero"` // folder of the data set
	Requests []string     `json:"requests,omitempty"`
	Counts   build.Report `json:"counts"`
}

// States of a build that has not ended well.
const (
	buildEnded      = "ended"
	buildShort      = "short"
	buildWaiting    = "waiting"
	buildStopped    = "stopped"
	buildUnanswered = "unanswered"
)

// generationTime is what a model has for one answer, if the file of models says
// nothing: a case is longer than a verdict.
const generationTime = 2 * time.Minute

// askBuild has the model answer all that is left.
func (a *app) askBuild(ctx context.Context, f authgateBuildFlags, b *build.Build, s build.Settings, budget build.Budget, of models.Model) (made built, err error) {
	config := of.Config
	if config.Key, err = a.modelKey(f.list, of); err != nil {
		return made, err
	}
	config.Patience, config.Deadline, config.Tries = f.patience, cmp.Or(config.Deadline, generationTime), 0
	client, err := llm.New(config, llm.RealSystem())
	if err != nil {
		return made, err
	}
	out, err := b.Run(ctx, build.LiveModel{Client: client, Settings: s}, build.Options{Workers: f.workers, Budget: budget, Progress: a.buildProgress()})
	if out.Lost > 0 {
		made.State, made.Why = buildUnanswered, fmt.Sprintf("%d calls had no answer: the same command makes them again", out.Lost)
	}
	if out.Stopped != "" {
		made.State, made.Why = buildStopped, out.Stopped+": the same command goes on with a larger one"
	}
	return made, err
}

// carry imports files of answers, and writes what is due after them.
func (f *authgateBuildFlags) carry(b *build.Build, s build.Settings, budget build.Budget, of models.Model) (made built, err error) {
	model, err := llm.NewOffline(of.Config)
	if err != nil {
		return made, err
	}
	files := build.Files{Model: model, Dir: f.batch, Settings: s, Reports: map[string]string{}}
	if of.Config.Reports != "" {
		files.Reports[of.Config.Model] = of.Config.Reports
	}
	unknown := 0
	for _, path := range f.answers {
		text, err := os.ReadFile(path)
		if err != nil {
			return made, err
		}
		in, err := b.Import(files, path, text)
		if err != nil {
			return made, err
		}
		unknown += in.Unknown
	}
	var stopped string
	made.Requests, stopped, err = b.Export(files, budget)
	switch {
	case err != nil:
	case stopped != "":
		made.State, made.Why = buildStopped, stopped+": the same command goes on with a larger one"
	case len(made.Requests) > 0:
		made.State = buildWaiting
	}
	if err == nil && unknown > 0 {
		err = fmt.Errorf("%d answers are to what was not asked: they are in %s", unknown, filepath.Join(f.out, build.QuarantineFile))
	}
	return made, err
}

// endBuild writes the data set of a build that has ended, prints what there is to
// say, and returns the exit status for it.
func (a *app) endBuild(f authgateBuildFlags, b *build.Build, made built) (err error) {
	var set *item.Set
	if made.State == "" {
		if set, err = b.Write(); err != nil {
			return err
		}
		made.State, made.Data = buildEnded, filepath.Join(f.out, build.DataFolder)
	}
	if made.Counts, err = b.Report(set); err != nil {
		return err
	}
	if short := made.Counts.Short; made.State == buildEnded && len(short) > 0 {
		made.State, made.Why = buildShort, "nothing is left for "+strings.Join(short, ", ")
	}
	if f.asJSON {
		err = clikit.PrintJSON(a.out, made)
	} else {
		err = a.printBuild(made)
	}
	switch {
	case err != nil || made.State == buildEnded:
		return err
	case made.State == buildWaiting:
		return clikit.Exit(clikit.Waiting)
	}
	return clikit.Exit(clikit.Failed)
}

// buildProgress returns what tells a terminal how far a build is, and how long the
// calls that are left at least will take at the pace of this run.
func (a *app) buildProgress() func(build.Progress) {
	if !clikit.IsTerminal(a.err) {
		return nil
	}
	begin, last := time.Now(), time.Time{}
	return func(p build.Progress) {
		now := time.Now()
		if p.Left == 0 {
			fmt.Fprint(a.err, "\r\x1b[K")
			return
		}
		if now.Sub(last) < often || p.New == 0 {
			return
		}
		last = now
		left := time.Duration(float64(now.Sub(begin)) * float64(p.Left) / float64(p.New))
		fmt.Fprintf(a.err, "\r\x1b[K%d calls answered, %d or more left, about %s", p.Done, p.Left, left.Round(time.Second))
	}
}
