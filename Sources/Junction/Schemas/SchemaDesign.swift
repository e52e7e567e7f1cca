import Catalog
import Diagnostics

/// The tables that records ask for.
///
/// Each property is a column. Then each relation is looked for: in the catalog first, whose names of columns and junction tables are kept
/// where one relationship fits; else among the columns, `teacher_id` of `teacher` or of table `teacher`; else it is made.
struct SchemaDesign {
  /// A record type, and what it declares.
  struct Record {
    let source: RecordSource
    /// Its table's place in `tables`.
    let table: Int
    /// Sorted by name.
    let relations: [(name: String, declaration: RelationDeclaration)]
  }

  var tables: [SchemaTable] = []
  private(set) var records: [Record] = []
  /// The catalog that names are kept of.
  let view: CatalogView

  /// The tables of record types, and of those that their relations lead to.
  ///
  /// - Throws: as ``Schema/sql``.
  init(_ types: [any Junction.Record.Type], _ view: CatalogView) throws(SQLError) {
    self.view = view
    var types = types
    var next = 0
    var seen: Set<ObjectIdentifier> = []
    while next < types.count {
      let type = types[next]
      next += 1
      if !seen.insert(ObjectIdentifier(type)).inserted { continue }
      types += try add(type)
    }
    try addRelations()
    giveTypesToReferences()
  }

  /// Adds a record's table; gives the types that its relations lead to.
  private mutating func add<R: Junction.Record>(
    _ type: R.Type
  ) throws(SQLError) -> [any Junction.Record.Type] {
    let source = RecordSource(type)
    let properties = try RecordProperties<R>.make()
    let types = properties.valueTypes
    let names = existing(R.table)?.columns.map(\.name) ?? []
    var table = SchemaTable(name: R.table, record: "\(type)")
    var place = tables.count
    // Several records may stand for the rows of one table.
    if let known = tables.firstIndex(where: { $0.name == R.table }) {
      (table, place) = (tables[known], known)
    }
    for (property, type) in zip(properties.properties, types) {
      try table.add(property, type, of: R.self, among: names, isMapped: properties.isMapped)
    }
    table.nameKey()
    if place < tables.count { tables[place] = table } else { tables.append(table) }
    let relations = source.relations.sorted { $0.key < $1.key }
    records.append(
      Record(
        source: source, table: place,
        relations: relations.map { (name: $0.key, declaration: $0.value) }))
    return relations.flatMap { [$0.value.link?.type, $0.value.to.type].compactMap(\.self) }
  }

  /// The table of a name in the catalog.
  func existing(_ name: String) -> TableDefinition? {
    // What is there and is no table fails when the table is made.
    try? view.table(name)
  }

  func record(of source: RecordSource) -> Record? {
    records.first { $0.source.typeName == source.typeName && same($0.source, source) }
  }

  private func same(_ one: RecordSource, _ other: RecordSource) -> Bool {
    guard let one = one.type, let other = other.type else { return false }
    return ObjectIdentifier(one) == ObjectIdentifier(other)
  }

  /// What refers to a column is of the column's type.
  private mutating func giveTypesToReferences() {
    // A key that refers itself has its type from further away.
    for _ in tables {
      for (place, table) in tables.enumerated() {
        for reference in table.references {
          guard let parent = tables.first(where: { $0.name == reference.parent }) else { continue }
          for (column, key) in zip(reference.columns, reference.parentColumns) {
            guard let type = parent.column(key)?.type,
              let index = table.columns.firstIndex(where: { $0.name == column })
            else { continue }
            tables[place].columns[index].type = type
          }
        }
      }
    }
  }
}

extension SchemaTable {
  /// Adds the column of a property.
  ///
  /// - Throws: 42702 where two columns of the catalog fit its name, 42804 for a type without one of SQL.
  fileprivate mutating func add<R: Record>(
    _ property: RecordProperties<R>.Property, _ type: Any.Type?, of record: R.Type,
    among names: [String], isMapped: Bool
  ) throws(SQLError) {
    let kept = try ColumnNames.index(of: property.name, in: names).map { names[$0] }
    let name = kept ?? (isMapped ? property.name : ColumnNames.snakeCase(property.name))
    if column(name) != nil { return }
    let isNullable = property.isOptional || type is any OptionalType.Type
    var column = SchemaColumn(
      name: name, type: try SchemaType.of(type, in: record), isNullable: isNullable)
    let isKey = property.options.contains(.primaryKey)
    if property.options.contains(.generated) {
      column.source = Self.source(of: column.type, isSerial: false)
    } else if name == "id", isNullable {
      column.source = Self.source(of: column.type, isSerial: true)
    }
    if isKey || name == "id" || property.options.contains(.generated) { column.isNullable = nil }
    columns.append(column)
    if property.options.contains(.unique) { addUnique([name]) }
    if isKey {
      key.append(name)
      isKeySaid = true
    }
  }

  /// Makes `id` the key if no property is said to be.
  fileprivate mutating func nameKey() {
    if key.isEmpty, column("id") != nil { key = ["id"] }
  }

  /// What makes the values of a column that nobody sends.
  private static func source(of type: SchemaType, isSerial: Bool) -> SchemaColumn.Source {
    switch type.name {
    case "bigint", "integer", "smallint": isSerial ? .serial : .identity
    case "uuid": .expression("gen_random_uuid()")
    case "timestamptz", "timestamp with time zone", "timestamp": .expression("now()")
    case "date": .expression("CURRENT_DATE")
    default: .none
    }
  }
}
