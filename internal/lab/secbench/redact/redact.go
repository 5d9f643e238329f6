package redact

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/lab/secbench/task"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Rule names what is hidden.
type Rule string

// The rules, in the order in which they run.
const (
	Key     Rule = "A"
	Person  Rule = "B"
	Host    Rule = "C"
	Trigger Rule = "D"
	Path    Rule = "E"
)

// Rules lists them in their order.
var Rules = []Rule{Key, Person, Host, Trigger, Path}

// notOfInputs are the rules for what the bench itself says.
var notOfInputs = []Rule{Key, Person, Host, Path}

// Hidden is what a run must not show. Paths are known by their shape, and so are keys.
type Hidden struct {
	Key      string   // that of the run, of which no part is shown either
	People   []string // names, mail addresses, telephone numbers
	Hosts    []string
	Triggers [][]byte // inputs, of a task of which they are hidden
}

// Of returns what a run of a fixture must not show. inputs are those that the run
// wrote; the gold one is with them where inputs are hidden at all.
func Of(f *task.Fixture, gold task.Gold, inputs ...[]byte) Hidden {
	c := f.Canaries
	h := Hidden{Key: c.Key, People: []string{c.Person, c.Mail, c.Phone}, Hosts: []string{c.Host}}
	if slices.Contains(f.Task.Redact, string(Trigger)) {
		h.Triggers = append(slices.Clone(inputs), gold.Trigger)
	}
	return h
}

// found is a place in a text and what stands there.
type found struct {
	from, to int
	form     string
	value    string
}

// Finder finds what a run must not show.
type Finder struct {
	words  map[Rule]*regexp.Regexp // nil = none
	inputs [][]byte
	parts  *parts // of inputs
	digits *parts // of the key
}

// NewFinder returns a finder.
func NewFinder(h Hidden) *Finder {
	f := &Finder{
		words:  map[Rule]*regexp.Regexp{Person: anyOf(h.People), Host: anyOf(h.Hosts)},
		inputs: h.Triggers, parts: newParts(), digits: newParts(),
	}
	for _, in := range h.Triggers {
		f.parts.add(in, part, string(in))
		f.parts.add(raw(string(in)).without(apart).text, part, string(in))
	}
	if m := keyShape.FindStringSubmatch(h.Key); m != nil {
		for _, digits := range []string{strings.ToLower(m[1]), strings.ToUpper(m[1])} {
			f.digits.add([]byte(digits), keyPart, strings.ToLower(digits))
		}
	}
	return f
}

// all returns what a rule hides in a text.
func (f *Finder) all(rule Rule, s string) []found {
	switch rule {
	case Key:
		return keys(s, f.digits)
	case Person, Host:
		return words(s, f.words[rule])
	case Trigger:
		return f.triggers(s)
	case Path:
		return paths(s)
	}
	return nil
}

// keyShape is that of every fake key, with what may be left out of it.
var keyShape = regexp.MustCompile(`(?i)lk_?canary_?([0-9a-f]{32})`)

// keyPart is how many digits of a key a text must hold in a row: a key in two or three
// pieces is seen in each of them. Fewer would be met in hashes, by chance.
const keyPart = 10

// keys finds what has the shape of a key, and what has digits of one, in a text.
func keys(s string, digits *parts) (all []found) {
	if len(s) < keyPart {
		return nil
	}
	see := func(f *form) {
		digits.in(f.text, func(i, j int, key string) {
			from, to := f.span(i, j)
			all = append(all, found{from, to, f.name, key})
		})
		if !mayHoldKey(f.text) {
			return // which is quicker to say than with an expression
		}
		for _, m := range keyShape.FindAllSubmatchIndex(f.text, -1) {
			from, to := f.span(m[0], m[1])
			all = append(all, found{from, to, f.name, strings.ToLower(string(f.text[m[2]:m[3]]))})
		}
	}
	read(s, see)
	see(raw(s).without(apartKey))
	return all
}

// mayHoldKey says whether a word of every key is there.
func mayHoldKey(text []byte) bool {
	const word = "canary"
	for i := 0; i+len(word) <= len(text); i++ {
		if text[i]|0x20 == word[0] && strings.EqualFold(string(text[i:i+len(word)]), word) {
			return true
		}
	}
	return false
}

// HoldsKey says whether a text holds this fake key, all of it, in some form.
func HoldsKey(s, key string) bool {
	return slices.ContainsFunc(keys(s, nil), func(f found) bool { return "lk_canary_"+f.value == key })
}

// anyOf matches words in any letter case, also as they stand in URLs and names, and
// over line breaks; nil if there are none.
func anyOf(values []string) *regexp.Regexp {
	values = slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v == "" })
	if len(values) == 0 {
		return nil
	}
	slices.SortFunc(values, func(a, b string) int { return len(b) - len(a) }) // the longest first
	written := strings.NewReplacer(" ", `(?:[\s+_]|%20)+`, "@", `(?:@|%40)`, `\+`, `(?:\+|%2B)`)
	for i, v := range values {
		values[i] = written.Replace(regexp.QuoteMeta(v))
	}
	return regexp.MustCompile(`(?i)` + strings.Join(values, "|"))
}

func words(s string, any *regexp.Regexp) (all []found) {
	if any == nil {
		return nil
	}
	for _, m := range any.FindAllStringIndex(s, -1) {
		all = append(all, found{m[0], m[1], rawForm, strings.ToLower(s[m[0]:m[1]])})
	}
	return all
}

// Lengths of inputs, in bytes.
const (
	part  = 8 // of which a text must hold so much in a row
	whole = 4 // a shorter one is hidden only where it is all of a text
)

// triggers finds inputs, whole or a part of them.
func (f *Finder) triggers(s string) (all []found) {
	if len(f.inputs) == 0 {
		return nil
	}
	read(s, func(form *form) {
		f.parts.in(form.text, func(i, j int, input string) {
			if form.whole(i, j) {
				from, to := form.span(i, j)
				all = append(all, found{from, to, form.name, input})
			}
		})
		for _, in := range f.inputs {
			if len(in) < whole && form.is(in, s) {
				all = append(all, found{0, len(s), form.name, string(in)})
			}
		}
	})
	return all
}

// mark is what stands for a value, and marked a text that ends with one.
var (
	mark   = regexp.MustCompile(`\[(?:[A-C]:\d+|D sha256=[0-9a-f]{64} len=\d+|E)\]`)
	marked = regexp.MustCompile(mark.String() + `\z`)
)

// longestMark is how many bytes a mark has at most: that of an input, with its hash.
const longestMark = 100

// Marked says whether a text holds what stands for a value, or looks like it.
func Marked(text []byte) bool { return mark.Match(text) }

// find returns what a rule hides in a text, in order and without overlap.
func (f *Finder) find(rule Rule, s string) (all []found) {
	list := f.all(rule, s)
	slices.SortStableFunc(list, func(a, b found) int { // of two forms the plainer is seen first
		return cmp.Or(a.from-b.from, b.to-a.to)
	})
	for _, f := range list {
		if last := len(all) - 1; last >= 0 && f.from < all[last].to {
			all[last].to = max(all[last].to, f.to)
			continue
		}
		all = append(all, f)
	}
	return all
}

// Redactor makes the public form of the texts of one run.
type Redactor struct {
	finder *Finder
	off    []Rule
	seen   map[Rule][]string
	counts map[Rule]int
}

// New returns a redactor. Rules that are off do nothing, so that a test can show that
// each does something.
func New(h Hidden, off ...Rule) *Redactor {
	return &Redactor{finder: NewFinder(h), off: off, seen: map[Rule][]string{}, counts: map[Rule]int{}}
}

// Counts returns how often each rule replaced something.
func (r *Redactor) Counts() map[Rule]int { return maps.Clone(r.counts) }

// Text returns the public form of a text.
func (r *Redactor) Text(s string) string { return r.apply(s, Rules) }

// Word returns the public form of what the bench itself says. An input can be any
// word, and what was done would be lost with it: inputs are not looked for.
func (r *Redactor) Word(s string) string {
	return r.apply(s, notOfInputs)
}

func (r *Redactor) apply(s string, rules []Rule) string {
	for _, rule := range rules {
		if slices.Contains(r.off, rule) {
			continue
		}
		var b strings.Builder
		kept := 0
		for _, f := range r.finder.find(rule, s) {
			b.WriteString(s[kept:f.from] + r.mark(rule, f.value))
			kept = f.to
			r.counts[rule]++
		}
		s = b.String() + s[kept:]
	}
	return s
}

// mark is what stands for a value.
func (r *Redactor) mark(rule Rule, value string) string {
	switch rule {
	case Trigger:
		return fmt.Sprintf("[D sha256=%x len=%d]", sha256.Sum256([]byte(value)), len(value))
	case Path:
		elements := separator.Split(value, -1)
		return "[E]/" + elements[len(elements)-1]
	}
	n := slices.Index(r.seen[rule], value) + 1
	if n == 0 {
		r.seen[rule] = append(r.seen[rule], value)
		n = len(r.seen[rule])
	}
	return fmt.Sprintf("[%s:%d]", rule, n)
}

// Blob returns the public form of what a blob holds: of JSON, that of every text,
// name and long number in it, so that it stays JSON.
func (r *Redactor) Blob(text []byte) []byte {
	v, err := toolcall.Parse(text, toolcall.Bounds{})
	if err != nil {
		return []byte(r.Text(string(text)))
	}
	public := r.value(v)
	if public.Equal(v) {
		return text
	}
	return []byte(public.Canonical())
}

// longNumber is how many digits spell out an input that is looked for everywhere.
const longNumber = 2 * whole

// value returns the public form of a value.
func (r *Redactor) value(v toolcall.Value) toolcall.Value {
	switch v.Kind() {
	case toolcall.String:
		return toolcall.StringOf(r.Text(v.Text()))
	case toolcall.Number:
		digits := v.Canonical()
		if len(digits) < longNumber {
			return v
		}
		if public := r.Text(digits); public != digits {
			return toolcall.StringOf(public)
		}
	case toolcall.Array:
		elems := make([]toolcall.Value, v.Len())
		for i := range elems {
			elems[i] = r.value(v.Elem(i))
		}
		return toolcall.ArrayOf(elems...)
	case toolcall.Object:
		members := make([]toolcall.Member, v.Len())
		names := map[string]bool{}
		for i := range members {
			name, value := v.Member(i)
			name = r.Text(name)
			for names[name] {
				name += "'" // two names that look alike now
			}
			names[name] = true
			members[i] = toolcall.Member{Name: name, Value: r.value(value)}
		}
		return toolcall.ObjectOf(members...)
	}
	return v
}

// Hit is something in an export that a rule should have replaced.
type Hit struct {
	Rule     Rule
	Form     string
	From, To int // bytes of the text
}

// Scan returns what must not be in a text, by rule and place.
func (f *Finder) Scan(s string) []Hit { return f.scan(s, Rules) }

// ScanWord returns what must not be in what the bench itself says (Redactor.Word).
func (f *Finder) ScanWord(s string) []Hit { return f.scan(s, notOfInputs) }

func (f *Finder) scan(s string, rules []Rule) (all []Hit) {
	for _, rule := range rules {
		for _, at := range f.find(rule, s) {
			all = append(all, Hit{rule, at.form, at.from, at.to})
		}
	}
	return all
}

// ScanBlob returns what must not be in a blob: in the texts, names and long numbers
// that it consists of if it is JSON, in all of it otherwise.
func (f *Finder) ScanBlob(blob []byte) []Hit {
	v, err := toolcall.Parse(blob, toolcall.Bounds{})
	if err != nil {
		return f.Scan(string(blob))
	}
	return f.scanValue(v)
}

func (f *Finder) scanValue(v toolcall.Value) (all []Hit) {
	switch v.Kind() {
	case toolcall.String:
		return f.Scan(v.Text())
	case toolcall.Number:
		if digits := v.Canonical(); len(digits) >= longNumber {
			return f.Scan(digits)
		}
	}
	for i := range v.Len() {
		name, value := v.Member(i)
		all = append(append(all, f.Scan(name)...), f.scanValue(value)...)
	}
	return all
}
