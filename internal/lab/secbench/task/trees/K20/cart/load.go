package cart

// Load returns how much of a board books take up, in hundredths, no more than all.
func Load(widths []int) int {
	taken := 0
	for _, w := range widths {
		taken += w
	}
	return min(100, taken*100/Board)
}
