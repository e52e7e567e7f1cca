import Columnar
import Diagnostics
import Planning
import Storage

/// Rows that name parents by their keys, run dry before anything is made of them, and cut into morsels by the edges of their
/// parents.
final class NamedParents {
  private let keys: [any Evaluator]
  private let types: [LogicalType]
  private let pipeline: Pipeline
  private let sink = CollectorSink()
  private var rows = DataChunk([], count: 0)
  private var positions = Buffer<UInt32>(uninitialized: 0)
  private var portions: [AdjacencyAccess.Portion] = []

  /// Edges to a morsel, about, and the most rows.
  private static let morselEdgeCount = 16_384
  private static let morselRowMax = TableStore.pageCapacity

  /// - Throws: as `ExpressionCompiler.compile`.
  init(
    _ keys: [BoundExpression], _ input: Stream, _ compiler: ExpressionCompiler
  ) throws(SQLError) {
    self.keys = try compiler.compile(keys)
    types = input.types
    pipeline = Pipeline(input, into: sink)
  }

  /// Finds the parents.
  func find(_ access: AdjacencyAccess, _ context: ExecutionContext) throws(SQLError) {
    try pipeline.run(context)
    let chunks = sink.takeChunks()
    rows = chunks.count == 1 ? chunks[0] : try DataChunk.concatenate(chunks, types: types)
    positions = try access.sources(of: &rows, keys, context)
    portions = try access.portions(
      of: positions, count: rows.count, size: Self.morselEdgeCount, splitsLists: false,
      rowMax: Self.morselRowMax
    ).portions
  }

  var morselCount: Int { portions.count }

  func parents(ofMorsel morsel: Int) -> (positions: Buffer<UInt32>, columns: DataChunk) {
    let range = portions[morsel].rows
    let columns = rows.columns.map {
      $0.slice(from: range.lowerBound, count: range.count).flattened()
    }
    return (positions.slice(range), DataChunk(columns, count: range.count))
  }
}
