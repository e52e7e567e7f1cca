import Diagnostics
import Junction

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension Shell {
  /// `\watch`: the statement again and again, until an interrupt or an error.
  func watch(_ statement: String, every text: String?) {
    let seconds = text.flatMap { Double($0) } ?? 2
    guard !statement.isEmpty, seconds >= 0 else {
      reportMeta("\\watch cannot be used with an empty query")
      return
    }
    let start = Interrupts.count
    let before = errorCount
    while Interrupts.count == start && errorCount == before && !standardOutput.isBroken {
      output.writeLine("\(Self.now()) (every \(text ?? "2")s)\n")
      run(statement)
      flushOutputs()
      var left = seconds
      while left > 0 && Interrupts.count == start {
        // Short naps, so that an interrupt is seen at once.
        usleep(UInt32(min(left, 0.05) * 1e6))
        left -= 0.05
      }
    }
  }

  /// The time of day in the words of the system.
  private static func now() -> String {
    var moment = time(nil)
    var parts = unsafe tm()
    unsafe _ = localtime_r(&moment, &parts)
    var buffer = [CChar](repeating: 0, count: 64)
    let count = unsafe strftime(&buffer, buffer.count, "%a %b %e %H:%M:%S %Y", &parts)
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// `\e`: the statement in an editor; what comes back is run if it is complete.
  func edit(_ statement: String, path: String?) -> String? {
    let file = path ?? "/tmp/junction.edit.\(getpid()).sql"
    if path == nil { writeFile(file, statement.isEmpty ? "" : statement + ";\n") }
    let editor =
      Environment["JUNCTION_EDITOR"] ?? Environment["EDITOR"] ?? Environment["VISUAL"] ?? "vi"
    let quoted = "'" + file.replacing("'", with: "'\\''") + "'"
    flushOutputs()
    guard unsafe system("\(editor) \(quoted)") == 0, let text = TextFile.read(file) else {
      reportMeta("could not start editor \"\(editor)\"")
      return nil
    }
    if path == nil { unsafe _ = unlink(file) }
    return text
  }
}
