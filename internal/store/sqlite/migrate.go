package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migration is one step of the schema. Version n is the n-th file by name. A
// step that was released never changes.
type migration struct {
	text     string
	checksum string // SHA-256 of text
}

func migrations() ([]migration, error) {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql") // sorted
	if err != nil {
		return nil, err
	}
	var all []migration
	for _, name := range names {
		text, err := migrationFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(text)
		all = append(all, migration{string(text), hex.EncodeToString(sum[:])})
	}
	return all, nil
}

// migrate brings the schema up to date, or only checks it where the database
// may not be written. Only one process does so at a time.
func migrate(ctx context.Context, db *sql.DB, o Options) error {
	steps, err := migrations()
	if err != nil {
		return err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	done, err := applied(ctx, conn, steps)
	if err != nil || done == len(steps) {
		return err
	}
	if o.ReadOnly {
		return fmt.Errorf("its schema has version %d, this licet reads version %d: open it for writing once", done, len(steps))
	}
	return inTransaction(ctx, conn, func() error { return apply(ctx, conn, steps, o.Clock()) })
}

// apply runs the steps that are missing. It looks again, under the lock: another
// process may have been faster.
func apply(ctx context.Context, conn *sql.Conn, steps []migration, now time.Time) error {
	done, err := applied(ctx, conn, steps)
	if err != nil {
		return err
	}
	for i, m := range steps[done:] {
		version := done + i + 1
		if _, err := conn.ExecContext(ctx, m.text); err != nil {
			return fmt.Errorf("bringing the schema to version %d: %w", version, err)
		}
		const note = `INSERT INTO migrations (version, checksum, at) VALUES (?, ?, ?)`
		if _, err := conn.ExecContext(ctx, note, version, m.checksum, now.UnixNano()); err != nil {
			return fmt.Errorf("bringing the schema to version %d: %w", version, err)
		}
	}
	return nil
}

// applied returns how many of the steps the database has seen. It refuses a
// database of something else, of a newer licet, or with a step that differs.
func applied(ctx context.Context, conn *sql.Conn, steps []migration) (int, error) {
	var tables, ours int
	const look = `SELECT count(*), count(*) FILTER (WHERE name = 'migrations') FROM sqlite_schema`
	if err := conn.QueryRowContext(ctx, look).Scan(&tables, &ours); err != nil {
		return 0, fmt.Errorf("reading the schema: %w", err)
	}
	if tables == 0 {
		return 0, nil
	}
	if ours == 0 {
		return 0, errors.New("the database is not one of licet's")
	}
	rows, err := conn.QueryContext(ctx, `SELECT version, checksum FROM migrations ORDER BY version`)
	if err != nil {
		return 0, fmt.Errorf("reading the schema: %w", err)
	}
	defer rows.Close()
	done := 0
	for rows.Next() {
		var version int
		var checksum string
		if err := rows.Scan(&version, &checksum); err != nil {
			return 0, fmt.Errorf("reading the schema: %w", err)
		}
		if version > len(steps) {
			return 0, fmt.Errorf("its schema has version %d, this licet knows up to %d: use the newer licet", version, len(steps))
		}
		if done++; version != done || checksum != steps[done-1].checksum {
			return 0, fmt.Errorf("step %d of its schema is not the one of this licet", version)
		}
	}
	return done, rows.Err()
}

// inTransaction runs f in a transaction that has the database's write lock from
// its start, and takes all of it back if f or the commit fails.
func inTransaction(ctx context.Context, conn *sql.Conn, f func() error) error {
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return fmt.Errorf("locking the database: %w", err)
	}
	err := f()
	if err == nil {
		if _, err = conn.ExecContext(ctx, "COMMIT"); err == nil {
			return nil
		}
		err = fmt.Errorf("committing: %w", err)
	}
	if _, undo := conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK"); undo != nil {
		err = errors.Join(err, fmt.Errorf("rolling back: %w", undo))
	}
	return err
}

// useWAL turns the write-ahead log on, once in the life of a database. SQLite
// does not wait for other processes in this one step, so it is tried again.
func useWAL(ctx context.Context, db *sql.DB, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	for {
		var mode string
		err := db.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode)
		var busy *sqlite.Error
		switch {
		case err == nil && mode == "wal":
			return nil
		case err == nil:
			return fmt.Errorf("the database keeps to journal mode %q, not WAL", mode)
		case !errors.As(err, &busy) || busy.Code()&0xff != sqlite3.SQLITE_BUSY:
			return fmt.Errorf("turning on the write-ahead log: %w", err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("turning on the write-ahead log: %w", err)
		case <-time.After(5 * time.Millisecond):
		}
	}
}
