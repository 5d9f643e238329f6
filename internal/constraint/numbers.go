package constraint

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longGap is how many characters may part two groups of one number.
const longGap = 4

// inGap reports whether r may part the groups of one number, or lie over a
// digit: all dashes and white space, dots and bullets, brackets, marks.
func inGap(r rune) bool {
	if r < utf8.RuneSelf {
		return r != 0 && strings.ContainsRune(" \t\n\v\f\r-_,:;*./|'()[]", r)
	}
	return strings.ContainsRune("·•‧∙⋅−", r) || unicode.In(r, unicode.Pd, unicode.White_Space, unicode.M)
}

// gap returns where the next group begins if text has a gap at from, or none,
// and a character of set behind it; else from.
func gap(text string, from int, set func(byte) bool) int {
	at := from
	for range longGap {
		r, n := utf8.DecodeRuneInString(text[at:])
		if !inGap(r) {
			break
		}
		at += n
	}
	if at < len(text) && set(text[at]) {
		return at
	}
	return from
}

// Lengths of an IBAN (ISO 13616), without separators.
const (
	shortIBAN = 15
	longIBAN  = 34
)

// nextIBAN finds two letters, two digits, and what makes their check sum right.
func nextIBAN(text string, from int) (start, end int) {
	for i := from; i < len(text); i++ {
		if !isLetter(text[i]) || i > from && isAlnum(text[i-1]) {
			continue
		}
		if end := iban(text[i:]); end > 0 {
			return i, i + end
		}
	}
	return -1, 0
}

// iban returns where the longest IBAN at the start of s ends, 0 if there is none.
func iban(s string) (end int) {
	b := make([]byte, 0, longIBAN)
	for i := 0; i < len(s) && len(b) < longIBAN; {
		if !isAlnum(s[i]) || len(b) < 2 && !isLetter(s[i]) || 2 <= len(b) && len(b) < 4 && !isDigit(s[i]) {
			break
		}
		b = append(b, upper(s[i]))
		i++
		if len(b) >= shortIBAN && (i == len(s) || !isAlnum(s[i])) && checked(b) {
			end = i
		}
		i = gap(s, i, isAlnum)
	}
	return end
}

func compactIBAN(written string) string {
	return strings.Map(func(r rune) rune {
		if inGap(r) {
			return -1
		}
		return rune(upper(byte(r))) // an IBAN has no other characters than ASCII
	}, written)
}

// upper returns a letter in upper case, and a digit as it is.
func upper(c byte) byte { return c &^ (c & 0x40 >> 1) }

// checked reports whether the check sum of an IBAN is right (ISO 7064, MOD 97-10).
func checked(b []byte) bool {
	sum := 0
	for i := range b {
		c := b[(i+4)%len(b)]
		if isDigit(c) {
			sum = (sum*10 + int(c-'0')) % 97
		} else {
			sum = (sum*100 + int(c-'A') + 10) % 97
		}
	}
	return sum == 1
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isAlnum(c byte) bool  { return isDigit(c) || isLetter(c) }

// Digits that make an identifier.
const (
	longRun   = 6 // in a row
	longPhone = 7 // with separators
)

// nextDigits finds groups of digits, with a plus sign or bracket before them.
func nextDigits(text string, from int) (start, end int) {
	i := strings.IndexAny(text[from:], "0123456789")
	if i < 0 {
		return -1, 0
	}
	start, end = from+i, from+i
	for end < len(text) && isDigit(text[end]) {
		end++
		end = gap(text, end, isDigit)
	}
	for _, before := range "(+" {
		if start > from && text[start-1] == byte(before) {
			start--
		}
	}
	return start, end
}

// listGap is a gap as between two members of a list, two sentences, two cells or
// two lines rather than in a number.
var listGap = regexp.MustCompile(`[,;:.]\s+|\s*[\n\r|]\s*`)

// longNumbers identifies the numbers that groups of digits write: each part of a
// list, or where none is long enough, all parts as one number.
func longNumbers(match string) []identifier {
	parts := listGap.Split(match, -1)
	var found []identifier
	plain := true
	for _, part := range parts {
		if id := digits(part); id != nil {
			found = append(found, id)
		}
		plain = plain && plainForm.MatchString(part)
	}
	if len(found) > 0 || plain {
		return found
	}
	if id := digits(match); id != nil {
		return []identifier{id}
	}
	return nil
}

// plainForm is what is no phone number: a day with or without a time, a year, a
// time of the day, a span of these, an amount of money below ten millions, a
// number of two digits.
var plainForm = func() *regexp.Regexp {
	const (
		day    = `(?:[12][0-9]{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])|(?:0?[1-9]|[12][0-9]|3[01])[./](?:0?[1-9]|1[0-2])[./][12][0-9]{3})`
		time   = `(?:[01]?[0-9]|2[0-3])(?::[0-5][0-9]){1,2}`
		moment = `(?:` + day + `(?: ` + time + `| [0-9]{1,2})?|` + time + `|(?:19|20)[0-9]{2})`
		span   = moment + `(?: ?[\p{Pd}−/] ?` + moment + `)?`
		groups = `(?:[1-9][0-9]{0,2}|[1-9],[0-9]{3}),[0-9]{3}(?:\.[0-9]{1,2})?`
		amount = `[1-9]?[0-9]|(?:0|[1-9][0-9]{0,4})\.[0-9]{1,2}|` + groups
	)
	return regexp.MustCompile(`^(?:` + span + `|` + amount + `)$`)
}()

// digits identifies a long run of digits or a phone number: as written, and
// without separators.
func digits(written string) identifier {
	var compact []byte
	run, longest := 0, 0
	for i := range len(written) {
		if !isDigit(written[i]) {
			run = 0
			continue
		}
		compact = append(compact, written[i])
		run++
		longest = max(longest, run)
	}
	if longest < longRun && (len(compact) < longPhone || plainForm.MatchString(written)) {
		return nil
	}
	if written[0] == '+' {
		compact = append([]byte("+"), compact...)
	}
	if string(compact) == written {
		return identifier{written}
	}
	return identifier{written, string(compact)}
}
