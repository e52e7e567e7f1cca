import Columnar
public import Diagnostics

/// What becomes of a new row whose key an other row has.
public enum OnConflict: Sendable, Hashable {
  /// The insert fails.
  case fail
  /// The new row is left out.
  case ignore
}

extension Writer where Self: ~Copyable {
  /// Inserts values of any `Encodable` type, all in one statement and column by column.
  ///
  /// ```swift
  /// try database.insert(courses, into: "course")
  /// ```
  ///
  /// Properties go to columns as in decoding: to one of exactly their name, else of its snake case. Where one is nil, the column's default
  /// takes its place. Properties that are structs or dictionaries go into columns of JSON. Constraints are checked for
  /// all rows at once.
  ///
  /// - Returns: how many rows were inserted.
  /// - Throws: 42P01 if there is no such table; 42703 for a property without a column; 22P02, 22003 and others for a value
  ///   that the column does not take; what a constraint says of the first row that breaks one; all of them with the place of the row,
  ///   such as `rows[3].id`, in `context`. Nothing of the call stays then.
  /// - Complexity: O(*n*) in the rows.
  @discardableResult
  public func insert(
    _ rows: some Sequence<some Encodable>, into table: String, onConflict: OnConflict = .fail
  ) throws(SQLError) -> Int {
    let columns = RowColumns(table, try CatalogView.of(self).shape(of: table))
    let encoder = RowEncoder(columns)
    var count = 0
    for row in rows {
      do { try encoder.append(row) } catch {
        throw SQLError(encoding: error).inside("rows[\(count)]")
      }
      count += 1
    }
    if count == 0 { return 0 }
    let (names, chunks) = columns.finish()
    let load = ValueLoad(
      table: table, columns: names, chunks: chunks, onConflict: onConflict, fillsNulls: true)
    return try run(Request(.load(load))).rowCount
  }

  /// Appends whole columns: the fastest way in but for files.
  ///
  /// ```swift
  /// try database.append([ColumnInput("id", ids), ColumnInput("mark", marks)], to: "result")
  /// ```
  ///
  /// Columns of the table that are left out have their defaults; nil is NULL.
  ///
  /// - Returns: how many rows were added.
  /// - Throws: 22023 where the columns differ in length; as `insert`.
  /// - Complexity: O(*n*) in the values.
  @discardableResult
  public func append(_ columns: [ColumnInput], to table: String) throws(SQLError) -> Int {
    let described = try CatalogView.of(self).shape(of: table)
    let names = described.map(\.name)
    let count = columns.first?.count ?? 0
    var places: [Int] = []
    for column in columns {
      guard let index = try ColumnNames.index(of: column.name, in: names) else {
        var error = SQLError.noColumn(column.name, among: names)
        error.message = "column \"\(column.name)\" of relation \"\(table)\" does not exist"
        throw error
      }
      if places.contains(index) {
        throw SQLError(.duplicateColumn, "column \"\(names[index])\" specified more than once")
      }
      if column.count != count {
        throw SQLError(
          .invalidParameterValue,
          "column \"\(column.name)\" has \(column.count) values, column \"\(columns[0].name)\" \(count)"
        )
      }
      places.append(index)
    }
    if count == 0 { return 0 }
    var chunks: [DataChunk] = []
    for start in stride(from: 0, to: count, by: Vector.pageCapacity) {
      let range = start..<min(count, start + Vector.pageCapacity)
      var vectors: [Vector] = []
      for (column, place) in zip(columns, places) {
        vectors.append(try column.vector(range, names[place], described[place].type))
      }
      chunks.append(DataChunk(vectors, count: range.count))
    }
    let load = ValueLoad(
      table: table, columns: places.map { names[$0] }, chunks: chunks, onConflict: .fail,
      fillsNulls: false)
    return try run(Request(.load(load))).rowCount
  }
}

/// The values of a column of new rows.
public struct ColumnInput: Sendable {
  /// The name of the column, or the property for whose snake case it is named.
  public let name: String
  /// How many values there are.
  public let count: Int
  /// Makes a vector of some of the values.
  private let make: @Sendable (Range<Int>, String, LogicalType) throws(SQLError) -> Vector

  /// Values of any type that stands in a column.
  public init<Value: SQLValueConvertible>(_ name: String, _ values: [Value]) {
    self.name = name
    count = values.count
    make = { (range, name, type) throws(SQLError) in
      try Self.written(values, range, name, type)
    }
  }

  /// Values that a column holds as they are: they are copied as memory.
  public init<Value: ColumnElement>(_ name: String, _ values: [Value]) {
    self.name = name
    count = values.count
    make = { (range, name, type) throws(SQLError) in
      guard Value.columnForm.types.contains(type) else {
        return try Self.written(values, range, name, type)
      }
      let buffer = Buffer<Value>(uninitialized: range.count)
      for index in range { buffer[index &- range.lowerBound] = values[index] }
      return Vector(type, buffer, count: range.count)
    }
  }

  /// A vector of values that are converted one by one.
  private static func written<Value: SQLValueConvertible>(
    _ values: [Value], _ range: Range<Int>, _ name: String, _ type: LogicalType
  ) throws(SQLError) -> Vector {
    let writer = ColumnWriter(name, type)
    let slot = EncodingSlot<Value>.make()
    for index in range {
      do { try slot.write(values[index], to: writer) } catch {
        throw SQLError(encoding: error).inColumn(name).inside("rows[\(index)]")
      }
    }
    return writer.take()
  }

  func vector(_ range: Range<Int>, _ name: String, _ type: LogicalType) throws(SQLError) -> Vector {
    try make(range, name, type)
  }
}
