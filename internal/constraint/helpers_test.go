package constraint

import (
	"errors"
	"path"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/shell"
	"github.com/licet-dev/licet/internal/toolcall"
)

// local is the Env of most tests: one file system, every tool of server bank.
var local = Env{Resolve: true, Source: func(server, tool string) error {
	if server != "bank" {
		return errors.New("unknown server " + server)
	}
	return nil
}}

func value(t testing.TB, text string) toolcall.Value {
	t.Helper()
	v, err := toolcall.Parse([]byte(text), toolcall.Bounds{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func compile(t testing.TB, spec string, env Env) *Set {
	t.Helper()
	s, err := New(value(t, spec), env)
	if err != nil {
		t.Fatalf("%s: %v", spec, err)
	}
	return s
}

// argument selects x, or its elements where elements says so, from arguments
// where x is the JSON text; "" is absent.
func argument(t testing.TB, text string, elements bool) toolcall.Selection {
	t.Helper()
	name := "x"
	if elements {
		name = "x[]"
	}
	p, err := toolcall.ParsePath(name)
	if err != nil {
		t.Fatal(err)
	}
	if text == "" {
		return p.Select(toolcall.ObjectOf())
	}
	return p.Select(value(t, `{"x":`+text+`}`))
}

// world answers questions about files and statements without looking anywhere.
type world struct {
	links  map[string]string // path to target, both absolute
	leaves map[string]bool   // files that exist
	cwd    string
	fold   bool
	places Places
	stated map[string]bool // canonical texts of values
	blind  bool            // answers nothing about files

	special string // a directory where all is special

	programs map[string]Program // where PATH leads, by name
}

var home = world{
	links: map[string]string{
		"/ws/out": "/etc", "/ws/in": "/ws/src", "/ws/cfg": "/ws/.claude", "/data": "/mnt/data",
		"/ws/.env": "/ws/keys/env", "/ws/linked/.codex": "/ws/conf", "/ws/null": "/dev/null", "/ws/self": "/proc/self/environ",
	},
	leaves: map[string]bool{"/ws/a.txt": true, "/ws/src/main.go": true, "/ws/keys/env": true,
		"/srv/a.txt": true, "/srv/.txt": true, "/srv/a.b.txt": true, "/srv/b.txt": true, "/srv/é.txt": true},
	cwd:    "/ws/src",
	places: Places{Workspace: "/ws", Home: "/home/u", Tmp: "/tmp"},
}

func (w world) resolve(text, base string) (File, bool) {
	dir, known := w.cwd, w.cwd != ""
	if base != "" {
		dir, known = w.places.Expand(base)
	}
	if !strings.HasPrefix(text, "/") {
		text = dir + "/" + text
	} else {
		known = true
	}
	at := "/"
	for _, name := range strings.Split(text, "/") {
		at = path.Join(at, name)
		if target, ok := w.links[at]; ok {
			at = target
		}
	}
	if w.special != "" && strings.HasPrefix(at, w.special) {
		return File{Special: true}, true
	}
	return File{Path: at, Fold: w.fold, Leaf: w.leaves[at]}, known && !w.blind
}

func (w world) answer(qs []Question) Answers {
	a := Answers{Files: map[string]File{}, Stated: map[string]bool{}, Shell: map[string]Shell{}, Places: w.places}
	for _, q := range qs {
		switch {
		case q.Stated != nil:
			a.Stated[q.Key] = w.stated[q.Stated.Value.Canonical()]
		case q.Shell != nil && !w.blind:
			a.Shell[q.Key] = w.shell(q.Shell.Command)
		case q.File != nil:
			if f, ok := w.resolve(q.File.Text, q.File.Base); ok {
				a.Files[q.Key] = f
			}
		}
	}
	return a
}

// shell puts the effects of a command to their places in the world, as package
// facts does on disk.
func (w world) shell(command string) Shell {
	s := Shell{Known: true}
	for _, e := range shell.Analyze(command, shell.Env{Cwd: w.cwd, Home: w.places.Home}).Effects {
		placed := ShellEffect{Effect: e, Sure: e.PathKnown || e.Pattern || e.Host != "" || e.Remote == "origin"}
		placed.Program = w.programs[e.Search]
		if e.Remote == "origin" {
			placed.Hosts = []string{"git.example.org"}
		} else if e.Host != "" {
			placed.Hosts = []string{e.Host}
		}
		if e.Path != "" && e.Kind != shell.Network {
			f, _ := w.resolve(e.Path, "")
			top := f
			top.Leaf = true
			placed.Files = []File{top}
			if e.Tree {
				placed.Roots = []File{f}
				placed.Fresh = e.Kind == shell.Write && e.Makes == shell.MakesAny
				for leaf := range w.leaves {
					if strings.HasPrefix(leaf, f.Path+"/") {
						placed.Files = append(placed.Files, File{Path: leaf, Fold: w.fold, Leaf: true})
					}
				}
			}
		}
		s.Effects = append(s.Effects, placed)
	}
	return s
}

// sides judges a selection in a world.
func (w world) sides(s *Set, sel toolcall.Selection) (permits, forbids bool, why Miss) {
	a := w.answer(s.Questions(sel))
	permits, miss := s.Permits(sel, a)
	forbids, match := s.Forbids(sel, a)
	if permits {
		return permits, forbids, match
	}
	return permits, forbids, miss
}
