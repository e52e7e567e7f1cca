import Synchronization

/// How rows become values of a type; found once for each type.
enum RowReading: Sendable {
  /// Column by column, as `RowDecodable`.
  case columns
  /// From the first column.
  case first(any SQLValueConvertible.Type)
  /// By the names of properties.
  case names(KnownFields)

  private static let known = Mutex<[ObjectIdentifier: RowReading]>([:])

  static func of(_ type: any Decodable.Type) -> RowReading {
    let id = ObjectIdentifier(type)
    if let reading = known.withLock({ $0[id] }) { return reading }
    let reading: RowReading =
      if type is any RowDecodable.Type {
        .columns
      } else if let type = type as? any SQLValueConvertible.Type {
        .first(type)
      } else {
        .names(KnownFields())
      }
    known.withLock { $0[id] = reading }
    return reading
  }
}

/// The columns that the properties of a type were found to be, in the order in which they are asked for.
final class FieldOrder: Sendable {
  /// A property's name, and the place of its column.
  struct Field: Sendable {
    let name: String
    let column: Int
  }

  /// The columns of the result in which they were found.
  let columns: [ResultColumn]
  let fields: [Field]

  init(_ columns: [ResultColumn], _ fields: [Field]) {
    self.columns = columns
    self.fields = fields
  }
}

/// The order of fields in the result from which a type was last decoded.
final class KnownFields: Sendable {
  private let last = Mutex<FieldOrder?>(nil)

  /// The order, if it was found among the same columns.
  ///
  /// - Complexity: O(1) for results of one statement, else O(*n*) in the columns.
  func order(among columns: [ResultColumn]) -> FieldOrder? {
    guard let order = last.withLock({ $0 }), order.columns == columns else { return nil }
    return order
  }

  func keep(_ order: FieldOrder) { last.withLock { $0 = order } }
}
