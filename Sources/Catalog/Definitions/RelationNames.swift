package import Diagnostics
import SQLSyntax

/// Texts that name a relation: `regclass`.
extension CatalogSnapshot {
  /// The relation that a text names, by the name that a session may call it: with its schema where that is not searched.
  ///
  /// A number, or `-` for none, stays what it is.
  /// - Throws: 42602 for a text that is no name, 3F000, 42P01.
  package func relationName(
    spelled text: String, searchPath: [String]
  ) throws(SQLError) -> String {
    if text == "-" { return text }
    if !text.isEmpty, text.utf8.allSatisfy({ $0 &- 48 < 10 }), let number = UInt32(text) {
      return number == 0 ? "-" : String(number)
    }
    let parts = try Self.strictNameParts(of: text)
    let name = parts[parts.count - 1]
    let schema = parts.count > 1 ? parts[parts.count - 2] : nil
    if parts.count > 2 {
      throw SQLError(
        .featureNotSupported, "cross-database references are not implemented: \(text)")
    }
    guard let found = relation(schema: schema, name, searchPath: searchPath) else {
      if let schema, !schemas.contains(schema) {
        throw SQLError(.invalidSchemaName, "schema \"\(schema)\" does not exist")
      }
      throw SQLError(
        .undefinedTable, "relation \"\(parts.joined(separator: "."))\" does not exist")
    }
    let visible = relation(schema: nil, name, searchPath: searchPath)
    if visible?.id == found.id { return SQLPrinter.quoted(name) }
    return (schema.map { SQLPrinter.quoted($0) + "." } ?? "") + SQLPrinter.quoted(name)
  }

  /// The parts of a dotted name, which is all that the text may have.
  ///
  /// - Throws: 42602.
  private static func strictNameParts(of text: String) throws(SQLError) -> [String] {
    let invalid = SQLError(SQLState("42602"), "invalid name syntax")
    let scalars = Array(text.unicodeScalars)
    var parts: [String] = []
    var index = 0
    func skipSpaces() {
      while index < scalars.count, scalars[index].properties.isWhitespace { index += 1 }
    }
    while true {
      skipSpaces()
      var part = String.UnicodeScalarView()
      if index < scalars.count, scalars[index] == "\"" {
        index += 1
        while true {
          guard index < scalars.count else { throw invalid }
          let scalar = scalars[index]
          index += 1
          if scalar == "\"" {
            guard index < scalars.count, scalars[index] == "\"" else { break }
            index += 1
          }
          part.append(scalar)
        }
      } else {
        while index < scalars.count, scalars[index] != ".",
          !scalars[index].properties.isWhitespace
        {
          part.append(contentsOf: String(scalars[index]).lowercased().unicodeScalars)
          index += 1
        }
        if part.isEmpty { throw invalid }
      }
      parts.append(String(part))
      skipSpaces()
      if index == scalars.count { return parts }
      guard scalars[index] == "." else { throw invalid }
      index += 1
    }
  }
}

extension CatalogSnapshot.Relation {
  /// What tells the relation from all others.
  package var id: ObjectID {
    switch self {
    case .table(let table): table.id
    case .view(let view): view.id
    case .sequence(let sequence): sequence.id
    case .graph(let graph): graph.id
    }
  }
}
