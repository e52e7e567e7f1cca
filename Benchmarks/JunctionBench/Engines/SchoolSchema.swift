import Foundation

/// The tables of a school's `schema.sql`, for engines that are given them in words of their own.
struct SchoolSchema {
  struct Column: Equatable {
    var name: String
    var type: String
    /// "PRIMARY KEY", "UNIQUE", "NOT NULL" or nothing.
    var constraint = ""
    /// What stands behind REFERENCES.
    var reference: String?
  }

  struct Table: Equatable {
    var name: String
    var columns: [Column] = []
    /// The columns of a primary key of several.
    var key: [String] = []
  }

  private(set) var tables: [Table] = []

  /// Reads the schema of a folder.
  init(folder: String) throws(BenchError) {
    let path = "\(folder)/schema.sql"
    guard let bytes = FileManager.default.contents(atPath: path) else {
      throw BenchError("could not read \"\(path)\"")
    }
    self.init(text: String(decoding: bytes, as: UTF8.self))
  }

  /// Reads a schema as the generators write it: a line for each column and each key.
  init(text: String) {
    for line in text.split(separator: "\n") {
      var words = line.split { $0 == " " || $0 == "," }.map(String.init)
      if words.starts(with: ["CREATE", "TABLE"]) {
        tables.append(Table(name: words[2]))
      } else if words.starts(with: ["PRIMARY", "KEY"]) {
        let names = words.dropFirst(2).map { $0.filter { $0 != "(" && $0 != ")" } }
        tables[tables.count - 1].key = names
      } else if line.hasPrefix("    "), !tables.isEmpty {
        var column = Column(name: words.removeFirst(), type: words.removeFirst())
        // The digits behind a comma belong to a type such as `numeric(3,2)`.
        if let next = words.first, next.hasSuffix(")"), next.first?.isNumber == true {
          column.type += ",\(words.removeFirst())"
        }
        if let place = words.firstIndex(of: "REFERENCES") {
          column.reference = words[(place + 1)...].joined(separator: " ")
          words.removeSubrange(place...)
        }
        column.constraint = words.joined(separator: " ")
        tables[tables.count - 1].columns.append(column)
      }
    }
  }
}

extension SchoolSchema.Table {
  /// The table with nothing but columns and types.
  var plainDefinition: String {
    "CREATE TABLE \(name) (\(columns.map { "\($0.name) \($0.type)" }.joined(separator: ", ")))"
  }

  /// The table as SQLite takes it: types by affinity, and tables of pairs without row numbers.
  var sqliteDefinition: String {
    var parts = columns.map { column in
      var text = "\(column.name) \(column.affinity)"
      if !column.constraint.isEmpty { text += " \(column.constraint)" }
      return text + column.reference.map { " REFERENCES \($0)" }.orEmpty
    }
    if !key.isEmpty { parts.append("PRIMARY KEY (\(key.joined(separator: ", ")))") }
    return "CREATE TABLE \(name) (\(parts.joined(separator: ", ")))"
      + (key.isEmpty ? "" : " WITHOUT ROWID")
  }

  /// An index for each column that refers to another table and that no key begins with.
  var sqliteIndices: [String] {
    columns.filter { $0.reference != nil && $0.name != key.first }.map { column in
      let others = key.filter { $0 != column.name }
      return "CREATE INDEX \(name)_by_\(column.name) ON \(name) "
        + "(\(([column.name] + others).joined(separator: ", ")))"
    }
  }
}

extension SchoolSchema.Column {
  /// SQLite's words for the type.
  fileprivate var affinity: String {
    let name = type.lowercased()
    if name == "int" { return "INTEGER" }
    if name.hasPrefix("numeric") { return "REAL" }
    return name == "boolean" ? "INTEGER" : "TEXT"
  }

  /// Whether the file has words for what SQLite knows as 1 and 0.
  var isBoolean: Bool { type.lowercased() == "boolean" }
}
