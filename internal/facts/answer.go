package facts

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/licet-dev/licet/internal/constraint"
)

// Input is what Answer needs to know. The zero Input answers no question.
type Input struct {
	Questions []constraint.Question
	Session   Session
	Key       []byte // of the session's leaves; needed only where a StatedQuestion is asked
	Cwd       string // working directory of the call, absolute; "" is unknown
	Places    constraint.Places
}

// Answer answers the questions. One that cannot be answered is left out: it is
// not known. An error means that facts could not be gathered at all, so that
// the call must be blocked.
func Answer(ctx context.Context, in Input) (constraint.Answers, error) {
	a := constraint.Answers{
		Files:  map[string]constraint.File{},
		Stated: map[string]bool{},
		Places: in.Places,
	}
	var w *witness // made when first needed
	for _, q := range in.Questions {
		if err := ctx.Err(); err != nil {
			return constraint.Answers{}, fmt.Errorf("gathering facts: %w", err)
		}
		var err error
		switch {
		case q.File != nil:
			err = in.answerFile(a, q.Key, *q.File)
		case q.Stated != nil:
			if w == nil {
				w, err = newWitness(in.Key, in.Session)
			}
			if err == nil {
				a.Stated[q.Key] = w.stated(*q.Stated)
			}
		default:
			err = errors.New("it asks nothing")
		}
		if err != nil {
			return constraint.Answers{}, fmt.Errorf("answering question %q: %w", q.Key, err)
		}
	}
	return a, nil
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
	if err == nil {
		a.Files[key] = f
	}
	return err
}
