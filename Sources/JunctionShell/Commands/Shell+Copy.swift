import Diagnostics
import Junction
import SQLSyntax

extension Shell {
  /// Runs `COPY … FROM STDIN` with data from standard input.
  func runCopyIn(_ statement: String) {
    let reader = LineReader(descriptor: 0)
    runCopyIn(statement, from: { reader.next() }, discard: {})
  }

  /// Runs `COPY … FROM STDIN` with data from the script.
  ///
  /// After an error `discard` passes over what is left of the data, which must not be taken for statements.
  func runCopyIn(
    _ statement: String, from read: @escaping () -> [UInt8]?, discard: () -> Void
  ) {
    lastStatement = statement
    do throws(SQLError) {
      let result = try connection.copyIn(statement, from: read)
      note([result])
      show(result)
    } catch {
      discard()
      report(error, in: statement)
    }
  }

  /// Runs `COPY … TO STDOUT`, whose data go where results go.
  func runCopyOut(_ statement: String) {
    lastStatement = statement
    echoQuery(statement)
    do throws(SQLError) {
      let target = output
      let result = try connection.copyOut(statement) { [self] (piece) throws(SQLError) in
        target.write(piece)
        if let reason = target.takeFailure() {
          hasLostOutput = true
          throw SQLError(.ioError, "could not write COPY data: \(reason)")
        }
      }
      note([result])
      for notice in result.notices { report(notice) }
    } catch {
      report(error, in: statement)
    }
  }

  /// `\copy`: a COPY whose file is the shell's, not the server's; here both are one process.
  ///
  /// - Returns: what the reader of the script has to do for data that stand in the script itself.
  func runCopyCommand(_ text: String) -> CommandEffect {
    guard text.contains(where: { !$0.isWhitespace && $0 != ";" }) else {
      reportMeta("\\copy: arguments required")
      return .keepBuffer
    }
    let statement = "COPY " + Self.withPlainStreams(text)
    guard let (endpoint, isFrom) = CopyStatements.endpoint(statement) else {
      run(statement)
      return .keepBuffer
    }
    switch endpoint {
    case .standardStream where !isFrom: runCopyOut(statement)
    case .standardStream:
      // `pstdin` is the standard input of the shell, wherever the command stands.
      guard text.lowercased().contains("pstdin") else { return .copyIn(statement) }
      runCopyIn(statement)
    case .file(let path) where isFrom && !TextFile.isReadable(path):
      reportMeta("\(path): \(SystemError.current)")
    case .file, .program: run(statement)
    }
    return .keepBuffer
  }

  /// `pstdin` and `pstdout` in the words of SQL.
  private static func withPlainStreams(_ text: String) -> String {
    var result = ""
    var pieces = TextPieces(text)
    while let piece = pieces.next() {
      let spelled = String(decoding: pieces.bytes[piece.range], as: UTF8.self)
      let isPlain = piece.kind == .word && ["pstdin", "pstdout"].contains(spelled.lowercased())
      result += spelled.dropFirst(isPlain ? 1 : 0)
    }
    return result
  }
}
