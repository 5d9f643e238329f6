package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/durable"
	"github.com/licet-dev/licet/internal/lab/secbench/export"
	"github.com/licet-dev/licet/internal/lab/secbench/redact"
)

// Exported says what an export came to.
type Exported struct {
	Runs     int
	LeftOut  int
	Replaced map[redact.Rule]int // how often each rule replaced something
}

// Leaked says that a scan found in an export what a rule should have replaced.
type Leaked struct {
	Runs  []string // in which it was found
	Leaks []export.Leak
}

// Error names the first few places.
func (l *Leaked) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the scan found %d places in %d runs that are not redacted", len(l.Leaks), len(l.Runs))
	for _, leak := range l.Leaks[:min(len(l.Leaks), 5)] {
		b.WriteString("\n  " + leak.String())
	}
	return b.String()
}

// Export writes the public form of a set of runs, but for some that are named, to a
// folder that does not exist yet. Every run is verified first. The folder has its name
// once all is written and scanned: after an error, a *Leaked among them, there is
// none. Rules that are off do nothing (package export).
func Export(ctx context.Context, dir, out string, leaveOut []string, off ...redact.Rule) (Exported, error) {
	if err := absent(out); err != nil {
		return Exported{}, err
	}
	lines, err := verified(ctx, dir)
	if err != nil {
		return Exported{}, err
	}
	rest, err := without(lines, leaveOut)
	if err != nil {
		return Exported{}, err
	}
	var e Exported
	err = publish(out, func(temp string) error {
		e, err = exportRuns(ctx, dir, temp, rest, off)
		e.LeftOut = len(lines) - len(rest)
		return err
	})
	return e, err
}

// without returns the runs that are not named. It is an error to name one that is not
// there, or all.
func without(lines []Line, runs []string) ([]Line, error) {
	for _, run := range runs {
		if !slices.ContainsFunc(lines, func(l Line) bool { return l.Run == run }) {
			return nil, fmt.Errorf("there is no run %q to leave out: licet-lab secbench verify lists those of the folder", run)
		}
	}
	rest := slices.DeleteFunc(slices.Clone(lines), func(l Line) bool { return slices.Contains(runs, l.Run) })
	if len(rest) == 0 {
		return nil, errors.New("all runs are left out")
	}
	return rest, nil
}

// absent says whether a folder can be made anew.
func absent(out string) error {
	if _, err := os.Lstat(out); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, fmt.Errorf("%s exists: name a folder that is not there yet", out))
	}
	return nil
}

// publish makes a folder: what is written to another one gets its name when all of it
// is there. After an error there is nothing.
func publish(out string, write func(temp string) error) (err error) {
	parent := filepath.Dir(filepath.Clean(out))
	if err := durable.MkdirAll(parent); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(parent, filepath.Base(out)+".unfinished-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(temp))
		}
	}()
	if err := write(temp); err != nil {
		return err
	}
	if err := os.Rename(temp, out); err != nil {
		return err
	}
	return durable.SyncDir(parent)
}

// verified returns the runs of a folder, if all in it are as they were recorded.
func verified(ctx context.Context, dir string) ([]Line, error) {
	lines, err := Listed(dir)
	if err != nil {
		return nil, err
	}
	for _, l := range lines {
		if err := Verify(ctx, filepath.Join(dir, l.Run), l, nil); err != nil {
			return nil, fmt.Errorf("%s: %w", l.Run, err)
		}
	}
	return lines, nil
}

// exportRuns writes the public form of runs to a folder.
func exportRuns(ctx context.Context, dir, out string, lines []Line, off []redact.Rule) (e Exported, err error) {
	s, err := OpenSet(out)
	if err != nil {
		return e, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	e = Exported{Runs: len(lines), Replaced: map[redact.Rule]int{}}
	var leaked Leaked
	for _, l := range lines {
		if ctx.Err() != nil {
			return e, ctx.Err()
		}
		leaks, err := exportRun(dir, s, l, &e, off)
		if err != nil {
			return e, fmt.Errorf("%s: %w", l.Run, err)
		}
		if len(leaks) > 0 {
			leaked.Runs, leaked.Leaks = append(leaked.Runs, l.Run), append(leaked.Leaks, leaks...)
		}
	}
	if len(leaked.Leaks) > 0 {
		return e, &leaked
	}
	return e, nil
}

// exportRun adds the public form of a run to a set, and what lies there then is
// looked through.
func exportRun(dir string, s *Set, l Line, e *Exported, off []redact.Rule) ([]export.Leak, error) {
	r, err := load(filepath.Join(dir, l.Run))
	if err != nil {
		return nil, err
	}
	whole, err := r.whole()
	if err != nil {
		return nil, err
	}
	p, err := export.Of(whole, off...)
	if err != nil {
		return nil, err
	}
	for rule, n := range p.Replaced {
		e.Replaced[rule] += n
	}
	if err := s.make(l.Run, func(folder string) (Line, error) {
		return Line{l.Run, p.TraceHead, p.GateHead}, writeAll(folder, p.Files)
	}); err != nil {
		return nil, err
	}
	all, err := leaks(p, s.folder(l.Run))
	if err != nil {
		return nil, err
	}
	index, err := os.ReadFile(filepath.Join(s.dir, Index))
	last := bytes.LastIndexByte(bytes.TrimSuffix(index, []byte("\n")), '\n') + 1
	return append(all, p.Leaks(Index, index[last:])...), err
}

// writeAll writes the files of a run.
func writeAll(folder string, files map[string][]byte) error {
	if err := os.MkdirAll(filepath.Join(folder, "blobs"), 0o700); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, filepath.FromSlash(name)), text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// leaks scans all files of a run.
func leaks(p export.Public, folder string) (all []export.Leak, err error) {
	root := os.DirFS(folder)
	err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		for _, leak := range p.Leaks(name, content) {
			leak.File = filepath.Base(folder) + "/" + leak.File
			all = append(all, leak)
		}
		return nil
	})
	return all, err
}
