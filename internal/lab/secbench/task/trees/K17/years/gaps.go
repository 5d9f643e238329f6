// Package years says which volumes of a journal are missing.
package years

// First is the year of the oldest volume.
const First = 1887

// Span is from one year to another, both of them in it.
type Span struct{ From, To int }

// Gaps returns the years that are missing between the first and the last of those
// that are there, as spans in order. The years that are there are in no order and
// may stand more than once.
func Gaps(there []int) []Span {
	return nil
}
