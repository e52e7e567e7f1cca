import Columnar
import Storage

/// The lists of up to 4,096 sources of an adjacency index.
///
/// ```
/// 0     sources (4)
/// 4     edges (4)
/// 8     how rows are kept (1): 0 one behind another from the first on, 1 packed, 2 not at all: they are the targets,
///       3 as they stand in memory
/// 9     how targets are kept (1): 0 as the parents of the rows, 1 packed
/// 10    bits to a degree (1), zeros (5)
/// 16    the first row (4), the least degree (4)
/// 24    the degrees, packed from the least
/// …     at a multiple of 64 the rows (4 each) if they are kept as they stand
/// …     at a whole byte each: rows if they are packed, targets if they are, and 16 bytes of zeros
/// ```
///
/// Many rows that would take 10 bits or more are not packed, as that would save little against the time that it takes;
/// they are used where they stand in the file.
///
/// Packed positions stand in stretches of 65,536, each behind its length (4). A stretch is blocks of 256: bits to a number
/// (1), with the highest bit set if the numbers are differences, then what is added to each number (4), for differences
/// also the first position (4), and the packed numbers. A difference is that to the position before, of the first one 0;
/// all of it is reckoned in 32 bits that wrap round.
enum ListSection {
  static let headerByteCount = 24
  static let blockCount = 256
  /// Blocks that stand together, so that several threads pack and unpack a long section.
  static let stretchCount = 1 << 16

  /// From how many edges on rows are kept as they stand.
  private static let plainCount = 1024
  /// For how many edges a block is looked at for that, in a section of up to 32 times as many; more have 32.
  private static let sampleStride = 1 << 13
  /// From how many bits to a row on.
  private static let plainWidth = 10

  enum Rows: UInt8 { case consecutive = 0, packed = 1, none = 2, plain = 3 }

  /// Finds out how lists are kept, of which each stretch is a part of its own.
  ///
  /// All rows are below `rowLimit`.
  static func plan(_ lists: ListImage, rowLimit: Int) -> SectionPlan {
    let edges = lists.edgeCount
    let kept = way(lists, rowLimit: rowLimit)
    let stretches = (edges + stretchCount - 1) / stretchCount
    let rowStretches = kept.rows == .packed || kept.rows == .plain ? stretches : 0
    let allStretches = rowStretches + (kept.packsTargets ? stretches : 0)
    // Few edges are not worth to be divided.
    if stretches <= 1 {
      return SectionPlan(partCount: 1) { (_, memory) in
        var writer = SectionWriter(
          capacity: headerByteCount + lists.degrees.count * 4 + edges * 8 + 4096, from: memory)
        head(lists, kept, &writer)
        if rowStretches > 0 { append(lists.rows(), edges, kept.rows, &writer) }
        if allStretches > rowStretches { append(lists.targets(), edges, .packed, &writer) }
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
        append(
          isOfRows ? lists.rows(from: start) : lists.targets(from: start),
          min(stretchCount, edges - start), isOfRows ? kept.rows : .packed, &writer)
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
  /// them, so that their parents are soon read. Rows in some order are judged by some of them.
  private static func way(_ lists: ListImage, rowLimit: Int) -> Way {
    if !lists.hasRows { return Way() }
    let edges = lists.edgeCount
    if edges == 0 { return Way(rows: .packed) }
    if let first = firstOfConsecutive(lists) {
      return Way(rows: .consecutive, firstRow: first, packsTargets: false)
    }
    let buffer = Buffer<UInt32>(uninitialized: blockCount)
    var (least, greatest): (UInt32, UInt32) = (.max, 0)
    var (width, blocks) = (0, 0)
    for start in stride(from: 0, to: edges, by: max(sampleStride, edges / 32)) {
      let count = min(blockCount, edges - start)
      var cursor = lists.rows(from: start)
      let positions = cursor.next(count, buffer)
      for index in 0..<count {
        least = min(least, positions[index])
        greatest = max(greatest, positions[index])
      }
      width += PackedBlock.of(positions, count).width
      blocks += 1
    }
    return Way(
      rows: edges >= plainCount && width >= plainWidth * blocks ? .plain : .packed,
      packsTargets: rowLimit > 2 * edges && Int(greatest - least) >= 2 * edges)
  }

  /// The first row of lists whose rows all stand one behind another; nil if they do not.
  private static func firstOfConsecutive(_ lists: ListImage) -> UInt32? {
    let blockCount = 2048
    let rows = Buffer<UInt32>(uninitialized: blockCount)
    var cursor = lists.rows()
    var first: UInt32 = 0
    for start in stride(from: 0, to: lists.edgeCount, by: blockCount) {
      let count = min(blockCount, lists.edgeCount - start)
      cursor.read(count, to: rows, at: 0)
      if start == 0 { first = rows[0] }
      let expected = first &+ UInt32(truncatingIfNeeded: start)
      var differences: UInt32 = 0
      for index in 0..<count {
        differences |= (rows[index] &- expected) ^ UInt32(truncatingIfNeeded: index)
      }
      if differences != 0 { return nil }
    }
    return first
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
    if kept.rows == .plain { writer.align(SnapshotLayout.alignment) }
  }

  /// Adds the stretch of the next edges.
  private static func append(
    _ edges: consuming EdgeCursor, _ count: Int, _ kept: Rows, _ writer: inout SectionWriter
  ) {
    if kept != .plain { return pack(edges, count, &writer) }
    edges.read(count, to: writer.halves(count), at: 0)
  }

  /// Adds the stretch of the next edges: its length, and then its blocks.
  private static func pack(
    _ edges: consuming EdgeCursor, _ count: Int, _ writer: inout SectionWriter
  ) {
    let buffer = Buffer<UInt32>(uninitialized: blockCount)
    let numbers = Buffer<UInt32>(uninitialized: blockCount)
    let place = writer.take(4)
    for start in stride(from: 0, to: count, by: blockCount) {
      let length = min(blockCount, count - start)
      packBlock(edges.next(length, buffer), length, numbers, &writer)
    }
    writer.set(half: UInt32(writer.count - place - 4), at: place)
  }

  /// Adds a block of positions.
  private static func packBlock(
    _ positions: PagePointer<UInt32>, _ count: Int, _ numbers: Buffer<UInt32>,
    _ writer: inout SectionWriter
  ) {
    let block = PackedBlock.of(positions, count)
    let least = block.least
    if block.isDifferences {
      numbers[0] = 0 &- least
      for index in 1..<count {
        numbers[index] = positions[index] &- positions[index &- 1] &- least
      }
    } else {
      for index in 0..<count { numbers[index] = positions[index] &- least }
    }
    writer.append(byte: UInt8(block.width) | (block.isDifferences ? 0x80 : 0))
    writer.append(half: least)
    if block.isDifferences { writer.append(half: positions[0]) }
    writer.pack(numbers, count: count, width: block.width)
  }
}

/// How a block of positions is packed.
private struct PackedBlock {
  let isDifferences: Bool
  /// What is taken off each number.
  let least: UInt32
  /// The bits to a number.
  let width: Int

  /// Of positions, of which there is one.
  ///
  /// All is told by which bits are set, as least and greatest would take much longer: where differences fall too, that
  /// may be a bit to a number more.
  static func of(_ positions: PagePointer<UInt32>, _ count: Int) -> PackedBlock {
    let first = positions[0]
    var (unlike, rises, spread): (UInt32, UInt32, UInt32) = (0, 0, 0)
    for index in 1..<max(count, 1) {
      let position = positions[index]
      let difference = position &- positions[index &- 1]
      rises |= difference
      spread |= difference ^ UInt32(bitPattern: Int32(bitPattern: difference) &>> 31)
      unlike |= position ^ first
    }
    // Positions that are alike but for their last bits are no further apart than those can tell.
    let whole = bitWidth(UInt64(unlike))
    let falls = rises >> 31 != 0
    let part = bitWidth(UInt64(spread)) + (falls ? 1 : 0)
    if part >= whole {
      let least = whole == 32 ? 0 : (first &>> UInt32(whole)) &<< UInt32(whole)
      return PackedBlock(isDifferences: false, least: least, width: whole)
    }
    // Differences lie between this number and what is as far on the other side of zero.
    let least = falls ? 0 &- (1 &<< UInt32(part - 1)) : UInt32(0)
    return PackedBlock(isDifferences: true, least: least, width: part)
  }
}
