import Columnar
import Diagnostics
import Planning
import Storage

/// Runs a walk: from the rows where it starts, one set of rows after another.
///
/// One run at a time uses a walker; its workers have states of their own.
final class Walker {
  /// Rows to which the same number of edges leads, if rounds are counted; otherwise all.
  struct Layer: Sendable {
    var set: ReachedSet
    var length: Int
  }

  private let start: WalkStart
  private let hops: [Hop]
  private let rounds: Walk.Rounds?
  /// What the rows must meet that a round starts from.
  private let entry: RowFilter?
  /// What the rows must meet that are arrived at in the end.
  private let filter: RowFilter?
  /// The parameter that is the key of the only row where the walk starts, if that and one hop without
  /// conditions is all of it.
  let parameter: Int?

  /// A walk of no steps if there are none: then the rows where it starts are found by `access`, else
  /// by the first step.
  convenience init(
    _ start: Walk.Start, _ steps: [AdjacencyStep], access: TableAccess?, _ compiler: PlanCompiler
  ) throws(SQLError) {
    try self.init(Walk(start: start, steps: steps, columns: []), access: access, compiler)
  }

  /// A walk whose start is found by `access`, or by the first step.
  init(_ walk: Walk, access: TableAccess? = nil, _ compiler: PlanCompiler) throws(SQLError) {
    let (start, steps) = (walk.start, walk.steps)
    rounds = walk.rounds
    if let arrival = steps.last?.arrival {
      // A round leads from rows of a table to rows of the same.
      let entry = walk.rounds?.entry ?? RowCondition()
      self.entry = try RowFilter(
        entry.filters, on: StepArrival(table: arrival.table, columns: entry.columns), compiler)
      filter = try RowFilter(
        walk.filters, on: StepArrival(table: arrival.table, columns: walk.columns), compiler)
    } else {
      entry = nil
      filter = nil
    }
    var hops: [Hop] = []
    for step in steps { hops.append(try Hop(step, compiler)) }
    self.hops = hops
    guard let first = access ?? hops.first?.access else {
      throw SQLError.internal("a walk starts nowhere")
    }
    self.start = try WalkStart(start, first, compiler)
    let isPlain = rounds == nil && filter == nil && hops.count == 1 && hops[0].takesNumber
    parameter = isPlain ? start.parameter : nil
  }

  /// The rows arrived at.
  ///
  /// - Complexity: O(edges + positions of the tables passed), less where looking back from the rows not yet
  ///   reached is quicker.
  func run(_ context: ExecutionContext) throws(SQLError) -> ReachedSet {
    let layers = try layers(context)
    var reached = layers[0].set
    for layer in layers.dropFirst() { reached = try reached.union(layer.set) }
    return reached
  }

  /// The rows arrived at, by the number of edges to them where rounds are counted; at least one layer.
  func layers(_ context: ExecutionContext) throws(SQLError) -> [Layer] {
    let set = try start.run(context)
    var layers =
      if let rounds { try self.layers(rounds, from: set, context) } else {
        [Layer(set: try once(from: set, context), length: hops.count)]
      }
    guard let filter else { return layers }
    for index in layers.indices {
      guard let table = layers[index].set.table else { continue }
      layers[index].set = try filter.filtered(layers[index].set, table, context)
    }
    return layers
  }

  private func once(
    from sources: ReachedSet, _ context: ExecutionContext
  ) throws(SQLError) -> ReachedSet {
    var set = sources
    if let entry, let table = set.table { set = try entry.filtered(set, table, context) }
    for hop in hops { set = try hop.run(from: set, context) }
    return set
  }

  /// The rows that some number of rounds arrives at: those of the least number, and of each further round the rows
  /// that no round before it gave, as only they lead on to others.
  private func layers(
    _ rounds: Walk.Rounds, from sources: ReachedSet, _ context: ExecutionContext
  ) throws(SQLError) -> [Layer] {
    var new = sources
    var round = 0
    while round < rounds.minimum && new.count > 0 {
      try context.check()
      new = try once(from: new, context)
      round += 1
    }
    var reached = new
    var layers = [Layer(set: new, length: round * hops.count)]
    while round < rounds.maximum ?? .max && new.count > 0 && reached.count < reached.limit {
      try context.check()
      new = try once(from: new, context).subtracting(reached)
      reached = try reached.union(new)
      round += 1
      if rounds.length == nil {
        layers[0].set = reached
      } else if new.count > 0 {
        layers.append(Layer(set: new, length: round * hops.count))
      }
    }
    return layers
  }

  /// The number of rows arrived at.
  ///
  /// - Complexity: O(1) for the neighbours of one row where no edge repeats another; else as `run`.
  func count(_ context: ExecutionContext) throws(SQLError) -> Int {
    guard rounds == nil, filter == nil, let last = hops.last else {
      return try layers(context).reduce(0) { $0 + $1.set.count }
    }
    var set = try start.run(context)
    for hop in hops.dropLast() { set = try hop.run(from: set, context) }
    return try last.count(from: set, context)
  }
}

extension Walk.Start {
  /// The parameter that is the key of the only row where the walk starts; nil for any other start.
  var parameter: Int? {
    guard case .keys(let keys) = self, keys.count == 1, keys[0].count == 1,
      case .parameter(let index, _) = keys[0][0]
    else { return nil }
    return index
  }
}

extension Walker {
  /// The rows arrived at for a value of `parameter`, found without a run, until the next call: in any order, some
  /// perhaps more than once; nil where they are many.
  ///
  /// - Complexity: O(edges), of which there are few.
  func rows(
    number: Int64, in tables: any TableSource
  ) throws(SQLError) -> (positions: Buffer<UInt32>, count: Int)? {
    try hops.first?.neighbours(ofNumber: number, in: tables)
  }

  /// Their number; nil where it is not known at once.
  ///
  /// - Complexity: O(1).
  func count(number: Int64, in tables: any TableSource) throws(SQLError) -> Int? {
    try hops.first?.count(fromNumber: number, in: tables)
  }
}

/// Where a walk starts.
///
/// As `Walker`.
private final class WalkStart {
  private let access: TableAccess
  private let keys: [[any Evaluator]]
  private let pipeline: Pipeline?
  private let sink: PositionSink?

  init(
    _ start: Walk.Start, _ access: TableAccess, _ compiler: PlanCompiler
  ) throws(SQLError) {
    self.access = access
    switch start {
    case .keys(let keys):
      let expressions = compiler.expressions(over: [])
      var compiled: [[any Evaluator]] = []
      for key in keys { compiled.append(try expressions.compile(key)) }
      self.keys = compiled
      pipeline = nil
      sink = nil
    case .plan(let plan, let keys):
      let sink = PositionSink(access, keys, compiler.expressions(over: plan.outputs))
      pipeline = Pipeline(try compiler.stream(plan), into: sink)
      self.sink = sink
      self.keys = []
    }
  }

  func run(_ context: ExecutionContext) throws(SQLError) -> ReachedSet {
    try access.open(context.tables)
    if let pipeline, let sink {
      try pipeline.run(context)
      return try sink.takeSet()
    }
    let found = Buffer<UInt32>(uninitialized: max(1, keys.count))
    var count = 0
    for key in keys {
      var one = DataChunk([], count: 1)
      var values: [Vector] = []
      values.reserveCapacity(key.count)
      for part in key { values.append(try part.evaluate(&one, context).flattened()) }
      let position = try access.position(of: values)
      found[count] = position
      count += bit(position != TableStore.noRow)
    }
    return ReachedSet(found, count: count, in: try access.positionTable)
  }
}

/// Gathers the rows whose keys come past.
private final class PositionSink: Sink {
  private let access: TableAccess
  private let keys: [BoundExpression]
  private let compiler: ExpressionCompiler
  private var stages: [PositionStage] = []
  private var set: ReachedSet?

  init(_ access: TableAccess, _ keys: [BoundExpression], _ compiler: ExpressionCompiler) {
    self.access = access
    self.keys = keys
    self.compiler = compiler
  }

  override func start(_ context: ExecutionContext, workerCount: Int) throws(SQLError) {
    set = nil
    if stages.count > 1 { stages.removeLast(stages.count - 1) }
  }

  override func makeStage(worker: Int) throws(SQLError) -> SinkStage {
    let stage = PositionStage(access, try compiler.compile(keys))
    stages.append(stage)
    return stage
  }

  override func combine(_ context: ExecutionContext) throws(SQLError) {
    let table = try access.positionTable
    var united: MarkedNeighbours?
    for stage in stages {
      guard let own = stage.takeMarks() else { continue }
      united?.merge(own, limit: table.rowCount)
      united = united ?? own
    }
    set = united.map { ReachedSet($0.bits, in: table) }
  }

  func takeSet() throws(SQLError) -> ReachedSet {
    defer { set = nil }
    if let set { return set }
    return ReachedSet(noneIn: try access.positionTable)
  }
}

private final class PositionStage: SinkStage {
  private let access: TableAccess
  private let keys: [any Evaluator]
  private var marks: MarkedNeighbours?
  private var context: ExecutionContext?
  private let account = MemoryAccount()

  init(_ access: TableAccess, _ keys: [any Evaluator]) {
    self.access = access
    self.keys = keys
  }

  override func start(_ context: ExecutionContext) throws(SQLError) {
    marks = nil
    self.context = context
    account.reset(context)
  }

  override func letGo() { context = nil }

  func takeMarks() -> MarkedNeighbours? {
    defer { marks = nil }
    return marks
  }

  override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
    guard let context else { throw SQLError.internal("a walk was fed before its start") }
    var chunk = chunk
    var vectors: [Vector] = []
    for key in keys { vectors.append(try key.evaluateNormalized(&chunk, context).flattened()) }
    let (positions, count) = try access.positions(of: vectors, count: chunk.count)
    if marks == nil {
      let limit = try access.positionTable.rowCount
      try account.charge(limit / 8)
      marks = MarkedNeighbours(limit: limit)
    }
    guard let bits = marks?.bits else { return true }
    for index in 0..<count where positions[index] != TableStore.noRow {
      bits.insert(positions[index])
    }
    return true
  }
}

extension TableAccess {
  /// The position of the row that a key names, or `TableStore.noRow`; of the parent's row for a step.
  fileprivate func position(of key: [Vector]) throws(SQLError) -> UInt32 {
    let (positions, count) = try positions(of: key, count: 1)
    return count == 0 ? TableStore.noRow : positions[0]
  }
}
