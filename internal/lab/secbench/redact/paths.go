package redact

import (
	"regexp"
	"strings"
)

// Parts of a path. A slash may be escaped, as in JSON or in a URL.
const (
	element = `[\p{L}\p{N}_.@%+=~-]+`
	posix   = `(?:\\{0,3}/|\\{1,2}u002[fF]|%2[fF])`
	windows = `(?:/|\\{1,4}|%2[fF]|%5[cC])`
	colon   = `(?::|%3[aA])`
)

// absolute are absolute paths and home shortcuts (specification, section 9, rule E). What stands before one is no part
// of a word or of another path, but may be an option of a compiler.
var absolute = regexp.MustCompile(`(?:^|\\[nrt"]|\B-[A-Z]|[^\p{L}\p{N}_./\\~])(` +
	`(?i:file)` + colon + windows + `+(?:[A-Za-z]` + colon + windows + `+)?(?:` + element + windows + `+)*` + element +
	`|(?:\\{2,4}[?.]\\{1,2})?[A-Za-z]` + colon + windows + `+(?:` + element + windows + `+)*` + element +
	`|\\{2,4}[\p{L}\p{N}][\p{L}\p{N}_.-]+(?:\\{1,2}[\p{L}\p{N}_$][\p{L}\p{N}_.$-]+)+` + // \\server\share
	`|(?:~[\p{L}\p{N}_-]*|\$HOME|\$\{HOME\}|\$env:[A-Z]+|%[A-Z]+%)(?:` + windows + `+` + element + `)+` +
	`|` + posix + `+(?:` + element + posix + `+)*` + element + `)`)

// separator stands between the elements of a path.
var separator = regexp.MustCompile(`(?:\\u002[fF]|[/\\]|%2[fF]|%5[cC])+`)

func paths(s string) (all []found) {
	for _, m := range absolute.FindAllStringSubmatchIndex(s, -1) {
		if from, to := m[2], m[3]; !spared(s[:from], s[from:to], s[to:]) {
			all = append(all, found{from, to, rawForm, s[from:to]})
		}
	}
	return all
}

// noElement is what no single element of a path is: a number, or signs.
var noElement = regexp.MustCompile(`\A(?:\d+|[^\p{L}\p{N}]+)\z`)

// spared says whether what looks like a path is something else.
func spared(before, path, after string) bool {
	elements := separator.Split(strings.TrimLeft(path, `/\`), -1)
	single, slashes := len(elements) == 1, len(path)-len(strings.TrimLeft(path, "/"))
	switch {
	case strings.HasSuffix(before, "<") && strings.HasPrefix(after, ">"): // a tag
		return true
	case slashes == 2 && strings.HasSuffix(before, ":"): // a URL
		return true
	case slashes > 1 && single: // a comment
		return true
	case single && (strings.HasSuffix(before, ")") || strings.HasSuffix(before, "]") || noElement.MatchString(elements[0])): // a division
		return true
	}
	mark := marked.FindString(before[max(0, len(before)-longestMark):])
	return mark != "" && (mark != "[E]" || single)
}
