import Columnar
import Diagnostics

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The bytes of a file, read from any place by any thread.
///
/// A file is read, not mapped: one that somebody cuts off meanwhile would end the process.
final class FileBytes: Sendable {
  private enum Origin: Sendable {
    case descriptor(Int32)
    case memory(Buffer<UInt8>)
  }
  private let origin: Origin
  let name: String
  let count: Int
  /// Memory for pages, which one column chunk leaves to the next.
  let spares = SpareBuffers()
  let sharedPages: SharedPages

  /// So many bytes behind what was read have room, and are zero.
  static let slack = 64

  /// Opens a regular file.
  ///
  /// - Throws: 58P01 if it is not there, 42809 for a folder or a pipe, 58030 otherwise.
  init(path: String) throws(SQLError) {
    let opened = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard opened >= 0 else {
      let reason = unsafe String(cString: strerror(errno))
      throw SQLError(
        errno == ENOENT ? .undefinedFile : .ioError,
        "could not open file \"\(path)\" for reading: \(reason)")
    }
    var status = stat()
    guard unsafe fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(opened)
      throw SQLError(
        .wrongObjectType, "\"\(path)\" is not a regular file",
        hint: "A parquet file is read from its end; keep what a pipe gives in a file first.")
    }
    origin = .descriptor(opened)
    sharedPages = SharedPages()
    name = path
    count = Int(status.st_size)
  }

  /// Bytes in memory.
  init(
    _ bytes: Buffer<UInt8>, count: Int, name: String, sharedPages: SharedPages = SharedPages()
  ) {
    precondition(count >= 0 && count <= bytes.count, "bytes must be there")
    origin = .memory(bytes)
    self.sharedPages = sharedPages
    self.name = name
    self.count = count
  }

  deinit {
    if case .descriptor(let descriptor) = origin { close(descriptor) }
  }

  /// Reads `range` into the beginning of a buffer that has `slack` bytes more than that.
  ///
  /// - Precondition: the range lies within the file as it was when it was opened.
  /// - Throws: 58030 if the system fails to read, or the file is shorter by now.
  func read(_ range: Range<Int>, into target: Buffer<UInt8>) throws(SQLError) {
    precondition(
      range.lowerBound >= 0 && range.upperBound <= count
        && target.count >= range.count + Self.slack, "a read must lie inside")
    switch origin {
    case .memory(let bytes):
      target.copy(bytes, from: range.lowerBound, count: range.count, to: 0)
    case .descriptor(let descriptor):
      var done = 0
      while done < range.count {
        let length = min(range.count - done, 1 << 30)
        let got = unsafe target.fill(at: done, count: length) { start in
          unsafe pread(descriptor, start, length, off_t(range.lowerBound + done))
        }
        if got < 0 && errno == EINTR { continue }
        guard got > 0 else {
          let reason = got == 0 ? "it was cut off" : unsafe String(cString: strerror(errno))
          throw SQLError(.ioError, "could not read file \"\(name)\": \(reason)")
        }
        done += got
      }
    }
    target.zero(range.count..<(range.count + Self.slack))
  }

  /// The bytes of `range`, with slack behind them, in spare memory if there is enough.
  ///
  /// - Precondition: as of `read(_:into:)`.
  /// - Throws: as `read(_:into:)`.
  func bytes(
    _ range: Range<Int>, in spare: Buffer<UInt8>? = nil
  ) throws(SQLError) -> Buffer<UInt8> {
    let buffer = Buffer.room(range.count + Self.slack, in: spare)
    try read(range, into: buffer)
    return buffer
  }
}
