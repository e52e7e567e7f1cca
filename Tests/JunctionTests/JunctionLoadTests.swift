import Diagnostics
import Foundation
import Junction
import Testing

@Suite("A folder with a junction table")
struct JunctionLoadTests {
  private static let schema = """
    CREATE TABLE exam (
      student_id int, course_id int, mark int,
      FOREIGN KEY (student_id, course_id) REFERENCES enrols_in);
    CREATE TABLE enrols_in (
      student_id int REFERENCES student, course_id int REFERENCES course,
      PRIMARY KEY (student_id, course_id));
    CREATE TABLE student (id int PRIMARY KEY);
    CREATE TABLE course (id smallint PRIMARY KEY);
    """

  /// A folder of CSV files that is removed in the end.
  private func withFolder<Result>(
    _ files: [String: String], _ body: (String) throws -> Result
  ) throws -> Result {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "junction-load-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, text) in files {
      try Data(text.utf8).write(to: folder.appending(path: name))
    }
    return try body(folder.path)
  }

  private func school(enrolments: [(Int, Int)], exams: [(Int, Int)]) -> [String: String] {
    // A table must stand before what refers to it.
    let statements = Self.schema.components(separatedBy: ";\n")
    return [
      "schema.sql": [statements[2], statements[3], statements[1], statements[0]]
        .map { $0.replacing(";", with: "") + ";" }.joined(separator: "\n"),
      "student.csv": "id\n" + (1...3_000).map { "\($0)\n" }.joined(),
      "course.csv": "id\n" + (1...50).map { "\($0)\n" }.joined(),
      "enrols_in.csv": "student_id,course_id\n"
        + enrolments.map { "\($0.0),\($0.1)\n" }.joined(),
      "exam.csv": "student_id,course_id,mark\n" + exams.map { "\($0.0),\($0.1),1\n" }.joined(),
    ]
  }

  private static let pairs = (1...3_000).flatMap { student in
    [1, 7, 13].map { (student, (student + $0) % 50 + 1) }
  }

  @Test("is loaded with what refers to its pairs, and later pairs are checked", arguments: [1, -1])
  func loaded(_ order: Int) throws {
    let pairs = order > 0 ? Self.pairs : Self.pairs.reversed()
    let exams = stride(from: 0, to: pairs.count, by: 5).map { pairs[$0] }
    let files = school(enrolments: pairs, exams: exams)
    let database = try withFolder(files) { try Database(folder: $0) }
    let connection = database.connect()
    func count(_ query: String) throws -> String? {
      try connection.query(query).text(row: 0, column: 0)
    }
    #expect(try count("SELECT count(*) FROM enrols_in") == "9000")
    let joined = "SELECT count(*) FROM exam JOIN enrols_in USING (student_id, course_id)"
    #expect(try count(joined) == "1800")
    let (student, course) = pairs[4_321]
    let own = "student_id = \(student) AND course_id = \(course)"
    #expect(try count("SELECT count(*) FROM enrols_in WHERE \(own)") == "1")
    #expect(throws: SQLError.self) {
      try connection.execute("INSERT INTO enrols_in VALUES (\(student), \(course))")
    }
    try connection.execute("DELETE FROM exam; DELETE FROM enrols_in WHERE \(own)")
    try connection.execute("INSERT INTO enrols_in VALUES (\(student), \(course))")
    #expect(try count("SELECT count(*) FROM enrols_in WHERE \(own)") == "1")
  }

  @Test("is refused whole, with every bad line named, by the key before the parent")
  func refused() throws {
    var pairs = Self.pairs
    pairs.insert(pairs[100], at: 5_000)
    pairs.insert((9_999, 1), at: 6_000)
    pairs.append((9_999, 1))
    pairs.append((1, 77))
    let files = school(enrolments: pairs, exams: [])
    let error = #expect(throws: SQLError.self) {
      try withFolder(files) { _ = try Database(folder: $0) }
    }
    #expect(error?.state.code == "23505")
    let detail = error?.detail ?? ""
    for wanted in [
      "4 of 9004 records are bad", "line 5002, ", "line 6002, ", "line 9004, ", "line 9005, ",
    ] {
      #expect(detail.contains(wanted), "\(detail) lacks \(wanted)")
    }
    let repeated = detail.split(separator: "\n").first { $0.contains("line 9004,") } ?? ""
    #expect(repeated.contains("duplicate key"), "\(repeated)")
  }

  @Test("is refused for what refers to a pair that is not there")
  func missingPair() throws {
    let files = school(enrolments: Self.pairs, exams: [Self.pairs[0], (1, 50), Self.pairs[1]])
    let error = #expect(throws: SQLError.self) {
      try withFolder(files) { _ = try Database(folder: $0) }
    }
    #expect(error?.state.code == "23503")
    #expect(error?.detail?.contains("line 3, ") == true, "\(error?.detail ?? "")")
  }

  @Test("finds the lines of long and short records alike")
  func places() throws {
    var text = "id,name\n"
    for id in 1...500 {
      text += "\(id),\(String(repeating: "x", count: id == 250 ? 3_000 : id % 40))\n"
    }
    let good = text
    text += "400,again\n"
    for (rows, line) in [(text, "line 502, byte \(good.utf8.count)"), (good + "7,x\n", "line 502")]
    {
      let files = [
        "schema.sql": "CREATE TABLE thing (id int PRIMARY KEY, name text);", "thing.csv": rows,
      ]
      let error = #expect(throws: SQLError.self) {
        try withFolder(files) { _ = try Database(folder: $0) }
      }
      #expect(error?.detail?.contains(line) == true, "\(error?.detail ?? "") lacks \(line)")
    }
  }
}
