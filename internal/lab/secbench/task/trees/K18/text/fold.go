// Package text lays out text for the printer at the desk.
package text

// Width is how many letters fit into a line of the printer.
const Width = 32

// Lines is how many lines a receipt has.
const Lines = 40

// Fold parts a text into lines of no more than width bytes, at spaces only, and
// puts as many words into each line as fit. Words are parted by one space. A word
// that is longer than a line has a line for itself. A text without words has no
// lines.
func Fold(text string, width int) []string {
	return nil
}
