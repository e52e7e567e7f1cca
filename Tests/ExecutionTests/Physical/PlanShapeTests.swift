import Testing

@testable import Execution
@testable import Planning

@Suite("The optimiser")
struct PlanShapeTests {
  private static let school = PlanFixture.school(students: 1000)

  static let subqueries = [
    PlannedQuery(
      "gives a count of nothing as 0",
      "SELECT s.id, (SELECT count(*) FROM enrols_in e WHERE e.student_id = s.id) FROM student s",
      """
      Projection
        ->  Hash Left Join
              Hash Cond: (s.id = student.id)
              ->  Seq Scan on student s
              ->  Projection
                    ->  Filter
                          Filter: (count > 0)
                          ->  Adjacency Count on enrols_in e: student -> course
                                Key Cond: (student_id = student.id)
                                ->  Seq Scan on student
      """),
    PlannedQuery(
      "keeps NOT IN exact where a NULL may stand",
      "SELECT id FROM student WHERE id NOT IN (SELECT student_id FROM wish)",
      """
      Hash Anti Join
        Hash Cond: ((student.id = wish.student_id) IS NOT FALSE)
        ->  Seq Scan on student
        ->  Seq Scan on wish
      """),
    PlannedQuery(
      "groups by the key of a parent, once where a column of the child is equal to it",
      """
      SELECT w.course_id, c.id, c.name, count(*) FROM wish w JOIN course c ON c.id = w.course_id GROUP BY 1, 2, 3
      """,
      """
      Projection
        ->  HashAggregate
              Group Key: c.id, c.name
              Determined: c.name
              ->  Hash Join
                    Hash Cond: (w.course_id = c.id)
                    ->  Seq Scan on wish w
                    ->  Seq Scan on course c
      """),
    PlannedQuery(
      "makes groups for the other side's range of their key alone",
      """
      SELECT e.student_id FROM wish e WHERE e.course_id < 30
        AND e.student_id = (SELECT max(w.student_id) FROM wish w WHERE w.course_id = e.course_id)
      """,
      """
      Projection
        ->  Hash Join
              Hash Cond: (e.course_id = w.course_id)
              Join Filter: (e.student_id = (max(w.student_id)))
              ->  Seq Scan on wish e
                    Filter: (e.course_id < 30)
              ->  HashAggregate
                    Group Key: w.course_id
                    ->  Seq Scan on wish w
                          Filter: (w.course_id < 30)
      """),
    PlannedQuery(
      "numbers rows for a LIMIT of each group",
      """
      SELECT s.first_name, x.course_id FROM student s, LATERAL (SELECT course_id FROM enrols_in e
      WHERE e.student_id = s.id ORDER BY course_id LIMIT 1) x WHERE s.id = 3
      """,
      """
      Projection
        ->  Nested Loop
              ->  Filter
                    Filter: (row_number <= 1)
                    ->  WindowAgg
                          Window: row_number() OVER (PARTITION BY e.student_id ORDER BY e.course_id)
                          ->  Projection
                                ->  Adjacency Lookup on enrols_in e: student -> course
                                      Key Cond: (student_id = 3)
              ->  Key Lookup on student s
                    Key Cond: (id = 3)
      """),
    PlannedQuery(
      "computes division by counting links",
      """
      SELECT c.id FROM course c WHERE NOT EXISTS (SELECT FROM student s WHERE NOT EXISTS (
        SELECT FROM enrols_in e WHERE e.student_id = s.id AND e.course_id = c.id))
      """,
      """
      Projection
        ->  Hash Join
              Hash Cond: (COALESCE((count(*)), 0) = (count(*)))
              ->  Hash Left Join
                    Hash Cond: (c.id = e.course_id)
                    ->  Seq Scan on course c
                    ->  Projection
                          ->  Neighbour Count on enrols_in e: student -> course
                                Key Cond: (student_id = s.id)
                                ->  Seq Scan on student s
              ->  Row Count
                    ->  Seq Scan on student s
      """),
    PlannedQuery(
      "asks a scalar subquery of CASE only for its branch",
      """
      SELECT CASE WHEN s.id > 2 THEN (SELECT course_id FROM wish w WHERE w.student_id = s.id) END
      FROM student s
      """,
      """
      Projection
        ->  Hash Single Join
              Hash Cond: (s.id = w.student_id)
              Join Filter: (s.id > 2)
              ->  Seq Scan on student s
              ->  Seq Scan on wish w
      """),
    PlannedQuery(
      "runs a function for each left row",
      "SELECT s.id, g FROM student s, generate_series(1, s.id) g",
      """
      Function Scan on generate_series
        Function Call: generate_series(1, id)
        ->  Seq Scan on student s
      """),
  ]

  @Test("turns subqueries into joins", arguments: subqueries)
  func subquery(_ query: PlannedQuery) throws {
    let plan = try Self.school.explained(query.sql)
    #expect(plan == query.plan)
  }

  static let rewritings = [
    PlannedQuery(
      "a left join on a key without a used column goes",
      "SELECT s.first_name FROM student s LEFT JOIN course c ON c.id = s.id",
      "Seq Scan on student s"),
    PlannedQuery(
      "equalities to constants become a list, and the list keys",
      "SELECT * FROM course WHERE id IN (1, 2) OR id = 7",
      """
      Key Lookup on course
        Key Cond: (id IN (1, 2, 7))
      """),
    PlannedQuery(
      "a condition goes through UNION",
      """
      SELECT count(*) FROM (SELECT student_id FROM enrols_in UNION SELECT student_id FROM wish) x
      WHERE student_id = 3
      """,
      """
      Aggregate
        ->  HashAggregate
              Group Key: student_id
              ->  Append
                    ->  Adjacency Lookup on enrols_in: student -> course
                          Key Cond: (student_id = 3)
                    ->  Seq Scan on wish
                          Filter: (wish.student_id = 3)
      """),
    PlannedQuery(
      "sort and limit are one",
      "SELECT first_name FROM student ORDER BY id DESC LIMIT 3 OFFSET 2",
      """
      Projection
        ->  Stored Order Scan on student
              Sort Key: id DESC
              Limit: 3
              Offset: 2
      """),
    PlannedQuery(
      "DISTINCT of a key goes", "SELECT DISTINCT id, first_name FROM student",
      "Seq Scan on student"),
    PlannedQuery("nothing is read for FALSE", "SELECT * FROM student WHERE 1 = 0", "Values Scan"),
    PlannedQuery(
      "an outer join is an inner join where a join above asks for a match",
      """
      SELECT s.first_name FROM student s LEFT JOIN wish w ON w.student_id = s.id, course c
      WHERE c.id = w.course_id
      """,
      """
      Projection
        ->  Lookup Join on student s
              Key Cond: (id = w.student_id)
              ->  Hash Join
                    Hash Cond: (w.course_id = c.id)
                    ->  Seq Scan on wish w
                    ->  Seq Scan on course c
      """),
    PlannedQuery(
      "values of the same rows are computed in one pass",
      """
      SELECT (SELECT count(*) FROM wish WHERE course_id < 5),
        (SELECT min(student_id) FROM wish w WHERE w.course_id < 5)
      """,
      """
      With cte1
        ->  Aggregate
              ->  Seq Scan on wish
                    Filter: (course_id < 5)
        ->  Projection
              ->  Nested Loop Left Join
                    ->  Nested Loop Left Join
                          ->  Result
                          ->  Projection
                                ->  CTE Scan on cte1
                    ->  Projection
                          ->  CTE Scan on cte1
      """),
    PlannedQuery(
      "an outer join that must match is an inner join",
      "SELECT w.course_id FROM wish w LEFT JOIN student s ON s.id = w.student_id WHERE s.id > 5",
      """
      Projection
        ->  Hash Join
              Hash Cond: (w.student_id = s.id)
              ->  Seq Scan on wish w
              ->  Seq Scan on student s
                    Filter: (s.id > 5)
      """),
  ]

  @Test("rewrites", arguments: rewritings)
  func rewriting(_ query: PlannedQuery) throws {
    let plan = try Self.school.explained(query.sql)
    #expect(plan == query.plan)
  }

  @Test("orders a join of 64 tables within a second, all of them connected")
  func manyTables() throws {
    var fixture = PlanFixture()
    var from: [String] = []
    var conditions: [String] = []
    for number in 1...64 {
      fixture.add("t\(number)", rows: 10, "a int,b int", keys: [["a"]])
      from.append("t\(number)")
      if number > 1 { conditions.append("t\(number).a = t\(number - 1).b") }
    }
    let sql =
      "SELECT t1.a FROM \(from.joined(separator: ", ")) WHERE "
      + conditions.joined(separator: " AND ") + " AND t30.a > 5"
    let start = ContinuousClock.now
    let plan = try fixture.explained(sql)
    #expect(ContinuousClock.now - start < .seconds(10))
    #expect(!plan.contains("Nested Loop\n"))
  }

  @Test("leaves a lateral join as Apply without unnesting")
  func apply() throws {
    let plan = try Self.school.explained(
      "SELECT (SELECT count(*) FROM enrols_in e WHERE e.student_id = s.id) FROM student s",
      rules: OptimizerRules.all.subtracting(.unnesting))
    #expect(plan.contains("Apply Left Join"))
    #expect(plan.contains("Adjacency Lookup on enrols_in e: student -> course"))
  }

  static let everyRule: [OptimizerRules] = (0..<43).map { OptimizerRules(rawValue: 1 << $0) }

  @Test("plans every query with any rule turned off", arguments: everyRule)
  func withoutRule(_ rule: OptimizerRules) throws {
    let queries = Self.subqueries + Self.rewritings + AvailableCoursesPlanTests.spellings
    for query in queries {
      let plan = try Self.school.plan(query.sql, rules: .all.subtracting(rule))
      let full = try Self.school.plan(query.sql)
      #expect(plan.outputs.map(\.type) == full.outputs.map(\.type))
    }
  }
}
