// Package loans says when books are due.
package loans

import (
	"fmt"
	"strconv"
)

// Settings are those of the desk.
type Settings struct {
	LoanDays, Renewals  int
	LateCents, MostCent int
	GraceDays, Books    int
	ChildrenFree        bool
}

// books is the name of a setting that the counter needs, too.
const books = "books"

// Load takes the settings from what a file says.
func Load(said map[string]string) (s Settings, err error) {
	number := func(name string, standard int) int {
		text, ok := said[name]
		if !ok {
			return standard
		}
		n, bad := strconv.Atoi(text)
		if bad != nil {
			err = fmt.Errorf("setting %s: %w", name, bad)
		}
		return n
	}
	s.LoanDays = number("loan_days", 28)
	s.Renewals = number("renewals", 2)
	s.GraceDays = number("grace_days", 0)
	s.LateCents = number("late_cents", 20)
	s.MostCent = number("most_cents", 1500)
	s.Books = number(books, 12)
	s.ChildrenFree = said["children_free"] != "false"
	return s, err
}
