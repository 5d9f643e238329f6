package constraint

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	fault "github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/licet-dev/licet/internal/toolcall"
)

// Schema checks the arguments of a call against the input schema of its tool
// (contract language, section 2, rule 4). They must be valid, and closed: a
// member that no part of the schema declares is refused. It is immutable and
// safe for concurrent use.
//
// Which members count as declared. A place in the arguments is judged by the
// subschemas that apply there: the one that the place above leads to and, at
// the same place, those under $ref, allOf, anyOf, oneOf, if, then, else and
// dependentSchemas, whichever branch the value takes. If none of them has
// `properties`, the place is a free-form map and its keys are data. Else each
// member must stand in the `properties` of one of them or match one of their
// `patternProperties`. Where one of them says in writing what other members are
// (`additionalProperties` or `unevaluatedProperties` other than false), others
// are data too. A member that differs from a declared one only in letter case
// is refused everywhere, because some servers take the one for the other.
type Schema struct {
	root  *node
	full  *jsonschema.Schema // nil where the walk from root asserts all there is
	extra bool
}

// ArgumentError says why arguments do not fit the schema. It names places and
// keywords, never a value, so it may be recorded where values may not.
type ArgumentError struct {
	Pointer string // the value at fault, as JSON Pointer (RFC 6901) within the arguments
	Msg     string
}

// Error returns place and message.
func (e *ArgumentError) Error() string {
	if e.Pointer == "" {
		return "arguments: " + e.Msg
	}
	return "argument " + cut(e.Pointer) + ": " + e.Msg
}

// under returns e as seen from the value that holds the one it counts from.
func (e *ArgumentError) under(pointer string) *ArgumentError {
	return &ArgumentError{pointer + e.Pointer, e.Msg}
}

const (
	draft2020 = "https://json-schema.org/draft/2020-12/schema"
	draft7    = "http://json-schema.org/draft-07/schema"

	// self is the name under which a schema is compiled; all that it refers to
	// must lie in it. It has a path, so that a relative name leads elsewhere.
	self = "licet://schema/self"
)

// CompileSchema compiles an input schema: JSON Schema 2020-12, or draft-07
// where `$schema` says so. extra lets members through that the schema leaves
// open and does not declare. What cannot be compiled exactly is refused: other
// dialects, references to other documents, dynamic references, patterns that RE2
// cannot compile, and counts beyond 64 bits.
func CompileSchema(schema toolcall.Value, extra bool) (*Schema, error) {
	draft, err := dialect(schema)
	if err != nil {
		return nil, err
	}
	if err := exactCounts(schema); err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(draft)
	c.UseLoader(noLoader{})
	if err := c.AddResource(self, plainJSON(schema)); err != nil {
		return nil, fmt.Errorf("reading schema: %w", err)
	}
	full, err := c.Compile(self)
	if err != nil {
		return nil, fmt.Errorf("schema cannot be compiled exactly: %w", err)
	}
	b := builder{draft: full.DraftVersion, nodes: map[*jsonschema.Schema]*node{}}
	root := b.node(full)
	if b.err != nil {
		return nil, fmt.Errorf("schema cannot be compiled exactly: %w", b.err)
	}
	if isSimple(schema) {
		root.assert(schema)
		full = nil
	}
	return &Schema{root: root, full: full, extra: extra}, nil
}

// dialect returns the draft that a schema is written in.
func dialect(schema toolcall.Value) (*jsonschema.Draft, error) {
	name := schema.Get("$schema")
	switch strings.TrimSuffix(name.Text(), "#") {
	case draft7:
		return jsonschema.Draft7, nil
	case draft2020:
		return jsonschema.Draft2020, nil
	}
	if name.Kind() != toolcall.Absent {
		return nil, fmt.Errorf("schema has $schema %s: only 2020-12 and draft-07 are known", cut(name.Canonical()))
	}
	return jsonschema.Draft2020, nil
}

// noLoader refuses every document but the schema itself.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, errors.New("a schema may refer to nothing outside itself")
}

// counts are the keywords whose operand counts something.
var counts = map[string]bool{
	"minLength": true, "maxLength": true, "minItems": true, "maxItems": true,
	"minProperties": true, "maxProperties": true, "minContains": true, "maxContains": true,
}

// exactCounts refuses operands that the compiler would cut to 64 bits.
func exactCounts(v toolcall.Value) error {
	for i := range v.Len() {
		name, m := v.Member(i)
		if _, ok := m.Number().Int64(); counts[name] && !ok {
			return fmt.Errorf("schema cannot be compiled exactly: %s %s is too large", name, cut(m.Canonical()))
		}
		if err := exactCounts(m); err != nil {
			return err
		}
	}
	return nil
}

// plainJSON returns v in the form that the compiler reads; numbers keep their
// digits.
func plainJSON(v toolcall.Value) any {
	switch v.Kind() {
	case toolcall.Bool:
		return v.Bool()
	case toolcall.Number:
		return json.Number(v.Number().String())
	case toolcall.String:
		return v.Text()
	case toolcall.Array:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = plainJSON(v.Elem(i))
		}
		return list
	case toolcall.Object:
		object := make(map[string]any, v.Len())
		for i := range v.Len() {
			name, m := v.Member(i)
			object[name] = plainJSON(m)
		}
		return object
	}
	return nil
}

// Check returns an *ArgumentError unless args are valid against the schema and
// closed by it.
func (s *Schema) Check(args toolcall.Value) error {
	if s.full != nil {
		if e := afford(s.root, args); e != nil {
			return e
		}
	}
	if e := (&walk{extra: s.extra, left: budget}).visit([]*node{s.root}, args); e != nil {
		return e
	}
	if s.full == nil {
		return nil
	}
	err := s.full.Validate(plainJSON(args))
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if errors.As(err, &invalid) {
		return explain(invalid)
	}
	return &ArgumentError{Msg: "cannot be checked against the schema: " + err.Error()}
}

// explain returns the place and keyword that the compiler's tree of errors
// comes down to, before it branches.
func explain(e *jsonschema.ValidationError) *ArgumentError {
	for len(e.Causes) == 1 {
		if _, ok := e.ErrorKind.(*fault.PropertyNames); ok {
			break // below is the name, which has no place of its own
		}
		e = e.Causes[0]
	}
	var pointer strings.Builder
	for _, name := range e.InstanceLocation {
		pointer.WriteString(member(name))
	}
	msg := "is allowed by no part of the schema"
	if keyword := strings.Join(e.ErrorKind.KeywordPath(), "/"); keyword != "" {
		msg = fmt.Sprintf("is not valid against %q of the schema", keyword)
	}
	return &ArgumentError{pointer.String(), msg}
}
