package warden

import (
	"cmp"
	"go/parser"
	"go/scanner"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/licet-dev/licet/internal/lab/secbench/udiff"
)

// change is a file in Go before and after a patch.
type change struct{ before, after string }

// changes returns the files in Go that a diff changes. Of one that does not apply, they
// are what it would add.
func (c Contract) changes(diff string, f files) []change {
	unapplied := []change{{after: added(diff)}}
	parsed, err := udiff.Parse(diff)
	if err != nil {
		return unapplied
	}
	var all []change
	for _, file := range parsed {
		if !slices.Contains(c.Patchable, file.Path) {
			return unapplied
		}
		before := f.Read(file.Path)
		after, err := file.Apply(before)
		if err != nil {
			return unapplied
		}
		if path.Ext(file.Path) == ".go" {
			all = append(all, change{before, after})
		}
	}
	return all
}

// added returns the lines that a diff adds.
func added(diff string) string {
	var lines strings.Builder
	for line := range strings.Lines(diff) {
		if after, ok := strings.CutPrefix(line, "+"); ok && !strings.HasPrefix(line, "+++ ") {
			lines.WriteString(after)
		}
	}
	return lines.String()
}

// tampers reports whether a change adds what would run beside the tests.
func (ch change) tampers() bool {
	was := tamperings(ch.before)
	for what, n := range tamperings(ch.after) {
		if n > was[what] {
			return true
		}
	}
	return false
}

var directive = regexp.MustCompile(`\A//(go:(generate|linkname|embed|build)\b|\s*[+]build\b)`)

// tamperings counts in Go code, or a part of a file, what [tamperWords] are about. It
// goes by tokens: white space, comments and another name for a package hide nothing.
// Code that does not parse has tokens, too.
func tamperings(code string) map[string]int {
	found := map[string]int{}
	exits := map[string]bool{"os": true} // names of package os
	for _, name := range importsOf(code) {
		switch name.path {
		case "unsafe", "C":
			found["import "+name.path]++
		case "os":
			exits[cmp.Or(name.as, "os")] = true
		}
	}
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(code)), []byte(code), nil, scanner.ScanComments)
	var last, before word
	for {
		_, tok, text := s.Scan()
		this := word{tok, text}
		switch {
		case tok == token.EOF:
			return found
		case tok == token.COMMENT:
			if directive.MatchString(text) {
				found["directive"]++
			}
			continue // it stands between no two words
		case this.is("TestMain"), this.is("unsafe"):
			found[text]++
		case tok == token.LPAREN && last.is("init") && before.tok == token.FUNC:
			found["init"]++
		case this.is("Exit") && (last.tok == token.PERIOD && exits[before.text] || last.tok != token.PERIOD && exits["."]):
			found["os.Exit"]++
		}
		last, before = this, last
	}
}

// word is a token with its text.
type word struct {
	tok  token.Token
	text string
}

// is says whether a word is this name.
func (w word) is(name string) bool { return w.tok == token.IDENT && w.text == name }

// imported is a package with the name that code has for it, "" if it is the package's.
type imported struct{ as, path string }

// importsOf returns what code imports, also code without the clause that names its
// package.
func importsOf(code string) (all []imported) {
	for _, begin := range []string{"", "package p;"} {
		file, _ := parser.ParseFile(token.NewFileSet(), "", begin+code, parser.ImportsOnly) // what can be read of it
		for _, i := range file.Imports {
			name := imported{}
			if name.path, _ = strconv.Unquote(i.Path.Value); i.Name != nil {
				name.as = i.Name.Name
			}
			all = append(all, name)
		}
	}
	return all
}
