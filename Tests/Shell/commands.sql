create table aa (id int, name text);
insert into aa values (1, 'x'), (2, null);
\d aa
\t
\d aa
\t
\a
\d aa
\a
\pset format csv
\d aa
\pset format aligned
\pset border 2
\d aa
\pset border 1
\df nosuch
\dt nosuch
\di
select;
select from aa;
select 1 as "a|b", 'x' as "";
\g
\gx
select '' as e, null as n, ' ' as s;
select E'tab\tx\rcr' as t;
select 1 \; select 2;
select 1; select 2 \g
\echo 'a\nb' "c d" e"f" 'it''s'
\echo :foo :'foo' :"foo" a:b
\set foo bar
\echo :foo :'foo' :"foo" a:foo :foo:foo
\set foo 'a''b"c'
\echo :foo :'foo' :"foo"
\echo -n x
\echo -n
\echo
\qecho hi
\set bar :foo :foo
\echo :bar
\set now `echo out`
\echo :now
\unset foo
\set foo
\echo [:foo]
\if 0 \echo a \else \echo b \endif
\if t
\if f
\echo x
\else
\echo y
\endif
\elif t
\echo z
\endif
\endif
select 1 as one, 2 as two \gset pre_
\echo :pre_one :pre_two
select null as nn \gset
\echo :nn
select 1 as "a b" \gset
\echo :{?nn} :{?one}
select 'x' as a, 'y' as a \gset
select 1 as x \g (title='A b' border=2 null=x)
select 1 as x \g (foo=1)
\r
select 1 as x \g (border=2
\r
\g
\p
\w
select 'create table gg(a int)', 'insert into gg values (1)', null union all select 'drop table gg','select 1 as "ONE"', 'select 2/0' \gexec
select 1/0 \gx
\gset
\echo :ERROR :SQLSTATE :ROW_COUNT :LAST_ERROR_SQLSTATE
select * from aa;
\echo :ERROR :SQLSTATE :ROW_COUNT
update aa set name = 'q';
\echo :ROW_COUNT
\set ECHO queries
select 1;
\set ECHO none
\set QUIET on
create table zz(a int);
drop table zz;
\x
\x
\set QUIET off
\set ON_ERROR_ROLLBACK on
begin;
select 1/0;
select 1;
commit;
\set ON_ERROR_ROLLBACK off
\set VERBOSITY sqlstate
select 1/0;
\set VERBOSITY terse
select nope;
\set VERBOSITY default
begin; select 1/0; select 2; rollback;
\copy aa to stdout csv header
\copy (select 1, 'a' union all select 2, null order by 1) to stdout with (format csv, force_quote *)
\copy aa from program 'echo 7,w' csv
\copy aa from stdin with csv
8,"a,b"
\.
\copy
\copy aa from
\copy aa from nofile
select * from aa order by 1;
\! echo shell
\! exit 3
select 5 as x \g |tr 5 6
\o |tr 5 7
select 5 as x;
\o
\setenv a=b c
\setenv FOO bar
\getenv x FOO
\echo :x
\unset
\prompt
\i
\i nofile
\set a-b 2
\set ON_ERROR_STOP foo
\set VERBOSITY foo
\foo
\a x
\a
\x y
\t z
\timing z
\pset nope
\elif
\else
\endif
\x auto
\pset columns 10
select 'abcdefgh' as a, 2 as b;
\pset columns 0
\x off
\encoding
\h nothing at all
create function f(x int) returns int language sql as 'select x';
\sf f
\sf+ f
\sf nope
\sf
\sv
\sv nope
