import Catalog
import Columnar
import Diagnostics
import Planning
import Storage

/// The number of closed walks along three or four foreign key pairs, counted without a row of any of the joins.
final class CycleCountSource: OneChunkSource {
  private let plan: CycleCount
  private var total: Int64 = 0
  private let account = MemoryAccount()

  /// Sources to a piece of work: small, as the degrees of a few may be most of all edges.
  private static let sourcesAtOnce = 64

  init(_ plan: CycleCount) { self.plan = plan }

  override func prepare(_ context: ExecutionContext) throws(SQLError) {
    account.reset(context)
    var steps: [(forth: AdjacencyIndex, back: AdjacencyIndex)] = []
    for step in plan.steps {
      let edges = try context.tables.table(step.table.id)
      guard let forth = edges.adjacency(from: step.from, to: step.to),
        let back = edges.adjacency(from: step.to, to: step.from)
      else { throw SQLError.internal("a cycle walks along no junction") }
      steps.append((forth, back))
    }
    let middle = try rowCount(arrivedAtBy: plan.steps[1], context)
    let sources = try rowCount(arrivedAtBy: plan.steps[plan.steps.count - 1], context)
    let pieces = (sources + Self.sourcesAtOnce - 1) / Self.sourcesAtOnce
    let workers = max(1, min(pieces, Workers.parallelism, context.workerLimit))
    try account.charge(workers * middle * 4)
    let counters = (0..<workers).map { _ in CycleCounter(steps: steps, middleLimit: middle) }
    try Workers.share(pieces, among: counters, context) {
      (counter: CycleCounter, piece: Int) throws(SQLError) in
      let first = piece * Self.sourcesAtOnce
      counter.add(first..<min(first + Self.sourcesAtOnce, sources))
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

  private func rowCount(
    arrivedAtBy step: CycleCount.Step, _ context: ExecutionContext
  ) throws(SQLError) -> Int {
    try context.tables.table(step.table.foreignKeys[step.to].parent).rowCount
  }

  override func chunk(_ context: ExecutionContext) throws(SQLError) -> DataChunk {
    let value = Vector(.bigint, Buffer(repeating: total, count: 1), count: 1)
    return DataChunk(plan.counts.map { _ in value }, count: 1)
  }
}
