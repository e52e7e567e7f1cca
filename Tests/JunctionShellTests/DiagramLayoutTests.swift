import Foundation
import Testing

@testable import JunctionShell

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// Schemas made up from a seed.
private struct RandomSchema: CustomTestStringConvertible {
  let seed: UInt64
  let tableCount: Int
  var testDescription: String { "\(tableCount) tables from seed \(seed)" }

  /// Tables with up to two parents each, some links and some loops.
  var diagram: Diagram {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    func number(below limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(max(1, limit)))
    }
    var diagram = Diagram()
    for index in 0..<tableCount {
      let columns = (0...number(below: 6)).map {
        Diagram.Column(name: "column_\($0)", type: "integer", isPrimary: $0 == 0)
      }
      diagram.boxes.append(Diagram.Box(title: "table \(index)", columns: columns))
    }
    for child in diagram.boxes.indices {
      for _ in 0..<number(below: 3) {
        let parent = number(below: 20) == 0 ? number(below: tableCount) : number(below: child + 1)
        let column = number(below: diagram.boxes[child].columns.count)
        diagram.boxes[child].columns[column].foreignKeys.append(0)
        diagram.edges.append(
          Diagram.Edge(
            first: Diagram.End(box: parent, columns: [0], multiplicity: .exactlyOne),
            second: Diagram.End(box: child, columns: [column], multiplicity: .zeroOrMany),
            name: "edge \(diagram.edges.count)"))
      }
    }
    for index in 0..<tableCount / 4 {
      let ends = (0..<2).map { _ in
        Diagram.End(box: number(below: tableCount), columns: [], multiplicity: .zeroOrMany)
      }
      diagram.edges.append(
        Diagram.Edge(
          first: ends[0], second: ends[1], name: "link \(index)",
          junction: Diagram.Junction(title: "link \(index)", columns: [])))
    }
    return diagram
  }
}

@Suite("The layout of a drawing")
struct DiagramLayoutTests {
  private static let schemas: [RandomSchema] =
    (1...9).map { RandomSchema(seed: $0, tableCount: 2 + Int($0)) }
    + [RandomSchema(seed: 20, tableCount: 30), RandomSchema(seed: 21, tableCount: 60)]

  @Test("lets nothing overlap, and leads no line through a table", arguments: schemas)
  private func overlaps(_ schema: RandomSchema) {
    let layout = DiagramLayout(schema.diagram, DiagramLayout.Request())
    for part in layout.parts {
      let items = part.component.items
      for (index, one) in items.enumerated() {
        for other in items[(index + 1)...] {
          let isApart =
            one.x + one.width <= other.x || other.x + other.width <= one.x
            || one.y + one.height <= other.y || other.y + other.height <= one.y
          #expect(isApart)
        }
      }
      for line in part.component.lines {
        guard let corners = line.corners else { continue }
        for (from, to) in zip(corners, corners.dropFirst()) {
          #expect(from.x == to.x || from.y == to.y)
          // The ends lie in the borders of their tables.
          let columns = min(from.x, to.x)...max(from.x, to.x)
          let rows = min(from.y, to.y)...max(from.y, to.y)
          for item in items {
            let inner = (item.x + 1)..<(item.x + item.width - 1)
            let crosses =
              !inner.isEmpty && columns.overlaps(inner)
              && rows.overlaps(item.y..<item.y + item.height)
            #expect(!crosses)
          }
        }
      }
    }
    let drawn = layout.parts.flatMap { $0.component.lines.map(\.edge) }
    #expect(Set(drawn) == Set(schema.diagram.edges.indices))
  }

  @Test("shows every table within the width of the terminal", arguments: schemas)
  private func widths(_ schema: RandomSchema) {
    for width in [60, 120] {
      let lines = TextDrawing(schema.diagram, width: width).lines
      #expect(lines.allSatisfy { DisplayWidth.of($0) <= width })
      for box in schema.diagram.boxes {
        let count = lines.count { $0.contains(" \(box.title) ") }
        #expect(count >= 1, "\(box.title)")
      }
    }
  }

  @Test("is the same every time")
  func determinism() {
    let schema = RandomSchema(seed: 7, tableCount: 15)
    let first = TextDrawing(schema.diagram, width: 100).lines
    for _ in 0..<3 { #expect(TextDrawing(schema.diagram, width: 100).lines == first) }
  }

  @Test("becomes well-formed XML", arguments: schemas)
  private func pictures(_ schema: RandomSchema) throws {
    let text = SVGDrawing(schema.diagram, title: "<&\"> \u{1}").text
    let parser = XMLParser(data: Data(text.utf8))
    #expect(parser.parse(), "\(String(describing: parser.parserError))")
    let page = HTMLDrawing(schema.diagram, title: "</title><script>").text
    #expect(!page.contains("</title><script>"))
    #expect(!page.contains("http://") || !page.contains("src="))
  }

  @Test(
    "puts parents before children, and linked tables apart",
    arguments: [
      ([(0, 1), (1, 2)], [], [0, 1, 2]), ([(0, 2), (1, 2)], [], [0, 0, 1]),
      ([(0, 1), (1, 0)], [], [0, 1]), ([], [(0, 1)], [0, 1]),
      ([], [(0, 1), (1, 2), (2, 3)], [1, 0, 1, 0]), ([(0, 0)], [], [0]),
      ([(0, 1), (0, 2), (1, 2), (3, 2)], [], [0, 1, 2, 1]),
    ] as [([(Int, Int)], [(Int, Int)], [Int])])
  func layers(references: [(Int, Int)], links: [(Int, Int)], expected: [Int]) {
    let assignment = LayerAssignment(
      boxCount: expected.count,
      references: references.map { (parent: $0.0, child: $0.1) }, links: links)
    #expect(assignment.layers == expected)
  }

  @Test("folds layers so that neighbours stay neighbours")
  func folding() {
    let fold = LayerFold(columnCount: 3)
    #expect((0..<8).map(fold.column(of:)) == [0, 1, 2, 2, 1, 0, 0, 1])
    #expect((0..<8).map(fold.band(of:)) == [0, 0, 0, 1, 1, 1, 2, 2])
  }
}
