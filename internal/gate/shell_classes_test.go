package gate_test

import (
	"bufio"
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/shell"
	"github.com/licet-dev/licet/internal/testkit"
)

// A class has at least this many commands, and this many of them harmless.
const (
	classSize     = 5
	classHarmless = 3
)

// TestShellClasses decides the commands that package shell sorts by the kinds of
// trick, under a contract that lets every program run and the workspace be read,
// and nothing else: what would do more is BLOCK, and its harmless twin is ALLOW.
func TestShellClasses(t *testing.T) {
	classes := shellClasses(t)
	s := newShellBench(t)
	s.contract = testkit.Contract(t, runAll(classes), shellCatalog)
	s.open(s.store)
	decided := map[authz.Verdict]int{}
	for class, list := range classes {
		harmless := 0
		for _, c := range list {
			want := authz.Block
			if c.onlyReads() {
				want = authz.Allow
				harmless++
			}
			got := s.check(s.run(s.root, c.command))
			if decided[got.Verdict]++; got.Verdict != want {
				t.Errorf("%s: %q: %v %+v, want %v", class, c.command, got.Verdict, got.Reasons, want)
			}
		}
		if len(list) < classSize || harmless < classHarmless {
			t.Errorf("class %s has %d commands and %d that are allowed: too few", class, len(list), harmless)
		}
	}
	if decided[authz.Allow] < 100 || decided[authz.Block] < 250 {
		t.Errorf("decided %v: the test is not looking", decided)
	}
}

// classCommand is a command with the effects that are written behind it, in /w.
type classCommand struct{ command, effects string }

// onlyReads reports whether the command does nothing but run programs and read in
// its folder.
func (c classCommand) onlyReads() bool {
	for effect := range strings.SplitSeq(c.effects, "; ") {
		file, reads := strings.CutPrefix(strings.TrimSuffix(strings.TrimSuffix(effect, " unignored"), " tree"), "read ")
		reads = reads && strings.HasPrefix(path.Clean(file)+"/", "/w/") && !strings.HasSuffix(file, " runs")
		if effect != "" && !strings.HasPrefix(effect, "run ") && !reads {
			return false
		}
	}
	return true
}

// shellClasses reads the commands of package shell, by class.
func shellClasses(t *testing.T) map[string][]classCommand {
	t.Helper()
	file, err := os.Open("../shell/testdata/classes.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	classes, class := map[string][]classCommand{}, ""
	for lines := bufio.NewScanner(file); lines.Scan(); {
		line := lines.Text()
		if name, is := strings.CutPrefix(line, "# "); is {
			class = name
		} else if line != "" {
			command, effects, _ := strings.Cut(line[2:], " => ")
			if text, err := strconv.Unquote(command); err == nil && command[0] == '"' {
				command = text
			}
			classes[class] = append(classes[class], classCommand{command, effects})
		}
	}
	return classes
}

var plainName = regexp.MustCompile(`^(:|[a-z0-9.][a-zA-Z0-9.+_-]*)$`)

// runAll is a contract in which every program of the commands may run, as far as
// an entry can name it.
func runAll(classes map[string][]classCommand) string {
	var run []string
	for _, list := range classes {
		for _, c := range list {
			for _, e := range shell.Analyze(c.command, shell.Env{Cwd: "/w", Home: "/h"}).Effects {
				if e.Kind == shell.Execute && len(e.Name) > 0 && plainName.MatchString(e.Name[0]) {
					run = append(run, strconv.Quote(e.Name[0]))
				}
			}
		}
	}
	slices.Sort(run)
	run = slices.Compact(run)
	return fmt.Sprintf(`
version: 1
name: classes
catalogs:
  shop: {pin: PIN, tools: shop.json}
agents:
  buyer:
    tools:
      shop.run:
        allow:
          - command: {shell: {run: [%s], read: ["${workspace}/**"]}}
`, strings.Join(run, ", "))
}
