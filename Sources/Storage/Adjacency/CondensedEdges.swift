import Columnar

/// The edges among groups of rows that all reach each other, their strongly connected components.
///
/// - Invariant: a group has edges only to groups of lower numbers, and to each of them one.
struct CondensedEdges {
  let edges: ClosureEdges
  /// How many rows each group has.
  let weights: Buffer<UInt32>
  /// Whether the rows of a group reach themselves: those of several rows do, and of one with an edge to itself.
  private let isCircle: Buffer<UInt8>

  /// The bytes held at most, while they are made.
  static func byteCount(rowCount: Int, edgeCount: Int) -> Int {
    ClosureEdges.byteCount(rowCount: rowCount, edgeCount: edgeCount)
      + rowCount * (8 * MemoryLayout<UInt32>.size + MemoryLayout<UInt8>.size)
  }

  /// - Complexity: O(rows + edges).
  init(_ all: ClosureEdges) {
    let components = Components(all)
    let groupCount = components.count
    let starts = Buffer<UInt32>(uninitialized: groupCount + 1)
    let targets = Buffer<UInt32>(uninitialized: all.count + ClosureEdges.slack)
    weights = Buffer(uninitialized: groupCount)
    isCircle = Buffer(uninitialized: groupCount)
    // The last group, plus one, that has an edge to a group.
    let stamps = Buffer<UInt32>(zeroed: groupCount)
    var next = 0
    for group in 0..<groupCount {
      let members = components.members(of: group)
      let stamp = UInt32(truncatingIfNeeded: group &+ 1)
      starts[group] = UInt32(truncatingIfNeeded: next)
      var hasEdgeWithin = false
      for member in members {
        for edge in all.range(Int(truncatingIfNeeded: components.rows[member])) {
          let other = components.groups[all.targets[edge]]
          hasEdgeWithin = hasEdgeWithin || Int(truncatingIfNeeded: other) == group
          if stamps[other] == stamp || Int(truncatingIfNeeded: other) == group { continue }
          stamps[other] = stamp
          targets[next] = other
          next &+= 1
        }
      }
      weights[group] = UInt32(truncatingIfNeeded: members.count)
      isCircle[group] = hasEdgeWithin ? 1 : 0
    }
    starts[groupCount] = UInt32(truncatingIfNeeded: next)
    for edge in 0..<ClosureEdges.slack { targets[next &+ edge] = 0 }
    edges = ClosureEdges(starts: starts, targets: targets, rowCount: groupCount)
  }

  /// The pairs of a row and one that it reaches, where each group reaches `sizes` rows, its own included.
  func pairCount(_ sizes: Buffer<UInt32>) -> Int {
    var total = 0
    for group in 0..<edges.rowCount {
      let weight = Int(truncatingIfNeeded: weights[group])
      let size = Int(truncatingIfNeeded: sizes[group])
      total &+= weight &* (isCircle[group] == 1 ? size : size &- weight)
    }
    return total
  }
}

/// The strongly connected components of a graph, by Tarjan's method without recursion.
///
/// They are numbered in the order in which they are complete, so that edges lead from a component to those of lower
/// numbers only.
private struct Components {
  /// The component of each row.
  let groups: Buffer<UInt32>
  /// The rows, those of a component together.
  let rows: Buffer<UInt32>
  /// Where the rows of each component begin; one more than there are components.
  private let starts: Buffer<UInt32>
  private(set) var count = 0

  private static let open = UInt32.max

  init(_ edges: ClosureEdges) {
    let rowCount = edges.rowCount
    groups = Buffer(repeating: Self.open, count: rowCount)
    rows = Buffer(uninitialized: rowCount)
    starts = Buffer(uninitialized: rowCount + 1)
    // When a row was met, from 1, and the earliest that is known to be reached from it in its component.
    let (numbers, earliest) = (Buffer<UInt32>(zeroed: rowCount), Buffer<UInt32>(zeroed: rowCount))
    // The edge of each row that is to be followed next.
    let cursors = Buffer<UInt32>(uninitialized: rowCount)
    // The rows from the first to the one in hand.
    let path = Buffer<UInt32>(uninitialized: rowCount)
    var (depth, done, met) = (0, 0, 0)
    // Rows that were met wait for their component to be complete at the far end of the memory that complete ones fill
    // from its beginning.
    var top = rowCount
    for root in 0..<rowCount where numbers[root] == 0 {
      var entered = UInt32(truncatingIfNeeded: root)
      var isEntering = true
      while true {
        if isEntering {
          met &+= 1
          numbers[entered] = UInt32(truncatingIfNeeded: met)
          earliest[entered] = UInt32(truncatingIfNeeded: met)
          cursors[entered] = edges.starts[entered]
          path[depth] = entered
          depth &+= 1
          top &-= 1
          rows[top] = entered
          isEntering = false
        }
        let row = path[depth &- 1]
        let edge = cursors[row]
        if edge < edges.starts[Int(truncatingIfNeeded: row) &+ 1] {
          cursors[row] = edge &+ 1
          let target = edges.targets[edge]
          if numbers[target] == 0 {
            entered = target
            isEntering = true
          } else if groups[target] == Self.open {
            earliest[row] = min(earliest[row], numbers[target])
          }
          continue
        }
        depth &-= 1
        if earliest[row] == numbers[row] { complete(row, &top, &done) }
        if depth == 0 { break }
        let caller = path[depth &- 1]
        earliest[caller] = min(earliest[caller], earliest[row])
      }
    }
    starts[count] = UInt32(truncatingIfNeeded: done)
  }

  /// Makes a component of the rows that wait, down to the one that was met first.
  private mutating func complete(_ first: UInt32, _ top: inout Int, _ done: inout Int) {
    starts[count] = UInt32(truncatingIfNeeded: done)
    while true {
      let row = rows[top]
      top &+= 1
      groups[row] = UInt32(truncatingIfNeeded: count)
      rows[done] = row
      done &+= 1
      if row == first { break }
    }
    count &+= 1
  }

  /// Where the rows of a component stand among `rows`.
  func members(of group: Int) -> Range<Int> {
    Int(truncatingIfNeeded: starts[group])..<Int(truncatingIfNeeded: starts[group &+ 1])
  }
}
