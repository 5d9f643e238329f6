package count

// Hours is how long the doors are open.
const Hours = 10

// Day is how many people came in each hour.
type Day [Hours]int

// Add counts a frame for an hour. Frames of other hours do not count.
func (d *Day) Add(hour int, f Frame) {
	if hour < 0 || hour >= Hours {
		return
	}
	for _, people := range f.Minutes {
		d[hour] += int(people)
	}
}

// Busiest returns the hour in which most people came, the first of equals.
func (d *Day) Busiest() int {
	best := 0
	for hour, people := range d {
		if people > d[best] {
			best = hour
		}
	}
	return best
}
