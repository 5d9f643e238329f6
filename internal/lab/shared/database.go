package shared

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// Database says where the run is.
type Database struct {
	// URL of PostgreSQL, with or without a password: PGPASSWORD and a pgpass file
	// count as for psql. It is part of no error.
	URL string
	// Schema holds the run, and nothing else. It is made if need be.
	Schema string
	// Longest is how long one job may take, with all its tries: far longer than it
	// needs, as its result is lost otherwise. That of a process that was killed is
	// another's after it, so it is not endless either.
	Longest time.Duration
}

// connections is how many a process has at most, however many jobs it does at a time:
// they are held while something is written, not while a job is done.
const connections = 6

// patience is how long the database may be away, or silent.
const patience = 30 * time.Second

// persist does something with the database, and does it again where that fails, for as
// long as the database may be away.
func persist(ctx context.Context, do func(context.Context) error) error {
	given := time.Now()
	for {
		err := soon(ctx, do)
		if err == nil || ctx.Err() != nil || time.Since(given) > patience {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(retry):
		}
	}
}

// soon does something that may take as long as the database may be silent.
func soon(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return do(ctx)
}

var schemaName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)

// open connects to the database and makes the schema.
func (d Database) open(ctx context.Context) (*pgxpool.Pool, error) {
	if !schemaName.MatchString(d.Schema) {
		return nil, fmt.Errorf("the schema %q: expected at most 40 of a-z, 0-9 and _, and a letter first", d.Schema)
	}
	config, err := pgxpool.ParseConfig(d.URL)
	if err != nil { // its text may hold the password
		return nil, errors.New("the URL of the database cannot be read: expected postgres://USER@HOST/DATABASE")
	}
	config.MaxConns = connections
	config.ConnConfig.RuntimeParams["application_name"] = "licet-lab"
	config.ConnConfig.RuntimeParams["search_path"] = d.Schema
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = patience
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("reaching the database: %w", err)
	}
	if err := d.prepare(ctx, pool); err != nil {
		pool.Close()
		return nil, err
	}
	return pool, nil
}

// tables are ours, beside those of River. Bytes are kept as they are, whatever the
// encoding of the database.
const tables = `
create table if not exists licet_run (
	one      boolean primary key default true check (one),
	identity bytea not null,            -- what it is made of
	asked    bigint not null default 0, -- how often a job was begun
	calls    bigint,                    -- how often one may be; null = no bound
	money    numeric                    -- what it may cost; null = no bound
);
create table if not exists licet_answer (
	key    text primary key, -- of the job
	answer bytea not null,   -- its result
	cost   numeric
);`

// prepare makes the schema and its tables, one process at a time.
func (d Database) prepare(ctx context.Context, pool *pgxpool.Pool) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("reaching the database: %w", err)
	}
	defer conn.Release()
	// The transaction holds a lock, and nothing else.
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "select pg_advisory_xact_lock(hashtextextended('licet-lab ' || $1, 0))", d.Schema); err != nil {
			return fmt.Errorf("waiting for the schema %s: %w", d.Schema, err)
		}
		return d.makeTables(ctx, pool)
	})
}

func (d Database) makeTables(ctx context.Context, pool *pgxpool.Pool) error {
	var there bool // then no right to make one is needed
	if err := pool.QueryRow(ctx, "select to_regnamespace($1) is not null", d.Schema).Scan(&there); err != nil {
		return fmt.Errorf("looking for the schema %s: %w", d.Schema, err)
	}
	text := tables
	if !there {
		text = "create schema " + pgx.Identifier{d.Schema}.Sanitize() + ";" + tables
	}
	if _, err := pool.Exec(ctx, text); err != nil {
		return fmt.Errorf("making the schema %s: %w", d.Schema, err)
	}
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Schema: d.Schema, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("making the queue in the schema %s: %w", d.Schema, err)
	}
	return nil
}
