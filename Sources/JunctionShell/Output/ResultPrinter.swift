import Junction

/// Prints results in the layout that the settings name.
struct ResultPrinter {
  let settings: PrintSettings
  let output: OutputStream
  /// The size of the screen that is written to; nil for a file or pipe.
  var screen: (columns: Int, rows: Int)?

  /// Prints all rows of a result.
  func print(_ result: ResultSet) {
    switch settings.format {
    case .csv: CSVLayout(settings: settings).print(result, to: output)
    case .unaligned: UnalignedLayout(settings: settings).print(result, to: output)
    case .json: JSONLayout().print(result, to: output)
    default: print(TextTable(result, settings: settings))
    }
  }

  /// Prints a table of texts.
  func print(_ table: TextTable) {
    switch settings.format {
    case .csv: CSVLayout(settings: settings).print(table, to: output)
    case .unaligned: UnalignedLayout(settings: settings).print(table, to: output)
    case .json: JSONLayout().print(table, to: output)
    case .markdown: MarkdownLayout().print(table, to: output)
    case .html: HTMLLayout(settings: settings).print(table, to: output)
    case .aligned: printAligned(table)
    }
  }

  private func printAligned(_ table: TextTable) {
    if settings.expanded == .on {
      let layout = ExpandedLayout(table, settings: settings)
      paged(layout.height) { layout.print(to: $0) }
      return
    }
    let layout = AlignedLayout(table, settings: settings)
    if settings.expanded == .auto, let screen, layout.totalWidth > screen.columns {
      let expanded = ExpandedLayout(table, settings: settings)
      paged(expanded.height) { expanded.print(to: $0) }
    } else {
      paged(layout.height) { layout.print(to: $0) }
    }
  }

  /// Writes through the pager if the text is taller than the screen.
  private func paged(_ height: Int, _ body: (OutputStream) -> Void) {
    guard let screen, settings.pager != .off,
      settings.pager == .always || height >= screen.rows
    else {
      body(output)
      return
    }
    output.flush()
    Pager.run(body, otherwise: output)
  }
}
