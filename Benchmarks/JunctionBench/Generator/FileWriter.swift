#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What went wrong in a benchmark run, in a sentence.
struct BenchError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// A file being written, a megabyte at a time.
final class FileWriter {
  private let path: String
  private var descriptor: Int32 = -1
  private var pending: [UInt8] = []
  private var failed = false

  private static let flushThreshold = 1 << 20

  init(path: String) { self.path = path }

  deinit { if descriptor >= 0 { _ = systemClose(descriptor) } }

  /// Makes a folder unless it stands already.
  static func makeFolder(_ path: String) throws(BenchError) {
    guard unsafe mkdir(path, 0o755) == 0 || errno == EEXIST else {
      throw BenchError(
        "could not make folder \"\(path)\": \(unsafe String(cString: strerror(errno)))")
    }
  }

  func open() throws(BenchError) {
    descriptor = systemOpen(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    guard descriptor >= 0 else {
      throw BenchError("could not write \"\(path)\": \(unsafe String(cString: strerror(errno)))")
    }
    pending.reserveCapacity(Self.flushThreshold + 4096)
  }

  func write(_ text: String) {
    pending.append(contentsOf: text.utf8)
    if pending.count >= Self.flushThreshold { flush() }
  }

  /// Adds a number that is not negative, in decimal.
  func write(_ number: Int) {
    if number >= 10 { write(digitsOf: number / 10) }
    pending.append(UInt8(truncatingIfNeeded: 48 + number % 10))
  }

  private func write(digitsOf number: Int) {
    if number >= 10 { write(digitsOf: number / 10) }
    pending.append(UInt8(truncatingIfNeeded: 48 + number % 10))
  }

  private func flush() {
    unsafe pending.withUnsafeBytes { bytes in
      guard var start = bytes.baseAddress else { return }
      var left = bytes.count
      while left > 0 && !failed {
        let written = unsafe systemWrite(descriptor, start, left)
        if written < 0 && errno != EINTR { failed = true }
        if written > 0 {
          unsafe start += written
          left -= written
        }
      }
    }
    pending.removeAll(keepingCapacity: true)
  }

  func close() throws(BenchError) {
    flush()
    let closed = systemClose(descriptor)
    descriptor = -1
    if failed || closed != 0 {
      throw BenchError("could not write \"\(path)\": the disk may be full")
    }
  }
}

private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
  unsafe open(path, flags, mode)
}
private func systemWrite(_ file: Int32, _ start: UnsafeRawPointer, _ count: Int) -> Int {
  unsafe write(file, start, count)
}
private func systemClose(_ file: Int32) -> Int32 { close(file) }

/// Messages to a person, apart from results.
enum StandardError {
  static var isTerminal: Bool { isatty(2) == 1 }

  static func write(_ text: String) {
    let bytes = Array(text.utf8)
    unsafe bytes.withUnsafeBytes { bytes in
      if let start = bytes.baseAddress { _ = unsafe systemWrite(2, start, bytes.count) }
    }
  }
}
