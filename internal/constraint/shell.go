package constraint

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/shell"
	"github.com/licet-dev/licet/internal/toolcall"
)

// shellKind is `shell`: what a command line would do (contract language,
// section 3). Package shell reads the command, whoever answers the question puts
// its effects to their places on this machine, and this judges them one by one.
//
// A permitting clause needs every effect covered: a program by `run`, files by
// `read` and `write` (whose patterns mean what those of `path` do), hosts by
// `net`, and what cannot be determined only where it is the inner work of a
// command in `opaque`. A never clause matches as soon as one effect matches an
// entry, or may; the inner work of a command is the one thing it does not match.
type shellKind struct {
	run, opaque []command
	read, write *pathKind // nil covers nothing
	net         []hostPattern
	spec        toolcall.Value
	beside      []*shellKind // what these cover is covered, too
	others      []*pathKind  // what the agent may write elsewhere: see Set.Among
}

// Members of shell.
const (
	shellRun    = "run"
	shellOpaque = "opaque"
	shellRead   = "read"
	shellWrite  = "write"
	shellNet    = "net"
)

func newShell(v toolcall.Value, env Env) (kind, *SpecError) {
	if v.Kind() != toolcall.Object || v.Len() == 0 {
		return nil, refuse("expected {run: [...]}, with opaque, read, write or net, got %s", describe(v))
	}
	if !env.Resolve {
		return nil, refuse("a command is judged by the files that it touches, which the gate cannot see where the catalog says resolve: none")
	}
	k := &shellKind{}
	var spec []toolcall.Member
	for i := range v.Len() {
		word, operand := v.Member(i)
		canonical, err := k.member(word, operand)
		if err != nil {
			return nil, err.under(member(word))
		}
		spec = append(spec, toolcall.Member{Name: word, Value: toolcall.ArrayOf(sorted(canonical)...)})
	}
	k.spec = toolcall.ObjectOf(spec...)
	return k, nil
}

// member reads one member and returns its entries in their one spelling.
func (k *shellKind) member(word string, v toolcall.Value) (canonical []toolcall.Value, err *SpecError) {
	switch word {
	case shellRun:
		k.run, err = commands(v)
		canonical = commandTexts(k.run)
	case shellOpaque:
		k.opaque, err = commands(v)
		canonical = commandTexts(k.opaque)
	case shellRead, shellWrite:
		p := &pathKind{write: word == shellWrite, resolve: true}
		if err = p.setGlobs(v); err != nil {
			return nil, err
		}
		for _, g := range p.globs {
			canonical = append(canonical, g.canonical())
		}
		if p.write {
			k.write = p
		} else {
			k.read = p
		}
	case shellNet:
		k.net, err = hostPatterns(v, false)
		for _, p := range k.net {
			canonical = append(canonical, toolcall.StringOf(p.String()))
		}
	default:
		err = unknown("member", word, shellNet, shellOpaque, shellRead, shellRun, shellWrite)
	}
	return canonical, err
}

func commands(v toolcall.Value) (all []command, err *SpecError) {
	if v.Kind() != toolcall.Array || v.Len() == 0 {
		return nil, refuse("expected a list of at least one command, got %s", describe(v))
	}
	covering := false
	for i := range v.Len() {
		if v.Elem(i).Kind() != toolcall.String {
			return nil, refuse("expected a command, got %s", v.Elem(i).Kind()).under(element(i))
		}
		c, err := newCommand(v.Elem(i).Text())
		if err != nil {
			return nil, err.under(element(i))
		}
		covering = covering || !c.not
		all = append(all, c)
	}
	if !covering {
		return nil, refuse("expected at least one command without !: nothing would be covered")
	}
	return all, nil
}

func commandTexts(all []command) []toolcall.Value {
	texts := make([]toolcall.Value, len(all))
	for i, c := range all {
		texts[i] = toolcall.StringOf(c.text())
	}
	return texts
}

func (k *shellKind) name() string              { return "shell" }
func (k *shellKind) canonical() toolcall.Value { return k.spec }

// neverUsable refuses opaque: what a command does inside is not known, so there
// is nothing to match.
func (k *shellKind) neverUsable() *SpecError {
	if len(k.opaque) > 0 {
		return refuse("opaque vouches for a command, so it cannot stand in a never clause; to forbid the command, name it in run").under(member(shellOpaque))
	}
	return nil
}

func (k *shellKind) questions(qs []Question, v toolcall.Value) []Question {
	if v.Kind() != toolcall.String {
		return qs
	}
	qs = append(qs, Question{Key: shellKey(v.Text()), Shell: &ShellQuestion{v.Text()}})
	for _, p := range append([]*pathKind{k.read, k.write}, k.others...) {
		if p != nil {
			qs = p.onTheWay(qs)
		}
	}
	return qs
}

func shellKey(command string) string { return "shell " + command }

func (k *shellKind) unmet(v toolcall.Value, a Answers) string {
	s := a.Shell[shellKey(v.Text())]
	if v.Kind() != toolcall.String || !s.Known {
		return "is no command that could be analyzed"
	}
	for i := range s.Effects {
		if _, why := k.covers(s, &s.Effects[i], a); why != "" {
			return "would " + why
		}
	}
	return ""
}

func (k *shellKind) met(v toolcall.Value, a Answers) string {
	s := a.Shell[shellKey(v.Text())]
	if v.Kind() != toolcall.String || !s.Known {
		return "is no command that could be analyzed"
	}
	for i := range s.Effects {
		if why := k.matches(s, &s.Effects[i], a); why != "" {
			return "would or may " + why
		}
	}
	return ""
}

// ownPrograms are never covered: what runs them could answer its own tickets.
var ownPrograms = []string{"licet", "licet-hook", "licet-lab"}

// covers says which entry covers an effect, or why none does: of k, or of one
// beside it.
func (k *shellKind) covers(s Shell, e *ShellEffect, a Answers) (entry, why string) {
	entry, why = k.coversAlone(s, e, a)
	for _, other := range k.beside {
		if why == "" {
			break
		}
		if by, not := other.coversAlone(s, e, a); not == "" {
			entry, why = by, ""
		}
	}
	return entry, why
}

func (k *shellKind) coversAlone(s Shell, e *ShellEffect, a Answers) (entry, why string) {
	switch e.Kind {
	case shell.Execute:
		return k.coversRun(s, e, a)
	case shell.Read:
		return coversFiles(k.read, e, a, k.vouches(s, e, a))
	case shell.Write:
		return coversFiles(k.write, e, a, k.vouches(s, e, a))
	case shell.Network:
		if !e.Opaque {
			return k.coversHosts(e)
		}
	}
	if entry = k.vouches(s, e, a); entry != "" && e.Opaque {
		return entry, ""
	}
	return "", e.what() + ", which is not known"
}

func (k *shellKind) coversRun(s Shell, e *ShellEffect, a Answers) (entry, why string) {
	if len(e.Words) > 0 && slices.Contains(ownPrograms, strings.TrimSuffix(looseName(path.Base(e.Words[0].Text)), ".exe")) {
		return "", e.what() + ", a program of licet itself"
	}
	c, why := k.namedBy(k.run, s, e, a)
	if why == "" {
		return "run " + c.text(), ""
	}
	c, not := k.namedBy(k.opaque, s, e, a)
	if not == "" {
		return "opaque " + c.text(), ""
	}
	if why == unnamed {
		why = not
	}
	return "", e.what() + why
}

// unnamed is why nothing names a program that no entry speaks of.
const unnamed = ", which run does not name"

// namedBy returns the entry that certainly names what is executed, or why there
// is none, or an exception may name it.
func (k *shellKind) namedBy(list []command, s Shell, e *ShellEffect, a Answers) (by command, why string) {
	why = unnamed
	for _, c := range list {
		switch {
		case c.not && c.mayName(e):
			return by, unnamed
		case !c.not && why != "" && c.names(s, e, a.Places):
			by, why = c, k.misled(c, e, a)
		}
	}
	return by, why
}

// misled says why a program that an entry names may be one that the agent has put
// under its name; "" if it is not. An entry with a path vouches for what lies
// there.
func (k *shellKind) misled(c command, e *ShellEffect, a Answers) string {
	if e.Program.Doubt != "" {
		return ": " + e.Program.Doubt
	}
	if strings.Contains(c.words[0], "/") {
		return ""
	}
	stands := func(g *glob) (spot, bool) { return g.certain(&a) }
	for _, file := range e.Program.Way {
		for _, p := range append([]*pathKind{k.write}, k.others...) {
			if p != nil && p.mayPut(file, stands) {
				return fmt.Sprintf(": %s leads to %s, and %s may be written: if that file is meant, name it by its path",
					c.words[0], a.Places.contract(e.Program.File), a.Places.contract(file))
			}
		}
	}
	return ""
}

// vouches returns the entry of opaque that names the command of an effect; ""
// if none does.
func (k *shellKind) vouches(s Shell, e *ShellEffect, a Answers) string {
	for i := range s.Effects {
		if run := &s.Effects[i]; run.By == e.By && run.Kind == shell.Execute {
			if c, why := k.namedBy(k.opaque, s, run, a); why == "" {
				return "opaque " + c.text()
			}
		}
	}
	return ""
}

// coversFiles asks each file by itself: what lies below a tree is among them. A
// command that may make files under any name needs somebody to vouch for it: one
// of them may be guarded or excluded.
func coversFiles(p *pathKind, e *ShellEffect, a Answers, vouched string) (entry, why string) {
	switch {
	case p == nil:
		return "", e.what() + ", which no pattern covers"
	case !e.Sure:
		return "", e.what() + ", which is not all known"
	case e.Fresh && vouched == "":
		return "", e.what() + ", where it may make files of any name, and opaque does not vouch for it"
	}
	for _, f := range e.Files {
		f.Leaf = true // what lies below stands beside it
		names, why := f.split(nil)
		if why == "" {
			why = p.uncovered(f, names, e.Path, &a)
		}
		if why != "" {
			return "", e.what() + ": " + strings.TrimSpace(f.Path+" "+why)
		}
	}
	return p.String(), ""
}

func (k *shellKind) coversHosts(e *ShellEffect) (entry, why string) {
	if !e.Sure || len(e.Hosts) == 0 {
		return "", e.what() + ", which is not known"
	}
	for _, name := range e.Hosts {
		h, ok := addressed(name)
		at := slices.IndexFunc(k.net, func(p hostPattern) bool { return ok && p.names(h) })
		if at < 0 {
			return "", "talk to " + name + ", which net does not name"
		}
		entry = "net " + k.net[at].String()
	}
	return entry, ""
}

// addressed reads a host as package shell writes it: an IPv6 address has no
// brackets.
func addressed(name string) (host, bool) {
	if strings.Contains(name, ":") {
		name = "[" + name + "]"
	}
	return parseHost(name)
}

// matches says why an effect matches an entry, or may; "" if it certainly does
// not. What a command does inside, and with which hosts, does not match.
func (k *shellKind) matches(s Shell, e *ShellEffect, a Answers) string {
	switch e.Kind {
	case shell.Execute:
		for _, c := range k.run {
			if !c.not && c.mayName(e) && !slices.ContainsFunc(k.run, func(x command) bool { return x.not && x.names(s, e, a.Places) }) {
				return e.what() + ", which run names: " + c.text()
			}
		}
	case shell.Read:
		return matchesFiles(k.read, e, a)
	case shell.Write:
		return matchesFiles(k.write, e, a)
	case shell.Network:
		return k.matchesHosts(e)
	default:
		if !e.Opaque {
			return e.what() + ", which is not known"
		}
	}
	return ""
}

func matchesFiles(p *pathKind, e *ShellEffect, a Answers) string {
	if p == nil {
		return ""
	}
	if !e.Sure {
		return e.what() + ", which is not all known"
	}
	if e.Pattern && p.meetsPattern(e.Path, a) {
		return e.what() + ", which may be covered by " + p.String()
	}
	files := func(all []File, leaf bool) bool {
		return slices.ContainsFunc(all, func(f File) bool {
			f.Leaf = leaf
			names, why := f.split(nil)
			return why != "" || p.reaches(f, names, &a)
		})
	}
	if files(e.Files, true) || files(e.Roots, false) {
		return e.what() + ", which is or may be covered by " + p.String()
	}
	return ""
}

// meetsPattern reports whether a file that a shell pattern stands for, there or
// not, may be one of those that the patterns of the contract cover. A name with a
// wildcard may be any.
func (p *pathKind) meetsPattern(text string, a Answers) bool {
	names := namesOf(text)
	for i := range p.globs {
		spots, ok := p.globs[i].possible(make([]spot, 0, 3), &a)
		if !ok {
			return true
		}
		for _, s := range spots {
			length := len(s.fixed) + len(s.names)
			if p.globs[i].not || len(names) < length || !s.tree && len(names) > length {
				continue
			}
			if s.agreesWith(names[:length]) {
				return true
			}
		}
	}
	return false
}

// agreesWith is agrees for names of a shell pattern.
func (s spot) agreesWith(patterns []string) bool {
	for i, name := range patterns {
		want := ""
		if i < len(s.fixed) {
			want = s.fixed[i]
		} else {
			want = s.names[i-len(s.fixed)]
		}
		if !strings.ContainsAny(name, "*?[\\") && !match(looseName(want), looseName(name)) {
			return false
		}
	}
	return true
}

func (k *shellKind) matchesHosts(e *ShellEffect) string {
	if len(k.net) == 0 || e.Opaque {
		return ""
	}
	if !e.Sure || len(e.Hosts) == 0 {
		return e.what() + ", which is not known"
	}
	for _, name := range e.Hosts {
		h, ok := addressed(name)
		if !ok || slices.ContainsFunc(k.net, func(p hostPattern) bool { return p.resembles(h) }) {
			return "talk to " + name + ", which is or may be in net"
		}
	}
	return ""
}

// what words an effect: "execute rm old.txt".
func (e *ShellEffect) what() string {
	switch e.Kind {
	case shell.Execute:
		words := make([]string, len(e.Words))
		for i, w := range e.Words {
			words[i] = w.Text
		}
		return "execute " + cut(strings.Join(words, " "))
	case shell.Read, shell.Write:
		if e.Path == "" {
			return e.Kind.String() + " some file"
		}
		return e.Kind.String() + " " + cut(e.Path)
	case shell.Network:
		if e.Host == "" {
			return "talk to a host"
		}
		return "talk to " + cut(e.Host)
	}
	return "do something in " + cut(e.Cause.Text) + " (" + e.Why + ")"
}

// shellOf returns the shell constraint of the set, nil if there is none.
func (s *Set) shellOf() *shellKind {
	for _, k := range s.kinds {
		if k, ok := k.(*shellKind); ok {
			return k
		}
	}
	return nil
}

// JudgesCommands reports whether the set has a `shell` constraint.
func (s *Set) JudgesCommands() bool { return s.shellOf() != nil }

// Beside returns the set in which an effect of a command is covered also by what
// the `shell` constraints of others cover: the clauses of allow beside one of
// approve (contract language, section 3).
func (s *Set) Beside(others []*Set) *Set {
	own := s.shellOf()
	if own == nil {
		return s
	}
	wide := *own
	for _, other := range others {
		if k := other.shellOf(); k != nil {
			wide.beside = append(wide.beside, k)
		}
	}
	return s.with(&wide)
}

// Among returns the set in which the bare name of a program does not name a file
// that one of the other sets, those of the clauses of allow of the same agent, lets
// it write: it could have put another program there.
func (s *Set) Among(others []*Set) *Set {
	own := s.shellOf()
	if own == nil {
		return s
	}
	wide := *own
	for _, other := range others {
		for _, k := range other.kinds {
			switch k := k.(type) {
			case *pathKind:
				if k.write && k.resolve {
					wide.others = append(wide.others, k)
				}
			case *shellKind:
				if k.write != nil && k != own {
					wide.others = append(wide.others, k.write)
				}
			}
		}
	}
	return s.with(&wide)
}

// with returns the set with another shell constraint, or without one.
func (s *Set) with(k *shellKind) *Set {
	t := &Set{optional: s.optional}
	for _, old := range s.kinds {
		if _, is := old.(*shellKind); is && k != nil {
			old = k
		} else if is {
			continue
		}
		t.kinds = append(t.kinds, old)
		if asks, ok := old.(asker); ok {
			t.askers = append(t.askers, asks)
		}
	}
	return t
}

// PermitsApart reports what [Set.Permits] does for all constraints but `shell`.
func (s *Set) PermitsApart(sel toolcall.Selection, a Answers) bool {
	rest := s.with(nil)
	if len(rest.kinds) == 0 {
		return true
	}
	ok, _ := rest.Permits(sel, a)
	return ok
}

// Coverage says of one effect of a command which entry of a `shell` constraint
// covers it, or in a never clause that it matches.
type Coverage struct {
	Effect shell.Effect
	Holds  bool   // covered; in a never clause: it matches, or may
	By     string // entry that covers it, "" if none does
	Why    string // why it is not covered, or what it matches
}

// Commands returns the coverage of each effect of a command; nil if the set has no
// `shell` constraint, or the command could not be analyzed.
func (s *Set) Commands(command string, a Answers, never bool) (all []Coverage) {
	k, done := s.shellOf(), a.Shell[shellKey(command)]
	if k == nil || !done.Known {
		return nil
	}
	all = make([]Coverage, 0, len(done.Effects))
	for i := range done.Effects {
		e := &done.Effects[i]
		c := Coverage{Effect: e.Effect}
		if never {
			c.Why = k.matches(done, e, a)
			c.Holds = c.Why != ""
		} else {
			c.By, c.Why = k.covers(done, e, a)
			c.Holds = c.Why == ""
		}
		all = append(all, c)
	}
	return all
}
