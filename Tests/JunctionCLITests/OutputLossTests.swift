import Foundation
import Testing

#if os(Linux)
  /// What a command of the shell prints and says, and its status; `JUNCTION` stands for the tool.
  private func sh(
    _ command: String, in folder: String = "/tmp"
  ) throws -> (output: String, errors: String, status: Int32) {
    let process = Process()
    let (output, errors) = (Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    let tool = "'\(PseudoTerminal.tool)' -X"
    process.arguments = ["-c", command.replacing("JUNCTION", with: tool)]
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let printed = output.fileHandleForReading.readDataToEndOfFile()
    let complained = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (
      String(decoding: printed, as: UTF8.self), String(decoding: complained, as: UTF8.self),
      process.terminationStatus
    )
  }

  @Suite("Output that cannot be written")
  struct OutputLossTests {
    private static let noSpace = "No space left on device"

    @Test(
      "is told, and is an error",
      arguments: [
        ("JUNCTION -c 'select 1' >/dev/full", noSpace, 1),
        ("JUNCTION --csv -c 'select * from generate_series(1, 100000)' >/dev/full", noSpace, 1),
        ("JUNCTION --json -c 'select * from generate_series(1, 100000)' >/dev/full", noSpace, 1),
        ("JUNCTION -c 'copy (select 1) to stdout' >/dev/full", noSpace, 1),
        (
          "JUNCTION -c 'copy (select * from generate_series(1, 100000)) to stdout' >/dev/full",
          "could not write COPY data: \(noSpace)", 1
        ),
        ("JUNCTION -o /dev/full -c 'select 1'", noSpace, 1),
        ("JUNCTION -c '\\o /dev/full' -c 'select 1' -c '\\o' -c 'select 2'", noSpace, 1),
        ("JUNCTION -c \"copy (select 1) to '/dev/full'\"", noSpace, 1),
        ("JUNCTION -c \"\\copy (select 1) to '/dev/full'\"", noSpace, 1),
        ("JUNCTION -c '\\dn' >/dev/full", noSpace, 1),
        ("JUNCTION -c '\\echo x' >/dev/full", noSpace, 1),
        ("JUNCTION -c '\\dump' >/dev/full", noSpace, 1),
        ("JUNCTION -c 'create table t (a int)' -c '\\erd' >/dev/full", noSpace, 1),
        ("JUNCTION -c 'create table t (a int)' -c '\\erd svg /dev/full'", noSpace, 1),
        ("JUNCTION --help >/dev/full", noSpace, 1), ("JUNCTION --version >/dev/full", noSpace, 1),
        ("echo 'select 1;' | JUNCTION >/dev/full", noSpace, 1),
        ("echo 'select 1;' | JUNCTION -v ON_ERROR_STOP=1 >/dev/full", noSpace, 3),
        ("echo 'select 1 \\g /dev/full' | JUNCTION", noSpace, 1),
        ("JUNCTION -c 'select 1' >&-", "Bad file descriptor", 1),
      ])
    func told(_ command: String, _ reason: String, _ status: Int32) throws {
      let result = try sh(command)
      #expect(result.errors.contains(reason), "\(result.errors)")
      #expect(result.status == status)
      // Once is enough.
      #expect(result.errors.components(separatedBy: Self.noSpace).count <= 2, "\(result.errors)")
    }

    @Test(
      "because nobody reads on is neither",
      arguments: [
        "JUNCTION -c 'select * from generate_series(1, 200000)' | head -n 1",
        "JUNCTION --csv -t -c 'select * from generate_series(1, 200000)' | head -n 1",
        "JUNCTION -c 'copy (select * from generate_series(1, 200000)) to stdout' | head -n 1",
      ])
    func pipes(_ command: String) throws {
      let result = try sh(command)
      #expect(result.errors == "")
      #expect(result.output.count < 40)
    }

    @Test("never goes into a file of the database for want of standard output")
    func closedOutput() throws {
      let folder = FileManager.default.temporaryDirectory
        .appending(path: "junction-closed-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let statement = "create table t (a int); insert into t values (7); select a as garbage from t"
      let closed = try sh("JUNCTION -c '\(statement)' x.junction <&- >&- 2>&-", in: folder.path)
      #expect(closed.status == 1)
      let reopened = try sh("JUNCTION -q -t -A -c 'select a from t' x.junction", in: folder.path)
      #expect(reopened.output == "7\n")
      #expect(try sh("grep -rl garbage x.junction", in: folder.path).output == "")
    }
  }

  @Suite("The name of a database")
  struct DatabaseNameTests {
    private func withFolder(_ body: (String) throws -> Void) throws {
      let folder = FileManager.default.temporaryDirectory
        .appending(path: "junction-names-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      try body(folder.path)
    }

    @Test("with the ending makes a database, which is said once")
    func made() throws {
      try withFolder { folder in
        let first = try sh("JUNCTION -c 'create table t (a int)' new.junction", in: folder)
        #expect(
          first.errors == "NOTICE:  database \"new.junction\" was not there and has been made\n")
        #expect(first.status == 0)
        let second = try sh("JUNCTION -c 'table t' new.junction", in: folder)
        #expect(second.errors == "")
        let quiet = try sh("JUNCTION -q -c 'select 1' other.junction", in: folder)
        #expect(quiet.errors == "")
      }
    }

    @Test("of a copy gets the ending, and opens without it")
    func saved() throws {
      try withFolder { folder in
        let saved = try sh("JUNCTION -c 'create table t (a int)' -c '\\save sv'", in: folder)
        #expect(saved.output.hasSuffix("Saved to \"sv.junction\".\n"))
        for name in ["sv", "sv.junction", "./sv"] {
          let opened = try sh("JUNCTION -c 'table t' \(name)", in: folder)
          #expect(opened.errors == "", "\(opened.errors)")
          #expect(opened.status == 0)
        }
        let opened = try sh("JUNCTION -c '\\open sv' -c 'table t'", in: folder)
        #expect(
          opened.output.hasPrefix(
            "You are now connected to database \"sv.junction\" as user \"junction\"."))
      }
    }

    @Test("of which there is nothing is an error that says what to do, and makes nothing")
    func missing() throws {
      try withFolder { folder in
        for command in ["JUNCTION -c 'select 1' typo", "JUNCTION -c '\\open typo'"] {
          let result = try sh(command, in: folder)
          #expect(result.status == 1)
          #expect(result.errors.contains("there is no database or folder \"typo\""))
          #expect(result.errors.contains("name it \"typo.junction\""))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
      }
    }

    @Test("may be that of a CSV file, but of no other")
    func files() throws {
      try withFolder { folder in
        try Data("a\n1\n".utf8).write(to: URL(filePath: folder + "/t.csv"))
        try Data("a\n1\n".utf8).write(to: URL(filePath: folder + "/t.txt"))
        let opened = try sh("JUNCTION -q -t -A -c 'table t' t.csv", in: folder)
        #expect(opened.output == "1\n")
        let refused = try sh("JUNCTION -c 'select 1' t.txt", in: folder)
        #expect(refused.errors.contains("no database, no backup and no file that is a table"))
        #expect(refused.status == 1)
      }
    }
  }

  @Suite("A pipe that is named as a file")
  struct NamedPipeTests {
    @Test("is read once, as a script and as data")
    func pipes() throws {
      let script = try sh(
        "mkfifo /tmp/junction-pipe-$$; (echo 'select 1 as x;' >/tmp/junction-pipe-$$ &); "
          + "JUNCTION -t -A -f /tmp/junction-pipe-$$; rm /tmp/junction-pipe-$$")
      #expect(script.output == "1\n")
      let data = try sh(
        "mkfifo /tmp/junction-pipe-$$; (echo 7 >/tmp/junction-pipe-$$ &); "
          + "JUNCTION -q -t -A -c 'create table t (a int)' -c \"\\copy t from '/tmp/junction-pipe-$$'\" "
          + "-c 'table t'; rm /tmp/junction-pipe-$$")
      #expect(data.output == "7\n", "\(data.errors)")
    }
  }
#endif
