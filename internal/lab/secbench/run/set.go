package run

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/licet-dev/licet/internal/durable"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
)

// Index is the name of the file that lists the finished runs of a folder.
const Index = "index.jsonl"

// Line is one line of the index.
type Line struct {
	Run       string `json:"run"`
	TraceHead string `json:"trace_head"`
	GateHead  string `json:"gate_head"`
}

// Set is a folder of runs that this process plays into, and no other. It is safe for
// concurrent use.
type Set struct {
	dir   string
	index *os.File // locked

	mu   sync.Mutex
	done map[string]Line // by run
	torn error           // a line was not written to its end
}

// unfinished is what the name of a run's folder ends in until the run is finished.
const unfinished = ".unfinished"

// unfinishedName is the form of such a name.
var unfinishedName = regexp.MustCompile(`\Ar-[0-9a-f]{16}\.unfinished\z`)

// OpenSet opens a folder for runs, which is made if need be, and removes what a
// process that was killed left of a run. It is an error if another process has it: of
// two that play the same runs one would remove what the other writes.
func OpenSet(dir string) (*Set, error) {
	if err := durable.MkdirAll(dir); err != nil {
		return nil, err
	}
	index, err := os.OpenFile(filepath.Join(dir, Index), os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	s := &Set{dir: dir, index: index, done: map[string]Line{}}
	if err := s.open(); err != nil {
		return nil, errors.Join(err, index.Close())
	}
	return s, nil
}

// open makes the folder this process's, and takes up what is there.
func (s *Set) open() error {
	if err := durable.Lock(s.index); err != nil {
		return fmt.Errorf("another process may be playing runs into %s: %w", s.dir, err)
	}
	if err := s.cut(); err != nil {
		return err
	}
	lines, err := ReadIndex(s.dir)
	if err != nil {
		return err
	}
	for _, l := range lines {
		s.done[l.Run] = l
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if unfinishedName.MatchString(e.Name()) {
			if err := os.RemoveAll(filepath.Join(s.dir, e.Name())); err != nil {
				return fmt.Errorf("removing a run that was not finished: %w", err)
			}
		}
	}
	return durable.SyncDir(s.dir)
}

// cut takes a last line without its end off the index: the program ended while it
// wrote it, and the run counts as not finished.
func (s *Set) cut() error {
	text, err := io.ReadAll(s.index)
	if err != nil {
		return err
	}
	if whole := bytes.LastIndexByte(text, '\n') + 1; whole < len(text) {
		return s.index.Truncate(int64(whole))
	}
	return nil
}

// Private is an error if the folder is an export: a run that is played into it was not
// scanned, and would be shown with the others. A run that cannot be read is left to
// Verify.
func (s *Set) Private() error {
	for id := range s.done {
		text, err := os.ReadFile(filepath.Join(s.folder(id), files[0]))
		if err != nil {
			continue
		}
		first, _, _ := bytes.Cut(text, []byte("\n"))
		events, err := trace.Read(files[0], append(first, '\n'), trace.Controller, id)
		if err == nil && len(events) > 0 && events[0].Orig != "" {
			return fmt.Errorf("%s has exported runs, and what is played now would lie among them as it is: name another folder", s.dir)
		}
	}
	return nil
}

// Close leaves the folder to others.
func (s *Set) Close() error { return s.index.Close() }

// folder is that of a finished run.
func (s *Set) folder(id string) string { return filepath.Join(s.dir, id) }

// line is that of a finished run.
func (s *Set) line(id string) (Line, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.done[id]
	return l, ok
}

// make has a run written into a folder, gives that its name and adds its line to the
// index. A run that fails leaves nothing.
func (s *Set) make(id string, write func(folder string) (Line, error)) error {
	folder := s.folder(id)
	l, err := write(folder + unfinished)
	if err == nil {
		err = durable.SyncTree(folder + unfinished) // before the index says that it is all there
	}
	if err == nil {
		err = os.RemoveAll(folder) // a process ended before it added the line
	}
	if err == nil {
		err = os.Rename(folder+unfinished, folder)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(folder+unfinished))
	}
	if err := durable.SyncDir(s.dir); err != nil {
		return err
	}
	return s.add(l)
}

// add appends to the index, which says that a run is finished.
func (s *Set) add(l Line) error {
	v, err := trace.ValueOf(l)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.torn != nil {
		return s.torn
	}
	_, err = s.index.Write(append(v.AppendCanonical(nil), '\n'))
	if err = errors.Join(err, s.index.Sync()); err != nil {
		s.torn = fmt.Errorf("adding a run to the index: %w", err) // nothing may follow it
		return s.torn
	}
	s.done[l.Run] = l
	return nil
}

// ReadIndex returns the finished runs of a folder; none if it has no index yet. A
// line that is not one, or names a run once more, is a *trace.Altered.
func ReadIndex(dir string) ([]Line, error) {
	text, err := os.ReadFile(filepath.Join(dir, Index))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var lines []Line
	seen := map[string]bool{}
	for n := 1; len(text) > 0; n++ {
		row, rest, ended := bytes.Cut(text, []byte("\n"))
		var l Line
		err := json.Unmarshal(row, &l, json.RejectUnknownMembers(true))
		if v, bad := trace.ValueOf(l); err == nil && bad == nil && string(row) != v.Canonical() {
			err = errors.New("not in canonical form")
		}
		if err != nil || !ended || !runName.MatchString(l.Run) {
			return lines, &trace.Altered{File: Index, Line: n, Why: "no line of the index"}
		}
		if seen[l.Run] {
			return lines, &trace.Altered{File: Index, Line: n, Why: "it names " + l.Run + " once more"}
		}
		seen[l.Run] = true
		lines, text = append(lines, l), rest
	}
	return lines, nil
}

// runName is the form of a run's id, which is also the name of its folder.
var runName = regexp.MustCompile(`\Ar-[0-9a-f]{16}\z`)

// Lying returns the runs that lie in a folder, of which there must be some: those of
// its index, and the names of those that the index has not: their line is gone, or the
// process ended before it added it.
func Lying(dir string) (lines []Line, unlisted []string, err error) {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("there is no folder %q: it should be the --out of licet-lab secbench run", dir)
	}
	if err == nil && !info.IsDir() {
		return nil, nil, fmt.Errorf("%s is no folder: it should be the --out of licet-lab secbench run", dir)
	}
	if lines, err = ReadIndex(dir); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", dir, err)
	}
	if len(lines) == 0 {
		return nil, nil, fmt.Errorf("%s has no finished run: it should be the --out of licet-lab secbench run", dir)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		if runName.MatchString(e.Name()) && !slices.ContainsFunc(lines, func(l Line) bool { return l.Run == e.Name() }) {
			unlisted = append(unlisted, e.Name())
		}
	}
	return lines, unlisted, nil
}

// Listed returns the runs of a folder if its index has all that lie there: a number
// over some of them could be a choice.
func Listed(dir string) ([]Line, error) {
	lines, unlisted, err := Lying(dir)
	if err == nil && len(unlisted) > 0 {
		err = fmt.Errorf("%s: the index does not name this run, and the command that played it would play it again", filepath.Join(dir, unlisted[0]))
	}
	return lines, err
}
