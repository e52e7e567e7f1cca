package import Columnar

extension AdjacencyIndex {
  /// Some edges of each of some sources, of as many of these as there is room for: `width` of them from the place `skipped`
  /// on, or as many as there are.
  ///
  /// `which` has indices into `sources`; `next` is the first of them that is looked at, and then the one to go on with.
  ///
  /// - Precondition: `width` is at most `limit`, which is the room.
  /// - Complexity: O(edges + sources), and for long lists the stretches passed over.
  package func expand(
    _ sources: Buffer<UInt32>, _ which: Buffer<UInt32>, from next: inout Int, to end: Int,
    edges skipped: Int, width: Int, limit: Int = Vector.chunkCapacity
  ) -> Expansion {
    let sourceRows = Buffer<UInt32>(uninitialized: limit)
    let targets = Buffer<UInt32>(uninitialized: limit)
    let rows = Buffer<UInt32>(uninitialized: limit)
    var filled = 0
    while next < end && filled &+ width <= limit {
      let row = which[next]
      next &+= 1
      let list = neighbours(of: sources[row])
      var (run, start, wanted) = (0, skipped, width)
      while run < list.runCount && wanted > 0 {
        let edges = list.run(run)
        run &+= 1
        if start >= edges.count {
          start &-= edges.count
          continue
        }
        let taken = min(edges.count &- start, wanted)
        sourceRows.fill(filled..<(filled &+ taken), with: row)
        targets.copy(edges.targets, from: start, count: taken, to: filled)
        edges.rows.copy(from: start, count: taken, to: rows, at: filled)
        filled &+= taken
        wanted &-= taken
        start = 0
      }
    }
    return Expansion(sourceRows: sourceRows, targets: targets, rows: rows, count: filled)
  }
}
