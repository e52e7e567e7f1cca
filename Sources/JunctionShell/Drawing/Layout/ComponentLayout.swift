/// Where the boxes, labels and lines of one component stand, in cells.
struct ComponentLayout {
  /// How much room a layout may take, and gives.
  struct Room {
    /// The most cells from left to right; nil for no limit.
    var widthMax: Int?
    /// Cells between boxes beyond those that lines need.
    var slack = 0
    /// The steps that the search for ways may take.
    var budget = 3_000_000
    /// Whether numbers stand for the labels of many-to-many relationships.
    var numbersLabels = false
  }

  /// A table, or the label of an edge.
  struct Item {
    enum Content {
      case box(Int, BoxShape)
      case label(edge: Int, LabelShape)
    }
    let content: Content
    let x, y, width, height: Int
  }

  /// Where a line meets an item.
  struct LineEnd {
    let item: Int
    let side: LayeredGraph.Side
    /// The cell of the item's border.
    let border: Cell
    let multiplicity: Diagram.Multiplicity?
  }

  /// A line from one item to another; that of a many-to-many relationship has two, which meet at its label.
  struct Line {
    let edge: Int
    let start: LineEnd
    let end: LineEnd
    /// The corners from border to border; nil where no way was found.
    let corners: [Cell]?
  }

  private(set) var items: [Item] = []
  private(set) var lines: [Line] = []
  private(set) var width = 0
  /// The rows that are used.
  private(set) var rows = 0..<0
  private(set) var router: EdgeRouter
  private var graph: LayeredGraph

  /// The cells that the mark of a multiplicity takes beside a box.
  static let markWidth = 2
  /// With more lines than this ways are sought once.
  private static let lineCountMax = 200
  /// Free rows above and below, for lines that go around.
  private static let marginRows = 3

  /// Lays out a component; nil if it is wider than there is room.
  init?(
    _ diagram: Diagram, component: [Int], layers: [Int], detail: BoxShape.Detail, columnCount: Int,
    in room: Room
  ) {
    var shapes: [Int: BoxShape] = [:]
    for box in component { shapes[box] = BoxShape(diagram.boxes[box], detail) }
    let labels = Self.labels(diagram, areNumbers: room.numbersLabels)
    let fold = LayerFold(columnCount: columnCount)
    let draft = LayeredGraph(
      diagram, component: component, shapes: shapes, labels: labels, layers: layers, fold: fold)
    Self.addSpareLines(&shapes, for: draft)
    var graph = LayeredGraph(
      diagram, component: component, shapes: shapes, labels: labels, layers: layers, fold: fold)
    // Whatever the lines need, the boxes alone have to fit.
    if let widthMax = room.widthMax, Self.boxWidth(graph) > widthMax { return nil }
    graph.orderNodes()
    graph.alignNodes()
    graph.assignRows()
    graph.alignNodes()
    self.graph = graph
    router = EdgeRouter(width: 0, height: 0, budget: 0)
    guard place(in: room) else { return nil }
    route(budget: room.budget)
    // Where lines found no way they get more room, if there is any.
    var wider = room
    var first = failedNets
    let attemptCount = lines.count > Self.lineCountMax ? 0 : 4
    for attempt in 0..<attemptCount where !first.isEmpty && router.budget > 0 {
      var other = self
      if attempt.isMultiple(of: 2) == false { wider.slack += 2 }
      guard other.place(in: wider) else { break }
      other.route(budget: room.budget, first: first)
      first.formUnion(other.failedNets)
      if other.failureCount < failureCount { self = other }
      if failureCount == 0 { break }
    }
    measure()
  }

  private static func labels(_ diagram: Diagram, areNumbers: Bool) -> [Int: LabelShape] {
    var labels: [Int: LabelShape] = [:]
    for (index, edge) in diagram.edges.enumerated() {
      guard let junction = edge.junction else { continue }
      labels[index] = areNumbers ? LabelShape(number: labels.count + 1) : LabelShape(junction)
    }
    return labels
  }

  /// The number of lines without a way.
  var failureCount: Int { lines.count { $0.corners == nil } }

  /// The nets that have such lines.
  private var failedNets: Set<Int> {
    let edges = Set(lines.filter { $0.corners == nil }.map(\.edge))
    return Set(
      graph.nets.indices.filter { graph.nets[$0].targets.contains { edges.contains($0.edge) } })
  }

  /// Adds lines to boxes that more edges end at than they have rows.
  private static func addSpareLines(_ shapes: inout [Int: BoxShape], for graph: LayeredGraph) {
    for node in graph.nodes.indices {
      guard case .box(let box) = graph.nodes[node].kind, let shape = shapes[box] else { continue }
      let ends = graph.terminals.filter { $0.node == node }
      let count = max(ends.count { $0.side == .left }, ends.count { $0.side == .right })
      shapes[box]?.spareLineCount = max(0, count - shape.portRows.count)
    }
  }

  private static func boxWidth(_ graph: LayeredGraph) -> Int {
    graph.slots.map { $0.map { graph.nodes[$0].width }.max() ?? 0 }.reduce(0, +)
  }

  // From left to right.

  /// Gives slots their places; false if they take more than there is.
  private mutating func place(in room: Room) -> Bool {
    let used = graph.slots.indices.filter { !graph.slots[$0].isEmpty }
    var x = 0
    for (position, slot) in used.enumerated() {
      x += channelWidth(
        from: position > 0 ? used[position - 1] : nil, to: slot, slack: room.slack)
      let width = graph.slots[slot].map { graph.nodes[$0].width }.max() ?? 0
      for node in graph.slots[slot] {
        switch graph.nodes[node].kind {
        case .box: graph.setFrame(x: x, width: width, of: node)
        case .label:
          let own = graph.nodes[node].width
          graph.setFrame(x: x + (width - own) / 2, width: own, of: node)
        case .bend: graph.setFrame(x: x, width: 0, of: node)
        }
      }
      x += width
    }
    x += channelWidth(from: used.last, to: nil, slack: room.slack)
    width = x
    return room.widthMax.map { x <= $0 } ?? true
  }

  /// The cells between two slots, or beside the first or last one: marks, and a column for each line that goes
  /// up or down there beside others.
  private func channelWidth(from left: Int?, to right: Int?, slack: Int) -> Int {
    var spans: [Int: ClosedRange<Int>] = [:]
    func add(_ net: Int, _ one: Int, _ other: Int) {
      let span = min(one, other)...max(one, other)
      guard let known = spans[net] else {
        spans[net] = span
        return
      }
      spans[net] =
        min(known.lowerBound, span.lowerBound)...max(known.upperBound, span.upperBound)
    }
    for segment in graph.segments
    where left != nil && graph.nodes[segment.left.node].slot == left {
      add(segment.net, graph.level(segment.left), graph.level(segment.right))
    }
    for (index, net) in graph.nets.enumerated() {
      let source = graph.terminals[net.source]
      let slot = graph.nodes[source.node].slot
      guard source.side == .right ? slot == left : slot == right else { continue }
      for target in net.targets
      where graph.nodes[graph.terminals[target.terminal].node].slot == slot {
        add(index, graph.level(ofTerminal: net.source), graph.level(ofTerminal: target.terminal))
      }
    }
    let isMargin = left == nil || right == nil
    if isMargin && spans.isEmpty { return 0 }
    let vertical = spans.values.filter { $0.count > 1 }
    // The most spans that share a row.
    let density =
      vertical.map { span in vertical.count { $0.contains(span.lowerBound) } }.max() ?? 0
    func stub(_ slot: Int?, _ side: LayeredGraph.Side) -> Int {
      let isMarked = graph.terminals.contains {
        graph.nodes[$0.node].slot == slot && $0.side == side && $0.multiplicity != nil
      }
      return isMarked ? Self.markWidth : 0
    }
    return stub(left, .right) + stub(right, .left) + density + 1 + slack
  }

  // Lines.

  private func border(_ terminal: LayeredGraph.Terminal) -> Cell {
    let node = graph.nodes[terminal.node]
    return Cell(
      x: terminal.side == .right ? node.x + node.width - 1 : node.x, y: node.y + terminal.row)
  }

  /// The first cell beside a terminal's mark.
  private func outside(_ terminal: LayeredGraph.Terminal) -> Cell {
    var cell = border(terminal)
    let distance = 1 + (terminal.multiplicity == nil ? 0 : Self.markWidth)
    cell.x += terminal.side == .right ? distance : -distance
    cell.y += Self.marginRows
    return cell
  }

  /// Finds ways for all lines: those of some nets first, then the short ones.
  private mutating func route(budget: Int, first: Set<Int> = []) {
    let height = (graph.nodes.map { $0.y + $0.height }.max() ?? 0) + 2 * Self.marginRows
    router = EdgeRouter(width: width, height: height, budget: budget)
    var itemOfNode: [Int: Int] = [:]
    items = []
    lines = []
    for (index, node) in graph.nodes.enumerated() {
      guard let content = content(of: node) else { continue }
      itemOfNode[index] = items.count
      items.append(
        Item(content: content, x: node.x, y: node.y, width: node.width, height: node.height))
      router.block(
        x: node.x, y: node.y + Self.marginRows, width: node.width, height: node.height)
    }
    for terminal in graph.terminals where terminal.multiplicity != nil {
      let mark = border(terminal)
      let start = terminal.side == .right ? mark.x + 1 : mark.x - Self.markWidth
      router.block(x: start, y: mark.y + Self.marginRows, width: Self.markWidth, height: 1)
    }
    func heading(_ terminal: LayeredGraph.Terminal) -> Heading {
      terminal.side == .right ? .right : .left
    }
    for (net, entry) in graph.nets.enumerated() {
      for terminal in [entry.source] + entry.targets.map(\.terminal) {
        router.reserve(outside(graph.terminals[terminal]), for: net)
      }
    }
    let order = graph.nets.indices.map { (first.contains($0) ? 0 : 1, length($0), $0) }
    for (_, _, net) in order.sorted(by: <) {
      let source = graph.terminals[graph.nets[net].source]
      let hasBegun = router.begin(net: net, at: outside(source), heading: heading(source))
      let targets = graph.nets[net].targets.sorted {
        (distance(net, $0.terminal), $0.edge) < (distance(net, $1.terminal), $1.edge)
      }
      for (edge, index) in targets {
        let target = graph.terminals[index]
        let way =
          hasBegun ? router.route(net: net, from: outside(target), heading: heading(target)) : nil
        let corners = way.map { way in
          let inner = way.map { Cell(x: $0.x, y: $0.y - Self.marginRows) }
          return Self.withoutRepeats([border(target)] + inner + [border(source)])
        }
        guard let start = itemOfNode[target.node], let end = itemOfNode[source.node] else {
          continue
        }
        lines.append(
          Line(
            edge: edge,
            start: LineEnd(
              item: start, side: target.side, border: border(target),
              multiplicity: target.multiplicity),
            end: LineEnd(
              item: end, side: source.side, border: border(source),
              multiplicity: source.multiplicity),
            corners: corners))
      }
    }
  }

  private func content(of node: LayeredGraph.Node) -> Item.Content? {
    switch node.kind {
    case .box(let box): return graph.shapes[box].map { .box(box, $0) }
    case .label(let edge):
      return graph.labels[edge].map { .label(edge: edge, $0) }
    case .bend: return nil
    }
  }

  private func distance(_ net: Int, _ target: Int) -> Int {
    let (one, other) = (
      outside(graph.terminals[graph.nets[net].source]), outside(graph.terminals[target])
    )
    return abs(one.x - other.x) + abs(one.y - other.y)
  }

  private func length(_ net: Int) -> Int {
    graph.nets[net].targets.map { distance(net, $0.terminal) }.max() ?? 0
  }

  /// Corners without those that lie on the line between their neighbours.
  private static func withoutRepeats(_ cells: [Cell]) -> [Cell] {
    var result: [Cell] = []
    for cell in cells where cell != result.last {
      if result.count > 1 {
        let (first, second) = (result[result.count - 2], result[result.count - 1])
        if (first.x == second.x && second.x == cell.x)
          || (first.y == second.y && second.y == cell.y)
        {
          result.removeLast()
        }
      }
      result.append(cell)
    }
    return result
  }

  /// What stands in a cell, in the component's own rows.
  func ink(at cell: Cell) -> EdgeRouter.Ink {
    router.ink(at: Cell(x: cell.x, y: cell.y + Self.marginRows))
  }

  private mutating func measure() {
    let corners = lines.flatMap { $0.corners ?? [] }.map(\.y)
    let top = min(items.map(\.y).min() ?? 0, corners.min() ?? 0)
    let bottom = max(items.map { $0.y + $0.height }.max() ?? 0, (corners.max() ?? 0) + 1)
    rows = top..<bottom
  }
}
