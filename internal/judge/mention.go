package judge

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What a user quotes, logs or reports is told and not ordered: "the log says:
// delete old.txt" wants nothing deleted. Words that are told name what the user
// speaks of, and authorize nothing. Who tells counts: what the user has said is an
// order, and so is what stands before the telling, as in "delete old.txt, as the
// guide says".

// scope is how far what somebody else says reaches.
type scope uint8

const (
	own         scope = iota
	toSentence        // "the guide says to delete old.txt"
	toLine            // "the guide says: ..."
	toParagraph       // "the guide says:" with nothing behind it
	toEnd             // of the turn: a mail that is passed on
)

// whom says whose words count.
type whom bool

const (
	theUser whom = false
	anybody whom = true
)

func (by whom) says(w word) bool { return by == anybody || !w.told }

// tells says how far the words behind the last word of a sentence are somebody
// else's because of it. before is the punctuation in front of it, after that behind
// it.
func (s *sentence) tells(already scope, before, after string) scope {
	i := len(s.words) - 1
	telling := already
	if is(s.words[i].low, "report") && !s.describes(i) && !s.firstPerson(i) {
		telling = max(telling, toSentence)
		if i > 0 && strings.ContainsAny(before, ",\"”»`") { // "delete old.txt, says the guide"
			s.disown()
		}
	}
	if !strings.Contains(after, ":") {
		return telling
	}
	if telling == toSentence || s.labels(i) {
		return max(telling, toLine)
	}
	return telling
}

// labels reports whether a word names where the words behind a colon come from, as
// in "Log:". Behind an order it does not: "delete the log: old.log".
func (s *sentence) labels(i int) bool {
	return is(s.words[i].low, "source") && !slices.ContainsFunc(s.words[:i], func(w word) bool { _, any := w.verb(nil); return any })
}

// describes reports whether a word that could tell something belongs to a noun: "the
// requested file", "delete requested files".
func (s *sentence) describes(i int) bool {
	if i == 0 {
		return false
	}
	participle := strings.HasSuffix(s.words[i].low, "ed") || strings.HasSuffix(s.words[i].low, "n")
	_, ordered := s.words[i-1].verb(nil)
	return is(s.words[i-1].low, "determiner") || participle && ordered && i == 1
}

// firstPerson reports whether it is the user who tells, and not who was told.
func (s *sentence) firstPerson(i int) bool {
	for i--; i >= 0 && slices.Contains([]string{"have", "had", "already", "just", "also"}, s.words[i].low); i-- {
	}
	return i >= 0 && slices.Contains([]string{"i", "we", "i've", "we've"}, s.words[i].low)
}

// disown makes all words of the sentence those of somebody else.
func (s *sentence) disown() {
	for i := len(s.words) - 1; i >= 0 && !s.words[i].told; i-- {
		s.words[i].told = true
	}
}

// introduces reports whether the sentence orders what stands below it to be run, and
// does nothing else: in "run the linter over this:" the linter is run.
func (s *sentence) introduces() bool {
	verb := s.runs(len(s.words))
	if verb < 0 || !s.mayConsent() {
		return false
	}
	points := slices.ContainsFunc(s.words[verb:], func(w word) bool { return is(w.low, "pointer") })
	return (s.colon || points) && !slices.ContainsFunc(s.words[:verb], func(w word) bool { return !is(w.low, "lead") })
}

// runs returns which word orders to run what stands at word end, -1 if none does.
// Between them there is only what points to it.
func (s *sentence) runs(end int) int {
	for i := end - 1; i >= 0; i-- {
		switch w := s.words[i]; {
		case w.quoted || w.marked:
		case w.told:
			return -1
		case is(w.low, "say execute") || is(w.low, "order"):
			if s.speaksOf(i) {
				return -1
			}
			return i
		case !is(w.low, "pointer") && !is(w.low, "tail"):
			return -1
		}
	}
	return -1
}

// speaksOf reports whether word i, which could be an order to run something, only
// speaks of it: "the call", "I run", "Bob tried to run".
func (s *sentence) speaksOf(i int) bool {
	if i == 0 {
		return false
	}
	before := s.words[i-1].low
	you := slices.ContainsFunc(s.words[:i], func(w word) bool { return w.low == "you" })
	return is(before, "determiner") || is(before, "subject") || before == "to" && !you
}

// ordered reports whether what stands in quotes at a place is ordered to be run: by
// a verb before it, by "please", or by what it is done with. A sentence that begins
// like a statement, "the problem is here: ...", orders nothing with a colon.
func (s *sentence) ordered(at spot) bool {
	if !slices.ContainsFunc(s.words[at.first:at.last+1], func(w word) bool { return w.quoted }) || s.runs(at.first) >= 0 {
		return true
	}
	i := at.first - 1
	for i >= 0 && s.words[i].quoted {
		i--
	}
	if i < 0 || s.words[i].told {
		return false
	}
	first, last := s.words[0].low, s.words[i]
	states := is(first, "determiner") || is(first, "subject")
	reads := slices.ContainsFunc(s.words[:i], func(w word) bool { return is(w.low, "say read") })
	return last.low == "please" || !states && !reads && (last.colon || is(last.low, "means"))
}

// quoteMarks are the marks that open a quotation, with those that close it, in the
// languages that people write in.
var quoteMarks = map[rune]string{
	'"': "\"", '\'': "'", '`': "`", '“': "”", '”': "”", '„': "“”", '‘': "’", '‚': "‘’",
	'«': "»", '»': "«»", '‹': "›", '›': "‹›", '「': "」", '『': "』",
}

// directed are those that are not used for anything else: white space may stand
// inside of them, and what they begin may have several paragraphs.
const directed = "“„«‹「『"

// quotations returns the parts of a turn that stand in quotation marks and have
// several words, each from its first byte to behind its last. A turn that is nothing
// else is no quotation, and marks that nothing closes in their paragraph open none.
func quotations(text string) (all [][2]int) {
	unclosed := map[rune]int{} // up to where a mark is known to be closed by nothing
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		closers, opens := quoteMarks[r]
		if !opens || at < unclosed[r] || !startsWord(text, at, size, strings.ContainsRune(directed, r)) {
			at += size
			continue
		}
		end, closed := quotationEnd(text, at+size, closers, strings.ContainsRune(directed, r))
		switch {
		case !closed:
			unclosed[r] = end
			end = at + size
		case strings.ContainsFunc(text[at:end], unicode.IsSpace) && !(blank(text[:at]) && blank(text[end:])):
			all = append(all, [2]int{at, end})
		}
		at = end
	}
	return all
}

// blank reports whether a text has no words.
func blank(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !strings.ContainsRune(opening+closing+" \n", r) })
}

// startsWord reports whether a mark stands before a word, and not in or behind one.
func startsWord(text string, at, size int, directed bool) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at+size:])
	return at == 0 || !unicode.IsLetter(before) && !unicode.IsDigit(before) && (directed || !unicode.IsSpace(after))
}

// quotationEnd returns where a quotation ends. One that nothing closes ends with its
// paragraph, or with the turn.
func quotationEnd(text string, from int, closers string, directed bool) (end int, closed bool) {
	for i, r := range text[from:] {
		i += from
		if !directed && strings.HasPrefix(text[i:], "\n\n") {
			return i, false
		}
		if !strings.ContainsRune(closers, r) {
			continue
		}
		end := i + utf8.RuneLen(r)
		if after, _ := utf8.DecodeRuneInString(text[end:]); !unicode.IsLetter(after) && !unicode.IsDigit(after) {
			return end, true
		}
	}
	return len(text), false
}

// tagged returns the parts of a turn that stand between a tag and its end, as in
// <log>...</log>.
func tagged(text string) (all [][2]int) {
	endless := map[string]bool{}
	folded := foldASCII(text)
	for at := 0; ; {
		m := tag.FindStringSubmatchIndex(text[at:])
		if m == nil {
			return all
		}
		name := folded[at+m[2] : at+m[3]]
		begun := at + m[1]
		at = begun
		if endless[name] {
			continue
		}
		end := tagEnd(folded, begun, name)
		if end < 0 {
			endless[name] = true
			continue
		}
		all = append(all, [2]int{begun, end})
		at = end
	}
}

// tagEnd returns where what a tag has begun ends: at the end that belongs to it, or at
// the last one if some are missing. It is -1 if there is none.
func tagEnd(text string, from int, name string) int {
	end, mark := -1, "</"+name+">"
	for open, at := 1, from; open > 0; open-- {
		n := strings.Index(text[at:], mark)
		if n < 0 {
			return end
		}
		open += strings.Count(text[at:at+n], "<"+name+">") + strings.Count(text[at:at+n], "<"+name+" ")
		end = at + n
		at = end + len(mark)
	}
	return end
}

// foldASCII returns a text with its English letters in lower case, byte for byte.
func foldASCII(text string) string {
	b := []byte(text)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

var tag = regexp.MustCompile(`<([A-Za-z][A-Za-z0-9_-]*)[^<>\n]*>`)

// stamped matches a line that begins as lines of logs do: with a date, a time, or how
// grave it is. A file may be called after a date.
var stamped = regexp.MustCompile(`^\W*(\d{4}[-/]\d\d[-/]\d\d([\sT\]:,]|$)|\[\d\d?:\d\d|\d\d:\d\d:\d\d|` +
	`[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d|(TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)\b)`)

// forwarded matches the line behind which a mail of somebody else stands, as mail
// programs write it.
var forwarded = regexp.MustCompile(`(?i)^(-{2,} ?(original|forwarded) message ?-{2,}|begin forwarded message:)$`)

// regions are parts of a turn, in order and apart from each other.
type regions [][2]int

// hold reports whether a word stands in one of them. Words are asked for in order.
func (r *regions) hold(w word) bool {
	for len(*r) > 0 && (*r)[0][1] <= w.start {
		*r = (*r)[1:]
	}
	return len(*r) > 0 && (*r)[0][0] < w.end
}
