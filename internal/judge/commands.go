package judge

import (
	"path"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/shell"
)

// commandLine turns what one command line would do into effects.
type commandLine struct {
	action Action
	shell  constraint.Shell
	all    []Effect
}

// commandEffects returns the effects of a command line. Of a command that only
// does what its effects on files and hosts say, these count. Of any other, each
// word that it gets is an effect of its own: what a word means to a program that
// acts by itself is not known, so the user must have said it.
func commandEffects(text string, s constraint.Shell, a Action) []Effect {
	if !s.Known {
		return []Effect{{Target: text, Kind: KindOperation, Unresolved: true}}
	}
	l := commandLine{action: a, shell: s}
	for i := range s.Effects {
		if len(l.all) > maxEffects {
			break // too many to be judged
		}
		l.add(&s.Effects[i])
	}
	return l.all
}

func (l *commandLine) add(e *shellEffect) {
	switch e.Kind {
	case shell.Execute:
		l.execute(e)
	case shell.Read, shell.Write:
		l.file(e)
	case shell.Network:
		l.network(e)
	default:
		if !e.Opaque || l.command(e.By) == nil {
			l.put(e, Effect{Target: e.Cause.Text, Kind: KindOperation, Unresolved: true, Irrecoverable: true})
		} // else the words of the command stand for its inner work
	}
}

type shellEffect = constraint.ShellEffect

// put adds an effect that a command has.
func (l *commandLine) put(by *shellEffect, e Effect) {
	if run := l.command(by.By); run != nil && !e.Unresolved {
		if words, known := texts(run.Words); known {
			e.whole = [][]string{words}
		}
	}
	l.all = append(l.all, e)
}

// command returns what a command executes, nil if it is none that does.
func (l *commandLine) command(by int) *shellEffect {
	for i := range l.shell.Effects {
		if e := &l.shell.Effects[i]; e.Kind == shell.Execute && e.By == by {
			return e
		}
	}
	return nil
}

// any reports whether some effect of a command is of a kind.
func (l *commandLine) any(by int, of func(*shellEffect) bool) bool {
	for i := range l.shell.Effects {
		if e := &l.shell.Effects[i]; e.By == by && of(e) {
			return true
		}
	}
	return false
}

func opaque(e *shellEffect) bool { return e.Kind == shell.Unknown && e.Opaque }
func sends(e *shellEffect) bool  { return e.Kind == shell.Network }

func texts(words []shell.Word) (all []string, known bool) {
	for _, w := range words {
		if !w.Known {
			return nil, false
		}
		all = append(all, w.Text)
	}
	return all, len(all) > 0
}

// quiet reports whether a command does nothing but what its effects on files
// and hosts say. A program that a path leads to is another one of that name.
func (l *commandLine) quiet(e *shellEffect) bool {
	return len(e.Name) > 0 && len(e.Words) > 0 && !strings.Contains(e.Words[0].Text, "/") &&
		(is(e.Name[0], "quiet") || is(strings.Join(e.Name, "-"), "quiet")) && !l.any(e.By, opaque)
}

func (l *commandLine) execute(e *shellEffect) {
	line := spelled(e.Words)
	if !l.quiet(e) {
		l.act(e, line)
		return
	}
	l.put(e, Effect{Op: Execute, Kind: KindOperation, Target: line, quiet: true})
	l.overrides(e)
	if l.any(e.By, sends) {
		l.acting(e)
	}
}

// overrides adds the options of a quiet command that turn a check off, in
// whatever spelling they were given.
func (l *commandLine) overrides(e *shellEffect) {
	if is(e.Name[0], "prompts") {
		return
	}
	all := slices.Clone(e.Options)
	for _, w := range e.Words[1:] {
		option, _, _ := strings.Cut(w.Text, "=")
		all = append(all, option)
	}
	slices.Sort(all)
	for _, option := range slices.Compact(all) {
		if strings.HasPrefix(option, "--") && anyIs(option, "override") {
			l.option(e, OverrideCheck, shell.Word{Text: option, Known: true})
		}
	}
}

// acting adds the options of a quiet command that make it do more to a host than
// its effects say, each with the word behind it.
func (l *commandLine) acting(e *shellEffect) {
	for i, w := range e.Words[1:] {
		option, _, _ := strings.Cut(w.Text, "=")
		behind := e.Words[min(i+2, len(e.Words)-1)]
		if in(option, "acting") || in(option, "forms") && !strings.Contains(behind.Text, "=@") {
			l.option(e, OverrideCheck, w)
			l.operand(e, OverrideCheck, nil, behind)
		}
	}
}

// in reports whether an option is of a class, also with its value attached.
func in(option, class string) bool {
	return is(option, class) || len(option) > 2 && option[1] != '-' && is(option[:2], class)
}

func spelled(words []shell.Word) string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = w.Text
	}
	return strings.Join(all, " ")
}

// operation returns the index of the word of a command that says what it does,
// and its class. Words before it name a service of the program (aws ec2
// delete-snapshot).
func operation(words []shell.Word) (at int, class string) {
	for i := 1; i < len(words) && i <= 3; i++ {
		if !words[i].Known || strings.HasPrefix(words[i].Text, "-") {
			break
		}
		if class := opOf(words[i].Text); class != "" {
			return i, class
		}
	}
	if len(words) > 1 && words[1].Known && words[1].Text != "" && strings.Trim(words[1].Text, "abcdefghijklmnopqrstuvwxyz:-") == "" && words[1].Text[0] != '-' {
		return 1, ""
	}
	return 0, opOf(words[0].Text)
}

// act adds the effects of a command that acts by itself: what it does, and
// every word that it gets.
func (l *commandLine) act(e *shellEffect, line string) {
	if len(e.Words) == 0 {
		l.put(e, Effect{Target: line, Kind: KindOperation, Unresolved: true, Irrecoverable: true})
		return
	}
	at, class := operation(e.Words)
	op := ChangeState
	if class == "delete" {
		op = Delete
	}
	verbs := append([]string{}, classes["say "+class]...)
	if at > 0 {
		verbs = append(verbs, parts(e.Words[at].Text)...)
	}
	if class == "" || at == 0 {
		verbs = append(verbs, classes["say execute"]...)
	}
	first := len(l.all)
	crosses := l.any(e.By, sends)
	l.put(e, Effect{Op: op, Kind: KindOperation, Target: spelled(e.Words[:at+1]), Irrecoverable: true, Crosses: crosses,
		Unresolved: !e.Words[0].Known})
	operands := l.words(e, op, verbs, e.Words[at+1:])
	l.all[first].names, l.all[first].verbs = operationNames(e, at, verbs, operands > 0)
}

// operationNames returns how a user names what a command does. Where no other
// word says what it is done to, the program must be named as well: "remove the
// old logs" is no order to prune all that docker has.
func operationNames(e *shellEffect, at int, verbs []string, operands bool) (names []name, with []string) {
	if operands {
		for _, v := range verbs {
			names = append(names, name{text: v, as: folded})
		}
		return names, nil
	}
	return []name{{text: path.Base(e.Words[0].Text), as: folded}}, verbs
}

// words adds an effect for each word that a command gets, and returns how many of
// them say what it is done to.
func (l *commandLine) words(e *shellEffect, op Op, verbs []string, words []shell.Word) (operands int) {
	for i := 0; i < len(words); i++ {
		w := words[i]
		option, value, attached := strings.Cut(w.Text, "=")
		next := i+1 < len(words) && !strings.HasPrefix(words[i+1].Text, "-")
		switch {
		case w.Text == "--":
		case !w.Known, !strings.HasPrefix(w.Text, "-") || len(w.Text) < 2:
			l.operand(e, op, verbs, w)
			operands++
		case anyIs(option, "credential") && (attached || next):
			if !attached {
				i++
				value = words[i].Text
			}
			l.operand(e, UseCredential, nil, shell.Word{Text: value, Known: attached || words[i].Known})
		case anyIs(option, "override"):
			l.option(e, OverrideCheck, shell.Word{Text: option, Known: true})
			if attached {
				l.operand(e, op, verbs, shell.Word{Text: value, Known: true})
			}
		case names(option) && (attached || next):
			if !attached {
				i++
				value = words[i].Text
			}
			l.operand(e, op, verbs, shell.Word{Text: value, Known: attached || words[i].Known})
			operands++
		default:
			l.option(e, op, shell.Word{Text: option, Known: true})
			if attached {
				l.operand(e, op, verbs, shell.Word{Text: value, Known: true})
				operands++
			}
		}
	}
	return operands
}

// names reports whether an option only says what its value is.
func names(option string) bool {
	all := parts(option)
	return strings.HasPrefix(option, "--") && len(all) > 0 && is(all[len(all)-1], "naming")
}

// option adds the effect of an option that a command gets.
func (l *commandLine) option(e *shellEffect, op Op, w shell.Word) {
	text, _, _ := strings.Cut(w.Text, "=")
	names := []name{{text: text, as: exactly}}
	if words := parts(text); strings.HasPrefix(text, "--") && (len(words) > 1 || op == OverrideCheck) {
		names = append(names, name{text: text, as: spoken})
	}
	l.put(e, Effect{Op: op, Kind: KindOption, Target: text, Unresolved: !w.Known, Irrecoverable: true, names: names})
}

// operand adds the effect of a word that a command gets.
func (l *commandLine) operand(e *shellEffect, op Op, verbs []string, w shell.Word) {
	l.put(e, Effect{Op: op, Kind: KindOperand, Target: w.Text, Unresolved: !w.Known, Irrecoverable: true,
		Crosses: op == Send, verbs: verbs, names: []name{
			{text: w.Text, as: exactly}, {text: path.Clean(w.Text), as: folded}, {text: w.Text, as: folded}, {text: w.Text, as: numeric},
		}})
}

// file adds the effect on a file, and on what a link leads to.
func (l *commandLine) file(e *shellEffect) {
	made := Effect{Op: Read, Kind: KindFile, Target: e.Path, verbs: classes["say read"], Unresolved: !e.Sure}
	if made.Target == "" {
		made.Target = e.Cause.Text
	}
	for _, f := range e.Files {
		made.Affected = append(made.Affected, f.Path)
	}
	slices.Sort(made.Affected)
	switch {
	case e.Kind == shell.Write && l.deletes(e.By):
		made.Op, made.Irrecoverable, made.verbs = Delete, true, classes["say delete"]
	case e.Kind == shell.Write:
		made.Op, made.Irrecoverable, made.verbs = Write, true, classes["say write"]
	case e.Runs:
		made.Op, made.verbs = Execute, classes["say execute"]
	case slices.ContainsFunc(l.shell.Effects, func(e shellEffect) bool { return sends(&e) }): // through a pipe, too
		made.Op, made.Crosses, made.verbs = Send, true, classes["say send"]
	case credential(e.Path):
		made.Op, made.verbs = UseCredential, nil
	default:
		made.quiet = !made.Unresolved && l.near(e.Path)
	}
	made.names = l.fileNames(e)
	l.put(e, made)
	if leads := l.leadsTo(e); leads != "" && made.Op != Delete {
		made.Target, made.quiet = leads, false
		made.names = []name{{text: leads, as: below, roots: l.roots()}}
		l.put(e, made)
	}
}

// deletes reports whether what a command writes is lost.
func (l *commandLine) deletes(by int) bool {
	run := l.command(by)
	if run == nil {
		return false
	}
	return slices.ContainsFunc(run.Name, func(w string) bool { return opOf(w) == "delete" }) ||
		slices.ContainsFunc(run.Words, func(w shell.Word) bool { return strings.HasPrefix(w.Text, "-") && opOf(w.Text) == "delete" })
}

// credential reports whether the name of a file says that it holds one.
func credential(file string) bool { return anyIs(path.Base(file), "credential") }

// near reports whether a file lies in the workspace, or where the command runs
// if no workspace is known.
func (l *commandLine) near(file string) bool {
	home := l.action.Places.Workspace
	if home == "" {
		home = l.action.Cwd
	}
	return home != "" && within(path.Clean(file), home)
}

func (l *commandLine) fileNames(e *shellEffect) []name {
	all := []name{{text: e.Path, as: below, roots: l.roots()}}
	if e.Pattern {
		all = append(all, name{text: e.Cause.Text, as: exactly})
	}
	return all
}

// roots are the folders that a path in a turn may count from.
func (l *commandLine) roots() (all []string) {
	for _, dir := range []string{l.action.Cwd, l.action.Places.Workspace} {
		if dir != "" {
			all = append(all, path.Clean(dir))
		}
	}
	return all
}

// leadsTo returns what a link leads to that an effect goes through; "" if its
// path is none.
func (l *commandLine) leadsTo(e *shellEffect) string {
	if e.Pattern || e.Tree || len(e.Files) < 2 {
		return ""
	}
	return e.Files[0].Path
}

// network adds the effect on a host. One that no word names belongs to the words
// of the command.
func (l *commandLine) network(e *shellEffect) {
	if e.Opaque && e.Host == "" && e.Remote == "" && l.command(e.By) != nil {
		return
	}
	made := Effect{Op: Send, Kind: KindHost, Irrecoverable: true, Crosses: true, verbs: classes["say send"],
		Target: strings.Join(e.Hosts, " "), Unresolved: e.Host == "" && (e.Remote == "" || e.Remote == "*")}
	if e.Remote != "" && e.Remote != "*" {
		made.Target = strings.TrimSpace(e.Remote + " " + made.Target)
		made.names = append(made.names, name{text: e.Remote, as: exactly})
	}
	if address := strings.Trim(e.Cause.Text, `'"`); page(address) {
		made.Unresolved = made.Unresolved || strings.ContainsAny(address, "$`")
		made.names = append(made.names, name{text: address, as: exactly}) // what stands behind the host is sent as well
		made.Target = address
	} else {
		for _, h := range e.Hosts {
			made.names = append(made.names, name{text: h, as: host})
		}
	}
	if made.Target == "" {
		made.Target = e.Cause.Text
	}
	l.put(e, made)
}

// page reports whether an address says more than a host.
func page(address string) bool {
	if _, rest, ok := strings.Cut(address, "://"); ok {
		address = rest
	}
	host, rest, _ := strings.Cut(address, "/")
	return rest != "" || strings.ContainsAny(host, "?#$")
}
