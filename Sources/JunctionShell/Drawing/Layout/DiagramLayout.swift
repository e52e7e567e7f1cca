/// Where everything of a diagram stands: its components side by side and below each other.
struct DiagramLayout {
  /// What a format asks for.
  struct Request {
    var room = ComponentLayout.Room()
    /// How much of tables may be left out to save room, in the order in which it is tried.
    var details: [BoxShape.Detail] = [.typed]
    /// The cells between components.
    var gap = 4
    /// Whether boxes whose lines find no room are put into `listed`.
    var mayList = false
  }

  /// A component and where its upper left corner stands.
  struct Part {
    let component: ComponentLayout
    let x: Int
    let y: Int
  }

  private(set) var parts: [Part] = []
  private(set) var width = 0
  private(set) var height = 0
  /// Boxes that could not be drawn with their lines.
  private(set) var listed: [Int] = []

  /// Whatever the width, fewer columns than this are no layers.
  private static let columnCountMin = 2

  /// More tables than this show only their keys when layers are folded.
  private static let boxCountMax = 24

  init(_ diagram: Diagram, _ request: Request) {
    var drawn: [(order: Int, layout: ComponentLayout)] = []
    for (order, component) in diagram.components.enumerated() {
      guard let layout = Self.layout(diagram, component, request) else {
        listed += component
        continue
      }
      // Tables without any relationship come last.
      drawn.append(
        (component.count == 1 && layout.lines.isEmpty ? order + diagram.boxes.count : order, layout)
      )
    }
    pack(drawn.sorted { $0.order < $1.order }.map(\.layout), request)
    listed.sort()
  }

  /// The first layout of a component that fits: all of its layers side by side with as much as possible of each
  /// table, or else folded; nil if none does.
  private static func layout(
    _ diagram: Diagram, _ component: [Int], _ request: Request
  ) -> ComponentLayout? {
    var places: [Int: Int] = [:]
    for (place, box) in component.enumerated() { places[box] = place }
    var references: [(parent: Int, child: Int)] = []
    var links: [(Int, Int)] = []
    for edge in diagram.edges {
      guard let first = places[edge.first.box], let second = places[edge.second.box] else {
        continue
      }
      if edge.junction == nil {
        references.append((first, second))
      } else {
        links.append((first, second))
      }
    }
    let layers = LayerAssignment(
      boxCount: component.count, references: references, links: links
    ).layers
    let layerCount = (layers.max() ?? 0) + 1
    var columnCounts = [layerCount]
    if layerCount > columnCountMin { columnCounts += (columnCountMin..<layerCount).reversed() }
    for detail in request.details {
      for numbersLabels in request.mayList && !links.isEmpty ? [false, true] : [false] {
        var room = request.room
        room.numbersLabels = numbersLabels
        for columnCount in columnCounts {
          // A folded drawing of many tables would be far too high with all of their columns.
          let isHigh = component.count > boxCountMax && columnCount < layerCount
          if isHigh && request.mayList && (detail == .typed || detail == .named) { continue }
          let layout = ComponentLayout(
            diagram, component: component, layers: layers, detail: detail,
            columnCount: columnCount, in: room)
          guard let layout else { continue }
          if !request.mayList || layout.failureCount == 0 { return layout }
        }
      }
    }
    guard !request.mayList else { return nil }
    var room = request.room
    room.widthMax = nil
    return ComponentLayout(
      diagram, component: component, layers: layers, detail: request.details.last ?? .typed,
      columnCount: layerCount, in: room)
  }

  /// Puts components on shelves as wide as there is room.
  private mutating func pack(_ layouts: [ComponentLayout], _ request: Request) {
    let widest = layouts.map(\.width).max() ?? 0
    let area = layouts.map { ($0.width + request.gap) * ($0.rows.count + 1) * 3 }.reduce(0, +)
    // Without a limit the drawing becomes about as wide as high; a cell is twice as high as wide.
    let limit = request.room.widthMax ?? max(widest, Int(Double(area).squareRoot()))
    var (x, y, shelf) = (0, 0, 0)
    for layout in layouts {
      if x > 0 && x + layout.width > limit {
        x = 0
        y += shelf + max(1, request.gap / 3)
        shelf = 0
      }
      parts.append(Part(component: layout, x: x, y: y - layout.rows.lowerBound))
      width = max(width, x + layout.width)
      x += layout.width + request.gap
      shelf = max(shelf, layout.rows.count)
      height = max(height, y + layout.rows.count)
    }
  }
}
