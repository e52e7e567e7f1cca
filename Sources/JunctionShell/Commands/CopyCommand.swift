import Diagnostics
import SQLSyntax

/// `\copy` as it was typed: COPY, but for files that are named as the system's shell names them.
struct CopyCommand: Equatable {
  /// Where the data are.
  enum End: Equatable {
    case file(String)
    case program(String)
    /// Where the command stands, or where results go.
    case here
    /// Standard input and output themselves.
    case standard
  }
  /// `BINARY`, the table with its columns, or the query in parentheses.
  let subject: String
  let isFrom: Bool
  let end: End
  /// What follows the file.
  let options: String

  /// Reads what stands behind `\copy`.
  ///
  /// - Throws: 42601 in psql's words.
  init(_ text: String) throws(SQLError) {
    var pieces = TextPieces(Self.withoutSemicolon(text))
    var depth = 0
    var start = 0
    var direction: (place: Range<Int>, isFrom: Bool)?
    while direction == nil, let piece = pieces.next() {
      let spelled = String(decoding: pieces.bytes[piece.range], as: UTF8.self).lowercased()
      if piece.kind == .mark {
        depth += spelled == "(" ? 1 : spelled == ")" ? -1 : 0
      } else if piece.kind == .word, depth == 0, spelled == "from" || spelled == "to" {
        direction = (piece.range, spelled == "from")
      }
    }
    func slice(_ range: Range<Int>) -> String {
      Self.trimmed(String(decoding: pieces.bytes[range], as: UTF8.self))
    }
    let count = pieces.bytes.count
    guard let direction else {
      if count == 0 { throw SQLError(.syntaxError, "\\copy: arguments required") }
      throw SQLError(
        .syntaxError, "\\copy: parse error at end of line",
        hint: "Write \\copy TABLE FROM FILE, or \\copy TABLE TO FILE.")
    }
    subject = slice(0..<direction.place.lowerBound)
    isFrom = direction.isFrom
    start = direction.place.upperBound
    let word = Self.word(in: pieces.bytes, from: &start)
    guard let word, !subject.isEmpty else {
      throw SQLError(
        .syntaxError,
        subject.isEmpty
          ? "\\copy: parse error at \"\(isFrom ? "from" : "to")\""
          : "\\copy: parse error at end of line")
    }
    end = try Self.end(word, in: pieces.bytes, &start)
    options = slice(min(start, count)..<count)
  }

  private static func end(
    _ word: (text: String, isQuoted: Bool), in bytes: [UInt8], _ start: inout Int
  ) throws(SQLError) -> End {
    if word.isQuoted { return .file(Shell.expandedPath(word.text)) }
    switch word.text.lowercased() {
    case "stdin", "stdout": return .here
    case "pstdin", "pstdout": return .standard
    case "program":
      guard let command = self.word(in: bytes, from: &start), command.isQuoted else {
        throw SQLError(
          .syntaxError, "\\copy: parse error at end of line",
          hint: "Behind PROGRAM stands a command in single quotes.")
      }
      return .program(command.text)
    default: return .file(Shell.expandedPath(word.text))
    }
  }

  /// The word or the text in single quotes at `start`; nil at the end.
  private static func word(
    in bytes: [UInt8], from start: inout Int
  ) -> (text: String, isQuoted: Bool)? {
    while start < bytes.count, isSpace(bytes[start]) { start += 1 }
    guard start < bytes.count else { return nil }
    let quote = UInt8(ascii: "'")
    var word: [UInt8] = []
    if bytes[start] == quote {
      start += 1
      while start < bytes.count {
        if bytes[start] == quote {
          guard start + 1 < bytes.count, bytes[start + 1] == quote else { break }
          start += 1
        }
        word.append(bytes[start])
        start += 1
      }
      start += 1
      return (String(decoding: word, as: UTF8.self), true)
    }
    while start < bytes.count, !isSpace(bytes[start]) {
      word.append(bytes[start])
      start += 1
    }
    return (String(decoding: word, as: UTF8.self), false)
  }

  /// The statement whose data are at `end` in its words.
  func statement(_ end: String) -> String {
    "COPY \(subject) \(isFrom ? "FROM" : "TO") \(end)" + (options.isEmpty ? "" : " " + options)
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }

  private static func trimmed(_ text: String) -> String {
    var result = text[...]
    while result.last?.isWhitespace ?? false { result.removeLast() }
    return String(result.drop(while: \.isWhitespace))
  }

  private static func withoutSemicolon(_ text: String) -> String {
    var result = trimmed(text)[...]
    while let last = result.last, last == ";" || last.isWhitespace { result.removeLast() }
    return String(result)
  }
}

extension Shell {
  /// `\copy`: a COPY whose file is the shell's, not the server's; here both are one process.
  ///
  /// - Returns: what the reader of the script has to do for data that stand in the script itself.
  func copy(_ text: String) -> CommandEffect {
    let command: CopyCommand
    do throws(SQLError) { command = try CopyCommand(text) } catch {
      reportMeta(error)
      return .keepBuffer
    }
    let stream = command.statement(command.isFrom ? "STDIN" : "STDOUT")
    // What `\g` runs again is the statement before.
    let kept = lastStatement
    defer { lastStatement = kept }
    switch command.end {
    case .here where command.isFrom: return .copyIn(stream)
    case .here: runCopyOut(stream)
    case .standard where command.isFrom: runCopyIn(stream)
    case .standard: runCopyOut(stream, to: standardOutput)
    case .program(let program): copy(stream, command.isFrom, program)
    case .file(let path):
      if command.isFrom, TextFile.isFolder(path) {
        reportMeta("\(path): cannot copy from/to a directory")
      } else if command.isFrom, !TextFile.isReadable(path) {
        reportMeta("\(path): \(SystemError.current)")
      } else if !command.isFrom, !TextFile.isWritable(path) {
        reportMeta("\(path): \(SystemError.current)")
      } else {
        run(command.statement(SQLPrinter.quotedString(path)))
      }
    }
    return .keepBuffer
  }

  private func copy(_ statement: String, _ isFrom: Bool, _ program: String) {
    do throws(SQLError) {
      if isFrom {
        flushOutputs()
        let reader = try Program.Reader(program)
        // As in psql a program that fails is told of, and what it wrote is loaded.
        var failure: String?
        runCopyIn(
          statement,
          from: {
            if let piece = reader.next() { return piece }
            failure = failure ?? reader.finish()
            return nil
          }, discard: {})
        if let failure { reportMeta("\(program): \(failure)") }
      } else {
        let stream = try openOutput("|" + program)
        runCopyOut(statement, to: stream)
        if let reason = stream.finish() { reportMeta("\(program): \(reason)") }
      }
    } catch {
      reportMeta(error.message)
    }
  }
}
