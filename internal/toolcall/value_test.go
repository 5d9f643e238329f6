package toolcall_test

import (
	"fmt"
	"testing"

	"github.com/licet-dev/licet/internal/toolcall"
)

func TestZeroValueIsAbsent(t *testing.T) {
	var v toolcall.Value
	if v.Kind() != toolcall.Absent || v.Bool() || v.Text() != "" || v.Number().Sign() != 0 || v.Len() != 0 ||
		v.Get("a").Kind() != toolcall.Absent || v.Canonical() != "" {
		t.Errorf("the zero Value is not absent: %+v", v)
	}
	if v.Equal(toolcall.NullValue) || v.Equal(toolcall.ObjectOf()) {
		t.Error("absent is equal to a value")
	}
}

func TestKindString(t *testing.T) {
	for k, want := range map[toolcall.Kind]string{
		toolcall.Absent: "absent", toolcall.Null: "null", toolcall.Bool: "boolean", toolcall.Number: "number",
		toolcall.String: "string", toolcall.Array: "array", toolcall.Object: "object", 99: "unknown",
	} {
		if got := k.String(); got != want {
			t.Errorf("Kind(%d) is %q, want %q", k, got, want)
		}
	}
}

func TestAccessors(t *testing.T) {
	v := parse(t, `{"z":[1.50,"x"],"t":true,"f":false,"n":null,"s":"true"}`)
	if v.Kind() != toolcall.Object || v.Len() != 5 {
		t.Fatalf("%s with %d members", v.Kind(), v.Len())
	}
	if name, value := v.Member(0); name != "f" || value.Bool() {
		t.Errorf("member 0 is %q: %s", name, value.Canonical())
	}
	if !v.Get("t").Bool() || v.Get("s").Bool() {
		t.Error("Bool is true for other than the JSON value true")
	}
	if v.Get("s").Text() != "true" || v.Get("t").Text() != "" {
		t.Error("Text is set for other than strings")
	}
	if k := v.Get("n").Kind(); k != toolcall.Null {
		t.Errorf("n is %s", k)
	}
	if k := v.Get("Z").Kind(); k != toolcall.Absent {
		t.Errorf("Z is %s: names are compared without regard to case", k)
	}
	z := v.Get("z")
	if z.Len() != 2 || z.Elem(0).Number().String() != "1.5" || z.Elem(1).Text() != "x" || z.Elem(1).Number().Sign() != 0 {
		t.Errorf("z is %s", z.Canonical())
	}
	if k := z.Get("").Kind(); k != toolcall.Absent {
		t.Errorf("an array has a member: %s", k)
	}
}

func TestConstructors(t *testing.T) {
	price, err := toolcall.ParseDecimal("10.0")
	if err != nil {
		t.Fatal(err)
	}
	v := toolcall.ObjectOf(
		toolcall.Member{Name: "list", Value: toolcall.ArrayOf(toolcall.Boolean(true), toolcall.Value{}, toolcall.NullValue)},
		toolcall.Member{Name: "gone"},
		toolcall.Member{Name: "a\xff", Value: toolcall.StringOf("b\xfe")},
		toolcall.Member{Name: "empty", Value: toolcall.ObjectOf()},
		toolcall.Member{Name: "price", Value: toolcall.NumberOf(price)},
	)
	const want = "{\"a\ufffd\":\"b\ufffd\",\"empty\":{},\"list\":[true,null,null],\"price\":10}"
	if got := v.Canonical(); got != want {
		t.Errorf("built %s, want %s", got, want)
	}
	if !parse(t, want).Equal(v) {
		t.Error("a built value is not equal to the same value read")
	}
}

func TestObjectOfTwoMembersOfOneName(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a duplicate member was accepted")
		}
	}()
	toolcall.ObjectOf(toolcall.Member{Name: "a", Value: toolcall.NullValue}, toolcall.Member{Name: "a", Value: toolcall.NullValue})
}

func TestEqual(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{`1`, `1.0`, true},
		{`100`, `1e2`, true},
		{`0`, `-0.0`, true},
		{`9007199254740992`, `9007199254740993`, false},
		{`0.1`, `0.1000000000000000055511151231257827`, false},
		{`true`, `1`, false},
		{`true`, `"true"`, false},
		{`1`, `"1"`, false},
		{`false`, `null`, false},
		{`""`, `null`, false},
		{`"a"`, `"A"`, false},
		{`"é"`, `"e\u0301"`, false},
		{`"\u0061"`, `"a"`, true},
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`, true},
		{`{"a":1}`, `{"a":1,"b":null}`, false},
		{`{"a":1}`, `{"b":1}`, false},
		{`[1,2]`, `[2,1]`, false},
		{`[]`, `{}`, false},
		{`[1]`, `{"":1}`, false},
		{`[[1,[true]]]`, `[[1,[true]]]`, true},
	} {
		a, b := parse(t, c.a), parse(t, c.b)
		if a.Equal(b) != c.want || b.Equal(a) != c.want {
			t.Errorf("%s and %s: Equal is %v, want %v", c.a, c.b, a.Equal(b), c.want)
		}
	}
}

// TestGetInObjectsOfAnySize finds each member, and none besides, in objects that
// are searched in different ways.
func TestGetInObjectsOfAnySize(t *testing.T) {
	for size := range 40 {
		members := make([]toolcall.Member, size)
		for i := range members {
			members[i] = toolcall.Member{Name: fmt.Sprint("m", i), Value: toolcall.StringOf(fmt.Sprint(i))}
		}
		object := toolcall.ObjectOf(members...)
		for _, m := range members {
			if got := object.Get(m.Name); !got.Equal(m.Value) {
				t.Errorf("%d members: Get(%q) = %s", size, m.Name, got.Canonical())
			}
			if got := pathOf(t, m.Name).Select(object); len(got.Values) != 1 || !got.Values[0].Equal(m.Value) {
				t.Errorf("%d members: Select(%q) = %v", size, m.Name, got)
			}
		}
		if got := object.Get("m"); got.Kind() != toolcall.Absent {
			t.Errorf("%d members: Get of none = %s", size, got.Canonical())
		}
	}
}

// TestSelectionIsOfItsOwn lets a caller add to a selection.
func TestSelectionIsOfItsOwn(t *testing.T) {
	object := toolcall.ObjectOf(toolcall.Member{Name: "a", Value: toolcall.StringOf("1")}, toolcall.Member{Name: "b", Value: toolcall.StringOf("2")})
	before := object.Canonical()
	selected := pathOf(t, "a").Select(object).Values
	_ = append(selected, toolcall.StringOf("3"))
	if after := object.Canonical(); after != before {
		t.Errorf("the object became %s", after)
	}
}

func pathOf(t testing.TB, text string) toolcall.Path {
	t.Helper()
	p, err := toolcall.ParsePath(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
