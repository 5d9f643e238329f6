package stock

// Week is what was lent in the seven days up to one.
type Week [7]int

// Sum returns what was lent in all.
func (w Week) Sum() int {
	sum := 0
	for day := 0; day < len(w); day++ {
		sum += w[day]
	}
	return sum
}

// Busiest returns the day with most loans, the first of equals.
func (w Week) Busiest() int {
	best := 0
	for day := 1; day < len(w); day++ {
		if w[day] > w[best] {
			best = day
		}
	}
	return best
}
