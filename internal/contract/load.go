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
)

// Load reads a contract. name stands for it in problems; open reads a file that
// the contract names, by the path written there, which counts from the
// contract's folder. The error is [Problems]: any of them refuses the whole
// contract, and all that were found are reported.
func Load(name string, text []byte, open func(path string) ([]byte, error)) (*Contract, error) {
	root, problems := parse(name, text)
	l := &loader{parser: parser{file: name, problems: problems}, open: open,
		schemas: map[string]*constraint.Schema{}}
	if root == nil {
		return nil, l.problems
	}
	c := l.contract(root)
	if len(l.problems) > 0 {
		return nil, l.problems.sorted()
	}
	c.digest = c.computeDigest()
	return c, nil
}

// loader checks the tree of one contract and builds the Contract. What it
// builds is thrown away if there is any problem, so after reporting one it may
// go on with an incomplete part.
type loader struct {
	parser
	open     func(path string) ([]byte, error)
	catalogs map[string]Catalog
	schemas  map[string]*constraint.Schema // by server.tool: agents share them
}

// contract reads the whole text.
func (l *loader) contract(root *node) *Contract {
	c := &Contract{sources: map[string]bool{}}
	if !l.mapping(root, contractWords) {
		return c
	}
	if v := l.need(root, "version", contractWords); l.is(v, toolcall.Number, "the number of the language version") && v.text != "1" {
		l.report(v, "", "version %s of the language is not known: expected 1", v.text)
	}
	c.name = l.name(l.need(root, "name", contractWords), "name of a contract")
	c.approvals = l.approvals(root.get("approvals"))
	c.catalogs = l.readCatalogs(root.get("catalogs"))
	c.redact = l.evidence(root.get("evidence"))
	c.agents = l.agents(l.need(root, "agents", contractWords), c)
	return c
}

// readCatalogs reads the approved copy of every server's tools.
func (l *loader) readCatalogs(n *node) map[string]Catalog {
	l.catalogs = map[string]Catalog{}
	if n == nil || !l.is(n, toolcall.Object, "a mapping of servers to catalogs") {
		return l.catalogs
	}
	for _, m := range n.members {
		server := l.name(m.key, "name of a server")
		l.catalogs[server] = l.catalog(server, m.value)
	}
	return l.catalogs
}

// catalog reads one approved copy and compares it with its pin.
func (l *loader) catalog(server string, n *node) Catalog {
	c := Catalog{Server: server, Resolve: true}
	if n.kind == toolcall.String && strings.HasPrefix(n.text, "builtin/") {
		l.later(n, fmt.Sprintf("the catalog %q", n.text))
		return c
	}
	if !l.mapping(n, catalogWords) {
		return c
	}
	if r := n.get("resolve"); r != nil && l.is(r, toolcall.String, `the word "none"`) && l.word(r, resolveWords) {
		c.Resolve = false
	}
	file := l.need(n, "tools", catalogWords)
	if !l.is(file, toolcall.String, "the file of the approved tools") {
		return c
	}
	c.File = file.text
	raw, err := l.open(c.File)
	if err == nil {
		c.Approved, err = catalog.Parse(raw)
	}
	if err != nil {
		l.report(file, "", "%s: %v", c.File, err)
		return c
	}
	c.Pin = l.pin(n, c.Approved.Digest(), c.File)
	return c
}

// pin checks that the pin beside n is the digest of the copy: who reads the
// contract approved exactly these tools.
func (l *loader) pin(n *node, digest, file string) string {
	const hint = "look at `licet catalog diff`, then run `licet catalog pin`"
	pin := n.get("pin")
	switch {
	case pin == nil:
		if !misspelt(n, "pin", catalogWords) {
			l.report(n, hint, "a catalog needs %q; %s has the digest %s", "pin", file, digest)
		}
	case pin.kind == toolcall.Absent:
		l.report(pin, hint, "the pin is empty; %s has the digest %s", file, digest)
	case l.is(pin, toolcall.String, "the digest of "+file) && pin.text != digest:
		l.report(pin, hint, "the pin is %q, but %s has the digest %s", pin.text, file, digest)
	}
	return digest
}

// approvals reads how held calls are answered.
func (l *loader) approvals(n *node) Approvals {
	a := Approvals{Expire: 15 * time.Minute, Quorum: 1}
	if n == nil || !l.mapping(n, approvalWords) {
		return a
	}
	if e := n.get("expire"); e != nil {
		a.Expire = l.duration(e)
	}
	if q := n.get("quorum"); q != nil {
		a.Quorum = int(l.count(q, "the number of approvers who must agree", 100))
	}
	if who := n.get("approvers"); who != nil && l.is(who, toolcall.Array, "a list of approvers") {
		for _, item := range l.elements(who, "approvers") {
			a.Approvers = append(a.Approvers, l.name(item, "name of an approver"))
		}
		a.Approvers = l.distinct(who, a.Approvers)
	}
	return a
}

// evidence reads which arguments the evidence must not keep.
func (l *loader) evidence(n *node) map[string]redaction {
	all := map[string]redaction{}
	if n == nil || !l.mapping(n, evidenceWords) {
		return all
	}
	tools := n.get("redact")
	if tools == nil || !l.is(tools, toolcall.Object, "a mapping of tools to lists of arguments") {
		return all
	}
	for _, m := range tools.members {
		_, tool, ok := l.tool(m.key)
		if !ok || !l.is(m.value, toolcall.Array, "a list of arguments") {
			continue
		}
		var names []string
		for _, item := range l.elements(m.value, m.key.text) {
			if path, _, ok := l.argument(item, tool); ok {
				all[m.key.text] = append(all[m.key.text], path)
				names = append(names, path.String())
			}
		}
		l.distinct(m.value, names)
	}
	return all
}

// tool returns the approved tool that n names as server.tool. ok is false if it
// is none; that is reported unless it is the catalog that could not be read.
func (l *loader) tool(n *node) (server string, tool catalog.Tool, ok bool) {
	server, name, dot := strings.Cut(n.text, ".")
	if strings.Contains(server, ":") {
		l.later(n, fmt.Sprintf("%q (server:method)", n.text))
		return "", tool, false
	}
	if !dot {
		l.report(n, "", "%q is no tool: expected server.tool", n.text)
		return "", tool, false
	}
	c, known := l.catalogs[server]
	if known && c.Approved == nil {
		return "", tool, false
	}
	tool, unknown := l.approved(server, name)
	if unknown != nil && known && strings.HasSuffix(name, "*") {
		l.later(n, fmt.Sprintf("%q (a group of tools)", n.text))
	} else if unknown != nil {
		l.report(n, didYouMean(unknown.name, unknown.known), "%s", unknown.why)
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
