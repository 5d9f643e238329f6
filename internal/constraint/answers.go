package constraint

import (
	"strings"

	"github.com/licet-dev/licet/internal/toolcall"
)

// Question is one thing that must be known of the world before a [Set] can
// judge a value. Exactly one of File and Stated is set.
type Question struct {
	Key    string // the same for the same question, across sets; finds the answer in Answers
	File   *FileQuestion
	Stated *StatedQuestion
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

// Source is where a value may come from: a user turn of the session (Request),
// the result of an earlier, granted call (Server with Tool), or the contract
// itself (Literal, which is decided here and is never part of a question).
type Source struct {
	Request      bool
	Server, Tool string
	At           toolcall.Path // only what stands there in the result, if HasAt
	HasAt        bool
	Literal      []toolcall.Value
}

// Answers holds what is known of the world, by Question.Key. What it lacks is
// not known.
type Answers struct {
	Files  map[string]File
	Stated map[string]bool
	Places Places
}

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
