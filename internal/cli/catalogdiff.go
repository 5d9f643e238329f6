package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/licet-dev/licet/internal/catalog"
)

// changeJSON is one change, as --json prints it.
type changeJSON struct {
	Tool  string          `json:"tool"`  // "" for the server itself
	Field string          `json:"field"` // "" for the whole tool
	Kind  string          `json:"kind"`  // added, removed or changed
	Old   json.RawMessage `json:"old,omitempty"`
	New   json.RawMessage `json:"new,omitempty"`
}

// printChanges prints changes field by field. What a server wrote is escaped:
// a description can hide text from a reader that a model still reads.
func (a *app) printChanges(changes []catalog.Change, asJSON bool) error {
	if asJSON {
		list := make([]changeJSON, len(changes))
		for i, c := range changes {
			list[i] = changeJSON{c.Tool, c.Field, c.Kind.String(), json.RawMessage(c.Old), json.RawMessage(c.New)}
		}
		return printJSON(a.out, list)
	}
	if len(changes) == 0 {
		fmt.Fprintln(a.out, "nothing differs from the approved copy")
	}
	st := a.style()
	for i, c := range changes {
		if i == 0 || c.Tool != changes[i-1].Tool {
			subject := "the server"
			if c.Tool != "" {
				subject = "tool " + c.Tool
			}
			fmt.Fprintln(a.out, st.bold(printable(subject)))
		}
		field := c.Field
		if field == "" {
			field = "whole tool"
		}
		fmt.Fprintf(a.out, "  %s %s\n", printable(field), c.Kind)
		for _, d := range diffLines(valueLines(c.Old), valueLines(c.New)) {
			fmt.Fprintf(a.out, "    %s\n", st.diffLine(d))
		}
	}
	return nil
}

// diffLine colours one line of a diff.
func (s style) diffLine(d diffLine) string {
	text := strings.TrimRight(string(d.sign)+" "+printable(d.text), " ")
	switch d.sign {
	case '-':
		return s.paint("31", text)
	case '+':
		return s.paint("32", text)
	}
	return s.faint(text)
}

// valueLines breaks a canonical JSON value into lines: a text at its own line
// breaks and after sentences, so that one more sentence is one more line;
// anything else by indentation.
func valueLines(canonical string) []string {
	if canonical == "" {
		return nil
	}
	v := jsontext.Value(canonical)
	if v.Kind() == '"' {
		text, err := jsontext.AppendUnquote(nil, v)
		if err != nil {
			panic(fmt.Sprintf("cli: canonical text is not JSON: %v", err))
		}
		return strings.Split(strings.ReplaceAll(string(text), ". ", ".\n"), "\n")
	}
	if err := v.Indent(jsontext.WithIndent("  ")); err != nil {
		panic(fmt.Sprintf("cli: canonical text is not JSON: %v", err))
	}
	return strings.Split(string(v), "\n")
}

// diffLine is a line of a diff: '-' only old, '+' only new, ' ' both, '…' lines
// of both that are left out.
type diffLine struct {
	sign rune
	text string
}

// maxCells bounds the table of a line diff. Longer texts are shown as a whole.
const maxCells = 4_000_000

// diffLines returns a shortest diff of two texts, with one common line around
// each difference.
func diffLines(old, new []string) []diffLine {
	var all []diffLine
	if len(old)*len(new) > maxCells {
		for _, text := range old {
			all = append(all, diffLine{'-', text})
		}
		for _, text := range new {
			all = append(all, diffLine{'+', text})
		}
		return all
	}
	common := commonLengths(old, new)
	i, j := 0, 0
	for i < len(old) || j < len(new) {
		switch {
		case i < len(old) && j < len(new) && old[i] == new[j]:
			all = append(all, diffLine{' ', old[i]})
			i, j = i+1, j+1
		case j == len(new) || i < len(old) && common[i+1][j] >= common[i][j+1]:
			all = append(all, diffLine{'-', old[i]})
			i++
		default:
			all = append(all, diffLine{'+', new[j]})
			j++
		}
	}
	return elided(all)
}

// commonLengths returns how many lines the longest common subsequence of
// old[i:] and new[j:] has, for all i and j.
func commonLengths(old, new []string) [][]int {
	table := make([][]int, len(old)+1)
	for i := range table {
		table[i] = make([]int, len(new)+1)
	}
	for i, a := range slices.Backward(old) {
		for j, b := range slices.Backward(new) {
			if a == b {
				table[i][j] = table[i+1][j+1] + 1
			} else {
				table[i][j] = max(table[i+1][j], table[i][j+1])
			}
		}
	}
	return table
}

// elided leaves out common lines that do not stand next to a difference.
func elided(all []diffLine) []diffLine {
	differs := func(i int) bool { return i >= 0 && i < len(all) && all[i].sign != ' ' }
	var short []diffLine
	for i, d := range all {
		switch {
		case d.sign != ' ' || differs(i-1) || differs(i+1):
			short = append(short, d)
		case len(short) == 0 || short[len(short)-1].sign != '…':
			short = append(short, diffLine{sign: '…'})
		}
	}
	return short
}
