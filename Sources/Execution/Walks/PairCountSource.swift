import Catalog
import Columnar
import Diagnostics
import Planning
import Storage
import Synchronization

/// How many ways of two steps lead from each row of a table to each row of another.
///
/// One source after another is gone out from, into counters for all targets that stay in the cache. Where
/// only pairs of the greatest counts are wanted, sources of most edges come first: no pair has more ways than its source
/// has edges if no second step repeats, so those with too few are never gone out from.
final class PairCountSource: Source, @unchecked Sendable {
  private let plan: PairCount
  private let first: AdjacencyAccess
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
    let second: AdjacencyAccess.Opened
    /// Sources that have edges, in the order in which they are gone out from, and where morsels of them begin.
    let sources: Buffer<UInt32>
    let starts: [Int]
    let sourceReaders: ColumnReaders
    let targetReaders: ColumnReaders
    let targetLimit: Int
    /// Which targets a source's pairs are of, where that is known by position.
    let comparison: ComparisonOperator?
    let bound: CountBound?
  }

  /// What one worker computes with.
  ///
  /// Sendable by rule: one worker at a time has it.
  private final class Worker: @unchecked Sendable {
    let filter: ConjunctiveFilter
    var counters = Buffer<UInt32>(uninitialized: 0)
    var kept = Buffer<UInt32>(uninitialized: 0)
    var aside: [UInt32] = []

    init(_ filter: ConjunctiveFilter) { self.filter = filter }

    func makeRoom(_ limit: Int) {
      if counters.count < limit {
        counters = Buffer(zeroed: limit)
        kept = Buffer(uninitialized: limit)
      }
    }
  }

  /// Edges of the first step to a morsel, about.
  private static let morselEdgeCount = 4096

  init(_ plan: PairCount, _ compiler: PlanCompiler) throws(SQLError) {
    self.plan = plan
    first = AdjacencyAccess(plan.first.bare)
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
    try first.open(context.tables)
    try second.open(context.tables)
    let (one, two) = (try first.current(), try second.current())
    let sources = try context.tables.table(plan.sources.id)
    let targets =
      if let table = plan.second.neighbourTable, plan.second.to != nil {
        try context.tables.table(table.id)
      } else { two.edges }
    try account.charge(Workers.parallelism * 8 * targets.rowCount + 8 * sources.rowCount)
    let isOrdered = comparison != nil && sources.serialColumn(plan.source.index) != nil
    var bound: CountBound?
    if let wanted = try limit?.bounds(context).end, wanted > 0 { bound = CountBound(wanted) }
    let (ordered, starts) = Self.order(
      sources, one.adjacency, byDegree: bound != nil && plan.second.isUnique)
    run = Run(
      first: one, second: two, sources: ordered, starts: starts,
      sourceReaders: ColumnReaders(sourceColumns, of: sources),
      targetReaders: ColumnReaders(targetColumns, of: targets), targetLimit: targets.rowCount,
      comparison: isOrdered ? comparison : nil, bound: bound)
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
    worker.makeRoom(run.targetLimit)
    defer { idle.withLock { $0.append(worker) } }
    for index in run.starts[morsel]..<run.starts[morsel + 1] {
      try context.check()
      let source = run.sources[index]
      if let bound = run.bound, plan.second.isUnique,
        run.first.adjacency.degree(of: source) < bound.least
      {
        continue
      }
      count(from: source, worker, run)
      if try !handOn(source, worker, run, into: stage, context) { return false }
    }
    return true
  }

  /// Counts the ways from a source to each target.
  private func count(from source: UInt32, _ worker: Worker, _ run: Run) {
    let list = run.first.adjacency.neighbours(of: source)
    for index in 0..<list.runCount {
      let between = list.run(index).targets
      run.second.lists.count(
        neighboursOf: between, count: between.count, in: worker.counters, aside: &worker.aside)
    }
    for other in worker.aside {
      let list = run.second.adjacency.neighbours(of: other)
      list.count(0..<list.runCount, in: worker.counters)
    }
    worker.aside.removeAll(keepingCapacity: true)
  }

  /// Hands on the pairs of a source that have ways enough, and clears the counters.
  private func handOn(
    _ source: UInt32, _ worker: Worker, _ run: Run, into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    let (counters, kept) = (worker.counters, worker.kept)
    let least = UInt32(clamping: max(1, run.bound?.least ?? 1))
    let wanted = run.comparison.map { $0.targets(of: Int(source), run.targetLimit) }
    var found = 0
    for position in wanted ?? 0..<run.targetLimit {
      kept[found] = UInt32(truncatingIfNeeded: position)
      found &+= bit(counters[position] >= least)
    }
    if found == 0 {
      counters.fill(0..<run.targetLimit, with: 0)
      return true
    }
    let numbers = Buffer<Int64>(uninitialized: found)
    for index in 0..<found { numbers[index] = Int64(truncatingIfNeeded: counters[kept[index]]) }
    counters.fill(0..<run.targetLimit, with: 0)
    let own = run.sourceReaders.gather(Buffer(repeating: source, count: 1), count: 1)[0]
    var start = 0
    while start < found {
      let length = min(Vector.chunkCapacity, found - start)
      let part = kept.slice(start..<(start + length))
      let number = Vector(.bigint, numbers.slice(start..<(start + length)), count: length)
      // The positions are written over when the next source comes.
      let other = run.targetReaders.gather(part, count: length)[0].flattened()
      let pair = plan.targetFirst ? [other, own.repeated(length)] : [own.repeated(length), other]
      var chunk = DataChunk(pair + plan.counts.map { _ in number }, count: length)
      if run.comparison == nil { chunk = try worker.filter.apply(chunk, context) }
      run.bound?.offer(chunk, countAt: 2)
      if chunk.count > 0, try !stage.push(chunk) { return false }
      start += length
    }
    return true
  }
}

/// The least count that can still be among the greatest.
final class CountBound: Sendable {
  private let wanted: Int
  private let current = Atomic<Int>(0)
  private let greatest = Mutex<[Int64]>([])
  /// More are not kept track of.
  private static let wantedLimit = 65_536

  init?(_ wanted: Int) {
    if wanted > Self.wantedLimit { return nil }
    self.wanted = wanted
  }

  /// A group of fewer has no place among the greatest any more.
  var least: Int { current.load(ordering: .relaxed) }

  /// Takes note of counts, of groups each of which is offered once.
  func offer(_ chunk: DataChunk, countAt place: Int) {
    let counts = chunk.columns[place].flattened().values(Int64.self)
    let least = Int64(least)
    greatest.withLock { known in
      for row in 0..<chunk.count where counts[row] > least { known.append(counts[row]) }
      if known.count < 2 * wanted { return }
      known.sort(by: >)
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
    default: min(limit, source)..<limit
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
