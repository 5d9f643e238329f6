package doctest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/licet-dev/licet/internal/cli"
	lab "github.com/licet-dev/licet/internal/lab/cli"
	"github.com/licet-dev/licet/internal/testkit"
)

// The documentation holds at least this many commands; a test that executes
// fewer is not looking.
const minCommands = 10

// commandTime is far more than any command of the documentation takes.
const commandTime = 2 * time.Minute

// TestMain makes this test binary the programs on PATH, so that the commands run
// the code that is tested and the test cache knows it.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"licet": func() {
			os.Exit(cli.Run(context.Background(), os.Args, os.Environ(), os.Stdin, os.Stdout, os.Stderr))
		},
		"licet-lab": func() {
			os.Exit(lab.Run(context.Background(), os.Args, os.Environ(), os.Stdin, os.Stdout, os.Stderr))
		},
	})
}

func TestDocumentation(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("needs bash on PATH") // CI is a bash script
	}
	root := testkit.Root(t)
	seen := &tally{skips: map[*skip]bool{}}
	for _, name := range pages(t, root) {
		t.Run(name, func(t *testing.T) { runPage(t, root, name, bash, seen) })
	}
	if seen.commands < minCommands && !seen.cut {
		t.Errorf("executed %d commands: the test is not looking", seen.commands)
	}
	for i := range skipped {
		if !seen.skips[&skipped[i]] && !seen.cut {
			t.Errorf("skipped names %q, which no page shows: remove it", skipped[i].text)
		}
	}
}

// tally is what the test looked at.
type tally struct {
	commands int
	skips    map[*skip]bool
	cut      bool // a page was left before its end for want of a peer
}

// pages returns the pages with commands, relative to root.
func pages(t *testing.T, root string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(root, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"docs", "contracts", "examples"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, _ fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, ".md") {
				found = append(found, path)
			}
			return err
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	var names []string
	for _, path := range found {
		name, err := filepath.Rel(root, path)
		if err != nil {
			t.Fatal(err)
		}
		if name != "CHANGELOG.md" { // made from commit subjects
			names = append(names, filepath.ToSlash(name))
		}
	}
	return names
}

func runPage(t *testing.T, root, name, bash string, seen *tally) {
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	all, err := blocks(string(text))
	if err != nil {
		t.Fatal(err)
	}
	var s *shell // started when the first command needs it
	for _, b := range all {
		if b.is("sh") || b.is("bash") || b.is("shell") {
			if skip := skipFor(skipped, strings.TrimSpace(b.lines[0])); skip != nil {
				seen.skips[skip] = true
			} else {
				t.Errorf("line %d: a sh block is executed by nothing: fence it as console, or list it in skipped", b.line)
			}
		}
		if !b.is("console") {
			continue
		}
		if s == nil {
			s = newShell(t, root, bash)
		}
		if slices.Contains(b.words, "peers") {
			was := seen.cut
			seen.cut = true
			testkit.Peer(t, "server-filesystem") // skips or fails without
			seen.cut = was
		}
		if slices.Contains(b.words, "postgres") && s.database == "" {
			was := seen.cut
			seen.cut = true
			s.database = testkit.StartPostgres(t).URL("postgres") // skips or fails without
			seen.cut = was
		}
		list, err := commands(b)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			if skip := skipFor(skipped, c.text); skip != nil {
				seen.skips[skip] = true
				continue
			}
			seen.commands++
			if err := s.execute(t.Context(), c); err != nil {
				t.Fatal(err) // what follows builds on it
			}
		}
	}
}

// shell executes the commands of one page.
type shell struct {
	bash, home, state string
	cache             string // of builds
	database          string // URL of the server of the page; "" = none
}

// newShell prepares a folder for a page: copies of what the pages refer to,
// and the npm peers where npx looks for them.
func newShell(t *testing.T, root, bash string) *shell {
	t.Helper()
	home := t.TempDir()
	for _, dir := range []string{"contracts", "corpora", "data", "examples", "docs"} {
		if _, err := os.Stat(filepath.Join(root, dir)); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := os.CopyFS(filepath.Join(home, dir), os.DirFS(filepath.Join(root, dir))); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(root, "test", "peers", "node_modules"), filepath.Join(home, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return &shell{bash: bash, home: home, state: filepath.Join(t.TempDir(), "state"), cache: testkit.BuildCache(t)}
}

// oneCommand takes up folder and exported variables where the command before
// left them, and leaves them for the next.
const oneCommand = `
[[ ! -f $0 ]] || . "$0"
eval "$1"
status=$?
{ export -p; printf 'cd %q\n' "$PWD"; } >"$0"
exit $status`

// execute runs one command and returns how it differs from what the page says.
func (s *shell) execute(ctx context.Context, c command) error {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	text := strings.ReplaceAll(c.text, "go run ./cmd/licet", "licet") // the same program, built
	cmd := exec.CommandContext(ctx, s.bash, "-c", oneCommand, s.state, text)
	cmd.Dir = s.home
	cmd.Env = s.environment()
	output, err := cmd.CombinedOutput()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		return fmt.Errorf("line %d: $ %s: %w", c.line, c.text, err)
	}
	if status := cmd.ProcessState.ExitCode(); status != c.exit || !matches(c.want, string(output)) {
		return fmt.Errorf("line %d: $ %s\nexit status %d, want %d; printed:\n%s\nwant:\n%s",
			c.line, c.text, status, c.exit, output, strings.Join(c.want, "\n"))
	}
	return nil
}

// environment returns ours without what would change how licet behaves.
func (s *shell) environment() []string {
	env := slices.DeleteFunc(os.Environ(), func(e string) bool {
		return strings.HasPrefix(e, "LICET_") || strings.HasPrefix(e, "XDG_") || strings.HasPrefix(e, "DATABASE_URL=")
	})
	if s.database != "" { // else it would be kept as an empty one for later commands
		env = append(env, "DATABASE_URL="+s.database)
	}
	return append(env,
		"HOME="+s.home,
		"GOCACHE="+s.cache,
		"XDG_STATE_HOME="+filepath.Join(s.home, ".local", "state"),
		"XDG_CONFIG_HOME="+filepath.Join(s.home, ".config"),
		"npm_config_offline=true",
		"NO_COLOR=1",
		"LC_ALL=C.UTF-8",
	)
}
