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

  init<R: Record>(_ type: R.Type) { kind = .record(type) }

  /// A table that no record type stands for.
  init(table name: ObjectName) { kind = .table(name) }

  /// The table and its columns in a catalog.
  ///
  /// - Throws: 42P01 if there is none; 42703 for a property without a column.
  func layout(_ view: CatalogView) throws(SQLError) -> RecordLayout {
    switch kind {
    case .record(let type): try type.layout(view)
    case .table(let name): RecordLayout(of: try view.table(name.schema + "." + name.name))
    }
  }

  /// The relations that the type declares, by their names.
  var relations: [String: RelationDeclaration] {
    switch kind {
    case .record(let type): type.declarations
    case .table: [:]
    }
  }
}

extension Record {
  /// The table of the type and its columns in a catalog.
  static func layout(_ view: CatalogView) throws(SQLError) -> RecordLayout {
    try RecordTable<Self>.of(view).layout
  }

  /// The relations that the type declares, by their names.
  fileprivate static var declarations: [String: RelationDeclaration] {
    var found: [String: RelationDeclaration] = [:]
    for property in Mirror(reflecting: relations).children {
      guard let name = property.label, let relation = property.value as? any DeclaredRelation
      else { continue }
      found[name] = relation.declaration
    }
    return found
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
  private let row: any Record

  init<R: Record>(_ row: R) {
    source = RecordSource(R.self)
    self.row = row
  }

  /// The values of all columns of the layout, in their order.
  func values(_ view: CatalogView) throws(SQLError) -> [SQLValue] {
    let layout = try source.layout(view)
    return try row.values(in: layout, at: Array(layout.columns.indices))
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
    let isToOne = route.relationship.isToOne
    guard let places = route.fromPlaces else {
      return try values(ofColumns: route.fromColumns, in: route.from, orNull: isToOne)
    }
    return try values(at: places, in: route.from, orNull: isToOne)
  }

  /// The values by which a row that a relation leads to is named.
  ///
  /// - Throws: as above.
  func values(asTargetOf route: RelationRoute) throws(SQLError) -> [SQLValue] {
    guard let places = route.toPlaces else {
      return try values(ofColumns: route.toColumns, in: route.to)
    }
    return try values(at: places, in: route.to)
  }

  /// The same with the layout of the record's type at hand.
  func values(
    ofColumns indices: [Int], in layout: RecordLayout, orNull: Bool = false
  ) throws(SQLError) -> [SQLValue] {
    var places: [Int] = []
    for index in indices {
      guard let place = layout.place(ofColumn: index) else {
        throw SQLError(
          .undefinedColumn,
          "record \(layout.typeName) has no property for column \"\(layout.definition.columns[index].name)\"",
          hint: "Rows are linked by it; give the record a property of this name.")
      }
      places.append(place)
    }
    return try values(at: places, in: layout, orNull: orNull)
  }

  /// The same for columns whose places among those of the layout are known.
  private func values(
    at places: [Int], in layout: RecordLayout, orNull: Bool = false
  ) throws(SQLError) -> [SQLValue] {
    let values = try row.values(in: layout, at: places)
    if orNull { return values }
    for (index, value) in values.enumerated() {
      if case .null = value {
        let table = layout.definition
        throw SQLError(
          .objectNotInPrerequisiteState,
          "\(table.name.name) has no \(table.columns[layout.columns[places[index]].index].name) yet",
          hint: "Insert it first, and go on with the row that `inserted` gives.")
      }
    }
    return values
  }
}

extension Record {
  /// The values of some columns of the layout of the type, by their places in it.
  fileprivate func values(
    in layout: RecordLayout, at places: [Int]
  ) throws(SQLError) -> [SQLValue] {
    try RecordTable<Self>(layout).values(of: self, at: places)
  }

  /// The row as a text, by which rows are compared.
  fileprivate var comparedText: String {
    (try? JSONTextEncoder.text(of: self)) ?? "\(self)"
  }
}

extension RowStart: Hashable {
  static func == (one: Self, other: Self) -> Bool {
    one.source == other.source && one.row.comparedText == other.row.comparedText
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(source)
    hasher.combine(row.comparedText)
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
