import Catalog
import Diagnostics
import Foundation
import SimulatedDisk
import Testing

@testable import Junction

/// The whole specification, on a database whose power goes after every statement.
///
/// What a session has for itself goes on, as nobody would expect it on disk: settings, prepared statements, cursors.
/// Within a transaction, and while there are temporary tables, the power stays on.
@Suite("A database that is opened anew after every statement")
struct ReopenedSuiteTests {
  /// What is found again is in the log, in a snapshot, or in both.
  enum Way: CaseIterable {
    case log, snapshot, both
  }
  struct Case: Sendable, CustomTestStringConvertible {
    let file: SpecificationFile
    let way: Way
    var testDescription: String { "\(file.name), \(way)" }
  }

  private static let isLong =
    ProcessInfo.processInfo.environment["JUNCTION_DURABILITY_CASES"] != nil
  private static let path = "/suite.junction"

  static let cases: [Case] = SpecificationFile.all.enumerated().flatMap { index, file in
    Way.allCases.enumerated().compactMap { number, way in
      isLong || (way == .both ? index % 3 == 0 : (index * 3 + number) % 29 == 3)
        ? Case(file: file, way: way) : nil
    }
  }

  @Test("gives the answers that the specification states", arguments: cases)
  func everyStatement(_ example: Case) throws {
    var disk = SimulatedDisk()
    var options = DatabaseOptions()
    options.durability = example.way == .snapshot ? .snapshot : .sync
    var connection = try Database(path: Self.path, on: disk, options).connect()
    var openings = 0
    for (index, record) in example.file.records.enumerated() {
      let place = "\(example.file.name).test:\(record.line): \(record.sentence)"
      let outcome = SpecificationTests.outcome(record, connection)
      #expect(outcome == record.expectation, "\(example.way), \(place)")
      let session = connection.session
      let tables = connection.database.state.current.catalog.tables.values
      if session.transaction != nil || tables.contains(where: \.isTemporary) { continue }
      if example.way == .snapshot || (example.way == .both && index % 3 == 1) {
        try connection.database.checkpoint()
      }
      disk = SimulatedDisk(disk.state.crash(seed: UInt64(index % 9)))
      let next = try Database(path: Self.path, on: disk, options).connect()
      next.session.takeOver(session)
      connection = next
      openings += 1
    }
    if Self.isLong { print("opened anew: \(example.testDescription): \(openings)") }
  }
}
