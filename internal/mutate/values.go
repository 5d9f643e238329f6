package mutate

import (
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/toolcall"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// border is what may stand in the place of one argument to see where its
// constraints end.
type border struct {
	argument string
	values   []toolcall.Value
	stated   bool // a source is asked, so it matters whether the user said it
}

// findBorders returns the borders of what the mutant changed: of one argument,
// or of all that the clause is about.
func (s *seeker) findBorders() (all []border) {
	at := s.m.about
	if len(at) < 6 || !at[:6].isClause() {
		return nil
	}
	for _, m := range members(at[:6].from(s.was)) {
		if strings.HasPrefix(m.Key.Text, "$") || at.argument() != "" && at.argument() != m.Key.Text {
			continue
		}
		b := border{argument: m.Key.Text}
		for _, root := range []*yamlwalk.Node{s.was, s.is} {
			beside := at[:6].key(m.Key.Text).from(root)
			b.values = append(b.values, valuesOf(beside)...)
			b.stated = b.stated || beside.Get("from") != nil || beside.Get("identifiers") != nil
		}
		all = append(all, b)
	}
	return all
}

// valuesOf returns values at the borders of all constraints beside an argument.
func valuesOf(beside *yamlwalk.Node) (all []toolcall.Value) {
	for _, m := range members(beside) {
		if of := bordersOf[m.Key.Text]; of != nil {
			all = append(all, of(m.Value)...)
		}
	}
	return all
}

// bordersOf returns by kind what lies just within and just beyond a constraint.
var bordersOf = map[string]func(n *yamlwalk.Node) []toolcall.Value{
	"const": func(n *yamlwalk.Node) []toolcall.Value { return jsons(n, beside(n)) },
	"in": func(n *yamlwalk.Node) []toolcall.Value {
		return jsons(append(slices.Clone(n.Items), beside(n.Items[len(n.Items)-1]))...)
	},
	"not_in":      func(n *yamlwalk.Node) []toolcall.Value { return jsons(n.Items...) },
	"min":         numbersAround,
	"max":         numbersAround,
	"multiple_of": numbersAround,
	"length":      lengths,
	"items":       sizes,
	"pattern":     matching,
	"path": func(n *yamlwalk.Node) []toolcall.Value {
		return paths(slices.Concat(texts(n.Get("read")), texts(n.Get("write"))))
	},
	"url":   urls,
	"email": addresses,
	"from":  stated,
	"identifiers": func(n *yamlwalk.Node) []toolcall.Value {
		return append(stated(n.Get("from")), strs("see https://stranger.example/x", "call 555-010-9999", "nothing to see")...)
	},
	"shell": commands,
	"sql":   statements,
}

// jsons returns nodes as JSON.
func jsons(nodes ...*yamlwalk.Node) (all []toolcall.Value) {
	var r yamlwalk.Reader
	for _, n := range nodes {
		if v, ok := r.Value(n); ok {
			all = append(all, v)
		}
	}
	return all
}

// spoken returns a value as a user would write it.
func spoken(v toolcall.Value) string {
	if v.Kind() == toolcall.String {
		return v.Text()
	}
	return v.Canonical()
}

func strs(list ...string) (all []toolcall.Value) {
	for _, s := range list {
		all = append(all, toolcall.StringOf(s))
	}
	return all
}

func numbersAround(n *yamlwalk.Node) []toolcall.Value {
	return jsons(n, numberNode(moved(n.Text, 1, 1)), numberNode(moved(n.Text, -1, 1)), numberNode(moved(n.Text+".0", 5, 1)),
		numberNode(moved(n.Text, 0, 3)), numberNode(tenth(n.Text)))
}

// bounds returns the numbers of a size: N, or min and max.
func bounds(n *yamlwalk.Node) (all []int) {
	for _, text := range []string{n.Text, textOf(n.Get("min")), textOf(n.Get("max"))} {
		if d, err := toolcall.ParseDecimal(text); err == nil {
			if i, ok := d.Int64(); ok && i < 100_000 {
				all = append(all, int(i), int(i)+1, max(0, int(i)-1))
			}
		}
	}
	return all
}

func lengths(n *yamlwalk.Node) (all []toolcall.Value) {
	for _, size := range bounds(n) {
		all = append(all, toolcall.StringOf(strings.Repeat("x", size)))
	}
	return all
}

func sizes(n *yamlwalk.Node) (all []toolcall.Value) {
	for _, size := range bounds(n) {
		elems := make([]toolcall.Value, min(size, 1000))
		for i := range elems {
			elems[i] = toolcall.StringOf("x")
		}
		all = append(all, toolcall.ArrayOf(elems...))
	}
	return all
}

// matching returns a text that an expression matches, and some that it matches
// only in part.
func matching(n *yamlwalk.Node) []toolcall.Value {
	re, err := syntax.Parse(n.Text, syntax.Perl)
	if err != nil {
		return nil
	}
	text := sample(re.Simplify())
	return strs(text, text+"x", "x"+text, text+"\n"+text, "x")
}

// sample returns a short text that an expression matches.
func sample(re *syntax.Regexp) string {
	var b strings.Builder
	switch re.Op {
	case syntax.OpLiteral:
		return string(re.Rune)
	case syntax.OpCharClass:
		if len(re.Rune) > 0 {
			return string(re.Rune[0])
		}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return "x"
	case syntax.OpCapture, syntax.OpPlus, syntax.OpAlternate, syntax.OpRepeat:
		return sample(re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			b.WriteString(sample(sub))
		}
	}
	return b.String()
}

// files returns names of files that patterns cover, and of their neighbours.
func files(patterns []string) (all []string) {
	for _, p := range patterns {
		p = strings.TrimPrefix(p, "!")
		name := strings.ReplaceAll(strings.ReplaceAll(p, "**", "file.txt"), "*", "x")
		all = append(all, name)
		if i := strings.LastIndexByte(strings.TrimSuffix(p, "/**"), '/'); i > 0 {
			all = append(all, p[:i]+"/other.txt")
		}
	}
	return all
}

func paths(patterns []string) []toolcall.Value { return strs(files(patterns)...) }

// hosts returns hosts that patterns cover, and one below each.
func hosts(patterns []string) (all []string) {
	for _, p := range patterns {
		name := strings.Replace(p, "*.", "any.", 1)
		all = append(all, name, "below."+name)
	}
	return all
}

func urls(n *yamlwalk.Node) (all []toolcall.Value) {
	schemes := append([]string{"https", "http"}, texts(n.Get("schemes"))...)
	hosts := append(hosts(texts(n.Get("hosts"))), "stranger.com")
	ports := append([]string{""}, texts(n.Get("ports"))...)
	places := []string{"/"}
	for _, p := range texts(n.Get("paths")) {
		places = append(places, p, p+"/x", p[:strings.LastIndexByte(strings.TrimSuffix(p, "/"), '/')+1]+"other")
	}
	for _, host := range hosts {
		for _, scheme := range schemes {
			for _, port := range ports {
				for _, p := range places {
					all = append(all, toolcall.StringOf(scheme+"://"+host+strings.TrimSuffix(":"+port, ":")+p))
				}
			}
		}
	}
	return all
}

func addresses(n *yamlwalk.Node) (all []toolcall.Value) {
	for _, host := range hosts(texts(n.Get("domains"))) {
		all = append(all, toolcall.StringOf("ann@"+host))
	}
	return append(all, strs(append(texts(n.Get("addresses")), "eve@stranger.com")...)...)
}

func stated(n *yamlwalk.Node) (all []toolcall.Value) {
	for _, source := range sources(n) {
		if literal := source.Get("literal"); literal != nil {
			all = append(all, jsons(literal.Items...)...)
		}
	}
	return append(all, strs("stranger")...)
}

func commands(n *yamlwalk.Node) (all []toolcall.Value) {
	for _, list := range []string{"run", "opaque"} {
		for _, entry := range texts(n.Get(list)) {
			entry = strings.TrimPrefix(entry, "!")
			all = append(all, strs(entry, strings.Fields(entry)[0]+" x", strings.Fields(entry)[0])...)
			for _, f := range files(slices.Concat(texts(n.Get("read")), texts(n.Get("write")))) {
				all = append(all, strs(entry+" "+f, entry+" > "+f)...)
			}
			for _, h := range hosts(texts(n.Get("net"))) {
				all = append(all, strs(entry+" https://"+h)...)
			}
		}
	}
	return append(all, strs("curl https://stranger.com", "rm -r /")...)
}

func statements(n *yamlwalk.Node) (all []toolcall.Value) {
	for _, table := range append(texts(n.Get("tables")), "other", "public.other") {
		table = strings.ReplaceAll(table, "*", "other")
		all = append(all, strs("SELECT * FROM "+table, "DELETE FROM "+table, "UPDATE "+table+" SET a = 1", "INSERT INTO "+table+" VALUES (1)",
			"TRUNCATE "+table, "DROP TABLE "+table)...)
	}
	return all
}

// sampleArguments returns arguments that a schema requires.
func sampleArguments(schema toolcall.Value) toolcall.Value {
	var all []toolcall.Member
	for _, name := range elements(schema.Get("required")) {
		all = append(all, toolcall.Member{Name: name.Text(), Value: sampleValue(schema.Get("properties").Get(name.Text()))})
	}
	return toolcall.ObjectOf(all...)
}

// sampleValue returns a value of the type that a schema names first.
func sampleValue(schema toolcall.Value) toolcall.Value {
	if choices := elements(schema.Get("enum")); len(choices) > 0 {
		return choices[0]
	}
	kind := schema.Get("type")
	if kinds := elements(kind); len(kinds) > 0 {
		kind = kinds[0]
	}
	switch kind.Text() {
	case "integer", "number":
		return jsons(numberNode("1"))[0]
	case "boolean":
		return toolcall.Boolean(true)
	case "array":
		return toolcall.ArrayOf(sampleValue(schema.Get("items")))
	case "object":
		return sampleArguments(schema)
	}
	return toolcall.StringOf("x")
}

// described returns the calls that the clauses of the rule describe: what the
// schema requires, with the first value that fits beside each constraint, said
// by the user.
func (s *seeker) described() (seeds []story) {
	at := s.m.about
	if len(at) < 4 || at[0].key != "agents" || at[2].key != "tools" {
		return nil
	}
	server, tool, ok := strings.Cut(s.m.tool, ".")
	if !ok || strings.HasSuffix(tool, "*") {
		return nil
	}
	rule := at[:4].from(s.was)
	c := cases.Call{Agent: at[1].key, Session: "case", Server: server, Tool: tool, Arguments: sampleArguments(schemaOf(s.original, s.m.tool))}
	seeds = append(seeds, one(c))
	for _, word := range []string{"allow", "judge", "approve", "never"} {
		for _, clause := range elementsOf(rule.Get(word)) {
			seeds = append(seeds, one(fitted(c, clause)))
		}
	}
	return seeds
}

func one(c cases.Call) story { return story{steps: []cases.Step{{Act: c, Repeat: 1}}} }

func elementsOf(n *yamlwalk.Node) []*yamlwalk.Node {
	if n == nil {
		return nil
	}
	return n.Items
}

// fitted returns a call with arguments as a clause wants them.
func fitted(c cases.Call, clause *yamlwalk.Node) cases.Call {
	for _, m := range clause.Members {
		path, err := toolcall.ParsePath(m.Key.Text)
		values := valuesOf(m.Value)
		if err != nil || len(values) == 0 || m.Value.Get("optional") != nil {
			continue
		}
		c.Arguments = set(c.Arguments, path.Steps(), values[0])
		if m.Value.Get("from") != nil {
			c.Request = append(slices.Clip(c.Request), "please use "+spoken(values[0]))
		}
	}
	for _, phrase := range texts(clause.Get("$request").Get("mentions")) {
		c.Request = append(slices.Clip(c.Request), "please "+phrase+" this")
	}
	return c
}
