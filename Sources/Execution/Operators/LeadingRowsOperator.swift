import Columnar
import Diagnostics
import Planning

/// Drops rows that come behind as many others of their group as are wanted; see `LeadingRows`.
///
/// Each worker goes by the rows that it has seen itself.
final class LeadingRowsOperator: StreamOperator {
  private let rows: LeadingRows
  private let bound: SharedSortBound?
  private let compiler: ExpressionCompiler

  /// `bound` is what scans below are told of the values that are still wanted, of rows that are one group.
  init(_ rows: LeadingRows, _ bound: SharedSortBound?, _ compiler: ExpressionCompiler) {
    self.rows = rows
    self.bound = bound
    self.compiler = compiler
  }

  override func prepare(_ context: ExecutionContext) throws(SQLError) -> Bool {
    bound?.reset()
    return true
  }

  override func makeStage(next: Stage) throws(SQLError) -> Stage {
    LeadingRowsStage(
      rows, keys: try compiler.compile(rows.keys),
      order: try compiler.compile(rows.order.expression), bound: bound, next: next)
  }
}

extension LeadingRows {
  /// Whether the number of the last value that is wanted is that value, so that scans can be told of it.
  var tellsBound: Bool {
    switch order.expression.type.physical {
    case .int16, .int32, .int64: keys.isEmpty && countsDifferent
    case .bool, .float, .double, .numeric, .interval, .uuid, .text, .list, .record: false
    }
  }
}

private final class LeadingRowsStage: StreamingStage {
  private let keys: [any Evaluator]
  private let order: any Evaluator
  private let numbers: OrderNumbers
  private let wanted: Int
  private let countsDifferent: Bool
  private let bound: SharedSortBound?
  /// The last number that scans were told.
  private var told = Int64.max
  /// nil once it turned out that most rows remain.
  private var table: GroupTable?
  /// For each group the numbers of its first rows, in order; the greatest number of all where there are fewer.
  private var bounds = Buffer<Int64>(uninitialized: 0)
  /// Of a single group some numbers that stand among its first ones, or have stood there; each has one place where it may be.
  private let entered: Buffer<Int64>
  private var seenCount = 0
  private var keptCount = 0
  private let account = MemoryAccount()

  /// After so many rows it is looked whether it pays.
  private static let trialCount = 65_536

  init(
    _ rows: LeadingRows, keys: [any Evaluator], order: any Evaluator, bound: SharedSortBound?,
    next: Stage
  ) {
    self.keys = keys
    self.bound = bound
    self.order = order
    numbers = OrderNumbers(rows.order.order)
    wanted = rows.count
    countsDifferent = rows.countsDifferent
    let isOneGroup = keys.isEmpty && rows.countsDifferent
    entered = Buffer(
      uninitialized: isOneGroup ? 1 << (Int.bitWidth - rows.count.leadingZeroBitCount + 2) : 1)
    super.init(next: next)
  }

  override func start(_ context: ExecutionContext) throws(SQLError) {
    account.reset(context)
    table = GroupTable(types: keys.map(\.type))
    bounds = Buffer(uninitialized: 0)
    entered.fill(0..<entered.count, with: .max)
    (seenCount, keptCount) = (0, 0)
    told = .max
    try super.start(context)
  }

  override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
    if wanted == 0 { return true }
    let context = try running()
    guard let table else { return try next.push(chunk) }
    var rows = chunk
    let value = try order.evaluateCompact(&rows, context).compactFlattened()
    guard let ranks = numbers.numbers(value, count: chunk.count) else {
      return try next.push(chunk)
    }
    let kept: SelectionVector
    if keys.isEmpty && countsDifferent {
      makeRoom(for: 1)
      kept = leadingValues(ranks, chunk.count)
      tellBound()
    } else {
      var groupKeys: [Vector] = []
      for key in keys { groupKeys.append(try key.evaluate(&rows, context)) }
      let groups = try table.findOrInsert(groupKeys, count: chunk.count)
      makeRoom(for: table.groupCount)
      kept =
        wanted == 1
        ? first(ranks, groups, chunk.count) : leading(ranks, groups, chunk.count)
    }
    try account.set(table.byteCount + bounds.count * 8)
    seenCount &+= chunk.count
    keptCount &+= kept.count
    if seenCount > Self.trialCount && keptCount > seenCount / 2 {
      self.table = nil
      bounds = Buffer(uninitialized: 0)
      try account.set(0)
    }
    if kept.count == 0 { return true }
    return try next.push(kept.count == chunk.count ? chunk : chunk.gathered(kept))
  }

  /// Tells scans of the last value that is still wanted, once there are as many as are.
  private func tellBound() {
    guard let bound, wanted > 0 else { return }
    let last = bounds[wanted - 1]
    // The numbers at both ends stand for NULL as well.
    guard last != .min, last < told else { return }
    told = last
    let number = bound.order.descending ? ~last : last
    let physical = order.type.physical
    let value: Value =
      if physical == .int16 {
        .int16(Int16(truncatingIfNeeded: number))
      } else if physical == .int32 {
        .int32(Int32(truncatingIfNeeded: number))
      } else {
        .int64(number)
      }
    let column = Vector(constant: value, type: order.type, count: 1).flattened()
    if let found = SortBound(column, row: 0, order: bound.order) { bound.offer(found) }
  }

  private func makeRoom(for groupCount: Int) {
    let needed = max(1, groupCount) * wanted
    guard needed > bounds.count else { return }
    let grown = Buffer<Int64>(repeating: .max, count: max(needed, bounds.count * 2))
    grown.copy(bounds, count: bounds.count, to: 0)
    bounds = grown
  }

  /// The rows behind which no row of their group has come yet.
  private func first(
    _ ranks: Buffer<Int64>, _ groups: Buffer<UInt32>, _ count: Int
  ) -> SelectionVector {
    let kept = Buffer<UInt32>(uninitialized: count + 1)
    let bounds = bounds
    var keptCount = 0
    for row in 0..<count {
      let group = Int(groups[row])
      let bound = bounds[group]
      kept[keptCount] = UInt32(truncatingIfNeeded: row)
      keptCount &+= ranks[row] <= bound ? 1 : 0
      bounds[group] = min(bound, ranks[row])
    }
    return SelectionVector(kept, count: keptCount)
  }

  /// The rows before which fewer of their group have come than are wanted.
  private func leading(
    _ ranks: Buffer<Int64>, _ groups: Buffer<UInt32>, _ count: Int
  ) -> SelectionVector {
    let kept = Buffer<UInt32>(uninitialized: count + 1)
    let (bounds, wanted) = (bounds, wanted)
    var keptCount = 0
    for row in 0..<count {
      let start = Int(groups[row]) &* wanted
      let last = start &+ wanted &- 1
      let rank = ranks[row]
      if rank > bounds[last] { continue }
      kept[keptCount] = UInt32(truncatingIfNeeded: row)
      keptCount &+= 1
      if rank < bounds[last] { insert(rank, start, last) }
    }
    return SelectionVector(kept, count: keptCount)
  }

  /// The rows of a single group before whose number fewer different ones have come than are wanted.
  ///
  /// Most rows come behind them, and most others have a number that is there.
  private func leadingValues(_ ranks: Buffer<Int64>, _ count: Int) -> SelectionVector {
    let kept = Buffer<UInt32>(uninitialized: count + 1)
    let (bounds, entered, last) = (bounds, entered, wanted &- 1)
    let bound = bounds[last]
    var keptCount = 0
    for row in 0..<count {
      kept[keptCount] = UInt32(truncatingIfNeeded: row)
      keptCount &+= ranks[row] <= bound ? 1 : 0
    }
    let shift = UInt64(UInt64.bitWidth - entered.count.trailingZeroBitCount)
    for index in 0..<keptCount {
      let rank = ranks[kept[index]]
      let place = (UInt64(bitPattern: rank) &* 0x9E37_79B9_7F4A_7C15) &>> shift
      if entered[Int(truncatingIfNeeded: place)] == rank { continue }
      entered[Int(truncatingIfNeeded: place)] = rank
      if rank < bounds[last] { insert(rank, 0, last) }
    }
    return SelectionVector(kept, count: keptCount)
  }

  /// Puts a number among those of a group, of which the last one goes.
  private func insert(_ rank: Int64, _ start: Int, _ last: Int) {
    // Behind all that are not greater.
    var (place, end) = (start, last)
    while place < end {
      let middle = (place &+ end) / 2
      if bounds[middle] > rank { end = middle } else { place = middle &+ 1 }
    }
    if countsDifferent && place > start && bounds[place &- 1] == rank { return }
    var free = last
    while free > place {
      bounds[free] = bounds[free &- 1]
      free &-= 1
    }
    bounds[place] = rank
  }
}
