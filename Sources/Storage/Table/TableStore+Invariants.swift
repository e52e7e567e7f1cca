import Columnar

extension TableStore {
  /// Checks that all parts of the table agree; for tests and fuzzing.
  ///
  /// - Complexity: O(*n*) in rows and edges.
  package func checkInvariants() {
    checkCounts()
    for column in columns { checkColumn(column) }
    for index in adjacencies.indices { checkAdjacency(index) }
  }

  private func checkCounts() {
    var count = 0
    for page in 0..<pageCount { count += liveRows(ofPage: page)?.count ?? rowCount(ofPage: page) }
    precondition(count == liveRowCount, "\(count) rows are live, \(liveRowCount) are counted")
    precondition(keys.count == layout.keys.count, "each key has its index")
    precondition(references.count == layout.references.count, "each reference has its column")
    for key in keys {
      precondition(key.rowCount <= liveRowCount, "an index holds more rows than there are")
    }
  }

  private func checkColumn(_ column: ColumnStore) {
    precondition(column.pages.count == pageCount, "a column has all pages and no more")
    for page in 0..<pageCount {
      let rows = rowCount(ofPage: page)
      let stored = column.pages[page]
      precondition(
        stored.storage.byteCount >= rows * stored.stride(column.type), "a page has all its rows")
      let isFull = rows == Self.pageCapacity
      precondition(
        isFull || stored.zone == nil, "a page that grows has no zone map")
      guard let zone = stored.zone else { continue }
      let exact = ZoneKey.zone(of: column.vector(page: page, count: rows), 0..<rows)
      guard let exact else { continue }
      precondition(
        zone.minimum <= exact.minimum && zone.maximum >= exact.maximum,
        "a zone map bounds its page")
      precondition(
        (zone.nullCount > 0 || exact.nullCount == 0)
          && (zone.valueCount > 0 || exact.valueCount == 0), "a zone map knows of NULLs and values")
    }
  }

  private func checkAdjacency(_ index: Int) {
    let direction = directions[index]
    let adjacency = adjacencies[index]
    var edges = 0
    for source in 0..<adjacency.sourceLimit {
      let list = adjacency.neighbours(of: UInt32(source))
      precondition(list.bitsAgree, "the bits of a dense run are its targets")
      var last: (UInt32, UInt32)?
      for run in 0..<list.runCount {
        let part = list.run(run)
        precondition(part.count > 0, "no run is empty")
        for edge in 0..<part.count {
          let pair = (part.targets[edge], part.rows[edge])
          if let last {
            precondition(last < pair, "edges rise")
            precondition(!direction.isUnique || last.0 < pair.0, "an edge stands once")
          }
          last = pair
          precondition(isLive(pair.1), "an edge's row is live")
          let parent = references[direction.source].parent(of: pair.1)
          precondition(parent == UInt32(source), "an edge's row names its source")
          edges += 1
        }
      }
    }
    precondition(edges == adjacency.edgeCount, "\(edges) edges, \(adjacency.edgeCount) counted")
  }
}
