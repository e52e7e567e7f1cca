/// The order of nodes within their slots, and their heights: few crossings, and straight lines.
extension LayeredGraph {
  /// The number of times that the order is made anew from the left and from the right.
  private static let sweepCount = 8

  /// Orders the nodes of every slot by the barycentres of their neighbours, and keeps the best order found.
  ///
  /// - Complexity: O(*s* log *s*) in the stretches between slots, for each sweep.
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
    func add(_ own: Anchor, _ other: Anchor) {
      let offset = level(own) - nodes[own.node].y
      pulls[own.node, default: []].append(level(other) - offset)
    }
    if left {
      for index in arrivingSegments[slot] { add(segments[index].right, segments[index].left) }
    }
    if right {
      for index in leavingSegments[slot] { add(segments[index].left, segments[index].right) }
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

  /// How often stretches between the same slots cross: the pairs whose order is another on the right.
  ///
  /// - Complexity: O(*s* log *s*) in the stretches.
  private var crossingCount: Int {
    leavingSegments.reduce(0) { count, group in
      let ends = group.map { (left: level(segments[$0].left), right: level(segments[$0].right)) }
      let rights = ends.sorted { ($0.left, $0.right) < ($1.left, $1.right) }.map(\.right)
      return count + Self.inversions(rights).count
    }
  }

  /// The pairs of numbers of which the greater stands first, and the numbers in order.
  private static func inversions(_ numbers: [Int]) -> (count: Int, sorted: [Int]) {
    guard numbers.count > 1 else { return (0, numbers) }
    let lower = inversions(Array(numbers[..<(numbers.count / 2)]))
    let upper = inversions(Array(numbers[(numbers.count / 2)...]))
    var count = lower.count + upper.count
    var (left, right) = (0, 0)
    var merged: [Int] = []
    while left < lower.sorted.count || right < upper.sorted.count {
      let takesLeft =
        right == upper.sorted.count
        || (left < lower.sorted.count && lower.sorted[left] <= upper.sorted[right])
      if takesLeft {
        merged.append(lower.sorted[left])
        left += 1
      } else {
        merged.append(upper.sorted[right])
        right += 1
        count += lower.sorted.count - left
      }
    }
    return (count, merged)
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
    let wishes = wishes(slot, left: left, right: right)
    var pools: [(sum: Double, weight: Double, nodes: [(node: Int, offset: Int)])] = []
    for (node, offset, wanted, weight) in wishes {
      pools.append((weight * wanted, weight, [(node, offset)]))
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

  /// For each node of a slot the space taken by those above it, and the height that it wants less that space.
  ///
  /// A wish has a weight; a node that nothing pulls keeps to its neighbour.
  private func wishes(
    _ slot: Int, left: Bool, right: Bool
  ) -> [(node: Int, offset: Int, wanted: Double, weight: Double)] {
    let pulls = pulls(slot, left: left, right: right)
    var offset = 0
    var last: Int?
    var wishes: [(node: Int, offset: Int, wanted: Double?, weight: Double)] = []
    for node in slots[slot] {
      if let last { offset += nodes[last].height + gap(last, node) }
      last = node
      let list = pulls[node] ?? []
      let mean = list.isEmpty ? nil : Double(list.reduce(0, +)) / Double(list.count)
      wishes.append(
        (node, offset, mean.map { $0 - Double(offset) }, list.isEmpty ? 0.05 : Double(list.count)))
    }
    let first = wishes.lazy.compactMap(\.wanted).first ?? 0
    var previous = first
    return wishes.map { wish in
      previous = wish.wanted ?? previous
      return (wish.node, wish.offset, previous, wish.weight)
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
