import Columnar
import Storage

/// How the values of a page stand in its section, so that each can be read by itself: plain bytes, looked over once.
///
/// - Invariant: whoever reads a page holds the section; all that is read of the first `rowCount` rows lies within it.
struct PackedPage: BitwiseCopyable {
  let data: PagePointer<UInt8>
  /// No page where nothing is NULL.
  let mask: PagePointer<UInt8>
  let base: Int64
  let slope: Int64
  let width: Int
  /// The rows that are there; none if they cannot be read by themselves.
  let rowCount: Int
  let decimals: Int
  let isPacked: Bool
  /// Whether numbers are places in the dictionary of the section.
  let isOfPlaces: Bool

  init(
    _ page: ColumnSection.Page, in reader: SectionReader, stride: Int
  ) {
    let bytes = PagePointer(reader.bytes)
    data = bytes.advanced(by: page.data)
    mask = page.mask > 0 ? bytes.advanced(by: page.mask) : .none
    base = page.encoding == .dictionary ? 0 : page.base
    slope = page.encoding == .dictionary ? 0 : page.slope
    width = page.width
    decimals = page.decimals.map { Int($0) } ?? -1
    isOfPlaces = page.encoding == .dictionary
    isPacked = page.encoding == .packed || isOfPlaces
    // Reading may touch the slack behind the last value.
    let room = max(0, min(page.byteCount, reader.count - page.data - SectionReader.slack))
    switch page.encoding {
    case .packed, .dictionary:
      rowCount = min(TableStore.pageCapacity, width == 0 ? .max : room * 8 / width)
    case .plain: rowCount = min(TableStore.pageCapacity, room / stride)
    case .vector, .texts, .nothing: rowCount = 0
    }
  }

  /// The number of a row, of so many bytes where it is not packed.
  ///
  /// - Precondition: the row is one of the page's.
  @inline(__always)
  func number(_ row: Int, stride: Int) -> Int64 {
    if !isPacked { return Int64(bitPattern: data.word(at: row &* stride)) }
    let sloped = base &+ ((Int64(truncatingIfNeeded: row) &* slope) &>> 32)
    if width == 0 { return sloped }
    let bit = row &* width
    let (place, shift) = (bit &>> 3, bit & 7)
    var packed = data.word(at: place) &>> UInt64(truncatingIfNeeded: shift)
    if shift &+ width > 64 {
      packed |= data.word(at: place &+ 8) &<< UInt64(truncatingIfNeeded: 64 &- shift)
    }
    packed &= UInt64.max &>> UInt64(truncatingIfNeeded: 64 &- width)
    return sloped &+ Int64(bitPattern: packed)
  }

  @inline(__always)
  func isValid(_ row: Int) -> Bool {
    mask.isNone || mask.word(at: (row &>> 6) &* 8) &>> UInt64(truncatingIfNeeded: row & 63) & 1 != 0
  }
}

/// A row group whose values are read by themselves.
struct PackedGroup: Sendable {
  let pages: Buffer<PackedPage>
  /// The texts that pages name by their places; none of other values.
  let texts: Buffer<TextView>
  /// What keeps the bytes of texts.
  let heap: TextHeap?
}

/// The row groups that some positions are in, by number.
struct PackedGroups {
  let pages: Buffer<PagePointer<PackedPage>>
  fileprivate let texts: Buffer<PagePointer<TextView>>
  fileprivate let textCounts: Buffer<Int>
  fileprivate private(set) var heaps: [TextHeap] = []

  init(count: Int) {
    pages = Buffer(repeating: .none, count: count)
    texts = Buffer(repeating: .none, count: count)
    textCounts = Buffer(zeroed: count)
  }

  /// Takes in a group that somebody else keeps.
  mutating func take(_ group: PackedGroup, as number: Int) {
    pages[number] = PagePointer(group.pages)
    texts[number] = PagePointer(group.texts)
    textCounts[number] = group.texts.count
    if let heap = group.heap { heaps.append(heap) }
  }
}

extension ColumnSection {
  /// Whether columns of a type may have pages of which each value can be read by itself.
  static func hasSingleValues(_ type: LogicalType) -> Bool {
    switch type.physical {
    case .bool, .int16, .int32, .int64, .float, .double, .numeric, .text: true
    case .interval, .uuid, .list, .record: false
    }
  }

  /// How the pages of a row group stand in its section.
  ///
  /// - Throws: where they are not what `write` gives for a column of the type.
  static func packedGroup(
    _ bytes: Buffer<UInt8>, _ type: LogicalType
  ) throws(SectionFault) -> PackedGroup {
    let reader = SectionReader(bytes: bytes)
    guard reader.has(0, headerByteCount), reader.half(0) <= TableStore.pagesPerRowGroup else {
      throw SectionFault("it has another number of pages")
    }
    let stride = type.physical == .numeric ? 8 : type.physical.stride
    let pages = Buffer<PackedPage>(uninitialized: TableStore.pagesPerRowGroup)
    for index in 0..<TableStore.pagesPerRowGroup {
      // Of pages that are not there no row is.
      let page = index < reader.half(0) ? try page(reader, index) : Page()
      pages[index] = PackedPage(page, in: reader, stride: stride)
    }
    guard type.physical == .text else {
      return PackedGroup(pages: pages, texts: Buffer(uninitialized: 0), heap: nil)
    }
    return PackedGroup(
      pages: pages, texts: try dictionary(reader, isText: type != .bytea),
      heap: TextHeap(adopting: bytes))
  }

  /// The values at some positions, of row groups that hold their rows.
  ///
  /// - Returns: nil where some value cannot be read by itself, or stands in another form than others.
  /// - Throws: where a value is none of the type's.
  /// - Complexity: O(*n*): a few loads each.
  static func values(
    _ positions: Buffer<UInt32>, count: Int, _ type: LogicalType, _ groups: PackedGroups
  ) throws(SectionFault) -> Vector? {
    if type.physical == .text { return texts(positions, count: count, type, groups) }
    let pages = groups.pages
    let block = MemoryBlock(byteCount: max(1, count) * 8)
    let read: ScatteredValues
    switch type.physical {
    case .bool: read = ScatteredValues(positions, count, pages, block.buffer(of: UInt8.self))
    case .int16: read = ScatteredValues(positions, count, pages, block.buffer(of: Int16.self))
    case .int32: read = ScatteredValues(positions, count, pages, block.buffer(of: Int32.self))
    case .float: read = ScatteredValues(positions, count, pages, block.buffer(of: UInt32.self))
    case .int64, .double, .numeric:
      read = ScatteredValues(positions, count, pages, block.buffer(of: Int64.self))
    case .interval, .uuid, .text, .list, .record: return nil
    }
    let isNumeric = type.physical == .numeric
    guard read.isWhole, (read.decimals >= 0) == isNumeric, read.decimals <= 38 else { return nil }
    let validity = read.validity(count)
    try check(block, count, validity, type)
    return Vector(
      type: type, count: count, storage: block, validity: validity,
      digits: isNumeric ? DecimalForm(scale: Int16(truncatingIfNeeded: read.decimals)) : nil)
  }
}

extension ColumnSection {
  /// The texts at some positions, where all of them are named by their places in dictionaries.
  private static func texts(
    _ positions: Buffer<UInt32>, count: Int, _ type: LogicalType, _ groups: PackedGroups
  ) -> Vector? {
    let places = Buffer<UInt32>(uninitialized: max(1, count))
    let read = ScatteredValues(positions, count, groups.pages, places, ofPlaces: true)
    guard read.isWhole else { return nil }
    let (validity, views) = (read.validity(count), Buffer<TextView>(uninitialized: max(1, count)))
    for index in 0..<count {
      let group = Int(truncatingIfNeeded: positions[index]) &>> TableStore.rowGroupShift
      guard validity.isValid(index) else {
        views[index] = TextView()
        continue
      }
      guard places[index] < groups.textCounts[group] else { return nil }
      views[index] = groups.texts[group][Int(truncatingIfNeeded: places[index])]
    }
    return Vector(
      type: type, count: count, storage: views.block, validity: validity, heaps: groups.heaps)
  }
}

/// Values as they are read one by one.
private struct ScatteredValues {
  /// Whether all were there, fit their type and stand in the same form.
  let isWhole: Bool
  let decimals: Int
  private let words: Buffer<UInt64>
  private let hasNulls: Bool

  @inline(__always)
  init<Number: FixedWidthInteger & BitwiseCopyable>(
    _ positions: Buffer<UInt32>, _ count: Int, _ pages: Buffer<PagePointer<PackedPage>>,
    _ target: Buffer<Number>, ofPlaces: Bool = false
  ) {
    words = Buffer(zeroed: max(1, ValidityMask.wordCount(count)))
    let stride = MemoryLayout<Number>.stride
    var (isWhole, hasNulls) = (true, false)
    var decimals = -1
    for index in 0..<count {
      let position = Int(truncatingIfNeeded: positions[index])
      let row = position & (TableStore.pageCapacity &- 1)
      let page = pages[position &>> TableStore.rowGroupShift][
        (position / TableStore.pageCapacity) & (TableStore.pagesPerRowGroup &- 1)]
      if index == 0 { decimals = page.decimals }
      if row >= page.rowCount || page.decimals != decimals || page.isOfPlaces != ofPlaces {
        isWhole = false
        break
      }
      let value = page.number(row, stride: stride)
      let kept = Number(truncatingIfNeeded: value)
      target[index] = kept
      isWhole = isWhole && (!page.isPacked || Int64(truncatingIfNeeded: kept) == value)
      let isValid = page.isValid(row)
      hasNulls = hasNulls || !isValid
      words[index &>> 6] |=
        (isValid ? 1 : 0) &<< UInt64(truncatingIfNeeded: index & 63)
    }
    self.isWhole = isWhole
    self.decimals = decimals
    self.hasNulls = hasNulls
  }

  func validity(_ count: Int) -> ValidityMask {
    hasNulls ? ValidityMask(words: words) : .allValid
  }
}
