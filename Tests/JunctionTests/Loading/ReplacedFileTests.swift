import Diagnostics
import Foundation
import Junction
import Testing

@Suite("Files that COPY writes")
struct ReplacedFileTests {
  /// Rows of which a late one has no place in a parquet file.
  private static let late =
    "SELECT CASE WHEN i = 200000 THEN 'infinity' ELSE date '2000-01-01' END AS d FROM generate_series(1, 200000) i"

  private func names(_ folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  @Test("leave nothing behind if they cannot be completed")
  func failure() throws {
    try withFiles([String: String]()) { (folder) throws in
      let error = #expect(throws: SQLError.self) {
        try Database().connect().execute("COPY (\(Self.late)) TO '\(folder.path)/x.parquet'")
      }
      #expect(error?.state.code == "22008")
      #expect(try names(folder) == [])
    }
  }

  @Test("leave what stood there if they cannot be completed")
  func formerFile() throws {
    try withFiles([String: String]()) { (folder) throws in
      let connection = Database().connect()
      let path = "\(folder.path)/x.parquet"
      try connection.execute("COPY (SELECT 7 AS n) TO '\(path)'")
      #expect(throws: SQLError.self) {
        try connection.execute("COPY (\(Self.late)) TO '\(path)'")
      }
      #expect(try connection.query("SELECT n FROM '\(path)'").text(row: 0, column: 0) == "7")
      #expect(try names(folder) == ["x.parquet"])
    }
  }

  @Test("may take the place of one that they are made of")
  func ownSource() throws {
    try withFiles(["x.csv": "n\n1\n2\n"]) { (folder) throws in
      let connection = Database().connect()
      let path = "\(folder.path)/x.csv"
      try connection.execute(
        "COPY (SELECT n + 1 AS n FROM '\(path)') TO '\(path)' WITH (FORMAT csv, HEADER)")
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "n\n2\n3\n")
    }
  }

  @Test("keep the permissions of what stood there, and the links that lead to it")
  func permissions() throws {
    try withFiles(["x.csv": "old\n"]) { (folder) throws in
      let files = FileManager.default
      let path = "\(folder.path)/x.csv"
      try files.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
      try files.createSymbolicLink(
        atPath: "\(folder.path)/link.csv", withDestinationPath: "x.csv")
      try Database().connect().execute("COPY (SELECT 1) TO '\(folder.path)/link.csv'")
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "1\n")
      #expect(try files.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o640)
      #expect(
        try files.destinationOfSymbolicLink(atPath: "\(folder.path)/link.csv") == "x.csv")
      #expect(try names(folder) == ["link.csv", "x.csv"])
    }
  }

  @Test("may be devices, and are refused where there is no folder")
  func others() throws {
    let connection = Database().connect()
    try connection.execute("COPY (SELECT 1) TO '/dev/null'")
    let error = #expect(throws: SQLError.self) {
      try connection.execute("COPY (SELECT 1) TO '/nowhere/at/all.csv'")
    }
    #expect(error?.state.code == "58P01")
    #expect(error?.message.contains("\"/nowhere/at/all.csv\"") == true)
  }
}
