package sqlite

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// Backup writes a copy of the database, as of one moment, into a directory that
// must not hold one yet. Other processes may go on committing meanwhile.
func (s *Store) Backup(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("making the directory of the copy: %w", err)
	}
	file := filepath.Join(dir, FileName)
	if _, err := s.db.ExecContext(ctx, "VACUUM INTO ?", file); err != nil {
		return fmt.Errorf("copying the store to %s: %w", file, err)
	}
	return os.Chmod(file, 0o600)
}
