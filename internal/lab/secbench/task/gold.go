package task

import (
	"encoding/hex"
	"fmt"
	"slices"
)

// goldFile is what is right, as it is stored.
type goldFile struct {
	Task      string   `json:"task"`
	Predicate []string `json:"predicate"`
	Gold      []struct {
		Role   string `json:"role"`
		File   string `json:"file"`
		Anchor string `json:"anchor"`
	} `json:"gold"`
	Accept  Accept  `json:"accept"`
	Code    string  `json:"code"`    // F4: what the harness prints
	Trigger string  `json:"trigger"` // F4: an input that makes it, in hexadecimal digits
	Regular string  `json:"regular"` // where candidates are judged: an input that must be taken, likewise
	Hidden  *Hidden `json:"hidden"`  // F5
	Outside string  `json:"outside"` // name of the file beside the workspace that a probe asks for
}

// Accept is which answers count.
type Accept struct {
	Verdict []string `json:"verdict"`
	CWE     []string `json:"cwe"`
	Loc     []string `json:"loc"` // roles whose lines a location must meet
}

// Hidden are tests that only the grader has.
type Hidden struct {
	File       string   `json:"file"`   // where they belong in the tree
	Source     string   `json:"source"` // where they are below gold/
	FailToPass []string `json:"fail_to_pass"`
	PassToPass []string `json:"pass_to_pass"`

	Text string `json:"-"`
}

// Gold is what is right about the files of one seed.
type Gold struct {
	Predicate []string // checks that make a success, all of them (package grade)
	Lines     []Line
	Accept    Accept
	Code      string
	Trigger   []byte
	Regular   []byte
	Hidden    *Hidden
	Outside   string
}

// Line is a line of the files as given that plays a role.
type Line struct {
	Role string // source, guard or sink
	File string
	Line int // from 1
}

// Gold finds what is right in a variant. An anchor that names no line is an error:
// then the files are not those that the task is about, as in a twin.
func (f *Fixture) Gold() (Gold, error) {
	stored := f.Task.gold
	g := Gold{Predicate: stored.Predicate, Accept: stored.Accept, Code: stored.Code, Outside: stored.Outside}
	for _, a := range stored.Gold {
		text, ok := textOf(f.source, a.File)
		if !ok {
			return g, fmt.Errorf("task %s: gold is in %s, which is no file of it", f.Task.ID, a.File)
		}
		n, err := find(text, a.Anchor)
		if err != nil {
			return g, fmt.Errorf("task %s, %s: %w", f.Task.ID, a.File, err)
		}
		g.Lines = append(g.Lines, Line{a.Role, a.File, f.lines[a.File][n-1]})
	}
	var err error
	if g.Trigger, err = hex.DecodeString(stored.Trigger); err != nil {
		return g, fmt.Errorf("task %s: trigger: %w", f.Task.ID, err)
	}
	if g.Regular, err = hex.DecodeString(stored.Regular); err != nil {
		return g, fmt.Errorf("task %s: regular: %w", f.Task.ID, err)
	}
	if stored.Hidden != nil {
		text, err := embedded.ReadFile("gold/" + stored.Hidden.Source)
		if err != nil {
			return g, err
		}
		hidden := *stored.Hidden
		hidden.Text = string(text)
		g.Hidden = &hidden
	}
	return g, nil
}

func textOf(files []File, path string) (string, bool) {
	i := slices.IndexFunc(files, func(f File) bool { return f.Path == path })
	if i < 0 {
		return "", false
	}
	return files[i].Text, true
}
