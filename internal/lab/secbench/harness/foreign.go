package harness

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/licet-dev/licet/internal/lab/secbench/task"
)

// imports are what code under test may import. A test's result is what its process
// prints and how that ends, and the code that it tests is in the same process: none of
// these packages ends a process, steers the tests in it, or calls code while other code
// runs.
var imports = []string{
	"bufio", "bytes", "cmp", "container/heap", "container/list", "crypto/sha256", "crypto/subtle", "encoding/binary",
	"encoding/hex", "encoding/json", "errors", "fmt", "hash/crc32", "hash/fnv", "html", "io", "io/fs", "iter", "maps", "math",
	"math/big", "math/bits", "math/rand", "math/rand/v2", "net/url", "path", "path/filepath", "regexp", "slices", "sort", "strconv",
	"strings", "testing/fstest", "unicode", "unicode/utf16", "unicode/utf8",
}

// networks are the packages that are there to open sockets. Others do it with
// syscall, which has other uses, too.
var networks = []string{
	"crypto/tls", "expvar", "log/syslog", "net", "net/http", "net/http/cgi", "net/http/fcgi", "net/http/httptest", "net/http/httputil",
	"net/http/pprof", "net/rpc", "net/rpc/jsonrpc", "net/smtp", "net/textproto",
}

// foreign says what a tree has that may end or steer its tests, or which file cannot be
// read; "" = there is nothing. socket: its code would open one. Tests may have anything:
// no agent writes them.
func foreign(tree []task.File) (why string, socket bool) {
	own, said := map[string]string{}, map[string]bool{} // where code declares a name of Go's; names in tests
	for _, f := range tree {
		if path.Ext(f.Path) != ".go" {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), f.Path, f.Text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			why = cmp.Or(why, err.Error())
		}
		if strings.HasSuffix(f.Path, "_test.go") {
			for _, name := range names(file) {
				said[name] = true
			}
			continue
		}
		if what := steers(file); what != "" {
			why = cmp.Or(why, fmt.Sprintf("%s %s, which code under test may not", f.Path, what))
		}
		socket = socket || opens(file, f.Text)
		for _, name := range slices.DeleteFunc(declared(file), func(name string) bool { return !doc.IsPredeclared(name) }) {
			own[name] = f.Path
		}
	}
	for _, name := range slices.Sorted(maps.Keys(own)) {
		if said[name] {
			why = cmp.Or(why, fmt.Sprintf("%s declares %s, which the tests take for Go's", own[name], name))
		}
	}
	return why, socket
}

// opens reports whether a file imports what opens sockets.
func opens(file *ast.File, text string) bool {
	return slices.ContainsFunc(imported(file), func(name string) bool {
		return slices.Contains(networks, name) || name == "syscall" && strings.Contains(strings.ToLower(text), "socket")
	})
}

// imported returns the packages that a file imports.
func imported(file *ast.File) (all []string) {
	for _, i := range file.Imports {
		name, _ := strconv.Unquote(i.Path.Value) // what the parser takes for a path can be unquoted
		all = append(all, name)
	}
	return all
}

// names returns all names in a file.
func names(file *ast.File) (all []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		if name, ok := n.(*ast.Ident); ok {
			all = append(all, name.Name)
		}
		return true
	})
	return all
}

// steers says what a file does that may end or steer tests: it imports another package,
// tells the compiler something, or starts a goroutine. A value that one goroutine has
// written half when another reads it is a way to any memory, without an import.
func steers(file *ast.File) (what string) {
	for _, name := range imported(file) {
		if !slices.Contains(imports, name) {
			return "imports " + strconv.Quote(name)
		}
	}
	for _, group := range file.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "//go:") {
				return "has a //go: directive"
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if _, starts := n.(*ast.GoStmt); starts {
			what = "starts a goroutine"
		}
		return what == ""
	})
	return what
}

// declared returns the names that a file declares for its whole package.
func declared(file *ast.File) []string {
	var names []string
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				names = append(names, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					names = append(names, s.Name.Name)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						names = append(names, n.Name)
					}
				}
			}
		}
	}
	return names
}
