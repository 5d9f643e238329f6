package judge

import (
	"path"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/toolcall"
)

// cover says how far a sentence authorizes an effect.
type cover uint8

const (
	notNamed cover = iota
	named          // the target, and not what is to be done with it
	authorized
)

// mentions reports whether a sentence speaks of an effect in any way: be it consent
// or not, and whoever says it.
func (s *sentence) mentions(e *Effect) bool {
	if slices.ContainsFunc(e.whole, func(command []string) bool { _, is := s.run(command, anybody); return is }) {
		return true
	}
	_, named := s.names(e, anybody)
	return named && !e.Unresolved
}

// covers says how far a sentence authorizes an effect, and which words of it do.
func (s *sentence) covers(e *Effect) (cover, spot) {
	for _, command := range e.whole {
		if at, ok := s.run(command, theUser); ok && s.isCommand(command, at) && s.ordered(at) {
			return authorized, at
		}
	}
	target, ok := s.names(e, theUser)
	if !ok || e.Unresolved {
		return notNamed, spot{}
	}
	if len(e.verbs) == 0 {
		return authorized, target
	}
	verb, ok := s.verbOf(target, e.verbs)
	if !ok {
		return named, target
	}
	return authorized, target.with(verb)
}

// verbOf returns the word that says what is to be done with a target, if it is
// one of verbs: the last verb before it, else the first behind it. In "delete a,
// then open b", nothing is deleted of b.
func (s *sentence) verbOf(target spot, verbs []string) (spot, bool) {
	for i := target.first - 1; i >= 0; i-- {
		if own, verb := s.words[i].verb(verbs); verb {
			return spot{i, i}, own
		}
	}
	for i := target.last + 1; i < len(s.words); i++ {
		if own, verb := s.words[i].verb(verbs); verb {
			return spot{i, i}, own
		}
	}
	return spot{}, false
}

// verb reports whether a word is one of verbs, and whether it is a verb of any
// class. What is quoted or told orders nothing.
func (w word) verb(verbs []string) (own, any bool) {
	if w.quoted || w.told {
		return false, false
	}
	if w.means(verbs) {
		return true, true
	}
	return false, is(w.low, "say read") || slices.ContainsFunc(operations, func(class string) bool { return is(w.low, "say "+class) })
}

// isCommand reports whether words of a sentence are meant as the command that
// they spell: "make" is also an English word.
func (s *sentence) isCommand(command []string, at spot) bool {
	ordered := s.finds(classes["say execute"])
	plain := !slices.ContainsFunc(command, func(w string) bool { return strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") != "" })
	return !plain || len(command) > 2 || ordered || at.last-at.first+1 == len(s.words)
}

// names returns where a sentence names the target of an effect.
func (s *sentence) names(e *Effect, by whom) (spot, bool) {
	for _, n := range e.names {
		if n.as == spoken {
			if at, ok := s.speaks(parts(n.text), by); ok {
				return at, true
			}
			continue
		}
		if words := strings.Fields(n.text); n.as == folded && len(words) > 1 {
			if at, ok := s.runFolded(words, by); ok {
				return at, true
			}
			continue
		}
		for i, w := range s.words {
			if by.says(w) && n.matches(w) {
				return spot{i, i}, true
			}
		}
	}
	return spot{}, false
}

// matches reports whether a word of a user is the name.
func (n name) matches(w word) bool {
	if is(w.low, "filler") {
		return false
	}
	switch n.as {
	case exactly:
		return w.text == n.text
	case folded:
		return w.low == strings.ToLower(n.text) || path.Clean(w.text) == n.text && strings.Contains(n.text, "/")
	case below:
		return n.lies(w)
	case host:
		return hostOf(w.low) == strings.ToLower(n.text)
	case numeric:
		got, err := toolcall.ParseDecimal(strings.Trim(w.text, "$€£%"))
		want, err2 := toolcall.ParseDecimal(n.text)
		return err == nil && err2 == nil && got.Cmp(want) == 0
	}
	return false
}

// lies reports whether a word of a user names the file, or a folder in which it
// lies. The folder that a command runs in, and those above it, name nothing: who
// speaks of the whole project has not spoken of each file.
func (n name) lies(w word) bool {
	for _, root := range n.roots {
		said := path.Clean(w.text)
		if !path.IsAbs(said) {
			said = path.Join(root, said)
		}
		if said == n.text || strings.HasPrefix(n.text, said+"/") && !within(root, said) {
			return true
		}
	}
	return false
}

// within reports whether a path is, or lies below, a folder.
func within(p, folder string) bool {
	return p == folder || strings.HasPrefix(p, strings.TrimSuffix(folder, "/")+"/")
}

// hostOf returns the host that a word names: by itself, or inside an address.
func hostOf(text string) string {
	if _, rest, ok := strings.Cut(text, "://"); ok {
		text = rest
	}
	text, _, _ = strings.Cut(text, "/")
	if i := strings.LastIndexByte(text, '@'); i >= 0 {
		text = text[i+1:]
	}
	text, _, _ = strings.Cut(text, ":")
	return text
}

// speaks returns where the words of an option are spoken one behind the other.
func (s *sentence) speaks(words []string, by whom) (spot, bool) {
	var spokenWords []string
	var owner []int
	for i, w := range s.words {
		if !by.says(w) {
			w.text = "\x00" // no part of a name, and none that others stand beside
		}
		for _, part := range parts(w.text) {
			spokenWords, owner = append(spokenWords, part), append(owner, i)
		}
	}
	for i := 0; i+len(words) <= len(spokenWords) && len(words) > 0; i++ {
		if slices.Equal(spokenWords[i:i+len(words)], words) {
			return spot{owner[i], owner[i+len(words)-1]}, true
		}
	}
	return spot{}, false
}
