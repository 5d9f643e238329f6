package sqlite

import (
	"context"
	"fmt"
)

// Backup writes a copy of the database, as of one moment, into a directory that
// must not hold one yet. Other processes may go on committing meanwhile.
func (s *Store) Backup(ctx context.Context, dir string) error {
	file, err := prepareFiles(dir, false)
	if err != nil {
		return fmt.Errorf("copying the store to %s: %w", dir, err)
	}
	// VACUUM INTO takes an empty file and refuses any other.
	if _, err := s.db.ExecContext(ctx, "VACUUM INTO ?", file); err != nil {
		return fmt.Errorf("copying the store to %s: %w", dir, err)
	}
	return nil
}
