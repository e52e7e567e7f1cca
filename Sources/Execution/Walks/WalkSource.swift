import Catalog
import Columnar
import Diagnostics
import Planning
import Storage

/// The rows that a walk arrives at, in the order of their table; those to which fewer edges lead first, where these are counted.
final class WalkSource: Source {
  private let walker: Walker
  private let table: TableDefinition
  private let columns: TableColumns
  /// The column behind the others that has the number of edges, if there is one.
  private let length: PlanColumn?
  private var rows = LayeredRows([])
  private var readers: ColumnReaders?

  /// Pieces to a morsel; fewer rows than two morsels may have are left to one worker.
  private static let morselPieceCount = 8

  init(
    _ walker: Walker, _ table: TableDefinition, _ columns: [ScanPlan.Column], length: PlanColumn?
  ) {
    self.walker = walker
    self.table = table
    self.columns = TableColumns(columns)
    self.length = length
  }

  override func prepare(_ context: ExecutionContext) throws(SQLError) {
    rows = try walked(context)
    readers = try ColumnReaders(columns, of: try context.tables.unnotedTable(table.id))
  }

  private func walked(_ context: ExecutionContext) throws(SQLError) -> LayeredRows {
    let layers = try walker.layers(context)
    let store = try context.tables.unnotedTable(table.id)
    for layer in layers {
      try layer.set.isOf(store)
      context.tables.reads?.note(layer.set, of: table, ColumnMask(columns))
    }
    return LayeredRows(layers)
  }

  override var knowsRowCount: Bool { true }

  override func countRows(_ context: ExecutionContext) throws(SQLError) -> Int? {
    try walker.count(context)
  }

  override func fold(_ column: Int, _ context: ExecutionContext) throws(SQLError) -> KeyFold? {
    let rows = try walked(context)
    let store = try context.tables.unnotedTable(table.id)
    var sum = KeyFold()
    if column == columns.indices.count {
      for layer in rows.layers { sum.add(Int64(layer.length), times: layer.set.count) }
      return sum
    }
    if let keys = store.serialColumn(columns.indices[column]) {
      for layer in rows.layers { sum.add(layer.set.fold(keys)) }
      return sum
    }
    let readers = try ColumnReaders(columns.only(column), of: store)
    let workerCount = morselCount(of: rows) == 1 ? 1 : min(Workers.parallelism, context.workerLimit)
    // One for each worker.
    let folds = (0..<max(1, workerCount)).map { _ in Buffer(repeating: KeyFold(), count: 1) }
    try Workers.share(rows.pieceCount, among: folds, context) {
      (fold: Buffer<KeyFold>, piece: Int) throws(SQLError) in
      _ = try rows.forEachPart(ofPiece: piece) { (part, count, _) throws(SQLError) in
        var sum = fold[0]
        sum.add(readers.gather(part, count: count)[0])
        fold[0] = sum
        return true
      }
    }
    return folds.reduce(into: sum) { $0.add($1[0]) }
  }

  override var morselCount: Int { morselCount(of: rows) }

  private func morselCount(of rows: LayeredRows) -> Int {
    let width = Self.morselPieceCount
    return rows.count < 2 * width * ReachedSet.pieceCapacity
      ? 1 : (rows.pieceCount + width - 1) / width
  }

  override func produce(
    _ morsel: Int, into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    guard let readers else { return true }
    let width = morselCount == 1 ? rows.pieceCount : Self.morselPieceCount
    for piece in (morsel * width)..<max(morsel * width, min(rows.pieceCount, (morsel + 1) * width))
    {
      try context.check()
      let goesOn = try rows.forEachPart(ofPiece: piece) { (part, count, edges) throws(SQLError) in
        var found = readers.gather(part, count: count)
        if let length {
          found.append(
            Vector(constant: .int32(edges), type: length.type, count: count))
        }
        return try stage.push(DataChunk(found, count: count))
      }
      if !goesOn { return false }
    }
    return true
  }
}

/// The rows of several layers of a walk, cut into pieces.
private struct LayeredRows: Sendable {
  let layers: [Walker.Layer]
  /// The first piece of each layer, and behind it how many pieces there are.
  private let firstPieces: [Int]
  let count: Int

  init(_ layers: [Walker.Layer]) {
    self.layers = layers
    firstPieces = layers.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.set.pieceCount) }
    count = layers.reduce(0) { $0 + $1.set.count }
  }

  var pieceCount: Int { firstPieces.last ?? 0 }

  /// Hands over the rows of a piece, as many at a time as a chunk takes, with the number of edges to them, until `body` says that it
  /// wants no more.
  ///
  /// - Returns: false if it said so.
  /// - Throws: what `body` throws.
  func forEachPart(
    ofPiece piece: Int, _ body: (Buffer<UInt32>, Int, Int32) throws(SQLError) -> Bool
  ) throws(SQLError) -> Bool {
    guard let layer = firstPieces.dropLast().lastIndex(where: { $0 <= piece }) else { return true }
    let length = Int32(truncatingIfNeeded: layers[layer].length)
    return try layers[layer].set.forEachPart(ofPiece: piece - firstPieces[layer]) {
      (part, count) throws(SQLError) in try body(part, count, length)
    }
  }
}
