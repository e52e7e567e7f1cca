import Columnar
import Diagnostics
import Parquet
import Storage
import Synchronization

/// One column of parquet files, read page by page of a table.
final class ParquetColumnStream: Sendable {
  private struct State {
    /// What reads on from some row, one for each place at which somebody has stopped.
    var cursors: [(row: Int, cursor: ParquetCursor)] = []
    /// Pages that were looked at for an estimate: who goes through the table comes to them as well.
    var sampled: [Int: Vector] = [:]
    /// What the files say of each row group.
    var statistics: [ParquetStatistics]?
    /// The same as bounds.
    var zones: [Zone]?
  }
  let column: ParquetColumn
  private let groups: ParquetRowGroups
  private let state = Mutex(State())
  /// One for each row group.
  private let heads: [RowGroupHead]
  private let whole: WholeParquetColumn

  init(_ column: ParquetColumn, _ groups: ParquetRowGroups) {
    self.column = column
    self.groups = groups
    whole = WholeParquetColumn(column, groups)
    heads = groups.all.map { _ in RowGroupHead() }
  }

  private static var capacity: Int { TableStore.pageCapacity }

  // MARK: One page

  /// The values of a page, for somebody who goes through the table; nil for values that are better read as a whole, as lists.
  ///
  /// - Complexity: O(*n*) behind the page before, else what it takes to pass over the rows before it in its row group.
  /// - Throws: 22P04 and others for what cannot be read.
  func page(_ page: Int, rows count: Int) throws(SQLError) -> Vector? {
    guard column.isFlat else { return nil }
    if let sampled = state.withLock({ $0.sampled[page] }) { return sampled }
    let start = page * Self.capacity
    let cursor = try cursor(at: start)
    let parts = try cursor.read(count, head: head)
    if cursor.isOpen { keep(cursor, at: start + count) }
    return Vector.joined(parts)
  }

  /// A cursor at a row.
  private func cursor(at row: Int) throws(SQLError) -> ParquetCursor {
    if let waiting = waitingCursor(at: row) { return waiting }
    let group = groups.index(ofRow: row)
    let before = row - groups.all[group].rows.lowerBound
    if before == 0 || before >= Self.capacity {
      let cursor = try ParquetCursor(column, groups, group: group)
      try cursor.skip(before)
      return cursor
    }
    return try heads[group].cursor { () throws(SQLError) in
      if let waiting = waitingCursor(at: row) { return (waiting, nil) }
      let cursor = try ParquetCursor(column, groups, group: group)
      return (cursor, Vector.joined(try cursor.read(before, head: head)))
    }
  }

  /// The first rows of a row group.
  private func head(of group: Int, count: Int) throws(SQLError) -> Vector {
    try heads[group].take { () throws(SQLError) in
      let cursor = try ParquetCursor(column, groups, group: group)
      let rows = try cursor.read(count, head: head)
      keep(cursor, at: groups.all[group].rows.lowerBound + count)
      return Vector.joined(rows)
    }
  }

  private func waitingCursor(at row: Int) -> ParquetCursor? {
    state.withLock { state in
      state.cursors.lastIndex { $0.row == row }.map { state.cursors.remove(at: $0).cursor }
    }
  }

  /// Keeps a cursor for who comes to the next row.
  private func keep(_ cursor: ParquetCursor, at row: Int) {
    state.withLock { state in
      state.cursors.append((row, cursor))
      if state.cursors.count > 2 * parallelWidth { state.cursors.removeFirst() }
    }
  }

  /// The values at positions on some pages, which are kept.
  ///
  /// - Throws: as `page`.
  func values(
    _ positions: Buffer<UInt32>, count: Int, on pages: [Int]
  ) throws(SQLError) -> Vector? {
    var builder = VectorBuilder(column.type.type, capacity: count)
    var row = 0
    for page in pages {
      let start = page * Self.capacity
      let length = min(Self.capacity, groups.rowCount - start)
      guard let values = try self.page(page, rows: length) else { return nil }
      state.withLock { $0.sampled[page] = values }
      let places = Buffer<UInt32>(uninitialized: max(1, count - row))
      var found = 0
      while row < count, Int(positions[row]) / Self.capacity == page {
        places[found] = positions[row] &- UInt32(truncatingIfNeeded: start)
        found += 1
        row += 1
      }
      builder.append(values.gathered(places, count: found))
    }
    return builder.finish()
  }

  // MARK: All pages

  /// Pages to be kept in a table; the first time all of them are read, by all workers.
  ///
  /// - Throws: as `page`, and 53200.
  func wholePages(_ range: Range<Int>) throws(SQLError) -> [PageContents] {
    try whole.pages()[range].map { values in
      let isFull = values.count == Self.capacity
      let validity =
        values.mayHaveNulls
        ? values.validity.extended(values.count, to: Self.capacity) : .allValid
      let flat = Vector(
        type: values.type, count: values.count, storage: values.storage, validity: validity,
        children: values.children, heaps: values.heaps, digits: values.digits)
      return PageContents(flat, zone: isFull ? ZoneKeys.zone(of: flat) : nil)
    }
  }

  // MARK: What the files say

  /// The bounds of the row groups that a page's rows stand in.
  func zone(ofPage page: Int) -> Zone {
    let zones = zones
    let start = page * Self.capacity
    let first = groups.index(ofRow: start)
    let last = groups.index(ofRow: min(start + Self.capacity, groups.rowCount) - 1)
    var zone = zones[first]
    for other in zones[first...last].dropFirst() { zone.include(other) }
    return zone
  }

  /// The same as values, for each of the row groups that the rows of pages stand in; there is one page at least.
  func bounds(ofPages pages: Range<Int>) -> [PageBounds] {
    let known = known
    let first = groups.index(ofRow: pages.lowerBound * Self.capacity)
    let last = groups.index(ofRow: min(pages.upperBound * Self.capacity, groups.rowCount) - 1)
    return (first...last).map { group in
      PageBounds(
        minimum: known[group].minimum, maximum: known[group].maximum,
        hasValues: known[group].nullCount != groups.all[group].rows.count,
        isMinimumReached: known[group].isMinimumReached,
        isMaximumReached: known[group].isMaximumReached)
    }
  }

  private var known: [ParquetStatistics] {
    state.withLock { state in
      if let known = state.statistics { return known }
      let known = groups.all.map { groups.statistics(of: column, in: $0) }
      state.statistics = known
      return known
    }
  }

  private var zones: [Zone] {
    let known = known
    return state.withLock { state in
      if let zones = state.zones { return zones }
      let zones = zip(known, groups.all).map { Zone($0, rowCount: $1.rows.count) }
      state.zones = zones
      return zones
    }
  }

  /// What the optimiser may know.
  var statistics: ColumnStatistics {
    var zone = Zone()
    for part in zones { zone.include(part) }
    let type = column.type.type
    return ColumnStatistics(
      minimum: zone.minimum == 0 ? nil : ZoneKeys.value(zone.minimum, type),
      maximum: zone.maximum == .max ? nil : ZoneKeys.value(zone.maximum, type),
      nullCount: zone.nullCount == 0 ? 0 : max(1, groups.nullCount(of: column)),
      distinctCount: nil)
  }
}

extension Zone {
  /// The bounds that a file says; what it does not say is left open.
  fileprivate init(_ known: ParquetStatistics, rowCount: Int) {
    self.init()
    let nullCount = known.nullCount
    minimum = known.minimum.flatMap { ZoneKeys.key($0) } ?? 0
    maximum = known.maximum.flatMap { ZoneKeys.key($0) } ?? .max
    valueCount = nullCount.map { $0 < rowCount } ?? true ? 1 : 0
    self.nullCount = nullCount.map { $0 > 0 } ?? true ? 1 : 0
  }

  fileprivate mutating func include(_ other: Zone) {
    minimum = Swift.min(minimum, other.minimum)
    maximum = Swift.max(maximum, other.maximum)
    valueCount |= other.valueCount
    nullCount |= other.nullCount
  }
}
