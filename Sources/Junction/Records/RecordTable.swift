import Catalog
import Columnar
import Diagnostics
import SQLSyntax
import Synchronization

/// A column that a property stands for.
struct RecordColumn: Sendable {
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

/// The table of a record type, and the columns that its properties stand for, whatever the type is.
///
/// It is an object, so that handing it on counts one reference.
final class RecordLayout: Sendable {
  let definition: TableDefinition
  let columns: [RecordColumn]
  /// The places in `columns` of the key by which rows are found.
  let key: [Int]
  /// The names and types of all columns of the table.
  let shape: [ResultColumn]
  /// The table's name as it is written in SQL.
  let name: String
  /// The name of the record type, for messages.
  let typeName: String
  /// The `RecordProperties` of the type; nil for a table that no record type stands for.
  let properties: (any AnyObject & Sendable)?

  /// The names of all columns that properties stand for, with commas between; in front of each `prefix`.
  func list(_ prefix: String = "") -> String {
    columns.map { prefix + $0.name }.joined(separator: ", ")
  }

  /// - Throws: 42703 for a property without a column.
  init<R: Record>(
    _ definition: TableDefinition, _ properties: RecordProperties<R>
  ) throws(SQLError) {
    self.definition = definition
    self.properties = properties
    typeName = "\(R.self)"
    name = definition.spelledName
    shape = definition.columns.map { ResultColumn(name: $0.name, columnType: $0.columnType) }
    let names = definition.columns.map(\.name)
    var columns: [RecordColumn] = []
    var named: [Int] = []
    for (place, property) in properties.properties.enumerated() {
      guard let index = try ColumnNames.index(of: property.name, in: names) else {
        if property.isOptional { continue }
        throw Self.noColumn(property.name, of: typeName, definition)
      }
      let column = definition.columns[index]
      if property.options.contains(.primaryKey) { named.append(columns.count) }
      columns.append(
        RecordColumn(
          index: index, name: SQLPrinter.quoted(column.name), property: place,
          isVersion: property.options.contains(.version),
          isGenerated: column.generated != nil || property.options.contains(.generated),
          hasDefault: column.defaultValue != nil || column.identity != nil))
    }
    self.columns = columns
    if named.isEmpty, let primary = definition.keys.first(where: \.isPrimary) {
      named = primary.columns.compactMap { index in columns.firstIndex { $0.index == index } }
      // A part of a key finds no row.
      if named.count < primary.columns.count { named = [] }
    }
    key = named
  }

  /// All columns of a table that no record type stands for.
  init(of definition: TableDefinition) {
    self.definition = definition
    properties = nil
    typeName = definition.name.name
    name = definition.spelledName
    shape = definition.columns.map { ResultColumn(name: $0.name, columnType: $0.columnType) }
    columns = definition.columns.enumerated().map { index, column in
      RecordColumn(
        index: index, name: SQLPrinter.quoted(column.name), property: index, isVersion: false,
        isGenerated: column.generated != nil,
        hasDefault: column.defaultValue != nil || column.identity != nil)
    }
    key = definition.keys.first(where: \.isPrimary)?.columns ?? []
  }

  private static func noColumn(
    _ property: String, of record: String, _ table: TableDefinition
  ) -> SQLError {
    let column = SQLPrinter.quoted(ColumnNames.snakeCase(property))
    var error = SQLError.noColumn(property, among: table.columns.map(\.name))
    error.message =
      "table \"\(table.name.name)\" has no column for property \(property) of record \(record)"
    let near = error.hint.map { $0 + " " } ?? ""
    error.hint =
      near
      + "It is added by ALTER TABLE \(SQLPrinter.quoted(table.name.name)) ADD COLUMN \(column) "
      + "with its type; an optional property needs none."
    return error
  }

  /// The place in `columns` of a property.
  ///
  /// - Throws: 42703 if it has no column.
  func place(ofProperty property: Int, named name: String) throws(SQLError) -> Int {
    guard let place = columns.firstIndex(where: { $0.property == property }) else {
      throw Self.noColumn(name, of: typeName, definition)
    }
    return place
  }

  /// The place in `columns` of a column of the table; nil where no property stands for it.
  func place(ofColumn index: Int) -> Int? { columns.firstIndex { $0.index == index } }

  /// The places of several; nil where one of them has none.
  func places(ofColumns indices: [Int]) -> [Int]? {
    let places = indices.compactMap { place(ofColumn: $0) }
    return places.count == indices.count ? places : nil
  }

  /// The places of the key's columns.
  ///
  /// - Throws: 55000 if there is none.
  var keyOrFail: [Int] {
    get throws(SQLError) {
      if !key.isEmpty { return key }
      throw SQLError(
        .objectNotInPrerequisiteState,
        "table \"\(definition.name.name)\" has no primary key among the columns of record \(typeName)",
        hint: "Add PRIMARY KEY to the table, or say which column it is: "
          + "ColumnMapping(\"column\", \\.property, .primaryKey).")
    }
  }
}

/// The table of a record type, and how its records become rows.
@dynamicMemberLookup
struct RecordTable<R: Record>: Sendable {
  let layout: RecordLayout
  private let properties: RecordProperties<R>

  /// The table as a reader sees it.
  ///
  /// - Throws: 42P01 if there is none; 42703 for a property without a column; 42804 for a type whose columns are not found.
  static func of(_ db: borrowing some Reader & ~Copyable) throws(SQLError) -> RecordTable {
    try of(CatalogView.of(db))
  }

  /// The table whose layout is known.
  ///
  /// - Throws: 42804 for a type whose columns are not found.
  init(_ layout: RecordLayout) throws(SQLError) {
    if let known = layout.properties as? RecordProperties<R> {
      self.init(layout: layout, properties: known)
    } else {
      self.init(layout: layout, properties: try RecordProperties<R>.make())
    }
  }

  private init(layout: RecordLayout, properties: RecordProperties<R>) {
    self.layout = layout
    self.properties = properties
  }

  /// The same in a catalog that has been looked at.
  static func of(_ view: CatalogView) throws(SQLError) -> RecordTable {
    let properties = try RecordProperties<R>.make()
    let last = properties.last.withLock { $0 }
    if let last, last.catalogVersion == view.catalog.version, last.searchPath == view.searchPath {
      return last.table
    }
    let definition = try view.table(R.table)
    let table: RecordTable
    if let last, last.table.definition.isSame(as: definition) {
      table = last.table
    } else {
      table = RecordTable(
        layout: try RecordLayout(definition, properties), properties: properties)
    }
    properties.last.withLock { $0 = (view.catalog.version, view.searchPath, table) }
    return table
  }

  subscript<Value>(dynamicMember path: KeyPath<RecordLayout, Value>) -> Value {
    layout[keyPath: path]
  }

  /// The place among the columns of a property's one.
  ///
  /// - Throws: 42703 if it has none.
  func place(of path: PartialKeyPath<R>) throws(SQLError) -> Int {
    let property = try properties.index(of: path)
    return try layout.place(
      ofProperty: property, named: properties.properties[property].name)
  }

  /// The values that a record has for its columns, in their order.
  ///
  /// - Throws: 22P02, 22003 and others for a value that its column does not take.
  func values(of record: R) throws(SQLError) -> [SQLValue] {
    if let values = properties.values(of: record) {
      return layout.columns.map { values[$0.property] }
    }
    let rows = RowColumns(layout.definition.name.name, layout.shape)
    do { try RowEncoder(rows).append(record) } catch { throw SQLError(encoding: error) }
    let (names, chunks) = rows.finish()
    guard let chunk = chunks.first else { return [] }
    let formatter = TextFormatter(ValueStyle())
    return layout.columns.map { column in
      guard let place = names.firstIndex(of: layout.definition.columns[column.index].name) else {
        return .null
      }
      return SQLValue(chunk.columns[place], row: 0, formatter)
    }
  }

  /// The values that a record has for some of its columns, by their places among them.
  ///
  /// - Throws: as `values(of:)`.
  func values(of record: R, at places: [Int]) throws(SQLError) -> [SQLValue] {
    if places.count == 1,
      let value = properties.identity(of: record, property: layout.columns[places[0]].property)
    {
      return [value]
    }
    let wanted = places.map { layout.columns[$0].property }
    if let values = properties.values(of: record, at: wanted) { return values }
    let all = try values(of: record)
    return places.map { all[$0] }
  }

  /// Records as rows of the table, with the names of the columns that they fill.
  ///
  /// - Throws: as `values(of:)`, with the number of the record.
  func chunks(
    of records: some Sequence<R>
  ) throws(SQLError) -> (names: [String], chunks: [DataChunk]) {
    let rows = RowColumns(layout.definition.name.name, layout.shape)
    let encoder = RowEncoder(rows)
    let sent = layout.columns.filter { !$0.isGenerated }
    for (number, record) in records.enumerated() {
      do {
        if let values = properties.values(of: record) {
          try rows.append(sent.map { ($0.index, values[$0.property]) })
        } else {
          try encoder.append(record)
        }
      } catch {
        throw SQLError(encoding: error).inside("rows[\(number)]")
      }
    }
    return rows.finish()
  }
}
