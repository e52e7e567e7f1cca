/// A cell of a drawing, from the left and from the top.
struct Cell: Hashable, Sendable {
  var x: Int
  var y: Int
}

/// The four ways out of a cell, in the order of their bits in `EdgeRouter.links`.
enum Heading: Int, CaseIterable {
  case right, down, left, up

  var isHorizontal: Bool { rawValue.isMultiple(of: 2) }
  var opposite: Heading { Heading(rawValue: (rawValue + 2) % 4) ?? self }
  var bit: UInt8 { 1 << UInt8(rawValue) }
  /// The headings left and right of this one.
  var turns: [Heading] {
    isHorizontal ? [.down, .up] : [.right, .left]
  }
}

/// Finds ways for lines over a grid of cells around what stands there.
///
/// Lines of one net may join; lines of different nets may cross at right angles, but neither run along the same
/// cells nor bend where they meet. Each way is the cheapest there is (A*), where length, bends and crossings
/// have a price.
///
/// - Invariant: a cell that two nets share is passed straight on by both.
struct EdgeRouter {
  let width: Int
  let height: Int
  private var isBlocked: [Bool]
  /// Whether a line would touch the upper or lower border of something.
  private var isNear: [Bool]
  /// The net that a cell is kept for: others may only cross it up or down.
  private var reserved: [Int32]
  /// The net that passes a cell horizontally and vertically, counted from 1; 0 for none.
  private var horizontal: [Int32]
  private var vertical: [Int32]
  /// The ways out that lines take, a bit each.
  private(set) var links: [UInt8]
  /// The heading towards the source of the net that passes horizontally and vertically.
  private var horizontalNext: [UInt8]
  private var verticalNext: [UInt8]
  private var sources: [Int32: Int] = [:]
  /// What is left of the steps that all searches may take together.
  private(set) var budget: Int

  // The state of one search; entries of earlier ones are told by their stamp.
  private var stamps: [Int32]
  private var stamp: Int32 = 0
  private var costs: [Int32]
  private var origins: [Int32]

  private static let stepCost = 2
  private static let bendCost = 9
  private static let crossingCost = 12
  private static let nearCost = 1
  /// How far from its ends a way is sought, in cells: most stay near, and a search that has to ends sooner.
  private static let margins = [8, 40, Int(Int32.max)]

  init(width: Int, height: Int, budget: Int) {
    self.width = width
    self.height = height
    self.budget = budget
    let count = width * height
    isBlocked = Array(repeating: false, count: count)
    isNear = isBlocked
    horizontal = Array(repeating: 0, count: count)
    vertical = horizontal
    reserved = horizontal
    links = Array(repeating: 0, count: count)
    horizontalNext = links
    verticalNext = links
    stamps = Array(repeating: 0, count: count * 4)
    costs = stamps
    origins = stamps
  }

  private func index(_ cell: Cell) -> Int { cell.y * width + cell.x }
  private func cell(_ index: Int) -> Cell { Cell(x: index % width, y: index / width) }
  private func contains(_ cell: Cell) -> Bool {
    cell.x >= 0 && cell.y >= 0 && cell.x < width && cell.y < height
  }

  /// Keeps lines out of a rectangle.
  mutating func block(x: Int, y: Int, width: Int, height: Int) {
    for row in y - 1...y + height {
      for column in x..<x + width where contains(Cell(x: column, y: row)) {
        let place = index(Cell(x: column, y: row))
        if row == y - 1 || row == y + height {
          isNear[place] = true
        } else {
          isBlocked[place] = true
        }
      }
    }
  }

  /// Keeps a cell for the net that will begin or end there.
  mutating func reserve(_ cell: Cell, for net: Int) {
    if contains(cell) { reserved[index(cell)] = Int32(net + 1) }
  }

  /// Begins a net at a cell that its lines leave with a heading; false if the cell is taken.
  mutating func begin(net: Int, at cell: Cell, heading: Heading) -> Bool {
    guard contains(cell) else { return false }
    let place = index(cell)
    guard !isBlocked[place], horizontal[place] == 0 else { return false }
    let number = Int32(net + 1)
    horizontal[place] = number
    horizontalNext[place] = UInt8(heading.opposite.rawValue)
    links[place] |= heading.opposite.bit
    sources[number] = place
    return true
  }

  /// Leads a line from a cell, left with a heading, to what there is of its net.
  ///
  /// - Returns: the corners from the cell to the source of the net, both included; nil if there is no way.
  /// - Complexity: O(*c* log *c*) in the cells, at worst.
  mutating func route(net: Int, from start: Cell, heading: Heading) -> [Cell]? {
    let number = Int32(net + 1)
    guard contains(start), let source = sources[number] else { return nil }
    let place = index(start)
    guard !isBlocked[place] else { return nil }
    if isGoal(place, number) {
      // The net passes here already.
      if horizontal[place] == 0 { take(place, number, heading, next: verticalNext[place]) }
      links[place] |= heading.opposite.bit
      return corners(net: number, from: place, to: source)
    }
    guard horizontal[place] == 0 else { return nil }
    for margin in Self.margins {
      guard let states = search(number, from: place, heading, to: source, within: margin) else {
        continue
      }
      mark(states, number, heading)
      return corners(net: number, from: place, to: source)
    }
    return nil
  }

  // Searching.

  /// The neighbour of a cell; nil at the edge of the grid.
  private func neighbour(_ place: Int, _ heading: Heading) -> Int? {
    switch heading {
    case .right: place % width == width - 1 ? nil : place + 1
    case .left: place % width == 0 ? nil : place - 1
    case .down: place + width < width * height ? place + width : nil
    case .up: place >= width ? place - width : nil
    }
  }

  /// The states (cell and heading) of the cheapest way to any cell of the net, the last one there.
  private mutating func search(
    _ net: Int32, from start: Int, _ heading: Heading, to source: Int, within margin: Int
  ) -> [Int]? {
    stamp += 1
    var queue = BucketQueue()
    let (origin, target) = (cell(start), cell(source))
    let columns = min(origin.x, target.x) - margin...max(origin.x, target.x) + margin
    let rows = min(origin.y, target.y) - margin...max(origin.y, target.y) + margin
    // Where the net has other lines already, any of them may be nearer than its source.
    let isDirect = links[source].nonzeroBitCount == 1
    func bound(_ place: Int) -> Int {
      guard isDirect else { return 0 }
      let other = cell(place)
      return Self.stepCost * (abs(other.x - target.x) + abs(other.y - target.y))
    }
    let first = start * 4 + heading.rawValue
    stamps[first] = stamp
    costs[first] = 0
    origins[first] = -1
    queue.insert(first, priority: bound(start))
    while let (state, priority) = queue.removeFirst() {
      let place = state / 4
      guard let heading = Heading(rawValue: state % 4) else { return nil }
      let cost = Int(costs[state])
      if priority > cost + bound(place) { continue }
      if place != start, isGoal(place, net) || (place == source && heading.isHorizontal) {
        return way(to: state)
      }
      budget -= 1
      if budget < 0 { return nil }
      let mayTurn =
        (horizontal[place] == 0 || horizontal[place] == net)
        && (vertical[place] == 0 || vertical[place] == net)
        && (reserved[place] == 0 || reserved[place] == net)
      for next in [heading] + (mayTurn ? heading.turns : []) {
        guard let other = neighbour(place, next), columns.contains(other % width),
          rows.contains(other / width), let step = stepCost(to: other, next, net)
        else { continue }
        let total = cost + step + (next == heading ? 0 : Self.bendCost)
        let reached = other * 4 + next.rawValue
        if stamps[reached] == stamp && Int(costs[reached]) <= total { continue }
        stamps[reached] = stamp
        costs[reached] = Int32(truncatingIfNeeded: total)
        origins[reached] = Int32(truncatingIfNeeded: state)
        queue.insert(reached, priority: total + bound(other))
      }
    }
    return nil
  }

  /// Whether a line of the net may end in this cell.
  private func isGoal(_ place: Int, _ net: Int32) -> Bool {
    let (across, along) = (horizontal[place], vertical[place])
    return (across == net && (along == 0 || along == net)) || (along == net && across == 0)
  }

  /// The price of a step into a cell; nil if it may not be taken.
  private func stepCost(to place: Int, _ heading: Heading, _ net: Int32) -> Int? {
    if isBlocked[place] { return nil }
    if isGoal(place, net) { return Self.stepCost }
    // Where another net crosses the source, it is reached straight on only.
    if heading.isHorizontal && sources[net] == place { return Self.stepCost }
    let (same, other) =
      heading.isHorizontal
      ? (horizontal[place], vertical[place]) : (vertical[place], horizontal[place])
    guard same == 0 else { return nil }
    let isForeign = reserved[place] != 0 && reserved[place] != net
    if isForeign && heading.isHorizontal { return nil }
    return Self.stepCost + (other == 0 && !isForeign ? 0 : Self.crossingCost)
      + (heading.isHorizontal && isNear[place] ? Self.nearCost : 0)
  }

  private func way(to state: Int) -> [Int] {
    var states = [state]
    while let last = states.last, origins[last] >= 0 { states.append(Int(origins[last])) }
    return states.reversed()
  }

  // Marking.

  /// Takes the cells of a way for its net.
  private mutating func mark(_ states: [Int], _ net: Int32, _ start: Heading) {
    var incoming = start
    for (step, state) in states.enumerated() {
      let place = state / 4
      let isLast = step == states.count - 1
      if step > 0, let heading = Heading(rawValue: state % 4) { incoming = heading }
      links[place] |= incoming.opposite.bit
      guard !isLast, let outgoing = Heading(rawValue: states[step + 1] % 4) else {
        // Where the way joins the net, all lines go on as the net does.
        let next = horizontal[place] == net ? horizontalNext[place] : verticalNext[place]
        take(place, net, incoming, next: next)
        continue
      }
      links[place] |= outgoing.bit
      take(place, net, incoming, next: UInt8(outgoing.rawValue))
      take(place, net, outgoing, next: UInt8(outgoing.rawValue))
    }
  }

  private mutating func take(_ place: Int, _ net: Int32, _ heading: Heading, next: UInt8) {
    if heading.isHorizontal {
      horizontal[place] = net
      horizontalNext[place] = next
    } else {
      vertical[place] = net
      verticalNext[place] = next
    }
  }

  /// The corners of the line from a cell of a net to its source.
  private func corners(net: Int32, from start: Int, to source: Int) -> [Cell] {
    var corners = [cell(start)]
    var place = start
    var last: Heading?
    // No line is longer than the grid has cells.
    for _ in 0..<width * height where place != source {
      let next = horizontal[place] == net ? horizontalNext[place] : verticalNext[place]
      guard let heading = Heading(rawValue: Int(next)), let other = neighbour(place, heading)
      else { break }
      if let last, last != heading { corners.append(cell(place)) }
      last = heading
      place = other
    }
    corners.append(cell(place))
    return corners
  }

  /// What stands in a cell, for a format that draws by cells.
  enum Ink: Equatable {
    case nothing
    /// Lines of one net, with the ways out that they take.
    case line(links: UInt8)
    /// A line that crosses that of another net.
    case crossing
  }

  func ink(at cell: Cell) -> Ink {
    let place = index(cell)
    let (across, along) = (horizontal[place], vertical[place])
    if across == 0 && along == 0 { return .nothing }
    return across != 0 && along != 0 && across != along
      ? .crossing : .line(links: links[place])
  }
}

/// A queue whose priorities are small whole numbers; equal ones leave it last in, first out.
private struct BucketQueue {
  private var buckets: [[Int32]] = []
  private var lowest = 0

  mutating func insert(_ state: Int, priority: Int) {
    while buckets.count <= priority { buckets.append([]) }
    buckets[priority].append(Int32(truncatingIfNeeded: state))
    lowest = min(lowest, priority)
  }

  mutating func removeFirst() -> (state: Int, priority: Int)? {
    while lowest < buckets.count {
      if let state = buckets[lowest].popLast() { return (Int(state), lowest) }
      lowest += 1
    }
    return nil
  }
}
