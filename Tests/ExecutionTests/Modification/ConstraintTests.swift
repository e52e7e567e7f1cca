import Catalog
import Diagnostics
import Testing

@testable import Execution

/// A script whose last statement must fail.
struct Refusal: CustomTestStringConvertible {
  var name: String
  var setup: String
  var statement: String
  var state: String
  var message: String
  var detail: String?
  var hint: String?

  var testDescription: String { name }
}

@Suite("Constraints refuse what PostgreSQL refuses, in its words")
struct ConstraintTests {
  static let family = """
    create table parent (id int primary key, code text unique, n int not null default 1);
    create table child (id serial primary key, parent_id int references parent, note varchar(9));
    insert into parent values (1, 'a'), (2, 'b'), (3, null);
    insert into child (parent_id, note) values (1, 'x'), (2, null), (null, 'y');
    """

  static let refusals: [Refusal] = [
    Refusal(
      name: "NULL where it must not be", setup: family,
      statement: "insert into parent values (4, 'd', null)", state: "23502",
      message: "null value in column \"n\" of relation \"parent\" violates not-null constraint",
      detail: "Failing row contains (4, d, null)."),
    Refusal(
      name: "a primary key twice", setup: family,
      statement: "insert into parent values (2, 'z')", state: "23505",
      message: "duplicate key value violates unique constraint \"parent_pkey\"",
      detail: "Key (id)=(2) already exists."),
    Refusal(
      name: "a unique text twice", setup: family,
      statement: "insert into parent values (9, 'b')", state: "23505",
      message: "duplicate key value violates unique constraint \"parent_code_key\"",
      detail: "Key (code)=(b) already exists."),
    Refusal(
      name: "a key twice in one statement", setup: family,
      statement: "insert into parent values (7, 'q'), (8, 'r'), (7, 's')", state: "23505",
      message: "duplicate key value violates unique constraint \"parent_pkey\"",
      detail: "Key (id)=(7) already exists."),
    Refusal(
      name: "a child without its parent", setup: family,
      statement: "insert into child (parent_id) values (1), (77)", state: "23503",
      message: "insert or update on table \"child\" violates foreign key constraint"
        + " \"child_parent_id_fkey\"",
      detail: "Key (parent_id)=(77) is not present in table \"parent\"."),
    Refusal(
      name: "a child led to nowhere", setup: family,
      statement: "update child set parent_id = parent_id + 40", state: "23503",
      message: "insert or update on table \"child\" violates foreign key constraint"
        + " \"child_parent_id_fkey\"",
      detail: "Key (parent_id)=(41) is not present in table \"parent\"."),
    Refusal(
      name: "a parent with children", setup: family,
      statement: "delete from parent where id = 2", state: "23503",
      message: "update or delete on table \"parent\" violates foreign key constraint"
        + " \"child_parent_id_fkey\" on table \"child\"",
      detail: "Key (id)=(2) is still referenced from table \"child\"."),
    Refusal(
      name: "a parent's key changed under its children", setup: family,
      statement: "update parent set id = 50 where id = 1", state: "23503",
      message: "update or delete on table \"parent\" violates foreign key constraint"
        + " \"child_parent_id_fkey\" on table \"child\"",
      detail: "Key (id)=(1) is still referenced from table \"child\"."),
    Refusal(
      name: "a check",
      setup: "create table t (a int, b int, check (a < b), constraint small check (b < 100));",
      statement: "insert into t values (1, 2), (5, 5)", state: "23514",
      message: "new row for relation \"t\" violates check constraint \"t_check\"",
      detail: "Failing row contains (5, 5)."),
    Refusal(
      name: "a check on update",
      setup: "create table t (a int check (a > 0)); insert into t values (3);",
      statement: "update t set a = a - 3", state: "23514",
      message: "new row for relation \"t\" violates check constraint \"t_a_check\"",
      detail: "Failing row contains (0)."),
    Refusal(
      name: "keys shifted onto each other",
      setup: "create table t (id int primary key); insert into t values (1), (2), (3);",
      statement: "update t set id = id + 1", state: "23505",
      message: "duplicate key value violates unique constraint \"t_pkey\"",
      detail: "Key (id)=(2) already exists."),
    Refusal(
      name: "MATCH FULL with one NULL",
      setup: """
        create table p (a int, b int, primary key (a, b));
        create table c (a int, b int, foreign key (a, b) references p match full);
        """,
      statement: "insert into c values (1, null)", state: "23503",
      message: "insert or update on table \"c\" violates foreign key constraint \"c_a_b_fkey\"",
      detail: "MATCH FULL does not allow mixing of null and nonnull key values."),
    Refusal(
      name: "a composite key twice",
      setup: "create table e (s int, c int, primary key (s, c)); insert into e values (1, 2);",
      statement: "insert into e values (2, 1), (1, 2)", state: "23505",
      message: "duplicate key value violates unique constraint \"e_pkey\"",
      detail: "Key (s, c)=(1, 2) already exists."),
    Refusal(
      name: "ON CONFLICT DO UPDATE twice for one row",
      setup: "create table t (id int primary key, n int); insert into t values (1, 1);",
      statement: """
        insert into t values (1, 5), (1, 6) on conflict (id) do update set n = excluded.n
        """, state: "21000",
      message: "ON CONFLICT DO UPDATE command cannot affect row a second time",
      hint: "Ensure that no rows proposed for insertion within the same command have duplicate"
        + " constrained values."),
    Refusal(
      name: "NULLS NOT DISTINCT",
      setup: "create table t (a int unique nulls not distinct); insert into t values (null);",
      statement: "insert into t values (null)", state: "23505",
      message: "duplicate key value violates unique constraint \"t_a_key\"",
      detail: "Key (a)=(null) already exists."),
    Refusal(
      name: "RESTRICT",
      setup: """
        create table p (id int primary key);
        create table c (p int references p on delete restrict);
        insert into p values (1); insert into c values (1);
        """,
      statement: "delete from p", state: "23503",
      message: "update or delete on table \"p\" violates foreign key constraint \"c_p_fkey\" on"
        + " table \"c\"",
      detail: "Key (id)=(1) is still referenced from table \"c\"."),
    Refusal(
      name: "TRUNCATE of a parent", setup: family, statement: "truncate parent", state: "0A000",
      message: "cannot truncate a table referenced in a foreign key constraint",
      detail: "Table \"child\" references \"parent\".",
      hint: "Truncate table \"child\" at the same time, or use TRUNCATE ... CASCADE."),
    Refusal(
      name: "a deferrable key at the end of the statement",
      setup: "create table t (id int unique deferrable); insert into t values (1), (2);",
      statement: "insert into t values (1)", state: "23505",
      message: "duplicate key value violates unique constraint \"t_id_key\"",
      detail: "Key (id)=(1) already exists."),
  ]

  @Test("A statement that breaks a rule fails and leaves nothing", arguments: refusals)
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

/// A script and the rows of its last query.
struct Outcome: CustomTestStringConvertible {
  var name: String
  var script: String
  var rows: [String]

  var testDescription: String { name }
}

@Suite("Changes of data do what they say")
struct ChangeTests {
  static let outcomes: [Outcome] = [
    Outcome(
      name: "INSERT with defaults, serial and RETURNING",
      script: """
        create table t (id serial primary key, a text default 'x', b int generated always as (id * 2) stored);
        insert into t (a) values ('p'), (default), (null) returning id, a, b;
        """, rows: ["1|p|2", "2|x|4", "3|null|6"]),
    Outcome(
      name: "INSERT … SELECT from the same table reads the old rows",
      script: """
        create table t (a int); insert into t values (1), (2);
        insert into t select a + 10 from t; select a from t order by a;
        """, rows: ["1", "2", "11", "12"]),
    Outcome(
      name: "UPDATE with a join touches a row once",
      script: """
        create table t (id int primary key, n int); insert into t values (1, 0), (2, 0);
        create table s (id int, d int); insert into s values (1, 5), (1, 7), (2, 9);
        update t set n = n + 1 from s where s.id = t.id; select * from t order by id;
        """, rows: ["1|1", "2|1"]),
    Outcome(
      name: "DELETE … RETURNING",
      script: """
        create table t (a int); insert into t values (1), (2), (3);
        delete from t where a > 1 returning a * 10;
        """, rows: ["20", "30"]),
    Outcome(
      name: "ON CONFLICT DO NOTHING",
      script: """
        create table t (id int primary key, a text); insert into t values (1, 'old');
        insert into t values (1, 'new'), (2, 'b'), (2, 'c') on conflict do nothing;
        select * from t order by id;
        """, rows: ["1|old", "2|b"]),
    Outcome(
      name: "ON CONFLICT DO UPDATE with a condition",
      script: """
        create table t (id int primary key, n int); insert into t values (1, 1), (2, 2);
        insert into t values (1, 10), (2, 20), (3, 30)
          on conflict (id) do update set n = t.n + excluded.n where t.n > 1;
        select * from t order by id;
        """, rows: ["1|1", "2|22", "3|30"]),
    Outcome(
      name: "MERGE",
      script: """
        create table t (id int primary key, n int); insert into t values (1, 1), (2, 2);
        create table s (id int, n int); insert into s values (2, 20), (3, 30), (1, null);
        merge into t using s on s.id = t.id
          when matched and s.n is null then delete
          when matched then update set n = t.n + s.n
          when not matched then insert values (s.id, s.n);
        select * from t order by id;
        """, rows: ["2|22", "3|30"]),
    Outcome(
      name: "keys may be swapped where the order of rows allows it",
      script: """
        create table t (id int primary key); insert into t values (3), (2), (1);
        update t set id = id + 1; select id from t order by id;
        """, rows: ["2", "3", "4"]),
    Outcome(
      name: "a deferrable key may be broken within a statement",
      script: """
        create table t (id int unique deferrable); insert into t values (1), (2), (3);
        update t set id = id + 1; select id from t order by id;
        """, rows: ["2", "3", "4"]),
    Outcome(
      name: "ON DELETE CASCADE through a cycle",
      script: """
        create table a (id int primary key, b int);
        create table b (id int primary key, a int references a on delete cascade);
        alter table a add foreign key (b) references b on delete cascade;
        insert into a values (1, null), (2, null), (9, null);
        insert into b values (1, 1), (2, 2);
        update a set b = 2 where id = 1; update a set b = 1 where id = 2;
        delete from a where id = 1;
        select 'a', id from a union all select 'b', id from b;
        """, rows: ["a|9"]),
    Outcome(
      name: "a tree that goes with its root",
      script: """
        create table t (id int primary key, up int references t on delete cascade);
        insert into t values (1, null), (2, 1), (3, 2), (4, 3), (5, null), (6, 5);
        delete from t where id = 1; select id from t order by id;
        """, rows: ["5", "6"]),
    Outcome(
      name: "ON UPDATE CASCADE and SET NULL",
      script: """
        create table p (id int primary key);
        create table c (p int references p on update cascade on delete set null, k int);
        insert into p values (1), (2); insert into c values (1, 10), (2, 20), (2, 21);
        update p set id = id * 100 where id = 2; delete from p where id = 1;
        select p, k from c order by k;
        """, rows: ["null|10", "200|20", "200|21"]),
    Outcome(
      name: "ON DELETE SET DEFAULT",
      script: """
        create table p (id int primary key);
        create table c (p int default 7 references p on delete set default);
        insert into p values (1), (7); insert into c values (1);
        delete from p where id = 1; select p from c;
        """, rows: ["7"]),
    Outcome(
      name: "rows that refer to each other in one statement",
      script: """
        create table t (id int primary key, up int references t);
        insert into t values (1, 2), (2, 1), (3, 3); delete from t where id < 3;
        select id from t;
        """, rows: ["3"]),
    Outcome(
      name: "a deferred foreign key",
      script: """
        create table p (id int primary key);
        create table c (p int references p deferrable initially deferred);
        begin; insert into c values (5); insert into p values (5); commit;
        begin; delete from p; insert into p values (5); commit;
        select p from c;
        """, rows: ["5"]),
    Outcome(
      name: "the children of a parent that came back are still found",
      script: """
        create table p (id int primary key);
        create table c (p int references p on delete cascade deferrable initially deferred);
        insert into p values (5), (6);
        begin; insert into c values (7); insert into p values (7); commit;
        delete from p where id = 7; select count(*) from c;
        """, rows: ["0"]),
    Outcome(
      name: "TRUNCATE with RESTART IDENTITY",
      script: """
        create table t (id serial, a int); insert into t (a) values (1), (2);
        truncate t restart identity; insert into t (a) values (3); select * from t;
        """, rows: ["1|3"]),
    Outcome(
      name: "savepoints",
      script: """
        create table t (a int); begin; insert into t values (1); savepoint s;
        insert into t values (2); savepoint s; insert into t values (3);
        rollback to s; insert into t values (4); release s; rollback to s;
        insert into t values (5); commit; select a from t order by a;
        """, rows: ["1", "5"]),
    Outcome(
      name: "rollback of definitions",
      script: """
        create table t (a int); begin; drop table t; create table t (b text); rollback;
        insert into t values (1); select a from t;
        """, rows: ["1"]),
    Outcome(
      name: "types of a foreign key that differ in width",
      script: """
        create table p (id bigint primary key); create table c (p smallint references p);
        insert into p values (1), (2); insert into c values (1), (2);
        select c.p from c join p on p.id = c.p order by 1;
        """, rows: ["1", "2"]),
  ]

  @Test("A script gives the rows that PostgreSQL gives", arguments: outcomes)
  func outcome(_ case: Outcome) throws {
    let session = ScriptSession()
    #expect(try session.run(`case`.script) == `case`.rows)
  }
}
