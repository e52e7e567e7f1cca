import Catalog
import Columnar
import Diagnostics
import Planning
import Storage

/// The rows of a table but for those that some keys lead to: a scan with anti-joins over it, as a bitmap over
/// the table's positions.
///
/// What is excluded is found from its own side, so that a student's few courses are looked up among all courses
/// rather than all courses among the student's.
///
/// Sendable by rule: changed by `collect` and `forget` only, before and after a run's workers.
final class TableRowSet: @unchecked Sendable {
  let table: TableDefinition
  let columns: TableColumns
  private let exclusions: [any PositionFinder]
  /// A bit for each position, set where the row is left out.
  private(set) var bitmap = Buffer<UInt64>(zeroed: 1)
  /// The positions left out, each once.
  private(set) var excluded: [UInt32] = []

  init(_ table: TableDefinition, _ columns: TableColumns, exclusions: [any PositionFinder]) {
    self.table = table
    self.columns = columns
    self.exclusions = exclusions
  }

  /// Finds the rows of a run, and gives the table.
  func collect(_ context: ExecutionContext) throws(SQLError) -> TableStore {
    let store = try context.tables.table(table.id)
    forget()
    if exclusions.isEmpty { return store }
    if bitmap.count * 64 < store.rowCount { bitmap = Buffer(zeroed: store.rowCount / 64 + 1) }
    for exclusion in exclusions {
      try exclusion.find(context) { self.mark($0, $1) }
    }
    return store
  }

  private func mark(_ positions: Buffer<UInt32>, _ count: Int) {
    let bitmap = bitmap
    var found = excluded
    excluded = []
    for index in 0..<count {
      let position = positions[index]
      if position == TableStore.noRow { continue }
      let word = Int(truncatingIfNeeded: position &>> 6)
      let bit: UInt64 = 1 &<< UInt64(truncatingIfNeeded: position & 63)
      if bitmap[word] & bit == 0 {
        bitmap[word] |= bit
        found.append(position)
      }
    }
    excluded = found
  }

  /// Makes the bitmap ready for the next run.
  private func forget() {
    if excluded.count > bitmap.count / 4 {
      bitmap = Buffer(zeroed: bitmap.count)
    } else {
      for position in excluded { bitmap[Int(position >> 6)] = 0 }
    }
    excluded.removeAll(keepingCapacity: excluded.count <= 4096)
  }

  /// The live rows of a page that are in the set.
  func scan(_ page: Int, of store: TableStore) -> DataChunk {
    let chunk = columns.scan(page, of: store)
    if excluded.isEmpty || !touches(page, store) { return chunk }
    let rows = store.positions(ofPage: page)
    let kept = Buffer<UInt32>(uninitialized: max(1, rows.count))
    var found = 0
    for row in 0..<rows.count {
      kept[found] = UInt32(truncatingIfNeeded: row)
      found &+= bit(!excludes(rows.positions[row]))
    }
    return chunk.gathered(SelectionVector(kept, count: found))
  }

  @inline(__always)
  func excludes(_ position: UInt32) -> Bool {
    let word = bitmap[Int(truncatingIfNeeded: position &>> 6)]
    return word &>> UInt64(truncatingIfNeeded: position & 63) & 1 != 0
  }

  private func touches(_ page: Int, _ store: TableStore) -> Bool {
    let first = page * TableStore.pageCapacity / 64
    let words = (store.rowCount(ofPage: page) + 63) / 64
    var union: UInt64 = 0
    for word in first..<(first + words) { union |= bitmap[word] }
    return union != 0
  }
}

/// Finds positions of a table's rows from the other side of a join.
protocol PositionFinder: AnyObject, Sendable {
  /// Hands over positions, perhaps some more than once, and `TableStore.noRow` where there is no row.
  func find(
    _ context: ExecutionContext, _ body: @escaping (Buffer<UInt32>, Int) -> Void
  ) throws(SQLError)
}

/// The rows whose key some row of a plan has.
final class KeyPositionFinder: PositionFinder, @unchecked Sendable {
  private let runner: StreamRunner
  private let keys: [any Evaluator]
  private let access: KeyAccess

  /// - Parameters:
  ///   - input: Gives the keys.
  ///   - keys: The values of the key's columns, over the input.
  ///   - access: Leads from a key to rows.
  init(_ input: Stream, keys: [any Evaluator], _ access: KeyAccess) {
    runner = StreamRunner(input)
    self.keys = keys
    self.access = access
  }

  func find(
    _ context: ExecutionContext, _ body: @escaping (Buffer<UInt32>, Int) -> Void
  ) throws(SQLError) {
    try access.open(context.tables)
    _ = try runner.run(into: KeyStage(self, context, body), context)
  }

  private final class KeyStage: Stage, @unchecked Sendable {
    private let finder: KeyPositionFinder
    private let context: ExecutionContext
    private let body: (Buffer<UInt32>, Int) -> Void

    init(
      _ finder: KeyPositionFinder, _ context: ExecutionContext,
      _ body: @escaping (Buffer<UInt32>, Int) -> Void
    ) {
      self.finder = finder
      self.context = context
      self.body = body
    }

    override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
      var chunk = chunk
      var vectors: [Vector] = []
      for key in finder.keys {
        vectors.append(try key.evaluateNormalized(&chunk, context).flattened())
      }
      let found = try finder.access.matches(vectors, count: chunk.count)
      body(found.positions, found.count)
      return true
    }
  }
}

/// The rows next to one row of another table, along a junction.
final class NeighbourPositionFinder: PositionFinder, @unchecked Sendable {
  private let access: AdjacencyAccess
  private let key: [any Evaluator]

  /// - Parameters:
  ///   - step: A step without conditions that arrives at the table.
  ///   - key: The key of the row from which it starts.
  init(_ step: AdjacencyStep, key: [any Evaluator]) {
    access = AdjacencyAccess(step)
    self.key = key
  }

  func find(
    _ context: ExecutionContext, _ body: @escaping (Buffer<UInt32>, Int) -> Void
  ) throws(SQLError) {
    try access.open(context.tables)
    var one = DataChunk([], count: 1)
    if access.takesNumber {
      guard let number = try key[0].evaluate(&one, context).wholeNumber else { return }
      _ = try access.forEachStretch(number: number) { (stretch) throws(SQLError) in
        body(stretch.neighbours, stretch.count)
        return true
      }
      return
    }
    var values: [Vector] = []
    values.reserveCapacity(key.count)
    for part in key { values.append(try part.evaluate(&one, context)) }
    _ = try access.forEachStretch(values) { (stretch) throws(SQLError) in
      body(stretch.neighbours, stretch.count)
      return true
    }
  }
}

extension Vector {
  /// The first value as a whole number; nil for NULL.
  fileprivate var wholeNumber: Int64? {
    guard isValid(0) else { return nil }
    let place = position(0)
    switch type.physical {
    case .int16: return Int64(values(Int16.self)[place])
    case .int32: return Int64(values(Int32.self)[place])
    case .int64: return values(Int64.self)[place]
    default: return nil
    }
  }
}

/// The rows of a set, page by page.
final class RowSetSource: Source, @unchecked Sendable {
  private let rows: TableRowSet
  private var table: TableStore?

  /// Pages to a morsel, and the rows below which one worker has all of them: as a scan has it.
  private static let morselPageCount = 16
  private static let parallelRowCount = 100_000

  init(_ rows: TableRowSet) { self.rows = rows }

  override func prepare(_ context: ExecutionContext) throws(SQLError) {
    table = try rows.collect(context)
  }

  override var knowsRowCount: Bool { true }

  override func countRows(_ context: ExecutionContext) throws(SQLError) -> Int? {
    table.map { $0.liveRowCount - rows.excluded.count }
  }

  override var morselCount: Int {
    guard let table else { return 0 }
    return table.rowCount < Self.parallelRowCount
      ? 1 : (table.pageCount + Self.morselPageCount - 1) / Self.morselPageCount
  }

  override func produce(
    _ morsel: Int, into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    guard let table else { return true }
    let whole = table.rowCount < Self.parallelRowCount
    let first = whole ? 0 : morsel * Self.morselPageCount
    let end = whole ? table.pageCount : min(table.pageCount, first + Self.morselPageCount)
    for page in first..<max(first, end) {
      try context.check()
      let chunk = rows.scan(page, of: table)
      if chunk.count > 0, try !stage.push(chunk) { return false }
    }
    return true
  }
}

/// The number of rows of a source that knows it without giving them, for `count(*)`.
final class RowCountSource: Source, @unchecked Sendable {
  private let input: Source
  private let columns: [PlanColumn]

  /// `columns` are as many results of `count(*)`.
  init(_ input: Source, columns: [PlanColumn]) {
    self.input = input
    self.columns = columns
  }

  override func produce(
    _ morsel: Int, into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    try input.prepare(context)
    guard let count = try input.countRows(context) else {
      throw SQLError.internal("a source does not know its rows")
    }
    let values = Buffer(repeating: Int64(count), count: 1)
    return try stage.push(
      DataChunk(columns.map { Vector($0.type, values, count: 1) }, count: 1))
  }
}
