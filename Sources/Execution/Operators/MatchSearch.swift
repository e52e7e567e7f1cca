import Columnar
import Diagnostics
import Storage

/// Finds out which rows of a chunk have an edge that meets conditions, looking at no more edges than it takes.
///
/// In each round some edges of every row that has none so far are looked at, and four times as many as in the round before: a
/// row whose first edge will do costs sixteen, and one that has none costs its list.
struct MatchSearch {
  private let chunk: DataChunk
  private let counts: Buffer<UInt32>
  private let filters: ConjunctiveFilter
  private let access: AdjacencyAccess

  /// The number of edges of a row that are looked at first.
  static let firstWidth = 16

  /// nil where lists are so short that the first round would be the last.
  ///
  /// `counts` has the number of edges of each row; `filters` are conditions over the chunk's columns and the edges'.
  init?(
    _ chunk: DataChunk, _ counts: Buffer<UInt32>, _ filters: ConjunctiveFilter,
    _ access: AdjacencyAccess
  ) {
    var total = 0
    for row in 0..<chunk.count { total &+= Int(truncatingIfNeeded: counts[row]) }
    guard total > 2 * Self.firstWidth * chunk.count else { return nil }
    self.chunk = chunk
    self.counts = counts
    self.filters = filters
    self.access = access
  }

  /// 1 for each row that has such an edge.
  func run(_ keys: [Vector], _ context: ExecutionContext) throws(SQLError) -> Buffer<UInt8> {
    let matched = Buffer<UInt8>(zeroed: max(chunk.count, 1))
    let sources = try access.sources(keys, count: chunk.count)
    let waiting = Buffer<UInt32>(uninitialized: max(chunk.count, 1))
    var count = 0
    for row in 0..<chunk.count where counts[row] > 0 {
      waiting[count] = UInt32(truncatingIfNeeded: row)
      count += 1
    }
    var (skipped, width) = (0, Self.firstWidth)
    while count > 0 {
      var next = 0
      while next < count {
        try context.check()
        let found = try access.matches(
          of: sources, waiting, from: &next, to: count, edges: skipped, width: width)
        let own = Vector.gathered(chunk.columns, found.rows, count: found.count)
        var pairs = DataChunk(own + (try access.columns(found)), count: found.count)
        let kept = try filters.select(&pairs, context) ?? .all(found.count)
        for index in 0..<kept.count { matched[found.rows[kept.positions[index]]] = 1 }
      }
      skipped += width
      width = min(4 * width, Vector.chunkCapacity)
      var left = 0
      for index in 0..<count {
        let row = waiting[index]
        waiting[left] = row
        left &+= bit(matched[row] == 0 && Int(truncatingIfNeeded: counts[row]) > skipped)
      }
      count = left
    }
    return matched
  }
}
