package build

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/licet-dev/licet/internal/durable"
	"github.com/licet-dev/licet/internal/lab/authgate/batch"
	"github.com/licet-dev/licet/internal/llm"
)

// Files is a model that is asked through files, which somebody else carries.
type Files struct {
	Model   *llm.Offline
	Reports map[string]string // what a model calls itself, by the name that is asked for
	Dir     string            // for the files of requests
	Settings
}

// QuarantineFile, in the folder of a build, keeps answers to what was not asked.
const QuarantineFile = "quarantine.jsonl"

// Export writes the calls that became due since the last export into files, one wave,
// and the files of earlier waves of which answers are missing, the same bytes again.
// It returns the names of all of them, and which budget ended the build, "" for none.
func (b *Build) Export(f Files, budget Budget) (paths []string, stopped string, err error) {
	var wave []sent
	for _, c := range b.m.calls() {
		if b.sent[c.Key] > 0 {
			continue
		}
		body, err := f.Model.Request(f.question(*c))
		if err != nil {
			return nil, "", fmt.Errorf("asking for %s: %w", c.Draft, err)
		}
		prompt, err := b.j.keep(string(body))
		if err != nil {
			return nil, "", err
		}
		wave = append(wave, sent{c.Key, c.Stage, c.Draft, c.Round, prompt})
	}
	if len(wave) > 0 {
		if stopped = b.over(budget, len(wave)); stopped == "" {
			err = b.record(record{Sent: wave, Wave: len(b.waves) + 1})
		}
	}
	for n, wave := range b.waves {
		if err == nil && b.isWaiting(n+1, wave) {
			var more []string
			more, err = b.writeWave(f.Dir, n+1, wave)
			paths = append(paths, more...)
		}
	}
	return paths, stopped, err
}

// isWaiting reports whether an answer is missing of a wave.
func (b *Build) isWaiting(n int, wave []sent) bool {
	for _, s := range wave {
		if b.sent[s.Key] == n {
			return true
		}
	}
	return false
}

// writeWave writes the files of a wave.
func (b *Build) writeWave(dir string, n int, wave []sent) (paths []string, err error) {
	calls := make([]batch.Call, len(wave))
	for i, s := range wave {
		if calls[i], err = b.batchCall(s); err != nil {
			return nil, err
		}
	}
	list, err := batch.Requests(calls, batch.Limits{})
	if err != nil {
		return nil, err
	}
	if err := durable.MkdirAll(dir); err != nil {
		return nil, err
	}
	for i, file := range list {
		name := fmt.Sprintf("wave-%03d", n)
		if len(list) > 1 {
			name += "-" + strconv.Itoa(i+1)
		}
		path := filepath.Join(dir, name+".jsonl")
		if err := durable.WriteFile(path, file.Text); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

func (b *Build) batchCall(s sent) (batch.Call, error) {
	body, err := b.j.body(s.Prompt)
	return batch.Call{Stage: string(s.Stage), Item: s.Draft, Round: s.Round, Epoch: epoch, Key: s.Key, Body: []byte(body)}, err
}

// Imported says what a file of answers brought.
type Imported struct {
	New, Lost int // answers, and calls that were lost, which go into the next wave
	Unknown   int // answers to what was not asked, in quarantine
}

// Import takes up a file of answers. Importing it again changes nothing. name stands
// for it in errors.
func (b *Build) Import(f Files, name string, text []byte) (done Imported, err error) {
	answers, err := batch.Read(name, bytes.NewReader(text))
	if err != nil {
		return done, err
	}
	due, known, keys, err := b.filed()
	if err != nil {
		return done, err
	}
	in, err := batch.Import(due, known, answers, f.Reports)
	if err != nil {
		return done, fmt.Errorf("%s: %w", name, err)
	}
	file := digest(text)
	for _, a := range in.New {
		said, err := f.Model.Answer(f.question(Call{}), a.Body)
		answer, err := f.read(said, err, Batch)
		gone, isLost := errors.AsType[*LostError](err)
		switch {
		case isLost:
			err = b.gone(&done, lost{Key: keys[a.ID], Code: gone.Code, Cost: gone.Cost, File: file})
		case err == nil:
			done.New++
			err = b.answered(keys[a.ID], answer, a.Body)
		}
		if err != nil {
			return done, fmt.Errorf("%s: the answer %s: %w", name, a.ID, err)
		}
	}
	for _, a := range in.Failed {
		code := "status " + strconv.Itoa(a.Status)
		if a.Error != nil {
			code = cmp.Or(a.Error.Code, "error")
		}
		if err := b.gone(&done, lost{Key: keys[a.ID], Code: code, File: file}); err != nil {
			return done, err
		}
	}
	return done, b.quarantine(&done, in.Unknown)
}

// gone records that a file says a call to be lost, once.
func (b *Build) gone(done *Imported, l lost) error {
	if b.lostIn[l] {
		return nil
	}
	done.Lost++
	return b.record(record{Lost: &l})
}

// filed returns the calls of files that have no answer yet, the answers that came in
// files so far, and the keys of all of them, by id.
func (b *Build) filed() (due []batch.Call, known map[string]batch.Answer, keys map[string]string, err error) {
	known, keys = map[string]batch.Answer{}, map[string]string{}
	for _, s := range slices.Concat(b.waves...) {
		c, err := b.batchCall(s)
		if err != nil {
			return nil, nil, nil, err
		}
		id, err := c.ID()
		if err != nil {
			return nil, nil, nil, err
		}
		if keys[id] != "" {
			continue // it was lost, and is in a later wave again
		}
		keys[id] = s.Key
		if b.m.due[s.Key] != nil {
			due = append(due, c)
		}
		if reply, ok := b.replies[s.Key]; ok {
			body, err := b.j.body(reply)
			if err != nil {
				return nil, nil, nil, err
			}
			known[id] = batch.Answer{ID: id, Status: 200, Body: []byte(body)}
		}
	}
	return due, known, keys, nil
}

// waiting is how many calls in files have no answer yet.
func (b *Build) waiting() (n int) {
	for _, wave := range b.sent {
		if wave > 0 {
			n++
		}
	}
	return n
}

// quarantine keeps answers to what was not asked, each once.
func (b *Build) quarantine(done *Imported, unknown []batch.Unknown) error {
	done.Unknown = len(unknown)
	if len(unknown) == 0 {
		return nil
	}
	path := filepath.Join(b.j.dir, QuarantineFile)
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, u := range unknown {
		line, err := u.Line()
		if err != nil {
			return err
		}
		if !bytes.Contains(text, line) {
			text = append(text, line...)
		}
	}
	return durable.WriteFile(path, text)
}
