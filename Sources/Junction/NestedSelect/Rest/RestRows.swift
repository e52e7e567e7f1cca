import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// Rows that a request brings, by the columns that they have values for.
struct RestRows {
  /// The columns, in the order in which they come.
  private(set) var columns: [ReadTable.Column] = []
  /// A value for each column; nil where a row has none.
  private(set) var rows: [[JSONTextEncoder.Part?]] = []

  /// Encodes values as rows of a table.
  ///
  /// - Throws: PGRST102 for what are no rows, PGRST204 for a member without a column, 42701 for two of one column, 22023 for a
  ///   value that cannot be encoded.
  init(_ body: RestBody, of table: ReadTable) throws(NestedSelectError) {
    let content = try body.encoded().content
    if case .object = content {
      try append(content, of: table)
    } else if case .array(let elements) = content {
      for element in elements { try append(element.content, of: table) }
    } else {
      throw Self.noRows
    }
    for index in rows.indices {
      rows[index] += [JSONTextEncoder.Part?](
        repeating: nil, count: columns.count - rows[index].count)
    }
  }

  private static var noRows: NestedSelectError {
    NestedSelectError(
      "PGRST102", "Empty or invalid json",
      details: "The values are neither a row nor an array of rows",
      hint: "Give a struct or a dictionary, or an array of these.")
  }

  private mutating func append(
    _ content: JSONTextEncoder.Part.Content, of table: ReadTable
  ) throws(NestedSelectError) {
    guard case .object(let members) = content else { throw Self.noRows }
    var row = [JSONTextEncoder.Part?](repeating: nil, count: columns.count)
    for (key, value) in members {
      let place = try place(of: key, in: table)
      if place == row.count {
        row.append(value)
      } else if row[place] == nil {
        row[place] = value
      } else {
        throw NestedSelectError(
          SQLError(
            .duplicateColumn, "column \"\(columns[place].name)\" specified more than once"))
      }
    }
    rows.append(row)
  }

  /// The place of a member's column, which is added for the first of its values.
  private mutating func place(
    of key: String, in table: ReadTable
  ) throws(NestedSelectError) -> Int {
    guard let column = table.column(matching: key) else { throw .noColumn(key, of: table) }
    if let known = columns.firstIndex(where: { $0.name == column.name }) { return known }
    columns.append(column)
    return columns.count - 1
  }
}

extension RestBody {
  /// What the values encode themselves as.
  ///
  /// - Throws: 22023 for a value that cannot be encoded.
  func encoded() throws(NestedSelectError) -> JSONTextEncoder.Part {
    do { return try encode() } catch { throw NestedSelectError(SQLError(encoding: error)) }
  }
}

extension ReadTable {
  /// The column of exactly a name, else that of its snake case.
  func column(matching name: String) -> Column? {
    column(named: name) ?? column(named: ColumnNames.snakeCase(name))
  }
}

extension JSONTextEncoder.Part {
  /// The value as a constant of a statement, which takes it as one of a type.
  ///
  /// - Throws: 42804 for an object where no JSON is wanted, 22021 for a text with a zero byte.
  func constant(_ type: LogicalType, _ name: String) throws(NestedSelectError) -> Expression {
    if case .raw("null") = content { return Expression(.literal(.null)) }
    do throws(SQLError) {
      if type == .json || type == .jsonb {
        return .text(text)
      }
      if type == .bytea, let bytes { return .text(SQLValue.bytes(bytes).literalText) }
      let text = try value(for: name).literalText
      try text.checkNoZero()
      return .text(text)
    } catch {
      throw NestedSelectError(error)
    }
  }

  /// The bytes of an array of small numbers.
  private var bytes: [UInt8]? {
    guard case .array(let elements) = content else { return nil }
    var bytes: [UInt8] = []
    for element in elements {
      guard case .raw(let text) = element.content, let byte = UInt8(text) else { return nil }
      bytes.append(byte)
    }
    return bytes
  }
}

extension RestConflict {
  /// The conflict that an INSERT is told of; nil for a table without a primary key where no other is named.
  ///
  /// - Throws: PGRST204 for a column that is not there.
  func resolved(
    _ rows: RestRows, _ table: TableDefinition?
  ) throws(NestedSelectError) -> SQLSyntax.OnConflict? {
    guard let table else { return nil }
    var key: [String] = []
    if let columns {
      let all = ReadTable(table)
      for name in columns.split(separator: ",") {
        let name = name.filter { !$0.isWhitespace && $0 != "\"" }
        guard let column = all.column(matching: name) else { throw .noColumn(name, of: all) }
        key.append(column.name)
      }
    } else {
      key = table.primaryKey?.columns.map { table.columns[$0].name } ?? []
    }
    if key.isEmpty { return nil }
    let target = SQLSyntax.OnConflict.Target.columns(
      key.map { IndexElement(column: $0) }, filter: nil)
    if leavesRows { return SQLSyntax.OnConflict(target, .nothing) }
    // A row that has nothing but the key is written too, so that it is given back.
    let others = rows.columns.map(\.name).filter { !key.contains($0) }
    let assignments = (others.isEmpty ? key : others).map { name in
      Assignment.single(AssignmentTarget(name), .column("excluded", name))
    }
    return SQLSyntax.OnConflict(target, .update(assignments, filter: nil))
  }
}
