package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/lab/report"
	"github.com/licet-dev/licet/internal/lab/secbench/run"
	"github.com/licet-dev/licet/internal/lab/secbench/tables"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
	"github.com/licet-dev/licet/internal/lab/secbench/trivial"
)

func (a *app) secbenchReport() *cobra.Command {
	var out string
	var pairs []string
	c := &cobra.Command{
		Use: "report FOLDER ... --out FOLDER", Short: "Count what recorded runs came to, and compare models", Args: cobra.MinimumNArgs(1), ValidArgsFunction: folders,
		Long: `Grades every run of some folders again, as "grade" does, and counts: success,
grounding, refusal, suppressed and unsafe actions, by model, family and task, each
with its interval; pairs of a model and one that was derived from it; what an
export would hide; and how far one gets without skill. A run that "verify" does not
pass, or that lies in a folder and not in its index, is an error.

Pairs are those that the lineage of models names, and those of --pair. A pair whose
members differ in more than weights is said to.

--out gets report.html, report.md with charts, report.json, and the tables as CSV
and for LaTeX. The same runs in any order give the same bytes.

Exit status 1 means that what takes no skill passes what it must not, 4 that more
than 2 % of the runs of a configuration were errors of the bench.`,
		Example: "  licet-lab secbench report runs --out report --pair scripted/planted-freed=scripted/planted-stock",
		RunE: clikit.RunE(func(cmd *cobra.Command, args []string) error {
			all, err := pairsOf(pairs)
			if err := errors.Join(named(out), err, apart(args, out)); err != nil {
				return err
			}
			return a.runSecbenchReport(cmd.Context(), args, out, all)
		}),
	}
	c.Flags().StringVar(&out, "out", "", "folder for the report (required)")
	c.Flags().StringArrayVar(&pairs, "pair", nil, "DERIVED=STOCK: models to compare (can stand several times)")
	completions(c, map[string][]string{"out": nil})
	if err := c.MarkFlagRequired("out"); err != nil {
		panic(err)
	}
	return c
}

// apart refuses a folder of runs that is named twice, whose runs would count twice, and
// one into which a report would be written.
func apart(folders []string, out string) error {
	var seen []fs.FileInfo
	for _, dir := range folders {
		info, err := os.Stat(dir)
		if err != nil {
			continue // run.Listed says it
		}
		if slices.ContainsFunc(seen, func(other fs.FileInfo) bool { return os.SameFile(info, other) }) {
			return clikit.Usagef("%s is named twice", dir)
		}
		seen = append(seen, info)
	}
	if _, err := os.Lstat(filepath.Join(out, run.Index)); err == nil {
		return clikit.Usagef("--out %s is a folder of runs: name another one for the report", out)
	}
	return nil
}

func pairsOf(words []string) (all []tables.Pair, err error) {
	for _, w := range words {
		derived, stock, ok := strings.Cut(w, "=")
		if !ok || derived == "" || stock == "" || derived == stock {
			return nil, clikit.Usagef("--pair %q: expected DERIVED=STOCK, two models", w)
		}
		all = append(all, tables.Pair{Derived: derived, Stock: stock})
	}
	return all, nil
}

func (a *app) runSecbenchReport(ctx context.Context, folders []string, out string, pairs []tables.Pair) error {
	results, err := a.secbenchResults(ctx, folders)
	if err != nil {
		return err
	}
	tries, err := a.secbenchTrivial(ctx, results)
	if err != nil {
		return err
	}
	doc, err := tables.Build(results, tables.Options{Pairs: pairs, Trivial: tries})
	if missing := new(tables.NoPair); errors.As(err, &missing) {
		return clikit.Usagef("--pair: %v", err)
	}
	if err != nil {
		return err
	}
	doc.TableFiles = true
	if err := doc.Write(out); err != nil {
		return err
	}
	if err := a.printSecbench(doc); err != nil {
		return err
	}
	if len(tables.Broken(results)) > 0 {
		return clikit.Exit(benchBroken)
	}
	if bad := trivial.Blocking(tries); len(bad) > 0 {
		return fmt.Errorf("what takes no skill passes what it must not: %s", strings.Join(bad, "; "))
	}
	return nil
}

// secbenchResults grades the runs of some folders again.
func (a *app) secbenchResults(ctx context.Context, folders []string) ([]tables.Result, error) {
	type place struct {
		dir  string
		line run.Line
	}
	var all []place
	for _, dir := range folders {
		lines, err := run.Listed(dir)
		if err != nil {
			return nil, err
		}
		for _, l := range lines {
			all = append(all, place{filepath.Join(dir, l.Run), l})
		}
	}
	progress := a.cellProgress()
	var results []tables.Result
	for i, p := range all {
		r, err := secbenchResult(ctx, p.dir, p.line)
		if err != nil {
			return nil, fromPrivate(fmt.Errorf("%s: %w", p.line.Run, err))
		}
		results = append(results, r)
		progress(run.Progress{Done: i + 1, All: len(all)})
	}
	return results, nil
}

// secbenchResult checks a run, grades it again, and audits its texts.
func secbenchResult(ctx context.Context, dir string, line run.Line) (tables.Result, error) {
	if err := run.Verify(ctx, dir, line, nil); err != nil {
		return tables.Result{}, err
	}
	o, err := run.Replay(ctx, dir)
	if err != nil {
		return tables.Result{}, err
	}
	audit, err := run.AuditOf(dir)
	return tables.Result{Run: o.Run, Start: o.Start, Measures: o.Measures, Audit: audit}, err
}

// secbenchTrivial tries what takes no skill on the tasks and variants of some runs.
func (a *app) secbenchTrivial(ctx context.Context, results []tables.Result) ([]trivial.Try, error) {
	known := map[string]*task.Task{}
	var cells []trivial.Cell
	for _, r := range results {
		t := known[r.Start.Task]
		if t == nil {
			var err error
			if t, err = task.Get(r.Start.Task); err != nil {
				return nil, err
			}
			known[t.ID] = t
		}
		cells = append(cells, trivial.Cell{Task: t, Seed: r.Start.Seed})
	}
	slices.SortFunc(cells, func(x, y trivial.Cell) int { return cmp.Or(cmp.Compare(x.Task.ID, y.Task.ID), x.Seed-y.Seed) })
	return trivial.All(ctx, slices.Compact(cells), a.cellProgress())
}

// overview are the tables and columns that a terminal of 80 columns has room for.
var overview = map[string][]string{
	"pairs":   {"runs", "difference", "p", "holm", "controls", "security-specific", "clean-pair"},
	"vectors": {"ua-attempt", "s", "no-r", "protocol-kept", "on-the-front"},
}

// printSecbench prints what must not be missed, and the overview.
func (a *app) printSecbench(doc *report.Report) error {
	for _, text := range []string{doc.Banner, doc.Warning} {
		if text != "" {
			fmt.Fprintln(a.out, clikit.Printable(text))
		}
	}
	for _, s := range doc.Sections {
		for _, t := range s.Tables {
			if overview[t.ID] == nil {
				continue
			}
			for _, part := range byPair(narrowed(t, overview[t.ID])) {
				fmt.Fprintf(a.out, "\n%s\n", clikit.Printable(part.Caption))
				if err := part.Print(a.out); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// narrowed is a table with some of its columns, without the titles above them.
func narrowed(t report.Table, ids []string) report.Table {
	n := report.Table{ID: t.ID, Caption: t.Caption, Corner: t.Corner}
	var kept []int
	for i, c := range t.Columns {
		if slices.Contains(ids, c.ID) {
			c.Group = ""
			kept, n.Columns = append(kept, i), append(n.Columns, c)
		}
	}
	for _, row := range t.Rows {
		short := report.Row{Title: row.Title}
		for _, i := range kept {
			short.Cells = append(short.Cells, row.Cells[i])
		}
		n.Rows = append(n.Rows, short)
	}
	return n
}

// byPair makes a table of each pair of that of pairs, so that the names of its models
// stand once, and leaves other tables as they are. A row's title is its measure and the
// pair.
func byPair(t report.Table) (all []report.Table) {
	if t.ID != "pairs" {
		return []report.Table{t}
	}
	for _, row := range t.Rows {
		measure, pair, _ := strings.Cut(row.Title, ": ")
		caption := t.Caption + ": " + pair
		if len(all) == 0 || all[len(all)-1].Caption != caption {
			all = append(all, report.Table{Caption: caption, Corner: "measure", Columns: t.Columns})
		}
		last := &all[len(all)-1]
		row.Title = measure
		last.Rows = append(last.Rows, row)
	}
	return all
}
