import Columnar
import Diagnostics
import Planning

/// Rows of a table for keys known before execution: the start of a point query.
///
/// No row comes twice, even if a key is named twice.
final class LookupSource: Source, SummarizedByNumber {
  private let access: TableAccess
  let parameter: Int?
  private let keys: [[any Evaluator]]
  private let isOrdered: Bool
  private let takesNumber: Bool
  /// The one chunk of the last rows, whose memory is used again if nobody else holds it by then.
  private var last = DataChunk([], count: 0)

  /// With `isOrdered`, rows come in the order of the table rather than of the keys.
  init(
    _ access: TableAccess, keys: [[BoundExpression]], isOrdered: Bool,
    _ compiler: ExpressionCompiler
  ) throws(SQLError) {
    self.access = access
    access.notesReads = true
    takesNumber = access.takesNumber
    self.isOrdered = isOrdered
    var compiled: [[any Evaluator]] = []
    for key in keys { compiled.append(try compiler.compile(key)) }
    self.keys = compiled
    if keys.count == 1, keys[0].count == 1, case .parameter(let index, _) = keys[0][0],
      takesNumber
    {
      parameter = index
    } else {
      parameter = nil
    }
  }

  override func prepare(_ context: ExecutionContext) throws(SQLError) {
    try access.open(context.tables)
  }

  override func produce(
    _ morsel: Int, into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    try context.check()
    if keys.count == 1 {
      let key = try values(of: keys[0], context)
      if takesNumber(key) { return try produce(key[0], into: stage) }
      return try access.forEachStretch(key) {
        (stretch) throws(SQLError) in try push(stretch, into: stage)
      }
    }
    var matches = try matches(context)
    if matches.count == 0 { return true }
    if isOrdered && keys.count > 1 { sort(&matches) }
    let found = TableAccess.Stretch(
      positions: matches.positions, neighbours: matches.neighbours, count: matches.count)
    return try push(found, into: stage)
  }

  /// Whether a key is looked up as a number, which notes nothing of what is read.
  private func takesNumber(_ key: [Vector]) -> Bool {
    takesNumber && access.reads == nil && key[0].type.isInteger
  }

  /// The rows of one whole number.
  private func produce(_ key: Vector, into stage: Stage) throws(SQLError) -> Bool {
    guard let number = key.wholeNumber(at: 0) else { return true }
    if try access.shortRows(number: number, over: &last) {
      return last.count == 0 ? true : try stage.push(last)
    }
    return try access.forEachStretch(number: number) {
      (stretch) throws(SQLError) in try push(stretch, into: stage)
    }
  }

  /// Without conditions above, the rows need not be read to be counted.
  override func countRows(_ context: ExecutionContext) throws(SQLError) -> Int? {
    try prepare(context)
    let (values, count) = try distinctKeys(context)
    if count == 0 { return 0 }
    if count == 1, takesNumber(values) {
      guard let number = values[0].wholeNumber(at: 0) else { return 0 }
      if let found = try access.countMatches(number: number) { return found }
    }
    guard let counts = try access.matchCounts(values, count: count) else {
      return try access.matches(values, count: count).count
    }
    return (0..<count).reduce(0) { $0 + Int(truncatingIfNeeded: counts[$1]) }
  }

  func countRows(of number: Int64, in tables: any TableSource) throws(SQLError) -> Int? {
    try access.open(tables)
    return try access.countMatches(number: number)
  }

  /// The rows of several keys, each once.
  private func matches(_ context: ExecutionContext) throws(SQLError) -> TableAccess.Matches {
    let (values, count) = try distinctKeys(context)
    return try access.matches(values, count: count)
  }

  /// The different keys, column by column.
  private func distinctKeys(
    _ context: ExecutionContext
  ) throws(SQLError) -> (values: [Vector], count: Int) {
    if keys.count == 1 { return (try values(of: keys[0], context).map { $0.flattened() }, 1) }
    let width = keys.first?.count ?? 0
    var vectors: [Vector] = []
    for part in 0..<width {
      var values: [Vector] = []
      for key in keys {
        var one = DataChunk([], count: 1)
        values.append(try key[part].evaluate(&one, context))
      }
      vectors.append(try Vector.concatenateInSlices(values, type: values[0].type))
    }
    let table = GroupTable(types: vectors.map(\.type))
    let first = try table.insertNew(vectors, count: keys.count)
    return (vectors.map { $0.gathered(first).flattened() }, first.count)
  }

  private func values(
    of key: [any Evaluator], _ context: ExecutionContext
  ) throws(SQLError) -> [Vector] {
    var one = DataChunk([], count: 1)
    var values: [Vector] = []
    values.reserveCapacity(key.count)
    for part in key { values.append(try part.evaluate(&one, context)) }
    return values
  }

  private func push(_ stretch: TableAccess.Stretch, into stage: Stage) throws(SQLError) -> Bool {
    try stretch.forEachPart { (part) throws(SQLError) in
      try stage.push(DataChunk(try access.columns(part), count: part.count))
    }
  }

  private func sort(_ matches: inout TableAccess.Matches) {
    var positions = matches.positions.array(matches.count)
    positions.sort()
    matches.positions = Buffer(positions)
    matches.neighbours = matches.positions
  }
}
