import Diagnostics

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that is written from its beginning.
final class FileSink {
  private var descriptor: Int32
  private let path: String

  /// Makes the file, or opens it and, if `isEmptied`, leaves nothing of what was in it.
  ///
  /// - Throws: 58P01 or 58030 with the system's reason.
  init(path: String, isEmptied: Bool = true) throws(SQLError) {
    let emptying = isEmptied ? O_TRUNC : 0
    descriptor = unsafe open(path, O_WRONLY | O_CREAT | emptying | O_CLOEXEC, 0o644)
    self.path = path
    if descriptor < 0 {
      let reason = unsafe String(cString: strerror(errno))
      throw SQLError(
        errno == ENOENT ? .undefinedFile : .ioError,
        "could not open file \"\(path)\" for writing: \(reason)")
    }
  }

  deinit { if descriptor >= 0 { _ = closeFile(descriptor) } }

  /// Whether `path` leads to the same file.
  func isFile(at path: String) -> Bool {
    var own = stat()
    var other = stat()
    guard unsafe fstat(descriptor, &own) == 0 else { return false }
    guard unsafe stat(path, &other) == 0 else { return false }
    return own.st_dev == other.st_dev && own.st_ino == other.st_ino
  }

  /// Leaves nothing of what was in the file; what is no regular file has nothing to lose.
  ///
  /// - Throws: 58030 with the system's reason.
  func empty() throws(SQLError) {
    if ftruncate(descriptor, 0) != 0 && errno != EINVAL { throw failure() }
  }

  /// Writes all of `bytes`.
  ///
  /// - Throws: 53100 where the disk is full, 58030 otherwise.
  func write(_ bytes: [UInt8]) throws(SQLError) {
    var done = 0
    while done < bytes.count {
      let written = unsafe bytes.withUnsafeBytes { all in
        unsafe writeFile(descriptor, all.baseAddress.map { unsafe $0 + done }, bytes.count - done)
      }
      if written < 0 && errno == EINTR { continue }
      if written < 0 { throw failure() }
      done += written
    }
  }

  /// Ends the file.
  ///
  /// - Throws: as `write`.
  func close() throws(SQLError) {
    let closed = closeFile(descriptor)
    descriptor = -1
    if closed != 0 { throw failure() }
  }

  private func failure() -> SQLError {
    let reason = unsafe String(cString: strerror(errno))
    return SQLError(
      errno == ENOSPC ? .diskFull : .ioError, "could not write to file \"\(path)\": \(reason)")
  }
}

private func writeFile(_ file: Int32, _ start: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(file, start, count)
}
private func closeFile(_ file: Int32) -> Int32 { close(file) }
