package facts

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/constraint"
)

// Input is what Answer needs to know. The zero Input answers no question.
type Input struct {
	Questions []constraint.Question
	Session   Session
	Key       []byte   // of leaves and marks; needed only where provenance or digests are asked for
	Cwd       string   // working directory of the call, absolute; "" is unknown
	Own       []string // directories of the gate itself, links followed: no pattern covers what lies in them
	Places    constraint.Places
	Path      string // PATH of the commands that are asked about; "" is unknown
}

// Answer answers the questions. One that cannot be answered is left out: it is
// not known. An error means that facts could not be gathered at all, so that
// the call must be blocked.
func Answer(ctx context.Context, in Input) (constraint.Answers, error) {
	a := constraint.Answers{
		Files:     map[string]constraint.File{},
		Stated:    map[string]bool{},
		Mentioned: map[string]bool{},
		Digests:   map[string][]string{},
		Shell:     map[string]constraint.Shell{},
		Places:    in.Places,
	}
	var w *witness // made when first needed
	get := func() (_ *witness, err error) {
		if w == nil {
			w, err = newWitness(in.Key, in.Session)
		}
		return w, err
	}
	for _, q := range in.Questions {
		if err := ctx.Err(); err != nil {
			return constraint.Answers{}, fmt.Errorf("gathering facts: %w", err)
		}
		if q.Signal != nil {
			continue // package signals looks
		}
		var err error
		if q.File != nil {
			err = in.answerFile(a, q.Key, *q.File)
		} else if q.Shell != nil {
			err = in.answerShell(ctx, a, q.Key, *q.Shell)
		} else if w, err = get(); err == nil {
			err = w.answer(a, q)
		}
		if err != nil {
			return constraint.Answers{}, fmt.Errorf("answering question %q: %w", q.Key, err)
		}
	}
	return a, nil
}

// answer answers a question about what was said or done in the session.
func (w *witness) answer(a constraint.Answers, q constraint.Question) error {
	switch {
	case q.Stated != nil:
		a.Stated[q.Key] = w.stated(*q.Stated)
	case q.Mention != nil:
		if len(w.turns) > 0 { // else it is not known what the user said
			a.Mentioned[q.Key] = w.mentioned(*q.Mention)
		}
	case q.Digest != nil:
		a.Digests[q.Key] = w.digests(*q.Digest)
	default:
		return errors.New("it asks nothing")
	}
	return nil
}

// answerFile answers q unless its text is relative and nothing says to what.
func (in Input) answerFile(a constraint.Answers, key string, q constraint.FileQuestion) error {
	base, known := in.Cwd, in.Cwd != ""
	if q.Base != "" {
		base, known = in.Places.Expand(q.Base)
	}
	if !known && !filepath.IsAbs(q.Text) {
		return nil
	}
	f, err := Resolve(q.Text, base)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(in.Own, func(dir string) bool { return holds(dir, f.Path) }) {
		f = constraint.File{Special: true}
	}
	a.Files[key] = f
	return nil
}

// holds says whether a directory is, or lies above, a path. Letter case is not
// looked at: where the file system does, nobody loses much by it.
func holds(dir, path string) bool {
	dir = strings.TrimSuffix(filepath.ToSlash(dir), "/")
	return len(path) >= len(dir) && strings.EqualFold(path[:len(dir)], dir) && (len(path) == len(dir) || path[len(dir)] == '/')
}
