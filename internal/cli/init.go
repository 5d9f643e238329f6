package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/durable"
	"github.com/licet-dev/licet/internal/facts"
	"github.com/licet-dev/licet/internal/probe"
	"github.com/licet-dev/licet/internal/toolcall"
)

// initFlags are the flags of `licet init`.
type initFlags struct {
	fromMCP, yes, force, json   bool
	name, agent, out, workspace string
	timeout                     time.Duration
}

func (a *app) initCommand() *cobra.Command {
	var f initFlags
	c := &cobra.Command{
		Use:   "init --from-mcp [flags] -- CMD [ARG ...]",
		Short: "Write a starter contract for an MCP server",
		Long: `Starts CMD as an MCP server, asks for its tools, calls none of them, and writes
licet.yaml with an approved copy of the tools beside it. A tool starts as allow
only if the server claims that it only reads and its name says the same; every
other one asks a person. Arguments that name files are bound to the directories
that CMD names, or to --workspace. On a terminal each tool is shown with its
guess first; without one, or with --yes, the guesses are taken.

The contract goes to its own folder, because it must not lie where its agents
can write. At the end the lines are printed that put the gate into your client.`,
		Example: "  licet init --from-mcp -- npx -y @modelcontextprotocol/server-filesystem ~/notes",
		RunE:    run(func(cmd *cobra.Command, args []string) error { return a.runInit(cmd, f, args) }),
	}
	c.Flags().BoolVar(&f.fromMCP, "from-mcp", false, "read the tools from the MCP server that CMD starts (required)")
	c.Flags().StringVar(&f.name, "name", "", "name of the server in the contract (default: from what it calls itself)")
	c.Flags().StringVar(&f.agent, "agent", "agent", "name of the agent in the contract")
	c.Flags().StringVar(&f.out, "out", "", "folder to write to (default: licet/SERVER in your configuration folder)")
	c.Flags().StringVar(&f.workspace, "workspace", "", "directory that path arguments are bound to, in place of those that CMD names")
	c.Flags().BoolVar(&f.yes, "yes", false, "take the guesses without asking")
	c.Flags().BoolVar(&f.force, "force", false, "overwrite a contract that is there")
	c.Flags().BoolVar(&f.json, "json", false, "ask nothing and print a summary as JSON")
	timeoutFlag(c, &f.timeout)
	return c
}

// timeoutFlag adds the flag of commands that start a server.
func timeoutFlag(c *cobra.Command, timeout *time.Duration) {
	c.Flags().DurationVar(timeout, "timeout", probe.DefaultTimeout, "how long the server may take to start and list its tools")
}

var nameForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,100}$`)

// check refuses wrong usage.
func (f initFlags) check(cmd *cobra.Command, args []string) error {
	const example = "for example: licet init --from-mcp -- npx -y @modelcontextprotocol/server-filesystem DIR"
	switch {
	case !f.fromMCP:
		return usagef("init writes a contract from a live server: use --from-mcp, %s", example)
	case cmd.ArgsLenAtDash() != 0 || len(args) == 0:
		return usagef("the server's command must follow --, %s", example)
	case f.name != "" && !nameForm.MatchString(f.name):
		return usagef("--name: a server's name is 1 to 100 letters, digits, _ and -, not %q", f.name)
	case !nameForm.MatchString(f.agent):
		return usagef("--agent: an agent's name is 1 to 100 letters, digits, _ and -, not %q", f.agent)
	}
	return nil
}

func (a *app) runInit(cmd *cobra.Command, f initFlags, argv []string) error {
	if err := f.check(cmd, argv); err != nil {
		return err
	}
	dirs, err := boundDirs(f.workspace, argv)
	if err != nil {
		return err
	}
	server, err := a.probe(cmd.Context(), argv, f.timeout)
	if err != nil {
		return err
	}
	s := newStarter(server, f, dirs)
	path, err := a.contractPath(f, s.server)
	if err == nil {
		err = s.outOfReach(path)
	}
	if err != nil {
		return err
	}
	if !f.yes && !f.json && isTerminal(a.in) && isTerminal(a.out) {
		if err := a.askRules(s, bufio.NewReader(a.in)); err != nil {
			return err
		}
	}
	if err := s.write(path); err != nil {
		return err
	}
	l := a.mcpLaunch(path, s.agent, s.server, absoluteFiles(argv))
	if f.json {
		return printJSON(a.out, s.summary(path, l))
	}
	a.report(s, path, l, argv)
	return nil
}

// probe asks a server, started in this program's own environment.
func (a *app) probe(ctx context.Context, argv []string, timeout time.Duration) (*probe.Server, error) {
	var env []string
	for name, value := range a.env {
		env = append(env, name+"="+value)
	}
	slices.Sort(env)
	server, err := probe.Catalog(ctx, argv, probe.Options{Env: env, Timeout: timeout})
	if err != nil {
		return nil, fmt.Errorf("asking %q for its tools: %w", strings.Join(argv, " "), err)
	}
	return server, nil
}

// boundDirs returns the directories that path arguments are bound to.
func boundDirs(workspace string, argv []string) ([]string, error) {
	dirs := existingDirs(argv[1:])
	if workspace != "" {
		if dirs = existingDirs([]string{workspace}); len(dirs) != 1 {
			return nil, usagef("--workspace: there is no directory %q", workspace)
		}
	}
	slices.Sort(dirs)
	dirs = slices.Compact(dirs)
	for _, d := range dirs {
		if strings.ContainsAny(d, `*?[]{}$\`) {
			return nil, usagef("the directory %q has a character that means something else in a contract (*?[]{}$\\): name another one with --workspace", d)
		}
	}
	return dirs, nil
}

func newStarter(server *probe.Server, f initFlags, dirs []string) *starter {
	s := &starter{server: f.name, agent: f.agent, claimed: server.Name, dirs: dirs, catalog: server.Catalog}
	if s.server == "" {
		s.server = serverName(server.Name)
	}
	for _, t := range server.Catalog.Tools {
		s.guesses = append(s.guesses, guessRule(t, s.server, dirs))
	}
	return s
}

// serverName makes a name for a contract of what a server calls itself. Clients
// put it before each tool's name, so it should be short.
func serverName(claimed string) string {
	words := strings.FieldsFunc(strings.ToLower(claimed), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	words = slices.DeleteFunc(words, func(w string) bool { return w == "mcp" || w == "server" })
	name := strings.Join(words, "-")
	if name == "" {
		return "server"
	}
	return strings.TrimSuffix(name[:min(len(name), 40)], "-")
}

// contractPath returns where the contract goes: to a place where nothing is
// yet, unless it may be overwritten.
func (a *app) contractPath(f initFlags, server string) (string, error) {
	dir := absolute(f.out)
	if f.out == "" {
		config, err := a.configDir()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(config, server)
	}
	path := filepath.Join(dir, "licet.yaml")
	if _, err := os.Lstat(path); f.force || errors.Is(err, fs.ErrNotExist) {
		return path, nil
	} else if err != nil {
		return "", fmt.Errorf("looking at %s: %w", path, err)
	}
	return "", fmt.Errorf("there is a contract %s: overwrite it with --force, or name another folder with --out", path)
}

// configDir returns the user's own folder for licet's configuration.
func (a *app) configDir() (string, error) {
	if dir := a.env["XDG_CONFIG_HOME"]; filepath.IsAbs(dir) {
		return filepath.Join(dir, "licet"), nil
	}
	home, err := a.home()
	if err != nil {
		return "", fmt.Errorf("no configuration folder: %w; name one with --out", err)
	}
	switch runtime.GOOS {
	case "darwin":
		return filepath.Join(home, "Library", "Application Support", "licet"), nil
	case "windows":
		return filepath.Join(home, "AppData", "Roaming", "licet"), nil
	default:
		return filepath.Join(home, ".config", "licet"), nil
	}
}

// askRules shows each tool with its guess and takes another word where one is
// given. Where the person leaves, nothing is written and the status is 1.
func (a *app) askRules(s *starter, in *bufio.Reader) error {
	st := a.style()
	a.line("", fmt.Sprintf("%d tools of %q. For each: a allow, k approve (a person is asked for every call), b block; Enter takes the guess, q leaves.",
		len(s.guesses), s.claimed), 0)
	for i := range s.guesses {
		g := &s.guesses[i]
		fmt.Fprintf(a.out, "\n%d of %d  %s\n", i+1, len(s.guesses), st.bold(printable(cutText(g.tool.Name))))
		if d := firstSentence(g.tool.Description()); d != "" {
			a.line("  ", fmt.Sprintf("the server says: %q", d), 4)
		}
		a.line("  ", "the server claims: "+hints(g.tool), 4)
		f := s.form(*g)
		if f.word == "block" {
			a.line("  ", st.bold("block")+": "+printable(f.why), 4)
			continue // no other rule would load
		}
		a.line("  ", "guess: "+st.bold(f.word)+" ("+printable(f.why)+")", 4)
		if err := g.ask(in, a.out); err != nil {
			return err
		}
	}
	return nil
}

// ask takes one answer.
func (g *guess) ask(in *bufio.Reader, out io.Writer) error {
	for {
		fmt.Fprint(out, "  a/k/b/q> ")
		line, err := in.ReadString('\n')
		if err != nil {
			return fmt.Errorf("reading the answer: %w; nothing was written", err)
		}
		word := map[string]string{"a": "allow", "allow": "allow", "k": "approve", "approve": "approve", "b": "block", "block": "block"}
		switch answer := strings.ToLower(strings.TrimSpace(line)); {
		case answer == "":
			return nil
		case answer == "q":
			fmt.Fprintln(out, "nothing was written")
			return exit(exitFailure)
		case word[answer] != "":
			g.word, g.why = word[answer], "chosen when the contract was written"
			return nil
		}
		fmt.Fprintln(out, "  write a, k, b, q or Enter")
	}
}

// hints returns what a server claims of a tool, as MCP spells it.
func hints(t catalog.Tool) string {
	var claims []string
	annotations := t.Raw.Get("annotations")
	for i := range annotations.Len() {
		if name, v := annotations.Member(i); v.Kind() == toolcall.Bool {
			claims = append(claims, fmt.Sprintf("%s %v", printable(name), v.Bool()))
		}
	}
	if len(claims) == 0 {
		return "nothing"
	}
	return strings.Join(claims, ", ")
}

// write writes the copy and then the contract, which must load.
func (s *starter) write(path string) error {
	text, copied := []byte(s.text()), s.catalog.Marshal()
	if _, err := contract.Load(path, text, func(string) ([]byte, error) { return copied, nil }); err != nil {
		return fmt.Errorf("no contract can be written for these tools: %w", err)
	}
	copyPath := filepath.Join(filepath.Dir(path), filepath.FromSlash(s.copyName()))
	if err := durable.MkdirAll(filepath.Dir(copyPath)); err != nil {
		return err
	}
	if err := replaceFile(copyPath, copied); err != nil {
		return err
	}
	return replaceFile(path, text)
}

// outOfReach refuses a folder for the contract that lies where its agent works.
func (s *starter) outOfReach(path string) error {
	file, err := facts.Resolve(path, "")
	switch {
	case err != nil:
		return err
	case file.Special:
		return fmt.Errorf("it is not plain where %s leads: name another folder with --out", path)
	}
	for _, d := range s.dirs { // letter case aside: some file systems ignore it
		if strings.HasPrefix(strings.ToLower(file.Path), strings.ToLower(strings.TrimSuffix(d, "/")+"/")) {
			return fmt.Errorf("the contract would lie in %s, where the agent works: name another folder with --out", d)
		}
	}
	return nil
}

// initSummary is what `licet init --json` prints.
type initSummary struct {
	Contract    string     `json:"contract"`
	Server      string     `json:"server"`
	Agent       string     `json:"agent"`
	Pin         string     `json:"pin"`
	Directories []string   `json:"directories"`
	Tools       []initTool `json:"tools"`
	Command     []string   `json:"command"` // what a client starts
}

type initTool struct {
	Name string `json:"name"`
	Rule string `json:"rule"` // allow, approve or block
	Why  string `json:"why"`
}

func (s *starter) summary(path string, l launch) initSummary {
	sum := initSummary{Contract: path, Server: s.server, Agent: s.agent, Pin: s.catalog.Digest(),
		Directories: append([]string{}, s.dirs...), Tools: []initTool{}, Command: l.argv}
	for _, g := range s.guesses {
		f := s.form(g)
		sum.Tools = append(sum.Tools, initTool{g.tool.Name, f.word, f.why})
	}
	return sum
}

// report says what was written and how to go on.
func (a *app) report(s *starter, path string, l launch, argv []string) {
	st := a.style()
	count := map[string]int{}
	tools := s.summary(path, l).Tools
	for _, t := range tools {
		count[t.Rule]++
	}
	fmt.Fprintf(a.out, "%s %d tools of %q: %d allow, %d approve, %d block\n", st.bold(s.server), len(tools), s.claimed,
		count["allow"], count["approve"], count["block"])
	for _, t := range tools {
		a.line(fmt.Sprintf("  %-7s  %-26s  ", t.Rule, printable(cutText(t.Name))), st.faint(printable(t.Why)), 11)
	}
	fmt.Fprintf(a.out, "\nWrote %s\n  and %s\n", path, filepath.Join(filepath.Dir(path), filepath.FromSlash(s.copyName())))
	if len(s.dirs) > 0 {
		a.line("Arguments that name files are bound to ", strings.Join(s.dirs, ", "), 2)
	}
	fmt.Fprintf(a.out, "\nPut the gate where your client has the server's own command, and remove that.\n\n")
	l.printClients(a.out)
	for _, word := range plainFiles(argv) {
		fmt.Fprintln(a.out)
		a.line("", fmt.Sprintf("Clients start servers in folders of their own: if %s names what lies here, write %s.", shellQuoted(word), shellQuoted(absolute(word))), 0)
	}
	fmt.Fprintf(a.out, `
Held calls wait for a person. Choose a passphrase once, then keep an inbox open:

  licet approvals enroll NAME%[2]s
  licet approvals watch%[2]s

The contract is yours to edit. After each edit: licet contract check %[1]s
`, shellQuoted(path), a.stateFlag())
}
