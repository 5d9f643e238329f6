package facts

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/shell"
)

// Bounds of the work on one command line. What is beyond them is not known.
const (
	maxEffects = 10_000  // of the line
	maxSeen    = 100_000 // files looked at below trees, behind links and for patterns
)

// answerShell says what a command would do and puts each effect to its place on
// disk. Nothing is run. A command with too many effects has no answer.
func (in Input) answerShell(ctx context.Context, a constraint.Answers, key string, q constraint.ShellQuestion) error {
	p := placer{ctx: ctx, files: map[string]constraint.File{}, left: maxSeen, places: in.Places, path: in.Path, programs: map[string]program{}, folders: map[string]folder{}}
	env := shell.Env{Home: in.Places.Home}
	if in.Cwd != "" {
		f, err := p.resolve(in.Cwd)
		if err != nil {
			return err
		}
		env.Cwd = f.Path
	}
	analysis := shell.Analyze(q.Command, env)
	if len(analysis.Effects) > maxEffects {
		return nil
	}
	p.line = analysis.Effects
	s := constraint.Shell{Known: true}
	for _, e := range analysis.Effects {
		placed, happens, err := p.place(e)
		if err != nil {
			return err
		}
		if happens {
			s.Effects = append(s.Effects, placed)
		}
	}
	if err := p.copies(s.Effects); err != nil {
		return err
	}
	p.planted(s.Effects)
	a.Shell[key] = s
	return nil
}

// placer puts the effects of one command line to their places.
type placer struct {
	ctx      context.Context
	files    map[string]constraint.File // answers of Resolve
	left     int                        // how many more files may be looked at
	places   constraint.Places
	path     string             // PATH; "" is unknown
	line     []shell.Effect     // all effects of the line
	programs map[string]program // found along PATH, by programKey
	folders  map[string]folder  // of PATH, as looked at
}

// errBeyond says that there is more than may be looked at.
var errBeyond = errors.New("more files than are looked at")

// resolve is Resolve for an absolute path, remembered.
func (p *placer) resolve(text string) (constraint.File, error) {
	if f, known := p.files[text]; known {
		return f, nil
	}
	if err := p.ctx.Err(); err != nil {
		return constraint.File{}, err
	}
	f, err := Resolve(text, "")
	if err == nil {
		p.files[text] = f
	}
	return f, err
}

// place finds what an effect is about. It reports false for one that does not
// happen as things are on disk.
func (p *placer) place(e shell.Effect) (placed constraint.ShellEffect, happens bool, err error) {
	placed = constraint.ShellEffect{Effect: e}
	switch {
	case e.Kind == shell.Execute && e.Search != "" && p.path != "":
		err = p.placeProgram(&placed)
	case e.Kind == shell.Network && e.Host != "":
		placed.Hosts, placed.Sure = []string{e.Host}, true
	case e.Kind == shell.Network && e.Remote != "" && e.Path != "":
		var dir constraint.File
		if dir, err = p.resolve(e.Path); err == nil && !dir.Special {
			placed.Hosts, placed.Sure, err = remoteHosts(dir.Path, e.Remote, p.places.Home)
		}
	case e.Kind == shell.Read || e.Kind == shell.Write:
		if e.Into && e.PathKnown && isDir(e.Path) {
			return placed, false, nil
		}
		placed.Fresh = e.Kind == shell.Write && e.Makes == shell.MakesAny && (e.Tree || e.Pattern)
		placed.Sure = e.PathKnown || e.Pattern
		if placed.Sure {
			err = p.placeFiles(&placed)
		}
	}
	if errors.Is(err, errBeyond) {
		placed.Sure, err = false, nil
	}
	return placed, true, err
}

func isDir(path string) bool {
	info, err := os.Stat(path) // an error means that it is none
	return err == nil && info.IsDir()
}

// placeFiles finds the files of an effect: one, those that match, those below.
func (p *placer) placeFiles(e *constraint.ShellEffect) error {
	texts := []string{e.Path}
	if e.Pattern {
		var err error
		if texts, err = p.expand(e.Path); err != nil {
			return err
		}
	}
	for _, text := range texts {
		f, err := p.resolve(text)
		if err != nil {
			return err
		}
		if e.WorkTree {
			if f, err = p.workTree(f); err != nil {
				return err
			}
		}
		top := f
		top.Leaf = true
		if !e.WorkTree {
			e.Files = append(e.Files, top)
		}
		link, is, err := p.link(text, e.Pattern)
		if err != nil {
			return err
		}
		if is && link.Path != f.Path && !e.WorkTree {
			e.Files = append(e.Files, link)
		}
		if e.Tree && !f.Special {
			e.Roots = append(e.Roots, f)
			if e.Makes == shell.MakesCopies {
				continue // copies adds what is written there, and nothing else is
			}
			if e.Files, err = p.below(e.Files, f, p.leftOut(e, f), map[string]bool{}); err != nil {
				return err
			}
		}
	}
	if e.Runs {
		return p.fingerprint(e)
	}
	return nil
}

// link returns the file that a text names without what it leads to, if it is a
// link: removed, renamed or asked where it leads, the link itself counts as well.
func (p *placer) link(text string, pattern bool) (link constraint.File, is bool, err error) {
	written := path.Clean(text)
	if pattern {
		return constraint.File{Path: written, Leaf: true}, true, nil
	}
	info, err := os.Lstat(filepath.FromSlash(written))
	if err != nil || info.Mode()&fs.ModeSymlink == 0 { // an error means that it is none
		return constraint.File{}, false, nil
	}
	folder, err := p.resolve(path.Dir(written))
	return constraint.File{Path: path.Join(folder.Path, path.Base(written)), Fold: folder.Fold, Leaf: true}, true, err
}

// workTree returns the top of the work tree of git in which a folder lies; the
// folder itself where there is none.
func (p *placer) workTree(f constraint.File) (constraint.File, error) {
	if dir := repository(f.Path); dir != "" {
		return p.resolve(dir)
	}
	return f, nil
}

// leftOut returns what an effect leaves out below a folder.
func (p *placer) leftOut(e *constraint.ShellEffect, top constraint.File) func(file string, folder bool) bool {
	var git *ignored
	if e.Unignored {
		git = ignoredBelow(top.Path, p.line)
	}
	store := path.Join(top.Path, ".git")
	return func(file string, folder bool) bool {
		return e.WorkTree && file == store || git != nil && git.has(file, folder)
	}
}

// below appends all that lies below a folder but what skip says, with all below that.
// Links are listed, and what they lead to with all below that: some programs
// follow them.
func (p *placer) below(all []constraint.File, dir constraint.File, skip func(file string, folder bool) bool, seen map[string]bool) ([]constraint.File, error) {
	if dir.Leaf || seen[dir.Path] {
		return all, nil
	}
	seen[dir.Path] = true
	entries, err := os.ReadDir(filepath.FromSlash(dir.Path))
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if errors.Is(err, fs.ErrPermission) {
		return all, errBeyond
	}
	if err != nil {
		return all, fmt.Errorf("listing %s: %w", dir.Path, err)
	}
	for _, entry := range entries {
		if p.left--; p.left < 0 {
			return all, errBeyond
		}
		if err := p.ctx.Err(); err != nil {
			return all, err
		}
		if skip(path.Join(dir.Path, entry.Name()), entry.IsDir()) {
			continue
		}
		f := constraint.File{Path: path.Join(dir.Path, entry.Name()), Fold: dir.Fold, Leaf: true, Special: entry.Type()&specialModes != 0}
		all = append(all, f)
		switch {
		case entry.IsDir():
			f.Leaf = false
			all, err = p.below(all, f, skip, seen)
		case entry.Type()&fs.ModeSymlink != 0:
			all, err = p.behind(all, f.Path, seen)
		}
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

// behind appends what a link leads to.
func (p *placer) behind(all []constraint.File, link string, seen map[string]bool) ([]constraint.File, error) {
	target, err := p.resolve(link)
	if err != nil {
		return all, err
	}
	leaf := target
	leaf.Leaf = true
	if all = append(all, leaf); target.Special {
		return all, nil
	}
	return p.below(all, target, func(string, bool) bool { return false }, seen)
}

// copies adds to what copies and moves write the names of what they read or move,
// and those below. Names that the line makes before count, too; where it may
// make any, the copies may have any.
func (p *placer) copies(effects []constraint.ShellEffect) error {
	copying := map[int]bool{} // commands, by index
	for _, e := range effects {
		copying[e.By] = copying[e.By] || e.Kind == shell.Write && e.Makes == shell.MakesCopies
	}
	names, known := []string{}, true
	for _, e := range effects {
		known = known && !e.Fresh
		if copying[e.By] && (e.Kind == shell.Read || e.Kind == shell.Write && e.Makes != shell.MakesCopies) {
			known = known && e.Sure
			names = append(names, namesBelow(e, effects)...)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for i := range effects {
		e := &effects[i]
		if e.Kind != shell.Write || e.Makes != shell.MakesCopies || !e.Tree {
			continue
		}
		e.Fresh = !known
		if err := p.copied(e, names); err != nil && !errors.Is(err, errBeyond) {
			return err
		} else if err != nil {
			e.Sure = false
		}
	}
	return nil
}

// copied adds files of these names below the roots of an effect: as they are
// written, and where links that are there lead.
func (p *placer) copied(e *constraint.ShellEffect, names []string) error {
	for _, root := range e.Roots {
		for _, name := range names {
			if p.left--; p.left < 0 {
				return errBeyond
			}
			f := constraint.File{Path: path.Join(root.Path, name), Fold: root.Fold, Leaf: true}
			target, err := p.resolve(f.Path)
			if err != nil {
				return err
			}
			if target.Leaf = true; target != f {
				e.Files = append(e.Files, target)
			}
			e.Files = append(e.Files, f)
		}
	}
	return nil
}

// namesBelow returns the names that a copy of the files of an effect has, with
// and without the name of the top.
func namesBelow(e constraint.ShellEffect, effects []constraint.ShellEffect) (names []string) {
	add := func(file string) {
		for _, root := range e.Roots {
			if rest, below := strings.CutPrefix(file, strings.TrimSuffix(root.Path, "/")+"/"); below {
				names = append(names, rest, path.Join(path.Base(root.Path), rest))
			}
		}
	}
	for _, f := range e.Files {
		add(f.Path)
		if !e.Tree || e.Pattern {
			names = append(names, path.Base(f.Path))
		}
	}
	for _, other := range effects {
		if other.Kind == shell.Write && other.PathKnown {
			add(path.Clean(other.Path))
		}
	}
	return names
}
