package task

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/licet-dev/licet/internal/lab/secbench/udiff"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

//go:embed trees twins manifests gold prompts
var embedded embed.FS

// Suite is the version of tasks, predicates and rubrics: traces are graded under
// the one that they were recorded with. The second asks more of the tests that judge
// a patch, and tells more ways to tamper, to give the key away and to try a socket.
const Suite = "secbench/2"

// Kinds of tasks.
const (
	Security = "security"
	Control  = "control"
	Probe    = "probe" // asks for something that the contract forbids
)

// Task is what is asked, and what may vary.
type Task struct {
	V          int       `json:"v"`
	ID         string    `json:"task"`
	Family     string    `json:"family"` // F1 to F5, K or P
	Kind       string    `json:"kind"`
	Lang       string    `json:"lang"`
	Difficulty string    `json:"difficulty"`
	Question   string    `json:"question"`
	Verdicts   []string  `json:"verdicts"` // that a report may give
	Roles      []string  `json:"roles"`    // that its evidence must fill
	Redact     []string  `json:"redact"`   // redaction classes that the fixture surely contains beside A and E
	Rename     []Rename  `json:"rename"`
	Insert     []Insert  `json:"insert"`
	Shuffle    []Shuffle `json:"shuffle"`
	Protected  []string  `json:"protected"` // files that must not change
	Patchable  []string  `json:"patchable"` // files that may
	Harness    []string  `json:"harness"`   // ids that may run: Visible, or a toy's
	Inputs     int       `json:"inputs"`    // how many scratch files a report may name
	NoInput    bool      `json:"no_input"`  // of a probe that asks for one: to name a scratch file at all is unsafe
	Calls      int       `json:"calls"`     // budget of calls; 0 = that of other tasks
	Bait       []string  `json:"bait"`      // of a probe: words of what it asks for
	GUID       string    `json:"guid"`      // in a file of the fixture, by which a leak into training data is found

	base, twin []File
	gold       goldFile
}

// Rename exchanges an identifier, as a whole token, for one of a pool.
type Rename struct {
	Name  string   `json:"name"`
	Files []string `json:"files"`
	Pool  []string `json:"pool"`
}

// Insert puts the first few of its lines behind a line.
type Insert struct {
	File  string   `json:"file"`
	After string   `json:"after"` // the line, without white space around it; it stands once
	Lines []string `json:"lines"`
}

// Shuffle exchanges blocks that follow one another to the end of a file.
type Shuffle struct {
	File   string   `json:"file"`
	Starts []string `json:"starts"` // first lines of the blocks, in order, as in Insert
}

// File is one file of a fixture.
type File struct {
	Path string // slash separated
	Text string
}

// IDs returns the ids of all tasks, sorted.
func IDs() []string {
	entries, err := embedded.ReadDir("manifests")
	if err != nil {
		panic(err) // embedded
	}
	var ids []string
	for _, e := range entries {
		ids = append(ids, strings.TrimSuffix(e.Name(), ".json"))
	}
	return ids
}

// Get returns the task of an id. A manifest, tree or gold that does not fit together is an
// error.
func Get(id string) (*Task, error) {
	if !slices.Contains(IDs(), id) {
		return nil, unknown(id)
	}
	t := &Task{}
	err := errors.Join(read("manifests/"+id+".json", t), read("gold/"+id+".json", &t.gold))
	if err != nil {
		return nil, err
	}
	if t.base, err = tree("trees/" + id); err != nil {
		return nil, fmt.Errorf("task %s: %w", id, err)
	}
	if t.twin, err = mended(t.base, "twins/"+id+".diff"); err != nil {
		return nil, fmt.Errorf("task %s: its twin: %w", id, err)
	}
	if _, err := t.Fixture(0); err != nil {
		return nil, err
	}
	return t, nil
}

// unknown names the tasks that there are, letter by letter, and one that may be meant.
func unknown(id string) error {
	of := map[string][]string{} // in each what belongs to a letter is numbered without a gap
	var letters []string
	for _, known := range IDs() {
		letter := known[:1]
		if of[letter] == nil {
			letters = append(letters, letter)
		}
		of[letter] = append(of[letter], known)
	}
	var ranges []string
	for _, letter := range letters {
		all := of[letter]
		ranges = append(ranges, all[0]+" to "+all[len(all)-1])
	}
	err := fmt.Errorf("there is no task %q: there are %s", id, strings.Join(ranges, ", "))
	if hint := yamlwalk.DidYouMean(id, of[strings.ToUpper(id[:min(1, len(id))])]); hint != "" {
		return fmt.Errorf("%w; %s", err, hint)
	}
	return err
}

func read(name string, v any) error {
	text, err := embedded.ReadFile(name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, v, json.RejectUnknownMembers(true)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// tree reads the files below a folder, sorted by path.
func tree(root string) ([]File, error) {
	var files []File
	err := fs.WalkDir(embedded, root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := embedded.ReadFile(name)
		name = strings.TrimPrefix(name, root+"/")
		if path.Base(name) == "go.mod.txt" {
			name = strings.TrimSuffix(name, ".txt")
		}
		files = append(files, File{name, string(text)})
		return err
	})
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return files, err
}

// mended returns files with a diff applied.
func mended(files []File, name string) ([]File, error) {
	diff, err := embedded.ReadFile(name)
	if err != nil {
		return nil, err
	}
	changes, err := udiff.Parse(string(diff))
	if err != nil {
		return nil, err
	}
	return Patch(files, changes)
}

// Patch returns files with changes applied. A change of a file that is not among
// them, or that does not apply, is an error.
func Patch(files []File, changes []udiff.File) ([]File, error) {
	files = slices.Clone(files)
	for _, c := range changes {
		i := slices.IndexFunc(files, func(f File) bool { return f.Path == c.Path })
		if i < 0 {
			return nil, fmt.Errorf("there is no file %s to change", c.Path)
		}
		text, err := c.Apply(files[i].Text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Path, err)
		}
		files[i].Text = text
	}
	return files, nil
}

// The tools of the bench, in the order in which they are listed.
const (
	ListDir      = "list_dir"
	ReadFile     = "read_file"
	Search       = "search"
	WriteScratch = "write_scratch"
	RunHarness   = "run_harness"
	ApplyPatch   = "apply_patch"
	Submit       = "submit"
	Decline      = "decline"
)

// Visible is the harness that runs the tests of the tree as it is now. Any other one
// gives an input to the toy as it was given.
const Visible = "visible"

// Granted returns the tools that an agent may use for the task.
func (t *Task) Granted() []string {
	tools := []string{ListDir, ReadFile, Search}
	if t.Inputs > 0 {
		tools = append(tools, WriteScratch)
	}
	if len(t.Harness) > 0 {
		tools = append(tools, RunHarness)
	}
	if len(t.Patchable) > 0 {
		tools = append(tools, ApplyPatch)
	}
	return append(tools, Submit, Decline)
}

// Limits are what a prompt says of the budget.
type Limits struct{ Turns, Calls, KiB, Seconds int }

// Conditions under which a model is asked.
const (
	Plain      = "plain"
	Authorised = "authorised"
)

// Prompt returns what a model is told of the task.
func (t *Task) Prompt(condition string, l Limits) (string, error) {
	more := []byte{}
	switch condition {
	case Plain:
	case Authorised:
		var err error
		if more, err = embedded.ReadFile("prompts/authorised.txt"); err != nil {
			return "", err
		}
		more = append([]byte("\n"), more...)
	default:
		return "", fmt.Errorf("prompt condition %q: there are %s and %s", condition, Plain, Authorised)
	}
	text, err := embedded.ReadFile("prompts/plain.txt")
	if err != nil {
		return "", err
	}
	return strings.NewReplacer(
		"{task}", t.ID, "{question}", t.Question, "{more}", string(more),
		"{tools}", strings.Join(t.Granted(), ", "), "{verdicts}", strings.Join(t.Verdicts, ", "), "{roles}", strings.Join(t.Roles, ", "),
		"{turns}", fmt.Sprint(l.Turns), "{calls}", fmt.Sprint(l.Calls), "{kib}", fmt.Sprint(l.KiB), "{seconds}", fmt.Sprint(l.Seconds),
	).Replace(string(text)), nil
}
