package sqlcheck_test

import "strings"

// The tables: one statement a line, in a database that the live tests fill with
// customers (id, name, email), orders (id, customer, total) and, for PostgreSQL,
// schema hr with salaries (id, amount), sequence ids, and a view big of orders.

func lines(text string) []string {
	return strings.Split(strings.TrimSpace(text), "\n")
}

// liteHarmless only read.
var liteHarmless = lines(`
select 1
select * from customers
select name, upper(email) from main.customers where id = 1
select c.name, sum(o.total) from customers c join orders o on o.customer = c.id group by c.id having sum(o.total) > 1
select * from customers where name = 'drop table customers'
select * from customers -- ; delete from customers
select /* ; drop table customers */ 1
with a as (select id from orders) select * from a
with recursive n(i) as (select 1 union all select i + 1 from n where i < 5) select i from n
select * from (select id from orders) x
select id from customers union select id from orders
select id from customers except select id from orders order by 1 limit 5
values (1, 2), (3, 4)
explain select * from customers
explain query plan select * from orders where id = 3
explain delete from customers
explain insert into orders values (9, 9, 9)
pragma table_info(customers)
pragma main.index_list(orders)
pragma user_version
pragma journal_mode
pragma foreign_keys
pragma database_list
pragma compile_options
select count(*) filter (where total > 1) from orders
select row_number() over (partition by customer order by total) from orders
select rank() over w from orders window w as (order by total)
select case when total > 1 then 'a' else 'b' end from orders
select cast(total as text) from orders
select exists(select 1 from orders where id = 1)
select * from customers where id in (select customer from orders)
select * from customers where id in (1, 2, 3)
select json_extract('{"a":1}', '$.a')
select value from json_each('[1,2]')
select date('now'), strftime('%Y', 'now'), julianday('now')
select coalesce(name, 'x'), length(name), substr(name, 1, 2) from customers
select name like 'a%' or name glob 'b*' from customers
select "name" from "customers"
select [name] from [customers]
select printf('%d', 3), hex('a'), quote('a')
select random(), abs(-1), round(1.5)
select group_concat(name, ',') from customers
select total_changes(), changes(), last_insert_rowid()
select 'it''s; delete from orders'
select * from sqlite_schema
select 1; select 2
select max(id), min(id), avg(id) from orders
select typeof(id), iif(id = 1, 2, 3) from orders
select name from pragma_table_info where arg = 'orders'
select * from pragma_user_version
`)

// liteWriting change the database, the connection or a file.
var liteWriting = lines(`
insert into orders values (7, 1, 1)
insert or replace into customers values (1, 'x', 'y')
replace into customers values (1, 'x', 'y')
insert into customers select id + 100, name, email from customers
insert into customers values (1, 'x', 'y') on conflict (id) do update set name = 'z'
update customers set name = 'x'
update customers set name = 'x' where id = 1 returning id
delete from customers
delete from customers where id = 1
select 1; delete from customers
select 1 -- \n; delete from customers
/* select */ delete from customers
with a as (select 1) delete from customers
with a as (select 1 as i) insert into orders select i + 50, i, i from a
with a as (select 2 as i) update orders set total = (select i from a)
create table t (a)
create table t as select * from customers
create temp table t (a)
create view v as select 1
create index i on orders (total)
create trigger g after insert on orders begin delete from customers; end
create virtual table f using fts5(a)
alter table orders rename to orders2
alter table orders add column x
alter table orders drop column total
drop table orders
drop table if exists orders
drop view if exists old_view
drop index old_index
attach 'FILE' as other
attach database 'FILE' as main2
vacuum into 'FILE'
vacuum
pragma user_version = 3
pragma user_version(3)
pragma application_id = 7
pragma foreign_keys = on
pragma writable_schema = on
pragma recursive_triggers = 1
explain pragma foreign_keys = on
begin
begin immediate
savepoint s
analyze
delete from customers returning *
DeLeTe/**/FrOm/**/customers
delete from "customers"
update or ignore orders set total = 5
insert into orders default values
select * from pragma_optimize
select * from "Pragma_Optimize" where arg = 0x10002
select (select count(*) from pragma_optimize) from orders
`)

// liteRefused are no statements, or nobody can say what they do.
var liteRefused = lines(`
select load_extension('x')
select writefile('x', 'y')
select my_function(1)
select * from generate_everything(1)
select * from pragma_optimize(0x10002)
select * from pragma_secure_delete
select * from orders where id in pragma_optimize
select data from fsdir where path = '/etc/passwd'
pragma wal_checkpoint
pragma optimize
commit
rollback
detach other
reindex
explain attach 'x' as y
select * from
selekt 1
.shell ls
select 'open
-- nothing
;
do $$ begin end $$
copy orders to stdout
select 1 from customers for update
`)

// pgHarmless only read.
var pgHarmless = lines(`
select 1
select * from customers
select name, upper(email) from public.customers where id = 1
select c.name, sum(o.total) from customers c join orders o on o.customer = c.id group by c.id, c.name having sum(o.total) > 1
select * from customers where name = 'drop table customers'
select * from customers -- ; delete from customers
select /* /* nested */ ; drop table customers */ 1
select $$; drop table customers; $$
select $a$ ; delete from orders $a$
select e'\'; drop table orders; --'
with a as (select id from orders) select * from a
with a as materialized (select 1 as i) select i from a
with recursive n(i) as (select 1 union all select i + 1 from n where i < 5) select i from n
select * from (select id from orders) x
select id from customers union select id from orders
select id from customers except select id from orders order by 1 limit 5
values (1, 2), (3, 4)
table customers
explain select * from customers
explain delete from customers
explain (format json) insert into orders values (9, 9, 9)
explain analyze select * from customers
show search_path
show all
select count(*) filter (where total > 1) from orders
select row_number() over (partition by customer order by total) from orders
select rank() over w from orders window w as (order by total)
select case when total > 1 then 'a' else 'b' end from orders
select total::text, cast(id as bigint) from orders
select exists(select 1 from orders where id = 1)
select * from customers where id in (select customer from orders)
select * from customers where id = any (array[1, 2, 3])
select '{"a":1}'::json->>'a', jsonb_build_object('a', 1)
select * from json_each('{"a":1}')
select now(), date_trunc('day', now()), extract(year from now())
select coalesce(name, 'x'), length(name), substring(name from 1 for 2) from customers
select name ilike 'a%' or name ~ '^b' or name similar to 'c%' from customers
select "name" from "customers"
select string_agg(name, ',' order by name) from customers
select distinct on (customer) id from orders order by customer, total
select * from customers left join lateral (select * from orders where customer = customers.id) o on true
select * from generate_series(1, 3) g
select array_agg(id), json_agg(name) from customers
select customer, grouping(customer) from orders group by grouping sets ((customer), ())
select relname from pg_catalog.pg_class limit 1
select table_name from information_schema.tables limit 1
select pg_size_pretty(pg_total_relation_size('orders'))
select current_user, current_date, version()
select id at time zone 'UTC' from (select now() as id) x
select 1; select 2
select * from big
select pg_catalog.lower('A'), greatest(1, 2), nullif(1, 2)
select * from orders tablesample system (50)
`)

// pgWriting change the database, the session or a file.
var pgWriting = lines(`
insert into orders values (7, 1, 1)
insert into customers select id + 100, name, email from customers
insert into customers values (1, 'x', 'y') on conflict (id) do update set name = 'z'
update customers set name = 'x'
update customers set name = 'x' where id = 1 returning id
delete from customers
delete from only customers where id = 1
select 1; delete from customers
/* select */ delete from customers
with a as (delete from customers returning *) select * from a
with a as (insert into orders values (70, 1, 1) returning id) select * from a
with a as (update orders set total = 0 returning id), b as (select 1) select * from b
select * into t from customers
create table t as select * from customers
create table t (a int)
create temp table t (a int)
create view v as select 1 as a
create index i on orders (total)
create sequence s
create schema s
create function f() returns int language sql as 'select 1'
create role licet_test_role
create extension if not exists plpgsql; comment on table orders is 'x'
alter table orders rename to orders2
alter table orders add column x int
alter sequence ids restart with 40
drop table orders cascade
drop view big
truncate orders
truncate customers, orders
merge into orders o using customers c on o.id = c.id when matched then update set total = 9
grant select on orders to public
select nextval('ids')
select setval('ids', 20)
select set_config('work_mem', '5MB', false)
select lo_create(0)
select lo_from_bytea(0, 'abc')
select pg_advisory_lock(1)
select query_to_xml('select nextval(''ids'')', true, true, '')
select * from customers where nextval('ids') > 0
explain analyze delete from customers
explain (analyze, costs off) update customers set name = 'x'
explain (analyze) insert into orders values (70, 1, 1)
copy customers to 'FILE'
copy (select 1) to program 'touch FILE'
copy orders from program 'echo 80,1,1' with (format csv)
do $$ begin delete from customers; end $$
do language plpgsql 'begin perform nextval(''ids''); end'
prepare p as select 1
prepare p as delete from customers; execute p
set work_mem = '5MB'
set session characteristics as transaction read only
listen chan
begin; declare c cursor with hold for select 1; commit
select pg_current_xact_id(); create table t ()
begin; lock table orders; delete from orders; commit
create rule r as on insert to orders do also nothing
create materialized view m as select 1 as a
DeLeTe/**/FrOm/**/customers
call wipe()
select e'\\'; drop view big; --'
`)

// pgRefused are no statements, nobody can say what they do, or what they do is
// not seen in this database.
var pgRefused = lines(`
select pg_read_file('/etc/passwd')
select lo_import('/etc/passwd')
select lo_export(1, '/x')
select dblink('host=evil.example', 'select 1')
select dblink_exec('x', 'y')
select pg_sleep(10)
select pg_notify('a', 'b')
select pg_terminate_backend(1)
select pg_ls_dir('.')
select txid_current()
select my_function(1)
select public.lower('A')
select hr.f(id) from orders
select 1 operator(hr.+) 2
select * from customers for update
select * from customers for share
select * from customers order by name using operator(hr.<)
select * from a.b.c
notify a
begin
commit; drop schema public cascade
rollback
savepoint a
vacuum
analyze orders
reindex table orders
checkpoint
load 'x'
execute p
reset all
discard all
close all
create trigger g after insert on orders execute function f()
create table t as execute p
explain execute p
explain analyse delete from orders
explain (analyse) delete from orders
select 1 union (select 1 into t)
values (my_function(1))
select * from rows from (my_function(1))
select (select pg_read_file('x'))
select * from orders order by my_function(id)
select 1 from orders limit (select nextval('ids'))
select * from orders o join lateral my_function(o.id) f on true
explain analyze create table t as select 1
alter system set work_mem = '5MB'
security label on table orders is 'x'
import foreign schema a from server b into c
select * from
selekt 1
\! ls
select 'open
-- nothing
;
pragma user_version
attach 'x' as y
`)
