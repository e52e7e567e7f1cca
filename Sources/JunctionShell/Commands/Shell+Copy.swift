import Diagnostics
import Junction
import SQLSyntax

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

  /// Runs `COPY … TO STDOUT`.
  func runCopyOut(_ statement: String) {
    lastStatement = statement
    do throws(SQLError) {
      let target = output
      show(try connection.copyOut(statement) { target.write($0) })
    } catch {
      report(error, in: statement)
    }
  }

  /// Runs `COPY … TO STDOUT`, whose data go where results go.
  func runCopyOut(_ statement: String) {
    lastStatement = statement
    echoQuery(statement)
    do {
      let output = output
      let result = try connection.copyOut(statement) { output.write($0) }
      note([result])
      for notice in result.notices { report(notice) }
    } catch let error as SQLError {
      report(error, in: statement)
    } catch {
      report(.internal("\(error)"), in: statement)
    }
  }

  /// `\copy`: a COPY whose file is the shell's, not the server's; here both are one process.
  func runCopyCommand(_ text: String) {
    let statement = "COPY " + text
<<<<<<< HEAD
    if CopyStatements.writesOutput(statement) {
      runCopyOut(statement)
    } else if CopyStatements.readsInput(statement) {
      let reader = LineReader(descriptor: 0)
      runCopyIn(statement) { reader.next() }
    } else {
      run(statement)
=======
    lastStatement = statement
    do {
      guard case .copy(let copy) = try parseStatement(statement).statement else {
        reportMeta("\\copy: parse error")
        return
      }
      if copy.endpoint == .standardStream && !copy.isFrom {
        runCopyOut(statement)
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
>>>>>>> f5ceab1 (Describe tables, print layouts as psql does, and follow its rules for errors and -c)
    }
  }
}
