// Package cart plans how books get back to the shelves.
package cart

// Board is how wide a board of a cart is, in millimetres.
const Board = 900

// Height is how high a book on it may be.
const Height = 350

// Fits returns the fewest boards onto which books fit that are put there in the
// order in which they are given, one beside the other: a board is done when the
// next book does not fit. It returns -1 when a book is wider than a board, or has
// no width.
func Fits(widths []int, board int) int {
	return 0
}
