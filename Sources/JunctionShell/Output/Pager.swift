#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The program that shows what is taller than the screen: `PAGER`, or else `less`.
enum Pager {
  /// Hands what `body` writes to the pager, and waits for its end; `output` takes it where there is none.
  static func run(_ body: (OutputStream) -> Void, otherwise output: OutputStream) {
    guard let command, let pipe = unsafe popen(command, "w") else {
      body(output)
      return
    }
    // Ctrl-C is for the pager as long as it is there.
    let previous = signal(SIGINT, SIG_IGN)
    let stream = OutputStream(descriptor: unsafe fileno(pipe))
    body(stream)
    stream.flush()
    unsafe _ = pclose(pipe)
    _ = signal(SIGINT, previous)
  }

  /// The command that was chosen; nil if an empty name asks for none, or none is there.
  private static var command: String? {
    let chosen = Environment["JUNCTION_PAGER"] ?? Environment["PSQL_PAGER"] ?? Environment["PAGER"]
    if let chosen { return chosen.allSatisfy(\.isWhitespace) ? nil : chosen }
    // Long lines are cut, so that a table stays one; little enough for the screen is left on it.
    if isInstalled("less") { return "less -SRFX" }
    return isInstalled("more") ? "more" : nil
  }

  /// Whether a program is found on the search path.
  private static func isInstalled(_ name: String) -> Bool {
    (Environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":").contains { folder in
      unsafe access("\(folder)/\(name)", X_OK) == 0
    }
  }
}
