package item

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/toolcall"
)

// publicServices are the hosts of others that rows may name.
var publicServices = []string{"github.com", "gist.github.com", "api.github.com", "gitlab.com"}

// reserved are top-level domains of RFC 2606 and RFC 6761, and the second-level
// domains beside them.
var reserved = regexp.MustCompile(`(?i)(^|\.)(example(\.(com|net|org))?|test|invalid|localhost)$`)

// documentation are the address ranges of RFC 5737 and RFC 3849, and those that
// never leave a network.
var documentation = []netip.Prefix{
	netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("198.51.100.0/24"), netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("2001:db8::/32"),
	netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("172.16.0.0/12"), netip.MustParsePrefix("192.168.0.0/16"), netip.MustParsePrefix("127.0.0.0/8"),
}

var (
	hosts  = regexp.MustCompile(`(?i)(?:://|@)([a-z0-9-]+(?:\.[a-z0-9-]+)+)|\b([a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:com|net|org|io|dev|cloud))\b`)
	ipv4   = regexp.MustCompile(`\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b`)
	phones = regexp.MustCompile(`\+\d[\d ()/-]{7,}\d`)
)

// private says what in a text must not be published; "" is nothing. Names of
// hosts are recognised behind :// and @, and by the most common endings.
func private(text string) string {
	if masked, found := evidence.Redact(toolcall.StringOf(text)); found {
		return fmt.Sprintf("looks like a secret: %s", masked.Text())
	}
	for _, m := range hosts.FindAllStringSubmatch(text, -1) {
		host := strings.ToLower(m[1] + m[2])
		if !reserved.MatchString(host) && !slices.Contains(publicServices, host) && !ipv4.MatchString(host) {
			return fmt.Sprintf("the host %s is neither reserved nor a public service of the list", host)
		}
	}
	for _, text := range ipv4.FindAllString(text, -1) {
		ip, err := netip.ParseAddr(text)
		if err == nil && !slices.ContainsFunc(documentation, func(p netip.Prefix) bool { return p.Contains(ip) }) {
			return fmt.Sprintf("the address %s is not one for documentation", text)
		}
	}
	if found := phones.FindString(text); found != "" {
		return fmt.Sprintf("%q is a telephone number", found)
	}
	return ""
}
