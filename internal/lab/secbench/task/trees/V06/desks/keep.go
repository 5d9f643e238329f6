// Package desks keeps what branches write about their desks, and reports on them.
package desks

// Row is one row, as text.
type Row []string

// Store runs statements. The values stand for $1, $2 and so on.
type Store interface {
	Query(statement string, values ...any) ([]Row, error)
}

// Keep keeps the name of a desk and the floor that it is on.
func Keep(s Store, branch int, name, floor string) error {
	_, err := s.Query("INSERT INTO desks (branch, name, floor) VALUES ($1, $2, $3)", branch, name, floor)
	return err
}
