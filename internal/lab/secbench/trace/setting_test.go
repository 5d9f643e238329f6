package trace

import (
	"testing"

	"github.com/go-json-experiment/json"
)

// TestSetting: a setting is a number or one of two words, and nothing else is one.
func TestSetting(t *testing.T) {
	for text, want := range map[string]Setting{"0": 0, "700": 700, `"own"`: Own, `"unsupported"`: Unsupported} {
		var got Setting
		err := json.Unmarshal([]byte(text), &got)
		again, writing := json.Marshal(got)
		if err != nil || writing != nil || got != want || string(again) != text {
			t.Errorf("%s: %v, %s (%v, %v)", text, got, again, err, writing)
		}
	}
	for _, text := range []string{"-1", "-2", "1.5", `"1"`, `"none"`, "null", "{}"} {
		if got := Setting(7); json.Unmarshal([]byte(text), &got) == nil {
			t.Errorf("%s was read as %v", text, got)
		}
	}
	if text, err := json.Marshal(Setting(-3)); err == nil {
		t.Errorf("-3 was written as %s", text)
	}
}
