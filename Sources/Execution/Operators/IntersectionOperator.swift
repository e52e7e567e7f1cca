import Catalog
import Columnar
import Diagnostics
import Planning
import Storage

/// For each input row the edges of several lists that lead to the same row.
final class IntersectionOperator: StreamOperator {
  private let node: Intersection
  private let arms: [AdjacencyAccess]
  private let compiler: ExpressionCompiler
  /// Over the input's columns and the key of the row where edges meet.
  private let metCompiler: ExpressionCompiler
  /// Over the input's columns and those of the arms.
  private let edgeCompiler: ExpressionCompiler

  init(_ node: Intersection, _ compiler: (_ columns: [PlanColumn]) -> ExpressionCompiler) {
    self.node = node
    self.compiler = compiler(node.input.outputs)
    metCompiler = compiler(node.input.outputs + (node.met.map { [$0.key.column] } ?? []))
    edgeCompiler = compiler(node.input.outputs + node.arms.flatMap(\.step.columns))
    arms = node.arms.map { AdjacencyAccess($0.step) }
  }

  override var isSequential: Bool { node.conditions.contains { $0.callsSession } }

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
    let conditions =
      node.conditions.isEmpty ? nil : try ConjunctiveFilter(node.conditions, edgeCompiler)
    return IntersectionStage(
      node, arms, keys: keys, bounds: bounds, conditions: conditions,
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

private final class IntersectionStage: StreamingStage, IntersectionSink {
  private let node: Intersection
  private let arms: [AdjacencyAccess]
  private let keys: [[any Evaluator]]
  private let bounds: MetBounds?
  /// What edges that meet have to fulfil for an input row to count.
  private let conditions: ConjunctiveFilter?
  /// For each row of the input whether it counts, where there are conditions.
  private var settled = Buffer<UInt8>(uninitialized: 0)
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
    conditions: ConjunctiveFilter?, inputPlaces: [Int], next: Stage
  ) {
    self.node = node
    self.arms = arms
    self.keys = keys
    self.bounds = bounds
    self.conditions = conditions
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
    guard conditions != nil, case .inputs(let areMet) = node.kind else {
      return try intersection.find(sources, count: chunk.count, bounds: wanted, into: self)
    }
    settled = Buffer(zeroed: chunk.count)
    _ = try intersection.find(sources, count: chunk.count, bounds: wanted, into: self)
    let kept = Buffer<UInt32>(uninitialized: chunk.count)
    var found = 0
    for row in 0..<chunk.count {
      kept[found] = UInt32(truncatingIfNeeded: row)
      found &+= bit((settled[row] != 0) == areMet)
    }
    if found == 0 { return true }
    let handedOn = DataChunk(inputPlaces.map { chunk.columns[$0] }, count: chunk.count)
    return try next.push(handedOn.gathered(SelectionVector(kept, count: found)))
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
          opened.adjacency, isUnique: step.isUnique, wantsRows: !step.edgeColumns.isEmpty,
          reverse: step.to.flatMap { opened.edges.adjacency(from: $0, to: step.from) }))
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
      conditions == nil ? node.kind : .combinations, lists,
      ListIntersection.Wanted(
        inputs: !inputPlaces.isEmpty || metKeys != nil || conditions != nil,
        targets: metKeys != nil || node.arms.contains { !$0.step.neighbourColumns.isEmpty }),
      joinsWithItself: node.joinsWithItself, stopsWhenSettled: conditions != nil,
      targetLimit: targetLimit)
    intersection = made
    return made
  }

  func take(_ found: ListIntersection.Found) throws(SQLError) -> Bool {
    let context = try running()
    try context.check()
    if let conditions {
      try settle(found, conditions, context)
      return true
    }
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
    let chunk = try edges(found, of: inputPlaces.map { input.columns[$0] })
    guard let kept else { return try next.push(chunk) }
    return kept.count == 0 ? true : try next.push(chunk.gathered(kept))
  }

  /// Edges found beside columns of the input.
  private func edges(
    _ found: ListIntersection.Found, of inputColumns: [Vector]
  ) throws(SQLError) -> DataChunk {
    var columns = Vector.gathered(inputColumns, found.inputs, count: found.count)
    for (number, arm) in arms.enumerated() {
      columns += try arm.columns(
        TableAccess.Stretch(
          positions: found.rows[number], neighbours: found.targets, count: found.count))
    }
    return DataChunk(columns, count: found.count)
  }

  /// Takes note of input rows some of whose edges fulfil the conditions.
  private func settle(
    _ found: ListIntersection.Found, _ conditions: ConjunctiveFilter, _ context: ExecutionContext
  ) throws(SQLError) {
    var chunk = try edges(found, of: input.columns)
    let settled = settled
    if let kept = try conditions.select(&chunk, context) {
      for index in 0..<kept.count { settled[Int(found.inputs[kept.positions[index]])] = 1 }
    } else {
      for row in 0..<found.count { settled[Int(found.inputs[row])] = 1 }
    }
  }

  func isSettled(_ row: UInt32) -> Bool { settled[Int(row)] != 0 }

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
