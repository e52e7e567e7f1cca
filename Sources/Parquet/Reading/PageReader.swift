import Codecs
import Columnar
import Diagnostics

/// One page of a column chunk, unpacked.
///
/// - Invariant: the ranges lie within `bytes`, which has `FileBytes.slack` bytes behind each of them.
struct Page {
  var bytes: Buffer<UInt8>
  var isDictionary: Bool
  /// How many values it has, NULLs and the marks of empty lists included.
  var valueCount: Int
  var encoding: Encoding
  var repetitionLevels: Range<Int>
  var definitionLevels: Range<Int>
  var values: Range<Int>
  /// By what others find it, if it is shared.
  var owner: SharedPage?
}

/// Reads the pages of a column chunk, one behind another.
///
/// One thread at a time uses a reader. It holds a window of the file and one page.
final class PageReader {
  private let file: FileBytes
  private let compression: Compression
  private let leaf: SchemaNode
  /// Where the next page begins, and where the last ends.
  private var position: Int
  private let end: Int
  /// Where the data of the file ends.
  private let dataEnd: Int
  private var window = Buffer<UInt8>(uninitialized: 0)
  private var windowRange = 0..<0
  /// Where pages are unpacked to, if nobody keeps them.
  private var room: Buffer<UInt8>?
  /// Whether others may read the page that is being unpacked.
  private var isShared = false
  /// The page read last, for messages.
  private(set) var place: Place

  /// So many bytes are read at once, unless a page is larger.
  private static let windowSize = 1 << 20
  /// Most headers are shorter.
  private static let headerSize = 1 << 10
  /// Whether values are read where they stand in the window, so that it stays as it is.
  private let keepsWindow: Bool

  /// Some writers have left the header of a dictionary out of the length of a column chunk.
  private static let missingMax = 100

  /// A reader of the pages that `chunk` says.
  ///
  /// - Throws: 22P04 for offsets that lie outside of the file, 0A000 for what is not read.
  init(
    _ file: FileBytes, _ chunk: FileMetadata.ChunkMetadata, leaf: SchemaNode, dataEnd: Int,
    place: Place
  ) throws(SQLError) {
    self.file = file
    self.leaf = leaf
    self.place = place
    compression = chunk.compression
    self.dataEnd = dataEnd
    keepsWindow =
      leaf.stored == .byteArray || leaf.stored == .fixedLengthByteArray || leaf.stored == .int96
    if chunk.isEncrypted {
      throw place.error(
        Damage(unsupported: "an encrypted column", hint: "Write the column without encryption."))
    }
    if chunk.isElsewhere {
      throw place.error(Damage(unsupported: "a column chunk that stands in another file"))
    }
    guard chunk.stored == leaf.stored else {
      throw place.error(Damage("its column chunk has another type than its schema"))
    }
    if chunk.valueCount == 0 {
      // Some writers give a chunk without values no place.
      (position, end) = (0, 0)
      return
    }
    var start = chunk.dataOffset
    if let dictionary = chunk.dictionaryOffset, dictionary > 0, dictionary < start {
      start = dictionary
    }
    let (chunkEnd, overflow) = start.addingReportingOverflow(chunk.compressedSize)
    guard start >= 4, chunk.compressedSize >= 0, !overflow, chunkEnd <= Int64(dataEnd) else {
      throw place.error(
        Damage(
          "its column chunk of \(chunk.compressedSize) bytes at byte \(start) does not fit the file"
        ))
    }
    position = Int(start)
    end = Int(chunkEnd)
  }

  /// The next page; nil behind the last.
  ///
  /// So many values as are `unwanted` are passed over: pages that have no others are not read, and what they have is taken off.
  func next(passing unwanted: inout Int) throws(SQLError) -> Page? {
    while position < end {
      try RunningStatement.check()
      place.page = place.page.map { $0 + 1 } ?? 0
      place.start = position
      let header = try readHeader()
      let start = position
      guard header.packedSize <= min(dataEnd, end + Self.missingMax) - start else {
        throw place.error(
          Damage("a page of \(header.packedSize) bytes does not fit its column chunk"))
      }
      position = start + header.packedSize
      // Pages of kinds that came later may be passed over.
      if header.kind == .index { continue }
      if header.kind != .dictionary, unwanted > 0, header.valueCount <= unwanted {
        unwanted -= header.valueCount
        continue
      }
      return try page(header, start..<position)
    }
    return nil
  }

  private func page(_ header: PageHeader, _ range: Range<Int>) throws(SQLError) -> Page {
    isShared =
      header.kind != .dictionary && header.unpackedSize >= file.sharedPages.leastByteCount
    guard isShared else { return try unpackedPage(header, range) }
    let key = SharedPages.Key(
      rowGroup: place.rowGroup, leaf: leaf.leaves.lowerBound, position: range.lowerBound)
    return try file.sharedPages.page(key) { () throws(SQLError) in
      // The page may stand in the window, which belongs to others as well then.
      defer { letGoOfWindow() }
      return try unpackedPage(header, range)
    }
  }

  private func unpackedPage(
    _ header: PageHeader, _ range: Range<Int>
  ) throws(SQLError) -> Page {
    try load(range)
    do throws(Damage) {
      return try page(header, at: range.lowerBound - windowRange.lowerBound)
    } catch { throw place.error(error) }
  }

  // MARK: Bytes

  /// Sees that `range` of the file stands in the window.
  ///
  /// A new window takes new memory where texts may refer to the old one.
  private func load(_ range: Range<Int>) throws(SQLError) {
    if windowRange.lowerBound <= range.lowerBound && range.upperBound <= windowRange.upperBound {
      return
    }
    // With the header behind it; small pages are read several at a time.
    let least = max(range.lowerBound + Self.windowSize, range.upperBound + Self.headerSize)
    let wanted = range.lowerBound..<max(range.upperBound, min(end, least))
    windowRange = 0..<0
    let spare = keepsWindow ? nil : spare(wanted.count + FileBytes.slack, window)
    window = try file.bytes(wanted, in: spare)
    windowRange = wanted
  }

  /// The memory in hand if it is large enough; else what another column chunk has left, if that is.
  private func spare(_ byteCount: Int, _ own: Buffer<UInt8>?) -> Buffer<UInt8>? {
    if let own, own.count >= byteCount { return own }
    return file.spares.take(byteCount)
  }

  /// Leaves the memory to other column chunks, of which nothing is read any more.
  func close() {
    if keepsWindow { return }
    file.spares.give(window)
    if let room { file.spares.give(room) }
    letGoOfWindow()
    room = nil
  }

  private func letGoOfWindow() {
    window = Buffer(uninitialized: 0)
    windowRange = 0..<0
  }

  private func readHeader() throws(SQLError) -> PageHeader {
    var length = min(Self.headerSize, end - position)
    while true {
      try load(position..<(position + length))
      let start = position - windowRange.lowerBound
      var reader = CompactReader(window, start..<windowRange.count)
      do throws(Damage) {
        let header = try PageHeader(&reader)
        position += reader.position - start
        return header
      } catch {
        // It may only be longer than what was read.
        let limit = min(end, position + PageHeader.sizeMax)
        if windowRange.upperBound < limit {
          length = min(limit - position, (windowRange.upperBound - position) * 4)
          continue
        }
        var damage = error
        damage.byte = damage.byte.map { $0 - start }
        throw place.error(damage)
      }
    }
  }

  // MARK: Pages

  private func page(_ header: PageHeader, at start: Int) throws(Damage) -> Page {
    let packed = start..<(start + header.packedSize)
    if let checksum = header.checksum {
      var found = CRC32()
      found.add(window, packed)
      guard found.value == checksum else { throw Damage("the checksum of a page does not match") }
    }
    if header.kind == .dataV2 { return try pageV2(header, packed) }
    let (bytes, body) = try unpacked(packed, to: header.unpackedSize)
    var position = body.lowerBound
    var repetition = position..<position
    var definition = repetition
    if header.kind == .data {
      if leaf.repetitionLevel > 0 {
        repetition = try levels(header.repetitionEncoding, bytes, &position, body)
      }
      if leaf.definitionLevel > 0 {
        definition = try levels(header.definitionEncoding, bytes, &position, body)
      }
    }
    return Page(
      bytes: bytes, isDictionary: header.kind == .dictionary, valueCount: header.valueCount,
      encoding: header.encoding, repetitionLevels: repetition, definitionLevels: definition,
      values: position..<body.upperBound)
  }

  /// The levels of a page of version 1, which say their length.
  private func levels(
    _ encoding: Encoding, _ bytes: Buffer<UInt8>, _ position: inout Int, _ body: Range<Int>
  ) throws(Damage) -> Range<Int> {
    guard encoding == .rle else {
      throw Damage(
        unsupported: "the encoding \(encoding.name) of levels", hint: "Write the file anew.")
    }
    guard body.upperBound - position >= 4 else {
      throw Damage("its levels are cut off", at: position - body.lowerBound)
    }
    let length = Int(PagePointer(bytes).word(at: position) & 0xFFFF_FFFF)
    position += 4
    guard length <= body.upperBound - position else {
      throw Damage(
        "its levels take \(length) bytes, more than there are", at: position - body.lowerBound)
    }
    defer { position += length }
    return position..<(position + length)
  }

  /// A page of version 2: its levels stand in front and are never packed.
  private func pageV2(_ header: PageHeader, _ packed: Range<Int>) throws(Damage) -> Page {
    let levelSize = header.repetitionSize + header.definitionSize
    guard levelSize <= header.packedSize, levelSize <= header.unpackedSize else {
      throw Damage("its levels take \(levelSize) bytes, more than there are")
    }
    let start = packed.lowerBound
    let repetition = start..<(start + header.repetitionSize)
    let definition = repetition.upperBound..<(start + levelSize)
    let rest = definition.upperBound..<packed.upperBound
    let (bytes, body) =
      header.isPacked
      ? try unpacked(rest, to: header.unpackedSize - levelSize) : (window, rest)
    // Levels and values may stand in different buffers; the levels are moved in front of the values.
    if compression == .uncompressed || !header.isPacked || levelSize == 0 {
      return Page(
        bytes: bytes, isDictionary: false, valueCount: header.valueCount,
        encoding: header.encoding,
        repetitionLevels: levelSize == 0 ? body.lowerBound..<body.lowerBound : repetition,
        definitionLevels: levelSize == 0 ? body.lowerBound..<body.lowerBound : definition,
        values: body)
    }
    let joined = Buffer<UInt8>(
      uninitialized: levelSize + body.count + FileBytes.slack, pages: .small)
    joined.copy(window, from: start, count: levelSize, to: 0)
    joined.copy(bytes, from: body.lowerBound, count: body.count, to: levelSize)
    joined.zero((levelSize + body.count)..<joined.count)
    return Page(
      bytes: joined, isDictionary: false, valueCount: header.valueCount,
      encoding: header.encoding, repetitionLevels: 0..<header.repetitionSize,
      definitionLevels: header.repetitionSize..<levelSize,
      values: levelSize..<(levelSize + body.count))
  }

  /// The bytes of a page, where they stand if nothing has packed them.
  private func unpacked(
    _ packed: Range<Int>, to count: Int
  ) throws(Damage) -> (Buffer<UInt8>, Range<Int>) {
    guard compression != .uncompressed else {
      guard count == packed.count else {
        throw Damage("a page of \(packed.count) bytes, which is not packed, says it has \(count)")
      }
      return (window, packed)
    }
    // Some writers leave packed data out where there are none.
    if count == 0 { return (window, packed.lowerBound..<packed.lowerBound) }
    let isKept = keepsWindow || isShared
    let spare = isKept ? nil : spare(count + PageUnpacking.slack, room)
    let bytes = try PageUnpacking.unpack(window, packed, to: count, by: compression, in: spare)
    if !isKept { room = bytes }
    return (bytes, 0..<count)
  }
}
