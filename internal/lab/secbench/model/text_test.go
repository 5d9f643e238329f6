package model_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/lab/secbench/model"
)

// written are answers in the encoding Text, with what is in them.
var written = []struct {
	name, text, prose string
	calls             []model.Call
}{
	{"prose", "I look.\n", "I look.", nil},
	{"one call", "I look.\n```tool\n{\"name\":\"list_dir\",\"arguments\":{\"path\":\".\"}}\n```\nThen more.", "I look.\nThen more.",
		[]model.Call{{Name: "list_dir", Arguments: `{"path":"."}`}}},
	{"two calls", "```tool\n{\"name\":\"a\",\"arguments\":{}}\n```\n```tool\r\n{\"name\":\"b\",\"arguments\":{}}\r\n```\r\n", "",
		[]model.Call{{Name: "a", Arguments: "{}"}, {Name: "b", Arguments: "{}"}}},
	{"another block", "```json\n{\"name\":\"a\"}\n```", "```json\n{\"name\":\"a\"}\n```", nil},
	{"a longer fence", "````tool\n```\n````", "", []model.Call{{Arguments: "```"}}},
	{"not closed", "```tool\n{\"name\":\"a\",\"arguments\":{\"b\":", "", []model.Call{{Arguments: "{\"name\":\"a\",\"arguments\":{\"b\":"}}},
	{"no JSON", "```tool\nlist_dir(.)\n```", "", []model.Call{{Arguments: "list_dir(.)"}}},
	{"a member twice", "```tool\n{\"name\":\"a\",\"name\":\"b\",\"arguments\":{}}\n```", "", []model.Call{{Arguments: `{"name":"a","name":"b","arguments":{}}`}}},
	{"a member twice in the arguments", "```tool\n{\"name\":\"a\",\"arguments\":{\"b\":1,\"b\":2}}\n```", "",
		[]model.Call{{Arguments: `{"name":"a","arguments":{"b":1,"b":2}}`}}},
	{"another wrapper", "```tool\n{\"name\":\"a\",\"args\":{}}\n```", "", []model.Call{{Name: "a", Arguments: `{"name":"a","args":{}}`}}},
	{"arguments as a text", "```tool\n{\"name\":\"a\",\"arguments\":\"{}\"}\n```", "", []model.Call{{Name: "a", Arguments: `{"name":"a","arguments":"{}"}`}}},
	{"a member too many", "```tool\n{\"name\":\"a\",\"arguments\":{},\"id\":1}\n```", "", []model.Call{{Name: "a", Arguments: `{"name":"a","arguments":{},"id":1}`}}},
	{"no name", "```tool\n{\"arguments\":{}}\n```", "", []model.Call{{Arguments: `{"arguments":{}}`}}},
	{"indented like code", "    ```tool\n    {}\n    ```", "    ```tool\n    {}\n    ```", nil},
}

func TestFromText(t *testing.T) {
	for _, tt := range written {
		if prose, calls := model.FromText(tt.text); prose != tt.prose || !reflect.DeepEqual(calls, tt.calls) {
			t.Errorf("%s: %q, %+v", tt.name, prose, calls)
		}
	}
}

// FuzzFromText: nothing is made up. What is prose, and what a call says, stood in the
// answer, and prose has no call left in it.
func FuzzFromText(f *testing.F) {
	for _, tt := range written {
		f.Add(tt.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		prose, calls := model.FromText(text)
		for _, c := range calls {
			if !strings.Contains(text, c.Arguments) {
				t.Errorf("%q has no %q", text, c.Arguments)
			}
		}
		for line := range strings.SplitSeq(prose, "\n") {
			if !strings.Contains(text, line) {
				t.Errorf("%q has no %q", text, line)
			}
		}
		if again, more := model.FromText(prose); len(more) > 0 || again != prose {
			t.Errorf("%q is read as %q with %+v", prose, again, more)
		}
	})
}

// TestTold: the native encoding adds nothing to a prompt, the other one every tool,
// and there is no third.
func TestTold(t *testing.T) {
	if got, err := model.Told("do", model.Native, []byte("{}")); got != "do" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := model.Told("do", model.Text, []byte(`{"tools":[]}`)); !strings.HasPrefix(got, "do\n") || !strings.HasSuffix(got, `{"tools":[]}`) || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := model.Told("do", "", nil); err == nil {
		t.Error("an encoding without a name")
	}
}
