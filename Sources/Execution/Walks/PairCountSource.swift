import Catalog
import Columnar
import Diagnostics
import Planning
import Storage
import Synchronization

/// How many ways of two steps lead from each row of a table to each row of another.
///
/// One source after another is gone out from, into counters for all targets. The targets of sources with few ways are noted
/// as they are come past, so that such a source costs what its ways do, however many rows the table has, and the lists
/// of many such sources are read together. Those of a source with many ways are found by going through all counters.
/// Of a source with one row between, whose list has no target twice, no counter is needed. Where only pairs of the greatest
/// counts are wanted, sources of most edges come first: no pair has more ways than its source has edges if no second step
/// repeats, so those with too few are never gone out from. Conditions on the rows between are looked at once for each of these.
final class PairCountSource: Source {
  private let plan: PairCount
  private let sourceFilter: RowFilter?
  private let first: Hop
  private let second: AdjacencyAccess
  private let sourceColumns: TableColumns
  private let targetColumns: TableColumns
  private let compiler: ExpressionCompiler
  private let limit: LimitEvaluator?
  /// The order of positions, where the only condition compares keys that rise with them.
  private let comparison: ComparisonOperator?

  private var run: Run?
  private let idle = Mutex<[PairWorker]>([])
  private let account = MemoryAccount()

  /// What all workers of a run read.
  private struct Run: Sendable {
    let first: AdjacencyAccess.Opened
    /// Where the first step arrives, and the second.
    let between: Arrivals
    let targets: Arrivals
    /// The positions of targets are below this.
    let targetLimit: Int
    /// A bit for each row between that meets the conditions; nil without conditions.
    let admitted: Buffer<UInt64>?
    let sources: PairSources
    /// Sources of so many edges at least have many ways.
    let manyDegree: Double
    /// Whether no pair has more ways than its source has edges.
    let isBoundByDegree: Bool
    let sourceReaders: ColumnReaders
    let targetReaders: ColumnReaders
    /// Which targets a source's pairs are of, where that is known by position.
    let comparison: ComparisonOperator?
    /// The counts that are asked for.
    let wanted: (least: UInt32, most: UInt32)
    /// Those that may be among the greatest or least.
    let bound: CountBound?

    /// The counts of a source's pairs that are still of interest; nil where none is.
    func counts(of source: UInt32) -> ClosedRange<UInt32>? {
      let places = bound?.counts(of: source) ?? 0..<Int64.max
      let least = max(wanted.least, UInt32(clamping: places.lowerBound))
      let most = min(wanted.most, UInt32(clamping: places.upperBound - 1))
      return least <= most ? least...most : nil
    }

    /// What is asked of a source's pairs; nil where none of them is wanted any more.
    func bounds(of source: UInt32) -> PairBounds? {
      guard let ways = counts(of: source) else { return nil }
      let wanted = comparison?.targets(of: Int(source), targetLimit) ?? 0..<targetLimit
      return PairBounds(
        ways: ways, targets: UInt32(wanted.lowerBound)..<UInt32(wanted.upperBound))
    }
  }

  init(_ plan: PairCount, _ compiler: PlanCompiler) throws(SQLError) {
    self.plan = plan
    sourceFilter = try RowFilter(
      plan.sourceFilters, on: StepArrival(table: plan.sources, columns: [plan.source]), compiler)
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
    try account.charge(Workers.parallelism * 8 * targets.limit + 12 * sources.rowCount)
    // Whether positions compare as the keys do, where that matters.
    var rises = false
    if comparison != nil || plan.order.sources != nil {
      rises = try sources.orders.rises(plan.source.index, of: sources)
    }
    var bound: CountBound?
    if let wanted = try limit?.bounds(context).end, wanted > 0 {
      var order = plan.order
      if !rises { order.sources = nil }
      if order.counts != nil || rises { bound = CountBound(wanted, order) }
    }
    let isBoundByDegree = plan.second.isUnique
    let admitted = try sourceFilter?.filtered(
      ReachedSet(allOf: sources), isOwn: true, sources, context)
    let ordered = PairSources(
      sources, one.adjacency, of: admitted?.bits,
      by: bound == nil ? .rising : plan.sourceOrder(isBoundByDegree))
    let edgeCount = Double(two.adjacency.edgeCount)
    run = Run(
      first: one, between: between, targets: targets, targetLimit: targets.limit,
      admitted: try first.admitted(context)?.bits, sources: ordered,
      manyDegree: Double(targets.limit) * Double(max(1, two.parents.liveRowCount))
        / (Self.sparseFactor * max(1, edgeCount)),
      isBoundByDegree: isBoundByDegree,
      sourceReaders: try ColumnReaders(sourceColumns, of: sources),
      targetReaders: try ColumnReaders(targetColumns, of: targets.table),
      comparison: rises ? comparison : nil, wanted: plan.wantedCounts, bound: bound)
  }

  override var morselCount: Int { run?.sources.morselCount ?? 0 }

  override func produce(
    _ morsel: Int, into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    guard let run else { return true }
    let worker: PairWorker
    if let known = idle.withLock({ $0.popLast() }) {
      worker = known
    } else {
      worker = PairWorker(try ConjunctiveFilter(plan.filters, compiler))
    }
    var batch = PairBatch()
    var fewCount = 0
    for index in run.sources.starts[morsel]..<run.sources.starts[morsel + 1] {
      let source = run.sources.positions[index]
      guard let ways = run.counts(of: source) else {
        // Those behind it are lost as well where sources alone decide.
        if plan.order.counts == nil { break }
        continue
      }
      let degree = run.between.degree(of: source)
      if run.isBoundByDegree && degree < ways.lowerBound { continue }
      if Double(degree) < run.manyDegree {
        worker.few[fewCount] = source
        fewCount &+= 1
        continue
      }
      try context.check()
      // The counters are left as they are: the worker is not used again.
      if try !pairsOfMany(source, worker, run, &batch, into: stage, context) { return false }
    }
    if try !pairsOfFew(fewCount, worker, run, &batch, into: stage, context) { return false }
    let goesOn = try flush(&batch, worker, run, into: stage, context)
    idle.withLock { $0.append(worker) }
    return goesOn
  }

  /// To go through the counters of so many targets takes about as long as to note one.
  private static let sparseFactor = 8.0

  /// The pairs of the sources with few ways, whose targets are noted on the way.
  ///
  /// - Complexity: O(ways).
  private func pairsOfFew(
    _ fewCount: Int, _ worker: PairWorker, _ run: Run, _ batch: inout PairBatch, into stage: Stage,
    _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    let few = worker.few
    var next = 0
    while next < fewCount {
      try context.check()
      let first = next
      var count = run.between.expand(
        few, from: &next, to: fewCount, origins: worker.origins, positions: worker.between,
        scratch: worker.scratch, limit: Vector.chunkCapacity)
      if next == first {
        // A list that stands apart, or that is longer than the others together may be.
        count = Int(truncatingIfNeeded: run.between.degree(of: few[next]))
        worker.makeRoom(ofSteps: count)
        run.between.copy(few[next], to: worker.between)
        worker.origins.fill(0..<count, with: UInt32(truncatingIfNeeded: next))
        next &+= 1
      }
      if let admitted = run.admitted { count = worker.admit(count, by: admitted) }
      var singles = 0
      if run.isBoundByDegree && count <= Vector.chunkCapacity {
        (singles, count) = worker.setApart(count)
      }
      if try !pairs(ofSteps: count, worker, run, &batch, into: stage, context) { return false }
      if try !pairs(ofSingles: singles, worker, run, &batch, into: stage, context) { return false }
    }
    return true
  }

  /// The pairs of sources whose only first steps the worker has set apart: each comes once, so that nothing is counted.
  private func pairs(
    ofSingles count: Int, _ worker: PairWorker, _ run: Run, _ batch: inout PairBatch,
    into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    if run.wanted.least > 1 || run.wanted.most < 1 { return true }
    var count = count
    if run.bound != nil {
      count = worker.keepSingles(count) { run.counts(of: $0)?.contains(1) ?? false }
    }
    var next = 0
    while next < count {
      try context.check()
      let first = next
      let end = run.targets.expand(
        worker.single, from: &next, to: count, origins: batch.sources, positions: batch.targets,
        scratch: worker.scratch, filled: batch.count, limit: Vector.chunkCapacity)
      if next > first {
        batch.takeSingles(
          to: end, worker.few, worker.singleOrigins, run.comparison, run.targetLimit)
      } else if batch.count > 0 {
        if try !flush(&batch, worker, run, into: stage, context) { return false }
      } else {
        // A list that stands apart, or one of more than a chunk.
        worker.bringBack(next)
        next &+= 1
        if try !pairs(ofSteps: 1, worker, run, &batch, into: stage, context) { return false }
      }
    }
    return true
  }

  /// The pairs of sources whose first steps the worker has.
  private func pairs(
    ofSteps count: Int, _ worker: PairWorker, _ run: Run, _ batch: inout PairBatch,
    into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    worker.makeRoom(ofTargets: run.targetLimit)
    let (few, counters, touched) = (worker.few, worker.counters, worker.kept)
    let many = Vector.chunkCapacity
    let isSame = run.bound == nil && run.comparison == nil
    let same = isSame ? run.bounds(of: 0) : nil
    return try run.targets.countByOrigin(
      worker.between, origins: worker.origins, count: count, in: counters, touched: touched
    ) { (origin, count) throws(SQLError) in
      // Lists of many edges may stand between two batches.
      if count > many { try context.check() }
      let source = few[origin]
      if let bounds = isSame ? same : run.bounds(of: source) {
        var next = 0
        while next < count {
          if batch.isFull, try !flush(&batch, worker, run, into: stage, context) { return false }
          batch.take(source, touched, from: &next, to: count, counters, bounds)
        }
      }
      for index in 0..<count { counters[touched[index]] = 0 }
      return true
    }
  }

  /// The pairs of a source with many ways, found by going through all targets.
  ///
  /// - Complexity: O(ways + targets).
  private func pairsOfMany(
    _ source: UInt32, _ worker: PairWorker, _ run: Run, _ batch: inout PairBatch, into stage: Stage,
    _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    worker.makeRoom(ofTargets: run.targetLimit)
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
    defer { counters.fill(0..<run.targetLimit, with: 0) }
    guard let bounds = run.bounds(of: source) else { return true }
    let (least, most) = (bounds.ways.lowerBound, bounds.ways.upperBound)
    var found = 0
    for target in bounds.targets {
      kept[found] = target
      found &+= bit(counters[target] >= least) & bit(counters[target] <= most)
    }
    var next = 0
    while next < found {
      if batch.isFull, try !flush(&batch, worker, run, into: stage, context) { return false }
      batch.take(source, kept, from: &next, to: found, counters, bounds)
    }
    return true
  }

  /// Hands on the pairs of the batch that meet the conditions.
  private func flush(
    _ batch: inout PairBatch, _ worker: PairWorker, _ run: Run, into stage: Stage,
    _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    if batch.count == 0 { return true }
    let source = run.sourceReaders.gather(batch.sources, count: batch.count)[0].flattened()
    let target = run.targetReaders.gather(batch.targets, count: batch.count)[0].flattened()
    let number = Vector(.bigint, batch.numbers, count: batch.count)
    let pair = plan.targetFirst ? [target, source] : [source, target]
    var chunk = DataChunk(pair + plan.counts.map { _ in number }, count: batch.count)
    var kept: SelectionVector?
    if run.comparison == nil && !plan.filters.isEmpty {
      kept = try worker.filter.select(&chunk, context)
      if let kept { chunk = chunk.gathered(kept) }
    }
    run.bound?.offer(kept ?? .all(batch.count), batch.numbers, sources: batch.sources)
    batch.renew()
    return chunk.count == 0 ? true : try stage.push(chunk)
  }
}

extension PairCount {
  /// The counts that pairs may have; the least is greater than the most where none can.
  fileprivate var wantedCounts: (least: UInt32, most: UInt32) {
    (UInt32(clamping: max(1, wanted.least)), UInt32(clamping: wanted.most))
  }

  /// The order of sources in which those that count come soon, where not all pairs are wanted.
  fileprivate func sourceOrder(_ isBoundByDegree: Bool) -> PairSources.Order {
    switch order.counts {
    case .rising: .rising
    case .falling: isBoundByDegree ? .degree : .rising
    case nil: order.sources == .falling ? .falling : .rising
    }
  }

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
