import Columnar
import Diagnostics
import Planning
import Storage

/// The rows at the far end of a search for paths, by the vertices that they stand on.
struct PathTargets {
  /// All rows of a table, whose columns are read where paths end.
  private let readers: ColumnReaders?
  /// Rows of a plan, by the position of their vertex.
  private let rows: BuildRows
  private let table: JoinTable?
  private let positionColumn: Vector?
  /// The vertices that paths may end at; nil for all of the table.
  let positions: Buffer<UInt64>?
  /// How many those are.
  let count: Int

  /// All rows of a table.
  init(_ columns: TableColumns, of store: TableStore) throws(SQLError) {
    readers = try ColumnReaders(columns, of: store)
    rows = .none
    table = nil
    positionColumn = nil
    positions = nil
    count = store.liveRowCount
  }

  /// The rows of a plan; column `place` is the position of their vertex.
  init(
    _ chunks: [DataChunk], types: [LogicalType], place: Int, limit: Int
  ) throws(SQLError) {
    readers = nil
    rows = try BuildRows(chunks, types: types, optional: false)
    let keys = [rows.columns[place].flattened()]
    positionColumn = keys[0]
    table = try JoinTable(keys: keys, nullsMatch: [false], count: rows.count)
    let bits = MarkedNeighbours(limit: limit).bits
    let vertices = keys[0].values(UInt32.self)
    for row in 0..<rows.count where keys[0].isValid(row) { bits.insert(vertices[row]) }
    positions = bits
    var count = 0
    for word in 0..<ReachedSet.wordCount(limit) { count += bits[word].nonzeroBitCount }
    self.count = count
  }

  /// The position of the only vertex that paths may end at.
  var only: UInt32? {
    guard count == 1, positions != nil, rows.count > 0 else { return nil }
    return positionColumn?.values(UInt32.self)[0]
  }

  /// For each path that ends at one of `ends` and each row there: the path's number, and the row's columns.
  func matches(
    _ ends: Buffer<UInt32>, count: Int
  ) throws(SQLError) -> (paths: Buffer<UInt32>?, columns: [Vector], count: Int) {
    if let readers { return (nil, readers.gather(ends, count: count), count) }
    guard let table else { return (nil, [], 0) }
    let found = try table.candidates(of: [Vector(.integer, ends, count: count)], count: count)
    var total = 0
    for path in 0..<count { total += Int(found.ends[path] &- found.starts[path]) }
    let paths = Buffer<UInt32>(uninitialized: max(1, total))
    let chosen = Buffer<UInt32>(uninitialized: max(1, total))
    var next = 0
    for path in 0..<count {
      for place in found.starts[path]..<found.ends[path] {
        paths[next] = UInt32(truncatingIfNeeded: path)
        chosen[next] = found.order.map { $0[place] } ?? place
        next += 1
      }
    }
    return (paths, rows.columns.map { $0.gathered(chosen, count: total) }, total)
  }
}

/// Takes the paths that one worker finds, and hands them on as rows.
final class PathCollector {
  private let graph: PathGraph
  private let targets: PathTargets
  private let search: PathSearch
  private let values: [PathValues]
  private let next: Stage
  let context: ExecutionContext
  private let keepsSteps: Bool
  private let endBase: UInt32
  private var input = DataChunk([], count: 0)
  private var row: UInt32 = 0
  private var start: UInt32 = 0
  private var batch = PathBatch()

  /// More steps than this are not kept back.
  private static let stepsMax = 1 << 16

  init(
    _ graph: PathGraph, _ targets: PathTargets, _ search: PathSearch, _ values: [PathValues],
    into next: Stage, _ context: ExecutionContext
  ) {
    self.graph = graph
    self.targets = targets
    self.search = search
    self.values = values
    self.next = next
    self.context = context
    keepsSteps = search.needsSteps
    endBase = graph.bases[search.pattern.endTable]
  }

  /// The one vertex at which paths may end; nil where there are several.
  var onlyEnd: UInt32? { targets.only.map { $0 &+ endBase } }

  /// How many vertices paths may end at.
  var endCount: Int { targets.count }

  func check() throws(SQLError) { try context.check() }

  /// Whether paths may end at a vertex, which is of the right table.
  func wants(_ vertex: UInt32) -> Bool {
    targets.positions?.contains(vertex &- endBase) ?? true
  }

  /// Says that the next paths belong to a row of a chunk and begin at a vertex.
  func begin(_ chunk: DataChunk, row: Int, start: UInt32) {
    input = chunk
    self.row = UInt32(truncatingIfNeeded: row)
    self.start = start
  }

  /// Takes a path; false if no more are wanted.
  func take(
    end: UInt32, length: Int32, _ steps: [PathStep], cost: Int128 = 0
  ) throws(SQLError) -> Bool {
    batch.append(
      row: row, start: start, end: end, length: length, cost: cost, steps, keepsSteps: keepsSteps)
    if batch.count < Vector.chunkCapacity, batch.steps.count < Self.stepsMax { return true }
    return try flush()
  }

  /// Hands on all paths taken.
  func flush() throws(SQLError) -> Bool {
    if batch.count == 0 { return true }
    defer { batch.removeAll() }
    let count = batch.count
    let ends = Buffer<UInt32>(uninitialized: count)
    let rows = Buffer<UInt32>(uninitialized: count)
    for path in 0..<count {
      ends[path] = batch.ends[path] &- endBase
      rows[path] = batch.inputRows[path]
    }
    let found = try targets.matches(ends, count: count)
    var own = input.gathered(rows, count: count).columns
    var computed: [Vector] = []
    for value in values { computed.append(try value.vector(of: batch, in: graph, context)) }
    if let paths = found.paths {
      own = own.map { $0.gathered(paths, count: found.count) }
      computed = computed.map { $0.gathered(paths, count: found.count) }
    }
    let sides = search.isReversed ? found.columns + own : own + found.columns
    return try DataChunk(sides + computed, count: found.count).forEachPart {
      (part) throws(SQLError) in try next.push(part)
    }
  }
}
