import Columnar
import Diagnostics
import Planning

/// Set-returning functions for each input row: side by side, the shorter ones padded with NULLs.
final class TableFunctionOperator: StreamOperator {
  private let calls: [TableFunctionCall]
  /// What comes out in front of the functions' columns.
  private let columns: [BoundExpression]
  private let ordinality: Bool
  private let isOuter: Bool
  private let compiler: ExpressionCompiler
  /// What runs those of the calls that are graph algorithms.
  private let graphs: [GraphRunner?]

  init(
    _ calls: [TableFunctionCall], columns: [BoundExpression], ordinality: Bool, isOuter: Bool,
    _ compiler: ExpressionCompiler, graphs: [GraphRunner?]? = nil
  ) {
    self.calls = calls
    self.graphs = graphs ?? calls.map { _ in nil }
    self.columns = columns
    self.ordinality = ordinality
    self.isOuter = isOuter
    self.compiler = compiler
  }

  // A graph algorithm has all workers for itself.
  override var isSequential: Bool {
    graphs.contains { $0 != nil } || columns.contains { $0.callsSession }
      || calls.contains { $0.arguments.contains { $0.callsSession } }
  }

  override func prepare(_ context: ExecutionContext) throws(SQLError) -> Bool {
    for graph in graphs { try graph?.prepare(context) }
    return true
  }

  override func makeStage(next: Stage) throws(SQLError) -> Stage {
    var functions: [TableFunctionStage.Function] = []
    for (call, graph) in zip(calls, graphs) {
      functions.append(
        TableFunctionStage.Function(
          call: call, arguments: try compiler.compile(call.arguments), graph: graph))
    }
    return TableFunctionStage(
      functions, columns: try compiler.compile(columns), ordinality: ordinality, isOuter: isOuter,
      next: next)
  }
}

private final class TableFunctionStage: StreamingStage {
  struct Function {
    let call: TableFunctionCall
    let arguments: [any Evaluator]
    let graph: GraphRunner?
    var types: [LogicalType] { call.columns.map(\.type) }
  }
  private let functions: [Function]
  private let columns: [any Evaluator]
  private let ordinality: Bool
  private let isOuter: Bool
  /// Results of several rows on their way out together: the row of each and the functions' columns.
  private var pending: [DataChunk] = []
  private var pendingRows: [UInt32] = []
  private var pendingOrdinals: [Int64] = []

  init(
    _ functions: [Function], columns: [any Evaluator], ordinality: Bool, isOuter: Bool, next: Stage
  ) {
    self.functions = functions
    self.columns = columns
    self.ordinality = ordinality
    self.isOuter = isOuter
    super.init(next: next)
  }

  private var types: [LogicalType] { functions.flatMap(\.types) }

  override func letGo() {
    for function in functions { function.graph?.letGo() }
    super.letGo()
  }

  override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
    let context = try running()
    pending = []
    pendingRows = []
    pendingOrdinals = []
    var chunk = chunk
    var front: [Vector] = []
    for column in columns { front.append(try column.evaluate(&chunk, context)) }
    var arguments: [[Vector]] = []
    for function in functions {
      var vectors: [Vector] = []
      for argument in function.arguments {
        vectors.append(try argument.evaluateNormalized(&chunk, context))
      }
      arguments.append(vectors)
    }
    if let spans = try spans(arguments, chunk.count, context) {
      return try push(SpanCursor(spans, count: chunk.count, isOuter: isOuter), front, context)
    }
    for row in 0..<chunk.count {
      if try !call(row, arguments, front, context) { return false }
    }
    return try flush(front)
  }

  /// What the functions give for all rows at once; nil where one of them does not know how.
  private func spans(
    _ arguments: [[Vector]], _ count: Int, _ context: ExecutionContext
  ) throws(SQLError) -> [RowSpans]? {
    var spans: [RowSpans] = []
    for (function, values) in zip(functions, arguments) {
      guard function.graph == nil, case .spans(let kernel) = function.call.kernel else {
        return nil
      }
      spans.append(try kernel(values, count, context.evaluation))
    }
    return spans
  }

  private func push(
    _ spans: SpanCursor, _ front: [Vector], _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    var cursor = spans
    while let part = cursor.next() {
      try context.check()
      var vectors = front.map { $0.gathered(part.rows, count: part.count) }
      vectors += cursor.columns(part)
      if ordinality {
        let ordinals = Buffer<Int64>(uninitialized: part.count)
        for row in 0..<part.count { ordinals[row] = part.places[row] &+ 1 }
        vectors.append(
          Vector(.bigint, ordinals, count: part.count, validity: cursor.missing(part)))
      }
      if try !emit(DataChunk(vectors, count: part.count)) { return false }
    }
    return true
  }

  /// Calls all functions for one row.
  private func call(
    _ row: Int, _ arguments: [[Vector]], _ front: [Vector], _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    if functions.count == 1 {
      var ordinal: Int64 = 0
      var more = true
      try each(functions[0], arguments[0], row, context) { (part) throws(SQLError) in
        try context.check()
        more = try add(part, row, &ordinal, front)
        return more
      }
      return ordinal == 0 && isOuter && more ? try addMissing(row, front) : more
    }
    var results: [DataChunk] = []
    for (function, values) in zip(functions, arguments) {
      var parts: [DataChunk] = []
      try each(function, values, row, context) { (part) throws(SQLError) in
        try context.check()
        parts.append(part)
        return true
      }
      results.append(try DataChunk.concatenate(parts, types: function.types))
    }
    let longest = results.map(\.count).max() ?? 0
    if longest == 0 { return isOuter ? try addMissing(row, front) : true }
    var padded: [Vector] = []
    for result in results {
      for column in result.columns {
        let rest = longest - column.count
        let parts = rest > 0 ? [column, Vector.null(column.type, count: rest)] : [column]
        padded.append(try Vector.concatenateInSlices(parts, type: column.type))
      }
    }
    var ordinal: Int64 = 0
    return try add(DataChunk(padded, count: longest), row, &ordinal, front)
  }

  private func each(
    _ function: Function, _ values: [Vector], _ row: Int, _ context: ExecutionContext,
    _ body: (DataChunk) throws(SQLError) -> Bool
  ) throws(SQLError) {
    let own = values.map { $0.constant(at: row, count: 1).flattened() }
    if let graph = function.graph { return try graph.run(own, context, body) }
    if function.call.isStrict && own.contains(where: { !$0.isValid(0) }) { return }
    try function.call.kernel.rows(own, context.evaluation, body)
  }

  private func addMissing(_ row: Int, _ front: [Vector]) throws(SQLError) -> Bool {
    pending.append(DataChunk(types.map { Vector.null($0, count: 1) }, count: 1))
    pendingRows.append(UInt32(truncatingIfNeeded: row))
    // The ordinal of a missing row is missing as well; no function counts from 0.
    if ordinality { pendingOrdinals.append(0) }
    return pendingRows.count >= Vector.chunkCapacity ? try flush(front) : true
  }

  private func add(
    _ part: DataChunk, _ row: Int, _ ordinal: inout Int64, _ front: [Vector]
  ) throws(SQLError) -> Bool {
    if part.count == 0 { return true }
    pending.append(part)
    pendingRows += repeatElement(UInt32(truncatingIfNeeded: row), count: part.count)
    let end = ordinal + Int64(part.count)
    if ordinality { pendingOrdinals += ordinal + 1...end }
    ordinal = end
    return pendingRows.count >= Vector.chunkCapacity ? try flush(front) : true
  }

  private func flush(_ front: [Vector]) throws(SQLError) -> Bool {
    let count = pendingRows.count
    if count == 0 { return true }
    var vectors: [Vector] = []
    if !front.isEmpty {
      let rows = Buffer(pendingRows)
      vectors = front.map { $0.gathered(rows, count: count) }
    }
    let types = types
    for column in types.indices {
      vectors.append(Vector.concatenate(pending.map { $0.columns[column] }, type: types[column]))
    }
    if ordinality {
      var validity = ValidityMask.allValid
      for row in 0..<count where pendingOrdinals[row] == 0 { validity.setNull(row, count: count) }
      vectors.append(
        Vector(.bigint, Buffer(pendingOrdinals), count: count, validity: validity))
    }
    pending = []
    pendingRows = []
    pendingOrdinals = []
    return try emit(DataChunk(vectors, count: count))
  }
}
