import Columnar
public import Diagnostics

extension ResultSet {
  /// All rows as values of a type, read from the columns as they stand.
  ///
  /// A type that stands in one column is read from the first column, one that is `RowDecodable` column by column in their order. The
  /// properties of any other type are found by their coding keys: a column of exactly this name, else of its snake case, so that
  /// `shortCode` finds `short_code`. An optional property is nil where there is no column for it. Properties that are arrays or structs
  /// themselves are decoded from arrays, rows and JSON.
  ///
  /// - Throws: 42703 for a property without a column; 42702 where several columns have its name; 42804 for a value of another
  ///   type, or NULL where the property is no optional; 22003 for a number that does not fit; with the place in `context`, such
  ///   as `[2].employees[0].id`.
  /// - Complexity: O(*n*) in the values.
  public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws(SQLError) -> [Value]
  {
    try decode(type, 0..<count)
  }

  /// All rows as values of a type that may be made by any thread: those of many rows are made by several at once.
  ///
  /// - Throws: as `decode` of any other type.
  /// - Complexity: O(*n*) in the values.
  public func decode<Value: Decodable & Sendable>(
    _ type: Value.Type = Value.self
  ) throws(SQLError) -> [Value] {
    try decode(type, 0..<count, isShared: true)
  }

  /// Some rows as values of a type; `isShared` says whether it is `Sendable`.
  func decode<Value: Decodable>(
    _ type: Value.Type, _ rows: Range<Int>, isShared: Bool = false
  ) throws(SQLError) -> [Value] {
    switch RowReading.of(type) {
    case .columns:
      guard let reader = type as? any RowDecodable.Type else {
        throw .internal("\(type) is not read by columns")
      }
      return try readRows(reader, as: type, rows, isShared)
    case .first(let reader): return try readColumn(reader, as: type, rows)
    case .names(let known): return try decodeRows(type, rows, known, isShared)
    }
  }

  /// Rows column by column; `Value` is `Reader`.
  private func readRows<Reader: RowDecodable, Value>(
    _ reader: Reader.Type, as type: Value.Type, _ rows: Range<Int>, _ isShared: Bool
  ) throws(SQLError) -> [Value] {
    let values = try [Reader].made(
      rows, partSize: isShared ? partSize(rows.count) : rows.count,
      by: OrderedRowMaker<Reader>.self, self)
    return Self.same(values, as: type)
  }

  /// An array whose elements are of the type, though the compiler does not know it.
  private static func same<Element, Value>(_ values: [Element], as type: Value.Type) -> [Value] {
    precondition(Element.self == type, "\(Element.self) is not \(type)")
    // Asking whether it is an array of the type takes longer than to read a row.
    return unsafe unsafeBitCast(values, to: [Value].self)
  }

  /// The values of the first column; `Value` is `Element`.
  private func readColumn<Element: SQLValueConvertible, Value>(
    _ element: Element.Type, as type: Value.Type, _ rows: Range<Int>
  ) throws(SQLError) -> [Value] {
    guard let column = columns.first else { throw .withoutColumns }
    var done = 0
    var result: [Element] = []
    result.reserveCapacity(rows.count)
    try forEachPart(of: rows) { (chunk, part) throws(SQLError) in
      let cells = CellColumn(chunk.columns, 0, formatter)
      do throws(SQLError) {
        if let type = element as? any ColumnReadable.Type,
          let values = try type.values(of: cells, part, after: &done) as? [Element]
        {
          result += values
        } else {
          for row in part {
            result.append(try cells.read(element, row))
            done += 1
          }
        }
      } catch {
        throw error.inColumn(column.name).inside("[\(rows.lowerBound + done)]")
      }
    }
    return Self.same(result, as: type)
  }

  /// Rows by the names of their columns.
  private func decodeRows<Value: Decodable>(
    _ type: Value.Type, _ rows: Range<Int>, _ known: KnownFields, _ isShared: Bool
  ) throws(SQLError) -> [Value] {
    guard !columns.isEmpty else { throw .withoutColumns }
    if rows.isEmpty { return [] }
    let order = known.order(among: columns)
    if order == nil, let error = SQLError.foundationType(type, "a row") { throw error }
    return try [Value].made(
      rows, partSize: isShared ? partSize(rows.count) : rows.count,
      by: NamedRowMaker<Value>.self,
      NamedRows(result: self, known: known, order: order))
  }

  /// Hands over the chunks that have some of the rows, and which rows these are in a chunk.
  private func forEachPart(
    of rows: Range<Int>, _ body: (DataChunk, Range<Int>) throws(SQLError) -> Void
  ) throws(SQLError) {
    var start = 0
    for chunk in chunks {
      let part = rows.clamped(to: start..<(start + chunk.count))
      if !part.isEmpty {
        try body(chunk, (part.lowerBound - start)..<(part.upperBound - start))
      }
      start += chunk.count
    }
  }
}

/// A type whose values are read so often alone that the loop over them is compiled for it.
private protocol ColumnReadable: SQLValueConvertible {}

extension ColumnReadable {
  /// The values of some rows; counts them as they are read.
  fileprivate static func values(
    of column: CellColumn, _ rows: Range<Int>, after done: inout Int
  ) throws(SQLError) -> Any {
    var values: [Self] = []
    values.reserveCapacity(rows.count)
    for row in rows {
      values.append(try column.read(Self.self, row))
      done += 1
    }
    return values
  }
}

extension Int: ColumnReadable {}
extension Int64: ColumnReadable {}
extension Int32: ColumnReadable {}
extension Double: ColumnReadable {}
extension String: ColumnReadable {}
extension Bool: ColumnReadable {}

extension SQLError {
  /// The error of a statement without columns whose rows are asked for.
  fileprivate static var withoutColumns: SQLError {
    SQLError(
      .datatypeMismatch, "the statement gives no columns",
      hint: "A change gives rows by RETURNING; execute() gives their number.")
  }
}

extension ResultSet.Row {
  /// The value of a column.
  ///
  /// - Throws: 42703 with the nearest names if there is no such column; 42702 if there are several; 42804 if the type does not
  ///   fit; 22003 if the number does not.
  public subscript<Value: SQLValueConvertible>(name: String, as type: Value.Type) -> Value {
    get throws(SQLError) {
      guard let column = try ColumnNames.index(of: name, in: result.columns) else {
        throw .noColumn(name, among: result.columns.map(\.name))
      }
      return try self[column, as: type]
    }
  }

  /// The value of a column by its place.
  ///
  /// - Precondition: the place is in bounds.
  /// - Throws: 42804 if the type does not fit; 22003 if the number does not.
  public subscript<Value: SQLValueConvertible>(column: Int, as type: Value.Type) -> Value {
    get throws(SQLError) {
      let (chunk, row) = result.locate(index)
      do throws(SQLError) {
        return try CellColumn(chunk.columns, column, result.formatter).read(type, row)
      } catch {
        throw error.inColumn(result.columns[column].name).inside("[\(index)]")
      }
    }
  }

  /// The value of the column of this name: `try row.name as String?`.
  ///
  /// - Throws: as `row["name", as: String?.self]`.
  public subscript<Value: SQLValueConvertible>(dynamicMember name: String) -> Value {
    get throws(SQLError) { try self[name, as: Value.self] }
  }

  /// The row as a value of a type.
  ///
  /// - Throws: as `ResultSet.decode`.
  public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws(SQLError) -> Value {
    guard let value = try result.decode(type, index..<(index + 1)).first else {
      throw .internal("row \(index) of \(result.count) did not decode")
    }
    return value
  }
}

extension Reader where Self: ~Copyable {
  /// All rows of a query as values of a type.
  ///
  /// ```swift
  /// let all = try database.fetchAll(Student.self, "SELECT * FROM student ORDER BY id")
  /// let names = try database.fetchAll(String.self, "SELECT name FROM student")
  /// ```
  ///
  /// - Throws: the query's error; as `ResultSet.decode`.
  public func fetchAll<Value: Decodable>(
    _ type: Value.Type, _ sql: SQL
  ) throws(SQLError) -> [Value] {
    try query(sql).decode(type)
  }

  /// All rows of a query as values of a type that may be made by any thread: those of many rows are made by several at once.
  ///
  /// - Throws: the query's error; as `ResultSet.decode`.
  public func fetchAll<Value: Decodable & Sendable>(
    _ type: Value.Type, _ sql: SQL
  ) throws(SQLError) -> [Value] {
    try query(sql).decode(type)
  }

  /// The one row of a query as a value of a type.
  ///
  /// - Throws: P0002 if there is no row, P0003 if there are several; the query's error; as `ResultSet.decode`.
  public func fetchOne<Value: Decodable>(
    _ type: Value.Type, _ sql: SQL
  ) throws(SQLError) -> Value {
    let rows = try query(sql)
    if rows.count > 1 {
      throw SQLError(
        .tooManyRows, "query returned more than one row",
        hint: "Add LIMIT 1, or ask by fetchFirst for any of them.")
    }
    guard let value = try rows.decode(type, 0..<rows.count).first else {
      throw SQLError(
        .noDataFound, "query returned no rows", hint: "Ask by fetchFirst where there may be none.")
    }
    return value
  }

  /// The first row of a query as a value of a type, nil if there is none.
  ///
  /// - Throws: the query's error; as `ResultSet.decode`.
  public func fetchFirst<Value: Decodable>(
    _ type: Value.Type, _ sql: SQL
  ) throws(SQLError) -> Value? {
    let rows = try query(sql)
    return try rows.decode(type, 0..<min(1, rows.count)).first
  }
}
