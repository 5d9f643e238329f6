package signals_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/constraint"
)

// TestPage: the page of signals lists every collector and every key, as the table
// has them.
func TestPage(t *testing.T) {
	text, err := os.ReadFile("../../docs/signals.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range constraint.SignalCollectors() {
		if !strings.Contains(string(text), "\n| `"+c+"` | ") {
			t.Errorf("the page does not say what %s reads", c)
		}
		for _, k := range constraint.SignalKeys(c) {
			if row := fmt.Sprintf("\n| `%s.%s` | %s | %s |\n", c, k.Key, k.Kind, k.Says); !strings.Contains(string(text), row) {
				t.Errorf("the page lacks %s", row)
			}
		}
	}
}
