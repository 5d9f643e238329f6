// Package mean has means for the yearly report.
package mean

import "errors"

// ErrNone says that there is nothing to take a mean of.
var ErrNone = errors.New("there are no readers")

// Mean returns the mean of loans in tenths, rounded to the nearest one and, half
// way between two, to the one that is further from zero. Loans that were undone
// count as less than none.
func Mean(loans, readers int) (int, error) {
	if readers <= 0 {
		return 0, ErrNone
	}
	tenths := loans * 10 / readers
	return tenths, nil
}
