import Columnar
import Diagnostics

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Bytes on their way to a file descriptor, gathered so that a million rows are not a million writes.
///
/// - Invariant: what was appended is written in order, at the latest by `flush()`.
final class OutputStream {
  /// Where the bytes go.
  let descriptor: Int32
  private var closesDescriptor: Bool
  private var pending: [UInt8] = []
  /// The number of the system's error at a write that failed, behind which everything is dropped; 0 while all is well.
  private var failure: Int32 = 0
  private var hasToldFailure = false

  /// Waits for the program that reads, and gives the number that it ended with.
  private var endProgram: (() -> Int32)?

  private static let flushThreshold = 1 << 16

  /// A stream to an open descriptor.
  init(descriptor: Int32, closing: Bool = false) {
    self.descriptor = descriptor
    closesDescriptor = closing
  }

  /// A stream to a file, made or emptied.
  ///
  /// - Throws: 58P01 with the system's reason.
  convenience init(path: String) throws(SQLError) {
    let opened = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard opened >= 0 else {
      throw SQLError(.undefinedFile, "\(path): \(SystemError.current)")
    }
    self.init(descriptor: opened, closing: true)
  }

  /// A stream to the standard input of a program, which the system's shell runs.
  ///
  /// - Throws: 58P01 with the system's reason if no program can be started.
  convenience init(program command: String) throws(SQLError) {
    guard let pipe = unsafe popen(command, "w") else {
      throw SQLError(.undefinedFile, "\(command): \(SystemError.current)")
    }
    self.init(descriptor: unsafe fileno(pipe))
    endProgram = { unsafe pclose(pipe) }
  }

  deinit {
    flush()
    _ = endProgram?()
    if closesDescriptor { close(descriptor) }
  }

  /// Whether a write failed, such as into a closed pipe.
  var isBroken: Bool { failure != 0 }

  /// Why output was lost, for the first who asks; nil if nothing was, or if whoever read it wanted no more.
  func takeFailure() -> String? {
    guard failure != 0, failure != EPIPE, !hasToldFailure else { return nil }
    hasToldFailure = true
    return SystemError.text(failure)
  }

  /// Hands everything to the system, lets go of a file and waits for a program; why output was lost, as `takeFailure()`.
  func finish() -> String? {
    flush()
    if closesDescriptor {
      closesDescriptor = false
      // Some file systems tell only now that there was no room.
      if close(descriptor) != 0 && failure == 0 { failure = errno }
    }
    if let endProgram {
      self.endProgram = nil
      if let reason = Program.failure(endProgram()) { return reason }
    }
    return takeFailure()
  }

  /// Whether long output may as well end: nobody reads on, or Ctrl-C was pressed.
  var isUnwanted: Bool { isBroken || Interrupts.isPending }

  /// Whether a person looks at it.
  var isTerminal: Bool { isatty(descriptor) == 1 }

  /// Adds bytes.
  func write(_ bytes: some Sequence<UInt8>) {
    pending.append(contentsOf: bytes)
    if pending.count >= Self.flushThreshold { flush() }
  }

  /// Adds bytes that lie somewhere in the engine's memory.
  func write(_ bytes: TextBytes) { write(bytes.array) }

  /// Adds the bytes of a string.
  func write(_ text: String) { write(text.utf8) }

  /// Adds a line.
  func writeLine(_ text: String) {
    write(text.utf8)
    write(CollectionOfOne(UInt8(ascii: "\n")))
  }

  /// The bytes that have not been handed to the system, which it will not get.
  func takePending() -> [UInt8] {
    defer { pending.removeAll() }
    return pending
  }

  /// Hands everything to the system.
  func flush() {
    guard !pending.isEmpty else { return }
    if !isBroken {
      unsafe pending.withUnsafeBytes { bytes in
        guard var start = bytes.baseAddress else { return }
        var left = bytes.count
        while left > 0 {
          let written = unsafe Self.systemWrite(descriptor, start, left)
          if written < 0 {
            if errno == EINTR { continue }
            failure = errno
            return
          }
          unsafe start += written
          left -= written
        }
      }
    }
    pending.removeAll(keepingCapacity: true)
  }

  private static func systemWrite(
    _ descriptor: Int32, _ start: UnsafeRawPointer, _ count: Int
  ) -> Int {
    #if canImport(Glibc)
      unsafe Glibc.write(descriptor, start, count)
    #else
      unsafe Darwin.write(descriptor, start, count)
    #endif
  }
}

/// Bytes from a file descriptor.
enum SystemRead {
  /// Reads what there is, at most as much as `piece` holds: the count, 0 at the end, negative for a failure.
  ///
  /// A signal in between does not end it.
  static func read(_ descriptor: Int32, into piece: inout [UInt8]) -> Int {
    while true {
      let count = unsafe piece.withUnsafeMutableBytes { bytes in
        #if canImport(Glibc)
          unsafe Glibc.read(descriptor, bytes.baseAddress, bytes.count)
        #else
          unsafe Darwin.read(descriptor, bytes.baseAddress, bytes.count)
        #endif
      }
      if count < 0 && errno == EINTR { continue }
      return count
    }
  }
}

/// What the system said of its last failure.
enum SystemError {
  /// The words for `errno`, such as "No such file or directory".
  static var current: String { text(errno) }

  /// The words for a number of the system's.
  static func text(_ number: Int32) -> String { unsafe String(cString: strerror(number)) }
}
