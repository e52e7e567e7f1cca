import Diagnostics
import SQLSyntax

/// Runs a script: lines become statements and meta-commands.
///
/// A statement runs as soon as its semicolon is read, so that a program at the other end of a pipe
/// gets its answer before it sends the next one.
final class ScriptRunner {
  private let shell: Shell
  private let reader: LineReader
  /// The statement so far.
  private(set) var splitter = StatementSplitter()
  /// Statements that `\;` ended without running them.
  private var held = ""
  /// Whether there are such statements.
  var isHolding: Bool { !held.isEmpty }
  /// Where the data of a COPY come from once the script's own lines are used up.
  var moreData: () -> [UInt8]? = { nil }

  init(_ shell: Shell, _ reader: LineReader) {
    self.shell = shell
    self.reader = reader
    reader.willWait = { [weak shell] in shell?.flushOutputs() }
  }

  /// Runs all lines, up to `\q`, an error that stops, or Ctrl-C; what is left of a statement stays.
  func run() {
    while shell.exitStatus == nil, !isInterrupted, let line = reader.next() {
      shell.currentLine += 1
      if shell.variables["ECHO"] == "all" && !shell.isInteractive {
        shell.standardOutput.write(line)
        if line.last != 0x0A { shell.standardOutput.writeLine("") }
      }
      // A byte order mark at the start of a script is no part of its first statement.
      let hasMark = shell.currentLine == 1 && line.starts(with: [0xEF, 0xBB, 0xBF])
      feed(hasMark ? Array(line.dropFirst(3)) : line)
    }
  }

  /// Ends the script: the last statement may lack its semicolon, a condition must not lack its end.
  func finish(runsRest: Bool = true) {
    if runsRest, shell.exitStatus == nil, !isInterrupted, splitter.hasContent { runStatement("") }
    if shell.conditions.isOpen && shell.depth == 0 {
      shell.reportMeta("reached EOF without finding closing \\endif(s)")
    }
  }

  /// Drops the statement so far, and leaves the innermost `\if`: what Ctrl-C does at a prompt.
  func abandon() {
    splitter.reset()
    held = ""
    if shell.conditions.end() { shell.reportMeta("\\if: escaped") }
  }

  private var isInterrupted: Bool { shell.isInteractive && Interrupts.isPending }

  private func feed(_ line: [UInt8]) {
    var line = line
    if Self.isDotCommand(line), !splitter.hasContent, splitter.continuation == .nothing {
      guard shell.conditions.isActive,
        let command = shell.translatedDot(String(decoding: line, as: UTF8.self))
      else { return }
      line = Array((command + "\n").utf8)
      shell.isHushed = true
    }
    defer { shell.isHushed = false }
    var index = 0
    while index < line.count && shell.exitStatus == nil && !isInterrupted {
      switch splitter.scan(line, from: index) {
      case .endOfText:
        // With SINGLELINE the end of a line ends the statement, unless something is open.
        if shell.variables.isOn("SINGLELINE"), splitter.hasContent,
          splitter.continuation == .statement
        {
          runStatement(";")
        }
        return
      case .semicolon(let end):
        index = end
        runStatement(";")
      case .backslash(let place):
        index = runCommand(line, from: place + 1)
      }
    }
  }

  /// Whether a line begins with a dot and a letter, as no statement does.
  private static func isDotCommand(_ line: [UInt8]) -> Bool {
    guard line.first == UInt8(ascii: "."), line.count > 1 else { return false }
    return UInt8(ascii: "a")...UInt8(ascii: "z") ~= line[1] | 0x20
  }

  private func runStatement(_ end: String) {
    let hasContent = splitter.hasContent
    let bytes = splitter.takeStatement()
    guard hasContent else { return }
    guard shell.conditions.isActive else {
      skip("query")
      return
    }
    // Errors count lines from the statement's own first line.
    var start = bytes.drop(while: Self.isSpace)
    // The line end behind a last statement without a semicolon is no part of it.
    if end.isEmpty, start.last == 0x0A { start.removeLast() }
    runText(takeHeld() + String(decoding: start, as: UTF8.self) + end)
  }

  /// The statements that were ended without being run, which run with the next.
  private func takeHeld() -> String {
    defer { held = "" }
    return held
  }

  /// `\;`: a semicolon that does not run the statement yet.
  private func hold() {
    let bytes = splitter.takeStatement()
    held += String(decoding: bytes.drop(while: Self.isSpace), as: UTF8.self) + ";"
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }

  /// Tells a person that what was typed is passed over.
  private func skip(_ what: String) {
    guard shell.isInteractive else { return }
    shell.reportMeta("\(what) ignored; use \\endif or Ctrl-C to exit current \\if block")
  }

  private func runText(_ text: String) {
    let statement = Interpolation.expand(text, shell.variables)
    if CopyStatements.readsInput(statement) {
      copyIn(statement)
    } else if CopyStatements.writesOutput(statement) {
      shell.runCopyOut(statement)
    } else {
      shell.run(statement)
    }
  }

  private func copyIn(_ statement: String) {
    let data = CopyData(reader, moreData)
    shell.runCopyIn(statement, from: { data.next() }, discard: { data.discard() })
    shell.currentLine += data.lineCount
  }

  /// Runs the command behind a backslash and says where the line goes on.
  private func runCommand(_ line: [UInt8], from start: Int) -> Int {
    if start < line.count, line[start] == UInt8(ascii: ";") {
      if shell.conditions.isActive { hold() }
      return start + 1
    }
    let text = String(decoding: line[start...], as: UTF8.self)
    let trimmed = text.last?.isNewline == true ? text.dropLast() : text[...]
    let isActive = shell.conditions.isActive
    // The line end is no part of what follows a command.
    var (command, rest) = MetaCommand.parse(trimmed, variables: shell.variables) {
      isActive ? shell.outputOfProgram($0) : ""
    }
    let steers = CommandTable.command(named: command.name)?.steersConditions ?? false
    let behind = rest.isEmpty ? line.count : start + trimmed.utf8.count - rest.utf8.count
    guard isActive || steers else {
      skip("\\\(command.name) command")
      return behind
    }
    var typed = splitter.buffer.drop(while: Self.isSpace)
    while let last = typed.last, last == 0x0A || last == 0x0D { typed.removeLast() }
    if splitter.hasContent || !held.isEmpty {
      command.buffer = held + String(decoding: typed, as: UTF8.self)
    }
    let effect = shell.runCommand(command)
    switch effect {
    case .keepBuffer, .copyIn: break
    case .clearBuffer, .run, .feed: held = ""
    }
    switch effect {
    case .keepBuffer:
      // The line goes on in the statement, unless there was nothing but the command on it.
      let isAlone = line[..<(start - 1)].allSatisfy(Self.isSpace)
      if rest.isEmpty, !isAlone, splitter.hasContent, line.last == 0x0A { return line.count - 1 }
    case .clearBuffer: splitter.reset()
    case .run(let statement):
      splitter.reset()
      runText(statement)
    case .copyIn(let statement):
      let kept = shell.lastStatement
      copyIn(statement)
      shell.lastStatement = kept
    case .feed(let text):
      // What comes from an editor is read like typed lines; the rest of this line is dropped.
      splitter.reset()
      for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
        feed(Array(line.utf8) + [0x0A])
      }
      return line.count
    }
    return behind
  }
}

/// The lines of a COPY's data, up to `\.` or the end.
private final class CopyData {
  private let reader: LineReader
  private let moreData: () -> [UInt8]?
  private var isAtEnd = false
  private(set) var lineCount = 0

  init(_ reader: LineReader, _ moreData: @escaping () -> [UInt8]?) {
    self.reader = reader
    self.moreData = moreData
  }

  func next() -> [UInt8]? { next { reader.next() ?? moreData() } }

  /// Passes over the data that the script still has; nobody is asked for more.
  func discard() { while next({ reader.next() }) != nil {} }

  private func next(_ read: () -> [UInt8]?) -> [UInt8]? {
    guard !isAtEnd, let line = read() else {
      isAtEnd = true
      return nil
    }
    lineCount += 1
    isAtEnd =
      line.starts(with: [UInt8(ascii: "\\"), UInt8(ascii: ".")])
      && line.dropFirst(2).allSatisfy { $0 == 0x0A || $0 == 0x0D }
    return isAtEnd ? nil : line
  }
}

/// Knows COPY statements whose data come from, or go to, the shell itself.
enum CopyStatements {
  /// Whether the statement is `COPY … FROM STDIN`.
  static func readsInput(_ statement: String) -> Bool {
    copy(statement).map { $0.isFrom && $0.endpoint == .standardStream } ?? false
  }

  /// Whether the statement is `COPY … TO STDOUT`.
  static func writesOutput(_ statement: String) -> Bool {
    copy(statement).map { !$0.isFrom && $0.endpoint == .standardStream } ?? false
  }

  /// Where the data of a COPY are, and whether they are read from there; nil for anything else.
  static func endpoint(_ statement: String) -> (CopyStatement.Endpoint, isFrom: Bool)? {
    copy(statement).map { ($0.endpoint, $0.isFrom) }
  }

  private static func copy(_ statement: String) -> CopyStatement? {
    guard startsWithCopy(statement),
      case .copy(let copy)? = try? parseStatement(statement).statement
    else { return nil }
    return copy
  }

  /// Whether the first word behind white space and comments is COPY.
  ///
  /// - Complexity: O(*n*) in what stands in front of the word, byte by byte: statements may be long.
  private static func startsWithCopy(_ statement: String) -> Bool {
    var bytes = statement.utf8[...]
    while let byte = bytes.first {
      let next = bytes.dropFirst().first
      if byte == 0x20 || (0x09...0x0D).contains(byte) || byte == UInt8(ascii: "(") {
        bytes.removeFirst()
      } else if byte == UInt8(ascii: "-"), next == byte {
        bytes = bytes.drop { $0 != 0x0A && $0 != 0x0D }
      } else if byte == UInt8(ascii: "/"), next == UInt8(ascii: "*") {
        skipComment(&bytes)
      } else {
        return bytes.prefix(4).elementsEqual("copy".utf8) { $0 | 0x20 == $1 }
      }
    }
    return false
  }

  /// Moves past a comment and those nested in it, or to the end.
  private static func skipComment(_ bytes: inout Substring.UTF8View) {
    var depth = 0
    while let byte = bytes.first {
      bytes.removeFirst()
      if byte == UInt8(ascii: "/"), bytes.first == UInt8(ascii: "*") {
        bytes.removeFirst()
        depth += 1
      } else if byte == UInt8(ascii: "*"), bytes.first == UInt8(ascii: "/") {
        bytes.removeFirst()
        depth -= 1
        if depth == 0 { return }
      }
    }
  }
}
