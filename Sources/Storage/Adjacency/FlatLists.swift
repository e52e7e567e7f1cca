import Columnar
import Diagnostics

/// The lists of an index one behind another, without the targets that an order with their own source leaves out.
///
/// Made for a run that reads each list many times: an order within an edge is then settled once, and to read a list
/// takes no look at its page.
package final class FlatLists: Sendable {
  /// Where the list of each source begins; one entry more than there are sources.
  let starts: Buffer<UInt32>
  /// Lists that rise, and one entry more, so that there is something to be read for the last.
  let targets: Buffer<UInt32>

  /// Sources to a piece of work.
  private static let pieceCount = 4096

  /// - Precondition: the index has fewer than 2^32 edges, and no source from `sourceLimit` on.
  /// - Complexity: O(edges + sources), shared by the workers.
  /// - Throws: 57014, 53200.
  init(_ index: AdjacencyIndex, _ bound: CycleBound, sourceLimit: Int) throws(SQLError) {
    let starts = Buffer<UInt32>(zeroed: sourceLimit + 1)
    let pieces = (sourceLimit + Self.pieceCount - 1) / Self.pieceCount
    @Sendable func sources(_ piece: Int) -> Range<Int> {
      let first = piece * Self.pieceCount
      return first..<min(first + Self.pieceCount, sourceLimit)
    }
    // Each source has entries of its own.
    try parallelForThrowing(tasks: pieces) { piece in
      let lists = AdjacencyLists(index)
      for source in sources(piece) {
        var stretches = lists.stretches(of: UInt32(truncatingIfNeeded: source), within: bound)
        var count = 0
        while let stretch = stretches.pop() { count &+= stretch.places.count }
        starts[source &+ 1] = UInt32(truncatingIfNeeded: count)
      }
    }
    for source in 0..<sourceLimit { starts[source &+ 1] &+= starts[source] }
    let targets = Buffer<UInt32>(uninitialized: Int(starts[sourceLimit]) + 1)
    targets[Int(starts[sourceLimit])] = 0
    try parallelForThrowing(tasks: pieces) { piece in
      let lists = AdjacencyLists(index)
      for source in sources(piece) {
        var stretches = lists.stretches(of: UInt32(truncatingIfNeeded: source), within: bound)
        var next = Int(truncatingIfNeeded: starts[source])
        while let stretch = stretches.pop() {
          for place in stretch.places {
            targets[next] = stretch.targets[place]
            next &+= 1
          }
        }
      }
    }
    (self.starts, self.targets) = (starts, targets)
  }

  /// The bytes of the lists of an index.
  static func byteCount(_ index: AdjacencyIndex, sourceLimit: Int) -> Int {
    4 * (index.edgeCount + sourceLimit + 2)
  }

  @inline(__always)
  func places(of source: UInt32) -> Range<Int> {
    let source = Int(truncatingIfNeeded: source)
    return Int(truncatingIfNeeded: starts[source])..<Int(truncatingIfNeeded: starts[source &+ 1])
  }
}

extension AdjacencyLists {
  /// The targets of a source that are in an order with it.
  @inline(__always)
  fileprivate final func stretches(of source: UInt32, within bound: CycleBound) -> TargetStretches {
    var (lower, upper) = (UInt32(0), UInt32.max)
    bound.narrow(&lower, &upper, source)
    return stretches(of: source, from: lower, below: upper)
  }
}
