import SQLSyntax

/// A table that records ask for.
struct SchemaTable {
  /// Its name, with its schema and a point before it where that is said.
  let name: String
  /// The record type that it is for; nil for a junction table that has none.
  let record: String?
  var columns: [SchemaColumn] = []
  var key: [String] = []
  /// Whether a record says what the key is, and not a column's name alone.
  var isKeySaid = false
  var uniques: [[String]] = []
  var references: [SchemaReference] = []

  /// The name without its schema.
  var plainName: String { name.split(separator: ".").last.map(String.init) ?? name }

  func column(_ name: String) -> SchemaColumn? { columns.first { $0.name == name } }

  /// Whether all columns of a list are there.
  func has(_ names: [String]) -> Bool { names.allSatisfy { column($0) != nil } }

  /// Adds a key over some columns, unless there is one.
  mutating func addUnique(_ columns: [String]) {
    let isKnown = ([key] + uniques).contains { Set($0) == Set(columns) }
    if !isKnown { uniques.append(columns) }
  }
}

/// A column that a property asks for, or a relation.
struct SchemaColumn {
  /// What makes a value where none is sent.
  enum Source: Hashable {
    case none, serial, identity
    /// A default.
    case expression(String)
  }

  let name: String
  var type: SchemaType
  /// Whether NULL may stand there; nil for a column that no property stands for.
  var isNullable: Bool?
  var source = Source.none
}

/// A foreign key that a relation asks for.
struct SchemaReference {
  /// The columns that refer.
  let columns: [String]
  let parent: String
  let parentColumns: [String]
  /// Whether it is one of the two of a junction table.
  var isLink: Bool
  /// At most one row refers to each row.
  var isUnique = false
  var rule: Said<DeleteRule>?
  /// How many rows refer to each row.
  var count: Said<ClosedRange<Int>>?

  /// What a relation says, and which one.
  struct Said<Value: Hashable & Sendable> {
    let value: Value
    /// `Student.courses`.
    let by: String
  }
}

/// Names as statements write them.
enum SchemaNames {
  /// A table's name, each part of it quoted where it has to be.
  static func quoted(_ table: String) -> String {
    table.split(separator: ".").map { SQLPrinter.quoted(String($0)) }.joined(separator: ".")
  }

  /// Names of columns with commas between.
  static func list(_ columns: [String]) -> String {
    columns.map(SQLPrinter.quoted).joined(separator: ", ")
  }
}
