import Columnar
import Diagnostics
import Planning
import Storage

/// Pairs that a junction table does not link: the right side is kept, and each left row goes along it once with the marks
/// of those it is linked with.
///
/// A row that names no parent (its key is NULL, or nobody's) is linked with nothing.
final class UnlinkedPairsOperator: StreamOperator {
  private let plan: UnlinkedPairs
  private let buildPipeline: Pipeline
  private let sink = CollectorSink()
  private let isStable: Bool
  private var builtRun: UInt64 = 0
  fileprivate let step: AdjacencyAccess
  private let back: AdjacencyAccess
  private let leftCompiler: ExpressionCompiler
  private let rightCompiler: ExpressionCompiler
  private let account = MemoryAccount()
  fileprivate private(set) var right = BuildRows.none
  /// For each right row the position of the parent that it names; `limit` for none.
  fileprivate private(set) var ends = Buffer<UInt32>(uninitialized: 1)
  /// The positions of the right side's parents are below this.
  fileprivate private(set) var limit = 0
  /// Edges to neighbours; nil where the table keeps edges only, and `edges` to themselves.
  fileprivate private(set) var neighbours: AdjacencyIndex?

  init(
    _ plan: UnlinkedPairs, right: Stream, isStable: Bool,
    _ compiler: (_ columns: [PlanColumn]) -> ExpressionCompiler
  ) {
    self.plan = plan
    self.isStable = isStable
    step = AdjacencyAccess(plan.step)
    back = AdjacencyAccess(plan.back)
    leftCompiler = compiler(plan.left.outputs)
    rightCompiler = compiler(plan.right.outputs)
    buildPipeline = Pipeline(right, into: sink)
  }

  override func prepare(_ context: ExecutionContext) throws(SQLError) -> Bool {
    try step.open(context.tables)
    try back.open(context.tables)
    // Inside a recursion a side that does not depend on the round is built in the first one only.
    if isStable && builtRun == context.runNumber { return right.count > 0 }
    builtRun = context.runNumber
    account.reset(context)
    try buildPipeline.run(context)
    var rows = try BuildRows(
      sink.takeChunks(), types: plan.right.outputs.map(\.type), optional: false)
    var chunk = DataChunk(rows.columns, count: rows.count)
    rows.columns = chunk.columns
    var keys: [Vector] = []
    for key in try rightCompiler.compile(plan.rightKeys) {
      keys.append(try key.evaluateNormalized(&chunk, context).flattened())
    }
    right = rows
    limit = try back.positionTable.rowCount
    try account.charge(4 * rows.count + Workers.parallelism * (limit + 1))
    ends = try back.sources(keys, count: rows.count)
    let end = UInt32(truncatingIfNeeded: limit)
    for row in 0..<rows.count where ends[row] == TableStore.noRow { ends[row] = end }
    let edges = try step.current().edges
    neighbours = edges.adjacency(from: plan.step.from, to: plan.back.from)
    return rows.count > 0
  }

  override func makeStage(next: Stage) throws(SQLError) -> Stage {
    UnlinkedPairsStage(
      self, keys: try leftCompiler.compile(plan.leftKeys), reference: plan.back.from, next: next)
  }
}

private final class UnlinkedPairsStage: StreamingStage {
  private let owner: UnlinkedPairsOperator
  private let keys: [any Evaluator]
  private let reference: Int
  /// One byte for each position of the right side's parents, set for those the left row is linked with; and one for no
  /// parent, which never is.
  private var marks = Buffer<UInt8>(uninitialized: 1)
  private var probeRows = Buffer<UInt32>(uninitialized: 1)
  private var rightRows = Buffer<UInt32>(uninitialized: 1)
  private var found = 0

  init(
    _ owner: UnlinkedPairsOperator, keys: [any Evaluator], reference: Int, next: Stage
  ) {
    self.owner = owner
    self.keys = keys
    self.reference = reference
    super.init(next: next)
  }

  override func start(_ context: ExecutionContext) throws(SQLError) {
    try super.start(context)
    marks = Buffer(zeroed: owner.limit + 1)
    found = 0
    makeRoom()
  }

  /// What was handed on may still be read by somebody.
  private func makeRoom() {
    probeRows = Buffer(uninitialized: Vector.chunkCapacity)
    rightRows = Buffer(uninitialized: Vector.chunkCapacity)
  }

  override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
    let context = try running()
    var chunk = chunk
    var vectors: [Vector] = []
    for key in keys {
      vectors.append(try key.evaluateNormalized(&chunk, context).flattened())
    }
    let sources = try owner.step.sources(vectors, count: chunk.count)
    let opened = try owner.step.current()
    let rightCount = owner.right.count
    for row in 0..<chunk.count {
      try context.check()
      if sources[row] != TableStore.noRow { setMarks(of: sources[row], opened, to: 1) }
      var start = 0
      while start < rightCount {
        let end = min(rightCount, start + Vector.chunkCapacity - found)
        gatherPairs(UInt32(truncatingIfNeeded: row), start..<end)
        start = end
        if found == Vector.chunkCapacity, try !flush(chunk) { return false }
      }
      if sources[row] != TableStore.noRow { setMarks(of: sources[row], opened, to: 0) }
    }
    return found == 0 ? true : try flush(chunk)
  }

  private func gatherPairs(_ row: UInt32, _ range: Range<Int>) {
    let (ends, marks) = (owner.ends, marks)
    let (probeRows, rightRows) = (probeRows, rightRows)
    var count = found
    for other in range {
      probeRows[count] = row
      rightRows[count] = UInt32(truncatingIfNeeded: other)
      count &+= bit(marks[ends[other]] == 0)
    }
    found = count
  }

  private func setMarks(
    of source: UInt32, _ opened: AdjacencyAccess.Opened, to value: UInt8
  ) {
    let marks = marks
    if let neighbours = owner.neighbours {
      let list = neighbours.neighbours(of: source)
      for index in 0..<list.runCount {
        let run = list.run(index)
        for place in 0..<run.count { marks[run.targets[place]] = value }
      }
      return
    }
    let list = opened.adjacency.neighbours(of: source)
    for index in 0..<list.runCount {
      let run = list.run(index)
      let parents = opened.edges.parents(
        of: run.positions(at: .row), count: run.count, reference: reference)
      for place in 0..<run.count where parents[place] != TableStore.noRow {
        marks[parents[place]] = value
      }
    }
  }

  private func flush(_ chunk: DataChunk) throws(SQLError) -> Bool {
    let count = found
    found = 0
    let own = Vector.gathered(chunk.columns, probeRows, count: count)
    let others = owner.right.columns.map { $0.gathered(rightRows, count: count) }
    makeRoom()
    return try next.push(DataChunk(own + others, count: count))
  }
}
