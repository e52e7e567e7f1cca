/// Tables below each other with their relationships in words: what is left where lines find no room.
struct StackedDrawing {
  private let diagram: Diagram
  private let boxes: [Int]
  private let width: Int

  init(_ diagram: Diagram, boxes: [Int], width: Int) {
    self.diagram = diagram
    self.boxes = boxes
    self.width = width
  }

  var lines: [String] {
    var lines: [String] = []
    for box in boxes {
      if !lines.isEmpty { lines.append("") }
      let shapes = [BoxShape.Detail.typed, .named].map { BoxShape(diagram.boxes[box], $0) }
      let shape = shapes.first { $0.width <= width } ?? shapes[1]
      lines += TextBox(shape, width: max(8, min(shape.width, width))).lines
      lines += relationships(of: box).map { "  " + DisplayWidth.visible($0) }
    }
    return lines
  }

  private func relationships(of box: Int) -> [String] {
    let own = diagram.boxes[box].title
    var parents: [String] = []
    var children: [String] = []
    var partners: [String] = []
    for edge in diagram.edges {
      let isSingle = edge.second.multiplicity != .zeroOrMany
      if let junction = edge.junction {
        for (near, far) in [(edge.first, edge.second), (edge.second, edge.first)]
        where near.box == box {
          let extra = junction.columns.map(\.name).joined(separator: ", ")
          partners.append(
            "\(own) <-> \(diagram.boxes[far.box].title) through \(junction.title)"
              + (extra.isEmpty ? "" : " (\(extra))"))
          if edge.isSelfRelation { break }
        }
        continue
      }
      let columns = edge.second.columns.map { diagram.boxes[edge.second.box].columns[$0].name }
        .joined(separator: ", ")
      if edge.second.box == box {
        parents.append(
          "\(own) \(isSingle ? "--" : "->") \(diagram.boxes[edge.first.box].title) (\(columns))")
      }
      if edge.first.box == box {
        children.append(
          "\(own) \(isSingle ? "--" : "<-") \(diagram.boxes[edge.second.box].title) (\(columns))")
      }
    }
    return parents + children + partners
  }
}
