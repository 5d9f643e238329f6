package importtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// load parses every Go file of the module at root, whatever its build tags.
// Folders that the go command leaves out are left out.
func load(root string) ([]source, error) {
	var sources []source
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
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
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		s, err := parse(filepath.ToSlash(dir), name, text)
		sources = append(sources, s)
		return err
	})
	return sources, err
}

// leftOut says whether a folder below the root is no part of the module.
func leftOut(path, name string) bool {
	if name == "testdata" || name == "node_modules" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") {
		return true
	}
	_, err := os.Stat(filepath.Join(path, "go.mod")) // a module of its own
	return err == nil
}

// parse parses one file of a package: its imports, and the rest only where
// the rules look at it.
func parse(pkg, name string, text []byte) (source, error) {
	s := source{pkg: pkg, name: name, set: token.NewFileSet()}
	mode := parser.ImportsOnly
	if isPure(s) {
		mode = parser.SkipObjectResolution
	}
	var err error
	s.file, err = parser.ParseFile(s.set, pkg+"/"+name, text, mode)
	if s.file == nil {
		s.file = &ast.File{}
	}
	return s, err
}
