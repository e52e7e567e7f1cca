import Diagnostics
import Testing

@testable import JunctionShell

@Suite("junction export")
struct ExportCommandTests {
  @Test("takes one database and one target, in either spelling of an option")
  func arguments() throws {
    let spark = try ExportCommand(["a.junction", "--spark", "out", "--queries=q.sql"])
    #expect(spark.database == "a.junction" && spark.target == .spark(folder: "out"))
    #expect(spark.queries == "q.sql")
    #expect(try ExportCommand(["--citus=out", "a"]).target == .citus(folder: "out"))
    #expect(try ExportCommand(["a"]).target == .sql(file: nil))
    #expect(try ExportCommand(["--help"]).showsHelp)
  }

  @Test(
    "says what is wrong",
    arguments: [
      ([], "a database must be named"),
      (["a", "b"], "extra argument \"b\""),
      (["a", "--parquet"], "option \"--parquet\" requires a value"),
      (
        ["a", "--parquet", "p", "--spark", "s"],
        "one of --sql, --parquet, --spark and --citus can be given"
      ),
      (["a", "--queries", "q"], "--queries goes with --spark and --citus"),
      (["a", "--iceberg", "x"], "unrecognized option \"--iceberg\""),
    ])
  func mistakes(_ arguments: [String], _ message: String) {
    let error = #expect(throws: SQLError.self) { try ExportCommand(arguments) }
    #expect(error?.message == message)
  }
}
