package signals_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/facts"
	"github.com/licet-dev/licet/internal/judge"
	"github.com/licet-dev/licet/internal/signals"
	"github.com/licet-dev/licet/internal/toolcall"
)

// world is a place in which a command would run: a home with a project in it, and
// a system beside.
type world struct {
	*testing.T
	home, project, system string
}

func newWorld(t *testing.T) world {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := world{t, filepath.Join(top, "home"), filepath.Join(top, "home", "project"), filepath.Join(top, "system")}
	for _, dir := range []string{w.project, w.system} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// write makes files: in the project, with ~/ at home, with / in the system.
func (w world) write(files map[string]string) {
	w.Helper()
	for name, text := range files {
		name = w.path(name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			w.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			w.Fatal(err)
		}
	}
}

func (w world) path(name string) string {
	if rest, is := strings.CutPrefix(name, "~/"); is {
		return filepath.Join(w.home, rest)
	}
	if strings.HasPrefix(name, "/") {
		return filepath.Join(w.system, name)
	}
	return filepath.Join(w.project, name)
}

// git runs git in the project, with settings of its own only.
func (w world) git(args ...string) string {
	w.Helper()
	c := exec.Command("git", args...)
	c.Dir = w.project
	c.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + w.home, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org",
	}
	out, err := c.CombinedOutput()
	if err != nil {
		w.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// input is what a collection about a command gets.
func (w world) input(command string) signals.Input {
	w.Helper()
	places := constraint.Places{Workspace: w.project, Home: w.home, Tmp: os.TempDir()}
	q := constraint.Question{Key: "command", Shell: &constraint.ShellQuestion{Command: command}}
	answers, err := facts.Answer(context.Background(), facts.Input{Questions: []constraint.Question{q}, Cwd: w.project, Places: places})
	if err != nil {
		w.Fatal(err)
	}
	a := judge.Action{
		Server: "host", Tool: "shell", Cwd: w.project, Places: places,
		Arguments: toolcall.ObjectOf(toolcall.Member{Name: "command", Value: toolcall.StringOf(command)}),
		Commands:  map[string]constraint.Shell{"command": answers.Shell["command"]},
	}
	return signals.Input{Action: a, Effects: judge.NewCase(a, nil).Effects, Now: time.Now()}
}

func (w world) collect(command string) signals.Report {
	w.Helper()
	return signals.On(context.Background(), w.input(command), w.system)
}

// shown returns what a report says of a key, as people would write it.
func shown(r signals.Report, name string) string {
	for _, s := range r.Signals {
		if s.Name() != name {
			continue
		}
		switch names := s.Value.Get("names"); {
		case !s.Complete && s.AtLeast > 0:
			return fmt.Sprintf("unknown, at least %d", s.AtLeast)
		case !s.Complete:
			return "unknown"
		case s.Value.Kind() == toolcall.Object:
			var all []string
			for i := range names.Len() {
				all = append(all, names.Elem(i).Text())
			}
			return strings.TrimSpace(s.Value.Get("count").Canonical() + " " + strings.Join(all, ", "))
		case s.Value.Kind() == toolcall.String:
			return s.Value.Text()
		default:
			return s.Value.Canonical()
		}
	}
	return "not collected"
}

// allCollectors names every collector.
func allCollectors() []string { return constraint.SignalCollectors() }
