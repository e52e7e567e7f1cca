#if os(Linux)
  import Foundation
  import Testing

  @Suite("The tool on a terminal")
  struct TerminalTests {
    /// A folder that is a home for one session, gone with it.
    private final class Home {
      let path = NSTemporaryDirectory() + "junction-terminal-\(UUID().uuidString)"

      init() throws {
        try FileManager.default.createDirectory(
          atPath: path, withIntermediateDirectories: true)
      }

      deinit { try? FileManager.default.removeItem(atPath: path) }

      func write(_ name: String, _ text: String) throws -> String {
        let file = path + "/" + name
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        return file
      }
    }

    private let home: Home

    init() throws { home = try Home() }

    private func start(
      _ arguments: [String] = [], columns: Int = 80, rows: Int = 24,
      _ variables: [String: String] = [:]
    ) throws -> PseudoTerminal {
      let environment = [
        "HOME": home.path, "TERM": "xterm", "PATH": "/usr/bin:/bin", "PAGER": "", "LANG": "C.UTF-8",
      ]
      let terminal = try PseudoTerminal(
        arguments, columns: columns, rows: rows,
        environment: environment.merging(variables) { $1 })
      try terminal.wait("prompt") { $0.lines.last?.hasSuffix("=>") ?? false }
      return terminal
    }

    private static let cancelled = "^CERROR:  canceling statement due to user request"

    // Running.

    @Test("A statement runs at its semicolon, over as many lines as it takes")
    func continuation() throws {
      let terminal = try start()
      terminal.type("select 'a\r")
      try terminal.wait(for: "junction'>")
      terminal.type("b' as \"x\r")
      try terminal.wait(for: "junction\">")
      terminal.type("y\", (1\r")
      try terminal.wait(for: "junction(>")
      terminal.type("+ 1)\r")
      try terminal.wait(for: "junction->")
      terminal.type("/* note\r")
      try terminal.wait(for: "junction*>")
      terminal.type("*/ as two;\r")
      try terminal.wait(forLine: "(1 row)")
      #expect(terminal.screen.history.contains(" b |"))
    }

    @Test("The prompt shows the state of the transaction")
    func transactions() throws {
      let terminal = try start()
      terminal.type("begin;\r")
      try terminal.wait(for: "junction=*>")
      terminal.type("select 1/0;\r")
      try terminal.wait(forLine: "ERROR:  division by zero", then: "junction=!>")
      terminal.type("rollback;\r")
      try terminal.wait(for: "junction=>")
    }

    @Test("An error points at its place")
    func errors() throws {
      let terminal = try start()
      terminal.type("select 1,\r  nope;\r")
      try terminal.wait(forLine: "LINE 2:   nope;")
      #expect(terminal.screen.history.contains("          ^"))
    }

    @Test("What a command leaves of a statement goes on behind the next prompt")
    func buffer() throws {
      let terminal = try start()
      terminal.type("select 1\r\\p\r")
      try terminal.wait(for: "junction->")
      terminal.type(", 2 \\gx\r")
      try terminal.wait("expanded row") {
        $0.lines.last == "junction=>" && $0.lines.contains("?column? | 2")
      }
    }

    @Test("Branches that are not taken are shown in the prompt and passed over")
    func conditions() throws {
      let terminal = try start()
      terminal.type("\\if false\r")
      try terminal.wait(for: "junction@>")
      terminal.type("select 1;\r")
      try terminal.wait("remark") {
        $0.lines.contains { $0.hasPrefix("query ignored; use \\endif") }
      }
      terminal.type("\\endif\r")
      try terminal.wait(for: "junction=>")
    }

    @Test("A folder says what was loaded, and completes joins by their foreign keys")
    func folder() throws {
      let school = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Datasets/school").path
      let terminal = try start([school], columns: 200)
      #expect(
        terminal.screen.lines.contains {
          $0.contains("course.csv: 10 rows read = 10 loaded + 0 rejected")
        })
      terminal.type("select count(*) from student s join enrols_in e \t")
      try terminal.wait(
        for: "school=> select count(*) from student s join enrols_in e ON e.student_id = s.id")
      terminal.type(";\r")
      try terminal.wait(forLine: "    12", then: "school=>")
      #expect(
        String(decoding: terminal.output, as: UTF8.self).contains("\u{1B}[1;34mselect\u{1B}[0m"))
    }

    // Interrupts.

    @Test(
      "Ctrl-C cancels what runs, at once, and the session goes on",
      arguments: [
        "select count(*) from generate_series(1,1000000000)",
        "select count(*) from generate_series(1,100000) a, generate_series(1,100000) b where a + b = 0",
        "with recursive t(n) as (select 1 union all select n + 1 from t) select max(n) from t",
        "select pg_sleep(600)",
      ])
    func cancelling(statement: String) throws {
      let terminal = try start(columns: 120)
      let message = Self.cancelled.dropFirst(2)
      // Ctrl-C that comes just before the statement begins drops it without a word: then once more.
      for _ in 0..<5 {
        terminal.type(statement + ";\r")
        try terminal.wait("running statement") { _ in terminal.isCooked }
        let start = ContinuousClock.now
        terminal.type("\u{3}")
        // A statement that has not begun cannot be cancelled: Ctrl-C again until it is.
        while terminal.isCooked && ContinuousClock.now - start < .seconds(20) {
          try? terminal.wait("end", for: .milliseconds(500)) { _ in !terminal.isCooked }
          if terminal.isCooked { terminal.type("\u{3}") }
        }
        #expect(ContinuousClock.now - start < .seconds(10))
        try terminal.wait(for: "junction=>")
        if terminal.screen.history.contains(where: { $0.hasSuffix(message) }) { break }
      }
      #expect(terminal.screen.history.contains { $0.hasSuffix(message) })
      terminal.type("select 6*7 as answer;\r")
      try terminal.wait(forLine: "     42")
    }

    @Test("Ctrl-C drops the line, Ctrl-D leaves and puts the terminal back")
    func leaving() throws {
      let terminal = try start()
      terminal.type("select 'abc\r")
      try terminal.wait(for: "junction'>")
      terminal.type("\u{3}")
      try terminal.wait(for: "junction=>")
      #expect(terminal.screen.lines.contains("junction'> ^C"))
      #expect(!terminal.isCooked)
      terminal.type("\u{4}")
      #expect(try terminal.exitStatus() == 0)
      #expect(terminal.isCooked)
    }

    @Test("The terminal is put back when the tool is ended from outside")
    func termination() throws {
      let terminal = try start()
      terminal.signal(SIGTERM)
      #expect(try terminal.exitStatus() == -SIGTERM)
      #expect(terminal.isCooked)
    }

    @Test("Ctrl-C during COPY loads nothing; a mark ends the data")
    func copying() throws {
      let terminal = try start(rows: 40)
      terminal.type("create table t (a int);\r")
      try terminal.wait(forLine: "CREATE TABLE")
      terminal.type("copy t from stdin;\r")
      try terminal.wait(for: ">>")
      terminal.type("1\r\u{3}")
      try terminal.wait("end of the data") {
        $0.lines.last == "junction=>" && $0.lines.contains(">> ^C")
      }
      terminal.type("copy t from stdin;\r")
      try terminal.wait(for: ">>")
      terminal.type("2\r\\.\r")
      try terminal.wait(forLine: "COPY 1")
      terminal.type("select sum(a) as total from t;\r")
      try terminal.wait(forLine: "     2")
    }

    @Test("Watching goes on until Ctrl-C")
    func watching() throws {
      let terminal = try start()
      terminal.type("select 7 as x \\watch 0.1\r")
      try terminal.wait("second run") { $0.history.count { $0 == " 7" } >= 2 }
      terminal.type("\u{3}")
      try terminal.wait(for: "junction=>")
    }

    // Editing.

    @Test("Wide characters are edited and wrapped by the cells they take")
    func wideCharacters() throws {
      let terminal = try start(columns: 20, rows: 10)
      terminal.type("select '日本語テキスト'")
      try terminal.wait("wrapped text") {
        Array($0.lines.suffix(2)) == ["junction=> select '", "日本語テキスト'"]
      }
      terminal.type("\u{1B}[D\u{7F}x\u{1}")
      try terminal.wait("changed text") {
        $0.lines.last == "日本語テキスx'" && $0.cursor == ($0.lines.count - 2, 11)
      }
      terminal.resize(columns: 60, rows: 10)
      try terminal.wait("text on one line") { $0.lines.last == "junction=> select '日本語テキスx'" }
    }

    @Test("A paste of several lines is text until Enter")
    func pasting() throws {
      let terminal = try start(rows: 40)
      terminal.type("\u{1B}[200~select 1 as a;\r\n\tselect 2 as b;\u{1B}[201~")
      try terminal.wait("pasted lines") { $0.lines.last == "junction=>      select 2 as b;" }
      #expect(!terminal.screen.lines.contains("(1 row)"))
      terminal.type("\r")
      try terminal.wait("two results") {
        $0.lines.count { $0 == "(1 row)" } == 2 && $0.lines.last == "junction=>"
      }
    }

    @Test("Of an input taller than the screen the part around the cursor is shown")
    func tallInput() throws {
      let terminal = try start(columns: 40, rows: 8)
      let text = "select " + (1...20).map { "\($0)" }.joined(separator: ",\n")
      terminal.type("\u{1B}[200~" + text + "\u{1B}[201~")
      try terminal.wait("last lines") { $0.lines.count == 8 && $0.lines.last == "junction-> 20" }
      terminal.type(String(repeating: "\u{1B}[A", count: 19) + "\u{5}")
      try terminal.wait("first lines") {
        $0.lines.first == "junction=> select 1," && $0.cursor.row == 0
      }
      terminal.type("\u{3}")
      try terminal.wait("whole text") {
        $0.lines.last == "junction=>" && $0.history.contains("junction-> 20^C")
      }
    }

    @Test("History is kept for the next session, and searched")
    func history() throws {
      let first = try start()
      first.type("select 'one' as a;\rselect 'two' as a;\r")
      try first.wait(forLine: " two")
      first.type("\u{1B}[A\u{1B}[A")
      try first.wait(for: "junction=> select 'one' as a;")
      first.type("\u{3}quit\r")
      #expect(try first.exitStatus() == 0)
      let file = home.path + "/.junction_history"
      let attributes = try FileManager.default.attributesOfItem(atPath: file)
      #expect(attributes[.posixPermissions] as? Int == 0o600)

      let second = try start()
      second.type("\u{12}one")
      try second.wait(for: "(reverse-i-search)`one': select 'one' as a;")
      second.type("xyz")
      try second.wait(for: "(failed reverse-i-search)`onexyz': select 'one' as a;")
      second.type("\u{7F}\u{7F}\u{7F}\r")
      try second.wait(forLine: " one")
    }

    @Test("An editor's statements run, and what lacks a semicolon waits for more")
    func editor() throws {
      // A script that the shell reads, not a program: a process started by another test while the
      // file was being written may still hold it, and then it could not be run.
      let editor = try home.write(
        "editor", "printf 'select 41 + 1 as answer;\\nselect 7 as x' > \"$1\"\n")
      let terminal = try start(["-q"], ["EDITOR": "sh " + editor])
      terminal.type("\\e\r")
      try terminal.wait(forLine: "     42", then: "junction->")
      terminal.type(", 8 as y;\r")
      try terminal.wait(forLine: " 7 | 8")
    }

    // Output.

    @Test("What is taller than the screen goes through the pager, unless that is off")
    func pager() throws {
      let terminal = try start(rows: 10, ["PAGER": "sed -n 's/^/paged /;$p;4p'"])
      terminal.type("select * from generate_series(1, 30) as x;\r")
      try terminal.wait(forLine: "paged   2")
      terminal.type("select 5 as five;\r")
      try terminal.wait(forLine: "    5")
      terminal.type("\\pset pager off\rselect * from generate_series(101, 130) as x;\r")
      try terminal.wait(forLine: " 130")
    }

    @Test("A terminal that only prints gets no escape sequence, but prompts and Ctrl-C")
    func plainTerminal() throws {
      let terminal = try start(["TERM": "dumb"])
      terminal.type("select 1\n")
      try terminal.wait(for: "junction->")
      terminal.type("as one;\n")
      try terminal.wait(forLine: "   1")
      terminal.type("select 'x\n")
      try terminal.wait(for: "junction'>")
      terminal.type("\u{3}")
      try terminal.wait(for: "junction=>")
      terminal.type("\u{4}")
      #expect(try terminal.exitStatus() == 0)
      #expect(!terminal.output.contains(0x1B))
    }

    private func start(_ variables: [String: String]) throws -> PseudoTerminal {
      try start([], variables)
    }
  }
#endif
