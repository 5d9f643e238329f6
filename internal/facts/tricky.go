package facts

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// isTricky reports whether the text of a path may mean another file to another
// program, on the operating system goos (a GOOS).
func isTricky(text, goos string) bool {
	switch {
	case text == "", len(text) > maxPath, strings.ContainsRune(text, 0):
		return true
	case text[0] == '~': // many servers expand it
		return true
	case len(text) >= 5 && strings.EqualFold(text[:5], "file:"): // many servers take URLs
		return true
	}
	switch goos {
	case "windows":
		return windowsTricky.MatchString(text) || slices.ContainsFunc(strings.FieldsFunc(text, isAnySlash), isWindowsAlias)
	case "darwin":
		// Forks and files by number; HFS+ ignores invisible characters in names.
		return darwinTricky.MatchString(text) || strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Cf, r) })
	}
	return false
}

var (
	darwinTricky = regexp.MustCompile(`(?i)(^|/)\.\.namedfork(/|$)|^/+\.vol(/|$)`)
	// A root or drive alone, UNC and device paths, and streams ("Naming Files,
	// Paths, and Namespaces" in the Windows documentation).
	windowsTricky = regexp.MustCompile(`^[/\\]|^.:([^/\\]|$)|^:|^..+:`)
	windowsAlias  = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(\.|$)|~[0-9]|[. ]$`)
)

func isAnySlash(r rune) bool { return r == '/' || r == '\\' }

// isWindowsAlias reports whether a name is that of a device, a short name
// (PROGRA~1) or ends in what Windows drops.
func isWindowsAlias(name string) bool {
	return name != "." && name != ".." && windowsAlias.MatchString(name)
}
