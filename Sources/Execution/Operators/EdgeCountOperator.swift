import Catalog
import Columnar
import Diagnostics
import Planning
import Storage

/// Puts beside each row the number of edges of the parent that it names: a look into the index, whatever the number.
final class EdgeCountOperator: StreamOperator {
  private let access: AdjacencyAccess
  private let keys: [BoundExpression]
  private let excluded: (access: AdjacencyAccess, key: BoundExpression)?
  private let compiler: ExpressionCompiler

  /// `compiler` compiles expressions over the input's columns.
  init(_ count: EdgeCount, _ compiler: ExpressionCompiler) {
    var step = count.step
    step.to = count.exclusion?.to
    access = AdjacencyAccess(step)
    keys = count.keys
    // A neighbour is found as the parent that it is for the edges that lead back.
    excluded = count.exclusion.map { exclusion in
      let back = AdjacencyStep(
        edgeTable: step.edgeTable, edgeAlias: step.edgeAlias, from: exclusion.to,
        parentTable: exclusion.neighbours, edgeColumns: [])
      return (AdjacencyAccess(back), exclusion.key)
    }
    self.compiler = compiler
  }

  override func prepare(_ context: ExecutionContext) throws(SQLError) -> Bool {
    try access.open(context.tables)
    try excluded?.access.open(context.tables)
    return true
  }

  override func makeStage(next: Stage) throws(SQLError) -> Stage {
    let stage = EdgeCountStage(access, keys: try compiler.compile(keys), next: next)
    if let excluded {
      stage.excluded = (excluded.access, try compiler.compile(excluded.key))
    }
    return stage
  }
}

private final class EdgeCountStage: StreamingStage {
  private let access: AdjacencyAccess
  private let keys: [any Evaluator]
  var excluded: (access: AdjacencyAccess, key: any Evaluator)?

  init(_ access: AdjacencyAccess, keys: [any Evaluator], next: Stage) {
    self.access = access
    self.keys = keys
    super.init(next: next)
  }

  override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
    var chunk = chunk
    let count = chunk.count
    let sources = try access.sources(of: &chunk, keys, try running())
    let degrees = try access.current().adjacency.degrees(of: sources, count: count)
    let numbers = Buffer<Int64>(uninitialized: count)
    for row in 0..<count { numbers[row] = Int64(truncatingIfNeeded: degrees[row]) }
    try takeExcluded(of: sources, in: &chunk, from: numbers)
    return try next.push(
      DataChunk(chunk.columns + [Vector(.bigint, numbers, count: count)], count: count))
  }

  /// Takes the edges that lead to the neighbour left out from the number of each source.
  private func takeExcluded(
    of sources: Buffer<UInt32>, in chunk: inout DataChunk, from numbers: Buffer<Int64>
  ) throws(SQLError) {
    guard let excluded, chunk.count > 0 else { return }
    let context = try running()
    let keys = try excluded.key.evaluateNormalized(&chunk, context).flattened()
    let targets = try excluded.access.sources([keys], count: chunk.count)
    let adjacency = try access.current().adjacency
    for row in 0..<chunk.count {
      if !keys.isValid(row) {
        numbers[row] = 0
      } else if targets[row] != TableStore.noRow && numbers[row] > 0 {
        numbers[row] &-= Int64(
          truncatingIfNeeded: adjacency.edgeCount(from: sources[row], to: targets[row]))
      }
    }
  }
}

/// All rows of a table, each with the number of edges that start from it: columns and degrees are read page by page as
/// they stand, and no key is looked up.
final class DegreeSource: Source {
  private let definition: TableDefinition
  private let columns: TableColumns
  private let access: AdjacencyAccess
  private var table: TableStore?

  /// The rows that `scan` gives, of the table that `step` starts from.
  init(_ scan: TableScan, _ step: AdjacencyStep) {
    definition = scan.table
    columns = TableColumns(scan.columns)
    access = AdjacencyAccess(step)
  }

  override func prepare(_ context: ExecutionContext) throws(SQLError) {
    try access.open(context.tables)
    table = try context.tables.table(definition.id)
  }

  override var morselCount: Int {
    guard let table else { return 0 }
    return table.morselCount
  }

  override func produce(
    _ morsel: Int, into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    guard let table else { return true }
    let lists = try access.current().lists
    for page in table.pages(ofMorsel: morsel) {
      try context.check()
      let rowCount = table.rowCount(ofPage: page)
      let degrees = Vector(
        .bigint, lists.degrees(from: page * TableStore.pageCapacity, count: rowCount),
        count: rowCount)
      let rows = try columns.scan(page, of: table)
      if rows.count == 0 { continue }
      let live = table.liveRows(ofPage: page)
      let counts = live.map { degrees.gathered($0).flattened() } ?? degrees
      if try !stage.push(DataChunk(rows.columns + [counts], count: rows.count)) { return false }
    }
    return true
  }
}
