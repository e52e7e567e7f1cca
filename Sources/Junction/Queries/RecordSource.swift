import Catalog
import Diagnostics

/// A record type, whatever it is, as the rows of its table.
struct RecordSource: Sendable {
  /// What the rows are.
  private enum Kind: Sendable {
    case record(any Record.Type)
    case table(ObjectName)
  }

  private let kind: Kind
  /// The table and its columns in a catalog.
  let layout: @Sendable (CatalogView) throws(SQLError) -> RecordLayout
  /// The relations that the type declares, by their names.
  let relations: @Sendable () -> [String: RelationDeclaration]

  init<R: Record>(_ type: R.Type) {
    kind = .record(type)
    layout = { (view) throws(SQLError) in try RecordTable<R>.of(view).layout }
    relations = {
      var found: [String: RelationDeclaration] = [:]
      for property in Mirror(reflecting: R.relations).children {
        guard let name = property.label, let relation = property.value as? any DeclaredRelation
        else { continue }
        found[name] = relation.declaration
      }
      return found
    }
  }

  /// A table that no record type stands for.
  init(table name: ObjectName) {
    kind = .table(name)
    layout = { (view) throws(SQLError) in
      RecordLayout(of: try view.table(name.schema + "." + name.name))
    }
    relations = { [:] }
  }
}

extension RecordSource {
  /// The type; nil for a table that no record type stands for.
  var type: (any Record.Type)? {
    if case .record(let type) = kind { return type }
    return nil
  }

  /// The name of the type, or of the table, for messages.
  var typeName: String {
    switch kind {
    case .record(let type): "\(type)"
    case .table(let name): name.name
    }
  }
}

extension RecordSource: Hashable {
  static func == (one: Self, other: Self) -> Bool {
    switch (one.kind, other.kind) {
    case (.record(let one), .record(let other)): one == other
    case (.table(let one), .table(let other)): one == other
    case (.record, .table), (.table, .record): false
    }
  }

  func hash(into hasher: inout Hasher) {
    switch kind {
    case .record(let type): hasher.combine(ObjectIdentifier(type))
    case .table(let name): hasher.combine(name)
    }
  }
}

/// A row from which relations lead on.
struct RowStart: Sendable {
  let source: RecordSource
  private let row: any StartingRow

  init<R: Record>(_ row: R) {
    source = RecordSource(R.self)
    self.row = StartingRecord(record: row)
  }

  /// The values of all columns of the layout, in their order.
  func values(_ view: CatalogView) throws(SQLError) -> [SQLValue] {
    let layout = try source.layout(view)
    return try row.values(layout, Array(layout.columns.indices))
  }

  /// The values of some columns of the table, by their place in it.
  ///
  /// - Throws: 55000 for one that is NULL, as in a row that has no id yet; 42703 for one that the record does not have.
  func values(
    ofColumns indices: [Int], _ view: CatalogView, orNull: Bool = false
  ) throws(SQLError) -> [SQLValue] {
    try values(ofColumns: indices, in: try source.layout(view), orNull: orNull)
  }

  /// The values that name the row in what a relation leads to.
  ///
  /// - Throws: as above.
  func values(of route: RelationRoute) throws(SQLError) -> [SQLValue] {
    try values(
      ofColumns: route.fromColumns, in: route.from, orNull: route.relationship.isToOne)
  }

  /// The same with the layout of the record's type at hand.
  func values(
    ofColumns indices: [Int], in layout: RecordLayout, orNull: Bool = false
  ) throws(SQLError) -> [SQLValue] {
    var places: [Int] = []
    for index in indices {
      guard let place = layout.columns.firstIndex(where: { $0.index == index }) else {
        throw SQLError(
          .undefinedColumn,
          "record \(layout.typeName) has no property for column \"\(layout.definition.columns[index].name)\"",
          hint: "Rows are linked by it; give the record a property of this name.")
      }
      places.append(place)
    }
    let values = try row.values(layout, places)
    if orNull { return values }
    for (index, value) in zip(indices, values) where value == .null {
      let table = layout.definition
      throw SQLError(
        .objectNotInPrerequisiteState,
        "\(table.name.name) has no \(table.columns[index].name) yet",
        hint: "Insert it first, and go on with the row that `inserted` gives.")
    }
    return values
  }
}

/// A row of any record type.
private protocol StartingRow: Sendable {
  /// The values of some columns of the layout of its type, by their places in it.
  func values(_ layout: RecordLayout, _ places: [Int]) throws(SQLError) -> [SQLValue]
  /// The row as a text, by which rows are compared.
  var text: String { get }
}

private struct StartingRecord<R: Record>: StartingRow {
  let record: R

  func values(_ layout: RecordLayout, _ places: [Int]) throws(SQLError) -> [SQLValue] {
    try RecordTable<R>(layout).values(of: record, at: places)
  }

  var text: String { (try? JSONTextEncoder.text(of: record)) ?? "\(record)" }
}

extension RowStart: Hashable {
  static func == (one: Self, other: Self) -> Bool {
    one.source == other.source && one.row.text == other.row.text
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(source)
    hasher.combine(row.text)
  }
}

/// A property of a record type that stands for a column.
///
/// What is wrong with it is told when the query is run.
struct PropertyReference: Sendable, Hashable {
  private struct Found: Sendable, Hashable {
    let index: Int
    let name: String
  }
  private let found: Result<Found, SQLError>

  init<R: Record>(_ path: PartialKeyPath<R>) {
    do throws(SQLError) {
      let properties = try RecordProperties<R>.make()
      let index = try properties.index(of: path)
      found = .success(Found(index: index, name: properties.properties[index].name))
    } catch {
      found = .failure(error)
    }
  }

  /// The coding key, or the column that it is mapped to.
  var name: String {
    switch found {
    case .success(let property): property.name
    case .failure: ""
    }
  }

  /// Its place among the columns of a layout of the same record type.
  ///
  /// - Throws: 42703 if it has none.
  func place(in layout: RecordLayout) throws(SQLError) -> Int {
    let property = try found.get()
    return try layout.place(ofProperty: property.index, named: property.name)
  }
}
