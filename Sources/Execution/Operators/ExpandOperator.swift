import Columnar
import Diagnostics
import Planning
import Storage

/// For each input row its edges along an adjacency index: the inner join of a walk.
final class ExpandOperator: StreamOperator {
  private let access: AdjacencyAccess
  private let keys: [BoundExpression]
  private let compiler: ExpressionCompiler

  /// - Parameters:
  ///   - access: The step taken.
  ///   - keys: The parent's key, over the input.
  ///   - compiler: Compiles expressions over the input's columns.
  init(_ access: AdjacencyAccess, keys: [BoundExpression], _ compiler: ExpressionCompiler) {
    self.access = access
    access.notesReads = true
    self.keys = keys
    self.compiler = compiler
  }

  override func prepare(_ context: ExecutionContext) throws(SQLError) -> Bool {
    try access.open(context.tables)
    return true
  }

  override func makeStage(next: Stage) throws(SQLError) -> Stage {
    ExpandStage(access, keys: try compiler.compile(keys), next: next)
  }
}

private final class ExpandStage: StreamingStage {
  private let access: AdjacencyAccess
  private let keys: [any Evaluator]

  init(_ access: AdjacencyAccess, keys: [any Evaluator], next: Stage) {
    self.access = access
    self.keys = keys
    super.init(next: next)
  }

  override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
    let context = try running()
    var chunk = chunk
    let sources = try access.sources(of: &chunk, keys, context)
    let portion = AdjacencyAccess.Portion(rows: 0..<chunk.count)
    let next = next
    return try access.expand(chunk, sources: sources, portion) { (part) throws(SQLError) in
      try context.check()
      return try next.push(part)
    }
  }
}

/// The edges of a few rows, cut into morsels by the number of edges: where a walk fans out, all cores take part.
///
/// The input is run dry first, so it should be small beside its edges.
final class ExpandSource: Source {
  private let access: AdjacencyAccess
  private let keys: [any Evaluator]
  private let types: [LogicalType]
  private let pipeline: Pipeline
  private let sink = CollectorSink()
  /// Whether the edges of one row are kept together in one morsel.
  private let isClustered: Bool
  private var rows = DataChunk([], count: 0)
  private var sources = Buffer<UInt32>(uninitialized: 0)
  private var portions: [AdjacencyAccess.Portion] = []
  private var edgeCount = 0

  /// Edges to a morsel.
  private static let morselEdgeCount = 16_384
  /// Fewer edges are left to one worker, and fewer of which columns are read: these stand anywhere in memory.
  private static let parallelEdgeCount = 65_536
  private static let parallelReadCount = 8192
  /// So many morsels are cut of few edges.
  private static let leastMorselCount = 8

  init(
    _ access: AdjacencyAccess, keys: [BoundExpression], input: Stream, isClustered: Bool,
    _ compiler: ExpressionCompiler
  ) throws(SQLError) {
    self.access = access
    access.notesReads = true
    self.isClustered = isClustered
    self.keys = try compiler.compile(keys)
    types = input.types
    pipeline = Pipeline(input, into: sink)
  }

  override func prepare(_ context: ExecutionContext) throws(SQLError) {
    try access.open(context.tables)
    try pipeline.run(context)
    let chunks = sink.takeChunks()
    rows = chunks.count == 1 ? chunks[0] : try DataChunk.concatenate(chunks, types: types)
    sources = try access.sources(of: &rows, keys, context)
    try cut(size: Self.morselEdgeCount)
    let isFew = edgeCount < Self.morselEdgeCount * Self.leastMorselCount
    if isFew, edgeCount >= sharedEdgeCount {
      try cut(size: edgeCount / Self.leastMorselCount)
    }
  }

  private func cut(size: Int) throws(SQLError) {
    (portions, edgeCount) = try access.portions(
      of: sources, count: rows.count, size: size, splitsLists: !isClustered)
  }

  /// From how many edges on several workers take part.
  private var sharedEdgeCount: Int {
    access.step.columns.isEmpty ? Self.parallelEdgeCount : Self.parallelReadCount
  }

  override var morselCount: Int { edgeCount < sharedEdgeCount ? 1 : portions.count }

  override func produce(
    _ morsel: Int, into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    let own = morselCount == 1 ? portions[...] : portions[morsel...morsel]
    for portion in own {
      let more = try access.expand(rows, sources: sources, portion) { (part) throws(SQLError) in
        try context.check()
        return try stage.push(part)
      }
      if !more { return false }
    }
    return true
  }
}

extension AdjacencyAccess {
  /// The position of the source that each row's key names.
  func sources(
    of chunk: inout DataChunk, _ keys: [any Evaluator], _ context: ExecutionContext
  ) throws(SQLError) -> Buffer<UInt32> {
    if chunk.count == 0 { return Buffer(uninitialized: 0) }
    var vectors: [Vector] = []
    for key in keys { vectors.append(try key.evaluateNormalized(&chunk, context).flattened()) }
    return try sources(vectors, count: chunk.count)
  }
}
