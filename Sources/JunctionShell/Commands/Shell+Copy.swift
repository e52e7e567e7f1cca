import Diagnostics
import Junction

extension Shell {
  /// Runs `COPY … FROM STDIN` with data from the script.
  func runCopyIn(_ statement: String, from read: @escaping () -> [UInt8]?) {
    lastStatement = statement
    do throws(SQLError) {
      show(try connection.copyIn(statement, from: read))
    } catch {
      // What is left of the data must not be taken for statements.
      while read() != nil {}
      report(error, in: statement)
    }
  }

  /// Runs `COPY … TO STDOUT`, whose data go where results go.
  func runCopyOut(_ statement: String) {
    lastStatement = statement
    echoQuery(statement)
    do throws(SQLError) {
      let target = output
      let result = try connection.copyOut(statement) { target.write($0) }
      note([result])
      for notice in result.notices { report(notice) }
    } catch {
      report(error, in: statement)
    }
  }

  /// `\copy`: a COPY whose file is the shell's, not the server's; here both are one process.
  func runCopyCommand(_ text: String) {
    let statement = "COPY " + text
    if CopyStatements.writesOutput(statement) {
      runCopyOut(statement)
    } else if CopyStatements.readsInput(statement) {
      let reader = LineReader(descriptor: 0)
      runCopyIn(statement) { reader.next() }
    } else {
      run(statement)
    }
  }
}
