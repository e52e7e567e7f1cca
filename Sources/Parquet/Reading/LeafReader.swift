import Columnar
import Diagnostics

/// Reads the values of one leaf of the schema in one row group.
///
/// One thread at a time uses a reader; those of different columns or row groups have nothing in common but the file.
final class LeafReader {
  let leaf: SchemaNode
  let form: ValueForm
  private let pages: PageReader
  var conversion: ValueConversion
  private(set) var dictionary: ValueDictionary?
  /// The page in hand: its values, its levels, and how many of its entries no one has read.
  private(set) var values: PageValues?
  private var definition: HybridDecoder?
  private var repetition: HybridDecoder?
  var pageLeft = 0
  /// How many entries the column chunk still has, as its metadata say.
  private var chunkLeft: Int64
  /// Levels of the page in hand that were decoded and not used yet; for nested leaves.
  var pending = PendingLevels()

  /// A reader from the first row of the row group on.
  ///
  /// - Throws: what the column chunk's metadata are to blame for.
  init(
    _ file: FileBytes, _ chunk: FileMetadata.ChunkMetadata, leaf: SchemaNode, form: ValueForm,
    dataEnd: Int, place: Place
  ) throws(SQLError) {
    self.leaf = leaf
    self.form = form
    conversion = ValueConversion(form)
    pages = try PageReader(file, chunk, leaf: leaf, dataEnd: dataEnd, place: place)
    chunkLeft = chunk.valueCount
  }

  /// An error at the page in hand.
  func error(_ damage: Damage) -> SQLError {
    var damage = damage
    if let start = values?.page.values.lowerBound, let byte = damage.byte, byte >= start {
      damage.byte = byte
    }
    return pages.place.error(damage)
  }

  /// Goes on to the next page with values; says false behind the last.
  func nextPage() throws(SQLError) -> Bool {
    var unwanted = 0
    return try nextPage(passing: &unwanted)
  }

  /// As above, passing over pages that have only values that are not wanted, which are taken off.
  func nextPage(passing unwanted: inout Int) throws(SQLError) -> Bool {
    let leftBehind = chunkLeft - Int64(unwanted)
    while let page = try pages.next(passing: &unwanted) {
      chunkLeft = leftBehind + Int64(unwanted)
      do throws(Damage) {
        if page.isDictionary {
          guard dictionary == nil else { throw Damage("it has a second dictionary") }
          dictionary = try ValueDictionary(page, of: leaf, &conversion)
        } else if page.valueCount > 0 {
          try begin(page)
          return true
        }
      } catch { throw self.error(error) }
    }
    return false
  }

  /// Lets go of the page in hand, when no more values are wanted.
  func close() {
    values = nil
    definition = nil
    repetition = nil
    pages.close()
  }

  private func begin(_ page: Page) throws(Damage) {
    guard page.valueCount <= chunkLeft else {
      throw Damage(
        "a page of \(page.valueCount) values where its column chunk has \(chunkLeft) left")
    }
    chunkLeft -= Int64(page.valueCount)
    let begun = try PageValues(page, of: leaf)
    guard !begun.isDictionary || dictionary != nil else {
      throw Damage("its values refer to a dictionary that is not there")
    }
    values = begun
    pageLeft = page.valueCount
    definition = try levels(page, page.definitionLevels, leaf.definitionLevel)
    repetition = try levels(page, page.repetitionLevels, leaf.repetitionLevel)
  }

  private func levels(
    _ page: Page, _ range: Range<Int>, _ most: Int
  ) throws(Damage) -> HybridDecoder? {
    most == 0
      ? nil : try HybridDecoder(page.bytes, range, width: Int.bitWidth - most.leadingZeroBitCount)
  }

  // MARK: Levels

  /// Which of the next entries are there, as bits; gives how many are.
  ///
  /// - Precondition: the greatest definition level is 1.
  func readPresence(
    _ count: Int, into words: Buffer<UInt64>, at offset: Int
  ) throws(Damage) -> Int {
    guard var decoder = definition else { return count }
    definition = nil
    defer { definition = decoder }
    return try decoder.readBits(count, into: words, at: offset)
  }

  /// Passes over the next entries; gives how many have a value.
  ///
  /// - Precondition: the greatest definition level is 1.
  func skipPresence(_ count: Int) throws(Damage) -> Int {
    guard var decoder = definition else { return count }
    definition = nil
    defer { definition = decoder }
    return try decoder.skipBits(count)
  }

  /// The levels of the next entries, at the beginning of the targets.
  func readLevels(
    _ count: Int, definition defined: Buffer<UInt8>, repetition repeated: Buffer<UInt8>
  ) throws(Damage) {
    try Self.readLevels(count, &definition, into: defined, most: leaf.definitionLevel)
    try Self.readLevels(count, &repetition, into: repeated, most: leaf.repetitionLevel)
  }

  private static func readLevels(
    _ count: Int, _ decoder: inout HybridDecoder?, into target: Buffer<UInt8>, most: Int
  ) throws(Damage) {
    if most == 0 {
      target.zero(0..<count)
      return
    }
    if Int(try decoder?.read(count, into: target, at: 0) ?? 0) <= most { return }
    for index in 0..<count where Int(target[index]) > most {
      throw Damage("a level is \(target[index]) where \(most) is the most")
    }
  }
}

/// The values that a column chunk's pages refer to by number.
struct ValueDictionary {
  /// As many as `count`, and room for one more.
  let block: MemoryBlock
  let count: Int
  let heaps: [TextHeap]
  /// The positions of `block` of which the last, behind the values, is NULL.
  let validity: ValidityMask

  init(
    _ page: Page, of leaf: SchemaNode, _ conversion: inout ValueConversion
  ) throws(Damage) {
    guard page.encoding == .plain || page.encoding == .plainDictionary else {
      throw Damage("a dictionary in the encoding \(page.encoding.name)")
    }
    var plain = page
    plain.encoding = .plain
    let values = try PageValues(plain, of: leaf)
    count = page.valueCount
    // Memory is asked for so many values only if they are there: a text takes four bytes at least.
    let least = leaf.stored == .byteArray ? 4 : values.width
    guard least > 0 ? count <= page.values.count / least : count <= 1 else {
      throw Damage("a dictionary of \(page.values.count) bytes says it has \(count) values")
    }
    block = MemoryBlock(byteCount: (count + 1) * max(conversion.form.stride, 1), zeroed: true)
    var heaps: [TextHeap] = []
    try conversion.read(count, from: values, into: block, at: 0, &heaps)
    self.heaps = heaps
    var mask = ValidityMask.allValid
    mask.setNull(count, count: count + 1)
    validity = mask
  }

  /// Puts the values at `places` to `offset` on.
  ///
  /// - Precondition: each place is below `count`, the target has room.
  func gather(
    _ places: Buffer<UInt32>, _ count: Int, into out: MemoryBlock, at offset: Int, stride: Int
  ) {
    switch stride {
    case 1: gather(places, count, out, offset, as: UInt8.self)
    case 2: gather(places, count, out, offset, as: UInt16.self)
    case 4: gather(places, count, out, offset, as: UInt32.self)
    case 8: gather(places, count, out, offset, as: UInt64.self)
    case 16: gather(places, count, out, offset, as: SIMD2<UInt64>.self)
    default: gather(places, count, out, offset, as: Numeric.self)
    }
  }

  private func gather<Element: BitwiseCopyable>(
    _ places: Buffer<UInt32>, _ count: Int, _ out: MemoryBlock, _ offset: Int,
    as type: Element.Type
  ) {
    let source = block.buffer(of: type)
    let target = out.buffer(of: type)
    for row in 0..<count { target[offset &+ row] = source[places[row]] }
  }
}

/// Moves values that stand one behind another to the rows that have one.
enum Spreading {
  /// Spreads the `present` values from `start` on over the `count` rows from there, by the bits of `words` from bit `start` on.
  ///
  /// Rows without a value become zero.
  ///
  /// - Precondition: so many bits are set.
  static func spread(
    _ block: MemoryBlock, stride: Int, from start: Int, count: Int, present: Int,
    by words: Buffer<UInt64>
  ) {
    switch stride {
    case 1: spread(block.buffer(of: UInt8.self), 0, start, count, present, words)
    case 2: spread(block.buffer(of: UInt16.self), 0, start, count, present, words)
    case 4: spread(block.buffer(of: UInt32.self), 0, start, count, present, words)
    case 8: spread(block.buffer(of: UInt64.self), 0, start, count, present, words)
    case 16: spread(block.buffer(of: SIMD2<UInt64>.self), .zero, start, count, present, words)
    default: spread(block.buffer(of: Numeric.self), .zero, start, count, present, words)
    }
  }

  /// As above, with another value for rows that have none.
  static func spread<Element: BitwiseCopyable>(
    _ values: Buffer<Element>, _ none: Element, _ start: Int, _ count: Int, _ present: Int,
    _ words: Buffer<UInt64>
  ) {
    if present == count { return }
    // From the end, so that no value is overwritten before it was moved.
    var source = start &+ present
    var row = start &+ count
    while row > start {
      row &-= 1
      if words[row &>> 6] &>> UInt64(truncatingIfNeeded: row & 63) & 1 != 0 {
        source &-= 1
        values[row] = values[source]
      } else {
        values[row] = none
      }
      // What is left stands where it belongs.
      if source == row { return }
    }
  }
}
