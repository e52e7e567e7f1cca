package import Columnar
package import Diagnostics

/// The Zstandard format, of data that are in memory as a whole.
///
/// Source: RFC 8878. Dictionaries are not supported.
package struct Zstandard {
  /// So many bytes behind a packed range may be read, whose values do not matter.
  package static let inputSlack = 16
  /// So many bytes behind the unpacked data are written.
  package static let outputSlack = 64

  private let bytes: Buffer<UInt8>
  private let range: Range<Int>
  private var position: Int
  private let output: Buffer<UInt8>
  private let count: Int
  private var out = 0
  private var unpacker = ZstandardUnpacker()

  /// Unpacks all frames of a range to exactly `count` bytes, which have `outputSlack` more behind them, in spare
  /// memory if there is enough.
  ///
  /// - Precondition: the buffer has `inputSlack` bytes behind the range.
  /// - Throws: 22P04 for data that is none of the format or whose checksum does not match, or that has another length, before memory
  ///   is asked for where its blocks cannot come to so much.
  /// - Complexity: O(*n*) in both lengths.
  package static func unpack(
    _ bytes: Buffer<UInt8>, _ range: Range<Int>, to count: Int, in spare: Buffer<UInt8>? = nil
  ) throws(SQLError) -> Buffer<UInt8> {
    precondition(
      range.lowerBound >= 0 && range.upperBound + inputSlack <= bytes.count && count >= 0,
      "the input needs slack behind it")
    let most = try sizeMax(bytes, range)
    guard count <= most else {
      throw damaged("it is shorter than the \(count) bytes that are wanted", at: 0)
    }
    var decoder = Zstandard(bytes, range, count, spare)
    while decoder.position < range.upperBound { try decoder.readFrame() }
    guard decoder.out == count else {
      throw damaged("it has \(decoder.out) bytes instead of \(count)", at: range.count)
    }
    return decoder.output
  }

  private init(
    _ bytes: Buffer<UInt8>, _ range: Range<Int>, _ count: Int, _ spare: Buffer<UInt8>?
  ) {
    self.bytes = bytes
    self.range = range
    self.count = count
    position = range.lowerBound
    output = Buffer.room(count + Self.outputSlack, in: spare)
  }

  private static func damaged(_ reason: String, at position: Int) -> SQLError {
    SQLError(
      .badCopyFileFormat, "zstandard data is damaged: \(reason), at byte \(position) of it")
  }

  private func damaged(_ reason: String) -> SQLError {
    Self.damaged(reason, at: position - range.lowerBound)
  }

  // MARK: Frames

  /// The most bytes to which the blocks can come.
  private static func sizeMax(
    _ bytes: Buffer<UInt8>, _ range: Range<Int>
  ) throws(SQLError) -> Int {
    var position = range.lowerBound
    var size = 0
    while position < range.upperBound {
      guard let header = ZstandardFrame(bytes, position, range.upperBound) else {
        throw damaged(
          "it is no frame, or needs a dictionary", at: position - range.lowerBound)
      }
      position = header.end
      if let length = header.skipped {
        guard length <= range.upperBound - position else {
          throw damaged("a frame is cut off", at: position - range.lowerBound)
        }
        position += length
        continue
      }
      var isLast = false
      while !isLast {
        guard let block = ZstandardBlock(bytes, position, range.upperBound) else {
          throw damaged("a block is cut off", at: position - range.lowerBound)
        }
        isLast = block.isLast
        size += block.kind == 2 ? ZstandardBlock.sizeMax : block.size
        position = block.body.upperBound
      }
      position += header.hasChecksum ? 4 : 0
    }
    return size
  }

  private mutating func readFrame() throws(SQLError) {
    guard let header = ZstandardFrame(bytes, position, range.upperBound) else {
      throw damaged("it is no frame")
    }
    position = header.end
    if let length = header.skipped {
      position += length
      return
    }
    let start = out
    unpacker.beginFrame()
    var isLast = false
    while !isLast {
      guard let block = ZstandardBlock(bytes, position, range.upperBound) else {
        throw damaged("a block is cut off")
      }
      isLast = block.isLast
      position = block.body.lowerBound
      let room = ZstandardUnpacker.Room(output: output, frameStart: start, end: count)
      if let reason = unpacker.unpack(block, bytes, to: room, &out) { throw damaged(reason) }
      position = block.body.upperBound
    }
    guard header.hasChecksum else { return }
    guard range.upperBound - position >= 4 else { throw damaged("its checksum is cut off") }
    let wanted = UInt32(truncatingIfNeeded: PagePointer(bytes).word(at: position))
    guard UInt32(truncatingIfNeeded: XXHash64.hash(output, start..<out)) == wanted else {
      throw damaged("its checksum does not match")
    }
    position += 4
  }
}
