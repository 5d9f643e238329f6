package harness

import (
	"cmp"
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

// networks are the packages that are there to open sockets. Others do it with
// syscall, which has other uses, too.
var networks = []string{
	"crypto/tls", "expvar", "log/syslog", "net", "net/http", "net/http/cgi", "net/http/fcgi", "net/http/httptest", "net/http/httputil",
	"net/http/pprof", "net/rpc", "net/rpc/jsonrpc", "net/smtp", "net/textproto",
}

// foreign says which file of a tree imports what it may not, or cannot be read; "" if
// none does. socket: one of them would open a socket. Tests may import anything: no
// agent writes them.
func foreign(tree []task.File) (why string, socket bool) {
	for _, f := range tree {
		if path.Ext(f.Path) != ".go" || strings.HasSuffix(f.Path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), f.Path, f.Text, parser.ImportsOnly)
		if err != nil {
			why = cmp.Or(why, err.Error())
		}
		for _, i := range file.Imports {
			name, err := strconv.Unquote(i.Path.Value)
			if err != nil || !slices.Contains(imports, name) {
				why = cmp.Or(why, fmt.Sprintf("%s imports %s, which code under test may not", f.Path, i.Path.Value))
			}
			socket = socket || slices.Contains(networks, name) || name == "syscall" && strings.Contains(strings.ToLower(f.Text), "socket")
		}
	}
	return why, socket
}
