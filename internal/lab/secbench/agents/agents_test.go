package agents

import (
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestReach: agents import nothing by which they could reach a disk, a process, a
// network, a tool or what is right about a task.
func TestReach(t *testing.T) {
	const own = "github.com/licet-dev/licet/internal/"
	allowed := []string{"context", "fmt", "slices", "strings", own + "lab/secbench/model", own + "toolcall"}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if seen++; !slices.Contains(allowed, path) {
				t.Errorf("%s imports %s", e.Name(), path)
			}
		}
	}
	if seen < 5 {
		t.Fatalf("looked at %d imports", seen)
	}
}

func TestUnknown(t *testing.T) {
	if _, err := New("wizard", Sheet{}); err == nil || !strings.Contains(err.Error(), Oracle) {
		t.Errorf("got %v", err)
	}
	for _, name := range slices.Concat(Names(), Planted()) {
		if m, err := New(name, Sheet{}); err != nil || m == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(Names()) != len(scripts) {
		t.Errorf("%d names of %d agents", len(Names()), len(scripts))
	}
}
