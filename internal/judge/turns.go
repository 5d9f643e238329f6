package judge

import (
	"regexp"
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
	colon    bool // it ends in one, with its line
	consents bool // it can be consent: see mayConsent
}

// word is one word of a sentence, with punctuation around it dropped.
type word struct {
	text       string
	low        string // in lower case, with straight apostrophes
	start, end int    // byte offsets in the turn
	colon      bool   // one stands behind it
	quoted     bool   // it stands in quotation marks, with others
	marked     bool   // a quotation mark stands before it
	told       bool   // somebody else says it
}

// sentences takes a turn apart.
func sentences(turn int, text string) []sentence {
	r := reader{turn: turn, text: text, quotations: quotations(text), tagged: tagged(text)}
	at := 0
	for _, line := range strings.SplitAfter(text, "\n") {
		r.line(line, at)
		at += len(line)
	}
	return r.all
}

// reader takes a turn apart, line by line.
type reader struct {
	turn               int
	text               string
	quotations, tagged regions
	all                []sentence
	s                  sentence // that is read

	telling    scope  // what follows is somebody else's
	begun      bool   // the paragraph that it reaches to the end of has begun
	fence      string // the marks that begin the block that is read, "" outside of one
	introduced bool   // what is read, or comes next, is ordered to be run
}

// line reads one line, which begins at a byte of the turn.
func (r *reader) line(line string, at int) {
	bare := strings.TrimSpace(line)
	if r.fenced(bare) {
		return
	}
	if bare == "" {
		if r.begun {
			r.telling, r.begun = own, false
		}
		return
	}
	r.begun = r.telling == toParagraph
	if forwarded.MatchString(bare) {
		r.telling = toEnd
	}
	item := listMark.MatchString(bare) || strings.HasPrefix(bare, "`")
	told := strings.HasPrefix(bare, ">") || stamped.MatchString(bare) || r.fence != "" && !r.introduced
	before, after := "", ""
	for _, field := range fields(line) {
		var w word
		before = after
		w, after = trimmed(line, field)
		w.start, w.end = w.start+at, w.end+at
		if w.low == "but" {
			r.end()
		}
		w.told = told || r.telling != own || r.tagged.hold(w)
		w.quoted, w.colon = r.quotations.hold(w) && !r.introduced, strings.Contains(after, ":")
		if w.text != "" {
			r.s.words = append(r.s.words, w)
			r.telling = r.s.tells(r.telling, before, after)
		}
		r.s.question = r.s.question || strings.Contains(after, "?")
		if strings.ContainsAny(after, ".!?;") {
			r.end()
		}
	}
	r.s.colon = strings.HasSuffix(bare, ":")
	r.end()
	r.introduced = r.introduced && (r.fence != "" || item) || len(r.all) > 0 && r.fence == "" && r.all[len(r.all)-1].introduces()
	if r.telling == toLine {
		r.telling = own
		if strings.HasSuffix(bare, ":") {
			r.telling = toParagraph
		}
	}
}

// fenced reports whether a line begins or ends a block between marks, which are
// those of CommonMark: as many end it as begin it, or more.
func (r *reader) fenced(bare string) bool {
	if r.fence != "" {
		if !strings.HasPrefix(bare, r.fence) || strings.Trim(bare, r.fence[:1]) != "" {
			return false
		}
		r.fence, r.introduced = "", false
		return true
	}
	bare = bare[len(listMark.FindString(bare)):]
	rest := strings.TrimLeft(bare, "`")
	if rest == bare {
		rest = strings.TrimLeft(bare, "~")
	}
	marks := bare[:len(bare)-len(rest)]
	if len(marks) < 3 || strings.Contains(rest, marks[:1]) {
		return false
	}
	r.fence = marks
	return true
}

// listMark matches what begins an item of a list.
var listMark = regexp.MustCompile(`^([-*+]|\d{1,9}[.)])\s+`)

// end ends a sentence.
func (r *reader) end() {
	s := r.s
	r.s = sentence{turn: r.turn}
	if r.telling == toSentence {
		r.telling = own
	}
	if len(s.words) == 0 {
		return
	}
	first, last := s.words[0], s.words[len(s.words)-1]
	s.turn, s.text = r.turn, r.text[first.start:last.end]
	s.question = s.question || is(first.low, "question")
	s.consents = s.mayConsent()
	r.all = append(r.all, s)
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
	opening = "\"'`([{<“”‘‚«»‹›„「『"
	closing = "\"'`)]}>“”‘’«»‹›」』,.:;!?…"
)

// trimmed returns the word in a field of a line, and the punctuation behind it.
func trimmed(line string, field [2]int) (w word, after string) {
	whole := line[field[0]:field[1]]
	body := strings.TrimLeft(whole, opening)
	if strong := strings.TrimPrefix(body, "**"); !strings.HasPrefix(strong, "/") {
		body = strings.TrimLeft(strong, opening)
	}
	lead := len(whole) - len(body)
	text := strings.TrimRight(body, closing)
	if strong := strings.TrimSuffix(text, "**"); !strings.HasSuffix(strong, "/") {
		text = strings.TrimRight(strong, closing)
	}
	if strings.Trim(text, "./") == "" && strings.Contains(text, "/") {
		text = strings.TrimRight(body, ",;:!?\"'`)") // the dots of ./... belong to it
	}
	w = word{text: text, low: strings.ToLower(strings.ReplaceAll(text, "’", "'")), start: field[0] + lead, end: field[0] + lead + len(text),
		marked: strings.ContainsAny(whole[:lead], "\"'`“”„‘‚«»‹›")}
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
// what is put off, what says no to anything, or what is only quoted or told.
func (s *sentence) mayConsent() bool {
	speaks := slices.ContainsFunc(s.words, func(w word) bool { return !w.told && !w.quoted })
	return speaks && !s.question && !s.has("condition") && !s.has("negation")
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
func (s *sentence) run(words []string, by whom) (spot, bool) {
	return s.sequence(words, func(w word, text string) bool { return w.text == text && by.says(w) })
}

// runFolded is run in any letter case.
func (s *sentence) runFolded(words []string, by whom) (spot, bool) {
	return s.sequence(words, func(w word, text string) bool { return w.low == strings.ToLower(trimWord(text)) && by.says(w) })
}

// sequence returns where several words stand one behind the other.
func (s *sentence) sequence(words []string, same func(word, string) bool) (spot, bool) {
	for i := 0; i+len(words) <= len(s.words) && len(words) > 0; i++ {
		if slices.EqualFunc(s.words[i:i+len(words)], words, same) {
			return spot{i, i + len(words) - 1}, true
		}
	}
	return spot{}, false
}
