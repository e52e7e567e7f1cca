import Diagnostics
import Testing

@testable import Junction

@Suite("A schema as a text")
struct SchemaTextTests {
  private static let school = """
    CREATE TABLE teacher (id serial PRIMARY KEY, name text NOT NULL);
    CREATE TABLE student (id serial PRIMARY KEY, first_name varchar(50));
    CREATE TYPE level AS ENUM ('open', 'college prep');
    CREATE TABLE course (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, short_code text UNIQUE,
      level level NOT NULL, is_full boolean NOT NULL DEFAULT false,
      teacher_id int REFERENCES teacher ON DELETE SET NULL);
    CREATE TABLE enrols_in (student_id int REFERENCES student ON DELETE CASCADE,
      course_id int REFERENCES course ON DELETE CASCADE, mark double precision,
      PRIMARY KEY (student_id, course_id), CARDINALITY (student_id) BETWEEN 0 AND 8);
    CREATE VIEW full_course AS SELECT id FROM course WHERE is_full;
    """

  @Test("in Swift has columns, a way to read them, and relations")
  func swift() throws {
    let connection = Database().connect()
    try connection.execute(SQL(raw: Self.school))
    #expect(
      connection.swiftRecords == """
        import Junction

        enum Level: String, Codable, CaseIterable, SQLValueConvertible {
          case open
          case collegePrep = "college prep"
        }

        struct Teacher: Record, Hashable {
          var id: Int?
          var name: String

          struct Relations: Sendable {
            let courses = Many<Course>()
          }
          static let relations = Relations()

          static let columns = ColumnMap<Self> {
            ColumnMapping("id", \\.id, .primaryKey)
            ColumnMapping("name", \\.name)
          }
        }

        extension Teacher: RowDecodable {
          init(row: inout RowReader) throws(SQLError) {
            id = try row.next()
            name = try row.next()
          }
        }

        struct Student: Record, Hashable {
          var id: Int?
          var firstName: String?

          struct Relations: Sendable {
            let courses = Many<Course>(count: 0...8)
            let enrolsIns = Through<EnrolsIn, Course>(count: 0...8)
          }
          static let relations = Relations()

          static let columns = ColumnMap<Self> {
            ColumnMapping("id", \\.id, .primaryKey)
            ColumnMapping("first_name", \\.firstName)
          }
        }

        extension Student: RowDecodable {
          init(row: inout RowReader) throws(SQLError) {
            id = try row.next()
            firstName = try row.next()
          }
        }

        struct Course: Record, Hashable {
          var id: Int?
          var shortCode: String?
          var level: Level
          var isFull: Bool = false
          var teacherID: Int?

          struct Relations: Sendable {
            let teacher = One<Teacher>()
            let students = Many<Student>()
            let enrolsIns = Through<EnrolsIn, Student>()
          }
          static let relations = Relations()

          static let columns = ColumnMap<Self> {
            ColumnMapping("id", \\.id, .primaryKey, .generated)
            ColumnMapping("short_code", \\.shortCode, .unique)
            ColumnMapping("level", \\.level)
            ColumnMapping("is_full", \\.isFull)
            ColumnMapping("teacher_id", \\.teacherID)
          }
        }

        extension Course: RowDecodable {
          init(row: inout RowReader) throws(SQLError) {
            id = try row.next()
            shortCode = try row.next()
            level = try row.next()
            isFull = try row.next()
            teacherID = try row.next()
          }
        }

        struct EnrolsIn: Record, Hashable {
          var studentID: Int
          var courseID: Int
          var mark: Double?

          struct Relations: Sendable {
            let course = One<Course>()
            let student = One<Student>()
          }
          static let relations = Relations()

          static let columns = ColumnMap<Self> {
            ColumnMapping("student_id", \\.studentID, .primaryKey)
            ColumnMapping("course_id", \\.courseID, .primaryKey)
            ColumnMapping("mark", \\.mark)
          }
        }

        extension EnrolsIn: RowDecodable {
          init(row: inout RowReader) throws(SQLError) {
            studentID = try row.next()
            courseID = try row.next()
            mark = try row.next()
          }
        }

        """)
  }

  @Test("in SQL makes the same schema again")
  func sql() throws {
    for script in [Self.school, Self.odd] {
      let one = Database()
      try one.execute(SQL(raw: script))
      let other = Database()
      for statement in one.connect().definitions { try other.execute(SQL(raw: statement)) }
      #expect(other.connect().definitions == one.connect().definitions)
    }
  }

  /// Names, types and relations that are none of everyday's.
  private static let odd = """
    CREATE SCHEMA other;
    CREATE TYPE "Class" AS ENUM ('class', 'a b', 'a-b', '1st', '');
    CREATE TABLE "Type" (self int PRIMARY KEY, init text DEFAULT 'x''y' NOT NULL, "class" "Class" NOT NULL,
      row int DEFAULT 3 NOT NULL, "first name" text, "1st" int, "FirstName" text, classes text[],
      made timestamptz DEFAULT now() NOT NULL, twice int GENERATED ALWAYS AS (row * 2) STORED);
    CREATE TABLE string (id uuid PRIMARY KEY, a bytea, b numeric, c date, d time, e interval, f jsonb,
      g real, h smallint NOT NULL, i char(3), j bit(3), k timestamp, l timetz);
    CREATE TABLE other.string (id bigserial PRIMARY KEY, "URL" text,
      parent_id bigint REFERENCES other.string NOT ENFORCED);
    CREATE TABLE person (id serial PRIMARY KEY, name text, mother int REFERENCES person,
      father int REFERENCES person ON DELETE RESTRICT, person text);
    CREATE TABLE follow (follower_id int REFERENCES person, followee_id int REFERENCES person,
      since date, PRIMARY KEY (follower_id, followee_id));
    CREATE TABLE likes (a int REFERENCES person, b int REFERENCES person, PRIMARY KEY (a, b));
    CREATE TABLE lecture (department text, number int, PRIMARY KEY (department, number));
    CREATE TABLE room (id int PRIMARY KEY, department text, number int, UNIQUE (department, number),
      FOREIGN KEY (department, number) REFERENCES lecture,
      CONSTRAINT few CARDINALITY (department, number) BETWEEN 0 AND 9223372036854775807);
    CREATE TABLE keyless (x int);
    """

  #if os(Linux)
    @Test("in Swift compiles, whatever the names are")
    func compiles() throws {
      let connection = Database().connect()
      try connection.execute(SQL(raw: Self.odd))
      let text = connection.swiftRecords
      #expect(try SwiftCompiler.complaints(text) == "", "\(text)")
    }
  #endif
}
