package importtest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The module holds more than this; a check that sees less is not looking.
const (
	minFiles   = 100
	minImports = 200 // of our own packages
)

func TestModule(t *testing.T) {
	const root = "../.."
	sources, err := load(root)
	if err != nil {
		t.Fatal(err)
	}
	allow, err := os.ReadFile("allow.txt")
	if err != nil {
		t.Fatal(err)
	}
	list, err := parseAllow(string(allow))
	if err != nil {
		t.Fatalf("allow.txt: %v", err)
	}
	goMod, err := os.ReadFile(root + "/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	required := parseRequirements(string(goMod))
	for _, p := range append(check(sources), checkModules(sources, list, required)...) {
		t.Error(p)
	}

	imports := 0
	for _, s := range sources {
		for _, spec := range s.file.Imports {
			if _, ok := ownPackage(importPath(spec)); ok {
				imports++
			}
		}
	}
	if len(sources) < minFiles || imports < minImports || len(required) < len(list) {
		t.Errorf("looked at %d files, %d imports of ours and %d requirements: the check is not looking",
			len(sources), imports, len(required))
	}
}

// TestRules shows on small sources that each rule can fail, and that what it
// guards is possible beside it.
func TestRules(t *testing.T) {
	own := func(paths ...string) string {
		return "package p\nimport (\n\"" + module + "/" + strings.Join(paths, "\"\n\""+module+"/") + "\"\n)\n"
	}
	std := func(path string) string { return "package p\nimport \"" + path + "\"\n" }
	tests := []struct {
		name      string
		pkg, file string
		text      string
		want      string // part of the only problem; "" = none
	}{
		{"a layer below", "internal/gate", "a.go", own("internal/decide", "internal/ledger"), ""},
		{"a layer above", "internal/decide", "a.go", own("internal/gate"), "not in a layer below"},
		{"the same layer", "internal/catalog", "a.go", own("internal/shell"), "not in a layer below"},
		{"the gate and a store", "internal/gate", "a.go", own("internal/store/sqlite"), "not in a layer below"},
		{"the gate and a model", "internal/gate", "a.go", own("internal/llm"), "not in a layer below"},
		{"the gate and a door", "internal/gate", "a.go", own("internal/hook"), "not in a layer below"},
		{"a door and the gate", "internal/mcpproxy", "a.go", own("internal/gate", "internal/toolcall"), ""},
		{"a door and decide", "internal/mcpproxy", "a.go", own("internal/decide"), "decide nothing themselves"},
		{"a door and the contract", "internal/hook", "a.go", own("internal/contract"), "decide nothing themselves"},
		{"a door and the judge", "internal/httpapi", "a.go", own("internal/judge"), "decide nothing themselves"},
		{"a door and the ledger", "internal/httpapi", "a.go", own("internal/ledger"), "decide nothing themselves"},
		{"a door and a store", "internal/hook", "a.go", own("internal/store/memory"), "not in a layer below"},
		{"the console and the gate", "internal/console", "a.go", own("internal/gate"), "cannot make a grant"},
		{"the console and approvals", "internal/console", "a.go", own("internal/approval"), ""},
		{"a store and its domain", "internal/store/sqlite", "a.go", own("internal/ledger", "internal/durable"), ""},
		{"a store and the contract", "internal/store/postgres", "a.go", own("internal/contract"), "not what these mean"},
		{"the bank and the gate", "internal/bank", "a.go", own("internal/gate"), "stranger"},
		{"the probe and the contract", "internal/probe", "a.go", own("internal/contract"), "decides nothing"},
		{"the gate and the starter contracts", "internal/gate", "a.go", own("contracts"), "not in a layer below"},
		{"cli knows all", "internal/cli", "a.go", own("internal/store/sqlite", "internal/decide", "internal/hook"), ""},
		{"cli and the lab", "internal/cli", "a.go", own("internal/lab/replay"), "never imports the lab"},
		{"a test and the lab", "internal/gate", "a_test.go", own("internal/lab/replay"), "never imports the lab"},
		{"the documentation and the lab", "internal/doctest", "a_test.go", own("internal/lab/cli"), ""},
		{"the lab and the product", "internal/lab/replay", "a.go", own("internal/gate", "internal/lab/corpus"), ""},
		{"main and cli", "cmd/licet", "main.go", own("internal/cli"), ""},
		{"main and the gate", "cmd/licet", "main.go", own("internal/gate"), "one statement"},
		{"main of the lab", "cmd/licet-lab", "main.go", own("internal/lab/cli"), ""},
		{"main of the lab and cli", "cmd/licet-lab", "main.go", own("internal/cli"), "one statement"},
		{"the hook and cli", "cmd/licet-hook", "main.go", own("internal/cli"), "start fast"},
		{"a tool and the code", "tools/fuzz", "main.go", own("internal/authz"), "does not depend on it"},
		{"a leaf", "internal/ledger", "a.go", own("internal/durable"), ""},
		{"a leaf looks up", "internal/durable", "a.go", own("internal/authz"), "not in a layer below"},
		{"product and a package for tests", "internal/gate", "a.go", own("internal/testkit"), "only tests import it"},
		{"a test looks up", "internal/decide", "a_test.go", own("internal/gate", "internal/testkit"), ""},
		{"a package for tests", "internal/storetest", "a.go", own("internal/ledger", "internal/testkit"), ""},
		{"an unknown package", "internal/helpers", "a.go", std("fmt"), "no place in rules.go"},
		{"importing an unknown package", "internal/cli", "a.go", own("internal/helpers"), "not in a layer below"},

		{"pure and fmt", "internal/decide", "a.go", std("fmt"), ""},
		{"pure and context", "internal/decide", "a.go", std("context"), "is pure"},
		{"pure and os", "internal/authz", "a.go", std("os"), "is pure"},
		{"pure and os/exec", "internal/shell", "a.go", std("os/exec"), "is pure"},
		{"pure and net/http", "internal/toolcall", "a.go", std("net/http"), "is pure"},
		{"pure and the text of addresses", "internal/constraint", "a.go", std("net/netip"), ""},
		{"pure and log/slog", "internal/catalog", "a.go", std("log/slog"), "is pure"},
		{"pure and chance", "internal/contract", "a.go", std("math/rand/v2"), "is pure"},
		{"pure and keys", "internal/constraint", "a.go", std("crypto/rand"), "is pure"},
		{"pure and a disk", "internal/contract", "a.go", own("internal/durable"), "is pure"},
		{"a test of a pure package", "internal/decide", "a_test.go", std("os"), ""},
		{"the domain and os", "internal/facts", "a.go", std("os"), ""},

		{"a time", "internal/decide", "a.go", std("time") + "var _ = time.Second\nfunc f(t time.Time) {}\n", ""},
		{"the clock", "internal/decide", "a.go", std("time") + "var _ = time.Now()\n", "uses time.Now"},
		{"the clock as a value", "internal/decide", "a.go", std("time") + "var _ = time.Since\n", "uses time.Since"},
		{"a timer", "internal/decide", "a.go", std("time") + "func f() { <-time.After(1) }\n", "uses time.After"},
		{"the clock renamed", "internal/decide", "a.go", "package p\nimport t \"time\"\nvar _ = t.Now()\n", "uses time.Now"},
		{"the clock, dotted", "internal/decide", "a.go", "package p\nimport . \"time\"\nvar _ = Now()\n", "dot import"},
		{"another Now", "internal/decide", "a.go", "package p\nvar time clock\nvar _ = time.Now()\n", ""},
		{"a test and the clock", "internal/decide", "a_test.go", std("time") + "var _ = time.Now()\n", ""},
		{"the domain and the clock", "internal/facts", "a.go", std("time") + "var _ = time.Now()\n", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, err := parse(test.pkg, test.file, []byte(test.text))
			if err != nil {
				t.Fatal(err)
			}
			expect(t, check([]source{s}), test.want)
		})
	}
}

func TestModuleRules(t *testing.T) {
	list := []allowed{{"example.org/p", "product"}, {"example.org/t/v2", "test"}, {"example.org/x", "tool"}, {"example.org/l", "lab"}}
	required := []requirement{{"example.org/l", true}, {"example.org/p", true}, {"example.org/t/v2", true}, {"example.org/x", true}, {"example.org/deep", false}}
	good := map[string]string{
		"internal/gate/a.go":      "package p\nimport _ \"example.org/p/sub\"\nimport _ \"net/http\"\nimport _ \"" + module + "/internal/decide\"\n",
		"internal/gate/a_test.go": "package p\nimport _ \"example.org/t/v2\"\nimport _ \"example.org/p\"\n",
		"internal/lab/x/a.go":     "package p\nimport _ \"example.org/l\"\n",
		"tools/x/main.go":         "package p\nimport _ \"example.org/x\"\n",
	}
	with := func(name, text string) map[string]string {
		files := map[string]string{name: text}
		for n, old := range good {
			if n != name {
				files[n] = old
			}
		}
		return files
	}
	tests := []struct {
		name     string
		files    map[string]string
		list     []allowed
		required []requirement
		want     string
	}{
		{"good", good, list, required, ""},
		{"not listed", with("internal/hook/a.go", "package p\nimport _ \"example.org/other\"\n"), list, required, "no line with a reason"},
		{"a name that only begins alike", with("internal/hook/a.go", "package p\nimport _ \"example.org/pp\"\n"), list, required, "no line with a reason"},
		{"another major version", with("internal/hook/a_test.go", "package p\nimport _ \"example.org/t\"\n"), list, required, "no line with a reason"},
		{"product imports a module for tests", with("internal/hook/a.go", "package p\nimport _ \"example.org/t/v2\"\n"), list, required, "tests only"},
		{"product imports a module for tools", with("internal/hook/a.go", "package p\nimport _ \"example.org/x\"\n"), list, required, "tools only"},
		{"product imports a module for the lab", with("internal/hook/a.go", "package p\nimport _ \"example.org/l\"\n"), list, required, "lab only"},
		{"a test of the product imports a module for the lab", with("internal/hook/a_test.go", "package p\nimport _ \"example.org/l\"\n"), list, required, "lab only"},
		{"used by tests, listed for the product", with("internal/gate/a.go", "package p\n"), list, required, "no product code imports example.org/p"},
		{"listed and unused", with("internal/gate/a_test.go", "package p\n"), list, required, "no test code imports"},
		{"a module within another", with("internal/lab/y/a.go", "package p\nimport _ \"example.org/l/sub/x\"\n"), append([]allowed{{"example.org/l/sub", "lab"}}, list...), append([]requirement{{"example.org/l/sub", true}}, required...), ""},
		{"listed and not required", good, list, slices.Delete(slices.Clone(required), 1, 2), "does not require example.org/p"},
		{"required and not listed", good, list, append([]requirement{{"example.org/other", true}}, required...), "requires example.org/other"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var sources []source
			for name, text := range test.files {
				i := strings.LastIndex(name, "/")
				s, err := parse(name[:i], name[i+1:], []byte(text))
				if err != nil {
					t.Fatal(err)
				}
				sources = append(sources, s)
			}
			expect(t, checkModules(sources, test.list, test.required), test.want)
		})
	}
}

func expect(t *testing.T, problems []problem, want string) {
	t.Helper()
	if want == "" {
		if len(problems) > 0 {
			t.Errorf("problems %v, want none", problems)
		}
		return
	}
	if len(problems) != 1 || !strings.Contains(problems[0].String(), want) {
		t.Errorf("problems %v, want one with %q", problems, want)
	}
}

func TestParseAllow(t *testing.T) {
	list, err := parseAllow("# comment\n\nexample.org/p  product  because it is good\n")
	if err != nil || len(list) != 1 || list[0] != (allowed{"example.org/p", "product"}) {
		t.Errorf("parseAllow = %v, %v", list, err)
	}
	for name, text := range map[string]string{
		"no reason":     "example.org/p product\n",
		"unknown scope": "example.org/p everywhere because\n",
		"twice":         "example.org/p test a\nexample.org/p test b\n",
	} {
		if list, err := parseAllow(text); err == nil {
			t.Errorf("%s: accepted as %v", name, list)
		}
	}
}

func TestParseRequirements(t *testing.T) {
	got := parseRequirements("module m\n\ngo 1.26\n\nrequire example.org/a v1.0.0\n\nrequire (\n\t// comment\n\texample.org/b v1.0.0\n\texample.org/c v1.0.0 // indirect\n)\n\nreplace x => y\n")
	want := []requirement{{"example.org/a", true}, {"example.org/b", true}, {"example.org/c", false}}
	if len(got) != len(want) || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("parseRequirements = %v, want %v", got, want)
	}
}

func TestLoad(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"a/a.go": "package a", "a/testdata/x.go": "no Go", "node_modules/x.go": "no Go", ".git/x.go": "no Go", "_old/x.go": "no Go",
		"bench/go.mod": "module bench", "bench/x.go": "no Go",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sources, err := load(".")
	if err != nil || len(sources) != 1 || sources[0].pkg != "a" {
		t.Errorf("load = %v, %v; want only package a", sources, err)
	}
	if err := os.WriteFile("a/b.go", []byte("packag"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := load("."); err == nil {
		t.Error("a file that is no Go was accepted")
	}
}
