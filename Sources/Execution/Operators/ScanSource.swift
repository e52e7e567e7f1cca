import Catalog
import Columnar
import Diagnostics
import Planning
import Storage

/// All live rows of a table, page by page; pages that a zone map excludes are passed over.
final class ScanSource: Source {
  private let scan: TableScan
  private let columns: TableColumns
  /// Comparisons that zone maps can answer: column of the table and what it is compared with.
  private let pruning: [(column: Int, comparison: ZoneComparison, value: any Evaluator)]
  /// What joins further on say of columns, by place among those read.
  private let members: [ConjunctiveFilter.Member]
  private var table: TableStore?
  private var scanner: TableScanner?
  private var tests: [PageTest] = []
  private var cannotMatch = false
  private var fansOut = false
  private var isInPieces = false

  init(
    _ scan: TableScan, _ compiler: ExpressionCompiler,
    _ members: [ConjunctiveFilter.Member] = []
  ) throws(SQLError) {
    self.scan = scan
    self.members = members
    columns = TableColumns(scan.columns)
    var found: [(Int, ZoneComparison, any Evaluator)] = []
    for filter in scan.filters {
      guard let (column, comparison, value) = Self.zoneTest(filter, scan.columns) else { continue }
      found.append((column, comparison, try compiler.compile(value)))
    }
    pruning = found
  }

  /// A condition as a comparison of a stored column with a value known before the scan.
  private static func zoneTest(
    _ filter: BoundExpression, _ columns: [ScanPlan.Column]
  ) -> (Int, ZoneComparison, BoundExpression)? {
    guard case .comparison(let comparison, let left, let right) = filter else { return nil }
    if case .column(let id, _) = left, right.isFixed,
      let column = columns.first(where: { $0.column.id == id }), column.index >= 0,
      let test = comparison.zoneTest
    {
      return (column.index, test, right)
    }
    if case .column(let id, _) = right, left.isFixed,
      let column = columns.first(where: { $0.column.id == id }), column.index >= 0,
      let test = comparison.commuted.zoneTest
    {
      return (column.index, test, left)
    }
    return nil
  }

  override func prepare(_ context: ExecutionContext) throws(SQLError) {
    let table = try context.tables.table(scan.table.id)
    self.table = table
    isInPieces = fansOut && table.hasPieces
    if context.keepsRows, table.streamed != nil, scan.filters.isEmpty, members.isEmpty {
      table.putInPlace(columns.stored)
    }
    // Made here rather than by each worker.
    _ = try columns.dictionaries(of: table)
    scanner = columns.scanner(of: table)
    tests = []
    cannotMatch = false
    var one = DataChunk([], count: 1)
    for test in pruning {
      let value = try test.value.evaluate(&one, context)
      // A comparison with NULL is never true.
      if value.isConstantNull { cannotMatch = true }
      let type = table.types[test.column]
      guard value.type.physical == type.physical else { continue }
      if let probe = ZoneProbe(test.comparison, value.value(at: 0), type: type) {
        tests.append(PageTest(table, column: test.column, probe))
      }
    }
    for entry in members {
      guard let range = entry.filter.keys?.range else { continue }
      let column = scan.columns[entry.column].index
      let bounds: [(ZoneComparison, Int64)] = [
        (.greaterOrEqual, range.lowerBound), (.lessOrEqual, range.upperBound),
      ]
      for (comparison, bound) in bounds {
        if let probe = ZoneProbe(comparison, .int64(bound), type: table.types[column]) {
          tests.append(PageTest(table, column: column, probe))
        }
      }
    }
  }

  override var knowsRowCount: Bool { scan.filters.isEmpty }

  override func countRows(_ context: ExecutionContext) throws(SQLError) -> Int? {
    scan.filters.isEmpty ? try context.tables.table(scan.table.id).liveRowCount : nil
  }

  override var morselCount: Int {
    guard let table, !cannotMatch else { return 0 }
    return isInPieces ? table.pageCount * TableStore.piecesPerPage : table.morselCount
  }

  override var startsAlone: Bool { isInPieces }

  override func expectFanOut() { fansOut = true }

  override func produce(
    _ morsel: Int, into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    guard let table else { return true }
    if isInPieces { return try producePiece(morsel, of: table, into: stage, context) }
    for page in table.pages(ofMorsel: morsel) {
      try context.check()
      if isExcluded(page, table) { continue }
      let chunk = try scan(page, of: table)
      if chunk.count > 0, try !stage.push(chunk) { return false }
    }
    return true
  }

  private func producePiece(
    _ morsel: Int, of table: TableStore, into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    let (page, piece) = morsel.quotientAndRemainder(dividingBy: TableStore.piecesPerPage)
    try context.check()
    if isExcluded(page, table) { return true }
    let chunk = try scan(page, of: table)
    let start = chunk.count * piece / TableStore.piecesPerPage
    let end = chunk.count * (piece + 1) / TableStore.piecesPerPage
    return end == start ? true : try stage.push(chunk.slice(from: start, count: end - start))
  }

  private func scan(_ page: Int, of table: TableStore) throws(SQLError) -> DataChunk {
    if let scanner { return scanner.scan(page: page) }
    return try columns.scan(page, of: table)
  }

  private func isExcluded(_ page: Int, _ table: TableStore) -> Bool {
    for place in tests.indices where !tests[place].mayHold(page: page, of: table) { return true }
    return false
  }
}

extension ComparisonOperator {
  fileprivate var zoneTest: ZoneComparison? {
    switch self {
    case .equal: .equal
    case .notEqual: nil
    case .less: .less
    case .lessOrEqual: .lessOrEqual
    case .greater: .greater
    case .greaterOrEqual: .greaterOrEqual
    }
  }
}

extension BoundExpression {
  /// Whether the value is known before any row is read.
  var isFixed: Bool {
    switch self {
    case .constant, .parameter: true
    case .column, .call, .cast, .and, .or, .not, .comparison, .distinct, .isNull, .isBoolean,
      .caseWhen, .coalesce, .extreme, .inList, .quantified, .quantifiedCall, .array, .row, .field,
      .shared, .decoded, .local, .session, .subquery, .aggregate, .window:
      false
    }
  }
}
