/// How much of a table is shown, and how many cells that takes.
///
/// Sizes are in cells of a terminal, borders included; other formats scale them.
struct BoxShape {
  /// How much is shown, from all to next to nothing.
  enum Detail: CaseIterable {
    /// All columns with their types.
    case typed
    /// All columns.
    case named
    /// The columns of keys and foreign keys.
    case keys
    /// The name alone.
    case title
  }

  /// One line of a table: a column, or what was left out.
  struct Line: Equatable {
    var marks = ""
    var name: String
    var type = ""
  }

  let title: String
  private(set) var lines: [Line] = []
  /// The line of each column that is shown.
  private var lineOfColumn: [Int: Int] = [:]
  let marksWidth: Int
  let nameWidth: Int
  let typeWidth: Int
  /// The width of what stands between the borders and the blanks beside them.
  let textWidth: Int
  /// Lines added at the end, so that there is one for each edge.
  var spareLineCount = 0

  init(_ box: Diagram.Box, _ detail: Detail) {
    title = DisplayWidth.visible(box.title)
    if detail != .title {
      for (index, column) in box.columns.enumerated() {
        let marks = column.marks
        if detail == .keys && marks.isEmpty { continue }
        lineOfColumn[index] = lines.count
        lines.append(
          Line(
            marks: marks.joined(separator: ","), name: DisplayWidth.visible(column.name),
            type: detail == .typed ? DisplayWidth.visible(column.type) : ""))
      }
      let hiddenCount = box.columns.count - lines.count
      if hiddenCount > 0 { lines.append(Line(name: "… \(hiddenCount) more")) }
    }
    marksWidth = lines.map { DisplayWidth.of($0.marks) }.max() ?? 0
    nameWidth = lines.map { DisplayWidth.of($0.name) }.max() ?? 0
    typeWidth = lines.map { DisplayWidth.of($0.type) }.max() ?? 0
    let parts = [marksWidth, nameWidth, typeWidth].filter { $0 > 0 }
    textWidth = max(DisplayWidth.of(title), parts.reduce(0, +) + max(0, parts.count - 1))
  }

  /// The cells from border to border.
  var width: Int { textWidth + 4 }

  /// Whether there is anything below the title.
  var hasBody: Bool { !lines.isEmpty || spareLineCount > 0 }

  var height: Int { hasBody ? 4 + lines.count + spareLineCount : 3 }

  /// The row of the title, from the top of the box.
  static let titleRow = 1

  /// The row of a line, from the top of the box.
  static func row(ofLine line: Int) -> Int { 3 + line }

  /// The row where an edge about a column should end: the title's if the column is not shown.
  func row(ofColumn column: Int) -> Int {
    lineOfColumn[column].map(Self.row) ?? Self.titleRow
  }

  /// The rows where edges may end.
  var portRows: [Int] {
    [Self.titleRow] + (0..<lines.count + spareLineCount).map(Self.row)
  }
}
