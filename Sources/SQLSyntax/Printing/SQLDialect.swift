/// A system whose SQL is printed.
package enum SQLDialect: Sendable, Hashable {
  /// PostgreSQL 15, which is Junction's own as well.
  case postgres
  /// Spark 4.
  case spark

  /// Words that are no key words of PostgreSQL and cannot be names everywhere in Spark.
  private static let sparkWords: Set<String> = ["anti", "semi", "minus", "div", "rlike", "struct"]

  /// A name, in quotes if it needs them.
  package func quoted(_ name: String) -> String {
    if self == .postgres { return SQLPrinter.quoted(name) }
    let isPlain = SQLPrinter.quoted(name) == name && name.utf8.first != UInt8(ascii: "_")
    if isPlain && !Self.sparkWords.contains(name) { return name }
    return "`"
      + name.split(separator: "`", omittingEmptySubsequences: false).joined(separator: "``") + "`"
  }

  /// A string constant.
  package func quotedString(_ value: String) -> String {
    if self == .postgres { return SQLPrinter.quotedString(value) }
    var text = "'"
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\\", "'": text += "\\" + String(scalar)
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "'"
  }
}

extension SQLPrinter {
  private static let sparkNames = [
    "int2": "smallint", "int4": "int", "int8": "bigint", "float4": "float", "float8": "double",
    "bool": "boolean", "text": "string", "varchar": "string", "bpchar": "string", "name": "string",
    "uuid": "string", "json": "string", "jsonb": "string", "time": "string", "interval": "string",
    "timestamp": "timestamp_ntz", "timestamptz": "timestamp", "bytea": "binary", "oid": "bigint",
  ]

  /// A type in Spark's words; what it has not is a string there.
  static func sparkType(_ type: TypeName) -> String {
    let name = type.name.name
    var text = sparkNames[name] ?? name
    if name == "numeric" {
      let numbers = type.modifiers.map { SQLPrinter.text(of: $0) }
      text = "decimal(" + (numbers.isEmpty ? "38, 18" : numbers.joined(separator: ", ")) + ")"
    }
    for _ in type.arrayBounds { text = "array<\(text)>" }
    return text
  }
}
