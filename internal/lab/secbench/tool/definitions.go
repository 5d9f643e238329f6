package tool

import (
	_ "embed"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Definitions is the list of all tools as MCP lists them, with the JSON Schema of
// their arguments.
//
//go:embed definitions.json
var Definitions []byte

// Hash names the definitions.
func Hash() string { return trace.Sum(Definitions) }

// ErrUnknown says that there is no such tool.
var ErrUnknown = errors.New("there is no such tool")

// schemas are the compiled schemas by tool.
var schemas = compile()

func compile() map[string]*constraint.Schema {
	list, err := toolcall.Parse(Definitions, toolcall.Bounds{})
	if err != nil {
		panic(err) // embedded
	}
	all := map[string]*constraint.Schema{}
	for i := range list.Get("tools").Len() {
		t := list.Get("tools").Elem(i)
		schema, err := constraint.CompileSchema(t.Get("inputSchema"), false)
		if err != nil {
			panic(err) // embedded
		}
		all[t.Get("name").Text()] = schema
	}
	return all
}

// Known says whether there is a tool of that name.
func Known(name string) bool { return schemas[name] != nil }

// perRole is how many spans of evidence a report has for one role at most.
const perRole = 2

// Check says what is wrong with the arguments of a tool; ErrUnknown if there is none
// of that name. A report that fits the schema may still have more than a role allows,
// or a number of a line that no file can have.
func Check(name string, args toolcall.Value) error {
	schema := schemas[name]
	if schema == nil {
		return ErrUnknown
	}
	if err := schema.Check(args); err != nil {
		return err
	}
	if name != task.Submit {
		return nil
	}
	report, err := readReport(args)
	if err != nil {
		return err
	}
	roles := map[string]int{}
	for _, e := range report.Evidence {
		if roles[e.Role]++; roles[e.Role] > perRole {
			return fmt.Errorf("more than %d spans for the role %s", perRole, e.Role)
		}
	}
	return nil
}

// readReport reads the arguments of submit.
func readReport(args toolcall.Value) (trace.Submission, error) {
	var s trace.Submission
	if err := json.Unmarshal([]byte(args.Canonical()), &s); err != nil {
		return s, fmt.Errorf("reading the report: %w", err)
	}
	return s, nil
}
