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
    let kept = settings
    defer { settings = kept }
    // The pager would wait for a key at each turn.
    settings.pager = .off
    while Interrupts.count == start && errorCount == before && !standardOutput.isBroken {
      let heading = "\(Self.now()) (every \(text ?? "2")s)\n"
      settings.title = kept.title.map { "\($0)\t\(heading)" } ?? heading
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

  /// `\e`: the statement, or a file, in an editor; nil if nothing was changed.
  func edit(_ statement: String, path: String?) -> String? {
    let folder = Environment["TMPDIR"] ?? "/tmp"
    let file = path.map(Self.expandedPath) ?? "\(folder)/junction.edit.\(getpid()).sql"
    let original = statement.isEmpty || statement.hasSuffix("\n") ? statement : statement + "\n"
    if path == nil {
      unsafe _ = unlink(file)
      guard TextFile.create(file, original) else {
        reportMeta("could not open temporary file \"\(file)\": \(SystemError.current)")
        return nil
      }
    }
    defer { if path == nil { unsafe _ = unlink(file) } }
    let editor =
      Environment["JUNCTION_EDITOR"] ?? Environment["PSQL_EDITOR"] ?? Environment["EDITOR"]
      ?? Environment["VISUAL"] ?? "vi"
    let quoted = "'" + file.replacing("'", with: "'\\''") + "'"
    flushOutputs()
    guard unsafe system("exec \(editor) \(quoted)") == 0 else {
      reportMeta("could not start editor \"\(editor)\"")
      return nil
    }
    guard let text = TextFile.read(file) else {
      reportMeta("\(file): \(SystemError.current)")
      return nil
    }
    if path == nil && text == original { return nil }
    // What is about to run is shown, since the editor has taken it from the screen.
    if isInteractive { standardOutput.write(text.hasSuffix("\n") ? text : text + "\n") }
    return text
  }
}
