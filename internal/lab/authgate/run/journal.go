package run

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/licet-dev/licet/internal/durable"
	"github.com/licet-dev/licet/internal/lab/authgate/result"
	"github.com/licet-dev/licet/internal/lab/identity"
)

// Names of the files of a run.
const (
	identityFile = "run.json"
	// ResultsFile holds the answers, in the order in which they came.
	ResultsFile = "results.jsonl"
)

// Journal keeps the answers of a run in a folder.
type Journal struct {
	run  string // name of the run: digest of what it is made of
	file *os.File
	done map[string]result.Row // by call key
	torn error                 // a line was not written to its end
}

// OpenJournal opens the journal of a plan in a folder, which is made if need be. It
// is an error if it is that of another run, or another process has it: both would ask
// the same.
func OpenJournal(dir string, p *Plan) (*Journal, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	if err := durable.MkdirAll(dir); err != nil {
		return nil, err
	}
	text, err := p.Identity()
	if err != nil {
		return nil, err
	}
	j := &Journal{run: nameOf(text), done: map[string]result.Row{}}
	if j.file, err = os.OpenFile(filepath.Join(dir, ResultsFile), os.O_RDWR|os.O_CREATE, 0o666); err != nil {
		return nil, err
	}
	if err := j.open(dir, p, text); err != nil {
		return nil, errors.Join(err, j.file.Close())
	}
	return j, nil
}

// open makes the journal this process's, and takes up what is there.
func (j *Journal) open(dir string, p *Plan, text []byte) error {
	if err := durable.Lock(j.file); err != nil {
		return fmt.Errorf("the run may be another process's: %w", err)
	}
	if err := sameRun(filepath.Join(dir, identityFile), p, text); err != nil {
		return err
	}
	if err := j.read(); err != nil {
		return fmt.Errorf("%s: %w", j.file.Name(), err)
	}
	return nil
}

// sameRun writes what a run is made of, or compares it with what is there.
func sameRun(path string, p *Plan, text []byte) error {
	old, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return durable.WriteFile(path, text)
	}
	if err != nil {
		return err
	}
	if err := p.Is(old); err != nil {
		return fmt.Errorf("%s is %w; give it a folder of its own", path, err)
	}
	return nil
}

// Identity says as a text what a run of the plan is made of.
func (p *Plan) Identity() ([]byte, error) { return identity.Text(p.parts()) }

// nameOf is the name of the run of an identity.
func nameOf(text []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(text)) }

// Is compares the plan with what a run is made of. Its error names the first thing
// that is another.
func (p *Plan) Is(text []byte) error { return identity.Is(text, p.parts()) }

// read takes up what is there, and cuts off a line that was not written to its end.
func (j *Journal) read() error {
	text, err := io.ReadAll(j.file)
	if err != nil {
		return err
	}
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	rows, err := result.Read(bytes.NewReader(whole))
	if err != nil {
		return err
	}
	for _, r := range rows {
		if r.Run != j.run {
			return fmt.Errorf("%s is of the run %s, not of %s", r.Item, r.Run, j.run)
		}
		j.done[r.CallKey] = r
	}
	if err := j.file.Truncate(int64(len(whole))); err != nil {
		return err
	}
	_, err = j.file.Seek(int64(len(whole)), io.SeekStart)
	return err
}

// add records an answer. Behind a line that was not written to its end, none can be:
// the next to open the journal cuts off the last line alone.
func (j *Journal) add(r result.Row) error {
	line, err := r.Line()
	if err != nil {
		return err
	}
	if j.torn != nil {
		return j.torn
	}
	if _, err := j.file.Write(line); err != nil {
		j.torn = err
		return err
	}
	j.done[r.CallKey] = r
	return nil
}

// Close makes what was written last and closes the file.
func (j *Journal) Close() error { return errors.Join(j.file.Sync(), j.file.Close()) }
