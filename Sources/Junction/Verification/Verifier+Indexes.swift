import Catalog
import Columnar
import Diagnostics
import SQLSyntax
import Storage

/// Indexes against the columns that they are over.
extension Verifier {
  /// That each row is found by its key, and that nothing else is entered.
  mutating func verifyIndexes(_ table: TableDefinition, _ store: TableStore) throws(SQLError) {
    let evaluation = self.evaluation
    let damage = self.damage
    let names = table.keys.map(\.name) + table.indexes.filter { $0.plainColumns != nil }.map(\.name)
    for (number, index) in store.keys.enumerated() where index.key.junction == nil {
      let name = number < names.count ? names[number] : String(number)
      try add("index", "\(self.name(table)) \(SQLPrinter.quoted(name))") { () throws(SQLError) in
        let (entered, reason) =
          index.key.isUnique
          ? try Self.lookUp(index, store, evaluation)
          : try Self.follow(index, store, evaluation)
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
    (0..<chunk.count).filter { row in
      index.key.nullsNotDistinct || chunk.columns.allSatisfy { $0.isValid(row) }
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
    let digests = try KeyDigests(store, index.key.columns, isExact: false, evaluation)
    var heads = [UInt32](repeating: TableStore.noRow, count: store.rowCount)
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
              digests.rows[Int(next)] != .deleted,
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
    let evaluation = self.evaluation
    let damage = self.damage
    let names = [source, target].compactMap { $0 }.map { table.foreignKeys[$0].name }
    let object = "\(name(table)) \(names.map(SQLPrinter.quoted).joined(separator: " → "))"
    try add("adjacency", object) { () throws(SQLError) in
      let sources = Self.parents(store, source)
      let targets = target.map { Self.parents(store, $0) }
      var edges = 0
      for page in 0..<store.pageCount {
        for position in store.positions(ofPage: page).asArray
        where sources[Int(position)] != TableStore.noRow {
          edges += 1
        }
      }
      var found = 0
      for list in 0..<adjacency.sourceLimit {
        if list & 4095 == 0 { try evaluation.checkCancellation() }
        let neighbours = adjacency.neighbours(of: UInt32(truncatingIfNeeded: list))
        var last: (UInt32, UInt32)?
        for run in 0..<neighbours.runCount {
          let part = neighbours.run(run)
          for edge in 0..<part.count {
            let (to, row) = (part.targets[edge], part.rows[edge])
            let isInOrder = last.map { $0 < (to, row) } ?? true
            last = (to, row)
            guard isInOrder, Int(row) < store.rowCount, store.isLive(row),
              sources[Int(row)] == UInt32(truncatingIfNeeded: list),
              (targets.map { $0[Int(row)] } ?? row) == to
            else {
              return (
                edges,
                damage(
                  "an adjacency index of table \"\(table.name.name)\" is damaged",
                  "An edge of parent \(list) does not agree with the row at position \(row).")
              )
            }
            found += 1
          }
        }
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

  /// The parents' positions of all rows.
  private static func parents(_ store: TableStore, _ reference: Int) -> [UInt32] {
    var parents: [UInt32] = []
    parents.reserveCapacity(store.rowCount)
    for page in 0..<store.pageCount {
      let some = store.parents(ofPage: page, reference: reference)
      for row in 0..<store.rowCount(ofPage: page) { parents.append(some[row]) }
    }
    return parents
  }
}

extension SelectionVector {
  /// The positions one by one.
  fileprivate var asArray: [UInt32] { (0..<count).map { positions[$0] } }
}
