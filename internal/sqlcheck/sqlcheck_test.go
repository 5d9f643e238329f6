package sqlcheck

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// dialects holds the tables of each dialect.
var dialects = map[Dialect]struct{ harmless, writing, refused []string }{
	SQLite:     {liteHarmless, liteWriting, liteRefused},
	PostgreSQL: {pgHarmless, pgWriting, pgRefused},
}

// readOnly reports whether a text certainly only reads.
func readOnly(d Dialect, text string) bool {
	statements, err := Read(d, text)
	return err == nil && !slices.ContainsFunc(statements, func(s Statement) bool { return !s.ReadOnly() })
}

func unescape(line string) string { return strings.ReplaceAll(line, `\n`, "\n") }

func TestReadOnly(t *testing.T) {
	for d, table := range dialects {
		if len(table.harmless) < 40 || len(table.harmless)+len(table.writing) < 80 {
			t.Errorf("%s: %d harmless and %d writing statements are too few", d, len(table.harmless), len(table.writing))
		}
		for i, list := range [][]string{table.harmless, table.writing, table.refused} {
			for _, text := range list {
				if got := readOnly(d, unescape(text)); got != (i == 0) {
					s, err := Read(d, unescape(text))
					t.Errorf("%s: %s: read only %t (%+v, %v)", d, text, got, s, err)
				}
			}
		}
	}
}

func TestRead(t *testing.T) {
	for _, tt := range []struct {
		dialect Dialect
		text    string
		want    string // classes and tables of each statement, or what the error says
	}{
		{SQLite, "select * from a join Main.B", "select a main.b"},
		{SQLite, "with a as (select * from b) select * from a", "select b"},
		{SQLite, "with a as (select * from c), c as (select 1) select * from a", "select"},
		{SQLite, "select * from s where exists (with s as (select 1) select * from s)", "select s"},
		{SQLite, "with a as (select 1) select * from main.a", "select main.a"},
		{SQLite, "with a as (select 1) delete from a", "delete a"},
		{SQLite, "select 1 where 1 in secrets", "select secrets"},
		{SQLite, "replace into a select * from b", "delete,insert a b"},
		{SQLite, "insert into a values (1) on conflict do update set b = (select 1 from c)", "insert,update a c"},
		{SQLite, "select a(1) from b; drop table c", "call,select* b; drop c"},
		{SQLite, "create table a as select * from b", "create a b"},
		{SQLite, "alter table a rename to b", "alter a b"},
		{SQLite, "pragma table_info('A')", "select a"},
		{SQLite, "select value from json_each(a) , b", "select b"},
		{SQLite, "select * from 'a', \"B\", [c], `d`", "select a b c d"},
		{SQLite, "", "no statement"},
		{SQLite, "select \x00", "NUL"},
		{SQLite, strings.Repeat("select 1;", 10000), "65536 bytes"},
		{SQLite, strings.Repeat("/**/", 1000), "500 comments"},
		{"mysql", "select 1", "unknown dialect"},
		{PostgreSQL, `select * from a join B join "B" on true on true`, "select B a b"},
		{PostgreSQL, "with a as (select * from b) select * from a", "select b"},
		{PostgreSQL, "with a as (select * from c), c as (select 1) select * from a", "select c"},
		{PostgreSQL, "with a as (select * from a) select * from a", "select a"},
		{PostgreSQL, "with recursive a as (select 1 union select * from a) select * from a", "select"},
		{PostgreSQL, "select * from s where exists (with s as (select 1) select * from s)", "select s"},
		{PostgreSQL, "with a as (select 1) select * from x.a", "select x.a"},
		{PostgreSQL, "with a as (delete from b returning *) insert into a select * from a", "delete,insert a b"},
		{PostgreSQL, "insert into a values (1) on conflict (a) do update set b = (select 1 from c)", "insert,update a c"},
		{PostgreSQL, "select a(1) from b; drop table x.c", "call,select* b; drop x.c"},
		{PostgreSQL, "drop table a cascade", "drop* a"},
		{PostgreSQL, "drop schema a", "drop*"},
		{PostgreSQL, "copy a to stdout", "copy a"},
		{PostgreSQL, "copy a from stdin", "copy,insert a"},
		{PostgreSQL, "copy a from '/x'", "copy,insert,other* a"},
		{PostgreSQL, "copy a from program 'x'", "call,copy,insert,other* a"},
		{PostgreSQL, "explain delete from a using b", "select a b"},
		{PostgreSQL, "explain select f() from a", "call,select* a"},
		{PostgreSQL, "explain analyze delete from a", "delete a"},
		{PostgreSQL, "select * from a for update of a", "lock,select a"},
		{PostgreSQL, "select * into b from a", "create,select a b"},
		{PostgreSQL, "(select 1 union select * from a) union (select 1 for update)", "lock,select a"},
		{PostgreSQL, "select * from only a, lateral (table b) c, f(1)", "call,select* a b"},
		{PostgreSQL, "select " + strings.Repeat("not ", 1000) + "true", "too deeply"},
		{PostgreSQL, "select 1" + strings.Repeat(",1", 5000), "select"},
		{PostgreSQL, "select 1 union " + strings.Repeat("select 1, 2 union ", 500) + "select 1", "too deeply"},
		{PostgreSQL, "insert into a values (1)" + strings.Repeat(",(1)", 5000), "insert a"},
		{PostgreSQL, "select 1; select (", "does not take"},
	} {
		got := describe(tt.dialect, tt.text)
		if got != tt.want && (!strings.HasPrefix(got, "error: ") || !strings.Contains(got, tt.want)) {
			t.Errorf("%s: %.80q: %q, want %q", tt.dialect, tt.text, got, tt.want)
		}
	}
}

// describe writes what Read returns on one line; a star is for Opaque.
func describe(d Dialect, text string) string {
	statements, err := Read(d, text)
	if err != nil {
		return "error: " + err.Error()
	}
	var all []string
	for _, s := range statements {
		line := strings.Trim(strings.ReplaceAll(fmt.Sprint(s.Classes), " ", ","), "[]")
		if s.Opaque {
			line += "*"
		}
		for _, table := range s.Tables {
			line += " " + table.String()
		}
		all = append(all, line)
		if s.ReadOnly() != (s.Why == "") {
			return fmt.Sprintf("error: read only %t, but why is %q", s.ReadOnly(), s.Why)
		}
	}
	return strings.Join(all, "; ")
}

// FuzzRead states that no text makes Read panic, and that what one text does is
// still done where another follows it behind a semicolon.
func FuzzRead(f *testing.F) {
	for d, table := range dialects {
		for _, list := range [][]string{table.harmless, table.writing, table.refused} {
			for i, text := range list {
				f.Add(d == SQLite, unescape(text), unescape(list[(i+7)%len(list)]))
			}
		}
	}
	f.Fuzz(func(t *testing.T, lite bool, first, second string) {
		d := PostgreSQL
		if lite {
			d = SQLite
		}
		a, err := Read(d, first)
		if err != nil {
			return
		}
		joined := first + "\n;" + second
		both, err := Read(d, joined)
		if err != nil {
			return
		}
		if len(both) < len(a) {
			t.Fatalf("%q: %d statements, and %d with %q", first, len(a), len(both), second)
		}
		for i, s := range a {
			if !slices.Equal(s.Classes, both[i].Classes) || !slices.Equal(s.Tables, both[i].Tables) {
				t.Fatalf("%q: %+v, and with %q: %+v", first, s, second, both[i])
			}
		}
	})
}
