import Catalog
import Columnar
import Diagnostics
import Planning
import Storage

/// All live rows of a table, page by page; pages that a zone map excludes are passed over.
final class ScanSource: Source {
  private let scan: TableScan
  private let columns: TableColumns
  /// What zone maps can say of the conditions.
  private let pruning: [PageCondition]
  /// What joins further on say of columns, by place among those read.
  private let members: [ConjunctiveFilter.Member]
  private var table: TableStore?
  private var scanner: TableScanner?
  private var tests: [PreparedPageCondition] = []
  /// What the query seeks, if pages that hold nothing beyond what was found are of no use to it.
  var search: ExtremeSearch?
  /// Where somebody counts pages, with no more than one worker.
  var tally: OperatorCounter.PageTally?
  private var cannotMatch = false
  /// The pages that the conditions may be met in whose pages are one range; `tests` are the others.
  private var range = 0..<0
  private var fansOut = false
  private var isInPieces = false
  private var readsFewPages = false
  /// Where only the first rows by a column are wanted: what is known of them while the scan goes on.
  private let bound: BoundedPages?
  /// Pages one by one, those first that the first rows may be in, without those that conditions exclude; nil where bounds of pages do
  /// not tell.
  private var pageOrder: Buffer<UInt32>?

  init(
    _ scan: TableScan, _ compiler: ExpressionCompiler,
    _ members: [ConjunctiveFilter.Member] = []
  ) throws(SQLError) {
    self.scan = scan
    self.members = members
    columns = TableColumns(scan.columns)
    var found: [PageCondition] = []
    for filter in scan.filters {
      if let condition = try PageCondition(filter, scan.columns, compiler) {
        found.append(condition)
      }
    }
    pruning = found
    // A condition that may fail is asked of every row. Other columns are of a row that this is run for.
    let mayEnd = scan.filters.allSatisfy {
      $0.failsAtOnceOrNever { id in !scan.columns.contains { $0.column.id == id } }
    }
    bound = mayEnd ? BoundedPages(scan.columns, members) : nil
  }

  override func prepare(_ context: ExecutionContext) throws(SQLError) {
    let table = try context.tables.unnotedTable(scan.table.id)
    context.tables.reads?.note(scan, parameters: context.parameters)
    self.table = table
    pageOrder = nil
    if context.keepsRows, table.streamed != nil {
      table.putInPlace(columns.stored)
      try RunningStatement.check()
    }
    // Made here rather than by each worker.
    _ = try columns.dictionaries(of: table)
    scanner = columns.scanner(of: table)
    tests = []
    for condition in pruning { tests.append(condition.prepared(for: table, context)) }
    // In any case, as what the last run found is not this one's.
    let isFound = search.map { !$0.start(table) } ?? false
    cannotMatch = isFound || tests.contains(where: \.isNever)
    if cannotMatch { tally?.note(passedOver: table.pageCount) }
    for entry in members {
      guard let range = entry.filter.keys?.range else { continue }
      let column = scan.columns[entry.column].index
      let bounds: [(ZoneComparison, Int64)] = [
        (.greaterOrEqual, range.lowerBound), (.lessOrEqual, range.upperBound),
      ]
      for (comparison, bound) in bounds {
        if let probe = ZoneProbe(comparison, .int64(bound), type: table.types[column]) {
          tests.append(.test(PageTest(table, column: column, probe)))
        }
      }
    }
    takeRange(of: table)
    readsFewPages = leavesFewPages(of: table)
    if let order = bound?.order(of: table) ?? search?.order(of: table) {
      pageOrder = pages(in: order, of: table)
      if pageOrder?.count == 0 { tally?.note(passedOver: range.count) }
    }
    isInPieces = pageOrder == nil && fansOut && table.hasPieces
  }

  /// Takes those of the conditions whose pages are one range together; the others are left to be asked of each page.
  private func takeRange(of table: TableStore) {
    range = 0..<table.pageCount
    if cannotMatch { return }
    var left: [PreparedPageCondition] = []
    for test in tests {
      let own = test.range(of: table)
      if let own { range = range.clamped(to: own.pages) }
      if !(own?.isNear ?? false) { left.append(test) }
    }
    tests = left
    tally?.note(passedOver: table.pageCount - range.count)
    if range.isEmpty { cannotMatch = true }
  }

  /// The pages that may hold rows that meet the conditions, in an order.
  private func pages(in order: PageOrder, of table: TableStore) -> Buffer<UInt32> {
    let ordered = order.pages(in: range, of: table)
    if tests.isEmpty { return ordered }
    let found = Buffer<UInt32>(uninitialized: max(1, ordered.count))
    found.copy(ordered, count: ordered.count, to: 0)
    return found.slice(0..<tests.reduce(ordered.count) { $1.keep(found, count: $0, of: table) })
  }

  override var knowsRowCount: Bool { scan.filters.isEmpty }

  override func countRows(_ context: ExecutionContext) throws(SQLError) -> Int? {
    scan.filters.isEmpty
      ? try context.tables.table(scan.table.id, reading: .none).liveRowCount : nil
  }

  override var morselCount: Int {
    guard let table, !cannotMatch else { return 0 }
    if isInPieces { return range.count * TableStore.piecesPerPage }
    if let pageOrder { return pageOrder.count }
    return range.count == table.pageCount
      ? table.morselCount : TableStore.morselCount(of: range)
  }

  override var startsAlone: Bool { isInPieces || pageOrder != nil || readsFewPages }

  /// Whether bounds leave few pages, by a sample of them: as many as one worker reads before another would have started.
  private func leavesFewPages(of table: TableStore) -> Bool {
    if range.count * 16 <= table.pageCount { return true }
    if tests.isEmpty || table.pageCount < Self.sampleCount { return false }
    let left = (0..<Self.sampleCount).count { place in
      let page = place * table.pageCount / Self.sampleCount
      return !tests.contains { $0.isKnownToMiss(page: page) }
    }
    return left * 16 <= Self.sampleCount
  }

  private static let sampleCount = 64

  override func morsel(inTurn turn: Int) -> Int {
    pageOrder.map { Int(truncatingIfNeeded: $0[turn]) } ?? turn
  }

  override func expectFanOut() { fansOut = true }

  override func produce(
    _ morsel: Int, into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    guard let table else { return true }
    if isInPieces { return try producePiece(morsel, of: table, into: stage, context) }
    if pageOrder != nil {
      try context.check()
      // Nor has any page that comes after it.
      if let bound, !bound.mayHold(page: morsel, of: table) { return false }
      if let search, !search.mayHold(page: morsel, of: table) { return false }
      tally?.note(isPassedOver: false)
      tally?.note(restOf: table.pageCount)
      return try push(morsel..<morsel + 1, of: table, into: stage)
    }
    let pages =
      range.count == table.pageCount
      ? table.pages(ofMorsel: morsel) : TableStore.pages(ofMorsel: morsel, of: range)
    for first in stride(from: pages.lowerBound, to: pages.upperBound, by: Self.pagesAtOnce) {
      try context.check()
      let end = min(pages.upperBound, first + Self.pagesAtOnce)
      var page = first
      while page < end {
        var last = page
        while last < end && !isExcluded(last, table) { last += 1 }
        if try !push(page..<last, of: table, into: stage) { return false }
        page = last + 1
      }
    }
    return true
  }

  private static let pagesAtOnce = Vector.chunkCapacity / TableStore.pageCapacity

  private func push(
    _ pages: Range<Int>, of table: TableStore, into stage: Stage
  ) throws(SQLError) -> Bool {
    var page = pages.lowerBound
    while page < pages.upperBound {
      let (chunk, pageCount) = try scan(page..<pages.upperBound, of: table)
      if chunk.count > 0, try !stage.push(chunk) { return false }
      page += pageCount
    }
    return true
  }

  private func producePiece(
    _ morsel: Int, of table: TableStore, into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    let (place, piece) = morsel.quotientAndRemainder(dividingBy: TableStore.piecesPerPage)
    let page = range.lowerBound + place
    try context.check()
    if isExcluded(page, table) { return true }
    let (chunk, _) = try scan(page..<page + 1, of: table)
    let start = chunk.count * piece / TableStore.piecesPerPage
    let end = chunk.count * (piece + 1) / TableStore.piecesPerPage
    return end == start ? true : try stage.push(chunk.slice(from: start, count: end - start))
  }

  /// The rows of the first of some pages, or of more of them, and of how many.
  private func scan(
    _ pages: Range<Int>, of table: TableStore
  ) throws(SQLError) -> (chunk: DataChunk, pageCount: Int) {
    if let scanner { return scanner.scan(pages: pages) }
    return (try columns.scan(pages.lowerBound, of: table), 1)
  }

  private func isExcluded(_ page: Int, _ table: TableStore) -> Bool {
    let isExcluded = isBeyondBounds(page, table)
    tally?.note(isPassedOver: isExcluded)
    return isExcluded
  }

  private func isBeyondBounds(_ page: Int, _ table: TableStore) -> Bool {
    for place in tests.indices where !tests[place].mayHold(page: page, of: table) { return true }
    return search.map { !$0.mayHold(page: page, of: table) } ?? false
  }
}
