import Columnar
import Storage

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
/// Packed positions stand in stretches of 65,536, each behind its length (4). A stretch is blocks of 256: bits to a number
/// (1), with the highest bit set if the numbers are differences, then what is added to each number (4), for differences
/// also the first position (4), and the packed numbers. A difference is that to the position before, of the first one 0;
/// all of it is reckoned in 32 bits that wrap round.
enum ListSection {
  private static let headerByteCount = 24
  private static let blockCount = 256
  /// Blocks that stand together, so that several threads pack and unpack a long section.
  private static let stretchCount = 1 << 16

  enum Rows: UInt8 { case consecutive = 0, packed = 1, none = 2 }

  // MARK: Writing

  /// Finds out how lists are kept, of which each stretch is a part of its own.
  ///
  /// All rows are below `rowLimit`.
  static func plan(_ lists: ListImage, rowLimit: Int) -> SectionPlan {
    let edges = lists.edgeCount
    let kept = way(lists, rowLimit: rowLimit)
    let stretches = (edges + stretchCount - 1) / stretchCount
    let rowStretches = kept.rows == .packed ? stretches : 0
    let allStretches = rowStretches + (kept.packsTargets ? stretches : 0)
    // Few edges are not worth to be divided.
    if stretches <= 1 {
      return SectionPlan(partCount: 1) { (_, memory) in
        var writer = SectionWriter(
          capacity: headerByteCount + lists.degrees.count * 4 + edges * 8 + 4096, from: memory)
        head(lists, kept, &writer)
        if rowStretches > 0 { pack(lists.rows(), edges, &writer) }
        if allStretches > rowStretches { pack(lists.targets(), edges, &writer) }
        writer.zeros(SectionReader.slack)
        return SectionPart(writer)
      }
    }
    return SectionPlan(partCount: 1 + allStretches) { (part, memory) in
      var writer = SectionWriter(
        capacity: max(headerByteCount + lists.degrees.count * 4, stretchCount * 4) + 4096,
        from: memory)
      if part == 0 {
        head(lists, kept, &writer)
      } else {
        let isOfRows = part <= rowStretches
        let start = (isOfRows ? part - 1 : part - 1 - rowStretches) * stretchCount
        pack(
          isOfRows ? lists.rows(from: start) : lists.targets(from: start),
          min(stretchCount, edges - start), &writer)
      }
      if part == allStretches { writer.zeros(SectionReader.slack) }
      return SectionPart(writer)
    }
  }

  /// How the rows and targets of lists are kept.
  private struct Way: Sendable {
    var rows = Rows.none
    var firstRow: UInt32 = 0
    var packsTargets = true
  }

  /// How lists are best kept.
  ///
  /// Rows that stand one behind another need not be kept. Targets need not where the rows have few others between
  /// them, so that their parents are soon read.
  private static func way(_ lists: ListImage, rowLimit: Int) -> Way {
    if !lists.hasRows { return Way() }
    let edges = lists.edgeCount
    if edges == 0 { return Way(rows: .packed) }
    let blockCount = 2048
    let rows = Buffer<UInt32>(uninitialized: blockCount)
    var cursor = lists.rows()
    var (first, least, greatest): (UInt32, UInt32, UInt32) = (0, .max, 0)
    var isConsecutive = true
    for start in stride(from: 0, to: edges, by: blockCount) {
      let count = min(blockCount, edges - start)
      cursor.read(count, to: rows, at: 0)
      if start == 0 { first = rows[0] }
      let expected = first &+ UInt32(truncatingIfNeeded: start)
      var differences: UInt32 = 0
      for index in 0..<count {
        let row = rows[index]
        least = min(least, row)
        greatest = max(greatest, row)
        differences |= (row &- expected) ^ UInt32(truncatingIfNeeded: index)
      }
      isConsecutive = isConsecutive && differences == 0
      if isConsecutive { continue }
      if Int(greatest - least) >= 2 * edges { return Way(rows: .packed) }
      // However far apart the others are, it is not too far.
      if rowLimit <= 2 * edges { break }
    }
    return isConsecutive
      ? Way(rows: .consecutive, firstRow: first, packsTargets: false)
      : Way(rows: .packed, packsTargets: false)
  }

  /// Adds what stands before the edges.
  private static func head(_ lists: ListImage, _ kept: Way, _ writer: inout SectionWriter) {
    let degrees = lists.degrees
    let sources = degrees.count
    var (least, greatest) = (UInt32.max, UInt32(0))
    for source in 0..<sources {
      least = min(least, degrees[source])
      greatest = max(greatest, degrees[source])
    }
    if sources == 0 { least = 0 }
    let width = bitWidth(UInt64(greatest &- least))
    writer.append(half: UInt32(sources))
    writer.append(half: UInt32(lists.edgeCount))
    writer.append(
      word: UInt64(kept.rows.rawValue) | (kept.packsTargets ? 1 : 0) << 8 | UInt64(width) << 16)
    writer.append(half: kept.firstRow)
    writer.append(half: least)
    let numbers = Buffer<UInt32>(uninitialized: max(1, sources))
    for source in 0..<sources { numbers[source] = degrees[source] &- least }
    writer.pack(numbers, count: sources, width: width)
  }

  /// Adds the stretch of the next edges: its length, and then its blocks.
  private static func pack(
    _ edges: consuming EdgeCursor, _ count: Int, _ writer: inout SectionWriter
  ) {
    // The first place is for the position before those of a block.
    let positions = Buffer<UInt32>(uninitialized: blockCount + 1)
    let numbers = Buffer<UInt32>(uninitialized: blockCount)
    let place = writer.take(4)
    for start in stride(from: 0, to: count, by: blockCount) {
      let length = min(blockCount, count - start)
      edges.read(length, to: positions, at: 1)
      packBlock(positions, length, numbers, &writer)
    }
    writer.set(half: UInt32(writer.count - place - 4), at: place)
  }

  /// Adds a block of the positions from the second of a buffer on.
  private static func packBlock(
    _ positions: Buffer<UInt32>, _ count: Int, _ numbers: Buffer<UInt32>,
    _ writer: inout SectionWriter
  ) {
    let first = positions[1]
    positions[0] = first
    var (unlike, spread): (UInt32, UInt32) = (0, 0)
    for index in 0..<count {
      let position = positions[index &+ 1]
      spread |= position &- positions[index]
      unlike |= position ^ first
    }
    // Positions that are alike but for their last bits are no further apart than those can tell.
    let width = bitWidth(UInt64(unlike))
    var lowest: Int32 = 0
    // Where positions only rise, as they mostly do, the least difference is that of the first to itself.
    if spread >> 31 != 0 { (lowest, spread) = bounds(positions, count) }
    let narrow = bitWidth(UInt64(spread))
    if narrow >= width {
      let least = width == 32 ? 0 : (first &>> UInt32(width)) &<< UInt32(width)
      for index in 0..<count { numbers[index] = positions[index &+ 1] &- least }
      writer.append(byte: UInt8(width))
      writer.append(half: least)
      writer.pack(numbers, count: count, width: width)
      return
    }
    let low = UInt32(bitPattern: lowest)
    for index in 0..<count {
      numbers[index] = positions[index &+ 1] &- positions[index] &- low
    }
    writer.append(byte: UInt8(narrow) | 0x80)
    writer.append(half: low)
    writer.append(half: first)
    writer.pack(numbers, count: count, width: narrow)
  }

  /// The least difference of positions, 0 or below, and how far it is from the greatest.
  private static func bounds(
    _ positions: Buffer<UInt32>, _ count: Int
  ) -> (lowest: Int32, spread: UInt32) {
    var (lowest, highest): (Int32, Int32) = (0, 0)
    for index in 0..<count {
      let difference = Int32(bitPattern: positions[index &+ 1] &- positions[index])
      lowest = min(lowest, difference)
      highest = max(highest, difference)
    }
    return (lowest, UInt32(bitPattern: highest &- lowest))
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
    if edges == 0 { return targets }
    var (least, greatest) = (rows[0], rows[0])
    for edge in 0..<edges {
      least = min(least, rows[edge])
      greatest = max(greatest, rows[edge])
    }
    guard Int(greatest) < extent.rowLimit,
      let found = parents(Int(least)..<(Int(greatest) + 1))
    else { throw SectionFault("its rows are not there") }
    let first = least
    parallelFor(tasks: (edges + stretchCount - 1) / stretchCount) { task in
      for edge in (task * stretchCount)..<min(edges, (task + 1) * stretchCount) {
        targets[edge] = found[rows[edge] &- first]
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
    let bounds = Buffer<Int>(uninitialized: stretches + 1)
    bounds[0] = place
    for index in 0..<stretches {
      let start = bounds[index]
      guard reader.has(start, 4), reader.has(start + 4, reader.half(start)) else {
        throw SectionFault("edges are missing")
      }
      bounds[index + 1] = start + 4 + reader.half(start)
    }
    place = bounds[stretches]
    let whole = Buffer<UInt8>(zeroed: max(1, stretches))
    parallelFor(tasks: stretches) { index in
      let first = index * stretchCount
      let range = first..<min(count, first + stretchCount)
      let end = unpackBlocks(reader, bounds[index] + 4, range, positions)
      whole[index] = end == bounds[index + 1] ? 1 : 0
    }
    for index in 0..<stretches where whole[index] == 0 { throw SectionFault("edges are missing") }
    return positions
  }

  /// Unpacks the blocks of a stretch, and says where they end; nil if they are not all there.
  private static func unpackBlocks(
    _ reader: SectionReader, _ start: Int, _ range: Range<Int>, _ positions: Buffer<UInt32>
  ) -> Int? {
    var place = start
    for start in stride(from: range.lowerBound, to: range.upperBound, by: blockCount) {
      let length = min(blockCount, range.upperBound - start)
      guard reader.has(place, 9) else { return nil }
      let head = reader.byte(place)
      let width = Int(head & 0x7F)
      let least = UInt32(truncatingIfNeeded: reader.half(place + 1))
      let isDifferences = head & 0x80 != 0
      let numbers = place + (isDifferences ? 9 : 5)
      guard width <= 32, let end = reader.packedEnd(numbers, count: length, width: width) else {
        return nil
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
    return place
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
