package judge

import (
	"slices"
	"strings"
	"unicode"
)

// sentence is a part of a user turn that stands for itself: up to a full stop, a
// line break, a semicolon, or a "but".
type sentence struct {
	turn     int
	text     string // without white space around it
	words    []word
	question bool
	quoted   bool // it stands behind ">", as what somebody else wrote does
	consents bool // it can be consent: see mayConsent
}

// word is one word of a sentence, with punctuation around it dropped.
type word struct {
	text       string
	low        string // in lower case, with straight apostrophes
	start, end int    // byte offsets in the turn
}

// sentences takes a turn apart.
func sentences(turn int, text string) []sentence {
	var all []sentence
	s := sentence{turn: turn}
	end := func() {
		if len(s.words) > 0 {
			first, last := s.words[0], s.words[len(s.words)-1]
			s.text = text[first.start:last.end]
			s.question = s.question || is(first.low, "question")
			s.consents = s.mayConsent()
			all = append(all, s)
		}
		s = sentence{turn: turn}
	}
	at := 0
	for _, line := range strings.SplitAfter(text, "\n") {
		for _, field := range fields(line) {
			w, after := trimmed(line, field)
			w.start, w.end = w.start+at, w.end+at
			if w.low == "but" {
				end()
			}
			s.quoted = strings.HasPrefix(strings.TrimSpace(line), ">")
			if w.text != "" {
				s.words = append(s.words, w)
			}
			s.question = s.question || strings.Contains(after, "?")
			if strings.ContainsAny(after, ".!?;") {
				end()
			}
		}
		end()
		at += len(line)
	}
	return all
}

// fields returns the start and end of each part of a line between white space
// and commas that part words.
func fields(line string) (all [][2]int) {
	start := -1
	for i, r := range line {
		switch parts := unicode.IsSpace(r); {
		case parts && start >= 0:
			all = append(all, [2]int{start, i})
			start = -1
		case !parts && start < 0:
			start = i
		}
	}
	if start >= 0 {
		all = append(all, [2]int{start, len(line)})
	}
	return all
}

// Punctuation that may stand before and behind a word.
const (
	opening = "\"'`([{<“‘«„"
	closing = "\"'`)]}>”’»,.:;!?…"
)

// trimmed returns the word in a field of a line, and the punctuation behind it.
func trimmed(line string, field [2]int) (w word, after string) {
	whole := line[field[0]:field[1]]
	body := strings.TrimLeft(whole, opening)
	lead := len(whole) - len(body)
	text := strings.TrimRight(body, closing)
	if strings.Trim(text, "./") == "" && strings.Contains(text, "/") {
		text = strings.TrimRight(body, ",;:!?\"'`)") // the dots of ./... belong to it
	}
	w = word{text: text, low: strings.ToLower(strings.ReplaceAll(text, "’", "'")), start: field[0] + lead, end: field[0] + lead + len(text)}
	return w, body[len(text):]
}

// trimWord returns a word without the punctuation around it.
func trimWord(text string) string {
	return strings.TrimRight(strings.TrimLeft(text, opening), closing)
}

// has reports whether a word of the sentence is of a class.
func (s *sentence) has(class string) bool {
	return slices.ContainsFunc(s.words, func(w word) bool { return is(w.low, class) })
}

// mayConsent reports whether the sentence can be consent: an order, or a statement
// that names what is meant. A question is none, nor is what depends on something,
// what is put off, what says no to anything, or what is quoted.
func (s *sentence) mayConsent() bool {
	return !s.question && !s.quoted && !s.has("condition") && !s.has("negation")
}

// forbids reports whether the sentence matches a pattern of prohibition. It is
// over-inclusive on purpose (judge.md, 1.5).
func (s *sentence) forbids() bool {
	for i, w := range s.words {
		withdraws := is(w.low, "withdraw") && (len(s.words) == 1 || s.follows(i, "that", "this", "it", "everything"))
		if withdraws || is(w.low, "forbid") || w.low == "not" && (i == 0 || is(s.words[i-1].low, "forbidding") || s.follows(i, "the", "to", "yet", "without")) {
			return true
		}
	}
	return false
}

// follows reports whether one of some words stands behind word i.
func (s *sentence) follows(i int, words ...string) bool {
	return i+1 < len(s.words) && slices.Contains(words, s.words[i+1].low)
}

// spot is where something is named in a sentence: the words from first to last.
type spot struct{ first, last int }

func (a spot) with(b spot) spot { return spot{min(a.first, b.first), max(a.last, b.last)} }

// quote returns the words of a spot, as they stand in the turn.
func (s *sentence) quote(turn string, at spot) string {
	return turn[s.words[at.first].start:s.words[at.last].end]
}

// finds reports whether some word of the sentence means one of several words.
func (s *sentence) finds(words []string) bool {
	return slices.ContainsFunc(s.words, func(w word) bool { return w.means(words) })
}

// means reports whether a word is one of several, or holds one between hyphens,
// as in force-push.
func (w word) means(words []string) bool {
	if slices.Contains(words, w.low) {
		return true
	}
	if strings.HasPrefix(w.low, "-") || strings.Trim(w.low, "abcdefghijklmnopqrstuvwxyz-") != "" {
		return false
	}
	return slices.ContainsFunc(strings.Split(w.low, "-"), func(part string) bool { return slices.Contains(words, part) })
}

// run returns where several words stand one behind the other, byte for byte.
func (s *sentence) run(words []string) (spot, bool) {
	for i := 0; i+len(words) <= len(s.words) && len(words) > 0; i++ {
		if slices.EqualFunc(s.words[i:i+len(words)], words, func(w word, text string) bool { return w.text == text }) {
			return spot{i, i + len(words) - 1}, true
		}
	}
	return spot{}, false
}
