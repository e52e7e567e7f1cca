import Diagnostics
import SQLSyntax

/// Runs a script: lines become statements and meta-commands.
///
/// A statement runs as soon as its semicolon is read, so that a program at the other end of a pipe
/// gets its answer before it sends the next one.
final class ScriptRunner {
  private let shell: Shell
  private let reader: LineReader
  private var splitter = StatementSplitter()

  init(_ shell: Shell, _ reader: LineReader) {
    self.shell = shell
    self.reader = reader
    reader.willWait = { [weak shell] in shell?.flushOutputs() }
  }

  /// Runs everything to the end, or to `\q` or an error that stops.
  func run() {
    while shell.exitStatus == nil, let line = reader.next() {
      shell.currentLine += 1
      if shell.variables["ECHO"] == "all" && !shell.isInteractive {
        shell.standardOutput.write(line)
        if line.last != 0x0A { shell.standardOutput.writeLine("") }
      }
      // A byte order mark at the start of a script is no part of its first statement.
      let hasMark = shell.currentLine == 1 && line.starts(with: [0xEF, 0xBB, 0xBF])
      feed(hasMark ? Array(line.dropFirst(3)) : line)
    }
    if shell.exitStatus == nil && splitter.hasContent { runStatement() }
    if shell.conditions.isOpen && shell.depth == 0 {
      shell.reportMeta("reached EOF without finding closing \\endif(s)")
    }
  }

  private func feed(_ line: [UInt8]) {
    var line = line
    if line.first == UInt8(ascii: "."), splitter.continuation == .nothing,
      let command = DotCommands.translated(String(decoding: line, as: UTF8.self))
    {
      line = Array(command.utf8)
    }
    var index = 0
    while index < line.count && shell.exitStatus == nil {
      switch splitter.scan(line, from: index) {
      case .endOfText: return
      case .semicolon(let end):
        index = end
        runStatement()
      case .backslash(let place):
        index = runCommand(line, from: place + 1)
      }
    }
  }

  private func runStatement() {
    let hasContent = splitter.hasContent
    let bytes = splitter.takeStatement()
    guard hasContent, shell.conditions.isActive else { return }
    // Errors count lines from the statement's own first line.
    runText(
      String(decoding: bytes.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }, as: UTF8.self))
  }

  private func runText(_ text: String) {
    let statement = Interpolation.expand(text, shell.variables)
    if CopyStatements.readsInput(statement) {
      shell.runCopyIn(statement) { [reader] in Self.copyData(reader) }
    } else if CopyStatements.writesOutput(statement) {
      shell.runCopyOut(statement)
    } else {
      shell.run(statement)
    }
  }

  /// The next piece of data of a COPY in a script; nil at `\.` or the end.
  private static func copyData(_ reader: LineReader) -> [UInt8]? {
    guard let line = reader.next() else { return nil }
    let isEnd =
      line.starts(with: [UInt8(ascii: "\\"), UInt8(ascii: ".")])
      && line.dropFirst(2).allSatisfy { $0 == 0x0A || $0 == 0x0D }
    return isEnd ? nil : line
  }

  /// Runs the command behind a backslash and says where the line goes on.
  private func runCommand(_ line: [UInt8], from start: Int) -> Int {
    let text = String(decoding: line[start...], as: UTF8.self)
    let trimmed = text.last?.isNewline == true ? text.dropLast() : text[...]
    let (command, rest) = MetaCommand.parse(trimmed, variables: shell.variables)
    if shell.runCondition(command) { return line.count - rest.utf8.count }
    guard shell.conditions.isActive else { return line.count }
    let buffered = String(decoding: splitter.buffer, as: UTF8.self)
    switch shell.runCommand(command, buffer: splitter.hasContent ? buffered : "") {
    case .keepBuffer: break
    case .clearBuffer: splitter.reset()
    case .run(let statement):
      splitter.reset()
      runText(statement)
    }
    return line.count - rest.utf8.count
  }
}

/// Puts variables into a statement, outside of its quotes and comments.
enum Interpolation {
  static func expand(_ text: String, _ variables: VariableTable) -> String {
    guard text.utf8.contains(UInt8(ascii: ":")) else { return text }
    var result = ""
    var rest = text[...]
    while let first = rest.first {
      switch first {
      case ":":
        if rest.hasPrefix("::") {
          result += "::"
          rest = rest.dropFirst(2)
        } else if let (value, next) = variables.expansion(at: rest) {
          result += value
          rest = next
        } else {
          result.append(first)
          rest = rest.dropFirst()
        }
      case "'", "\"":
        let length = rest.dropFirst().prefix { $0 != first }.count + 2
        result += rest.prefix(length)
        rest = rest.dropFirst(length)
      case "-" where rest.hasPrefix("--"):
        let length = rest.prefix { !$0.isNewline }.count
        result += rest.prefix(length)
        rest = rest.dropFirst(length)
      default:
        result.append(first)
        rest = rest.dropFirst()
      }
    }
    return result
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

  private static func copy(_ statement: String) -> CopyStatement? {
    let start = statement.drop { $0.isWhitespace || $0 == "(" }.prefix(4).lowercased()
    guard start == "copy" || statement.contains("copy") || statement.contains("COPY"),
      case .copy(let copy)? = try? parseStatement(statement).statement
    else { return nil }
    return copy
  }
}
