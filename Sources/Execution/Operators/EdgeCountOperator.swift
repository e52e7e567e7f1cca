import Catalog
import Columnar
import Diagnostics
import Planning
import Storage

/// Puts beside each row the number of edges of the parent that it names, and measures of where they lead: a look into the index,
/// whatever the number.
final class EdgeCountOperator: StreamOperator {
  private let access: AdjacencyAccess
  private let measures: EdgeMeasuring
  private let keys: [BoundExpression]
  private let excluded: (access: AdjacencyAccess, key: BoundExpression)?
  private let compiler: ExpressionCompiler

  /// `compiler` compiles expressions over the input's columns.
  init(_ count: EdgeCount, _ compiler: ExpressionCompiler) {
    var step = count.step
    step.to = count.exclusion?.to ?? step.to
    access = AdjacencyAccess(step)
    access.notesReads = count.measured == nil && count.exclusion == nil
    measures = EdgeMeasuring(count)
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
    let stage = EdgeCountStage(access, measures, keys: try compiler.compile(keys), next: next)
    if let excluded {
      stage.excluded = (excluded.access, try compiler.compile(excluded.key))
    }
    return stage
  }
}

private final class EdgeCountStage: StreamingStage {
  private let access: AdjacencyAccess
  private let measures: EdgeMeasuring
  private let keys: [any Evaluator]
  var excluded: (access: AdjacencyAccess, key: any Evaluator)?

  init(
    _ access: AdjacencyAccess, _ measures: EdgeMeasuring, keys: [any Evaluator], next: Stage
  ) {
    self.access = access
    self.measures = measures
    self.keys = keys
    super.init(next: next)
  }

  override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
    var chunk = chunk
    let count = chunk.count
    let sources = try access.sources(of: &chunk, keys, try running())
    let opened = try access.current()
    let degrees = opened.adjacency.degrees(of: sources, count: count)
    let numbers = Buffer<Int64>(uninitialized: count)
    for row in 0..<count { numbers[row] = Int64(truncatingIfNeeded: degrees[row]) }
    let left = try takeExcluded(of: sources, in: &chunk, from: numbers)
    let columns = try measures.columns(
      of: sources, count: count, numbers: numbers, but: left, opened)
    return try next.push(DataChunk(chunk.columns + columns, count: count))
  }

  /// Takes the edges that lead to the neighbour left out from the number of each source, and gives the position of that neighbour.
  private func takeExcluded(
    of sources: Buffer<UInt32>, in chunk: inout DataChunk, from numbers: Buffer<Int64>
  ) throws(SQLError) -> Buffer<UInt32>? {
    guard let excluded, chunk.count > 0 else { return nil }
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
    return targets
  }
}

/// All rows of a table, each with the number of edges that start from it and measures of where they lead: columns and degrees are
/// read page by page as they stand, and no key is looked up.
final class DegreeSource: Source {
  private let definition: TableDefinition
  private let columns: TableColumns
  private let access: AdjacencyAccess
  private let measures: EdgeMeasuring
  private var table: TableStore?
  /// Where only the first rows by a column are wanted.
  private let bound: BoundedPages?
  /// Pages one by one, those first that these may be in; nil where bounds of pages do not tell.
  private var pageOrder: PageOrder?

  /// The rows that `scan` gives, of the table that the counted step starts from; `members` are what is known of them further on.
  init(_ scan: TableScan, _ count: EdgeCount, _ members: [ConjunctiveFilter.Member]) {
    bound = BoundedPages(scan.columns, members)
    definition = scan.table
    columns = TableColumns(scan.columns)
    access = AdjacencyAccess(count.step)
    measures = EdgeMeasuring(count)
  }

  override func prepare(_ context: ExecutionContext) throws(SQLError) {
    try access.open(context.tables)
    let table = try context.tables.table(definition.id)
    self.table = table
    pageOrder = bound?.order(of: table)
  }

  override var morselCount: Int {
    guard let table else { return 0 }
    return pageOrder == nil ? table.morselCount : table.pageCount
  }

  override var startsAlone: Bool { pageOrder != nil }

  override func morsel(inTurn turn: Int) -> Int {
    pageOrder.map { Int(truncatingIfNeeded: $0.pages[turn]) } ?? turn
  }

  override func produce(
    _ morsel: Int, into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    guard let table else { return true }
    let opened = try access.current()
    let isOrdered = pageOrder != nil
    // Nor has any page that comes after one that holds no row that is wanted.
    if isOrdered, let bound, !bound.mayHold(page: morsel, of: table) { return false }
    for page in isOrdered ? morsel..<morsel + 1 : table.pages(ofMorsel: morsel) {
      try context.check()
      let rows = try columns.scan(page, of: table)
      if rows.count == 0 { continue }
      let numbers = degrees(page, of: table, opened.lists)
      // Without conditions the rows of a scan are those of the page that are not deleted.
      let sources =
        measures.readsTargets ? table.positions(ofPage: page).positions : Buffer(uninitialized: 1)
      let more = try measures.columns(
        of: sources, count: rows.count, numbers: numbers, but: nil, opened)
      if try !stage.push(DataChunk(rows.columns + more, count: rows.count)) { return false }
    }
    return true
  }

  /// The number of edges of each live row of a page.
  private func degrees(_ page: Int, of table: TableStore, _ lists: ListReader) -> Buffer<Int64> {
    let all = lists.degrees(
      from: page * TableStore.pageCapacity, count: table.rowCount(ofPage: page))
    guard let live = table.liveRows(ofPage: page) else { return all }
    let kept = Buffer<Int64>(uninitialized: max(live.count, 1))
    for row in 0..<live.count { kept[row] = all[live.positions[row]] }
    return kept
  }
}
