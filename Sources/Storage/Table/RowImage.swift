package import Columnar

/// The values of one row as plain bytes, 16 for each column: what a change of a single row is made of.
///
/// Whole numbers stand as `Int64`, of which a narrower column takes the low bytes.
///
/// One thread at a time uses an image.
package final class RowImage {
  package let columnCount: Int
  private let slots: Buffer<SIMD2<UInt64>>
  private var nulls: UInt64 = 0
  /// Where texts stand that do not fit a view, until the next row is set.
  private let heap = TextHeap()

  /// The most columns of an image.
  package static let columnLimit = 64

  /// A row of NULLs.
  package init(columnCount: Int) {
    precondition(columnCount <= Self.columnLimit, "an image has at most 64 columns")
    self.columnCount = columnCount
    slots = Buffer(repeating: .zero, count: columnCount)
    for column in 0..<columnCount { setNull(column) }
  }

  /// Whether a value of a type fits.
  package static func holds(_ type: LogicalType) -> Bool {
    switch type.physical {
    case .bool, .int16, .int32, .int64, .float, .double, .uuid, .text: true
    case .numeric, .interval, .list, .record: false
    }
  }

  // MARK: Setting

  package func setNull(_ column: Int) {
    slots[column] = .zero
    nulls |= 1 &<< UInt64(truncatingIfNeeded: column)
  }

  package func set(_ column: Int, number: Int64) {
    set(column, SIMD2(UInt64(bitPattern: number), 0))
  }

  private func set(_ column: Int, _ bytes: SIMD2<UInt64>) {
    slots[column] = bytes
    nulls &= ~(1 &<< UInt64(truncatingIfNeeded: column))
  }

  /// Sets a value of a type that an image holds.
  package func set(_ column: Int, _ value: Value) {
    switch value {
    case .null: setNull(column)
    case .boolean(let flag): set(column, number: flag ? 1 : 0)
    case .int16(let number): set(column, number: Int64(number))
    case .int32(let number): set(column, number: Int64(number))
    case .int64(let number): set(column, number: number)
    case .float(let number): set(column, SIMD2(UInt64(number.bitPattern), 0))
    case .double(let number): set(column, SIMD2(number.bitPattern, 0))
    case .uuid(let uuid):
      set(column, .zero)
      slots.block.buffer(of: UUIDValue.self)[column] = uuid
    case .text(let bytes): set(column, text: bytes.span)
    case .numeric, .interval, .list, .record:
      preconditionFailure("an image has no room for such a value")
    }
  }

  /// Sets a text, which is copied.
  ///
  /// - Precondition: it is UTF-8 for a column of text.
  package func set(_ column: Int, text: Span<UInt8>) {
    let view = heap.append(text)
    set(column, .zero)
    slots.block.buffer(of: TextView.self)[column] = view
  }

  /// Lets go of long texts, whose columns must be set anew.
  package func forgetTexts() { heap.removeAll() }

  // MARK: Reading

  @inline(__always)
  package func isNull(_ column: Int) -> Bool {
    nulls &>> UInt64(truncatingIfNeeded: column) & 1 != 0
  }

  /// Whether one of some columns, given as bits, is NULL.
  @inline(__always)
  package func hasNull(among columns: UInt64) -> Bool { nulls & columns != 0 }

  @inline(__always)
  package func number(_ column: Int) -> Int64 { Int64(bitPattern: slots[column].x) }

  @inline(__always)
  func bytes(_ column: Int) -> SIMD2<UInt64> { slots[column] }

  package func text(_ column: Int) -> TextView { slots.block.buffer(of: TextView.self)[column] }

  /// The bytes of a text; good until texts are forgotten.
  package func textBytes(_ column: Int) -> TextBytes {
    slots.block.buffer(of: TextView.self).bytes(at: column)
  }

  package func uuid(_ column: Int) -> UUIDValue { slots.block.buffer(of: UUIDValue.self)[column] }
}
