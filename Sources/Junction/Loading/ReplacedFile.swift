import Diagnostics

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that takes its place only when it is complete: until then, and where it never is, whatever stood there stays.
///
/// So who reads the file meanwhile, as a query over it may, goes on to read the old one. What is no regular file, as a pipe or a
/// device, is written to directly, and so is a file in a folder that takes no new ones.
final class ReplacedFile {
  private let sink: FileSink
  /// Where the file stands until it is complete, and where then; nil if it is written to directly.
  private var move: (from: String, to: String)?

  /// - Throws: 58P01 or 58030 with the system's reason.
  init(path: String) throws(SQLError) {
    guard let target = Self.target(path), let new = Self.begun(target) else {
      sink = try FileSink(path: path)
      return
    }
    sink = new.sink
    move = (new.path, target.path)
  }

  /// A file beside the one that it is to replace; nil where it cannot be, or may not.
  private static func begun(
    _ target: (path: String, mode: mode_t?)
  ) -> (sink: FileSink, path: String)? {
    // Whoever may not write to a file may not replace it.
    if target.mode != nil {
      guard unsafe access(target.path, W_OK) == 0 else { return nil }
    }
    let path = "\(target.path).\(String(UInt32.random(in: 0 ... .max), radix: 16)).new"
    guard let sink = try? FileSink(path: path) else { return nil }
    if let mode = target.mode { _ = unsafe chmod(path, mode) }
    return (sink, path)
  }

  deinit { if let move { _ = unsafe unlink(move.from) } }

  /// Where links lead to, and the permissions of a file that is there; nil for what is no regular file.
  private static func target(_ path: String) -> (path: String, mode: mode_t?)? {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else {
      // A link that leads nowhere yet is written through.
      if unsafe lstat(path, &status) == 0 { return nil }
      return (path, nil)
    }
    guard status.st_mode & S_IFMT == S_IFREG, let real = unsafe realpath(path, nil) else {
      return nil
    }
    defer { unsafe free(real) }
    return (unsafe String(cString: real), status.st_mode & 0o7777)
  }

  /// Writes all of `bytes`.
  ///
  /// - Throws: 53100 where the disk is full, 58030 otherwise.
  func write(_ bytes: [UInt8]) throws(SQLError) { try sink.write(bytes) }

  /// Ends the file, and puts it in its place.
  ///
  /// - Throws: as `write`.
  func close() throws(SQLError) {
    try sink.close()
    guard let move else { return }
    guard unsafe rename(move.from, move.to) == 0 else {
      let reason = unsafe String(cString: strerror(errno))
      throw SQLError(.ioError, "could not write to file \"\(move.to)\": \(reason)")
    }
    self.move = nil
  }
}
