import Catalog
import Columnar
import Diagnostics
import Planning
import Storage

/// The number of closed walks along three or four foreign key pairs, counted without a row of any of the joins.
final class CycleCountSource: OneChunkSource {
  private let plan: CycleCount
  /// The conditions on the edges of each step, and on the rows at each corner that has some.
  private let edgeFilters: [RowFilter?]
  private let cornerFilters: [RowFilter?]
  private var total: Int64 = 0
  private let account = MemoryAccount()

  /// Sources to a piece of work: small, as the degrees of a few may be most of all edges.
  private static let sourcesAtOnce = 64

  init(_ plan: CycleCount, _ compiler: PlanCompiler) throws(SQLError) {
    self.plan = plan
    edgeFilters = try plan.steps.map { (step) throws(SQLError) in
      let rows = StepArrival(table: step.table, columns: step.scan.columns)
      return try RowFilter(step.filters, on: rows, compiler)
    }
    cornerFilters = try plan.corners.map { (corner) throws(SQLError) in
      let rows = StepArrival(table: corner.scan.table, columns: corner.scan.columns)
      return try RowFilter(corner.filters, on: rows, compiler)
    }
  }

  override func prepare(_ context: ExecutionContext) throws(SQLError) {
    account.reset(context)
    let steps = try steps(context)
    let limits = try plan.steps.map { (step) throws(SQLError) in
      try context.tables.table(step.table.foreignKeys[step.from].parent).rowCount
    }
    let conditions = plan.conditions.map {
      CycleRing.Condition($0.corner, $0.comparison.kernel, $0.other)
    }
    let written = CycleRing(
      steps, limits: limits, conditions: conditions, keys: try fallingKeys(context))
    let chosen = try written.cheapest()
    try account.charge(chosen.keptByteCount)
    let ring = try chosen.keeping()
    let pieces = (ring.sourceCount + Self.sourcesAtOnce - 1) / Self.sourcesAtOnce
    let workers = max(1, min(pieces, Workers.parallelism, context.workerLimit))
    try account.charge(workers * CycleCounter.byteCount(ring))
    let (all, each) = ring.flatByteCounts()
    try account.charge(all + workers * each)
    let flat = try ring.flatSides()
    let counters = (0..<workers).map { _ in CycleCounter(ring, flat) }
    try Workers.share(pieces, among: counters, context) {
      (counter: CycleCounter, piece: Int) throws(SQLError) in
      let first = piece * Self.sourcesAtOnce
      let end = min(first + Self.sourcesAtOnce, ring.sourceCount)
      try context.check()
      try counter.add(UInt32(truncatingIfNeeded: first)..<UInt32(truncatingIfNeeded: end))
    }
    total = 0
    for counter in counters {
      let (sum, overflow) = total.addingReportingOverflow(counter.total)
      if overflow || counter.isOver {
        throw SQLError(.numericOutOfRange, "bigint out of range")
      }
      total = sum
    }
  }

  /// The edges of each step, and which of them meet the conditions on them and on their ends.
  private func steps(_ context: ExecutionContext) throws(SQLError) -> [CycleRing.Step] {
    var corners: [ReachedSet?] = Array(repeating: nil, count: plan.steps.count)
    for (corner, filter) in zip(plan.corners, cornerFilters) {
      let known = corners[corner.step]
      corners[corner.step] = try rows(of: corner.scan.table, known, filter, context)
    }
    var result: [CycleRing.Step] = []
    for (number, step) in plan.steps.enumerated() {
      let edges = try context.tables.table(step.table.id)
      guard let forth = edges.adjacency(from: step.from, to: step.to),
        let back = edges.adjacency(from: step.to, to: step.from)
      else { throw SQLError.internal("a cycle walks along no junction") }
      let kept = try rows(of: step.table, nil, edgeFilters[number], context)
      let (sources, targets) = (corners[number], corners[(number + 1) % corners.count])
      result.append(
        CycleRing.Step(
          forth: forth, back: back,
          kept: AdjacencyIndex.Kept(
            sources: sources?.bits, targets: targets?.bits, rows: kept?.bits),
          share: [sources, targets, kept].reduce(1) { $0 * ($1?.share ?? 1) }))
    }
    return result
  }

  /// The known rows of a table, or else all, that meet conditions; without conditions those known.
  private func rows(
    of table: TableDefinition, _ known: ReachedSet?, _ filter: RowFilter?,
    _ context: ExecutionContext
  ) throws(SQLError) -> ReachedSet? {
    guard let filter else { return known }
    let table = try context.tables.table(table.id)
    return try filter.filtered(known ?? ReachedSet(allOf: table), table, context)
  }

  /// The keys that conditions are on; nil where they rise with the positions, or there are no conditions.
  private func fallingKeys(_ context: ExecutionContext) throws(SQLError) -> Buffer<Int64>? {
    guard let key = plan.key, let index = key.columns.first else { return nil }
    let table = try context.tables.table(key.table)
    if try table.orders.rises(index, of: table) { return nil }
    let count = table.rowCount
    try account.charge(count * 8)
    let keys = Buffer<Int64>(uninitialized: count)
    for page in 0..<table.pageCount {
      try context.check()
      let start = page * TableStore.pageCapacity
      let values = table.page(page, columns: [index]).columns[0]
      guard let numbers = try WholeNumbers(values) else {
        throw SQLError.internal("the corners of a cycle have no whole numbers as keys")
      }
      keys.copy(numbers.values, count: values.count, to: start)
    }
    return keys
  }

  override func chunk(_ context: ExecutionContext) throws(SQLError) -> DataChunk {
    let value = Vector(.bigint, Buffer(repeating: total, count: 1), count: 1)
    return DataChunk(plan.counts.map { _ in value }, count: 1)
  }
}
