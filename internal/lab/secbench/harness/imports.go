package harness

import (
	"fmt"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/licet-dev/licet/internal/lab/secbench/task"
)

// imports are what code under test may import. A test's result is what its process
// prints and how that ends, and the code that it tests is in the same process: none of
// these packages ends a process, or steers the tests in it.
var imports = []string{
	"bufio", "bytes", "cmp", "container/heap", "container/list", "context", "crypto/sha256", "crypto/subtle", "encoding/binary",
	"encoding/hex", "encoding/json", "errors", "fmt", "hash/crc32", "hash/fnv", "html", "io", "io/fs", "iter", "maps", "math",
	"math/big", "math/bits", "math/rand", "math/rand/v2", "net/url", "path", "path/filepath", "regexp", "slices", "sort", "strconv",
	"strings", "sync", "sync/atomic", "testing/fstest", "time", "unicode", "unicode/utf16", "unicode/utf8",
}

// foreign says which file of a tree imports what it may not, or cannot be read; "" if
// none does. Tests may import anything: no agent writes them.
func foreign(tree []task.File) string {
	for _, f := range tree {
		if path.Ext(f.Path) != ".go" || strings.HasSuffix(f.Path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), f.Path, f.Text, parser.ImportsOnly)
		if err != nil {
			return err.Error()
		}
		for _, i := range file.Imports {
			if name, err := strconv.Unquote(i.Path.Value); err != nil || !slices.Contains(imports, name) {
				return fmt.Sprintf("%s imports %s, which code under test may not", f.Path, i.Path.Value)
			}
		}
	}
	return ""
}
