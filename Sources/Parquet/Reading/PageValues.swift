import Columnar

/// The values of one data page as they are stored, read a stretch at a time.
///
/// One thread at a time uses it.
///
/// - Invariant: `position` never passes the end of the page's values.
final class PageValues {
  let page: Page
  private let stored: StoredType
  var isOfFixedLength: Bool { stored == .fixedLengthByteArray || stored == .int96 }
  var isOfBytes: Bool { stored == .byteArray }
  var isBoolean: Bool { stored == .boolean }
  /// The bytes of a value of fixed length; 0 for others.
  let width: Int
  /// Where the next value of PLAIN stands; with booleans and split streams, which one is next.
  var position: Int
  var index = 0
  private var runs: HybridDecoder?
  var delta: DeltaDecoder?
  /// The lengths of what DELTA_BYTE_ARRAY adds to a part of the value before.
  var suffixes: DeltaDecoder?
  /// The value before, for DELTA_BYTE_ARRAY.
  var previous: (bytes: Buffer<UInt8>, range: Range<Int>)
  /// What keeps the page alive for texts that refer to it.
  lazy var heap = TextHeap(adopting: page.bytes)

  init(_ page: Page, of leaf: SchemaNode) throws(Damage) {
    self.page = page
    stored = leaf.stored ?? .byteArray
    width =
      switch stored {
      case .int32, .float: 4
      case .int64, .double: 8
      case .int96: 12
      case .fixedLengthByteArray: leaf.typeLength
      case .boolean, .byteArray: 0
      }
    position = page.values.lowerBound
    previous = (page.bytes, position..<position)
    try begin(leaf.name)
  }

  /// Whether the page's values are places in the dictionary.
  var isDictionary: Bool { page.encoding == .rleDictionary || page.encoding == .plainDictionary }

  var end: Int { page.values.upperBound }

  private func begin(_ name: String) throws(Damage) {
    let isFixed = stored == .fixedLengthByteArray
    switch (page.encoding, stored) {
    case (.plain, _): return
    case (.plainDictionary, _), (.rleDictionary, _):
      guard stored != .boolean else { break }
      if page.values.isEmpty { return }
      let bits = Int(page.bytes[position])
      runs = try HybridDecoder(page.bytes, (position + 1)..<end, width: bits)
      return
    case (.rle, .boolean):
      guard end - position >= 4 else {
        if page.values.isEmpty { return }
        throw Damage("its booleans are cut off", at: position)
      }
      let length = Int(PagePointer(page.bytes).word(at: position) & 0xFFFF_FFFF)
      guard length <= end - position - 4 else {
        throw Damage("its booleans take \(length) bytes, more than there are", at: position)
      }
      runs = try HybridDecoder(page.bytes, (position + 4)..<(position + 4 + length), width: 1)
      return
    case (.deltaBinaryPacked, .int32), (.deltaBinaryPacked, .int64):
      delta = try numbers(from: position)
      return
    case (.deltaLengthByteArray, .byteArray):
      delta = try numbers(from: position)
      position = try skipLengths(delta)
      return
    case (.deltaByteArray, .byteArray), (.deltaByteArray, .fixedLengthByteArray):
      delta = try numbers(from: position)
      suffixes = try numbers(from: try delta?.passed(sumMax: .max).end ?? position)
      position = try skipLengths(suffixes)
      return
    case (.byteStreamSplit, .int32), (.byteStreamSplit, .int64), (.byteStreamSplit, .float),
      (.byteStreamSplit, .double), (.byteStreamSplit, .fixedLengthByteArray):
      guard width > 0, page.values.count.isMultiple(of: width) else {
        throw Damage("its \(page.values.count) bytes are no values of \(width) bytes")
      }
      return
    case (.rle, _), (.bitPacked, _), (.deltaBinaryPacked, _), (.deltaLengthByteArray, _),
      (.deltaByteArray, _), (.byteStreamSplit, _):
      break
    }
    let length = isFixed ? "(\(width))" : ""
    throw Damage("values of type \(stored.name)\(length) in the encoding \(page.encoding.name)")
  }

  private func numbers(from start: Int) throws(Damage) -> DeltaDecoder? {
    if page.values.isEmpty { return nil }
    let decoder = try DeltaDecoder(page.bytes, start..<end)
    guard decoder.count <= page.valueCount else {
      throw Damage("its \(page.valueCount) values are \(decoder.count) numbers", at: start)
    }
    return decoder
  }

  /// Where the bytes of texts begin, behind their lengths.
  private func skipLengths(_ lengths: DeltaDecoder?) throws(Damage) -> Int {
    guard let lengths else { return end }
    let (start, sum) = try lengths.passed(sumMax: end)
    guard sum <= end - start else {
      throw Damage("its texts of \(sum) bytes are cut off", at: start)
    }
    return start
  }

  func tooFew(_ wanted: Int) -> Damage {
    Damage("its values end before the \(wanted) that its levels say", at: position)
  }

  // MARK: Numbers

  /// The next values of 4 or 8 bytes, to element `offset` on.
  ///
  /// - Precondition: the target has room.
  func read<Number: FixedWidthInteger & BitwiseCopyable>(
    _ count: Int, into target: Buffer<Number>, at offset: Int
  ) throws(Damage) {
    if count == 0 { return }
    let size = MemoryLayout<Number>.stride
    precondition(size == width && offset + count <= target.count, "room is needed")
    if page.encoding == .plain {
      guard count <= (end - position) / size else { throw tooFew(count) }
      target.block.buffer(of: UInt8.self).copy(
        page.bytes, from: position, count: count * size, to: offset * size)
      position += count * size
    } else if page.encoding == .byteStreamSplit {
      let total = page.values.count / size
      guard count <= total - index else { throw tooFew(count) }
      let (bytes, first) = (page.bytes, page.values.lowerBound + index)
      for element in 0..<count {
        var value: UInt64 = 0
        for byte in 0..<size {
          value |= UInt64(bytes[first &+ byte &* total &+ element]) &<< UInt64(byte &* 8)
        }
        target[offset &+ element] = Number(truncatingIfNeeded: value)
      }
      index += count
    } else {
      guard var decoder = delta else { throw tooFew(count) }
      delta = nil
      try decoder.read(count, into: target, at: offset)
      delta = decoder
    }
  }

  /// The next booleans, a byte each.
  func readBooleans(_ count: Int, into target: Buffer<UInt8>, at offset: Int) throws(Damage) {
    if count == 0 { return }
    if runs != nil {
      _ = try readRuns(count, into: target, at: offset)
      return
    }
    precondition(offset + count <= target.count, "room is needed")
    guard page.encoding == .plain, count <= page.values.count * 8 - index else {
      throw tooFew(count)
    }
    let (bytes, first) = (page.bytes, page.values.lowerBound &* 8 &+ index)
    for element in 0..<count {
      let bit = first &+ element
      target[offset &+ element] = bytes[bit &>> 3] &>> UInt8(bit & 7) & 1
    }
    index += count
  }

  /// The next places in the dictionary, each checked to be below `limit`.
  func readPlaces(
    _ count: Int, into target: Buffer<UInt32>, at offset: Int, limit: Int
  ) throws(Damage) {
    if count == 0 { return }
    if Int(try readRuns(count, into: target, at: offset)) < limit { return }
    for index in offset..<(offset + count) where Int(target[index]) >= limit {
      throw Damage("it names value \(target[index]) of a dictionary of \(limit) values")
    }
  }

  func skipRuns(_ count: Int) throws(Damage) {
    guard var decoder = runs else { throw tooFew(count) }
    runs = nil
    defer { runs = decoder }
    try decoder.skip(count)
  }

  private func readRuns<Number: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ count: Int, into target: Buffer<Number>, at offset: Int
  ) throws(Damage) -> UInt32 {
    guard var decoder = runs else { throw tooFew(count) }
    runs = nil
    defer { runs = decoder }
    return try decoder.read(count, into: target, at: offset)
  }
}
