import Columnar
public import Diagnostics

/// A type that reads the columns of a row in their order: the fastest way to a struct.
///
/// ```swift
/// extension Course: RowDecodable {
///   init(row: inout RowReader) throws(SQLError) {
///     id = try row.next()
///     name = try row.next()
///   }
/// }
/// ```
///
/// The query has to name its columns in this order. Names are not looked at.
public protocol RowDecodable: Decodable {
  /// The value of a row whose columns come one after another.
  ///
  /// - Throws: what reading a column throws.
  init(row: inout RowReader) throws(SQLError)
}

/// The columns of a row, handed out in their order.
public struct RowReader: ~Copyable {
  /// Keeps the columns that are read without being counted.
  private let columns: [CellColumn]
  private let cells: [UncountedReference<CellColumn>]
  private let names: [ResultColumn]
  private var row = 0
  private var index = 0

  init(_ columns: [CellColumn], _ names: [ResultColumn]) {
    self.columns = columns
    cells = columns.map { UncountedReference($0) }
    self.names = names
  }

  /// Goes to the first column of a row.
  mutating func begin(_ row: Int) {
    self.row = row
    index = 0
  }

  /// The value of the next column.
  ///
  /// - Throws: 42804 if the column has other values, or NULL where the type is no optional; 22003 if the value does not fit; 42703 behind the
  ///   last column.
  /// - Complexity: O(1), and of a text its length.
  public mutating func next<Value: SQLValueConvertible>(
    _ type: Value.Type = Value.self
  ) throws(SQLError) -> Value {
    guard index < cells.count else {
      throw SQLError(
        .undefinedColumn, "a row has only \(cells.count) columns",
        hint: "Read no more columns than the query gives.")
    }
    do throws(SQLError) {
      let value = try cells[index].read(type, row)
      index += 1
      return value
    } catch {
      throw error.inColumn(names[index].name)
    }
  }
}
