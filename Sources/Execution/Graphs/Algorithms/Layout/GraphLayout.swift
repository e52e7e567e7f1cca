import Columnar
import Diagnostics

/// A place in the plane for each vertex, such that neighbours are near each other and other vertices are not; from -1 to 1 both ways.
///
/// All vertices push each other away, neighbours pull each other, and a weak pull to the middle keeps parts together that no
/// edge does. Each of `iterations` rounds moves every vertex by what pushes and pulls it, less far from round to round. Vertices begin where
/// `seed` says. Direction, loops and repeated edges do not matter.
///
/// Sources: T. M. J. Fruchterman and E. M. Reingold, "Graph Drawing by Force-Directed Placement" (Software: Practice and Experience 21, 1991);
/// J. Barnes and P. Hut, "A Hierarchical O(N log N) Force-Calculation Algorithm" (Nature 324, 1986): far vertices push as one.
///
/// - Complexity: O(vertices log vertices + edges) a round; 200 bytes a vertex and 8 an edge.
struct GraphLayout: GraphAlgorithm {
  private let iterations: Int
  private let seed: Int

  init(_ arguments: GraphArgumentValues) throws(SQLError) {
    iterations = arguments.integer(0)
    seed = arguments.integer(1)
    try arguments.require(iterations >= 0, "iterations must not be negative")
  }

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    let count = graph.vertexCount
    let simple = try SimpleGraph(graph, work)
    // Vertices that are there, one behind another.
    let vertices = try work.buffer(UInt32(0), count: count)
    let places = try work.buffer(UInt32(0), count: count)
    var live = 0
    for vertex in 0..<count where graph.isVertex(UInt32(truncatingIfNeeded: vertex)) {
      vertices[live] = UInt32(truncatingIfNeeded: vertex)
      places[vertex] = UInt32(truncatingIfNeeded: live)
      live += 1
    }
    var points = try work.buffer(Point.zero, count: live)
    var next = try work.buffer(Point.zero, count: live)
    var random = GraphRandom(seed: seed)
    for place in 0..<live { points[place] = Point(random.unit() - 0.5, random.unit() - 0.5) }
    let field = try PointTree(count: live, work)
    for round in 0..<iterations {
      try work.check()
      try field.build(points, work)
      let (old, new) = (points, next)
      // So far a vertex may go, in distances between neighbours.
      let reach = 0.1 * (1 - Double(round) / Double(iterations))
      let distance = (1 / Double(max(live, 1))).squareRoot()
      try work.forEachBlock(live, size: 128) { range in
        for place in range {
          let own = old[place]
          var force = field.push(on: own, distance * distance)
          let vertex = vertices[place]
          for entry in simple.places(of: vertex) {
            let way = old[places[simple.neighbours[entry]]] - own
            force += way * (way.length / distance)
          }
          force -= own * Self.gravity
          let length = force.length
          new[place] = length > reach ? own + force * (reach / length) : own + force
        }
      }
      (points, next) = (new, old)
    }
    return try Self.result(points, live, vertices, work)
  }

  /// How strongly the middle pulls, for a distance of 1.
  private static let gravity = 0.3

  /// Places in a square from -1 to 1, which they fill one way.
  private static func result(
    _ points: Buffer<Point>, _ count: Int, _ vertices: Buffer<UInt32>, _ work: GraphWork
  ) throws(SQLError) -> GraphResult {
    let (least, greatest) = Point.bounds(points, count)
    let middle = (least + greatest) * 0.5
    let size = max(greatest.x - least.x, greatest.y - least.y) / 2
    let (xs, ys) = (try work.buffer(0.0, count: count), try work.buffer(0.0, count: count))
    for place in 0..<count {
      let point = size > 0 ? (points[place] - middle) * (1 / size) : .zero
      (xs[place], ys[place]) = (point.x, point.y)
    }
    return GraphResult(
      rows: .listed([vertices], count: count), columns: [.double(xs), .double(ys)])
  }
}

/// A point of the plane, or a way in it.
struct Point: BitwiseCopyable, Sendable {
  var x: Double
  var y: Double

  static let zero = Point(0, 0)

  init(_ x: Double, _ y: Double) { (self.x, self.y) = (x, y) }

  var length: Double { (x * x + y * y).squareRoot() }

  static func + (one: Point, other: Point) -> Point { Point(one.x + other.x, one.y + other.y) }
  static func - (one: Point, other: Point) -> Point { Point(one.x - other.x, one.y - other.y) }
  static func * (one: Point, factor: Double) -> Point { Point(one.x * factor, one.y * factor) }
  static func += (one: inout Point, other: Point) { one = one + other }
  static func -= (one: inout Point, other: Point) { one = one - other }

  /// The least and the greatest coordinates of some points; both 0 for none.
  static func bounds(_ points: Buffer<Point>, _ count: Int) -> (Point, Point) {
    guard count > 0 else { return (.zero, .zero) }
    var (least, greatest) = (points[0], points[0])
    for place in 1..<max(1, count) {
      let point = points[place]
      least = Point(min(least.x, point.x), min(least.y, point.y))
      greatest = Point(max(greatest.x, point.x), max(greatest.y, point.y))
    }
    return (least, greatest)
  }
}
