package shelltrace

import (
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/facts"
	"github.com/licet-dev/licet/internal/shell"
)

// claims is what is said of a command before it runs.
type claims struct {
	effects []constraint.ShellEffect
	places  constraint.Places
}

// claim analyzes a command as the gate does: package shell reads it, and package
// facts puts its effects to their places on disk.
func claim(ctx context.Context, command, workspace, home string) (claims, error) {
	places := constraint.Places{Workspace: workspace, Home: home, Tmp: "/tmp"}
	a, err := facts.Answer(ctx, facts.Input{
		Questions: []constraint.Question{{Key: "it", Shell: &constraint.ShellQuestion{Command: command}}},
		Cwd:       workspace, Places: places,
	})
	if err != nil {
		return claims{}, fmt.Errorf("analyzing %q: %w", command, err)
	}
	c := claims{effects: a.Shell["it"].Effects, places: places}
	if !a.Shell["it"].Known {
		c.effects = []constraint.ShellEffect{{Effect: shell.Effect{Kind: shell.Unknown, Why: "too many effects"}}}
	}
	return c, nil
}

// unknown returns why something is unknown, "" if nothing is: of the inner work of
// commands, for which somebody may vouch, or of all else.
func (c claims) unknown(opaque bool) string {
	for _, e := range c.effects {
		if e.Kind == shell.Unknown && e.Opaque == opaque {
			return e.Why
		}
	}
	return ""
}

// Cover says what covers an event.
type Cover string

// What may cover an event, the closest first.
const (
	ByEffect  Cover = "effect"  // one of the same kind and place
	ByNothing Cover = "nothing" // it is no effect: a device that holds nothing, a folder whose names are not read
	ByNoise   Cover = "noise"   // what `true` does, too, and look-ups of the fixed list
	ByOpaque  Cover = "opaque"  // the inner work of the command that did it
	ByOwn     Cover = "own"     // what belongs to running the program
	ByUnknown Cover = "unknown" // something nobody can vouch for
	Missed    Cover = "missed"
)

// compare finds what covers each event, and which effects cover any.
func (c claims) compare(done []Event, k *known) (covers []Cover, seen []bool) {
	seen = make([]bool, len(c.effects))
	r := runs{done, make([][]int, len(done)), make([]bool, len(done))}
	for i, e := range done {
		for at := range c.effects {
			if executes(&c.effects[at], e) {
				seen[at] = true
				r.by[i] = append(r.by[i], c.effects[at].By)
			}
		}
	}
	for i, e := range done {
		covers = append(covers, c.cover(i, e, r, k, seen))
		r.part[i] = covers[i] == ByOwn && e.Kind == shell.Execute
	}
	return covers, seen
}

func (c claims) cover(i int, e Event, r runs, k *known, seen []bool) Cover {
	if e.Kind == shell.Execute && len(r.by[i]) > 0 || e.Kind != shell.Execute && c.touched(e, seen) {
		return ByEffect
	}
	switch {
	case shell.Harmless(e.Path), e.Kind == shell.Read && !e.List && !e.Link && isFolder(e.Path):
		return ByNothing // a folder is opened to come back to it, or to ask what it is: another call reads its names
	case k.noise(e):
		return ByNoise
	case c.inside(e, r.by):
		return ByOpaque
	case e.Kind == shell.Read && ofItself(r.done, e), c.own(e, r, k):
		return ByOwn
	case c.unknown(false) != "":
		return ByUnknown
	}
	for at := range c.effects {
		if effect := &c.effects[at]; effect.Kind == e.Kind && !effect.Sure && e.Kind != shell.Execute {
			return ByUnknown
		}
	}
	return Missed
}

// searchPath is where commands find programs. Only folders of the system: what
// a machine adds of its own is not there.
const searchPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// ofItself says whether a program looks at the file that it was started from: an
// interpreter reads the script that way.
func ofItself(done []Event, e Event) bool {
	return slices.ContainsFunc(e.Runs, func(run int) bool { return done[run].Path == e.Path || behind(done[run].Path) == e.Path })
}

// executes says whether an Execute effect is about what was executed: the file that
// it names, or one of that name on the way on which programs are looked for. A word
// that is not known stands for any number of words.
func executes(effect *constraint.ShellEffect, e Event) bool {
	if effect.Kind != shell.Execute || len(effect.Words) == 0 || len(e.Words) == 0 {
		return false
	}
	first := effect.Words[0]
	if first.Known && !names(first.Text, e.Path) {
		return false
	}
	return fits(effect.Words[1:], e.Words[1:])
}

// names says whether the first word of a command may stand for a file.
func names(word, file string) bool {
	if strings.Contains(word, "/") {
		return path.Clean(word) == file || !path.IsAbs(word) && path.Base(word) == path.Base(file)
	}
	return path.Base(file) == word && slices.Contains(strings.Split(searchPath, ":"), path.Dir(file))
}

func fits(want []shell.Word, words []string) bool {
	if len(want) == 0 {
		return len(words) == 0
	}
	if want[0].Known {
		return len(words) > 0 && want[0].Text == words[0] && fits(want[1:], words[1:])
	}
	for n := range len(words) + 1 {
		if fits(want[1:], words[n:]) {
			return true
		}
	}
	return false
}

// touched says whether an effect that is sure of its place covers an event.
func (c claims) touched(e Event, seen []bool) (any bool) {
	var real, target string
	if e.Kind != shell.Network {
		real, target = resolved(e.Path), behind(e.Path)
	}
	for at := range c.effects {
		effect := &c.effects[at]
		if (effect.Kind == e.Kind || lists(effect, e)) && effect.Sure && (e.Kind == shell.Network && talks(effect, e.Host) || e.Kind != shell.Network && holds(effect, e, real, target)) {
			any, seen[at] = true, true
		}
	}
	return any
}

// lists says whether an effect of another kind covers finding out what is there:
// one that changes all below a folder does, and one that writes a file covers
// asking for it where there is none.
func lists(effect *constraint.ShellEffect, e Event) bool {
	return effect.Kind == shell.Write && e.Kind == shell.Read && ((e.List || e.Link) && effect.Tree || e.Lost)
}

func isFolder(file string) bool {
	info, err := os.Stat(file) // an error means that it is none
	return err == nil && info.IsDir()
}

// talks says whether an effect names the host of an event. A look-up of a name
// belongs to talking to any host.
func talks(effect *constraint.ShellEffect, host string) bool {
	local := host == "127.0.0.1" || host == "::1"
	return host == "dns" || slices.Contains(effect.Hosts, host) || local && slices.Contains(effect.Hosts, "localhost")
}

// holds says whether the files of an effect include that of an event. What a copy
// makes below a folder stands among its files, and so does what git does not ignore.
// Where a link leads is read with the names of its folder. real is the file with the
// links on the way to it followed, target that with all followed.
func holds(effect *constraint.ShellEffect, e Event, real, target string) bool {
	file := e.Path
	if e.Link && strings.HasPrefix(effect.Path, file+"/") { // a link on the way
		return true
	}
	if e.Link && slices.ContainsFunc(effect.Files, func(f constraint.File) bool { return f.Path == path.Dir(real) }) {
		return true
	}
	if effect.PathKnown && path.Clean(effect.Path) == file { // of a special file there is no more than that
		return true
	}
	for _, f := range effect.Files {
		if f.Path == file || f.Path == real || f.Path == target {
			return true
		}
	}
	if effect.Pattern {
		if ok, err := path.Match(effect.Path, file); ok && err == nil {
			return true
		}
	}
	if effect.Makes == shell.MakesCopies && !effect.Fresh || effect.Unignored {
		return false
	}
	for _, root := range effect.Roots {
		below := strings.TrimSuffix(root.Path, "/") + "/"
		if strings.HasPrefix(file+"/", below) || strings.HasPrefix(real+"/", below) {
			return true
		}
	}
	return false
}

// resolved follows the links on the way to a file as they were before.
func resolved(file string) string {
	f, err := facts.Resolve(path.Dir(file), "")
	if err != nil {
		return file
	}
	return path.Join(f.Path, path.Base(file))
}

// behind returns where a link leads as it was before; the file itself if it is
// none. Many calls, as chmod, are told the link and change the file behind it.
func behind(file string) string {
	f, err := facts.Resolve(file, "")
	if err != nil {
		return file
	}
	return f.Path
}

// inside says whether an event is the inner work of a command: of one that is a
// program, what it and its children do; of one of the shell's own, what no program
// does that another command names.
func (c claims) inside(e Event, by [][]int) bool {
	for at := range c.effects {
		effect := &c.effects[at]
		if effect.Kind == shell.Network && effect.Opaque && e.Kind == shell.Network {
			return true
		}
		if effect.Kind != shell.Unknown || !effect.Opaque {
			continue
		}
		if slices.ContainsFunc(e.Runs, func(run int) bool { return slices.Contains(by[run], effect.By) }) ||
			c.ofShell(effect.By) && !slices.ContainsFunc(e.Runs, func(run int) bool { return len(by[run]) > 0 }) {
			return true
		}
	}
	return false
}

// ofShell says whether a command is one that the shell itself carries out.
func (c claims) ofShell(by int) bool {
	for _, e := range c.effects {
		if e.By == by && e.Kind == shell.Execute {
			return len(e.Name) == 1 && slices.Contains([]string{".", "source", "eval", "trap", "exec"}, e.Name[0])
		}
	}
	return false
}
