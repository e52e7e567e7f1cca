import Catalog
import Columnar
import Diagnostics
import SQLSyntax
import Storage

/// PRIMARY KEY, UNIQUE and FOREIGN KEY, from the columns alone.
extension Verifier {
  mutating func verifyKeys(_ table: TableDefinition, _ store: TableStore) throws(SQLError) {
    let evaluation = self.evaluation
    for key in table.keys {
      let check = key.isPrimary ? "primary key" : "unique"
      try add(check, "\(name(table)) \(SQLPrinter.quoted(key.name))") { () throws(SQLError) in
        let isExact = !key.nullsNotDistinct && KeyDigests.isWhole(store.types, key.columns)
        let digests = try KeyDigests(store, key.columns, isExact: isExact, evaluation)
        var taking: [(digest: UInt64, position: UInt32)] = []
        taking.reserveCapacity(store.liveRowCount)
        for position in 0..<store.rowCount {
          let row = digests.rows[position]
          guard row == .present || (key.nullsNotDistinct && row != .deleted) else { continue }
          taking.append((digests.digests[position], UInt32(truncatingIfNeeded: position)))
        }
        taking.sort { ($0.digest, $0.position) < ($1.digest, $1.position) }
        try evaluation.checkCancellation()
        guard let repeated = Self.firstRepeat(taking, digests) else { return (taking.count, nil) }
        let names = key.columns.map { table.columns[$0].name }
        return (
          taking.count,
          SQLError(
            .uniqueViolation,
            "duplicate key value violates unique constraint \"\(key.name)\"",
            detail: "Key \(digests.text(at: repeated, names)) stands more than once.")
        )
      }
    }
    try verifyExpressionKeys(table)
  }

  /// A row whose key another one has, too.
  private static func firstRepeat(
    _ sorted: [(digest: UInt64, position: UInt32)], _ digests: KeyDigests
  ) -> Int? {
    var start = 0
    while start < sorted.count {
      var end = start + 1
      while end < sorted.count, sorted[end].digest == sorted[start].digest { end += 1 }
      if end - start > 1 {
        let position = Int(sorted[start].position)
        if digests.isExact { return position }
        // Different keys may have one number, if hardly ever.
        var seen: Set<[UInt8]> = []
        for index in start..<end
        where !seen.insert(digests.bytes(at: Int(sorted[index].position))).inserted {
          return Int(sorted[index].position)
        }
      }
      start = end
    }
    return nil
  }

  /// Unique indexes over expressions, or over some rows only.
  private mutating func verifyExpressionKeys(_ table: TableDefinition) throws(SQLError) {
    for index in table.indexes where index.isUnique {
      let keys = index.keys.map { key in
        switch key {
        case .column(let column, _): SQLPrinter.quoted(table.columns[column].name)
        case .expression(let expression, _): "(\(SQLPrinter.text(of: expression)))"
        }
      }
      let conditions =
        keys.map { "\($0) IS NOT NULL" }
        + (index.predicate.map { ["(\(SQLPrinter.text(of: $0)))"] } ?? [])
      try verify(
        "unique", "\(name(table)) \(SQLPrinter.quoted(index.name))", table,
        "SELECT count(*) FROM (SELECT 1 FROM ONLY \(name(table)) WHERE "
          + conditions.joined(separator: " AND ")
          + " GROUP BY \(keys.joined(separator: ", ")) HAVING count(*) > 1) v",
        SQLError(
          .uniqueViolation, "duplicate key value violates unique constraint \"\(index.name)\""))
    }
  }

  // MARK: Foreign keys

  /// That each row has its parent, and that the position kept for it is where that parent stands.
  mutating func verifyReferences(_ table: TableDefinition, _ store: TableStore) throws(SQLError) {
    let version = self.version
    let evaluation = self.evaluation
    let damage = self.damage
    for (reference, key) in table.foreignKeys.enumerated() {
      guard let parent = version.catalog.tables[key.parent],
        let parentStore = version.tables[key.parent]
      else { continue }
      let object = "\(name(table)) \(SQLPrinter.quoted(key.name))"
      let areComparable = zip(key.columns, key.parentColumns).allSatisfy {
        KeyDigests.areComparable(store.types[$0], parentStore.types[$1])
      }
      guard areComparable else { continue }
      let isExact =
        KeyDigests.isWhole(store.types, key.columns)
        && KeyDigests.isWhole(parentStore.types, key.parentColumns)
      let child = try KeyDigests(store, key.columns, isExact: isExact, evaluation)
      let other =
        table.id == parent.id && key.columns == key.parentColumns
        ? child
        : try KeyDigests(parentStore, key.parentColumns, isExact: isExact, evaluation)
      try add("foreign key", object) { () throws(SQLError) in
        if !key.isValidated { return (0, nil) }
        let orphans = Self.orphans(child, of: other, isMatchFull: key.isMatchFull)
        guard let first = orphans.first else { return (store.liveRowCount, nil) }
        let names = key.columns.map { table.columns[$0].name }
        return (
          store.liveRowCount,
          SQLError(
            .foreignKeyViolation,
            "insert or update on table \"\(table.name.name)\" violates foreign key constraint \"\(key.name)\"",
            detail: "Key \(child.text(at: first, names)) is not present in table"
              + " \"\(parent.name.name)\"; \(orphans.count) rows have no parent.")
        )
      }
      try add("reference", object) { () throws(SQLError) in
        for page in 0..<store.pageCount {
          try evaluation.checkCancellation()
          let parents = store.parents(ofPage: page, reference: reference)
          for row in 0..<store.rowCount(ofPage: page) {
            let position = page * TableStore.pageCapacity + row
            guard child.rows[position] != .deleted else { continue }
            let place = parents[row]
            let isSound: Bool
            if child.rows[position] != .present {
              isSound = place == TableStore.noRow
            } else if place == TableStore.noRow {
              isSound = !key.isValidated
            } else {
              isSound =
                Int(place) < other.rows.count && other.rows[Int(place)] == .present
                && other.digests[Int(place)] == child.digests[position]
            }
            if !isSound {
              return (
                store.liveRowCount,
                damage(
                  "a row of table \"\(table.name.name)\" is kept with another parent than its key names",
                  "The row at position \(position) is kept with that at \(place).")
              )
            }
          }
        }
        return (store.liveRowCount, nil)
      }
    }
  }

  /// The rows whose key no row of the parent has.
  private static func orphans(
    _ child: KeyDigests, of parent: KeyDigests, isMatchFull: Bool
  ) -> [Int] {
    var known: [(digest: UInt64, position: UInt32)] = []
    for position in parent.rows.indices where parent.rows[position] == .present {
      known.append((parent.digests[position], UInt32(truncatingIfNeeded: position)))
    }
    known.sort { $0.digest < $1.digest }
    var orphans: [Int] = []
    for position in child.rows.indices {
      switch child.rows[position] {
      case .deleted, .null: continue
      case .partlyNull:
        if isMatchFull { orphans.append(position) }
        continue
      case .present: break
      }
      let digest = child.digests[position]
      var low = 0
      var high = known.count
      while low < high {
        let middle = (low + high) / 2
        if known[middle].digest < digest { low = middle + 1 } else { high = middle }
      }
      var isFound = false
      while low < known.count, known[low].digest == digest, !isFound {
        isFound =
          child.isExact || parent.bytes(at: Int(known[low].position)) == child.bytes(at: position)
        low += 1
      }
      if !isFound { orphans.append(position) }
    }
    return orphans
  }
}
