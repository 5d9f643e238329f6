package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// target is one fuzz function and the folder of its package, relative to the
// root and slash separated.
type target struct{ dir, name string }

// look returns the fuzz targets below root and the folders of packages that
// parse and have none, both sorted.
func look(root string) (targets []target, missing []string, err error) {
	parses, fuzzed := map[string]bool{}, map[string]bool{}
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if path != root && leftOut(path, name) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		relative, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		dir := filepath.ToSlash(relative)
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if !strings.HasSuffix(name, "_test.go") {
			parses[dir] = parses[dir] || hasParser(file)
			return nil
		}
		for _, name := range fuzzFunctions(file) {
			targets = append(targets, target{dir, name})
			fuzzed[dir] = true
		}
		return nil
	})
	for _, dir := range slices.Sorted(maps.Keys(parses)) {
		if parses[dir] && !fuzzed[dir] {
			missing = append(missing, dir)
		}
	}
	slices.SortFunc(targets, func(a, b target) int { return strings.Compare(a.dir+" "+a.name, b.dir+" "+b.name) })
	return targets, missing, err
}

// toys are the folders of the security bench's toys, whose parsers are wrong on
// purpose.
var toys = []string{"internal/lab/secbench/task/trees", "internal/lab/secbench/harness/fixed"}

// leftOut says whether a folder below the root is no part of the module, or one of
// toys.
func leftOut(path, name string) bool {
	if slices.ContainsFunc(toys, func(toy string) bool { return strings.HasSuffix(filepath.ToSlash(path), toy) }) {
		return true
	}
	if name == "testdata" || name == "node_modules" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") {
		return true
	}
	_, err := os.Stat(filepath.Join(path, "go.mod")) // a module of its own
	return err == nil
}

func fuzzFunctions(file *ast.File) []string {
	var names []string
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Fuzz") && takes(f, "*testing.F") {
			names = append(names, f.Name.Name)
		}
	}
	return names
}

var parserName = regexp.MustCompile(`^((Parse|Decode|Load|Unmarshal)([A-Z]|$)|Read[A-Z])`)

func hasParser(file *ast.File) bool {
	return slices.ContainsFunc(file.Decls, func(d ast.Decl) bool {
		f, ok := d.(*ast.FuncDecl)
		return ok && parserName.MatchString(f.Name.Name) && exportedReceiver(f) && takes(f, "string", "[]byte", "io.Reader")
	})
}

// exportedReceiver says whether f is a function, or a method of an exported
// type.
func exportedReceiver(f *ast.FuncDecl) bool {
	return f.Recv == nil || ast.IsExported(strings.TrimPrefix(typeName(f.Recv.List[0].Type), "*"))
}

// takes says whether some parameter of f has one of the types.
func takes(f *ast.FuncDecl, types ...string) bool {
	return slices.ContainsFunc(f.Type.Params.List, func(p *ast.Field) bool {
		return slices.Contains(types, typeName(p.Type))
	})
}

// typeName writes the simple types that takes is asked about.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return "*" + typeName(e.X)
	case *ast.ArrayType:
		return "[]" + typeName(e.Elt)
	case *ast.SelectorExpr:
		return typeName(e.X) + "." + e.Sel.Name
	}
	return ""
}
