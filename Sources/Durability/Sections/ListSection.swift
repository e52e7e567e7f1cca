import Columnar
import Storage
import Synchronization

/// The lists of up to 4,096 sources of an adjacency index.
///
/// ```
/// 0     sources (4)
/// 4     edges (4)
/// 8     how rows are kept (1): 0 one behind another from the first on, 1 packed, 2 not at all: they are the targets
/// 9     how targets are kept (1): 0 as the parents of the rows, 1 packed
/// 10    bits to a degree (1), zeros (5)
/// 16    the first row (4), the least degree (4)
/// 24    the degrees, packed from the least
/// …     at a whole byte each: rows if they are packed, targets if they are, and 16 bytes of zeros
/// ```
///
/// Packed positions stand in stretches of 65,536, the lengths of all of which (4 each) come first. A stretch is blocks of
/// 256: bits to a number (1), with the highest bit set if the numbers are
/// differences, then the least number (4), for differences also the first position (4), and the packed numbers. A
/// difference is that to the position before, of the first one 0; all of it is reckoned in 32 bits that wrap round.
enum ListSection {
  private static let headerByteCount = 24
  private static let blockCount = 256
  /// Blocks that stand together, so that several threads pack and unpack a long section.
  private static let stretchCount = 1 << 16

  enum Rows: UInt8 { case consecutive = 0, packed = 1, none = 2 }

  // MARK: Writing

  static func write(_ lists: ListContents) -> SectionWriter {
    let (edges, sources) = (lists.edgeCount, lists.degrees.count)
    var writer = SectionWriter(capacity: headerByteCount + sources * 2 + edges * 4)
    writer.zeros(headerByteCount)
    var (rows, first, packsTargets) = (Rows.none, UInt32(0), true)
    if let positions = lists.rows {
      rows = .packed
      if edges > 0, isConsecutive(positions, edges) {
        (rows, first, packsTargets) = (.consecutive, positions[0], false)
      } else {
        packsTargets = !isDense(positions, edges)
      }
    }
    var (least, greatest) = (UInt32.max, UInt32(0))
    for source in 0..<sources {
      least = min(least, lists.degrees[source])
      greatest = max(greatest, lists.degrees[source])
    }
    if sources == 0 { least = 0 }
    let width = bitWidth(UInt64(greatest &- least))
    writer.set(half: UInt32(sources), at: 0)
    writer.set(half: UInt32(edges), at: 4)
    writer.set(
      word: UInt64(rows.rawValue) | (packsTargets ? 1 : 0) << 8 | UInt64(width) << 16, at: 8
    )
    writer.set(half: first, at: 16)
    writer.set(half: least, at: 20)
    writer.pack(count: sources, width: width) { UInt64(lists.degrees[$0] &- least) }
    if rows == .packed, let positions = lists.rows { pack(positions, edges, &writer) }
    if packsTargets { pack(lists.targets, edges, &writer) }
    writer.zeros(SectionReader.slack)
    return writer
  }

  /// Whether rows have few others between them, so that their parents are soon read.
  private static func isDense(_ rows: Buffer<UInt32>, _ count: Int) -> Bool {
    guard let (least, greatest) = bounds(rows, count) else { return false }
    return Int(greatest - least) < 2 * count
  }

  private static func bounds(_ rows: Buffer<UInt32>, _ count: Int) -> (UInt32, UInt32)? {
    if count == 0 { return nil }
    var (least, greatest) = (rows[0], rows[0])
    for edge in 0..<count {
      least = min(least, rows[edge])
      greatest = max(greatest, rows[edge])
    }
    return (least, greatest)
  }

  private static func isConsecutive(_ rows: Buffer<UInt32>, _ count: Int) -> Bool {
    let first = rows[0]
    var difference: UInt32 = 0
    for edge in 0..<count {
      difference |= (rows[edge] &- first) ^ UInt32(truncatingIfNeeded: edge)
    }
    return difference == 0
  }

  private static func pack(
    _ positions: Buffer<UInt32>, _ count: Int, _ writer: inout SectionWriter
  ) {
    let stretches = (count + stretchCount - 1) / stretchCount
    let packed = PackedStretches(count: stretches)
    parallelFor(tasks: stretches) { index in
      let start = index * stretchCount
      packed.set(packBlocks(positions, start..<min(count, start + stretchCount)), at: index)
    }
    let all = packed.all
    let lengths = writer.take(4 * stretches)
    for (index, stretch) in all.enumerated() {
      writer.set(half: UInt32(stretch.count), at: lengths + 4 * index)
      writer.append(stretch.bytes, count: stretch.count)
    }
  }

  private static func packBlocks(
    _ positions: Buffer<UInt32>, _ range: Range<Int>
  ) -> SectionWriter {
    var writer = SectionWriter(capacity: range.count * 4)
    for start in stride(from: range.lowerBound, to: range.upperBound, by: blockCount) {
      let length = min(blockCount, range.upperBound - start)
      let first = positions[start]
      var (least, greatest) = (first, first)
      var (lowest, highest, last) = (Int64(0), Int64(0), first)
      for edge in start..<(start + length) {
        let position = positions[edge]
        least = min(least, position)
        greatest = max(greatest, position)
        let difference = Int64(position) &- Int64(last)
        lowest = min(lowest, difference)
        highest = max(highest, difference)
        last = position
      }
      let width = bitWidth(UInt64(greatest &- least))
      let narrow = bitWidth(UInt64(highest &- lowest))
      if narrow >= width || narrow > 32 {
        writer.append(byte: UInt8(width))
        writer.append(half: least)
        writer.pack(count: length, width: width) { UInt64(positions[start &+ $0] &- least) }
        continue
      }
      writer.append(byte: UInt8(narrow) | 0x80)
      let low = UInt32(truncatingIfNeeded: lowest)
      writer.append(half: low)
      writer.append(half: first)
      last = first
      writer.pack(count: length, width: narrow) { index in
        let position = positions[start &+ index]
        let difference = position &- last &- low
        last = position
        return UInt64(difference)
      }
    }
    return writer
  }

  // MARK: Reading

  /// Reads lists that hold together: they rise, and all positions are in range.
  ///
  /// - Throws: where they are not what `write` gives for such an index.
  static func read(
    _ bytes: Buffer<UInt8>, _ extent: ListExtent, _ arena: OpeningArena,
    parents: (Range<Int>) -> Buffer<UInt32>?
  ) throws(SectionFault) -> ListContents {
    let reader = SectionReader(bytes: bytes)
    guard reader.has(0, headerByteCount), reader.half(0) == extent.sourceCount,
      let kind = Rows(rawValue: reader.byte(8)), (kind != .none) == extent.hasRows,
      reader.byte(9) == 1 && kind != .consecutive || reader.byte(9) == 0 && kind != .none
    else { throw SectionFault("it has other lists") }
    let edges = reader.half(4)
    guard edges <= extent.rowLimit else { throw SectionFault("it has more edges than rows") }
    let (degrees, end) = try degrees(reader, extent, edges)
    var place = end
    let targets: Buffer<UInt32>
    var rows: Buffer<UInt32>?
    switch kind {
    case .consecutive:
      let first = reader.half(16)
      guard first + edges <= extent.rowLimit, let found = parents(first..<(first + edges)) else {
        throw SectionFault("its rows are not there")
      }
      targets = arena.buffer(of: UInt32.self, count: edges)
      targets.copy(found, count: edges, to: 0)
      let made = arena.buffer(of: UInt32.self, count: edges)
      for edge in 0..<edges { made[edge] = UInt32(truncatingIfNeeded: first &+ edge) }
      rows = made
    case .packed:
      let unpacked = try unpack(reader, &place, edges, arena)
      rows = unpacked
      targets =
        reader.byte(9) == 1
        ? try unpack(reader, &place, edges, arena)
        : try gather(unpacked, edges, extent, arena, parents)
    case .none: targets = try unpack(reader, &place, edges, arena)
    }
    try check(degrees, targets, rows, extent)
    return ListContents(degrees: degrees, targets: targets, rows: rows, edgeCount: edges)
  }

  /// The parents of rows in any order.
  private static func gather(
    _ rows: Buffer<UInt32>, _ edges: Int, _ extent: ListExtent, _ arena: OpeningArena,
    _ parents: (Range<Int>) -> Buffer<UInt32>?
  ) throws(SectionFault) -> Buffer<UInt32> {
    let targets = arena.buffer(of: UInt32.self, count: edges)
    guard let (least, greatest) = bounds(rows, edges) else { return targets }
    guard Int(greatest) < extent.rowLimit,
      let found = parents(Int(least)..<(Int(greatest) + 1))
    else { throw SectionFault("its rows are not there") }
    parallelFor(tasks: (edges + stretchCount - 1) / stretchCount) { task in
      for edge in (task * stretchCount)..<min(edges, (task + 1) * stretchCount) {
        targets[edge] = found[rows[edge] &- least]
      }
    }
    return targets
  }

  private static func degrees(
    _ reader: SectionReader, _ extent: ListExtent, _ edges: Int
  ) throws(SectionFault) -> (Buffer<UInt32>, end: Int) {
    let width = Int(reader.byte(10))
    let sources = extent.sourceCount
    guard width <= 32,
      let end = reader.packedEnd(headerByteCount, count: sources, width: width)
    else { throw SectionFault("lengths of lists are missing") }
    let degrees = Buffer<UInt32>(uninitialized: max(1, sources))
    let least = reader.half(20)
    var (total, lost) = (0, 0)
    reader.unpack(headerByteCount, count: sources, width: width) { source, number in
      let degree = least &+ Int(truncatingIfNeeded: number)
      total &+= degree
      lost |= degree &>> 32
      degrees[source] = UInt32(truncatingIfNeeded: degree)
      if source >= extent.sourceLimit { lost |= degree }
    }
    guard lost == 0, total == edges else { throw SectionFault("lists have other lengths") }
    return (degrees.slice(0..<sources), end)
  }

  private static func unpack(
    _ reader: SectionReader, _ place: inout Int, _ count: Int, _ arena: OpeningArena
  ) throws(SectionFault) -> Buffer<UInt32> {
    let positions = arena.buffer(of: UInt32.self, count: count)
    let stretches = (count + stretchCount - 1) / stretchCount
    guard reader.has(place, 4 * stretches) else { throw SectionFault("edges are missing") }
    var starts: [Int] = []
    var next = place + 4 * stretches
    for index in 0..<stretches {
      starts.append(next)
      next += reader.half(place + 4 * index)
    }
    guard next <= reader.count else { throw SectionFault("edges are missing") }
    place = next
    let ends = starts
    let whole = Buffer<UInt8>(zeroed: max(1, stretches))
    parallelFor(tasks: stretches) { index in
      let first = index * stretchCount
      let range = first..<min(count, first + stretchCount)
      whole[index] = unpackBlocks(reader, ends[index], range, positions) ? 1 : 0
    }
    for index in 0..<stretches where whole[index] == 0 { throw SectionFault("edges are missing") }
    return positions
  }

  /// Unpacks the blocks of a stretch; false if they are not all there.
  private static func unpackBlocks(
    _ reader: SectionReader, _ start: Int, _ range: Range<Int>, _ positions: Buffer<UInt32>
  ) -> Bool {
    var place = start
    for start in stride(from: range.lowerBound, to: range.upperBound, by: blockCount) {
      let length = min(blockCount, range.upperBound - start)
      guard reader.has(place, 9) else { return false }
      let head = reader.byte(place)
      let width = Int(head & 0x7F)
      let least = UInt32(truncatingIfNeeded: reader.half(place + 1))
      let isDifferences = head & 0x80 != 0
      let numbers = place + (isDifferences ? 9 : 5)
      guard width <= 32, let end = reader.packedEnd(numbers, count: length, width: width) else {
        return false
      }
      if isDifferences {
        // The first difference is 0, of which the least is taken off.
        var position = UInt32(truncatingIfNeeded: reader.half(place + 5))
        reader.unpack(numbers, count: length, width: width) { index, number in
          position &+= least &+ UInt32(truncatingIfNeeded: number)
          positions[start &+ index] = position
        }
      } else {
        reader.unpack(numbers, count: length, width: width) { index, number in
          positions[start &+ index] = least &+ UInt32(truncatingIfNeeded: number)
        }
      }
      place = end
    }
    return true
  }

  private static func check(
    _ degrees: Buffer<UInt32>, _ targets: Buffer<UInt32>, _ rows: Buffer<UInt32>?,
    _ extent: ListExtent
  ) throws(SectionFault) {
    var edge = 0
    var faults = 0
    let (targetLimit, rowLimit) = (UInt32(extent.targetLimit), UInt32(extent.rowLimit))
    for source in 0..<degrees.count {
      let end = edge &+ Int(truncatingIfNeeded: degrees[source])
      var last: UInt64 = 0
      while edge < end {
        let target = targets[edge]
        let row = rows.map { $0[edge] } ?? target
        // One more than the pair, so that the first of all is more than nothing.
        let key = UInt64(target) &<< 32 | UInt64(row) &+ 1
        faults |= bit(key <= last) | bit(target >= targetLimit) | bit(row >= rowLimit)
        last = key
        edge &+= 1
      }
    }
    if faults != 0 { throw SectionFault("edges are out of order or of range") }
  }
}

/// Stretches that several threads pack.
private final class PackedStretches: Sendable {
  private let stretches: Mutex<[SectionWriter?]>

  init(count: Int) { stretches = Mutex(Array(repeating: nil, count: count)) }

  func set(_ stretch: SectionWriter, at index: Int) { stretches.withLock { $0[index] = stretch } }

  var all: [SectionWriter] { stretches.withLock { $0.compactMap { $0 } } }
}
