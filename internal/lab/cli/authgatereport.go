package cli

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/lab/authgate/calibrate"
	"github.com/licet-dev/licet/internal/lab/authgate/eval"
	"github.com/licet-dev/licet/internal/lab/authgate/item"
	"github.com/licet-dev/licet/internal/lab/authgate/result"
	"github.com/licet-dev/licet/internal/lab/authgate/tables"
)

// authgateReportFlags are the flags of `authgate report`.
type authgateReportFlags struct {
	data, out           string
	across              []string
	prices, calibration string
	scoring, split      string
	seed                uint64
	missCost            int
	asJSON              bool
}

func (a *app) authgateReport() *cobra.Command {
	var f authgateReportFlags
	c := &cobra.Command{
		Use: "report --data FOLDER RESULTS ...", Short: "Count what judges decided on contrast pairs", Args: cobra.MinimumNArgs(1),
		Long: `Holds decisions against the labels of a data set and counts: accuracy, false
blocks (FPR), false allows (FNR), pairs with one decision for both members (IR),
pairs with both right, and what observations of the environment, repetition and
money changed.

RESULTS are files of one decision a line (licet.authgate.result/1). A data set
that is another one, a pair without its decisions and counts that do not add up
are errors.

With --across, decisions on other data sets count too, such as an earlier version:
then only pairs count of which all sets show a judge the same bytes, observations
too, and it is said how many rows these are. Labels are those of --data.

--out writes report.html, report.md with charts, report.json, and the tables for
LaTeX (tables.tex) and as CSV (csv/), a rate with its fraction. The
same results in any order give the same bytes.`,
		Example: "  licet-lab authgate report --data v0 --out report results.jsonl",
		RunE: clikit.RunE(func(_ *cobra.Command, args []string) error {
			return a.runAuthgateReport(f, args)
		}),
	}
	c.Flags().StringVar(&f.data, "data", "", "folder of the data set (required)")
	c.Flags().StringVar(&f.out, "out", "", "folder for the report")
	c.Flags().StringArrayVar(&f.across, "across", nil, "folder of another data set, decisions on which count too (can stand several times)")
	c.Flags().StringVar(&f.scoring, "scoring", string(eval.Raw), "which decision counts: raw, as the judge said, or checked")
	c.Flags().StringVar(&f.split, "split", "", "count only the pairs of dev or of test (default: all)")
	c.Flags().StringVar(&f.prices, "prices", "", "dated price table, for results that state no cost")
	c.Flags().StringVar(&f.calibration, "calibration", "", "maps of stated certainty, as \"calibrate\" writes them")
	c.Flags().IntVar(&f.missCost, "miss-cost", 20, "how many wrong blocks a wrong allow counts like, for the threshold of certainty")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "seed of the bootstrap")
	c.Flags().BoolVar(&f.asJSON, "json", false, "print all numbers as JSON")
	if err := c.MarkFlagRequired("data"); err != nil {
		panic(err)
	}
	return c
}

func (a *app) runAuthgateReport(f authgateReportFlags, files []string) error {
	if err := knownScoring(f.scoring); err != nil {
		return err
	}
	if f.split != "" && f.split != "dev" && f.split != "test" {
		return clikit.Usagef("--split %s: expected dev or test", f.split)
	}
	if f.missCost < 1 {
		return clikit.Usagef("--miss-cost %d: expected 1 or more", f.missCost)
	}
	results, err := readResults(f.data, f.across, files, eval.Options{Scoring: eval.Scoring(f.scoring), Split: f.split})
	if err != nil {
		return err
	}
	o, err := f.options()
	if err != nil {
		return err
	}
	doc, err := tables.Build(results, o)
	if err != nil {
		return err
	}
	if f.out != "" {
		if err := doc.Write(f.out); err != nil {
			return err
		}
	}
	if f.asJSON {
		return clikit.PrintJSON(a.out, doc.Numbers())
	}
	if doc.Banner != "" {
		fmt.Fprintln(a.out, clikit.Printable(doc.Banner))
	}
	for _, o := range results.Set.Others {
		fmt.Fprintln(a.out, clikit.Printable(tables.Alike(o)))
	}
	return tables.Overview(results).Print(a.out)
}

func knownScoring(word string) error {
	if word != string(eval.Raw) && word != string(eval.Checked) {
		return clikit.Usagef("--scoring %s: expected raw or checked", word)
	}
	return nil
}

// options reads the files that a report may use.
func (f authgateReportFlags) options() (tables.Options, error) {
	o := tables.Options{Seed: f.seed, MissCost: f.missCost}
	if f.prices != "" {
		text, err := os.ReadFile(f.prices)
		if err != nil {
			return o, err
		}
		if o.Prices, err = eval.ReadPrices(text); err != nil {
			return o, fmt.Errorf("%s: %w", f.prices, err)
		}
	}
	if f.calibration != "" {
		text, err := os.ReadFile(f.calibration)
		if err != nil {
			return o, err
		}
		maps, err := calibrate.Read(text)
		if err != nil {
			return o, fmt.Errorf("%s: %w", f.calibration, err)
		}
		o.Calibration = &maps
	}
	return o, nil
}

func (a *app) authgateCalibrate() *cobra.Command {
	var data, out, method, scoring string
	c := &cobra.Command{
		Use: "calibrate --data FOLDER --out FILE RESULTS ...", Short: "Learn what a judge's stated certainty is worth", Args: cobra.MinimumNArgs(1),
		Long: `Learns, on the dev split alone, a map from what a judge states of its certainty
to the probability that allow is right, one for each policy, judge and source of
the statement. "report --split test --calibration FILE" says how good it is on the
rest.`,
		Example: "  licet-lab authgate calibrate --data v0 --out calibration.json results.jsonl",
		RunE: clikit.RunE(func(_ *cobra.Command, args []string) error {
			if err := knownScoring(scoring); err != nil {
				return err
			}
			r, err := readResults(data, nil, args, eval.Options{Scoring: eval.Scoring(scoring), Split: "dev"})
			if err != nil {
				return err
			}
			maps, err := tables.Calibrate(r, calibrate.Method(method))
			if err != nil {
				return err
			}
			text, err := maps.Bytes()
			if err != nil {
				return err
			}
			return os.WriteFile(out, text, 0o666)
		}),
	}
	c.Flags().StringVar(&data, "data", "", "folder of the data set (required)")
	c.Flags().StringVar(&out, "out", "", "file to write (required)")
	c.Flags().StringVar(&method, "method", string(calibrate.Isotonic), "isotonic or platt")
	c.Flags().StringVar(&scoring, "scoring", string(eval.Raw), "which decision counts: raw, as the judge said, or checked")
	for _, name := range []string{"data", "out"} {
		if err := c.MarkFlagRequired(name); err != nil {
			panic(err)
		}
	}
	return c
}

// readResults reads a data set and the decisions on it, and on the other sets across
// which it is counted.
func readResults(folder string, across, files []string, o eval.Options) (*eval.Results, error) {
	set, err := readSet(folder)
	if err != nil {
		return nil, err
	}
	for _, name := range across {
		other, err := readSet(name)
		if err != nil {
			return nil, err
		}
		set = set.Across(other)
	}
	var all bytes.Buffer
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if _, err := result.Read(bytes.NewReader(text)); err != nil { // so that an error names the file
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all.Write(append(text, '\n'))
	}
	rows, err := result.Read(&all)
	if err != nil {
		return nil, fmt.Errorf("%s, one after the other: %w", strings.Join(files, ", "), err)
	}
	return eval.New(set, rows, o)
}

func readSet(folder string) (eval.Set, error) {
	d, err := item.Open(folder)
	if err != nil {
		return eval.Set{}, fmt.Errorf("%s: %w", folder, err)
	}
	set, err := eval.SetOf(d)
	if err != nil {
		return eval.Set{}, fmt.Errorf("%s: %w", folder, err)
	}
	return set, nil
}
