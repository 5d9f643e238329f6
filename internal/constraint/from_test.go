package constraint

import (
	"slices"
	"testing"

	"github.com/licet-dev/licet/internal/toolcall"
)

func TestFrom(t *testing.T) {
	w := home
	w.stated = map[string]bool{`"GB1"`: true, `"GB2"`: true, "1050": true, `""`: true, "true": true, "{}": true, "[]": true}
	const both = `{"from": ["request", {"result": "bank.get_contacts", "at": "contacts[].iban"}, {"literal": ["UK9", 7]}]}`
	const literal = `{"from": {"literal": ["UK9", 7]}}`
	for _, tt := range []struct {
		spec, value string
		want        bool
	}{
		{both, `"GB1"`, true}, {both, "1050", true}, {both, "1050.0", true}, {both, "1.05e3", true}, {both, `["GB1","GB2"]`, true},
		{both, `[["GB1"],1050]`, true}, {both, `"UK9"`, true}, {both, "7", true}, {both, "7.0", true}, {both, `["UK9","GB2",7]`, true},
		{both, "", false}, {both, "null", false}, {both, `"GB3"`, false}, {both, `"gb1"`, false}, {both, `""`, false}, {both, "true", false},
		{both, "{}", false}, {both, "[]", false}, {both, `["GB1","GB3"]`, false}, {both, `["GB1",[]]`, false}, {both, `["GB1",null]`, false},
		{both, `["GB1",{"a":"GB1"}]`, false}, {both, `"1050"`, false}, {both, `"7"`, false}, {both, `"uk9"`, false},
		{literal, `"UK9"`, true}, {literal, "7", true}, {literal, `"GB1"`, false}, {literal, "1050", false}, {literal, `["UK9"]`, true}, {literal, `["UK9","GB1"]`, false},
	} {
		s := compile(t, tt.spec, local)
		permits, forbids, why := w.sides(s, argument(t, tt.value, false))
		if present := tt.value != "" && tt.value != "null"; permits != tt.want || forbids != present {
			t.Errorf("%s, %s: permits %t, forbids %t (%s)", tt.spec, tt.value, permits, forbids, why)
		}
	}
}

// TestFromQuestions shows what is asked: each text and number once, of the
// sources that are not written in the contract.
func TestFromQuestions(t *testing.T) {
	s := compile(t, `{"from": [{"result": "bank.a.b", "at": "x[].id"}, "request", {"literal": ["UK9"]}]}`, local)
	qs := s.Questions(argument(t, `["GB1","UK9","","GB1",[1,1.0],true,{"a":"b"},null]`, false))
	var asked []string
	for _, q := range qs {
		asked = append(asked, q.Stated.Value.Canonical())
		if len(q.Stated.Sources) != 2 {
			t.Errorf("sources: %v", q.Stated.Sources)
		}
	}
	if want := []string{`"GB1"`, "1"}; !slices.Equal(asked, want) {
		t.Errorf("asked %v, want %v", asked, want)
	}
	result := qs[0].Stated.Sources[0]
	if result.Server != "bank" || result.Tool != "a.b" || !result.HasAt || result.At.String() != "x[].id" || result.Request {
		t.Errorf("source: %+v", result)
	}
	if got := compile(t, `{"from": {"literal": ["a"]}}`, local).Questions(argument(t, `"b"`, false)); len(got) != 0 {
		t.Errorf("literals alone ask %v", got)
	}
}

// TestFromKeys: equal questions have one key across sets, others do not.
func TestFromKeys(t *testing.T) {
	keys := map[string]string{}
	for _, spec := range []string{
		`{"from": ["request"]}`, `{"from": {"result": "bank.x"}}`, `{"from": {"result": "bank.x", "at": "a"}}`, `{"from": ["request", {"result": "bank.x"}]}`,
	} {
		for _, v := range []string{`"1"`, "1", `"a"`} {
			q := compile(t, spec, local).Questions(argument(t, v, false))[0]
			if other, dup := keys[q.Key]; dup {
				t.Errorf("%s %s has the key of %s", spec, v, other)
			}
			keys[q.Key] = spec + v
		}
	}
	a := compile(t, `{"from": ["request", {"result": "bank.x"}]}`, local).Questions(argument(t, "1", false))
	b := compile(t, `{"from": [{"result": "bank.x"}, "request", {"literal": ["z"]}]}`, local).Questions(argument(t, "1.0", false))
	if a[0].Key != b[0].Key {
		t.Errorf("%q and %q ask the same", a[0].Key, b[0].Key)
	}
}

func TestSourceString(t *testing.T) {
	at, err := toolcall.ParsePath("a[]")
	if err != nil {
		t.Fatal(err)
	}
	for want, s := range map[string]Source{
		"request": {Request: true}, "literal": {Literal: []toolcall.Value{whole(1)}}, "claim email": {Claim: "email"},
		"bank.x": {Server: "bank", Tool: "x"}, "bank.x a[]": {Server: "bank", Tool: "x", At: at, HasAt: true},
	} {
		if s.String() != want {
			t.Errorf("%+v: %s", s, s)
		}
	}
}
