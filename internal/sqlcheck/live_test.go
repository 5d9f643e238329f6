//go:build unix

package sqlcheck_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/licet-dev/licet/internal/testkit"
)

// TestLiveSQLite runs the statements of the tables in SQLite: those that are
// taken for harmless change nothing that can be seen, the others do.
func TestLiveSQLite(t *testing.T) {
	for i, list := range [][]string{liteHarmless, liteWriting} {
		for _, text := range list {
			changed, err := runSQLite(t, unescape(text))
			if err != nil || changed != (i == 1) {
				t.Errorf("%s: changed something %t, %v", text, changed, err)
			}
		}
	}
}

const liteFixture = `
create table customers (id integer primary key, name text, email text);
create table orders (id integer primary key, customer int, total int);
insert into customers values (1, 'ann', 'a@x.example'), (2, 'bob', 'b@x.example');
insert into orders values (1, 1, 10), (3, 2, 30);
create view old_view as select 1; create index old_index on customers (name);`

// runSQLite runs a text in a database of its own and reports whether a second
// look at everything differs from the first.
func runSQLite(t *testing.T, text string) (bool, error) {
	t.Helper()
	ctx, dir := context.Background(), t.TempDir()
	db, err := sql.Open("sqlite", filepath.Join(dir, "db"))
	if err != nil {
		return false, err
	}
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return false, err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, liteFixture); err != nil {
		return false, err
	}
	before, err := liteState(ctx, conn)
	if err != nil {
		return false, err
	}
	rows, err := conn.QueryContext(ctx, strings.ReplaceAll(text, "FILE", filepath.Join(dir, "other")))
	if err != nil {
		return false, err
	}
	for rows.Next() { // statements act as they are read
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return false, err
	}
	_, open := conn.ExecContext(ctx, "begin; rollback") // fails within a transaction
	after, err := liteState(ctx, conn)
	_, file := os.Stat(filepath.Join(dir, "other"))
	return before != after || open != nil || file == nil, err
}

// liteState returns all that a connection can see: settings, schema, rows.
func liteState(ctx context.Context, conn *sql.Conn) (string, error) {
	queries := []string{"select * from sqlite_schema", "select * from sqlite_temp_schema", "pragma database_list"}
	for _, p := range []string{"user_version", "application_id", "foreign_keys", "writable_schema", "recursive_triggers", "schema_version"} {
		queries = append(queries, "pragma "+p)
	}
	tables, err := dump(ctx, conn, "select name from sqlite_schema where type = 'table' and name in ('customers', 'orders')")
	if err != nil {
		return "", err
	}
	for name := range strings.FieldsSeq(tables) {
		queries = append(queries, "select * from "+name)
	}
	var state strings.Builder
	for _, q := range queries {
		text, err := dump(ctx, conn, q)
		if err != nil {
			return "", err
		}
		state.WriteString(q + ":\n" + text)
	}
	return state.String(), nil
}

// dump returns the rows of a query as text, one a line.
func dump(ctx context.Context, conn *sql.Conn, query string) (string, error) {
	rows, err := conn.QueryContext(ctx, query)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for rows.Next() {
		values := make([]any, len(columns))
		for i := range values {
			values[i] = new(any)
		}
		if err := rows.Scan(values...); err != nil {
			return "", err
		}
		for _, v := range values {
			fmt.Fprint(&text, *v.(*any), " ")
		}
		text.WriteByte('\n')
	}
	return text.String(), rows.Err()
}

const pgFixture = `
create table customers (id int primary key, name text, email text);
create table orders (id int primary key, customer int, total int);
insert into customers values (1, 'ann', 'a@x.example'), (2, 'bob', 'b@x.example');
insert into orders values (1, 1, 10), (3, 2, 30);
create view big as select * from orders where total > 20; create sequence ids;
create schema hr; create table hr.salaries (id int, amount int);
create procedure wipe() language sql as 'delete from customers';
`

// pgState is a query that returns all that a session can see, one thing a line.
const pgState = `
select 'setting', name, setting from pg_settings
union all select 'relation', oid::regclass::text, concat(relkind, relacl) from pg_class where relnamespace <> 'pg_catalog'::regnamespace
union all select 'column', attrelid::regclass::text, attname from pg_attribute a join pg_class c on c.oid = attrelid
	where relnamespace = 'public'::regnamespace
union all select 'rows', oid::regclass::text, query_to_xml('select * from ' || oid::regclass, true, true, '')::text from pg_class
	where relkind in ('r', 'S') and relnamespace in ('public'::regnamespace, 'hr'::regnamespace)
union all select 'schema', nspname, '' from pg_namespace
union all select 'function', oid::regprocedure::text, '' from pg_proc
union all select 'role', rolname, '' from pg_roles
union all select 'comment', objoid::text, description from pg_description where objoid >= 16384
union all select 'large object', oid::text, '' from pg_largeobject_metadata
union all select 'prepared', name, statement from pg_prepared_statements
union all select 'cursor', name, statement from pg_cursors
union all select 'channel', pg_listening_channels(), ''
union all select 'rule', rulename, ev_class::text from pg_rewrite
union all select 'lock', locktype, objid::text from pg_locks where locktype = 'advisory'
union all select 'file', pg_ls_dir('DIR/files'), ''
order by 1, 2, 3;`

// TestLivePostgres does the same in PostgreSQL.
func TestLivePostgres(t *testing.T) {
	c := testkit.StartPostgres(t)
	files := filepath.Join(c.Dir, "files")
	if err := errors.Join(os.Mkdir(files, 0o777), os.Chmod(files, 0o777)); err != nil { // the server may be another user
		t.Fatal(err)
	}
	c.SQL("postgres", "create database base")
	c.SQL("base", pgFixture)
	// Files are copied without a trace in the log, where the server can.
	copied := c.SQL("postgres", "select case when current_setting('server_version_num')::int >= 150000 then 'strategy file_copy' else '' end")
	for i, list := range [][]string{pgHarmless, pgWriting} {
		for j, text := range list {
			db := "base" // what is harmless leaves it as it is
			if i == 1 {
				db = fmt.Sprintf("written%d", j)
				c.SQL("postgres", "create database "+db+" template base "+copied)
			}
			const mark = "----- licet -----"
			state := strings.ReplaceAll(pgState, "DIR", c.Dir)
			statement := strings.ReplaceAll(unescape(text), "FILE", files+"/new")
			parts := strings.Split(c.SQL(db, state+"\n\\echo "+mark+"\n"+statement+"\n;\n\\echo "+mark+"\n"+state), mark)
			if len(parts) != 3 {
				t.Errorf("%s: %d parts of output", text, len(parts))
			} else if changed := strings.TrimSpace(parts[0]) != strings.TrimSpace(parts[2]); changed != (i == 1) {
				t.Errorf("%s: changed something %t", text, changed)
			}
			if i == 1 {
				c.SQL("postgres", "drop database "+db)
			}
			if err := os.RemoveAll(filepath.Join(files, "new")); err != nil {
				t.Fatal(err)
			}
		}
	}
}
