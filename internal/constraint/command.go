package constraint

import (
	"path"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/shell"
)

// command is an entry of `run` or `opaque`: a program, then words that stand
// behind it. It names words of the parsed command, not text: how they are quoted
// does not matter, and an option counts in every place and spelling that the
// program gives it.
type command struct {
	not     bool     // "!": excludes
	words   []string // as written
	plain   []string // words behind the program that are no options
	options []string // the others
}

// notInWord are the characters by which a shell would read an entry as more than
// words.
const notInWord = "\\\"'`$&|;<>()*?[]{}~#!"

func newCommand(text string) (command, *SpecError) {
	c := command{}
	rest, not := strings.CutPrefix(text, "!")
	c.not, c.words = not, strings.Fields(rest)
	if len(c.words) == 0 || strings.HasPrefix(c.words[0], "-") {
		return c, refuse("expected a program and perhaps words behind it, such as git status, got %q", text)
	}
	for i, w := range c.words {
		bare := w
		if i == 0 {
			bare = strings.NewReplacer("${workspace}/", "/", "${home}/", "/", "${tmp}/", "/").Replace(w)
		}
		if at := strings.IndexAny(bare, notInWord); at >= 0 {
			return c, refuse("%q in %q has no meaning here: an entry is words as the program gets them", bare[at], text)
		}
		switch {
		case i == 0:
		case len(w) > 1 && w[0] == '-' && w != "--":
			c.options = append(c.options, w)
		default:
			c.plain = append(c.plain, w)
		}
	}
	if program := c.words[0]; strings.Contains(program, "/") {
		g, err := newGlob(program)
		if err != nil || !g.literal() {
			return c, refuse("expected a program by its name, or by a whole path that begins with / or ${workspace}, got %q", text)
		}
	}
	return c, nil
}

// text returns the entry in its one spelling.
func (c command) text() string {
	text := strings.Join(c.words, " ")
	if c.not {
		return "!" + text
	}
	return text
}

// names reports whether the entry certainly names what is executed: its words
// lead the argument list, or are program and subcommand with options that were
// given.
func (c command) names(s Shell, e *ShellEffect, p Places) bool {
	if !c.isProgram(s, e, p) {
		return false
	}
	return c.leads(e.Words) || len(c.plain) < len(e.Name) && slices.Equal(c.plain, e.Name[1:len(c.plain)+1]) &&
		!slices.ContainsFunc(c.options, func(o string) bool { return !given(o, e.Options) })
}

func (c command) leads(words []shell.Word) bool {
	if len(words) < len(c.words) {
		return false
	}
	for i, w := range c.words[1:] {
		if word := words[i+1]; !word.Known || word.Text != w {
			return false
		}
	}
	return true
}

// isProgram reports whether the program that is executed is the one of the entry.
// A path that is no folder of the system leads to another program of that name;
// an entry with a path names the file, also where it is found along PATH.
func (c command) isProgram(s Shell, e *ShellEffect, p Places) bool {
	program := c.words[0]
	if len(e.Name) == 0 || !strings.Contains(program, "/") {
		return len(e.Name) > 0 && e.Name[0] == program
	}
	if e.Words[0].Text == program {
		return true
	}
	file, known := p.Expand(program)
	is := known && e.Program.File == file
	for i := range s.Effects {
		if run := &s.Effects[i]; run.By == e.By && run.Runs && strings.Contains(e.Name[0], "/") {
			if !known || !run.Sure || len(run.Files) != 1 || run.Files[0].Path != file {
				return false
			}
			is = true
		}
	}
	return is
}

// given reports whether an option of an entry is among those of a command, whose
// bundles are taken apart.
func given(option string, options []string) bool {
	return slices.Contains(options, option) || bundle(option, func(letter string) bool { return slices.Contains(options, letter) })
}

// bundle reports whether an option is several letters behind one dash, each of
// which is there.
func bundle(option string, there func(letter string) bool) bool {
	if len(option) < 3 || option[1] == '-' {
		return false
	}
	for _, letter := range option[1:] {
		if !there("-" + string(letter)) {
			return false
		}
	}
	return true
}

// mayName reports whether the entry names what is executed, or may: under
// another path, with words in other places, or by words that are not known.
func (c command) mayName(e *ShellEffect) bool {
	if len(e.Words) == 0 || !e.Words[0].Known {
		return true
	}
	if looseName(path.Base(e.Words[0].Text)) != looseName(path.Base(c.words[0])) {
		return false
	}
	return c.mayHavePlain(e) && !slices.ContainsFunc(c.options, func(o string) bool { return !mayBeGiven(o, e) })
}

// mayHavePlain reports whether the plain words of the entry stand in the
// command, in their order and perhaps with others between them. Where program and
// subcommand are known, they must be those.
func (c command) mayHavePlain(e *ShellEffect) bool {
	plain := c.plain
	if len(e.Name) > 1 {
		n := min(len(plain), len(e.Name)-1)
		if !slices.Equal(plain[:n], e.Name[1:n+1]) {
			return false
		}
		plain = plain[n:]
	}
	for _, w := range e.Words[1:] {
		if len(plain) > 0 && w.Known && w.Text == plain[0] {
			plain = plain[1:]
		}
	}
	return len(plain) == 0 || slices.ContainsFunc(e.Words, func(w shell.Word) bool { return !w.Known })
}

// mayBeGiven reports whether an option stands in a command, or may. Of one with
// a value only the name counts.
func mayBeGiven(option string, e *ShellEffect) bool {
	option, _, _ = strings.Cut(option, "=")
	if e.Loose || e.Options == nil && slices.ContainsFunc(e.Words, func(w shell.Word) bool { return !w.Known }) {
		return true
	}
	there := func(option string) bool {
		return slices.Contains(e.Options, option) || slices.ContainsFunc(e.Options, func(o string) bool { return abbreviates(o, option) }) ||
			slices.ContainsFunc(e.Words, func(w shell.Word) bool { return e.Options == nil && spells(w.Text, option) })
	}
	return there(option) || bundle(option, there)
}

// abbreviates reports whether a word begins a long option, as most programs
// accept it.
func abbreviates(word, option string) bool {
	return len(word) > 2 && strings.HasPrefix(word, "--") && strings.HasPrefix(option, word)
}

// spells reports whether a word of a program that is not known may be, or hold,
// the option.
func spells(word, option string) bool {
	name, _, _ := strings.Cut(word, "=")
	return name == option || abbreviates(name, option) ||
		len(option) == 2 && len(word) > 1 && word[0] == '-' && word[1] != '-' && strings.Contains(word[1:], option[1:])
}
