import Diagnostics
import Junction
import Testing

@Suite("SQL gives the answers that its specification files state")
struct SpecificationTests {
  @Test("every record of a file holds", arguments: SpecificationFile.all)
  func everyRecordHolds(_ file: SpecificationFile) {
    #expect(!file.records.isEmpty)
    let connection = Database().connect()
    for record in file.records {
      let place = "\(file.name).test:\(record.line): \(record.sentence)"
      #expect(Self.outcome(record, connection) == record.expectation, "\(place)")
    }
  }

  static func outcome(
    _ record: SpecificationFile.Record, _ connection: Connection
  ) -> SpecificationFile.Expectation {
    do {
      let result = try connection.query(record.sql)
      guard case .rows(_, let sorted) = record.expectation else { return .success }
      let rows = (0..<result.count).map { row in
        result.columns.indices.map { result.text(row: row, column: $0) ?? "NULL" }
          .joined(separator: "|")
      }
      return .rows(sorted ? rows.sorted() : rows, sorted: sorted)
    } catch {
      return .failure(state: error.state.code)
    }
  }
}
