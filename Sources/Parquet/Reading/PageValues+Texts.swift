import Columnar

extension PageValues {
  /// The most bytes that texts of one stretch may come to where they are put together.
  private static let textBytesMax = 1 << 30

  /// The next values as views of bytes, to `offset` on; what they refer to is added to `heaps`.
  ///
  /// - Precondition: the target has room.
  func readViews(
    _ count: Int, into target: Buffer<TextView>, at offset: Int, _ heaps: inout [TextHeap]
  ) throws(Damage) {
    if count == 0 { return }
    precondition(offset >= 0 && offset + count <= target.count, "room is needed")
    switch page.encoding {
    case .plain:
      if width > 0 || isOfFixedLength {
        try readFixed(count, into: target, at: offset)
      } else {
        try readPlain(count, into: target, at: offset)
      }
      if heaps.last !== heap { heaps.append(heap) }
    case .deltaLengthByteArray:
      try readLengths(count, into: target, at: offset)
      if heaps.last !== heap { heaps.append(heap) }
    case .deltaByteArray: heaps.append(try readPrefixes(count, into: target, at: offset))
    case .byteStreamSplit: heaps.append(try readSplit(count, into: target, at: offset))
    case .plainDictionary, .rle, .bitPacked, .deltaBinaryPacked, .rleDictionary:
      throw tooFew(count)
    }
  }

  private func readPlain(
    _ count: Int, into target: Buffer<TextView>, at offset: Int
  ) throws(Damage) {
    let source = PagePointer(page.bytes)
    let end = end
    var place = position
    for row in offset..<(offset &+ count) {
      guard place &+ 4 <= end else { throw tooFew(count) }
      let length = Int(truncatingIfNeeded: source.word(at: place) & 0xFFFF_FFFF)
      place &+= 4
      guard length <= end &- place else {
        throw Damage("a text of \(length) bytes is cut off", at: place - page.values.lowerBound)
      }
      target[row] = TextView(source, at: place, count: length)
      place &+= length
    }
    position = place
  }

  private func readFixed(
    _ count: Int, into target: Buffer<TextView>, at offset: Int
  ) throws(Damage) {
    guard width == 0 || count <= (end - position) / width else { throw tooFew(count) }
    let source = PagePointer(page.bytes)
    var place = position
    for row in offset..<(offset &+ count) {
      target[row] = TextView(source, at: place, count: width)
      place &+= width
    }
    position = place
  }

  private func readLengths(
    _ count: Int, into target: Buffer<TextView>, at offset: Int
  ) throws(Damage) {
    guard var lengths = delta else { throw tooFew(count) }
    let source = PagePointer(page.bytes)
    let numbers = Buffer<UInt32>(uninitialized: count)
    try lengths.read(count, into: numbers, at: 0)
    delta = lengths
    // All lengths together were looked at when the page was begun.
    var place = position
    for row in 0..<count {
      let length = Int(numbers[row])
      target[offset &+ row] = TextView(source, at: place, count: length)
      place &+= length
    }
    position = place
  }

  /// Texts that begin as the one before does.
  private func readPrefixes(
    _ count: Int, into target: Buffer<TextView>, at offset: Int
  ) throws(Damage) -> TextHeap {
    guard var prefixes = delta, var lengths = suffixes else { throw tooFew(count) }
    let shared = Buffer<UInt32>(uninitialized: count)
    let added = Buffer<UInt32>(uninitialized: count)
    try prefixes.read(count, into: shared, at: 0)
    try lengths.read(count, into: added, at: 0)
    delta = prefixes
    suffixes = lengths
    var total = 0
    var before = previous.range.count
    for row in 0..<count {
      let prefix = Int(shared[row])
      guard prefix <= before else {
        throw Damage("a text shares \(prefix) bytes with one of \(before)")
      }
      before = prefix + Int(added[row])
      if isOfFixedLength, before != width {
        throw Damage("a value has \(before) bytes instead of \(width)")
      }
      total += before
      guard total <= Self.textBytesMax else {
        throw Damage(
          unsupported: "to read texts of more than \(Self.textBytesMax) bytes at once",
          hint: "Write the file with another encoding than DELTA_BYTE_ARRAY.")
      }
    }
    let bytes = Buffer<UInt8>(uninitialized: total + FileBytes.slack, pages: .small)
    let written = PagePointer(bytes)
    var out = 0
    var (source, range) = previous
    for row in 0..<count {
      let (prefix, suffix) = (Int(shared[row]), Int(added[row]))
      bytes.copy(source, from: range.lowerBound, count: prefix, to: out)
      bytes.copy(page.bytes, from: position, count: suffix, to: out + prefix)
      position += suffix
      target[offset &+ row] = TextView(written, at: out, count: prefix + suffix)
      (source, range) = (bytes, out..<(out + prefix + suffix))
      out = range.upperBound
    }
    previous = (source, range)
    return TextHeap(adopting: bytes)
  }

  private func readSplit(
    _ count: Int, into target: Buffer<TextView>, at offset: Int
  ) throws(Damage) -> TextHeap {
    let total = width == 0 ? 0 : page.values.count / width
    guard count <= total - index else { throw tooFew(count) }
    let bytes = Buffer<UInt8>(uninitialized: count * width + FileBytes.slack, pages: .small)
    let written = PagePointer(bytes)
    let first = page.values.lowerBound + index
    for row in 0..<count {
      for byte in 0..<width {
        bytes[row &* width &+ byte] = page.bytes[first &+ byte &* total &+ row]
      }
    }
    for row in 0..<count {
      target[offset &+ row] = TextView(written, at: row &* width, count: width)
    }
    index += count
    return TextHeap(adopting: bytes)
  }
}
