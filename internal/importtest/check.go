package importtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// source is one parsed file.
type source struct {
	pkg  string // folder relative to the module's root, slash separated; "." is the root
	name string // name of the file
	file *ast.File
	set  *token.FileSet
}

// isTest says whether the file is held to the rules for tests.
func (s source) isTest() bool {
	return strings.HasSuffix(s.name, "_test.go") || slices.Contains(testOnly, s.pkg)
}

// problem is one break of a rule.
type problem struct {
	at   string // file, and line where there is one
	text string
}

func (p problem) String() string { return p.at + ": " + p.text }

// check returns every break of the rules for our own packages.
func check(sources []source) []problem {
	var problems []problem
	for _, s := range sources {
		report := func(p token.Pos, format string, args ...any) {
			at := fmt.Sprintf("%s/%s:%d", s.pkg, s.name, s.set.Position(p).Line)
			problems = append(problems, problem{at, fmt.Sprintf(format, args...)})
		}
		if layerOf(s.pkg) < 0 && !slices.Contains(leaves, s.pkg) && !slices.Contains(testOnly, s.pkg) {
			report(s.file.Package, "package %s has no place in rules.go", s.pkg)
			continue
		}
		for _, spec := range s.file.Imports {
			path := importPath(spec)
			if own, ok := ownPackage(path); ok {
				if text := ownBreak(s, own); text != "" {
					report(spec.Pos(), "imports %s: %s", own, text)
				}
			}
			if isPure(s) && covers(impure, strings.TrimPrefix(path, module+"/")) && !slices.Contains(textual, path) {
				report(spec.Pos(), "imports %s: %s is pure", path, s.pkg)
			}
		}
		if isPure(s) {
			clockReads(s.file, func(p token.Pos, what string) {
				report(p, "uses %s: %s is pure, time is given to it", what, s.pkg)
			})
		}
	}
	return problems
}

// ownBreak says which rule forbids the import of own, "" if none does.
func ownBreak(s source, own string) string {
	// doctest runs what the documentation shows of the lab, too.
	inLab := match("internal/lab/...", s.pkg) || s.pkg == "cmd/licet-lab" || s.pkg == "internal/doctest"
	switch {
	case own == s.pkg: // an external test
		return ""
	case match("internal/lab/...", own) && !inLab:
		return "product code never imports the lab"
	case s.isTest():
		return ""
	case slices.Contains(testOnly, own):
		return "only tests import it"
	}
	for _, r := range rules {
		if !covers(r.of, s.pkg) {
			continue
		}
		if slices.Contains(r.never, own) || (r.only != nil && !slices.Contains(r.only, own)) {
			return r.why
		}
	}
	if !below(own, s.pkg) {
		return "it is not in a layer below"
	}
	return ""
}

// below says whether the layers permit pkg to import own.
func below(own, pkg string) bool {
	if slices.Contains(leaves, own) {
		return !slices.Contains(leaves, pkg)
	}
	from, to := layerOf(pkg), layerOf(own)
	if from == to && from >= 0 {
		return slices.ContainsFunc(layers[from], func(p string) bool {
			return strings.HasSuffix(p, "/...") && match(p, pkg) && match(p, own)
		})
	}
	return to >= 0 && to < from
}

// layerOf returns the layer of a package, -1 if it has none.
func layerOf(pkg string) int {
	return slices.IndexFunc(layers, func(l []string) bool {
		return slices.ContainsFunc(l, func(p string) bool { return match(p, pkg) })
	})
}

// match says whether pattern, a package or "name/...", names pkg.
func match(pattern, pkg string) bool {
	tree, whole := strings.CutSuffix(pattern, "/...")
	return pkg == tree || (whole && strings.HasPrefix(pkg, tree+"/"))
}

// covers says whether one of the patterns names path or a folder above it.
func covers(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		return match(strings.TrimSuffix(p, "/...")+"/...", path)
	})
}

func isPure(s source) bool {
	return slices.Contains(pure, s.pkg) && !s.isTest()
}

// clockReads calls found for each use of a function of package time that
// reads a clock or waits for one.
func clockReads(file *ast.File, found func(token.Pos, string)) {
	name := ""
	for _, spec := range file.Imports {
		if importPath(spec) != "time" {
			continue
		}
		name = "time"
		if spec.Name != nil {
			name = spec.Name.Name
		}
		if name == "." { // then its functions could not be told from ours
			found(spec.Pos(), `a dot import of "time"`)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := selector.X.(*ast.Ident); ok && name != "" && x.Name == name && slices.Contains(clock, selector.Sel.Name) {
			found(selector.Pos(), "time."+selector.Sel.Name)
		}
		return true
	})
}

// ownPackage returns the name of a package of ours, relative to the module.
func ownPackage(path string) (string, bool) {
	if path == module {
		return ".", true
	}
	return strings.CutPrefix(path, module+"/")
}

func importPath(spec *ast.ImportSpec) string {
	path, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		panic(err) // the parser accepts only quoted strings here
	}
	return path
}
