import Junction

/// A result with every value already text: what layouts that measure widths work on, and what `\d` makes.
struct TextTable {
  /// What stands above the table.
  var title: String?
  var names: [String]
  /// Which columns stand flush right.
  var isNumeric: [Bool]
  var rows: [[String]]
  /// The lines below the table; nil stands for the count of rows.
  var footers: [String]?

  /// A table of texts.
  init(
    title: String? = nil, names: [String], isNumeric: [Bool]? = nil, rows: [[String]],
    footers: [String]? = nil
  ) {
    self.title = title
    self.names = names
    self.isNumeric = isNumeric ?? names.map { _ in false }
    self.rows = rows
    self.footers = footers
  }

  /// The values of a result, NULL as the settings say.
  init(_ result: ResultSet, settings: PrintSettings) {
    var rows: [[String]] = []
    // Rows without columns leave nothing but their count.
    if !result.columns.isEmpty {
      rows.reserveCapacity(result.count)
      for row in 0..<result.count {
        if Interrupts.isPending { break }
        rows.append(
          result.columns.indices.map { column in
            guard let text = result.text(row: row, column: column) else { return settings.null }
            let isGrouped = settings.groupsDigits && result.columns[column].isNumeric
            return isGrouped ? DigitGroups.text(text) : text
          })
      }
    }
    self.init(
      title: settings.title, names: result.columns.map(\.name),
      isNumeric: result.columns.map(\.isNumeric), rows: rows)
    if result.columns.isEmpty { footers = [rowCountFooter(result.count)] }
    if !settings.footer { footers = [] }
  }

  /// The values as they stand in cells; those that nobody waits for any longer are left out.
  var cells: [[CellText]] {
    var cells: [[CellText]] = []
    cells.reserveCapacity(rows.count)
    for row in rows {
      if Interrupts.isPending { break }
      cells.append(row.map(CellText.init))
    }
    return cells
  }

  /// The lines below the table, the count of rows included where nothing takes its place.
  var footerLines: [String] { footers ?? [rowCountFooter(rows.count)] }
}

/// The line below a table: `(3 rows)`.
func rowCountFooter(_ count: Int) -> String { count == 1 ? "(1 row)" : "(\(count) rows)" }

/// A value as it stands in a cell: its lines and their widths.
struct CellText {
  let lines: [String]
  let widths: [Int]
  /// The width of the widest line.
  let width: Int

  init(_ text: String) {
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) {
      lines = [text]
      width = text.utf8.count
      widths = [width]
      return
    }
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map {
      DisplayWidth.visible($0)
    }
    widths = lines.map(DisplayWidth.of)
    width = widths.max() ?? 0
  }
}

/// The lines of one cell, handed out one after another, cut where they are wider than the column.
struct CellPieces {
  /// How what comes next goes on from what was handed out.
  enum State { case begins, isWrapped, isBehindEnd }
  private let cell: CellText
  private let width: Int
  private var line = 0
  /// What is left of a line that was cut.
  private var rest: Substring?

  init(_ cell: CellText, width: Int) {
    self.cell = cell
    self.width = width
  }

  var isAtEnd: Bool { line >= cell.lines.count }

  var state: State {
    isAtEnd || (line == 0 && rest == nil) ? .begins : rest == nil ? .isBehindEnd : .isWrapped
  }

  /// The next piece and its width; nil at the end.
  mutating func take() -> (String, Int)? {
    guard !isAtEnd else { return nil }
    if rest == nil, cell.widths[line] <= width {
      defer { line += 1 }
      return (cell.lines[line], cell.widths[line])
    }
    let whole = rest ?? cell.lines[line][...]
    let piece = DisplayWidth.prefix(of: whole, cells: width)
    if piece.endIndex < whole.endIndex {
      rest = whole[piece.endIndex...]
    } else {
      rest = nil
      line += 1
    }
    return (String(piece), min(width, DisplayWidth.of(piece)))
  }
}

/// Numbers whose digits stand in groups.
enum DigitGroups {
  /// The number with a comma between each three digits before its point; other texts stay as they are.
  static func text(_ number: String) -> String {
    let sign = number.prefix { $0 == "-" || $0 == "+" }
    let digits = number.dropFirst(sign.count).prefix { $0.isASCII && $0.isNumber }
    guard digits.count > 3 else { return number }
    var grouped = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { grouped.append(",") }
      grouped.append(digit)
    }
    return sign + grouped + number.dropFirst(sign.count + digits.count)
  }
}

/// So many blanks.
func blanks(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }
