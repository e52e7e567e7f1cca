/// A row and what belongs to it.
///
/// The row's properties are its own: `course.name`, `course.related`.
@dynamicMemberLookup
public struct With<Row: Decodable & Sendable, Related: Decodable & Sendable>: Decodable, Sendable {
  /// The row.
  public var row: Row
  /// What belongs to it: rows, a row or nil, or a number of rows.
  public var related: Related

  /// A property of the row.
  public subscript<Value>(dynamicMember property: KeyPath<Row, Value>) -> Value {
    row[keyPath: property]
  }

  private enum CodingKeys: String, CodingKey {
    case related = "+related"
  }

  /// Decodes the row from its columns, and what belongs to it from a column beside them.
  public init(from decoder: any Decoder) throws {
    row = try Row(from: decoder)
    related = try decoder.container(keyedBy: CodingKeys.self)
      .decode(Related.self, forKey: .related)
  }

  /// The name of the column in which related rows stand.
  static var columnName: String { CodingKeys.related.rawValue }
}

extension With: Equatable where Row: Equatable, Related: Equatable {}
extension With: Hashable where Row: Hashable, Related: Hashable {}
extension With: Identifiable where Row: Identifiable {
  /// The identity of the row.
  public var id: Row.ID { row.id }
}
