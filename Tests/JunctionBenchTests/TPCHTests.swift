import Diagnostics
import Foundation
import Junction
import Testing

@testable import JunctionBench

/// The queries and answers of TPC-H are not part of the project: a folder that `JUNCTION_TPCH` names holds the
/// data at scale 0.01 as CSV files, and `queries` with queries and answers.
private let suiteFolder = ProcessInfo.processInfo.environment["JUNCTION_TPCH"]

@Suite("TPC-H")
struct TPCHTests {
  @Test("all queries give the known answers", .enabled(if: suiteFolder != nil))
  func answers() throws {
    let folder = try #require(suiteFolder)
    let suite = try TPCHSuite(folder: "\(folder)/queries", data: folder)
    #expect(suite.items.count == 22)
    let connection = Database().connect()
    _ = try connection.execute(suite.schema)
    for table in TPCHSuite.tables {
      _ = try connection.execute(
        "COPY \(table) FROM '\(folder)/\(table).csv' WITH (FORMAT csv, HEADER)")
    }
    for item in suite.items {
      let result = try connection.query(item.sql)
      let rows = (0..<result.count).map { row in
        result.columns.indices.map { result.text(row: row, column: $0) }
      }
      let answer = try #require(item.answer, "\(item.id) has no answer")
      #expect(TPCHSuite.fault(of: rows, expected: answer) == nil, "\(item.id)")
    }
  }

  @Test("records keep quotes, commas and empty fields")
  func records() {
    let text = "a,b\n1,\"x,\"\"y\"\"\"\n,\"\"\nlast,2"
    #expect(
      TPCHSuite.records(text) == [["a", "b"], ["1", "x,\"y\""], ["", ""], ["last", "2"]])
  }

  @Test("answers may differ by a millionth, and no more")
  func comparison() {
    let expected = [["n"], ["1000.0001"]]
    #expect(TPCHSuite.fault(of: [["1000.0002"]], expected: expected) == nil)
    #expect(TPCHSuite.fault(of: [["1000.1"]], expected: expected) != nil)
    #expect(TPCHSuite.fault(of: [], expected: expected) != nil)
    #expect(TPCHSuite.fault(of: [[nil]], expected: [["n"], [""]]) == nil)
  }
}
