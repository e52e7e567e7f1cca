import Columnar

extension AdjacencyIndex {
  /// Adds all memory that the index holds, slack included.
  ///
  /// - Complexity: O(sources + runs of long lists).
  func count(in census: inout MemoryCensus) {
    packMemory?.count(in: &census)
    pages.count(in: &census) { page, census in page.count(in: &census) }
  }
}

extension TableStore {
  /// How many edges the adjacency indexes of the table have, all directions together, and the bytes that they hold.
  ///
  /// - Complexity: O(parents' rows + runs of long lists).
  package var adjacencySize: (edgeCount: Int, byteCount: Int) {
    var census = MemoryCensus()
    var edgeCount = 0
    for adjacency in adjacencies {
      adjacency.count(in: &census)
      edgeCount += adjacency.edgeCount
    }
    return (edgeCount, census.byteCount)
  }
}
