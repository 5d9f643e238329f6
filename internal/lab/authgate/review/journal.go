package review

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/licet-dev/licet/internal/durable"
	"github.com/licet-dev/licet/internal/lab/authgate/item"
)

// journal is the file of one reviewer, to which lines are added and nothing else.
type journal struct {
	file *os.File
	path string
	end  int64 // of what is whole
	lost error // after which nothing more is taken
}

// openJournal opens the journal of a reviewer, which is made if need be, and keeps
// other programs from it. A line that was not written to its end was never said to
// be saved, and is cut off.
func openJournal(dir, reviewer string) (*journal, error) {
	name, err := item.JournalFile(reviewer)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s is no folder with a data set", dir)
	}
	path := filepath.Join(dir, name)
	if err := durable.MkdirAll(filepath.Dir(path)); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	j := &journal{file: file, path: path}
	if err := j.begin(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return j, nil
}

func (j *journal) begin() error {
	if err := durable.Lock(j.file); err != nil {
		return fmt.Errorf("it may be open in another program, end that first: %w", err)
	}
	text, err := io.ReadAll(j.file)
	if err != nil {
		return err
	}
	j.end = int64(bytes.LastIndexByte(text, '\n') + 1)
	if err := j.file.Truncate(j.end); err != nil {
		return err
	}
	return durable.SyncDir(filepath.Dir(j.path))
}

// append writes a line. It is on disk when append returns nil; else it is not there,
// or nothing more is taken.
func (j *journal) append(line []byte) error {
	if j.lost != nil {
		return j.lost
	}
	_, err := j.file.WriteAt(line, j.end)
	if err == nil {
		err = j.file.Sync()
	}
	if err == nil {
		j.end += int64(len(line))
		return nil
	}
	err = fmt.Errorf("writing %s: %w", j.path, err)
	if back := j.file.Truncate(j.end); back != nil {
		j.lost = fmt.Errorf("%w; it cannot be put back as it was (%w): end this program and look at the disk", err, back)
		return j.lost
	}
	return err
}

func (j *journal) close() error { return j.file.Close() }
