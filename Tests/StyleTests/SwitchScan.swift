/// A `switch` with a `default:`, as its text shows it.
///
/// The formatter puts the labels of a switch and its closing brace at the indentation of the line that it begins on,
/// which is what this relies on.
struct DefaultedSwitch {
  /// The number of the line with the `default:`.
  let line: Int
  /// What is looked at.
  let subject: String
  /// The other labels, from behind `case` to the end of their first line.
  let labels: [String]

  /// Whether the labels can only be those of an enum: all are implicit members, or tuples with one, beside what stands
  /// for any value.
  var isOverEnum: Bool {
    labels.contains(where: Self.isMember)
      && labels.allSatisfy { Self.isMember($0) || Self.isOpen($0) }
  }

  private static func isMember(_ label: String) -> Bool {
    let label = label.hasPrefix("let ") ? label.dropFirst(4) : label[...]
    if label.hasPrefix("(") { return label.contains("(.") || label.contains(", .") }
    return label.hasPrefix(".")
  }

  private static func isOpen(_ label: String) -> Bool {
    label.hasPrefix("nil") || label.hasPrefix("_") || label.hasPrefix("let ")
  }
}

extension SourceTree.File {
  /// The switches with a `default:`.
  var defaultedSwitches: [DefaultedSwitch] {
    lines.indices.compactMap { index in
      let indent = lines[index].prefix { $0 == " " }
      guard lines[index].dropFirst(indent.count).hasPrefix("default:") else { return nil }
      var labels: [String] = []
      for line in lines[..<index].reversed() {
        let depth = line.prefix { $0 == " " }.count
        if line.isEmpty || depth > indent.count { continue }
        let words = line.dropFirst(depth)
        if depth == indent.count, words.hasPrefix("case ") {
          labels.append(String(words.dropFirst(5)))
        } else if let place = words.firstRange(of: "switch ") {
          return DefaultedSwitch(
            line: index + 1, subject: String(words[place.upperBound...]), labels: labels)
        }
      }
      return nil
    }
  }
}
