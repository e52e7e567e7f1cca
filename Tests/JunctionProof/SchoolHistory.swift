import Columnar
import Diagnostics
import Durability
import Junction

/// A history of transactions, each of which follows from its number, and what a database holds after any of them.
///
/// Every transaction notes its number, and does something else to tables that refer to each other, so that one that
/// is there by halves is seen.
enum SchoolHistory {
  static let definitions = [
    "CREATE TABLE done (n int PRIMARY KEY)",
    "CREATE TABLE course (id int PRIMARY KEY, title text NOT NULL, seats int CHECK (seats >= 0))",
    """
    CREATE TABLE student (id int PRIMARY KEY, name text NOT NULL UNIQUE, born date,
      marks numeric(6, 2), tutor_id int REFERENCES student, fee numeric, awards text[])
    """,
    """
    CREATE TABLE enrols (student_id int REFERENCES student ON DELETE CASCADE,
      course_id int REFERENCES course, grade int, PRIMARY KEY (student_id, course_id))
    """,
    "INSERT INTO course SELECT i, 'course ' || i, 1000000 FROM generate_series(0, 6) i",
  ]

  /// The statements of a transaction, from 1.
  static func statements(_ n: Int) -> [String] {
    let courses = Set([n % 7, n / 3 % 7, n / 5 % 7]).sorted()
    var list = ["INSERT INTO done VALUES (\(n))"]
    switch n % 6 {
    case 0, 1, 2:
      let tutor = n > 12 && n % 4 == 0 ? "(SELECT max(id) FROM student)" : "NULL"
      // Arrays, and numbers of different scales, are kept in a way of their own.
      let fee = n % 5 == 0 ? "NULL" : n % 7 == 0 ? "1e30" : "\(n) / 7.0"
      let awards = n % 4 == 0 ? "NULL" : n % 3 == 0 ? "'{}'" : "ARRAY['first', NULL, '\(n)']"
      list.append(
        "INSERT INTO student VALUES (\(n), 'student number \(n)', DATE '2000-01-01' + \(n % 9000), \(n % 100).25, \(tutor), \(fee), \(awards))"
      )
      for course in courses {
        list.append("INSERT INTO enrols VALUES (\(n), \(course), \(n % 11))")
        list.append("UPDATE course SET seats = seats - 1 WHERE id = \(course)")
      }
    case 3:
      list.append("UPDATE enrols SET grade = grade + 1 WHERE course_id = \(courses[0])")
    case 4:
      list.append(
        "DELETE FROM student WHERE id = (SELECT min(s.id) FROM student s WHERE NOT EXISTS (SELECT 1 FROM student t WHERE t.tutor_id = s.id))"
      )
    default:
      list.append(
        "UPDATE student SET name = name || '.', marks = marks + 1, fee = fee + 0.5, awards = array_append(awards, '\(n)') WHERE id % 8 = \(n % 8)"
      )
    }
    return list
  }

  /// Runs a transaction.
  static func run(_ n: Int, on connection: Connection) throws(SQLError) {
    try connection.execute("BEGIN")
    for statement in statements(n) { try connection.execute(statement) }
    try connection.execute("COMMIT")
  }

  /// The number of the last transaction that is in a database.
  static func last(_ connection: Connection) throws(SQLError) -> Int {
    let rows = try connection.query("SELECT count(*), coalesce(max(n), 0) FROM done")
    guard case .integer(let count) = rows.value(row: 0, column: 0),
      case .integer(let last) = rows.value(row: 0, column: 1)
    else { throw SQLError.internal("a count is no number") }
    guard count == last else {
      throw SQLError(.dataCorrupted, "\(count) transactions are there, and number \(last)")
    }
    return Int(last)
  }

  /// A hash of all rows of all tables.
  static func digest(_ connection: Connection) throws(SQLError) -> UInt64 {
    var digest: UInt64 = 0
    for query in [
      "TABLE done ORDER BY 1", "TABLE course ORDER BY 1", "TABLE student ORDER BY 1",
      "TABLE enrols ORDER BY 1, 2",
    ] {
      let rows = try connection.query(query)
      var bytes: [UInt8] = []
      for row in 0..<rows.count {
        for column in rows.columns.indices {
          bytes += Array((rows.text(row: row, column: column) ?? "NULL").utf8) + [31]
        }
      }
      digest = XXH64.hash(bytes.span, seed: digest &+ 1)
    }
    return digest
  }

  /// What VERIFY has found; nil if all is well.
  static func damage(_ connection: Connection) throws(SQLError) -> String? {
    let rows = try connection.query("VERIFY")
    for row in rows where row["sqlstate"] != .text("00000") {
      return row.values.map { "\($0)" }.joined(separator: " ")
    }
    return nil
  }
}

/// The digests of a database in memory after each transaction, made as far as they are asked for.
struct SchoolModel {
  private let connection: Connection
  private(set) var digests: [UInt64]

  init() throws(SQLError) {
    connection = Database().connect()
    for statement in SchoolHistory.definitions { try connection.execute(statement) }
    digests = [try SchoolHistory.digest(connection)]
  }

  /// What a database must hold after transaction `n`.
  mutating func digest(_ n: Int) throws(SQLError) -> UInt64 {
    while digests.count <= n {
      try SchoolHistory.run(digests.count, on: connection)
      digests.append(0)
      // Only the last is asked for in most histories.
      if digests.count > n { digests[n] = try SchoolHistory.digest(connection) }
    }
    return digests[n]
  }
}
