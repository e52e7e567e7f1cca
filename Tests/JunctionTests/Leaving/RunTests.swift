import Foundation
import Junction
import Testing

/// Runs of what an export writes, where the other system is there and asked for.
///
/// `JUNCTION_LEAVING_SPARK` names a Python with pyspark, `JUNCTION_LEAVING_POSTGRES` a connection of psql to an empty database that
/// may be filled, such as `postgresql://localhost/empty`.
@Suite("What leaves gives the same answers")
struct RunTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let python = environment["JUNCTION_LEAVING_SPARK"]
  private static let database = environment["JUNCTION_LEAVING_POSTGRES"]

  private func run(_ program: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [program] + arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: output, as: UTF8.self)
  }

  @Test(
    "in Spark", .enabled(if: python != nil, "JUNCTION_LEAVING_SPARK names no Python with pyspark"))
  func spark() throws {
    let python = try #require(Self.python)
    let connection = try LeavingFixture.connection()
    try LeavingFixture.withPath { path in
      _ = try connection.export(toSpark: path, queries: try LeavingFixture.text("queries.sql"))
      let output = try run(python, [path + "/run", "--master", "local[2]"])
      #expect(output.hasSuffix("53 same, 0 different, 0 not translated\n"), "\(output)")
    }
  }

  @Test(
    "in PostgreSQL", .enabled(if: database != nil, "JUNCTION_LEAVING_POSTGRES names no database"))
  func postgres() throws {
    let database = try #require(Self.database)
    let connection = try LeavingFixture.connection()
    let queries = try ["queries.sql", "antijoins.sql"].map(LeavingFixture.queries).joined()
    try LeavingFixture.withPath { path in
      _ = try connection.export(toCitus: path, queries: queries)
      let output = try run(path + "/run", ["--plain", "-d", database])
      #expect(output.hasSuffix("233 same, 0 different, 0 not translated\n"), "\(output)")
    }
  }
}
