package contract

import (
	"fmt"
	"maps"
	"regexp"
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

// report adds a problem at n.
func (l *loader) report(n *node, hint, format string, args ...any) {
	if !n.broken {
		l.parser.report(n.line, n.column, hint, format, args...)
	}
}

// is reports whether n is of the kind that is expected, and if not, says so.
func (l *loader) is(n *node, kind toolcall.Kind, expected string) bool {
	if n.kind != kind {
		hint := ""
		if kind == toolcall.String && (n.kind == toolcall.Number || n.kind == toolcall.Bool) {
			hint = "quote it"
		}
		l.report(n, hint, "expected %s, found %s", expected, n.describe())
		return false
	}
	return true
}

// describe names n in a problem.
func (n *node) describe() string {
	switch n.kind {
	case toolcall.Absent:
		return "nothing"
	case toolcall.Array:
		return "a list"
	case toolcall.Object:
		return "a mapping"
	case toolcall.String:
		return fmt.Sprintf("%q", n.text)
	}
	return n.text
}

// mapping checks that n is a mapping of known words. Members with other words
// are reported; the caller asks for the known ones.
func (l *loader) mapping(n *node, w words) bool {
	if !l.is(n, toolcall.Object, w.place+" as a mapping") {
		return false
	}
	for _, m := range n.members {
		l.word(m.key, w)
	}
	return true
}

// word checks that n is one of the known words.
func (l *loader) word(n *node, w words) bool {
	switch {
	case slices.Contains(w.known, n.text):
		return true
	case slices.Contains(w.later, n.text):
		l.later(n, fmt.Sprintf("%q", n.text))
	default:
		l.report(n, didYouMean(n.text, w.known), "unknown word %q in %s: expected %s", n.text, w.place, oneOf(w.known))
	}
	return false
}

// later refuses what the language has, but not in this version.
func (l *loader) later(n *node, what string) {
	l.report(n, "", "%s is not in this version of licet", what)
}

// need returns the value beside key. If there is none, that is reported, and
// the value is broken.
func (l *loader) need(n *node, key string, w words) *node {
	if v := n.get(key); v != nil {
		return v
	}
	if !misspelt(n, key, w) {
		l.report(n, "", "%s needs %q", w.place, key)
	}
	return &node{broken: true}
}

// misspelt reports whether an unknown word of n, already reported, was probably
// meant to be key.
func misspelt(n *node, key string, w words) bool {
	return slices.ContainsFunc(n.members, func(m member) bool {
		return !slices.Contains(w.known, m.key.text) && near(m.key.text, w.known) == key
	})
}

var nameForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,100}$`)

// name checks a name of the contract's own: of itself, an agent, a server or
// an approver.
func (l *loader) name(n *node, what string) string {
	if l.is(n, toolcall.String, "the "+what) && !nameForm.MatchString(n.text) {
		l.report(n, "use up to 100 letters, digits, _ and -", "%q is no %s", n.text, what)
	}
	return n.text
}

// contract reads the whole text.
func (l *loader) contract(root *node) *Contract {
	c := &Contract{}
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

// elements returns the items of a list, refusing an empty one: it says nothing,
// and a reader may take it for "all" or for "none".
func (l *loader) elements(n *node, word string) []*node {
	if len(n.items) == 0 {
		l.report(n, fmt.Sprintf("remove %q or add an entry", word), "an empty list")
	}
	return n.items
}

// distinct returns list sorted, reporting what stands in it twice.
func (l *loader) distinct(n *node, list []string) []string {
	list = slices.Sorted(slices.Values(list))
	for i := 1; i < len(list); i++ {
		if list[i] == list[i-1] {
			l.report(n, "", "%q stands in the list twice", list[i])
		}
	}
	return list
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

var durationForm = regexp.MustCompile(`^[1-9][0-9]{0,8}[smhdw]$`)

// maxDuration bounds durations: ten years, well within what 64 bits hold.
const maxDuration = 3653 * 24 * time.Hour

// duration reads a whole number of seconds, minutes, hours, days or weeks.
func (l *loader) duration(n *node) time.Duration {
	if n.kind != toolcall.String || !durationForm.MatchString(n.text) {
		l.report(n, "", "expected a duration such as 90s, 15m, 1h, 1d or 1w, found %s", n.describe())
		return 0
	}
	units := map[byte]time.Duration{
		's': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour,
	}
	last := len(n.text) - 1
	var d time.Duration
	for _, digit := range n.text[:last] {
		d = 10*d + time.Duration(digit-'0')
	}
	unit := units[n.text[last]]
	if d > maxDuration/unit {
		l.report(n, "", "a duration of more than ten years: %s", n.text)
		return 0
	}
	return d * unit
}

// count reads a whole number from 1 to most.
func (l *loader) count(n *node, what string, most int64) int64 {
	if !l.is(n, toolcall.Number, what) {
		return 0
	}
	if d, err := toolcall.ParseDecimal(n.text); err == nil {
		if i, ok := d.Int64(); ok && i >= 1 && i <= most {
			return i
		}
	}
	l.report(n, "", "expected a whole number from 1 to %d, found %s", most, n.text)
	return 0
}

// value returns n as JSON. ok is false if part of it is missing or unreadable.
func (l *loader) value(n *node) (v toolcall.Value, ok bool) {
	switch n.kind {
	case toolcall.Null:
		return toolcall.NullValue, true
	case toolcall.Bool:
		return toolcall.Boolean(n.text == "true"), true
	case toolcall.Number:
		return toolcall.NumberOf(l.decimal(n)), true
	case toolcall.String:
		return toolcall.StringOf(n.text), true
	case toolcall.Array:
		ok = true
		values := make([]toolcall.Value, len(n.items))
		for i, item := range n.items {
			var whole bool
			values[i], whole = l.value(item)
			ok = ok && whole
		}
		return toolcall.ArrayOf(values...), ok
	case toolcall.Object:
		ok = true
		members := make([]toolcall.Member, len(n.members))
		for i, m := range n.members {
			value, whole := l.value(m.value)
			members[i] = toolcall.Member{Name: m.key.text, Value: value}
			ok = ok && whole
		}
		return toolcall.ObjectOf(members...), ok
	}
	l.report(n, `write null, or "" for empty text`, "expected a value, found nothing")
	return toolcall.Value{}, false
}
