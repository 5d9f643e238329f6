package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/shell"
)

func (a *app) explainCommand() *cobra.Command {
	var cwd string
	var under underContract
	var asJSON bool
	c := &cobra.Command{
		Use:   "explain-command 'CMD'",
		Short: "Say what a shell command would do, without running it",
		Long: `Prints the programs that a command line executes, the files it reads and writes,
the hosts it talks to, and what of this cannot be known, each with the words that
cause it. What belongs to running a program (its store, its settings, the programs
that it is made of) stands below; --json has each file of it. Nothing is run, and no
file is looked at: a link or a pattern may lead elsewhere. With --contract the disk is
looked at, too, also along PATH, and for each clause with a shell constraint it says
which entry covers each effect, or why none does.
docs/shell.md has examples and says what the analysis cannot see.`,
		Example: "  licet explain-command 'cd build && rm -rf *'\n  licet explain-command 'git push' --json",
		Args:    cobra.ExactArgs(1),
		RunE: run(func(cmd *cobra.Command, args []string) error {
			dir, err := realFolder(cwd)
			if err != nil {
				return err
			}
			var clauses []contract.CommandClause
			if under.path != "" {
				if under.workspace != "" {
					if under.workspace, err = realFolder(under.workspace); err != nil {
						return err
					}
				}
				if clauses, err = under.coverage(cmd.Context(), args[0], dir, a.env["PATH"]); err != nil {
					return err
				}
			} else if under != (underContract{}) {
				return usagef("--agent, --tool and --workspace are about a contract: name it with --contract")
			}
			analysis := shell.Analyze(args[0], shell.Env{Cwd: dir, Home: a.env["HOME"]})
			if asJSON {
				out := analysisJSON(analysis)
				out.Clauses = coverageJSON(clauses)
				return printJSON(a.out, out)
			}
			a.printAnalysis(analysis)
			a.printCoverage(clauses)
			return nil
		}),
	}
	c.Flags().StringVar(&cwd, "cwd", ".", "folder in which the command would run")
	c.Flags().StringVar(&under.path, "contract", "", "contract whose clauses are asked")
	c.Flags().StringVar(&under.agent, "agent", "", "the agent; may be left out where the contract has one")
	c.Flags().StringVar(&under.tool, "tool", "", "the tool, as SERVER.TOOL; may be left out where one has a shell constraint")
	c.Flags().StringVar(&under.workspace, "workspace", "", "folder that ${workspace} stands for")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// realFolder returns a folder's path without links. A folder that is not there
// has none.
func realFolder(dir string) (string, error) {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("folder %q: %w", dir, err)
	}
	return filepath.ToSlash(dir), nil
}

// printAnalysis prints each command with its effects below it, and the commands
// that it runs below these.
func (a *app) printAnalysis(analysis shell.Analysis) {
	unknown := 0
	for _, e := range analysis.Effects {
		if e.Kind == shell.Unknown {
			unknown++
		}
	}
	for i := range analysis.Commands {
		if analysis.Commands[i].Parent < 0 {
			a.printCommand(analysis, i, "")
		}
	}
	a.printOwn(analysis)
	fmt.Fprintf(a.out, "effects: %d, unknown: %d\n", len(analysis.Effects), unknown)
}

func (a *app) printCommand(analysis shell.Analysis, at int, indent string) {
	s := a.style()
	inner := indent + "  "
	fmt.Fprintln(a.out, indent+s.bold(printable(shortened(analysis.Commands[at].Span.Text))))
	for _, e := range analysis.Effects {
		if e.By == at {
			fmt.Fprintln(a.out, inner+effectLine(s, e))
		}
	}
	for i, c := range analysis.Commands {
		if c.Parent == at {
			a.printCommand(analysis, i, inner)
		}
	}
}

// shortened returns a text in one line of bounded length.
func shortened(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > 70 {
		return string(runes[:69]) + "…"
	}
	return text
}

// effectLine words one effect: what, on what, why, and the words that cause it.
func effectLine(s style, e shell.Effect) string {
	kind := fmt.Sprintf("%-7s", e.Kind)
	if e.Kind == shell.Unknown {
		kind = s.paint("1;31", kind)
	}
	parts := []string{kind, printable(effectObject(e))}
	if e.Why != "" && e.Kind != shell.Unknown {
		parts = append(parts, printable("("+e.Why+")"))
	}
	if e.Kind != shell.Execute {
		parts = append(parts, s.faint(printable("<- "+shortened(e.Cause.Text))))
	}
	return strings.Join(parts, "  ")
}

// effectObject says what an effect is about.
func effectObject(e shell.Effect) string {
	switch e.Kind {
	case shell.Execute:
		words := make([]string, len(e.Words))
		for i, w := range e.Words {
			words[i] = w.Text
		}
		return shortened(strings.Join(words, " "))
	case shell.Read, shell.Write:
		return effectFile(e)
	case shell.Network:
		switch {
		case e.Host != "":
			return e.Host
		case e.Remote == "*":
			return "the default remote of git"
		case e.Remote != "":
			return "the remote " + e.Remote + " of git"
		}
		return "any host"
	}
	return e.Why
}

func effectFile(e shell.Effect) string {
	text := e.Path
	switch {
	case e.Pattern:
		text = "what matches " + text
	case !e.PathKnown:
		text = "any file"
	}
	switch {
	case e.WorkTree:
		text += " and its work tree"
	case e.Tree:
		text += " and all below"
	}
	if e.Unignored {
		text += ", without what git ignores"
	}
	return text
}

// explained is what `explain-command --json` prints.
type explained struct {
	Effects  []effectJSON  `json:"effects"`
	Commands []commandJSON `json:"commands"`

	Clauses []clauseCoverageJSON `json:"clauses,omitempty"` // with a contract
}

type effectJSON struct {
	Kind      string       `json:"kind"`
	By        int          `json:"by"` // index in commands
	Words     []shell.Word `json:"words,omitempty"`
	Name      []string     `json:"name,omitempty"`
	Options   []string     `json:"options,omitempty"`
	Path      string       `json:"path,omitempty"`
	PathKnown bool         `json:"path_known,omitempty"`
	Pattern   bool         `json:"pattern,omitempty"`
	Tree      bool         `json:"tree,omitempty"`
	Runs      bool         `json:"runs,omitempty"`
	WorkTree  bool         `json:"work_tree,omitempty"`
	Unignored bool         `json:"unignored,omitempty"`
	Host      string       `json:"host,omitempty"`
	Remote    string       `json:"remote,omitempty"`
	Opaque    bool         `json:"opaque,omitempty"`
	Why       string       `json:"why,omitempty"`
	Own       []ownJSON    `json:"own,omitempty"` // what belongs to running the program
	Cause     spanJSON     `json:"cause"`
}

type commandJSON struct {
	Words  []shell.Word `json:"words,omitempty"`
	Parent int          `json:"parent"` // index in commands; -1 for none
	Span   spanJSON     `json:"span"`
}

type spanJSON struct {
	Start int    `json:"start"`
	End   int    `json:"end"`
	Text  string `json:"text"`
}

func analysisJSON(analysis shell.Analysis) explained {
	out := explained{Effects: []effectJSON{}, Commands: []commandJSON{}}
	for _, e := range analysis.Effects {
		out.Effects = append(out.Effects, effectJSON{
			Kind: e.Kind.String(), By: e.By, Words: e.Words, Name: e.Name, Options: e.Options,
			Path: e.Path, PathKnown: e.PathKnown, Pattern: e.Pattern, Tree: e.Tree, Runs: e.Runs, WorkTree: e.WorkTree, Unignored: e.Unignored,
			Host: e.Host, Remote: e.Remote, Opaque: e.Opaque, Why: e.Why, Own: ownOf(e), Cause: spanJSON(e.Cause),
		})
	}
	for _, c := range analysis.Commands {
		out.Commands = append(out.Commands, commandJSON{Words: c.Words, Parent: c.Parent, Span: spanJSON(c.Span)})
	}
	return out
}
