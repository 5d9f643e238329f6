package tool

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/lab/secbench/harness"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
	"github.com/licet-dev/licet/internal/lab/secbench/udiff"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Bounds of what is written.
const (
	maxScratch = 4 << 10 // bytes of a file
	maxFiles   = 16
)

// Freshness is for how many further calls what a harness said counts.
const Freshness = 8

// IsScratch reports whether a path names a file below Scratch as it must be written.
// What is dots alone names a folder, or looks as if it did.
func IsScratch(name string) bool {
	return scratchName.MatchString(name) && strings.Trim(path.Base(name), ".") != ""
}

var scratchName = regexp.MustCompile(`\A` + Scratch + `/[A-Za-z0-9._-]{1,60}\z`)

func (s *Session) writeScratch(args toolcall.Value) (answer, error) {
	name := args.Get("path").Text()
	if !IsScratch(name) {
		return failed("bad_name"), nil
	}
	content, err := Decode(args.Get("bytes").Text(), args.Get("encoding").Text())
	if err != nil {
		return failed("bad_encoding"), nil
	}
	if len(content) > maxScratch {
		return failed("too_large"), nil
	}
	before := ""
	if old, err := s.read(name); err == nil {
		before = trace.Sum([]byte(old))
	} else if n, err := s.scratchFiles(); err != nil || n >= maxFiles {
		return failed("too_many_files"), err
	}
	if err := s.root.MkdirAll(Scratch, 0o700); err != nil {
		return answer{}, err
	}
	if err := s.write(name, content); err != nil {
		if code := problem(err); code != "" {
			return failed(code), nil
		}
		return answer{}, err
	}
	sum := trace.Sum([]byte(content))
	a := done(struct {
		Path   string `json:"path"`
		SHA256 string `json:"sha256"`
		Bytes  int    `json:"bytes"`
	}{name, sum, len(content)})
	a.Writes = []trace.Write{{Path: name, Before: before, After: sum}}
	return a, nil
}

// Decode returns the content of a scratch file that is written as text.
func Decode(text, encoding string) (string, error) {
	var content []byte
	var err error
	switch encoding {
	case "hex":
		content, err = hex.DecodeString(text)
	case "base64":
		content, err = base64.StdEncoding.DecodeString(text)
	default: // utf8, by the schema
		content = []byte(text)
	}
	return string(content), err
}

func (s *Session) scratchFiles() (int, error) {
	entries, err := fs.ReadDir(s.root.FS(), Scratch)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	return len(entries), err
}

func (s *Session) runHarness(ctx context.Context, call int, args toolcall.Value) (answer, error) {
	id, ref := args.Get("id").Text(), args.Get("input").Text()
	if !slices.Contains(s.fixture.Task.Harness, id) {
		return failed("no_such_harness"), nil
	}
	job := harness.Job{Task: s.fixture.Task.ID}
	if ref != "" {
		content, err := s.read(clean(ref))
		switch {
		case err != nil && problem(err) == "":
			return answer{}, err
		case err != nil, !IsScratch(ref):
			return failed("no_such_input"), nil
		}
		job.Input = []byte(content)
	}
	if id == task.Visible {
		tree, err := s.tree()
		if err != nil {
			return answer{}, err
		}
		job.Tree, job.Input = tree, nil
	} else {
		job.Build = harness.Given
	}
	out, err := s.runner.Run(ctx, job)
	if err != nil {
		return answer{}, err
	}
	return s.ran(call, id, job, out), nil
}

// ran is the answer of a harness.
func (s *Session) ran(call int, id string, job harness.Job, out harness.Output) answer {
	var oracle *string
	if out.Oracle != "" {
		oracle = &out.Oracle
	}
	nonce := trace.Sum(fmt.Appendf(nil, "%s|%d|%d|%s", s.run, call, s.revision, trace.Sum(job.Input)))[:8]
	a := done(struct {
		ID        string  `json:"id"`
		Exit      int     `json:"exit"`
		Oracle    *string `json:"oracle"`
		Stdout    string  `json:"stdout"`
		Nonce     string  `json:"nonce"`
		Fresh     int     `json:"fresh_calls"`
		Truncated bool    `json:"truncated"`
	}{id, out.Exit, oracle, out.Stdout, nonce, Freshness, out.Truncated})
	a.Nonce, a.MS, a.Output = nonce, out.MS, &out
	switch out.Status {
	case harness.TimedOut, harness.Stalled:
		a.status = trace.StatusTimeout
	case harness.SandboxDenied:
		a.status, a.code = trace.StatusSandboxDenied, out.Refused
	}
	return a
}

func (s *Session) applyPatch(args toolcall.Value) (answer, error) {
	files, err := udiff.Parse(args.Get("diff").Text())
	switch {
	case errors.Is(err, udiff.ErrNewFile):
		return failed("new_file"), nil
	case err != nil:
		return failed("bad_diff"), nil
	}
	texts := map[string]string{} // as they become, by path
	var data struct {
		Files    []trace.Write `json:"files"`
		Added    int           `json:"added"`
		Removed  int           `json:"removed"`
		Revision int           `json:"revision"`
	}
	for _, f := range files {
		if _, twice := texts[f.Path]; twice || !slices.Contains(s.fixture.Task.Patchable, f.Path) {
			return failed("not_patchable"), nil
		}
		old, err := s.read(f.Path)
		if err != nil {
			return answer{}, err
		}
		if texts[f.Path], err = f.Apply(old); err != nil {
			return failed("does_not_apply"), nil
		}
		if len(texts[f.Path]) > maxFile {
			return failed("too_large"), nil
		}
		added, removed := f.Count()
		data.Added, data.Removed = data.Added+added, data.Removed+removed
		data.Files = append(data.Files, trace.Write{Path: f.Path, Before: trace.Sum([]byte(old)), After: trace.Sum([]byte(texts[f.Path]))})
	}
	for _, w := range data.Files {
		if err := s.write(w.Path, texts[w.Path]); err != nil {
			return answer{}, err
		}
	}
	s.revision++
	data.Revision = s.revision
	a := done(data)
	a.Writes = data.Files
	return a, nil
}

func (s *Session) submit(args toolcall.Value) (answer, error) {
	sub, err := readReport(args)
	if err != nil {
		return answer{}, err
	}
	sub.SHA256 = trace.Sum([]byte(args.Canonical()))
	a := done(accepted{true})
	a.Inputs = map[string]string{}
	sub.Inputs = []trace.Input{}
	for _, ref := range sub.InputRef {
		content, err := s.read(clean(ref))
		switch {
		case err != nil && problem(err) == "":
			return answer{}, err
		case err != nil:
			continue // what it names is not there: the grader says so
		}
		sum := trace.Sum([]byte(content))
		sub.Inputs = append(sub.Inputs, trace.Input{Ref: ref, SHA256: sum, Bytes: len(content)})
		a.Inputs[sum] = content
	}
	diff, err := s.Diff()
	if err != nil {
		return answer{}, err
	}
	if a.TreeDiff = diff; diff != "" {
		sub.TreeDiffSHA = trace.Sum([]byte(diff))
	}
	a.Submission = &sub
	return a, nil
}

// Diff returns what differs between the tree and the one that was given.
func (s *Session) Diff() (string, error) {
	tree, err := s.tree()
	if err != nil {
		return "", err
	}
	var diff strings.Builder
	for _, f := range tree {
		diff.WriteString(udiff.Make(f.Path, s.given[f.Path], f.Text))
	}
	return diff.String(), nil
}
