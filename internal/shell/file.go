package shell

import (
	"cmp"
	"slices"
	"strings"
)

// Harmless reports whether a path is that of a device that holds nothing, such as
// /dev/null: reading or writing it has no effect outside the command, and makes no
// [Effect].
func Harmless(path string) bool { return slices.Contains(harmless, path) }

var harmless = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty"}

// file records that a file is touched, in each folder that may be current.
func (w *walker) file(st state, by int, kind Kind, f field, tree bool, why string) {
	e := Effect{Kind: kind, Tree: tree || f.tree, Why: why}
	switch {
	case f.known && (Harmless(f.text) || strings.HasPrefix(f.text, "/dev/fd/") || kind == Read && f.text == "-"):
		return
	case f.known && f.text == "":
		return // no file has this name
	case f.known && w.socket(by, f):
		return
	case !f.known && !f.glob:
		e.Path, e.Why = "", because(why, "which file is not known")
		w.add(by, f.span, e)
		return
	}
	e.PathKnown, e.Pattern = f.known, f.glob
	if strings.HasPrefix(f.text, "/") {
		e.Path = w.join("/", f.text)
		w.add(by, f.span, e)
		return
	}
	if len(st.cwds) == 0 {
		e.Path, e.PathKnown, e.Pattern, e.Why = "", false, false, because(why, "in a folder that is not known")
		w.add(by, f.span, e)
	}
	for _, cwd := range st.cwds {
		if e.Pattern {
			cwd = quotePattern(cwd)
		}
		e.Path = w.join(cwd, f.text)
		w.add(by, f.span, e)
	}
}

// socket records the host of bash's /dev/tcp/host/port, and says whether it is
// one.
func (w *walker) socket(by int, f field) bool {
	rest, tcp := strings.CutPrefix(f.text, "/dev/tcp/")
	rest2, udp := strings.CutPrefix(f.text, "/dev/udp/")
	if !tcp && !udp {
		return false
	}
	host, _, _ := strings.Cut(rest, "/")
	if udp {
		host, _, _ = strings.Cut(rest2, "/")
	}
	w.add(by, f.span, Effect{Kind: Network, Host: strings.ToLower(host), Why: "bash opens a connection"})
	return true
}

// because joins two reasons.
func because(a, b string) string { return strings.TrimPrefix(a+"; "+b, "; ") }

// quotePattern quotes what would be special in a pattern.
func quotePattern(text string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`).Replace(text)
}

// network records the host that a word names.
//
// "host" is a host alone, or user@host; "net" a URL or a host; "from" and "to"
// a local path or host:path; "remote" a remote of git, a URL, host:path or a
// path.
func (u *use) network(kind string, f field) {
	e := Effect{Kind: Network}
	host, isHost := hostOf(f.text, kind)
	switch {
	case strings.HasPrefix(strings.ToLower(f.lead), "file://"):
		u.fileURL(f)
		return
	case kind == "remote" && strings.Contains(f.text, "::"):
		u.unknown(u.by, f.span, "a transport of git that runs a program")
		return
	case !f.known && !isURL(f.lead):
		e.Why = "which host is not known"
	case isHost:
		e.Host = host
	case kind == "remote" && !strings.ContainsAny(f.text, "/."):
		e.Remote, e.Why = cmp.Or(f.text, "*"), "the host that git's settings name"
		for _, e.Path = range u.st.cwds {
			u.add(u.by, f.span, e)
		}
		if len(u.st.cwds) > 0 {
			return
		}
	case kind == "to":
		if !u.meanings["dry"] {
			u.file(u.st, u.by, Write, f, true, "")
		}
		return
	case kind == "from" || kind == "remote":
		u.file(u.st, u.by, Read, f, kind == "remote" || u.meanings["tree"], "")
		if kind == "remote" { // the other side may be asked to take what is sent
			u.file(u.st, u.by, Write, f, true, "a repository on this machine")
		}
		return
	}
	if !f.known && e.Host == "" && (kind == "from" || kind == "to") { // it may be a file as well
		u.file(u.st, u.by, map[string]Kind{"from": Read, "to": Write}[kind], f, true, "")
	}
	u.add(u.by, f.span, e)
}

// RemoteHost returns the host that the URL of a git remote names, lower case and
// without port. It reports false where the URL names no host, or which one it is
// cannot be said.
func RemoteHost(url string) (string, bool) {
	host, named := hostOf(url, "remote")
	return host, named && host != "" && !strings.Contains(url, "::")
}

// fileURL records the file that a file: URL names. Its host says nothing.
func (u *use) fileURL(f field) {
	_, file, _ := strings.Cut(f.text[len("file://"):], "/")
	known := f.known && !strings.ContainsAny(file, "%?#{}[]")
	u.effect("readtree", field{text: "/" + file, known: known, span: f.span})
}

// isURL says whether a text certainly holds the whole host of a URL.
func isURL(text string) bool {
	_, rest, ok := strings.Cut(text, "://")
	return ok && strings.Contains(rest, "/") && !strings.Contains(rest, "@")
}

// hostOf returns the host that a text names in its kind.
func hostOf(text, kind string) (string, bool) {
	scheme, rest, url := strings.Cut(text, "://")
	switch {
	case url && strings.EqualFold(scheme, "file"):
		return "", false
	case url:
		rest, _, _ = strings.Cut(rest, "/")
		rest, _, _ = strings.Cut(rest, "?")
		rest, _, _ = strings.Cut(rest, "#")
	case (kind == "host" || kind == "net") && strings.Contains(text, ":/"):
		return "", true // some readers take this for a URL
	case kind == "host" || kind == "net":
		rest, _, _ = strings.Cut(text, "/")
	default:
		before, _, colon := strings.Cut(text, ":")
		if !colon || strings.Contains(before, "/") {
			return "", false
		}
		rest = before
	}
	if strings.ContainsAny(rest, `\{}*?,%`) {
		return "", true // readers differ, or curl makes hosts up from a pattern
	}
	rest = rest[strings.LastIndexByte(rest, '@')+1:]
	if !strings.HasPrefix(rest, "[") {
		rest, _, _ = strings.Cut(rest, ":")
	} else {
		rest, _, _ = strings.Cut(rest[1:], "]")
	}
	if strings.ContainsAny(rest, "[]") || rest == "" {
		return "", true
	}
	return strings.ToLower(rest), true
}
