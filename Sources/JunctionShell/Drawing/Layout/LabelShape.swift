/// The label of a many-to-many relationship: the name of the junction table with its other columns below, or
/// where room is short a number that stands for them.
struct LabelShape {
  let lines: [String]
  /// The number, where it stands for a text elsewhere.
  let number: Int?
  /// The widest line with a blank on either side.
  let width: Int
  var height: Int { lines.count }

  /// More columns than this are counted rather than named.
  private static let columnCountMax = 8

  /// A label with the names.
  init(_ junction: Diagram.Junction) {
    var lines = [DisplayWidth.visible(junction.title)]
    let count = junction.columns.count
    let shownCount = count > Self.columnCountMax ? Self.columnCountMax - 1 : count
    lines += junction.columns.prefix(shownCount).map { "+ " + DisplayWidth.visible($0.name) }
    if count > shownCount { lines.append("… \(count - shownCount) more") }
    self.init(lines: lines, number: nil)
  }

  /// A label with a number.
  init(number: Int) { self.init(lines: [Self.text(ofNumber: number)], number: number) }

  private init(lines: [String], number: Int?) {
    self.lines = lines
    self.number = number
    width = (lines.map(DisplayWidth.of).max() ?? 0) + 2
  }

  /// A number as it stands on a line.
  static func text(ofNumber number: Int) -> String { "(\(number))" }
}
