/// The layer of each box of one component: parents stand before their children, and the two ends of a
/// many-to-many relationship never in the same layer.
///
/// A cycle of foreign keys is cut where a search in depth closes it.
struct LayerAssignment {
  /// The layer of each box, by its place in the component.
  private(set) var layers: [Int]
  private let count: Int
  private var children: [[Int]]
  private var parents: [[Int]]
  private var partners: [[Int]]

  /// - Complexity: O(*b*² + *e*) for *b* boxes and *e* edges.
  init(boxCount: Int, references: [(parent: Int, child: Int)], links: [(Int, Int)]) {
    count = boxCount
    layers = Array(repeating: 0, count: boxCount)
    children = Array(repeating: [], count: boxCount)
    parents = children
    partners = children
    for (parent, child) in references where parent != child { children[parent].append(child) }
    for (left, right) in links where left != right {
      partners[left].append(right)
      partners[right].append(left)
    }
    cutCycles()
    for parent in 0..<count { for child in children[parent] { parents[child].append(parent) } }
    assign()
    pullParents()
    let least = layers.min() ?? 0
    layers = layers.map { $0 - least }
    closeGaps()
  }

  /// Takes away the references that lead back to where a search in depth comes from.
  private mutating func cutCycles() {
    enum State { case unseen, open, done }
    var states = Array(repeating: State.unseen, count: count)
    // Tables that refer to nothing come first, so that a cycle hanging from them is entered from there.
    var isChild = Array(repeating: false, count: count)
    for list in children { for child in list { isChild[child] = true } }
    let starts = (0..<count).filter { !isChild[$0] } + (0..<count).filter { isChild[$0] }
    for start in starts where states[start] == .unseen {
      // Each entry: a box and the children that are left to look at.
      var stack: [(box: Int, next: Int)] = [(start, 0)]
      states[start] = .open
      while let (box, next) = stack.last {
        guard next < children[box].count else {
          states[box] = .done
          stack.removeLast()
          continue
        }
        let child = children[box][next]
        if states[child] == .open {
          children[box].remove(at: next)
          continue
        }
        stack[stack.count - 1].next += 1
        if states[child] == .unseen {
          states[child] = .open
          stack.append((child, 0))
        }
      }
    }
  }

  /// Gives each box the first layer behind its parents that none of its partners has.
  private mutating func assign() {
    var waiting = parents.map(\.count)
    var isPlaced = Array(repeating: false, count: count)
    for _ in 0..<count {
      // Of the boxes that may be placed, the one with most relationships sets the layers of the others.
      let ready = (0..<count).filter { !isPlaced[$0] && waiting[$0] == 0 }
      guard
        let box = ready.max(by: { (degree($0), -$0) < (degree($1), -$1) })
      else { return }
      var layer = (parents[box].map { layers[$0] }.max() ?? -1) + 1
      let taken = Set(partners[box].filter { isPlaced[$0] }.map { layers[$0] })
      while taken.contains(layer) { layer += 1 }
      layers[box] = layer
      isPlaced[box] = true
      for child in children[box] { waiting[child] -= 1 }
    }
  }

  private func degree(_ box: Int) -> Int { children[box].count + partners[box].count * 2 }

  /// Moves boxes without parents next to their nearest child, which makes edges shorter.
  private mutating func pullParents() {
    for box in 0..<count where parents[box].isEmpty && !children[box].isEmpty {
      let nearest = children[box].map { layers[$0] }.min() ?? 0
      let taken = Set(partners[box].map { layers[$0] })
      if nearest - 1 > layers[box], !taken.contains(nearest - 1),
        partners[box].allSatisfy({ abs(layers[$0] - nearest + 1) <= abs(layers[$0] - layers[box]) })
      {
        layers[box] = nearest - 1
      }
    }
  }

  /// Numbers the layers without leaving one out.
  private mutating func closeGaps() {
    let used = Set(layers).sorted()
    let places = Dictionary(uniqueKeysWithValues: used.enumerated().map { ($1, $0) })
    layers = layers.map { places[$0] ?? 0 }
  }
}

/// Where layers stand when there are more of them than columns: they go on in the row of layers below, in the
/// opposite direction, so that neighbouring layers stay neighbours.
struct LayerFold {
  let columnCount: Int

  /// The column of a layer, from the left.
  func column(of layer: Int) -> Int {
    let place = layer % columnCount
    return band(of: layer).isMultiple(of: 2) ? place : columnCount - 1 - place
  }

  /// The row of layers that a layer stands in, from the top.
  func band(of layer: Int) -> Int { layer / columnCount }
}
