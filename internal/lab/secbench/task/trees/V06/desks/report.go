package desks

import "fmt"

// Desk is what one desk lent.
type Desk struct {
	Name, Floor string
	Days        []Row // day and number
}

// Report returns what the desks of a branch lent in a week.
func Report(s Store, branch, week int) ([]Desk, error) {
	kept, err := s.Query("SELECT name, floor FROM desks WHERE branch = $1 ORDER BY name", branch)
	if err != nil {
		return nil, fmt.Errorf("reading the desks: %w", err)
	}
	var all []Desk
	for _, row := range kept {
		desk := Desk{Name: row[0], Floor: row[1]}
		days := "SELECT day, lent FROM days WHERE week = $1"
		days += " AND desk = '" + desk.Name + "' AND floor = " + desk.Floor
		if desk.Days, err = s.Query(days+" ORDER BY day", week); err != nil {
			return nil, fmt.Errorf("reading the days of %s: %w", desk.Name, err)
		}
		all = append(all, desk)
	}
	return all, nil
}
