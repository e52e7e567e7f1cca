import Diagnostics

/// A row and the row of the junction table that leads to it.
@dynamicMemberLookup
public struct Linked<Link: Record, Row: Record>: Decodable, Sendable {
  /// The row of the junction table.
  public var link: Link
  /// The row that it leads to.
  public var row: Row

  /// A property of the row.
  public subscript<Value>(dynamicMember property: KeyPath<Row, Value>) -> Value {
    row[keyPath: property]
  }
}

extension Linked: Equatable where Link: Equatable, Row: Equatable {}
extension Linked: Hashable where Link: Hashable, Row: Hashable {}

/// What is put together of rows of several tables, whose columns stand beside each other.
protocol ComposedRow {
  /// The rows of a result; `view` says which columns are whose.
  static func rows(of result: ResultSet, _ view: CatalogView) throws(SQLError) -> [Self]
}

extension Linked: ComposedRow {
  static func rows(of result: ResultSet, _ view: CatalogView) throws(SQLError) -> [Self] {
    let width = try RecordTable<Link>.of(view).layout.columns.count
    let links = try result.keeping(columns: 0..<width).decode(Link.self)
    let rows = try result.keeping(columns: width..<result.columns.count).decode(Row.self)
    return zip(links, rows).map { Linked(link: $0, row: $1) }
  }
}
