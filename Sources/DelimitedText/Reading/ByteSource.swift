package import Columnar
package import Diagnostics

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where bytes come from, in order.
package protocol ByteSource: AnyObject {
  /// Reads up to `count` bytes to `offset` of `buffer` and says how many; 0 at the end.
  ///
  /// - Throws: 58030 if the system fails to read.
  func read(into buffer: Buffer<UInt8>, at offset: Int, count: Int) throws(SQLError) -> Int

  /// The number of bytes in all, if that is known.
  var byteCount: Int? { get }

  /// Whether `rewind` is possible.
  var isRepeatable: Bool { get }

  /// Lets the next read begin at the first byte again.
  ///
  /// - Precondition: `isRepeatable`.
  /// - Throws: 58030 if the system fails to do so.
  func rewind() throws(SQLError)
}

/// Bytes in memory.
package final class MemorySource: ByteSource {
  private let bytes: [UInt8]
  private var position = 0

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  package var byteCount: Int? { bytes.count }
  package var isRepeatable: Bool { true }

  package func rewind() { position = 0 }

  package func read(
    into buffer: Buffer<UInt8>, at offset: Int, count: Int
  ) throws(SQLError) -> Int {
    let length = min(count, bytes.count - position)
    for index in 0..<length { buffer[offset &+ index] = bytes[position &+ index] }
    position += length
    return length
  }
}

/// Bytes that a closure gives piece by piece: standard input of a script, a socket.
package final class PieceSource: ByteSource {
  private let next: () throws -> [UInt8]?
  private var piece: ArraySlice<UInt8> = []
  private var isAtEnd = false

  package init(_ next: @escaping () throws -> [UInt8]?) { self.next = next }

  package var byteCount: Int? { nil }
  package var isRepeatable: Bool { false }

  package func rewind() { preconditionFailure("pieces are given only once") }

  package func read(
    into buffer: Buffer<UInt8>, at offset: Int, count: Int
  ) throws(SQLError) -> Int {
    while piece.isEmpty && !isAtEnd {
      do {
        if let more = try next() { piece = more[...] } else { isAtEnd = true }
      } catch let error as SQLError {
        throw error
      } catch {
        throw SQLError(.ioError, "could not read the data: \(error)")
      }
    }
    let length = min(count, piece.count)
    for (index, byte) in piece.prefix(length).enumerated() { buffer[offset &+ index] = byte }
    piece = piece.dropFirst(length)
    return length
  }
}

/// A regular file or pipe.
package final class FileSource: ByteSource {
  private let descriptor: Int32
  package let path: String
  package let byteCount: Int?

  /// Opens the file at `path`.
  ///
  /// - Throws: 58P01 if it is not there or is a folder, 58030 otherwise.
  package init(path: String) throws(SQLError) {
    let opened = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard opened >= 0 else {
      let reason = unsafe String(cString: strerror(errno))
      throw SQLError(
        errno == ENOENT ? .undefinedFile : .ioError,
        "could not open file \"\(path)\" for reading: \(reason)")
    }
    var status = stat()
    guard unsafe fstat(opened, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
      close(opened)
      throw SQLError(.wrongObjectType, "\"\(path)\" is a directory")
    }
    descriptor = opened
    self.path = path
    byteCount = status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
  }

  deinit { close(descriptor) }

  /// A regular file can be read again, a pipe cannot.
  package var isRepeatable: Bool { byteCount != nil }

  package func rewind() throws(SQLError) {
    precondition(isRepeatable, "a pipe is read only once")
    guard lseek(descriptor, 0, SEEK_SET) == 0 else {
      let reason = unsafe String(cString: strerror(errno))
      throw SQLError(.ioError, "could not read file \"\(path)\" again: \(reason)")
    }
  }

  package func read(
    into buffer: Buffer<UInt8>, at offset: Int, count: Int
  ) throws(SQLError) -> Int {
    let length = min(count, buffer.count - offset)
    while true {
      let got = unsafe buffer.fill(at: offset, count: length) { start in
        unsafe systemRead(descriptor, start, length)
      }
      if got >= 0 { return got }
      if errno != EINTR {
        let reason = unsafe String(cString: strerror(errno))
        throw SQLError(.ioError, "could not read file \"\(path)\": \(reason)")
      }
    }
  }
}

private func systemRead(_ descriptor: Int32, _ start: UnsafeMutableRawPointer, _ count: Int) -> Int
{
  unsafe read(descriptor, start, count)
}
