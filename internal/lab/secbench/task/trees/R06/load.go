package wishes

import (
	"context"
	"fmt"
)

// Wish is what one reader wants to hear about.
type Wish struct {
	Reader int
	Name   string // of the reader
	Shelf  string
}

// wishes returns all wishes, in the order of the readers.
func (l *Lists) wishes(ctx context.Context) ([]Wish, error) {
	const query = `SELECT w.reader, r.name, w.shelf FROM wish w JOIN reader r ON r.id = w.reader ORDER BY w.reader`
	rows, err := l.DB.QueryContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("loading the wishes: %w", err)
	}
	defer rows.Close()
	var all []Wish
	for rows.Next() {
		var w Wish
		if err := rows.Scan(&w.Reader, &w.Name, &w.Shelf); err != nil {
			return nil, fmt.Errorf("loading a wish: %w", err)
		}
		all = append(all, w)
	}
	return all, rows.Err()
}
