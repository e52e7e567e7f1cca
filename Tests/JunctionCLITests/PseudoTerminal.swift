#if os(Linux)
  import Glibc
  import Testing

  /// The tool on a pseudo-terminal, with somebody who types and reads.
  final class PseudoTerminal {
    /// What goes wrong before anything is tested.
    struct Failure: Error, CustomStringConvertible {
      let description: String
    }

    private let master: Int32
    private let child: pid_t
    private var status: Int32?
    /// Everything the tool wrote.
    private(set) var output: [UInt8] = []
    private(set) var screen: TerminalScreen

    /// Long enough for a busy machine; a test waits only as long as it must.
    static let patience = Duration.seconds(30)

    /// The tool that was built beside the tests.
    static let tool: String = {
      var path = [CChar](repeating: 0, count: 4096)
      let count = unsafe readlink("/proc/self/exe", &path, path.count)
      let own = String(
        decoding: path.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
      return own.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/junction"
    }()

    /// Starts the tool in a session of its own, whose terminal has the size.
    init(
      _ arguments: [String] = [], columns: Int = 80, rows: Int = 24, environment: [String: String]
    ) throws {
      var size = winsize(
        ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
      var (master, slave): (Int32, Int32) = (-1, -1)
      var name = [CChar](repeating: 0, count: 256)
      guard unsafe openpty(&master, &slave, &name, nil, &size) == 0 else {
        throw Failure(description: "openpty failed with \(errno)")
      }
      _ = fcntl(master, F_SETFD, FD_CLOEXEC)
      _ = fcntl(slave, F_SETFD, FD_CLOEXEC)
      screen = TerminalScreen(columns: columns, rows: rows)
      self.master = master
      child = try Self.spawn([Self.tool] + arguments, environment, terminal: name)
      // The tool has it open by now, or never will.
      close(slave)
    }

    /// POSIX_SPAWN_SETSID, which the headers show to C alone, and an empty signal mask: the threads that run
    /// tests block signals, and a child would inherit that.
    private static let flags = Int16(0x80 | POSIX_SPAWN_SETSIGMASK)

    private static func spawn(
      _ words: [String], _ environment: [String: String], terminal: [CChar]
    ) throws -> pid_t {
      var actions = unsafe posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
      unsafe _ = posix_spawn_file_actions_init(&actions)
      unsafe _ = posix_spawnattr_init(&attributes)
      defer {
        unsafe _ = posix_spawn_file_actions_destroy(&actions)
        unsafe _ = posix_spawnattr_destroy(&attributes)
      }
      // The first terminal that the leader of a session opens is the one its signals come from.
      unsafe _ = posix_spawnattr_setflags(&attributes, flags)
      var mask = sigset_t()
      unsafe _ = sigemptyset(&mask)
      unsafe _ = posix_spawnattr_setsigmask(&attributes, &mask)
      unsafe _ = posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
      unsafe _ = posix_spawn_file_actions_adddup2(&actions, 0, 1)
      unsafe _ = posix_spawn_file_actions_adddup2(&actions, 0, 2)
      var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
      var variables = unsafe environment.map { unsafe strdup("\($0)=\($1)") } + [nil]
      defer {
        unsafe arguments.forEach { unsafe free($0) }
        unsafe variables.forEach { unsafe free($0) }
      }
      var child: pid_t = 0
      let failure = unsafe posix_spawn(
        &child, words[0], &actions, &attributes, &arguments, &variables)
      guard failure == 0 else { throw Failure(description: "\(words[0]): error \(failure)") }
      return child
    }

    deinit {
      if status == nil {
        kill(child, SIGKILL)
        var ignored: Int32 = 0
        unsafe _ = waitpid(child, &ignored, 0)
      }
      close(master)
    }

    // Typing.

    /// Types a text; `\r` is Enter, control characters are keys.
    func type(_ text: String) {
      let bytes = Array(text.utf8)
      var start = 0
      while start < bytes.count {
        let count = unsafe bytes[start...].withUnsafeBytes { part in
          unsafe write(master, part.baseAddress, part.count)
        }
        if count <= 0 { return }
        start += count
      }
    }

    /// Gives the window another size.
    func resize(columns: Int, rows: Int) {
      var size = winsize(
        ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
      screen.resize(columns: columns, rows: rows)
      unsafe _ = ioctl(master, UInt(TIOCSWINSZ), &size)
    }

    /// Sends the tool a signal.
    func signal(_ number: Int32) { kill(child, number) }

    // Reading.

    /// Reads until the screen is as it should be.
    ///
    /// - Throws: what the screen shows instead, after a long wait or at the end of the tool.
    func wait(
      _ what: String, for patience: Duration = PseudoTerminal.patience,
      until isRight: (TerminalScreen) -> Bool
    ) throws {
      let end = ContinuousClock.now + patience
      while !isRight(screen) {
        guard ContinuousClock.now < end, read() else {
          throw Failure(description: "no \(what) in\n" + screen.history.joined(separator: "\n"))
        }
      }
    }

    /// Reads until the last line on the screen is `text`.
    func wait(for text: String) throws {
      try wait("last line \"\(text)\"") { $0.lines.last == text }
    }

    /// Reads until some line is `text`, and the last one is `prompt`.
    func wait(forLine text: String, then prompt: String = "junction=>") throws {
      try wait("line \"\(text)\"") { $0.history.contains(text) && $0.lines.last == prompt }
    }

    /// Waits for the end of the tool, and gives its exit status or the negated signal that ended it.
    func exitStatus() throws -> Int32 {
      let end = ContinuousClock.now + Self.patience
      var raw: Int32 = 0
      while unsafe waitpid(child, &raw, WNOHANG) == 0 {
        guard ContinuousClock.now < end else {
          throw Failure(description: "still running:\n" + screen.history.joined(separator: "\n"))
        }
        _ = read(within: 20)
      }
      while read(within: 0) {}
      let status = raw & 0x7F == 0 ? (raw >> 8) & 0xFF : -(raw & 0x7F)
      self.status = status
      return status
    }

    /// Whether the terminal edits and echoes lines itself, as before the tool came.
    var isCooked: Bool {
      var settings = termios()
      guard unsafe tcgetattr(master, &settings) == 0 else { return false }
      return settings.c_lflag & tcflag_t(ICANON) != 0 && settings.c_lflag & tcflag_t(ECHO) != 0
    }

    /// Reads what has come, if anything does; false at the end.
    private func read(within milliseconds: Int32 = 200) -> Bool {
      var request = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&request, 1, milliseconds) > 0 else { return milliseconds > 0 }
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = unsafe Glibc.read(master, &bytes, bytes.count)
      guard count > 0 else { return false }
      output += bytes[..<count]
      for byte in bytes[..<count] { screen.feed(byte) }
      return true
    }
  }
#endif
