package constraint

import (
	"net/netip"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"github.com/licet-dev/licet/internal/toolcall"
)

// host is the host of a URL or mail address: a name in lower-case ASCII, or an
// address.
type host struct {
	name string
	addr netip.Addr
}

// parseHost reads a host as it stands in a URL: a name, an IPv4 address in its
// usual form, or an IPv6 address in brackets. It reports false for a text that
// two readers could take as two hosts, such as an address in another spelling
// (0x7f.1, 2130706433) or a name that ends in a dot.
func parseHost(s string) (host, bool) {
	if inner, ok := strings.CutPrefix(s, "["); ok {
		inner, ok = strings.CutSuffix(inner, "]")
		a, err := netip.ParseAddr(inner)
		return host{addr: a}, ok && err == nil && a.Is6() && a.Zone() == ""
	}
	if a, err := netip.ParseAddr(s); err == nil {
		return host{addr: a}, a.Is4()
	}
	name, ok := asciiName(s)
	return host{name: name}, ok
}

// deviations are the characters that the two versions of IDNA take to different
// names (UTS #46, section 2.3), and those that are invisible in some of them.
const deviations = "ßẞς\u200c\u200d"

// longName is how many characters a domain name has at most (RFC 1035, section
// 2.3.4, without the root).
const longName = 253

// asciiName returns a domain name in lower-case ASCII (RFC 5890, A-labels). It
// reports false where readers could disagree: a name that must be mapped for
// more than letter case, an empty or overlong label, a last label that a browser
// reads as part of an address.
func asciiName(s string) (string, bool) {
	if utf8.RuneCountInString(s) > longName {
		return "", false // before the work of mapping it
	}
	name := strings.ToLower(s)
	if !isASCII(name) || strings.Contains(name, "xn--") {
		if strings.ContainsAny(s, deviations) {
			return "", false
		}
		ascii, err := idna.Lookup.ToASCII(name)
		if err != nil {
			return "", false
		}
		if back, err := idna.Lookup.ToUnicode(ascii); err != nil || back != name && ascii != name {
			return "", false
		}
		name = ascii
	}
	labels := strings.Split(name, ".")
	for _, label := range labels {
		if label == "" || len(label) > 63 || strings.ContainsFunc(label, notInLabel) {
			return "", false
		}
	}
	last := labels[len(labels)-1]
	return name, len(name) <= longName && (last[0] < '0' || last[0] > '9')
}

func notInLabel(r rune) bool {
	return !('a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-' || r == '_')
}

// special holds the addresses that do not lead to somebody on the public
// internet (IANA special-purpose address registries, RFC 6890), those that carry
// another address inside (mapped, 6to4, Teredo, NAT64) included: all of IPv6 but
// 2000::/3 is of these.
var special = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
	"192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24",
	"203.0.113.0/24", "224.0.0.0/3",
	"::/3", "4000::/2", "8000::/1",
	"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
)

func prefixes(list ...string) []netip.Prefix {
	all := make([]netip.Prefix, len(list))
	for i, p := range list {
		all[i] = netip.MustParsePrefix(p)
	}
	return all
}

// ownNetwork are the domains whose names lead into the own network (RFC 6761,
// RFC 6762, RFC 8375, and the ones that clouds and routers use).
var ownNetwork = []string{"localhost", "localdomain", "local", "internal", "intranet", "lan", "home.arpa"}

// private reports whether h may lead into the own network: a special address, a
// name of one label, a name in a local domain. Names are not resolved.
func (h host) private() bool {
	if h.name == "" {
		return slices.ContainsFunc(special, func(p netip.Prefix) bool { return p.Contains(h.addr) })
	}
	return !strings.Contains(h.name, ".") || slices.ContainsFunc(ownNetwork, func(d string) bool { return below(h.name, d) })
}

func below(name, domain string) bool { return strings.HasSuffix(name, "."+domain) || name == domain }

// embedded returns the IPv4 address inside an IPv6 one (mapped and compatible,
// 6to4, NAT64), or a itself.
func embedded(a netip.Addr) netip.Addr {
	if !a.Is6() {
		return a
	}
	b := a.As16()
	at := 12
	switch {
	case strings.HasPrefix(string(b[:]), "\x20\x02"): // 2002::/16
		at = 2
	case strings.HasPrefix(string(b[:]), "\x00\x64\xff\x9b"), strings.Trim(string(b[:10]), "\x00") == "":
	default:
		return a
	}
	return netip.AddrFrom4([4]byte(b[at : at+4]))
}

// hostPattern names hosts in a contract: one, or with *. all below a domain.
type hostPattern struct {
	host
	sub bool
}

// newHostPattern reads a pattern; names says that addresses are refused.
func newHostPattern(v toolcall.Value, names bool) (hostPattern, *SpecError) {
	text, sub := strings.CutPrefix(v.Text(), "*.")
	h, ok := parseHost(text)
	if v6, err := netip.ParseAddr(text); err == nil && v6.Zone() == "" {
		h, ok = host{addr: v6}, true // in a contract, brackets are not needed
	}
	if v.Kind() != toolcall.String || !ok || h.name == "" && (sub || names) {
		what := "a host such as docs.example.org, *.example.org or 192.0.2.1"
		if names {
			what = "a domain such as example.org or *.example.org"
		}
		return hostPattern{}, refuse("expected %s, got %s", what, cut(v.Canonical()))
	}
	return hostPattern{h, sub}, nil
}

// names reports whether the pattern names exactly h.
func (p hostPattern) names(h host) bool {
	if p.sub {
		return strings.HasSuffix(h.name, "."+p.name)
	}
	return p.host == h
}

// resembles reports whether the pattern names h, or an address inside it.
func (p hostPattern) resembles(h host) bool {
	return p.names(h) || h.name == "" && p.name == "" && embedded(p.addr) == embedded(h.addr)
}

// String returns the pattern in its one spelling.
func (p hostPattern) String() string {
	switch {
	case p.sub:
		return "*." + p.name
	case p.name == "":
		return p.addr.String()
	}
	return p.name
}

// hostPatterns reads a list of patterns.
func hostPatterns(v toolcall.Value, names bool) ([]hostPattern, *SpecError) {
	if v.Kind() != toolcall.Array || v.Len() == 0 {
		return nil, refuse("expected a list of at least one host, got %s", describe(v))
	}
	var all []hostPattern
	for i := range v.Len() {
		p, err := newHostPattern(v.Elem(i), names)
		if err != nil {
			return nil, err.under(element(i))
		}
		all = append(all, p)
	}
	return all, nil
}
