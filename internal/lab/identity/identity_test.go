package identity

import (
	"strings"
	"testing"
)

type made struct {
	Epochs int               `json:"epochs"`
	Tasks  []string          `json:"tasks"`
	Judges map[string]string `json:"judges"`
}

func TestIs(t *testing.T) {
	of := made{2, []string{"L01", "T01"}, map[string]string{"a": "sha256:0123456789", "b": "1"}}
	text, err := Text(of)
	if err != nil {
		t.Fatal(err)
	}
	for want, other := range map[string]made{
		"":                                     of,
		"another run: its epochs are 2, not 3": {3, of.Tasks, of.Judges},
		"another run: its tasks are [L01 T01], not [T01 L01]":                             {2, []string{"T01", "L01"}, of.Judges},
		"another run: its judges are a (sha256:01234567), b (1), not a (sha256:01234567)": {2, of.Tasks, map[string]string{"a": "sha256:0123456789"}},
	} {
		if err := Is(text, other); (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	for _, bad := range []string{"", "{", `{"epochs":2,"more":1}`} {
		if err := Is([]byte(bad), of); err == nil || !strings.HasPrefix(err.Error(), "no run that can be read: ") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
