import Diagnostics
import Junction

/// The rows that are fetched by themselves.
struct SampleRow: Record, Equatable {
  var id: Int
  var credits: Int
  var mark: Double
  var name: String
  var code: String?
  static let table = "sample"
}

/// The same, read by the order of its columns.
struct FastSampleRow: RowDecodable {
  var id: Int
  var credits: Int
  var mark: Double
  var name: String
  var code: String?

  init(row: inout RowReader) throws(SQLError) {
    id = try row.next()
    credits = try row.next()
    mark = try row.next()
    name = try row.next()
    code = try row.next()
  }
}

/// The same, which is inserted.
struct NewRow: Record {
  var id: Int
  var credits: Int
  var mark: Double
  var name: String
  var code: String?
  static let table = "inserted"
}

struct FaceStudent: Record, Identifiable {
  var id: Int
  var firstName: String?
  var lastName: String?
  static let table = "student"
  struct Relations: Sendable {
    let courses = Many<FaceCourse>()
    let fastCourses = Many<FastFaceCourse>()
  }
  static let relations = Relations()
}

struct FaceCourse: Record, Identifiable {
  var id: Int
  var shortCode: String?
  var name: String?
  static let table = "course"
  struct Relations: Sendable { let students = Many<FaceStudent>() }
  static let relations = Relations()
}

/// The same, read by the order of its columns, as `\schema swift` writes it.
struct FastFaceCourse: Record, Identifiable, RowDecodable {
  var id: Int
  var shortCode: String?
  var name: String?
  static let table = "course"

  init(row: inout RowReader) throws(SQLError) {
    id = try row.next()
    shortCode = try row.next()
    name = try row.next()
  }
}

struct NestedCourse: Record {
  var id: Int
  var name: String
  static let table = "nested_course"
  struct Relations: Sendable { let students = Many<NestedStudent>() }
  static let relations = Relations()
}

struct NestedStudent: Record {
  var id: Int
  var firstName: String
  var lastName: String
  static let table = "nested_student"
}

/// A course with its students.
struct CourseCard: Decodable, Sendable {
  var id: Int
  var name: String
  var students: [StudentCard]

  struct StudentCard: Decodable, Sendable {
    var firstName: String
    var lastName: String
  }
}
