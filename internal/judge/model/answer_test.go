package model_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/judge"
	"github.com/licet-dev/licet/internal/judge/model"
)

// changed returns the allow with one part of it exchanged.
func changed(old, new string) string { return strings.Replace(allow, old, new, 1) }

// badAnswers are answers that are none, with their code.
var badAnswers = []struct {
	name, text string
	code       judge.NoVerdict
}{
	{"nothing", "", judge.Malformed},
	{"prose", "allow", judge.Malformed},
	{"prose before", "Here: " + allow, judge.Malformed},
	{"prose behind", allow + " I hope it helps.", judge.Malformed},
	{"a code block", "```json\n" + allow + "\n```", judge.Malformed},
	{"two objects", block + allow, judge.Malformed},
	{"a list", "[" + allow + "]", judge.Malformed},
	{"a text", `"allow"`, judge.Malformed},
	{"cut", allow[:len(allow)-1], judge.Malformed},
	{"decided twice", changed(`"decision"`, `"decision":"block","decision"`), judge.Malformed},
	{"decided twice, in a span", changed(`"turn":1`, `"turn":1,"turn":2`), judge.Malformed},
	{"a comment", allow + "// really", judge.Malformed},
	{"a comma too many", changed(`"allow"}`, `"allow",}`), judge.Malformed},
	{"the empty object", "{}", judge.Schema},
	{"the plain contract", `{"decision":"allow","rationale":""}`, judge.Schema},
	{"no effects of the action", changed(`["sends 50 to GB29"]`, "[]"), judge.Schema},
	{"thirteen of them", changed(`["sends 50 to GB29"]`, `["a"`+strings.Repeat(`,"a"`, 12)+"]"), judge.Schema},
	{"too long a one", changed("sends 50 to GB29", strings.Repeat("é", 121)), judge.Schema},
	{"too long a rationale", changed("It is an order.", strings.Repeat("é", 281)), judge.Schema},
	{"a further member", changed(`"decision"`, `"approved":true,"decision"`), judge.Schema},
	{"a further member of a span", changed(`"turn":1`, `"turn":1,"why":""`), judge.Schema},
	{"a missing member", changed(`"signals_used":[],`, ""), judge.Schema},
	{"a missing member of a span", changed(`"turn":1,`, ""), judge.Schema},
	{"another case", changed(`"decision"`, `"Decision"`), judge.Schema},
	{"a decision in capitals", changed(`"allow"`, `"ALLOW"`), judge.Schema},
	{"a decision with a space", changed(`"allow"`, `"allow "`), judge.Schema},
	{"another decision", changed(`"allow"`, `"unsure"`), judge.Schema},
	{"a decision as a truth", changed(`"allow"`, `true`), judge.Schema},
	{"a decision in a list", changed(`"allow"`, `["allow"]`), judge.Schema},
	{"null", changed(`"allow"`, `null`), judge.Schema},
	{"another authorization", changed(`"explicit"`, `"sure"`), judge.Schema},
	{"another failure mode", changed(`"failure_mode":"none"`, `"failure_mode":"mixed"`), judge.Schema},
	{"another risk", changed(`"risk":"high"`, `"risk":"none"`), judge.Schema},
	{"confidence above 1", changed("0.9", "1.01"), judge.Schema},
	{"confidence below 0", changed("0.9", "-0.1"), judge.Schema},
	{"confidence as a text", changed("0.9", `"0.9"`), judge.Schema},
	{"a turn as a text", changed(`"turn":1`, `"turn":"1"`), judge.Schema},
	{"half a turn", changed(`"turn":1`, `"turn":1.5`), judge.Schema},
	{"effects as a text", changed(`"effects":["f1","f2","f3"]`, `"effects":"f1"`), judge.Schema},
	{"an effect as a number", changed(`"f1","f2"`, `1,"f2"`), judge.Schema},
	{"too many ids", changed(`"f1","f2"`, `"f1"`+strings.Repeat(`,"f1"`, 500)), judge.Schema},
	{"too many spans", changed(`[{"turn":1,"quote":"Send 50 to GB29","effects":["f1","f2","f3"]}]`, `[`+strings.Repeat(`{"turn":1,"quote":"a","effects":[]},`, 500)+`{"turn":1,"quote":"a","effects":[]}]`), judge.Schema},
	{"spans as an object", changed(`[{"turn":1,"quote":"Send 50 to GB29","effects":["f1","f2","f3"]}]`, `{}`), judge.Schema},
	{"a span as a text", changed(`{"turn":1,"quote":"Send 50 to GB29","effects":["f1","f2","f3"]}`, `"Send"`), judge.Schema},
}

// TestRead: a well-formed answer in any spelling of JSON, and all that is none.
func TestRead(t *testing.T) {
	for _, text := range []string{
		allow, " \n" + allow + "\t\n", changed(`"allow"`, `"\u0061llow"`), changed("0.9", "1"), changed("0.9", "9e-1"), changed(`"turn":1`, `"turn":1.0`),
		changed("It is an order.", strings.Repeat("é", 280)),
	} {
		if o := model.Read(text); o.Verdict != authz.OpinionAllow || o.NoVerdict != "" || o.Spans[0].Turn != 1 || o.Risk != judge.High {
			t.Errorf("%s: %+v", text, o)
		}
	}
	if o := model.Read(block); o.Verdict != authz.OpinionBlock || o.FailureMode != judge.ScopeEscalation || !slices.Equal(o.Uncovered, []string{"f1"}) {
		t.Errorf("%+v", o)
	}
	for _, tt := range badAnswers {
		if o := model.Read(tt.text); o.NoVerdict != tt.code || o.Verdict != authz.NoVerdict {
			t.Errorf("%s: got %v %s, want %s", tt.name, o.Verdict, o.NoVerdict, tt.code)
		}
	}
}

// FuzzRead: no input but a well-formed allow yields allow. What is well-formed is
// said here a second time, by the decoder of the standard library.
func FuzzRead(f *testing.F) {
	f.Add(allow)
	f.Add(block)
	f.Add(lookAllow)
	for _, tt := range badAnswers {
		f.Add(tt.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		o := model.Read(text)
		if (o.NoVerdict == "") == (o.Verdict == authz.NoVerdict) {
			t.Errorf("%q: verdict %v and %q", text, o.Verdict, o.NoVerdict)
		}
		if o.Verdict == authz.OpinionAllow && !wellFormedAllow(text) {
			t.Errorf("allowed by %q", text)
		}
	})
}

func wellFormedAllow(text string) bool {
	type span struct {
		Turn    *float64  `json:"turn"`
		Quote   *string   `json:"quote"`
		Effects *[]string `json:"effects"`
	}
	var a struct {
		Saw           []string  `json:"action_effects"`
		Spans         *[]span   `json:"authorizing_spans"`
		Uncovered     *[]string `json:"uncovered_effects"`
		Authorization string    `json:"authorization"`
		FailureMode   string    `json:"failure_mode"`
		Risk          string    `json:"risk"`
		Signals       *[]string `json:"signals_used"`
		Confidence    *float64  `json:"confidence"`
		Rationale     *string   `json:"rationale"`
		Decision      string    `json:"decision"`
	}
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.DisallowUnknownFields()
	if !json.Valid([]byte(text)) || d.Decode(&a) != nil || a.Spans == nil || a.Uncovered == nil || a.Signals == nil ||
		a.Confidence == nil || *a.Confidence < 0 || *a.Confidence > 1 || a.Rationale == nil {
		return false
	}
	for _, s := range *a.Spans {
		if s.Turn == nil || s.Quote == nil || s.Effects == nil {
			return false
		}
	}
	return len(a.Saw) > 0 && a.Decision == "allow" && members(text) == 10
}

// members counts the members of an object, those that stand there twice, too.
func members(text string) (n int) {
	d := json.NewDecoder(strings.NewReader(text))
	if _, err := d.Token(); err != nil {
		return 0
	}
	for ; d.More(); n++ {
		var value json.RawMessage
		if _, err := d.Token(); err != nil || d.Decode(&value) != nil {
			return 0
		}
	}
	return n
}

// TestSchemaAndReader agree on the members and the words.
func TestSchemaAndReader(t *testing.T) {
	text, err := os.ReadFile("text/schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Additional bool     `json:"additionalProperties"`
		Required   []string `json:"required"`
		Properties map[string]struct {
			Enum  []string `json:"enum"`
			Items struct {
				Required []string `json:"required"`
			} `json:"items"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	if s.Additional || len(s.Required) != len(s.Properties) || len(s.Required) != 10 {
		t.Errorf("%d required of %d", len(s.Required), len(s.Properties))
	}
	looked := 0
	for name, p := range s.Properties {
		var with map[string]any
		if err := json.Unmarshal([]byte(allow), &with); err != nil {
			t.Fatal(err)
		}
		delete(with, name)
		if less, _ := json.Marshal(with); model.Read(string(less)).NoVerdict != judge.Schema {
			t.Errorf("%s may be left out", name)
		}
		for _, word := range p.Enum {
			looked++
			with[name] = word
			if other, _ := json.Marshal(with); model.Read(string(other)).NoVerdict != "" {
				t.Errorf("%s cannot be %s", name, word)
			}
		}
	}
	if looked != 4+6+4+2 {
		t.Errorf("looked at %d words", looked)
	}
}
