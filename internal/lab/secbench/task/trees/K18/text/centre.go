package text

import "strings"

// Centre puts spaces before a line, so that it stands in the middle.
func Centre(line string) string {
	return strings.Repeat(" ", max(0, Width-len(line))/2) + line
}
