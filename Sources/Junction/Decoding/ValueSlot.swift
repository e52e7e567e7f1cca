import Columnar
import Diagnostics

/// How values of one Swift type are read from one column; found once for each property and fetch.
class ValueSlot<Value> {
  /// The value of a row of a column that the caller holds.
  func read(_ column: UncountedReference<CellColumn>, _ row: Int) throws -> Value {
    throw SQLError.internal("a slot without a way to read \(Value.self)")
  }

  /// The way in which values of a type are read.
  static func make() -> ValueSlot<Value> where Value: Decodable {
    func open<Convertible: SQLValueConvertible>(_ type: Convertible.Type) -> AnyObject {
      ConvertibleSlot<Convertible>()
    }
    if let type = Value.self as? any SQLValueConvertible.Type,
      let slot = open(type) as? ValueSlot<Value>
    {
      return slot
    }
    return DecodableSlot<Value>()
  }
}

/// Reads what stands in one column.
private final class ConvertibleSlot<Value: SQLValueConvertible>: ValueSlot<Value> {
  override func read(_ column: UncountedReference<CellColumn>, _ row: Int) throws -> Value {
    try column.read(Value.self, row)
  }
}

/// Reads what decodes itself: of a record, an array, a JSON text, or a single value.
private final class DecodableSlot<Value: Decodable>: ValueSlot<Value> {
  private let isOfFoundation = SQLError.foundationType(Value.self, "") != nil

  override func read(_ column: UncountedReference<CellColumn>, _ row: Int) throws -> Value {
    let decoder = column.withObject { CellDecoder($0, row) }
    guard let decoder else { throw SQLError.internal("a column that nobody holds") }
    if isOfFoundation, let error = decoder.foundationError(Value.self) { throw error }
    return try decoder.decodeParts(Value.self)
  }
}
