package constraint

import (
	"net/netip"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/net/publicsuffix"
	"golang.org/x/text/unicode/norm"
)

// readable returns a text as a reader, or a program that looks for links, takes
// it: compatibility forms as what they stand for (NFKC), digits of other
// scripts as ASCII, invisible characters dropped. Letter case stays.
func readable(s string) string {
	if isASCII(s) && strings.IndexFunc(s, invisible) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case invisible(r):
			return -1
		case r == '。': // the dot of domain names in East Asian texts (RFC 3490, section 3.1)
			return '.'
		case r > unicode.MaxASCII && unicode.Is(unicode.Nd, r):
			return '0' + digitValue(r)
		}
		return r
	}, norm.NFKC.String(strings.Map(func(r rune) rune {
		if invisible(r) {
			return -1
		}
		return r
	}, s)))
}

// digitValue returns what a decimal digit of any script stands for: its ten
// follow one another, and so do the scripts that touch.
func digitValue(r rune) rune {
	for _, t := range unicode.Nd.R16 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return (r - rune(t.Lo)) % 10
		}
	}
	for _, t := range unicode.Nd.R32 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return (r - rune(t.Lo)) % 10
		}
	}
	return 0
}

// The forms of identifiers. A URL reaches as far as any reader takes it: to the
// next white space or quote.
var (
	urlForm    = regexp.MustCompile("[A-Za-z][A-Za-z0-9+.-]*:[/\\\\][^\\s\"<>`“”«»]+")
	mailForm   = regexp.MustCompile(`[^\s,;:()\[\]{}<>"'=|/\\` + "`" + `“”«»@]+@[^\s,;:()\[\]{}<>"'=|/\\` + "`" + `“”«»]+`)
	domainForm = regexp.MustCompile(`[\pL\pM\pN_-]+(?:\.[\pL\pM\pN_-]+)+`)
	domainTail = regexp.MustCompile("^[/:?#\\\\][^\\s\"<>`“”«»]*")
	digitsForm = regexp.MustCompile(`\+?\(?[0-9][0-9 \x{A0}().\-/]*`)
)

// scan returns the identifiers in a readable text: URLs, mail addresses, domain
// names and IP addresses, IBANs, phone numbers, long runs of digits. It errs
// towards finding more. What is found once is not looked at again.
func scan(text string) []identifier {
	s := &scanner{text: text}
	s.take(urlForm, func(m string) identifier { return identifier{trimEnd(m)} })
	s.take(mailForm, func(m string) identifier { return identifier{trimEnd(m)} })
	s.domains()
	s.ibans()
	s.take(digitsForm, digits)
	return s.found
}

// scanner blanks out what it has found.
type scanner struct {
	text  string
	found []identifier
}

// take finds all matches of a form. What identify returns nil for stays.
func (s *scanner) take(form *regexp.Regexp, identify func(match string) identifier) {
	s.text = form.ReplaceAllStringFunc(s.text, func(m string) string {
		id := identify(m)
		if id == nil {
			return m
		}
		s.found = append(s.found, id)
		return " "
	})
}

// trimEnd drops punctuation that ends a sentence, not an identifier.
func trimEnd(s string) string {
	if trimmed := strings.TrimRight(s, ".,;:!?)]}'"); trimmed != "" {
		return trimmed
	}
	return s
}

// domains finds domain names in a public zone and IP addresses, with the path
// behind them: many programs make links of them.
func (s *scanner) domains() {
	var rest strings.Builder
	text := s.text
	for {
		at := domainForm.FindStringIndex(text)
		if at == nil {
			break
		}
		name, end := text[at[0]:at[1]], at[1]
		rest.WriteString(text[:at[0]])
		if public(name) {
			end += len(domainTail.FindString(text[end:]))
			s.found = append(s.found, identifier{trimEnd(text[at[0]:end])})
			rest.WriteByte(' ')
		} else {
			rest.WriteString(name)
		}
		text = text[end:]
	}
	s.text = rest.String() + text
}

// public reports whether a name is an IP address or ends in a public suffix.
func public(name string) bool {
	if a, err := netip.ParseAddr(name); err == nil {
		return a.Is4()
	}
	ascii, ok := asciiName(strings.Trim(name, "-_"))
	if !ok {
		return !isASCII(name) // it may be one that this version of Unicode does not know
	}
	suffix, icann := publicsuffix.PublicSuffix(ascii)
	return icann || strings.Contains(suffix, ".")
}

// Lengths of an IBAN (ISO 13616), without spaces.
const (
	shortIBAN = 15
	longIBAN  = 34
)

// ibans finds IBANs: two letters, two digits, and a check sum that is right.
func (s *scanner) ibans() {
	var rest strings.Builder
	text := s.text
	start := 0 // of what is not yet in rest
	for i := 0; i+4 <= len(text); i++ {
		if !isLetter(text[i]) || !isLetter(text[i+1]) || !isDigit(text[i+2]) || !isDigit(text[i+3]) || i > start && isAlnum(text[i-1]) {
			continue
		}
		compact, end := iban(text[i:])
		if compact == "" {
			continue
		}
		s.found = append(s.found, identifier{text[i : i+end], compact})
		rest.WriteString(text[start:i])
		rest.WriteByte(' ')
		start = i + end
		i = start - 1
	}
	s.text = rest.String() + text[start:]
}

// iban returns the longest IBAN at the start of s without separators, and where
// it ends in s; "" if there is none.
func iban(s string) (compact string, end int) {
	var b []byte
	for i := 0; i < len(s) && len(b) < longIBAN; i++ {
		switch {
		case isAlnum(s[i]):
			b = append(b, s[i]&^(s[i]&0x40>>1)) // upper case
			if len(b) >= shortIBAN && (i+1 == len(s) || !isAlnum(s[i+1])) && checked(b) {
				compact, end = string(b), i+1
			}
		case (s[i] == ' ' || s[i] == '-' || s[i] == '.') && isAlnum(s[i-1]):
		default:
			return compact, end
		}
	}
	return compact, end
}

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

// plainForm is a day, with the hour of a time behind it, or an amount of money:
// no phone number.
var plainForm = regexp.MustCompile(`^(?:[12][0-9]{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])|` +
	`(?:0?[1-9]|[12][0-9]|3[01])[./](?:0?[1-9]|1[0-2])[./][12][0-9]{3})(?: [0-9]{1,2})?$|^[0-9]{1,5}\.[0-9]{1,2}$`)

// digits identifies a long run of digits or a phone number: as written, and
// without separators.
func digits(match string) identifier {
	written := strings.TrimRight(match, " \u00A0(.-/")
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
	id := identifier{trimEnd(written)}
	if string(compact) != id[0] {
		id = append(id, string(compact))
	}
	return id
}
