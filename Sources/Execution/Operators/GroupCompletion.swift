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
  private let keys: [BoundExpression]
  private let codes: [Int: CodedColumn]
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
    keys = node.keys.map(\.expression)
    codes = partial.codes
    self.compiler = compiler
    numberPlace = completion.outputs.firstIndex { $0.id == partial.number.id } ?? 0
  }

  /// The groups of each grouping set.
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
      stage = RegroupStage(try compiler.compile(keys), numberPlace: numberPlace)
      self.stage = stage
    }
    stage.begin(sets, groupCount: count, context)
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

/// Takes note of the final group of each group, for each grouping set.
private final class RegroupStage: Stage {
  private let keys: [any Evaluator]
  private let numberPlace: Int
  private var sets: [[Int]] = []
  private var tables: [GroupTable?] = []
  /// For each set and group the final group; `.max` for those whose row has not come out.
  private var mappings: [Buffer<UInt32>] = []
  private var context: ExecutionContext?

  init(_ keys: [any Evaluator], numberPlace: Int) {
    self.keys = keys
    self.numberPlace = numberPlace
  }

  func begin(_ sets: [[Int]], groupCount: Int, _ context: ExecutionContext) {
    self.sets = sets
    self.context = context
    tables = sets.map { set in
      set.isEmpty ? nil : GroupTable(types: set.map { keys[$0].type })
    }
    mappings = sets.map { _ in Buffer(repeating: .max, count: max(1, groupCount)) }
  }

  override func letGo() {
    context = nil
    tables = []
    mappings = []
  }

  override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
    guard let context else { throw SQLError.internal("groups were completed before their start") }
    var chunk = chunk
    var vectors: [Vector] = []
    for key in keys { vectors.append(try key.evaluateNormalized(&chunk, context)) }
    let column = chunk.columns[numberPlace].flattened()
    let (numbers, isThere) = (column.values(UInt32.self), column.validity)
    for (index, set) in sets.enumerated() {
      let mapping = mappings[index]
      // A row of an outer join that no group has come to makes a group without rows.
      guard let table = tables[index] else {
        for row in 0..<chunk.count where isThere.isValid(row) { mapping[numbers[row]] = 0 }
        continue
      }
      let groups = try table.findOrInsert(set.map { vectors[$0] }, count: chunk.count)
      for row in 0..<chunk.count where isThere.isValid(row) { mapping[numbers[row]] = groups[row] }
    }
    return true
  }

  /// The groups of a set, with the states of all groups that became one put together.
  func merged(
    set: Int, _ made: AggregateGroups, _ items: [AggregateItem]
  ) throws(SQLError) -> AggregateGroups {
    let states = items.map { AggregateState($0) }
    let result = AggregateGroups(table: tables[set], states: states)
    // What is dropped goes to one group more, which nobody asks for.
    let dropped = UInt32(truncatingIfNeeded: result.count)
    let mapping = mappings[set]
    for group in 0..<made.count where mapping[group] == .max { mapping[group] = dropped }
    for (state, other) in zip(states, made.states) {
      state.grow(to: result.count + 1)
      try state.merge(other, groups: mapping, count: made.count)
    }
    return result
  }
}
