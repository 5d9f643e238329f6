package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/durable"
	"github.com/licet-dev/licet/internal/lab/replay"
	"github.com/licet-dev/licet/internal/lab/trajectory"
)

// replayFlags are the flags of `licet-lab replay`.
type replayFlags struct {
	contracts     []string
	agent, server string
	format        string
	out           string
	by            string
	byTool        bool
	shares        bool
	asJSON        bool
	options       replay.Options
}

func (a *app) replay() *cobra.Command {
	var f replayFlags
	c := &cobra.Command{
		Use: "replay --contract FILE TRACES ...", Short: "Say what a contract makes of recorded tool calls", Args: cobra.MinimumNArgs(1),
		Long: `Decides every call of recorded traces, in order, each trace in a session of its
own: the user's turns and the results of calls that were let through are facts
of the session. Results that are JSON or YAML count as structured.

TRACES are files of one record a line (.jsonl) or of one document, perhaps
packed (.gz), in one of these formats, which are told apart by the records:
` + wrap(trajectory.Formats()) + `
A trace can be written by hand:

  {"id": "t1", "prompt": "...", "calls": [{"tool": "read_file", "args": {"path": "a"}, "result": "..."}]}

A trace counts as blocked if one of its calls is, else as held if one is. What
cannot be read is named with file and line, the rest is replayed, and the exit
status is 1.

A record that names its suite is decided for the server of that name; if no
contract has one, it is left out.

--out keeps each answer as it comes. A run that was killed goes on there when it
is started again, and comes to the same report.`,
		Example: `  licet-lab replay --contract licet.yaml traces.jsonl
  licet-lab replay --contract licet.yaml --out report runs.jsonl.gz`,
		RunE: clikit.RunE(func(cmd *cobra.Command, args []string) error {
			return a.runReplay(cmd.Context(), f, args)
		}),
	}
	f.reading(c, "contract file (required; can stand several times)")
	c.Flags().BoolVar(&f.options.End, "end", false, "a call that is held or blocked ends its trace (default: the rest is decided as it was recorded)")
	c.Flags().BoolVar(&f.options.NoTurns, "no-turns", false, "leave the user's turns out, as behind a door that has none")
	c.Flags().StringVar(&f.out, "out", "", "folder for the report, and for what a killed run needs to go on")
	c.Flags().StringVar(&f.by, "by", "", "count also by a label of the records, such as suite, reward or risk")
	c.Flags().BoolVar(&f.shares, "shares", false, "print which shares of traces and of calls are held and blocked, with their 95 % intervals, and what decided")
	c.Flags().BoolVar(&f.asJSON, "json", false, "print the counts of each file as JSON, one line a file")
	if err := c.MarkFlagRequired("contract"); err != nil {
		panic(err)
	}
	return c
}

// reading adds the flags that say how records are read and who decides their calls.
func (f *replayFlags) reading(c *cobra.Command, contract string) {
	c.Flags().StringArrayVar(&f.contracts, "contract", nil, contract)
	c.Flags().StringVar(&f.agent, "agent", "", "agent that made the calls (default: the only one of the contract)")
	c.Flags().StringVar(&f.server, "server", "", "server of the tools, whatever suite a record names (default: the suite, or the only one of the contract)")
	c.Flags().BoolVar(&f.byTool, "by-tool", false, "of a suite that no server is named after, each call is one of the server that has its tool, of several the last by name")
	c.Flags().StringVar(&f.format, "format", "", "format of the files (default: told by the records)")
}

// wrap writes words as indented lines.
func wrap(words []string) string {
	var b strings.Builder
	for line := range slices.Chunk(words, 7) {
		b.WriteString("  " + strings.Join(line, ", ") + "\n")
	}
	return b.String()
}

// counted is the count of one set of traces.
type counted struct {
	Name string `json:"name"`
	replay.Count
}

func (a *app) runReplay(ctx context.Context, f replayFlags, files []string) (err error) {
	r := replay.Run{Options: f.options, Format: f.format, By: f.by, Progress: a.replayProgress()}
	if r.Judges, err = f.judges(); err != nil {
		return err
	}
	if f.out != "" {
		if err := durable.MkdirAll(f.out); err != nil {
			return err
		}
		if r.Journal, err = r.OpenJournal(filepath.Join(f.out, "answers.jsonl"), files); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, r.Journal.Close()) }()
	}
	var all []replay.File
	for _, name := range files {
		file, err := r.File(ctx, name)
		if err != nil {
			return err
		}
		all = append(all, file)
	}
	return a.reportReplay(r, f, all)
}

// reportReplay says what came of the files, in every form that was asked for.
func (a *app) reportReplay(r replay.Run, f replayFlags, all []replay.File) error {
	if f.out != "" {
		if err := r.Report(all).Write(f.out); err != nil {
			return err
		}
	}
	var sets []set
	problems := 0
	for _, file := range all {
		sets = append(sets, setsOf(file, r.By)...)
		a.remarks(file)
		problems += len(file.Problems)
	}
	if err := a.printSets(sets, f.shares, f.asJSON); err != nil {
		return err
	}
	if problems > 0 {
		return fmt.Errorf("records that could not be read: %d", problems)
	}
	return nil
}

// set is a set of traces.
type set struct {
	name string
	all  []replay.Outcome
}

// setsOf returns all traces of a file, and those with each value of a label, if one
// is named.
func setsOf(f replay.File, label string) []set {
	sets := []set{{f.Name, f.Outcomes}}
	if label == "" {
		return sets
	}
	by := f.By(label)
	for _, value := range slices.Sorted(maps.Keys(by)) {
		sets = append(sets, set{fmt.Sprintf("%s, %s %s", f.Name, label, cmp.Or(value, "(none)")), by[value]})
	}
	return sets
}

// printSets prints how many traces were stopped, or which shares.
func (a *app) printSets(sets []set, asShares, asJSON bool) error {
	if asShares {
		return a.printShares(sets, asJSON)
	}
	var counts []counted
	for _, s := range sets {
		counts = append(counts, counted{s.name, replay.CountOf(s.all)})
	}
	return a.printCounts(counts, asJSON)
}

// remarks tells on the error stream what is not in the counts of a file.
func (a *app) remarks(f replay.File) {
	for _, p := range f.Problems {
		fmt.Fprintln(a.err, clikit.Printable(p.Error()))
	}
	if f.LeftOut > 0 {
		fmt.Fprintf(a.err, "%s: left out, as no contract is for their suite: %d\n", clikit.Printable(f.Name), f.LeftOut)
	}
	for _, kind := range slices.Sorted(maps.Keys(f.Unread)) {
		fmt.Fprintf(a.err, "%s: not read: %s (%d)\n", clikit.Printable(f.Name), clikit.Printable(kind), f.Unread[kind])
	}
}

// judges loads the contracts.
func (f replayFlags) judges() (all replay.Judges, err error) {
	switch {
	case len(f.contracts) > 1 && (f.agent != "" || f.server != "" || f.byTool):
		return all, clikit.Usagef("--agent, --server and --by-tool are for one contract")
	case f.server != "" && f.byTool:
		return all, clikit.Usagef("--server and --by-tool say two things of the same")
	}
	all.Any, all.ByTool = f.server != "", f.byTool
	for _, path := range f.contracts {
		source, err := readContract(path)
		if err != nil {
			return all, err
		}
		judge, err := newJudge(source, f.agent, f.server)
		if err != nil {
			return all, fmt.Errorf("%s: %w", path, err)
		}
		all.All = append(all.All, judge)
	}
	return all, nil
}

// readContract reads a contract and the files beside it that it names.
func readContract(path string) (cases.Source, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return cases.Source{}, err
	}
	return cases.ReadSource(path, text, func(name string) ([]byte, error) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(path), filepath.FromSlash(name))
		}
		return os.ReadFile(name)
	})
}

// newJudge fills in the agent where there is one.
func newJudge(source cases.Source, agent, server string) (replay.Judge, error) {
	c, err := source.Load()
	if err != nil {
		return replay.Judge{}, err
	}
	if agent, err = clikit.Only("agent", agent, c.Agents()); err != nil {
		return replay.Judge{}, err
	}
	if server != "" {
		if server, err = clikit.Only("server", server, c.Servers()); err != nil {
			return replay.Judge{}, err
		}
	}
	return replay.NewJudge(source, agent, server)
}

// often is how long a terminal waits for the next word on how far a replay is.
const often = 200 * time.Millisecond

// replayProgress returns what tells a terminal how far a replay is, and how long
// the rest of the file will take at that pace.
func (a *app) replayProgress() func(replay.Progress) {
	if !clikit.IsTerminal(a.err) {
		return nil
	}
	var last time.Time
	begin, file := time.Now(), ""
	return func(p replay.Progress) {
		now := time.Now()
		if p.File != file {
			begin, file = now, p.File
		}
		if p.Read >= p.All {
			fmt.Fprint(a.err, "\r\x1b[K")
			return
		}
		if now.Sub(last) < often || p.Read == 0 {
			return
		}
		last = now
		left := time.Duration(float64(now.Sub(begin)) * float64(p.All-p.Read) / float64(p.Read))
		fmt.Fprintf(a.err, "\r\x1b[K%s: %d traces, %d %%, about %s left", clikit.Printable(filepath.Base(p.File)), p.Traces, 100*p.Read/p.All, left.Round(time.Second))
	}
}

func (a *app) printCounts(counts []counted, asJSON bool) error {
	if asJSON {
		for _, c := range counts {
			if err := clikit.PrintJSON(a.out, c); err != nil {
				return err
			}
		}
		return nil
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "traces\tallowed\theld\tblocked\tempty\t\n")
	for _, c := range counts {
		fmt.Fprintf(w, "%d\t%d\t%d\t%d\t%d\t  %s\n", c.Traces, c.Allowed, c.Held, c.Blocked, c.Empty, clikit.Printable(c.Name))
	}
	return w.Flush()
}
