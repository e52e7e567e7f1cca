import Diagnostics
import Junction

extension Shell {
  /// `\select REQUEST`: the rows of a nested select as JSON, on one line in a script and laid out on a terminal.
  ///
  /// The variable SELECT_ROW_LIMIT bounds the rows of each level. What is wrong goes to standard error, as an object of JSON too.
  func runNestedSelect(_ request: String) {
    let start = beginTiming()
    connection.nestedRowLimit = variables["SELECT_ROW_LIMIT"].flatMap { Int($0) }
    do throws(NestedSelectError) {
      let json = try connection.select(request)
      output.write(laidOut(json, for: output) + [0x0A])
      variables["ERROR"] = "false"
      variables["SQLSTATE"] = "00000"
    } catch {
      report(error)
    }
    showTime(since: start)
  }

  private func laidOut(_ json: [UInt8], for target: OutputStream) -> [UInt8] {
    target.isTerminal ? JSONSpacing.pretty(json) : json
  }

  private func report(_ error: NestedSelectError) {
    errorCount += 1
    flushOutputs()
    errorOutput.write(laidOut(error.json, for: errorOutput) + [0x0A])
    errorOutput.flush()
    variables["ERROR"] = "true"
    variables["SQLSTATE"] = error.code
    variables["LAST_ERROR_MESSAGE"] = error.message
    variables["LAST_ERROR_SQLSTATE"] = error.code
    if variables.isOn("ON_ERROR_STOP") { exitStatus = 3 }
  }
}
