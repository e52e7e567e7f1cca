package import Columnar
package import Diagnostics
import Synchronization

/// All rows of one version of a table in the order of an ORDER BY: what sorting them would give, kept.
///
/// Rows are known by their rank, 0 ..< `count`; those that are equal in the sort keys rise by position, as a
/// stable sort leaves them.
package final class StoredOrder: Sendable {
  /// The position of each row, by rank.
  package let positions: Buffer<UInt32>
  /// The number of rows.
  package let count: Int
  private let rowCount: Int

  /// What is made of the order when it is first wanted.
  private struct Derived {
    var ranks: Buffer<UInt32>?
    var columns: [Int: Vector] = [:]
    var byteCount = 0
  }
  private let derived = Mutex(Derived())

  /// Columns in this order take at most so many bytes.
  private static let columnByteLimit = 128 << 20

  /// - Complexity: that of sorting the rows.
  /// - Throws: 57014, 53200.
  init(_ key: StoredOrders.Key, of table: TableStore) throws(SQLError) {
    rowCount = table.rowCount
    count = table.liveRowCount
    let live = Buffer<UInt32>(uninitialized: max(1, table.liveRowCount))
    var filled = 0
    for page in 0..<table.pageCount {
      if page & 31 == 0 { try RunningStatement.check() }
      let rows = table.positions(ofPage: page)
      live.copy(rows.positions, count: rows.count, to: filled)
      filled += rows.count
    }
    var columns: [Vector] = []
    for column in key.columns {
      try RunningStatement.check()
      columns.append(table.gather(live, count: filled, column: column))
    }
    let sorted = try Sorting.permutation(columns: columns, orders: key.orders, count: filled)
    try (0..<filled).inSlices { slice in
      for rank in slice { sorted[rank] = live[sorted[rank]] }
    }
    positions = sorted
  }

  /// The rank of the row at each position; `TableStore.noRow` for deleted rows.
  ///
  /// - Complexity: O(*n*) in the table the first time, O(1) later.
  package var ranks: Buffer<UInt32> {
    derived.withLock { derived in
      if let ranks = derived.ranks { return ranks }
      let ranks = Buffer<UInt32>(repeating: TableStore.noRow, count: max(1, rowCount))
      for rank in 0..<count { ranks[positions[rank]] = UInt32(truncatingIfNeeded: rank) }
      derived.ranks = ranks
      return ranks
    }
  }

  /// A column of `table`, the version that the order is of, flat and in this order.
  ///
  /// Kept for the next query, as long as all that is kept stays small.
  ///
  /// - Complexity: O(*n*) in the table the first time, O(1) later.
  package func column(_ index: Int, of table: TableStore) -> Vector {
    if let known = derived.withLock({ $0.columns[index] }) { return known }
    let vector = table.gather(positions, count: count, column: index)
    let byteCount = count * max(1, vector.type.physical.stride)
    derived.withLock { derived in
      guard derived.byteCount + byteCount <= Self.columnByteLimit else { return }
      if derived.columns.updateValue(vector, forKey: index) == nil {
        derived.byteCount += byteCount
      }
    }
    return vector
  }
}

/// The orders kept with one version of a table.
///
/// An order is made when sorting has cost as much as making it would, so that a table that is changed between
/// any two queries pays nothing for orders that nobody would use again. They go with the version.
package final class StoredOrders: Sendable {
  /// An ORDER BY over stored columns.
  package struct Key: Hashable, Sendable {
    package let columns: [Int]
    package let orders: [SortOrder]

    package init(columns: [Int], orders: [SortOrder]) {
      self.columns = columns
      self.orders = orders
    }
  }

  private struct Entry {
    /// The rows that queries have sorted by this key so far.
    var sortedRowCount = 0
    var order: StoredOrder?
  }
  private let entries = Mutex<[Key: Entry]>([:])
  /// By column whether its values rise with the positions of rows, where that was asked.
  private let risings = Mutex<[Int: Bool]>([:])
  /// By column what was found of each page: whether its values rise, where that was looked at.
  private let risingPages = Mutex<[Int: [Bool?]]>([:])
  /// Orders of pages that were asked for.
  private let pageOrders = Mutex<[Key: PageOrder]>([:])

  /// The most orders of one version.
  private static let orderLimit = 8
  /// Tables of more rows are always sorted.
  private static let rowLimit = 1 << 23
  /// Tables of fewer rows are sorted at once.
  private static let rowMinimum = 64

  init() {}

  /// Whether nobody has asked for an order, of pages either, or whether a column rises.
  var isEmpty: Bool {
    entries.withLock { $0.isEmpty } && risings.withLock { $0.isEmpty }
      && pageOrders.withLock { $0.isEmpty } && risingPages.withLock { $0.isEmpty }
  }

  /// Whether the values of a page of `pageCount` rise, found by `look` the first time.
  func rises(page: Int, of pageCount: Int, column: Int, _ look: () -> Bool) -> Bool {
    if let known = risingPages.withLock({ $0[column]?[page] ?? nil }) { return known }
    let found = look()
    risingPages.withLock {
      $0[column, default: Array(repeating: nil, count: pageCount)][page] = found
    }
    return found
  }

  /// The pages of `table` by the values of a column.
  ///
  /// - Complexity: O(*p* log *p*) in the pages the first time, O(1) later.
  package func pages(by column: Int, _ order: SortOrder, of table: TableStore) -> PageOrder {
    let key = Key(columns: [column], orders: [order])
    if let known = pageOrders.withLock({ $0[key] }) { return known }
    let found = PageOrder(column, order, of: table)
    pageOrders.withLock { $0[key] = found }
    return found
  }

  /// Whether the values of a column of `table` are whole numbers, none is NULL, and each is greater than that of the row before
  /// it, deleted rows included: positions then compare as the values do.
  ///
  /// - Complexity: O(*n*) in the table the first time, at most to the first value that is not greater; O(1) later, and for serial
  ///   columns.
  /// - Throws: 57014.
  package func rises(_ column: Int, of table: TableStore) throws(SQLError) -> Bool {
    if table.serialColumn(column) != nil { return true }
    if let known = risings.withLock({ $0[column] }) { return known }
    let rises = try Self.isRising(column, of: table)
    risings.withLock { $0[column] = rises }
    return rises
  }

  private static func isRising(_ column: Int, of table: TableStore) throws(SQLError) -> Bool {
    var last: Int64?
    for page in 0..<table.pageCount {
      if page & 31 == 0 { try RunningStatement.check() }
      let count = table.rowCount(ofPage: page)
      let vector = table.page(page, columns: [column]).columns[0]
      guard let numbers = WholeNumbers(ifWhole: vector, count: count),
        numbers.validity.isAllValid, count > 0, last.map({ $0 < numbers.values[0] }) ?? true
      else { return false }
      var descents = 0
      for row in 1..<max(count, 1) {
        descents &+= bit(numbers.values[row] <= numbers.values[row &- 1])
      }
      if descents > 0 { return false }
      last = numbers.values[count - 1]
    }
    return true
  }

  /// The rows of `table` by `key`; nil where they have not been asked for often enough.
  ///
  /// `cost` is about the number of rows that the caller would have to sort without an order.
  ///
  /// - Throws: 57014, 53200.
  package func order(
    _ key: Key, of table: TableStore, insteadOf cost: Int
  ) throws(SQLError) -> StoredOrder? {
    let rows = table.liveRowCount
    guard rows >= Self.rowMinimum && rows <= Self.rowLimit else { return nil }
    let (found, isDue) = entries.withLock { entries -> (StoredOrder?, Bool) in
      guard var entry = entries[key] else {
        if entries.count < Self.orderLimit { entries[key] = Entry(sortedRowCount: cost) }
        return (nil, false)
      }
      if entry.order == nil {
        entry.sortedRowCount += cost
        entries[key] = entry
      }
      return (entry.order, entry.sortedRowCount >= 2 * rows)
    }
    if found != nil || !isDue { return found }
    // Made without the lock: other queries sort for themselves meanwhile.
    let order = try StoredOrder(key, of: table)
    entries.withLock { $0[key]?.order = order }
    return order
  }
}
