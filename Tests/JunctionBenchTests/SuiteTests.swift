import Diagnostics
import Foundation
import Junction
import Testing

@testable import JunctionBench

/// Neither data nor queries of TPC-H and TPC-DS are part of the project: folders that `JUNCTION_TPCH` and
/// `JUNCTION_TPCDS` name hold data at scale 0.01 as CSV files, and `queries` with queries and answers.
private func folder(_ variable: String) -> String? {
  ProcessInfo.processInfo.environment[variable]
}

@Suite("A suite of queries")
struct SuiteTests {
  @Test("TPC-H's give the known answers", .enabled(if: folder("JUNCTION_TPCH") != nil))
  func tpch() throws {
    try answers(.tpch, in: try #require(folder("JUNCTION_TPCH")), count: 22)
  }

  @Test("TPC-DS's give the known answers", .enabled(if: folder("JUNCTION_TPCDS") != nil))
  func tpcds() throws {
    try answers(.tpcds, in: try #require(folder("JUNCTION_TPCDS")), count: 99)
  }

  private func answers(_ kind: SuiteKind, in folder: String, count: Int) throws {
    let suite = try QuerySuite(kind, folder: "\(folder)/queries", data: folder)
    #expect(suite.items.count == count)
    let connection = Database().connect()
    _ = try connection.execute(suite.schema)
    for table in suite.tables {
      _ = try connection.execute(
        "COPY \(table) FROM '\(folder)/\(table).csv' WITH (FORMAT csv, HEADER)")
    }
    for item in suite.items {
      let answer = try #require(item.answer, "\(item.id) has no answer")
      do {
        let result = try connection.query(item.sql)
        let rows = (0..<result.count).map { row in
          result.columns.indices.map { result.text(row: row, column: $0) }
        }
        #expect(answer.fault(of: rows) == nil, "\(item.id)")
      } catch {
        Issue.record(error, "\(item.id)")
      }
    }
  }

  @Test("has the tables of its schema in their order")
  func tables() {
    let schema = "-- tables\ncreate table b(id int);\nCREATE TABLE a_1 (\n  id int\n);\n"
    #expect(QuerySuite.tables(of: schema) == ["b", "a_1"])
  }

  @Test("has records that keep quotes, commas and empty fields")
  func records() {
    let text = "a,b\n1,\"x,\"\"y\"\"\"\n,\"\"\nlast,2"
    #expect(
      SuiteAnswer.records(text) == [["a", "b"], ["1", "x,\"y\""], ["", ""], ["last", "2"]])
  }

  @Test("takes numbers that differ by a millionth, and no more")
  func tolerance() {
    let answer = SuiteAnswer(csv: "n\n1000.0001\n", query: "SELECT n")
    #expect(answer.fault(of: [["1000.0002"]]) == nil)
    #expect(answer.fault(of: [["1000.1"]]) != nil)
    #expect(answer.fault(of: []) != nil)
    #expect(SuiteAnswer(csv: "n,m\n,1\n", query: "").fault(of: [[nil, "1"]]) == nil)
  }

  @Test("takes rows that tie in any order, and any of them for those that the limit keeps")
  func ties() {
    let csv = "k,v\n1,a\n2,b\n2,c\n3,d\n3,e\n"
    let answer = SuiteAnswer(csv: csv, query: "-- ordered by: 1\n-- limit: 4\nSELECT k, v")
    #expect(answer.fault(of: [["1", "a"], ["2", "c"], ["2", "b"], ["3", "e"]]) == nil)
    #expect(answer.fault(of: [["2", "b"], ["1", "a"], ["2", "c"], ["3", "d"]]) != nil)
    #expect(answer.fault(of: [["1", "a"], ["2", "b"], ["2", "b"], ["3", "d"]]) != nil)
    #expect(answer.fault(of: [["1", "a"], ["2", "b"], ["2", "c"]]) != nil)
    let fixed = SuiteAnswer(csv: csv, query: "SELECT k, v")
    #expect(
      fixed.fault(of: [["1", "a"], ["2", "c"], ["2", "b"], ["3", "d"], ["3", "e"]]) != nil)
  }

  @Test("is summed up by the geometric mean of its ratios")
  func means() {
    #expect(abs(SampleSummary.geometricMean([0.5, 8]) - 2) < 1e-12)
    #expect(SampleSummary.geometricMean([]) == 1)
  }
}
