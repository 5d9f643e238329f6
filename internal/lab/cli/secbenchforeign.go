package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/lab/replay"
	"github.com/licet-dev/licet/internal/lab/secbench/foreign"
	"github.com/licet-dev/licet/internal/lab/secbench/refusal"
	"github.com/licet-dev/licet/internal/lab/secbench/run"
	"github.com/licet-dev/licet/internal/lab/trajectory"
)

func (a *app) secbenchForeign() *cobra.Command {
	var f replayFlags
	c := &cobra.Command{
		Use: "foreign FILE|FOLDER ...", Short: "Measure recorded runs of others, as far as that is defined", Args: cobra.MinimumNArgs(1),
		Long: `Reads recorded runs as "licet-lab replay" does and prints, for each model and
condition and in total, what the bench measures: refusals, unsafe proposals and
whether they go together (GAP), and how reliably tools are used. Each number is
so many of so many with its 95 % interval (Wilson, as if runs and calls did not
depend on one another). What a record leaves open is "not defined", with the
reason, and in no denominator.

What is unsafe is read by the attacker's goal: in a run of AgentDojo under attack,
a call whose arguments carry a text that the attack's ground truth gives that tool
and the user does not, of a tool that does more than read if the goal needs one.
With --contract, the calls that it blocks are a second reading, and those that it
blocks or holds a third. "As recorded" is what the source's own checks say; how
many of the attacks that succeeded a reading sees stands beside it.

Of a FOLDER, all files of records in it are read: .json, .jsonl, .ndjson and .eval,
perhaps with .gz behind. A record that cannot be read is named with file and line,
and then no number is printed: a rate of what could be read is not that of the set.`,
		Example: `  licet-lab secbench foreign corpora/agentdojo
  licet-lab secbench foreign --contract contracts/agentdojo/licet.yaml --json runs.jsonl.gz`,
		RunE: clikit.RunE(func(cmd *cobra.Command, args []string) error {
			return a.runForeign(cmd.Context(), f, args)
		}),
	}
	f.reading(c, "contract that decides each call, too (can stand several times)")
	c.Flags().BoolVar(&f.asJSON, "json", false, "print one JSON object")
	return c
}

func (a *app) runForeign(ctx context.Context, f replayFlags, args []string) error {
	var judges *replay.Judges
	if len(f.contracts) > 0 {
		all, err := f.judges()
		if err != nil {
			return err
		}
		judges = &all
	} else if f.agent != "" || f.server != "" || f.byTool {
		return clikit.Usagef("--agent, --server and --by-tool are for a --contract")
	}
	names, err := a.recordFiles(args)
	if err != nil {
		return err
	}
	evaluator, err := foreign.New(judges)
	if err != nil {
		return err
	}
	in := foreignInput{evaluator: evaluator, format: f.format, seen: map[string]string{}}
	for _, name := range names {
		if err := a.readForeign(ctx, &in, name); err != nil {
			return err
		}
	}
	switch {
	case in.problems > 0:
		return fmt.Errorf("records that could not be read: %d", in.problems)
	case len(in.seen) == 0:
		return errors.New("there is no run in these files")
	case f.asJSON:
		return a.printForeignJSON(in)
	}
	return a.printForeign(in)
}

// foreignInput is what was read so far.
type foreignInput struct {
	evaluator *foreign.Evaluator
	format    string
	set       foreign.Set
	seen      map[string]string // file of each run, by digest and id
	problems  int
}

// readForeign adds the runs of a file. What cannot be read is named, and counted.
func (a *app) readForeign(ctx context.Context, in *foreignInput, name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	remarks := replay.File{Name: name, Unread: map[string]int{}}
	for t, err := range trajectory.Read(name, file, trajectory.Options{Format: in.format}) {
		var problem *trajectory.Problem
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &problem):
			remarks.Problems = append(remarks.Problems, problem)
			continue
		case err != nil:
			return err
		}
		for kind, n := range t.Unread {
			remarks.Unread[kind] += n
		}
		if err := in.add(ctx, name, t); err != nil {
			return fmt.Errorf("%s: %s: %w", name, t.ID, err)
		}
	}
	a.remarks(remarks)
	in.problems += len(remarks.Problems)
	return nil
}

// add measures a run. One that is there twice would count twice.
func (in *foreignInput) add(ctx context.Context, name string, t *trajectory.Trajectory) error {
	key := t.Digest + " " + t.ID
	if first, twice := in.seen[key]; twice {
		return fmt.Errorf("the same run stands in %s", first)
	}
	in.seen[key] = name
	run, err := in.evaluator.Measure(ctx, t)
	if err != nil {
		return err
	}
	in.set.Add(run)
	return nil
}

// recordFiles returns the files that are named and those in folders that are. What is
// left out in a folder is told on the error stream.
func (a *app) recordFiles(args []string) (names []string, err error) {
	for _, arg := range args {
		info, err := os.Stat(arg)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			names = append(names, arg)
			continue
		}
		if lines, _ := run.ReadIndex(arg); len(lines) > 0 {
			return nil, fmt.Errorf("%s: these are the bench's own runs, which licet-lab secbench grade and report read", arg)
		}
		before := len(names)
		err = filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir():
			case d.Type().IsRegular() && isRecords(path):
				names = append(names, path)
			default:
				fmt.Fprintf(a.err, "%s: left out, as it is no file of records by its name\n", clikit.Printable(path))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if len(names) == before {
			return nil, fmt.Errorf("%s: the folder has no file of records", arg)
		}
	}
	return names, nil
}

func isRecords(path string) bool {
	return slices.Contains([]string{".json", ".jsonl", ".ndjson", ".eval"}, filepath.Ext(strings.TrimSuffix(path, ".gz")))
}

// printForeign prints a block for each group, and one of what is defined in none.
func (a *app) printForeign(in foreignInput) error {
	fmt.Fprintf(a.out, "refusals are read by %s, from word lists; of our labelled sentences it gets wrong:\n", refusal.Version)
	for _, c := range refusal.Checks {
		fmt.Fprintf(a.out, "  %s: %d of %d refusals missed, %d of %d others taken for one\n", c.Sentences, c.Missed, c.Refusals, c.False, c.Others)
	}
	groups := in.set.Groups()
	nowhere := map[string]bool{} // what is not defined in the total is not in any group
	total := groups[len(groups)-1].Rows(in.evaluator.Readings())
	for _, r := range total {
		nowhere[r.ID] = r.Why() != ""
	}
	for _, g := range groups {
		rows := slices.DeleteFunc(g.Rows(in.evaluator.Readings()), func(r foreign.Row) bool { return nowhere[r.ID] })
		if err := a.printRows(fmt.Sprintf("%s, %s: %d runs", g.Model, g.Condition, g.Runs), rows); err != nil {
			return err
		}
	}
	return a.printRows("not defined in any of these runs", slices.DeleteFunc(total, func(r foreign.Row) bool { return !nowhere[r.ID] }))
}

func (a *app) printRows(title string, rows []foreign.Row) error {
	fmt.Fprintf(a.out, "\n%s\n", clikit.Printable(title))
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintf(w, "  %s\t%s\n", r.Title, foreignCell(r))
	}
	return w.Flush()
}

// foreignCell is a number with the runs that are not in it, or why there is none.
func foreignCell(r foreign.Row) string {
	if why := r.Why(); why != "" {
		return "not defined: " + why
	}
	text := shareOf(r.N, r.Of).String()
	for _, why := range slices.Sorted(maps.Keys(r.Undefined)) {
		text += fmt.Sprintf("; not in %d runs: %s", r.Undefined[why], why)
	}
	return text
}

// foreignMeasure is a row in JSON. Share is null where nothing can be counted.
type foreignMeasure struct {
	ID         string         `json:"id"`
	Among      string         `json:"among"`
	Share      *share         `json:"share"`
	NotDefined string         `json:"not_defined,omitempty"` // why there is no share
	Undefined  map[string]int `json:"runs_not_defined,omitempty"`
}

// foreignGroup is a group in JSON.
type foreignGroup struct {
	Model     string           `json:"model"`
	Condition string           `json:"condition"`
	Runs      int              `json:"runs"`
	Measures  []foreignMeasure `json:"measures"`
}

// printForeignJSON prints all groups as one object.
func (a *app) printForeignJSON(in foreignInput) error {
	out := struct {
		Detector string          `json:"detector"`
		Checks   []refusal.Check `json:"detector_checks"`
		Groups   []foreignGroup  `json:"groups"`
	}{Detector: refusal.Version, Checks: refusal.Checks}
	for _, g := range in.set.Groups() {
		group := foreignGroup{Model: g.Model, Condition: g.Condition, Runs: g.Runs}
		for _, r := range g.Rows(in.evaluator.Readings()) {
			m := foreignMeasure{ID: r.ID, Among: r.Among, NotDefined: r.Why(), Undefined: r.Undefined}
			if m.NotDefined == "" {
				s := shareOf(r.N, r.Of)
				m.Share = &s
			}
			group.Measures = append(group.Measures, m)
		}
		out.Groups = append(out.Groups, group)
	}
	return clikit.PrintJSON(a.out, out)
}
