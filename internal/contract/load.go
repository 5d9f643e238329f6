package contract

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/toolcall"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// Load reads a contract. name stands for it in problems; open reads a file that
// the contract names, by the path written there, which counts from the
// contract's folder. The error is [Problems]: any of them refuses the whole
// contract, and all that were found are reported.
func Load(name string, text []byte, open func(path string) ([]byte, error)) (*Contract, error) {
	l := &loader{Reader: yamlwalk.Reader{File: name, What: "contract"}, open: open,
		schemas: map[string]*constraint.Schema{}}
	root := l.Parse(text)
	if root == nil {
		return nil, l.Problems
	}
	c := l.contract(root)
	if len(l.Problems) > 0 {
		return nil, l.Problems.Sorted()
	}
	c.digest = c.computeDigest()
	return c, nil
}

// loader checks the tree of one contract and builds the Contract. What it
// builds is thrown away if there is any problem, so after reporting one it may
// go on with an incomplete part.
type loader struct {
	yamlwalk.Reader
	open     func(path string) ([]byte, error)
	catalogs map[string]Catalog
	schemas  map[string]*constraint.Schema // by server.tool: agents share them
}

// contract reads the whole text.
func (l *loader) contract(root *yamlwalk.Node) *Contract {
	c := &Contract{sources: map[string]bool{}}
	if !l.Mapping(root, contractWords) {
		return c
	}
	if v := l.Need(root, "version", contractWords); l.Is(v, toolcall.Number, "the number of the language version") && v.Text != "1" {
		l.Report(v, "", "version %s of the language is not known: expected 1", v.Text)
	}
	c.name = l.Name(l.Need(root, "name", contractWords), "name of a contract")
	c.approvals = l.approvals(root.Get("approvals"))
	c.catalogs = l.readCatalogs(root.Get("catalogs"))
	c.redact = l.evidence(root.Get("evidence"))
	c.agents = l.agents(l.Need(root, "agents", contractWords), c)
	return c
}

// readCatalogs reads the approved copy of every server's tools.
func (l *loader) readCatalogs(n *yamlwalk.Node) map[string]Catalog {
	l.catalogs = map[string]Catalog{}
	if n == nil || !l.Is(n, toolcall.Object, "a mapping of servers to catalogs") {
		return l.catalogs
	}
	for _, m := range n.Members {
		server := l.Name(m.Key, "name of a server")
		l.catalogs[server] = l.catalog(server, m.Value)
	}
	return l.catalogs
}

// catalog reads one approved copy and compares it with its pin.
func (l *loader) catalog(server string, n *yamlwalk.Node) Catalog {
	c := Catalog{Server: server, Resolve: true}
	if n.Kind == toolcall.String && strings.HasPrefix(n.Text, "builtin/") {
		l.Later(n, fmt.Sprintf("the catalog %q", n.Text))
		return c
	}
	if !l.Mapping(n, catalogWords) {
		return c
	}
	if r := n.Get("resolve"); r != nil && l.Is(r, toolcall.String, `the word "none"`) && l.Word(r, resolveWords) {
		c.Resolve = false
	}
	file := l.Need(n, "tools", catalogWords)
	if !l.Is(file, toolcall.String, "the file of the approved tools") {
		return c
	}
	c.File = file.Text
	raw, err := l.open(c.File)
	if err == nil {
		c.Approved, err = catalog.Parse(raw)
	}
	if err != nil {
		l.Report(file, "", "%s: %v", c.File, err)
		return c
	}
	c.Pin = l.pin(n, c.Approved.Digest(), c.File)
	return c
}

// pin checks that the pin beside n is the digest of the copy: who reads the
// contract approved exactly these tools.
func (l *loader) pin(n *yamlwalk.Node, digest, file string) string {
	const hint = "look at `licet catalog diff`, then run `licet catalog pin`"
	pin := n.Get("pin")
	switch {
	case pin == nil:
		if !yamlwalk.Misspelt(n, "pin", catalogWords) {
			l.Report(n, hint, "a catalog needs %q; %s has the digest %s", "pin", file, digest)
		}
	case pin.Kind == toolcall.Absent:
		l.Report(pin, hint, "the pin is empty; %s has the digest %s", file, digest)
	case l.Is(pin, toolcall.String, "the digest of "+file) && pin.Text != digest:
		l.Report(pin, hint, "the pin is %q, but %s has the digest %s", pin.Text, file, digest)
	}
	return digest
}

// approvals reads how held calls are answered.
func (l *loader) approvals(n *yamlwalk.Node) Approvals {
	a := Approvals{Expire: 15 * time.Minute, Quorum: 1}
	if n == nil || !l.Mapping(n, approvalWords) {
		return a
	}
	if e := n.Get("expire"); e != nil {
		a.Expire = l.Duration(e)
	}
	if q := n.Get("quorum"); q != nil {
		a.Quorum = int(l.Count(q, "the number of approvers who must agree", 100))
	}
	if who := n.Get("approvers"); who != nil && l.Is(who, toolcall.Array, "a list of approvers") {
		for _, item := range l.Elements(who, "approvers") {
			a.Approvers = append(a.Approvers, l.Name(item, "name of an approver"))
		}
		a.Approvers = l.Distinct(who, a.Approvers)
	}
	return a
}

// evidence reads which arguments the evidence must not keep.
func (l *loader) evidence(n *yamlwalk.Node) map[string]redaction {
	all := map[string]redaction{}
	if n == nil || !l.Mapping(n, evidenceWords) {
		return all
	}
	tools := n.Get("redact")
	if tools == nil || !l.Is(tools, toolcall.Object, "a mapping of tools to lists of arguments") {
		return all
	}
	for _, m := range tools.Members {
		_, tool, ok := l.tool(m.Key)
		if !ok || !l.Is(m.Value, toolcall.Array, "a list of arguments") {
			continue
		}
		var names []string
		for _, item := range l.Elements(m.Value, m.Key.Text) {
			if path, _, ok := l.argument(item, tool); ok {
				all[m.Key.Text] = append(all[m.Key.Text], path)
				names = append(names, path.String())
			}
		}
		l.Distinct(m.Value, names)
	}
	return all
}

// tool returns the approved tool that n names as server.tool. ok is false if it
// is none; that is reported unless it is the catalog that could not be read.
func (l *loader) tool(n *yamlwalk.Node) (server string, tool catalog.Tool, ok bool) {
	server, name, dot := strings.Cut(n.Text, ".")
	if strings.Contains(server, ":") {
		l.Later(n, fmt.Sprintf("%q (server:method)", n.Text))
		return "", tool, false
	}
	if !dot {
		l.Report(n, "", "%q is no tool: expected server.tool", n.Text)
		return "", tool, false
	}
	c, known := l.catalogs[server]
	if known && c.Approved == nil {
		return "", tool, false
	}
	tool, unknown := l.approved(server, name)
	if unknown != nil && known && strings.HasSuffix(name, "*") {
		l.Later(n, fmt.Sprintf("%q (a group of tools)", n.Text))
	} else if unknown != nil {
		l.Report(n, yamlwalk.DidYouMean(unknown.name, unknown.known), "%s", unknown.why)
	}
	return server, tool, unknown == nil
}

// approved returns a tool of a catalog that was read.
func (l *loader) approved(server, name string) (catalog.Tool, *undeclared) {
	c, known := l.catalogs[server]
	if !known {
		servers := slices.Sorted(maps.Keys(l.catalogs))
		return catalog.Tool{}, &undeclared{server, servers, fmt.Sprintf("unknown server %q: the contract has %s", server, listed(servers, "catalogs"))}
	}
	tool, ok := c.Approved.Tool(name)
	if !ok {
		names := make([]string, len(c.Approved.Tools))
		for i, t := range c.Approved.Tools {
			names[i] = t.Name
		}
		return catalog.Tool{}, &undeclared{name, names, fmt.Sprintf("unknown tool %q: %s has %s", name, c.File, listed(names, "tools"))}
	}
	return tool, nil
}

// listed names all of a few, and counts many.
func listed(names []string, what string) string {
	if len(names) == 0 || len(names) > 10 {
		return fmt.Sprintf("%d %s, none of that name", len(names), what)
	}
	return strings.Join(names, ", ")
}
