// Package wishes tells readers what is new on the shelves that they care about.
package wishes

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

// Lists are the wish lists of all readers.
type Lists struct {
	DB *sql.DB
}

// longest is how long the name of a shelf may be, in bytes.
const longest = 80

// Store keeps the wish of a reader, in place of an earlier one.
func (l *Lists) Store(ctx context.Context, reader int, shelf string) error {
	shelf = strings.TrimSpace(shelf)
	if shelf == "" || len(shelf) > longest {
		return errors.New("which shelf?")
	}
	if err := l.Forget(ctx, reader); err != nil {
		return err
	}
	_, err := l.DB.ExecContext(ctx, `INSERT INTO wish (reader, shelf) VALUES ($1, $2)`, reader, shelf)
	if err != nil {
		return fmt.Errorf("storing a wish: %w", err)
	}
	return nil
}

// Forget removes the wish of a reader.
func (l *Lists) Forget(ctx context.Context, reader int) error {
	if _, err := l.DB.ExecContext(ctx, `DELETE FROM wish WHERE reader = $1`, reader); err != nil {
		return fmt.Errorf("forgetting a wish: %w", err)
	}
	return nil
}
