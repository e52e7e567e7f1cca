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
    let start = beginTiming()
    defer { showTime(since: start) }
    do throws(SQLError) {
      let result = try connection.copyIn(statement, from: read)
      note([result])
      show(result)
    } catch {
      discard()
      report(error, in: statement)
    }
  }

  /// Runs `COPY … TO STDOUT`, whose data go to a stream, or else where results go.
  func runCopyOut(_ statement: String, to stream: OutputStream? = nil) {
    lastStatement = statement
    echoQuery(statement)
    let start = beginTiming()
    defer { showTime(since: start) }
    do throws(SQLError) {
      let target = stream ?? output
      let result = try connection.copyOut(statement) { [self] (piece) throws(SQLError) in
        target.write(piece)
        if let reason = target.takeFailure() {
          hasLostOutput = true
          throw SQLError(.ioError, "could not write COPY data: \(reason)")
        }
      }
      note([result])
      for notice in result.notices { report(notice) }
      // Data on the screen need no remark on how many there were.
      if let stream, stream !== standardOutput { showTag(result.commandTag) }
    } catch {
      report(error, in: statement)
    }
  }
}
