extension SQLError {
  /// The text that `psql` prints for the error, without a line end at its end.
  ///
  /// Below the message stands the line of the statement that the error is about with a caret under
  /// the place, then `DETAIL`, `HINT` and `CONTEXT` where they are known.
  public func rendered(statement: String) -> String {
    var lines = ["ERROR:  \(message)"]
    if range.isKnown, let excerpt = CaretExcerpt(statement, at: Int(range.lower)) {
      lines.append(excerpt.line)
      lines.append(excerpt.caret)
    }
    if let detail { lines.append("DETAIL:  \(detail)") }
    if let hint { lines.append("HINT:  \(hint)") }
    if let context { lines.append("CONTEXT:  \(context)") }
    return lines.joined(separator: "\n")
  }
}

/// One line of a statement, cut to what fits a terminal, and the caret under one of its characters.
struct CaretExcerpt {
  /// `LINE n: text`.
  let line: String
  /// Spaces and the caret.
  let caret: String

  /// The columns that the shown text may take.
  private static let width = 60
  /// The columns that stay visible to the right of the caret.
  private static let rightMargin = 10

  /// An excerpt around the byte `offset`; nil if that lies beyond the end of the statement.
  ///
  /// - Complexity: O(*n*) in the length of the statement.
  init?(_ statement: String, at offset: Int) {
    let scalars = Array(statement.unicodeScalars)
    guard offset <= statement.utf8.count else { return nil }
    var location = 0
    var bytes = 0
    while location < scalars.count, bytes < offset {
      bytes += UTF8.width(scalars[location])
      location += 1
    }
    let (number, begin, end) = Self.lineAround(location, in: scalars)
    // The column at which each character of the line begins, and that past the last.
    var columns = [0]
    for scalar in scalars[begin..<end] {
      columns.append(columns[columns.count - 1] + columnCount(scalar))
    }
    let place = min(location, end) - begin
    var (first, last) = (0, end - begin)
    var (isCutLeft, isCutRight) = (false, false)
    if columns[last] > Self.width {
      if Self.width >= columns[place] + Self.rightMargin {
        while columns[last] > Self.width { last -= 1 }
        isCutRight = true
      } else {
        while columns[place] + Self.rightMargin < columns[last] {
          last -= 1
          isCutRight = true
        }
        while columns[last] - columns[first] > Self.width {
          first += 1
          isCutLeft = true
        }
      }
    }
    var shown = String.UnicodeScalarView()
    for scalar in scalars[(begin + first)..<(begin + last)] {
      shown.append(scalar == "\t" ? " " : scalar)
    }
    let prefix = "LINE \(number): " + (isCutLeft ? "..." : "")
    line = prefix + String(shown) + (isCutRight ? "..." : "")
    let indent = prefix.unicodeScalars.count + columns[place] - columns[first]
    caret = String(repeating: " ", count: indent) + "^"
  }

  /// The number of the line that holds the character at `location`, and its bounds.
  private static func lineAround(
    _ location: Int, in scalars: [Unicode.Scalar]
  ) -> (number: Int, begin: Int, end: Int) {
    var (number, begin, index) = (1, 0, 0)
    while index < scalars.count {
      let scalar = scalars[index]
      if scalar == "\n" || scalar == "\r" {
        if index >= location { break }
        if scalar == "\r" || index == 0 || scalars[index - 1] != "\r" { number += 1 }
        begin = index + 1
      }
      index += 1
    }
    return (number, begin, index)
  }
}

/// The terminal columns that a character takes, at least one.
private func columnCount(_ scalar: Unicode.Scalar) -> Int {
  switch scalar.value {
  case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
    0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF,
    0x20000...0x3FFFD:
    2
  default: 1
  }
}
