import Catalog
import Columnar
import Diagnostics
import Planning
import Storage

/// Edges of a parent's row, and the rows they lead to.
final class AdjacencyAccess: TableAccess {
  /// A version of the tables: constants, so that a look-up counts no references.
  final class Opened: Sendable {
    let edges: TableStore
    let parents: TableStore
    /// The key of the parents that the foreign key refers to.
    let key: KeyIndex
    let search: KeySearch
    let numbers: NumberReader?
    /// The key as a serial column of the parents.
    let serialKey: SerialColumn?
    let adjacency: AdjacencyIndex
    let lists: ListReader
    /// Where a walk along the step arrives; nil where the index leads to no rows of that table.
    private let walked: Arrivals?
    /// The reference by which edges lead to neighbours, where the index leads to edges only.
    let missingReference: Int?
    let edgeColumns: ColumnReaders
    let neighbourColumns: ColumnReaders?
    /// The columns of which joins further on know what they need.
    let tests: [EdgeTest]
    /// Whether the columns of short lists are read at once, and nothing keeps the positions.
    let readsAtOnce: Bool
    /// Where short lists are copied to be read at once.
    let targets = Buffer<UInt32>(uninitialized: shortListLimit)
    private let rows = Buffer<UInt32>(uninitialized: shortListLimit)

    init(
      edges: TableStore, parents: TableStore, key: KeyIndex, search: KeySearch,
      adjacency: AdjacencyIndex, arrivals: Arrivals?, missingReference: Int?,
      edgeColumns: ColumnReaders, neighbourColumns: ColumnReaders?, tests: [EdgeTest]
    ) {
      self.tests = tests
      self.edges = edges
      self.parents = parents
      self.key = key
      self.search = search
      numbers = key.numberReader
      let columns = key.key.columns
      serialKey = columns.count == 1 ? parents.serialColumn(columns[0]) : nil
      self.adjacency = adjacency
      lists = adjacency.listReader
      walked = arrivals
      self.missingReference = missingReference
      self.edgeColumns = edgeColumns
      self.neighbourColumns = neighbourColumns
      readsAtOnce =
        missingReference == nil && !edgeColumns.givesPositions
        && !(neighbourColumns?.givesPositions ?? false)
    }

    /// Where a walk along the step arrives.
    ///
    /// - Throws: XX000 where the index leads to no rows of that table, which no plan asks for.
    func arrivals() throws(SQLError) -> Arrivals {
      guard let walked else {
        throw SQLError.internal("a walk follows an index that leads elsewhere")
      }
      return walked
    }

    /// The row of the parent with this key, or `TableStore.noRow`.
    func position(of number: Int64) -> UInt32 {
      numbers?.position(of: number) ?? key.lookup(number, in: parents)
    }

    /// Puts the columns of all edges of the parent with this key, and of the rows that they lead to, into a chunk, where the
    /// list fills one at most.
    func shortRows(number: Int64, over chunk: inout DataChunk) -> Bool {
      guard readsAtOnce else { return false }
      let source = position(of: number)
      let (limit, readsEdges) = (shortListLimit, !edgeColumns.isEmpty)
      // A parent that is not there has a position past all lists, and so no neighbours.
      guard
        let count = lists.copyList(
          of: source, targets: targets, rows: readsEdges ? rows : nil, limit: limit)
      else { return readsEdges ? false : longerRows(of: source, over: &chunk) }
      chunk.count = count
      if chunk.columns.count != edgeColumns.count + (neighbourColumns?.count ?? 0) {
        chunk.columns = edgeColumns.room(for: limit) + (neighbourColumns?.room(for: limit) ?? [])
      }
      edgeColumns.gather(rows, count: count, over: &chunk.columns, room: limit)
      neighbourColumns?.gather(
        targets, count: count, over: &chunk.columns, from: edgeColumns.count, room: limit)
      return true
    }

    /// The same for a list that is not short, of which no more than the rows that edges lead to are wanted.
    private func longerRows(of source: UInt32, over chunk: inout DataChunk) -> Bool {
      guard let found = walked?.few(of: source, targets) else { return false }
      let columns = neighbourColumns?.gather(found.positions, count: found.count) ?? []
      chunk = DataChunk(columns, count: found.count)
      return true
    }

    /// The positions of all rows that the edges of the parent with this key lead to, until the next call; nil where they
    /// do not fit a chunk.
    func neighbours(
      number: Int64
    ) throws(SQLError) -> (positions: Buffer<UInt32>, count: Int)? {
      try arrivals().few(of: position(of: number), targets)
    }
  }

  let step: AdjacencyStep
  private let edgeColumns: TableColumns
  private let neighbourColumns: TableColumns
  private let filters: [(filter: JoinFilter, column: ColumnID)]
  private var opened: Opened?
  /// The neighbours of whose rows columns are read, while it is noted what is read.
  private var neighbours: TableStore?
  /// Where short lists are copied, unless somebody has kept the last one.
  private var scratch = MemoryBlock(byteCount: 2 * 4 * shortListLimit)

  init(_ step: AdjacencyStep, filters: [(filter: JoinFilter, column: ColumnID)] = []) {
    self.step = step
    self.filters = filters
    edgeColumns = TableColumns(step.edgeColumns)
    neighbourColumns = TableColumns(step.neighbourColumns)
  }

  override var types: [LogicalType] { edgeColumns.types + neighbourColumns.types }

  private var foreignKey: ForeignKeyConstraint { step.edgeTable.foreignKeys[step.from] }

  override var takesNumber: Bool {
    foreignKey.columns.count == 1 && step.edgeTable.isWhole(foreignKey.columns[0])
  }

  override func find(_ tables: any TableSource) throws(SQLError) {
    let edges = try table(step.edgeTable.id, in: tables)
    let parents = try table(foreignKey.parent, in: tables)
    let index = try Self.keyIndex(of: parents, over: foreignKey.parentColumns)
    let search = try KeySearch(
      index, of: step.parentTable ?? step.edgeTable, in: parents
    ) { (id) throws(SQLError) in try table(id, in: tables) }
    var adjacency = edges.edges(from: step.from)
    var missingReference: Int?
    var arrivals: Arrivals?
    if let to = step.to {
      if let found = edges.adjacency(from: step.from, to: to) {
        adjacency = found
        let neighbours = try table(step.edgeTable.foreignKeys[to].parent, in: tables)
        arrivals = Arrivals(neighbours, at: .target, found)
      } else {
        missingReference = to
      }
    } else {
      arrivals = Arrivals(edges, at: adjacency.rowEnd, adjacency)
    }
    var neighbours: ColumnReaders?
    self.neighbours = nil
    if let table = step.neighbourTable, !neighbourColumns.indices.isEmpty {
      let store = try self.table(table.id, in: tables)
      neighbours = try ColumnReaders(neighbourColumns, of: store)
      if reads != nil { self.neighbours = store }
    }
    var tests: [EdgeTest] = []
    for entry in filters {
      let ofEdge = step.edgeColumns.first { $0.column.id == entry.column }
      guard
        let column = ofEdge ?? step.neighbourColumns.first(where: { $0.column.id == entry.column })
      else { continue }
      guard let id = ofEdge == nil ? step.neighbourTable?.id : step.edgeTable.id else { continue }
      let table = try table(id, in: tables)
      tests.append(
        EdgeTest(
          filter: entry.filter, readers: try ColumnReaders(TableColumns([column]), of: table),
          isOfNeighbour: ofEdge == nil))
    }
    opened = Opened(
      edges: edges, parents: parents, key: parents.keys[index], search: search,
      adjacency: adjacency, arrivals: arrivals,
      missingReference: neighbours == nil ? nil : missingReference,
      edgeColumns: try ColumnReaders(edgeColumns, of: edges), neighbourColumns: neighbours,
      tests: tests)
  }

  func current() throws(SQLError) -> Opened {
    guard let opened else { throw SQLError.internal("an expansion ran before its start") }
    return opened
  }

  /// The position of the parent's row that each key names.
  func sources(_ keys: [Vector], count: Int) throws(SQLError) -> Buffer<UInt32> {
    let opened = try current()
    let columns = opened.key.key.columns
    let ordered = Self.ordered(keys, foreignKey.parentColumns, as: columns)
      .map { $0.flattened() }
    try Self.check(ordered, columns, of: opened.parents)
    let found = try opened.search.lookup(ordered, count: count)
    if let reads {
      reads.note(
        keys: ordered, count: count, columns: columns, of: opened.parents, foreignKey.parent)
      noteEdges(of: found, count: count, opened, reads)
    }
    return found
  }

  /// Notes that the edges of some parents are read, and the neighbours that they lead to.
  private func noteEdges(
    of sources: Buffer<UInt32>, count: Int, _ opened: Opened, _ reads: ReadNotes
  ) {
    step.note(edgesOf: sources, count: count, opened.edges, reads)
    guard let table = step.neighbourTable, let store = neighbours, let to = step.to else { return }
    for index in 0..<count where sources[index] != TableStore.noRow {
      let list = opened.adjacency.neighbours(of: sources[index])
      for number in 0..<list.runCount {
        let run = list.run(number)
        let targets =
          opened.missingReference == nil
          ? run.targets
          : opened.edges.parents(
            of: run.positions(at: .row), count: run.count, reference: to)
        reads.note(
          rows: targets, count: run.count, of: store, table.id, ColumnMask(neighbourColumns))
      }
    }
  }

  override func positions(
    of keys: [Vector], count: Int
  ) throws(SQLError) -> (positions: Buffer<UInt32>, count: Int) {
    (try sources(keys, count: count), count)
  }

  override var positionTable: TableStore { get throws(SQLError) { try current().parents } }

  override func matchCounts(_ keys: [Vector], count: Int) throws(SQLError) -> Buffer<UInt32>? {
    try current().adjacency.degrees(of: try sources(keys, count: count), count: count)
  }

  override func matches(_ keys: [Vector], count: Int) throws(SQLError) -> Matches {
    let opened = try current()
    let sources = try sources(keys, count: count)
    let degrees = opened.adjacency.degrees(of: sources, count: count)
    return try matches(of: sources, 0..<count, degrees)
  }

  /// The edges of some of the sources, whose numbers of edges are `degrees`; `rows` of them are indices into the sources.
  func matches(
    of sources: Buffer<UInt32>, _ range: Range<Int>, _ degrees: Buffer<UInt32>
  ) throws(SQLError) -> Matches {
    let opened = try current()
    var total = 0
    for row in range { total &+= Int(degrees[row]) }
    var cursor = AdjacencyIndex.Cursor(source: range.lowerBound)
    let found = opened.adjacency.expand(
      sources, count: range.upperBound, from: &cursor, limit: max(total, 1))
    return matches(found, opened)
  }

  /// Some edges of each of some sources, as `AdjacencyIndex` gives them.
  func matches(
    of sources: Buffer<UInt32>, _ which: Buffer<UInt32>, from next: inout Int, to end: Int,
    edges skipped: Int, width: Int
  ) throws(SQLError) -> Matches {
    let opened = try current()
    return matches(
      opened.adjacency.expand(
        sources, which, from: &next, to: end, edges: skipped, width: width), opened)
  }

  private func matches(_ found: AdjacencyIndex.Expansion, _ opened: Opened) -> Matches {
    var neighbours = found.targets
    if let reference = opened.missingReference {
      neighbours = opened.edges.parents(of: found.rows, count: found.count, reference: reference)
    }
    return Matches(
      rows: found.sourceRows, positions: found.rows, neighbours: neighbours, count: found.count)
  }

  override func forEachStretch(
    _ key: [Vector], _ body: (Stretch) throws(SQLError) -> Bool
  ) throws(SQLError) -> Bool {
    try forEachStretch(from: try sources(key, count: 1)[0], try current(), body)
  }

  override func forEachStretch(
    number: Int64, _ body: (Stretch) throws(SQLError) -> Bool
  ) throws(SQLError) -> Bool {
    let opened = try current()
    let source =
      opened.numbers?.position(of: number) ?? opened.key.lookup(number, in: opened.parents)
    return try forEachStretch(from: source, opened, body)
  }

  /// The edges of one parent; lists that are not short are handed on as they stand in the index.
  private func forEachStretch(
    from source: UInt32, _ opened: Opened, _ body: (Stretch) throws(SQLError) -> Bool
  ) throws(SQLError) -> Bool {
    if source == TableStore.noRow { return true }
    let limit = Self.shortListLimit
    if !scratch.isUnique() { scratch = MemoryBlock(byteCount: 2 * 4 * limit) }
    let targets = scratch.buffer(of: UInt32.self)
    // Rows are read only where a column of the edge is wanted, or the neighbour hangs on it.
    let wantsRows = !opened.edgeColumns.isEmpty || opened.missingReference != nil
    let rows = wantsRows ? targets.slice(limit..<(2 * limit)) : targets
    let count = opened.lists.copyList(
      of: source, targets: targets, rows: wantsRows ? rows : nil, limit: limit)
    if let count { return count == 0 ? true : try push(rows, targets, count, opened, body) }
    let list = opened.adjacency.neighbours(of: source)
    for index in 0..<list.runCount {
      let run = list.run(index)
      let rows = wantsRows ? run.positions(at: .row) : run.targets
      if try !push(rows, run.targets, run.count, opened, body) { return false }
    }
    return true
  }

  override func shortRows(number: Int64, over chunk: inout DataChunk) throws(SQLError) -> Bool {
    try current().shortRows(number: number, over: &chunk)
  }

  override func countMatches(number: Int64) throws(SQLError) -> Int? {
    let opened = try current()
    return opened.adjacency.degree(of: opened.position(of: number))
  }

  private func push(
    _ rows: Buffer<UInt32>, _ targets: Buffer<UInt32>, _ count: Int, _ opened: Opened,
    _ body: (Stretch) throws(SQLError) -> Bool
  ) throws(SQLError) -> Bool {
    var neighbours = targets
    if let reference = opened.missingReference {
      neighbours = opened.edges.parents(of: rows, count: count, reference: reference)
    }
    return try body(Stretch(positions: rows, neighbours: neighbours, count: count))
  }

  override func columns(_ stretch: Stretch) throws(SQLError) -> [Vector] {
    let opened = try current()
    guard let neighbours = opened.neighbourColumns else {
      return opened.edgeColumns.gather(stretch.positions, count: stretch.count)
    }
    // An index that leads to neighbours has only edges whose two ends are there.
    let columns = neighbours.gather(
      stretch.neighbours, count: stretch.count, optional: opened.missingReference != nil)
    if opened.edgeColumns.isEmpty { return columns }
    return opened.edgeColumns.gather(stretch.positions, count: stretch.count) + columns
  }
}
