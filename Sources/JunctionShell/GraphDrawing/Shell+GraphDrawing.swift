import Diagnostics
import Junction

/// How `\graph` is asked for a drawing: `\graph [GRAPH] [FORMAT FILE]`.
struct GraphRequest: Equatable {
  /// What is drawn; nil for the pairs that the statement being typed gives.
  var graph: String?
  var format = ChartRequest.Format.text
  var path: String?

  /// Reads the arguments: what follows a format is a file, and a file that ends in `.svg` or `.html` needs no format.
  ///
  /// - Throws: 42601 if the file is missing, or something is too much.
  init(_ arguments: [String]) throws(SQLError) {
    var words = arguments[...]
    while let word = words.popFirst() {
      if let format = ChartRequest.Format(rawValue: word) {
        self.format = format
        path = words.popFirst()
        if path == nil, format != .text {
          throw Self.failure(
            "\(word) needs the name of a file", hint: "Write \\graph \(word) graph.\(word).")
        }
      } else if path == nil, let format = Self.format(of: word) {
        (self.format, path) = (format, word)
      } else if graph == nil {
        graph = word
      } else {
        throw Self.failure(
          "extra argument \"\(word)\"", hint: "Write \\graph [GRAPH] [text|svg|html FILE].")
      }
    }
  }

  private static func format(of file: String) -> ChartRequest.Format? {
    ChartRequest.Format.allCases.first { $0 != .text && file.hasSuffix("." + $0.rawValue) }
  }

  private static func failure(_ message: String, hint: String) -> SQLError {
    SQLError(.syntaxError, message, hint: hint)
  }
}

extension Shell {
  /// `\graph`: draws a graph that has a name, or that the statement being typed gives as pairs.
  func drawGraph(_ command: MetaCommand) -> CommandEffect {
    do throws(SQLError) {
      let request = try GraphRequest(command.arguments)
      if let graph = request.graph {
        try draw(GraphPicture.Query(named: graph), title: graph, request)
        return .keepBuffer
      }
      let statement = expandedStatement(of: command)
      guard !statement.isEmpty else {
        throw SQLError(
          .syntaxError, "there is no graph to draw",
          hint: "Write \\graph and the name of a junction table or a property graph, or put \\graph"
            + " behind a statement that gives pairs.")
      }
      lastStatement = statement
      try draw(GraphPicture.Query(statement: statement), title: databaseName, request)
    } catch {
      var error = error
      error.message = "\\graph: " + error.message
      reportMeta(error)
    }
    return .clearBuffer
  }

  /// - Throws: what the statements throw, 22023 for a graph that cannot be drawn, 58P01 for a file that cannot be written.
  private func draw(
    _ query: GraphPicture.Query, title: String, _ request: GraphRequest
  ) throws(SQLError) {
    let picture = try GraphPicture(
      places: try connection.query(query.places),
      communities: try connection.query(query.communities),
      edges: try connection.query(query.edges))
    let title = settings.title ?? title
    let text: String
    switch request.format {
    case .text:
      let screen = request.path == nil ? printer.screen : nil
      let width = settings.columns > 0 ? settings.columns : screen?.columns ?? 80
      text = BrailleDrawing(picture, width: width, height: (screen?.rows ?? 34) - 4).lines
        .map { $0 + "\n" }.joined()
    case .svg: text = GraphSVG(picture, title: title).text
    case .html: text = GraphSVG(picture, title: title).page
    }
    try show(drawing: text, in: request.path)
  }
}
