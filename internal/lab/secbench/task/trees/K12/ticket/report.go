package ticket

// Open returns how many questions nobody has answered yet.
func Open(all []*Ticket) int {
	open := 0
	for _, t := range all {
		if t.State == New || t.State == Assigned {
			open++
		}
	}
	return open
}
