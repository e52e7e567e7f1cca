import Catalog
import Columnar
import Diagnostics
import Planning
import Storage

/// One step of a walk, from a set of rows to the set of their neighbours.
///
/// As `Walker`.
final class Hop {
  let access: AdjacencyAccess
  private let step: AdjacencyStep
  /// Keys of rows that are left out.
  private let excluded: [(key: any Evaluator, access: KeyAccess)]
  /// All other conditions on the rows, over the columns of the arrival; one for each worker.
  private let filters: [ConjunctiveFilter]
  private let filterColumns: TableColumns
  /// The same conditions, where it is kept if they hold.
  private let kept: KeptCondition?

  init(_ step: AdjacencyStep, _ compiler: PlanCompiler) throws(SQLError) {
    guard let arrival = step.arrival else {
      throw SQLError.internal("a step of a walk arrives at no rows")
    }
    var walked = step
    walked.filters = []
    walked.edgeColumns = []
    walked.neighbourColumns = []
    self.step = walked
    access = AdjacencyAccess(walked)
    var excluded: [(key: any Evaluator, access: KeyAccess)] = []
    var others: [BoundExpression] = []
    for condition in step.filters {
      guard let (key, column) = arrival.excludedKey(condition) else {
        others.append(condition)
        continue
      }
      excluded.append(
        (
          try compiler.expressions(over: []).compile(key),
          KeyAccess(arrival.table, [], keyColumns: [column])
        ))
    }
    self.excluded = excluded
    let used = others.columns
    let columns = arrival.columns.filter { used.contains($0.column.id) }
    filterColumns = TableColumns(columns)
    var filters: [ConjunctiveFilter] = []
    var kept: KeptCondition?
    if !others.isEmpty {
      let expressions = compiler.expressions(over: columns.map(\.column))
      kept = try KeptCondition(others, columns, expressions)
      for _ in 0..<Workers.parallelism {
        filters.append(try ConjunctiveFilter(others, expressions))
      }
    }
    self.filters = filters
    self.kept = kept
  }

  // MARK: Steps

  /// The neighbours of some rows.
  func run(
    from sources: ReachedSet, _ context: ExecutionContext
  ) throws(SQLError) -> ReachedSet {
    try access.open(context.tables)
    let opened = try access.current()
    try sources.isOf(opened.parents)
    var set = try neighbours(of: sources, opened, context)
    try exclude(from: &set, context)
    if !filters.isEmpty { set = try filtered(set, try opened.arrivals().table, context) }
    return set
  }

  /// The number of different neighbours of some rows.
  func count(from sources: ReachedSet, _ context: ExecutionContext) throws(SQLError) -> Int {
    guard sources.count == 1, let list = sources.list, step.isUnique, excluded.isEmpty,
      filters.isEmpty
    else { return try run(from: sources, context).count }
    try access.open(context.tables)
    let opened = try access.current()
    try sources.isOf(opened.parents)
    return opened.adjacency.degree(of: list[0])
  }

  /// Whether a whole number is all that is needed to go on from the row that has it as its key.
  var takesNumber: Bool { excluded.isEmpty && filters.isEmpty && access.takesNumber }

  /// The neighbours of the row with a key, some perhaps more than once, until the next call; nil where they are many.
  ///
  /// - Precondition: the hop takes a number.
  func neighbours(
    ofNumber number: Int64, in tables: any TableSource
  ) throws(SQLError) -> (positions: Buffer<UInt32>, count: Int)? {
    try access.open(tables)
    return try access.current().neighbours(number: number)
  }

  /// The number of neighbours of the row with a key; nil where they must be told apart first.
  ///
  /// - Precondition: the hop takes a number.
  /// - Complexity: O(1).
  func count(
    fromNumber number: Int64, in tables: any TableSource
  ) throws(SQLError) -> Int? {
    guard step.isUnique else { return nil }
    try access.open(tables)
    let opened = try access.current()
    let source = opened.position(of: number)
    return Int(truncatingIfNeeded: opened.lists.degree(of: source))
  }

  /// Targets of so few edges are sorted rather than marked.
  private static let sortedEdgeLimit = 1024

  private func neighbours(
    of sources: ReachedSet, _ opened: AdjacencyAccess.Opened, _ context: ExecutionContext
  ) throws(SQLError) -> ReachedSet {
    let arrivals = try opened.arrivals()
    let targets = arrivals.table
    let edgeCount = opened.edgeCount(of: sources)
    if let list = sources.list, edgeCount <= Self.sortedEdgeLimit,
      edgeCount <= ReachedSet.listLimit(targets.rowCount) || sources.count == 1
    {
      return arrivals.set(of: list, count: sources.count, edgeCount)
    }
    if let to = step.to, let back = opened.edges.adjacency(from: to, to: step.from),
      opened.looksBack(edgeCount: edgeCount, targets: targets.liveRowCount)
    {
      let isAll = sources.count == opened.parents.liveRowCount
      return try lookBack(along: back, to: isAll ? nil : sources.bits, targets, context)
    }
    let map = try opened.scatter(
      sources, edgeCount: edgeCount, as: MarkedNeighbours.self, context)
    return ReachedSet(map.bits, in: targets)
  }

  /// The rows of a table that have an edge to one of `reached`, found from their own side; with nil, those that have any.
  private func lookBack(
    along adjacency: AdjacencyIndex, to reached: Buffer<UInt64>?, _ table: TableStore,
    _ context: ExecutionContext
  ) throws(SQLError) -> ReachedSet {
    let bits = MarkedNeighbours(limit: table.rowCount).bits
    let words = ReachedSet.wordCount(table.rowCount)
    let share = 512
    let workerCount = words < 2 * share ? 1 : min(Workers.parallelism, context.workerLimit)
    try Workers.share(
      (words + share - 1) / share, among: Array(0..<max(1, workerCount)), context
    ) { _, piece in
      // Workers write to words of their own.
      let range = (piece * share)..<min(words, (piece + 1) * share)
      if let reached {
        adjacency.markSources(reaching: reached, words: range, in: bits)
      } else {
        adjacency.markSources(words: range, in: bits)
      }
    }
    return ReachedSet(bits, in: table)
  }

  // MARK: Conditions

  /// The rows of the table arrived at that meet the conditions; nil where there are none.
  func admitted(_ context: ExecutionContext) throws(SQLError) -> ReachedSet? {
    if excluded.isEmpty && filters.isEmpty { return nil }
    try access.open(context.tables)
    let table = try access.current().arrivals().table
    let bits = MarkedNeighbours(limit: table.rowCount).bits
    for page in 0..<table.pageCount {
      try context.check()
      let rows = table.positions(ofPage: page)
      for index in 0..<rows.count { bits.insert(rows.positions[index]) }
    }
    var set = ReachedSet(bits, in: table)
    try exclude(from: &set, context)
    return filters.isEmpty ? set : try filtered(set, table, context)
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

  private func filtered(
    _ set: ReachedSet, _ table: TableStore, _ context: ExecutionContext
  ) throws(SQLError) -> ReachedSet {
    try set.isOf(table)
    guard let kept, set.list == nil else { return try asked(set, table, context) }
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

  /// The rows of a set for which the conditions are true, which is asked of each.
  private func asked(
    _ set: ReachedSet, _ table: TableStore, _ context: ExecutionContext
  ) throws(SQLError) -> ReachedSet {
    let isDense = set.list == nil && set.count * Self.denseShare >= table.rowCount
    // A condition may fail for a row that is not in the set: then it is asked of those in it alone.
    if isDense && table.liveRowCount == table.rowCount,
      let found = try? filteredByPages(set.bits, table, context)
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
    _ bits: Buffer<UInt64>, _ table: TableStore, _ context: ExecutionContext
  ) throws(SQLError) -> ReachedSet {
    let kept = MarkedNeighbours(limit: table.rowCount).bits
    let workers = table.rowCount < 65_536 ? 1 : min(Workers.parallelism, context.workerLimit)
    let columns = filterColumns
    try Workers.share(table.pageCount, among: Array(filters.prefix(max(1, workers))), context) {
      (filter: ConjunctiveFilter, page: Int) throws(SQLError) in
      var chunk = try columns.scan(page, of: table)
      let word = page * TableStore.pageCapacity / 64
      try filter.mask(of: &chunk, context).keep(of: bits, from: word, into: kept)
    }
    return ReachedSet(kept, in: table)
  }
}

extension AdjacencyAccess.Opened {
  /// The number of edges of some rows; of many rows a guess.
  func edgeCount(of sources: ReachedSet) -> Int {
    if let list = sources.list {
      var total = 0
      for index in 0..<sources.count { total += adjacency.degree(of: list[index]) }
      return total
    }
    let share = Double(sources.count) / Double(max(1, parents.liveRowCount))
    return Int(Double(adjacency.edgeCount) * min(1, share))
  }

  /// Whether so many edges are dearer to follow than to look for from their other end, where one look after another
  /// goes on until one of them is found.
  fileprivate func looksBack(edgeCount: Int, targets: Int) -> Bool {
    let all = Double(max(1, adjacency.edgeCount))
    let degree = all / Double(max(1, targets))
    let looks = Double(targets) * min(degree, all / Double(max(1, edgeCount)))
    return looks * 2 < Double(edgeCount)
  }
}
