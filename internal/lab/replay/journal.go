package replay

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/licet-dev/licet/internal/lab/trajectory"
)

// Journal keeps the outcomes of a run in a file, one JSON object a line, each
// written as a whole before the next trajectory is played. A run that was killed
// leaves a beginning of that file; the next one takes it up and plays the rest.
// The first line names the run. A nil Journal keeps nothing.
type Journal struct {
	file *os.File
	past []entry // that a run before wrote, and this one has not asked for yet
}

// entry is one line.
type entry struct {
	File    string  `json:"file"`
	Outcome Outcome `json:"outcome"`
}

// heading is the first line.
type heading struct {
	Format string `json:"format"`
	Run    string `json:"run"` // digest of contracts, options and names of files
}

const journalFormat = "licet.replay/1"

// OpenJournal opens the journal of a run over files, which is made if need be. It
// is an error if it is that of another run.
func (r Run) OpenJournal(path string, files []string) (*Journal, error) {
	name, err := r.name(files)
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	j := &Journal{file: file}
	if err := j.read(heading{journalFormat, name}); err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return j, nil
}

// name returns what a run is known by. Replays with other contracts, options or
// files have another name.
func (r Run) name(files []string) (string, error) {
	var judges [][3]string
	for _, j := range r.Judges.All {
		judges = append(judges, [3]string{j.loaded.Digest(), j.Agent, j.Server})
	}
	text, err := json.Marshal([]any{judges, r.Judges.Any, r.Judges.ByTool, r.Options, r.Format, files})
	return fmt.Sprintf("sha256:%x", sha256.Sum256(text)), err
}

// read takes up what is there, and cuts off a line that was not written to its end.
func (j *Journal) read(want heading) error {
	text, err := io.ReadAll(j.file)
	if err != nil {
		return err
	}
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	var got heading
	for i, line := range bytes.SplitAfter(whole, []byte("\n")) {
		if i == 0 && len(line) > 0 {
			if json.Unmarshal(line, &got) != nil || got != want {
				return fmt.Errorf("this is the journal of another run: with other contracts, options or files, or none at all")
			}
			continue
		}
		if len(line) == 0 {
			continue
		}
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			return fmt.Errorf("line %d: %w", i+1, err)
		}
		j.past = append(j.past, e)
	}
	if err := j.file.Truncate(int64(len(whole))); err != nil {
		return err
	}
	if _, err := j.file.Seek(int64(len(whole)), io.SeekStart); err != nil {
		return err
	}
	if len(whole) == 0 {
		return j.write(want)
	}
	return nil
}

// next returns what the journal says of a trajectory, and whether it does. It is an
// error if it speaks of another one there: the file has changed.
func (j *Journal) next(file string, t *trajectory.Trajectory) (o Outcome, known bool, err error) {
	if j == nil || len(j.past) == 0 {
		return o, false, nil
	}
	e := j.past[0]
	if e.File != file || e.Outcome.ID != t.ID || e.Outcome.Record != t.Digest {
		return o, false, fmt.Errorf("the journal has %s of %s here: the files are others than when the run began", e.Outcome.ID, e.File)
	}
	j.past = j.past[1:]
	return e.Outcome, true, nil
}

func (j *Journal) add(file string, o Outcome) error {
	if j == nil {
		return nil
	}
	return j.write(entry{file, o})
}

func (j *Journal) write(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = j.file.Write(append(line, '\n'))
	return err
}

// Close closes the file.
func (j *Journal) Close() error {
	if j == nil {
		return nil
	}
	return j.file.Close()
}
