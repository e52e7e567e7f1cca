import Catalog
import Diagnostics
import Junction

/// How `\erd` is asked for a drawing: `\erd [full] [TABLE…] [FORMAT [FILE]]`.
struct DrawingRequest: Equatable {
  /// What a drawing can be made as.
  enum Format: String, CaseIterable {
    case text, mermaid, dot, svg, html
  }

  /// Whether junction tables are boxes, rather than edges.
  var isFull = false
  /// The names and patterns of the tables that are drawn; all of them if there is none.
  var tables: [String] = []
  var format = Format.text
  var path: String?

  /// The word for drawings in which junction tables are boxes.
  static let fullWord = "full"

  /// Reads the arguments: what follows a format is a file.
  ///
  /// - Throws: 42601 if something follows the file.
  init(_ arguments: [String]) throws(SQLError) {
    var words = arguments[...]
    while let word = words.popFirst() {
      if let format = Format(rawValue: word) {
        self.format = format
        path = words.popFirst()
        break
      }
      if word == Self.fullWord { isFull = true } else { tables.append(word) }
    }
    if let word = words.first {
      throw SQLError(
        .syntaxError, "\\erd: extra argument \"\(word)\"",
        hint: "Write \\erd [full] [TABLE…] [text|mermaid|dot|svg|html [FILE]].")
    }
  }
}

extension Shell {
  /// `\erd`: the schema as a drawing, on the screen or in a file.
  ///
  /// - Throws: 42P01 for a name that no table has, 58P01 for a file that cannot be written.
  func runDrawing(_ command: MetaCommand) throws(SQLError) {
    var request = try DrawingRequest(command.arguments)
    if command.name == "erd+" { request.isFull = true }
    let catalog = connection.catalog
    let patterns = request.tables.map(NamePattern.init)
    for pattern in patterns { try Self.checkTable(pattern, catalog) }
    let diagram = Diagram(
      catalog, Diagram.Selection(showsJunctions: request.isFull, patterns: patterns))
    if diagram.boxes.isEmpty {
      throw SQLError(
        .undefinedTable, "\\erd: there are no tables to draw",
        hint: "Make some with CREATE TABLE, or open a folder of CSV files with \\open.")
    }
    let isSeen = request.path == nil && redirected == nil
    let width = isSeen ? printer.screen?.columns : nil
    let text = Self.drawing(diagram, as: request.format, width: width ?? 80, title: databaseName)
    guard let path = request.path else {
      printer.page(text)
      return
    }
    let file = try openOutput(path)
    file.write(text)
    if let reason = file.finish() {
      throw SQLError(.ioError, "\\erd: \(path): \(reason)")
    }
    if !isQuiet { output.writeLine("The drawing is in \"\(path)\".") }
  }

  /// The text of a drawing.
  static func drawing(
    _ diagram: Diagram, as format: DrawingRequest.Format, width: Int, title: String
  ) -> String {
    switch format {
    case .text: TextDrawing(diagram, width: width).lines.map { $0 + "\n" }.joined()
    case .mermaid: MermaidDrawing(diagram).text
    case .dot: DotDrawing(diagram, title: title).text
    case .svg: SVGDrawing(diagram, title: title).text
    case .html: HTMLDrawing(diagram, title: title).text
    }
  }

  /// - Throws: 42P01 with the nearest names if no table has the name.
  private static func checkTable(
    _ pattern: NamePattern, _ catalog: CatalogSnapshot
  ) throws(SQLError) {
    let tables = Diagram.drawableTables(catalog)
    if tables.contains(where: { pattern.matches($0.name) }) { return }
    let isView =
      catalog.views.values.contains { pattern.matches($0.name) }
      || catalog.tables.values.contains { $0.materialized != nil && pattern.matches($0.name) }
    if isView {
      throw SQLError(
        .wrongObjectType, "\\erd: \(pattern.text) is a view",
        hint:
          "Views have no keys and so no relationships to draw; \\d \(pattern.text) describes it.")
    }
    let words = DrawingRequest.Format.allCases.map(\.rawValue) + [DrawingRequest.fullWord]
    let near = RelationshipChoices.nearest(
      to: pattern.text, among: tables.map { displayName($0.name) } + words)
    throw SQLError(
      .undefinedTable, "\\erd: there is no table \(pattern.text)",
      hint: near.map { "Perhaps you meant \($0)." } ?? "\\dt lists the tables.")
  }
}
