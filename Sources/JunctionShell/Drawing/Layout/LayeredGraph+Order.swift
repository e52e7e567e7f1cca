/// The order of nodes within their slots, and their heights: few crossings, and straight lines.
extension LayeredGraph {
  /// The number of times that the order is made anew from the left and from the right.
  private static let sweepCount = 8
  /// More stretches than this between two slots are not counted for crossings pair by pair.
  private static let segmentCountMax = 600

  /// Orders the nodes of every slot by the barycentres of their neighbours, and keeps the best order found.
  ///
  /// - Complexity: O(*s*²) in the stretches between two slots, for each sweep.
  mutating func orderNodes() {
    for slot in slots.indices { slots[slot].sort { nodes[$0].band < nodes[$1].band } }
    stack()
    var best = slots
    var bestCount = crossingCount
    for sweep in 0..<Self.sweepCount where bestCount > 0 || sweep < 2 {
      let goesRight = sweep.isMultiple(of: 2)
      let indices = goesRight ? Array(slots.indices) : slots.indices.reversed()
      for slot in indices { orderByBarycentre(slot, lookingLeft: goesRight) }
      let count = crossingCount
      if count < bestCount {
        best = slots
        bestCount = count
      }
    }
    slots = best
    stack()
  }

  /// The space between neighbours in a slot.
  private func gap(_ upper: Int, _ lower: Int) -> Int {
    nodes[upper].isBend || nodes[lower].isBend ? 0 : nodes[upper].band == nodes[lower].band ? 1 : 2
  }

  /// Puts the nodes of each slot right below each other.
  private mutating func stack() {
    for slot in slots.indices { stack(slot) }
  }

  private mutating func stack(_ slot: Int) {
    var y = 0
    var last: Int?
    for node in slots[slot] {
      if let last { y += gap(last, node) }
      setY(y, of: node)
      y += nodes[node].height
      last = node
    }
  }

  /// For each node the heights where its lines come from, less where they meet it.
  private func pulls(_ slot: Int, left: Bool, right: Bool) -> [Int: [Int]] {
    var pulls: [Int: [Int]] = [:]
    for segment in segments {
      if left, nodes[segment.right.node].slot == slot {
        let offset = level(segment.right) - nodes[segment.right.node].y
        pulls[segment.right.node, default: []].append(level(segment.left) - offset)
      }
      if right, nodes[segment.left.node].slot == slot {
        let offset = level(segment.left) - nodes[segment.left.node].y
        pulls[segment.left.node, default: []].append(level(segment.right) - offset)
      }
    }
    return pulls
  }

  private mutating func orderByBarycentre(_ slot: Int, lookingLeft: Bool) {
    let pulls = pulls(slot, left: lookingLeft, right: !lookingLeft)
    // A node without a neighbour on that side stays where it is.
    func centre(_ node: Int) -> Double {
      guard let list = pulls[node] else { return Double(nodes[node].y) }
      return Double(list.reduce(0, +)) / Double(list.count)
    }
    let keyed = slots[slot].enumerated().map { (nodes[$1].band, centre($1), $0, $1) }
    slots[slot] = keyed.sorted { ($0.0, $0.1, $0.2) < ($1.0, $1.1, $1.2) }.map(\.3)
    stack(slot)
  }

  /// How often stretches between the same slots cross.
  private var crossingCount: Int {
    var count = 0
    let groups = Dictionary(grouping: segments) { nodes[$0.left.node].slot }
    for group in groups.values where group.count <= Self.segmentCountMax {
      let ends = group.map { (net: $0.net, left: level($0.left), right: level($0.right)) }
      for (index, one) in ends.enumerated() {
        for other in ends[(index + 1)...] where one.net != other.net {
          if (one.left - other.left) * (one.right - other.right) < 0 { count += 1 }
        }
      }
    }
    return count
  }

  // Heights.

  /// Moves nodes up and down so that lines become straight, without changing the order.
  mutating func alignNodes() {
    for _ in 0..<3 {
      for slot in slots.indices { align(slot, left: true, right: false) }
      for slot in slots.indices.reversed() { align(slot, left: false, right: true) }
      for slot in slots.indices { align(slot, left: true, right: true) }
    }
    let top = nodes.map(\.y).min() ?? 0
    for node in nodes.indices { setY(nodes[node].y - top, of: node) }
  }

  /// Gives the nodes of a slot the heights nearest to those they are pulled to, in the sense of least squares.
  ///
  /// With the space taken by those above subtracted, heights must only not fall; neighbours that would are pooled
  /// at their mean until none does.
  private mutating func align(_ slot: Int, left: Bool, right: Bool) {
    let pulls = pulls(slot, left: left, right: right)
    var pools: [(sum: Double, weight: Double, nodes: [(node: Int, offset: Int)])] = []
    var offset = 0
    var last: Int?
    for node in slots[slot] {
      if let last { offset += nodes[last].height + gap(last, node) }
      last = node
      let list = pulls[node] ?? []
      let weight = list.isEmpty ? 0.05 : Double(list.count)
      let wanted =
        list.isEmpty ? Double(nodes[node].y) : Double(list.reduce(0, +)) / Double(list.count)
      pools.append((weight * (wanted - Double(offset)), weight, [(node, offset)]))
      while pools.count > 1 {
        let (upper, lower) = (pools[pools.count - 2], pools[pools.count - 1])
        guard upper.sum / upper.weight > lower.sum / lower.weight else { break }
        pools.removeLast()
        pools[pools.count - 1] = (
          upper.sum + lower.sum, upper.weight + lower.weight, upper.nodes + lower.nodes
        )
      }
    }
    for pool in pools {
      let base = Int((pool.sum / pool.weight).rounded())
      for (node, offset) in pool.nodes { setY(base + offset, of: node) }
    }
  }

  // Terminals.

  /// Gives every terminal a row of its box that no other one on the same side has.
  ///
  /// Foreign keys come first, as their columns say where they belong; those that are about a table as a whole take
  /// what is left, in the order of what they lead to.
  mutating func assignRows() {
    var taken: [Int: [Side: Set<Int>]] = [:]
    let heights = partnerHeights
    let order = terminals.indices.sorted { left, right in
      let (one, other) = (terminals[left], terminals[right])
      let (rank, otherRank) = (Self.rank(one), Self.rank(other))
      return (rank, heights[left], left) < (otherRank, heights[right], right)
    }
    for index in order {
      let terminal = terminals[index]
      guard let shape = shape(of: terminal.node) else {
        terminals[index].row = 0
        continue
      }
      let wanted = terminal.columns.map(shape.row(ofColumn:))
      let free = shape.portRows.filter {
        !(taken[terminal.node]?[terminal.side]?.contains($0) ?? false)
      }
      // Without a column the line should be straight, and near the title where it cannot.
      let straight = heights[index] - nodes[terminal.node].y
      func price(_ row: Int) -> Int {
        wanted.first.map { abs(row - $0) }
          ?? 3 * abs(row - straight) + abs(row - BoxShape.titleRow)
      }
      let row =
        wanted.first { free.contains($0) }
        ?? free.min { (price($0), $0) < (price($1), $1) } ?? BoxShape.titleRow
      terminals[index].row = row
      taken[terminal.node, default: [:]][terminal.side, default: []].insert(row)
    }
  }

  private static func rank(_ terminal: Terminal) -> Int {
    terminal.columns.isEmpty ? 2 : terminal.multiplicity == .zeroOrMany ? 0 : 1
  }

  /// For each terminal the mean height of what its lines lead to in the next slot.
  private var partnerHeights: [Int] {
    var sums = Array(repeating: (sum: 0, count: 0), count: terminals.count)
    for segment in segments {
      for (one, other) in [(segment.left, segment.right), (segment.right, segment.left)] {
        guard let terminal = one.terminal else { continue }
        sums[terminal].sum += level(other)
        sums[terminal].count += 1
      }
    }
    return sums.enumerated().map { index, entry in
      entry.count == 0 ? level(ofTerminal: index) : entry.sum / entry.count
    }
  }
}
