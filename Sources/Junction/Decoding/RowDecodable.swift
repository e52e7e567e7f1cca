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
  private var columns: [CellColumn] = []
  private var cells: [UncountedReference<CellColumn>] = []
  private let names: [ResultColumn]
  private var row = 0
  private var index = 0

  init(_ names: [ResultColumn]) { self.names = names }

  /// Goes on to the columns of another chunk.
  mutating func open(_ columns: [CellColumn]) {
    self.columns = columns
    cells = columns.map { UncountedReference($0) }
  }

  /// Goes to the first column of a row.
  mutating func begin(_ row: Int) {
    self.row = row
    index = 0
  }

  // Inlined, so that the rows of a type are read without asking at each value how it is read.
  /// The value of the next column.
  ///
  /// - Throws: 42804 if the column has other values, or NULL where the type is no optional; 22003 if the value does not fit; 42703 behind the
  ///   last column.
  /// - Complexity: O(1), and of a text its length.
  @inlinable
  public mutating func next<Value: SQLValueConvertible>(
    _ type: Value.Type = Value.self
  ) throws(SQLError) -> Value {
    let cell = try nextCell()
    do throws(SQLError) { return try Value.read(cell) } catch { throw notRead(error) }
  }

  /// The cell of the next column, to be followed by that of the column behind it.
  @usableFromInline
  mutating func nextCell() throws(SQLError) -> SQLCell {
    guard index < cells.count else {
      throw SQLError(
        .undefinedColumn, "a row has only \(cells.count) columns",
        hint: "Read no more columns than the query gives.")
    }
    index += 1
    return SQLCell(cells[index - 1], row)
  }

  /// Goes back to a column that could not be read, and says which one it is.
  @usableFromInline
  mutating func notRead(_ error: SQLError) -> SQLError {
    index -= 1
    return error.inColumn(names[index].name)
  }
}
