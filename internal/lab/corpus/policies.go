package corpus

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/lab/doors"
	"github.com/licet-dev/licet/internal/toolcall"
)

// policyInput is the input of a policy row. policy_text and naive_rule are in
// the language of others; rules has the same in ours.
type policyInput struct {
	PolicyText string         `json:"policy_text"`
	NaiveRule  string         `json:"naive_rule"`
	Request    policyRequest  `json:"request"`
	Engine     string         `json:"engine"`      // "unavailable", "error": what decides is lost
	StateStore jsontext.Value `json:"state_store"` // null = there is none
	Judge      string         `json:"judge"`
	Check      string         `json:"check"` // "load": it is about loading alone
}

type policyRequest struct {
	Agent     string         `json:"agent"`
	Tool      string         `json:"tool"`
	Arguments jsontext.Value `json:"arguments"`
}

// said is a foreign policy as our language says it, with the same mistake.
type said struct {
	contract string // of the server "tools"; PIN is the digest of its catalog
	refused  bool   // the mistake is found when the contract is loaded
	schema   string // of every tool; "" = arguments are not declared
	tools    []string
}

// head begins each contract of the table.
const head = `version: 1
name: case
catalogs: {tools: {pin: PIN, tools: tools.json}}
`

// rules is the table of foreign policies by the id of their row.
var rules = map[string]said{
	// echo stands in two lists; list_files must not suffer from it.
	"f033": {tools: []string{"list_files", "echo"}, contract: head + `
agents: {a1: {tools: {tools.list_files: allow, tools.echo: {allow: [{}], never: [{}]}}}}
`},
	// A key stands twice.
	"p001": {refused: true, tools: []string{"drop_table"}, contract: head + `
agents: {a1: {tools: {tools.drop_table: block, tools.drop_table: allow}}}
`},
	// A whole list of rules stands twice.
	"p002": {refused: true, tools: []string{"drop_table"}, contract: head + `
agents: {a1: {tools: {tools.drop_table: block}}}
agents: {a1: {tools: {tools.drop_table: allow}}}
`},
	// The word of a rule is misspelt.
	"p004": {refused: true, tools: []string{"drop_table"}, contract: head + `
agents: {a1: {tools: {tools.drop_table: blokc}}}
`},
	// What to do on failure is no option here; an option with a misspelt value.
	"p005": {refused: true, tools: []string{"drop_table"}, contract: head + `
fail_mode: cloesd
agents: {a1: {tools: {tools.drop_table: allow}}}
`},
	// Nothing is written at all.
	"p006": {refused: true, tools: []string{"read_file"}, contract: ``},
	// A list is there and empty.
	"p008": {refused: true, tools: []string{"read_file"}, contract: head + `
agents: {a1: {tools: {tools.read_file: {allow: []}}}}
`},
	// A rule that refuses meets a value of another type.
	"p012": {tools: []string{"refund"}, contract: head + `
agents: {a1: {tools: {tools.refund: {allow: [{}], never: [{amount: {min: 100}}]}}}}
`},
	// An option beside the rules, and no rule.
	"p013": {tools: []string{"execute_command"}, contract: head + `
approvals: {expire: 30s}
agents: {a1: {tools: {}}}
`},
	// What decides fails while it decides.
	"p015": {tools: []string{"drop_table"}, contract: head + `
agents: {a1: {tools: {tools.drop_table: allow}}}
`},
	// A limit, and nowhere to count.
	"p016": {tools: []string{"drop_table"}, contract: head + `
agents: {a1: {tools: {tools.drop_table: {allow: [{}], limits: [{calls: 5, per: 1h}]}}}}
`},
	// An agent and a tool that nothing is said about.
	"p017": {tools: []string{"task_add"}, contract: head + `
agents: {}
`},
	// The recipients whose addresses end in one domain.
	"p019": {tools: []string{"send_email"}, contract: head + `
agents: {a1: {tools: {tools.send_email: {allow: [{to: {pattern: ".*@ourcompany\\.com"}}]}}}}
`},
	// A rule about a field that does not exist.
	"p020": {
		refused: true, tools: []string{"deploy"},
		schema: `{"type": "object", "properties": {"env": {"type": "string"}}}`,
		contract: head + `
agents: {a1: {tools: {tools.deploy: {allow: [{mcp.tool.arguments.env: {const: dev}}]}}}}
`},
	// The judge is asked: what it says decides.
	"p023": {tools: []string{"post_comment"}, contract: head + `
agents: {a1: {tools: {tools.post_comment: {judge: [{}]}}}}
`},
	"p024": {tools: []string{"post_comment"}, contract: head + `
agents: {a1: {tools: {tools.post_comment: {judge: [{}]}}}}
`},
}

// policyByID returns what translates the input of one policy row.
func policyByID(id string) (func([]byte) (play, error), bool) {
	s, ok := rules[id]
	return s.translate, ok
}

func (s said) translate(input []byte) (play, error) {
	var in policyInput
	if err := strict(input, &in); err != nil {
		return play{}, err
	}
	if in.Judge != "" {
		return play{}, Waits{"judge", fmt.Sprintf("a judge that answers %.20q", in.Judge)}
	}
	source, err := s.source()
	if err != nil {
		return play{}, err
	}
	args, err := toolcall.Parse(in.Request.Arguments, toolcall.Bounds{})
	if err != nil {
		return play{}, err
	}
	c := play{source: &source, refused: s.refused}
	switch {
	case in.Check != "" && !(in.Check == "load" && s.refused):
		return play{}, fmt.Errorf("check %q: the contract is not refused", in.Check)
	case in.Engine != "" && in.Engine != "error" && in.Engine != "unavailable":
		return play{}, fmt.Errorf("the engine %q is not known", in.Engine)
	case in.StateStore != nil && in.StateStore.Kind() != 'n':
		return play{}, fmt.Errorf("the state store %s is not known", in.StateStore)
	case in.Engine != "" || in.StateStore != nil:
		c.steps = append(c.steps, cases.Step{Act: doors.LoseStore{}})
	}
	c.last = len(c.steps)
	c.steps = append(c.steps, cases.Step{Act: cases.Call{
		Agent: in.Request.Agent, Session: "s1", Server: onlyServer, Tool: in.Request.Tool, Arguments: args,
	}})
	return c, nil
}

// source returns the contract with the catalog of its tools.
func (s said) source() (cases.Source, error) {
	schema := undeclared()
	if s.schema != "" {
		var err error
		if schema, err = toolcall.Parse([]byte(s.schema), toolcall.Bounds{}); err != nil {
			return cases.Source{}, err
		}
	}
	var defs []toolcall.Value
	for _, name := range s.tools {
		defs = append(defs, tool(name, "", schema))
	}
	c, err := catalog.FromTools("", defs)
	if err != nil {
		return cases.Source{}, err
	}
	contract := strings.ReplaceAll(s.contract, "PIN", c.Digest())
	return cases.Source{Name: "licet.yaml", Text: []byte(contract), Files: map[string][]byte{"tools.json": c.Marshal()}}, nil
}
