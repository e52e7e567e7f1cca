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
    if functions.count == 1, functions[0].call.isUnnesting, !ordinality, !isOuter {
      return try unnest(arguments[0][0].flattened(), chunk.count, front, context)
    }
    for row in 0..<chunk.count {
      if try !call(row, arguments, front, context) { return false }
    }
    return try flush(front)
  }

  /// The elements of a list of each row beside the row, without a call for each list.
  private func unnest(
    _ lists: Vector, _ count: Int, _ front: [Vector], _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    let capacity = Vector.chunkCapacity
    let (slices, elements) = (lists.values(ListSlice.self), lists.children[0])
    var (row, taken) = (0, 0)
    while row < count {
      try context.check()
      let rows = Buffer<UInt32>(uninitialized: capacity)
      let places = Buffer<UInt32>(uninitialized: capacity)
      var found = 0
      while row < count && found < capacity {
        let length = lists.validity.isValid(row) ? Int(slices[row].count) : 0
        let part = min(length &- taken, capacity &- found)
        let first = slices[row].offset &+ UInt32(truncatingIfNeeded: taken)
        for index in 0..<part {
          rows[found &+ index] = UInt32(truncatingIfNeeded: row)
          places[found &+ index] = first &+ UInt32(truncatingIfNeeded: index)
        }
        found &+= part
        taken &+= part
        if taken == length { (row, taken) = (row &+ 1, 0) }
      }
      if found == 0 { break }
      let columns =
        front.map { $0.gathered(rows, count: found) } + [elements.gathered(places, count: found)]
      if try !emit(DataChunk(columns, count: found)) { return false }
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
    try function.call.kernel(own, context.evaluation, body)
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

extension TableFunctionCall {
  /// Whether the call gives the elements of one list.
  fileprivate var isUnnesting: Bool {
    guard graph == nil, name == "unnest", arguments.count == 1, columns.count == 1,
      let element = arguments[0].type.element
    else { return false }
    return element == columns[0].type
  }
}
