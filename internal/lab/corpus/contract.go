package corpus

import (
	"fmt"

	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/toolcall"
)

// draft is a contract as it is put together. JSON is YAML, so the text of a
// JSON value is the text of a contract.
type draft struct {
	tools  map[string][]toolcall.Value          // definitions, by server
	agents map[string]map[string]toolcall.Value // agent -> tool -> rule
	expire string                               // of approvals; "" = the language's default
	broken map[string]string                    // text in place of a server's catalog
}

// approver is who answers in every translated case.
const approver = "approver"

// anyPin stands for the digest of a catalog that cannot be read.
const anyPin = "sha256:0000000000000000000000000000000000000000000000000000000000000000"

// source writes the contract and its catalogs.
func (d draft) source() (cases.Source, error) {
	s := cases.Source{Name: "licet.yaml", Files: map[string][]byte{}}
	catalogs := map[string]toolcall.Value{}
	for server, tools := range d.tools {
		file, pin := "catalogs/"+server+".json", anyPin
		if broken, ok := d.broken[server]; ok {
			s.Files[file] = []byte(broken)
		} else {
			c, err := catalog.FromTools("", tools)
			if err != nil {
				return s, fmt.Errorf("catalog of %s: %w", server, err)
			}
			s.Files[file], pin = c.Marshal(), c.Digest()
		}
		catalogs[server] = pairs("pin", text(pin), "tools", text(file))
	}
	agents := map[string]toolcall.Value{}
	for agent, rules := range d.agents {
		agents[agent] = pairs("tools", object(rules))
	}
	approvals := map[string]toolcall.Value{"approvers": texts([]string{approver})}
	if d.expire != "" {
		approvals["expire"] = text(d.expire)
	}
	s.Text = pairs("version", toolcall.NumberOf(one), "name", text("case"), "catalogs", object(catalogs),
		"agents", object(agents), "approvals", object(approvals)).AppendCanonical(nil)
	return s, nil
}

var one = func() toolcall.Decimal {
	d, err := toolcall.ParseDecimal("1")
	if err != nil {
		panic(err)
	}
	return d
}()

// tool makes the definition of a tool. The schema without properties says that
// the arguments are not declared.
func tool(name, description string, schema toolcall.Value) toolcall.Value {
	return pairs("name", text(name), "description", text(description), "inputSchema", schema)
}

// undeclared is the schema of a tool that the corpus says nothing about.
func undeclared() toolcall.Value { return pairs("type", text("object")) }
