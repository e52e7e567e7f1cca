import Junction

/// Prints results in the layout that the settings name.
struct ResultPrinter {
  let settings: PrintSettings
  let output: OutputStream
  /// The size of the screen that is written to; nil for a file or pipe.
  var screen: (columns: Int, rows: Int)?
  /// Whether someone is there to leave a pager.
  var mayPage = false

  /// Prints all rows of a result.
  func print(_ result: ResultSet) {
    let isExpanded = settings.expanded == .on
    let height = isExpanded ? result.count * (result.columns.count + 1) : result.count + 2
    switch settings.format {
    case .csv, .tsv: paged(height) { CSVLayout(settings: settings).print(result, to: $0) }
    case .unaligned: paged(height) { UnalignedLayout(settings: settings).print(result, to: $0) }
    case .json: paged(height) { JSONLayout().print(result, to: $0) }
    case .insert: paged(height) { InsertLayout(settings: settings).print(result, to: $0) }
    case .aligned, .wrapped, .markdown, .html, .latex, .latexLongtable, .asciidoc, .troff:
      print(TextTable(result, settings: settings))
    }
  }

  /// Prints a table of texts.
  func print(_ table: TextTable) {
    let isExpanded = settings.expanded == .on
    let rows = isExpanded ? table.rows.count * (table.names.count + 1) : table.rows.count
    let height = rows + table.footerLines.count + 2
    switch settings.format {
    case .csv, .tsv: paged(height) { CSVLayout(settings: settings).print(table, to: $0) }
    case .unaligned: paged(height) { UnalignedLayout(settings: settings).print(table, to: $0) }
    case .json: paged(height) { JSONLayout().print(table, to: $0) }
    case .insert: paged(height) { InsertLayout(settings: settings).print(table, to: $0) }
    case .markdown: paged(height) { MarkdownLayout().print(table, to: $0) }
    case .asciidoc: paged(height) { AsciidocLayout(settings: settings).print(table, to: $0) }
    case .troff: paged(height) { TroffLayout(settings: settings).print(table, to: $0) }
    case .latex, .latexLongtable:
      paged(height) { LatexLayout(settings: settings).print(table, to: $0) }
    case .html:
      let lines = table.rows.count * (table.names.count + 2)
      paged(lines) { HTMLLayout(settings: settings).print(table, to: $0) }
    case .aligned, .wrapped: printAligned(table)
    }
  }

  /// The columns that wrapped and automatically expanded output is made for; 0 where nothing says.
  private var targetWidth: Int { settings.columns > 0 ? settings.columns : screen?.columns ?? 0 }

  private func printAligned(_ table: TextTable) {
    let target = targetWidth
    if settings.expanded != .on {
      let layout = AlignedLayout(table, settings: settings, columns: target)
      let isTooWide = layout.isHeaderTooWide || layout.totalWidth > target
      let isTurned =
        settings.expanded == .auto && target > 0 && table.names.count > 1 && isTooWide
      if !isTurned {
        paged(layout.height, width: layout.totalWidth) { layout.print(to: $0) }
        return
      }
    }
    let layout = ExpandedLayout(table, settings: settings, columns: target)
    paged(layout.height) { layout.print(to: $0) }
  }

  /// Prints a text of the shell's own, such as help.
  func page(_ text: String) {
    paged(text.utf8.count { $0 == 0x0A }) { $0.write(text) }
  }

  /// Writes through the pager if the text is taller or wider than the screen.
  private func paged(_ height: Int, width: Int = 0, _ body: (OutputStream) -> Void) {
    guard mayPage, let screen,
      settings.pager.isUsed(
        height: height, width: width, screen: screen, heightMin: settings.pagerLinesMin)
    else {
      body(output)
      return
    }
    output.flush()
    Pager.run(body, otherwise: output)
  }
}

extension PrintSettings.Pager {
  /// Whether a text of this size goes through the pager.
  func isUsed(
    height: Int, width: Int, screen: (columns: Int, rows: Int), heightMin: Int
  ) -> Bool {
    switch self {
    case .off: false
    case .always: true
    case .on: (height >= screen.rows && height >= heightMin) || width > screen.columns
    }
  }
}
