import Columnar
import SimulatedDisk
import Testing

@testable import Durability
@testable import Storage

@Suite("A section of a column")
struct ColumnSectionTests {
  /// What is known of a page's bounds when it is written.
  enum Bounds: CaseIterable {
    case none, right
    /// Of other values, as no table has them.
    case wrong
  }

  /// Bits around which the way in which numbers are kept changes, and the ends of all types.
  private static let widths = [0, 1, 7, 8, 13, 14, 19, 20, 21, 27, 28, 30, 31, 32, 33, 55, 56, 62]

  /// Numbers that rise by about the same from row to row, or lie anywhere, over a range of 2 to the power of `width`, and
  /// one more or less.
  private static func numbers<Number: FixedWidthInteger & SignedInteger>(
    _ count: Int, width: Int, _ random: inout SimulationRandom
  ) -> [Number] {
    let top = Int64(Number.max)
    let span = min(top, (1 << Int64(min(width, 62))) - 1 + Int64(random.below(3)))
    let base = [0, Int64(Number.min), top - span, -span / 2][random.below(4)]
    let steps = Double(max(1, count - 1))
    let isOnLine = random.chance(70)
    let noise = Double([0, 1, 3, 100][random.below(4)])
    var found = (0..<count).map { row -> Int64 in
      var place = Double(random.below(1 << 20)) / Double(1 << 20)
      if isOnLine { place = Double(row) / steps }
      let number = Double(span) * place + noise * Double(random.below(100)) / 100
      return min(span, max(0, number < 9e18 ? Int64(number) : span))
    }
    if random.chance(80) { found.sort() }
    if count > 1 && isOnLine { (found[0], found[count - 1]) = (0, span) }
    return found.map { Number(truncatingIfNeeded: base + $0) }
  }

  private static func check<Number: FixedWidthInteger & SignedInteger & BitwiseCopyable>(
    _ type: LogicalType, _ number: Number.Type, _ bounds: Bounds, seed: Int
  ) throws {
    var random = SimulationRandom(seed: UInt64(seed))
    var pages: [PageContents] = []
    for width in widths {
      let count = [0, 1, 2, 9, 256, 257, 2047, 2048][random.below(8)]
      let numbers: [Number] = numbers(count, width: width, &random)
      var validity = ValidityMask.allValid
      if random.chance(30) {
        validity = ValidityMask.writable(count: count)
        for row in 0..<count where random.chance(20) { validity.setNull(row, count: count) }
      }
      let values = Vector(type, Buffer(numbers), count: count, validity: validity)
      var zone = bounds == .none ? nil : ZoneKey.zone(of: values, 0..<count)
      if bounds == .wrong, let right = zone, right.valueCount > 0 {
        zone?.minimum = right.minimum / 2 + right.maximum / 2
      }
      pages.append(PageContents(values, zone: zone))
    }
    let written = ColumnSection.write(pages, type, SectionMemory())
    let bytes = Buffer(written.bytes.array(written.count))
    let found = try ColumnSection.read(
      bytes, type, rows: pages.map(\.values.count), OpeningArena())
    for (index, (page, read)) in zip(pages, found).enumerated() {
      let wanted = page.values
      expect(read.values, wanted, number, "page \(index), \(widths[index]) bits")
      let alone = try ColumnSection.read(bytes, type, page: index, rows: wanted.count)
      expect(alone, wanted, number, "page \(index) by itself, \(widths[index]) bits")
    }
    let positions = (0..<300).compactMap { _ -> UInt32? in
      let page = random.below(pages.count)
      let count = pages[page].values.count
      return count == 0 ? nil : UInt32(page * TableStore.pageCapacity + random.below(count))
    }
    let scattered = try Self.scattered(bytes, type, positions)
    var wanted = VectorBuilder(type)
    for position in positions {
      let page = pages[Int(position) / TableStore.pageCapacity].values
      wanted.append(page.value(at: Int(position) % TableStore.pageCapacity))
    }
    expect(scattered, wanted.finish(), number, "by themselves")
  }

  /// Values that are read by themselves, of a column of one row group.
  private static func scattered(
    _ bytes: Buffer<UInt8>, _ type: LogicalType, _ positions: [UInt32]
  ) throws -> Vector? {
    let group = try ColumnSection.packedGroup(bytes, type)
    var groups = PackedGroups(count: 1)
    groups.take(group, as: 0)
    defer { withExtendedLifetime(group) {} }
    return try ColumnSection.values(Buffer(positions), count: positions.count, type, groups)
  }

  /// Texts that a dictionary names are read by themselves; of others, nothing is.
  @Test("has each of a few texts by itself", arguments: [LogicalType.text, .bytea], 0..<6)
  func fewTexts(_ type: LogicalType, _ seed: Int) throws {
    var random = SimulationRandom(seed: UInt64(seed))
    let pages = [2048, 2048, 1, 700].map { count in
      PageContents(
        Vector(
          type,
          (0..<count).map { _ -> Value in
            let number = random.below(seed % 2 == 0 ? 40 : 3)
            let text = "a text \(number)" + (number % 3 == 0 ? " of more than twelve bytes" : "")
            return random.chance(seed * 10)
              ? .null : .text(Array(text.utf8))
          }), zone: nil)
    }
    let written = ColumnSection.write(pages, type, SectionMemory())
    let bytes = Buffer(written.bytes.array(written.count))
    let positions = (0..<300).map { _ -> UInt32 in
      let page = random.below(pages.count)
      return UInt32(page * TableStore.pageCapacity + random.below(pages[page].values.count))
    }
    let found = try #require(try Self.scattered(bytes, type, positions))
    for (index, position) in positions.enumerated() {
      let page = pages[Int(position) / TableStore.pageCapacity].values
      let wanted = page.value(at: Int(position) % TableStore.pageCapacity)
      #expect("\(found.value(at: index))" == "\(wanted)")
    }
    let unlike = (0..<2048).map { Value.text(Array("text \($0) of its own".utf8)) }
    let other = ColumnSection.write(
      [PageContents(Vector(.text, unlike), zone: nil)], .text, SectionMemory())
    #expect(try Self.scattered(Buffer(other.bytes.array(other.count)), .text, [3, 70]) == nil)
  }

  private static func expect<Number: FixedWidthInteger & BitwiseCopyable>(
    _ found: Vector?, _ wanted: Vector, _ number: Number.Type, _ comment: Comment
  ) {
    guard let found else {
      Issue.record("nothing is read: \(comment)")
      return
    }
    #expect(found.count == wanted.count)
    let (left, right) = (wanted.values(number), found.values(number))
    let isSame = (0..<wanted.count).allSatisfy { row in
      wanted.isValid(row) == found.isValid(row)
        && (!wanted.isValid(row) || left[row] == right[row])
    }
    #expect(isSame, comment)
  }

  @Test(
    "has whole numbers as they were written, at all bounds of how they are kept",
    arguments: Bounds.allCases, 0..<8)
  func wholeNumbers(_ bounds: Bounds, _ seed: Int) throws {
    try Self.check(.smallint, Int16.self, bounds, seed: seed)
    try Self.check(.integer, Int32.self, bounds, seed: seed)
    try Self.check(.bigint, Int64.self, bounds, seed: seed)
  }
}
