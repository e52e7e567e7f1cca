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
  /// Conditions on the rows arrived at.
  private let filter: RowFilter?
  private let arrival: TableDefinition

  init(_ step: AdjacencyStep, _ compiler: PlanCompiler) throws(SQLError) {
    guard let arrival = step.arrival else {
      throw SQLError.internal("a step of a walk arrives at no rows")
    }
    var walked = step
    walked.filters = []
    walked.edgeColumns = []
    walked.neighbourColumns = []
    self.step = walked
    self.arrival = arrival.table
    access = AdjacencyAccess(walked)
    access.notesReads = true
    filter = try RowFilter(step.filters, on: arrival, compiler)
  }

  // MARK: Steps

  /// The neighbours of some rows.
  func run(
    from sources: ReachedSet, _ context: ExecutionContext
  ) throws(SQLError) -> ReachedSet {
    try access.open(context.tables)
    let opened = try access.current()
    try sources.isOf(opened.parents)
    if let reads = access.reads { step.note(edgesOf: sources, opened.edges, reads) }
    var set = try neighbours(of: sources, opened, context)
    if let filter {
      set = try filter.filtered(set, isOwn: true, try opened.arrivals().table, context)
    }
    return set
  }

  /// The number of different neighbours of some rows.
  func count(from sources: ReachedSet, _ context: ExecutionContext) throws(SQLError) -> Int {
    guard sources.count == 1, let list = sources.list, step.isUnique, filter == nil else {
      return try run(from: sources, context).count
    }
    try access.open(context.tables)
    let opened = try access.current()
    try sources.isOf(opened.parents)
    if let reads = access.reads { step.note(edgesOf: sources, opened.edges, reads) }
    return opened.adjacency.degree(of: list[0])
  }

  /// Whether a whole number is all that is needed to go on from the row that has it as its key.
  var takesNumber: Bool { filter?.isKept ?? true && access.takesNumber }

  /// The neighbours of the row with a key, some perhaps more than once, until the next call; nil where they are many.
  ///
  /// - Precondition: the hop takes a number.
  func neighbours(
    ofNumber number: Int64, in tables: any TableSource
  ) throws(SQLError) -> (positions: Buffer<UInt32>, count: Int)? {
    try access.open(tables)
    let opened = try access.current()
    guard let found = try opened.neighbours(number: number) else { return nil }
    guard let filter else { return found }
    return try filter.selectKnown(
      found.positions, count: found.count, of: try opened.arrivals().table, tables)
  }

  /// The number of neighbours of the row with a key; nil where they must be told apart first.
  ///
  /// - Precondition: the hop takes a number.
  /// - Complexity: O(1).
  func count(
    fromNumber number: Int64, in tables: any TableSource
  ) throws(SQLError) -> Int? {
    guard step.isUnique, filter == nil else { return nil }
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

  /// The rows of the table arrived at that meet the conditions; nil where there are none.
  func admitted(_ context: ExecutionContext) throws(SQLError) -> ReachedSet? {
    guard let filter else { return nil }
    try access.open(context.tables)
    let table = try access.current().arrivals().table
    access.reads?.note(all: arrival.id, .all)
    let bits = MarkedNeighbours(limit: table.rowCount).bits
    for page in 0..<table.pageCount {
      try context.check()
      let rows = table.positions(ofPage: page)
      for index in 0..<rows.count { bits.insert(rows.positions[index]) }
    }
    return try filter.filtered(ReachedSet(bits, in: table), isOwn: true, table, context)
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
