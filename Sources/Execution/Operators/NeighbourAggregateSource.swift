import Catalog
import Columnar
import Diagnostics
import Planning
import Storage
import Synchronization

/// The groups of a `NeighbourAggregate`, in the order of the parents, cut into morsels of about as many edges.
final class NeighbourAggregateSource: Source {
  private let plan: NeighbourAggregate
  private let access: AdjacencyAccess
  private let compiler: ExpressionCompiler
  private let edgeFilter: RowFilter?
  /// The rows that name the parents; nil where these are all of a table.
  private let named: NamedParents?
  /// What joins further on know of the parents; nil where none does.
  private let parentFilter: ConjunctiveFilter?
  /// The positions of the parents that these let through, where they are few.
  private var chosen: SelectionVector?
  /// The edges that are taken, a bit for each position; nil for all.
  private var wanted: Buffer<UInt64>?
  private let parentColumns: TableColumns
  /// The places of the keys among the columns of parents, or of what names them.
  private let keyPlaces: [Int]
  private var table: TableStore?
  private var parentReaders: ColumnReaders?
  private var parentsPerMorsel = 1
  /// Where only the groups of the first parents by a column are wanted.
  private let bound: BoundedPages?
  private let boundMembers: [ConjunctiveFilter.Member]
  /// The pages of parents, those first that these may be in; nil where bounds of pages do not tell.
  private var pageOrder: PageOrder?
  /// The parents to a morsel of the first of these pages, which may be all that are wanted.
  private var parentsPerFirstMorsel = 1
  /// What workers compute with, when none has it in hand.
  private let idle = Mutex<[Worker]>([])

  /// What one worker computes with.
  ///
  /// Sendable by rule: one worker at a time has it.
  private final class Worker: @unchecked Sendable {
    let items: [AggregateItem]
    /// The states of the groups of a morsel.
    let states: [AggregateState]
    let filter: ConjunctiveFilter?
    /// Which parents are still wanted, where only the first are.
    let bound: ConjunctiveFilter?

    init(
      _ items: [AggregateItem], _ filter: ConjunctiveFilter?, bound: ConjunctiveFilter?
    ) {
      self.items = items
      self.filter = filter
      self.bound = bound
      states = items.map { AggregateState($0) }
      for state in states { state.expectClusters() }
    }
  }

  /// Edges to a morsel, about.
  private static let morselEdgeCount = 32_768
  /// The same where the first parents may be all that are wanted.
  private static let firstEdgeCount = 1024

  /// Parents are chosen where they are at most this share of all.
  private static let chosenShare = 0.25

  /// `edges` are the plan's conditions of edges alone, `members` what joins know of columns of parents, and `compiler` is one over
  /// the columns of `plan`.
  init(
    _ plan: NeighbourAggregate, _ edges: RowFilter?, _ named: NamedParents?,
    _ members: [ConjunctiveFilter.Member], _ compiler: ExpressionCompiler
  ) throws(SQLError) {
    self.plan = plan
    self.named = named
    edgeFilter = edges
    bound = BoundedPages(plan.parents.columns, members)
    boundMembers = members.filter { $0.filter.bound != nil }
    let keyMembers = members.filter { $0.filter.bound == nil }
    parentFilter =
      keyMembers.isEmpty ? nil : try ConjunctiveFilter([], members: keyMembers, compiler)
    self.compiler = compiler
    access = AdjacencyAccess(plan.step)
    parentColumns = TableColumns(plan.parents.columns)
    keyPlaces = plan.keys.compactMap { key in plan.columns.firstIndex { $0.id == key } }
    super.init()
    give(try makeWorker())
  }

  private func makeWorker() throws(SQLError) -> Worker {
    var items: [AggregateItem] = []
    for (place, aggregate) in plan.aggregates.enumerated() {
      var call = aggregate.call
      // What is told apart by the lists need not be once more.
      if plan.onceEach.contains(place) { call.isDistinct = false }
      items.append(try AggregateItem(call, compiler))
    }
    let filter =
      plan.filters.isEmpty ? nil : try ConjunctiveFilter(plan.filters, compiler)
    let bound =
      boundMembers.isEmpty
      ? nil : try ConjunctiveFilter([], members: boundMembers, compiler)
    bound?.start()
    return Worker(items, filter, bound: bound)
  }

  private func give(_ worker: Worker) { idle.withLock { $0.append(worker) } }

  override func prepare(_ context: ExecutionContext) throws(SQLError) {
    let table = try context.tables.table(plan.parents.table.id)
    try access.open(context.tables)
    self.table = table
    if let named { return try named.find(access, context) }
    let readers = try ColumnReaders(parentColumns, of: table)
    parentReaders = readers
    chosen = try chosenParents(of: table, readers, context)
    if let edgeFilter {
      let edges = try access.current().edges
      let reached = try chosen.map { (chosen) throws(SQLError) in
        try self.edges(of: chosen.positions, count: chosen.count)
      }
      wanted = try edgeFilter.filtered(
        reached ?? ReachedSet(allOf: edges), isOwn: true, edges, context
      ).bits
    }
    let edges = try access.current().adjacency.edgeCount
    let share = max(1, edges / max(1, table.rowCount))
    parentsPerMorsel = Self.parents(ofEdges: Self.morselEdgeCount, share: share)
    parentsPerFirstMorsel = Self.parents(ofEdges: Self.firstEdgeCount, share: share)
    pageOrder = chosen == nil ? bound?.order(of: table) : nil
  }

  /// How many parents have about so many edges, of which each has `share`: a power of two, so that a morsel lies within a page.
  private static func parents(ofEdges edgeCount: Int, share: Int) -> Int {
    var count = 1
    while count < TableStore.pageCapacity && count * 2 * share <= edgeCount { count *= 2 }
    return count
  }

  /// The parents that joins further on let through; nil where these are too many to be put together first.
  private func chosenParents(
    of table: TableStore, _ readers: ColumnReaders, _ context: ExecutionContext
  ) throws(SQLError) -> SelectionVector? {
    guard let parentFilter else { return nil }
    parentFilter.start()
    if parentFilter.isEmpty { return nil }
    let most = Int(Double(table.liveRowCount) * Self.chosenShare)
    let chosen = Buffer<UInt32>(uninitialized: most + Vector.chunkCapacity)
    var count = 0
    for page in 0..<table.pageCount {
      try context.check()
      let live = table.positions(ofPage: page)
      var parents = DataChunk(
        readers.gather(live.positions, count: live.count), count: live.count)
      let kept = try parentFilter.select(&parents, context) ?? .all(live.count)
      for index in 0..<kept.count {
        chosen[count &+ index] = live.positions[kept.positions[index]]
      }
      count += kept.count
      if count > most { return nil }
    }
    return SelectionVector(chosen, count: count)
  }

  /// The edges of some parents.
  private func edges(of parents: Buffer<UInt32>, count: Int) throws(SQLError) -> ReachedSet {
    let opened = try access.current()
    let bits = Buffer<UInt64>(zeroed: max(1, ReachedSet.wordCount(opened.edges.rowCount)))
    for row in 0..<count {
      let list = opened.adjacency.neighbours(of: parents[row])
      for index in 0..<list.runCount {
        let run = list.run(index)
        for edge in 0..<run.count { bits.insert(run.rows[edge]) }
      }
    }
    return ReachedSet(bits, in: opened.edges)
  }

  override var morselCount: Int {
    if let named { return named.morselCount }
    guard let table else { return 0 }
    if pageOrder != nil {
      return firstMorselCount + (table.pageCount - 1) * (TableStore.pageCapacity / parentsPerMorsel)
    }
    return ((chosen?.count ?? table.rowCount) + parentsPerMorsel - 1) / parentsPerMorsel
  }

  override var startsAlone: Bool { pageOrder != nil }

  /// The morsels of the first page in the order of pages.
  private var firstMorselCount: Int { TableStore.pageCapacity / parentsPerFirstMorsel }

  /// In an order of pages a morsel is known by its first position.
  override func morsel(inTurn turn: Int) -> Int {
    guard let pages = pageOrder?.pages else { return turn }
    let capacity = TableStore.pageCapacity
    if turn < firstMorselCount {
      return Int(truncatingIfNeeded: pages[0]) * capacity + turn * parentsPerFirstMorsel
    }
    let (place, piece) = (turn - firstMorselCount).quotientAndRemainder(
      dividingBy: capacity / parentsPerMorsel)
    return Int(truncatingIfNeeded: pages[place + 1]) * capacity + piece * parentsPerMorsel
  }

  /// The parents of a morsel, and their columns, or those of the rows that name them.
  private func parents(
    ofMorsel morsel: Int
  ) throws(SQLError) -> (positions: Buffer<UInt32>, columns: DataChunk) {
    if let named { return named.parents(ofMorsel: morsel) }
    guard let table, let parentReaders else {
      return (Buffer(uninitialized: 0), DataChunk([], count: 0))
    }
    let live = parents(ofMorsel: morsel, table)
    let columns = parentReaders.gather(live.positions, count: live.count)
    return (live.positions, DataChunk(columns, count: live.count))
  }

  private func parents(ofMorsel morsel: Int, _ table: TableStore) -> SelectionVector {
    if let pages = pageOrder?.pages {
      let isOfFirst = morsel / TableStore.pageCapacity == Int(truncatingIfNeeded: pages[0])
      let end = min(
        morsel + (isOfFirst ? parentsPerFirstMorsel : parentsPerMorsel), table.rowCount)
      return table.livePositions(in: min(morsel, end)..<end)
    }
    let first = morsel * parentsPerMorsel
    guard let chosen else {
      return table.livePositions(in: first..<min(first + parentsPerMorsel, table.rowCount))
    }
    let end = min(first + parentsPerMorsel, chosen.count)
    return SelectionVector(chosen.positions.slice(first..<end), count: end - first)
  }

  override func produce(
    _ morsel: Int, into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    try context.check()
    if pageOrder != nil, let bound, let table,
      !bound.mayHold(page: morsel / TableStore.pageCapacity, of: table)
    {
      return false
    }
    let worker: Worker
    if let known = idle.withLock({ $0.popLast() }) {
      worker = known
    } else {
      worker = try makeWorker()
    }
    defer { give(worker) }
    var (positions, parents) = try parents(ofMorsel: morsel)
    if let bound = worker.bound, let kept = try bound.select(&parents, context),
      kept.count < parents.count
    {
      let wanted = Buffer<UInt32>(uninitialized: max(1, kept.count))
      for row in 0..<kept.count { wanted[row] = positions[kept.positions[row]] }
      (positions, parents) = (wanted, parents.gathered(kept))
    }
    let count = parents.count
    if count == 0 { return true }
    let states = worker.states
    for state in states {
      state.restart()
      state.grow(to: count)
    }
    let present = Buffer<UInt8>(zeroed: count)
    try addEdges(of: positions, parents, worker, present, context)
    var columns = keyPlaces.map { parents.columns[$0] }
    var byteCount = 0
    for state in states {
      try state.complete()
      columns.append(try state.results(0..<count))
      byteCount += state.byteCount
    }
    try context.memory.charge(byteCount)
    let kept = Buffer<UInt32>(uninitialized: count)
    var keptCount = 0
    for row in 0..<count {
      kept[keptCount] = UInt32(truncatingIfNeeded: row)
      keptCount &+= Int(present[row])
    }
    if keptCount == 0 { return true }
    return try stage.push(
      DataChunk(columns, count: count).gathered(SelectionVector(kept, count: keptCount)))
  }

  /// Gives the aggregates the edges of some parents.
  private func addEdges(
    of positions: Buffer<UInt32>, _ parents: DataChunk, _ worker: Worker,
    _ present: Buffer<UInt8>, _ context: ExecutionContext
  ) throws(SQLError) {
    var batch = Batch(try access.current(), wanted: wanted)
    // Plain bytes: workers would wait for each other to count the references of the index for each parent.
    let lists = batch.opened.lists
    // A parent none of whose edges meet the conditions is known at the end.
    let missesLast = plan.isOuter && worker.filter != nil
    for row in 0..<parents.count {
      var found = 0
      if positions[row] == TableStore.noRow {
        // A key that no parent has.
      } else if let list = lists.list(of: positions[row]) {
        while found < list.count {
          found += batch.add(list.targets, list.rows, found..<list.count, to: row)
          if batch.isFull { try flush(&batch, parents, worker, present, context) }
        }
      } else {
        let list = batch.opened.adjacency.neighbours(of: positions[row])
        for index in 0..<list.runCount {
          let run = list.run(index)
          var start = 0
          while start < run.count {
            start += batch.add(
              PagePointer(run.targets), run.rows.numbers, start..<run.count, to: row)
            if batch.isFull { try flush(&batch, parents, worker, present, context) }
          }
          withExtendedLifetime(run) {}
          found += run.count
        }
      }
      if found == 0 && plan.isOuter && !missesLast {
        batch.addMissing(row)
        if batch.isFull { try flush(&batch, parents, worker, present, context) }
      }
    }
    try flush(&batch, parents, worker, present, context)
    guard missesLast else { return }
    for row in 0..<parents.count where present[row] == 0 {
      batch.addMissing(row)
      if batch.isFull { try flush(&batch, parents, worker, present, context) }
    }
    try flush(&batch, parents, worker, present, context)
  }

  /// Gives the aggregates what a batch holds, and marks the parents that have something.
  private func flush(
    _ batch: inout Batch, _ parents: DataChunk, _ worker: Worker, _ present: Buffer<UInt8>,
    _ context: ExecutionContext
  ) throws(SQLError) {
    guard batch.count > 0 else { return }
    try context.check()
    var chunk = DataChunk(
      parents.columns.map { $0.gathered(batch.parents, count: batch.count) } + batch.columns(),
      count: batch.count)
    if let filter = worker.filter, !batch.hasMissing, let kept = try filter.select(&chunk, context)
    {
      chunk = chunk.gathered(kept)
      batch.keep(kept)
      if kept.count == 0 { return batch.begin() }
    }
    let groups = batch.parents
    for index in 0..<batch.count { present[groups[index]] = 1 }
    let firsts = plan.onceEach.isEmpty ? .all(batch.count) : batch.firsts()
    var first = chunk.gathered(firsts)
    let firstGroups = Buffer<UInt32>(uninitialized: max(1, firsts.count))
    for index in 0..<firsts.count { firstGroups[index] = groups[firsts.positions[index]] }
    for (place, state) in worker.states.enumerated() {
      let item = worker.items[place]
      if plan.onceEach.contains(place) {
        try state.update(try item.input(&first, context), groups: firstGroups)
      } else {
        try state.update(try item.input(&chunk, context), groups: groups)
      }
    }
    batch.begin()
  }
}
