package udiff

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestMakeApply: what Make writes Parse reads, and it leads from one text to the
// other; also where lines were put before them.
func TestMakeApply(t *testing.T) {
	text := rapid.Custom(func(t *rapid.T) string {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "", "}", "\tx := 1"}), 0, 30).Draw(t, "lines")
		return join(lines)
	})
	rapid.Check(t, func(t *rapid.T) {
		old, new := text.Draw(t, "old"), text.Draw(t, "new")
		diff := Make("d/f.go", old, new)
		if old == new {
			if diff != "" {
				t.Fatalf("equal texts differ by\n%s", diff)
			}
			return
		}
		files, err := Parse(diff)
		if err != nil || len(files) != 1 || files[0].Path != "d/f.go" {
			t.Fatalf("%+v, %v of\n%s", files, err, diff)
		}
		if got, err := files[0].Apply(old); err != nil || got != new {
			t.Fatalf("%v: got\n%q, want\n%q, by\n%s", err, got, new, diff)
		}
	})
}

const numbers = "1\n2\n3\n4\n5\n6\n7\n8\n9\n"

func TestApply(t *testing.T) {
	head := "--- a/f\n+++ b/f\n"
	for _, c := range []struct{ name, diff, text, want string }{
		{"at its place", head + "@@ -2,3 +2,3 @@\n 2\n-3\n+x\n 4\n", numbers, "1\n2\nx\n4\n5\n6\n7\n8\n9\n"},
		{"moved", head + "@@ -2,3 +2,3 @@\n 2\n-3\n+x\n 4\n", strings.Repeat("0\n", 20) + numbers, strings.Repeat("0\n", 20) + "1\n2\nx\n4\n5\n6\n7\n8\n9\n"},
		{"moved too far", head + "@@ -2,3 +2,3 @@\n 2\n-3\n+x\n 4\n", strings.Repeat("0\n", 21) + numbers, ""},
		{"other context", head + "@@ -2,3 +2,3 @@\n 2\n-3\n+x\n 5\n", numbers, ""},
		{"put in at the top", head + "@@ -0,0 +1,1 @@\n+x\n", "a\n", "x\na\n"},
		{"into nothing", head + "@@ -0,0 +1,1 @@\n+x\n", "", "x\n"},
		{"without prefixes and counts", "--- f\n+++ f\n@@ -1 +1 @@\n-a\n+b\n", "a\n", "b\n"},
		{"the second hunk fails", head + "@@ -1,1 +1,1 @@\n-1\n+x\n@@ -5,1 +5,1 @@\n-9x\n+y\n", numbers, ""},
	} {
		files, err := Parse(c.diff)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got, err := files[0].Apply(c.text)
		if got != c.want || (c.want == "") != errors.Is(err, ErrContext) {
			t.Errorf("%s: got %q, %v", c.name, got, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, diff := range []string{
		"", "hello", "--- a/f\n", "--- a/f\n+++ b/f\n", "@@ -1 +1 @@\n-a\n+b\n",
		"--- a/f\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n",
		"--- /dev/null\n+++ b/g\n@@ -0,0 +1 @@\n+b\n",
		"--- a/f\n+++ b/f\n@@ -1,2 +1 @@\n-a\n+b\n",
		"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n",
		"--- a/f\n+++ b/f\n@@ -1 +1 @@\n a\n-b\n",
	} {
		if files, err := Parse(diff); err == nil {
			t.Errorf("%q was read as %+v", diff, files)
		}
	}
}

// FuzzParse: no text makes Parse or Apply panic, and what applies keeps to the
// counts of its hunks.
func FuzzParse(f *testing.F) {
	f.Add("--- a/f\n+++ b/f\n@@ -2,3 +2,3 @@\n 2\n-3\n+x\n 4\n", numbers)
	f.Add("--- a/f\n+++ b/f\n@@ -0,0 +1,1 @@\n+x\n", "a\n")
	f.Fuzz(func(t *testing.T, diff, text string) {
		files, err := Parse(diff)
		if err != nil {
			return
		}
		text = join(split(text))
		for _, file := range files {
			got, err := file.Apply(text)
			if err != nil {
				continue
			}
			if added, removed := file.Count(); len(split(got)) != len(split(text))+added-removed {
				t.Errorf("%d lines became %d with %d added and %d removed", len(split(text)), len(split(got)), added, removed)
			}
		}
	})
}
