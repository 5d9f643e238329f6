package guests

import "time"

// Open says whether the house is open on a day.
func Open(day time.Time) bool { return day.Weekday() != time.Monday }

// Next returns the next day on which it is.
func Next(day time.Time) time.Time {
	day = day.AddDate(0, 0, 1)
	for !Open(day) {
		day = day.AddDate(0, 0, 1)
	}
	return day
}
