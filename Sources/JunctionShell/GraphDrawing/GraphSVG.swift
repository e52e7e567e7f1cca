import Diagnostics

/// A graph as a picture that needs nothing but itself: light or dark as whoever looks at it likes.
///
/// Communities have colours, and vertices grow with the number of their neighbours. Where there are few, each has its name beside it;
/// otherwise it shows when one points at it.
struct GraphSVG {
  private let picture: GraphPicture
  private let title: String

  private static let size = 900.0
  private static let margin = 60.0
  private static let top = 40.0
  /// So many vertices have their names beside them.
  private static let labelCountMax = 150

  init(_ picture: GraphPicture, title: String) {
    (self.picture, self.title) = (picture, title)
  }

  /// The picture.
  var text: String {
    let (width, height) = (Self.number(Self.size), Self.number(Self.size + Self.top))
    var lines = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(width) \(height)\" "
        + "width=\"\(width)\" height=\"\(height)\" role=\"img\">",
      "<title>\(MarkupEscape.visible(title))</title>", "<style>\(Self.style)</style>",
      "<rect class=\"page\" width=\"\(width)\" height=\"\(height)\"/>",
      "<text class=\"title\" x=\"24\" y=\"28\">\(MarkupEscape.visible(title))</text>",
    ]
    var path = ""
    for edge in picture.edges {
      let (from, to) = (place(picture.vertices[edge.from]), place(picture.vertices[edge.to]))
      path +=
        "M\(Self.number(from.x)) \(Self.number(from.y))L\(Self.number(to.x)) \(Self.number(to.y))"
    }
    if !path.isEmpty { lines.append("<path class=\"e\" d=\"\(path)\"/>") }
    lines += picture.vertices.map(circle)
    if picture.vertices.count <= Self.labelCountMax { lines += picture.vertices.map(label) }
    return (lines + ["</svg>"]).map { $0 + "\n" }.joined()
  }

  /// The same in a page that loads nothing.
  var page: String {
    HTMLPage.text(
      title: title,
      style: """
        body { margin: 0; display: grid; place-items: center; min-height: 100vh }
        svg { max-width: 100%; height: auto }
        """, body: text)
  }

  private func place(_ vertex: GraphPicture.Vertex) -> (x: Double, y: Double) {
    let half = Self.size / 2 - Self.margin
    return (
      Self.size / 2 + vertex.x * half, Self.size / 2 + Self.top - vertex.y * half
    )
  }

  private func radius(_ vertex: GraphPicture.Vertex) -> Double {
    let base = picture.vertices.count > 500 ? 2.0 : picture.vertices.count > 100 ? 3.5 : 5.0
    return base * (1 + min(2, Double(vertex.degree).squareRoot() / 5))
  }

  private func circle(_ vertex: GraphPicture.Vertex) -> String {
    let (x, y) = place(vertex)
    return "<circle class=\"s\((vertex.community - 1) % 12)\" cx=\"\(Self.number(x))\" "
      + "cy=\"\(Self.number(y))\" r=\"\(Self.number(radius(vertex)))\">"
      + "<title>\(MarkupEscape.visible(vertex.label))</title></circle>"
  }

  private func label(_ vertex: GraphPicture.Vertex) -> String {
    let (x, y) = place(vertex)
    return "<text x=\"\(Self.number(x + radius(vertex) + 3))\" y=\"\(Self.number(y + 4))\">"
      + MarkupEscape.visible(String(vertex.label.prefix(24))) + "</text>"
  }

  private static func number(_ value: Double) -> String {
    TextChart.text((value * 10).rounded() / 10)
  }

  private static let style: String = {
    let colours = [
      "#3b6fb6", "#d1793b", "#4f9d69", "#b3527d", "#8a7cc2", "#8c8c3c", "#3c9c9c", "#c24f4f",
      "#6b8e23", "#a0703c", "#5f7fbf", "#7a7a7a",
    ]
    let groups = colours.enumerated().map { index, colour in ".s\(index){fill:\(colour)}" }.joined()
    return "text{font:11px system-ui,sans-serif;fill:#333}.title{font-size:16px;font-weight:600}"
      + ".page{fill:#fff}.e{fill:none;stroke:#999;stroke-opacity:.45;stroke-width:.8}"
      + "circle{stroke:#fff;stroke-width:.6}" + groups
      + "@media(prefers-color-scheme:dark){.page{fill:#1b1d21}text{fill:#ddd}circle{stroke:#1b1d21}}"
  }()
}
