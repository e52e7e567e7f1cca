package import Columnar

/// The one way in which a database's files are touched.
///
/// Everything above sees only this protocol, so that tests can put a disk in its place that fails,
/// shortens, reorders and loses what it is told (see `SimulatedDisk`).
///
/// An implementation makes one system call for each call and hides nothing: `read` and `write` may
/// be short, and any call may be interrupted. `RetryingDisk` and the loops in `Disk+Loops.swift`
/// deal with that.
package protocol Disk: Sendable {
  /// The number of the process, to be named to others.
  var processID: Int32 { get }

  /// The path from the root, for one from the working folder.
  func absolutePath(_ path: String) -> String

  /// Opens a regular file.
  func open(_ path: String, _ mode: OpenMode) throws(DiskError) -> DiskFile
  /// Ends the use of a file and gives up a lock on it.
  func close(_ file: DiskFile) throws(DiskError)
  /// Reads into `bytes` from index `start` on; fewer bytes than there is room for, or none at the file's end.
  func read(
    _ file: DiskFile, at offset: UInt64, into bytes: inout MutableSpan<UInt8>, from start: Int
  ) throws(DiskError) -> Int
  /// Writes the first of `bytes`, and says how many they were.
  func write(_ file: DiskFile, at offset: UInt64, _ bytes: Span<UInt8>) throws(DiskError) -> Int
  /// Writes the first bytes of pieces that are to stand one behind another, and says how many they were.
  ///
  /// - Precondition: one of the pieces has bytes.
  func write(
    _ file: DiskFile, at offset: UInt64, pieces: [Buffer<UInt8>]
  ) throws(DiskError) -> Int
  /// The size in bytes.
  func size(_ file: DiskFile) throws(DiskError) -> UInt64
  /// Cuts the file, or makes it longer by zeros.
  func truncate(_ file: DiskFile, to size: UInt64) throws(DiskError)
  /// Returns when what was written survives the loss of power. After a failure it may never do so.
  func sync(_ file: DiskFile, _ scope: SyncScope) throws(DiskError)
  /// Tells the system that what was written in a range of a file will be synced soon, so that it may begin.
  func startWriting(_ file: DiskFile, _ range: Range<UInt64>)
  /// Sets space aside for a range of a file, whose size stays as it is; false if there is none, or no way to do so.
  ///
  /// What is not needed of it is given back by a `truncate` to the size that the file has.
  func reserve(_ file: DiskFile, _ range: Range<UInt64>) -> Bool
  /// Takes a lock that ends with the file's closing; false if another opening of the file has one
  /// that excludes it.
  func lock(_ file: DiskFile, _ mode: LockMode) throws(DiskError) -> Bool
  /// The file's contents as they are now, to be read only.
  func map(_ file: DiskFile) throws(DiskError) -> MappedFile

  /// Gives a file another name, in the place of a file that has it.
  func rename(_ path: String, to newPath: String) throws(DiskError)
  /// Takes a file's name away.
  func unlink(_ path: String) throws(DiskError)
  /// Returns when the names in a folder survive the loss of power.
  func syncDirectory(_ path: String) throws(DiskError)
  /// The names in a folder, in any order.
  func list(_ path: String) throws(DiskError) -> [String]
  /// Makes a folder.
  func makeDirectory(_ path: String) throws(DiskError)
  /// Removes a folder that holds nothing.
  func removeDirectory(_ path: String) throws(DiskError)
  /// Whether a file or folder has this name.
  func exists(_ path: String) throws(DiskError) -> Bool
}

extension Disk {
  /// Tells the system that what was written in a range of a file will be synced soon, so that it may begin.
  package func startWriting(_ file: DiskFile, _ range: Range<UInt64>) {}

  /// Sets no space aside.
  package func reserve(_ file: DiskFile, _ range: Range<UInt64>) -> Bool { false }

  /// Writes the first of pieces that has bytes.
  package func write(
    _ file: DiskFile, at offset: UInt64, pieces: [Buffer<UInt8>]
  ) throws(DiskError) -> Int {
    for piece in pieces where piece.count > 0 {
      return try piece.withBytes(0..<piece.count) { bytes throws(DiskError) in
        try write(file, at: offset, bytes)
      }
    }
    preconditionFailure("there is nothing to write")
  }
}

/// What a file is opened for.
package enum OpenMode: Sendable {
  case read
  case readWrite
  /// To be read and written, and it must not have existed.
  case create
}

/// What of a file is made durable.
package enum SyncScope: Sendable {
  /// The data, and of the rest what it takes to read them.
  case data
  case all
}

/// Whom a lock keeps away.
package enum LockMode: Sendable {
  case exclusive
  case shared
}

/// An open file.
package struct DiskFile: Sendable {
  /// The system's number of it.
  package let descriptor: Int32
  /// Where it was opened, for messages.
  package let path: String

  package init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }
}

/// The contents of a file in memory, unmapped when the last part of it is let go.
///
/// Parts may be used in place, as blocks that keep the whole alive. Nobody may write to them.
///
/// A mapped file that somebody makes shorter ends the process when the lost part is touched. Files
/// of a database are never made shorter while they have their final name, and the lock keeps other
/// writers away.
package struct MappedFile: Sendable {
  /// The bytes; aligned to a page when mapped, to 64 bytes otherwise.
  package let block: MemoryBlock
  /// How many bytes the file has; the block of an empty file has one all the same.
  package let byteCount: Int

  package init(block: MemoryBlock, byteCount: Int) {
    precondition(byteCount <= block.byteCount, "a file's contents fit its block")
    self.block = block
    self.byteCount = byteCount
  }

  /// The contents as bytes.
  package var bytes: Buffer<UInt8> { block.buffer(of: UInt8.self) }

  /// Lends the bytes in `range`.
  package func withBytes<Result: ~Copyable, Failure: Error>(
    _ range: Range<Int>, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    precondition(range.upperBound <= byteCount, "a range must lie inside the file")
    return try bytes.withBytes(range, body)
  }
}
