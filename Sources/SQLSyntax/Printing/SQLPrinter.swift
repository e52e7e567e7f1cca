/// Writes trees back as SQL that PostgreSQL and this parser read as the same tree.
///
/// Parentheses are written only where the tree needs them; constants and names are quoted where
/// they must be. The tree's height is bounded, so the printer may recurse.
package struct SQLPrinter: Sendable {
  /// The text so far.
  private(set) var text = ""
  /// For whom the text is.
  let dialect: SQLDialect

  /// A printer that has written nothing.
  package init(_ dialect: SQLDialect = .postgres) { self.dialect = dialect }

  /// The text of an expression.
  package static func text(of expression: Expression) -> String {
    var printer = SQLPrinter()
    printer.write(expression)
    return printer.text
  }

  /// The text of a query.
  package static func text(
    of query: SelectStatement, for dialect: SQLDialect = .postgres
  ) -> String {
    var printer = SQLPrinter(dialect)
    printer.write(query)
    return printer.text
  }

  /// The text of a type.
  package static func text(of type: TypeName) -> String {
    var printer = SQLPrinter()
    printer.write(type)
    return printer.text
  }

  /// A name, in quotes if it needs them.
  package static func quoted(_ name: String) -> String {
    let bytes = Array(name.utf8)
    var isPlain = !bytes.isEmpty && (isIdentifierStart(bytes[0]))
    for byte in bytes where !isIdentifierPart(byte) || byte == ASCII.dollar || byte >= 0x80 {
      isPlain = false
    }
    for byte in bytes where asciiLowercased(byte) != byte { isPlain = false }
    if isPlain {
      guard let keyword = Keyword(name), keyword.category != .unreserved else { return name }
    }
    return "\""
      + name.split(separator: "\"", omittingEmptySubsequences: false)
      .joined(separator: "\"\"") + "\""
  }

  /// A string constant.
  package static func quotedString(_ value: String) -> String {
    "'" + value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
      + "'"
  }

  // MARK: Pieces

  mutating func put(_ piece: String) { text += piece }

  mutating func write(_ name: Identifier) { put(dialect.quoted(name.name)) }

  mutating func write(_ name: QualifiedName) {
    for (index, part) in name.parts.enumerated() {
      if index > 0 { put(".") }
      write(part)
    }
  }

  /// `(name, …)`.
  mutating func writeNames(_ names: [Identifier]) {
    put("(")
    for (index, name) in names.enumerated() {
      if index > 0 { put(", ") }
      write(name)
    }
    put(")")
  }

  /// Expressions between commas.
  mutating func writeList(_ list: [Expression]) {
    for (index, element) in list.enumerated() {
      if index > 0 { put(", ") }
      write(element)
    }
  }
}

// MARK: - Types

extension SQLPrinter {
  private static let spelled = [
    "int2": "smallint", "int4": "integer", "int8": "bigint", "float4": "real",
    "float8": "double precision", "bool": "boolean", "numeric": "numeric", "varbit": "bit varying",
    "bit": "bit", "varchar": "character varying", "bpchar": "character", "time": "time",
    "timetz": "time", "timestamp": "timestamp", "timestamptz": "timestamp", "interval": "interval",
  ]

  mutating func write(_ type: TypeName) {
    if dialect == .spark { return put(Self.sparkType(type)) }
    if type.isSetOf { put("SETOF ") }
    let name = type.name.name
    if type.isStandard, let word = Self.spelled[name] {
      put(name == "bpchar" && type.modifiers.isEmpty ? "bpchar" : word)
      if let fields = type.intervalFields { put(" " + fields.rawValue) }
      writeModifiers(type)
      if name == "timetz" || name == "timestamptz" { put(" with time zone") }
    } else {
      write(type.name)
      if type.isColumnType { put("%TYPE") }
      writeModifiers(type)
    }
    for bound in type.arrayBounds { put(bound.map { "[\($0)]" } ?? "[]") }
  }

  private mutating func writeModifiers(_ type: TypeName) {
    if type.modifiers.isEmpty { return }
    put("(")
    writeList(type.modifiers)
    put(")")
  }
}
