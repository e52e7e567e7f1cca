import Junction

extension ResultSet.Row {
  /// The values as a text, for rows that are compared with others or shown; printing them by reflection takes ten times as long.
  var line: String {
    var line = "["
    for value in values {
      if line.utf8.count > 1 { line += ", " }
      switch value {
      case .null: line += "null"
      case .boolean(let truth): line += truth ? "true" : "false"
      case .integer(let number): line += "integer(" + String(number) + ")"
      case .double(let number): line += "double(" + number.description + ")"
      case .text(let text): line += "text(\"" + text + "\")"
      case .numeric(let number): line += "numeric(" + number.description + ")"
      case .date(let date): line += "date(" + date.description + ")"
      case .bytes, .uuid, .time, .timestamp, .interval, .json, .array: line += "\(value)"
      }
    }
    return line + "]"
  }
}
