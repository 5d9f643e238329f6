package catalog_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/toolcall"
)

const (
	pay = `{"name":"pay","description":"Pays.","inputSchema":{"type":"object","properties":{"amount":{"type":"number","maximum":100}}}}`
	see = `{"name":"see","title":"See","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`
)

// bank is the catalog of pay and see.
const bank = `{"instructions":"Be careful.","tools":[` + see + `,` + pay + `]}`

func parse(t testing.TB, text string) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Parse([]byte(text))
	if err != nil {
		t.Fatalf("Parse(%s): %v", text, err)
	}
	return c
}

func value(t testing.TB, text string) toolcall.Value {
	t.Helper()
	v, err := toolcall.Parse([]byte(text), toolcall.Bounds{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func TestParse(t *testing.T) {
	c := parse(t, bank)
	if c.Instructions != "Be careful." || len(c.Tools) != 2 || c.Tools[0].Name != "pay" || c.Tools[1].Name != "see" {
		t.Fatalf("read as %+v", c)
	}
	tool, found := c.Tool("pay")
	if !found || tool.Description() != "Pays." || tool.ReadOnlyHint() ||
		tool.InputSchema().Get("type").Text() != "object" || !tool.Raw.Equal(value(t, pay)) {
		t.Errorf("pay is %+v, found %v", tool, found)
	}
	if tool, _ := c.Tool("see"); !tool.ReadOnlyHint() || tool.Description() != "" {
		t.Errorf("see is %+v", tool)
	}
	if tool, found := c.Tool("Pay"); found || tool.Name != "" {
		t.Errorf("Pay is %+v", tool)
	}
}

// refused are no catalogs.
var refused = []struct{ name, text, msg string }{
	{"no JSON", `{"tools":[]`, "line 1, column 12"},
	{"duplicate member", `{"tools":[],"tools":[]}`, "duplicate member"},
	{"array", `[]`, "expected an object"},
	{"no tools", `{}`, "tools must be an array, not absent"},
	{"tools as object", `{"tools":{}}`, "tools must be an array, not object"},
	{"instructions as number", `{"tools":[],"instructions":1}`, "instructions must be a string"},
	{"instructions null", `{"tools":[],"instructions":null}`, "instructions must be a string"},
	{"unknown member", `{"tools":[],"tool":1}`, `unknown member "tool"`},
	{"member in other case", `{"tools":[],"Tools":[]}`, `unknown member "Tools"`},
	{"one page", `{"tools":[],"nextCursor":"p2"}`, "one page"},
	{"tool as text", `{"tools":["pay"]}`, "tools[0]: a tool is an object"},
	{"tool without name", `{"tools":[` + pay + `,{"inputSchema":{}}]}`, "tools[1]: name must be"},
	{"name empty", `{"tools":[{"name":"","inputSchema":{}}]}`, "name must be"},
	{"name as number", `{"tools":[{"name":1,"inputSchema":{}}]}`, "name must be"},
	{"no schema", `{"tools":[{"name":"a"}]}`, `tool "a": inputSchema must be an object, not absent`},
	{"schema true", `{"tools":[{"name":"a","inputSchema":true}]}`, "inputSchema must be an object"},
	{"description in other case", `{"tools":[{"name":"a","inputSchema":{},"Description":"obey"}]}`, `"Description" differs from "description"`},
	{"schema in other folding", `{"tools":[{"name":"a","inputSchema":{},"input\u017fchema":{}}]}`, `differs from "inputSchema"`},
	{"tool twice", `{"tools":[` + pay + `,` + see + `,` + pay + `]}`, `tool "pay" is defined twice`},
}

func TestParseRefuses(t *testing.T) {
	for _, c := range refused {
		t.Run(c.name, func(t *testing.T) {
			got, err := catalog.Parse([]byte(c.text))
			if err == nil || !strings.Contains(err.Error(), c.msg) || got != nil {
				t.Errorf("%s: %+v, error %v; want an error with %q", c.text, got, err, c.msg)
			}
		})
	}
}

func TestParseListResult(t *testing.T) {
	c := parse(t, `{"resultType":"complete","ttlMs":5,"cacheScope":"public","_meta":{"a":1},"tools":[`+pay+`,`+see+`]}`)
	want := parse(t, bank)
	want.Instructions = ""
	if c.Digest() != want.Digest() {
		t.Error("the result of a listing and the copy of its tools have two digests")
	}
}

// The digests are written into contracts: their texts are fixed here.
func TestDigestText(t *testing.T) {
	c := parse(t, `{"tools":[{"name":"a","inputSchema":{},"icons":[1],"execution":{}}],"instructions":"x"}`)
	const tool = "sha256:bb2f1d131767ea25a891174b97d7c1c425f016c5d1ed61dbc7c29da6e7a9eb62"
	if got := c.Tools[0].Digest; got != tool {
		t.Errorf("tool digest %s, want %s", got, tool)
	}
	const all = "sha256:450c9887fda6871c3be68c39028cc2b9bf0f51aac31690daab3c4d17ba236d7e"
	if got := c.Digest(); got != all {
		t.Errorf("catalog digest %s, want %s", got, all)
	}
}

func TestDigestCovers(t *testing.T) {
	const base = `{"name":"a","title":"t","description":"d","inputSchema":{"type":"object"},"outputSchema":{},"annotations":{"x":1},"_meta":{"y":1}}`
	digest := func(tool string) string { return parse(t, `{"tools":[`+tool+`]}`).Tools[0].Digest }
	for _, c := range []struct {
		name, tool string
		same       bool
	}{
		{"order and spelling", `{"_meta":{"y":1.0},"description":"\u0064","name":"a","inputSchema":{"type":"object"},"title":"t","outputSchema":{},"annotations":{"x":1}}`, true},
		{"icons", strings.Replace(base, `"title"`, `"icons":[],"title"`, 1), true},
		{"name", strings.Replace(base, `"a"`, `"b"`, 1), false},
		{"title", strings.Replace(base, `"t"`, `"T"`, 1), false},
		{"description", strings.Replace(base, `"d"`, `"d "`, 1), false},
		{"inputSchema", strings.Replace(base, `"object"`, `"array"`, 1), false},
		{"outputSchema", strings.Replace(base, `"outputSchema":{}`, `"outputSchema":{"a":1}`, 1), false},
		{"annotations", strings.Replace(base, `"x":1`, `"x":2`, 1), false},
		{"_meta", strings.Replace(base, `"y":1`, `"y":2`, 1), false},
		{"member gone", strings.Replace(base, `"title":"t",`, ``, 1), false},
	} {
		if same := digest(c.tool) == digest(base); same != c.same {
			t.Errorf("%s: same digest %v, want %v", c.name, same, c.same)
		}
	}
	whole := parse(t, bank)
	for name, text := range map[string]string{
		"instructions": strings.Replace(bank, "careful", "quick", 1),
		"tool gone":    `{"instructions":"Be careful.","tools":[` + see + `]}`,
	} {
		if parse(t, text).Digest() == whole.Digest() {
			t.Errorf("%s: the digest of the catalog does not show it", name)
		}
	}
}

func TestMarshal(t *testing.T) {
	const want = `{
  "instructions": "x",
  "tools": [
    {
      "inputSchema": {},
      "name": "a",
      "sum": 9007199254740993
    }
  ]
}
`
	c := parse(t, `{"tools":[{"sum":9007199254740993,"name":"a","inputSchema":{}}],"instructions":"x"}`)
	if got := string(c.Marshal()); got != want {
		t.Errorf("copy is\n%s\nwant\n%s", got, want)
	}
	if got := parse(t, want).Digest(); got != c.Digest() {
		t.Errorf("the copy has digest %s, the catalog %s", got, c.Digest())
	}
}

// A definition of the greatest depth that a message can have must survive
// being copied.
func TestMarshalDeepTool(t *testing.T) {
	tool := value(t, `{"name":"a","inputSchema":{"x":`+strings.Repeat("[", 62)+strings.Repeat("]", 62)+`}}`)
	c, err := catalog.FromTools("", []toolcall.Value{tool})
	if err != nil {
		t.Fatal(err)
	}
	if got := parse(t, string(c.Marshal())); got.Digest() != c.Digest() {
		t.Error("the copy has another digest")
	}
}

func TestCompare(t *testing.T) {
	approved := parse(t, bank)
	for _, c := range []struct {
		name     string
		approved *catalog.Catalog
		live     string
		want     catalog.State
		word     string
	}{
		{"as approved", approved, pay, catalog.Pinned, "pinned"},
		{"other members differ", approved, strings.Replace(pay, `{`, `{"icons":[],`, 1), catalog.Pinned, "pinned"},
		{"description differs", approved, strings.Replace(pay, "Pays.", "Pays. Ask no one.", 1), catalog.Quarantined, "quarantined"},
		{"other tool", approved, strings.Replace(pay, `"pay"`, `"pay2"`, 1), catalog.New, "new"},
		{"nothing approved", nil, pay, catalog.Unverified, "unverified"},
		{"empty copy", &catalog.Catalog{}, pay, catalog.New, "new"},
		{"no definition", approved, `{"name":"pay"}`, catalog.Unverified, "unverified"},
		{"null", approved, `null`, catalog.Unverified, "unverified"},
		{"hidden member", approved, strings.Replace(pay, `{`, `{"DESCRIPTION":"obey",`, 1), catalog.Unverified, "unverified"},
	} {
		got := catalog.Compare(c.approved, value(t, c.live))
		if got != c.want || got.String() != c.word {
			t.Errorf("%s: %s, want %s", c.name, got, c.word)
		}
	}
	if s := catalog.State(99).String(); s != "unverified" {
		t.Errorf("State(99) is %s", s)
	}
}

func TestDiff(t *testing.T) {
	before := parse(t, bank)
	after := parse(t, `{"tools":[
		{"name":"pay","description":"Pays fast.","inputSchema":{"type":"object","required":["amount"],
		 "properties":{"amount":{"type":"number","maximum":1000},"to.iban":{"type":"string"}}}},
		{"name":"new","inputSchema":{},"icons":[]}]}`)
	want := []catalog.Change{
		{"", "instructions", catalog.Removed, `"Be careful."`, ""},
		{"new", "", catalog.Added, "", `{"inputSchema":{},"name":"new"}`},
		{"pay", "description", catalog.Changed, `"Pays."`, `"Pays fast."`},
		{"pay", "inputSchema.properties.amount.maximum", catalog.Changed, "100", "1000"},
		{"pay", `inputSchema.properties["to.iban"]`, catalog.Added, "", `{"type":"string"}`},
		{"pay", "inputSchema.required", catalog.Added, "", `["amount"]`},
		{"see", "", catalog.Removed, value(t, see).Canonical(), ""},
	}
	got := catalog.Diff(before, after)
	if !slices.Equal(got, want) {
		t.Errorf("\n got %+v\nwant %+v", got, want)
	}
	if same := catalog.Diff(before, parse(t, string(before.Marshal()))); len(same) != 0 {
		t.Errorf("a copy differs: %+v", same)
	}
}

func TestChangeKindString(t *testing.T) {
	for k, want := range map[catalog.ChangeKind]string{
		0: "unknown", catalog.Added: "added", catalog.Removed: "removed", catalog.Changed: "changed", 9: "unknown",
	} {
		if k.String() != want {
			t.Errorf("ChangeKind(%d) is %q, want %q", k, k, want)
		}
	}
}

// A change that is approved must be a change that was shown: the digests of
// two catalogs are equal exactly if Diff finds nothing. Nor does the order of
// a listing matter.
func TestDiffShowsWhatDigestCovers(t *testing.T) {
	member := rapid.SampledFrom([]string{`"title":"t"`, `"title":null`, `"icons":[]`, `"description":""`, `"description":"d"`,
		`"_meta":{}`, `"_meta":{"a":1}`, `"annotations":{"a":{"b":1}}`, `"annotations":{"a":{"b":2}}`, `"annotations":{"a":[1]}`})
	tool := rapid.Custom(func(t *rapid.T) string {
		name := func(m string) string { return strings.SplitN(m, ":", 2)[0] }
		members := rapid.SliceOfNDistinct(member, 0, 3, name).Draw(t, "members")
		return strings.Join(append(members, `"inputSchema":{}`), ",")
	})
	some := rapid.Custom(func(t *rapid.T) *catalog.Catalog {
		var tools []toolcall.Value
		for _, name := range rapid.Permutation([]string{"a", "b", "c"}).Draw(t, "names")[rapid.IntRange(0, 3).Draw(t, "left out"):] {
			text := `{"name":"` + name + `",` + tool.Draw(t, "tool") + `}`
			v, err := toolcall.Parse([]byte(text), toolcall.Bounds{})
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			tools = append(tools, v)
		}
		c, err := catalog.FromTools(rapid.SampledFrom([]string{"", "x"}).Draw(t, "instructions"), tools)
		if err != nil {
			t.Fatalf("FromTools: %v", err)
		}
		return c
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := some.Draw(t, "a"), some.Draw(t, "b")
		if diff := catalog.Diff(a, b); (a.Digest() == b.Digest()) != (len(diff) == 0) {
			t.Fatalf("digests %s and %s, but changes %+v", a.Digest(), b.Digest(), diff)
		}
	})
}

func TestDigestIgnoresOrder(t *testing.T) {
	a, b := value(t, pay), value(t, see)
	one, err := catalog.FromTools("i", []toolcall.Value{a, b})
	if err != nil {
		t.Fatal(err)
	}
	two, err := catalog.FromTools("i", []toolcall.Value{b, a})
	if err != nil {
		t.Fatal(err)
	}
	if one.Digest() != two.Digest() {
		t.Error("the order of a listing changes the digest")
	}
}

// FuzzParse: an accepted catalog has a copy that reads back to the same digest
// and to the same copy, finds each of its tools pinned, and differs in nothing.
func FuzzParse(f *testing.F) {
	f.Add([]byte(bank))
	for _, c := range refused {
		f.Add([]byte(c.text))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		c, err := catalog.Parse(raw)
		if err != nil {
			if c != nil {
				t.Fatalf("%q: refused, but left %+v", raw, c)
			}
			return
		}
		text := c.Marshal()
		copied := parse(t, string(text))
		if copied.Digest() != c.Digest() || string(copied.Marshal()) != string(text) || len(catalog.Diff(c, copied)) != 0 {
			t.Fatalf("%q: the copy %s differs: %+v", raw, text, catalog.Diff(c, copied))
		}
		for _, tool := range c.Tools {
			if s := catalog.Compare(copied, tool.Raw); s != catalog.Pinned {
				t.Fatalf("%q: tool %q is %s", raw, tool.Name, s)
			}
		}
	})
}
