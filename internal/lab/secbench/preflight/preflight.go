package preflight

import (
	"context"

	"github.com/licet-dev/licet/internal/lab/secbench/sandbox"
)

// Config is what is checked.
type Config struct {
	Box   sandbox.Box // its Self calls Inside with the words that follow it
	Tools Tools       // nil = those of the bench
	Only  []string    // codes; nil = all
	Toys  bool        // only toys will run: the checks of builds are left out
	Dir   string      // empty folder to lay out files in; "" = a temporary one
}

// Tools reach files of a workspace from this process. An error is that they refused.
type Tools interface {
	Read(ctx context.Context, workspace, name string) error
	Write(ctx context.Context, workspace, name string) error
}

// Finding is what came of a check.
type Finding struct {
	Code   string   `json:"code"`
	What   string   `json:"what"` // must not work
	Held   bool     `json:"held"`
	Worked []string `json:"worked"` // all the same, or why it is not known
	MS     int      `json:"ms"`
}

// Report is what came of all.
type Report struct {
	Layers   []string  `json:"layers"`
	Warning  string    `json:"warning"` // of what no check is about
	Findings []Finding `json:"findings"`
}

// Broken returns the codes of the checks that did not hold.
func (r Report) Broken() []string {
	codes := []string{}
	for _, f := range r.Findings {
		if !f.Held {
			codes = append(codes, f.Code)
		}
	}
	return codes
}
