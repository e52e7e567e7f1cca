extension CatalogSnapshot {
  /// The relation that a text names, as the argument of `nextval` does: dotted, quoted where needed.
  package func relation(spelled text: String, searchPath: [String]) -> Relation? {
    let parts = Self.nameParts(of: text)
    let schema = parts.count > 1 ? parts[parts.count - 2] : nil
    return relation(schema: schema, parts.last ?? "", searchPath: searchPath)
  }

  /// The parts of a dotted name as a statement would read them: folded unless quoted.
  package static func nameParts(of text: String) -> [String] {
    var parts = [""]
    var isQuoted = false
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": isQuoted.toggle()
      case "." where !isQuoted: parts.append("")
      default:
        parts[parts.count - 1] +=
          isQuoted ? String(scalar) : String(scalar).lowercased()
      }
    }
    return parts
  }
}
