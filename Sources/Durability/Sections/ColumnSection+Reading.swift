import Columnar
import Diagnostics
import Storage

/// Why bytes cannot be what they are said to be.
struct SectionFault: Error {
  let reason: String

  init(_ reason: String) { self.reason = reason }
}

extension ColumnSection {
  /// Reads the pages of a row group, each of so many rows.
  ///
  /// - Throws: where they are not what `write` gives for a column of the type.
  static func read(
    _ bytes: Buffer<UInt8>, _ type: LogicalType, rows: [Int], _ arena: OpeningArena
  ) throws(SectionFault) -> [PageContents] {
    let reader = SectionReader(bytes: bytes)
    guard reader.has(0, headerByteCount + rows.count * pageByteCount),
      reader.half(0) == rows.count
    else { throw SectionFault("it has another number of pages") }
    var section = Section(reader: reader, type: type)
    if type.physical == .text {
      section.heap = TextHeap(adopting: bytes)
      section.dictionary = try dictionary(reader, isText: type != .bytea)
    }
    var pages: [Page] = []
    var total = 0
    for (index, count) in rows.enumerated() {
      pages.append(try page(reader, at: headerByteCount + index * pageByteCount, rows: count))
      total += roundedBytes(count * section.stride(pages[index]))
    }
    // The memory of pages that are made stands in one piece.
    let memory = arena.take(total)
    var used = 0
    var contents: [PageContents] = []
    contents.reserveCapacity(rows.count)
    for (page, count) in zip(pages, rows) {
      let byteCount = count * section.stride(page)
      let own = MemoryBlock(slicing: memory, from: used, byteCount: byteCount)
      used += roundedBytes(byteCount)
      contents.append(PageContents(try section.values(page, count, own), zone: page.zone))
    }
    return contents
  }

  /// Reads the first rows of one page by itself; nil where that takes more than the page, as for texts.
  ///
  /// - Throws: where the page is not what `write` gives for a column of the type.
  static func read(
    _ bytes: Buffer<UInt8>, _ type: LogicalType, page: Int, rows: Int
  ) throws(SectionFault) -> Vector? {
    if type.physical == .text || type.physical == .list || type.physical == .record { return nil }
    let reader = SectionReader(bytes: bytes)
    let (section, page) = (Section(reader: reader, type: type), try Self.page(reader, page))
    return try section.values(page, rows, MemoryBlock(byteCount: rows * section.stride(page)))
  }

  /// What is said of one page, without its bounds.
  static func page(_ reader: SectionReader, _ index: Int) throws(SectionFault) -> Page {
    guard reader.has(0, headerByteCount + (index + 1) * pageByteCount), index < reader.half(0)
    else { throw SectionFault("it has another number of pages") }
    return try page(reader, at: headerByteCount + index * pageByteCount, rows: 0)
  }

  private static func roundedBytes(_ byteCount: Int) -> Int { (byteCount + 63) & ~63 }

  private static func page(
    _ reader: SectionReader, at place: Int, rows: Int
  ) throws(SectionFault) -> Page {
    guard let encoding = Encoding(rawValue: reader.byte(place)), reader.byte(place + 3) == 0 else {
      throw SectionFault("a page is encoded in an unknown way")
    }
    var page = Page()
    page.encoding = encoding
    page.width = Int(reader.byte(place + 1))
    let flags = reader.byte(place + 2)
    let word = reader.word(place)
    if flags & 4 != 0 { page.decimals = Int16(truncatingIfNeeded: word >> 32) }
    page.base = Int64(bitPattern: reader.word(place + 8))
    page.slope = Int64(bitPattern: reader.word(place + 16))
    page.mask = flags & 1 != 0 ? reader.half(place + 24) : 0
    page.data = reader.half(place + 28)
    page.byteCount = reader.half(place + 32)
    guard page.width <= 64, page.mask & 7 == 0, page.data & 15 == 0,
      reader.has(page.mask, page.mask > 0 ? TableStore.pageCapacity / 8 : 0),
      flags & 1 == 0 || page.mask > 0, reader.has(page.data, page.byteCount), flags < 8
    else { throw SectionFault("a page lies outside of its section") }
    if flags & 2 != 0, rows == TableStore.pageCapacity {
      var zone = Zone()
      zone.minimum = reader.word(place + 40)
      zone.maximum = reader.word(place + 48)
      zone.valueCount = UInt32(truncatingIfNeeded: reader.half(place + 56))
      zone.nullCount = UInt32(truncatingIfNeeded: reader.half(place + 60))
      page.zone = zone
    }
    return page
  }

  /// Looks for values that no vector of a type has.
  static func check(
    _ block: MemoryBlock, _ count: Int, _ validity: ValidityMask, _ type: LogicalType
  ) throws(SectionFault) {
    if type.physical == .bool {
      let values = block.buffer(of: UInt8.self)
      var all: UInt8 = 0
      for row in 0..<count { all |= values[row] }
      if all > 1 { throw SectionFault("a boolean is neither true nor false") }
    }
    guard case .enumeration(let enumeration) = type else { return }
    let values = block.buffer(of: Int32.self)
    for row in 0..<count where validity.isValid(row) {
      guard values[row] >= 0, Int(values[row]) < enumeration.labels.count else {
        throw SectionFault("\(enumeration.name) has no label \(values[row])")
      }
    }
  }

  static func dictionary(
    _ reader: SectionReader, isText: Bool
  ) throws(SectionFault) -> Buffer<TextView> {
    let (count, start) = (reader.half(4), reader.half(8))
    guard reader.has(start, count * 4) else { throw SectionFault("a dictionary is too long") }
    let views = Buffer<TextView>(uninitialized: max(1, count))
    var next = start + count * 4
    for index in 0..<count {
      let length = reader.half(start + index * 4)
      guard reader.has(next, length) else { throw SectionFault("a text lies outside") }
      let text = reader.bytes.bytes(next..<(next + length))
      if isText, text.firstInvalidUTF8 != nil { throw SectionFault("a text is no UTF-8") }
      views[index] = TextView(referring: text)
      next += length
    }
    return views.slice(0..<count)
  }
}

extension ColumnSection {
  /// What all pages of a section share.
  private struct Section {
    let reader: SectionReader
    let type: LogicalType
    var heap: TextHeap?
    var dictionary = Buffer<TextView>(uninitialized: 0)

    /// The bytes from one value of a page to the next.
    func stride(_ page: Page) -> Int {
      page.digits?.stride ?? (type.physical == .numeric ? 8 : type.physical.stride)
    }

    /// The values of a page, in `memory` if they do not stand in the section.
    func values(
      _ page: Page, _ count: Int, _ memory: MemoryBlock
    ) throws(SectionFault) -> Vector {
      if (page.decimals != nil) != (type.physical == .numeric && page.encoding != .vector) {
        throw SectionFault("digits behind the point where there can be none")
      }
      if let decimals = page.decimals, !(0...38).contains(decimals) {
        throw SectionFault("\(decimals) digits behind the point")
      }
      let validity = validity(page, count)
      switch page.encoding {
      case .vector: return try vector(page, count)
      case .nothing:
        guard type.physical == .record else { throw SectionFault("a page has no values") }
        return Vector(
          type: type, count: count, storage: MemoryBlock(byteCount: 0), validity: validity)
      case .plain: return try plain(page, count, validity, memory)
      case .packed: return try packed(page, count, validity, memory)
      case .dictionary, .texts:
        guard type.physical == .text else { throw SectionFault("a page has texts") }
        let views = memory.buffer(of: TextView.self)
        if page.encoding == .dictionary {
          try places(page, count, views)
        } else {
          try texts(page, count, views)
        }
        if let words = validity.words {
          for row in 0..<count where words[row >> 6] >> UInt64(row & 63) & 1 == 0 {
            views[row] = TextView()
          }
        }
        return Vector(
          type: type, count: count, storage: memory, validity: validity,
          heaps: heap.map { [$0] } ?? [])
      }
    }

    private func validity(_ page: Page, _ count: Int) -> ValidityMask {
      if page.mask == 0 { return .allValid }
      let words = Buffer<UInt64>(uninitialized: TableStore.pageCapacity / 64)
      for word in 0..<words.count {
        // Appending a value leaves its bit alone.
        let rest = count - word * 64
        words[word] = rest > 0 ? reader.word(page.mask + word * 8) : .max
        if rest > 0, rest < 64 { words[word] |= .max << UInt64(rest) }
      }
      return ValidityMask(words: words)
    }

    private func vector(_ page: Page, _ count: Int) throws(SectionFault) -> Vector {
      let bytes = reader.bytes.slice(page.data..<(page.data + page.byteCount))
      do throws(SQLError) {
        var reader = ByteReader(bytes, count: page.byteCount)
        let vector = try VectorCodec.read(type, count: count, from: &reader)
        try reader.finish()
        // As other pages: appending a value leaves its bit alone.
        return Vector(
          type: type, count: count, storage: vector.storage,
          validity: vector.validity.extended(count, to: TableStore.pageCapacity),
          children: vector.children, heaps: vector.heaps, digits: vector.digits)
      } catch { throw SectionFault(error.detail ?? error.message) }
    }

    /// Values in place: nobody writes to a page that was read.
    private func plain(
      _ page: Page, _ count: Int, _ validity: ValidityMask, _ memory: MemoryBlock
    ) throws(SectionFault) -> Vector {
      let stride = page.decimals != nil ? 8 : type.physical.stride
      switch type.physical {
      case .text, .list, .record: throw SectionFault("such values cannot stand in place")
      case .numeric where page.decimals == nil:
        throw SectionFault("such values cannot stand in place")
      case .bool, .int16, .int32, .int64, .float, .double, .numeric, .interval, .uuid: break
      }
      guard page.byteCount == count * stride else {
        throw SectionFault("a page has another number of values")
      }
      let block = reader.bytes.block(page.data..<(page.data + page.byteCount))
      try ColumnSection.check(block, count, validity, type)
      return Vector(
        type: type, count: count, storage: block, validity: validity,
        digits: page.digits)
    }

    private func packed(
      _ page: Page, _ count: Int, _ validity: ValidityMask, _ memory: MemoryBlock
    ) throws(SectionFault) -> Vector {
      guard reader.packedEnd(page.data, count: count, width: page.width) != nil else {
        throw SectionFault("packed numbers are missing")
      }
      let isWhole: Bool
      switch type.physical {
      case .bool: isWhole = unpack(page, count, memory.buffer(of: UInt8.self))
      case .int16: isWhole = unpack(page, count, memory.buffer(of: Int16.self))
      case .int32: isWhole = unpack(page, count, memory.buffer(of: Int32.self))
      case .float: isWhole = unpack(page, count, memory.buffer(of: UInt32.self))
      case .int64, .double: isWhole = unpack(page, count, memory.buffer(of: Int64.self))
      case .numeric:
        switch page.digits?.width {
        case .two: isWhole = unpack(page, count, memory.buffer(of: Int16.self))
        case .four: isWhole = unpack(page, count, memory.buffer(of: Int32.self))
        case .eight, nil: isWhole = unpack(page, count, memory.buffer(of: Int64.self))
        }
      case .interval, .uuid, .text, .list, .record: throw SectionFault("such values are not packed")
      }
      guard isWhole else { throw SectionFault("a number is out of the range of its type") }
      try ColumnSection.check(memory, count, validity, type)
      return Vector(
        type: type, count: count, storage: memory, validity: validity,
        digits: page.digits)
    }

    @inline(__always)
    private func unpack<Number: FixedWidthInteger & BitwiseCopyable>(
      _ page: Page, _ count: Int, _ target: Buffer<Number>
    ) -> Bool {
      let (base, slope) = (page.base, page.slope)
      var lost: Int64 = 0
      if slope == 0 {
        reader.unpack(page.data, count: count, width: page.width) { row, number in
          let value = base &+ Int64(bitPattern: number)
          let kept = Number(truncatingIfNeeded: value)
          lost |= Int64(truncatingIfNeeded: kept) ^ value
          target[row] = kept
        }
      } else {
        reader.unpack(page.data, count: count, width: page.width) { row, number in
          let value = base &+ ((Int64(row) &* slope) &>> 32) &+ Int64(bitPattern: number)
          let kept = Number(truncatingIfNeeded: value)
          lost |= Int64(truncatingIfNeeded: kept) ^ value
          target[row] = kept
        }
      }
      return lost == 0
    }

    private func places(
      _ page: Page, _ count: Int, _ views: Buffer<TextView>
    ) throws(SectionFault) {
      guard reader.packedEnd(page.data, count: count, width: page.width) != nil,
        dictionary.count > 0, page.width <= 16
      else { throw SectionFault("places in a dictionary are missing") }
      let last = dictionary.count - 1
      var greatest = 0
      reader.unpack(page.data, count: count, width: page.width) { row, number in
        let place = Int(truncatingIfNeeded: number)
        greatest = max(greatest, place)
        views[row] = dictionary[min(place, last)]
      }
      if greatest > last { throw SectionFault("a dictionary has no text \(greatest)") }
    }

    private func texts(
      _ page: Page, _ count: Int, _ views: Buffer<TextView>
    ) throws(SectionFault) {
      guard page.width <= 31, page.base >= 0, page.base <= Int64(Int32.max),
        let end = reader.packedEnd(page.data, count: count, width: page.width)
      else { throw SectionFault("lengths of texts are missing") }
      var next = page.data + ((end - page.data + 7) & ~7)
      let limit = page.data + page.byteCount
      guard next <= limit else { throw SectionFault("texts are missing") }
      let lengths = Buffer<Int>(uninitialized: max(1, count))
      var total = 0
      let least = Int(page.base)
      reader.unpack(page.data, count: count, width: page.width) { row, number in
        let length = least &+ Int(truncatingIfNeeded: number)
        lengths[row] = length
        total &+= length
      }
      guard total == limit - next else { throw SectionFault("texts have other lengths") }
      let isText = type != .bytea
      for row in 0..<count {
        let text = reader.bytes.bytes(next..<(next + lengths[row]))
        if isText, text.firstInvalidUTF8 != nil { throw SectionFault("a text is no UTF-8") }
        views[row] = TextView(referring: text)
        next += lengths[row]
      }
    }
  }
}
