create table t (id int primary key, name text, v numeric(12,2), a int[], j jsonb, b boolean);
insert into t values (1,'Änn & <b>',1234567.5,'{1,2,null}','{"a": [1, 2]}',true),(20,E'a\nb|c',null,null,null,false),(-3,'long long text that wraps around words of the line | _x_ $5 {z} \\ ^ ~ # %',12.25,'{}','null',null);
\pset null '-'
\pset format latex
\pset border 0
select * from t;
\pset border 1
select * from t;
\pset border 2
select * from t;
\pset border 3
select * from t;
\x
select * from t;
\x
\pset format latex-longtable
\pset border 2
select * from t;
\pset tableattr '0.2 0.3'
select id, name, v from t;
\x
select * from t;
\x
\pset tableattr
\pset format asciidoc
\pset border 0
select * from t;
\pset border 1
select * from t;
\pset title foo
\pset border 2
select * from t;
\x
select * from t;
\x
\pset format troff-ms
select * from t;
\x
select * from t;
\x
\pset format html
\pset tableattr 'class="x"'
select * from t;
\x
select * from t;
\x
\pset format wrapped
\pset columns 40
select id, name, v from t;
\pset border 2
select id, name, v from t;
\pset linestyle unicode
select id, name, v from t;
\pset border 0
select id, name, v from t;
\pset linestyle old-ascii
select id, name, v from t;
\pset border 1
select id, name, v from t;
\pset border 2
select id, name, v from t;
\x
select id, name, v from t;
\pset linestyle ascii
select id, name, v from t;
\pset border 1
select id, name, v from t;
\pset border 0
select id, name, v from t;
\pset linestyle unicode
\pset border 2
\pset unicode_border_linestyle double
\pset unicode_column_linestyle double
\pset unicode_header_linestyle double
\pset format aligned
select id, name, v from t;
\x
select id, name, v from t;
select id as "a
b", name from t;
\pset unicode_border_linestyle single
select id, name, v from t;
\pset numericlocale
\pset linestyle ascii
select id, name, v from t;
\pset title 'A title that is longer than the table is wide so that'
select 1;
\x
select 1;
\t
select 1;
\x
\pset format unaligned
\t
select id, name from t;
\x
select id, name from t;
\x
\pset recordsep_zero
\pset fieldsep_zero
select 1 as a,2 as b union all select 3,4;
