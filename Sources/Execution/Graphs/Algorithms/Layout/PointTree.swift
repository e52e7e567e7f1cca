import Columnar
import Diagnostics

/// Points in squares within squares, so that far ones can be taken together.
///
/// Points are sorted along a curve on which the points of each square stand together. A square is a node; nodes stand in the order in which
/// a walk through all squares comes to them, and each knows the one behind all squares within.
final class PointTree: Sendable {
  private struct Node: BitwiseCopyable {
    var middle: Point
    /// How many points there are.
    var mass: Double
    /// The side of the square.
    var size: Double
    /// The node behind those within.
    var next: UInt32
    /// The points, where no node stands for some of them; none otherwise.
    var first: UInt32
    var end: UInt32
  }

  /// So many points are not split any further.
  private static let leafSize = 8
  /// Squares are split so often, as each level has two bits of a key.
  private static let depth = 20
  /// A square is far if its side is shorter than this share of its distance.
  private static let nearness = 0.9

  private let count: Int
  private let sorted: Buffer<Point>
  private let keys: Buffer<UInt64>
  private let nodes: Buffer<Node>

  init(count: Int, _ work: GraphWork) throws(SQLError) {
    self.count = count
    sorted = try work.buffer(.zero, count: count)
    keys = try work.buffer(0, count: count)
    // Squares of one child are not kept, so that there are fewer nodes than points.
    nodes = try work.buffer(
      Node(middle: .zero, mass: 0, size: 0, next: 0, first: 0, end: 0), count: 2 * count + 1)
  }

  /// Takes the points of a round.
  func build(_ points: Buffer<Point>, _ work: GraphWork) throws(SQLError) {
    if count == 0 { return }
    let (least, greatest) = Point.bounds(points, count)
    let side = max(greatest.x - least.x, greatest.y - least.y, 1e-9)
    let scale = Double(1 << Self.depth - 1) / side
    var order: [(key: UInt64, place: UInt32)] = []
    order.reserveCapacity(count)
    for place in 0..<count {
      let point = points[place] - least
      let key =
        Self.spread(UInt64(point.x * scale)) | Self.spread(UInt64(point.y * scale)) << 1
      order.append((key, UInt32(truncatingIfNeeded: place)))
    }
    try work.check()
    order.sort { ($0.key, $0.place) < ($1.key, $1.place) }
    for (index, entry) in order.enumerated() {
      keys[index] = entry.key
      sorted[index] = points[entry.place]
    }
    var next = 0
    add(0..<count, depth: Self.depth, side: side, &next)
  }

  /// The bits of a number in every other place.
  private static func spread(_ number: UInt64) -> UInt64 {
    var bits = number
    bits = (bits | bits << 16) & 0x0000_FFFF_0000_FFFF
    bits = (bits | bits << 8) & 0x00FF_00FF_00FF_00FF
    bits = (bits | bits << 4) & 0x0F0F_0F0F_0F0F_0F0F
    bits = (bits | bits << 2) & 0x3333_3333_3333_3333
    bits = (bits | bits << 1) & 0x5555_5555_5555_5555
    return bits
  }

  /// Adds the node of some points, and those within.
  private func add(_ range: Range<Int>, depth: Int, side: Double, _ next: inout Int) {
    var (depth, side) = (depth, side)
    // The smallest square that all are in: where their keys differ first.
    let differing = keys[range.lowerBound] ^ keys[range.upperBound - 1]
    let own = differing == 0 ? 0 : (64 - differing.leadingZeroBitCount + 1) / 2
    while depth > own {
      depth -= 1
      side /= 2
    }
    let node = next
    next += 1
    var sum = Point.zero
    for place in range { sum += sorted[place] }
    let isLeaf = range.count <= Self.leafSize || depth == 0
    if !isLeaf {
      var start = range.lowerBound
      while start < range.upperBound {
        let part = keys[start] >> UInt64(2 * (depth - 1))
        var end = start + 1
        while end < range.upperBound, keys[end] >> UInt64(2 * (depth - 1)) == part { end += 1 }
        add(start..<end, depth: depth - 1, side: side / 2, &next)
        start = end
      }
    }
    nodes[node] = Node(
      middle: sum * (1 / Double(range.count)), mass: Double(range.count), size: side,
      next: UInt32(truncatingIfNeeded: next),
      first: isLeaf ? UInt32(truncatingIfNeeded: range.lowerBound) : 0,
      end: isLeaf ? UInt32(truncatingIfNeeded: range.upperBound) : 0)
  }

  /// The push of all points on one of them; `strength` is that of a point in a distance of 1.
  func push(on point: Point, _ strength: Double) -> Point {
    var force = Point.zero
    var place = 0
    let end = Int(nodes[0].next)
    while place < end {
      let node = nodes[place]
      let way = point - node.middle
      let square = way.x * way.x + way.y * way.y
      if node.size * node.size < Self.nearness * Self.nearness * square {
        force += way * (node.mass / square)
        place = Int(node.next)
        continue
      }
      for index in Int(node.first)..<Int(node.end) {
        let way = point - sorted[index]
        let square = way.x * way.x + way.y * way.y
        // Points in one place, or nearer than numbers tell apart, do not push each other; the pulls of their neighbours differ.
        if square > 1e-60 { force += way * (1 / square) }
      }
      place += 1
    }
    return force * strength
  }
}
