import Dispatch
import Junction
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A write into a closed pipe, or past the greatest size that files may have, is an error to be looked at, not the end of
/// the process.
func ignoreFailedWrites() {
  _ = signal(SIGPIPE, SIG_IGN)
  _ = signal(SIGXFSZ, SIG_IGN)
}

/// A pipe whose bytes are the numbers of signals that came.
///
/// A handler may do next to nothing; writing a byte is allowed, and `poll` sees it.
struct SignalPipe {
  let readEnd: Int32
  private let writeEnd: Int32

  init() {
    var ends: [Int32] = [-1, -1]
    unsafe _ = pipe(&ends)
    for end in ends where end >= 0 {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      // A full pipe must not hold up a handler: what it would say is already said.
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (readEnd, writeEnd) = (ends[0], ends[1])
  }

  /// Called by handlers.
  func note(_ number: Int32) {
    let kept = errno
    var byte = UInt8(truncatingIfNeeded: number)
    unsafe _ = write(writeEnd, &byte, 1)
    errno = kept
  }

  /// The oldest signal that was not taken; nil if there is none.
  func take() -> Int32? {
    var byte: UInt8 = 0
    return unsafe read(readEnd, &byte, 1) == 1 ? Int32(byte) : nil
  }
}

/// The signals of an interactive session: Ctrl-C, a change of the window's size, the end of the terminal.
enum Signals {
  /// For the thread that waits for keys.
  static let keyboard = SignalPipe()
  /// For the thread that watches while a statement runs.
  private static let watcher = SignalPipe()

  /// Handles the signals from now on.
  ///
  /// They have handlers rather than being ignored or blocked, which programs started from here (an editor,
  /// a pager) would inherit.
  static func install() {
    // Touched here, so that no handler is the first to make them.
    _ = (keyboard.readEnd, watcher.readEnd, Interrupts.count)
    _ = signal(SIGINT) { number in
      Interrupts.note()
      Signals.keyboard.note(number)
      Signals.watcher.note(number)
    }
    _ = signal(SIGWINCH) { Signals.keyboard.note($0) }
    for number in [SIGTERM, SIGHUP] { _ = signal(number) { Signals.watcher.note($0) } }
    let source = DispatchSource.makeReadSource(fileDescriptor: watcher.readEnd, queue: .global())
    // The source holds itself, so that it lives as long as the process.
    source.setEventHandler { withExtendedLifetime(source) { watch() } }
    source.resume()
  }

  /// Cancels what runs on Ctrl-C, and puts the terminal back before the process is ended from outside.
  private static func watch() {
    while let number = watcher.take() {
      if number == SIGINT {
        Interrupts.running.withLock { $0?.cancel() }
      } else {
        Terminal.restore()
        _ = signal(number, SIG_DFL)
        _ = kill(getpid(), number)
      }
    }
  }
}

/// Lets Ctrl-C end the statement that runs rather than the session.
enum Interrupts {
  private static let counter = Atomic<Int>(0)
  private static let seen = Atomic<Int>(0)
  /// What Ctrl-C cancels.
  static let running = Mutex<Connection?>(nil)

  /// How often Ctrl-C was pressed.
  static var count: Int { counter.load(ordering: .relaxed) }

  /// Whether Ctrl-C was pressed since the last `begin`: output and scripts stop, too.
  static var isPending: Bool { count != seen.load(ordering: .relaxed) }

  static func note() { counter.wrappingAdd(1, ordering: .relaxed) }

  /// Forgets earlier interrupts: a person has given something new to run.
  static func begin() { seen.store(count, ordering: .relaxed) }
}
