import Columnar
import Diagnostics
import Testing

@testable import Execution

/// A query over a small school and what it gives.
struct QueryCase: CustomTestStringConvertible, Sendable {
  var name: String
  var sql: String
  var rows: [String]

  var testDescription: String { name }

  init(_ name: String, _ sql: String, _ rows: [String]) {
    self.name = name
    self.sql = sql
    self.rows = rows
  }
}

@Suite("A query gives")
struct QueryTests {
  static let school = """
    create table student (id int primary key, name text, form int);
    create table course (id int primary key, name text, points int);
    create table enrolment (student_id int references student, course_id int references course,
      grade int, primary key (student_id, course_id));
    insert into student values (1, 'Ada', 1), (2, 'Ben', 1), (3, 'Cy', 2), (4, 'Di', null);
    insert into course values (1, 'Art', 5), (2, 'Biology', 10), (3, 'Chess', null);
    insert into enrolment values (1, 1, 4), (1, 2, 2), (2, 2, null), (3, 2, 5);
    """

  static let cases: [QueryCase] = [
    QueryCase(
      "the neighbours of one row",
      """
      select c.name from enrolment e join course c on c.id = e.course_id
      where e.student_id = 1 order by 1
      """, ["Art", "Biology"]),
    QueryCase(
      "rows without neighbours",
      """
      select name from student s
      where not exists (select 1 from enrolment e where e.student_id = s.id)
      """, ["Di"]),
    QueryCase(
      "no row for NOT IN with a NULL among the values",
      "select id from student where id not in (select grade from enrolment)", []),
    QueryCase(
      "NULL marks of IN",
      "select id, id in (select grade from enrolment) from student order by 1",
      ["1|null", "2|t", "3|null", "4|t"]),
    QueryCase(
      "counts of zero through an outer join",
      """
      select c.name, count(e.grade), count(e.student_id) from course c
      left join enrolment e on e.course_id = c.id group by c.name order by 1
      """, ["Art|1|1", "Biology|2|3", "Chess|0|0"]),
    QueryCase(
      "the sets of a rollup",
      """
      select form, count(*), grouping(form) from student group by rollup (form)
      order by 3, 1
      """, ["1|2|0", "2|1|0", "null|1|0", "null|4|1"]),
    QueryCase(
      "running sums and frames with exclusions",
      """
      select id, sum(id) over (order by id),
        sum(id) over (order by id rows between 1 preceding and 1 following exclude current row)
      from student order by 1
      """, ["1|1|2", "2|3|4", "3|6|6", "4|10|3"]),
    QueryCase(
      "ranks of peers",
      "select id, rank() over (order by form), dense_rank() over (order by form) from student",
      ["1|1|1", "2|1|1", "3|3|2", "4|4|3"]),
    QueryCase(
      "values within a distance",
      """
      select id, count(*) over (order by points range between 5 preceding and current row)
      from course order by 1
      """, ["1|1", "2|2", "3|1"]),
    QueryCase(
      "ordered and distinct aggregates",
      """
      select string_agg(name, ',' order by name desc), count(distinct form) from student
      """, ["Di,Cy,Ben,Ada|2"]),
    QueryCase(
      "a lateral join's best row",
      """
      select s.name, g.grade from student s left join lateral
        (select grade from enrolment e where e.student_id = s.id order by grade desc nulls last
         limit 1) g on true order by 1
      """, ["Ada|4", "Ben|null", "Cy|5", "Di|null"]),
    QueryCase(
      "functions side by side, padded",
      "select * from rows from (generate_series(1, 3), generate_series(7, 8)) with ordinality",
      ["1|7|1", "2|8|2", "3|null|3"]),
    QueryCase(
      "an endless recursion up to a limit",
      "with recursive t(n) as (select 1 union all select n + 1 from t) select n from t limit 3",
      ["1", "2", "3"]),
    QueryCase(
      "what a change in a common table expression returned",
      """
      with gone as (delete from enrolment where grade is null returning student_id)
      insert into student select student_id + 90, 'Ed', 9 from gone returning id, name
      """, ["92|Ed"]),
    QueryCase(
      "ties with the last row",
      "select id from student order by form fetch first 1 row with ties", ["1", "2"]),
    QueryCase(
      "one row for the sum of nothing", "select sum(id) from student where false", ["null"]),
  ]

  @Test("the right rows", arguments: cases)
  func rows(_ example: QueryCase) throws {
    let session = ScriptSession()
    try session.run(Self.school)
    #expect(try session.run(example.sql) == example.rows)
  }

  @Test("an error for a subquery of two rows")
  func cardinality() throws {
    let session = ScriptSession()
    try session.run(Self.school)
    let error = session.failure("select (select name from student)")
    #expect(error?.state == .cardinalityViolation)
  }

  @Test("an error past the limit of memory")
  func memory() throws {
    let budget = MemoryBudget(MemoryLimit(byteCount: 1000))
    try budget.charge(900)
    #expect(throws: SQLError.self) { try budget.charge(200) }
    budget.release(1100)
    #expect(budget.usedByteCount == 0)
  }
}
