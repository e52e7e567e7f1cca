import Columnar
import Diagnostics
import Planning

/// Computes key columns behind a build side's own, so that they are gathered with its rows.
final class ExtendOperator: StreamOperator {
  private let expressions: [BoundExpression]
  private let width: Int
  private let compiler: ExpressionCompiler
  /// The place of each expression's value.
  let places: [Int]
  let addedTypes: [LogicalType]

  init(_ expressions: [BoundExpression], width: Int, _ compiler: ExpressionCompiler)
    throws(SQLError)
  {
    self.expressions = expressions
    self.width = width
    self.compiler = compiler
    let columns = try ColumnExtension(expressions, width: width, compiler)
    places = columns.places
    addedTypes = columns.addedTypes
  }

  override func makeStage(next: Stage) throws(SQLError) -> Stage {
    ExtendStage(try ColumnExtension(expressions, width: width, compiler), next: next)
  }

  private final class ExtendStage: StreamingStage {
    private let columns: ColumnExtension

    init(_ columns: ColumnExtension, next: Stage) {
      self.columns = columns
      super.init(next: next)
    }

    override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
      try next.push(try columns.extend(chunk, try running()))
    }
  }
}

/// A join by equality of keys: the build side is run dry and indexed, the probe side streams past it.
final class HashJoinOperator: StreamOperator {
  private let join: HashJoin
  private let rules: JoinRules
  private let buildPipeline: Pipeline
  private let sink = CollectorSink()
  private let isStable: Bool
  private var builtRun: UInt64 = 0
  private let extend: ExtendOperator
  /// What scans of the probe side are told of columns of the build side's extended rows.
  private let filters: [(place: Int, filter: JoinFilter)]
  private let probeCompiler: ExpressionCompiler
  private let residualCompiler: ExpressionCompiler
  /// Those of one stage, for what the build side has to be prepared for.
  private let conditions: PairConditions?
  private let account = MemoryAccount()
  private let buildWidth: Int
  fileprivate private(set) var build: BuildRows
  fileprivate private(set) var table: JoinTable
  fileprivate private(set) var awareness: NullAwareness?
  /// What this run's workers note of build rows; not the workers' stages, which know their operator.
  fileprivate var buildMarks: [Buffer<UInt8>] = []

  init(
    _ join: HashJoin, build: Stream, isStable: Bool,
    filters: [(of: BoundExpression, filter: JoinFilter)],
    _ compiler: (_ columns: [PlanColumn]) -> ExpressionCompiler
  )
    throws(SQLError)
  {
    self.join = join
    self.isStable = isStable
    rules = JoinRules(join.kind, isFlipped: join.isFlipped)
    probeCompiler = compiler(join.probe.outputs)
    residualCompiler = compiler(join.probe.outputs + join.build.outputs)
    conditions = try Self.conditions(join, residualCompiler)
    buildWidth = join.build.outputs.count
    extend = try ExtendOperator(
      join.keys.map(\.build), width: buildWidth, compiler(join.build.outputs))
    let own = join.build.outputs.map(\.id)
    let places = extend.places
    self.filters = filters.compactMap { key, filter in
      let place =
        key.asColumn.flatMap { own.firstIndex(of: $0) }
        ?? join.keys.firstIndex { isSame($0.build, key) }.map { places[$0] }
      return place.map { ($0, filter) }
    }
    var stream = build
    stream.operators.append(extend)
    buildPipeline = Pipeline(stream, into: sink)
    self.build = .none
    table = try JoinTable(keys: [], nullsMatch: [], count: 0)
  }

  override var givesOwnRows: Bool { rules.marksBuild }

  override var isSequential: Bool { join.residual.contains { $0.callsSession } }

  override func prepare(_ context: ExecutionContext) throws(SQLError) -> Bool {
    buildMarks = []
    // Inside a recursion a side that does not depend on the round is built in the first one only.
    if isStable && builtRun == context.runNumber { return build.count > 0 || !rules.needsBuildRows }
    builtRun = context.runNumber
    account.reset(context)
    try buildPipeline.run(context)
    let chunks = sink.takeChunks()
    let types = join.build.outputs.map(\.type) + extend.addedTypes
    var rows = try BuildRows(chunks, types: types, optional: rules.keepsProbe)
    if let column = conditions?.rangeColumn { try rows.arrange(byColumn: column) }
    var keys = extend.places.map { rows.columns[$0].slice(from: 0, count: rows.count) }
    // Rows of a key stay in their order.
    table = try JoinTable(
      keys: keys, nullsMatch: join.keys.map(\.nullsMatch), count: rows.count,
      lookUps: join.probe.estimatedRows, sharing: context)
    if let order = try table.takeOrder(rowCount: rows.count) {
      try rows.arrange(order)
      keys = extend.places.map { rows.columns[$0].slice(from: 0, count: rows.count) }
    }
    awareness = try NullAwareness(join.keys, keys, count: rows.count)
    for (place, filter) in filters {
      try filter.set(rows.columns[place].slice(from: 0, count: rows.count), count: rows.count)
    }
    rows.columns.removeLast(rows.columns.count - buildWidth)
    try rows.prepare(for: conditions, in: table, context)
    build = rows
    try account.charge(
      table.byteCount + rows.preparedByteCount + filters.reduce(0) { $0 + $1.filter.byteCount }
        + DataChunk(keys, count: rows.count).approximateByteCount)
    return build.count > 0 || !rules.needsBuildRows
  }

  override func makeStage(next: Stage) throws(SQLError) -> Stage {
    return HashJoinStage(
      self, keys: try probeCompiler.compile(join.keys.map(\.probe)), rules,
      isFlipped: join.isFlipped, conditions: try Self.conditions(join, residualCompiler),
      probeTypes: join.probe.outputs.map(\.type), next: next)
  }

  private static func conditions(
    _ join: HashJoin, _ compiler: ExpressionCompiler
  ) throws(SQLError) -> PairConditions? {
    try PairConditions(
      join.residual, probe: join.probe.outputs, build: join.build.outputs, rangeKey: join.rangeKey,
      compiler)
  }
}

private final class HashJoinStage: PairJoinStage {
  private let owner: HashJoinOperator
  private let keys: [any Evaluator]

  init(
    _ join: HashJoinOperator, keys: [any Evaluator], _ rules: JoinRules, isFlipped: Bool,
    conditions: PairConditions?, probeTypes: [LogicalType], next: Stage
  ) {
    owner = join
    self.keys = keys
    super.init(
      rules, isFlipped: isFlipped, conditions: conditions, truth: nil, probeTypes: probeTypes,
      next: next)
  }

  override func start(_ context: ExecutionContext) throws(SQLError) {
    try super.start(context)
    if let marks = startBuildMarks(owner.build.count) { owner.buildMarks.append(marks) }
  }

  override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
    let context = try running()
    var chunk = chunk
    var vectors: [Vector] = []
    for key in keys {
      vectors.append(try key.evaluateNormalized(&chunk, context).compactFlattened())
    }
    let ranges = try owner.table.candidates(of: vectors, count: chunk.count)
    let unknown = try owner.awareness?.unknownRows(vectors, count: chunk.count)
    return try join(chunk, ranges, owner.build, unknown: unknown)
  }

  override func finish() throws(SQLError) {
    if rules.output == .buildMark {
      try outputMarkedBuild(owner.buildMarks, owner.build)
    } else if rules.givesBuildRows {
      try outputBuild(
        owner.buildMarks, matched: rules.output == .buildMatched, owner.build)
    } else if rules.keepsBuild {
      try outputUnmatchedBuild(owner.buildMarks, owner.build)
    }
    try next.finish()
  }
}

/// Which probe rows of a mark or anti-join are NULL where they have no match.
///
/// A row is, if among the build rows equal to it in the other keys some has NULL in the aware key, or there are some
/// and its own aware key is NULL.
final class NullAwareness {
  private let aware: Int
  private let others: [Int]
  /// Build rows by the other keys; nil where there are none and all rows are equal in them.
  private let table: JoinTable?
  /// Whether some row of each number has a NULL; one entry where there is no table.
  private let hasNull: Buffer<UInt8>
  private let hasRows: Buffer<UInt8>

  init?(_ keys: [HashJoin.Key], _ columns: [Vector], count: Int) throws(SQLError) {
    guard let aware = keys.firstIndex(where: \.isNullAware) else { return nil }
    self.aware = aware
    others = keys.indices.filter { $0 != aware }
    let validity = columns[aware].validity
    if others.isEmpty {
      table = nil
      hasNull = Buffer(repeating: UInt8(bit(validity.nullCount(count) > 0)), count: 1)
      hasRows = Buffer(repeating: UInt8(bit(count > 0)), count: 1)
      return
    }
    let otherColumns = others.map { columns[$0] }
    let found = try JoinTable(
      keys: otherColumns, nullsMatch: others.map { keys[$0].nullsMatch }, count: count)
    table = found
    hasNull = Buffer(zeroed: found.keyCount + 1)
    hasRows = Buffer(zeroed: found.keyCount + 1)
    let numbers = try found.numbers(of: otherColumns, count: count)
    for row in 0..<count where Int(numbers[row]) < found.keyCount {
      if row & (Range.sliceLength - 1) == 0 { try RunningStatement.check() }
      hasRows[numbers[row]] = 1
      hasNull[numbers[row]] |= UInt8(bit(!validity.isValid(row)))
    }
  }

  func unknownRows(_ keys: [Vector], count: Int) throws(SQLError) -> Buffer<UInt8> {
    let result = Buffer<UInt8>(zeroed: max(count, 1))
    let validity = keys[aware].validity
    guard let table else {
      for row in 0..<count {
        result[row] = hasNull[0] | (hasRows[0] & UInt8(bit(!validity.isValid(row))))
      }
      return result
    }
    let numbers = try table.numbers(of: others.map { keys[$0] }, count: count)
    for row in 0..<count {
      let number = min(Int(numbers[row]), table.keyCount)
      result[row] = hasNull[number] | (hasRows[number] & UInt8(bit(!validity.isValid(row))))
    }
    return result
  }
}
