package doctest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// block is one fenced block of a Markdown page.
type block struct {
	line  int      // of its first line of text, from 1
	words []string // what stands after the fence: language and marks
	lines []string // without the fence's own indentation
}

func (b block) is(language string) bool { return len(b.words) > 0 && b.words[0] == language }

// blocks returns the fenced blocks of a page. A fence that is not closed is an
// error, because all that follows it would be looked at wrongly.
func blocks(page string) ([]block, error) {
	var all []block
	var open *block
	fence, indent := "", ""
	for i, line := range strings.Split(page, "\n") {
		text := strings.TrimLeft(line, " ")
		ticks := text[:len(text)-len(strings.TrimLeft(text, "`"))]
		switch {
		case open == nil && len(ticks) >= 3:
			fence, indent = ticks, line[:len(line)-len(text)]
			open = &block{line: i + 2, words: strings.Fields(text[len(ticks):])}
		case open != nil && len(ticks) >= len(fence) && strings.TrimSpace(text) == ticks:
			all = append(all, *open)
			open = nil
		case open != nil:
			open.lines = append(open.lines, strings.TrimPrefix(line, indent))
		}
	}
	if open != nil {
		return nil, fmt.Errorf("line %d: the fence before it is never closed", open.line)
	}
	return all, nil
}

// command is one command of a console block and what it must do.
type command struct {
	line int // on the page, from 1
	text string
	exit int
	want []string // lines of output
}

var exitComment = regexp.MustCompile(`\s+# exit ([0-9]+)$`)

var hereDocument = regexp.MustCompile(`<<-?['"]?(\w+)`)

// commands returns the commands of a console block. Text before the first
// command is an error: it would be output that nothing prints.
func commands(b block) ([]command, error) {
	var all []command
	more := false // the command goes on
	end := ""     // the line that ends the here-document of the command
	for i, line := range b.lines {
		text, isCommand := strings.CutPrefix(line, "$ ")
		switch {
		case more:
			text = strings.TrimPrefix(line, "> ")
			all[len(all)-1].text += "\n" + text
		case isCommand:
			all = append(all, command{line: b.line + i, text: text})
		case len(all) == 0:
			return nil, fmt.Errorf("line %d: output before the first command", b.line+i)
		default:
			all[len(all)-1].want = append(all[len(all)-1].want, line)
			continue
		}
		if m := hereDocument.FindStringSubmatch(text); m != nil && end == "" {
			end = m[1]
		} else if end == text {
			end = ""
		}
		more = end != "" || strings.HasSuffix(text, `\`)
	}
	if more {
		return nil, fmt.Errorf("line %d: the last command of the block is not complete", b.line)
	}
	for i := range all {
		if m := exitComment.FindStringSubmatch(all[i].text); m != nil {
			status, err := strconv.Atoi(m[1])
			if err != nil {
				return nil, fmt.Errorf("line %d: exit status: %w", all[i].line, err)
			}
			all[i].exit = status
			all[i].text = strings.TrimSuffix(all[i].text, m[0])
		}
	}
	return all, nil
}

// matches says whether output is what the lines say. White space at the end
// of a line and empty lines at the end do not count.
func matches(want []string, output string) bool {
	var pattern strings.Builder
	pattern.WriteString(`\A`)
	for _, line := range trimLines(want) {
		if line == "..." {
			pattern.WriteString(`(?:.*\n)*?`)
			continue
		}
		quoted := regexp.QuoteMeta(line)
		pattern.WriteString(strings.ReplaceAll(quoted, "…", ".*") + `\n`)
	}
	pattern.WriteString(`\z`)
	text := strings.Join(trimLines(strings.Split(output, "\n")), "\n")
	if text != "" {
		text += "\n"
	}
	return regexp.MustCompile(pattern.String()).MatchString(text)
}

func trimLines(lines []string) []string {
	var trimmed []string
	for _, line := range lines {
		trimmed = append(trimmed, strings.TrimRight(line, " \t\r"))
	}
	for len(trimmed) > 0 && trimmed[len(trimmed)-1] == "" {
		trimmed = trimmed[:len(trimmed)-1]
	}
	return trimmed
}
