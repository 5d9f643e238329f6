package build

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/licet-dev/licet/internal/durable"
)

// Names in the folder of a build.
const (
	identityFile = "build.json"
	journalFile  = "journal.jsonl"
	bodiesFolder = "bodies" // what was asked and answered, by SHA-256
)

// DataFolder, in the folder of a build, has the data set once the build has ended.
const DataFolder = "data"

// record is one line of the journal: that calls were sent, that one was answered, or
// lost on the way, or that somebody dropped a pair.
type record struct {
	Sent     []sent    `json:"sent,omitempty"`
	Wave     int       `json:"wave,omitzero"` // the file of requests that sent are in, from 1; 0 is none
	Answered *answered `json:"answered,omitzero"`
	Lost     *lost     `json:"lost,omitzero"`
	Dropped  *dropped  `json:"dropped,omitzero"`
	At       string    `json:"at"` // RFC 3339
}

type sent struct {
	Key    string `json:"key"`
	Stage  Stage  `json:"stage"`
	Draft  string `json:"draft"`
	Round  int    `json:"round"`
	Prompt string `json:"prompt"` // digest of what was sent
}

type answered struct {
	Key   string `json:"key"`
	Body  string `json:"body"`           // digest of the text, as received
	Reply string `json:"reply,omitzero"` // of the body of the answer, where it came in a file
	Answer
}

type lost struct {
	Key  string `json:"key"`
	Code string `json:"code"`
	Cost string `json:"cost,omitzero"`
	File string `json:"file,omitzero"` // digest of the file of answers that says so
}

type dropped struct {
	Slot string `json:"slot"`
	Code string `json:"code"`
}

// journal is the record of a build. What is in it is durable before append returns.
type journal struct {
	dir  string
	file *os.File
	torn error // a record was not written to its end
}

// openJournal opens the journal in a folder and returns what is in it. It is an error
// if the folder has another build, or anything else, or if another process is at it:
// both would ask the same.
func openJournal(dir string, identity map[string]string) (*journal, []record, error) {
	if err := noOthers(dir); err != nil {
		return nil, nil, err
	}
	if err := durable.MkdirAll(dir); err != nil {
		return nil, nil, err
	}
	file, err := os.OpenFile(filepath.Join(dir, journalFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, nil, err
	}
	j := &journal{dir: dir, file: file}
	records, err := j.begin(identity)
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return j, records, nil
}

// begin makes the journal this process's, and takes up what is there.
func (j *journal) begin(identity map[string]string) ([]record, error) {
	if err := durable.Lock(j.file); err != nil {
		return nil, fmt.Errorf("the build may be another process's: %w", err)
	}
	if err := sameBuild(j.dir, identity); err != nil {
		return nil, err
	}
	if err := durable.MkdirAll(filepath.Join(j.dir, bodiesFolder)); err != nil {
		return nil, err
	}
	records, err := j.read()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", j.file.Name(), err)
	}
	return records, nil
}

// sameBuild writes what a build is made of, or compares it with what is there.
func sameBuild(dir string, is map[string]string) error {
	path := filepath.Join(dir, identityFile)
	old, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		text, err := json.Marshal(is, jsontext.Multiline(true), json.Deterministic(true))
		if err != nil {
			return err
		}
		return durable.WriteFile(path, append(text, '\n'))
	}
	if err != nil {
		return err
	}
	var was map[string]string
	if err := json.Unmarshal(old, &was); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if name, before, now, yes := differs(was, is); yes {
		return fmt.Errorf("%s is another build: %s was %s and is %s; give it a folder of its own", dir, name, before, now)
	}
	return nil
}

// noOthers is an error if a folder has files, and neither a build nor what a crash may
// leave of the first steps to one: an empty journal, and a part of what a build is made
// of, under another name.
func noOthers(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == identityFile }) {
		return nil
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return err
		}
		if !strings.HasPrefix(e.Name(), identityFile) && (e.Name() != journalFile || info.Size() > 0) {
			return fmt.Errorf("%s has %s and no build: give it a folder of its own", dir, e.Name())
		}
	}
	return nil
}

// read returns what is in the journal, and cuts off a record that was not written to
// its end.
func (j *journal) read() (records []record, err error) {
	text, err := io.ReadAll(j.file)
	if err != nil {
		return nil, err
	}
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	line := 0
	for raw := range bytes.Lines(whole) {
		line++
		var r record
		if err := json.Unmarshal(raw, &r, json.RejectUnknownMembers(true)); err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		if r.Answered != nil {
			if r.Answered.Text, err = j.body(r.Answered.Body); err != nil {
				return nil, fmt.Errorf("line %d: %w", line, err)
			}
		}
		records = append(records, r)
	}
	if err := j.file.Truncate(int64(len(whole))); err != nil {
		return nil, err
	}
	_, err = j.file.Seek(int64(len(whole)), io.SeekStart)
	return records, err
}

// append adds a record. Behind one that was not written to its end, none can be: the
// next to open the journal cuts off the last one alone.
func (j *journal) append(r record) error {
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("writing a record: %w", err)
	}
	if j.torn != nil {
		return j.torn
	}
	if _, j.torn = j.file.Write(append(line, '\n')); j.torn == nil {
		j.torn = j.file.Sync()
	}
	return j.torn
}

// keep puts a text beside the journal and returns its digest.
func (j *journal) keep(text string) (string, error) {
	name := digest([]byte(text))
	path := j.path(name)
	if _, err := os.Stat(path); err == nil {
		return name, nil
	}
	return name, durable.WriteFile(path, []byte(text))
}

// body returns a text that was kept.
func (j *journal) body(name string) (string, error) {
	text, err := os.ReadFile(j.path(name))
	if err != nil {
		return "", err
	}
	if got := digest(text); got != name {
		return "", fmt.Errorf("the body %s has the digest %s", name, got)
	}
	return string(text), nil
}

func (j *journal) path(name string) string {
	return filepath.Join(j.dir, bodiesFolder, strings.TrimPrefix(name, "sha256:"))
}

func (j *journal) Close() error { return j.file.Close() }
