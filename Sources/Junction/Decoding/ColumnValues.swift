import Columnar
public import Diagnostics

/// A type of fixed size that a column holds as it is: whole and floating-point numbers, dates, times, intervals and uuids.
///
/// Only the engine knows which types these are; no others can conform.
public protocol ColumnElement: SQLValueConvertible, BitwiseCopyable {
  /// The columns that hold values of the type.
  static var columnForm: ColumnForm { get }
}

/// How a column holds its values.
public struct ColumnForm: Sendable {
  let types: [LogicalType]
  fileprivate init(_ types: LogicalType...) { self.types = types }
}

extension Int16: ColumnElement {
  /// Of `smallint`.
  public static var columnForm: ColumnForm { ColumnForm(.smallint) }
}
extension Int32: ColumnElement {
  /// Of `integer`.
  public static var columnForm: ColumnForm { ColumnForm(.integer) }
}
extension Int64: ColumnElement {
  /// Of `bigint`.
  public static var columnForm: ColumnForm { ColumnForm(.bigint, .oid) }
}
#if _pointerBitWidth(_64)
  extension Int: ColumnElement {
    /// Of `bigint`.
    public static var columnForm: ColumnForm { ColumnForm(.bigint, .oid) }
  }
#endif
extension Float: ColumnElement {
  /// Of `real`.
  public static var columnForm: ColumnForm { ColumnForm(.real) }
}
extension Double: ColumnElement {
  /// Of `double precision`.
  public static var columnForm: ColumnForm { ColumnForm(.double) }
}
extension SQLDate: ColumnElement {
  /// Of `date`.
  public static var columnForm: ColumnForm { ColumnForm(.date) }
}
extension SQLTime: ColumnElement {
  /// Of `time`.
  public static var columnForm: ColumnForm { ColumnForm(.time) }
}
extension SQLTimestamp: ColumnElement {
  /// Of `timestamptz` and `timestamp`.
  public static var columnForm: ColumnForm { ColumnForm(.timestamptz, .timestamp) }
}
extension SQLInterval: ColumnElement {
  /// Of `interval`.
  public static var columnForm: ColumnForm { ColumnForm(.interval) }
}
extension SQLUUID: ColumnElement {
  /// Of `uuid`.
  public static var columnForm: ColumnForm { ColumnForm(.uuid) }
}

/// The values of a column of a result, where they lie in memory.
///
/// ```swift
/// var sum = 0.0
/// try rows.column("mark", as: Double.self).withSpans { values, nulls in
///   for index in values.indices { sum += values[index] }
/// }
/// ```
///
/// It holds what it was made of, so it outlives the transaction.
public struct ColumnValues<Element: ColumnElement>: Sendable {
  /// The values of a chunk, one behind another.
  private struct Part: Sendable {
    let start: Int
    let count: Int
    let values: Buffer<Element>
    let validity: ValidityMask
    /// A bit for each value, set for NULL; nil where there is none.
    let nulls: Buffer<UInt64>?
    /// What keeps the memory of a table's page.
    let vector: Vector
  }

  private let parts: [Part]
  /// How many values there are.
  public let count: Int
  private let keeper: (any AnyObject & Sendable)?

  init(_ vectors: [Vector], keeping keeper: (any AnyObject & Sendable)?) {
    var parts: [Part] = []
    var start = 0
    for vector in vectors where vector.count > 0 {
      let flat = vector.flattened()
      parts.append(
        Part(
          start: start, count: flat.count, values: flat.values(Element.self),
          validity: flat.validity, nulls: Self.nulls(flat.validity, flat.count), vector: flat))
      start += flat.count
    }
    self.parts = parts
    count = start
    self.keeper = keeper
  }

  private static func nulls(_ validity: ValidityMask, _ count: Int) -> Buffer<UInt64>? {
    guard let words = validity.words, validity.nullCount(count) > 0 else { return nil }
    let length = ValidityMask.wordCount(count)
    let nulls = Buffer<UInt64>(uninitialized: length)
    for word in 0..<length { nulls[word] = ~words[word] }
    if count & 63 != 0 { nulls[length - 1] &= 1 << UInt64(count & 63) - 1 }
    return nulls
  }

  /// Whether some value is NULL.
  public var hasNulls: Bool { parts.contains { $0.nulls != nil } }

  /// Hands over the values in stretches of up to some thousands, one behind another.
  ///
  /// - Parameter body: Given the values, and a bit for each of them that is set for NULL, 64 to a word from the lowest bit on; no words at
  ///   all where no value of the stretch is NULL. What stands in the place of a NULL has no meaning.
  /// - Throws: what `body` throws.
  /// - Complexity: O(1) for each stretch; nothing is copied.
  public func withSpans<Failure: Error>(
    _ body: (_ values: Span<Element>, _ nulls: Span<UInt64>) throws(Failure) -> Void
  ) throws(Failure) {
    let none = Buffer<UInt64>(uninitialized: 0)
    for part in parts {
      let nulls = part.nulls ?? none
      try part.values.withElements(0..<part.count) { (values) throws(Failure) in
        try nulls.withElements(0..<nulls.count) { (nulls) throws(Failure) in
          try body(values, nulls)
        }
      }
    }
  }

  /// The values as an array.
  ///
  /// - Throws: 22004 if there is a NULL.
  /// - Complexity: O(*n*).
  public func array() throws(SQLError) -> [Element] {
    if let part = parts.first(where: { $0.nulls != nil }) {
      let row = (0..<part.count).first { !part.validity.isValid($0) } ?? 0
      throw SQLError(
        .nullNotAllowed, "row \(part.start + row) of the column is NULL",
        hint: "Read the values one by one, as optionals.")
    }
    var result: [Element] = []
    result.reserveCapacity(count)
    for part in parts { part.values.append(first: part.count, to: &result) }
    return result
  }
}

extension ColumnValues: RandomAccessCollection {
  /// The place of the first value.
  public var startIndex: Int { 0 }
  /// The place behind the last value.
  public var endIndex: Int { count }

  /// The value at a place, nil for NULL.
  ///
  /// - Complexity: O(log *n*) in the number of stretches.
  public subscript(position: Int) -> Element? {
    precondition(
      position >= 0 && position < count, "place \(position) is outside a column of \(count) values")
    var low = 0
    var high = parts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if parts[middle].start <= position { low = middle } else { high = middle }
    }
    let part = parts[low]
    let row = position - part.start
    return part.validity.isValid(row) ? part.values[row] : nil
  }
}

extension ResultSet {
  /// The values of a column in stretches of memory that nothing copies.
  ///
  /// - Throws: 42703 with the nearest names if there is no such column; 42702 if there are several; 42804 if the column does
  ///   not hold values of the type as they are.
  /// - Complexity: O(*n*) in the number of stretches, which have to be put in order first where a query has filtered or joined.
  public func column<Element: ColumnElement>(
    _ name: String, as type: Element.Type = Element.self
  ) throws(SQLError) -> ColumnValues<Element> {
    guard let index = try ColumnNames.index(of: name, in: columns) else {
      throw .noColumn(name, among: columns.map(\.name))
    }
    guard Element.columnForm.types.contains(columns[index].type) else {
      throw SQLError(
        .datatypeMismatch,
        "column \"\(name)\" of type \(columns[index].typeName) does not hold values of type \(type)",
        hint:
          "Ask for the type that the column has, or cast it to \(Element.sqlType.name) in the query."
      ).about(SQLError.Object(column: name))
    }
    return ColumnValues(chunks.map { $0.columns[index] }, keeping: keeper)
  }
}
