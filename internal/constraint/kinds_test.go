package constraint

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/toolcall"
)

// kindCase holds, for one spec, values of the argument x as JSON ("" is
// absent): where it permits and where not, where it forbids and where not.
type kindCase struct {
	spec                              string
	elements                          bool // the path is x[]
	permits, refuses, forbids, passes []string
}

var kindsTable = []kindCase{
	{
		spec:    `{"const": 1}`,
		permits: []string{"1", "1.0", "1e0", "10e-1", "1.000", "0.1e1", "100e-2", "1E0", "1.0e+0", "0.01e2"},
		refuses: []string{"", "null", "true", `"1"`, "2", "1.0000000000000000001", "[1]", "[]", `{"a":1}`, "-1", "0"},
		forbids: []string{"1", "1.0", `"1"`, `" 1 "`, `"1.0"`, "[1]", "[2,1]", "[[1]]", `{"a":1}`, `[{"a":[1]}]`, `"１"`},
		passes:  []string{"", "null", "true", "2", "1.0000000000000000001", "[]", "{}", "-1", `"one"`, "[2]", `"1 1"`},
	},
	{
		spec:    `{"in": ["GB00BLOCKED", 9007199254740993, true, "straße", "Café", ""]}`,
		permits: []string{`"GB00BLOCKED"`, "9007199254740993", "9007199254740993.0", "true", `"straße"`, `"Café"`, `""`, `"\u0047B00BLOCKED"`, `"stra\u00dfe"`, "9007199254740993e0"},
		refuses: []string{"", "null", `"gb00blocked"`, `"GB00BLOCKED "`, "9007199254740992", "false", "1", `"STRASSE"`, `"Cafe\u0301"`, `["GB00BLOCKED"]`, `" "`, `"true"`},
		forbids: []string{`"GB00BLOCKED"`, `"gb00blocked"`, `" GB00 BLOCKED\n"`, `"GB00\u200bBLOCKED"`, `"ＧＢ00BLOCKED"`, `"GB00BLOCKED\ufe0f"`,
			`"GB\u00ad00BLOCKED"`, `"STRASSE"`, `"cafe\u0301"`, `"Cafe\u034f\u0301"`, `"Caf\ufeffé"`, `"9007199254740993"`, `"true"`, `["x", "gb00blocked"]`, `{"to": "GB00BLOCKED"}`, `" "`, `"GB00\u0000BLOCKED"`, `"GB00BLOC\u212aED"`},
		passes: []string{"", "null", `"GB00BLOCKE"`, `"GB00BLOCKEDX"`, "9007199254740992", "false", "1", `"GB00ВLOCKED"`, `["x"]`, "[]", "{}", `"strase"`, `"tru"`},
	},
	{
		spec:    `{"not_in": ["root", 7]}`,
		permits: []string{`"user"`, "8", "7.5", "true", `["user"]`, `{"a":"user"}`, `"toor"`, `""`, `"7.5"`, "[8,9]", "[]"},
		refuses: []string{"", "null", `"root"`, "7", "7.0", `"ROOT"`, `"ro ot"`, `"r\u200boot"`, `"7"`, `["root"]`, `["user",["root"]]`, `{"a":7}`},
		forbids: []string{`"user"`, "8", "7.5", "true", `"ROOT"`, `"root "`, `["root"]`, "[]", "{}", `["root","x"]`, `"7"`},
		passes:  []string{"", "null", `"root"`, "7", "7.0", "7e0", "70e-1", `"\u0072oot"`, "0.7e1", "700e-2", "7.000"},
	},
	{
		spec:    `{"in": [[1, 2], {"a": [true]}]}`,
		permits: []string{"[1,2]", "[1.0,2]", `{"a":[true]}`},
		refuses: []string{"", "[2,1]", "[1,2,3]", "1", "[[1,2]]", `{"a":[true],"b":1}`, `{"a":[1]}`},
	},
	{
		spec:    `{"min": 0.01, "max": 100}`,
		permits: []string{"0.01", "100", "1", "99.999999999999999999", "1e2", "0.010", "50.5", "1e-2", "100.0", "7"},
		refuses: []string{"", "null", "0", "0.009999999999999999999", "100.00000000000000000001", "-5000", `"50"`, "true", "[50]", "{}", "1e3"},
		forbids: []string{"0.01", "100", "1", "99.9", `"50"`, `"x"`, "true", "[]", "[1000]", "{}", "1e2"},
		passes:  []string{"", "null", "0", "0.009999999999999999999", "100.00000000000000000001", "-5000", "1e3", "101", "-0.01", "9007199254740993"},
	},
	{
		spec:    `{"multiple_of": 0.05}`,
		permits: []string{"0", "0.05", "0.1", "0.15", "-0.05", "1", "1e3", "100.05", "9007199254740993", "0.050"},
		refuses: []string{"", "null", "0.01", "0.051", "0.049999999999999999", `"0.05"`, "true", "[0.05]", "{}", "100.0500000000000001"},
		forbids: []string{"0", "0.05", "0.1", "-0.05", "1", `"0.01"`, "false", "[]", "{}", "1e3"},
		passes:  []string{"", "null", "0.01", "0.051", "0.04", "-0.07", "100.0500000000000001", "1e-3", "0.12", "2.01"},
	},
	{
		spec:    `{"length": {"min": 2, "max": 3}}`,
		permits: []string{`"ab"`, `"abc"`, `"éé"`, `"日本語"`, `"😀😀"`, `"  "`, `"e\u0301"`, `"a\n"`, `"\u0000\u0000"`, `"12"`},
		refuses: []string{"", "null", `""`, `"a"`, `"abcd"`, `"😀"`, "12", "[1,2]", `["ab"]`, "true", "{}"},
		forbids: []string{`"ab"`, `"abc"`, `"éé"`, `"日本語"`, "12", "[]", "[1,2]", "true", "{}", `"😀😀"`},
		passes:  []string{"", "null", `""`, `"a"`, `"abcd"`, `"😀"`, `"日本語日本"`, `"é"`, `"12345"`, `"    "`},
	},
	{
		spec:    `{"items": {"min": 1, "max": 3}}`,
		permits: []string{"[1]", "[1,2]", "[1,2,3]", "[null]", "[[]]", `["a"]`, "[[1,2,3,4]]", "[{}]", "[true,false]", `["a","a","a"]`},
		refuses: []string{"", "null", "[]", "[1,2,3,4]", "1", `"abc"`, "true", "{}", `{"a":1}`, "[null,null,null,null]"},
	},
	{
		spec:    `{"items": {"min": 2}}`,
		forbids: []string{"[1,2]", "[1,2,3]", "[null,null]", `"abc"`, "2", "true", "{}", `{"a":1}`, "[[],[]]", `[1,"a"]`},
		passes:  []string{"", "null", "[]", "[1]", "[null]", "[[1,2]]", `["a"]`, "[{}]", "[true]", "[9]"},
	},
	{
		spec:    `{"pattern": "a|b.c"}`,
		permits: []string{`"a"`, `"bxc"`, `"b\nc"`, `"b\rc"`, `"bbc"`, `"b😀c"`, `"b c"`, `"b\u2028c"`, `"b\u0000c"`, `"b.c"`},
		refuses: []string{"", "null", `""`, `"ab"`, `"xa"`, `"a\n"`, `"bc"`, `"abxc"`, `"A"`, "1", `["a"]`, "true", "{}"},
		forbids: []string{`"a"`, `"bxc"`, `"b\nc"`, "1", "true", "[]", `["zzz"]`, "{}", `"bbc"`, `"b😀c"`},
		passes:  []string{"", "null", `""`, `"ab"`, `"xa"`, `"a\n"`, `"bc"`, `"abxc"`, `"A"`, `"\na"`},
	},
	{
		spec:     `{"min": 10, "max": 20}`,
		elements: true,
		permits:  []string{"[10]", "[20]", "[10,20]", "[15,15,15]", "[10.5]", "[1e1]", "[19.999]", "[11,12,13,14]", "[20.0]", "[12]"},
		refuses:  []string{"", "null", "[]", "[5,30]", "[10,null]", "[10,21]", `["15"]`, "15", "{}", "[[15]]", "[9.99]"},
		forbids:  []string{"[10]", "[5,15]", "[5,30,20]", `["5"]`, "[[]]", "15", `"x"`, "{}", "[true]", "[null,12]"},
		passes:   []string{"", "null", "[]", "[5,30]", "[9]", "[21]", "[null]", "[-15]", "[1,2,3]", "[9.999,20.001]"},
	},
}

func TestKinds(t *testing.T) { checkKinds(t, kindsTable, home) }

func checkKinds(t *testing.T, table []kindCase, w world) {
	t.Helper()
	for _, tt := range table {
		s := compile(t, tt.spec, local)
		for i, list := range [][]string{tt.permits, tt.refuses, tt.forbids, tt.passes} {
			for _, text := range list {
				permits, forbids, why := w.sides(s, argument(t, text, tt.elements))
				if i < 2 && permits != (i == 0) {
					t.Errorf("%s permits %s: %t (%s)", tt.spec, text, permits, why)
				}
				if i >= 2 && forbids != (i == 2) {
					t.Errorf("%s forbids %s: %t (%s)", tt.spec, text, forbids, why)
				}
			}
		}
	}
}

func TestMiss(t *testing.T) {
	long := "\"ä234567890123456789012345678901234567890123456789012345678901234567890123456789012345\""
	for _, tt := range []struct{ spec, value, permit, forbid string }{
		{`{"max": 1000}`, "5000", "5000 is more than max 1000", ""},
		{`{"max": 1000}`, "7", "", "7 is at most max 1000"},
		{`{"min": 10, "max": 20}`, "15", "", "15 is at most max 20 and is at least min 10"},
		{`{"min": 1}`, `"5"`, `"5" is no number`, `"5" is no number`},
		{`{"in": ["a", "b"]}`, `"c"`, `"c" is not in ["a","b"]`, ""},
		{`{"in": ["a", "b"]}`, `"A"`, `"A" is not in ["a","b"]`, `"A" is or has a part that is in ["a","b"]`},
		{`{"const": "a"}`, `"b"`, `"b" is not const "a"`, ""},
		{`{"not_in": ["a"]}`, `["A"]`, `["A"] is or has a part that is in ["a"]`, `["A"] is not in ["a"]`},
		{`{"length": 3}`, `"b"`, `"b" has length 1, not 3`, ""},
		{`{"length": 3}`, `1`, `1 has no length`, `1 has no length`},
		{`{"items": {"min": 2}}`, `[1]`, `[1] has items 1, not at least 2`, ""},
		{`{"items": {"min": 2}}`, `[1,2]`, "", `[1,2] has items 2, which is at least 2`},
		{`{"pattern": "a+"}`, `"b"`, `"b" does not match pattern a+`, ""},
		{`{"max": 3}`, "", "is absent", ""},
		{`{"from": ["request", {"result": "bank.get_contacts", "at": "contacts[].iban"}]}`, `"x"`,
			`"x" is not stated in request or bank.get_contacts contacts[].iban`, `"x" has an origin that cannot be ruled out`},
		{`{"pattern": "a"}`, long, `"ä23456789012345678901234567890123456789012345678901234567890123456789012345678… does not match pattern a`, ""},
		{`{"path": {"read": ["/srv/**"]}}`, `"/etc/passwd"`, `"/etc/passwd" is not covered by read ["/srv/**"]`, ""},
	} {
		s := compile(t, tt.spec, local)
		sel := argument(t, tt.value, false)
		a := home.answer(s.Questions(sel))
		if _, m := s.Permits(sel, a); m.String() != tt.permit {
			t.Errorf("%s permits %s: %q, want %q", tt.spec, tt.value, m, tt.permit)
		}
		if _, m := s.Forbids(sel, a); m.String() != tt.forbid {
			t.Errorf("%s forbids %s: %q, want %q", tt.spec, tt.value, m, tt.forbid)
		}
	}
}

func TestZeroSet(t *testing.T) {
	s := &Set{}
	for _, text := range []string{"", "1", "[]"} {
		permits, forbids, _ := home.sides(s, argument(t, text, false))
		if permits || !forbids {
			t.Errorf("%q: permits %t, forbids %t", text, permits, forbids)
		}
	}
}

// neverSpecs are specs that may stand in a never clause.
var neverSpecs = []string{
	`{"const": 3}`, `{"in": [1, "a", true]}`, `{"not_in": [1, "a"]}`, `{"min": 2}`, `{"max": 2}`, `{"min": 1, "max": 3}`,
	`{"multiple_of": 2}`, `{"length": {"max": 2}}`, `{"length": 1}`, `{"items": {"min": 2}}`, `{"pattern": "a*"}`,
	`{"in": [1, "a"], "items": {"min": 2}}`, `{"path": {"read": ["/ws/**", "!/ws/a"]}}`, `{"path": {"write": ["/ws/*"]}}`,
	`{"url": {"hosts": ["a.example"]}}`, `{"url": {"schemes": ["http"], "paths": ["/a"]}}`, `{"email": {"domains": ["a.example"]}}`,
}

// anyValue draws a JSON value out of few scalars, so that values often match.
func anyValue(depth int) *rapid.Generator[toolcall.Value] {
	scalar := rapid.SampledFrom([]toolcall.Value{
		toolcall.NullValue, toolcall.Boolean(true), toolcall.Boolean(false), toolcall.StringOf("a"), toolcall.StringOf("aa"),
		toolcall.StringOf("A "), toolcall.StringOf("https://a.example/a"), toolcall.StringOf("x@a.example"), toolcall.StringOf("x@b.example"),
		toolcall.StringOf("bcd"), toolcall.StringOf(""), toolcall.StringOf("1"), toolcall.StringOf("/ws/a"), toolcall.StringOf("/ws"),
		whole(0), whole(1), whole(2), whole(3), whole(4),
	})
	if depth == 0 {
		return scalar
	}
	below := anyValue(depth - 1)
	return rapid.OneOf(scalar,
		rapid.Map(rapid.SliceOfN(below, 0, 4), func(vs []toolcall.Value) toolcall.Value { return toolcall.ArrayOf(vs...) }),
		rapid.Map(below, func(v toolcall.Value) toolcall.Value { return toolcall.ObjectOf(toolcall.Member{Name: "m", Value: v}) }))
}

func elements(v toolcall.Value) []toolcall.Value {
	all := make([]toolcall.Value, v.Len())
	for i := range all {
		all[i] = v.Elem(i)
	}
	return all
}

func selectX(t *rapid.T, name string, x toolcall.Value) toolcall.Selection {
	p, err := toolcall.ParsePath(name)
	if err != nil {
		t.Fatal(err)
	}
	return p.Select(toolcall.ObjectOf(toolcall.Member{Name: "x", Value: x}))
}

// grow returns v with one more element somewhere: in v itself or deeper down.
func grow(t *rapid.T, v toolcall.Value) toolcall.Value {
	all := elements(v)
	deep := v.Kind() == toolcall.Object || len(all) > 0 && rapid.Bool().Draw(t, "deeper")
	switch {
	case v.Kind() != toolcall.Array && v.Kind() != toolcall.Object:
		return v
	case deep:
		i := rapid.IntRange(0, len(all)-1).Draw(t, "at")
		all[i] = grow(t, all[i])
		if v.Kind() == toolcall.Object {
			name, _ := v.Member(0)
			return toolcall.ObjectOf(toolcall.Member{Name: name, Value: all[0]})
		}
	default:
		all = append(all, anyValue(1).Draw(t, "more"))
		all = rapid.Permutation(all).Draw(t, "order")
	}
	return toolcall.ArrayOf(all...)
}

func TestGrowingNeverTurnsForbidsOff(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		spec := rapid.SampledFrom(neverSpecs).Draw(rt, "spec")
		path := rapid.SampledFrom([]string{"x", "x[]", "x[][]", "x[].m"}).Draw(rt, "path")
		s := compile(t, spec, local)
		if err := s.NeverUsable(); err != nil {
			rt.Fatalf("%s: %v", spec, err)
		}
		v := anyValue(3).Draw(rt, "value")
		more := grow(rt, v)
		_, before, _ := home.sides(s, selectX(rt, path, v))
		_, after, _ := home.sides(s, selectX(rt, path, more))
		if before && !after {
			rt.Fatalf("%s at %s forbids %s but not %s", spec, path, v.Canonical(), more.Canonical())
		}
	})
}

// permitSpecs are neverSpecs and those that only permit.
var permitSpecs = append([]string{
	`{"from": ["request", {"literal": ["a", 2]}]}`, `{"identifiers": {"from": "request"}}`, `{"items": {"max": 2}}`, `{"items": 1}`, `{"in": [[1], {"m": 1}, 2]}`, `{"not_in": [[1], 2]}`,
}, neverSpecs...)

func TestPermitsNeedsEveryElement(t *testing.T) {
	w := home
	w.stated = map[string]bool{`"aa"`: true, "1": true}
	rapid.Check(t, func(rt *rapid.T) {
		spec := rapid.SampledFrom(permitSpecs).Draw(rt, "spec")
		s := compile(t, spec, local)
		all := rapid.SliceOfN(anyValue(2), 1, 5).Draw(rt, "elements")
		keep := rapid.IntRange(1, len(all)).Draw(rt, "keep")
		whole, _, _ := w.sides(s, selectX(rt, "x[]", toolcall.ArrayOf(all...)))
		part, _, _ := w.sides(s, selectX(rt, "x[]", toolcall.ArrayOf(all[:keep]...)))
		if whole && !part {
			rt.Fatalf("%s permits %d elements but not the first %d", spec, len(all), keep)
		}
		shuffled := rapid.Permutation(all).Draw(rt, "order")
		again, _, _ := w.sides(s, selectX(rt, "x[]", toolcall.ArrayOf(shuffled...)))
		if whole != again {
			rt.Fatalf("%s: the order of elements decides", spec)
		}
	})
}

// TestOneSideAlwaysHolds states that a value which is there and does not
// satisfy a single constraint in a never clause certainly satisfies it nowhere:
// what is neither certain nor ruled out is refused on both sides.
func TestOneSideAlwaysHolds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		spec := rapid.SampledFrom(permitSpecs).Draw(rt, "spec")
		s := compile(t, spec, local)
		v := anyValue(2).Draw(rt, "value")
		w := home
		w.blind = rapid.Bool().Draw(rt, "blind")
		permits, forbids, _ := w.sides(s, selectX(rt, "x", v))
		if permits && !forbids {
			rt.Fatalf("%s certainly holds of %s, and certainly does not", spec, v.Canonical())
		}
		numeric := len(s.kinds) == 1 && (s.kinds[0].name() == "min" || s.kinds[0].name() == "max" || s.kinds[0].name() == "multiple_of")
		if wrong := v.Kind() != toolcall.Number && v.Kind() != toolcall.Null; numeric && wrong && (permits || !forbids) {
			rt.Fatalf("%s, another type %s: permits %t, forbids %t", spec, v.Canonical(), permits, forbids)
		}
	})
}

func TestLoose(t *testing.T) {
	for _, tt := range [][]string{
		{"admin", "ADMIN", " ad min\t", "ａｄｍｉｎ", "adm\u200bin", "\ufeffadmin", "adm\u00adin", "admin\ufe0f", "ad\u2060min", "\U000e0061admin", "adm\u0131n", "ad\u3164min"},
		{"ß", "SS", "ss", "ẞ", "ſs"},
		{"é", "e\u0301", "É", "e\u034f\u0301", "e \u0301"},
		{"ﬁ", "FI", "f\u200di"},
		{"½", "1⁄2"},
		{"Ꭰ", "ꭰ"}, // Cherokee
	} {
		for _, s := range tt[1:] {
			if loose(s) != loose(tt[0]) {
				t.Errorf("%q and %q: %q, %q", tt[0], s, loose(tt[0]), loose(s))
			}
		}
	}
	if loose("аdmin") == loose("admin") { // Cyrillic а
		t.Error("letters of two alphabets are one")
	}
	if looseName("a b") == looseName("ab") || looseName("A\u200b b") != looseName("a b") {
		t.Error("in names of files a space counts and an invisible character does not")
	}
}

func TestLooseIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		if once := loose(s); loose(once) != once {
			t.Fatalf("%q becomes %q, then %q", s, once, loose(once))
		}
	})
}

// TestOptional states that `optional` adds calls without the argument to what a
// set permits, and nothing else.
func TestOptional(t *testing.T) {
	w := home
	w.stated = map[string]bool{`"aa"`: true, "1": true}
	rapid.Check(t, func(rt *rapid.T) {
		spec := rapid.SampledFrom(permitSpecs).Draw(rt, "spec")
		path := rapid.SampledFrom([]string{"x", "x[]", "x[].m"}).Draw(rt, "path")
		plain := compile(t, spec, local)
		optional := compile(t, spec[:len(spec)-1]+`, "optional": true}`, local)
		sel := selectX(rt, path, anyValue(3).Draw(rt, "value"))
		before, _, _ := w.sides(plain, sel)
		after, _, _ := w.sides(optional, sel)
		present := sel
		present.Missing = 0
		rest, _, _ := w.sides(plain, present)
		if want := before || rest || sel.Wrong == 0 && len(sel.Values) == 0; after != want {
			rt.Fatalf("%s at %s, %+v: permits %t, with optional %t", spec, path, sel, before, after)
		}
	})
}
