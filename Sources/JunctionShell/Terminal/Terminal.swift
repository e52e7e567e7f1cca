import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The terminal that a person sits at: raw mode, its size, bytes in and out.
final class Terminal {
  private let output = OutputStream(descriptor: 1)

  /// How the terminal was before raw mode; nil outside of raw mode.
  private static let saved = Mutex<termios?>(nil)

  /// Whether a person sits at both ends.
  static var isInteractive: Bool { isatty(0) == 1 && isatty(1) == 1 }

  /// Whether the terminal understands escape sequences.
  static var hasEscapes: Bool {
    let kind = Environment["TERM"] ?? ""
    return !kind.isEmpty && kind != "dumb"
  }

  deinit { leaveRawMode() }

  /// Columns and rows of the screen.
  var size: (columns: Int, rows: Int) { Self.screenSize }

  /// Columns and rows of the screen that standard output is shown on.
  static var screenSize: (columns: Int, rows: Int) {
    var window = winsize()
    if unsafe ioctl(1, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0 {
      return (Int(window.ws_col), max(1, Int(window.ws_row)))
    }
    return (80, 24)
  }

  /// Makes keys come one by one, unechoed, with Ctrl-C as a key; turns bracketed paste on.
  func enterRawMode() {
    let isNew = Self.saved.withLock { saved in
      guard saved == nil else { return false }
      var cooked = termios()
      guard unsafe tcgetattr(0, &cooked) == 0 else { return false }
      var raw = cooked
      raw.c_iflag &= ~tcflag_t(BRKINT | ICRNL | INPCK | ISTRIP | IXON)
      raw.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN | ISIG)
      guard unsafe tcsetattr(0, TCSADRAIN, &raw) == 0 else { return false }
      saved = cooked
      return true
    }
    if isNew { write("\u{1B}[?2004h") }
  }

  /// Puts the terminal back as it was.
  func leaveRawMode() { Self.restore() }

  /// Puts the terminal back as it was; from any thread.
  static func restore() {
    saved.withLock { saved in
      guard var cooked = saved else { return }
      let stream = OutputStream(descriptor: 1)
      stream.write("\u{1B}[?2004l")
      stream.flush()
      unsafe _ = tcsetattr(0, TCSADRAIN, &cooked)
      saved = nil
    }
  }

  /// Stops the process as Ctrl-Z does, and goes on when it is continued.
  func suspend() {
    leaveRawMode()
    _ = raise(SIGTSTP)
    enterRawMode()
  }

  /// Writes to the screen at once.
  func write(_ text: String) {
    output.write(text)
    output.flush()
  }

  /// The next byte, or what came instead; a timeout when nothing comes for `milliseconds`.
  func readByte(within milliseconds: Int32? = nil) -> ByteEvent {
    while true {
      if let number = Signals.keyboard.take() { return .signal(number) }
      var requests = [
        pollfd(fd: 0, events: Int16(POLLIN), revents: 0),
        pollfd(fd: Signals.keyboard.readEnd, events: Int16(POLLIN), revents: 0),
      ]
      let ready = unsafe poll(&requests, 2, milliseconds ?? -1)
      if ready == 0 { return .timeout }
      if ready < 0 {
        if errno == EINTR { continue }
        return .end
      }
      if requests[1].revents != 0 { continue }
      var byte: UInt8 = 0
      let count = unsafe read(0, &byte, 1)
      if count == 1 { return .byte(byte) }
      if count < 0 && errno == EINTR { continue }
      return .end
    }
  }

  /// Whether keys have come that were not read, so that what they change need not be drawn one by one.
  var hasPendingInput: Bool {
    var request = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&request, 1, 0) == 1 && request.revents & Int16(POLLIN) != 0
  }

  /// What reading a byte gave.
  enum ByteEvent {
    case byte(UInt8)
    case timeout
    /// A signal came, such as a change of the window's size.
    case signal(Int32)
    case end
  }
}
