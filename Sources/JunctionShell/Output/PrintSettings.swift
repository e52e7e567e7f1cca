/// How results are printed: what `\pset` sets.
struct PrintSettings {
  /// The layouts of a result.
  enum Format: String, CaseIterable {
    case aligned, unaligned, csv, json, markdown, html
  }
  var format = Format.aligned
  /// Whether each column has a line of its own; `auto` when the table would be wider than the screen.
  enum Expanded: String { case on, off, auto }
  var expanded = Expanded.off
  /// `\t`: rows only, without header, title and row count.
  var tuplesOnly = false
  /// What stands for NULL.
  var null = ""
  /// Between the columns of unaligned output.
  var fieldSeparator = "|"
  /// Between the rows of unaligned output.
  var recordSeparator = "\n"
  /// Between the columns of CSV.
  var csvFieldSeparator = ","
  /// 0 no lines, 1 lines between columns, 2 a frame.
  var border = 1
  /// Lines drawn with box characters rather than `|` and `-`.
  var usesUnicodeLines = false
  var footer = true
  var title: String?
  /// When output goes through the pager.
  enum Pager: String { case off, on, always }
  var pager = Pager.on
  /// Shorter output never goes through the pager.
  var pagerLinesMin = 0
}
