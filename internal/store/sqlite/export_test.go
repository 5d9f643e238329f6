package sqlite

import "context"

// InTransaction is what runs every transaction.
var InTransaction = inTransaction

// OpenAnsweringEarly opens a store with the one mistake that durability can't
// survive: its committer answers before COMMIT. From the given group on it stops
// there, so that a test needs no luck to find the loss.
func OpenAnsweringEarly(ctx context.Context, dir string, o Options, stop int) (*Store, error) {
	return open(ctx, dir, o, func(w *writer, jobs []job) {
		err := inTransaction(ctx, w.conn, func() error {
			results, err := w.write(ctx, jobs, false)
			for i, j := range jobs {
				j.done <- results[i]
			}
			if stop--; stop == 0 {
				select {}
			}
			return err
		})
		if err != nil {
			panic(err)
		}
	})
}

// TotalPlan explains how SQLite looks up what a limit has used.
func (s *Store) TotalPlan(ctx context.Context) (string, error) {
	var id, parent, unused int
	var detail string
	err := s.db.QueryRowContext(ctx, "EXPLAIN QUERY PLAN "+totalQuery, "c", nil, 1).Scan(&id, &parent, &unused, &detail)
	return detail, err
}
