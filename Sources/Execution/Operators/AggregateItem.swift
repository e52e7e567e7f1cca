import Columnar
import Diagnostics
import Planning

/// One aggregate of a plan: how to compute what it takes from a chunk.
///
/// One worker at a time uses an item.
final class AggregateItem {
  let call: AggregateCall
  let argumentTypes: [LogicalType]
  private let arguments: [any Evaluator]
  private let filter: ConjunctiveFilter?
  private let keys: [any Evaluator]
  let orders: [SortOrder]
  /// Whether the aggregate knows exact numbers in their small form.
  private let takesDecimals: Bool
  /// Whether rows are taken away whose argument is NULL; accumulators of one argument pass over them by themselves.
  private let dropsNulls: Bool

  private static let takingDecimals: Set<String> = [
    "count", "sum", "avg", "min", "max", "stddev", "stddev_samp", "stddev_pop", "variance",
    "var_samp", "var_pop",
  ]

  init(_ call: AggregateCall, _ compiler: ExpressionCompiler) throws(SQLError) {
    let call = call.fused
    self.call = call
    takesDecimals =
      call.isWithinGroup
      || !call.isDistinct && call.orderBy.isEmpty
        && Self.takingDecimals.contains(call.name)
    dropsNulls =
      call.isStrict && !call.isWithinGroup
      && (call.isDistinct || !call.orderBy.isEmpty || call.arguments.count != 1)
    arguments = try compiler.compile(call.arguments)
    argumentTypes = call.arguments.map(\.type)
    filter = try call.filter.map { (filter) throws(SQLError) in
      try ConjunctiveFilter([filter], compiler)
    }
    keys = call.isWithinGroup ? [] : try compiler.compile(call.orderBy.map(\.expression))
    orders = call.orderBy.map {
      SortOrder(descending: $0.isDescending, nullsFirst: $0.nullsFirst)
    }
  }

  /// An accumulator without groups.
  func makeAccumulator() -> any AggregateAccumulator {
    let accumulator = call.factory(argumentTypes, call.type)
    if let values = accumulator as? OrderedSetAccumulator {
      var oneFraction = false
      if case .constant = call.arguments[0] { oneFraction = true }
      values.expect(descending: orders.first?.descending ?? false, oneFraction: oneFraction)
    }
    return accumulator
  }

  /// What an aggregate takes from one chunk.
  struct Input {
    /// Flat vectors of the rows taken.
    var arguments: [Vector]
    /// The values of ORDER BY.
    var keys: [Vector]
    /// The rows taken; nil for all.
    var rows: SelectionVector?
    var count: Int

    /// What a state takes that needs no rows.
    static var none: Input { Input(arguments: [], keys: [], rows: nil, count: 0) }

    /// Of something for each row of the chunk what belongs to the rows taken.
    fileprivate func taken<Element: BitwiseCopyable>(_ all: Buffer<Element>) -> Buffer<Element> {
      guard let rows else { return all }
      let taken = Buffer<Element>(uninitialized: max(1, rows.count))
      for index in 0..<rows.count { taken[index] = all[rows.positions[index]] }
      return taken
    }
  }

  func input(
    _ chunk: inout DataChunk, _ context: ExecutionContext
  ) throws(SQLError) -> Input {
    // Arguments are computed only for rows that the filter lets through.
    if let filter, let kept = try filter.select(&chunk, context) {
      if kept.count == 0 || arguments.isEmpty && keys.isEmpty {
        return Input(arguments: [], keys: [], rows: kept, count: kept.count)
      }
      var part = chunk.gathered(kept)
      return try input(of: &part, rows: kept, context)
    }
    return try input(of: &chunk, rows: nil, context)
  }

  private func input(
    of chunk: inout DataChunk, rows: SelectionVector?, _ context: ExecutionContext
  ) throws(SQLError) -> Input {
    var vectors: [Vector] = []
    for argument in arguments {
      vectors.append(
        takesDecimals
          ? try argument.evaluateCompact(&chunk, context).compactFlattened()
          : try argument.evaluateNormalized(&chunk, context).flattened())
    }
    var keyVectors: [Vector] = []
    for key in keys { keyVectors.append(try key.evaluate(&chunk, context)) }
    let count = chunk.count
    guard dropsNulls, let present = SelectionVector.present(in: vectors, count: count) else {
      return Input(arguments: vectors, keys: keyVectors, rows: rows, count: count)
    }
    return Input(
      arguments: vectors.map {
        takesDecimals ? $0.gathered(present).compactFlattened() : $0.gathered(present).flattened()
      },
      keys: keyVectors.map { $0.gathered(present) }, rows: present.within(rows),
      count: present.count)
  }
}

/// The states of one aggregate for all groups of one worker.
///
/// Rows of an aggregate with DISTINCT or ORDER BY are kept until the end, distinct ones once, and given to the
/// accumulator then in their order.
final class AggregateState {
  private let item: AggregateItem
  private var accumulator: any AggregateAccumulator
  private let isOrdered: Bool
  /// Groups and arguments of DISTINCT; nil for all rows.
  private var seen: DistinctPairs?
  /// A state of the same values, from which the results are made in place of states of its own.
  private var leader: AggregateState?
  private var groupCount = 0
  /// Rows kept: group, arguments, keys.
  private var kept: [DataChunk] = []
  private var keptByteCount = 0

  init(_ item: AggregateItem) {
    self.item = item
    let call = item.call
    accumulator = item.makeAccumulator()
    isOrdered =
      !call.orderBy.isEmpty && !call.isWithinGroup || (call.isDistinct && call.isOrderSensitive)
    seen = makeSet()
  }

  private func makeSet() -> DistinctPairs? {
    item.call.isDistinct ? DistinctPairs(types: item.argumentTypes, tellsNew: isOrdered) : nil
  }

  /// States of aggregates some of which are made of others' states, by index.
  static func linked(_ items: [AggregateItem], leaders: [Int?]) -> [AggregateState] {
    let states = items.map { AggregateState($0) }
    for (state, leader) in zip(states, leaders) {
      guard let leader,
        let held = states[leader].accumulator as? any SharedAccumulator,
        held.holds(state.accumulator)
      else { continue }
      state.leader = states[leader]
    }
    return states
  }

  /// Whether another state holds all that this one would, so that it needs no rows.
  var follows: Bool { leader != nil }

  /// Forgets all groups, whose results were given.
  func restart() {
    if let objects = accumulator as? JSONObjectsAccumulator, objects.isClustered {
      objects.restart()
    } else {
      accumulator = item.makeAccumulator()
    }
    seen = makeSet()
    groupCount = 0
    kept = []
    keptByteCount = 0
  }

  var byteCount: Int { accumulator.byteCount + keptByteCount + (seen?.byteCount ?? 0) }

  /// Whether rows go to the accumulator as they come.
  private var takesAllRows: Bool { seen == nil && !isOrdered }

  /// Tells the accumulator that rows come group by group, so that it need not keep them.
  func expectClusters() {
    if !isOrdered { (accumulator as? JSONObjectsAccumulator)?.isClustered = true }
  }

  func grow(to groupCount: Int) {
    if follows { return }
    self.groupCount = max(self.groupCount, groupCount)
    accumulator.grow(to: groupCount)
    seen?.grow(to: groupCount)
  }

  /// Adds what `input` has taken of a chunk whose row *i* is of group `groups[i]`, or all of group 0.
  func update(_ input: AggregateItem.Input, groups: Buffer<UInt32>?) throws(SQLError) {
    if input.count == 0 || follows { return }
    let own = groups.map { input.taken($0) }
    if takesAllRows {
      try accumulator.update(groups: own, arguments: input.arguments, count: input.count)
      return
    }
    let numbers = own ?? Buffer<UInt32>(zeroed: input.count)
    try keep(
      DataChunk(
        [Vector(.integer, numbers, count: input.count)] + input.arguments + input.keys,
        count: input.count))
  }

  /// Adds what `input` has taken of a chunk, row *i* of which stands for `weights[i]` rows of group `groups[i]`, or of group 0.
  func update(
    _ input: AggregateItem.Input, groups: Buffer<UInt32>?, weights: Buffer<Int64>
  ) throws(SQLError) {
    guard let accumulator = accumulator as? any WeightedAccumulator else {
      throw SQLError.internal("an aggregate takes no weights")
    }
    if input.count == 0 { return }
    try accumulator.update(
      groups: groups.map { input.taken($0) }, argument: input.arguments[0],
      weights: input.taken(weights), count: input.count)
  }

  private func keep(_ rows: DataChunk) throws(SQLError) {
    var rows = rows
    if let seen {
      let fresh = try seen.insert(
        groups: rows.columns[0].flattened().values(UInt32.self),
        Array(rows.columns[1...item.argumentTypes.count]), count: rows.count)
      guard isOrdered, let fresh, fresh.count > 0 else { return }
      rows = rows.gathered(fresh)
    }
    if isOrdered {
      kept.append(rows)
      keptByteCount += rows.approximateByteCount
    }
  }

  /// Adds the groups of another worker's state; its group *i* is group `groups[i]` here.
  func merge(
    _ other: AggregateState, groups: Buffer<UInt32>, count: Int
  ) throws(SQLError) {
    if follows { return }
    if takesAllRows {
      let theirs = other.leader?.accumulator ?? other.accumulator
      try accumulator.merge(theirs, groups: groups, count: count)
      return
    }
    if !isOrdered, let seen, let theirs = other.seen,
      try seen.merge(theirs, groups: groups, count: count)
    {
      return
    }
    try other.forEachKeptChunk { (rows) throws(SQLError) in
      let numbers = rows.columns[0].flattened().values(UInt32.self)
      let mapped = Buffer<UInt32>(uninitialized: max(rows.count, 1))
      for row in 0..<rows.count { mapped[row] = groups[numbers[row]] }
      var moved = rows
      moved.columns[0] = Vector(.integer, mapped, count: rows.count)
      try keep(moved)
    }
  }

  /// Hands over the rows kept, or those of the set of DISTINCT; between chunks it looks whether the statement has to end.
  private func forEachKeptChunk(
    _ body: (DataChunk) throws(SQLError) -> Void
  ) throws(SQLError) {
    if isOrdered {
      for rows in kept {
        try RunningStatement.check()
        try body(rows)
      }
      return
    }
    try seen?.forEachChunk(body)
  }

  /// Gives the accumulator the rows kept.
  func complete() throws(SQLError) {
    if isOrdered {
      try feed(try sortedRows())
      kept = []
    } else if let seen {
      if let counter = accumulator as? CountAccumulator,
        let counts = try seen.counts(groupCount: groupCount)
      {
        counter.add(counts, count: groupCount)
        return
      }
      try forEachKeptChunk { (rows) throws(SQLError) in try feed(rows) }
    }
  }

  private func sortedRows() throws(SQLError) -> DataChunk {
    let argumentCount = item.argumentTypes.count
    let keyTypes = item.call.orderBy.map(\.expression.type)
    let rows = try DataChunk.concatenate(kept, types: [.integer] + item.argumentTypes + keyTypes)
    if rows.count == 0 { return rows }
    var columns = Array(rows.columns[(argumentCount + 1)...])
    var orders = item.orders
    if columns.isEmpty {
      columns = Array(rows.columns[1...argumentCount])
      orders = columns.map { _ in SortOrder() }
    }
    let order = try Sorting.permutation(columns: columns, orders: orders, count: rows.count)
    return rows.gathered(order, count: rows.count)
  }

  private func feed(_ rows: DataChunk) throws(SQLError) {
    _ = try rows.forEachPart { (part) throws(SQLError) in
      try RunningStatement.check()
      let groups = part.columns[0].flattened().values(UInt32.self)
      let arguments = part.columns[1..<(1 + item.argumentTypes.count)].map { $0.flattened() }
      try accumulator.update(groups: groups, arguments: arguments, count: part.count)
      return true
    }
  }

  func results(_ range: Range<Int>) throws(SQLError) -> Vector {
    if let held = leader?.accumulator as? any SharedAccumulator {
      return try held.results(range, of: accumulator)
    }
    return try accumulator.results(range)
  }
}
