import Catalog
import Diagnostics

/// A record type, whatever it is, as the rows of its table.
struct RecordSource: Sendable {
  let typeName: String
  /// The type; nil for a table that no record type stands for.
  let type: (any Record.Type)?
  /// The table and its columns in a catalog.
  let layout: @Sendable (CatalogView) throws(SQLError) -> RecordLayout
  /// The relations that the type declares, by their names.
  let relations: @Sendable () -> [String: RelationDeclaration]

  init<R: Record>(_ type: R.Type) {
    typeName = "\(type)"
    self.type = type
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
    typeName = name.name
    type = nil
    layout = { (view) throws(SQLError) in
      RecordLayout(of: try view.table(name.schema + "." + name.name))
    }
    relations = { [:] }
  }
}

/// A row from which relations lead on.
struct RowStart: Sendable {
  let source: RecordSource
  /// The values of some columns of the layout, by their places in it.
  private let read: @Sendable (CatalogView, [Int]) throws(SQLError) -> [SQLValue]

  init<R: Record>(_ row: R) {
    source = RecordSource(R.self)
    read = { (view, places) throws(SQLError) in
      try RecordTable<R>.of(view).values(of: row, at: places)
    }
  }

  /// The values of all columns of the layout, in their order.
  func values(_ view: CatalogView) throws(SQLError) -> [SQLValue] {
    try read(view, Array(try source.layout(view).columns.indices))
  }

  /// The values of some columns of the table, by their place in it.
  ///
  /// - Throws: 55000 for one that is NULL, as in a row that has no id yet; 42703 for one that the record does not have.
  func values(
    ofColumns indices: [Int], _ view: CatalogView, orNull: Bool = false
  ) throws(SQLError) -> [SQLValue] {
    let layout = try source.layout(view)
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
    let values = try read(view, places)
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

/// A property of a record type that stands for a column.
///
/// What is wrong with it is told when the query is run.
struct PropertyReference: Sendable {
  private let found: Result<(index: Int, name: String), SQLError>

  init<R: Record>(_ path: PartialKeyPath<R>) {
    do throws(SQLError) {
      let properties = try RecordProperties<R>.make()
      let index = try properties.index(of: path)
      found = .success((index, properties.properties[index].name))
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
