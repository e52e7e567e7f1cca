import Catalog
import Columnar
import Diagnostics
import Planning
import Storage
import Synchronization

/// How many ways of two steps lead from each row of a table to each row of another.
///
/// One source after another is gone out from, into counters for all targets that stay in the cache. The targets of a
/// source with few ways are noted as they are come past, so that a source costs what its ways do, however many rows the
/// table has; those of a source with many ways are found by going through all counters. Where only pairs of the greatest counts
/// are wanted, sources of most edges come first: no pair has more ways than its source has edges if no second step repeats, so
/// those with too few are never gone out from. Conditions on the rows between are looked at once for each of these.
final class PairCountSource: Source {
  private let plan: PairCount
  private let first: Hop
  private let second: AdjacencyAccess
  private let sourceColumns: TableColumns
  private let targetColumns: TableColumns
  private let compiler: ExpressionCompiler
  private let limit: LimitEvaluator?
  /// The order of positions, where the only condition compares keys that rise with them.
  private let comparison: ComparisonOperator?

  private var run: Run?
  private let idle = Mutex<[Worker]>([])
  private let account = MemoryAccount()

  /// What all workers of a run read.
  private struct Run: Sendable {
    let first: AdjacencyAccess.Opened
    /// Where the first step arrives, and the second.
    let between: Arrivals
    let targets: Arrivals
    /// A bit for each row between that meets the conditions; nil without conditions.
    let admitted: Buffer<UInt64>?
    /// Second steps from a row between, on average.
    let secondDegree: Double
    /// Sources that have edges, in the order in which they are gone out from, and where morsels of them begin.
    let sources: Buffer<UInt32>
    let starts: [Int]
    let sourceReaders: ColumnReaders
    let targetReaders: ColumnReaders
    /// Which targets a source's pairs are of, where that is known by position.
    let comparison: ComparisonOperator?
    /// The counts that are asked for, and those that may be among the greatest or least.
    let wanted: (least: Int64, most: Int64)
    let bound: CountBound?

    /// The counts that are still of interest.
    var counts: (least: Int64, most: Int64) {
      guard let bound else { return wanted }
      return bound.takesLeast
        ? (wanted.least, min(wanted.most, bound.last))
        : (max(wanted.least, bound.last), wanted.most)
    }

    /// The fewest and most ways that a pair of a source may have, and the positions that its target may have.
    func bounds(of source: UInt32) -> (least: UInt32, most: UInt32, targets: Range<Int>) {
      let limit = targets.limit
      let counts = counts
      return (
        UInt32(clamping: max(1, counts.least)), UInt32(clamping: counts.most),
        comparison.map { $0.targets(of: Int(source), limit) } ?? 0..<limit
      )
    }
  }

  /// What one worker computes with.
  ///
  /// Sendable by rule: one worker at a time has it.
  private final class Worker: @unchecked Sendable {
    let filter: ConjunctiveFilter
    /// The ways to each target from the source in hand; all zero between two sources.
    var counters = Buffer<UInt32>(uninitialized: 0)
    /// Targets with ways enough.
    var kept = Buffer<UInt32>(uninitialized: 0)
    var aside: [UInt32] = []
    var batch = PairBatch()
    private var met = Buffer<UInt32>(uninitialized: Vector.chunkCapacity)

    init(_ filter: ConjunctiveFilter) { self.filter = filter }

    func makeRoom(_ limit: Int) {
      if counters.count < limit {
        counters = Buffer(zeroed: limit)
        kept = Buffer(uninitialized: limit)
      }
    }

    /// Those of some rows that are admitted, until the next call.
    func admitting(
      _ rows: Buffer<UInt32>, by bits: Buffer<UInt64>?
    ) -> (rows: Buffer<UInt32>, count: Int) {
      guard let bits else { return (rows, rows.count) }
      if met.count < rows.count { met = Buffer(uninitialized: rows.count) }
      let met = met
      var found = 0
      for index in 0..<rows.count {
        met[found] = rows[index]
        found &+= bit(bits.contains(rows[index]))
      }
      return (met, found)
    }
  }

  /// Pairs on their way to a chunk: those of many sources where each has few.
  private struct PairBatch {
    private(set) var sources = Buffer<UInt32>(uninitialized: Vector.chunkCapacity)
    private(set) var targets = Buffer<UInt32>(uninitialized: Vector.chunkCapacity)
    private(set) var numbers = Buffer<Int64>(uninitialized: Vector.chunkCapacity)
    private(set) var count = 0

    var isFull: Bool { count == Vector.chunkCapacity }

    /// - Precondition: the batch is not full.
    mutating func add(_ source: UInt32, _ target: UInt32, _ ways: UInt32) {
      sources[count] = source
      targets[count] = target
      numbers[count] = Int64(truncatingIfNeeded: ways)
      count &+= 1
    }
  }

  /// Edges of the first step to a morsel, about.
  private static let morselEdgeCount = 4096

  init(_ plan: PairCount, _ compiler: PlanCompiler) throws(SQLError) {
    self.plan = plan
    first = try Hop(plan.first, compiler)
    second = AdjacencyAccess(plan.second.bare)
    sourceColumns = TableColumns([plan.source])
    targetColumns = TableColumns([plan.target])
    self.compiler = compiler.expressions(over: plan.columns)
    limit = try plan.limit.map { (limit) throws(SQLError) in
      try LimitEvaluator(limit, compiler.expressions(over: []))
    }
    comparison = plan.comparison
  }

  override func prepare(_ context: ExecutionContext) throws(SQLError) {
    run = nil
    account.reset(context)
    try first.access.open(context.tables)
    try second.open(context.tables)
    let (one, two) = (try first.access.current(), try second.current())
    let sources = try context.tables.table(plan.sources.id)
    let (between, targets) = (try one.arrivals(), try two.arrivals())
    guard one.parents === sources, two.parents === between.table else {
      throw SQLError.internal("the steps of pairs do not follow one another")
    }
    try account.charge(Workers.parallelism * 8 * targets.limit + 8 * sources.rowCount)
    let isOrdered = comparison != nil && sources.serialColumn(plan.source.index) != nil
    var bound: CountBound?
    if let wanted = try limit?.bounds(context).end, wanted > 0 {
      bound = CountBound(wanted, takesLeast: plan.takesLeast)
    }
    let (ordered, starts) = Self.order(
      sources, one.adjacency,
      byDegree: bound.map { !$0.takesLeast } ?? false && plan.second.isUnique)
    run = Run(
      first: one, between: between, targets: targets,
      admitted: try first.admitted(context)?.bits,
      secondDegree: Double(two.adjacency.edgeCount) / Double(max(1, two.parents.liveRowCount)),
      sources: ordered, starts: starts,
      sourceReaders: try ColumnReaders(sourceColumns, of: sources),
      targetReaders: try ColumnReaders(targetColumns, of: targets.table),
      comparison: isOrdered ? comparison : nil, wanted: plan.wanted, bound: bound)
  }

  /// The rows that have edges, those of most edges first if so wanted, and where morsels begin; the last entry is their
  /// number.
  private static func order(
    _ table: TableStore, _ adjacency: AdjacencyIndex, byDegree: Bool
  ) -> (Buffer<UInt32>, [Int]) {
    let degrees = adjacency.degrees(0..<table.rowCount)
    var sources: [UInt32] = []
    for position in 0..<table.rowCount where degrees[position] > 0 {
      sources.append(UInt32(truncatingIfNeeded: position))
    }
    if byDegree { sources.sort { degrees[$0] > degrees[$1] } }
    var starts: [Int] = []
    var held = morselEdgeCount
    for (index, source) in sources.enumerated() {
      if held >= morselEdgeCount {
        starts.append(index)
        held = 0
      }
      held += Int(degrees[source])
    }
    return (Buffer(sources), starts + [sources.count])
  }

  override var morselCount: Int { max(0, (run?.starts.count ?? 1) - 1) }

  override func produce(
    _ morsel: Int, into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    guard let run else { return true }
    let worker: Worker
    if let known = idle.withLock({ $0.popLast() }) {
      worker = known
    } else {
      worker = Worker(try ConjunctiveFilter(plan.filters, compiler))
    }
    worker.makeRoom(run.targets.limit)
    worker.batch = PairBatch()
    for index in run.starts[morsel]..<run.starts[morsel + 1] {
      try context.check()
      let source = run.sources[index]
      let degree = run.first.adjacency.degree(of: source)
      if plan.second.isUnique, degree < run.counts.least { continue }
      let ways = Double(degree) * run.secondDegree
      let isSparse = ways * Self.sparseFactor < Double(run.targets.limit)
      let goesOn =
        isSparse
        ? try pairsOfFew(source, worker, run, into: stage, context)
        : try pairsOfMany(source, worker, run, into: stage, context)
      // The counters are left as they are: the worker is not used again.
      if !goesOn { return false }
    }
    let goesOn = try flush(worker, run, into: stage, context)
    idle.withLock { $0.append(worker) }
    return goesOn
  }

  /// To go through the counters of so many targets takes about as long as to note one.
  private static let sparseFactor = 8.0

  /// The pairs of a source with few ways, whose targets are noted on the way.
  ///
  /// - Complexity: O(ways).
  private func pairsOfFew(
    _ source: UInt32, _ worker: Worker, _ run: Run, into stage: Stage,
    _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    let (counters, touched) = (worker.counters, worker.kept)
    var count = 0
    let list = run.first.adjacency.neighbours(of: source)
    for index in 0..<list.runCount {
      let between = worker.admitting(
        list.run(index).positions(at: run.between.end), by: run.admitted)
      run.targets.count(
        between.rows, count: between.count, in: counters, touched: touched, &count,
        aside: &worker.aside)
    }
    for other in worker.aside { run.targets.count(other, in: counters, touched: touched, &count) }
    worker.aside.removeAll(keepingCapacity: true)
    let (least, most, wanted) = run.bounds(of: source)
    for index in 0..<count {
      let target = touched[index]
      let ways = counters[target]
      counters[target] = 0
      guard ways >= least, ways <= most, wanted.contains(Int(truncatingIfNeeded: target)) else {
        continue
      }
      worker.batch.add(source, target, ways)
      if worker.batch.isFull, try !flush(worker, run, into: stage, context) { return false }
    }
    return true
  }

  /// The pairs of a source with many ways, found by going through all targets.
  ///
  /// - Complexity: O(ways + targets).
  private func pairsOfMany(
    _ source: UInt32, _ worker: Worker, _ run: Run, into stage: Stage,
    _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    let (counters, kept) = (worker.counters, worker.kept)
    let map = CountedNeighbours(counters)
    let list = run.first.adjacency.neighbours(of: source)
    for index in 0..<list.runCount {
      let between = worker.admitting(
        list.run(index).positions(at: run.between.end), by: run.admitted)
      run.targets.add(between.rows, count: between.count, to: map, aside: &worker.aside)
    }
    for other in worker.aside { run.targets.add(other, to: map) }
    worker.aside.removeAll(keepingCapacity: true)
    let (least, most, wanted) = run.bounds(of: source)
    var found = 0
    for position in wanted {
      kept[found] = UInt32(truncatingIfNeeded: position)
      found &+= bit(counters[position] >= least) & bit(counters[position] <= most)
    }
    for index in 0..<found {
      worker.batch.add(source, kept[index], counters[kept[index]])
      if worker.batch.isFull, try !flush(worker, run, into: stage, context) { return false }
    }
    counters.fill(0..<run.targets.limit, with: 0)
    return true
  }

  /// Hands on the pairs of the batch that meet the conditions.
  private func flush(
    _ worker: Worker, _ run: Run, into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    let batch = worker.batch
    if batch.count == 0 { return true }
    // What was handed on may still be read by somebody.
    worker.batch = PairBatch()
    let source = run.sourceReaders.gather(batch.sources, count: batch.count)[0].flattened()
    let target = run.targetReaders.gather(batch.targets, count: batch.count)[0].flattened()
    let number = Vector(.bigint, batch.numbers, count: batch.count)
    let pair = plan.targetFirst ? [target, source] : [source, target]
    var chunk = DataChunk(pair + plan.counts.map { _ in number }, count: batch.count)
    if run.comparison == nil { chunk = try worker.filter.apply(chunk, context) }
    run.bound?.offer(chunk, countAt: 2)
    return chunk.count == 0 ? true : try stage.push(chunk)
  }
}

/// The last count that can still be among the greatest, or among the least.
final class CountBound: Sendable {
  let takesLeast: Bool
  private let wanted: Int
  private let current: Atomic<Int>
  private let known = Mutex<[Int64]>([])
  /// More are not kept track of.
  private static let wantedLimit = 65_536

  init?(_ wanted: Int, takesLeast: Bool = false) {
    if wanted > Self.wantedLimit { return nil }
    self.wanted = wanted
    self.takesLeast = takesLeast
    current = Atomic(takesLeast ? .max : 0)
  }

  /// A group with a count beyond this has no place among those wanted any more.
  var last: Int64 { Int64(current.load(ordering: .relaxed)) }

  /// Takes note of counts, of groups each of which is offered once.
  func offer(_ chunk: DataChunk, countAt place: Int) {
    let counts = chunk.columns[place].flattened().values(Int64.self)
    let (last, takesLeast) = (last, takesLeast)
    known.withLock { known in
      for row in 0..<chunk.count where takesLeast ? counts[row] < last : counts[row] > last {
        known.append(counts[row])
      }
      if known.count < 2 * wanted { return }
      if takesLeast { known.sort(by: <) } else { known.sort(by: >) }
      known.removeLast(known.count - wanted)
      current.store(Int(known[wanted - 1]), ordering: .relaxed)
    }
  }
}

extension ComparisonOperator {
  /// The targets whose position compares so with a source's, of those below `limit`.
  fileprivate func targets(of source: Int, _ limit: Int) -> Range<Int> {
    switch self {
    case .less: 0..<min(limit, source)
    case .lessOrEqual: 0..<min(limit, source + 1)
    case .greater: min(limit, source + 1)..<limit
    case .equal, .notEqual, .greaterOrEqual: min(limit, source)..<limit
    }
  }
}

extension PairCount {
  /// The columns that come out.
  var columns: [PlanColumn] {
    (targetFirst ? [target.column, source.column] : [source.column, target.column]) + counts
  }

  /// How the target's column compares with the source's, where the only condition says so of one column of one table.
  fileprivate var comparison: ComparisonOperator? {
    guard filters.count == 1, case .comparison(let comparison, let left, let right) = filters[0],
      comparison != .equal && comparison != .notEqual,
      let table = second.arrival?.table, table.id == sources.id, target.index == source.index
    else { return nil }
    if left.asColumn == target.column.id && right.asColumn == source.column.id { return comparison }
    if left.asColumn == source.column.id && right.asColumn == target.column.id {
      return comparison.commuted
    }
    return nil
  }
}

extension AdjacencyStep {
  /// The step without anything read on the way.
  var bare: AdjacencyStep {
    var step = self
    step.filters = []
    step.edgeColumns = []
    step.neighbourColumns = []
    return step
  }
}
