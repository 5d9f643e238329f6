package importer

import (
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/licet-dev/licet/internal/lab/trajectory"
	"github.com/licet-dev/licet/internal/toolcall"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// MappingSchema names the form of a mapping.
const MappingSchema = "licet.authgate.mapping/1"

// Mapping says what the records of a source mean. Pointers are those of RFC 6901, and
// nil where the source does not have the member. Words stand for texts, numbers and
// booleans.
type Mapping struct {
	Schema  string   `json:"schema"`
	Name    string   `json:"name"`    // begins the ids of rows
	Source  string   `json:"source"`  // where the data are from
	License string   `json:"license"` // SPDX
	Notes   []string `json:"notes"`   // what a reader of numbers must know

	ID        *jsontext.Pointer `json:"id"`
	Label     Label             `json:"label"`
	Rationale *jsontext.Pointer `json:"rationale"` // of the label
	Pair      *jsontext.Pointer `json:"pair"`      // records with one value here are a pair
	Reached   *Words            `json:"reached"`   // whether the action came before a gate
	LeaveOut  []Condition       `json:"leave_out"`

	Format     string            `json:"format"`  // of package trajectory, instead of the rest
	Request    *jsontext.Pointer `json:"request"` // a text, or a list of texts
	Trajectory *Calls            `json:"trajectory"`
	Action     *Call             `json:"action"`

	digest string
}

// Label says which words of a record's label are which.
type Label struct {
	At    jsontext.Pointer `json:"at"`
	Block []string         `json:"block"`
	Allow []string         `json:"allow"`
}

// Words are those that a member of a record can be.
type Words struct {
	At jsontext.Pointer `json:"at"`
	Is []string         `json:"is"`
}

// Condition is one under which a record is left out.
type Condition struct {
	At  jsontext.Pointer `json:"at"`
	Is  []string         `json:"is"`
	Why string           `json:"why"`
}

// Call says where the parts of a call stand. Args is an object, or the JSON text of
// one.
type Call struct {
	Tool jsontext.Pointer  `json:"tool"`
	Args *jsontext.Pointer `json:"args"`
	Cwd  *jsontext.Pointer `json:"cwd"`
}

// Calls says where a list of calls stands, and the parts of each in it.
type Calls struct {
	At     jsontext.Pointer  `json:"at"`
	Tool   jsontext.Pointer  `json:"tool"`
	Args   *jsontext.Pointer `json:"args"`
	Result *jsontext.Pointer `json:"result"`
}

//go:embed asse-bench.yaml
var asseBench []byte

// BuiltIn returns the mapping of a name that the program has, and whether there is
// one. [BuiltInNames] are the names.
func BuiltIn(name string) (*Mapping, bool) {
	if name != "asse-bench" {
		return nil, false
	}
	m, err := ReadMapping(name, asseBench)
	if err != nil {
		panic(err) // a test reads it
	}
	return m, true
}

// BuiltInNames are the names of the mappings that the program has.
func BuiltInNames() []string { return []string{"asse-bench"} }

// ReadMapping reads a mapping, which is YAML, strictly. file is its name in errors.
func ReadMapping(file string, text []byte) (*Mapping, error) {
	r := &yamlwalk.Reader{File: file, What: "mapping"}
	root := r.Parse(text)
	if len(r.Problems) > 0 {
		return nil, r.Problems
	}
	if root == nil {
		return nil, fmt.Errorf("%s is empty", file)
	}
	value, ok := r.Value(root)
	if !ok {
		return nil, r.Problems
	}
	m := &Mapping{digest: fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(value.Canonical())))}
	if err := json.Unmarshal([]byte(value.Canonical()), m, json.RejectUnknownMembers(true)); err != nil {
		line := root.Line
		if semantic, ok := errors.AsType[*json.SemanticError](err); ok {
			if at := root.Find(string(semantic.JSONPointer)); at != nil {
				line = at.Line
			}
		}
		return nil, fmt.Errorf("%s:%d: %w", file, line, err)
	}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return m, nil
}

var nameForm = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// longest is how long the name of a mapping may be, so that ids stay short.
const longest = 24

// check returns the first thing that a mapping lacks, or says twice.
func (m *Mapping) check() error {
	switch {
	case m.Schema != MappingSchema:
		return fmt.Errorf("the schema is %q, not %s", m.Schema, MappingSchema)
	case !nameForm.MatchString(m.Name) || len(m.Name) > longest:
		return fmt.Errorf("the name %q is not one of small letters, digits and -, of at most %d", m.Name, longest)
	case m.Source == "" || m.License == "":
		return errors.New("source or license is missing: say where the data are from, and under which licence (SPDX)")
	case len(m.Label.Block) == 0 && len(m.Label.Allow) == 0:
		return errors.New("label: at least one word of block or allow is needed")
	case m.Format == "" && (m.Request == nil || m.Action == nil):
		return errors.New("request and action are needed, or a format")
	case m.Format != "" && (m.Request != nil || m.Action != nil || m.Trajectory != nil):
		return errors.New("with a format, request, trajectory and action come from its reader: leave them out")
	case m.Format != "" && !slices.Contains(trajectory.Formats(), m.Format):
		return fmt.Errorf("the format %q is none of %q", m.Format, trajectory.Formats())
	}
	for _, word := range m.Label.Block {
		if slices.Contains(m.Label.Allow, word) {
			return fmt.Errorf("label: %q means both block and allow", word)
		}
	}
	for _, c := range m.LeaveOut {
		if c.Why == "" || len(c.Is) == 0 {
			return fmt.Errorf("leave_out %s: why and is are needed", c.At)
		}
	}
	if m.Reached != nil && len(m.Reached.Is) == 0 {
		return errors.New("reached: is is needed, the words of what a gate saw")
	}
	for _, p := range m.pointers() {
		if !p.IsValid() {
			return fmt.Errorf("%q is no JSON pointer: write \"/name\", or \"/list/0/name\"", string(p))
		}
	}
	return nil
}

// pointers are all pointers of a mapping.
func (m *Mapping) pointers() []jsontext.Pointer {
	all := []jsontext.Pointer{m.Label.At}
	for _, c := range m.LeaveOut {
		all = append(all, c.At)
	}
	if m.Reached != nil {
		all = append(all, m.Reached.At)
	}
	optional := []*jsontext.Pointer{m.ID, m.Rationale, m.Pair, m.Request}
	if c := m.Action; c != nil {
		all, optional = append(all, c.Tool), append(optional, c.Args, c.Cwd)
	}
	if c := m.Trajectory; c != nil {
		all, optional = append(all, c.At, c.Tool), append(optional, c.Args, c.Result)
	}
	for _, p := range optional {
		if p != nil {
			all = append(all, *p)
		}
	}
	return all
}

// find returns what stands at a pointer, absent if nothing does.
func find(v toolcall.Value, p jsontext.Pointer) toolcall.Value {
	for token := range p.Tokens() {
		if v.Kind() != toolcall.Array {
			v = v.Get(token)
			continue
		}
		next := toolcall.Value{}
		for i := range v.Len() {
			if fmt.Sprint(i) == token {
				next = v.Elem(i)
			}
		}
		v = next
	}
	return v
}

// word returns the text of a scalar, and whether it is one.
func word(v toolcall.Value) (string, bool) {
	switch v.Kind() {
	case toolcall.String:
		return v.Text(), true
	case toolcall.Number, toolcall.Bool:
		return v.Canonical(), true
	}
	return "", false
}
