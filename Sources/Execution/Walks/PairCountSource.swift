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
/// Where only pairs of the greatest counts are wanted, sources of most edges come first: no pair has more ways than its source has edges if no second step repeats, so
/// those with too few are never gone out from. Conditions on the rows between are looked at once for each of these.
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
  private let idle = Mutex<[Worker]>([])
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
    /// Sources that have edges, in the order in which they are gone out from, and where morsels of them begin.
    let sources: Buffer<UInt32>
    let starts: [Int]
    /// Sources of so many edges at least have many ways.
    let manyDegree: Double
    /// Whether no pair has more ways than its source has edges.
    let isBoundByDegree: Bool
    let sourceReaders: ColumnReaders
    let targetReaders: ColumnReaders
    /// Which targets a source's pairs are of, where that is known by position.
    let comparison: ComparisonOperator?
    /// The counts that are asked for, and those that may be among the greatest or least.
    let wanted: (least: Int64, most: Int64)
    let bound: CountBound?

    /// The counts of a source's pairs that are still of interest; nil where none is.
    func counts(of source: UInt32) -> ClosedRange<UInt32>? {
      let bound = bound?.counts(of: source) ?? 0..<Int64.max
      let least = UInt32(clamping: max(1, wanted.least, bound.lowerBound))
      let most = UInt32(clamping: min(wanted.most, bound.upperBound - 1))
      return least <= most ? least...most : nil
    }

    /// What is asked of a source's pairs; nil where none of them is wanted any more.
    func bounds(of source: UInt32) -> Bounds? {
      guard let ways = counts(of: source) else { return nil }
      let wanted = comparison?.targets(of: Int(source), targetLimit) ?? 0..<targetLimit
      return Bounds(
        ways: ways, targets: UInt32(wanted.lowerBound)..<UInt32(wanted.upperBound))
    }

    /// Whether no pair of a source is wanted.
    func passesOver(_ source: UInt32, degree: UInt32) -> Bool {
      guard let ways = counts(of: source) else { return true }
      return isBoundByDegree && degree < ways.lowerBound
    }
  }

  /// What one worker computes with.
  ///
  /// Sendable by rule: one worker at a time has it.
  private final class Worker: @unchecked Sendable {
    let filter: ConjunctiveFilter
    /// The ways to each target from the source in hand; all zero between two sources.
    var counters = Buffer<UInt32>(uninitialized: 0)
    /// Targets with ways enough, or that were come past.
    var kept = Buffer<UInt32>(uninitialized: 0)
    /// The sources of a morsel that have few ways.
    let few = Buffer<UInt32>(uninitialized: PairCountSource.morselEdgeCount)
    /// First steps of some of them: where they arrive, and the index of their source.
    private(set) var between = Buffer<UInt32>(uninitialized: Vector.chunkCapacity)
    private(set) var origins = Buffer<UInt32>(uninitialized: Vector.chunkCapacity)
    private(set) var scratch = Buffer<UInt32>(uninitialized: Vector.chunkCapacity)
    var aside: [UInt32] = []
    private var met = Buffer<UInt32>(uninitialized: Vector.chunkCapacity)

    init(_ filter: ConjunctiveFilter) { self.filter = filter }

    func makeRoom(ofTargets limit: Int) {
      if counters.count >= limit { return }
      counters = Buffer(zeroed: limit)
      kept = Buffer(uninitialized: limit + 1)
    }

    /// Makes room for so many first steps.
    func makeRoom(ofSteps count: Int) {
      if between.count >= count { return }
      between = Buffer(uninitialized: count)
      origins = Buffer(uninitialized: count)
      scratch = Buffer(uninitialized: count)
    }

    /// Keeps those of the first steps that arrive at a row that is admitted, and says how many.
    func admit(_ count: Int, by bits: Buffer<UInt64>) -> Int {
      let (between, origins) = (between, origins)
      var found = 0
      for index in 0..<count {
        let row = between[index]
        between[found] = row
        origins[found] = origins[index]
        found &+= bit(bits.contains(row))
      }
      return found
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

    /// Takes those of a source's pairs that are within bounds, from `next` on until the batch is full or there are no
    /// more.
    mutating func take(
      _ source: UInt32, _ found: Buffer<UInt32>, from next: inout Int, to end: Int,
      _ counters: Buffer<UInt32>, _ bounds: Bounds
    ) {
      let capacity = Vector.chunkCapacity
      var place = count
      while next < end && place < capacity {
        let target = found[next]
        let ways = counters[target]
        sources[place] = source
        targets[place] = target
        numbers[place] = Int64(truncatingIfNeeded: ways)
        place &+= bounds.take(target, ways)
        next &+= 1
      }
      count = place
    }

    /// Makes room anew, as what was handed on may still be read by somebody.
    mutating func renew() {
      sources = Buffer(uninitialized: Vector.chunkCapacity)
      targets = Buffer(uninitialized: Vector.chunkCapacity)
      numbers = Buffer(uninitialized: Vector.chunkCapacity)
      count = 0
    }
  }

  /// The fewest and most ways that a pair of a source may have, and the positions that its target may have.
  private struct Bounds {
    let ways: ClosedRange<UInt32>
    let targets: Range<UInt32>

    /// 1 for a pair that is within bounds, otherwise 0.
    @inline(__always)
    func take(_ target: UInt32, _ number: UInt32) -> Int {
      bit(number >= ways.lowerBound) & bit(number <= ways.upperBound)
        & bit(target >= targets.lowerBound) & bit(target < targets.upperBound)
    }
  }

  /// Edges of the first step to a morsel, about.
  private static let morselEdgeCount = 4096

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
    let isSerial = sources.serialColumn(plan.source.index) != nil
    let isOrdered = comparison != nil && isSerial
    var bound: CountBound?
    if let wanted = try limit?.bounds(context).end, wanted > 0 {
      var order = plan.order
      if !isSerial { order.sources = nil }
      if order.comparesCounts || isSerial { bound = CountBound(wanted, order) }
    }
    let isBoundByDegree = plan.second.isUnique
    let admitted = try sourceFilter?.filtered(
      ReachedSet(allOf: sources), isOwn: true, sources, context)
    let (ordered, starts) = Self.order(
      sources, one.adjacency, of: admitted?.bits,
      by: bound == nil ? .rising : plan.sourceOrder(isBoundByDegree))
    let edgeCount = Double(two.adjacency.edgeCount)
    run = Run(
      first: one, between: between, targets: targets, targetLimit: targets.limit,
      admitted: try first.admitted(context)?.bits, sources: ordered, starts: starts,
      manyDegree: Double(targets.limit) * Double(max(1, two.parents.liveRowCount))
        / (Self.sparseFactor * max(1, edgeCount)),
      isBoundByDegree: isBoundByDegree,
      sourceReaders: try ColumnReaders(sourceColumns, of: sources),
      targetReaders: try ColumnReaders(targetColumns, of: targets.table),
      comparison: isOrdered ? comparison : nil, wanted: plan.wanted, bound: bound)
  }

  /// In which order sources are gone out from.
  fileprivate enum SourceOrder {
    case rising, falling
    /// Those of most edges first.
    case degree
  }

  /// The rows that have edges, of those whose bit is set if there are bits, and where morsels begin; the last entry is their
  /// number.
  private static func order(
    _ table: TableStore, _ adjacency: AdjacencyIndex, of admitted: Buffer<UInt64>?,
    by wanted: SourceOrder
  ) -> (Buffer<UInt32>, [Int]) {
    let degrees = adjacency.degrees(0..<table.rowCount)
    let found = Buffer<UInt32>(uninitialized: table.rowCount + 1)
    var count = 0
    for position in 0..<table.rowCount {
      found[count] = UInt32(truncatingIfNeeded: position)
      count &+= bit(degrees[position] > 0)
    }
    if let admitted {
      let all = count
      count = 0
      for index in 0..<all {
        let position = found[index]
        found[count] = position
        count &+= bit(admitted.contains(position))
      }
    }
    var sources = found.slice(0..<count)
    switch wanted {
    case .rising: break
    case .falling:
      sources = Buffer(uninitialized: count)
      for index in 0..<count { sources[count &- 1 &- index] = found[index] }
    case .degree: sources = fallingDegrees(found, count, degrees)
    }
    var starts: [Int] = []
    var held = morselEdgeCount
    for index in 0..<count {
      if held >= morselEdgeCount {
        starts.append(index)
        held = 0
      }
      held += Int(degrees[sources[index]])
    }
    return (sources, starts + [count])
  }

  /// Rows in the order of their degrees, the greatest first.
  ///
  /// - Complexity: O(rows + greatest degree).
  private static func fallingDegrees(
    _ rows: Buffer<UInt32>, _ count: Int, _ degrees: Buffer<UInt32>
  ) -> Buffer<UInt32> {
    var most: UInt32 = 0
    for index in 0..<count { most = max(most, degrees[rows[index]]) }
    let places = Buffer<Int>(zeroed: Int(most) + 2)
    for index in 0..<count { places[Int(most &- degrees[rows[index]]) &+ 1] &+= 1 }
    for degree in 1..<places.count { places[degree] &+= places[degree &- 1] }
    let sorted = Buffer<UInt32>(uninitialized: count)
    for index in 0..<count {
      let degree = Int(most &- degrees[rows[index]])
      sorted[places[degree]] = rows[index]
      places[degree] &+= 1
    }
    return sorted
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
    var batch = PairBatch()
    var fewCount = 0
    for index in run.starts[morsel]..<run.starts[morsel + 1] {
      let source = run.sources[index]
      let degree = run.between.degree(of: source)
      if run.passesOver(source, degree: degree) { continue }
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
    _ fewCount: Int, _ worker: Worker, _ run: Run, _ batch: inout PairBatch, into stage: Stage,
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
      if try !pairs(ofSteps: count, worker, run, &batch, into: stage, context) { return false }
    }
    return true
  }

  /// The pairs of sources whose first steps the worker has.
  private func pairs(
    ofSteps count: Int, _ worker: Worker, _ run: Run, _ batch: inout PairBatch,
    into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    worker.makeRoom(ofTargets: run.targetLimit)
    let (few, counters, touched) = (worker.few, worker.counters, worker.kept)
    let many = Vector.chunkCapacity
    return try run.targets.countByOrigin(
      worker.between, origins: worker.origins, count: count, in: counters, touched: touched
    ) { (origin, count) throws(SQLError) in
      // Lists of many edges may stand between two batches.
      if count > many { try context.check() }
      let source = few[origin]
      if let bounds = run.bounds(of: source) {
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
    _ source: UInt32, _ worker: Worker, _ run: Run, _ batch: inout PairBatch, into stage: Stage,
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
    _ batch: inout PairBatch, _ worker: Worker, _ run: Run, into stage: Stage,
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
  /// The order of sources in which those that count come soon, where not all pairs are wanted.
  fileprivate func sourceOrder(_ isBoundByDegree: Bool) -> PairCountSource.SourceOrder {
    if !order.comparesCounts { return order.sources == .falling ? .falling : .rising }
    return isBoundByDegree && !order.takesLeast ? .degree : .rising
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
