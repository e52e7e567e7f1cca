import Columnar
import Diagnostics
import Storage

extension AdjacencyAccess {
  /// Some edges of some sources, in their order: all of the sources in `rows`, or of a single one the
  /// edges in `edges`.
  struct Portion {
    /// Indices into the rows that are expanded.
    var rows: Range<Int>
    /// Of a single source, which of its edges; nil for all.
    var edges: Range<Int>?
  }

  /// Hands over, for each row of `chunk` in the portion, the row beside the columns of each of its edges, until
  /// `body` says no.
  ///
  /// Lists are gathered until they fill a chunk; those that are longer than one are read in place, and their source's
  /// row is then a constant.
  ///
  /// `chunk` may have any number of rows; `sources` has the position of the source of each, or
  /// `TableStore.noRow`; `body` takes chunks of at most `Vector.chunkCapacity` rows.
  ///
  /// - Complexity: O(edges + sources).
  func expand(
    _ chunk: DataChunk, sources: Buffer<UInt32>, _ portion: Portion,
    _ body: (DataChunk) throws(SQLError) -> Bool
  ) throws(SQLError) -> Bool {
    let opened = try current()
    var thinning = EdgeThinning(opened)
    if let edges = portion.edges {
      return try expandList(
        chunk, portion.rows.lowerBound, sources, edges, opened, &thinning, body)
    }
    let wantsRows = !opened.edgeColumns.isEmpty || opened.missingReference != nil
    let limit = Vector.chunkCapacity
    var batch = EdgeBatch(limit, wantsRows: wantsRows, wantsSources: !chunk.columns.isEmpty)
    var next = portion.rows.lowerBound
    let end = portion.rows.upperBound
    while true {
      opened.lists.expand(
        sources, from: &next, to: end, sourceRows: batch.sources, targets: batch.targets,
        rows: batch.rows, filled: &batch.count, limit: limit)
      if next < end {
        let degree = opened.adjacency.degree(of: sources[next])
        if degree <= limit - batch.count {
          batch.append(opened.adjacency.neighbours(of: sources[next]), of: next)
          next += 1
          continue
        }
      }
      if thinning.applies(to: batch) {
        thinning.thin(&batch, opened)
        // Where none are left, nobody else looks.
        try RunningStatement.check()
        // Few edges are left: there is room for more of them.
        if next < end && batch.count <= limit / 2 { continue }
      }
      if batch.count > 0 {
        if try !body(try batch.chunk(of: chunk, self, opened)) { return false }
        batch = EdgeBatch(limit, wantsRows: wantsRows, wantsSources: !chunk.columns.isEmpty)
        // What did not fit may fit now.
        continue
      }
      if next >= end { return true }
      if try !expandList(chunk, next, sources, nil, opened, &thinning, body) { return false }
      next += 1
    }
  }

  /// The edges of one row whose list is longer than a chunk.
  private func expandList(
    _ chunk: DataChunk, _ row: Int, _ sources: Buffer<UInt32>, _ edges: Range<Int>?,
    _ opened: Opened, _ thinning: inout EdgeThinning,
    _ body: (DataChunk) throws(SQLError) -> Bool
  ) throws(SQLError) -> Bool {
    let list = opened.adjacency.neighbours(of: sources[row])
    let own = chunk.slice(from: row, count: 1).columns.map { $0.flattened() }
    func hand(_ part: Stretch) throws(SQLError) -> Bool {
      let columns = own.map { $0.repeated(part.count) } + (try columns(part))
      return try body(DataChunk(columns, count: part.count))
    }
    let limit = Vector.chunkCapacity
    let wantsRows = !opened.edgeColumns.isEmpty || opened.missingReference != nil
    var batch = EdgeBatch(thinning.isEmpty ? 0 : limit, wantsRows: wantsRows, wantsSources: false)
    var start = 0
    for index in 0..<list.runCount {
      let run = list.run(index)
      defer { start += run.count }
      let wanted = (edges ?? 0..<Int.max).clamped(to: start..<(start + run.count))
      if wanted.isEmpty { continue }
      let range = (wanted.lowerBound - start)..<(wanted.upperBound - start)
      var neighbours = run.targets.slice(range)
      // Rows are read only where a column of the edge is wanted, or the neighbour hangs on it.
      let rows = wantsRows ? run.positions(at: .row).slice(range) : neighbours
      if let reference = opened.missingReference {
        neighbours = opened.edges.parents(of: rows, count: range.count, reference: reference)
      }
      let stretch = Stretch(positions: rows, neighbours: neighbours, count: range.count)
      if thinning.isEmpty && batch.count == 0 {
        if try !stretch.forEachPart(hand) { return false }
        continue
      }
      var done = 0
      while done < stretch.count {
        let end = min(stretch.count, done + limit - batch.count)
        batch.append(stretch.slice(done..<end))
        done = end
        if thinning.applies(to: batch) {
          thinning.thin(&batch, opened)
          try RunningStatement.check()
        }
        if batch.count <= limit / 2 { continue }
        if try !hand(batch.stretch(opened)) { return false }
        batch = EdgeBatch(limit, wantsRows: wantsRows, wantsSources: false)
      }
    }
    return batch.count == 0 ? true : try hand(batch.stretch(opened))
  }

  /// Cuts the edges of `count` sources into portions of about `size` edges, of which one list may be several, and of `rowMax` sources at
  /// most.
  ///
  /// - Complexity: O(sources).
  func portions(
    of sources: Buffer<UInt32>, count: Int, size: Int, splitsLists: Bool, rowMax: Int = .max
  ) throws(SQLError) -> (portions: [Portion], edgeCount: Int) {
    let adjacency = try current().adjacency
    var portions: [Portion] = []
    var first = 0
    var held = 0
    var total = 0
    func close(_ end: Int) {
      if end > first { portions.append(Portion(rows: first..<end)) }
      held = 0
      first = end
    }
    for row in 0..<count {
      let degree = sources[row] == TableStore.noRow ? 0 : adjacency.degree(of: sources[row])
      total += degree
      if degree > size && splitsLists {
        close(row)
        for start in stride(from: 0, to: degree, by: size) {
          portions.append(
            Portion(rows: row..<(row + 1), edges: start..<min(degree, start + size)))
        }
        first = row + 1
        continue
      }
      held += degree
      if held >= size || row + 1 - first >= rowMax { close(row + 1) }
    }
    close(count)
    return (portions, total)
  }
}

extension Vector {
  /// The one row of a flat vector, so many times.
  func repeated(_ count: Int) -> Vector {
    Vector(
      type: type, count: count, form: .constant, storage: storage, validity: validity,
      children: children, heaps: heaps)
  }
}
