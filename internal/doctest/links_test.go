package doctest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/testkit"
)

var link = regexp.MustCompile(`\]\(([^)#\s]+)`)

// TestLinks follows every link from a page to a file of the repository.
func TestLinks(t *testing.T) {
	root := testkit.Root(t)
	for _, name := range pages(t, root) {
		for _, target := range linksOf(t, filepath.Join(root, name)) {
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: a link to nothing: %v", name, err)
			}
		}
	}
}

// TestDecisionsAreListed keeps the index of docs/decisions complete.
func TestDecisionsAreListed(t *testing.T) {
	dir := filepath.Join(testkit.Root(t), "docs", "decisions")
	listed := map[string]bool{filepath.Join(dir, "README.md"): true}
	for _, target := range linksOf(t, filepath.Join(dir, "README.md")) {
		listed[target] = true
	}
	all, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range all {
		if !listed[page] {
			t.Errorf("README.md does not list %s", filepath.Base(page))
		}
	}
}

// linksOf returns the files that a page links to.
func linksOf(t *testing.T, page string) []string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var targets []string
	for _, m := range link.FindAllStringSubmatch(string(text), -1) {
		if !strings.Contains(m[1], ":") { // a link with a scheme leads out of the repository
			targets = append(targets, filepath.Join(filepath.Dir(page), filepath.FromSlash(m[1])))
		}
	}
	return targets
}
