import Catalog
import Columnar
import Diagnostics
import Planning
import Storage

/// Conditions on rows of one table, asked of sets of them.
///
/// As `Walker`.
final class RowFilter {
  /// Keys of rows that are left out.
  private let excluded: [(key: any Evaluator, access: KeyAccess)]
  /// All other conditions, one for each worker; none where there are none.
  private let filters: [ConjunctiveFilter]
  private let filterColumns: TableColumns
  /// What zone maps may say of each of them; nil where they say nothing.
  private let pages: [PageCondition?]
  private let definition: TableDefinition
  /// The same conditions, where it is kept if they hold.
  private let kept: KeptCondition?

  /// nil for no conditions; `rows` are the table and what the conditions read of it.
  init?(
    _ conditions: [BoundExpression], on rows: StepArrival, _ compiler: PlanCompiler
  ) throws(SQLError) {
    if conditions.isEmpty { return nil }
    var excluded: [(key: any Evaluator, access: KeyAccess)] = []
    var others: [BoundExpression] = []
    for condition in conditions {
      guard let (key, column) = rows.excludedKey(condition) else {
        others.append(condition)
        continue
      }
      excluded.append(
        (
          try compiler.expressions(over: []).compile(key),
          KeyAccess(rows.table, [], keyColumns: [column])
        ))
      excluded[excluded.count - 1].access.notesReads = true
    }
    self.excluded = excluded
    definition = rows.table
    let used = others.columns
    let columns = rows.columns.filter { used.contains($0.column.id) }
    filterColumns = TableColumns(columns)
    let expressions = compiler.expressions(over: columns.map(\.column))
    kept = try KeptCondition(others, columns, expressions)
    var pages: [PageCondition?] = []
    for condition in others { pages.append(try PageCondition(condition, columns, expressions)) }
    self.pages = pages
    var filters: [ConjunctiveFilter] = []
    if !others.isEmpty {
      for _ in 0..<Workers.parallelism {
        filters.append(try ConjunctiveFilter(others, expressions))
      }
    }
    self.filters = filters
  }

  /// Whether it is kept which rows meet the conditions.
  var isKept: Bool { kept != nil && excluded.isEmpty }

  /// Of a few rows of a table with more than this nothing is kept, as the memory for that would cost more than to ask them.
  private static let rowLimit = 1 << 18

  /// Those of some rows that are known to meet the conditions; nil where that is not known of all.
  func selectKnown(
    _ positions: Buffer<UInt32>, count: Int, of table: TableStore, _ tables: any TableSource
  ) throws(SQLError) -> (positions: Buffer<UInt32>, count: Int)? {
    guard let kept, table.rowCount <= Self.rowLimit else { return nil }
    try kept.open(table, tables)
    let found = Buffer<UInt32>(uninitialized: count + 1)
    let all = PagePointer(positions)
    return kept.rows.select(all, of: all, count: count, into: found).map { (found, $0) }
  }

  /// The rows of a set that meet the conditions; nobody else holds a set that `isOwn`.
  ///
  /// - Complexity: O(positions of the table / 64) where all of the rows have been asked before.
  func filtered(
    _ set: ReachedSet, isOwn: Bool = false, _ table: TableStore, _ context: ExecutionContext
  ) throws(SQLError) -> ReachedSet {
    try set.isOf(table)
    var set = set
    if !excluded.isEmpty {
      if !isOwn { set = set.copy }
      try exclude(from: &set, context)
    }
    if filters.isEmpty { return set }
    context.tables.reads?.note(set, of: definition, ColumnMask(filterColumns))
    guard let kept else { return try asked(set, table, context) }
    if let list = set.list {
      guard table.rowCount <= Self.rowLimit else { return try asked(set, table, context) }
      try kept.open(table, context.tables)
      try kept.ask(list, count: set.count, context)
      guard let found = try selectKnown(list, count: set.count, of: table, context.tables) else {
        throw SQLError.internal("a condition was asked and is not known")
      }
      return ReachedSet(rising: found.positions, count: found.count, in: table)
    }
    try kept.open(table, context.tables)
    let words = ReachedSet.wordCount(set.limit)
    let bits = set.bits
    let unknown = kept.rows.unknown(of: bits, words: words)
    if unknown.count > 0 {
      let rest = ReachedSet(unknown.bits, in: table)
      let met = try asked(rest, table, context)
      kept.rows.note(unknown.bits, met: met.bits, words: words)
    }
    return ReachedSet(kept.rows.held(of: bits, words: words), in: table)
  }

  private func exclude(from set: inout ReachedSet, _ context: ExecutionContext) throws(SQLError) {
    for (key, access) in excluded {
      var one = DataChunk([], count: 1)
      let value = try key.evaluate(&one, context).flattened()
      guard value.isValid(0) else {
        // Nothing is known to differ from NULL.
        set = set.table.map { ReachedSet(noneIn: $0) } ?? .none
        return
      }
      try access.open(context.tables)
      let (positions, count) = try access.positions(of: [value], count: 1)
      for index in 0..<count where positions[index] != TableStore.noRow {
        set.remove(positions[index])
      }
    }
  }

  /// The rows of a set for which the conditions are true, which is asked of each.
  private func asked(
    _ set: ReachedSet, _ table: TableStore, _ context: ExecutionContext
  ) throws(SQLError) -> ReachedSet {
    let isDense = set.list == nil && set.count * Self.denseShare >= table.rowCount
    let verdicts = PageVerdicts(pages, of: table, context)
    // A condition may fail for a row that is not in the set: then it is asked of those in it alone.
    if isDense && table.liveRowCount == table.rowCount,
      let found = try? filteredByPages(set.bits, verdicts, table, context)
    {
      return found
    }
    let readers = try ColumnReaders(filterColumns, of: table)
    let kept = MarkedNeighbours(limit: set.limit).bits
    let workers = set.count < 65_536 ? 1 : min(Workers.parallelism, context.workerLimit)
    // Pieces of a list may share a word of the bitmap.
    let states = set.list != nil ? Array(filters.prefix(1)) : Array(filters.prefix(max(1, workers)))
    try Workers.share(set.pieceCount, among: states, context) {
      (filter: ConjunctiveFilter, piece: Int) throws(SQLError) in
      _ = try set.forEachPart(ofPiece: piece) { (part, count) throws(SQLError) in
        if let holds = verdicts.ofAll(in: part, count: count) {
          if holds { for index in 0..<count { kept.insert(part[index]) } }
          return true
        }
        var chunk = DataChunk(readers.gather(part, count: count), count: count)
        if let selected = try filter.select(&chunk, context) {
          for index in 0..<selected.count { kept.insert(part[selected.positions[index]]) }
        } else {
          for index in 0..<count { kept.insert(part[index]) }
        }
        return true
      }
    }
    return ReachedSet(kept, in: table)
  }

  /// From this share of a table's rows on it is quicker to look at all of them in order than at some one by one.
  private static let denseShare = 4

  /// The rows of a set for which the conditions are true, which are asked of all rows, none of them deleted.
  private func filteredByPages(
    _ bits: Buffer<UInt64>, _ verdicts: PageVerdicts, _ table: TableStore,
    _ context: ExecutionContext
  ) throws(SQLError) -> ReachedSet {
    let kept = MarkedNeighbours(limit: table.rowCount).bits
    let workers = table.rowCount < 65_536 ? 1 : min(Workers.parallelism, context.workerLimit)
    let columns = filterColumns
    try Workers.share(table.pageCount, among: Array(filters.prefix(max(1, workers))), context) {
      (filter: ConjunctiveFilter, page: Int) throws(SQLError) in
      let word = page * TableStore.pageCapacity / 64
      if let holds = verdicts[page] {
        if holds {
          let end = min(word + TableStore.pageCapacity / 64, ReachedSet.wordCount(table.rowCount))
          for place in word..<end { kept[place] = bits[place] }
        }
        return
      }
      var chunk = try columns.scan(page, of: table)
      try filter.mask(of: &chunk, context).keep(of: bits, from: word, into: kept)
    }
    return ReachedSet(kept, in: table)
  }
}

/// What zone maps say of the rows of each page: whether all of them meet some conditions, or none does.
struct PageVerdicts: Sendable {
  private let tests: [PreparedPageCondition]
  /// Whether there is a test for each of the conditions.
  private let areAll: Bool
  private let table: TableStore

  init(_ conditions: [PageCondition?], of table: TableStore, _ context: ExecutionContext) {
    var tests: [PreparedPageCondition] = []
    for case let condition? in conditions {
      tests.append(condition.prepared(for: table, context))
    }
    self.tests = tests
    self.table = table
    areAll = tests.count == conditions.count
  }

  /// Whether all rows of a page meet the conditions, or none; nil where they have to be asked.
  subscript(page: Int) -> Bool? {
    if tests.isEmpty { return nil }
    if !tests.allSatisfy({ $0.mayHold(page: page, of: table) }) { return false }
    return areAll && tests.allSatisfy { $0.mustHold(page: page) } ? true : nil
  }

  /// The same of rows that rise, if that is known of all of them.
  func ofAll(in rows: Buffer<UInt32>, count: Int) -> Bool? {
    if tests.isEmpty || count == 0 { return nil }
    let first = Int(rows[0]) / TableStore.pageCapacity
    let last = Int(rows[count - 1]) / TableStore.pageCapacity
    guard last - first <= Self.pagesMax, let verdict = self[first] else { return nil }
    for page in (first..<last) where self[page + 1] != verdict { return nil }
    return verdict
  }

  /// Rows of more pages are asked.
  private static let pagesMax = 4
}
