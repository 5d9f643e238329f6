package facts

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// expand returns the files that an absolute shell pattern matches now, and the
// pattern itself without its quotes, which is what a shell takes where nothing
// matches. Brackets count as any character. `*` and `?` do not match a dot at the
// beginning of a name.
func (p *placer) expand(pattern string) ([]string, error) {
	if strings.Contains(pattern, "(") { // patterns of bash's extglob, if that is on
		return nil, errBeyond
	}
	found := []string{"/"}
	names := strings.Split(strings.TrimPrefix(pattern, "/"), "/")
	for _, name := range names {
		var err error
		if !strings.ContainsAny(name, "*?[") {
			for i := range found {
				found[i] = strings.TrimSuffix(found[i], "/") + "/" + unquoted(name)
			}
		} else if found, err = p.matching(found, name); err != nil {
			return nil, err
		}
	}
	return append(found, unquoted(pattern)), nil
}

// matching returns the entries of the folders whose names match.
func (p *placer) matching(folders []string, name string) (found []string, err error) {
	re, err := nameExpression(name)
	if err != nil {
		return nil, err
	}
	for _, folder := range folders {
		entries, err := os.ReadDir(filepath.FromSlash(folder))
		switch {
		case errors.Is(err, fs.ErrPermission):
			return nil, errBeyond
		case isSpecial(err), errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, fmt.Errorf("listing %s: %w", folder, err)
		}
		for _, entry := range entries {
			if p.left--; p.left < 0 {
				return nil, errBeyond
			}
			if strings.HasPrefix(entry.Name(), ".") && !strings.HasPrefix(name, ".") {
				continue
			}
			if re.MatchString(entry.Name()) {
				found = append(found, strings.TrimSuffix(folder, "/")+"/"+entry.Name())
			}
		}
	}
	return found, p.ctx.Err()
}

// nameExpression writes a pattern of one name as a regular expression that
// matches at least what the pattern does.
func nameExpression(name string) (*regexp.Regexp, error) {
	var re strings.Builder
	re.WriteString(`(?s)\A`)
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case c == '\\' && i+1 < len(name):
			i++
			re.WriteString(regexp.QuoteMeta(name[i : i+1]))
		case c == '*':
			re.WriteString(".*")
		case c == '?':
			re.WriteString(".")
		case c == '[' && strings.Contains(name[i:], "]"):
			return regexp.Compile(`(?s)\A` + regexp.QuoteMeta(unquoted(name[:firstWild(name)])))
		default:
			re.WriteString(regexp.QuoteMeta(name[i : i+1]))
		}
	}
	re.WriteString(`\z`)
	return regexp.Compile(re.String())
}

// firstWild returns where the first wildcard of a name stands.
func firstWild(name string) int {
	for i := 0; i < len(name); i++ {
		switch name[i] {
		case '\\':
			i++
		case '*', '?', '[':
			return i
		}
	}
	return len(name)
}

// unquoted takes the quotes out of a pattern.
func unquoted(pattern string) string {
	var text strings.Builder
	for i := 0; i < len(pattern); i++ {
		if pattern[i] == '\\' && i+1 < len(pattern) {
			i++
		}
		text.WriteByte(pattern[i])
	}
	return text.String()
}
