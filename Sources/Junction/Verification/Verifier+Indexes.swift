import Catalog
import Columnar
import Diagnostics
import Execution
import SQLSyntax
import Storage

/// Indexes against the columns that they are over.
extension Verifier {
  /// That each row is found by its key, and that nothing else is entered.
  mutating func verifyIndexes(_ table: TableDefinition, _ store: TableStore) throws(SQLError) {
    let (evaluation, damage, memory) = (self.evaluation, self.damage, self.memory)
    let names = table.keys.map(\.name) + table.indexes.filter { $0.plainColumns != nil }.map(\.name)
    for (number, index) in store.keys.enumerated() where index.key.junction == nil {
      let name = number < names.count ? names[number] : String(number)
      try add("index", "\(self.name(table)) \(SQLPrinter.quoted(name))") { () throws(SQLError) in
        let (entered, reason) =
          index.key.isUnique
          ? try Self.lookUp(index, store, evaluation)
          : try memory.holding(store.rowCount * (KeyDigests.byteCountOfRow + 4)) {
            () throws(SQLError) in
            try Self.follow(index, store, evaluation)
          }
        if let reason { return (entered, damage("index \"\(name)\" is damaged", reason)) }
        let rest =
          index.rowCount == entered
          ? nil : "It holds \(index.rowCount) rows, where the table has \(entered)."
        return (entered, rest.map { damage("index \"\(name)\" is damaged", $0) })
      }
    }
  }

  /// The rows of a page that an index holds, as indices into the chunk.
  private static func entered(_ index: KeyIndex, _ chunk: DataChunk) -> [Int] {
    let takesAll = index.key.nullsNotDistinct || !chunk.columns.contains { $0.mayHaveNulls }
    return (0..<chunk.count).filter { row in
      takesAll || chunk.columns.allSatisfy { $0.isValid(row) }
    }
  }

  private static func lookUp(
    _ index: KeyIndex, _ store: TableStore, _ evaluation: EvaluationContext
  ) throws(SQLError) -> (Int, String?) {
    var count = 0
    for page in 0..<store.pageCount {
      try evaluation.checkCancellation()
      let positions = store.positions(ofPage: page)
      let chunk = store.scan(page: page, columns: index.key.columns)
      let found = index.lookup(chunk.columns, count: chunk.count, in: store)
      for row in entered(index, chunk) {
        count += 1
        let position = positions.positions[row]
        if found[row] != position {
          return (count, "The row at position \(position) is not found by its key.")
        }
      }
    }
    return (count, nil)
  }

  /// Goes through the chain of each key once; each row must stand in just one, with the key of its head.
  private static func follow(
    _ index: KeyIndex, _ store: TableStore, _ evaluation: EvaluationContext
  ) throws(SQLError) -> (Int, String?) {
    let digests = try KeyDigests(store, index.key.columns, .hash, evaluation)
    let heads = Buffer<UInt32>(uninitialized: store.rowCount)
    try (0..<store.rowCount).inSlices { slice in heads.fill(slice, with: TableStore.noRow) }
    var count = 0
    for page in 0..<store.pageCount {
      try evaluation.checkCancellation()
      let positions = store.positions(ofPage: page)
      let chunk = store.scan(page: page, columns: index.key.columns)
      let found = index.lookup(chunk.columns, count: chunk.count, in: store)
      for row in entered(index, chunk) {
        count += 1
        let position = Int(positions.positions[row])
        let head = found[row]
        guard Int(head) < store.rowCount else {
          return (count, "The row at position \(position) is not found by its key.")
        }
        if heads[Int(head)] == TableStore.noRow {
          var next = head
          while next != TableStore.noRow {
            guard Int(next) < store.rowCount, heads[Int(next)] == TableStore.noRow,
              digests.row(Int(next)) != .deleted,
              digests.digests[Int(next)] == digests.digests[Int(head)]
            else { return (count, "The rows with the key of position \(head) are not in a row.") }
            heads[Int(next)] = head
            next = index.next(after: next)
          }
        }
        guard heads[position] == head else {
          return (count, "The row at position \(position) is not with others of its key.")
        }
      }
    }
    return (count, nil)
  }

  // MARK: Adjacency

  mutating func verifyAdjacencies(
    _ table: TableDefinition, _ store: TableStore
  ) throws(SQLError) {
    for source in table.foreignKeys.indices {
      try verifyAdjacency(table, store, from: source, to: nil)
      for target in table.foreignKeys.indices where target != source {
        try verifyAdjacency(table, store, from: source, to: target)
      }
    }
  }

  /// That the edges are the rows: each edge is one, in the place that its references give it, and there are as many.
  private mutating func verifyAdjacency(
    _ table: TableDefinition, _ store: TableStore, from source: Int, to target: Int?
  ) throws(SQLError) {
    guard let adjacency = store.adjacency(from: source, to: target) else { return }
    let (evaluation, damage, memory) = (self.evaluation, self.damage, self.memory)
    let names = [source, target].compactMap { $0 }.map { table.foreignKeys[$0].name }
    let object = "\(name(table)) \(names.map(SQLPrinter.quoted).joined(separator: " → "))"
    try add("adjacency", object) { () throws(SQLError) in
      try memory.holding(8 * store.rowCount) { () throws(SQLError) in
        let sources = try Self.parents(store, source)
        let targets = try target.map { (target) throws(SQLError) in
          try Self.parents(store, target)
        }
        var edges = 0
        for row in 0..<store.rowCount { edges &+= bit(sources[row] != TableStore.noRow) }
        let lists = ListCheck(
          index: adjacency, sources: sources, targets: targets, rowCount: store.rowCount)
        let (found, fault) = try lists.run(evaluation)
        if let fault {
          return (
            edges,
            damage(
              "an adjacency index of table \"\(table.name.name)\" is damaged",
              "An edge of parent \(fault.list) does not agree with the row at position \(fault.row)."
            )
          )
        }
        let isSound = found == edges && adjacency.edgeCount == edges
        return (
          edges,
          isSound
            ? nil
            : damage(
              "an adjacency index of table \"\(table.name.name)\" is damaged",
              "It has \(found) edges and counts \(adjacency.edgeCount), where there are \(edges) rows."
            )
        )
      }
    }
  }

  /// The parents' positions of all rows; `noRow` for those without and for rows that were deleted.
  private static func parents(
    _ store: TableStore, _ reference: Int
  ) throws(SQLError) -> Buffer<UInt32> {
    let parents = Buffer<UInt32>(uninitialized: max(1, store.rowCount))
    let pagesATask = 32
    parallelFor(tasks: (store.pageCount + pagesATask - 1) / pagesATask) { task in
      let first = task * pagesATask
      for page in first..<min(store.pageCount, first + pagesATask)
      where !RunningStatement.isInterrupted {
        let (some, count) = (
          store.parents(ofPage: page, reference: reference), store.rowCount(ofPage: page)
        )
        let base = page * TableStore.pageCapacity
        guard let live = store.liveRows(ofPage: page) else {
          parents.copy(some, count: count, to: base)
          continue
        }
        parents.fill(base..<(base + count), with: TableStore.noRow)
        for index in 0..<live.count {
          let row = Int(live.positions[index])
          parents[base + row] = some[row]
        }
      }
    }
    try RunningStatement.check()
    return parents
  }
}

/// The edges of an adjacency index against the references of the rows.
private struct ListCheck: Sendable {
  let index: AdjacencyIndex
  /// The parent of each row by one reference, `noRow` for rows that have no edge.
  let sources: Buffer<UInt32>
  /// By the other; nil where the target of each edge is its row.
  let targets: Buffer<UInt32>?
  let rowCount: Int

  /// Counts the edges, up to the first that does not agree with its row or is out of order.
  ///
  /// - Throws: 57014.
  func run(
    _ evaluation: EvaluationContext
  ) throws(SQLError) -> (found: Int, fault: (list: Int, row: UInt32)?) {
    let pageCount = index.sourceLimit / 64
    let groups = (pageCount + 63) / 64
    var found = 0
    for first in stride(from: 0, to: groups, by: 64) {
      try evaluation.checkCancellation()
      let count = min(64, groups - first)
      let counts = Buffer<Int>(zeroed: count)
      let lists = Buffer<Int>(repeating: .max, count: count)
      let rows = Buffer<UInt32>(zeroed: count)
      parallelFor(tasks: count) { task in
        let image = index.image(ofGroup: first + task, pageCount: pageCount)
        counts[task] = image.edgeCount
        if let fault = fault(image, (first + task) * AdjacencyIndex.groupSourceCount) {
          (lists[task], rows[task]) = (fault.list, fault.row)
        }
      }
      try evaluation.checkCancellation()
      for task in 0..<count {
        if lists[task] != .max { return (found, (lists[task], rows[task])) }
        found += counts[task]
      }
    }
    return (found, nil)
  }

  /// The first edge of some lists that is wrong; none once the statement has to end.
  private func fault(_ image: ListImage, _ firstSource: Int) -> (list: Int, row: UInt32)? {
    let blockCount = 2048
    let (to, at) = (
      Buffer<UInt32>(uninitialized: blockCount), Buffer<UInt32>(uninitialized: blockCount)
    )
    var targetCursor = image.targets()
    var rowCursor = image.rows()
    var (list, left, last): (Int, UInt32, UInt64) = (-1, 0, 0)
    for start in stride(from: 0, to: image.edgeCount, by: blockCount) {
      let count = min(blockCount, image.edgeCount - start)
      if RunningStatement.isInterrupted { return nil }
      targetCursor.read(count, to: to, at: 0)
      rowCursor.read(count, to: at, at: 0)
      for edge in 0..<count {
        while left == 0 {
          list &+= 1
          left = image.degrees[list]
          last = 0
        }
        left &-= 1
        let row = at[edge]
        // One more than the pair, so that the first of all is more than nothing.
        let key = UInt64(to[edge]) &<< 32 | UInt64(row) &+ 1
        guard key > last, Int(row) < rowCount,
          sources[row] == UInt32(truncatingIfNeeded: firstSource &+ list),
          (targets.map { $0[row] } ?? row) == to[edge]
        else { return (firstSource + list, row) }
        last = key
      }
    }
    return nil
  }
}
