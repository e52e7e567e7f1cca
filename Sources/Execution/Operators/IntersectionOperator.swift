import Catalog
import Columnar
import Diagnostics
import Planning
import Storage

/// For each input row the edges of several lists that lead to the same row.
final class IntersectionOperator: StreamOperator, @unchecked Sendable {
  private let node: Intersection
  private let arms: [AdjacencyAccess]
  private let compiler: ExpressionCompiler
  /// Over the input's columns and the key of the row where edges meet.
  private let metCompiler: ExpressionCompiler

  init(_ node: Intersection, _ compiler: (_ columns: [PlanColumn]) -> ExpressionCompiler) {
    self.node = node
    self.compiler = compiler(node.input.outputs)
    metCompiler = compiler(node.input.outputs + (node.met.map { [$0.key.column] } ?? []))
    arms = node.arms.map { AdjacencyAccess($0.step) }
  }

  override func prepare(_ context: ExecutionContext) throws(SQLError) -> Bool {
    for arm in arms { try arm.open(context.tables) }
    return true
  }

  override func makeStage(next: Stage) throws(SQLError) -> Stage {
    var keys: [[any Evaluator]] = []
    for arm in node.arms { keys.append(try compiler.compile(arm.keys)) }
    let ids = node.input.outputs.map(\.id)
    var bounds: MetBounds?
    if let met = node.met {
      bounds = MetBounds(
        key: met.key, values: try compiler.compile(node.bounds.map(\.value)),
        filter: try ConjunctiveFilter(
          node.bounds.map { .comparison($0.comparison, met.key.column.reference, $0.value) },
          metCompiler))
    }
    return IntersectionStage(
      node, arms, keys: keys, bounds: bounds,
      inputPlaces: node.inputColumns.compactMap { column in ids.firstIndex(of: column.id) },
      next: next)
  }
}

/// Bounds on the key of the row where edges meet.
private struct MetBounds {
  let key: ScanPlan.Column
  /// What the key is compared with, over the input's columns.
  let values: [any Evaluator]
  /// The same as a filter over the input's columns and the key.
  let filter: ConjunctiveFilter
}

private final class IntersectionStage: StreamingStage, IntersectionSink, @unchecked Sendable {
  private let node: Intersection
  private let arms: [AdjacencyAccess]
  private let keys: [[any Evaluator]]
  private let bounds: MetBounds?
  /// The places of the input's columns that are handed on.
  private let inputPlaces: [Int]
  /// The keys of the rows where edges meet, if positions rise with them, so that bounds are places in a list.
  private var serialKeys: SerialColumn?
  /// Reads those keys where they do not.
  private var metKeys: ColumnReaders?
  /// For each arm the first that has the same keys, whose sources are then the same.
  private let firstAlike: [Int]
  private let account = MemoryAccount()
  private var intersection: ListIntersection?
  /// The chunk whose edges are being found.
  private var input = DataChunk([], count: 0)

  init(
    _ node: Intersection, _ arms: [AdjacencyAccess], keys: [[any Evaluator]], bounds: MetBounds?,
    inputPlaces: [Int], next: Stage
  ) {
    self.node = node
    self.arms = arms
    self.keys = keys
    self.bounds = bounds
    self.inputPlaces = inputPlaces
    firstAlike = node.arms.indices.map { number in
      node.arms.firstIndex { $0.hasSameSource(as: node.arms[number]) } ?? number
    }
    super.init(next: next)
  }

  override func start(_ context: ExecutionContext) throws(SQLError) {
    try super.start(context)
    account.reset(context)
    intersection = nil
  }

  override func letGo() {
    intersection = nil
    metKeys = nil
    input = DataChunk([], count: 0)
    super.letGo()
  }

  override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
    let context = try running()
    let intersection = try started()
    var chunk = chunk
    var sources: [Buffer<UInt32>] = []
    for (number, arm) in arms.enumerated() {
      let alike = firstAlike[number]
      sources.append(
        alike < number ? sources[alike] : try arm.sources(of: &chunk, keys[number], context))
    }
    let wanted = try targetBounds(&chunk, context)
    input = chunk
    return try intersection.find(sources, count: chunk.count, bounds: wanted, into: self)
  }

  /// For each row the targets that are within bounds; nil where that is told by a filter.
  private func targetBounds(
    _ chunk: inout DataChunk, _ context: ExecutionContext
  ) throws(SQLError) -> TargetBounds? {
    guard let bounds, let serialKeys else { return nil }
    let wanted = TargetBounds(count: chunk.count)
    for (bound, value) in zip(node.bounds, bounds.values) {
      let values = try value.evaluateNormalized(&chunk, context).flattened()
      wanted.narrow(bound.comparison.kernel, values, keys: serialKeys)
    }
    return wanted
  }

  /// The intersection, begun with the first chunk: a worker without any needs none.
  private func started() throws(SQLError) -> ListIntersection {
    if let intersection { return intersection }
    var lists: [ListIntersection.Arm] = []
    var targetLimit = 0
    for (number, arm) in arms.enumerated() {
      let opened = try arm.current()
      let step = node.arms[number].step
      targetLimit = max(targetLimit, try opened.arrivals().limit)
      lists.append(
        ListIntersection.Arm(
          opened.adjacency, isUnique: step.isUnique, wantsRows: !step.edgeColumns.isEmpty))
    }
    if let bounds {
      let table = try arms[0].current().arrivals().table
      serialKeys = table.serialColumn(bounds.key.index)
      if serialKeys == nil {
        metKeys = try ColumnReaders(TableColumns([bounds.key]), of: table)
      }
    }
    try account.charge(ListIntersection.byteCount(targetLimit: targetLimit))
    let made = ListIntersection(
      node.kind, lists,
      ListIntersection.Wanted(
        inputs: !inputPlaces.isEmpty || metKeys != nil,
        targets: metKeys != nil || node.arms.contains { !$0.step.neighbourColumns.isEmpty }),
      joinsWithItself: node.joinsWithItself, targetLimit: targetLimit)
    intersection = made
    return made
  }

  func take(_ found: ListIntersection.Found) throws(SQLError) -> Bool {
    let context = try running()
    try context.check()
    var kept: SelectionVector?
    if let bounds, let metKeys {
      var pairs = DataChunk(
        Vector.gathered(input.columns, found.inputs, count: found.count)
          + metKeys.gather(found.targets, count: found.count),
        count: found.count)
      kept = try bounds.filter.select(&pairs, context)
    }
    if node.outputs.isEmpty {
      var rest = kept?.count ?? found.count
      while rest > 0 {
        let count = min(rest, Vector.chunkCapacity)
        if try !next.push(DataChunk([], count: count)) { return false }
        rest -= count
      }
      return true
    }
    var columns = Vector.gathered(
      inputPlaces.map { input.columns[$0] }, found.inputs, count: found.count)
    for (number, arm) in arms.enumerated() {
      columns += try arm.columns(
        TableAccess.Stretch(
          positions: found.rows[number], neighbours: found.targets, count: found.count))
    }
    let chunk = DataChunk(columns, count: found.count)
    guard let kept else { return try next.push(chunk) }
    return kept.count == 0 ? true : try next.push(chunk.gathered(kept))
  }

  func check() throws(SQLError) { try running().check() }
}

extension Intersection.Arm {
  /// Whether both arms start from the same row.
  fileprivate func hasSameSource(as other: Intersection.Arm) -> Bool {
    let (own, others) = (
      step.edgeTable.foreignKeys[step.from], other.step.edgeTable.foreignKeys[other.step.from]
    )
    return own.parent == others.parent && own.parentColumns == others.parentColumns
      && keys.map(\.signature) == other.keys.map(\.signature)
  }
}
