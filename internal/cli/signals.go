package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/facts"
	"github.com/licet-dev/licet/internal/judge"
	"github.com/licet-dev/licet/internal/signals"
	"github.com/licet-dev/licet/internal/toolcall"
)

func (a *app) signalsCommand() *cobra.Command {
	var command, cwd, workspace string
	var asJSON bool
	c := &cobra.Command{
		Use:   "signals --for 'CMD'",
		Short: "What the environment says about a command, without running it",
		Long: `Prints what licet would tell a judge about the place where a command would run:
how many untracked files it would remove, who holds a file open, where a push goes
and what it starts. Only the collectors run that an effect of the command triggers;
each says what it sees, what it could not see, and how long it took.

Signals are facts about the environment, not consent. Nothing is run and nothing
is asked over the network: git's files are read by licet itself. Of secrets only
kinds, counts and names of keys are told. What is not known is "unknown", never
shown as if all were well.
docs/signals.md lists the collectors, what each reads and its bounds.`,
		Example: "  licet signals --for 'git clean -fdx'\n  licet signals --for 'git push --force' --cwd ../project --json",
		Args:    cobra.NoArgs,
		RunE: run(func(cmd *cobra.Command, _ []string) error {
			if strings.TrimSpace(command) == "" {
				return usagef("--for is empty: write the command line behind it, as in --for 'git clean -fdx'")
			}
			in, err := a.signalsInput(cmd.Context(), command, cwd, workspace)
			if err != nil {
				return err
			}
			report := signals.Collect(cmd.Context(), in)
			if asJSON {
				return printJSON(a.out, reportJSON(report))
			}
			a.printReport(report)
			return nil
		}),
	}
	c.Flags().StringVar(&command, "for", "", "the command line (required)")
	c.Flags().StringVar(&cwd, "cwd", ".", "folder in which the command would run")
	c.Flags().StringVar(&workspace, "workspace", "", "folder of the project (default: the same folder)")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	if err := c.MarkFlagRequired("for"); err != nil {
		panic(err)
	}
	return c
}

// signalsInput finds out what a command would do here, as the gate does.
func (a *app) signalsInput(ctx context.Context, command, cwd, workspace string) (signals.Input, error) {
	dir, err := realFolder(cwd)
	if err != nil {
		return signals.Input{}, err
	}
	if workspace == "" {
		workspace = dir
	} else if workspace, err = realFolder(workspace); err != nil {
		return signals.Input{}, err
	}
	places, err := facts.ResolvePlaces(workspace)
	if err != nil {
		return signals.Input{}, fmt.Errorf("workspace %q: %w", workspace, err)
	}
	const argument = "command"
	q := constraint.Question{Key: argument, Shell: &constraint.ShellQuestion{Command: command}}
	answers, err := facts.Answer(ctx, facts.Input{Questions: []constraint.Question{q}, Cwd: dir, Places: places, Path: a.env["PATH"]})
	if err != nil {
		return signals.Input{}, err
	}
	action := judge.Action{
		Tool: "shell", Cwd: dir, Places: places, Commands: map[string]constraint.Shell{argument: answers.Shell[argument]},
		Arguments: toolcall.ObjectOf(toolcall.Member{Name: argument, Value: toolcall.StringOf(command)}),
	}
	return signals.Input{Action: action, Effects: judge.NewCase(action, nil).Effects, Now: time.Now()}, nil
}

// signalsJSON is what `licet signals --json` prints.
type signalsJSON struct {
	Signals      []json.RawMessage `json:"signals"` // docs/spec/evidence.md, "signals"
	Collectors   []collectorJSON   `json:"collectors"`
	NotTriggered []string          `json:"not_triggered"`
	Digest       string            `json:"digest"`
}

type collectorJSON struct {
	Collector string   `json:"collector"`
	Took      float64  `json:"took_ms"`
	Unseen    []string `json:"unseen"`
}

func reportJSON(r signals.Report) signalsJSON {
	out := signalsJSON{Signals: recordsOf(r.Signals), Collectors: []collectorJSON{}, NotTriggered: notTriggered(r), Digest: r.Digest}
	for _, c := range r.Collectors {
		took := float64(c.Took.Microseconds()) / 1000
		out.Collectors = append(out.Collectors, collectorJSON{c.Collector, took, append([]string{}, c.Unseen...)})
	}
	return out
}

// recordsOf returns signals as records keep them.
func recordsOf(all []constraint.Signal) []json.RawMessage {
	records := []json.RawMessage{}
	for _, s := range all {
		records = append(records, s.Record().AppendCanonical(nil))
	}
	return records
}

// notTriggered returns the collectors that did not run.
func notTriggered(r signals.Report) []string {
	all := []string{}
	for _, name := range constraint.SignalCollectors() {
		if !slices.ContainsFunc(r.Collectors, func(c signals.Run) bool { return c.Collector == name }) {
			all = append(all, name)
		}
	}
	return all
}

func (a *app) printReport(r signals.Report) {
	st := a.style()
	for _, c := range r.Collectors {
		fmt.Fprintf(a.out, "%s  %s\n", st.bold(c.Collector), st.faint(c.Took.Round(100*time.Microsecond).String()))
		for _, s := range r.Signals {
			if s.Collector == c.Collector {
				fmt.Fprintf(a.out, "  %-4s %-22s %s\n", s.ID, s.Key, printable(signalText(s)))
			}
		}
		for _, why := range c.Unseen {
			fmt.Fprintf(a.out, "  not seen: %s\n", printable(why))
		}
	}
	if rest := notTriggered(r); len(rest) > 0 {
		const lead = "not triggered: "
		fmt.Fprintln(a.out, lead+fold(strings.Join(rest, ", "), len(lead), a.width(), "  "))
	}
}

// signalText words the value of a signal for people.
func signalText(s constraint.Signal) string {
	names := s.Value.Get("names")
	text := s.Value.Canonical()
	switch {
	case !s.Complete && s.AtLeast > 0:
		return fmt.Sprintf("unknown, at least %d", s.AtLeast)
	case !s.Complete:
		return "unknown"
	case names.Kind() == toolcall.Array:
		text = s.Value.Get("count").Canonical()
		for i := range names.Len() {
			text += map[bool]string{true: ": ", false: ", "}[i == 0] + nameText(names.Elem(i).Text())
		}
	case s.Value.Kind() == toolcall.String:
		text = nameText(s.Value.Text())
	}
	if s.Age >= time.Hour {
		text += fmt.Sprintf("  (as of %s ago)", span(s.Age))
	}
	return text
}

// nameText returns a name, which is text of strangers, so that it cannot pass for
// two of them or for another signal beside it.
func nameText(name string) string {
	if name == "" || strings.ContainsAny(name, `,;"`) {
		return strconv.Quote(name)
	}
	return name
}
