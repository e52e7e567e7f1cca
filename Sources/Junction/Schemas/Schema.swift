import Catalog
public import Diagnostics

/// What records say of tables: to be made, or to be compared with the tables that there are.
///
/// ```swift
/// let schema = Schema(Session.self, Presenter.self)
/// try database.write { db in try schema.create(db) }
/// for difference in try schema.differences(database) { print(difference) }
/// ```
///
/// Columns come from the properties, with the types that ``SQLValueConvertible/sqlType`` says; `id: Int?` is a number that the engine makes. Foreign
/// keys, junction tables, delete rules and counts come from the relations. Records that relations lead to are a part of it, named or not.
public struct Schema: Sendable {
  private let types: [any Record.Type]

  /// The tables of some record types, and of those that their relations lead to.
  public init(_ types: any Record.Type...) { self.types = types }

  /// The tables of record types in an array.
  init(_ types: [any Record.Type]) { self.types = types }

  /// The statements that make the tables in an empty database, in an order in which each can be run.
  ///
  /// - Throws: 42804 for a record whose columns are not found, 42830 for a relation to a record without a key, 42725 for a relation that
  ///   may be several, 42P16 where the two sides of a relation say different things.
  public var sql: String {
    get throws(SQLError) {
      try differences(Self.nothing).flatMap(\.statements).joined(separator: "\n")
    }
  }

  /// Makes the tables: all of them, or none if one fails.
  ///
  /// - Throws: as `sql`, and 42P07 for a table that is there; `differences` says then what it lacks.
  public func create(_ db: borrowing some Writer & ~Copyable) throws(SQLError) {
    let statements = try differences(Self.nothing).flatMap(\.statements)
    _ = try db.run(Request(.unit(statements.map { SQL(raw: $0) })))
  }

  /// What the records say and the database does not, in words and as statements that settle it.
  ///
  /// What is not said is not compared: a column that no property stands for, a delete rule and a count of a relation without, the name of a
  /// junction table. A type fits if the property can hold its values, so that `String` takes text, varchar and the labels of an enumeration.
  /// Where the statements have been run there is no difference left.
  ///
  /// - Throws: as `sql`.
  /// - Complexity: O(columns + relations²) of the records.
  public func differences(
    _ db: borrowing some Reader & ~Copyable
  ) throws(SQLError) -> [SchemaDifference] {
    try differences(CatalogView.of(db))
  }

  private func differences(_ view: CatalogView) throws(SQLError) -> [SchemaDifference] {
    var comparison = SchemaComparison(try SchemaDesign(types, view), view)
    comparison.compare()
    return comparison.differences
  }

  /// A catalog without tables.
  private static var nothing: CatalogView {
    CatalogView(CatalogSnapshot(), searchPath: ["public"])
  }
}
