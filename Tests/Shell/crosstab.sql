create table s (r text, c text, v int);
insert into s values ('a','x',1),('a','y',2),('b','x',3),('c',null,4),(null,'z',5);
select r,c,v from s \crosstabview
select r,c,v from s \crosstabview r c v
select r,c,v from s \crosstabview 2 1 3
select r,c,v from s order by 1 desc \crosstabview r c v v
select r,c,v from s order by 1 desc \crosstabview r c v r
select r,c from s \crosstabview
select r,c,v,v from s \crosstabview
select r,c,v from s \crosstabview r r
select r,c,v from s \crosstabview 5
select r,c,v from s \crosstabview foo
select r,c,v,v from s \crosstabview r c v
select r,c,v from s union all select 'a','x',7 \crosstabview
select r,c,v from s where false \crosstabview
create table u() \crosstabview
select 1 as "A", 2 as a, 3 as b \crosstabview "A" a b
select 1 as "A", 2 as a, 3 as b \crosstabview A a b
select x, y, x*y as p from generate_series(1,3) x, generate_series(1,3) y \crosstabview
select 1, 2, 3 \crosstabview 0
\crosstabview
select nope \crosstabview
\t
select r,c,v from s \crosstabview
\t
\x
select r,c,v from s \crosstabview
\x
\pset null N
select r,c,v from s \crosstabview
