import Junction

/// Prints results in the layout that the settings name.
struct ResultPrinter {
  let settings: PrintSettings
  let output: OutputStream

  /// Prints all rows of a result.
  func print(_ result: ResultSet) {
    switch settings.format {
    case .csv: CSVLayout(settings: settings).print(result, to: output)
    case .unaligned: UnalignedLayout(settings: settings).print(result, to: output)
    case .json: JSONLayout().print(result, to: output)
    case .markdown: MarkdownLayout(settings: settings).print(result, to: output)
    case .html: HTMLLayout(settings: settings).print(result, to: output)
    case .aligned:
      switch settings.expanded {
      case .on: ExpandedLayout(settings: settings).print(result, to: output)
      case .off, .auto: AlignedLayout(settings: settings).print(result, to: output)
      }
    }
  }
}

/// A result with every value already text: what layouts that measure widths work on.
struct TextTable {
  let names: [String]
  let isNumeric: [Bool]
  let rows: [[String]]

  init(_ result: ResultSet, null: String) {
    names = result.columns.map(\.name)
    isNumeric = result.columns.map(\.isNumeric)
    rows = (0..<result.count).map { row in
      result.columns.indices.map { result.text(row: row, column: $0) ?? null }
    }
  }
}

/// The line below a table: `(3 rows)`.
func rowCountFooter(_ count: Int) -> String { count == 1 ? "(1 row)" : "(\(count) rows)" }
