package sqlcheck_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/sqlcheck"
)

// dialects holds the tables of each dialect.
var dialects = map[sqlcheck.Dialect]struct{ harmless, writing, refused []string }{
	sqlcheck.SQLite:     {liteHarmless, liteWriting, liteRefused},
	sqlcheck.PostgreSQL: {pgHarmless, pgWriting, pgRefused},
}

// readOnly reports whether a text certainly only reads.
func readOnly(d sqlcheck.Dialect, text string) bool {
	statements, err := sqlcheck.Read(d, text)
	return err == nil && !slices.ContainsFunc(statements, func(s sqlcheck.Statement) bool { return !s.ReadOnly() })
}

func unescape(line string) string { return strings.ReplaceAll(line, `\n`, "\n") }

// TestStart: a text that comes while a parser starts is read as any other.
func TestStart(t *testing.T) {
	for d := range dialects {
		var started sync.WaitGroup
		started.Go(func() { sqlcheck.Start(d) })
		if !readOnly(d, "select a from b") || readOnly(d, "delete from b") {
			t.Errorf("%s: not read as it should be", d)
		}
		started.Wait()
	}
}

func TestReadOnly(t *testing.T) {
	for d, table := range dialects {
		if len(table.harmless) < 40 || len(table.writing) < 40 {
			t.Errorf("%s: %d harmless and %d writing statements are too few", d, len(table.harmless), len(table.writing))
		}
		for i, list := range [][]string{table.harmless, table.writing, table.refused} {
			for _, text := range list {
				if got := readOnly(d, unescape(text)); got != (i == 0) {
					s, err := sqlcheck.Read(d, unescape(text))
					t.Errorf("%s: %s: read only %t (%+v, %v)", d, text, got, s, err)
				}
			}
		}
	}
}

func TestRead(t *testing.T) {
	for _, tt := range []struct {
		dialect sqlcheck.Dialect
		text    string
		want    string // classes and tables of each statement, or what the error says
	}{
		{sqlcheck.SQLite, "select * from a join Main.B", "select a main.b"},
		{sqlcheck.SQLite, "with a as (select * from b) select * from a", "select b"},
		{sqlcheck.SQLite, "with a as (select * from c), c as (select 1) select * from a", "select"},
		{sqlcheck.SQLite, "select * from s where exists (with s as (select 1) select * from s)", "select s"},
		{sqlcheck.SQLite, "with a as (select 1) select * from main.a", "select main.a"},
		{sqlcheck.SQLite, "with a as (select 1) delete from a", "delete a"},
		{sqlcheck.SQLite, "select 1 where 1 in secrets", "select secrets"},
		{sqlcheck.SQLite, "replace into a select * from b", "delete,insert a b"},
		{sqlcheck.SQLite, "insert into a values (1) on conflict do update set b = (select 1 from c)", "insert,update a c"},
		{sqlcheck.SQLite, "select a(1) from b; drop table c", "call,select* b; drop c"},
		{sqlcheck.SQLite, "create table a as select * from b", "create a b"},
		{sqlcheck.SQLite, "alter table a rename to b", "alter a b"},
		{sqlcheck.SQLite, "pragma table_info('A')", "select a"},
		{sqlcheck.SQLite, "select value from json_each(a) , b", "select b"},
		{sqlcheck.SQLite, "select * from 'a', \"B\", [c], `d`", "select a b c d"},
		{sqlcheck.SQLite, "", "no statement"},
		{sqlcheck.SQLite, "select \x00", "NUL"},
		{sqlcheck.SQLite, strings.Repeat("select 1;", 10000), "65536 bytes"},
		{sqlcheck.SQLite, strings.Repeat("/**/", 1000), "500 comments"},
		{"mysql", "select 1", "unknown dialect"},
		{sqlcheck.PostgreSQL, `select * from a join B join "B" on true on true`, "select B a b"},
		{sqlcheck.PostgreSQL, "with a as (select * from b) select * from a", "select b"},
		{sqlcheck.PostgreSQL, "with a as (select * from c), c as (select 1) select * from a", "select c"},
		{sqlcheck.PostgreSQL, "with a as (select * from a) select * from a", "select a"},
		{sqlcheck.PostgreSQL, "with recursive a as (select 1 union select * from a) select * from a", "select"},
		{sqlcheck.PostgreSQL, "select * from s where exists (with s as (select 1) select * from s)", "select s"},
		{sqlcheck.PostgreSQL, "with a as (select 1) select * from x.a", "select x.a"},
		{sqlcheck.PostgreSQL, "with a as (delete from b returning *) insert into a select * from a", "delete,insert a b"},
		{sqlcheck.PostgreSQL, "insert into a values (1) on conflict (a) do update set b = (select 1 from c)", "insert,update a c"},
		{sqlcheck.PostgreSQL, "select a(1) from b; drop table x.c", "call,select* b; drop x.c"},
		{sqlcheck.PostgreSQL, "drop table a cascade", "drop* a"},
		{sqlcheck.PostgreSQL, "drop schema a", "drop*"},
		{sqlcheck.PostgreSQL, "copy a to stdout", "copy a"},
		{sqlcheck.PostgreSQL, "copy a from stdin", "copy,insert a"},
		{sqlcheck.PostgreSQL, "copy a from '/x'", "copy,insert,other* a"},
		{sqlcheck.PostgreSQL, "copy a from program 'x'", "call,copy,insert,other* a"},
		{sqlcheck.PostgreSQL, "explain delete from a using b", "select a b"},
		{sqlcheck.PostgreSQL, "explain select f() from a", "call,select* a"},
		{sqlcheck.PostgreSQL, "explain analyze delete from a", "delete a"},
		{sqlcheck.PostgreSQL, "select * from a for update of a", "lock,select a"},
		{sqlcheck.PostgreSQL, "select * into b from a", "create,select a b"},
		{sqlcheck.PostgreSQL, "(select 1 union select * from a) union (select 1 for update)", "lock,select a"},
		{sqlcheck.PostgreSQL, "select * from only a, lateral (table b) c, f(1)", "call,select* a b"},
		{sqlcheck.PostgreSQL, "select " + strings.Repeat("not ", 1000) + "true", "too deeply"},
		{sqlcheck.PostgreSQL, "select 1" + strings.Repeat(",1", 5000), "select"},
		{sqlcheck.PostgreSQL, "select 1 union " + strings.Repeat("select 1, 2 union ", 500) + "select 1", "too deeply"},
		{sqlcheck.PostgreSQL, "insert into a values (1)" + strings.Repeat(",(1)", 5000), "insert a"},
		{sqlcheck.PostgreSQL, "select 1; select (", "does not take"},
	} {
		got := describe(tt.dialect, tt.text)
		if got != tt.want && (!strings.HasPrefix(got, "error: ") || !strings.Contains(got, tt.want)) {
			t.Errorf("%s: %.80q: %q, want %q", tt.dialect, tt.text, got, tt.want)
		}
	}
}

// describe writes what Read returns on one line; a star is for Opaque.
func describe(d sqlcheck.Dialect, text string) string {
	statements, err := sqlcheck.Read(d, text)
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

// checkJoined reports what one text does and does no longer where another
// follows it behind a semicolon.
func checkJoined(t interface{ Fatalf(string, ...any) }, d sqlcheck.Dialect, first, second string) {
	a, err := sqlcheck.Read(d, first)
	if err != nil {
		return
	}
	both, err := sqlcheck.Read(d, first+"\n;"+second)
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
}

// FuzzRead states for SQLite that no text makes Read panic, and that what one
// text does is still done where another follows it.
func FuzzRead(f *testing.F) {
	table := dialects[sqlcheck.SQLite]
	for _, list := range [][]string{table.harmless, table.writing, table.refused} {
		for i, text := range list {
			f.Add(unescape(text), unescape(list[(i+7)%len(list)]))
		}
	}
	f.Fuzz(func(t *testing.T, first, second string) { checkJoined(t, sqlcheck.SQLite, first, second) })
}

// TestSpliced states the same for PostgreSQL, over texts made of the words of the
// table, and that none of them breaks its parser: built for fuzzing, the runtime
// takes longer to start than the fuzzer waits.
func TestSpliced(t *testing.T) {
	table := dialects[sqlcheck.PostgreSQL]
	all := slices.Concat(table.harmless, table.writing, table.refused)
	var vocabulary []string
	for _, line := range all {
		vocabulary = append(vocabulary, strings.Fields(line)...)
	}
	vocabulary = append(vocabulary, "(", ")", ",", ";", "'", "$$", "/*", "*/", "--", "\n", "[", "]", "::", "not", "-", "\\", "é")
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.Custom(func(t *rapid.T) string {
			words := strings.Fields(rapid.SampledFrom(all).Draw(t, "line"))
			for range rapid.IntRange(0, 3).Draw(t, "changes") {
				at := rapid.IntRange(0, len(words)-1).Draw(t, "at")
				more := strings.Repeat(rapid.SampledFrom(vocabulary).Draw(t, "word")+" ", rapid.SampledFrom([]int{1, 1, 1, 2, 200}).Draw(t, "times"))
				words = slices.Insert(words, at, more)
			}
			return strings.Join(words, " ")
		})
		checkJoined(t, sqlcheck.PostgreSQL, text.Draw(t, "first"), text.Draw(t, "second"))
	})
	if !readOnly(sqlcheck.PostgreSQL, "select 1") {
		t.Error("the parser is lost")
	}
}
