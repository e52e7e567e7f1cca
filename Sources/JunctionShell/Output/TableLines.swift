/// The characters that tables are drawn with.
struct TableLines {
  /// The characters of one horizontal line.
  struct Rule {
    let horizontal, left, middle, right: String
  }
  let top, inner, bottom: Rule
  /// The lines beside and between the values of a row.
  let leftEdge, vertical, rightEdge: String
  /// Between columns where the one on the right goes on behind a line end, or in the middle of a line, or has ended.
  let verticalBehindEnd, verticalWrapped, verticalBlank: String
  /// Around a line of a header that goes on from the line above, or below.
  let headerLeft, headerRight: String
  /// Before a line of a value that goes on from a line end, and behind one that goes on below.
  let endLeft, endRight: String
  /// The same where a line was wrapped.
  let wrapLeft, wrapRight: String
  /// Whether the marks on the right have a column of their own even without lines.
  let marksRight: Bool

  init(_ settings: PrintSettings) {
    switch settings.lineStyle {
    case .ascii: self = .ascii
    case .oldASCII: self = .oldASCII
    case .unicode: self = .unicode(settings)
    }
  }

  private init(
    top: Rule, inner: Rule, bottom: Rule, edge: String, vertical: String,
    broken: (end: String, wrapped: String, blank: String), header: (left: String, right: String),
    end: (left: String, right: String), wrap: (left: String, right: String), marksRight: Bool
  ) {
    (self.top, self.inner, self.bottom) = (top, inner, bottom)
    (leftEdge, self.vertical, rightEdge) = (edge, vertical, edge)
    (verticalBehindEnd, verticalWrapped, verticalBlank) = broken
    (headerLeft, headerRight) = header
    (endLeft, endRight) = end
    (wrapLeft, wrapRight) = wrap
    self.marksRight = marksRight
  }

  private static let plain = Rule(horizontal: "-", left: "+", middle: "+", right: "+")

  private static let ascii = TableLines(
    top: plain, inner: plain, bottom: plain, edge: "|", vertical: "|", broken: ("|", "|", "|"),
    header: (" ", "+"), end: (" ", "+"), wrap: (".", "."), marksRight: true)

  private static let oldASCII = TableLines(
    top: plain, inner: plain, bottom: plain, edge: "|", vertical: "|", broken: (":", ";", " "),
    header: ("+", " "), end: (" ", " "), wrap: (" ", " "), marksRight: false)

  private static func unicode(_ settings: PrintSettings) -> TableLines {
    let isBorderDouble = settings.borderWeight == .double
    let isHeaderDouble = settings.headerWeight == .double
    let isColumnDouble = settings.columnWeight == .double
    func pick(_ isDouble: Bool, _ single: String, _ double: String) -> String {
      isDouble ? double : single
    }
    let line = pick(isBorderDouble, "─", "═")
    let vertical = pick(isColumnDouble, "│", "║")
    let top = Rule(
      horizontal: line, left: pick(isBorderDouble, "┌", "╔"),
      middle: isColumnDouble ? pick(isBorderDouble, "╥", "╦") : pick(isBorderDouble, "┬", "╤"),
      right: pick(isBorderDouble, "┐", "╗"))
    let inner = Rule(
      horizontal: pick(isHeaderDouble, "─", "═"),
      left: isHeaderDouble ? pick(isBorderDouble, "╞", "╠") : pick(isBorderDouble, "├", "╟"),
      middle: isColumnDouble ? pick(isHeaderDouble, "╫", "╬") : pick(isHeaderDouble, "┼", "╪"),
      right: isHeaderDouble ? pick(isBorderDouble, "╡", "╣") : pick(isBorderDouble, "┤", "╢"))
    let bottom = Rule(
      horizontal: line, left: pick(isBorderDouble, "└", "╚"),
      middle: isColumnDouble ? pick(isBorderDouble, "╨", "╩") : pick(isBorderDouble, "┴", "╧"),
      right: pick(isBorderDouble, "┘", "╝"))
    return TableLines(
      top: top, inner: inner, bottom: bottom, edge: pick(isBorderDouble, "│", "║"),
      vertical: vertical, broken: (vertical, vertical, vertical), header: (" ", "↵"),
      end: (" ", "↵"), wrap: ("…", "…"), marksRight: true)
  }
}
