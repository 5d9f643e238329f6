package corpus

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/toolcall"
)

// LeastPerDomain is how many cases a domain of our own corpora has at least,
// those that count as one counted once.
const LeastPerDomain = 12

// shortest is the number of words below which a deciding sentence names
// nothing.
const shortest = 5

// Problem is one reason why a corpus is refused.
type Problem struct {
	File string `json:"file"`
	Line int    `json:"line"` // from 1
	What string `json:"what"`
	Do   string `json:"do"` // what to do about it
}

func (p Problem) String() string { return fmt.Sprintf("%s:%d: %s; %s", p.File, p.Line, p.What, p.Do) }

// Same is a case that counts as one with an earlier case.
type Same struct {
	File       string  `json:"file"`
	Line       int     `json:"line"`
	Name       string  `json:"name"`
	Earlier    string  `json:"earlier"` // FILE:LINE
	Similarity float64 `json:"similarity"`
}

// Domain counts the cases of one case file.
type Domain struct {
	Name     string `json:"name"`
	Cases    int    `json:"cases"`
	Distinct int    `json:"distinct"`
	Benign   int    `json:"benign"`
	Attacks  int    `json:"attacks"`
}

// Checked is what Lint found.
type Checked struct {
	Problems []Problem `json:"problems"`
	Domains  []Domain  `json:"domains"`
	Same     []Same    `json:"same"` // cases that count as one with another
}

// Lint checks files of our own cases against the rules of our corpora: each
// case names its kind and its tags and says what decides, an attack has a
// harmless twin on the same tool, and a domain has at least so many cases,
// neither kind of them rare. The error is that a file cannot be read.
func Lint(paths []string, least int) (*Checked, error) {
	files, err := cases.Find(paths...)
	if err != nil {
		return nil, err
	}
	l := linter{}
	for _, file := range files {
		suite, _, err := cases.Read(file)
		if err != nil {
			return nil, err
		}
		known, err := suite.Contract.Load()
		if err != nil {
			return nil, err
		}
		l.suite(suite, known)
		l.domain(suite, least)
	}
	return &l.Checked, nil
}

// linter goes through all files; a case counts as one with those of any file.
type linter struct {
	Checked
	distinct []counted
}

// counted is a case that counts.
type counted struct {
	shape shape
	at    string
}

func (l *linter) report(file string, line int, do, format string, args ...any) {
	l.Problems = append(l.Problems, Problem{file, line, fmt.Sprintf(format, args...), do})
}

func (l *linter) suite(s *cases.Suite, known *contract.Contract) {
	for _, c := range s.Cases {
		report := func(do, format string, args ...any) {
			l.report(s.Name, c.Line, do, "case %q "+format, append([]any{c.Name}, args...)...)
		}
		if len(strings.Fields(c.Why)) < shortest {
			report(fmt.Sprintf("say in one sentence of %d words or more which clause or constraint decides", shortest), "does not say what decides: %q", c.Why)
		}
		checkTags(c, report)
		checkKind(c, report)
		if c.Kind == cases.Attack {
			checkTwin(s, known, c, report)
		}
	}
}

type reporter func(do, format string, args ...any)

func checkTags(c cases.Case, report reporter) {
	for _, tag := range c.Tags {
		if _, known := taxonomies[tag]; !known {
			report("use an id of the OWASP agentic or MCP top ten or of MITRE ATLAS that `licet-lab corpus lint --tags` lists", "has the unknown tag %q", tag)
		}
	}
	if c.Kind == cases.Attack && len(c.Tags) == 0 {
		report("name at least one id that `licet-lab corpus lint --tags` lists", "is an attack without tags")
	}
}

func checkKind(c cases.Case, report reporter) {
	last, ok := deciding(c)
	if !ok {
		report("end it with the call that the case is about", "ends without a call")
		return
	}
	switch c.Kind {
	case cases.Benign:
		if last.Expect.Verdict == authz.Block {
			report("an honest call is let through or held: make it an attack with a twin, or expect another verdict", "is benign and expects BLOCK")
		}
		if c.Twin != "" {
			report("name the harmless case in the attack, not the other way round", "is benign and has a twin")
		}
	case cases.Attack:
		if last.Expect.Verdict == authz.Allow {
			report("an attack is stopped or held: expect that, or make the case benign", "is an attack and expects ALLOW")
		}
	default:
		report("write kind: benign or kind: attack", "has no kind")
	}
}

// checkTwin checks that an attack has a harmless twin on the same tool. A call
// whose tool no catalog knows, such as a name that looks like another one, or a
// message that nobody can read, has it on any tool.
func checkTwin(s *cases.Suite, known *contract.Contract, c cases.Case, report reporter) {
	i := slices.IndexFunc(s.Cases, func(other cases.Case) bool { return c.Twin != "" && other.Name == c.Twin })
	if i < 0 {
		report("name in `twin` a benign case of this file that calls the same tool", "is an attack without a harmless twin")
		return
	}
	twin := s.Cases[i]
	if twin.Kind != cases.Benign {
		report("a twin is a benign case", "has the twin %q, which is not harmless", twin.Name)
		return
	}
	tool, offered := target(known, c)
	if other, _ := target(known, twin); offered && tool != other {
		report("name a benign case that calls "+tool, "calls %s, but its twin %q calls %s", tool, twin.Name, other)
	}
}

// deciding returns the last step if it is a call.
func deciding(c cases.Case) (cases.Step, bool) {
	if len(c.Steps) == 0 {
		return cases.Step{}, false
	}
	last := c.Steps[len(c.Steps)-1]
	_, ok := last.Act.(cases.Call)
	return last, ok
}

// target returns what the last step of a case calls. offered says that the
// contract has a catalog with it.
func target(known *contract.Contract, c cases.Case) (name string, offered bool) {
	last, ok := deciding(c)
	if !ok {
		return "", false
	}
	call := last.Act.(cases.Call)
	if call.Raw != nil {
		m, err := toolcall.ParseMessage(call.Raw, toolcall.Bounds{})
		if err != nil {
			return "", false
		}
		read, err := m.Call(call.Agent, call.Server)
		if err != nil {
			return "", false
		}
		call.Tool = read.Tool
	}
	if catalog, ok := known.Catalog(call.Server); ok {
		_, offered = catalog.Approved.Tool(call.Tool)
	}
	return call.Server + "." + call.Tool, offered
}

// domain counts the cases of a file and checks that they are enough.
func (l *linter) domain(s *cases.Suite, least int) {
	d := Domain{Name: domainOf(s.Name), Cases: len(s.Cases)}
	for _, c := range s.Cases {
		switch c.Kind {
		case cases.Benign:
			d.Benign++
		case cases.Attack:
			d.Attacks++
		}
		if !l.sameAsEarlier(s, c) {
			d.Distinct++
		}
	}
	if d.Distinct < least {
		l.report(s.Name, 1, "add cases that differ in more than names and literals", "%s has %d distinct cases, fewer than %d", d.Name, d.Distinct, least)
	}
	if rare := min(d.Benign, d.Attacks); 5*rare < d.Cases {
		l.report(s.Name, 1, "add cases of the rare kind, until it has a fifth of all: attacks may share a twin, but a gate is tried from both sides", "%s has %d benign cases and %d attacks", d.Name, d.Benign, d.Attacks)
	}
	l.Domains = append(l.Domains, d)
}

func (l *linter) sameAsEarlier(s *cases.Suite, c cases.Case) bool {
	mine := shapeOf(c)
	for _, other := range l.distinct {
		if how := mine.similarity(other.shape); how >= sameFrom {
			l.Same = append(l.Same, Same{s.Name, c.Line, c.Name, other.at, how})
			return true
		}
	}
	l.distinct = append(l.distinct, counted{mine, fmt.Sprintf("%s:%d", s.Name, c.Line)})
	return false
}

// domainOf names the domain of a case file: its own name, as a contract may have
// several files.
func domainOf(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(strings.TrimSuffix(base, cases.Suffix), ".yaml")
}

// Print writes a line for each domain, then the problems; with same also the
// cases that count as one.
func (c *Checked) Print(out io.Writer, same bool) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "domain\tcases\tdistinct\tbenign\tattacks\t\n")
	all := Domain{Name: "total"}
	for _, d := range c.Domains {
		d.line(w)
		all.Cases, all.Distinct, all.Benign, all.Attacks = all.Cases+d.Cases, all.Distinct+d.Distinct, all.Benign+d.Benign, all.Attacks+d.Attacks
	}
	all.line(w)
	if err := w.Flush(); err != nil {
		return err
	}
	if same {
		for _, s := range c.Same {
			fmt.Fprintf(out, "%s:%d: case %q counts as one with %s (%.2f)\n", clikit.Printable(s.File), s.Line, clikit.Printable(s.Name), clikit.Printable(s.Earlier), s.Similarity)
		}
	}
	for _, p := range c.Problems {
		fmt.Fprintln(out, clikit.Printable(p.String()))
	}
	return nil
}

func (d Domain) line(w io.Writer) {
	fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t\n", clikit.Printable(d.Name), d.Cases, d.Distinct, d.Benign, d.Attacks)
}

// Tags lists the tags that cases may have, each with its title.
func Tags(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	var ids []string
	for id := range taxonomies {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		fmt.Fprintf(w, "%s\t%s\n", id, taxonomies[id])
	}
	return w.Flush()
}
