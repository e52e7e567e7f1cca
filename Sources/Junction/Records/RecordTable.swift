import Catalog
import Columnar
import Diagnostics
import SQLSyntax
import Synchronization

/// The table of a record type, and the columns that its properties stand for.
struct RecordTable<R: Record>: Sendable {
  /// A column that a property stands for.
  struct Column: Sendable {
    /// Its place in the table.
    let index: Int
    /// Its name as it is written in SQL.
    let name: String
    /// Its place among the properties.
    let property: Int
    let isVersion: Bool
    /// Whether values of it are never sent.
    let isGenerated: Bool
    /// Whether something else than NULL stands there if nothing is sent.
    let hasDefault: Bool
  }

  let definition: TableDefinition
  private let properties: RecordProperties<R>
  let columns: [Column]
  /// The places in `columns` of the key by which rows are found.
  let key: [Int]
  /// The names and types of all columns of the table.
  let shape: [ResultColumn]
  /// The table's name as it is written in SQL.
  let name: String
  /// The names of all columns that properties stand for, with commas between.
  let list: String

  /// The table as a reader sees it.
  ///
  /// - Throws: 42P01 if there is none; 42703 for a property without a column; 42804 for a type whose columns are not found.
  static func of(_ db: borrowing some Reader & ~Copyable) throws(SQLError) -> RecordTable {
    let inspection = TableInspection(R.table)
    _ = try db.run(Request(.inspect(inspection)))
    guard let definition = inspection.found else {
      throw .internal("table \(R.table) was not looked at")
    }
    let properties = try RecordProperties<R>.make()
    if let known = properties.table.withLock({ $0 }), known.definition.isSame(as: definition) {
      return known
    }
    let made = try RecordTable(definition, properties)
    properties.table.withLock { $0 = made }
    return made
  }

  private init(
    _ definition: TableDefinition, _ properties: RecordProperties<R>
  ) throws(SQLError) {
    self.definition = definition
    self.properties = properties
    name =
      SQLPrinter.quoted(definition.name.schema) + "." + SQLPrinter.quoted(definition.name.name)
    shape = definition.columns.map { ResultColumn(name: $0.name, columnType: $0.columnType) }
    let names = definition.columns.map(\.name)
    var columns: [Column] = []
    var named: [Int] = []
    for (place, property) in properties.properties.enumerated() {
      guard let index = try ColumnNames.index(of: property.name, in: names) else {
        if property.isOptional { continue }
        throw Self.noColumn(property.name, definition, names)
      }
      let column = definition.columns[index]
      if property.options.contains(.primaryKey) { named.append(columns.count) }
      columns.append(
        Column(
          index: index, name: SQLPrinter.quoted(column.name), property: place,
          isVersion: property.options.contains(.version),
          isGenerated: column.generated != nil || property.options.contains(.generated),
          hasDefault: column.defaultValue != nil || column.identity != nil))
    }
    self.columns = columns
    list = columns.map(\.name).joined(separator: ", ")
    if named.isEmpty, let primary = definition.keys.first(where: \.isPrimary) {
      named = primary.columns.compactMap { index in columns.firstIndex { $0.index == index } }
      // A part of a key finds no row.
      if named.count < primary.columns.count { named = [] }
    }
    key = named
  }

  private static func noColumn(
    _ property: String, _ table: TableDefinition, _ names: [String]
  ) -> SQLError {
    let column = SQLPrinter.quoted(ColumnNames.snakeCase(property))
    var error = SQLError.noColumn(property, among: names)
    error.message =
      "table \"\(table.name.name)\" has no column for property \(property) of record \(R.self)"
    let near = error.hint.map { $0 + " " } ?? ""
    error.hint =
      near
      + "It is added by ALTER TABLE \(SQLPrinter.quoted(table.name.name)) ADD COLUMN \(column) "
      + "with its type; an optional property needs none."
    return error
  }

  /// The place in `columns` of a property's column.
  ///
  /// - Throws: 42703 if it has none.
  func place(of path: PartialKeyPath<R>) throws(SQLError) -> Int {
    let property = try properties.index(of: path)
    guard let place = columns.firstIndex(where: { $0.property == property }) else {
      throw Self.noColumn(
        properties.properties[property].name, definition, definition.columns.map(\.name))
    }
    return place
  }

  /// The values that a record has for its columns, in their order.
  ///
  /// - Throws: 22P02, 22003 and others for a value that its column does not take.
  func values(of record: R) throws(SQLError) -> [SQLValue] {
    if let values = properties.values(of: record) {
      return columns.map { values[$0.property] }
    }
    let encoder = RowEncoder(definition.name.name, shape)
    do { try encoder.append(record) } catch { throw SQLError(encoding: error) }
    let (names, chunks) = encoder.finish()
    guard let chunk = chunks.first else { return [] }
    let formatter = TextFormatter(ValueStyle())
    return columns.map { column in
      guard let place = names.firstIndex(of: definition.columns[column.index].name) else {
        return .null
      }
      return SQLValue(chunk.columns[place], row: 0, formatter)
    }
  }

  /// Records as rows of the table, with the names of the columns that they fill.
  ///
  /// - Throws: as `values(of:)`, with the number of the record.
  func chunks(
    of records: some Sequence<R>
  ) throws(SQLError) -> (names: [String], chunks: [DataChunk]) {
    let encoder = RowEncoder(definition.name.name, shape)
    for (number, record) in records.enumerated() {
      do {
        if let values = properties.values(of: record) {
          try encoder.append(MappedRow(columns: columns, names: shape, values: values))
        } else {
          try encoder.append(record)
        }
      } catch {
        throw SQLError(encoding: error).inside("rows[\(number)]")
      }
    }
    return encoder.finish()
  }

  /// A row whose values stand beside the columns that they are for.
  private struct MappedRow: Encodable {
    let columns: [Column]
    let names: [ResultColumn]
    let values: [SQLValue]

    private struct Name: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }
      init(_ name: String) { stringValue = name }
      init?(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    private struct Cell: SQLValueConvertible {
      static var sqlType: SQLType { SQLType("text") }
      let sqlValue: SQLValue
      init(_ value: SQLValue) { sqlValue = value }
      init(sqlValue: SQLValue) { self.sqlValue = sqlValue }
      init(from decoder: any Decoder) throws { throw SQLError.internal("a cell is not decoded") }
      func encode(to encoder: any Encoder) throws {
        throw SQLError.internal("a cell is written by its value")
      }
    }

    func encode(to encoder: any Encoder) throws {
      var row = encoder.container(keyedBy: Name.self)
      for column in columns where !column.isGenerated {
        try row.encode(Cell(values[column.property]), forKey: Name(names[column.index].name))
      }
    }
  }
}

/// A table that is looked up by its name.
final class TableInspection: Sendable {
  let name: String
  private let definition = Mutex<TableDefinition?>(nil)

  init(_ name: String) { self.name = name }

  /// What was found.
  var found: TableDefinition? { definition.withLock { $0 } }

  func note(_ table: TableDefinition) { definition.withLock { $0 = table } }
}
