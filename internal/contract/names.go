package contract

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/toolcall"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// subject is what a rule is about: a tool of a server, or another method.
type subject struct {
	server, method string
	tool           catalog.Tool // for another method: its params in the form of a tool
}

// ref names the subject as contracts do.
func (s subject) ref() string { return methodRef(s.server, s.method, s.tool.Name) }

// methodRef names a tool or, for another method than [ToolsCall], the method.
func methodRef(server, method, tool string) string {
	if method != ToolsCall {
		return server + ":" + method
	}
	return ref(server, tool)
}

// toolName is the name of the tool, "" for another method.
func (s subject) toolName() string {
	if s.method != ToolsCall {
		return ""
	}
	return s.tool.Name
}

// ref names a tool as contracts do. Server names have no dot, so it is
// unambiguous.
func ref(server, tool string) string { return server + "." + tool }

// entry is one subject with the rule that stands for it.
type entry struct {
	subject
	group  string // the group that stands for it, "" if it is named itself
	member yamlwalk.Member
}

// entries returns what the keys beside `tools` stand for, sorted: exact names
// win over groups, and of these the longest prefix. base, if not nil, is the
// agent that is extended: only what it lists can be listed.
func (l *loader) entries(n *yamlwalk.Node, base *Agent) []entry {
	named := map[string]entry{}
	var groups []yamlwalk.Member
	for _, m := range n.Members {
		if l.isGroup(m.Key) {
			groups = append(groups, m)
		} else if s, ok := l.subject(m.Key); ok && l.extendable(m.Key, s, base) {
			named[s.ref()] = entry{s, "", m}
		}
	}
	slices.SortFunc(groups, func(a, b yamlwalk.Member) int { return len(b.Key.Text) - len(a.Key.Text) })
	for _, m := range groups {
		for _, s := range l.group(m.Key, base) {
			if _, taken := named[s.ref()]; !taken {
				named[s.ref()] = entry{s, m.Key.Text, m}
			}
		}
	}
	var all []entry
	for _, name := range slices.Sorted(maps.Keys(named)) {
		all = append(all, named[name])
	}
	return all
}

// isGroup reports whether a key stands for all tools with a prefix. A tool of
// exactly that name is that tool.
func (l *loader) isGroup(n *yamlwalk.Node) bool {
	server, name, dot := strings.Cut(n.Text, ".")
	c, known := l.catalogs[server]
	if !dot || !strings.HasSuffix(name, "*") || !known || c.Approved == nil {
		return false
	}
	_, exact := c.Approved.Tool(name)
	return !exact
}

// group returns the tools that a group stands for.
func (l *loader) group(n *yamlwalk.Node, base *Agent) []subject {
	server, name, _ := strings.Cut(n.Text, ".")
	prefix := strings.TrimSuffix(name, "*")
	c := l.catalogs[server]
	if strings.Contains(prefix, "*") {
		l.Report(n, "", "%q is no group of tools: one * stands at the end", n.Text)
		return nil
	}
	var all []subject
	for _, t := range c.Approved.Tools {
		s := subject{server, ToolsCall, t}
		if strings.HasPrefix(t.Name, prefix) && (base == nil || base.rules[s.ref()] != nil) {
			all = append(all, s)
		}
	}
	switch {
	case len(all) == 0 && base != nil:
		l.Report(n, "", "no tool that agent %q lists has a name that begins with %q", base.Name, prefix)
	case len(all) == 0:
		l.Report(n, "", "no tool of %s has a name that begins with %q", c.File, prefix)
	}
	return all
}

// extendable reports whether an agent that extends base may list s, and if not,
// says so.
func (l *loader) extendable(n *yamlwalk.Node, s subject, base *Agent) bool {
	if base == nil || base.rules[s.ref()] != nil {
		return true
	}
	l.Report(n, "an extension only narrows", "%s is not listed by agent %q, which is extended here", s.ref(), base.Name)
	return false
}

// subject returns what n names as server.tool or server:method. ok is false if
// it is none; that is reported unless it is the catalog that could not be read.
func (l *loader) subject(n *yamlwalk.Node) (s subject, ok bool) {
	server, method, colon := strings.Cut(n.Text, ":")
	if !colon || strings.Contains(server, ".") {
		server, tool, ok := l.tool(n)
		return subject{server, ToolsCall, tool}, ok
	}
	if _, known := l.catalogs[server]; !known {
		u := l.unknownServer(server)
		l.Report(n, yamlwalk.DidYouMean(u.name, u.known), "%s", u.why)
		return subject{}, false
	}
	tool, ok := methods()[method]
	if !ok {
		l.Report(n, yamlwalk.DidYouMean(method, Methods()), "%q is no method that a contract lists: expected %s", method, yamlwalk.OneOf(Methods()))
	}
	return subject{server, method, tool}, ok
}

// tool returns the approved tool that n names as server.tool. ok is false if it
// is none; that is reported unless it is the catalog that could not be read.
func (l *loader) tool(n *yamlwalk.Node) (server string, tool catalog.Tool, ok bool) {
	server, name, dot := strings.Cut(n.Text, ".")
	if !dot {
		l.Report(n, "", "%q is no tool: expected server.tool", n.Text)
		return "", tool, false
	}
	if c, known := l.catalogs[server]; known && c.Approved == nil {
		return "", tool, false
	}
	tool, unknown := l.approved(server, name)
	if unknown != nil {
		l.Report(n, yamlwalk.DidYouMean(unknown.name, unknown.known), "%s", unknown.why)
	}
	return server, tool, unknown == nil
}

// approved returns a tool of a catalog that was read.
func (l *loader) approved(server, name string) (catalog.Tool, *undeclared) {
	c, known := l.catalogs[server]
	if !known {
		return catalog.Tool{}, l.unknownServer(server)
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

func (l *loader) unknownServer(server string) *undeclared {
	servers := slices.Sorted(maps.Keys(l.catalogs))
	return &undeclared{server, servers, fmt.Sprintf("unknown server %q: the contract has %s", server, listed(servers, "catalogs"))}
}

// listed names all of a few, and counts many.
func listed(names []string, what string) string {
	if len(names) == 0 || len(names) > 10 {
		return fmt.Sprintf("%d %s, none of that name", len(names), what)
	}
	return strings.Join(names, ", ")
}

// readLabels reads the names that stand for several tools.
func (l *loader) readLabels(n *yamlwalk.Node) {
	l.labels = map[string][][2]string{}
	if n == nil || !l.Is(n, toolcall.Object, "a mapping of labels to lists of tools") {
		return
	}
	for _, m := range n.Members {
		name := l.Name(m.Key, "name of a label")
		l.labels[name] = nil
		if !l.Is(m.Value, toolcall.Array, "a list of tools") {
			continue
		}
		var names []string
		for _, item := range l.Elements(m.Value, name) {
			if !l.Is(item, toolcall.String, "a tool as server.tool") {
				continue
			}
			names = append(names, item.Text)
			if server, tool, ok := l.tool(item); ok {
				l.labels[name] = append(l.labels[name], [2]string{server, tool.Name})
			}
		}
		l.Distinct(m.Value, names)
	}
}

// toolsNamed returns the tools that the name of a tool or of a label stands for.
func (l *loader) toolsNamed(name string) ([][2]string, error) {
	server, tool, dot := strings.Cut(name, ".")
	if !dot {
		tools, known := l.labels[name]
		if !known {
			return nil, &undeclared{name, slices.Sorted(maps.Keys(l.labels)), fmt.Sprintf("%q is no label of the contract, and a tool is written server.tool", name)}
		}
		return tools, nil
	}
	if c, known := l.catalogs[server]; known && c.Approved == nil {
		return nil, errors.New("its catalog could not be read")
	}
	if _, unknown := l.approved(server, tool); unknown != nil {
		return nil, unknown
	}
	return [][2]string{{server, tool}}, nil
}
