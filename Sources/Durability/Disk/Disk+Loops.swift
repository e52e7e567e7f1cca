package import Columnar

extension Disk {
  /// Writes all of `bytes`, however short the disk's steps are.
  ///
  /// - Throws: the disk's error, or an I/O error when it stops to take anything.
  package func writeAll(
    _ file: DiskFile, at offset: UInt64, _ bytes: Span<UInt8>
  ) throws(DiskError) {
    var done = 0
    while done < bytes.count {
      let count = try write(
        file, at: offset &+ UInt64(done), bytes.extracting(done..<bytes.count))
      guard count > 0 && count <= bytes.count - done else {
        throw DiskError(.write, file.path, code: DiskError.ioError)
      }
      done += count
    }
  }

  /// Writes all of `pieces` one behind another, however short the disk's steps are.
  ///
  /// - Throws: the disk's error, or an I/O error when it stops to take anything.
  package func writeAll(
    _ file: DiskFile, at offset: UInt64, pieces: [Buffer<UInt8>]
  ) throws(DiskError) {
    var rest = pieces.filter { $0.count > 0 }
    var place = offset
    while !rest.isEmpty {
      let count = try write(file, at: place, pieces: rest)
      guard count > 0 else { throw DiskError(.write, file.path, code: DiskError.ioError) }
      place += UInt64(count)
      var left = count
      let whole = rest.prefix { piece in
        if piece.count > left { return false }
        left -= piece.count
        return true
      }
      rest.removeFirst(whole.count)
      guard left > 0 else { continue }
      guard let first = rest.first else {
        throw DiskError(.write, file.path, code: DiskError.ioError)
      }
      rest[0] = first.slice(left..<first.count)
    }
  }

  /// Reads until `bytes` is full from index `start` on or the file ends, and says how many bytes it read.
  package func readAll(
    _ file: DiskFile, at offset: UInt64, into bytes: inout MutableSpan<UInt8>, from start: Int = 0
  ) throws(DiskError) -> Int {
    var place = start
    while place < bytes.count {
      let count = try read(file, at: offset &+ UInt64(place - start), into: &bytes, from: place)
      if count == 0 { break }
      guard count > 0 && count <= bytes.count - place else {
        throw DiskError(.read, file.path, code: DiskError.ioError)
      }
      place += count
    }
    return place - start
  }

  /// As above, into the whole of an array.
  package func readAll(
    _ file: DiskFile, at offset: UInt64, into bytes: inout [UInt8]
  ) throws(DiskError) -> Int {
    var span = bytes.mutableSpan
    return try readAll(file, at: offset, into: &span)
  }

  /// The first bytes of a file, at most `limit`.
  package func contents(of file: DiskFile, limit: Int) throws(DiskError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Int(min(try size(file), UInt64(limit))))
    let count = try readAll(file, at: 0, into: &bytes)
    bytes.removeLast(bytes.count - count)
    return bytes
  }
}

/// A disk that asks again when a call was interrupted.
///
/// Not after a sync: what an interrupted one has done is not known, and a second one would say that
/// all is well whether or not it is.
package struct RetryingDisk: Disk {
  /// How often one call is repeated before the interruption is taken for a failure.
  private static let attemptLimit = 100

  private let disk: any Disk

  package init(_ disk: any Disk) { self.disk = disk }

  package var processID: Int32 { disk.processID }
  package func startWriting(_ file: DiskFile, _ range: Range<UInt64>) {
    disk.startWriting(file, range)
  }
  package func reserve(_ file: DiskFile, _ range: Range<UInt64>) -> Bool {
    disk.reserve(file, range)
  }
  package func absolutePath(_ path: String) -> String { disk.absolutePath(path) }

  private func retrying<Result: ~Copyable>(
    _ body: () throws(DiskError) -> Result
  ) throws(DiskError) -> Result {
    for _ in 1..<Self.attemptLimit {
      do { return try body() } catch {
        if error.reason != .interrupted { throw error }
      }
    }
    return try body()
  }

  package func open(_ path: String, _ mode: OpenMode) throws(DiskError) -> DiskFile {
    try retrying { () throws(DiskError) in try disk.open(path, mode) }
  }

  /// Once only: after an interruption the descriptor is gone, or may be somebody else's.
  package func close(_ file: DiskFile) throws(DiskError) { try disk.close(file) }

  package func read(
    _ file: DiskFile, at offset: UInt64, into bytes: inout MutableSpan<UInt8>, from start: Int
  ) throws(DiskError) -> Int {
    for _ in 1..<Self.attemptLimit {
      do { return try disk.read(file, at: offset, into: &bytes, from: start) } catch {
        if error.reason != .interrupted { throw error }
      }
    }
    return try disk.read(file, at: offset, into: &bytes, from: start)
  }

  package func write(
    _ file: DiskFile, at offset: UInt64, _ bytes: Span<UInt8>
  ) throws(DiskError) -> Int {
    for _ in 1..<Self.attemptLimit {
      do { return try disk.write(file, at: offset, bytes) } catch {
        if error.reason != .interrupted { throw error }
      }
    }
    return try disk.write(file, at: offset, bytes)
  }

  package func write(
    _ file: DiskFile, at offset: UInt64, pieces: [Buffer<UInt8>]
  ) throws(DiskError) -> Int {
    try retrying { () throws(DiskError) in try disk.write(file, at: offset, pieces: pieces) }
  }

  package func size(_ file: DiskFile) throws(DiskError) -> UInt64 {
    try retrying { () throws(DiskError) in try disk.size(file) }
  }

  package func truncate(_ file: DiskFile, to size: UInt64) throws(DiskError) {
    try retrying { () throws(DiskError) in try disk.truncate(file, to: size) }
  }

  package func sync(_ file: DiskFile, _ scope: SyncScope) throws(DiskError) {
    try disk.sync(file, scope)
  }

  package func lock(_ file: DiskFile, _ mode: LockMode) throws(DiskError) -> Bool {
    try retrying { () throws(DiskError) in try disk.lock(file, mode) }
  }

  package func map(_ file: DiskFile) throws(DiskError) -> MappedFile {
    try retrying { () throws(DiskError) in try disk.map(file) }
  }

  package func rename(_ path: String, to newPath: String) throws(DiskError) {
    try retrying { () throws(DiskError) in try disk.rename(path, to: newPath) }
  }

  package func unlink(_ path: String) throws(DiskError) {
    try retrying { () throws(DiskError) in try disk.unlink(path) }
  }

  package func syncDirectory(_ path: String) throws(DiskError) { try disk.syncDirectory(path) }

  package func list(_ path: String) throws(DiskError) -> [String] {
    try retrying { () throws(DiskError) in try disk.list(path) }
  }

  package func makeDirectory(_ path: String) throws(DiskError) {
    try retrying { () throws(DiskError) in try disk.makeDirectory(path) }
  }

  package func removeDirectory(_ path: String) throws(DiskError) {
    try retrying { () throws(DiskError) in try disk.removeDirectory(path) }
  }

  package func exists(_ path: String) throws(DiskError) -> Bool {
    try retrying { () throws(DiskError) in try disk.exists(path) }
  }
}
