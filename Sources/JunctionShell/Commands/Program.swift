import Diagnostics

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Programs that the system's shell runs for this one.
enum Program {
  /// What a program writes, read piece by piece.
  final class Reader {
    private let descriptor: Int32
    private let end: () -> Int32
    private var isEnded = false

    /// Starts the program.
    ///
    /// - Throws: 58P01 with the system's reason.
    init(_ command: String) throws(SQLError) {
      guard let pipe = unsafe popen(command, "r") else {
        throw SQLError(.undefinedFile, "\(command): \(SystemError.current)")
      }
      descriptor = unsafe fileno(pipe)
      end = { unsafe pclose(pipe) }
    }

    deinit { if !isEnded { _ = end() } }

    /// Some bytes; nil at the end.
    func next() -> [UInt8]? {
      var piece = [UInt8](repeating: 0, count: 1 << 16)
      let count = SystemRead.read(descriptor, into: &piece)
      return count > 0 ? Array(piece[..<count]) : nil
    }

    /// Waits for the end of the program, and says what went wrong with it.
    func finish() -> String? {
      isEnded = true
      return Program.failure(end())
    }
  }

  /// What a program that has ended is to be blamed for; nil if all went well.
  static func failure(_ status: Int32) -> String? {
    if status == 0 { return nil }
    if status < 0 { return SystemError.current }
    let signal = status & 0x7F
    switch (signal, (status >> 8) & 0xFF) {
    case (0, 126): return "command not executable"
    case (0, 127): return "command not found"
    case (0, let code): return "child process exited with exit code \(code)"
    // Who closes a pipe early has read enough.
    case (SIGPIPE, _): return nil
    default: return "child process was terminated by signal \(signal)"
    }
  }

  /// Runs a command and waits for it; what went wrong.
  static func run(_ command: String) -> String? { failure(unsafe system(command)) }
}

extension Shell {
  /// `\!`: a command of the system, or a shell.
  func runProgram(_ text: String) {
    flushOutputs()
    let isBlank = text.allSatisfy(\.isWhitespace)
    let shell = Environment["SHELL"] ?? "/bin/sh"
    // As in psql what the command ended with is its own affair.
    if unsafe system(isBlank ? shell : text) < 0 { reportMeta("\\!: failed") }
  }

  /// What a program in backquotes writes, without the line end at its end.
  func outputOfProgram(_ command: String) -> String {
    flushOutputs()
    do throws(SQLError) {
      let reader = try Program.Reader(command)
      var bytes: [UInt8] = []
      while let piece = reader.next() { bytes += piece }
      if let reason = reader.finish() {
        reportMeta("\(command): \(reason)")
        return ""
      }
      if bytes.last == 0x0A { bytes.removeLast() }
      if bytes.last == 0x0D { bytes.removeLast() }
      return String(decoding: bytes, as: UTF8.self)
    } catch {
      reportMeta(error.message)
      return ""
    }
  }
}
