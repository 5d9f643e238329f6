package shelltrace

import (
	"bufio"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/shell"
)

// ignored is what is no effect of a command.
type ignored struct {
	always []Event   // what `true` does, run the same way
	list   []ownRule // those for every program first
}

// newIgnored reads the list.
func newIgnored() (ignored, error) {
	text, err := data.ReadFile("testdata/ignored.txt")
	if err != nil {
		return ignored{}, fmt.Errorf("reading what is no effect: %w", err)
	}
	list, err := parseIgnored(string(text))
	return ignored{list: list}, err
}

// ownRule is a line of ignored.txt: files that running a program touches by
// itself, whatever it is asked to do.
type ownRule struct {
	programs []string // "*" is any
	kinds    string   // letters r(ead), w(rite), x (execute), n(etwork)
	pattern  string
}

// parseIgnored reads "programs | kinds | patterns"; "#" begins a comment.
func parseIgnored(text string) ([]ownRule, error) {
	var list []ownRule
	scanner := bufio.NewScanner(strings.NewReader(text))
	for scanner.Scan() {
		line := strings.TrimSpace(scanner.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		columns := strings.Split(line, "|")
		if len(columns) != 3 {
			return nil, fmt.Errorf("%q: want 3 columns", line)
		}
		programs, kinds := strings.Fields(columns[0]), strings.TrimSpace(columns[1])
		if len(programs) == 0 || kinds == "" || strings.Trim(kinds, "rwxn") != "" {
			return nil, fmt.Errorf("%q: no programs, or unknown kinds", line)
		}
		for pattern := range strings.FieldsSeq(columns[2]) {
			list = append(list, ownRule{programs, kinds, pattern})
		}
	}
	return list, scanner.Err()
}

// noise says whether every program does this.
func (k *ignored) noise(e Event) bool {
	for _, a := range k.always {
		if a.Kind == e.Kind && a.Path == e.Path && a.Host == e.Host && e.Kind != shell.Execute {
			return true
		}
	}
	return slices.ContainsFunc(k.list, func(r ownRule) bool {
		return r.programs[0] == "*" && r.letter(e) && fitsFile(r.pattern, e)
	})
}

// own says whether an event belongs to running a program: the one that did it, or
// one that started that.
func (k *ignored) own(done []Event, e Event, c claims) bool {
	var names []string
	for _, run := range e.Runs {
		names = append(names, path.Base(done[run].Path))
	}
	return slices.ContainsFunc(k.list, func(r ownRule) bool {
		return r.programs[0] != "*" && slices.ContainsFunc(names, func(name string) bool { return slices.Contains(r.programs, name) }) && r.fits(e, c)
	})
}

func (r ownRule) letter(e Event) bool {
	letter := map[shell.Kind]string{shell.Read: "r", shell.Write: "w", shell.Execute: "x", shell.Network: "n"}[e.Kind]
	return strings.Contains(r.kinds, letter)
}

func (r ownRule) fits(e Event, c claims) bool {
	if !r.letter(e) {
		return false
	}
	pattern := strings.NewReplacer("${workspace}", c.places.Workspace, "${home}", c.places.Home).Replace(r.pattern)
	rest, written := strings.CutPrefix(pattern, "${written}")
	if !written {
		return fitsFile(pattern, e)
	}
	for _, effect := range c.effects {
		for _, root := range effect.Roots {
			if effect.Kind == shell.Write && effect.Sure && fitsFile(root.Path+rest, e) {
				return true
			}
		}
	}
	return false
}

// fitsFile says whether a pattern is about the file or the socket of an event.
func fitsFile(pattern string, e Event) bool {
	file := e.Path
	if e.Kind == shell.Network {
		file = e.Host
	}
	if tree, name, ok := strings.Cut(pattern, "/**"); ok {
		fits, err := path.Match(cmp.Or(strings.TrimPrefix(name, "/"), "*"), path.Base(file))
		return (file == tree || strings.HasPrefix(file, tree+"/")) && fits && err == nil
	}
	fits, err := path.Match(pattern, file)
	return fits && err == nil
}

// count returns how many patterns there are: of every program, or of some.
func (k *ignored) count(every bool) (n int) {
	for _, r := range k.list {
		if (r.programs[0] == "*") == every {
			n++
		}
	}
	return n
}
