package modeljudge

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/licet-dev/licet/internal/durable"
	"github.com/licet-dev/licet/internal/lab/authgate/batch"
	"github.com/licet-dev/licet/internal/lab/authgate/result"
	"github.com/licet-dev/licet/internal/lab/authgate/run"
	"github.com/licet-dev/licet/internal/llm"
)

// Names in the folder of the files.
const (
	answersFile    = "answers.jsonl"    // all that were imported and are usable
	quarantineFile = "quarantine.jsonl" // answers to what nobody asked
	requestsForm   = "requests-%03d.jsonl"
)

// Files is a folder through which models are asked. The judges of [NewOffline] find
// the answers of earlier imports here, and leave what has none, to be exported.
type Files struct {
	dir     string
	reports map[string]string // what a model calls itself, by what it is asked as

	mu    sync.Mutex
	known map[string]batch.Answer // by custom_id
	due   map[string]batch.Call
}

// OpenFiles opens a folder, which is made if need be.
func OpenFiles(dir string) (*Files, error) {
	if err := durable.MkdirAll(dir); err != nil {
		return nil, err
	}
	f := &Files{dir: dir, reports: map[string]string{}, known: map[string]batch.Answer{}, due: map[string]batch.Call{}}
	all, err := readAnswers(filepath.Join(dir, answersFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, a := range all {
		f.known[a.ID] = a
	}
	return f, nil
}

func readAnswers(path string) ([]batch.Answer, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return batch.Read(path, file)
}

// names takes up what a model calls itself.
func (f *Files) names(c llm.Config) {
	if c.Reports != "" {
		f.reports[c.Model] = c.Reports
	}
}

// stage is that of evaluation in the ids of calls.
const stage = "eval"

// carried asks one question through files.
type carried struct {
	files *Files
	model *llm.Offline
	row   *result.Row
}

// Ask implements model.Asker.
func (c carried) Ask(_ context.Context, q llm.Question) (llm.Answer, error) {
	body, err := c.model.Request(q)
	if err != nil {
		return llm.Answer{}, err
	}
	key := sha256.Sum256(fmt.Appendf(nil, "%s %d %s", c.row.CallKey, q.Round, body))
	call := batch.Call{Stage: stage, Item: c.row.Item, Round: q.Round, Epoch: c.row.Epoch, Key: fmt.Sprintf("sha256:%x", key), Body: body}
	a, err := c.files.answer(call)
	if err != nil {
		return llm.Answer{}, err
	}
	return c.model.Answer(q, a.Body)
}

// answer returns the answer to a call, or leaves the call to be exported.
func (f *Files) answer(c batch.Call) (batch.Answer, error) {
	id, err := c.ID()
	if err != nil {
		return batch.Answer{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	a, ok := f.known[id]
	if !ok {
		f.due[id] = c
		return a, &run.Open{Why: run.Waiting}
	}
	delete(f.due, id)
	return a, nil
}

// Import takes up files of answers to what was due in the run before. Answers to what
// nobody asked are put into quarantine, and are an error once all others are taken
// up. Importing a file again changes nothing.
func (f *Files) Import(paths ...string) (batch.Imported, error) {
	var answers []batch.Answer
	for _, path := range paths {
		all, err := readAnswers(path)
		if err != nil {
			return batch.Imported{}, err
		}
		answers = append(answers, all...)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	in, err := batch.Import(slices.Collect(maps.Values(f.due)), f.known, answers, f.reports)
	if err != nil {
		return in, err
	}
	for _, a := range in.New {
		f.known[a.ID] = a
	}
	if len(in.New) > 0 {
		if err := f.keep(answersFile, slices.Collect(maps.Values(f.known))); err != nil {
			return in, err
		}
	}
	return in, f.quarantine(in.Unknown)
}

// quarantine keeps what nobody asked for, and says so.
func (f *Files) quarantine(unknown []batch.Unknown) error {
	if len(unknown) == 0 {
		return nil
	}
	all, err := readAnswers(filepath.Join(f.dir, quarantineFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	changed := 0
	for _, u := range unknown {
		all = append(all, u.Answer)
		if u.Changed {
			changed++
		}
	}
	if err := f.keep(quarantineFile, all); err != nil {
		return err
	}
	return fmt.Errorf("%d answers to what this run did not ask are in %s, %d of them to what it asks with another prompt, model or parameter",
		len(unknown), filepath.Join(f.dir, quarantineFile), changed)
}

// keep writes answers, each once, in the order of their lines.
func (f *Files) keep(name string, all []batch.Answer) error {
	lines := make([][]byte, len(all))
	for i, a := range all {
		var err error
		if lines[i], err = a.Line(); err != nil {
			return err
		}
	}
	slices.SortFunc(lines, bytes.Compare)
	lines = slices.CompactFunc(lines, bytes.Equal)
	return replace(filepath.Join(f.dir, name), bytes.Join(lines, nil))
}

// Export writes what is due into files, and removes those of before. It returns their
// paths: none where nothing is due. Repeated, it writes the same bytes.
func (f *Files) Export() ([]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	files, err := batch.Requests(slices.Collect(maps.Values(f.due)), batch.Limits{})
	if err != nil {
		return nil, err
	}
	var paths []string
	for i, file := range files {
		path := filepath.Join(f.dir, fmt.Sprintf(requestsForm, i+1))
		if err := replace(path, file.Text); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	old, err := filepath.Glob(filepath.Join(f.dir, "requests-*.jsonl"))
	if err != nil {
		return nil, err
	}
	for _, path := range old {
		if !slices.Contains(paths, path) {
			if err := os.Remove(path); err != nil {
				return nil, err
			}
		}
	}
	return paths, nil
}

// replace writes a file as a whole or not at all.
func replace(path string, text []byte) error {
	file, err := os.Create(path + ".new")
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
