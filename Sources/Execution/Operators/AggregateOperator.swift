import Columnar
import Diagnostics
import Planning

/// Grouping and aggregation: runs its input dry, then hands out a row for each group.
///
/// The rows are made when they are asked for, by all workers where they are many.
final class AggregateSource: Source {
  private let pipeline: Pipeline
  private let sink: AggregateSink
  private var pieces: [AggregateSink.Piece] = []
  /// Pieces to a morsel; fewer than two morsels' worth are left to one worker.
  private static let morselPieceCount = 8

  init(
    _ node: AggregateNode, _ input: Stream, _ compiler: ExpressionCompiler,
    completedBy completion: GroupCompletion? = nil, expectedGroups: Double = 0
  ) {
    let search = ExtremeSearch(node)
    sink = AggregateSink(node, compiler, completion, search, expectedGroups: expectedGroups)
    if let scan = input.source as? ScanSource { scan.search = search }
    pipeline = Pipeline(input, into: sink)
  }

  override func prepare(_ context: ExecutionContext) throws(SQLError) {
    try pipeline.run(context)
    pieces = sink.pieces
  }

  override var morselCount: Int {
    pieces.count < 2 * Self.morselPieceCount || !sink.givesInAnyOrder
      ? 1 : (pieces.count + Self.morselPieceCount - 1) / Self.morselPieceCount
  }

  override func produce(
    _ morsel: Int, into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    let width = morselCount == 1 ? pieces.count : Self.morselPieceCount
    let start = morsel * width
    for index in start..<max(start, min(pieces.count, start + width)) {
      try context.check()
      if try !stage.push(try sink.chunk(pieces[index])) { return false }
    }
    return true
  }
}

/// The groups of all workers.
final class AggregateSink: Sink {
  let node: AggregateNode
  let compiler: ExpressionCompiler
  /// The keys of each grouping set.
  let sets: [[Int]]
  private let setGroups: GroupingSetGroups
  /// What makes the groups of all sets from those that workers have made; nil if they are the same.
  private let completion: GroupCompletion?
  /// About how many groups each worker makes, 0 where that is not known.
  private let expectedGroups: Int
  private let search: ExtremeSearch?
  private var stages: [AggregateStage] = []
  /// The groups of the run, for each set.
  private var groups: [AggregateGroups] = []
  private let account = MemoryAccount()

  /// Groups that fit a chunk.
  struct Piece {
    /// The grouping set.
    var set: Int
    var groups: Range<Int>
  }

  init(
    _ node: AggregateNode, _ compiler: ExpressionCompiler, _ completion: GroupCompletion?,
    _ search: ExtremeSearch?, expectedGroups: Double
  ) {
    self.node = node
    self.search = search
    // No more than the rows that a worker gets.
    let shared = node.input.estimatedRows / Double(Workers.parallelism)
    let least = node.groupingSets == nil ? min(expectedGroups, shared, Double(Int32.max)) : 0
    self.expectedGroups = least > 0 ? Int(least) : 0
    self.compiler = compiler
    self.completion = completion
    sets = node.groupingSets ?? [Array(node.keys.indices)]
    setGroups = GroupingSetGroups(
      sets,
      canDerive: node.aggregates.allSatisfy { !$0.call.isOrderSensitive && $0.call.orderBy.isEmpty }
    )
  }

  /// Order shows where an aggregate that depends on it has no ORDER BY of its own.
  override var isSequential: Bool {
    node.aggregates.contains { item in
      item.call.isOrderSensitive && item.call.orderBy.isEmpty && !item.call.isDistinct
    } || node.keys.contains { $0.expression.callsSession }
  }

  override func start(_ context: ExecutionContext, workerCount: Int) throws(SQLError) {
    if stages.count > 1 { stages.removeLast(stages.count - 1) }
    groups = []
  }

  override func makeStage(worker: Int) throws(SQLError) -> SinkStage {
    var items: [AggregateItem] = []
    for call in node.calls { items.append(try AggregateItem(call, compiler)) }
    let keys = try compiler.compile(
      node.partial?.keys.map(\.reference) ?? node.keys.map(\.expression))
    let leading =
      completion == nil ? setGroups.leading.map { sets[$0] } : [Array(keys.indices)]
    let stage = AggregateStage(
      keys: keys, items: items, leaders: node.leaders, sets: leading,
      determined: leading.map { completion == nil ? node.determined(in: $0) : [] },
      expectedGroups: expectedGroups, search: search)
    stages.append(stage)
    return stage
  }

  override func combine(_ context: ExecutionContext) throws(SQLError) {
    guard let first = stages.first else { return }
    for other in stages.dropFirst() { try first.merge(other) }
    groups = first.groups
    var items = first.items
    if let completion, let made = groups.first {
      items = try completion.items(items)
      groups = try completion.complete(made, items, setGroups.leading.map { sets[$0] }, context)
    }
    account.reset(context)
    groups = try setGroups.all(from: groups, items, account, context)
    if let search, let all = groups.first { try search.complete(all.states) }
    first.forget()
    for groups in groups {
      for state in groups.states {
        try context.check()
        try state.complete()
      }
    }
  }

  /// Whether several workers may ask for rows at once: aggregates that keep their rows sort them when the first
  /// results are asked for.
  var givesInAnyOrder: Bool {
    node.aggregates.allSatisfy { !$0.call.isOrderSensitive && $0.call.orderBy.isEmpty }
  }

  /// All groups of the run, in parts.
  var pieces: [Piece] {
    var pieces: [Piece] = []
    for (number, groups) in groups.enumerated() {
      for start in stride(from: 0, to: groups.count, by: Vector.chunkCapacity) {
        pieces.append(
          Piece(set: number, groups: start..<min(groups.count, start + Vector.chunkCapacity)))
      }
    }
    return pieces
  }

  /// The rows of some groups.
  func chunk(_ piece: Piece) throws(SQLError) -> DataChunk {
    let groups = groups[piece.set]
    let set = sets[piece.set]
    let length = piece.groups.count
    let stored = groups.table?.keys(piece.groups) ?? []
    var columns: [Vector] = []
    for (key, projected) in node.keys.enumerated() {
      if let place = set.firstIndex(of: key) {
        columns.append(stored[place])
      } else {
        columns.append(Vector.null(projected.column.type, count: length))
      }
    }
    for state in groups.states { columns.append(try state.results(piece.groups)) }
    for grouping in node.groupings {
      columns.append(Self.grouping(grouping.keys, set, grouping.column.type, length))
    }
    return DataChunk(columns, count: length)
  }

  /// The value of GROUPING: a bit for each key, the last one lowest, set where the key is not in the set.
  private static func grouping(
    _ keys: [Int], _ set: [Int], _ type: LogicalType, _ count: Int
  ) -> Vector {
    var bits: Int32 = 0
    for key in keys { bits = bits << 1 | (set.contains(key) ? 0 : 1) }
    let value: Value = type.physical == .int64 ? .int64(Int64(bits)) : .int32(bits)
    return Vector(constant: value, type: type, count: count)
  }
}

/// The groups of one grouping set in one worker.
struct AggregateGroups {
  /// nil: one group of all rows, which is there even without rows.
  var table: GroupTable?
  var states: [AggregateState]

  var count: Int { table?.groupCount ?? 1 }
}

/// One worker's share of an aggregation.
final class AggregateStage: SinkStage {
  private let keys: [any Evaluator]
  let items: [AggregateItem]
  /// For each aggregate that which holds all that it needs.
  private let leaders: [Int?]
  private let sets: [[Int]]
  /// For each set the places in it of keys that others in it determine.
  private let determined: [Set<Int>]
  private let expectedGroups: Int
  private let search: ExtremeSearch?
  private(set) var groups: [AggregateGroups] = []
  private var context: ExecutionContext?
  private let account = MemoryAccount()

  init(
    keys: [any Evaluator], items: [AggregateItem], leaders: [Int?], sets: [[Int]],
    determined: [Set<Int>], expectedGroups: Int, search: ExtremeSearch?
  ) {
    self.leaders = leaders
    self.search = search
    self.keys = keys
    self.items = items
    self.sets = sets
    self.determined = determined
    self.expectedGroups = expectedGroups
  }

  override func start(_ context: ExecutionContext) throws(SQLError) {
    self.context = context
    account.reset(context)
    groups = zip(sets, determined).map { set, determined in
      let states = AggregateState.linked(items, leaders: leaders)
      if set.isEmpty {
        for state in states { state.grow(to: 1) }
        return AggregateGroups(table: nil, states: states)
      }
      let table = GroupTable(types: set.map { keys[$0].type }, determined: determined)
      table.expectedCount = expectedGroups
      return AggregateGroups(table: table, states: states)
    }
  }

  override func letGo() { context = nil }

  func forget() { groups = [] }

  override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
    guard let context else { throw SQLError.internal("an aggregate was fed before its start") }
    var chunk = chunk
    var keyVectors: [Vector] = []
    // A group table knows what to do with positions in dictionaries; several of them would flatten them again and again.
    for key in keys {
      keyVectors.append(
        try sets.count == 1
          ? key.evaluate(&chunk, context) : key.evaluateNormalized(&chunk, context))
    }
    var inputs: [AggregateItem.Input] = []
    for (item, state) in zip(items, groups[0].states) {
      inputs.append(state.follows ? .none : try item.input(&chunk, context))
    }
    var byteCount = 0
    for (number, set) in sets.enumerated() {
      var numbers: Buffer<UInt32>?
      if let table = groups[number].table {
        numbers = try table.findOrInsert(set.map { keyVectors[$0] }, count: chunk.count)
        byteCount += table.byteCount
      }
      let count = groups[number].count
      for (state, input) in zip(groups[number].states, inputs) {
        state.grow(to: count)
        try state.update(input, groups: numbers)
        byteCount += state.byteCount
      }
    }
    try account.set(byteCount)
    if let search {
      var values: [Value] = []
      for state in groups[0].states { values.append(try state.results(0..<1).value(at: 0)) }
      search.note(values)
    }
    return true
  }

  /// Adds another worker's groups.
  func merge(_ other: AggregateStage) throws(SQLError) {
    for number in sets.indices where number < other.groups.count {
      let theirs = other.groups[number]
      let mapping: Buffer<UInt32>
      if let table = groups[number].table, let otherTable = theirs.table {
        mapping = try table.merge(otherTable)
      } else {
        mapping = Buffer(zeroed: 1)
      }
      for (state, their) in zip(groups[number].states, theirs.states) {
        state.grow(to: groups[number].count)
        try state.merge(their, groups: mapping, count: theirs.count)
      }
    }
    other.forget()
  }
}
