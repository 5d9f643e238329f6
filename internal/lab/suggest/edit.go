package suggest

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/licet-dev/licet/internal/toolcall"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// clause is a clause of allow as it stands in the text.
type clause struct {
	path   string
	item   *yaml.Node
	last   int  // line before which it ends; 0 = it is not a block of lines
	spare  bool // the rule has other clauses of allow, or such of approve
	alone  bool // it is the only one of allow
	key    *yaml.Node
	bounds []bound
	from   map[string]sources // by argument
}

// bound is a number beside min or max.
type bound struct {
	argument, word string
	value          toolcall.Decimal
	node           *yaml.Node
}

func (b bound) text() string { return b.word + " " + b.value.String() }

// set returns the edit that gives a bound another value.
func (b bound) set(v toolcall.Decimal) func([]byte) ([]byte, error) {
	return func(text []byte) ([]byte, error) {
		at, err := offset(text, b.node)
		if err != nil {
			return nil, err
		}
		return splice(text, at, at+len(b.node.Value), v.String()), nil
	}
}

// sources is what stands beside `from`.
type sources struct{ node *yaml.Node }

// list returns the edit that adds a literal. Sources in lines of their own get one
// more line, those in one line one more entry.
func (s sources) list(v toolcall.Value) func([]byte) ([]byte, error) {
	entry := v.Canonical()
	if v.Kind() == toolcall.String {
		entry = yamlwalk.Text(v.Text())
	}
	entry = "{literal: [" + entry + "]}"
	return func(text []byte) ([]byte, error) {
		at, err := offset(text, s.node)
		switch {
		case err != nil:
			return nil, err
		case s.node.Kind == yaml.ScalarNode:
			return splice(text, at, at+len(s.node.Value), "["+s.node.Value+", "+entry+"]"), nil
		case text[at] == '[':
			return splice(text, at+1, at+1, entry+", "), nil
		case s.node.Kind == yaml.SequenceNode:
			first, err := offset(text, s.node.Content[0])
			if err != nil {
				return nil, err
			}
			begin := bytes.LastIndexByte(text[:first], '\n') + 1
			lead := string(text[begin:first]) // the spaces and the dash of the first entry
			return splice(text, begin, begin, lead+entry+"\n"), nil
		case text[at] == '{':
			end, err := flowEnd(text, at)
			if err != nil {
				return nil, err
			}
			return splice(text, at, end, "["+string(text[at:end])+", "+entry+"]"), nil
		}
		return nil, errors.New("the sources are written in a way that is not changed here")
	}
}

// without is the edit that leaves a clause out, with the comments above it.
func (k clause) without(text []byte) ([]byte, error) {
	lines := bytes.SplitAfter(text, []byte("\n"))
	begin, end := k.item.Line-1, k.last-1
	if k.alone {
		begin = k.key.Line - 1
	}
	for end > begin+1 && isComment(lines[end-1]) { // it is about what follows
		end--
	}
	for begin > 0 && isComment(lines[begin-1]) && indent(lines[begin-1]) == indent(lines[begin]) {
		begin--
	}
	return bytes.Join(append(append([][]byte{}, lines[:begin]...), lines[end:]...), nil), nil
}

func isComment(line []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(line), []byte("#")) }

func indent(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " ")) }

// offset returns where a node begins in the text. Columns count characters.
func offset(text []byte, n *yaml.Node) (int, error) {
	at := 0
	for line := 1; line < n.Line; line++ {
		next := bytes.IndexByte(text[at:], '\n')
		if next < 0 {
			return 0, fmt.Errorf("line %d is not there", n.Line)
		}
		at += next + 1
	}
	line, _, _ := bytes.Cut(text[at:], []byte("\n"))
	runes := []rune(string(line))
	if n.Column < 1 || n.Column > len(runes) {
		return 0, fmt.Errorf("line %d has no column %d", n.Line, n.Column)
	}
	at += len(string(runes[:n.Column-1]))
	if n.Kind == yaml.ScalarNode && n.Style == 0 && !bytes.HasPrefix(text[at:], []byte(n.Value)) {
		return 0, fmt.Errorf("line %d, column %d: %q is not there", n.Line, n.Column, n.Value)
	}
	return at, nil
}

// flowEnd returns where a collection in brackets ends.
func flowEnd(text []byte, at int) (int, error) {
	depth, quote := 0, byte(0)
	for i := at; i < len(text); i++ {
		switch c := text[i]; {
		case quote == '"' && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1, nil
			}
		}
	}
	return 0, errors.New("a bracket is not closed")
}

func splice(text []byte, from, to int, with string) []byte {
	return []byte(string(text[:from]) + with + string(text[to:]))
}

// clausesOf finds the clauses of allow of an agent's rules in the text of a contract
// that loads.
func clausesOf(text []byte, agent string) ([]clause, error) {
	var doc yaml.Node
	if err := yaml.Load(text, &doc); err != nil {
		return nil, err
	}
	var all []clause
	tools := get(get(get(doc.Content[0], "agents"), agent), "tools")
	for i := 0; tools != nil && i < len(tools.Content); i += 2 {
		ref, rule := tools.Content[i].Value, tools.Content[i+1]
		all = append(all, clausesIn(fmt.Sprintf("agents.%s.tools[%q].allow", agent, ref), rule, len(bytes.Split(text, []byte("\n"))))...)
	}
	return all, nil
}

// clausesIn returns the clauses of one rule. after is a line behind all others.
func clausesIn(path string, rule *yaml.Node, after int) (all []clause) {
	key, list := entry(rule, "allow")
	if list == nil || list.Kind != yaml.SequenceNode {
		return nil
	}
	for i, item := range list.Content {
		k := clause{path: fmt.Sprintf("%s[%d]", path, i), item: item, key: key, alone: len(list.Content) == 1, from: map[string]sources{}}
		k.last = nextLine(rule, item, after)
		inLines := list.Style&yaml.FlowStyle == 0 && rule.Style&yaml.FlowStyle == 0
		k.spare = inLines && k.last > 0 && (!k.alone || get(rule, "approve") != nil)
		for j := 0; item.Kind == yaml.MappingNode && j < len(item.Content); j += 2 {
			k.constraint(item.Content[j].Value, item.Content[j+1])
		}
		all = append(all, k)
	}
	return all
}

// constraint notes what can be changed of one argument's constraints.
func (k *clause) constraint(argument string, n *yaml.Node) {
	if strings.HasPrefix(argument, "$") {
		return
	}
	for _, word := range []string{"min", "max"} {
		if b := get(n, word); b != nil {
			if v, err := toolcall.ParseDecimal(b.Value); err == nil {
				k.bounds = append(k.bounds, bound{argument, word, v, b})
			}
		}
	}
	if from := get(n, "from"); from != nil {
		k.from[argument] = sources{from}
	}
}

// nextLine returns the line on which what follows a clause in its rule begins; if it
// is the last, nobody can say where it ends, and the result is 0.
func nextLine(rule, item *yaml.Node, after int) int {
	next := 0
	var visit func(*yaml.Node)
	visit = func(n *yaml.Node) {
		if n.Line > item.Line && (next == 0 || n.Line < next) && !within(item, n) {
			next = n.Line
		}
		for _, c := range n.Content {
			visit(c)
		}
	}
	visit(rule)
	if next > after {
		return 0
	}
	return next
}

// within says whether a node is another one or in it.
func within(n, other *yaml.Node) bool {
	if n == other {
		return true
	}
	for _, c := range n.Content {
		if within(c, other) {
			return true
		}
	}
	return false
}

// get returns the value of a key, nil if there is none.
func get(n *yaml.Node, key string) *yaml.Node {
	_, v := entry(n, key)
	return v
}

func entry(n *yaml.Node, key string) (name, value *yaml.Node) {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i], n.Content[i+1]
		}
	}
	return nil, nil
}

// Diff returns the lines in which a changed text differs from what it was, as "-" and
// "+" lines below the number of the first. All changes lie between them.
func Diff(was, is []byte) string {
	a, b := strings.SplitAfter(string(was), "\n"), strings.SplitAfter(string(is), "\n")
	begin := 0
	for begin < len(a) && begin < len(b) && a[begin] == b[begin] {
		begin++
	}
	for len(a) > begin && len(b) > begin && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	var out strings.Builder
	fmt.Fprintf(&out, "@@ line %d @@\n", begin+1)
	for _, line := range a[begin:] {
		out.WriteString("-" + strings.TrimSuffix(line, "\n") + "\n")
	}
	for _, line := range b[begin:] {
		out.WriteString("+" + strings.TrimSuffix(line, "\n") + "\n")
	}
	return out.String()
}
