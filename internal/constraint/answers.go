package constraint

import (
	"strings"
	"time"

	"github.com/licet-dev/licet/internal/shell"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Question is one thing that must be known of the world before a [Set] or a
// [Condition] can judge. Exactly one of its other members is set.
type Question struct {
	Key     string // the same for the same question, across sets; finds the answer in Answers
	File    *FileQuestion
	Stated  *StatedQuestion
	Mention *MentionQuestion
	Digest  *DigestQuestion
	Shell   *ShellQuestion
	Signal  *SignalQuestion
}

// FileQuestion asks where a path leads: its absolute form with the links of its
// existing part followed. The answer goes to Answers.Files.
type FileQuestion struct {
	Text string // as the call or the contract wrote it; never expanded
	Base string // where a relative Text counts from, for Places.Expand; "" is the call's working directory
}

// StatedQuestion asks whether a text or number was stated in one of the
// sources. The answer goes to Answers.Stated.
type StatedQuestion struct {
	Sources []Source
	Value   toolcall.Value // a text that is not empty, or a number
}

// MentionQuestion asks whether some user turn of the session contains one of
// the phrases as whole tokens. The answer goes to Answers.Mentioned; there is
// none where no user turns are known.
type MentionQuestion struct{ Phrases []string }

// DigestQuestion asks for the keyed digests of values, in their order, as marks
// of the session have them. The answer goes to Answers.Digests.
type DigestQuestion struct{ Values []toolcall.Value }

// ShellQuestion asks what a command line would do, and which files and hosts that
// is about on this machine. The answer goes to Answers.Shell.
type ShellQuestion struct{ Command string }

// SignalQuestion asks what a collector sees of the environment of the call. The
// answer goes to Answers.Signals.
type SignalQuestion struct{ Collector string }

// Source is where a value may come from: a user turn of the session (Request),
// the result of an earlier, granted call (Server with Tool), a claim of the
// verified user (Claim), or the contract itself (Literal, which is decided here
// and is never part of a question).
type Source struct {
	Request      bool
	Server, Tool string
	At           toolcall.Path // only what stands there in the result, if HasAt
	HasAt        bool
	Claim        string // name of the claim; the value equals it as a whole
	Literal      []toolcall.Value
}

// Answers holds what is known of the world, by Question.Key. What it lacks is
// not known.
type Answers struct {
	Files     map[string]File
	Stated    map[string]bool
	Mentioned map[string]bool
	Digests   map[string][]string
	Shell     map[string]Shell
	Signals   []Signal
	Places    Places
	Session   Session
	Now       time.Time // zero is unknown
	Principal Principal
}

// Shell is what a command line would do. The zero Shell is not known.
type Shell struct {
	Known   bool
	Effects []ShellEffect
}

// ShellEffect is one effect of a command line, put to its place on this machine.
type ShellEffect struct {
	shell.Effect
	Sure  bool     // Read, Write, Network: Files and Hosts are all that is touched
	Files []File   // Read, Write: each file by itself, those below a tree and behind links included. Execute: those of Bytes
	Roots []File   // Read, Write: the tops of trees
	Fresh bool     // Write: files may be made below Roots, or beside Files, under names that are not known
	Hosts []string // Network
	Bytes string   // Read with Runs, Execute: digest of what the files say that are run

	Program Program // Execute
}

// Program is where PATH leads from the bare name of a program. The zero Program is
// for what is not looked up, because it is no such name or PATH is not known, and
// for a name that leads nowhere: it counts as it is.
type Program struct {
	File  string   // absolute, the links of its folder followed
	Way   []string // who writes one of these puts another program there: links, and what they lead to
	Doubt string   // why it may be another program after all, "" if it is none
}

// Session is what the granted calls of a session left behind. The zero Session
// is not known.
type Session struct {
	Known bool
	Marks []Mark
}

// Mark says that a tool was called (Argument and Digest are ""), or that the
// argument of a granted call had a value. Only tools that a contract watches
// leave marks.
type Mark struct {
	Server, Tool string
	Argument     string // as toolcall.Path.String writes it
	Digest       string // keyed digest of the value
}

// Principal is who asks. "" is unknown.
type Principal struct{ Agent, User string }

// File is where a path leads. The zero File leads nowhere that is known.
type File struct {
	Path    string // absolute, slash separated, links of the existing part followed; "" is unknown
	Fold    bool   // the file system takes names that differ in letter case as one
	Leaf    bool   // exists and is no directory, so nothing lies below it
	Special bool   // a device, a socket, a process's own view of files: never covered
}

// Places holds the directories that patterns may begin with: absolute, slash
// separated, links followed. "" is unknown.
type Places struct{ Workspace, Home, Tmp string }

// Expand replaces a leading ${workspace}, ${home} or ${tmp} of a directory of
// the contract. It reports false where that place is not known. It is for text
// of the contract only: in an argument such a name is a name like any other.
func (p Places) Expand(text string) (string, bool) {
	if !strings.HasPrefix(text, "${") {
		return text, true
	}
	name, rest, _ := strings.Cut(text[2:], "}")
	dir := p.place(name)
	return dir + rest, dir != ""
}

// contract writes a path as contracts do, with the place in which it lies.
func (p Places) contract(file string) string {
	for _, name := range []string{"workspace", "home", "tmp"} {
		if rest, below := strings.CutPrefix(file, p.place(name)+"/"); below && p.place(name) != "" {
			return "${" + name + "}/" + rest
		}
	}
	return file
}

func (p Places) place(name string) string {
	switch name {
	case "workspace":
		return p.Workspace
	case "home":
		return p.Home
	case "tmp":
		return p.Tmp
	}
	return ""
}
