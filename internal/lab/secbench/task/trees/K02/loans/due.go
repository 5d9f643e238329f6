package loans

import "time"

// Due returns the day by which a book is back.
func Due(s Settings, lent time.Time, renewed int) time.Time {
	renewed = min(renewed, s.Renewals)
	return lent.AddDate(0, 0, s.LoanDays*(1+renewed))
}

// Cost returns what a book costs that came back late, in cents.
func Cost(s Settings, daysLate int, child bool) int {
	daysLate -= s.GraceDays
	if daysLate <= 0 || child && s.ChildrenFree {
		return 0
	}
	return min(daysLate*s.LateCents, s.MostCent)
}
