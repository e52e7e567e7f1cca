import Codecs
import Columnar
import Diagnostics

/// Unpacks pages.
enum PageUnpacking {
  /// The most bytes of a page, as it is unpacked.
  static let sizeMax = 1 << 30
  /// So many bytes behind a page are written at most.
  static let slack = max(
    Snappy.outputSlack, LZ4.outputSlack, Zstandard.outputSlack, FileBytes.slack)

  /// Unpacks bytes to exactly `count` of them, with slack behind, in spare memory if there is enough.
  ///
  /// - Precondition: the buffer has `FileBytes.slack` bytes behind the range.
  /// - Throws: for data of which `count` bytes cannot come, before memory is asked for.
  static func unpack(
    _ bytes: Buffer<UInt8>, _ range: Range<Int>, to count: Int, by compression: Compression,
    in spare: Buffer<UInt8>? = nil
  ) throws(Damage) -> Buffer<UInt8> {
    guard count <= sizeMax else {
      throw Damage(
        unsupported: "a page of \(count) bytes",
        hint: "Write the file with pages of a megabyte, or row groups of fewer rows.")
    }
    guard range.count <= Int.max / 1100, count <= most(from: range.count, by: compression) else {
      throw Damage("a page says that \(range.count) bytes of it unpack to \(count)")
    }
    do throws(SQLError) {
      try RunningStatement.reserve(count)
      switch compression {
      case .snappy: return try Snappy.unpack(bytes, range, to: count, in: spare)
      case .gzip: return try gunzip(bytes, range, to: count, in: spare)
      case .zstandard: return try Zstandard.unpack(bytes, range, to: count, in: spare)
      case .lz4Raw: return try LZ4.unpack(bytes, range, to: count, in: spare)
      case .lz4: return try LZ4.unpackFramed(bytes, range, to: count, in: spare)
      case .uncompressed, .lzo, .brotli: break
      }
    } catch { throw Damage(error) }
    throw Damage(
      unsupported: "the compression \(compression.name)",
      hint: "Write the file anew with another one: in Python, "
        + "pyarrow.parquet.write_table(pyarrow.parquet.read_table(path), path, "
        + "compression='snappy').")
  }

  /// How many bytes can come of so many.
  private static func most(from packed: Int, by compression: Compression) -> Int {
    switch compression {
    case .uncompressed: packed
    // A copy of 64 bytes takes three.
    case .snappy: packed * 22 + 64
    // A match of 258 bytes takes two bits.
    case .gzip: packed * 1033 + 64
    // A byte of a length stands for 255.
    case .lz4, .lz4Raw: packed * 255 + 64
    // Its blocks are looked at before memory is asked for.
    case .zstandard: sizeMax
    case .lzo, .brotli: sizeMax
    }
  }

  private static func gunzip(
    _ bytes: Buffer<UInt8>, _ range: Range<Int>, to count: Int, in spare: Buffer<UInt8>?
  ) throws(SQLError) -> Buffer<UInt8> {
    var position = range.lowerBound
    let reader = GzipReader { (buffer, offset, room) throws(SQLError) in
      let length = min(room, range.upperBound - position)
      buffer.copy(bytes, from: position, count: length, to: offset)
      position += length
      return length
    }
    let output = Buffer.room(count + FileBytes.slack, in: spare)
    var done = 0
    while done < count {
      let got = try reader.read(into: output, at: done, count: count - done)
      guard got > 0 else {
        throw SQLError(.badCopyFileFormat, "gzip data has \(done) bytes instead of \(count)")
      }
      done += got
    }
    // The last read finds the end, and checks the sum.
    guard try reader.read(into: output, at: count, count: 1) == 0 else {
      throw SQLError(.badCopyFileFormat, "gzip data has more than \(count) bytes")
    }
    output.zero(count..<(count + FileBytes.slack))
    return output
  }
}
