import Testing

@testable import Execution

/// A query and the plan it must have.
struct PlannedQuery: CustomTestStringConvertible, Sendable {
  var name: String
  var sql: String
  var plan: String

  init(_ name: String, _ sql: String, _ plan: String) {
    self.name = name
    self.sql = sql
    self.plan = plan
  }

  var testDescription: String { name }
}

@Suite("Queries along a junction table walk its adjacency index")
struct AvailableCoursesPlanTests {
  private static let antiJoin = """
    Stored Order Scan on course
      Sort Key: course.name
      Bitmap Cond: (course.id = enrols_in.course_id)
      Walk: enrols_in: student -> course
      Key Cond: (student_id = 1)
    """

  static let spellings = [
    PlannedQuery(
      "NOT IN",
      """
      SELECT id, short_code, name FROM course
      WHERE id NOT IN (SELECT course_id FROM enrols_in WHERE student_id = 1) ORDER BY name
      """, antiJoin),
    PlannedQuery(
      "NOT EXISTS",
      """
      SELECT id, short_code, name FROM course WHERE NOT EXISTS (
        SELECT 1 FROM enrols_in WHERE enrols_in.course_id = course.id
        AND enrols_in.student_id = 1) ORDER BY name
      """, antiJoin),
    PlannedQuery(
      "LEFT JOIN with IS NULL",
      """
      SELECT course.id, course.short_code, course.name FROM course
      LEFT JOIN enrols_in ON enrols_in.course_id = course.id AND enrols_in.student_id = 1
      WHERE enrols_in.student_id IS NULL ORDER BY name
      """, antiJoin),
    PlannedQuery(
      "<> ALL",
      """
      SELECT id, short_code, name FROM course
      WHERE id <> ALL (SELECT course_id FROM enrols_in WHERE student_id = 1) ORDER BY name
      """, antiJoin),
  ]

  @Test("for the courses that a student has not taken", arguments: spellings, [3.0, 1e3, 1e6])
  func spelling(_ query: PlannedQuery, students: Double) throws {
    #expect(try PlanFixture.school(students: students).explained(query.sql) == query.plan)
  }

  @Test("also for EXCEPT, which compares NULLs as equal", arguments: [3.0, 1e3, 1e6])
  func except(students: Double) throws {
    let plan = try PlanFixture.school(students: students).explained(
      """
      SELECT id, short_code, name FROM course EXCEPT
      SELECT c.id, c.short_code, c.name FROM course c
      JOIN enrols_in e ON c.id = e.course_id WHERE e.student_id = 1 ORDER BY name
      """)
    #expect(
      plan == """
        Sort
          Sort Key: course.name
          ->  Projection
                ->  Hash Anti Join
                      Hash Cond: ((course.id = c.id) AND (course.short_code IS NOT DISTINCT FROM \
        c.short_code) AND (course.name IS NOT DISTINCT FROM c.name))
                      ->  Seq Scan on course
                      ->  Adjacency Lookup on enrols_in e: student -> course
                            Key Cond: (student_id = 1)
        """)
  }

  static let walks = [
    PlannedQuery(
      "the courses of a student",
      "SELECT c.* FROM course c JOIN enrols_in e ON c.id = e.course_id WHERE e.student_id = 1",
      """
      Adjacency Lookup on enrols_in e: student -> course
        Key Cond: (student_id = 1)
        Short Way: no pipeline for few rows
      """),
    PlannedQuery(
      "the students of a course, named by its code",
      """
      SELECT s.* FROM student s JOIN enrols_in e ON s.id = e.student_id
      JOIN course c ON c.id = e.course_id WHERE c.short_code = 'ICS3U'
      """,
      """
      Projection
        ->  Adjacency Join on enrols_in e: course -> student
              Key Cond: (course_id = c.id)
              ->  Key Lookup on course c
                    Key Cond: (short_code = 'ICS3U'::text)
      """),
    PlannedQuery(
      "the students of a course, by IN",
      "SELECT * FROM student WHERE id IN (SELECT student_id FROM enrols_in WHERE course_id = 3)",
      """
      Adjacency Lookup on enrols_in: course -> student
        Key Cond: (course_id = 3)
        Short Way: no pipeline for few rows
      """),
    PlannedQuery(
      "a prepared one-hop walk",
      "SELECT c.name FROM enrols_in e JOIN course c ON c.id = e.course_id WHERE e.student_id = $1",
      """
      Adjacency Lookup on enrols_in e: student -> course
        Key Cond: (student_id = $1)
        Short Way: no pipeline for few rows
      """),
    PlannedQuery(
      "classmates",
      """
      SELECT b.student_id FROM enrols_in a JOIN enrols_in b ON a.course_id = b.course_id
      WHERE a.student_id = 1 AND b.student_id <> 1
      """,
      """
      Projection
        ->  Adjacency Join on enrols_in b: course -> student
              Key Cond: (course_id = a.course_id)
              Join Filter: (b.student_id <> 1)
              ->  Adjacency Lookup on enrols_in a: student -> course
                    Key Cond: (student_id = 1)
      """),
  ]

  @Test("from a known row", arguments: walks, [3.0, 1e3, 1e6])
  func walk(_ query: PlannedQuery, students: Double) throws {
    #expect(try PlanFixture.school(students: students).explained(query.sql) == query.plan)
  }
}
