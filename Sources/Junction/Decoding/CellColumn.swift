import Columnar
import Diagnostics

/// A column of a chunk, made ready for its values to be read one at a time.
///
/// What a `Vector` says of form, type and missing values is looked at once; a value is then found by a few comparisons.
final class CellColumn {
  /// How values are read.
  enum Kind: UInt8 {
    case boolean, int16, int32, int64, float, double
    case text, json
    case list
    case record
    /// Read by way of `SQLValue`.
    case other
  }

  let kind: Kind
  /// The column among those of its chunk: one reference is counted, where a copy of the vector would count each of its parts.
  private let vectors: [Vector]
  private let place: Int
  private var vector: Vector { vectors[place] }
  private let formatter: TextFormatter
  private let values: PagePointer<UInt8>
  private let texts: Buffer<TextView>?
  private let indices: PagePointer<UInt32>
  private let present: PagePointer<UInt64>
  private let isConstant: Bool
  /// The elements of a list.
  private lazy var elements = CellColumn(vector.children, 0, formatter)
  /// What decodes the fields of a record, field by field.
  private(set) lazy var fields = makeFields()

  /// The column of a place in a chunk.
  init(_ vectors: [Vector], _ place: Int, _ formatter: TextFormatter) {
    self.vectors = vectors
    self.place = place
    self.formatter = formatter
    let parts = Parts(vectors.span[place])
    kind = parts.kind
    values = parts.values
    texts = parts.texts
    indices = parts.indices
    present = parts.present
    isConstant = parts.isConstant
  }

  /// What is taken out of a vector, which is lent for that.
  private struct Parts {
    let kind: Kind
    let values: PagePointer<UInt8>
    let texts: Buffer<TextView>?
    let indices: PagePointer<UInt32>
    let present: PagePointer<UInt64>
    let isConstant: Bool

    init(_ vector: borrowing Vector) {
      kind = CellColumn.kind(of: vector.type)
      values = PagePointer<UInt8>(vector.storage)
      texts = kind == .text || kind == .json ? vector.values(TextView.self) : nil
      indices = vector.indices.map { PagePointer($0) } ?? .none
      present = vector.validity.words.map { PagePointer($0) } ?? .none
      isConstant = vector.form == .constant
    }
  }

  static func kind(of type: LogicalType) -> Kind {
    switch type {
    case .boolean: .boolean
    case .smallint: .int16
    case .integer: .int32
    case .bigint, .oid: .int64
    case .real: .float
    case .double: .double
    case .text, .varchar, .character, .name, .unknown, .void: .text
    case .json, .jsonb: .json
    case .array: .list
    case .record: .record
    case .numeric, .bytea, .date, .time, .timetz, .timestamp, .timestamptz, .interval, .bit,
      .varbit, .uuid, .enumeration:
      .other
    }
  }

  /// The name of the type, for messages.
  var typeName: String { vector.type.name }

  @inline(__always)
  private func position(_ row: Int) -> Int {
    indices.isNone ? (isConstant ? 0 : row) : Int(indices[row])
  }

  @inline(__always)
  private func isPresent(_ position: Int) -> Bool {
    present.isNone || present[position &>> 6] &>> UInt64(truncatingIfNeeded: position & 63) & 1 != 0
  }

  func isNull(_ row: Int) -> Bool { !isPresent(position(row)) }

  /// Whether a row is NULL, or the null of JSON.
  func isAbsent(_ row: Int) -> Bool {
    let position = position(row)
    guard isPresent(position) else { return true }
    guard kind == .json, let texts else { return false }
    let bytes = texts.bytes(at: position)
    var index = 0
    while index < bytes.count, bytes[index] <= 0x20 { index += 1 }
    // No other JSON begins with this letter.
    return index < bytes.count && bytes[index] == UInt8(ascii: "n")
  }

  /// The whole number of a row; nil for NULL and for a column of other values.
  @inline(__always)
  func integer(_ row: Int) -> Int64? {
    let position = position(row)
    guard isPresent(position) else { return nil }
    switch kind {
    case .int32: return Int64(values.bound(to: Int32.self)[position])
    case .int64: return values.bound(to: Int64.self)[position]
    case .int16: return Int64(values.bound(to: Int16.self)[position])
    case .boolean, .float, .double, .text, .json, .list, .record, .other: return nil
    }
  }

  /// The number of a row; nil for NULL and for a column of other values.
  @inline(__always)
  func double(_ row: Int) -> Double? {
    let position = position(row)
    guard isPresent(position) else { return nil }
    switch kind {
    case .double: return values.bound(to: Double.self)[position]
    case .float: return Double(values.bound(to: Float.self)[position])
    case .int32: return Double(values.bound(to: Int32.self)[position])
    case .int64: return Double(values.bound(to: Int64.self)[position])
    case .int16: return Double(values.bound(to: Int16.self)[position])
    case .boolean, .text, .json, .list, .record, .other: return nil
    }
  }

  /// The boolean of a row; nil for NULL and for a column of other values.
  func boolean(_ row: Int) -> Bool? {
    let position = position(row)
    guard kind == .boolean, isPresent(position) else { return nil }
    return values[position] != 0
  }

  /// The text of a row; nil for NULL and for a column of other values.
  func text(_ row: Int) -> String? {
    let position = position(row)
    guard kind == .text || kind == .json, let texts, isPresent(position) else { return nil }
    return texts.bytes(at: position).string
  }

  /// The bytes of a row's text; nil for NULL and for a column of other values.
  func textBytes(_ row: Int) -> [UInt8]? {
    let position = position(row)
    guard let texts, isPresent(position) else { return nil }
    return texts.bytes(at: position).array
  }

  /// The elements of a row's array; nil for NULL and for a column of other values.
  func elements(_ row: Int) -> (CellColumn, Range<Int>)? {
    let position = position(row)
    guard kind == .list, isPresent(position) else { return nil }
    let slice = values.bound(to: ListSlice.self)[position]
    let start = Int(slice.offset)
    return (elements, start..<(start + Int(slice.count)))
  }

  /// The row of a record's fields.
  func fieldRow(_ row: Int) -> Int { position(row) }

  /// A decoder of the record's fields that nobody else has.
  func makeFields() -> FieldsDecoder? {
    guard case .record(let record) = vector.type else { return nil }
    let children = vector.children
    return FieldsDecoder(
      NamedFields(
        record.fields.map(\.name), children.indices.map { CellColumn(children, $0, formatter) }))
  }

  func value(_ row: Int) -> SQLValue { SQLValue(vector, row: row, formatter) }
}

extension CellColumn {
  /// The value of a row.
  ///
  /// - Throws: what reading a value of the type throws.
  @inline(__always)
  func read<Value: SQLValueConvertible>(
    _ type: Value.Type, _ row: Int
  ) throws(SQLError) -> Value {
    // The cell does not count its reference to the column.
    defer { withExtendedLifetime(self) {} }
    return try Value.read(SQLCell(UncountedReference(self), row))
  }
}

extension UncountedReference<CellColumn> {
  /// The value of a row of a column that the caller holds.
  ///
  /// - Throws: what reading a value of the type throws.
  @inline(__always)
  func read<Value: SQLValueConvertible>(
    _ type: Value.Type, _ row: Int
  ) throws(SQLError) -> Value {
    try Value.read(SQLCell(self, row))
  }
}

/// The place of a value in a result, from which types of your own are read.
///
/// It can be neither copied nor kept, as it is good only while it is lent.
public struct SQLCell: ~Copyable {
  // Whoever lends a cell holds its column.
  private let column: UncountedReference<CellColumn>
  private let row: Int

  @inline(__always)
  init(_ column: UncountedReference<CellColumn>, _ row: Int) {
    self.column = column
    self.row = row
  }

  /// Whether the value is NULL.
  public var isNull: Bool { column.withObject { $0.isNull(row) } ?? true }

  /// The value in a form that holds any.
  public var value: SQLValue { column.withObject { $0.value(row) } ?? .null }

  /// The value, where it is a whole number of up to 64 bits and not NULL.
  public var integer: Int64? { column.withObject { $0.integer(row) } ?? nil }

  /// The value, where it is a number of up to 64 bits and not NULL.
  public var double: Double? { column.withObject { $0.double(row) } ?? nil }

  /// The value, where it is a boolean and not NULL.
  public var boolean: Bool? { column.withObject { $0.boolean(row) } ?? nil }

  /// The value, where it is a text or json and not NULL.
  public var text: String? { column.withObject { $0.text(row) } ?? nil }

  /// The elements of an array, as rows of a column of their own; nil for NULL and for any other value.
  var elements: (CellColumn, Range<Int>)? { column.withObject { $0.elements(row) } ?? nil }
}
