import Diagnostics
import Foundation
import Junction
import Testing

@Suite("Files packed by gzip and zstd")
struct PackedFilesTests {
  private static func rows(_ connection: Connection, _ query: String) throws -> [String] {
    try connection.query(query).map { $0.line }
  }

  @Test("are written by COPY TO, and read by COPY FROM")
  func copies() throws {
    try withFiles { folder in
      let connection = Database().connect()
      let path = folder.appending(path: "t.csv.gz").path
      try connection.execute(
        """
        CREATE TABLE t (id int PRIMARY KEY, name text, v numeric);
        CREATE TABLE u (LIKE t);
        INSERT INTO t SELECT i, CASE WHEN i % 7 > 0 THEN 'name, "' || i % 100 END, i / 4.0
        FROM generate_series(1, 50000) i;
        COPY t TO '\(path)' WITH (FORMAT csv, HEADER);
        COPY u FROM '\(path)' WITH (FORMAT csv, HEADER);
        """)
      let packed = try Data(contentsOf: folder.appending(path: "t.csv.gz"))
      #expect(packed.starts(with: [0x1F, 0x8B]))
      #expect(packed.count < 700_000)
      #expect(
        try Self.rows(
          connection,
          "SELECT count(*) FROM ((TABLE t EXCEPT ALL TABLE u) UNION ALL (TABLE u EXCEPT ALL TABLE t)) x"
        ).first?.contains("(0)") == true)
      #expect(
        try Self.rows(connection, "SELECT count(*) FROM u")
          .first?.contains("(50000)") == true)
    }
  }

  @Test("are tables of a folder, whatever stands beside them")
  func folders() throws {
    // `a,b` and a row of it, packed by Python's gzip.
    let packed = try #require(
      Data(
        base64Encoded:
          "H4sIAAAAAAAC/0vUSeIy1DHhMtIx5QIA3FwouQwAAAA="))
    try withFiles(["one.csv.gz": packed, "two.csv": Data("x,y\n1,one\n".utf8)]) { folder in
      let connection = try Database(folder: folder.path).connect()
      #expect(try Self.rows(connection, "SELECT sum(a), sum(b) FROM one").count == 1)
      #expect(
        try Self.rows(connection, "SELECT count(*) FROM two").first?.contains("(1)") == true)
    }
  }

  /// `a,b` and a row of it, and forty records of JSON, packed by zstd.
  private static let zstandard = (
    csv: "KLUv/SQIQQAAYSxiCjEsMgo158rO",
    json:
      "KLUv/WR+Aw0EAMJGEheAa4YDWrH4RPCZoHoajrUyqRw2BqDSAUdztOe057TntHf9rt/1q1yVq3LVYYMFER4o0F6P"
      + "5gjALErCYBYHOYoCsZyAkJMkTiNOqCH8+n8GwKPyEBShJ7H1CfdB+wn3gfaXJJLEiBE5QnKQ5cPhIZCOzziyT+Vc"
      + "Ku5AhAetCnq+YJY="
  )

  @Test("are read wherever others are, but not written by zstd")
  func zstandard() throws {
    let csv = try #require(Data(base64Encoded: Self.zstandard.csv))
    let json = try #require(Data(base64Encoded: Self.zstandard.json))
    try withFiles(["one.csv.zst": csv, "two.ndjson.zst": json, "named.otherwise": csv]) { folder in
      let connection = try Database(folder: folder.path).connect()
      #expect(
        try Self.rows(connection, "SELECT a, b FROM one")
          == Self.rows(connection, "SELECT 1, 2"))
      for name in ["two", "'\(folder.path)/two.ndjson.zst'"] {
        #expect(
          try Self.rows(connection, "SELECT sum(id), max(name) FROM \(name)")
            == Self.rows(connection, "SELECT 780::bigint, 'student 2'"))
      }
      #expect(
        try Self.rows(connection, "SELECT a FROM '\(folder.path)/named.otherwise'")
          == Self.rows(connection, "SELECT 1"))
      let error = #expect(throws: SQLError.self) {
        try connection.execute("COPY one TO '\(folder.path)/new.csv.zst'")
      }
      #expect(error?.state.code == "0A000")
      #expect(!FileManager.default.fileExists(atPath: folder.path + "/new.csv.zst"))
    }
  }

  @Test("that are damaged, or packed by others, load nothing and say why")
  func faults() throws {
    let zstd = Data([0x28, 0xB5, 0x2F, 0xFD, 0, 0, 0, 0])
    let cut = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0x4B])
    let xz = Data([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0, 0])
    try withFiles(["x.csv": xz, "z.csv": zstd, "c.csv": cut]) { folder in
      let connection = Database().connect()
      try connection.execute("CREATE TABLE t (a text)")
      for (name, state, part) in [
        ("x.csv", "0A000", "packed by xz"), ("z.csv", "22P04", "zstandard data"),
        ("c.csv", "22P04", "ends too early"),
      ] {
        let path = folder.appending(path: name).path
        do {
          try connection.execute("COPY t FROM '\(path)' WITH (FORMAT csv)")
          Issue.record("\(name) was read")
        } catch let error as SQLError {
          #expect(error.state.code == state, "\(error)")
          #expect(error.message.contains(part), "\(error)")
        }
      }
      #expect(
        try Self.rows(connection, "SELECT count(*) FROM t").first?.contains("(0)") == true)
    }
  }
}
