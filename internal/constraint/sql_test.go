package constraint

import (
	"testing"

	"github.com/licet-dev/licet/internal/sqlcheck"
	"github.com/licet-dev/licet/internal/toolcall"
)

// sqlTable has statements that hold and that do not, for each way to write the
// constraint. What statements do is tested in package sqlcheck.
var sqlTable = []kindCase{
	{
		spec: `{"sql": {"dialect": "postgresql", "read_only": true}}`,
		permits: []string{`"select 1"`, `"select * from a; select * from b"`, `"explain delete from a"`, `"with a as (select 1) table a"`, `"show all"`,
			`"select 'delete from a'"`, `"values (1)"`, `"select lower(name) from a"`, `"select 1 -- x"`, `"SELECT/**/1;"`},
		refuses: []string{"", "null", "7", `""`, `["select 1"]`, `"delete from a"`, `"select 1; drop table a"`, `"select f()"`, `"select * from a for update"`, `"selec 1"`, `"begin"`, `"select 1\u0000"`,
			`"with a as (delete from b returning *) table a"`, `"explain analyze delete from a"`, `"pragma user_version"`, `"select pg_read_file('/etc/passwd')"`},
		forbids: []string{`"select 1"`, `"table a"`, `"delete from a; select 1"`, `"select f()"`, `"selec 1"`, `""`, "7", "[]", "{}", `"do 'x'"`},
		passes: []string{"", "null", `"delete from a"`, `"drop table a"`, `"begin"`, `"update a set b = 1"`, `"truncate a"`, `"vacuum"`, `"set a = 1"`, `"insert into a select * from b"`,
			`"lock table a"`, `"create table a (b int)"`},
	},
	{
		spec: `{"sql": {"dialect": "postgresql", "statements": ["select", "insert"], "tables": ["orders", "public.*", "audit.log"]}}`,
		permits: []string{`"select * from orders"`, `"insert into orders select * from public.x"`, `"select 1"`, `"select * from ORDERS"`, `"insert into audit.log values (1)"`, `"with x as (select 1) select * from x"`,
			`"select * from public.a join public.b using (c)"`, `"insert into orders values (1) returning *"`, `"select * from \"orders\""`, `"select 1; select 2"`},
		refuses: []string{"", `"select * from x"`, `"select * from \"ORDERS\""`, `"select * from audit.orders"`, `"delete from orders"`, `"select f() from orders"`, `"select * from hr.orders"`, `"insert into log values (1)"`,
			`"insert into orders values (1) on conflict (a) do update set b = 2"`, `"select * from orders where exists (select 1 from salaries)"`, `"select * into public.x from orders"`},
		forbids: []string{`"select * from orders"`, `"SELECT * FROM \"ORDERS\""`, `"select * from hr.orders"`, `"insert into log values (1)"`, `"select * from x; select * from orders"`, `"select f()"`, `"alter system reset all"`,
			`"select * from x"`, `"x"`, `"insert into orders select 1"`},
		passes: []string{"", "null", `"select 1"`, `"select 1 from hr.y"`, `"delete from orders"`, `"select * from hr.x"`, `"drop table orders"`, `"truncate orders"`, `"select * from audit.x"`, `"insert into hr.log values (1)"`,
			`"grant select on orders to x"`, `"vacuum orders"`},
	},
	{
		spec: `{"sql": {"dialect": "sqlite", "tables": ["Orders", "main.*"]}}`,
		permits: []string{`"select * from orders"`, `"select * from ORDERS"`, `"select * from [Orders], main.x"`, `"select 1"`, `"pragma table_info(orders)"`, `"explain select * from orders"`, `"values (1)"`,
			`"with x as (select * from orders) select * from x"`, `"select value from json_each('[1]')"`, `"pragma user_version"`},
		refuses: []string{"", `"select * from x"`, `"delete from orders"`, `"select f() from orders"`, `"attach 'x' as y"`, `"select * from temp.orders"`, `"select * from orders where 1 in x"`, `"select 1 from"`, `"vacuum"`, `"pragma user_version = 1"`, "true"},
		forbids: []string{`"delete from orders"`, `"select * from main.x"`, `"select * from x join orders"`, `"select f()"`, `"attach 'x' as y"`, `"vacuum"`, `"select * from x"`, `"drop table x"`, `"("`, `"pragma optimize"`},
		passes: []string{"", "null", `"select 1"`, `"begin"`, `"commit"`, `"select * from temp.x"`, `"delete from temp.x"`, `"values (1)"`, `"pragma user_version"`, `"explain select * from temp.x"`, `"savepoint a"`,
			`"drop table temp.x"`},
	},
}

func TestSQL(t *testing.T) { checkKinds(t, sqlTable, home) }

// TestSQLWithin compares constraints that differ in one word.
func TestSQLWithin(t *testing.T) {
	lite := func(rest string) *Set { return compile(t, `{"sql": {"dialect": "sqlite", `+rest+`}}`, local) }
	for _, tt := range []struct {
		a, b             string
		permits, forbids bool
	}{
		{`"read_only": true`, `"read_only": true`, true, true},
		{`"read_only": true`, `"statements": ["select", "insert"]`, true, false},
		{`"statements": ["select", "insert"]`, `"read_only": true`, false, false},
		{`"statements": ["select"]`, `"read_only": true`, true, false},
		{`"statements": ["insert"]`, `"statements": ["insert", "drop"]`, true, true},
		{`"read_only": true, "tables": ["a"]`, `"read_only": true`, true, true},
		{`"read_only": true`, `"read_only": true, "tables": ["a"]`, false, false},
		{`"tables": ["main.a"]`, `"tables": ["*.a"]`, true, true},
		{`"tables": ["a"]`, `"tables": ["*.a"]`, false, false},
		{`"tables": ["a"]`, `"tables": ["*"]`, true, true},
		{`"tables": ["*"]`, `"tables": ["a"]`, false, false},
	} {
		a, b := lite(tt.a), lite(tt.b)
		if got := a.PermitsWithin(b); got != tt.permits {
			t.Errorf("%s permits within %s: %t", tt.a, tt.b, got)
		}
		if got := a.ForbidsWithin(b); got != tt.forbids {
			t.Errorf("%s forbids within %s: %t", tt.a, tt.b, got)
		}
	}
	post := compile(t, `{"sql": {"dialect": "postgresql", "read_only": true}}`, local)
	if post.PermitsWithin(lite(`"read_only": true`)) || post.ForbidsWithin(lite(`"read_only": true`)) {
		t.Error("one dialect is within another")
	}
}

// FuzzSQL states that joining statements by a semicolon never makes a permitting
// constraint hold that fails for the first of them, where that can be read, and
// never turns a forbidding one off. It does so for SQLite; package sqlcheck says
// why, and tests that the statements of a text stay what they are in both
// dialects.
func FuzzSQL(f *testing.F) {
	lite := sqlTable[2]
	for _, list := range [][]string{lite.permits, lite.refuses, lite.forbids, lite.passes} {
		for i, text := range list {
			if text != "" {
				f.Add(value(f, text).Text(), value(f, list[len(list)-1-i%2]).Text())
			}
		}
	}
	k := compile(f, lite.spec, local).kinds[0].(*sqlKind)
	f.Fuzz(func(t *testing.T, first, second string) {
		if _, err := sqlcheck.Read(k.dialect, first); err != nil {
			return
		}
		a, joined := toolcall.StringOf(first), toolcall.StringOf(first+"\n;"+second)
		if k.unmet(a, Answers{}) != "" && k.unmet(joined, Answers{}) == "" {
			t.Fatalf("%q does not hold, and does with %q", first, second)
		}
		if k.met(a, Answers{}) != "" && k.met(joined, Answers{}) == "" {
			t.Fatalf("%q matches, and does not with %q", first, second)
		}
	})
}
