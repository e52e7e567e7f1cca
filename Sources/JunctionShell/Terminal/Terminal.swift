#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The terminal that a person sits at: raw mode, its size, bytes in and out.
final class Terminal {
  private var saved = termios()
  private var isRaw = false

  /// Whether both ends are a terminal that understands escape sequences.
  static var isInteractive: Bool {
    let kind = unsafe getenv("TERM").map { unsafe String(cString: $0) } ?? ""
    return isatty(0) == 1 && isatty(1) == 1 && kind != "dumb"
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
    guard !isRaw, unsafe tcgetattr(0, &saved) == 0 else { return }
    var raw = saved
    raw.c_iflag &= ~tcflag_t(BRKINT | ICRNL | INPCK | ISTRIP | IXON)
    raw.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN | ISIG)
    guard unsafe tcsetattr(0, TCSADRAIN, &raw) == 0 else { return }
    isRaw = true
    write("\u{1B}[?2004h")
  }

  /// Puts the terminal back as it was.
  func leaveRawMode() {
    guard isRaw else { return }
    write("\u{1B}[?2004l")
    unsafe _ = tcsetattr(0, TCSADRAIN, &saved)
    isRaw = false
  }

  /// Writes to the screen at once.
  func write(_ text: String) {
    let stream = OutputStream(descriptor: 1)
    stream.write(text)
    stream.flush()
  }

  /// The next byte; nil at the end of input, or when nothing comes for `milliseconds`.
  func readByte(within milliseconds: Int32? = nil) -> ByteEvent {
    while true {
      if let milliseconds {
        var request = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
        let ready = unsafe poll(&request, 1, milliseconds)
        if ready == 0 { return .timeout }
        if ready < 0 && errno == EINTR { continue }
      }
      var byte: UInt8 = 0
      let count = unsafe read(0, &byte, 1)
      if count == 1 { return .byte(byte) }
      if count < 0 && errno == EINTR { return .interrupted }
      return .end
    }
  }

  /// What reading a byte gave.
  enum ByteEvent {
    case byte(UInt8)
    case timeout
    /// A signal came, such as a change of the window's size.
    case interrupted
    case end
  }
}
