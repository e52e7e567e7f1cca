import Catalog
import Columnar
import SQLSyntax

/// Statements that change one object into another.
enum CatalogStatements {
  /// Adds the labels that an enumeration lacks; nil where labels went, or change places.
  static func addLabels(
    _ old: EnumerationType, _ new: EnumerationType, to name: String
  ) -> [String]? {
    guard new.labels.filter(old.labels.contains) == old.labels else { return nil }
    var statements: [String] = []
    for (place, label) in new.labels.enumerated() where !old.labels.contains(label) {
      let before =
        place == 0
        ? old.labels.first.map { " BEFORE \(SQLPrinter.quotedString($0))" } ?? ""
        : " AFTER \(SQLPrinter.quotedString(new.labels[place - 1]))"
      statements.append(
        "ALTER TYPE \(name) ADD VALUE \(SQLPrinter.quotedString(label))\(before);")
    }
    return statements
  }

  /// Makes a column of a table another one of the same name.
  static func change(
    _ old: TableColumn, _ oldText: DefinitionText, _ new: TableColumn, _ newText: DefinitionText,
    _ table: String
  ) -> [String] {
    let name = SQLPrinter.quoted(new.name)
    let alter = "ALTER TABLE \(table) ALTER COLUMN \(name)"
    let (was, now) = (expression(old.generated), expression(new.generated))
    if now != nil, was != now {
      // What a column is computed of cannot be altered.
      return [
        "ALTER TABLE \(table) DROP COLUMN \(name);",
        "ALTER TABLE \(table) ADD COLUMN \(newText.definition(of: new));",
      ]
    }
    var statements: [String] = []
    if was != nil, now == nil { statements.append("\(alter) DROP EXPRESSION;") }
    if old.identity != nil, new.identity == nil { statements.append("\(alter) DROP IDENTITY;") }
    let oldDefault = old.identity == nil ? oldText.defaultText(of: old) : nil
    let newDefault = new.identity == nil ? newText.defaultText(of: new) : nil
    let type = newText.typeText(of: new)
    let isOtherType = oldText.typeText(of: old) != type
    // A default of the old type may be none of the new one.
    if oldDefault != nil, newDefault == nil || isOtherType {
      statements.append("\(alter) DROP DEFAULT;")
    }
    if isOtherType {
      let plain = newText.type(new.columnType, domain: new.domain)
      statements.append("\(alter) TYPE \(type) USING \(name)::\(plain);")
    }
    if let newDefault, newDefault != oldDefault || isOtherType {
      statements.append("\(alter) SET DEFAULT \(newDefault);")
    }
    if new.isNotNull != old.isNotNull {
      statements.append("\(alter) \(new.isNotNull ? "SET" : "DROP") NOT NULL;")
    }
    return statements + identity(old, new, newText, alter)
  }

  private static func expression(_ expression: SQLSyntax.Expression?) -> String? {
    expression.map { SQLPrinter.text(of: $0) }
  }

  private static func identity(
    _ old: TableColumn, _ new: TableColumn, _ text: DefinitionText, _ alter: String
  ) -> [String] {
    guard let identity = new.identity else { return [] }
    let kind = identity == .always ? "ALWAYS" : "BY DEFAULT"
    if old.identity == nil {
      let sequence = text.identityOptions(of: new).map { " (\($0))" } ?? ""
      return ["\(alter) ADD GENERATED \(kind) AS IDENTITY\(sequence);"]
    }
    return old.identity == identity ? [] : ["\(alter) SET GENERATED \(kind);"]
  }
}
