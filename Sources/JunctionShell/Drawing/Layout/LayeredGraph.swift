/// One component of a diagram in slots from left to right: boxes in every second one, the labels of many-to-many
/// relationships between them, and bends where an edge passes a slot.
struct LayeredGraph {
  enum Side: Sendable, Hashable { case left, right }

  /// Something that takes room in a slot.
  struct Node {
    enum Kind: Equatable {
      case box(Int)
      /// The label of an edge.
      case label(Int)
      case bend
    }
    let kind: Kind
    let slot: Int
    /// The row of layers that it belongs to, from the top.
    let band: Int
    var width: Int
    let height: Int
    var x = 0
    var y = 0
    var isBend: Bool { kind == .bend }
  }

  /// Where an edge leaves a node.
  struct Terminal {
    let node: Int
    let side: Side
    /// The columns whose rows it wants; none for the title's row.
    let columns: [Int]
    /// What is marked there; nil at a label.
    let multiplicity: Diagram.Multiplicity?
    /// The row it has been given, from the top of the node.
    var row: Int
  }

  /// Lines that may join: those that end at the same terminal.
  struct Net {
    let source: Int
    var targets: [(edge: Int, terminal: Int)] = []
  }

  /// A node and where on its side a line meets it.
  struct Anchor {
    let node: Int
    let terminal: Int?
  }

  /// A stretch of a net between neighbouring slots.
  struct Segment {
    let net: Int
    let left: Anchor
    let right: Anchor
  }

  let diagram: Diagram
  let shapes: [Int: BoxShape]
  /// The labels of many-to-many relationships, by edge.
  let labels: [Int: LabelShape]
  private(set) var nodes: [Node] = []
  var terminals: [Terminal] = []
  private(set) var nets: [Net] = []
  private(set) var segments: [Segment] = []
  /// The stretches that leave each slot to the right, and those that come to it from the left.
  private(set) var leavingSegments: [[Int]] = []
  private(set) var arrivingSegments: [[Int]] = []
  /// The nodes of each slot, from the top.
  var slots: [[Int]] = []
  private var nodeOfBox: [Int: Int] = [:]
  private var netOfPort: [Port: Int] = [:]
  private let isFolded: Bool

  /// What edges must have in common to share a terminal.
  private struct Port: Hashable {
    let box: Int
    let side: Side
    let columns: [Int]
    let multiplicity: Diagram.Multiplicity
  }

  /// Lays out the boxes of one component in layers.
  init(
    _ diagram: Diagram, component: [Int], shapes: [Int: BoxShape], labels: [Int: LabelShape],
    layers: [Int], fold: LayerFold
  ) {
    self.diagram = diagram
    self.shapes = shapes
    self.labels = labels
    isFolded = (layers.max() ?? 0) >= fold.columnCount
    slots = Array(repeating: [], count: fold.columnCount * 2 + 1)
    leavingSegments = slots
    arrivingSegments = slots
    for (place, box) in component.enumerated() {
      guard let shape = shapes[box] else { continue }
      nodeOfBox[box] = addNode(
        Node(
          kind: .box(box), slot: fold.column(of: layers[place]) * 2 + 1,
          band: fold.band(of: layers[place]), width: shape.width, height: shape.height))
    }
    for (index, edge) in diagram.edges.enumerated() {
      guard let first = nodeOfBox[edge.first.box], let second = nodeOfBox[edge.second.box]
      else { continue }
      if let label = labels[index] {
        addLink(index, edge, label, first, second)
      } else {
        addReference(index, edge, first, second)
      }
    }
    addBends()
  }

  // Building.

  private mutating func addNode(_ node: Node) -> Int {
    nodes.append(node)
    slots[node.slot].append(nodes.count - 1)
    return nodes.count - 1
  }

  private mutating func addTerminal(
    _ node: Int, _ side: Side, _ columns: [Int] = [], _ multiplicity: Diagram.Multiplicity? = nil
  ) -> Int {
    // Until rows are given to all, each has the one that it wants.
    let row = shape(of: node).map { shape in
      columns.first.map(shape.row(ofColumn:)) ?? BoxShape.titleRow
    }
    terminals.append(
      Terminal(
        node: node, side: side, columns: columns, multiplicity: multiplicity, row: row ?? 0))
    return terminals.count - 1
  }

  /// The sides where an edge leaves its ends: those that face each other, or the same one for nodes above each other.
  private func sides(_ first: Int, _ second: Int) -> (Side, Side) {
    let (left, right) = (nodes[first].slot, nodes[second].slot)
    if left < right { return (.right, .left) }
    if left > right { return (.left, .right) }
    // Neighbouring layers turn around at the left edge of a folded drawing.
    let turnsLeft = isFolded && left == 1 && first != second
    return turnsLeft ? (.left, .left) : (.right, .right)
  }

  private mutating func addReference(
    _ index: Int, _ edge: Diagram.Edge, _ parent: Int, _ child: Int
  ) {
    let (near, far) = sides(parent, child)
    let port = Port(
      box: edge.first.box, side: near, columns: edge.first.columns,
      multiplicity: edge.first.multiplicity)
    let net: Int
    if let known = netOfPort[port] {
      net = known
    } else {
      let source = addTerminal(parent, near, edge.first.columns, edge.first.multiplicity)
      nets.append(Net(source: source))
      net = nets.count - 1
      netOfPort[port] = net
    }
    let target = addTerminal(child, far, edge.second.columns, edge.second.multiplicity)
    nets[net].targets.append((index, target))
  }

  private mutating func addLink(
    _ index: Int, _ edge: Diagram.Edge, _ label: LabelShape, _ first: Int, _ second: Int
  ) {
    let (near, far) = sides(first, second)
    let slot = near == .right ? nodes[first].slot + 1 : far == .right ? nodes[second].slot + 1 : 0
    let node = addNode(
      Node(
        kind: .label(index), slot: slot, band: min(nodes[first].band, nodes[second].band),
        width: label.width, height: label.height))
    if near == far {
      // Both ends come to the label from the same side.
      var net = Net(source: addTerminal(node, near == .right ? .left : .right))
      net.targets.append((index, addTerminal(first, near, [], edge.first.multiplicity)))
      net.targets.append((index, addTerminal(second, far, [], edge.second.multiplicity)))
      nets.append(net)
      return
    }
    for (end, side, multiplicity) in [
      (first, near, edge.first.multiplicity), (second, far, edge.second.multiplicity),
    ] {
      var net = Net(source: addTerminal(node, side == .right ? .left : .right))
      net.targets.append((index, addTerminal(end, side, [], multiplicity)))
      nets.append(net)
    }
  }

  /// Cuts nets into stretches between neighbouring slots, with a bend in every slot that is passed.
  private mutating func addBends() {
    let used = slots.indices.filter { !slots[$0].isEmpty }
    for index in nets.indices {
      let source = terminals[nets[index].source]
      let start = nodes[source.node].slot
      let leadsRight = source.side == .right
      let ends = nets[index].targets.map { ($0.terminal, nodes[terminals[$0.terminal].node].slot) }
        .filter { leadsRight ? $0.1 > start : $0.1 < start }
      guard let farthest = ends.map(\.1).max(by: { leadsRight ? $0 < $1 : $0 > $1 }) else {
        continue
      }
      let way =
        leadsRight
        ? used.filter { $0 > start && $0 <= farthest }
        : used.filter { $0 < start && $0 >= farthest }.reversed()
      var last = Anchor(node: source.node, terminal: nets[index].source)
      for slot in way {
        for (terminal, place) in ends where place == slot {
          addSegment(index, last, Anchor(node: terminals[terminal].node, terminal: terminal))
        }
        guard slot != farthest else { break }
        let bend = addNode(
          Node(kind: .bend, slot: slot, band: nodes[source.node].band, width: 0, height: 1))
        addSegment(index, last, Anchor(node: bend, terminal: nil))
        last = Anchor(node: bend, terminal: nil)
      }
    }
  }

  private mutating func addSegment(_ net: Int, _ one: Anchor, _ other: Anchor) {
    let isForward = nodes[one.node].slot < nodes[other.node].slot
    let (left, right) = isForward ? (one, other) : (other, one)
    leavingSegments[nodes[left.node].slot].append(segments.count)
    arrivingSegments[nodes[right.node].slot].append(segments.count)
    segments.append(Segment(net: net, left: left, right: right))
  }

  // Reading and changing.

  /// The row of the drawing where a line meets an anchor.
  func level(_ anchor: Anchor) -> Int {
    nodes[anchor.node].y + (anchor.terminal.map { terminals[$0].row } ?? 0)
  }

  func level(ofTerminal terminal: Int) -> Int {
    nodes[terminals[terminal].node].y + terminals[terminal].row
  }

  mutating func setY(_ y: Int, of node: Int) { nodes[node].y = y }
  mutating func setFrame(x: Int, width: Int, of node: Int) {
    nodes[node].x = x
    nodes[node].width = width
  }

  /// The shape of the table that a node stands for.
  func shape(of node: Int) -> BoxShape? {
    guard case .box(let box) = nodes[node].kind else { return nil }
    return shapes[box]
  }
}
