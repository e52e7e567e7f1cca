import Columnar
import Diagnostics
import Planning
import Storage

/// Makes the groups that an aggregation asks for from those that it has made first.
///
/// A group's row goes through the completion once, and says with which others its states are put together; of a group whose row
/// does not come out they are dropped.
///
/// One run at a time uses it.
final class GroupCompletion {
  private let runner: StreamRunner
  private let rows: SharedRows
  private let node: AggregateNode
  private let keys: [BoundExpression]
  private let codes: [Int: CodedColumn]
  private let parts: [[PartialGroups.Part]]
  private let calls: [AggregateCall]
  private let compiler: ExpressionCompiler
  /// The place of the groups' numbers among the columns that come out.
  private let numberPlace: Int
  private var stage: RegroupStage?
  private let account = MemoryAccount()

  /// `rows` is what the leaf of `completion` reads; `compiler` is one over what comes out of it.
  init(
    _ node: AggregateNode, _ partial: PartialGroups, _ rows: SharedRows, _ completion: Stream,
    _ compiler: ExpressionCompiler
  ) {
    runner = StreamRunner(completion)
    self.rows = rows
    self.node = node
    keys = node.keys.map(\.expression)
    codes = partial.codes
    parts = partial.parts
    calls = node.aggregates.map(\.call)
    self.compiler = compiler
    numberPlace = completion.outputs.firstIndex { $0.id == partial.number.id } ?? 0
  }

  /// The aggregates asked for, given those of which groups have states: all parts of one are of its kind.
  func items(_ made: [AggregateItem]) throws(SQLError) -> [AggregateItem] {
    var items: [AggregateItem] = []
    for (parts, call) in zip(parts, calls) {
      if let part = parts.first(where: { $0.call != nil }), !part.isWeight, let place = part.call {
        items.append(made[place])
      } else {
        items.append(try AggregateItem(call, compiler))
      }
    }
    return items
  }

  /// The groups of each grouping set, of which `items` are the aggregates.
  ///
  /// - Complexity: O(groups made first × sets).
  func complete(
    _ made: AggregateGroups, _ items: [AggregateItem], _ sets: [[Int]],
    _ context: ExecutionContext
  ) throws(SQLError) -> [AggregateGroups] {
    let count = made.count
    var dictionaries: [Int: ColumnCodes] = [:]
    for (place, coded) in codes {
      dictionaries[place] = try context.tables.table(coded.table).codes(of: coded.column)
    }
    rows.chunks = []
    defer { rows.chunks = [] }
    for start in stride(from: 0, to: count, by: Vector.chunkCapacity) {
      let range = start..<min(count, start + Vector.chunkCapacity)
      let numbers = Buffer<UInt32>(uninitialized: range.count)
      for row in 0..<range.count { numbers[row] = UInt32(truncatingIfNeeded: start &+ row) }
      var columns = made.table?.keys(range) ?? []
      for (place, dictionary) in dictionaries {
        columns[place] = dictionary.decode(columns[place], count: range.count)
      }
      columns.append(Vector(.integer, numbers, count: range.count))
      rows.chunks.append(DataChunk(columns, count: range.count))
    }
    let stage: RegroupStage
    if let known = self.stage {
      stage = known
    } else {
      stage = RegroupStage(
        try compiler.compile(keys), try parts.map(selection), numberPlace: numberPlace)
      self.stage = stage
    }
    try stage.begin(sets, sets.map { node.determined(in: $0) }, made, items, context)
    defer { stage.letGo() }
    _ = try runner.run(into: stage, context)
    account.reset(context)
    var result: [AggregateGroups] = []
    for number in sets.indices {
      try context.check()
      let groups = try stage.merged(set: number, made, items)
      try account.charge(
        groups.states.reduce(groups.table?.byteCount ?? 0) { $0 + $1.byteCount })
      result.append(groups)
    }
    return result
  }
}

extension GroupCompletion {
  private func selection(_ parts: [PartialGroups.Part]) throws(SQLError) -> PartSelection {
    var conditions: [(any Evaluator)?] = []
    for part in parts {
      conditions.append(
        try part.condition.map { (condition) throws(SQLError) in try compiler.compile(condition) })
    }
    return PartSelection(
      conditions: conditions, calls: parts.map(\.call), isWeight: parts.contains(where: \.isWeight))
  }
}

/// Which of the states of a group are part of an aggregate.
private struct PartSelection {
  let conditions: [(any Evaluator)?]
  /// By index into the states; nil for nothing.
  let calls: [Int?]

  /// Whether the aggregate takes rows of the completion, each for many.
  let isWeight: Bool

  /// Whether all groups have the same part.
  var isPlain: Bool { conditions.count == 1 && conditions[0] == nil }

  /// The part of none of the groups.
  static let none = UInt8.max

  /// For each row of a chunk the first part whose condition is true, or `none`.
  func parts(
    of chunk: inout DataChunk, _ context: ExecutionContext
  ) throws(SQLError) -> Buffer<UInt8> {
    let found = Buffer(repeating: Self.none, count: max(1, chunk.count))
    for (part, condition) in conditions.enumerated().reversed() {
      let number = UInt8(truncatingIfNeeded: part)
      guard let condition else {
        found.fill(0..<chunk.count, with: number)
        continue
      }
      let rows = SelectionVector(whereTrue: try condition.evaluate(&chunk, context))
      for index in 0..<rows.count { found[rows.positions[index]] = number }
    }
    return found
  }
}

/// An aggregate of what the completion gives for each group, taken for each of the group's rows.
private struct WeightedStates {
  let aggregate: Int
  let item: AggregateItem
  /// The number of rows of each group made first.
  let weights: Buffer<Int64>
  /// One for each grouping set.
  let states: [AggregateState]

  /// Adds the rows of a chunk, of which `numbers` has the groups made first and `groups` those of the set.
  func update(
    _ set: Int, _ input: AggregateItem.Input, _ numbers: Vector, _ groups: Buffer<UInt32>?,
    groupCount: Int
  ) throws(SQLError) {
    let rows = Buffer<Int64>(uninitialized: max(1, numbers.count))
    let made = numbers.values(UInt32.self)
    for row in 0..<numbers.count { rows[row] = numbers.isValid(row) ? weights[made[row]] : 0 }
    states[set].grow(to: groupCount)
    try states[set].update(input, groups: groups, weights: rows)
  }
}

/// Takes note of the final group of each group, for each grouping set.
private final class RegroupStage: Stage {
  private let keys: [any Evaluator]
  private let selections: [PartSelection]
  /// For each aggregate the part of it that each group has; nil where that is the same for all.
  private var parts: [Buffer<UInt8>?] = []
  private var weighted: [WeightedStates] = []
  private let numberPlace: Int
  private var sets: [[Int]] = []
  private var tables: [GroupTable?] = []
  /// For each set and group the final group; `.max` for those whose row has not come out.
  private var mappings: [Buffer<UInt32>] = []
  private var context: ExecutionContext?

  init(_ keys: [any Evaluator], _ selections: [PartSelection], numberPlace: Int) {
    self.keys = keys
    self.selections = selections
    self.numberPlace = numberPlace
  }

  /// `determined` are for each set the places in it of keys that others in it determine.
  func begin(
    _ sets: [[Int]], _ determined: [Set<Int>], _ made: AggregateGroups, _ items: [AggregateItem],
    _ context: ExecutionContext
  ) throws(SQLError) {
    let groupCount = made.count
    self.sets = sets
    self.context = context
    tables = zip(sets, determined).map { set, determined in
      if set.isEmpty { return nil }
      let table = GroupTable(types: set.map { keys[$0].type }, determined: determined)
      table.expectedCount = sets.count == 1 ? groupCount : 0
      return table
    }
    mappings = sets.map { _ in Buffer(repeating: .max, count: max(1, groupCount)) }
    parts = selections.map { selection in
      selection.isPlain ? nil : Buffer(repeating: PartSelection.none, count: max(1, groupCount))
    }
    weighted = []
    for (index, selection) in selections.enumerated() where selection.isWeight {
      guard let call = selection.calls.first, let call else { continue }
      let weights = try made.states[call].results(0..<groupCount).flattened()
      weighted.append(
        WeightedStates(
          aggregate: index, item: items[index], weights: weights.values(Int64.self),
          states: sets.map { _ in AggregateState(items[index]) }))
    }
  }

  override func letGo() {
    context = nil
    tables = []
    mappings = []
    parts = []
    weighted = []
  }

  override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
    guard let context else { throw SQLError.internal("groups were completed before their start") }
    var chunk = chunk
    var vectors: [Vector] = []
    for key in keys { vectors.append(try key.evaluateNormalized(&chunk, context)) }
    var inputs: [AggregateItem.Input] = []
    for known in weighted { inputs.append(try known.item.input(&chunk, context)) }
    let column = chunk.columns[numberPlace].flattened()
    let (numbers, isThere) = (column.values(UInt32.self), column.validity)
    for (selection, part) in zip(selections, parts) {
      guard let part else { continue }
      let own = try selection.parts(of: &chunk, context)
      for row in 0..<chunk.count where isThere.isValid(row) { part[numbers[row]] = own[row] }
    }
    for (index, set) in sets.enumerated() {
      let mapping = mappings[index]
      // A row of an outer join that no group has come to makes a group without rows.
      let groups = try tables[index]?.findOrInsert(set.map { vectors[$0] }, count: chunk.count)
      for row in 0..<chunk.count where isThere.isValid(row) {
        mapping[numbers[row]] = groups.map { $0[row] } ?? 0
      }
      for (known, input) in zip(weighted, inputs) {
        try known.update(
          index, input, column, groups, groupCount: tables[index]?.groupCount ?? 1)
      }
    }
    return true
  }

  /// The groups of a set, with the states of all groups that became one put together.
  func merged(
    set: Int, _ made: AggregateGroups, _ items: [AggregateItem]
  ) throws(SQLError) -> AggregateGroups {
    if let same = unmoved(set, made) { return same }
    var states = items.map { AggregateState($0) }
    for known in weighted { states[known.aggregate] = known.states[set] }
    let result = AggregateGroups(table: tables[set], states: states)
    // What is dropped goes to one group more, which nobody asks for.
    let dropped = UInt32(truncatingIfNeeded: result.count)
    let mapping = mappings[set]
    for group in 0..<made.count where mapping[group] == .max { mapping[group] = dropped }
    for (index, state) in states.enumerated() {
      state.grow(to: result.count + 1)
      let selection = selections[index]
      if selection.isWeight { continue }
      for (number, call) in selection.calls.enumerated() {
        guard let call else { continue }
        try state.merge(
          made.states[call], groups: targets(of: index, number, mapping, made.count, dropped),
          count: made.count)
      }
    }
    return result
  }

  /// The groups of the only set where each is one of those made first, in their order, with its states; nil where it is not.
  private func unmoved(_ set: Int, _ made: AggregateGroups) -> AggregateGroups? {
    let calls = selections.compactMap { $0.isPlain && !$0.isWeight ? $0.calls[0] : nil }
    guard sets.count == 1, calls.count == selections.count, Set(calls).count == calls.count,
      let table = tables[set], table.groupCount == made.count
    else { return nil }
    let mapping = mappings[set]
    for group in 0..<made.count where mapping[group] != group { return nil }
    return AggregateGroups(table: table, states: calls.map { made.states[$0] })
  }

  /// The group that the state of each group goes to as one part of an aggregate.
  private func targets(
    of aggregate: Int, _ number: Int, _ mapping: Buffer<UInt32>, _ count: Int, _ dropped: UInt32
  ) -> Buffer<UInt32> {
    guard let parts = parts[aggregate] else { return mapping }
    let targets = Buffer<UInt32>(uninitialized: max(1, count))
    for group in 0..<count {
      targets[group] = Int(parts[group]) == number ? mapping[group] : dropped
    }
    return targets
  }
}
