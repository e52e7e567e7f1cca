import Columnar
import Diagnostics

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that has lost its name before anything is written to it, so that the system removes it
/// whatever ends its use.
final class TemporaryFile {
  private let descriptor: Int32
  /// The number of bytes written.
  private(set) var count = 0

  /// Makes a file in the folder that `TMPDIR` names, or else in `/tmp`.
  ///
  /// - Throws: 58030 with the system's reason.
  init() throws(SQLError) {
    let named = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? ""
    let folder = named.isEmpty ? "/tmp" : named
    var path = Array("\(folder)/junction-load-XXXXXX".utf8CString)
    descriptor = unsafe path.withUnsafeMutableBufferPointer { path in
      unsafe path.baseAddress.map { start in
        let made = unsafe mkstemp(start)
        if made >= 0 { unsafe _ = unlink(start) }
        return made
      } ?? -1
    }
    guard descriptor >= 0 else {
      throw SQLError(
        .ioError, "could not make a temporary file in \"\(folder)\": \(Self.reason)",
        hint: "What is loaded from a pipe is kept there; TMPDIR can name another folder.")
    }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Writes behind what was written.
  ///
  /// - Throws: 53100 where the disk is full, 58030 otherwise.
  func append(_ buffer: Buffer<UInt8>, from start: Int, count length: Int) throws(SQLError) {
    var done = 0
    while done < length {
      let written = unsafe buffer.fill(at: start + done, count: length - done) { bytes in
        unsafe pwrite(descriptor, bytes, length - done, off_t(count))
      }
      if written < 0 && errno == EINTR { continue }
      guard written > 0 else {
        throw SQLError(
          errno == ENOSPC ? .diskFull : .ioError,
          "could not write to a temporary file: \(Self.reason)",
          hint: "What is loaded from a pipe is kept there; TMPDIR can name another folder.")
      }
      done += written
      count += written
    }
  }

  /// Reads up to `length` bytes from byte `place` on.
  ///
  /// - Throws: 58030 with the system's reason.
  func read(
    into buffer: Buffer<UInt8>, at offset: Int, count length: Int, from place: Int
  ) throws(SQLError) -> Int {
    let wanted = min(length, count - place)
    while true {
      let got = unsafe buffer.fill(at: offset, count: wanted) { start in
        unsafe pread(descriptor, start, wanted, off_t(place))
      }
      if got > 0 { return got }
      if got == 0 || errno != EINTR {
        throw SQLError(.ioError, "could not read a temporary file: \(Self.reason)")
      }
    }
  }

  private static var reason: String { unsafe String(cString: strerror(errno)) }
}
