package constraint

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/publicsuffix"
	"golang.org/x/text/unicode/norm"
)

// readable returns a text as a reader, or a program that looks for links, takes
// it: compatibility forms as what they stand for (NFKC), digits of other
// scripts as ASCII, invisible characters dropped, dots in brackets (evil[.]com)
// as dots. Letter case stays.
func readable(s string) string {
	if !isASCII(s) || strings.IndexFunc(s, invisible) >= 0 {
		s = strings.Map(readableRune, norm.NFKC.String(strings.Map(visible, s)))
	}
	return bracketedDot.ReplaceAllString(s, ".")
}

// bracketedDot is how a dot is written where a program shall make no link of a
// name, and a reader shall still take it for one.
var bracketedDot = regexp.MustCompile(`(?i) ?[\[({] ?(?:\.|dot) ?[\])}] ?`)

func visible(r rune) rune {
	if invisible(r) {
		return -1
	}
	return r
}

func readableRune(r rune) rune {
	switch {
	case r == '。': // the dot of domain names in East Asian texts (RFC 3490, section 3.1)
		return '.'
	case r > unicode.MaxASCII && unicode.Is(unicode.Nd, r):
		return '0' + digitValue(r)
	}
	return visible(r)
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

// scan returns the identifiers in a readable text: URLs, mail addresses, IP
// addresses, domain names, IBANs, phone numbers, long runs of digits. It errs
// towards finding more: where readers could see two identifiers in one place,
// it returns both. What is found once is not looked at again. Each form is one
// pass over the text.
//
// A domain name counts where its zone exists, so `run.sh`, `setup.py` and
// `notes.md` are names that an attacker can own, and are found; `main.go` and
// `report.pdf` are not. A few file names are known to be files: see [fileNames].
func scan(text string) []identifier {
	s := &scanner{text: text}
	s.take(nextURL, func(m string) []identifier { return []identifier{{trimEnd(m)}} })
	s.take(nextMail, mailReadings)
	s.take(nextIPv6, ipv6)
	s.take(nextName, hosts)
	s.take(nextIBAN, func(m string) []identifier { return []identifier{{m, compactIBAN(m)}} })
	s.take(nextDigits, longNumbers)
	return s.found
}

// scanner takes out of its text what it has found.
type scanner struct {
	text  string
	found []identifier
}

// takenOut stands for what was found: no readable text has it, and it is part
// of no identifier.
const takenOut = "\x00"

// take looks for all matches of a form. next returns the first one from an
// offset on, start < 0 if there is none. A match without identifiers stays.
func (s *scanner) take(next func(text string, from int) (start, end int), identify func(match string) []identifier) {
	var rest strings.Builder
	kept := 0
	for from := 0; ; {
		start, end := next(s.text, from)
		if start < 0 {
			break
		}
		if ids := identify(s.text[start:end]); len(ids) > 0 {
			s.found = append(s.found, ids...)
			rest.WriteString(s.text[kept:start])
			rest.WriteString(takenOut)
			kept = end
		}
		from = end
	}
	if kept > 0 {
		s.text = rest.String() + s.text[kept:]
	}
}

// span returns the part of text around at, not before from, whose characters
// are all in set.
func span(text string, from, at int, set func(rune) bool) (start, end int) {
	start, end = at, at
	for start > from {
		r, n := utf8.DecodeLastRuneInString(text[from:start])
		if !set(r) {
			break
		}
		start -= n
	}
	for end < len(text) {
		r, n := utf8.DecodeRuneInString(text[end:])
		if !set(r) {
			break
		}
		end += n
	}
	return start, end
}

// trimEnd drops punctuation that ends a sentence, not an identifier.
func trimEnd(s string) string {
	if trimmed := strings.TrimRight(s, ".,;:!?)]}'"); trimmed != "" {
		return trimmed
	}
	return s
}

// inURL reports whether a URL goes on with r: it reaches as far as any reader
// takes it, to the next white space or quote.
func inURL(r rune) bool {
	return r != 0 && !unicode.IsSpace(r) && !strings.ContainsRune("\"<>`“”«»", r)
}

func inScheme(r rune) bool {
	return r < utf8.RuneSelf && (isAlnum(byte(r)) || r == '+' || r == '-' || r == '.')
}

// nextURL finds a scheme with a colon, a slash or backslash, and something more.
func nextURL(text string, from int) (start, end int) {
	for at := from; ; at++ {
		colon := strings.IndexByte(text[at:], ':')
		if colon < 0 {
			return -1, 0
		}
		at += colon
		if at+2 >= len(text) || text[at+1] != '/' && text[at+1] != '\\' {
			continue
		}
		start, _ = span(text, from, at, inScheme)
		for !isLetter(text[start]) && start < at {
			start++
		}
		if start == at {
			continue // before looking how far it would reach
		}
		if _, end = span(text, at+2, at+2, inURL); end > at+2 {
			return start, end
		}
	}
}

// Characters around the @ of a mail address. A local part has all that RFC 5322
// (atext) and RFC 6531 allow without quotes; a domain ends at what parts words.
func inMailLocal(r rune) bool {
	return r != 0 && !unicode.IsSpace(r) && !strings.ContainsRune(`,;:()[]<>"\“”«»@`, r)
}

func inMailDomain(r rune) bool { return inMailLocal(r) && !strings.ContainsRune("{}'=|/`", r) }

func nextMail(text string, from int) (start, end int) {
	for at := from; ; at++ {
		i := strings.IndexByte(text[at:], '@')
		if i < 0 {
			return -1, 0
		}
		at += i
		start, _ = span(text, from, at, inMailLocal)
		_, end = span(text, at+1, at+1, inMailDomain)
		if start < at && end > at+1 {
			return start, end
		}
		from = at + 1
	}
}

// mailReadings returns the mailbox with all that may belong to its local part
// (a=neil@x.org, which is another one than neil@x.org), and the one that is
// left for a reader who parts words there, or where the script changes. An
// apostrophe parts only where it stands between no two letters.
func mailReadings(match string) []identifier {
	wide := strings.TrimLeft(trimEnd(match), "'`")
	local, domain, _ := strings.Cut(wide, "@")
	local = local[mailBreak.FindStringIndex(local)[1]:]
	if i := strings.LastIndexFunc(local, otherScript); i >= 0 {
		_, n := utf8.DecodeRuneInString(local[i:])
		local = local[i+n:]
	}
	if i := strings.IndexFunc(domain, otherScript); i >= 0 {
		domain = domain[:i]
	}
	narrow := local + "@" + domain
	if narrow == wide || local == "" || domain == "" {
		return []identifier{{wide}}
	}
	return []identifier{{wide}, {narrow}}
}

// mailBreak matches a local part up to the last place where words may be parted.
var mailBreak = regexp.MustCompile("^(?s:.*(?:[=|/{}`]|[^\\pL\\pN]'))?")

// otherScript reports whether r is a letter that stands beside Latin words
// without a space, as in texts in Chinese or with Korean particles.
func otherScript(r rune) bool { return unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r) }

func inIPv6(r rune) bool {
	return r == ':' || r == '.' || r < utf8.RuneSelf && (isDigit(byte(r)) || 'a' <= r|0x20 && r|0x20 <= 'f')
}

// nextIPv6 finds groups with colons between them. A group that is one with a
// word beside it is left out.
func nextIPv6(text string, from int) (start, end int) {
	for {
		i := strings.IndexByte(text[from:], ':')
		if i < 0 {
			return -1, 0
		}
		start, end = span(text, from, from+i, inIPv6)
		from = end
		if end < len(text) && isAlnum(text[end]) {
			end = start + strings.LastIndexByte(text[start:end], ':')
		}
		if start > 0 && isAlnum(text[start-1]) {
			start += strings.IndexByte(text[start:], ':') + 1
		}
		if start < end && strings.Count(text[start:end], ":") >= 2 {
			return start, end
		}
	}
}

// longIPv6 is the longest address in text, with an IPv4 address at its end.
const longIPv6 = 45

// ipv6 identifies the address that groups of hexadecimal digits end in: words
// with a colon may stand before it, and punctuation behind.
func ipv6(match string) []identifier {
	for _, s := range []string{match, strings.TrimRight(match, ".:"), strings.TrimRight(match, ".:") + "::"} {
		if !strings.HasPrefix(match, s) {
			continue
		}
		s = s[max(0, len(s)-longIPv6):]
		for ok := true; ok; _, s, ok = strings.Cut(s, ":") {
			if a, err := netip.ParseAddr(s); err == nil && a.Is6() && strings.Trim(s, ":") != "" {
				return []identifier{{s, a.String()}}
			}
		}
	}
	return nil
}

func inName(r rune) bool {
	if r < utf8.RuneSelf {
		return isAlnum(byte(r)) || r == '_' || r == '-' || r == '.'
	}
	return unicode.In(r, unicode.L, unicode.M, unicode.N)
}

// nextName finds the name of a host, or what has one inside, with the path
// behind it: many programs make links of them.
func nextName(text string, from int) (start, end int) {
	for {
		i := strings.IndexByte(text[from:], '.')
		if i < 0 {
			return -1, 0
		}
		start, end = span(text, from, from+i, inName)
		from = end
		if beginsPath(text[from:]) {
			from++ // enough of the path to tell a host from a file
		}
		if len(hosts(text[start:from])) == 0 {
			continue
		}
		if from > end {
			_, end = span(text, from, from, inURL)
		}
		return start, end
	}
}

// beginsPath reports whether s goes on with a port, path or query behind a host.
func beginsPath(s string) bool {
	if s == "" || strings.IndexByte(`/:?#\`, s[0]) < 0 {
		return false
	}
	r, _ := utf8.DecodeRuneInString(s[1:])
	return s[0] == '/' || len(s) > 1 && inURL(r)
}

// hosts returns the hosts that a match of nextName names. Dots in a row part.
func hosts(match string) (found []identifier) {
	_, end := span(match, 0, 0, inName)
	parts := strings.Split(match[:end], "..")
	for i, part := range parts {
		path := ""
		if i == len(parts)-1 {
			path = match[end:]
		}
		part = strings.Trim(part, ".")
		if path == "" && fileNames[part] {
			continue
		}
		for _, host := range hostReadings(part) {
			found = append(found, identifier{trimEnd(host + path)})
		}
	}
	return found
}

// fileNames are names in zones that exist which nearly always mean a file. They
// are no identifiers where they stand alone, in exactly this spelling. The list
// is short and fixed, so an attacker cannot choose a name to be free.
var fileNames = map[string]bool{
	"README.md": true, "CHANGELOG.md": true, "CONTRIBUTING.md": true, "LICENSE.md": true, "SECURITY.md": true,
	"ARCHITECTURE.md": true, "AGENTS.md": true, "CLAUDE.md": true, "GEMINI.md": true, "SKILL.md": true,
}

// hostReadings returns the names of hosts that readers may see in a dotted name:
// the whole, and what is left where an underscore or another script parts it
// (evil.com_now). What no reader takes for a host has none.
func hostReadings(name string) []string {
	var found []string
	if public(name) {
		found = append(found, name)
	}
	add := func(parts func(rune) bool) {
		for _, part := range strings.FieldsFunc(name, parts) {
			part = strings.Trim(part, ".-")
			if part != strings.Trim(name, "-_") && public(part) {
				found = append(found, part)
			}
		}
	}
	add(func(r rune) bool { return r == '_' || otherScript(r) })
	if found == nil {
		add(func(r rune) bool { return r >= utf8.RuneSelf })
	}
	return found
}

// otherZones are zones of name systems beside DNS, for which browsers and wallets
// have programs.
var otherZones = map[string]bool{
	"onion": true, "i2p": true, "eth": true, "bit": true, "crypto": true, "nft": true, "dao": true, "wallet": true,
	"zil": true, "blockchain": true,
}

// public reports whether a dotted name is an IPv4 address or lies in a zone that
// somebody serves: a public suffix, the own network, another name system.
func public(name string) bool {
	if a, err := netip.ParseAddr(name); err == nil {
		return a.Is4()
	}
	if name = strings.Trim(name, "-_"); !strings.Contains(name, ".") {
		return false
	}
	ascii, ok := asciiName(name)
	if !ok {
		return !isASCII(name) // it may be one that this version of Unicode does not know
	}
	suffix, icann := publicsuffix.PublicSuffix(ascii)
	return icann || strings.Contains(suffix, ".") || otherZones[suffix] ||
		slices.ContainsFunc(ownNetwork, func(zone string) bool { return below(ascii, zone) })
}
