package facts

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/shell"
)

// program is where PATH leads from a name, with what is noted of its effect.
type program struct {
	constraint.Program
	before []string          // where PATH looks first, and finds nothing that may be run
	run    []constraint.File // what is run, if it lies where agents work
	bytes  string            // digest of what that says
}

// placeProgram finds the program of an effect along PATH, each name once.
//
// Not covered: an environment that has another PATH than the gate's, and what can
// write there by other ways than the line that is asked about.
func (p *placer) placeProgram(e *constraint.ShellEffect) error {
	key := programKey(e.Effect)
	found, known := p.programs[key]
	if !known {
		err := p.search(&found, e.Search, e.Folders)
		if err == nil && found.Doubt == "" && found.File != "" {
			err = p.content(&found)
		}
		if errors.Is(err, errBeyond) {
			found.Doubt, err = "where PATH leads is beyond the files that are looked at", nil
		}
		if err != nil {
			return fmt.Errorf("looking for %q along PATH: %w", e.Search, err)
		}
		p.programs[key] = found
	}
	e.Program, e.Files, e.Bytes = found.Program, found.run, found.bytes
	return nil
}

// programKey is the same for effects whose programs PATH leads to the same file.
func programKey(e shell.Effect) string {
	return e.Search + "\x00" + strings.Join(e.Folders, "\x00")
}

// search goes along PATH as shells do, to the first file that may be run. A
// relative entry counts from the current folder.
func (p *placer) search(found *program, name string, folders []string) error {
	for _, dir := range filepath.SplitList(p.path) {
		if !filepath.IsAbs(dir) {
			if len(folders) != 1 || strings.HasPrefix(dir, "~") {
				found.Doubt = fmt.Sprintf("PATH has the entry %q, and which folder that is is not known", dir)
				return nil
			}
			dir = folders[0] + "/" + dir
		}
		for _, name := range executables(name) {
			if ends, err := p.lookIn(found, dir, name); ends || err != nil {
				return err
			}
		}
	}
	return nil
}

// executables are the names of files that a program's name may stand for.
func executables(name string) []string {
	if runtime.GOOS == "windows" {
		return []string{name, name + ".exe"}
	}
	return []string{name}
}

// lookIn looks for a file in one folder of PATH, and reports whether the search
// ends there. What the gate may not look at, a command with its rights cannot run.
func (p *placer) lookIn(found *program, dir, name string) (ends bool, err error) {
	if p.left--; p.left < 0 {
		return false, errBeyond
	}
	at, known := p.folders[dir]
	if !known {
		at = newFolder(dir)
		p.folders[dir] = at
	}
	file, way, runs, err := at.file(name)
	switch {
	case isSpecial(err):
		if runs {
			found.Doubt = "the way to " + name + " along PATH cannot be followed"
		}
		return runs, nil
	case err != nil:
		return false, err
	case !runs:
		found.before = append(found.before, way...)
		return false, nil
	}
	found.File, found.Way = file, way
	return true, nil
}

// folder is a folder of PATH.
type folder struct {
	written string
	path    string   // links followed
	links   []string // on the way there
	empty   bool     // it is not there
	err     error    // why it cannot be followed
}

func newFolder(dir string) folder {
	f := folder{written: dir}
	if f.path, f.links, f.err = trace(dir); f.err == nil {
		_, err := os.Lstat(f.path)
		f.empty = errors.Is(err, fs.ErrNotExist)
	}
	return f
}

// file returns the path of a file in the folder, the links on the way with what they
// lead to, which comes last, and whether a shell would run it.
func (f folder) file(name string) (file string, way []string, runs bool, err error) {
	if f.err != nil {
		return "", nil, mayRun(os.Stat(f.written + separator + name)), f.err
	}
	file = filepath.Join(f.path, name)
	end, links := file, []string(nil)
	if !f.empty {
		info, missing := os.Lstat(file)
		if missing == nil && info.Mode()&fs.ModeSymlink != 0 {
			info, missing = os.Stat(file)
			end, links, err = trace(file)
		}
		runs = mayRun(info, missing)
	}
	way = slices.Concat(f.links, links, []string{end})
	for i := range way {
		way[i] = filepath.ToSlash(way[i])
	}
	return filepath.ToSlash(file), way, runs, err
}

// mayRun reports whether a shell would run the file of an answer of [os.Stat].
func mayRun(info fs.FileInfo, err error) bool {
	return err == nil && info.Mode().IsRegular() && (info.Mode()&0o111 != 0 || runtime.GOOS == "windows")
}

// content notes what a program says that lies where agents work: changed before the
// retry, it is another one.
func (p *placer) content(found *program) error {
	end := found.Way[len(found.Way)-1]
	if !slices.ContainsFunc([]string{p.places.Workspace, p.places.Tmp}, func(dir string) bool { return dir != "" && holds(dir, end) }) {
		return nil
	}
	e := constraint.ShellEffect{Sure: true, Files: []constraint.File{{Path: end, Leaf: true}}}
	err := p.fingerprint(&e)
	if found.run, found.bytes = e.Files, e.Bytes; !e.Sure {
		found.Doubt = "what " + end + " says is not known"
	}
	return err
}

// planted puts in doubt the programs that the line itself may put where PATH looks
// first. Files of names that are not known are left to those who vouch for them.
func (p *placer) planted(effects []constraint.ShellEffect) {
	first, made := p.first(), map[string]bool{}
	for _, e := range effects {
		for _, f := range e.Files {
			at := strings.ToLower(f.Path)
			itself, is := first[at]
			if e.Kind == shell.Write && is && (itself || e.Makes != shell.MakesNothing && !isDir(f.Path)) {
				made[at] = true
			}
		}
	}
	if len(made) == 0 {
		return
	}
	for i := range effects {
		if e := &effects[i]; e.Kind == shell.Execute {
			before := p.programs[programKey(e.Effect)].before
			if at := slices.IndexFunc(before, func(file string) bool { return isMade(made, file) }); at >= 0 {
				e.Program.Doubt = "the command itself may make " + before[at] + ", where PATH leads first"
			}
		}
	}
}

// first returns where PATH looks before it leads to the programs of the line: true
// for the file itself, false for a folder above it. They are in lower case, as the
// file system may fold names.
func (p *placer) first() map[string]bool {
	places := map[string]bool{}
	for _, found := range p.programs {
		for _, file := range found.before {
			file = strings.ToLower(file)
			_, seen := places[file]
			places[file] = true
			for at := path.Dir(file); !seen; at = path.Dir(at) {
				if _, seen = places[at]; !seen {
					places[at] = false
				}
			}
		}
	}
	return places
}

// isMade reports whether a file, or a folder above it, is among those made.
func isMade(made map[string]bool, file string) bool {
	at := strings.ToLower(file)
	for !made[at] && at != path.Dir(at) {
		at = path.Dir(at)
	}
	return made[at]
}
