package mutate

import (
	"regexp"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/toolcall"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// argument lists the changes of the constraints beside one argument. In `never`
// a constraint that holds less often permits more.
func (l *lister) argument(at place, never bool) {
	n := at.from(l.root)
	for _, m := range n.Members {
		word := m.Key.Text
		if word == "numbers" {
			continue // there is one way to read them
		}
		l.add(Drop, word, at.key(word), nil)
		if constraints(n) == 1 && word != "optional" {
			l.add(Drop, word, at, nil) // with the words beside it that mean nothing alone
		}
		if change := changes[word]; change != nil {
			change(l, word, at.key(word), never)
		}
	}
	if !never && n.Get("optional") == nil {
		l.add(Weaken, KindOptional, at.key("optional"), trueNode())
	}
}

// constraints counts the constraints beside an argument.
func constraints(n *yamlwalk.Node) (count int) {
	for _, m := range n.Members {
		if m.Key.Text != "optional" && m.Key.Text != "numbers" {
			count++
		}
	}
	return count
}

// changes lists by kind how a constraint is loosened, beside leaving it out.
var changes = map[string]func(l *lister, word string, at place, never bool){
	"const":       (*lister).constant,
	"in":          (*lister).choice,
	"not_in":      (*lister).exclusion,
	"min":         (*lister).least,
	"max":         (*lister).most,
	"multiple_of": (*lister).multiple,
	"length":      (*lister).size,
	"items":       (*lister).size,
	"pattern":     (*lister).pattern,
	"path":        (*lister).path,
	"url":         (*lister).url,
	"email":       (*lister).email,
	"sql":         (*lister).sql,
	"from":        (*lister).from,
	"identifiers": (*lister).identifiers,
	"shell":       (*lister).shell,
}

// beside returns a value near n that is not n: what a pin or a list would let
// through by mistake.
func beside(n *yamlwalk.Node) *yamlwalk.Node {
	switch n.Kind {
	case toolcall.Number:
		return numberNode(moved(n.Text, 1, 1))
	case toolcall.Bool:
		c := *n
		c.Text = map[string]string{"true": "false", "false": "true"}[n.Text]
		return &c
	}
	return textNode(n.Text + "x")
}

func (l *lister) constant(_ string, at place, never bool) {
	n := at.from(l.root)
	if parent := at.up(); !never && parent.from(l.root).Get("in") == nil {
		to := with(with(parent.from(l.root), "const", nil), "in", listNode(n, beside(n)))
		l.add(LoosenPin, "const", parent, to)
	}
}

func (l *lister) choice(word string, at place, never bool) {
	l.entries(word, at)
	if n := at.from(l.root); !never {
		l.add(Weaken, word, at, and(n, beside(n.Items[len(n.Items)-1])))
	}
}

func (l *lister) exclusion(word string, at place, _ bool) { l.entries(word, at) }

func (l *lister) least(word string, at place, never bool) { l.bound(Widen, word, at, flip(-1, never)) }

func (l *lister) most(word string, at place, never bool) { l.bound(Widen, word, at, flip(1, never)) }

// flip turns a direction around in `never`.
func flip(direction int64, never bool) int64 {
	if never {
		return -direction
	}
	return direction
}

func (l *lister) multiple(word string, at place, never bool) {
	if n := at.from(l.root); !never {
		l.add(Weaken, word, at, numberNode(tenth(n.Text)))
	}
}

// size lists the changes of a number of characters or elements: N, or a mapping
// with min and max.
func (l *lister) size(word string, at place, never bool) {
	n := at.from(l.root)
	if n.Kind != toolcall.Object {
		if !never {
			to := &yamlwalk.Node{Kind: toolcall.Object}
			l.add(Widen, word, at, with(with(to, "min", n), "max", numberNode(moved(n.Text, 1, 1))))
		}
		return
	}
	for _, m := range n.Members {
		if len(n.Members) > 1 {
			l.add(Drop, word, at.key(m.Key.Text), nil)
		}
		direction := flip(1, never)
		if m.Key.Text == "min" {
			direction = -direction
		}
		l.bound(Widen, word, at.key(m.Key.Text), direction)
	}
}

func (l *lister) pattern(word string, at place, never bool) {
	if n := at.from(l.root); !never {
		l.add(Weaken, word, at, textNode("(?:"+n.Text+").*"))
		l.add(Weaken, word, at, textNode(".*(?:"+n.Text+")"))
	}
}

func (l *lister) path(word string, at place, never bool) {
	for _, m := range at.from(l.root).Members {
		if m.Value.Kind == toolcall.Array {
			l.patterns(word, at.key(m.Key.Text), never)
		}
	}
}

// patterns lists the changes of a list of path patterns.
func (l *lister) patterns(word string, at place, never bool) {
	l.entries(word, at)
	l.loosened(word, at, never, widerPath)
}

// loosened lists the changes that let one entry of a list stand for more.
func (l *lister) loosened(word string, at place, never bool, wider func(string) string) {
	n := at.from(l.root)
	if n == nil || never {
		return
	}
	for i, item := range n.Items {
		if to := wider(item.Text); to != "" && to != item.Text && !slices.Contains(texts(n), to) {
			l.add(LoosenPlace, word, at.item(i), textNode(to))
		}
	}
}

// widerPath returns a pattern for the folder around, "" if there is none.
func widerPath(pattern string) string {
	if strings.HasPrefix(pattern, "!") {
		return ""
	}
	dir := strings.TrimSuffix(pattern, "/**")
	if i := strings.LastIndexByte(dir, '/'); i > 0 {
		return dir[:i] + "/**"
	}
	return ""
}

// widerHost returns a pattern for the hosts of the domain around, "" if there
// is none.
func widerHost(host string) string {
	labels := strings.Split(strings.TrimPrefix(host, "*."), ".")
	if len(labels) < 2 || address.MatchString(host) {
		return ""
	}
	if len(labels) > 2 {
		labels = labels[1:]
	}
	return "*." + strings.Join(labels, ".")
}

var address = regexp.MustCompile(`^[0-9.]+$|:`)

// alsoBelow lists the changes that add, beside each host of a list, those of the
// domain around.
func (l *lister) alsoBelow(word string, at place, never bool) {
	n := at.from(l.root)
	if n == nil || never {
		return
	}
	for _, item := range n.Items {
		if to := widerHost(item.Text); to != "" && !slices.Contains(texts(n), to) {
			l.add(LoosenPlace, word, at, and(n, textNode(to)))
		}
	}
}

// parts lists the changes that leave out a member of a constraint, or an entry
// of the list beside it.
func (l *lister) parts(word string, at place) {
	n := at.from(l.root)
	for _, m := range n.Members {
		if len(n.Members) > 1 {
			l.add(Drop, word, at.key(m.Key.Text), nil)
		}
		if m.Value.Kind == toolcall.Array {
			l.entries(word, at.key(m.Key.Text))
		}
	}
}

func (l *lister) url(word string, at place, never bool) {
	l.parts(word, at)
	l.alsoBelow(word, at.key("hosts"), never)
	l.loosened(word, at.key("paths"), never, func(p string) string {
		if i := strings.LastIndexByte(strings.TrimSuffix(p, "/"), '/'); i > 0 {
			return p[:i]
		}
		return ""
	})
	if schemes := at.key("schemes").from(l.root); !never && !slices.Contains(texts(schemes), "http") {
		if schemes == nil {
			schemes = listNode(textNode("https"))
		}
		l.add(Weaken, word, at, with(at.from(l.root), "schemes", and(schemes, textNode("http"))))
	}
}

func (l *lister) email(word string, at place, never bool) {
	l.parts(word, at)
	l.alsoBelow(word, at.key("domains"), never)
}

func (l *lister) sql(word string, at place, never bool) {
	l.parts(word, at)
	n := at.from(l.root)
	if never {
		return
	}
	if classes := n.Get("statements"); classes != nil && !slices.Contains(texts(classes), "delete") {
		l.add(Weaken, word, at.key("statements"), and(classes, textNode("delete")))
	}
	if n.Get("read_only") != nil {
		to := with(with(n, "read_only", nil), "statements", listNode(textNode("select"), textNode("update")))
		l.add(Weaken, word, at, to)
	}
	l.loosened(word, at.key("tables"), never, func(table string) string {
		if schema, _, qualified := strings.Cut(table, "."); qualified {
			return schema + ".*"
		}
		return "*"
	})
}

func (l *lister) from(word string, at place, never bool) {
	n := at.from(l.root)
	sources := []place{at}
	if n.Kind == toolcall.Array {
		l.entries(word, at)
		sources = nil
		for i := range n.Items {
			sources = append(sources, at.item(i))
		}
	}
	request := false
	for _, s := range sources {
		source := s.from(l.root)
		request = request || source.Text == "request"
		if source.Get("at") != nil {
			l.add(LoosenSource, word, s.key("at"), nil)
		}
		if literal := source.Get("literal"); literal != nil {
			l.entries(word, s.key("literal"))
		}
	}
	if request {
		return
	}
	if n.Kind == toolcall.Array {
		l.add(LoosenSource, word, at, and(n, textNode("request")))
	} else {
		l.add(LoosenSource, word, at, listNode(n, textNode("request")))
	}
}

func (l *lister) identifiers(word string, at place, never bool) {
	l.from(word, at.key("from"), never)
	if at.key("patterns").from(l.root) != nil {
		l.entries(word, at.key("patterns"))
	}
}

func (l *lister) shell(word string, at place, never bool) {
	l.parts(word, at)
	for _, files := range []string{"read", "write"} {
		l.loosened(word, at.key(files), never, widerPath)
	}
	l.alsoBelow(word, at.key("net"), never)
	for _, programs := range []string{"run", "opaque"} {
		l.loosened(word, at.key(programs), never, func(command string) string {
			words := strings.Fields(command)
			if len(words) < 2 || command[0] == '!' {
				return ""
			}
			return strings.Join(words[:len(words)-1], " ")
		})
	}
}
