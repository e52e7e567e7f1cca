import Diagnostics
import Foundation
import Testing

@testable import JunctionShell

@Suite("junction migrate")
struct MigrateCommandTests {
  @Test("takes a database, a folder, and options in either spelling")
  func arguments() throws {
    let command = try MigrateCommand(["a.junction", "--to=x", "m", "--plan", "--erase"])
    #expect(command.database == "a.junction" && command.folder == "m" && command.last == "x")
    #expect(command.isPlan && command.erases)
    #expect(try MigrateCommand(["a", "m", "--to", "y"]).last == "y")
    #expect(try MigrateCommand(["--help"]).showsHelp)
  }

  @Test(
    "says what is wrong",
    arguments: [
      ([], "a database must be named"), (["a"], "a folder of migrations must be named"),
      (["a", "b", "c"], "extra argument \"c\""),
      (["a", "b", "--to"], "option \"--to\" requires a value"),
      (["a", "b", "--plan=x"], "unrecognized option \"--plan=x\""),
    ])
  func mistakes(_ arguments: [String], _ message: String) {
    let error = #expect(throws: SQLError.self) { try MigrateCommand(arguments) }
    #expect(error?.message == message)
  }

  @Test("plans with 4, runs with 0, and fails with 3")
  func statuses() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("junction-\(UUID().uuidString)")
    let migrations = folder.appendingPathComponent("migrations")
    try FileManager.default.createDirectory(at: migrations, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func write(_ name: String, _ text: String) throws {
      try text.write(
        to: migrations.appendingPathComponent(name + ".sql"), atomically: true, encoding: .utf8)
    }
    func run(_ options: String...) throws -> (status: Int32, output: String, errors: String) {
      let paths = ["output", "errors"].map { folder.appendingPathComponent($0).path }
      let arguments = [folder.appendingPathComponent("a.junction").path, migrations.path]
      let errors = try OutputStream(path: paths[1])
      let status = MigrateCommand.run(
        arguments + options, try OutputStream(path: paths[0]), errors)
      errors.flush()
      let texts = try paths.map { try String(contentsOfFile: $0, encoding: .utf8) }
      return (status, texts[0], texts[1])
    }
    try write("1 table", "CREATE TABLE t (id int)")
    let plan = try run("--plan")
    #expect(plan.status == 4)
    #expect(
      plan.output == """
        would run 1 table

        -- table "t" is added
        CREATE TABLE t (
            id integer
        );

        """)
    #expect(try run().output == "ran 1 table\n")
    #expect(try run() == (0, "nothing to do\n", ""))
    #expect(try run("--plan").status == 0)
    try write("2 rows", "INSERT INTO t VALUES (1);\nINSERT INTO u VALUES (1)")
    #expect(try run("--to", "1 table").status == 0)
    let failed = try run()
    #expect(failed.status == 3)
    #expect(
      failed.errors.hasPrefix("junction: ERROR:  relation \"u\" does not exist")
        && failed.errors.hasSuffix("CONTEXT:  migration \"2 rows\", line 2\n"), "\(failed.errors)")
    try write("1 table", "CREATE TABLE t (id bigint)")
    try write("2 rows", "INSERT INTO t VALUES (1)")
    #expect(try run("--plan").errors.contains("has changed since it ran"))
    #expect(try run("--plan", "--erase").status == 4)
    #expect(try run("--erase").output == "ran 1 table\nran 2 rows\n")
    #expect(
      MigrateCommand.run(
        [":memory:", folder.path + "/none"], try OutputStream(path: folder.path + "/o"),
        try OutputStream(path: folder.path + "/e")) == 1)
  }
}
