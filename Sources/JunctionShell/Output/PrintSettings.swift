/// How results are printed: what `\pset` sets.
struct PrintSettings: Sendable {
  /// The layouts of a result.
  enum Format: String, CaseIterable, Sendable {
    case aligned, asciidoc, csv, html, insert, json, latex
    case latexLongtable = "latex-longtable"
    case markdown
    case troff = "troff-ms"
    case tsv, unaligned, wrapped
  }
  /// The characters that tables are drawn with.
  enum LineStyle: String, CaseIterable, Sendable {
    case ascii
    case oldASCII = "old-ascii"
    case unicode
  }
  /// How the lines of unicode tables are drawn.
  enum LineWeight: String, CaseIterable, Sendable { case single, double }

  var format = Format.aligned
  /// Whether each column has a line of its own; `auto` when the table would be wider than the screen.
  enum Expanded: String, CaseIterable, Sendable { case on, off, auto }
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
  /// 0 no lines, 1 lines between columns, 2 a frame; more only where a format knows more.
  var border = 1
  var lineStyle = LineStyle.ascii
  var borderWeight = LineWeight.single
  var columnWeight = LineWeight.single
  var headerWeight = LineWeight.single
  /// The width that wrapped and automatically expanded output is made for; 0 for that of the screen.
  var columns = 0
  /// Whether digits of numbers stand in groups of three.
  var groupsDigits = false
  var footer = true
  var title: String?
  /// Attributes of an HTML table, or the widths of the columns of a long LaTeX table.
  var tableAttributes: String?
  /// The table that rows are written for as INSERT statements.
  var insertTable = "new_table"
  /// When output goes through the pager.
  enum Pager: String, CaseIterable, Sendable { case off, on, always }
  var pager = Pager.on
  /// Shorter output never goes through the pager.
  var pagerLinesMin = 0
}
