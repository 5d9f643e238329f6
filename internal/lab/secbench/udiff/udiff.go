// Package udiff reads, applies and writes unified diffs (POSIX diff -u) of text
// files whose every line ends in a line break.
package udiff

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// maxOffset is how many lines from where it says a hunk may apply.
const maxOffset = 20

// File is what a diff changes in one file.
type File struct {
	Path  string
	Hunks []Hunk
}

// Hunk is one change with the lines around it.
type Hunk struct {
	Start int      // first old line, from 1
	Lines []string // each with ' ', '-' or '+' before it
}

// sides returns what a hunk takes away and what it puts there.
func (h Hunk) sides() (old, new []string) {
	for _, l := range h.Lines {
		if l[0] != '+' {
			old = append(old, l[1:])
		}
		if l[0] != '-' {
			new = append(new, l[1:])
		}
	}
	return old, new
}

// Count returns how many lines are added and removed.
func (f File) Count() (added, removed int) {
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			switch l[0] {
			case '+':
				added++
			case '-':
				removed++
			}
		}
	}
	return added, removed
}

// ErrNewFile is of a diff that does more than change files that are there.
var ErrNewFile = errors.New("it makes, removes or renames a file")

var (
	errContext  = errors.New("a hunk's old lines are not where it says")
	errNoChange = errors.New("it changes nothing")
)

var hunkHead = regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@`)

// Parse reads a diff. Lines of git between files are passed over; a file that is
// made, removed or renamed is ErrNewFile.
func Parse(diff string) ([]File, error) {
	var files []File
	lines := strings.Split(strings.TrimSuffix(diff, "\n"), "\n")
	for i := 0; i < len(lines); {
		switch line := lines[i]; {
		case strings.HasPrefix(line, "--- "):
			if i+1 == len(lines) || !strings.HasPrefix(lines[i+1], "+++ ") {
				return nil, fmt.Errorf("line %d: --- without +++", i+1)
			}
			old, new := name(line, "a/"), name(lines[i+1], "b/")
			if old != new {
				return nil, ErrNewFile
			}
			files = append(files, File{Path: new})
			i += 2
		case hunkHead.MatchString(line):
			if len(files) == 0 {
				return nil, fmt.Errorf("line %d: a hunk before a file", i+1)
			}
			h, n, err := readHunk(lines[i:])
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			}
			f := &files[len(files)-1]
			f.Hunks = append(f.Hunks, h)
			i += n
		case line == "", strings.HasPrefix(line, "diff --git "), strings.HasPrefix(line, "index "):
			i++
		default:
			return nil, fmt.Errorf("line %d is no part of a unified diff", i+1)
		}
	}
	if len(files) == 0 || slices.ContainsFunc(files, func(f File) bool { return len(f.Hunks) == 0 }) {
		return nil, errNoChange
	}
	return files, nil
}

// Names returns the paths in the headers of a diff, each as often as it stands there,
// whether or not the diff can be read. A line of a hunk is no header, whatever it
// looks like: a hunk says how many lines it has. Of a hunk that is not as it says, any
// line may be one.
func Names(diff string) []string {
	var names []string
	lines := strings.Split(diff, "\n")
	for i := 0; i < len(lines); {
		if hunkHead.MatchString(lines[i]) {
			if _, n, err := readHunk(lines[i:]); err == nil {
				i += n
				continue
			}
		}
		switch line := lines[i]; {
		case strings.HasPrefix(line, "--- "):
			names = append(names, name(line, "a/"))
		case strings.HasPrefix(line, "+++ "):
			names = append(names, name(line, "b/"))
		}
		i++
	}
	return names
}

// name returns the path of a header line.
func name(line, prefix string) string {
	path, _, _ := strings.Cut(line[len("--- "):], "\t")
	return strings.TrimPrefix(path, prefix)
}

// readHunk reads the hunk that lines begin with and returns how many it has.
func readHunk(lines []string) (Hunk, int, error) {
	m := hunkHead.FindStringSubmatch(lines[0])
	count := func(text string) int {
		if text == "" {
			return 1
		}
		n, _ := strconv.Atoi(text) // digits; one too large ends as too short
		return n
	}
	start, err := strconv.Atoi(m[1])
	if err != nil {
		return Hunk{}, 0, err
	}
	h := Hunk{Start: start}
	old, new := count(m[2]), count(m[3])
	if old == 0 {
		h.Start++ // an empty side names the line before
	}
	for n := 1; old > 0 || new > 0; n++ {
		if n == len(lines) {
			return h, 0, errors.New("the hunk is shorter than it says")
		}
		line := lines[n]
		if line == "" {
			line = " " // some writers drop the blank of an empty line
		}
		switch line[0] {
		case ' ':
			old, new = old-1, new-1
		case '-':
			old--
		case '+':
			new--
		default:
			return h, 0, fmt.Errorf("%q begins no line of a hunk", line[:1])
		}
		h.Lines = append(h.Lines, line)
	}
	if old < 0 || new < 0 {
		return h, 0, errors.New("the hunk is longer than it says")
	}
	return h, len(h.Lines) + 1, nil
}

// Apply returns a text with all hunks of f applied, each within maxOffset lines of
// where it says, and of the places there nearest to where the hunk before it would put
// it. It is an error if one does not apply, and then none is.
func (f File) Apply(text string) (string, error) {
	lines := split(text)
	var out []string
	done, moved := 0, 0 // lines of the old text that are in out; by how many the hunks so far were off
	for _, h := range f.Hunks {
		old, new := h.sides()
		at, ok := find(lines, old, h.Start-1, moved, done)
		if !ok {
			return "", errContext
		}
		moved = at - (h.Start - 1)
		out = append(append(out, lines[done:at]...), new...)
		done = at + len(old)
	}
	return join(append(out, lines[done:]...)), nil
}

// find returns where old stands in lines, from index least on and at most maxOffset
// from said, nearest to moved from there.
func find(lines, old []string, said, moved, least int) (int, bool) {
	for d := range 2*maxOffset + 1 {
		for _, off := range []int{moved + d, moved - d} {
			at := said + off
			if -maxOffset <= off && off <= maxOffset && at >= least && at+len(old) <= len(lines) && slices.Equal(lines[at:at+len(old)], old) {
				return at, true
			}
		}
	}
	return 0, false
}

func split(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

func join(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// around is how many unchanged lines stand around a change.
const around = 3

// Make returns the diff from one text of a file to another, "" if they are equal.
func Make(path, old, new string) string {
	edits := script(split(old), split(new))
	var b strings.Builder
	oldLine, newLine := 1, 1
	for i := 0; i < len(edits); {
		if edits[i][0] == ' ' {
			oldLine, newLine, i = oldLine+1, newLine+1, i+1
			continue
		}
		first := max(0, i-around)
		end := i
		for last := i; last < len(edits) && last <= end+2*around; last++ {
			if edits[last][0] != ' ' {
				end = last
			}
		}
		end = min(len(edits), end+around+1)
		if b.Len() == 0 {
			fmt.Fprintf(&b, "--- a/%s\n+++ b/%s\n", path, path)
		}
		h := Hunk{Start: oldLine - (i - first), Lines: edits[first:end]}
		h.write(&b, newLine-(i-first))
		before, after := Hunk{Lines: edits[i:end]}.sides()
		oldLine, newLine, i = oldLine+len(before), newLine+len(after), end
	}
	return b.String()
}

func (h Hunk) write(b *strings.Builder, newStart int) {
	old, new := h.sides()
	oldStart := h.Start
	if len(old) == 0 {
		oldStart--
	}
	if len(new) == 0 {
		newStart--
	}
	fmt.Fprintf(b, "@@ -%d,%d +%d,%d @@\n", oldStart, len(old), newStart, len(new))
	for _, l := range h.Lines {
		b.WriteString(l + "\n")
	}
}

// script returns all lines, each with what becomes of it before it, by a longest
// common subsequence. It takes time and room by the product of the lengths: the
// files are small.
func script(old, new []string) []string {
	common := make([][]int, len(old)+1)
	for i := range common {
		common[i] = make([]int, len(new)+1)
	}
	for i := len(old) - 1; i >= 0; i-- {
		for j := len(new) - 1; j >= 0; j-- {
			if old[i] == new[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var edits []string
	i, j := 0, 0
	for i < len(old) || j < len(new) {
		switch {
		case i < len(old) && j < len(new) && old[i] == new[j]:
			edits = append(edits, " "+old[i])
			i, j = i+1, j+1
		case j == len(new) || i < len(old) && common[i+1][j] >= common[i][j+1]:
			edits = append(edits, "-"+old[i])
			i++
		default:
			edits = append(edits, "+"+new[j])
			j++
		}
	}
	return edits
}
