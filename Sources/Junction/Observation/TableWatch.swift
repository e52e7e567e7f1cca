import Columnar
import Execution
import Storage

/// Who watches one table, by what they have read of it.
struct TableWatch {
  /// A watcher, and the columns that it has read.
  private struct Entry {
    let watcher: Watcher
    let columns: ColumnMask

    /// Whether a change touches what was read, if it touches the row.
    func isMet(by delta: TableDelta) -> Bool { delta.changesRows || columns.meets(delta.columns) }
  }
  /// A watcher of rows that meet conditions.
  private struct ScanEntry {
    let watcher: Watcher
    let scan: ScanRead

    func isMet(by delta: TableDelta) -> Bool {
      delta.changesRows || scan.columns.meets(delta.columns)
    }
  }
  private var whole: [ObjectIdentifier: Entry] = [:]
  private var rows: [UInt32: [Entry]] = [:]
  /// By reference and the position of the parent.
  private var edges: [Int: [UInt32: [Entry]]] = [:]
  /// By columns and the hash of their values.
  private var keys: [[Int]: [UInt64: [Watcher]]] = [:]
  /// By a column and the hash of the value that it has in all rows that meet the conditions.
  private var scansByKey: [Int: [UInt64: [ScanEntry]]] = [:]
  private var scans: [ObjectIdentifier: [ScanEntry]] = [:]

  /// Whether rows are watched by their values.
  var needsValues: Bool { !keys.isEmpty || !scansByKey.isEmpty || !scans.isEmpty }

  var isEmpty: Bool { whole.isEmpty && rows.isEmpty && edges.isEmpty && !needsValues }

  /// Lets a watcher know of changes in what it has read.
  mutating func add(_ watcher: Watcher, _ reads: TableReads) {
    let id = ObjectIdentifier(watcher)
    if let columns = reads.whole {
      whole[id] = Entry(watcher: watcher, columns: columns)
      return
    }
    let row = Entry(watcher: watcher, columns: reads.rows.columns)
    for position in reads.rows.positions { rows[position, default: []].append(row) }
    for (reference, parents) in reads.edges {
      let entry = Entry(watcher: watcher, columns: parents.columns)
      for position in parents.positions {
        edges[reference, default: [:]][position, default: []].append(entry)
      }
    }
    for (columns, hashes) in reads.keys {
      for hash in hashes { keys[columns, default: [:]][hash, default: []].append(watcher) }
    }
    for scan in reads.scans {
      let entry = ScanEntry(watcher: watcher, scan: scan)
      if let (column, hash) = scan.key {
        scansByKey[column, default: [:]][hash, default: []].append(entry)
      } else {
        scans[id, default: []].append(entry)
      }
    }
  }

  /// Takes back what `add` has done with the same reads.
  ///
  /// - Complexity: O(reads).
  mutating func remove(_ watcher: Watcher, _ reads: TableReads) {
    let id = ObjectIdentifier(watcher)
    whole[id] = nil
    scans[id] = nil
    for position in reads.rows.positions {
      rows.removeAll(at: position) { $0.watcher === watcher }
    }
    for (reference, parents) in reads.edges {
      for position in parents.positions {
        edges[reference]?.removeAll(at: position) { $0.watcher === watcher }
      }
      if edges[reference]?.isEmpty ?? false { edges[reference] = nil }
    }
    for (columns, hashes) in reads.keys {
      for hash in hashes { keys[columns]?.removeAll(at: hash) { $0 === watcher } }
      if keys[columns]?.isEmpty ?? false { keys[columns] = nil }
    }
    for scan in reads.scans {
      guard let (column, hash) = scan.key else { continue }
      scansByKey[column]?.removeAll(at: hash) { $0.watcher === watcher }
      if scansByKey[column]?.isEmpty ?? false { scansByKey[column] = nil }
    }
  }

  /// Finds the watchers whose answer a change may have made another.
  ///
  /// - Complexity: O(rows changed × kinds of reads), and one look at the changed rows for each scan without a value that
  ///   tells it apart.
  func match(_ delta: TableDelta, into hits: inout Hits) {
    if delta.isWhole { return matchAll(delta, &hits) }
    for entry in whole.values where entry.isMet(by: delta) { hits.add(entry.watcher) }
    if !rows.isEmpty { matchRows(delta, &hits) }
    for (reference, watched) in edges {
      for parent in delta.parents(by: reference) {
        for entry in watched[parent] ?? [] { hits.add(entry.watcher) }
      }
      for (parent, columns) in delta.updatedParents(by: reference) {
        for entry in watched[parent] ?? [] where entry.columns.meets(columns) {
          hits.add(entry.watcher)
        }
      }
    }
    if needsValues { matchValues(delta, &hits) }
  }

  private func matchRows(_ delta: TableDelta, _ hits: inout Hits) {
    for position in delta.deleted {
      for entry in rows[position] ?? [] { hits.add(entry.watcher) }
    }
    for (position, columns) in delta.updated {
      for entry in rows[position] ?? [] where entry.columns.meets(columns) {
        hits.add(entry.watcher)
      }
    }
  }

  private func matchValues(_ delta: TableDelta, _ hits: inout Hits) {
    guard let values = delta.values else { return matchAllValues(delta, &hits) }
    for (store, positions) in values {
      for (columns, watched) in keys {
        for hash in Self.hashes(of: positions, columns, in: store) {
          for watcher in watched[hash] ?? [] { hits.add(watcher) }
        }
      }
      for (column, watched) in scansByKey {
        for (hash, position) in zip(Self.hashes(of: positions, [column], in: store), positions) {
          for entry in watched[hash] ?? [] where !hits.contains(entry.watcher) {
            match(entry, delta, [position], store, &hits)
          }
        }
      }
      for entries in scans.values {
        for entry in entries where !hits.contains(entry.watcher) {
          match(entry, delta, positions, store, &hits)
        }
      }
    }
  }

  private func match(
    _ entry: ScanEntry, _ delta: TableDelta, _ positions: [UInt32], _ store: TableStore,
    _ hits: inout Hits
  ) {
    if entry.isMet(by: delta), entry.scan.mayRead(positions, of: store) {
      hits.add(entry.watcher)
    }
  }

  private static func hashes(
    of positions: [UInt32], _ columns: [Int], in store: TableStore
  ) -> [UInt64] {
    let places = Buffer(positions)
    let vectors = columns.map { store.gather(places, count: positions.count, column: $0) }
    return Hashing.hash(vectors, count: positions.count).array(positions.count)
  }

  /// Takes every row to have changed, in the columns that the change has touched.
  private func matchAll(_ delta: TableDelta, _ hits: inout Hits) {
    for entry in whole.values where entry.isMet(by: delta) { hits.add(entry.watcher) }
    for entry in rows.values.joined() where entry.isMet(by: delta) { hits.add(entry.watcher) }
    for entry in edges.values.lazy.flatMap({ $0.values.joined() }) where entry.isMet(by: delta) {
      hits.add(entry.watcher)
    }
    matchAllValues(delta, &hits)
  }

  private func matchAllValues(_ delta: TableDelta, _ hits: inout Hits) {
    for (columns, watched) in keys
    where delta.changesRows || ColumnMask(columns).meets(delta.columns) {
      for watcher in watched.values.joined() { hits.add(watcher) }
    }
    let keyed = scansByKey.values.lazy.flatMap { $0.values.joined() }
    for entry in keyed where entry.isMet(by: delta) { hits.add(entry.watcher) }
    for entry in scans.values.joined() where entry.isMet(by: delta) { hits.add(entry.watcher) }
  }
}

/// Watchers that are to be woken, each once.
struct Hits {
  private var known: [ObjectIdentifier: Watcher] = [:]

  var watchers: [Watcher] { Array(known.values) }

  mutating func add(_ watcher: Watcher) { known[ObjectIdentifier(watcher)] = watcher }

  func contains(_ watcher: Watcher) -> Bool { known[ObjectIdentifier(watcher)] != nil }
}

extension Dictionary {
  /// Takes elements out of the list at a key, and the list when it is empty.
  fileprivate mutating func removeAll<Element>(
    at key: Key, where isGone: (Element) -> Bool
  ) where Value == [Element] {
    guard let index = index(forKey: key) else { return }
    values[index].removeAll(where: isGone)
    if values[index].isEmpty { remove(at: index) }
  }
}
