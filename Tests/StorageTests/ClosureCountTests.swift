import Columnar
import Testing

@testable import Storage

@Suite("The counts of what all rows reach")
struct ClosureCountTests {
  /// What edges lead from and to, before the rows are put into an order.
  enum Shape: CaseIterable {
    /// No edges at all.
    case empty
    /// Each row but the first has an edge to the one before.
    case chain
    /// Each row but the first has an edge to some earlier one.
    case forest
    /// Few edges, so that what rows reach is mostly apart.
    case sparse
    /// Many edges, so that it hardly ever is.
    case dense
    /// Rows in pairs, each of them with edges to both of the pair before.
    case ladder
    /// One row with edges to most others, in a list that stands apart.
    case fan
    /// More ends than a signature has bits, of which every row reaches several.
    case ends
    /// Edges in all directions, with many small circles and a large one.
    case circles

    func edges(_ rowCount: Int, _ generator: inout SeededGenerator) -> [(Int, Int)] {
      var edges: [(Int, Int)] = []
      for row in 1..<rowCount {
        switch self {
        case .empty: break
        case .chain: edges.append((row, row - 1))
        case .forest: edges.append((row, generator.below(row)))
        case .sparse, .dense:
          for _ in 0..<generator.below(self == .sparse ? 3 : 9) {
            edges.append((row, generator.below(row)))
          }
        case .ladder where row > 1:
          let pair = row / 2 * 2 - 2
          edges += [(row, pair), (row, pair + 1)]
        case .ladder: break
        case .fan:
          edges.append((rowCount - 1, row - 1))
          if row < rowCount / 2 { edges.append((row, generator.below(row))) }
        case .ends where row >= rowCount / 2:
          for _ in 0..<3 { edges.append((row, generator.below(rowCount / 2))) }
          if row > rowCount / 2 { edges.append((row, row - 1)) }
        case .ends: break
        case .circles:
          for _ in 0..<generator.below(3) { edges.append((row, generator.below(rowCount))) }
        }
      }
      return edges
    }
  }

  /// The order in which rows of a shape stand in the table.
  enum Order: CaseIterable { case rising, falling, mixed }

  private static func index(_ edges: [(Int, Int)]) -> AdjacencyIndex {
    var index = AdjacencyIndex(hasEdgeRows: true)
    let epoch = Epoch.next()
    for (row, edge) in edges.enumerated() {
      index.insert(UInt32(edge.0), UInt32(edge.1), row: UInt32(row), epoch: epoch)
    }
    return index
  }

  private static func pairCount(_ edges: [(Int, Int)], _ rowCount: Int) -> Int {
    var targets = [[Int]](repeating: [], count: rowCount)
    for (source, target) in edges { targets[source].append(target) }
    // Where a row was last reached from, which spares sets: they take most of the time of this suite.
    var origin = [Int](repeating: -1, count: rowCount)
    var count = 0
    for start in 0..<rowCount {
      var waiting = [start]
      while let row = waiting.popLast() {
        for target in targets[row] where origin[target] != start {
          origin[target] = start
          waiting.append(target)
          count += 1
        }
      }
    }
    return count
  }

  @Test("take a walk and not more for a row with many neighbours that reach the same")
  func manyNeighbours() throws {
    let rowCount = 40_000
    var edges = (1..<rowCount - 1).map { ($0, $0 - 1) }
    edges += (0..<rowCount - 1).map { (rowCount - 1, $0) }
    let counts = ClosureCounts(Self.index(edges), rowCount: rowCount, limit: 1 << 18)
    #expect(counts?.total == rowCount * (rowCount - 1) / 2)
  }

  @Test("are those of a naive walk", arguments: Shape.allCases, Order.allCases)
  func naive(_ shape: Shape, _ order: Order) {
    for (seed, rowCount) in [3, 64, 65, 200, 700, shape == .fan ? 1500 : 300].enumerated() {
      var generator = SeededGenerator(seed: UInt64(seed))
      var places = Array(0..<rowCount)
      if order == .falling { places.reverse() }
      if order == .mixed { places.shuffle(using: &generator) }
      var edges = shape.edges(rowCount, &generator).map { (places[$0.0], places[$0.1]) }
      // An edge beside another changes nothing.
      if seed % 2 == 1 { edges += edges.prefix(20) }
      let index = Self.index(edges)
      let wanted = Self.pairCount(edges, rowCount)
      let counts = ClosureCounts(index, rowCount: rowCount, limit: 1 << 40)
      #expect(counts?.total == wanted, "\(rowCount) rows")
      // One more edge makes a circle: of two rows, of a row by itself, and of those between two.
      guard let edge = edges.randomElement(using: &generator) else { continue }
      for circle in [(edge.1, edge.0), (edge.0, edge.0), (edges[0].1, edge.0)] {
        let circular = edges + [circle]
        let counts = ClosureCounts(Self.index(circular), rowCount: rowCount, limit: 1 << 40)
        #expect(counts?.total == Self.pairCount(circular, rowCount), "\(rowCount) rows, \(circle)")
      }
    }
  }

  @Test("are given up where too many rows would be walked to", arguments: Order.allCases)
  func limit(_ order: Order) {
    var generator = SeededGenerator(seed: 1)
    let rowCount = 500
    let place = { (row: Int) in
      switch order {
      case .rising: row
      case .falling: rowCount - 1 - row
      case .mixed: row * 7 % rowCount
      }
    }
    for (shape, isWalked) in [(Shape.chain, false), (.forest, false), (.ladder, true)] {
      var edges = shape.edges(rowCount, &generator).map { (place($0.0), place($0.1)) }
      if shape == .forest { edges.append((place(0), place(rowCount - 1))) }
      let counts = ClosureCounts(Self.index(edges), rowCount: rowCount, limit: 1000)
      #expect((counts == nil) == isWalked, "\(shape)")
    }
  }

  @Test("are those of the rows that were left after changes", arguments: 0..<4)
  func changes(_ seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    let rowCount = 300
    var edges = Shape.sparse.edges(rowCount, &generator)
    var index = Self.index(edges)
    for round in 0..<5 {
      let epoch = Epoch.next()
      for change in 0..<30 {
        let source = 1 + generator.below(rowCount - 1)
        let edge = (source, generator.below(source))
        let row = UInt32(10_000 + round * 100 + change)
        index.insert(UInt32(edge.0), UInt32(edge.1), row: row, epoch: epoch)
        edges.append(edge)
      }
      let counts = ClosureCounts(index, rowCount: rowCount, limit: 1 << 40)
      #expect(counts?.total == Self.pairCount(edges, rowCount))
      // Rows behind the last one with edges have none.
      let more = ClosureCounts(index, rowCount: rowCount + 500, limit: 1 << 40)
      #expect(more?.total == counts?.total)
    }
  }
}
