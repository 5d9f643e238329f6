package wishes

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// shown are the columns of a list.
var shown = []string{"title", "author", "year"}

// Weekly makes the lists of a week, by reader.
func (l *Lists) Weekly(ctx context.Context, since time.Time) (map[int][]string, error) {
	wishes, err := l.wishes(ctx)
	if err != nil {
		return nil, err
	}
	lists := map[int][]string{}
	for _, w := range wishes {
		if lists[w.Reader], err = l.arrived(ctx, w, since); err != nil {
			return nil, fmt.Errorf("the list of %s: %w", w.Name, err)
		}
	}
	return lists, nil
}

// arrived lists what came to a shelf, one line a book.
func (l *Lists) arrived(ctx context.Context, w Wish, since time.Time) ([]string, error) {
	statement := "SELECT " + strings.Join(shown, " || ', ' || ") + " FROM book"
	statement += " WHERE shelf LIKE '" + w.Shelf + "%' AND arrived >= $1"
	statement += " ORDER BY " + shown[0]
	rows, err := l.DB.QueryContext(ctx, statement, since)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var lines []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, rows.Err()
}
