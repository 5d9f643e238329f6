package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/probe"
	"github.com/licet-dev/licet/internal/toolcall"
)

// started returns the starter contract of a catalog, with the guesses taken.
func started(c *catalog.Catalog, claimed string, dirs ...string) *starter {
	return newStarter(&probe.Server{Name: claimed, Catalog: c}, initFlags{name: "files", agent: "agent"}, dirs)
}

// loadStarter loads the text of a starter contract, which must be one.
func loadStarter(t rapid.TB, s *starter) *contract.Contract {
	t.Helper()
	c, err := contract.Load("licet.yaml", []byte(s.text()), func(name string) ([]byte, error) {
		if name != s.copyName() {
			return nil, fmt.Errorf("no file %q", name)
		}
		return s.catalog.Marshal(), nil
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, s.text())
	}
	return c
}

const (
	readTool   = `{"name":"read_file","description":"Read a file. Nothing else.","inputSchema":{"type":"object","properties":{"path":{"type":"string"},"base_dir":{"type":"string"}},"required":["path"]},"annotations":{"readOnlyHint":true}}`
	writeTool  = `{"name":"write_file","inputSchema":{"type":"object","properties":{"path":{"type":"string"},"log_file":{"type":"string"},"content":{"type":"string"}},"required":["path","content"]}}`
	makeTool   = `{"name":"make_directory","inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}`
	listTool   = `{"name":"list_all","inputSchema":{"type":"object","properties":{}},"annotations":{"readOnlyHint":true}}`
	brokenTool = `{"name":"get_odd","inputSchema":{"type":"object","properties":{"path":{"type":"string","pattern":"(?=x)"}}},"annotations":{"readOnlyHint":true}}`
)

func TestStarterText(t *testing.T) {
	s := started(catalogOf(t, readTool, writeTool, makeTool, listTool, brokenTool), "a files server", "/data", "/other one")
	loadStarter(t, s)
	text := s.text()
	for _, want := range []string{`
      # The server says: "Read a file."
      # The server claims that it only reads, and its name says the same: allowed.
      # A call without "base_dir" is refused: what the server then takes is not known.
      files.read_file:
        allow:
          - base_dir: {path: {read: ["/data/**", "/other one/**"]}}
            path: {path: {read: ["/data/**", "/other one/**"]}}
`, `
      # The server does not claim that it only reads: needs an approval.
      # Look at "log_file" before you approve a call: it is not bounded here.
      files.write_file:
        approve:
          - path: {path: {write: ["/data/**", "/other one/**"]}}
`, `
      # The server does not claim that it only reads: needs an approval.
      # To let it work in these directories unasked, write allow in place of approve.
      files.make_directory:
        approve:
          - path: {path: {write: ["/data/**", "/other one/**"]}}
`, `
      files.list_all: allow
`, `
      # What its schema says of its arguments cannot be enforced: blocked.
      files.get_odd: block
`, `
approvals: {expire: 15m}
`} {
		if !strings.Contains(text, want) {
			t.Errorf("missing:%s\nin:\n%s", want, text)
		}
	}
}

// The edit that a comment proposes gives a contract that loads.
func TestStarterProposedEdit(t *testing.T) {
	s := started(catalogOf(t, makeTool), "", "/data")
	text := strings.Replace(s.text(), "        approve:", "        allow:", 1)
	c, err := contract.Load("licet.yaml", []byte(text), func(string) ([]byte, error) { return s.catalog.Marshal(), nil })
	if err != nil {
		t.Fatal(err)
	}
	if r := c.Agent("agent").Rule("files", contract.ToolsCall, "make_directory"); len(r.Allow) != 1 || len(r.Approve) != 0 {
		t.Errorf("allow %d, approve %d", len(r.Allow), len(r.Approve))
	}
}

// checkStarter states what holds of the starter contract for any server: it
// loads, says nothing of its own about anybody else, and allows only what
// claims to read and is named so.
func checkStarter(t rapid.TB, s *starter) {
	t.Helper()
	c := loadStarter(t, s)
	if a := c.Agents(); !slices.Equal(a, []string{"agent"}) {
		t.Fatalf("agents %q", a)
	}
	if n := c.Servers(); !slices.Equal(n, []string{"files"}) {
		t.Fatalf("servers %q", n)
	}
	if e := c.Approvals(); e.Expire != 15*time.Minute || e.Quorum != 1 || len(e.Approvers) != 0 {
		t.Fatalf("approvals %+v", e)
	}
	for _, r := range c.Agent("agent").Rules() {
		tool, ok := s.catalog.Tool(r.Tool)
		if !ok {
			t.Fatalf("a rule for %q, which the server does not have", r.Tool)
		}
		if len(r.Allow) > 0 && !(tool.ReadOnlyHint() && readingName(tool.Name, "files")) {
			t.Fatalf("%q is allowed", r.Tool)
		}
	}
}

// anyCatalog draws catalogs that are likely to meet every rule of the guesses.
func anyCatalog(t *rapid.T) *catalog.Catalog {
	word := rapid.SampledFrom([]string{"read", "get", "list", "write", "delete", "file", "path", "paths", "url", "x", "*", ":", "#", "\n", "- ", "\u2028", "\u202e", "é", "'", `"`, "${home}", "null"})
	name := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(word, 1, 3).Draw(t, "words"), rapid.SampledFrom([]string{"_", "", ".", " "}).Draw(t, "joint"))
	})
	var schema func(depth int) *rapid.Generator[string]
	schema = func(depth int) *rapid.Generator[string] {
		return rapid.Custom(func(t *rapid.T) string {
			kinds := []string{`{"type":"string"}`, `{"type":["string","null"]}`, `{"type":"integer"}`, `{}`, `true`, `{"type":"object"}`, `{"enum":[1]}`, `{"type":"string","const":"x"}`, `{"$ref":"#/nowhere"}`, `{"anyOf":[{"type":"string"},{"type":"null"}]}`, `{"type":"string","enum":[7]}`, `{"type":"nonsense"}`}
			pick := rapid.IntRange(0, len(kinds)+1).Draw(t, "kind")
			switch {
			case pick < len(kinds):
				return kinds[pick]
			case depth == 0:
				return `{"type":"string"}`
			case pick == len(kinds):
				return `{"type":"array","items":` + schema(depth-1).Draw(t, "items") + `}`
			}
			return objectSchema(t, name, schema(depth-1))
		})
	}
	var defs []toolcall.Value
	for _, n := range rapid.SliceOfNDistinct(name, 0, 6, rapid.ID).Draw(t, "names") {
		def := toolcall.ObjectOf(
			toolcall.Member{Name: "name", Value: toolcall.StringOf(n)},
			toolcall.Member{Name: "description", Value: toolcall.StringOf(rapid.String().Draw(t, "description"))},
			toolcall.Member{Name: "inputSchema", Value: parsedValue(t, objectSchema(t, name, schema(2)))},
			toolcall.Member{Name: "annotations", Value: parsedValue(t, rapid.SampledFrom([]string{`{}`, `{"readOnlyHint":true}`, `{"readOnlyHint":1}`, `[]`}).Draw(t, "annotations"))},
		)
		defs = append(defs, def)
	}
	c, err := catalog.FromTools("", defs)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func objectSchema(t *rapid.T, name, schema *rapid.Generator[string]) string {
	var members, required []string
	for _, n := range rapid.SliceOfNDistinct(name, 0, 3, rapid.ID).Draw(t, "members") {
		members = append(members, quotedString(n)+":"+schema.Draw(t, "schema"))
		if rapid.Bool().Draw(t, "required") {
			required = append(required, quotedString(n))
		}
	}
	return `{"type":"object","properties":{` + strings.Join(members, ",") + `},"required":[` + strings.Join(required, ",") + `]}`
}

func parsedValue(t *rapid.T, text string) toolcall.Value {
	v, err := toolcall.Parse([]byte(text), toolcall.Bounds{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return v
}

func TestStarterAlwaysLoads(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := started(anyCatalog(rt), rapid.String().Draw(rt, "claimed"), rapid.SampledFrom([][]string{nil, {"/data"}, {"/"}, {"/a b", "/ü"}}).Draw(rt, "dirs")...)
		checkStarter(rt, s)
	})
}

// Whatever a person answers, the contract loads.
func TestStarterLoadsAfterAnyAnswer(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := started(anyCatalog(rt), "", "/data")
		for i := range s.guesses {
			s.guesses[i].word = rapid.SampledFrom([]string{"allow", "approve", "block"}).Draw(rt, "word")
		}
		loadStarter(rt, s)
	})
}

// FuzzInit: no text of a server gets out of its place in the contract.
func FuzzInit(f *testing.F) {
	for _, seed := range [][3]string{
		{"read_file", "Read a file.", "path"},
		{"x\n    evil.tool: allow", "a\n      files.write: allow", "path: {}"},
		{"a: allow #", "# \u2028files.b: allow\u2029", "'\""},
		{"*", "&a *a !!str", "<<"},
		{`"`, "\\", "${workspace}"},
		{"\u0000\u0085\ufeff", "\u202eevil", "path\u200b"},
		{strings.Repeat("n", 2000), strings.Repeat("d ", 2000), strings.Repeat("path", 400)},
		{"get_a", "---\nversion: 2", "file[]"},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, name, description, argument string) {
		text := fmt.Sprintf(`{"name":%s,"description":%s,"inputSchema":{"type":"object","properties":{%s:{"type":"string"}}},"annotations":{"readOnlyHint":true}}`,
			quotedString(name), quotedString(description), quotedString(argument))
		c, err := catalog.Parse([]byte(`{"tools":[` + text + `]}`))
		if err != nil {
			t.Skip("no catalog")
		}
		checkStarter(t, started(c, description, "/data"))
	})
}

func TestAsk(t *testing.T) {
	catalog := catalogOf(t, listTool, makeTool, readTool, writeTool)
	for _, tt := range []struct {
		answers string
		want    string
		err     error
	}{
		{"\n\n\n\n", "allow approve allow approve", nil},
		{"k\na\nb\n\n", "approve allow block approve", nil},
		{"what\nAPPROVE\n allow \nblock\n\n", "approve allow block approve", nil},
		{"b\nq\n", "", exit(exitFailure)},
		{"b\n", "", io.EOF},
	} {
		s := started(catalog, "it\x1b[2J", "/data")
		var out strings.Builder
		err := (&app{out: &out}).askRules(s, bufio.NewReader(strings.NewReader(tt.answers)))
		if !errors.Is(err, tt.err) {
			t.Errorf("%q: error %v, want %v", tt.answers, err, tt.err)
		}
		if strings.Contains(out.String(), "\x1b") {
			t.Errorf("an escape sequence of the server was printed: %q", out.String())
		}
		if strings.Contains(tt.answers, "what") != strings.Contains(out.String(), "write a, k, b, q or Enter") {
			t.Errorf("%q: said %q", tt.answers, out.String())
		}
		var words []string
		for _, g := range s.guesses {
			words = append(words, g.word)
		}
		if got := strings.Join(words, " "); tt.err == nil && got != tt.want {
			t.Errorf("%q: %s, want %s", tt.answers, got, tt.want)
		}
	}
}

// What can't be enforced is not asked for, and is told as it is written.
func TestStarterBlocked(t *testing.T) {
	s := started(catalogOf(t, listTool, brokenTool), "a server")
	var out strings.Builder
	if err := (&app{out: &out}).askRules(s, bufio.NewReader(strings.NewReader("\n"))); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "a/k/b/q>"); n != 1 {
		t.Errorf("asked %d times:\n%s", n, out.String())
	}
	tools := s.summary("licet.yaml", launch{}).Tools
	want := []initTool{{"get_odd", "block", "what its schema says of its arguments cannot be enforced"},
		{"list_all", "allow", "the server claims that it only reads, and its name says the same"}}
	if !slices.Equal(tools, want) {
		t.Errorf("%v", tools)
	}
	c := loadStarter(t, s)
	for _, tool := range tools {
		r := c.Agent("agent").Rule("files", contract.ToolsCall, tool.Name)
		if got := map[bool]string{true: "allow", false: "block"}[len(r.Allow) > 0]; got != tool.Rule {
			t.Errorf("%s: the contract says %s, the summary %s", tool.Name, got, tool.Rule)
		}
	}
}

func TestServerName(t *testing.T) {
	for claimed, want := range map[string]string{
		"secure-filesystem-server": "secure-filesystem", "mcp-server-git": "git", "GitHub MCP Server": "github",
		"": "server", "MCP": "server", "../../etc": "etc", "日本": "server", strings.Repeat("x", 200): strings.Repeat("x", 40),
	} {
		if got := serverName(claimed); got != want || !nameForm.MatchString(got) {
			t.Errorf("serverName(%q) = %q, want %q", claimed, got, want)
		}
	}
}
