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
  /// By the number of the value; read anew after each batch, as it may move.
  private(set) var counts = Buffer<Int64>(zeroed: 0)
  /// 1 for the values that have come out, where each may but once.
  private(set) var areOut = Buffer<UInt8>(zeroed: 0)

  init(_ types: [LogicalType]) { table = GroupTable(types: types) }

  var byteCount: Int { table.byteCount + counts.count * 8 + areOut.count }

  func groups(_ chunk: DataChunk) throws(SQLError) -> Buffer<UInt32> {
    let groups = try table.findOrInsert(chunk.columns, count: chunk.count)
    if counts.count < table.groupCount {
      let size = max(table.groupCount, counts.count * 2, Vector.chunkCapacity)
      let (more, out) = (try Buffer<Int64>(zeroedInSlices: size), Buffer<UInt8>(zeroed: size))
      try more.copyInSlices(counts, from: 0, count: counts.count, to: 0)
      out.copy(areOut, count: areOut.count, to: 0)
      (counts, areOut) = (more, out)
    }
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
    let counts = rows.counts
    for row in 0..<chunk.count { counts[groups[row]] &+= 1 }
    try account.set(rows.byteCount)
    return true
  }
}

/// Lets through the left rows that the operation keeps.
private final class SetOperationStage: Stage {
  private let kind: SetOperationPlan.Kind
  private let isAll: Bool
  private let rows: RowCounts
  private let target: Stage

  init(_ kind: SetOperationPlan.Kind, isAll: Bool, _ rows: RowCounts, target: Stage) {
    self.kind = kind
    self.isAll = isAll
    self.rows = rows
    self.target = target
  }

  override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
    let groups = try rows.groups(chunk)
    let (kind, isAll) = (kind, isAll)
    let (counts, areOut) = (rows.counts, rows.areOut)
    let kept = Buffer<UInt32>(uninitialized: chunk.count)
    var found = 0
    for row in 0..<chunk.count {
      kept[found] = UInt32(truncatingIfNeeded: row)
      let group = Int(truncatingIfNeeded: groups[row])
      found &+= bit(
        isAll ? Self.keepsOne(kind, counts, group) : Self.keepsFirst(kind, counts, areOut, group))
    }
    if found == 0 { return true }
    return try target.push(chunk.gathered(SelectionVector(kept, count: found)))
  }

  /// Whether the next row of a value comes out, each of which stands against one of the right side.
  @inline(__always)
  private static func keepsOne(
    _ kind: SetOperationPlan.Kind, _ counts: Buffer<Int64>, _ group: Int
  ) -> Bool {
    if kind == .union { return true }
    let isMet = counts[group] > 0
    counts[group] &-= isMet ? 1 : 0
    return isMet == (kind == .intersect)
  }

  /// Whether the next row of a value comes out, of which the first stands for all.
  @inline(__always)
  private static func keepsFirst(
    _ kind: SetOperationPlan.Kind, _ counts: Buffer<Int64>, _ areOut: Buffer<UInt8>, _ group: Int
  ) -> Bool {
    if areOut[group] != 0 { return false }
    let keeps =
      switch kind {
      case .union: true
      case .intersect: counts[group] > 0
      case .except: counts[group] == 0
      }
    areOut[group] = keeps ? 1 : 0
    return keeps
  }
}
