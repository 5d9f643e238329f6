package notice

// Queue holds the titles that are to be printed, the oldest first.
type Queue struct{ titles []string }

// Add puts a title at the end, once.
func (q *Queue) Add(title string) {
	for _, t := range q.titles {
		if t == title {
			return
		}
	}
	q.titles = append(q.titles, title)
}

// Drain prints all titles and empties the queue. It stops at the first failure.
func (q *Queue) Drain(d Desk) error {
	for len(q.titles) > 0 {
		if err := d.Print(q.titles[0]); err != nil {
			return err
		}
		q.titles = q.titles[1:]
	}
	return nil
}
