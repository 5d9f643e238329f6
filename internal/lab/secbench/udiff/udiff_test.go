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
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "", "}", "\tx := 1", "-- a", "++ a", "-- /dev/null", "@@ -1 +1 @@"}), 0, 30).Draw(t, "lines")
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
		if names := Names(diff); len(names) != 2 || names[0] != "d/f.go" || names[1] != "d/f.go" {
			t.Fatalf("names %q of\n%s", names, diff)
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
		{"moved as the hunk before", head + "@@ -1 +1 @@\n-1\n+x\n@@ -9 +9 @@\n-9\n+y\n", strings.Repeat("0\n", 20) + numbers, strings.Repeat("0\n", 20) + "x\n2\n3\n4\n5\n6\n7\n8\ny\n"},
		{"moved further and further", head + "@@ -1 +1 @@\n-1\n+x\n@@ -2 +2 @@\n-2\n+y\n", strings.Repeat("0\n", 15) + "1\n" + strings.Repeat("0\n", 15) + "2\n", ""},
		{"other context", head + "@@ -2,3 +2,3 @@\n 2\n-3\n+x\n 5\n", numbers, ""},
		{"put in at the top", head + "@@ -0,0 +1,1 @@\n+x\n", "a\n", "x\na\n"},
		{"into nothing", head + "@@ -0,0 +1,1 @@\n+x\n", "", "x\n"},
		{"without prefixes and counts", "--- f\n+++ f\n@@ -1 +1 @@\n-a\n+b\n", "a\n", "b\n"},
		{"a comment of SQL is removed", head + "@@ -1,2 +1 @@\n a\n--- b\n", "a\n-- b\n", "a\n"},
		{"and one becomes another line", head + "@@ -1,2 +1,2 @@\n a\n--- b\n+++ c\n", "a\n-- b\n", "a\n++ c\n"},
		{"in each of two hunks", head + "@@ -1 +1 @@\n--- 1\n+++ 1\n@@ -3 +3 @@\n--- 3\n+-- 4\n", "-- 1\n2\n-- 3\n", "++ 1\n2\n-- 4\n"},
		{"the second hunk fails", head + "@@ -1,1 +1,1 @@\n-1\n+x\n@@ -5,1 +5,1 @@\n-9x\n+y\n", numbers, ""},
	} {
		files, err := Parse(c.diff)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got, err := files[0].Apply(c.text)
		if got != c.want || (c.want == "") != errors.Is(err, errContext) {
			t.Errorf("%s: got %q, %v", c.name, got, err)
		}
	}
}

// TestNames: a header is one between hunks, and nothing in a hunk is.
func TestNames(t *testing.T) {
	const head = "--- a/f\n+++ b/f\n"
	for _, c := range []struct{ diff, want string }{
		{"", ""},
		{"hello\n", ""},
		{head + "@@ -1 +1 @@\n-a\n+b\n", "f f"},
		{head + "@@ -1,2 +1 @@\n a\n--- g\n", "f f"},
		{head + "@@ -1 +1,2 @@\n a\n+++ g\n", "f f"},
		{head + "@@ -1 +1 @@\n--- g\n+++ g\n", "f f"},
		{head + "@@ -1 +1 @@\n--- g\n+++ g\n--- h\n+++ h\n", "f f h h"},
		{head + "@@ -1 +1 @@\n a\n--- g\n+++ g\n@@ -1 +1 @@\n-a\n+b\n", "f f g g"},
		{head + "@@ -1,9 +1,9 @@\n a\n--- g\n+++ g\n", "f f g g"}, // shorter than it says
		{head + "@@ -1,2 +1,3 @@\n a\n--- g\nx\n+++ g\n", "f f g g"},
		{"--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+++ g\n", "/dev/null f"},
		{"--- f\t2026-01-01\n", "f"},
	} {
		if got := strings.Join(Names(c.diff), " "); got != c.want {
			t.Errorf("%q: %q, want %q", c.diff, got, c.want)
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

// FuzzParse: no text makes Parse or Apply panic, what applies keeps to the counts of
// its hunks, and Names sees the files that Parse does, both sides of each.
func FuzzParse(f *testing.F) {
	f.Add("--- a/f\n+++ b/f\n@@ -2,3 +2,3 @@\n 2\n-3\n+x\n 4\n", numbers)
	f.Add("--- a/f\n+++ b/f\n@@ -0,0 +1,1 @@\n+x\n", "a\n")
	f.Add("--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n--- b\n+++ c\n", "a\n-- b\n")
	f.Add("--- a/f\n+++ b/f\n@@ -1 +1 @@\n--- g\n+++ g\n--- h\n+++ h\n@@ -0,0 +1 @@\n+++ i\n", "-- g\n")
	f.Fuzz(func(t *testing.T, diff, text string) {
		names := Names(diff)
		files, err := Parse(diff)
		if err != nil {
			return
		}
		for i, file := range files {
			if len(names) != 2*len(files) || names[2*i] != file.Path || names[2*i+1] != file.Path {
				t.Fatalf("names %q, files %+v", names, files)
			}
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
