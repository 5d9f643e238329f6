// Package hours says when desks are open.
package hours

// Day is how many minutes a day has.
const Day = 24 * 60

// Open is a time in which a desk is open, in minutes: from the first of them up to,
// and without, the last.
type Open struct{ From, To int }

// Merge returns the times in which at least one desk is open, in order and as few
// as can be: times that meet or overlap become one. Those that are empty or end
// before they begin are left out.
func Merge(desks []Open) []Open {
	return nil
}
