package contract

import (
	"fmt"
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
	l := &loader{Reader: yamlwalk.Reader{File: name, What: "contract"}, text: string(text), openFile: open,
		schemas: map[schemaKey]*constraint.Schema{}}
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
	text     string
	openFile func(path string) ([]byte, error)
	catalogs map[string]Catalog
	labels   map[string][][2]string // the tools, as server and name, that each stands for
	schemas  map[schemaKey]*constraint.Schema
	watches  []constraint.Watch // of all conditions
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
	c.judge = l.judge(root.Get("judge"))
	c.redact = l.evidence(root.Get("evidence"))
	l.readLabels(root.Get("labels"))
	l.agents(l.Need(root, "agents", contractWords), c)
	c.watch(l.watches)
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
	raw, err := l.openFile(c.File)
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
		a.Quorum = l.quorum(q)
	}
	if who := n.Get("approvers"); who != nil {
		a.Approvers = l.approvers(who)
	}
	l.reachable(n, a.Approvers, a.Quorum)
	return a
}

// quorum reads how many approvers must agree.
func (l *loader) quorum(n *yamlwalk.Node) int {
	return int(l.Count(n, "the number of approvers who must agree", 100))
}

// approvers reads who may answer, sorted.
func (l *loader) approvers(n *yamlwalk.Node) []string {
	if !l.Is(n, toolcall.Array, "a list of approvers") {
		return nil
	}
	var names []string
	for _, item := range l.Elements(n, "approvers") {
		names = append(names, l.Name(item, "name of an approver"))
	}
	return l.Distinct(n, names)
}

// reachable refuses a quorum that the named approvers cannot come to. Who is
// configured beside them is not known here.
func (l *loader) reachable(n *yamlwalk.Node, approvers []string, quorum int) {
	if len(approvers) > 0 && quorum > len(approvers) {
		l.Report(n, "", "%d approvers must agree, but %d may answer: %s", quorum, len(approvers), yamlwalk.OneOf(approvers))
	}
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
