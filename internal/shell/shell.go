package shell

import (
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// Env is what is known of the place where a command line would run. What is
// left empty is not known.
type Env struct {
	Cwd     string            // absolute, with no link in it
	Home    string            // absolute: what ~ and $HOME stand for
	Vars    map[string]string // variables whose value is certain
	Dialect Dialect
	Bounds  Bounds
}

// Dialect is the shell that reads the line.
type Dialect uint8

const (
	// Bash is bash 4 or later.
	Bash Dialect = iota
	// Sh is what answers to sh: dash, bash or another. What these read
	// differently is unknown.
	Sh
)

// Bounds limits the work on one line. A zero member means its default.
type Bounds struct {
	Bytes int // length of the line; default 131,072, the longest argument of a process on Linux
	Nodes int // nodes of the syntax tree of each text that is parsed; default 20,000
	Depth int // texts, functions and wrappers inside one another; default 24
	Steps int // statements and words looked at, some more than once; default 100,000
}

func (b Bounds) orDefaults() Bounds {
	pick := func(n, or int) int {
		if n > 0 {
			return n
		}
		return or
	}
	return Bounds{pick(b.Bytes, 128<<10), pick(b.Nodes, 20_000), pick(b.Depth, 24), pick(b.Steps, 100_000)}
}

// Analysis is what a line would do.
type Analysis struct {
	Effects  []Effect
	Commands []Command // in the order in which they were met
}

// Kind is a kind of effect. The zero Kind is the strictest.
type Kind uint8

// The kinds of effect.
const (
	Unknown Kind = iota // something that could not be determined
	Execute             // a program is run
	Read                // a file is read
	Write               // a file is made, changed, moved or removed
	Network             // a host is talked to
)

func (k Kind) String() string {
	return [...]string{"unknown", "execute", "read", "write", "network"}[k]
}

// Making is what an effect may make below a folder, or under a pattern.
type Making uint8

// What may be made.
const (
	MakesAny     Making = iota // files under names that are not known
	MakesCopies                // names that lie below what the line reads or moves
	MakesNothing               // only what exists is touched
)

// Effect is one thing that the line does or may do.
type Effect struct {
	Kind Kind

	// Execute: the argument list as the program gets it.
	Words []Word
	// Execute: program and subcommand without path and options, as in {git,
	// push}, and every option given, bundles taken apart, abbreviations and
	// other spellings of the same option added. For programs without a row,
	// Name is the first word and Options is nil.
	Name, Options []string
	// Execute: a word that is not known may be an option, or a subcommand.
	Loose bool
	// Execute: the name that is looked up along PATH; "" for a path, a command of
	// the shell itself, and a name that is not known. Folders are those that may be
	// current then, from which a relative entry of PATH counts; none = not known.
	Search  string
	Folders []string

	// Read, Write: the file. Absolute; a ".." that follows a name which may be
	// a link is left in. With Pattern it is a shell pattern of what may be
	// touched, in which "\" quotes. If !PathKnown and !Pattern, Path is "" or
	// only a hint.
	Path      string
	PathKnown bool
	Pattern   bool
	Tree      bool   // all that is below Path, too
	Makes     Making // Write with Tree or Pattern: names that were not there before
	Into      bool   // Write: not done where Path is a folder; what goes into it are effects of their own
	Runs      bool   // Read: what the file says is run
	WorkTree  bool   // the files that git has checked out in the work tree around Path, never .git
	Unignored bool   // Read with Tree: without what git ignores there, as nothing tells it to take that

	// Network: the host, lower case and without port. "" is a host that is not
	// known; Remote then is the git remote that names it, if one does, and "*"
	// for the one that git's settings take by default. Path is then the folder
	// in which git looks it up, "" if that is not known.
	Host, Remote string

	// Unknown: it is the inner work of a command that does whatever its input
	// says (make, go test, a script) or that the table does not know. Network: so
	// is the choice of the host, which no word names.
	Opaque bool

	Cause Span
	Why   string // for people: how the effect comes about, or why it is unknown
	By    int    // index in Analysis.Commands
}

// Word is one argument. Where it is not Known, Text is how the line spells it.
type Word struct {
	Text  string `json:"text"`
	Known bool   `json:"known"`
}

// Span is a part of the line: byte offsets, and the text that is meant. For a
// text inside a word (sh -c '...'), the offsets are those of the whole word.
type Span struct {
	Start, End int
	Text       string
}

// Command is a simple command, or something else that has effects of its own:
// a redirection of a group, an assignment.
type Command struct {
	Words  []Word // empty for all but a simple command
	Span   Span
	Parent int // the command that runs it, as in `env rm x`; -1 for none
}

// Analyze says what command would do in env. It never panics, and the work is
// within env.Bounds; what is beyond them, or cannot be parsed, is one unknown
// effect.
func Analyze(command string, env Env) Analysis {
	a := &analyzer{env: env, bounds: env.Bounds.orDefaults(), fragile: map[string]bool{}}
	a.text(command, source{text: command, dialect: env.Dialect, parent: -1}, a.start())
	if a.stopped == "" {
		return Analysis{a.effects, a.commands}
	}
	whole := Span{0, len(command), command}
	return Analysis{
		Effects:  []Effect{{Kind: Unknown, Cause: whole, Why: a.stopped}},
		Commands: []Command{{Span: whole, Parent: -1}},
	}
}

// analyzer is one analysis.
type analyzer struct {
	env     Env
	bounds  Bounds
	fragile map[string]bool // see noteFragile
	steps   int
	depth   int
	stopped string // why the whole line is unknown

	effects  []Effect
	commands []Command
}

// source is a text that is parsed: the line, or a part of it that another
// command runs.
type source struct {
	text    string
	within  *Span // where the text stands in the line; nil if it is the line
	dialect Dialect
	parent  int
}

// step counts work, and says whether there may be more of it.
func (a *analyzer) step(n int) bool {
	if a.steps += n; a.steps > a.bounds.Steps {
		a.stop("the command is too long or too deep to be analyzed within its bounds")
	}
	return a.stopped == ""
}

// enter goes one level down, and says whether that is permitted. leave comes
// back up.
func (a *analyzer) enter() bool {
	if a.depth++; a.depth > a.bounds.Depth {
		a.stop("the command is nested too deep to be analyzed within its bounds")
	}
	return a.stopped == ""
}

func (a *analyzer) leave() { a.depth-- }

func (a *analyzer) stop(why string) {
	if a.stopped == "" {
		a.stopped = why
	}
}

// text analyzes a whole text, and returns the states after it.
func (a *analyzer) text(text string, src source, st state) (ok, fail state) {
	if why := unreadable(text, a.bounds.Bytes); why != "" {
		a.stop(why)
		return st, st
	}
	if !a.enter() {
		return st, st
	}
	defer a.leave()
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)).Parse(strings.NewReader(text), "")
	if err != nil {
		a.stop("the command does not parse as shell: " + err.Error())
		return st, st
	}
	nodes, hidden := 0, false
	syntax.Walk(file, func(n syntax.Node) bool {
		nodes++
		a.noteFragile(n)
		if c, is := n.(*syntax.Comment); is && insideWord(text, int(c.Hash.Offset())) {
			hidden = true
		}
		return nodes <= a.bounds.Nodes
	})
	if nodes > a.bounds.Nodes {
		a.stop("the command has too many parts to be analyzed within its bounds")
		return st, st
	}
	if hidden {
		a.stop("a # within a word begins no comment, and what stands behind it is not analyzed")
		return st, st
	}
	w := &walker{analyzer: a, src: src}
	return w.list(file.Stmts, st)
}

// insideWord reports whether a # may continue a word, so that a shell reads on where
// the parser takes all up to the end of the line for a comment. It does so behind
// quotes and substitutions that open the first word of a subshell. A # certainly
// begins a word behind a blank or an operator that nothing escapes; that a
// parenthesis closes may be a substitution, which is part of a word.
func insideWord(text string, at int) bool {
	before := text[:min(at, len(text))]
	for strings.HasSuffix(before, "\\\n") { // the lines are one
		before = strings.TrimSuffix(before, "\\\n")
	}
	begins := strings.TrimRight(before, " \t\n;&|(")
	return before != "" && len(begins) == len(before) || strings.HasSuffix(begins, "\\")
}

// unreadable says why a text cannot be analyzed at all. Control characters are
// refused because terminals, shells and parsers read them differently.
func unreadable(text string, bytes int) string {
	if len(text) > bytes {
		return "the command is too long to be analyzed within its bounds"
	}
	if !utf8.ValidString(text) {
		return "the command is not valid UTF-8"
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 }) {
		return "the command holds control characters"
	}
	if nesting(text) > maxNesting {
		return "the command is nested too deep to be analyzed within its bounds"
	}
	return ""
}

// maxNesting is how many brackets may be open at once, quoted ones included:
// the parser's time grows with the square of it.
const maxNesting = 200

func nesting(text string) int {
	open, most := 0, 0
	for _, c := range []byte(text) {
		switch c {
		case '(', '[', '{':
			open++
			most = max(most, open)
		case ')', ']', '}':
			open = max(open-1, 0)
		}
	}
	return most
}

// add records an effect of command by.
func (a *analyzer) add(by int, cause Span, e Effect) {
	if !a.step(1) {
		return
	}
	e.By, e.Cause = by, cause
	a.effects = append(a.effects, e)
}

// unknown records that something cannot be determined.
func (a *analyzer) unknown(by int, cause Span, why string) {
	a.add(by, cause, Effect{Kind: Unknown, Why: why})
}

// opaque records the inner work of a command.
func (a *analyzer) opaque(by int, cause Span, why string) {
	a.add(by, cause, Effect{Kind: Unknown, Opaque: true, Why: why})
}

// command records a command, and returns its index.
func (a *analyzer) command(c Command) int {
	a.commands = append(a.commands, c)
	return len(a.commands) - 1
}
