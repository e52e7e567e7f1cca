package import Columnar
import Synchronization

/// One version of one table's data: columns, the rows deleted from them, and indexes over them.
///
/// A row is known by its position, 0 ..< `rowCount`, which it keeps for life; deleted rows keep theirs
/// as well. A version that was published never changes, and any number of readers use it without locks.
///
/// ```
/// table ─ columns ─ row groups (131,072 rows) ─ pages (2,048 rows) ─ values, validity, zone map
///       ├ live rows (a mask for each page with deleted rows)
///       ├ references: for each foreign key the position of the parent's row
///       ├ key indexes: values → position
///       └ adjacency indexes: position of a parent's row → positions of its neighbours
/// ```
package final class TableStore: @unchecked Sendable {
  // Sendable by rule: a `TableWriter` changes a store only until it hands it out with `freeze()`.

  /// The rows of a page, which is also the most rows of a chunk.
  package static let pageCapacity = ColumnPage.capacity
  /// The pages of a row group.
  package static let pagesPerRowGroup = 64
  /// The bits by which a position is shifted to get its row group.
  package static let rowGroupShift = 17
  /// Stands for a row that is not there.
  package static let noRow = UInt32.max
  /// The most rows of a table, deleted ones included.
  package static let rowLimit = Int(UInt32.max) - 1

  package let types: [LogicalType]
  package internal(set) var layout: TableLayout {
    didSet { outline = Outline(layout, columnCount: types.count) }
  }
  /// What a change of one row needs of the layout.
  private(set) var outline: Outline
  /// The number of positions, deleted rows included.
  package internal(set) var rowCount = 0
  /// The number of rows.
  package internal(set) var liveRowCount = 0
  var columns: [ColumnStore]
  /// The positions of parents' rows, one column for each reference of the layout.
  var references: [ReferenceColumn]
  var live = LiveRows()
  /// One for each key of the layout.
  package internal(set) var keys: [KeyIndex]
  /// What each adjacency index runs between, in the order of `adjacencies`.
  var directions: [TableLayout.Direction]
  var adjacencies: [AdjacencyIndex]
  var tail = TailClaim(filled: 0)
  /// Shared by all versions with the same columns.
  let statisticsCache: StatisticsCache
  /// The rows in the orders that queries have asked for; each version has its own.
  package private(set) var orders = StoredOrders()
  /// The columns that queries have read by dictionary; each version has its own.
  private(set) var dictionaries = ColumnDictionaries()
  /// The epoch of the parts that no other store shares, so that they may be changed in place for as long as
  /// nobody reads the store.
  var openEpoch: Epoch?
  /// What the store was made for by `ownCopy(home:)`; 0 for any other.
  package private(set) var home: UInt64 = 0
  /// Where the rows come from, if that is best read from beginning to end.
  package internal(set) var streamed: (any StreamedSource)?
  /// A number that no other store has, and that this one changes whenever it is changed in place: what was read of
  /// a store holds as long as somebody has the store and its stamp is the same.
  package private(set) var stamp = TableStore.nextStamp()

  private static let lastStamp = Atomic<UInt64>(0)

  private static func nextStamp() -> UInt64 {
    lastStamp.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// Gives the store to a writer that changes it in place.
  func open() -> Epoch {
    stamp = Self.nextStamp()
    if !orders.isEmpty { orders = StoredOrders() }
    if !dictionaries.isEmpty { dictionaries = ColumnDictionaries() }
    let epoch = openEpoch ?? .next()
    openEpoch = epoch
    return epoch
  }

  /// What a change of one row needs of the layout, in few and plain pieces.
  final class Outline: Sendable {
    /// The keys with an index of their own.
    let indexedKeys: [Int]
    /// The column of each reference that has one alone; -1 for any other.
    let referenceColumns: [Int]
    let junctionEnds: [(from: Int, to: Int)]
    let hasReferences: Bool
    let columnCount: Int

    init(_ layout: TableLayout, columnCount: Int) {
      self.columnCount = columnCount
      hasReferences = !layout.references.isEmpty
      indexedKeys = layout.keys.indices.filter { layout.keys[$0].junction == nil }
      referenceColumns = layout.references.map { $0.columns.count == 1 ? $0.columns[0] : -1 }
      junctionEnds = layout.junctions.map { ($0.from, $0.to) }
    }
  }

  /// Makes sure that nobody else writes behind the last row.
  func claim(_ end: Int, epoch: Epoch) {
    if tail.take(from: rowCount, to: end) { return }
    for column in columns.indices { columns[column].relocateTail(rows: rowCount, epoch: epoch) }
    for reference in references.indices {
      references[reference].relocateTail(rows: rowCount, epoch: epoch)
    }
    tail = TailClaim(filled: end)
  }

  /// An empty table.
  package init(types: [LogicalType], layout: TableLayout = TableLayout()) {
    self.types = types
    self.layout = layout
    outline = Outline(layout, columnCount: types.count)
    columns = types.map { ColumnStore($0) }
    references = layout.references.map { _ in ReferenceColumn() }
    keys = layout.keys.map { key in KeyIndex(key, types: key.columns.map { types[$0] }) }
    statisticsCache = StatisticsCache()
    directions = layout.directions
    adjacencies = directions.map { AdjacencyIndex(hasEdgeRows: $0.target != nil) }
  }

  /// The same table with other columns or indexes; everything else is shared.
  init(
    copying other: TableStore, types: [LogicalType]? = nil, columns: [ColumnStore]? = nil
  ) {
    self.types = types ?? other.types
    layout = other.layout
    outline =
      types == nil ? other.outline : Outline(other.layout, columnCount: self.types.count)
    rowCount = other.rowCount
    liveRowCount = other.liveRowCount
    self.columns = columns ?? other.columns
    references = other.references
    live = other.live
    keys = other.keys
    directions = other.directions
    adjacencies = other.adjacencies
    tail = other.tail
    streamed = other.streamed
    statisticsCache = columns == nil ? other.statisticsCache : StatisticsCache()
    // What the two share from now on, neither may change.
    other.openEpoch = nil
  }

  /// A store with the same content, to be changed in place by a `RowWriter`.
  ///
  /// `home` tells what it belongs to: whoever changes it makes sure that nobody else has got it from there.
  package func ownCopy(home: UInt64) -> TableStore {
    let copy = TableStore(copying: self)
    copy.home = home
    return copy
  }

  // MARK: Pages

  /// The number of pages.
  package var pageCount: Int { (rowCount + Self.pageCapacity - 1) / Self.pageCapacity }

  /// The number of row groups.
  package var rowGroupCount: Int {
    (pageCount + Self.pagesPerRowGroup - 1) / Self.pagesPerRowGroup
  }

  /// The number of positions of page `page`, deleted rows included.
  package func rowCount(ofPage page: Int) -> Int {
    min(Self.pageCapacity, rowCount - page * Self.pageCapacity)
  }

  /// The rows of a page that are not deleted; nil if all are there.
  package func liveRows(ofPage page: Int) -> SelectionVector? {
    guard let mask = live.mask(page) else { return nil }
    let count = rowCount(ofPage: page)
    let kept = Buffer<UInt32>(uninitialized: count)
    var found = 0
    for word in 0..<ValidityMask.wordCount(count) {
      var bits = mask[word]
      let rest = count &- word &<< 6
      if rest < 64 { bits &= 1 &<< UInt64(truncatingIfNeeded: rest) &- 1 }
      while bits != 0 {
        kept[found] = UInt32(truncatingIfNeeded: word &<< 6 &+ bits.trailingZeroBitCount)
        found &+= 1
        bits &= bits &- 1
      }
    }
    return SelectionVector(kept, count: found)
  }

  /// Whether no row of a page is deleted.
  func isWhole(page: Int) -> Bool { live.mask(page) == nil }

  /// The positions of those rows of a range that are not deleted.
  ///
  /// - Precondition: the range lies within a page.
  package func livePositions(in range: Range<Int>) -> SelectionVector {
    assert(
      range.isEmpty
        || range.lowerBound / Self.pageCapacity == (range.upperBound - 1) / Self.pageCapacity,
      "rows of one page are asked for")
    let kept = Buffer<UInt32>(uninitialized: max(range.count, 1))
    guard let mask = live.mask(range.lowerBound / Self.pageCapacity) else {
      for (index, position) in range.enumerated() {
        kept[index] = UInt32(truncatingIfNeeded: position)
      }
      return SelectionVector(kept, count: range.count)
    }
    var found = 0
    for position in range {
      let row = position % Self.pageCapacity
      kept[found] = UInt32(truncatingIfNeeded: position)
      found &+= Int(truncatingIfNeeded: mask[row &>> 6] &>> UInt64(row & 63) & 1)
    }
    return SelectionVector(kept, count: found)
  }

  /// Columns of a page in place, with all its positions: row *i* stands at `page * pageCapacity + i`.
  ///
  /// Pair it with `liveRows(ofPage:)`. No value is moved.
  package func page(_ page: Int, columns wanted: [Int]) -> DataChunk {
    let count = rowCount(ofPage: page)
    return DataChunk(
      wanted.map { columns[$0].vector(page: page, count: count) }, count: count)
  }

  /// Columns of the rows of a page that are not deleted.
  package func scan(page: Int, columns wanted: [Int]) -> DataChunk {
    let count = rowCount(ofPage: page)
    // Read once: a column taken from what may change is copied, with all the references in it.
    let columns = columns
    let chunk = DataChunk(
      wanted.map { columns[$0].passingVector(page: page, count: count) }, count: count)
    guard let live = liveRows(ofPage: page) else { return chunk }
    return chunk.gathered(live)
  }

  /// The positions of the rows of a page that are not deleted.
  package func positions(ofPage page: Int) -> SelectionVector {
    let base = UInt32(truncatingIfNeeded: page * Self.pageCapacity)
    let rows = liveRows(ofPage: page) ?? .all(rowCount(ofPage: page))
    let result = Buffer<UInt32>(uninitialized: rows.count)
    for row in 0..<rows.count { result[row] = rows.positions[row] &+ base }
    return SelectionVector(result, count: rows.count)
  }

  // MARK: Rows

  /// Whether the row at a position is not deleted.
  package func isLive(_ position: UInt32) -> Bool {
    Int(position) < rowCount && live.isLive(position)
  }

  /// Those of `positions` whose rows are not deleted, as indices into `positions`.
  package func live(_ positions: Buffer<UInt32>, count: Int) -> SelectionVector {
    if liveRowCount == rowCount { return .all(count) }
    let kept = Buffer<UInt32>(uninitialized: count)
    var found = 0
    for row in 0..<count {
      kept[found] = UInt32(truncatingIfNeeded: row)
      found &+= bit(live.isLive(positions[row]))
    }
    return SelectionVector(kept, count: found)
  }

  /// A column by itself, for many reads of this version.
  package func column(_ index: Int) -> ColumnStore { columns[index] }

  /// Column `column` of the rows at `positions`, flat; with `optional`, `noRow` gives NULL.
  ///
  /// - Complexity: O(*n*); texts stay where they are.
  package func gather(
    _ positions: Buffer<UInt32>, count: Int, column: Int, optional: Bool = false
  ) -> Vector {
    columns[column].gather(positions, count: count, optional: optional)
  }

  /// Some columns of the rows at `positions`.
  package func gather(
    _ positions: Buffer<UInt32>, count: Int, columns wanted: [Int], optional: Bool = false
  ) -> DataChunk {
    DataChunk(
      wanted.map { columns[$0].gather(positions, count: count, optional: optional) }, count: count)
  }

  /// One value; for edges such as messages.
  package func value(at position: UInt32, column: Int) -> Value {
    columns[column].value(at: position)
  }

  /// A whole row; for edges such as messages.
  package func row(at position: UInt32) -> [Value] { columns.map { $0.value(at: position) } }

  // MARK: References

  /// The column of a reference, if it is one of this table.
  func column(ofReference reference: Int) -> ColumnStore? {
    let columns = layout.references[reference].columns
    guard columns.count == 1, columns[0] < self.columns.count else { return nil }
    return self.columns[columns[0]]
  }

  /// The positions of the parents' rows that the rows at `positions` refer to by `reference`.
  ///
  /// `noRow` where the foreign key is NULL (or not set yet), and for positions that are `noRow`.
  package func parents(
    of positions: Buffer<UInt32>, count: Int, reference: Int
  ) -> Buffer<UInt32> {
    let column = references[reference]
    let result = Buffer<UInt32>(uninitialized: count)
    for row in 0..<count {
      let position = positions[row]
      result[row] =
        position == Self.noRow ? Self.noRow : column.parent(of: position)
    }
    return result
  }

  /// The position of the row that one row refers to by `reference`, `noRow` for none.
  package func parent(of position: UInt32, reference: Int) -> UInt32 {
    references[reference].parent(of: position)
  }

  /// The positions of the parents' rows of a whole page.
  package func parents(ofPage page: Int, reference: Int) -> Buffer<UInt32> {
    references[reference].parents(ofPage: page, count: rowCount(ofPage: page))
  }

  /// The adjacency index from the parent rows of `reference` to the rows of this table (`to` nil) or to
  /// the parent rows of another reference; nil if the layout has no such junction.
  package func adjacency(from reference: Int, to target: Int? = nil) -> AdjacencyIndex? {
    for (index, direction) in directions.enumerated()
    where direction.source == reference && direction.target == target {
      return adjacencies[index]
    }
    return nil
  }

  /// The adjacency index from the parent rows of `reference` that carries the rows of this table: as
  /// targets, or as edge rows beside other targets.
  package func edges(from reference: Int) -> AdjacencyIndex {
    for (index, direction) in directions.enumerated() where direction.source == reference {
      return adjacencies[index]
    }
    preconditionFailure("reference \(reference) has no adjacency index")
  }

  /// Reads a little of what a change of an edge will go through in both directions, whose cache misses then overlap.
  ///
  /// - Returns: a number that depends on what was read, for the caller to keep somewhere.
  package func touch(junction: Int, from source: UInt32, to target: UInt32) -> UInt32 {
    let forth = 2 &* junction
    return adjacencies[forth].touch(source, target)
      ^ adjacencies[forth &+ 1].touch(target, source)
  }

  /// The row of a junction that joins two parents' rows (the lowest, if there are several), or `noRow`.
  ///
  /// - Complexity: O(log *d*), *d* the lesser of the two rows' degrees, or one of at most a thousand.
  package func edge(ofJunction junction: Int, from source: UInt32, to target: UInt32) -> UInt32 {
    let forth = 2 &* junction
    // A short list is searched sooner than the degree of another is found.
    if adjacencies[forth].isShort(source) { return adjacencies[forth].edge(source, target) }
    return adjacencies[forth].degree(of: source) <= adjacencies[forth &+ 1].degree(of: target)
      ? adjacencies[forth].edge(source, target) : adjacencies[forth &+ 1].edge(target, source)
  }

  /// The row of a junction that joins each pair of parents' rows, or `noRow`.
  package func edges(
    ofJunction junction: Int, from sources: Buffer<UInt32>, to targets: Buffer<UInt32>, count: Int
  ) -> Buffer<UInt32> {
    let result = Buffer<UInt32>(uninitialized: count)
    for row in 0..<count {
      result[row] = edge(ofJunction: junction, from: sources[row], to: targets[row])
    }
    return result
  }

  /// The row with this whole number as key `key`, which is of one column, or `noRow`.
  ///
  /// - Complexity: O(1), without allocation.
  package func position(of number: Int64, key: Int) -> UInt32 {
    // As `KeyIndex.lookup`, but reading only parts of the index, in place: to hand it on as a whole counts the references
    // of all its parts, twelve of them for each look-up.
    if let numbers = keys[key].numbers {
      let position = numbers.position(of: number)
      if position != Self.noRow || keys[key].hash.count == 0 { return position }
    }
    return Self.hashedPosition(of: number, keys, key, columns)
  }

  private static func hashedPosition(
    of number: Int64, _ keys: [KeyIndex], _ key: Int, _ columns: [ColumnStore]
  ) -> UInt32 {
    let column = keys[key].key.columns[0]
    return keys[key].hash.partitions.head(hash: Hashing.hash(int64: number)) {
      columns[column].wholeNumber($0) == number
    }
  }

  /// The row with this text as key `key`, or `noRow`.
  package func position(of text: TextView, key: Int) -> UInt32 {
    keys[key].lookup(text, among: columns)
  }

  /// The row with this UUID as key `key`, or `noRow`.
  package func position(of uuid: UUIDValue, key: Int) -> UInt32 {
    keys[key].lookup(uuid, among: columns)
  }

  // MARK: Skipping

  /// Whether some row of a page may satisfy a comparison of `column`.
  package func mayContain(page: Int, column: Int, _ probe: ZoneProbe) -> Bool {
    let columns = columns
    if let streamed, !columns[column].pages.isInPlace(page) {
      return streamed.zone(ofColumn: column, page: page).map { probe.mayHold(in: $0) } ?? true
    }
    guard let zone = columns[column].pages[page].zone else { return true }
    return probe.mayHold(in: zone)
  }
}
