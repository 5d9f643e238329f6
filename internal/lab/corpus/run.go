package corpus

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/lab/doors"
)

// Corpus is what files of cases hold.
type Corpus struct{ all []planned }

// Surface of our own case files in reports; those of the bypass corpus are mcp,
// policy, approval, bash and hook.
const Surface = "cases"

// Surfaces lists all surfaces in the order of reports.
func Surfaces() []string { return []string{"mcp", "policy", "approval", "bash", "hook", Surface} }

// Bypass is the domain of the rows of a bypass corpus.
const Bypass = "bypass"

// Open reads files, and all case files and bypass corpora below folders: a bypass
// corpus ends in .jsonl, all others are case files.
func Open(paths ...string) (*Corpus, error) {
	c := &Corpus{}
	files, err := find(paths)
	if err != nil {
		return nil, err
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var more []planned
		if strings.HasSuffix(path, ".jsonl") {
			more, err = read(path, text)
		} else {
			more, err = readCases(path, text)
		}
		if err != nil {
			return nil, err
		}
		c.all = append(c.all, more...)
	}
	return c, nil
}

// find returns the files among paths and those below the folders among them.
func find(paths []string) (files []string, err error) {
	for _, root := range paths {
		before := len(files)
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && (path == root || cases.IsFile(path) || strings.HasSuffix(path, bypassFile)) {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(files) == before {
			return nil, fmt.Errorf("%s: holds no case file and no bypass corpus", root)
		}
	}
	return files, nil
}

// bypassFile ends the name of a bypass corpus in a folder, where other files of
// lines lie, too.
const bypassFile = "cases.jsonl"

func readCases(path string, text []byte) (all []planned, err error) {
	s, err := cases.Load(path, text, func(name string) ([]byte, error) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(path), filepath.FromSlash(name))
		}
		return os.ReadFile(name)
	})
	if err != nil {
		return nil, err
	}
	for _, one := range s.Cases {
		suite := *s
		suite.Cases = []cases.Case{one}
		p := planned{id: path + ": " + one.Name, domain: domainOf(path), surface: Surface, suite: &suite, last: len(one.Steps) - 1}
		if one.Steps != nil {
			p.expected = one.Steps[p.last].Expect.Verdict
		}
		all = append(all, p)
	}
	return all, nil
}

// On returns the cases of the named surfaces alone.
func (c *Corpus) On(surfaces []string) *Corpus {
	kept := slices.DeleteFunc(slices.Clone(c.all), func(p planned) bool { return !slices.Contains(surfaces, p.surface) })
	return &Corpus{kept}
}

// Entry is one case of a corpus.
type Entry struct {
	ID, Domain, Surface string
	Expected            authz.Verdict // of the last call
	Suite               *cases.Suite  // of this case alone; nil if it needs what this version does not have
}

// Entries returns the cases, in the order of the rows of reports.
func (c *Corpus) Entries() []Entry {
	all := make([]Entry, len(c.all))
	for i, p := range c.all {
		all[i] = Entry{p.id, p.domain, p.surface, p.expected, p.suite}
	}
	return all
}

// Run plays every case on a door.
func (c *Corpus) Run(ctx context.Context, door cases.Door) (*Report, error) {
	var suites []*cases.Suite
	for _, p := range c.all {
		if p.suite != nil {
			suites = append(suites, p.suite)
		}
	}
	results, err := cases.Run(ctx, door, suites, cases.Options{})
	if err != nil {
		return nil, err
	}
	r := &Report{}
	for _, p := range c.all {
		if p.suite == nil {
			r.add(p.waiting())
			continue
		}
		r.add(p.judge(results[0]))
		results = results[1:]
	}
	return r, nil
}

// waiting is the row of a case that this version cannot ask.
func (p planned) waiting() Row {
	return Row{ID: p.id, Domain: p.domain, Surface: p.surface, Status: Waiting, Expected: p.expected, For: p.waits.For, Reason: p.waits.Need}
}

// judge compares what came of a case with what was expected.
func (p planned) judge(r cases.Result) Row {
	row := Row{ID: p.id, Domain: p.domain, Surface: p.surface, Expected: p.expected, Answers: r.Answers}
	if r.Case != nil {
		row.Why, row.Kind, row.Tags = r.Case.Why, r.Case.Kind, r.Case.Tags
	}
	if n := len(r.Answers); n > 0 {
		row.Got, row.Code = r.Answers[n-1].Verdict, code(r.Answers[n-1])
	}
	unmet, cannot := doors.Unmet{}, cases.Inexpressible{}
	switch {
	case r.Status == cases.Passed:
		row.Status = Passed
	case errors.As(r.Err, &cannot):
		row.Status, row.Reason = Inexpressible, cannot.Why
	case r.Status == cases.Wrong:
		row.Status, row.Reason = Wrong, difference(r)
		if r.Step >= p.last && r.Got.Verdict < r.Want.Verdict { // a smaller verdict is stricter
			row.Status = Stricter
		}
	case errors.As(r.Err, &unmet):
		row.Status, row.Reason = Wrong, unmet.Why
	default:
		row.Status, row.Reason = Broken, r.Err.Error()
	}
	if d, ok := disputed[p.id]; ok && row.Got == d.answer && (row.Status == Wrong || row.Status == Stricter) {
		row.Status, row.Reason = Disputed, d.why
	}
	if why, ok := admitted[p.key()]; ok && row.Status == Wrong && row.Got == authz.Allow {
		row.Status, row.Reason = Admitted, why
	}
	return row
}

// key names a case wherever its file lies.
func (p planned) key() string {
	_, name, _ := strings.Cut(p.id, ": ")
	return p.domain + ": " + name
}

func code(a cases.Answer) authz.Code { return authz.Decision{Reasons: a.Reasons}.Code() }

func difference(r cases.Result) string {
	s := fmt.Sprintf("step %d: want %s", r.Step+1, r.Want.Verdict)
	if r.Want.Code != "" {
		s += fmt.Sprintf(" (%s)", r.Want.Code)
	}
	s += fmt.Sprintf(", got %s (%s)", r.Got.Verdict, code(r.Got))
	if len(r.Got.Reasons) > 0 {
		s += ": " + strings.Trim(r.Got.Reasons[0].Clause+": "+r.Got.Reasons[0].Detail, ": ")
	}
	return s
}
