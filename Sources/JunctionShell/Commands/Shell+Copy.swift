import Diagnostics
import Junction
import SQLSyntax

extension Shell {
  /// Runs `COPY … FROM STDIN` with data from the script.
  func runCopyIn(_ statement: String, from read: @escaping () -> [UInt8]?) {
    lastStatement = statement
    do {
      show(try connection.copyIn(statement, from: read))
    } catch let error as SQLError {
      // What is left of the data must not be taken for statements.
      while read() != nil {}
      report(error, in: statement)
    } catch {
      report(.internal("\(error)"), in: statement)
    }
  }

  /// `\copy`: a COPY whose file is the shell's, not the server's; here both are one process.
  func runCopyCommand(_ text: String) {
    let statement = "COPY " + text
    lastStatement = statement
    do {
      guard case .copy(let copy) = try parseStatement(statement).statement else {
        reportMeta("\\copy: parse error")
        return
      }
      if copy.endpoint == .standardStream && !copy.isFrom {
        let result = try connection.copyOut(statement) { output.write($0) }
        show(result)
      } else if copy.endpoint == .standardStream {
        let reader = LineReader(descriptor: 0)
        show(try connection.copyIn(statement) { reader.next() })
      } else {
        for result in try connection.execute(statement) { show(result) }
      }
    } catch let error as SQLError {
      report(error, in: statement)
    } catch {
      report(.internal("\(error)"), in: statement)
    }
  }
}
