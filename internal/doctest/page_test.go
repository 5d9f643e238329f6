package doctest

import (
	"reflect"
	"strings"
	"testing"
)

func TestBlocks(t *testing.T) {
	page := strings.Join([]string{
		"# Title",            // 1
		"```console peers",   // 2
		"$ licet version",    // 3
		"```",                // 4
		"- a list",           // 5
		"  ```sh",            // 6
		"  make",             // 7
		"    deeper",         // 8
		"  ```",              // 9
		"````",               // 10
		"```console",         // 11
		"````",               // 12
		"inline ``` is text", // 13
		"```yaml",            // 14
		"```",                // 15
	}, "\n")
	got, err := blocks(page)
	if err != nil {
		t.Fatal(err)
	}
	want := []block{
		{3, []string{"console", "peers"}, []string{"$ licet version"}},
		{7, []string{"sh"}, []string{"make", "  deeper"}},
		{11, nil, []string{"```console"}},
		{15, []string{"yaml"}, nil},
	}
	for i := range got {
		if len(got[i].words) == 0 {
			got[i].words = nil
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("blocks:\n%v\nwant:\n%v", got, want)
	}
	if got, err := blocks("```console\n$ x\n"); err == nil {
		t.Errorf("an open fence was accepted: %v", got)
	}
}

func TestCommands(t *testing.T) {
	got, err := commands(block{line: 10, lines: []string{
		"$ licet decide < call.json   # exit 3",
		"BLOCK limit",
		"",
		"$ printf 'a # exit 5 b'",
		`$ licet mcp \`,
		`> --agent a \`,
		"  --server b  # exit 2",
		"...",
		"$ cat > a.yaml <<'END' && echo done",
		"a: 1",
		`> b: \`,
		"$ c: 3",
		"END",
		"done",
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := []command{
		{10, "licet decide < call.json", 3, []string{"BLOCK limit", ""}},
		{13, "printf 'a # exit 5 b'", 0, nil},
		{14, "licet mcp \\\n--agent a \\\n  --server b", 2, []string{"..."}},
		{18, "cat > a.yaml <<'END' && echo done\na: 1\nb: \\\n$ c: 3\nEND", 0, []string{"done"}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("commands:\n%v\nwant:\n%v", got, want)
	}
	for name, lines := range map[string][]string{
		"output first": {"ALLOW", "$ licet version"},
		"cut short":    {`$ licet mcp \`},
		"no end":       {"$ cat <<END", "text"},
		"huge status":  {"$ x # exit 99999999999999999999"},
	} {
		if got, err := commands(block{lines: lines}); err == nil {
			t.Errorf("%s: accepted as %v", name, got)
		}
	}
}

func TestMatches(t *testing.T) {
	tests := []struct {
		name   string
		want   string
		output string
		match  bool
	}{
		{"equal", "a\nb", "a\nb\n", true},
		{"nothing", "", "", true},
		{"nothing wanted", "", "a\n", false},
		{"nothing printed", "a", "", false},
		{"no line break at the end", "a", "a", true},
		{"spaces at the end", "a", "a  \n\n", true},
		{"spaces in front", "a", " a\n", false},
		{"more at the end", "a", "a\nb\n", false},
		{"less", "a\nb", "a\n", false},
		{"any lines", "a\n...\nd", "a\nb\nc\nd\n", true},
		{"any lines are none", "a\n...\nd", "a\nd\n", true},
		{"any lines at the end", "a\n...", "a\nb\n", true},
		{"any lines at the start", "...\nb", "a\nb\n", true},
		{"any lines need the rest", "a\n...\nd", "a\nb\n", false},
		{"any text", "id …, index 1", "id ab12, index 1\n", true},
		{"any text is one line", "a…b", "a\nb\n", false},
		{"signs are no pattern", "a.c (x)", "abc (x)\n", false},
		{"dots inside a line", "a...", "abc\n", false},
	}
	for _, test := range tests {
		if got := matches(strings.Split(test.want, "\n"), test.output); got != test.match {
			t.Errorf("%s: matches(%q, %q) = %t", test.name, test.want, test.output, got)
		}
	}
}
