package task

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// find returns the number, from 1, of the line that an anchor names. An anchor is the
// first 16 hexadecimal digits of the SHA-256 of the line with white space runs as one
// space and without white space around it, and which of the lines that are equal so it
// is, from 1, as in "5ffd6513c9d8808d:1". One that names no line is an error.
func find(text, anchor string) (int, error) {
	key, occurrence, _ := strings.Cut(anchor, ":")
	wanted, err := strconv.Atoi(occurrence)
	if err != nil || wanted < 1 || len(key) != 16 {
		return 0, fmt.Errorf("%q is no anchor", anchor)
	}
	for i, line := range Lines(text) {
		if lineKey(line) == key {
			if wanted--; wanted == 0 {
				return i + 1, nil
			}
		}
	}
	return 0, fmt.Errorf("anchor %s names no line", anchor)
}

func lineKey(line string) string {
	sum := sha256.Sum256([]byte(Squeeze(line)))
	return hex.EncodeToString(sum[:])[:16]
}

// Squeeze returns text with runs of white space as one space, and none around it.
func Squeeze(text string) string { return strings.Join(strings.Fields(text), " ") }

// Lines returns the lines of a text without their line breaks. A line break at the
// end begins no further line.
func Lines(text string) []string {
	lines := strings.Split(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}
