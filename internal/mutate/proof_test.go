package mutate

import (
	"testing"

	"github.com/licet-dev/licet/internal/testkit"
)

// TestProofs: what a schema rules out, and what it only seems to.
func TestProofs(t *testing.T) {
	for schema, want := range map[string][2]bool{ // closed; a is required
		`{"properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false}`: {true, true},
		`{"properties": {"a": {"type": "string"}}, "required": ["a"]}`:                                {false, true},
		`{"properties": {"a": {"type": ["string", "null"]}}, "required": ["a"]}`:                      {false, false},
		`{"properties": {"a": {}}, "required": ["a"], "additionalProperties": false}`:                 {true, false},
		`{"properties": {"a": {"type": "string"}}, "additionalProperties": true}`:                     {false, false},
		`{"type": "object"}`: {true, false}, // a free-form map: its keys are data
		`{"additionalProperties": {"properties": {"b": {}}}}`:                                          {false, false},
		`{"properties": {"a": {"properties": {"b": {}}}}, "additionalProperties": false}`:              {false, false},
		`{"properties": {"a": {"items": {"properties": {"b": {}}}}}, "additionalProperties": false}`:   {false, false},
		`{"properties": {"a": {"items": {"type": "string"}}}, "additionalProperties": false}`:          {true, false},
		`{"properties": {"a": {"anyOf": [{"properties": {"b": {}}}]}}, "additionalProperties": false}`: {false, false},
		`true`: {false, false},
	} {
		v := testkit.Value(t, schema)
		if got := [2]bool{closed(v), required(v, "a")}; got != want {
			t.Errorf("%s: %v, want %v", schema, got, want)
		}
	}
}
