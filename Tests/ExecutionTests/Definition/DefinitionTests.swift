import Catalog
import Diagnostics
import Testing

@testable import Execution

@Suite("Definitions are refused as PostgreSQL refuses them")
struct DefinitionRefusalTests {
  static let refusals: [Refusal] = [
    Refusal(
      name: "a table twice", setup: "create table t (a int);",
      statement: "create table t (b int)", state: "42P07",
      message: "relation \"t\" already exists"),
    Refusal(
      name: "a column twice", setup: "", statement: "create table t (a int, a text)",
      state: "42701", message: "column \"a\" specified more than once"),
    Refusal(
      name: "two primary keys", setup: "",
      statement: "create table t (a int primary key, b int primary key)", state: "42P16",
      message: "multiple primary keys for table \"t\" are not allowed"),
    Refusal(
      name: "a key over no column", setup: "", statement: "create table t (a int, unique (b))",
      state: "42703", message: "column \"b\" named in key does not exist"),
    Refusal(
      name: "a type that is not there", setup: "", statement: "create table t (a foo)",
      state: "42704", message: "type \"foo\" does not exist"),
    Refusal(
      name: "a parent that is not there", setup: "",
      statement: "create table t (a int references p)", state: "42P01",
      message: "relation \"p\" does not exist"),
    Refusal(
      name: "a parent without that key", setup: "create table p (id int primary key, x int);",
      statement: "create table t (a int references p (x))", state: "42830",
      message: "there is no unique constraint matching given keys for referenced table \"p\""),
    Refusal(
      name: "a parent without primary key", setup: "create table p (id int);",
      statement: "create table t (a int references p)", state: "42704",
      message: "there is no primary key for referenced table \"p\""),
    Refusal(
      name: "a foreign key of another type", setup: "create table p (id int primary key);",
      statement: "create table t (a text references p)", state: "42804",
      message: "foreign key constraint \"t_a_fkey\" cannot be implemented",
      detail: "Key columns \"a\" and \"id\" are of incompatible types: text and integer."),
    Refusal(
      name: "NULL and NOT NULL", setup: "", statement: "create table t (a int null not null)",
      state: "42601",
      message: "conflicting NULL/NOT NULL declarations for column \"a\" of table \"t\""),
    Refusal(
      name: "two defaults", setup: "", statement: "create table t (a serial default 1)",
      state: "42601",
      message: "multiple default values specified for column \"a\" of table \"t\""),
    Refusal(
      name: "a partitioned table", setup: "",
      statement: "create table t (a int) partition by range (a)", state: "0A000",
      message: "PARTITION BY is not supported"),
    Refusal(
      name: "dropping a parent",
      setup: "create table p (id int primary key); create table c (p int references p);",
      statement: "drop table p", state: "2BP01",
      message: "cannot drop table p because other objects depend on it",
      detail: "constraint c_p_fkey on table c depends on table p",
      hint: "Use DROP ... CASCADE to drop the dependent objects too."),
    Refusal(
      name: "dropping a table under views",
      setup: """
        create table t (a int); create view v as select a from t;
        create view w as select a from v;
        """, statement: "drop table t", state: "2BP01",
      message: "cannot drop table t because other objects depend on it",
      detail: "view v depends on table t\nview w depends on view v",
      hint: "Use DROP ... CASCADE to drop the dependent objects too."),
    Refusal(
      name: "dropping a function under parts of a table, a domain and views",
      setup: """
        create function f(int) returns int language sql immutable as 'select $1 + 1';
        create table t (a int check (f(a) > 0), b int default f(1));
        create index i on t (f(a));
        create domain d as int check (f(value) > 0);
        create view v as select f(1) as x; create view w as select x from v;
        create materialized view m as select f(2);
        """, statement: "drop function f(int)", state: "2BP01",
      message: "cannot drop function f(integer) because other objects depend on it",
      detail: """
        default value for column b of table t depends on function f(integer)
        constraint t_a_check on table t depends on function f(integer)
        index i depends on function f(integer)
        constraint d_check depends on function f(integer)
        view v depends on function f(integer)
        view w depends on view v
        materialized view m depends on function f(integer)
        """,
      hint: "Use DROP ... CASCADE to drop the dependent objects too."),
    Refusal(
      name: "dropping a column under a view",
      setup: "create table t (a int, b int); create view v as select a from t;",
      statement: "alter table t drop column a", state: "2BP01",
      message: "cannot drop column a of table t because other objects depend on it",
      detail: "view v depends on column a of table t",
      hint: "Use DROP ... CASCADE to drop the dependent objects too."),
    Refusal(
      name: "dropping what is not there", setup: "", statement: "drop table nope",
      state: "42P01", message: "table \"nope\" does not exist"),
    Refusal(
      name: "dropping a view as a table", setup: "create view v as select 1 as a;",
      statement: "drop table v", state: "42809", message: "\"v\" is not a table",
      hint: "Use DROP VIEW to remove a view."),
    Refusal(
      name: "NOT NULL over NULLs", setup: "create table t (a int); insert into t values (null);",
      statement: "alter table t alter a set not null", state: "23502",
      message: "column \"a\" of relation \"t\" contains null values"),
    Refusal(
      name: "a new column NOT NULL without default",
      setup: "create table t (a int); insert into t values (1);",
      statement: "alter table t add b int not null", state: "23502",
      message: "column \"b\" of relation \"t\" contains null values"),
    Refusal(
      name: "a check that rows break", setup: "create table t (a int); insert into t values (1);",
      statement: "alter table t add check (a > 1)", state: "23514",
      message: "check constraint \"t_a_check\" of relation \"t\" is violated by some row"),
    Refusal(
      name: "a key that rows break",
      setup: "create table t (a int); insert into t values (1), (1);",
      statement: "alter table t add unique (a)", state: "23505",
      message: "could not create unique index \"t_a_key\"",
      detail: "Key (a)=(1) is duplicated."),
    Refusal(
      name: "a foreign key that rows break",
      setup: """
        create table p (id int primary key); create table t (a int); insert into t values (5);
        """, statement: "alter table t add foreign key (a) references p", state: "23503",
      message: "insert or update on table \"t\" violates foreign key constraint \"t_a_fkey\"",
      detail: "Key (a)=(5) is not present in table \"p\"."),
    Refusal(
      name: "a type without a way to it",
      setup: "create table t (a text); insert into t values ('1');",
      statement: "alter table t alter a type int", state: "42804",
      message: "column \"a\" cannot be cast automatically to type integer",
      hint: "You might need to specify \"USING a::integer\"."),
    Refusal(
      name: "NULL in a primary key's column", setup: "create table t (a int primary key);",
      statement: "alter table t alter a drop not null", state: "42P16",
      message: "column \"a\" is in a primary key"),
    Refusal(
      name: "fewer columns of a view", setup: "create view v as select 1 as a, 2 as b;",
      statement: "create or replace view v as select 1 as a", state: "42P16",
      message: "cannot drop columns from view"),
    Refusal(
      name: "another name in a view", setup: "create view v as select 1 as a;",
      statement: "create or replace view v as select 1 as b", state: "42P16",
      message: "cannot change name of view column \"a\" to \"b\"",
      hint: "Use ALTER VIEW ... RENAME COLUMN ... to change name of view column instead."),
    Refusal(
      name: "the end of a sequence",
      setup: "create sequence s maxvalue 2; select nextval('s'); select nextval('s');",
      statement: "select nextval('s')", state: "2200H",
      message: "nextval: reached maximum value of sequence \"s\" (2)"),
    Refusal(
      name: "a sequence not used yet", setup: "create sequence s;",
      statement: "select currval('s')", state: "55000",
      message: "currval of sequence \"s\" is not yet defined in this session"),
    Refusal(
      name: "a sequence that a default uses", setup: "create table t (a serial);",
      statement: "drop sequence t_a_seq", state: "2BP01",
      message: "cannot drop sequence t_a_seq because other objects depend on it",
      detail: "default value for column a of table t depends on sequence t_a_seq",
      hint: "Use DROP ... CASCADE to drop the dependent objects too."),
    Refusal(
      name: "a schema with something in it",
      setup: "create schema s; create table s.t (a int);", statement: "drop schema s",
      state: "2BP01", message: "cannot drop schema s because other objects depend on it",
      detail: "table s.t depends on schema s",
      hint: "Use DROP ... CASCADE to drop the dependent objects too."),
    Refusal(
      name: "a label twice", setup: "create type m as enum ('a', 'b');",
      statement: "alter type m add value 'a'", state: "42710",
      message: "enum label \"a\" already exists"),
    Refusal(
      name: "a function in another language", setup: "",
      statement: "create function f() returns int language python as 'x'", state: "0A000",
      message: "LANGUAGE python is not supported"),
    Refusal(
      name: "the index of a constraint", setup: "create table t (a int primary key);",
      statement: "drop index t_pkey", state: "2BP01",
      message: "cannot drop index t_pkey because constraint t_pkey on table t requires it",
      hint: "You can drop constraint t_pkey on table t instead."),
    Refusal(
      name: "a constraint that is not there", setup: "create table t (a int);",
      statement: "alter table t drop constraint c", state: "42704",
      message: "constraint \"c\" of relation \"t\" does not exist"),
  ]

  @Test("A definition that cannot be fails and leaves nothing", arguments: refusals)
  func refusal(_ case: Refusal) throws {
    let session = ScriptSession()
    try session.run(`case`.setup)
    let before = session.state.current
    let error = session.failure(`case`.statement)
    #expect(error?.state.code == `case`.state)
    #expect(error?.message == `case`.message)
    #expect(error?.detail == `case`.detail)
    #expect(error?.hint == `case`.hint)
    #expect(session.state.current === before)
  }
}

@Suite("Definitions change what they say, rows included")
struct DefinitionTests {
  static let outcomes: [Outcome] = [
    Outcome(
      name: "ADD COLUMN with a default, over deleted rows",
      script: """
        create table t (a int primary key); insert into t values (1), (2), (3);
        delete from t where a = 2; alter table t add b text not null default 'x', add c serial;
        insert into t (a) values (4); select * from t order by a;
        """, rows: ["1|x|1", "3|x|2", "4|x|3"]),
    Outcome(
      name: "DROP COLUMN moves keys and references",
      script: """
        create table p (x text, id int primary key); insert into p values ('a', 1), ('b', 2);
        create table c (y text, p int references p on delete cascade, n int unique);
        insert into c values ('q', 1, 5), ('r', 2, 6);
        alter table p drop column x; alter table c drop y; delete from p where id = 1;
        insert into p values (7); insert into c values (7, 8); select * from c order by n;
        """, rows: ["2|6", "7|8"]),
    Outcome(
      name: "ALTER TYPE with USING",
      script: """
        create table t (a text unique); insert into t values ('10'), ('9');
        alter table t alter a type int using a::int + 1; select a from t order by a;
        """, rows: ["10", "11"]),
    Outcome(
      name: "a key's column changes its type under its children",
      script: """
        create table p (id int primary key); create table c (p int references p on delete cascade);
        insert into p values (1), (2); insert into c values (1), (2);
        alter table p alter id type bigint; insert into p values (3); insert into c values (3);
        delete from p where id = 1; select p from c order by p;
        """, rows: ["2", "3"]),
    Outcome(
      name: "renames are followed by checks, generated columns and views",
      script: """
        create table t (a int check (a > 0), b int generated always as (a * 2) stored);
        create view v as select a, b from t where t.a > 1;
        alter table t rename column a to k; alter table t rename to u;
        insert into u (k) values (1), (2); select * from v;
        """, rows: ["2|4"]),
    Outcome(
      name: "a view's star stays as it was",
      script: """
        create table t (a int); create view v as select * from t; alter table t add b int;
        insert into t values (1, 2); select * from v;
        """, rows: ["1"]),
    Outcome(
      name: "CREATE TABLE AS",
      script: """
        create table t (a int, b text); insert into t values (1, 'x'), (2, 'y');
        create table u (k) as select a + 1, b, null as n from t; select k, b, n from u order by k;
        """, rows: ["2|x|null", "3|y|null"]),
    Outcome(
      name: "LIKE with everything",
      script: """
        create table t (a int primary key, b text default 'd', check (a > 0));
        create table u (like t including all, c int); insert into u (a) values (1);
        select * from u;
        """, rows: ["1|d|null"]),
    Outcome(
      name: "DROP CASCADE",
      script: """
        create table p (id int primary key); create table c (p int references p);
        create view v as select * from p; drop table p cascade; insert into c values (99);
        select p from c;
        """, rows: ["99"]),
    Outcome(
      name: "identity, RESTART and setval",
      script: """
        create table t (id int generated always as identity (start with 10 increment by 5), a int);
        insert into t (a) values (1), (2); alter table t alter id restart with 100;
        insert into t (a) values (3); select setval('t_id_seq', 200); insert into t (a) values (4);
        select id from t order by id;
        """, rows: ["10", "15", "100", "205"]),
    Outcome(
      name: "an enum grows in its middle",
      script: """
        create type m as enum ('low', 'high'); create table t (m m); insert into t values ('high'), ('low');
        alter type m add value 'mid' before 'high'; insert into t values ('mid');
        select m from t order by m;
        """, rows: ["low", "mid", "high"]),
    Outcome(
      name: "functions in SQL",
      script: """
        create table t (a int); insert into t values (1), (2), (3);
        create function f(n int, m int default 1) returns setof int language sql
          as $$ select a from t where a > n order by a limit m $$;
        select * from f(1);
        """, rows: ["2"]),
    Outcome(
      name: "functions that return a table",
      script: """
        create table t (a int, b text); insert into t values (1, 'x');
        create function f() returns table (k int, s text) language plpgsql
          as $$ begin return query select a, b from t; end $$;
        select k, s from f();
        """, rows: ["1|x"]),
    Outcome(
      name: "a constraint added to rows that are there",
      script: """
        create table p (id int); insert into p values (1), (2); alter table p add primary key (id);
        create table c (p int); insert into c values (1), (2);
        alter table c add foreign key (p) references p on delete cascade;
        delete from p where id = 1; select p from c;
        """, rows: ["2"]),
    Outcome(
      name: "a unique index, and without it",
      script: """
        create table t (a int); create unique index i on t (a); insert into t values (1);
        drop index i; insert into t values (1); select count(*) from t;
        """, rows: ["2"]),
    Outcome(
      name: "a table with three foreign keys",
      script: """
        create table a (id int primary key); create table b (id int primary key);
        create table c (id int primary key);
        create table j (a int not null references a on delete cascade, b int not null references b on delete cascade, c int not null references c, primary key (a, b, c));
        insert into a values (1), (2); insert into b values (1); insert into c values (1);
        insert into j values (1, 1, 1), (2, 1, 1); delete from a where id = 2;
        select a, b, c from j;
        """, rows: ["1|1|1"]),
    Outcome(
      name: "schemas",
      script: """
        create schema s create table t (a int); insert into s.t values (5); alter schema s rename to r;
        select a from r.t;
        """, rows: ["5"]),
  ]

  @Test("A script gives the rows that PostgreSQL gives", arguments: outcomes)
  func outcome(_ case: Outcome) throws {
    let session = ScriptSession()
    #expect(try session.run(`case`.script) == `case`.rows)
  }

  @Test("Constraints get PostgreSQL's names")
  func names() throws {
    let session = ScriptSession()
    try session.run(
      """
      create table p (id int primary key);
      create table t (a int unique, b int check (b > 0) references p, c int,
        unique (a, b), check (a < b), check (c > 0), check (c > 1), primary key (c));
      create index on t (a, (b + 1)); create index on t (a);
      """)
    guard case .table(let table)? = session.state.current.catalog.relation(schema: nil, "t") else {
      Issue.record("the table is not there")
      return
    }
    #expect(table.keys.map(\.name) == ["t_pkey", "t_a_key", "t_a_b_key"])
    #expect(table.foreignKeys.map(\.name) == ["t_b_fkey"])
    #expect(table.checks.map(\.name) == ["t_b_check", "t_check", "t_c_check", "t_c_check1"])
    #expect(table.indexes.map(\.name) == ["t_a_expr_idx", "t_a_idx"])
  }

  @Test("What is passed over is said")
  func notices() throws {
    let session = ScriptSession()
    try session.run("create table t (a int)")
    try session.run("create table if not exists t (b int)")
    #expect(session.notices.map(\.message) == ["relation \"t\" already exists, skipping"])
    try session.run("drop table if exists u")
    #expect(session.notices.map(\.message) == ["table \"u\" does not exist, skipping"])
    try session.run("create view v as select a from t; create view w as select a from t")
    try session.run("drop table t cascade")
    #expect(session.notices.map(\.message) == ["drop cascades to 2 other objects"])
    #expect(
      session.notices.first?.detail == "drop cascades to view v\ndrop cascades to view w")
  }
}
