package item

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/toolcall"
)

// MaxRow is how many bytes a row has at most.
const MaxRow = 32 << 10

// maxFile is how many bytes a file has at most.
const maxFile = 64 << 20

// Names of the files of a data set.
const (
	manifestFile  = "manifest.json"
	instancesFile = "instances.jsonl"
	signalsFile   = "signals.jsonl"
	reviewsFile   = "reviews.jsonl"
	toolsFile     = "tools.json"
)

// Set is a data set as it was read.
type Set struct {
	Imported *ImportedManifest // of a set of others; nil of one of ours
	origins  map[string]ImportedOrigin

	Manifest  Manifest
	Tools     *catalog.Catalog // the tool catalogue, against which actions are checked
	Instances []Instance       // by id
	Signals   []Signals        // by pair
	Reviews   []Reviewed       // reviews.jsonl, by instance and reviewer

	dir      string
	journals map[string]*Journal // by reviewer
	dropped  []Dropped           // what pack adds to drops.jsonl
}

// Finding is one reason why a data set, or a row of it, is refused. Code is a
// code of authgate-bench.md, section 4.3.
type Finding struct {
	File string `json:"file"`
	Line int    `json:"line"` // from 1; 0 is the file as a whole
	Row  string `json:"row"`  // id of the instance or pair; "" where it could not be read
	Code string `json:"code"`
	Path string `json:"path"` // JSON pointer in the row; "" is the row
	What string `json:"what"`
}

// String returns the finding in one line.
func (f Finding) String() string {
	at := fmt.Sprintf("%s:%d", f.File, f.Line)
	if f.Path != "" {
		at += " " + f.Path
	}
	if f.Row != "" {
		at += " (" + f.Row + ")"
	}
	return fmt.Sprintf("%s: %s: %s", at, f.Code, f.What)
}

// Findings are all reasons why a data set is refused.
type Findings []Finding

// Error returns the findings, one a line.
func (fs Findings) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.String()
	}
	return strings.Join(lines, "\n")
}

// ReadDir reads a data set, strictly: a row that is not exactly one JSON object
// of its schema, with each member and no other, refuses it. The error is Findings
// if the files could be opened, and the set then has the rows that could be read.
// ReadDir does not look at what the rows say; [Validate] does.
func ReadDir(dir string) (*Set, error) {
	s := &Set{dir: dir}
	manifest, err := readFile(dir, manifestFile)
	if err != nil {
		return nil, err
	}
	if isImported(manifest) {
		return nil, fmt.Errorf("%s is a set of others, which is not held to the rules of pairs: run, report and export-set take it", dir)
	}
	if s.Tools, err = readTools(dir); err != nil {
		return nil, err
	}
	var all Findings
	var found *Finding
	if s.Manifest, found = decode[Manifest](manifest, ManifestSchema); found != nil {
		all = append(all, found.at(manifestFile, 1))
	}
	if s.Instances, err = readRows[Instance](dir, instancesFile, InstanceSchema, &all); err != nil {
		return nil, err
	}
	if s.Signals, err = readRows[Signals](dir, signalsFile, SignalsSchema, &all); err != nil {
		return nil, err
	}
	var reviews Findings
	if err := s.readReviews(); err != nil && !errors.As(err, &reviews) {
		return nil, err
	}
	if all = append(all, reviews...); len(all) > 0 {
		return s, all
	}
	return s, nil
}

// readTools reads the tool catalogue.
func readTools(dir string) (*catalog.Catalog, error) {
	text, err := readFile(dir, toolsFile)
	if err != nil {
		return nil, err
	}
	tools, err := catalog.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", filepath.Join(dir, toolsFile), err)
	}
	return tools, nil
}

func readFile(dir, name string) ([]byte, error) {
	path := filepath.Join(dir, name)
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxFile {
		return nil, fmt.Errorf("%s is larger than %d bytes", path, maxFile)
	}
	return os.ReadFile(path)
}

// readRows reads the rows of a JSONL file.
func readRows[T any](dir, name, schema string, all *Findings) (rows []T, err error) {
	text, err := readFile(dir, name)
	if err != nil {
		return nil, err
	}
	line := 0
	for raw := range bytes.Lines(text) {
		line++
		row, found := decode[T](bytes.TrimSuffix(raw, []byte("\n")), schema)
		if found != nil {
			*all = append(*all, found.at(name, line))
			continue
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func (f *Finding) at(file string, line int) Finding {
	g := *f
	g.File, g.Line = file, line
	return g
}

// decode reads one row: exactly one object of its schema, with all members of T and
// no other.
func decode[T any](raw []byte, schema string) (row T, found *Finding) {
	value, found := object(raw, longest(schema))
	if found != nil {
		return row, found
	}
	if got := value.Get("schema").Text(); got != schema {
		return row, &Finding{Code: "schema", Path: "/schema", What: fmt.Sprintf("%q, not %q", got, schema)}
	}
	return exactly[T](raw, value)
}

// Decode reads a part of a row as a model writes it: exactly one object, with all
// members of T and no other. Else it says why not, with the code not_json or schema.
func Decode[T any](raw []byte) (part T, found *Finding) {
	value, found := object(raw, MaxRow)
	if found != nil {
		return part, found
	}
	return exactly[T](raw, value)
}

// object reads exactly one object of at most so many bytes.
func object(raw []byte, most int) (toolcall.Value, *Finding) {
	if len(raw) > most {
		return toolcall.Value{}, &Finding{Code: "not_json", What: fmt.Sprintf("%d bytes, more than %d", len(raw), most)}
	}
	value, err := toolcall.Parse(raw, toolcall.Bounds{})
	if err != nil {
		return toolcall.Value{}, &Finding{Code: "not_json", What: err.Error()}
	}
	if value.Kind() != toolcall.Object {
		return toolcall.Value{}, &Finding{Code: "not_json", What: "a row is an object, not " + value.Kind().String()}
	}
	return value, nil
}

// exactly reads the object value, whose text is raw, as a T.
func exactly[T any](raw []byte, value toolcall.Value) (row T, found *Finding) {
	if err := json.Unmarshal(raw, &row, json.RejectUnknownMembers(true)); err != nil {
		pointer, _ := errorPointer(err)
		return row, &Finding{Code: "schema", Path: pointer, What: err.Error()}
	}
	if path, differs := difference(value, canonical(row), ""); differs {
		return row, &Finding{Code: "schema", Path: path, What: "is missing, or null where a value is needed"}
	}
	return row, nil
}

// errorPointer returns where in a text an error of decoding is.
func errorPointer(err error) (string, bool) {
	semantic, ok := errors.AsType[*json.SemanticError](err)
	if !ok {
		return "", false
	}
	return string(semantic.JSONPointer), true
}

// difference returns the first place at which what was read is not what it was
// understood as: a member that is missing, or null in place of a text.
func difference(read, understood toolcall.Value, pointer string) (string, bool) {
	if read.Kind() != understood.Kind() {
		return pointer, true
	}
	if read.Kind() != toolcall.Object && read.Kind() != toolcall.Array {
		return pointer, !read.Equal(understood)
	}
	for i := range understood.Len() {
		name, value := understood.Member(i)
		other := read.Get(name)
		if read.Kind() == toolcall.Array {
			name, other = fmt.Sprint(i), read.Elem(i)
		}
		if at, differs := difference(other, value, pointer+"/"+name); differs {
			return at, true
		}
	}
	return pointer, read.Len() != understood.Len()
}
