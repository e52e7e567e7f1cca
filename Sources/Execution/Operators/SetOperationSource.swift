import Columnar
import Diagnostics
import Planning

/// INTERSECT and EXCEPT [ALL]: counts the right side's rows by value, then lets left rows through.
final class SetOperationSource: Source {
  private let kind: SetOperationPlan.Kind
  private let isAll: Bool
  private let left: StreamRunner
  private let right: StreamRunner
  private let types: [LogicalType]

  init(_ kind: SetOperationPlan.Kind, isAll: Bool, _ left: Stream, _ right: Stream) {
    self.kind = kind
    self.isAll = isAll
    self.left = StreamRunner(left)
    self.right = StreamRunner(right)
    types = left.types
  }

  override func produce(
    _ morsel: Int, into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    let counts = RowCounts(types)
    if kind == .union {
      let distinct = SetOperationStage(.union, isAll: isAll, counts, target: stage)
      try distinct.start(context)
      guard try left.run(into: distinct, context) else { return false }
      return try right.run(into: distinct, context)
    }
    let counting = CountingStage(counts)
    try counting.start(context)
    _ = try right.run(into: counting, context)
    let filtering = SetOperationStage(kind, isAll: isAll, counts, target: stage)
    try filtering.start(context)
    return try left.run(into: filtering, context)
  }
}

/// How often each row value has come.
private final class RowCounts {
  let table: GroupTable
  var counts: [Int] = []
  private let hasColumns: Bool

  init(_ types: [LogicalType]) {
    table = GroupTable(types: types)
    hasColumns = !types.isEmpty
  }

  func groups(_ chunk: DataChunk) throws(SQLError) -> Buffer<UInt32> {
    let groups = try table.findOrInsert(chunk.columns, count: chunk.count)
    while counts.count < table.groupCount { counts.append(0) }
    return groups
  }
}

private final class CountingStage: Stage {
  private let rows: RowCounts
  private let account = MemoryAccount()

  init(_ rows: RowCounts) { self.rows = rows }

  override func start(_ context: ExecutionContext) throws(SQLError) { account.reset(context) }

  override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
    let groups = try rows.groups(chunk)
    for row in 0..<chunk.count { rows.counts[Int(groups[row])] += 1 }
    try account.set(rows.table.byteCount + rows.counts.count * 8)
    return true
  }
}

/// Lets through the left rows that the operation keeps.
private final class SetOperationStage: Stage {
  private let kind: SetOperationPlan.Kind
  private let isAll: Bool
  private let rows: RowCounts
  private let target: Stage
  /// The values that have come out already, where each may but once.
  private var isOut: [Bool] = []

  init(_ kind: SetOperationPlan.Kind, isAll: Bool, _ rows: RowCounts, target: Stage) {
    self.kind = kind
    self.isAll = isAll
    self.rows = rows
    self.target = target
  }

  override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
    let groups = try rows.groups(chunk)
    while isOut.count < rows.counts.count { isOut.append(false) }
    let kept = Buffer<UInt32>(uninitialized: chunk.count)
    var found = 0
    for row in 0..<chunk.count where keeps(Int(groups[row])) {
      kept[found] = UInt32(truncatingIfNeeded: row)
      found += 1
    }
    if found == 0 { return true }
    return try target.push(chunk.gathered(SelectionVector(kept, count: found)))
  }

  /// Whether the next row of a value comes out.
  private func keeps(_ group: Int) -> Bool {
    if isAll {
      switch kind {
      case .union: return true
      case .intersect:
        if rows.counts[group] == 0 { return false }
        rows.counts[group] -= 1
        return true
      case .except:
        if rows.counts[group] == 0 { return true }
        rows.counts[group] -= 1
        return false
      }
    }
    if isOut[group] { return false }
    let keeps =
      switch kind {
      case .union: true
      case .intersect: rows.counts[group] > 0
      case .except: rows.counts[group] == 0
      }
    isOut[group] = keeps
    return keeps
  }
}
