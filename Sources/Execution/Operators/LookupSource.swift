import Columnar
import Diagnostics
import Planning

/// Rows of a table for keys known before execution: the start of a point query.
///
/// No row comes twice, even if a key is named twice.
final class LookupSource: Source, @unchecked Sendable {
  private let access: TableAccess
  private let keys: [[any Evaluator]]
  private let isOrdered: Bool

  /// With `isOrdered`, rows come in the order of the table rather than of the keys.
  init(
    _ access: TableAccess, keys: [[BoundExpression]], isOrdered: Bool,
    _ compiler: ExpressionCompiler
  ) throws(SQLError) {
    self.access = access
    self.isOrdered = isOrdered
    var compiled: [[any Evaluator]] = []
    for key in keys { compiled.append(try compiler.compile(key)) }
    self.keys = compiled
  }

  override func prepare(_ context: ExecutionContext) throws(SQLError) {
    try access.open(context)
  }

  override func produce(
    _ morsel: Int, into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    guard let width = keys.first?.count else { return true }
    try context.check()
    var vectors: [Vector] = []
    for part in 0..<width {
      var values: [Vector] = []
      for key in keys {
        var one = DataChunk([], count: 1)
        values.append(try key[part].evaluate(&one, context))
      }
      vectors.append(Vector.concatenate(values, type: values[0].type))
    }
    var count = keys.count
    if count > 1 {
      let table = GroupTable(types: vectors.map(\.type))
      let first = table.insertNew(vectors, count: count)
      vectors = vectors.map { $0.gathered(first).flattened() }
      count = first.count
    }
    var matches = try access.matches(vectors, count: count)
    if matches.count == 0 { return true }
    if isOrdered && count > 1 { sort(&matches) }
    let chunk = DataChunk(try access.columns(matches), count: matches.count)
    return try chunk.forEachPart { (part) throws(SQLError) in try stage.push(part) }
  }

  private func sort(_ matches: inout TableAccess.Matches) {
    var positions = matches.positions.array(matches.count)
    positions.sort()
    matches.positions = Buffer(positions)
    matches.neighbours = matches.positions
  }
}
