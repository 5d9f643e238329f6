package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/lab/authgate/item"
)

// authgateData are the commands about the data set itself.
func (a *app) authgateData() []*cobra.Command {
	return []*cobra.Command{a.authgateValidate(), a.authgatePack(), a.authgateShow(), a.authgateBlind(), a.authgateLabel(), a.authgateReview()}
}

func (a *app) authgateValidate() *cobra.Command {
	var asJSON bool
	var seeds string
	c := &cobra.Command{
		Use: "validate DIR", Short: "Check a data set of contrast pairs", Args: cobra.ExactArgs(1),
		Long: `Reads a data set strictly, runs all validators over it, and prints what the control
baselines reach: classifiers that see only what both members of a pair share, only
the words of the request, or only its length. The exit status is 1 if anything is
found.

--seeds is a file of examples that no pair may copy, one JSON object a line with
id, request, trajectory (texts) and action.`,
		Example: "  licet-lab authgate validate data/authgate/v0",
		RunE:    clikit.RunE(func(_ *cobra.Command, args []string) error { return a.validateItems(args[0], seeds, asJSON) }),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print findings and controls as JSON")
	c.Flags().StringVar(&seeds, "seeds", "", "file of examples that no pair may copy")
	return c
}

// validated is what validate prints.
type validated struct {
	Name     string                          `json:"name"`
	Version  string                          `json:"version"`
	Digest   string                          `json:"digest"`
	Review   item.ReviewSummary              `json:"review"`
	Counts   map[item.Mode]map[item.Role]int `json:"counts"`
	Findings item.Findings                   `json:"findings"`
	Controls []item.Control                  `json:"controls"`
}

func (a *app) validateItems(dir, seedFile string, asJSON bool) error {
	seeds, err := readSeeds(seedFile)
	if err != nil {
		return err
	}
	set, err := item.ReadDir(dir)
	found, refused := errors.AsType[item.Findings](err)
	if err != nil && !refused {
		return err
	}
	v := validated{Findings: found}
	if !refused {
		m := set.Manifest
		v = validated{m.Name, m.Version, m.DatasetDigest, m.Review, m.Counts, item.Validate(set, seeds), item.Controls(set)}
	}
	if asJSON {
		err = clikit.PrintJSON(a.out, v)
	} else {
		err = v.print(a.out)
	}
	if err == nil && len(v.Findings) > 0 {
		err = clikit.Exit(clikit.Failed)
	}
	return err
}

// readSeeds reads the examples that no pair may copy; "" is none.
func readSeeds(file string) (seeds []item.Seed, err error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	line := 0
	for raw := range bytes.Lines(text) {
		line++
		seed, err := item.ParseSeed(bytes.TrimSpace(raw))
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, line, err)
		}
		seeds = append(seeds, seed)
	}
	return seeds, nil
}

func (v validated) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "mode\tbase\tinverted\tnear-miss\t\n")
	for _, mode := range item.Modes {
		n := v.Counts[mode]
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t\n", mode, n[item.Base], n[item.Inverted], n[item.NearMiss])
	}
	fmt.Fprint(w, "\ncontrol\taccuracy %\tright\tof\tone decision\ttriples %\tinverted longer %\t\n")
	for _, c := range v.Controls {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d of %d\t%s\t%s\t\n", c.Name, c.Accuracy, c.Right, c.Of, c.Same, c.Pairs, cmp.Or(c.Triples, "-"), cmp.Or(c.Longer, "-"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "\n%s %s, %s: labels confirmed by people %d, by a model %d\n", clikit.Printable(v.Name), clikit.Printable(v.Version), clikit.Printable(v.Review.Status), v.Review.HumanConfirmed, v.Review.ModelLabels)
	for _, f := range v.Findings {
		fmt.Fprintln(out, clikit.Printable(f.String()))
	}
	return nil
}

func (a *app) authgatePack() *cobra.Command {
	return &cobra.Command{
		Use: "pack DIR", Short: "Make the rows of a data set from the pairs that people wrote", Args: cobra.ExactArgs(1),
		Long: `Reads set.yaml and pairs/*.yaml of a data set, in which each pair stands once with
its three requests, and writes instances.jsonl, signals.jsonl and manifest.json,
with digests, clusters, split, how far the review has come (reviews.jsonl and
reviews/*.jsonl) and control baselines. A pair that a reviewer dropped is left out
and noted in drops.jsonl. The same drafts and reviews give the same bytes.`,
		Example: "  licet-lab authgate pack data/authgate/v0",
		RunE: clikit.RunE(func(_ *cobra.Command, args []string) error {
			set, err := item.ReadDrafts(args[0])
			if err != nil {
				return err
			}
			return set.Write()
		}),
	}
}

func (a *app) authgateShow() *cobra.Command {
	return &cobra.Command{
		Use: "show DIR PAIR", Short: "Print a contrast pair side by side", Args: cobra.ExactArgs(2),
		Long: `Prints what the rows of a pair share, then the base and the inverted request side
by side with labels, reasons and quotes. Words that the other request does not have
there are in brackets. This is for confirming a pair after it was labelled blind.`,
		Example: "  licet-lab authgate show data/authgate/v0 ag0-ip-005",
		RunE: clikit.RunE(func(_ *cobra.Command, args []string) error {
			set, err := item.ReadDir(args[0])
			if err != nil {
				return err
			}
			return item.Show(a.out, set, args[1], clikit.Columns(a.out))
		}),
	}
}

func (a *app) authgateBlind() *cobra.Command {
	var seed string
	c := &cobra.Command{
		Use: "blind DIR", Short: "Print a data set as somebody sees it who labels it anew", Args: cobra.ExactArgs(1),
		Long: `Prints one JSON object a line for each instance: request, trajectory, action and
observations under a key that says nothing of role, mode, label or pair, in an
order that depends on the seed.`,
		Example: "  licet-lab authgate blind data/authgate/v0 --seed second",
		RunE: clikit.RunE(func(_ *cobra.Command, args []string) error {
			set, err := item.ReadDir(args[0])
			if err != nil {
				return err
			}
			for _, b := range item.Sheet(set, seed) {
				text, err := json.Marshal(b)
				if err != nil {
					return err
				}
				fmt.Fprintf(a.out, "%s\n", text)
			}
			return nil
		}),
	}
	c.Flags().StringVar(&seed, "seed", "", "text that decides keys and order")
	return c
}

func (a *app) authgateLabel() *cobra.Command {
	var seed, reviewer, kind string
	c := &cobra.Command{
		Use: "label DIR ANSWERS", Short: "Print answers to a blind sheet as reviews", Args: cobra.ExactArgs(2),
		Long: `ANSWERS has one JSON object a line: the key of the sheet, gold (allow, block or
unsure), mode, plausible, and for allow a quote of the user. Prints rows for
reviews.jsonl. An instance without an answer is an error. --kind is what the
reviewer is: a label of a model never confirms one.`,
		Example: "  licet-lab authgate label data/authgate/v0 answers.jsonl --seed second --reviewer m1 --kind model",
		RunE: clikit.RunE(func(_ *cobra.Command, args []string) error {
			if kind != item.Human && kind != item.Model {
				return clikit.Usagef("--kind is human or model, not %q", kind)
			}
			return a.labelItems(args[0], args[1], seed, reviewer, kind)
		}),
	}
	c.Flags().StringVar(&seed, "seed", "", "the seed of the sheet")
	c.Flags().StringVar(&reviewer, "reviewer", "", "who answered")
	c.Flags().StringVar(&kind, "kind", "", "human or model")
	return c
}

func (a *app) labelItems(dir, file, seed, reviewer, kind string) error {
	if reviewer == "" {
		return clikit.Usagef("--reviewer is missing: who answered?")
	}
	set, err := item.ReadDir(dir)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var answers []item.Answer
	line := 0
	for raw := range bytes.Lines(text) {
		line++
		var answer item.Answer
		if err := json.Unmarshal(raw, &answer, json.RejectUnknownMembers(true)); err != nil {
			return fmt.Errorf("%s:%d: %w", file, line, err)
		}
		answers = append(answers, answer)
	}
	reviews, err := item.Join(set, seed, reviewer, kind, answers)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	for _, r := range reviews {
		text, err := json.Marshal(r)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.out, "%s\n", text)
	}
	return nil
}
