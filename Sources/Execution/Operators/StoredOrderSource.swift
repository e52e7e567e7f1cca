import Catalog
import Columnar
import Diagnostics
import Planning
import Storage

/// A set of a table's rows in order, by walking the order that the table keeps; sorted where it keeps none.
///
/// Columns in that order are handed out in place, in the stretches between rows that are left out. Rows by a key that rises with
/// their positions are read as they stand, or from the last to the first.
final class StoredOrderSource: Source {
  private let rows: TableRowSet
  private let key: StoredOrders.Key
  private let limit: LimitEvaluator?
  /// Sorts the same rows.
  private let sort: SortSource
  /// Whether these are all rows of the table.
  private let isOfAll: Bool

  /// The version whose order was looked up last, and the order with its columns.
  private var table: TableStore?
  /// The stamp that it had: a version that nobody reads may be changed in place.
  private var stamp: UInt64 = 0
  private var order: StoredOrder?
  private var columns: [Vector] = []
  private var isSorting = false
  /// Whether rows by the key stand in this version as they were added; nil if they do not.
  private var isFalling: Bool?
  private var bounds = LimitBounds()

  init(
    _ rows: TableRowSet, by key: StoredOrders.Key, limit: LimitEvaluator?, sort: SortSource,
    isOfAll: Bool
  ) {
    self.isOfAll = isOfAll
    self.rows = rows
    self.key = key
    self.limit = limit
    self.sort = sort
  }

  override func prepare(_ context: ExecutionContext) throws(SQLError) {
    bounds = try limit?.bounds(context) ?? LimitBounds()
    let store = try context.tables.table(
      rows.table.id, reading: ColumnMask(rows.columns).union(ColumnMask(key.columns)))
    isFalling = key.columns.first.flatMap(store.serialColumn).map { _ in
      key.orders[0].descending
    }
    if isFalling != nil {
      (table, order, isSorting) = (store, nil, false)
      if bounds.count != 0 { _ = try rows.collect(context) }
      rows.makeBits()
      return
    }
    if isOfAll, firstPagesTell(store) {
      (table, order, isSorting) = (nil, nil, true)
      return try sort.prepare(context)
    }
    if table !== store || stamp != store.stamp || order == nil {
      table = store
      stamp = store.stamp
      // A statement that ends here must not leave the order of another version.
      order = nil
      // Finding the first few rows costs a pass over the keys and no more.
      let cost = bounds.count == nil ? store.liveRowCount : store.liveRowCount / 8
      order = try store.orders.order(key, of: store, insteadOf: cost)
      columns = try order.map { (order) throws(SQLError) in try stored(order, store) } ?? []
    }
    isSorting = order == nil
    if isSorting {
      // A version that is asked for again may have an order by then.
      table = nil
      try sort.prepare(context)
    } else if bounds.count != 0 {
      _ = try rows.collect(context)
    }
  }

  /// Whether the rows that are wanted are few, and in pages that bounds tell from all others: no order is needed to find them.
  private func firstPagesTell(_ store: TableStore) -> Bool {
    guard let end = bounds.end, end <= store.liveRowCount / 8, store.streamed == nil,
      store.pageCount >= Self.pageMin
    else { return false }
    return store.orders.pages(by: key.columns[0], key.orders[0], of: store).tellsApart
  }

  private static let pageMin = 16

  /// The columns of all rows in their order.
  private func stored(_ order: StoredOrder, _ store: TableStore) throws(SQLError) -> [Vector] {
    var columns: [Vector] = []
    for (index, type) in zip(rows.columns.indices, rows.columns.types) {
      if index == ScanPlan.positionIndex {
        columns.append(Vector(.integer, order.positions, count: order.count))
      } else if let coded = ScanPlan.codedColumn(index) {
        let codes = try store.codes(of: coded)
        columns.append(codes.gather(order.positions, count: order.count, type: type))
      } else {
        columns.append(order.column(index, of: store).retyped(type))
      }
    }
    return columns
  }

  override var morselCount: Int { isSorting ? sort.morselCount : 1 }

  override func produce(
    _ morsel: Int, into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    if isSorting { return try sort.produce(morsel, into: stage, context) }
    if bounds.count == 0 { return true }
    var walk = Walk(skip: bounds.offset, left: bounds.count ?? .max)
    if let isFalling, let table {
      return try read(table, isFalling: isFalling, &walk, into: stage, context)
    }
    guard let order else { return true }
    // Many gaps would make many small chunks.
    guard let excluded = rows.excluded.list,
      rows.excluded.count * Self.stretchMinimum <= order.count
    else {
      rows.makeBits()
      return try gather(order, &walk, into: stage, context)
    }
    let ranks = order.ranks
    var gaps: [UInt32] = []
    gaps.reserveCapacity(rows.excluded.count)
    for index in 0..<rows.excluded.count where ranks[excluded[index]] != TableStore.noRow {
      gaps.append(ranks[excluded[index]])
    }
    gaps.sort()
    var start = 0
    for gap in gaps {
      if try !push(start..<Int(gap), &walk, into: stage, context) { return walk.left == 0 }
      start = Int(gap) + 1
    }
    return try push(start..<order.count, &walk, into: stage, context) || walk.left == 0
  }

  /// Stretches are this long on average, at least, to be handed out in place.
  private static let stretchMinimum = 256

  /// What OFFSET and LIMIT leave to do.
  private struct Walk {
    var skip: Int
    var left: Int

    /// The part of so many rows that is wanted.
    mutating func take(_ count: Int) -> Range<Int> {
      let start = min(skip, count)
      skip -= start
      let end = start + min(left, count - start)
      left -= end - start
      return start..<end
    }
  }

  /// Hands on the rows as they stand, page by page.
  private func read(
    _ table: TableStore, isFalling: Bool, _ walk: inout Walk, into stage: Stage,
    _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    for number in 0..<table.pageCount where walk.left > 0 {
      try context.check()
      let page = isFalling ? table.pageCount - 1 - number : number
      var chunk = try rows.scan(page, of: table)
      let wanted = walk.take(chunk.count)
      if wanted.isEmpty { continue }
      if isFalling {
        let last = UInt32(truncatingIfNeeded: chunk.count - 1)
        let order = Buffer(wanted.map { last - UInt32(truncatingIfNeeded: $0) })
        chunk = chunk.gathered(order, count: wanted.count)
      } else if wanted.count < chunk.count {
        chunk = chunk.slice(from: wanted.lowerBound, count: wanted.count)
      }
      if try !stage.push(chunk) { return false }
    }
    return true
  }

  /// Hands on the rows of a range of ranks; false where no more are wanted.
  private func push(
    _ ranks: Range<Int>, _ walk: inout Walk, into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    let wanted = walk.take(ranks.count)
    let mostRows = stage.chunkLimit
    var start = ranks.lowerBound + wanted.lowerBound
    let end = ranks.lowerBound + wanted.upperBound
    while start < end {
      try context.check()
      let length = min(mostRows, end - start)
      let chunk = DataChunk(columns.map { $0.stretch(start, length) }, count: length)
      if try !stage.push(chunk) { return false }
      start += length
    }
    return walk.left > 0
  }

  /// Hands on the rows that are in the set, each found by its position.
  private func gather(
    _ order: StoredOrder, _ walk: inout Walk, into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    var start = 0
    while start < order.count && walk.left > 0 {
      try context.check()
      let end = min(order.count, start + Vector.chunkCapacity)
      let kept = Buffer<UInt32>(uninitialized: end - start)
      var found = 0
      for rank in start..<end {
        kept[found] = UInt32(truncatingIfNeeded: rank)
        found &+= bit(!rows.excludes(order.positions[rank]))
      }
      start = end
      let wanted = walk.take(found)
      if wanted.isEmpty { continue }
      let selected = kept.slice(wanted)
      let chunk = DataChunk(
        columns.map { $0.gathered(selected, count: wanted.count) }, count: wanted.count)
      if try !stage.push(chunk) { return false }
    }
    return true
  }
}

extension Vector {
  /// Rows of a flat vector; in place where nothing but the values has to be told.
  fileprivate func stretch(_ start: Int, _ length: Int) -> Vector {
    guard form == .flat, !mayHaveNulls, children.isEmpty, decimals == nil else {
      return slice(from: start, count: length)
    }
    let stride = type.physical.stride
    let bytes = storage.buffer(of: UInt8.self)
    return Vector(
      type: type, count: length,
      storage: bytes.block((start * stride)..<((start + length) * stride)), heaps: heaps)
  }
}
