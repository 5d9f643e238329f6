package cases

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/testkit"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// TestPageNamesEveryWord checks that docs/spec/cases.md explains every word of
// the format.
func TestPageNamesEveryWord(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(testkit.Root(t), "docs", "spec", "cases.md"))
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, w := range []yamlwalk.Words{
		fileWords, defaultWords, caseWords, linkWords, stepWords, callWords, pastWords, expectWords, contractWords, definitionWords, verdictWords,
	} {
		for _, word := range w.Known {
			seen++
			if !strings.Contains(string(text), "`"+word) && !strings.Contains(string(text), word+": ") && !strings.Contains(string(text), ", "+word+"}") {
				t.Errorf("the page does not explain %q of %s", word, w.Place)
			}
		}
	}
	if seen < 40 {
		t.Errorf("looked at %d words only", seen)
	}
}
