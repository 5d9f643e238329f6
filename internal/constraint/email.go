package constraint

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/licet-dev/licet/internal/toolcall"
)

// emailKind is `email`: a list of mail addresses (RFC 5322, section 3.4), each in
// a named domain or named itself. Only lists in which a careless program finds
// the same addresses are read: see [parseAddresses].
type emailKind struct {
	domains   []hostPattern
	addresses []address
	spec      toolcall.Value
}

// Members of email.
const (
	emailDomains   = "domains"
	emailAddresses = "addresses"
)

func newEmail(v toolcall.Value, _ Env) (kind, *SpecError) {
	if v.Kind() != toolcall.Object || v.Len() == 0 {
		return nil, refuse("expected {domains: [...]} or {addresses: [...]}, got %s", describe(v))
	}
	e := &emailKind{}
	var spec []toolcall.Member
	for i := range v.Len() {
		word, operand := v.Member(i)
		var canonical []toolcall.Value
		var err *SpecError
		switch word {
		case emailDomains:
			e.domains, err = hostPatterns(operand, true)
			for _, p := range e.domains {
				canonical = append(canonical, toolcall.StringOf(p.String()))
			}
		case emailAddresses:
			canonical, err = e.readAddresses(operand)
		default:
			err = unknown("member", word, emailAddresses, emailDomains)
		}
		if err != nil {
			return nil, err.under(member(word))
		}
		spec = append(spec, toolcall.Member{Name: word, Value: toolcall.ArrayOf(sorted(canonical)...)})
	}
	e.spec = toolcall.ObjectOf(spec...)
	return e, nil
}

func (e *emailKind) readAddresses(v toolcall.Value) (canonical []toolcall.Value, err *SpecError) {
	if v.Kind() != toolcall.Array || v.Len() == 0 {
		return nil, refuse("expected a list of at least one address, got %s", describe(v))
	}
	for i := range v.Len() {
		a, ok := parseAddress(v.Elem(i).Text())
		if !ok {
			return nil, refuse("expected an address such as ops@example.org, got %s", cut(v.Elem(i).Canonical())).under(element(i))
		}
		e.addresses = append(e.addresses, a)
		canonical = append(canonical, toolcall.StringOf(a.String()))
	}
	return canonical, nil
}

func (e *emailKind) name() string { return "email" }

// notAddresses says that a value is no text that this kind can judge.
const notAddresses = "is no list of mail addresses that all readers understand in the same way"

func (e *emailKind) unmet(v toolcall.Value, _ Answers) string {
	list, ok := parseAddresses(v.Text())
	if v.Kind() != toolcall.String || !ok {
		return notAddresses
	}
	for _, a := range list {
		if !e.inDomain(a) && !slices.Contains(e.addresses, a) {
			return "has the address " + a.String() + ", which is not in " + cut(e.spec.Canonical())
		}
	}
	return ""
}

func (e *emailKind) met(v toolcall.Value, _ Answers) string {
	list, ok := parseAddresses(v.Text())
	if v.Kind() != toolcall.String || !ok {
		return notAddresses
	}
	for _, a := range list {
		if e.inDomain(a) || slices.ContainsFunc(e.addresses, a.sameMailbox) {
			return "has the address " + a.String() + ", which is in " + cut(e.spec.Canonical())
		}
	}
	return ""
}

func (e *emailKind) inDomain(a address) bool {
	return slices.ContainsFunc(e.domains, func(p hostPattern) bool { return p.names(host{name: a.domain}) })
}

func (e *emailKind) neverUsable() *SpecError   { return nil }
func (e *emailKind) canonical() toolcall.Value { return e.spec }

// address is a mail address: the local part as written, the domain in
// lower-case ASCII.
type address struct{ local, domain string }

func (a address) String() string { return a.local + "@" + a.domain }

// sameMailbox reports whether mail to a and b may reach the same person: letter
// case and what follows a plus sign often do not count.
func (a address) sameMailbox(b address) bool {
	return a.domain == b.domain && a.mailbox() == b.mailbox()
}

func (a address) mailbox() string {
	box, _, _ := strings.Cut(strings.ToLower(a.local), "+")
	return box
}

// parseAddresses reads a list of addresses, at least one, parted by commas,
// each alone or in angle brackets behind a display name. It reports false for
// all by which one reader finds other addresses than another: comments, groups,
// quoted local parts, routes, domain literals, escapes, encoded words, control
// and invisible characters (header injection), a display name with an @.
func parseAddresses(s string) ([]address, bool) {
	if strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f || invisible(r) }) || strings.ContainsAny(s, `\()`) {
		return nil, false
	}
	var all []address
	for item := range splitAddresses(s) {
		spec, ok := addressPart(strings.Trim(item, " "))
		if !ok {
			return nil, false
		}
		a, ok := parseAddress(spec)
		if !ok {
			return nil, false
		}
		all = append(all, a)
	}
	return all, true
}

// splitAddresses yields what stands between commas, outside of quotes.
func splitAddresses(s string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		start, quoted := 0, false
		for i, r := range s {
			switch {
			case r == '"':
				quoted = !quoted
			case r == ',' && !quoted:
				if !yield(s[start:i]) {
					return
				}
				start = i + 1
			}
		}
		yield(s[start:])
	}
}

// addressPart returns the address of one entry, without its display name.
func addressPart(item string) (string, bool) {
	inner, ok := strings.CutSuffix(item, ">")
	if !ok {
		return item, true
	}
	display, spec, ok := strings.Cut(inner, "<")
	display = strings.Trim(display, " ")
	if rest, quoted := strings.CutPrefix(display, `"`); quoted {
		display, quoted = strings.CutSuffix(rest, `"`)
		ok = ok && quoted
	}
	// NFKC takes ＠ and ﹫ to @: some programs do, too.
	return spec, ok && !strings.ContainsAny(norm.NFKC.String(display), `"<>@:;`) && !strings.Contains(display, "=?")
}

// inLocal holds the characters of a local part beside letters and digits
// (RFC 5322, atext), without ! and %, by which relays were once named.
const inLocal = "#$&'*+-/=?^_`{|}~."

// parseAddress reads local@domain without anything around it.
func parseAddress(s string) (a address, ok bool) {
	local, domain, ok := strings.Cut(s, "@")
	if !ok || local == "" || len(local) > 64 {
		return a, false
	}
	for part := range strings.SplitSeq(local, ".") {
		if part == "" {
			return a, false
		}
	}
	for _, r := range local {
		if !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune(inLocal, r)) {
			return a, false
		}
	}
	name, ok := asciiName(domain)
	return address{local, name}, ok
}
