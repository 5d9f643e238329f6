package constraint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/licet-dev/licet/internal/toolcall"
)

// urlKind is `url`: where a URL leads. It is read as browsers do (WHATWG URL
// Standard) as far as other readers (RFC 3986) do the same; a text that two of
// them could take apart in two ways holds nowhere, and a never clause matches
// it. Query and fragment are not looked at, and names are not resolved.
//
// In a never clause only what is written narrows: without schemes it matches
// every scheme, without ports every port.
type urlKind struct {
	schemes []string
	hosts   []hostPattern
	ports   []int64
	paths   []string // clean, decoded
	spec    toolcall.Value
}

// defaultPorts are the schemes that have hosts, with their ports.
var defaultPorts = map[string]int64{"http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21}

// Members of url.
const (
	urlSchemes = "schemes"
	urlHosts   = "hosts"
	urlPorts   = "ports"
	urlPaths   = "paths"
)

func newURL(v toolcall.Value, _ Env) (kind, *SpecError) {
	if v.Kind() != toolcall.Object || v.Len() == 0 {
		return nil, refuse("expected {hosts: [...]}, with schemes, ports or paths, got %s", describe(v))
	}
	u := &urlKind{}
	var spec []toolcall.Member
	for i := range v.Len() {
		word, operand := v.Member(i)
		canonical, err := u.read(word, operand)
		if err != nil {
			return nil, err.under(member(word))
		}
		spec = append(spec, toolcall.Member{Name: word, Value: toolcall.ArrayOf(sorted(canonical)...)})
	}
	u.spec = toolcall.ObjectOf(spec...)
	return u, nil
}

// read reads one member and returns its entries in their one spelling.
func (u *urlKind) read(word string, v toolcall.Value) (canonical []toolcall.Value, err *SpecError) {
	if word == urlHosts {
		u.hosts, err = hostPatterns(v, false)
		for _, p := range u.hosts {
			canonical = append(canonical, toolcall.StringOf(p.String()))
		}
		return canonical, err
	}
	entry := map[string]func(toolcall.Value) (toolcall.Value, *SpecError){
		urlSchemes: u.scheme, urlPorts: u.port, urlPaths: u.path,
	}[word]
	if entry == nil {
		return nil, unknown("member", word, urlHosts, urlPaths, urlPorts, urlSchemes)
	}
	if v.Kind() != toolcall.Array || v.Len() == 0 {
		return nil, refuse("expected a list of at least one entry, got %s", describe(v))
	}
	for i := range v.Len() {
		one, err := entry(v.Elem(i))
		if err != nil {
			return nil, err.under(element(i))
		}
		canonical = append(canonical, one)
	}
	return canonical, nil
}

func (u *urlKind) scheme(v toolcall.Value) (toolcall.Value, *SpecError) {
	if defaultPorts[v.Text()] == 0 {
		return v, refuse("expected https, http, wss, ws or ftp, got %s", cut(v.Canonical()))
	}
	u.schemes = append(u.schemes, v.Text())
	return v, nil
}

func (u *urlKind) port(v toolcall.Value) (toolcall.Value, *SpecError) {
	n, err := count(v)
	if err != nil || n < 1 || n > 65535 {
		return v, refuse("expected a port from 1 to 65535, got %s", cut(v.Canonical()))
	}
	u.ports = append(u.ports, n)
	return v, nil
}

func (u *urlKind) path(v toolcall.Value) (toolcall.Value, *SpecError) {
	p, ok := cleanPath(v.Text())
	if !ok || !strings.HasPrefix(v.Text(), "/") || p != v.Text() {
		return v, refuse("expected the beginning of a path such as /docs, without dots, escapes and empty parts, got %s", cut(v.Canonical()))
	}
	u.paths = append(u.paths, p)
	return v, nil
}

func (u *urlKind) name() string { return "url" }

func (u *urlKind) unmet(v toolcall.Value, _ Answers) string {
	w, ok := parseURL(v.Text())
	if v.Kind() != toolcall.String || !ok {
		return notURL
	}
	named := slices.ContainsFunc(u.hosts, func(p hostPattern) bool { return p.names(w.host) })
	schemes, ports := u.schemes, u.ports
	if schemes == nil {
		schemes = []string{"https"}
	}
	if ports == nil {
		ports = []int64{defaultPorts[w.scheme]}
	}
	switch {
	case !slices.Contains(schemes, w.scheme):
		return "has the scheme " + w.scheme + ", not " + strings.Join(schemes, " or ")
	case u.hosts != nil && !named:
		return "leads to another host than " + u.hostList()
	case !named && w.host.private():
		return "leads into the own network, which must be named"
	case !slices.Contains(ports, w.port):
		return fmt.Sprintf("has the port %d", w.port)
	case u.paths != nil && !w.below(u.paths):
		return "has another path than " + strings.Join(u.paths, ", ")
	}
	return ""
}

// notURL says that a value is no text that this kind can judge.
const notURL = "is no URL that all readers take apart in the same way"

func (u *urlKind) met(v toolcall.Value, _ Answers) string {
	w, ok := parseURL(v.Text())
	switch {
	case v.Kind() != toolcall.String || !ok:
		return notURL
	case u.schemes != nil && !slices.Contains(u.schemes, w.scheme),
		u.hosts != nil && !slices.ContainsFunc(u.hosts, func(p hostPattern) bool { return p.resembles(w.host) }),
		u.ports != nil && !slices.Contains(u.ports, w.port),
		u.paths != nil && !w.mayBeBelow(u.paths):
		return ""
	case u.hosts != nil:
		return "leads to a host in " + u.hostList()
	}
	return "leads where the url constraint says"
}

func (u *urlKind) hostList() string {
	names := make([]string, len(u.hosts))
	for i, p := range u.hosts {
		names[i] = p.String()
	}
	return cut(strings.Join(names, ", "))
}

func (u *urlKind) neverUsable() *SpecError   { return nil }
func (u *urlKind) canonical() toolcall.Value { return u.spec }

// webURL is a URL in which all readers see the same host.
type webURL struct {
	scheme string
	host   host
	port   int64
	path   string // as written, "/" if there is none
}

// parseURL takes a URL apart. It reports false for a relative one, for a scheme
// without hosts, and where readers could disagree: user information, characters
// that browsers drop or turn into others (tab, line break, backslash), and all
// that [parseHost] does not take.
func parseURL(s string) (w webURL, ok bool) {
	if strings.ContainsFunc(s, notInURL) {
		return w, false
	}
	scheme, rest, ok := strings.Cut(s, "://")
	w.scheme = strings.ToLower(scheme)
	if w.port = defaultPorts[w.scheme]; !ok || w.port == 0 {
		return w, false
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	authority, rest := rest[:end], rest[end:]
	name, port, explicit := cutPort(authority)
	if explicit {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 || port[0] == '0' {
			return w, false
		}
		w.port = int64(n)
	}
	if w.host, ok = parseHost(name); !ok {
		return w, false
	}
	if end = strings.IndexAny(rest, "?#"); end >= 0 {
		rest = rest[:end]
	}
	w.path = "/" + strings.TrimPrefix(rest, "/")
	return w, true
}

// notInURL reports whether r may not stand in a URL without an escape (RFC 3986)
// and is not one of the letters of other alphabets that browsers escape.
func notInURL(r rune) bool {
	return r <= ' ' || strings.ContainsRune("\"<>\\^`{|}\x7f\uFFFD", r) || r > 0x7f && (invisible(r) || loose(string(r)) == "")
}

// cutPort parts host and port; a colon inside brackets is part of the host.
func cutPort(authority string) (name, port string, explicit bool) {
	i := strings.LastIndexByte(authority, ':')
	if i < 0 || strings.HasSuffix(authority, "]") {
		return authority, "", false
	}
	return authority[:i], authority[i+1:], true
}

// cleanPath removes dot segments and decodes escapes. It reports false where
// two servers could see two paths: an escaped slash, backslash, percent sign or
// NUL, a bad escape, parameters behind dots (..;x), dots beside empty parts.
func cleanPath(p string) (string, bool) {
	var clean []string
	dots, empty := false, false
	segments := strings.Split(strings.TrimPrefix(p, "/"), "/")
	for i, s := range segments {
		s, ok := unescape(s)
		if !ok || strings.HasPrefix(s, "..;") || strings.HasPrefix(s, ".;") {
			return "", false
		}
		last := i == len(segments)-1
		switch s {
		case ".", "..":
			dots = true
			if s == ".." && len(clean) > 0 {
				clean = clean[:len(clean)-1]
			}
			if last {
				clean = append(clean, "")
			}
		default:
			empty = empty || s == "" && !last
			clean = append(clean, s)
		}
	}
	return "/" + strings.Join(clean, "/"), !(dots && empty)
}

// unescape decodes %XX, reporting false for what decodes to a character that
// would part or hide something.
func unescape(s string) (string, bool) {
	if !strings.Contains(s, "%") {
		return s, true
	}
	var b []byte
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b = append(b, s[i])
			continue
		}
		if i+2 >= len(s) {
			return "", false
		}
		n, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
		if err != nil || n < ' ' || strings.ContainsRune(`/\%`, rune(n)) {
			return "", false
		}
		b = append(b, byte(n))
		i += 2
	}
	return string(b), true
}

// below reports whether the path certainly lies at or below one of the
// prefixes, which end at segment borders.
func (w webURL) below(prefixes []string) bool {
	p, ok := cleanPath(w.path)
	return ok && slices.ContainsFunc(prefixes, func(prefix string) bool { return under(p, prefix) })
}

func under(p, prefix string) bool {
	return p == prefix || strings.HasPrefix(p, strings.TrimSuffix(prefix, "/")+"/")
}

// mayBeBelow reports whether some server could see the path at or below one of
// the prefixes: letter case, empty parts and parameters do not count.
func (w webURL) mayBeBelow(prefixes []string) bool {
	p, ok := cleanPath(w.path)
	return !ok || slices.ContainsFunc(prefixes, func(prefix string) bool { return under(loosePath(p), loosePath(prefix)) })
}

func loosePath(p string) string {
	var parts []string
	for part := range strings.SplitSeq(p, "/") {
		part, _, _ = strings.Cut(part, ";")
		if part = loose(part); part != "" {
			parts = append(parts, part)
		}
	}
	return "/" + strings.Join(parts, "/")
}
