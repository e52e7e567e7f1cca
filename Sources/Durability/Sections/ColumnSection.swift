import Columnar
import Diagnostics
import Storage

/// A row group of a column.
///
/// ```
/// 0     pages (4)
/// 4     entries of the dictionary (4), 0 if there is none
/// 8     where the dictionary stands (4): the length of each entry (4), then their bytes one behind another
/// 12    zeros (4)
/// 16    for each page 64 bytes, below
/// …     what the pages hold, and 16 bytes of zeros
/// ```
///
/// | offset | bytes | field of a page |
/// | --- | --- | --- |
/// | 0 | 1 | encoding |
/// | 1 | 1 | *w*, the bits to a packed number, 0 to 64 |
/// | 2 | 1 | 1: there is a mask; 2: there are bounds; 4: numbers are `numeric` with digits behind the point |
/// | 3 | 1 | 0 |
/// | 4 | 2 | the digits behind the point |
/// | 6 | 2 | 0 |
/// | 8 | 8 | *b*, the base |
/// | 16 | 8 | *s*, the slope, in 2⁻³² |
/// | 24 | 4 | where the mask stands: 32 words, bit set = not NULL, bits behind the last row set |
/// | 28 | 4 | where the data stand |
/// | 32 | 4 | their length |
/// | 36 | 4 | 0 |
/// | 40 | 24 | bounds: least and greatest key (8 each), values, NULLs (4 each) |
///
/// | encoding | holds |
/// | --- | --- |
/// | 0 | a vector as `VectorCodec` writes it, mask and all |
/// | 1 | packed numbers: value *i* is *b* + ⌊*i* *s* ⌋ + number *i*, also for floating point, by its bits |
/// | 2 | values as they stand in memory |
/// | 3 | packed places in the dictionary |
/// | 4 | packed lengths with base *b*, then at a multiple of 8 the bytes of all texts |
/// | 5 | nothing: a composite type, whose fields are columns of their own |
///
/// Places count from the beginning of the section. Masks stand at multiples of 8, other data at multiples of 16.
enum ColumnSection {
  static let headerByteCount = 16
  static let pageByteCount = 64

  enum Encoding: UInt8 {
    case vector = 0
    case packed = 1
    case plain = 2
    case dictionary = 3
    case texts = 4
    case nothing = 5
  }

  struct Page {
    var encoding = Encoding.nothing
    var width = 0
    var decimals: Int16?
    var base: Int64 = 0
    var slope: Int64 = 0
    /// 0 for none.
    var mask = 0
    var data = 0
    var byteCount = 0
    var zone: Zone?

    /// The form in which small exact numbers of the page are read: as narrow as the bits allow that they are packed in.
    var digits: DecimalForm? {
      guard let decimals else { return nil }
      guard encoding == .packed, slope == 0, width < 32 else { return DecimalForm(scale: decimals) }
      let (greatest, overflow) = base.addingReportingOverflow((1 << Int64(width)) - 1)
      let width: DecimalForm.Width =
        overflow || base < Int64(Int32.min) || greatest > Int64(Int32.max)
        ? .eight : base < Int64(Int16.min) || greatest > Int64(Int16.max) ? .four : .two
      return DecimalForm(scale: decimals, width: width)
    }
  }
}

// MARK: Writing

extension ColumnSection {
  /// Writes the pages of a row group.
  static func write(
    _ pages: [PageContents], _ type: LogicalType, _ memory: SectionMemory
  ) -> SectionWriter {
    var writer = SectionWriter(
      capacity: headerByteCount + pages.count * (pageByteCount + 4096), from: memory)
    writer.zeros(headerByteCount + pages.count * pageByteCount)
    writer.set(half: UInt32(pages.count), at: 0)
    var dictionary: TextDictionary?
    if type.physical == .text { dictionary = TextDictionary(pages.map(\.values)) }
    if let dictionary {
      writer.align(16)
      writer.set(half: UInt32(dictionary.count), at: 4)
      writer.set(half: UInt32(writer.count), at: 8)
      dictionary.write(&writer)
    }
    let scratch = Scratch()
    for (index, page) in pages.enumerated() {
      let written = write(page, dictionary?.places(ofPage: index), scratch, &writer)
      put(written, at: headerByteCount + index * pageByteCount, &writer)
    }
    writer.align(8)
    writer.zeros(SectionReader.slack)
    assert(isReadable(writer, pages, type), "what is written of a column is read again")
    return writer
  }

  /// Whether pages are read as they were written, as far as it takes no long look.
  ///
  /// In debug builds each section that is written goes through it.
  private static func isReadable(
    _ writer: SectionWriter, _ pages: [PageContents], _ type: LogicalType
  ) -> Bool {
    let rows = pages.map(\.values.count)
    guard let found = try? read(writer.bytes, type, rows: rows, OpeningArena()) else {
      return false
    }
    return zip(pages, found).allSatisfy { page, found in
      let count = page.values.count
      return found.values.validity.nullCount(count) == page.values.validity.nullCount(count)
    }
  }

  /// Numbers of a page that are to be packed.
  private struct Scratch {
    let numbers = Buffer<UInt32>(uninitialized: TableStore.pageCapacity)
    /// The same as differences from a line.
    let differences = Buffer<UInt32>(uninitialized: TableStore.pageCapacity)
  }

  private static func put(_ page: Page, at place: Int, _ writer: inout SectionWriter) {
    var flags: UInt64 = page.mask > 0 ? 1 : 0
    if page.zone != nil { flags |= 2 }
    if page.decimals != nil { flags |= 4 }
    writer.set(
      word: UInt64(page.encoding.rawValue) | UInt64(page.width) << 8 | flags << 16
        | UInt64(UInt16(bitPattern: page.decimals ?? 0)) << 32, at: place)
    writer.set(word: UInt64(bitPattern: page.base), at: place + 8)
    writer.set(word: UInt64(bitPattern: page.slope), at: place + 16)
    writer.set(half: UInt32(page.mask), at: place + 24)
    writer.set(half: UInt32(page.data), at: place + 28)
    writer.set(half: UInt32(page.byteCount), at: place + 32)
    if let zone = page.zone {
      writer.set(word: zone.minimum, at: place + 40)
      writer.set(word: zone.maximum, at: place + 48)
      writer.set(half: zone.valueCount, at: place + 56)
      writer.set(half: zone.nullCount, at: place + 60)
    }
  }

  private static func write(
    _ contents: PageContents, _ places: TextDictionary.Places?, _ scratch: Scratch,
    _ writer: inout SectionWriter
  ) -> Page {
    var values = contents.values
    // Small exact numbers are written by what they need, in whatever width they stand.
    if let scale = values.decimals { values = values.flattened(as: DecimalForm(scale: scale)) }
    let count = values.count
    var page = Page()
    page.zone = contents.zone
    page.decimals = values.decimals
    let validity = values.validity
    if !isVector(values), let words = validity.words, validity.nullCount(count) > 0 {
      writer.align(8)
      page.mask = writer.count
      for word in 0..<(TableStore.pageCapacity / 64) {
        var bits: UInt64 = word < words.count ? words[word] : .max
        let rest = count - word * 64
        if rest <= 0 { bits = .max } else if rest < 64 { bits |= .max << UInt64(rest) }
        writer.append(word: bits)
      }
    }
    let mask = page.mask > 0 ? validity : .allValid
    writer.align(16)
    page.data = writer.count
    switch values.type.physical {
    case .record: page.encoding = .nothing
    case .list: vector(values, &page, &writer)
    case .numeric where values.decimals == nil: vector(values, &page, &writer)
    case .uuid: plain(values.storage.buffer(of: UUIDValue.self), count, &page, &writer)
    case .interval: plain(values.storage.buffer(of: Interval.self), count, &page, &writer)
    case .bool: numbers(values, UInt8.self, mask, scratch, &page, &writer)
    case .int16: numbers(values, Int16.self, mask, scratch, &page, &writer)
    case .int32: numbers(values, Int32.self, mask, scratch, &page, &writer)
    case .float: numbers(values, UInt32.self, mask, scratch, &page, &writer)
    case .int64, .double, .numeric: numbers(values, Int64.self, mask, scratch, &page, &writer)
    case .text:
      if let places {
        page.encoding = .dictionary
        page.width = places.width
        writer.pack(places.numbers, count: count, width: page.width)
      } else {
        texts(values, mask, scratch.numbers, &page, &writer)
      }
    }
    page.byteCount = writer.count - page.data
    return page
  }

  private static func isVector(_ values: Vector) -> Bool {
    switch values.type.physical {
    case .list: true
    case .numeric: values.decimals == nil
    case .bool, .int16, .int32, .int64, .float, .double, .interval, .uuid, .text, .record: false
    }
  }

  private static func vector(_ values: Vector, _ page: inout Page, _ writer: inout SectionWriter) {
    page.encoding = .vector
    var bytes = ByteWriter()
    VectorCodec.write(values, into: &bytes)
    writer.append(bytes.bytes)
  }

  private static func plain<Value: BitwiseCopyable>(
    _ values: Buffer<Value>, _ count: Int, _ page: inout Page, _ writer: inout SectionWriter
  ) {
    page.encoding = .plain
    writer.append(values, count: count)
  }

  /// Numbers as differences from a line, or as they stand where that saves little.
  private static func numbers<Number: FixedWidthInteger & BitwiseCopyable>(
    _ vector: Vector, _ number: Number.Type, _ mask: ValidityMask, _ scratch: Scratch,
    _ page: inout Page, _ writer: inout SectionWriter
  ) {
    let count = vector.count
    var values = vector.storage.buffer(of: number)
    if !mask.isAllValid { values = filled(values, count, mask) }
    guard count > 0 else { return page.encoding = .packed }
    let numbers = scratch.numbers
    let bounds: (least: Number, width: Int)? = bounds(page.zone, vector.type)
    var least = bounds?.least ?? values.least(count)
    var spread = differences(values, count, from: least, numbers)
    if let bounds, bitWidth(UInt64(spread)) > bounds.width {
      // They are no bounds of these values.
      least = values.least(count)
      spread = differences(values, count, from: least, numbers)
    }
    page.encoding = .packed
    page.base = Int64(truncatingIfNeeded: least)
    page.width = bitWidth(UInt64(spread))
    if page.width > BitPacking.widthLimit {
      if page.width * 8 > Number.bitWidth * 7 {
        (page.base, page.width) = (0, 0)
        return plain(values, count, &page, &writer)
      }
      let base = page.base
      return writer.pack(count: count, width: page.width) { row in
        UInt64(bitPattern: Int64(truncatingIfNeeded: values[row]) &- base)
      }
    }
    let isOnLine = line(numbers, count, scratch.differences, &page)
    if page.width * 8 > Number.bitWidth * 7 {
      (page.base, page.slope, page.width) = (0, 0, 0)
      return plain(values, count, &page, &writer)
    }
    writer.pack(isOnLine ? scratch.differences : numbers, count: count, width: page.width)
  }

  /// The least value as the bounds of a page of whole numbers tell it, and the bits that it takes to count from there to
  /// the greatest; nil where they tell none.
  private static func bounds<Number: FixedWidthInteger>(
    _ zone: Zone?, _ type: LogicalType
  ) -> (least: Number, width: Int)? {
    guard let zone, zone.valueCount > 0 else { return nil }
    switch type.physical {
    case .bool, .int16, .int32, .int64:
      return Number(exactly: Int64(bitPattern: zone.minimum ^ (1 << 63))).map {
        ($0, bitWidth(zone.maximum &- zone.minimum))
      }
    case .float, .double, .numeric, .interval, .uuid, .text, .list, .record: return nil
    }
  }

  /// Takes a number off all values, and says which bits the differences have between them.
  ///
  /// What is left in `numbers` is right if the differences fit it.
  @inline(__always)
  private static func differences<Number: FixedWidthInteger & BitwiseCopyable>(
    _ values: Buffer<Number>, _ count: Int, from least: Number, _ numbers: Buffer<UInt32>
  ) -> Number.Magnitude {
    var spread: Number.Magnitude = 0
    for row in 0..<count {
      let difference = Number.Magnitude(truncatingIfNeeded: values[row] &- least)
      spread |= difference
      numbers[row] = UInt32(truncatingIfNeeded: difference)
    }
    return spread
  }

  /// Takes a line off numbers that rise, if the differences from it take fewer bits.
  private static func line(
    _ numbers: Buffer<UInt32>, _ count: Int, _ differences: Buffer<UInt32>, _ page: inout Page
  ) -> Bool {
    guard page.width > 0, page.width <= 31, count > 1, rise(numbers, count) else { return false }
    // Half words take half the time. A slope that fits them is as good, where the last number is small.
    let last = numbers[count - 1]
    let shift = UInt64(32 - page.width)
    let slope: UInt64
    let low: Int32
    if shift >= 12 {
      let rise = last &<< UInt32(shift) / UInt32(count - 1)
      slope = UInt64(rise) &<< (32 - shift)
      low = takeLine(rise, UInt32(shift), off: numbers, count, differences)
    } else {
      slope = UInt64(last) &<< 32 / UInt64(count - 1)
      low = takeLine(slope, 32, off: numbers, count, differences)
    }
    var spread: UInt32 = 0
    for row in 0..<count {
      let difference = differences[row] &- UInt32(bitPattern: low)
      spread |= difference
      differences[row] = difference
    }
    let width = bitWidth(UInt64(spread))
    if width >= page.width { return false }
    page.base &+= Int64(low)
    page.slope = Int64(bitPattern: slope)
    page.width = width
    return true
  }

  /// Takes ⌊*i* `rise` / 2 to the power of `shift`⌋ off number *i*, and gives the least of the differences.
  ///
  /// Numbers and the line lie between 0 and 2 to the power of 31, and so the differences have signs.
  @inline(__always)
  private static func takeLine<Place: FixedWidthInteger & UnsignedInteger>(
    _ rise: Place, _ shift: Place, off numbers: Buffer<UInt32>, _ count: Int,
    _ differences: Buffer<UInt32>
  ) -> Int32 {
    var (place, low): (Place, Int32) = (0, .max)
    for row in 0..<count {
      let difference = numbers[row] &- UInt32(truncatingIfNeeded: place &>> shift)
      low = min(low, Int32(bitPattern: difference))
      differences[row] = difference
      place &+= rise
    }
    return low
  }

  /// Whether no number, all below 2 to the power of 31, is below the one before it; numbers in no order are soon left.
  private static func rise(_ numbers: Buffer<UInt32>, _ count: Int) -> Bool {
    for start in stride(from: 1, to: count, by: 256) {
      var falls: UInt32 = 0
      for row in start..<min(count, start + 256) { falls |= numbers[row] &- numbers[row &- 1] }
      if falls >> 31 != 0 { return false }
    }
    return true
  }

  /// Values of which a NULL has the one before it, which costs no bits.
  private static func filled<Number: FixedWidthInteger & BitwiseCopyable>(
    _ values: Buffer<Number>, _ count: Int, _ mask: ValidityMask
  ) -> Buffer<Number> {
    let result = Buffer<Number>(uninitialized: max(1, count))
    var last: Number = 0
    for row in 0..<count where mask.isValid(row) {
      last = values[row]
      break
    }
    for row in 0..<count {
      if mask.isValid(row) { last = values[row] }
      result[row] = last
    }
    return result
  }

  private static func texts(
    _ vector: Vector, _ mask: ValidityMask, _ lengths: Buffer<UInt32>, _ page: inout Page,
    _ writer: inout SectionWriter
  ) {
    let (views, count) = (vector.storage.buffer(of: TextView.self), vector.count)
    var (least, greatest) = (Int.max, 0)
    for row in 0..<count {
      let length = mask.isValid(row) ? views[row].count : 0
      least = min(least, length)
      greatest = max(greatest, length)
      lengths[row] = UInt32(truncatingIfNeeded: length)
    }
    if count == 0 { least = 0 }
    page.encoding = .texts
    page.base = Int64(least)
    page.width = bitWidth(UInt64(greatest - least))
    for row in 0..<count { lengths[row] &-= UInt32(truncatingIfNeeded: least) }
    writer.pack(lengths, count: count, width: page.width)
    writer.align(8)
    for row in 0..<count where mask.isValid(row) && views[row].count > 0 {
      writer.append(views.bytes(at: row))
    }
  }
}

extension Buffer where Element: FixedWidthInteger {
  /// The least of the first numbers, of which there is one.
  fileprivate func least(_ count: Int) -> Element {
    var least = self[0]
    for index in 1..<max(count, 1) { least = Swift.min(least, self[index]) }
    return least
  }
}
