import Diagnostics
import Junction

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Commands that repeat or edit a statement.
extension Shell {
  /// `\watch`: the statement again and again, until an interrupt or an error.
  func watch(_ command: MetaCommand) -> CommandEffect {
    let statement = expandedStatement(of: command)
    let text = command[0] ?? "2"
    guard let seconds = Double(text), seconds >= 0, seconds.isFinite else {
      reportMeta("\\watch: incorrect interval value \"\(text)\"")
      return .clearBuffer
    }
    guard !statement.isEmpty else {
      reportMeta("\\watch cannot be used with an empty query")
      return .clearBuffer
    }
    let start = Interrupts.count
    let before = errorCount
    let kept = settings
    defer { settings = kept }
    // The pager would wait for a key at each turn.
    settings.pager = .off
    while Interrupts.count == start && errorCount == before && !standardOutput.isBroken {
      let heading = "\(Self.now()) (every \(text)s)\n"
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
    return .clearBuffer
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

  /// `\e`: the statement, or a file, in an editor, at a line if one is named.
  func edit(_ command: MetaCommand) -> CommandEffect {
    var words = command.arguments
    let line = words.last.flatMap { Int($0) }
    if line != nil { words.removeLast() }
    return edit(statement(of: command), path: words.first, line: line).map(CommandEffect.feed)
      ?? .keepBuffer
  }

  /// `\ef` and `\ev`: the source of a function or a view, or a form to fill in, in an editor.
  ///
  /// - Throws: 42883 and 42P01 for what does not exist.
  func editSource(_ command: MetaCommand, isFunction: Bool) throws(SQLError) -> CommandEffect {
    let text: String
    if command.arguments.isEmpty {
      text = isFunction ? Self.emptyFunction : Self.emptyView
    } else {
      text = try source(
        of: command.arguments.joined(separator: " "), isFunction: isFunction)
    }
    return edit(text, path: nil, line: nil).map(CommandEffect.feed) ?? .keepBuffer
  }

  private static let emptyFunction = """
    CREATE FUNCTION ( )
     RETURNS\u{20}
     LANGUAGE sql
     -- common options:  IMMUTABLE  STABLE  STRICT
    AS $function$

    $function$

    """

  private static let emptyView = """
    CREATE VIEW  AS
     SELECT\u{20}
      -- something...

    """

  /// A text in an editor; nil if nothing was changed.
  private func edit(_ statement: String, path: String?, line: Int?) -> String? {
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
    let place = line.map { "+\($0) " } ?? ""
    flushOutputs()
    guard Program.run("exec \(editor) \(place)\(quoted)") == nil else {
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
