import Columnar
import Storage

extension ListSection {
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
    let (degrees, end) = try degrees(
      reader, extent.sourceCount, limit: extent.sourceLimit, edges)
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
    case .packed, .plain:
      let found =
        kind == .packed
        ? try unpack(reader, &place, edges, arena) : try plain(reader, &place, edges)
      rows = found
      targets =
        reader.byte(9) == 1
        ? try unpack(reader, &place, edges, arena)
        : try gather(found, edges, extent, arena, parents)
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
    let (least, greatest) = bounds(rows, edges)
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

  /// The least and the greatest of some numbers.
  private static func bounds(_ numbers: Buffer<UInt32>, _ count: Int) -> (UInt32, UInt32) {
    let stretches = (count + stretchCount - 1) / stretchCount
    let bounds = Buffer<SIMD2<UInt32>>(uninitialized: stretches)
    parallelFor(tasks: stretches) { task in
      var (least, greatest) = (UInt32.max, UInt32(0))
      for index in (task * stretchCount)..<min(count, (task + 1) * stretchCount) {
        least = min(least, numbers[index])
        greatest = max(greatest, numbers[index])
      }
      bounds[task] = SIMD2(least, greatest)
    }
    var (least, greatest) = (UInt32.max, UInt32(0))
    for task in 0..<stretches {
      least = min(least, bounds[task][0])
      greatest = max(greatest, bounds[task][1])
    }
    return (least, greatest)
  }

  /// The lengths of the lists in a section of which nothing is known to be right; nil where there are none such.
  static func degrees(_ bytes: Buffer<UInt8>, sourceCount: Int) -> Buffer<UInt32>? {
    let reader = SectionReader(bytes: bytes)
    guard reader.has(0, headerByteCount), reader.half(0) == sourceCount else { return nil }
    return try? degrees(reader, sourceCount, limit: sourceCount, reader.half(4)).0
  }

  private static func degrees(
    _ reader: SectionReader, _ sources: Int, limit: Int, _ edges: Int
  ) throws(SectionFault) -> (Buffer<UInt32>, end: Int) {
    let width = Int(reader.byte(10))
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
      if source >= limit { lost |= degree }
    }
    guard lost == 0, total == edges else { throw SectionFault("lists have other lengths") }
    return (degrees.slice(0..<sources), end)
  }

  /// Rows that are used where they stand: nobody writes to lists that were read.
  private static func plain(
    _ reader: SectionReader, _ place: inout Int, _ count: Int
  ) throws(SectionFault) -> Buffer<UInt32> {
    let start = Int(SnapshotLayout.padded(UInt64(place)))
    guard reader.has(start, count * 4) else { throw SectionFault("edges are missing") }
    place = start + count * 4
    return reader.bytes.block(start..<place).buffer(of: UInt32.self)
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
    // Sources with about a stretch of edges are looked at together.
    var bounds = [(source: 0, edge: 0)]
    var edge = 0
    for source in 0..<degrees.count {
      edge &+= Int(truncatingIfNeeded: degrees[source])
      if edge &- bounds[bounds.count &- 1].edge >= stretchCount {
        bounds.append((source + 1, edge))
      }
    }
    bounds.append((degrees.count, edge))
    let pieces = bounds
    let faults = Buffer<UInt8>(zeroed: pieces.count)
    parallelFor(tasks: pieces.count - 1) { piece in
      let isFaulty = hasFault(
        degrees, pieces[piece].source..<pieces[piece + 1].source, pieces[piece].edge, targets,
        rows, extent)
      faults[piece] = isFaulty ? 1 : 0
    }
    for piece in 0..<(pieces.count - 1) where faults[piece] != 0 {
      throw SectionFault("edges are out of order or of range")
    }
  }

  /// Whether some list of a range of sources, whose edges begin at `first`, does not rise or leads out of range.
  private static func hasFault(
    _ degrees: Buffer<UInt32>, _ sources: Range<Int>, _ first: Int, _ targets: Buffer<UInt32>,
    _ rows: Buffer<UInt32>?, _ extent: ListExtent
  ) -> Bool {
    var edge = first
    var faults = 0
    let (targetLimit, rowLimit) = (UInt32(extent.targetLimit), UInt32(extent.rowLimit))
    for source in sources {
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
    return faults != 0
  }
}
