import Diagnostics
import Junction

/// How `\plot` is asked for a drawing: `\plot [KIND] [COLUMN…] [FORMAT FILE]`.
struct ChartRequest: Equatable {
  enum Format: String, CaseIterable { case text, svg, html }
  var kind: Chart.Kind?
  var columns: [String] = []
  var format = Format.text
  var path: String?

  /// Reads the arguments: what follows a format is a file.
  ///
  /// - Throws: 42601 if the file is missing, or something follows it.
  init(_ arguments: [String]) throws(SQLError) {
    var words = arguments[...]
    if let kind = words.first.flatMap(Chart.Kind.init) {
      self.kind = kind
      words.removeFirst()
    }
    while let word = words.popFirst() {
      guard let format = Format(rawValue: word) else {
        columns.append(word)
        continue
      }
      self.format = format
      path = words.popFirst()
      if path == nil, format != .text {
        throw Chart.failure(
          "\(word) needs the name of a file", hint: "Write \\plot \(word) plot.\(word).")
      }
      break
    }
    if let word = words.first { throw Chart.failure("extra argument \"\(word)\"") }
  }
}

extension Shell {
  /// `\plot`: runs the statement and draws its rows, on the screen or in a file.
  func plot(_ command: MetaCommand) -> CommandEffect {
    do throws(SQLError) {
      let request = try ChartRequest(command.arguments)
      if let rows = rows(of: expandedStatement(of: command)) { try draw(rows, request) }
    } catch {
      var error = error
      error.message = "\\plot: " + error.message
      reportMeta(error)
    }
    return .clearBuffer
  }

  /// - Throws: 22023 for columns that cannot be drawn, 58P01 for a file that cannot be written.
  private func draw(_ rows: ResultSet, _ request: ChartRequest) throws(SQLError) {
    let chart = try Chart(rows, kind: request.kind, columns: request.columns)
    let title =
      settings.title ?? chart.series.map(\.name).joined(separator: ", ") + " by " + chart.axis
    let text: String
    switch request.format {
    case .text:
      let screen = request.path == nil ? printer.screen : nil
      let width = settings.columns > 0 ? settings.columns : screen?.columns ?? 80
      text = TextChart(chart, width: width, height: (screen?.rows ?? 24) - 6).lines
        .map { $0 + "\n" }.joined()
    case .svg: text = SVGChart(chart, title: title).text
    case .html: text = SVGChart(chart, title: title).page
    }
    try show(drawing: text, in: request.path)
  }

  /// Shows a drawing on the screen, or writes it to a file.
  ///
  /// - Throws: 58P01 for a file that cannot be written.
  func show(drawing text: String, in path: String?) throws(SQLError) {
    guard let path else {
      printer.page(text)
      return
    }
    let file = try openOutput(path)
    file.write(text)
    if let reason = file.finish() { throw SQLError(.ioError, "\(path): \(reason)") }
    say("The drawing is in \"\(path)\".")
  }
}
