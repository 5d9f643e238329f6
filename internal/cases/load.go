package cases

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/toolcall"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// Suffix ends the name of a case file that lies beside its contract.
const Suffix = ".cases.yaml"

// folder is where case files may lie that do not end in Suffix: their contract
// is in the folder above.
const folder = "cases"

// IsFile reports whether a file is a case file by its name: NAME.cases.yaml, or
// any cases/NAME.yaml.
func IsFile(name string) bool {
	dir, base := path.Split(filepath.ToSlash(name))
	return strings.HasSuffix(base, Suffix) || path.Base(dir) == folder && strings.HasSuffix(base, ".yaml")
}

// The words of case files (docs/spec/cases.md).
var (
	fileWords    = yamlwalk.Words{Place: "a case file", Known: []string{"contract", "defaults", "cases"}}
	defaultWords = yamlwalk.Words{Place: "defaults", Known: []string{"agent", "user", "session", "server", "cwd", "files", "results"}}
	caseWords    = yamlwalk.Words{Place: "a case", Known: []string{"name", "why", "kind", "twin", "tags", "files", "call", "expect", "steps"}}
	kindWords    = yamlwalk.Words{Place: "kind", Known: []string{Benign, Attack}}
	linkWords    = yamlwalk.Words{Place: "a file", Known: []string{"link"}}
)

// Load reads a case file and the contract that it is about. name stands for it
// in problems; open reads a file by its path, which counts from the folder of
// the case file. The error is [yamlwalk.Problems]: those of the case file, or
// those for which the contract is refused.
func Load(name string, text []byte, open func(path string) ([]byte, error)) (*Suite, error) {
	l := &loader{Reader: yamlwalk.Reader{File: name, What: "case file"}}
	root := l.Parse(text)
	if root == nil || !l.Mapping(root, fileWords) {
		return nil, l.Problems.Sorted()
	}
	s := &Suite{Name: name}
	if err := l.readContract(s, root, open); err != nil {
		return nil, err
	}
	l.readDefaults(root.Get("defaults"))
	if list := l.Need(root, "cases", fileWords); l.Is(list, toolcall.Array, "a list of cases") {
		for _, n := range l.Elements(list, "cases") {
			s.Cases = append(s.Cases, l.readCase(n))
		}
	}
	l.unique(s.Cases)
	l.twins(s.Cases)
	if len(l.Problems) > 0 {
		return nil, l.Problems.Sorted()
	}
	return s, nil
}

// loader checks the tree of one case file. What it builds is thrown away if
// there is any problem.
type loader struct {
	yamlwalk.Reader
	contract *contract.Contract // nil if it could not be read
	defaults Call
	files    []File                    // of every case
	results  map[string]toolcall.Value // by server.tool: what it returns where a step does not say
}

// readContract reads the contract. The error is that it is refused: then there
// is nothing to say about cases.
func (l *loader) readContract(s *Suite, root *yamlwalk.Node, open func(string) ([]byte, error)) error {
	file, at := "licet.yaml", root
	if path.Base(path.Dir(filepath.ToSlash(s.Name))) == folder && !strings.HasSuffix(s.Name, Suffix) {
		file = "../licet.yaml"
	}
	if n := root.Get("contract"); n != nil {
		if !l.Is(n, toolcall.String, "the file of the contract") {
			return nil
		}
		file, at = n.Text, n
	}
	text, err := open(file)
	if err != nil {
		l.Report(at, `name it with "contract"`, "reading the contract: %v", err)
		return nil
	}
	s.Contract, err = ReadSource(path.Join(path.Dir(filepath.ToSlash(s.Name)), file), text, func(name string) ([]byte, error) {
		if !filepath.IsAbs(name) {
			name = path.Join(path.Dir(file), name)
		}
		return open(name)
	})
	if err != nil {
		return err
	}
	l.contract, err = s.Contract.Load()
	return err
}

// readDefaults reads what holds for every call that does not say otherwise.
func (l *loader) readDefaults(n *yamlwalk.Node) {
	l.defaults = Call{Session: "case"}
	if n == nil || !l.Mapping(n, defaultWords) {
		return
	}
	l.who(n, &l.defaults)
	l.files = l.readFiles(n.Get("files"))
	results := n.Get("results")
	if results == nil || !l.Is(results, toolcall.Object, "a mapping of tools to results") {
		return
	}
	l.results = map[string]toolcall.Value{}
	for _, m := range results.Members {
		l.checkTool(m.Key)
		l.results[m.Key.Text] = l.result(m.Value)
	}
}

// checkTool reports a server.tool that no catalog of the contract has: a
// misspelt one would leave every call without its result.
func (l *loader) checkTool(n *yamlwalk.Node) {
	if l.contract == nil {
		return
	}
	var known []string
	for _, server := range l.contract.Servers() {
		c, _ := l.contract.Catalog(server)
		for _, t := range c.Approved.Tools {
			known = append(known, server+"."+t.Name)
		}
	}
	if !slices.Contains(known, n.Text) {
		l.Report(n, yamlwalk.DidYouMean(n.Text, known), "%q is no tool of the contract's catalogs: expected server.tool", n.Text)
	}
}

// readCase reads one case.
func (l *loader) readCase(n *yamlwalk.Node) Case {
	c := Case{Line: n.Line}
	if !l.Mapping(n, caseWords) {
		return c
	}
	c.Name = l.line(l.Need(n, "name", caseWords), "the name of the case")
	c.Why = l.line(l.Need(n, "why", caseWords), "the clause or constraint that decides, and why")
	l.readMarks(n, &c)
	c.Files = l.readFiles(n.Get("files"))
	for _, f := range slices.Backward(l.files) {
		if !slices.ContainsFunc(c.Files, func(own File) bool { return own.Path == f.Path }) {
			c.Files = slices.Insert(c.Files, 0, f)
		}
	}
	steps := n.Get("steps")
	switch {
	case steps != nil && (n.Get("call") != nil || n.Get("expect") != nil):
		l.Report(n, "", `a case has either "call" and "expect", or "steps"`)
	case steps == nil:
		c.Steps = []Step{l.oneCall(n)}
	case l.Is(steps, toolcall.Array, "a list of steps"):
		for _, item := range l.Elements(steps, "steps") {
			c.Steps = append(c.Steps, l.step(item))
		}
	}
	return c
}

var tagForm = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,100}$`)

// readMarks reads what reports sort cases by.
func (l *loader) readMarks(n *yamlwalk.Node, c *Case) {
	if kind := n.Get("kind"); kind != nil && l.Is(kind, toolcall.String, "a kind") && l.Word(kind, kindWords) {
		c.Kind = kind.Text
	}
	if twin := n.Get("twin"); twin != nil {
		c.Twin = l.line(twin, "the name of another case")
	}
	tags := n.Get("tags")
	if tags == nil || !l.Is(tags, toolcall.Array, "a list of tags") {
		return
	}
	for _, tag := range l.Elements(tags, "tags") {
		if l.Is(tag, toolcall.String, "a tag") && !tagForm.MatchString(tag.Text) {
			l.Report(tag, "use up to 100 letters, digits, dots, _ and -", "%q is no tag", tag.Text)
		}
		c.Tags = append(c.Tags, tag.Text)
	}
	c.Tags = l.Distinct(tags, c.Tags)
}

// line reads a text that is shown to people in one line.
func (l *loader) line(n *yamlwalk.Node, what string) string {
	if !l.Is(n, toolcall.String, what) {
		return ""
	}
	text := strings.TrimSpace(n.Text)
	if text == "" || strings.ContainsAny(text, "\n\t") {
		l.Report(n, "", "expected %s in one line", what)
	}
	return text
}

// unique reports names that occur twice: reports and --run could not tell such
// cases apart.
func (l *loader) unique(all []Case) {
	first := map[string]int{}
	for _, c := range all {
		if line, again := first[c.Name]; again && c.Name != "" {
			l.Report(&yamlwalk.Node{Line: c.Line, Column: 1}, "", "a case named %q stands in line %d, too", c.Name, line)
		}
		first[c.Name] = c.Line
	}
}

// twins reports twins that no other case of the file is.
func (l *loader) twins(all []Case) {
	for _, c := range all {
		named := func(other Case) bool { return other.Name == c.Twin }
		if c.Twin != "" && (c.Twin == c.Name || !slices.ContainsFunc(all, named)) {
			l.Report(&yamlwalk.Node{Line: c.Line, Column: 1}, "", "the twin %q is no other case of this file", c.Twin)
		}
	}
}

var placeForm = regexp.MustCompile(`^\$\{(workspace|home|tmp)\}/`)

// readFiles reads a tree of files; paths without a place lie in the workspace.
func (l *loader) readFiles(n *yamlwalk.Node) []File {
	if n == nil || !l.Is(n, toolcall.Object, "a mapping of files to their content") {
		return nil
	}
	var files []File
	for _, m := range n.Members {
		f := File{Path: m.Key.Text}
		if !placeForm.MatchString(f.Path) {
			f.Path = "${workspace}/" + f.Path
		}
		if err := checkPath(placeForm.ReplaceAllString(f.Path, "")); err != nil {
			l.Report(m.Key, "", "%v", err)
		}
		switch {
		case m.Value.Kind == toolcall.String:
			f.Content = m.Value.Text
		case l.Is(m.Value, toolcall.Object, "the text of the file, or {link: TARGET}") && l.Mapping(m.Value, linkWords):
			f.Link = l.line(l.Need(m.Value, "link", linkWords), "the target of the link")
		}
		files = append(files, f)
	}
	return files
}

// checkPath refuses a path that is not below its place or has two spellings.
func checkPath(p string) error {
	switch {
	case p == "" || p != path.Clean(p) || !filepath.IsLocal(filepath.FromSlash(p)) || strings.ContainsRune(p, 0):
		return fmt.Errorf("%q is no path below a place: expected one such as notes/a.txt or ${home}/a.txt", p)
	case strings.Contains(p, "${"):
		return errors.New("a place stands at the beginning of a path only: ${workspace}, ${home} or ${tmp}")
	}
	return nil
}
