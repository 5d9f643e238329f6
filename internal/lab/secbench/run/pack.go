package run

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"

	"github.com/licet-dev/licet/internal/lab/scratch"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
)

// Packed makes the run and returns it as one text, for [Set.Collect]: its line of the
// index, and its folder as a ZIP archive.
func (j Job) Packed(ctx context.Context) (text []byte, err error) {
	temp, err := scratch.New()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, temp.Close()) }()
	folder := filepath.Join(temp.Path, j.ID)
	out, err := j.play(ctx, folder)
	if err != nil {
		return nil, j.failed(err)
	}
	v, err := trace.ValueOf(Line{out.Run, out.TraceHead, out.GateHead})
	if err != nil {
		return nil, err
	}
	b := bytes.NewBuffer(append(v.AppendCanonical(nil), '\n'))
	archive := zip.NewWriter(b)
	if err := errors.Join(archive.AddFS(os.DirFS(folder)), archive.Close()); err != nil {
		return nil, fmt.Errorf("packing a run: %w", err)
	}
	return b.Bytes(), nil
}

// Collect takes up runs that were packed, of some jobs, by their ids. It is an error
// if the set has another recording of one, or of a job one that is not among them:
// then it is no copy.
func (s *Set) Collect(jobs []Job, packed map[string][]byte) error {
	for _, j := range jobs {
		if _, has := s.line(j.ID); has && packed[j.ID] == nil {
			return fmt.Errorf("%s has a run that was not recorded there: give the runs a folder of their own", s.dir)
		}
	}
	for id, text := range packed {
		if err := s.unpack(id, text); err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
	}
	return nil
}

// unpack takes up one run.
func (s *Set) unpack(id string, text []byte) error {
	line, archive, _ := bytes.Cut(text, []byte("\n"))
	var l Line
	if err := json.Unmarshal(line, &l, json.RejectUnknownMembers(true)); err != nil || l.Run != id {
		return errors.New("it is not a run that was packed")
	}
	if had, has := s.line(id); has {
		if had != l {
			return fmt.Errorf("%s has another recording of it: give the runs a folder of their own", s.dir)
		}
		return nil
	}
	files, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return fmt.Errorf("unpacking it: %w", err)
	}
	return s.make(id, func(folder string) (Line, error) {
		if err := os.CopyFS(folder, files); err != nil {
			return l, fmt.Errorf("unpacking it: %w", err)
		}
		r, err := load(folder)
		if err != nil {
			return l, err
		}
		return l, r.is(l)
	})
}
