package cli

import (
	"bufio"
	"crypto/rand"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v4"

	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/toolcall"
)

func (a *app) catalogCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "catalog",
		Short: "Compare a server's tools with the approved copy",
		Long: `A contract pins an approved copy of each server's tools. A tool that changes
afterwards is quarantined until it is approved again.

  licet catalog diff licet.yaml SERVER -- CMD ...      what the server changed
  licet catalog approve licet.yaml SERVER -- CMD ...   take it over
  licet catalog pin licet.yaml                         pin copies edited by hand`,
		Args: cobra.NoArgs,
	}
	c.AddCommand(a.catalogPin(), a.catalogDiff(), a.catalogApprove())
	return c
}

func (a *app) catalogPin() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "pin CONTRACT [SERVER]",
		Short: "Write the digests of the approved copies into a contract",
		Long: `Writes the digest of each approved copy, or of SERVER's only, into the contract.
Whoever pins a copy approves it: look at it first.`,
		Example: "  licet catalog pin licet.yaml",
		Args:    cobra.RangeArgs(1, 2),
		RunE:    run(func(_ *cobra.Command, args []string) error { return a.pin(args[0], args[1:], asJSON) }),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// pinned is one pin, as --json prints it.
type pinned struct {
	Server string `json:"server"`
	Old    string `json:"old_pin"` // "" for none
	New    string `json:"pin"`
}

// pin writes the pin of the named server or, where none is named, of all.
func (a *app) pin(path string, server []string, asJSON bool) error {
	f := &contractFile{path: path, stamps: map[string]stamp{}}
	text, err := f.read(path)
	if err != nil {
		return fmt.Errorf("reading the contract: %w", err)
	}
	entries, err := catalogEntries(text)
	if err != nil {
		return err
	}
	pins := []pinned{}
	for _, e := range entries {
		if len(server) > 0 && e.server != server[0] {
			continue
		}
		copied, err := f.copyOf(e)
		if err != nil {
			return err
		}
		if text, err = contract.SetPin(text, e.server, copied.Digest()); err != nil {
			return err
		}
		pins = append(pins, pinned{e.server, e.Pin, copied.Digest()})
	}
	switch {
	case len(entries) == 0:
		return fmt.Errorf("%s names no catalog to pin", path)
	case len(pins) == 0:
		return fmt.Errorf("%s has no catalog %q: it has %s", path, server[0], strings.Join(serversOf(entries), ", "))
	}
	if err := replaceFile(path, text); err != nil {
		return err
	}
	if err := a.printPins(pins, asJSON); err != nil {
		return err
	}
	if _, err := readContract(path, constraint.Places{}); err != nil {
		return fmt.Errorf("the pins are written, but the contract is still refused:\n%w", err)
	}
	return nil
}

func (a *app) printPins(pins []pinned, asJSON bool) error {
	if asJSON {
		return printJSON(a.out, pins)
	}
	for _, p := range pins {
		switch p.Old {
		case p.New:
			fmt.Fprintf(a.out, "%s: unchanged, %s\n", printable(p.Server), p.New)
		case "":
			fmt.Fprintf(a.out, "%s: pinned\n  new %s\n", printable(p.Server), p.New)
		default:
			fmt.Fprintf(a.out, "%s: pinned\n  old %s\n  new %s\n", printable(p.Server), printable(p.Old), p.New)
		}
	}
	return nil
}

// catalogEntry is what a contract says of one catalog.
type catalogEntry struct {
	server     string
	Pin, Tools string
}

// catalogEntries reads the catalogs of a contract that need not load, because a
// pin is missing or wrong. Whether its YAML is clean, [contract.SetPin] checks.
func catalogEntries(text []byte) ([]catalogEntry, error) {
	var doc struct{ Catalogs map[string]yaml.Node }
	if err := yaml.Load(text, &doc); err != nil {
		return nil, fmt.Errorf("reading the contract: %w", err)
	}
	var entries []catalogEntry
	for server, node := range doc.Catalogs {
		e := catalogEntry{server: server}
		if err := node.Load(&e); err != nil {
			return nil, fmt.Errorf("reading the contract: catalog %q: %w", server, err)
		}
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(a, b catalogEntry) int { return strings.Compare(a.server, b.server) })
	return entries, nil
}

func serversOf(entries []catalogEntry) []string {
	list := []string{}
	for _, e := range entries {
		list = append(list, e.server)
	}
	return list
}

// copyOf reads an approved copy.
func (f *contractFile) copyOf(e catalogEntry) (*catalog.Catalog, error) {
	if e.Tools == "" {
		return nil, fmt.Errorf("the catalog %q names no file beside `tools`", e.server)
	}
	raw, err := f.read(f.beside(e.Tools))
	if err != nil {
		return nil, fmt.Errorf("reading the approved copy of %s: %w", e.server, err)
	}
	c, err := catalog.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.beside(e.Tools), err)
	}
	return c, nil
}

func (a *app) catalogDiff() *cobra.Command {
	var asJSON bool
	var timeout time.Duration
	c := &cobra.Command{
		Use:   "diff CONTRACT SERVER [flags] -- CMD [ARG ...]",
		Short: "Show how a server's tools differ from the approved copy",
		Long: `Starts CMD, asks for its tools and prints, field by field, what differs from the
approved copy. Exit status 0: nothing differs; 3: something does.`,
		Example: "  licet catalog diff licet.yaml filesystem -- npx -y @modelcontextprotocol/server-filesystem ~/notes",
		RunE: run(func(cmd *cobra.Command, args []string) error {
			l, err := a.compare(cmd, args, timeout)
			if err != nil {
				return err
			}
			changes := catalog.Diff(l.approved, l.live)
			if err := a.printChanges(changes, asJSON); err != nil {
				return err
			}
			if len(changes) > 0 {
				return exit(exitBlock)
			}
			return nil
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	timeoutFlag(c, &timeout)
	return c
}

// comparison is an approved copy beside what the server offers now.
type comparison struct {
	file           *contractFile
	server         string
	approved, live *catalog.Catalog
}

// compare reads the arguments CONTRACT SERVER -- CMD ... and what they name.
func (a *app) compare(cmd *cobra.Command, args []string, timeout time.Duration) (comparison, error) {
	if cmd.ArgsLenAtDash() != 2 || len(args) < 3 {
		return comparison{}, usagef("expected a contract, the name of a server, and -- with the server's command:\n%s", cmd.Example)
	}
	f, err := readContract(args[0], constraint.Places{})
	if err != nil {
		return comparison{}, err
	}
	k, ok := f.contract.Catalog(args[1])
	if !ok {
		return comparison{}, fmt.Errorf("%s has no catalog %q: it has %s", args[0], args[1], strings.Join(f.contract.Servers(), ", "))
	}
	live, err := a.probe(cmd.Context(), args[2:], timeout)
	if err != nil {
		return comparison{}, err
	}
	return comparison{f, args[1], k.Approved, live.Catalog}, nil
}

func (a *app) catalogApprove() *cobra.Command {
	var yes bool
	var tools []string
	var timeout time.Duration
	c := &cobra.Command{
		Use:   "approve CONTRACT SERVER [flags] -- CMD [ARG ...]",
		Short: "Approve how a server's tools have changed",
		Long: `Shows what differs from the approved copy, asks, and writes the new copy and its
pin. Without a terminal to ask on, --yes is needed. With --tool only that tool is
taken over, and the server's instructions stay as they are.`,
		Example: "  licet catalog approve licet.yaml filesystem -- npx -y @modelcontextprotocol/server-filesystem ~/notes",
		RunE: run(func(cmd *cobra.Command, args []string) error {
			if !yes && !(isTerminal(a.in) && isTerminal(a.out)) {
				return usagef("there is no terminal to ask on: look at `licet catalog diff`, then approve with --yes")
			}
			l, err := a.compare(cmd, args, timeout)
			if err != nil {
				return err
			}
			return a.approve(l, tools, yes)
		}),
	}
	c.Flags().BoolVar(&yes, "yes", false, "approve without asking")
	c.Flags().StringArrayVar(&tools, "tool", nil, "approve this tool only (may be repeated)")
	timeoutFlag(c, &timeout)
	return c
}

// approve shows what would change and, if that is confirmed, writes it.
func (a *app) approve(l comparison, tools []string, yes bool) error {
	next := l.live
	if len(tools) > 0 {
		var err error
		if next, err = takeOver(l.approved, l.live, tools); err != nil {
			return err
		}
	}
	changes := catalog.Diff(l.approved, next)
	if err := a.printChanges(changes, false); err != nil || len(changes) == 0 {
		return err
	}
	if !yes {
		fmt.Fprint(a.out, "\nApprove this? [y/N] ")
		answer, err := bufio.NewReader(a.in).ReadString('\n')
		if err != nil {
			return fmt.Errorf("reading the answer: %w; nothing was written", err)
		}
		if !slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(answer))) {
			fmt.Fprintln(a.out, "nothing was written")
			return exit(exitBlock)
		}
	}
	if err := l.write(next); err != nil {
		return err
	}
	return a.printPins([]pinned{{l.server, l.approved.Digest(), next.Digest()}}, false)
}

// takeOver returns the approved copy with the named tools as the server has
// them now: changed, added or gone.
func takeOver(approved, live *catalog.Catalog, tools []string) (*catalog.Catalog, error) {
	var defs []toolcall.Value
	for _, t := range approved.Tools {
		if !slices.Contains(tools, t.Name) {
			defs = append(defs, t.Raw)
		}
	}
	slices.Sort(tools)
	for _, name := range slices.Compact(tools) {
		_, was := approved.Tool(name)
		t, is := live.Tool(name)
		if is {
			defs = append(defs, t.Raw)
		} else if !was {
			return nil, fmt.Errorf("neither the approved copy nor the server has a tool %q", name)
		}
	}
	return catalog.FromTools(approved.Instructions, defs)
}

// write writes the new copy, then the contract with its pin. Between the two
// the contract is refused, so a crash there blocks calls and permits none.
func (l comparison) write(next *catalog.Catalog) error {
	k, _ := l.file.contract.Catalog(l.server)
	text, err := contract.SetPin(l.file.text, l.server, next.Digest())
	if err != nil {
		return err
	}
	copied := next.Marshal()
	_, err = contract.Load(l.file.path, text, func(name string) ([]byte, error) {
		if name == k.File {
			return copied, nil
		}
		return l.file.read(l.file.beside(name))
	})
	if err != nil {
		return fmt.Errorf("nothing was written, because the contract would be refused with the new tools; "+
			"set the rules that it names to `block`, approve, then write new ones:\n%w", err)
	}
	if err := replaceFile(l.file.beside(k.File), copied); err != nil {
		return err
	}
	return replaceFile(l.file.path, text)
}

// replaceFile puts content in the place of a file, or of none, in one step:
// whoever reads it sees the old or the new. Through a link it replaces the file
// that the link leads to; permissions stay.
func replaceFile(path string, content []byte) error {
	mode := fs.FileMode(0o600)
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
		info, err := os.Stat(path)
		if err != nil {
			return fmt.Errorf("replacing a file: %w", err)
		}
		mode = info.Mode().Perm()
	}
	draft := path + "." + rand.Text()
	defer os.Remove(draft) // gone already where all went well
	err := writeSynced(draft, content)
	if err == nil {
		err = os.Chmod(draft, mode)
	}
	if err == nil {
		err = os.Rename(draft, path)
	}
	if err != nil {
		return fmt.Errorf("replacing %s: %w", path, err)
	}
	return nil
}
