package import Columnar
public import Diagnostics
import Planning

/// A column of a result.
public struct ResultColumn: Hashable, Sendable {
  /// The name, which need not be unique.
  public let name: String
  /// The type as PostgreSQL names it, such as `integer` or `character varying(10)`.
  public let typeName: String
  /// Whether values are printed flush right, as numbers are.
  public let isNumeric: Bool
  package let columnType: ColumnType
  package var type: LogicalType { columnType.type }

  package init(name: String, columnType: ColumnType) {
    self.name = name
    self.typeName = columnType.name
    self.isNumeric = columnType.type.isNumeric
    self.columnType = columnType
  }
}

/// What a result keeps: the version of the database in which its texts stand, and the memory that it counts for.
final class ResultKeeper: Sendable {
  private let version: any AnyObject & Sendable
  private let memory: [HeldMemory]

  private init(_ version: any AnyObject & Sendable, _ memory: [HeldMemory]) {
    self.version = version
    self.memory = memory
  }

  /// The version itself for small results, which count for little.
  static func keeper(
    _ version: any AnyObject & Sendable, _ memory: [HeldMemory]
  ) -> any AnyObject & Sendable {
    if memory.reduce(0, { $0 + $1.byteCount }) < 1 << 16 { return version }
    return ResultKeeper(version, memory)
  }
}

/// The rows that a statement gave, kept column by column.
///
/// Values are read where they lie: a number costs an array access, a text is copied only when it is
/// asked for as a `String`.
public struct ResultSet: Sendable {
  /// The columns, in order; none for a statement that gives no rows.
  public let columns: [ResultColumn]
  /// The number of rows.
  public let count: Int
  package let chunks: [DataChunk]
  /// How many rows the statement gave or changed.
  var rowCount = 0
  /// How many threads may make values of the rows.
  var workerLimit = Int.max
  /// The number of the first row of each chunk; empty where there is only one.
  private let starts: [Int]
  /// How the session wanted values to be written; nil for the way in which every session begins.
  private let style: ValueStyle?
  /// What keeps the texts alive that stand in a table.
  let keeper: (any AnyObject & Sendable)?

  /// - Parameters:
  ///   - columns: The columns.
  ///   - chunks: The rows.
  ///   - style: How the session wants values to be written; nil for the way in which every session begins.
  ///   - keeper: The owner of texts that the chunks only refer to.
  // Inlined, so that a look-up hands over what it holds rather than counting references of it.
  @inline(__always)
  package init(
    columns: [ResultColumn], chunks: [DataChunk], style: ValueStyle? = nil,
    keeping keeper: (any AnyObject & Sendable)? = nil
  ) {
    self.columns = columns
    self.style = style
    if chunks.count == 1 {
      starts = []
      count = chunks[0].count
    } else {
      (starts, count) = Self.starts(of: chunks)
    }
    self.chunks = chunks
    self.keeper = keeper
  }

  /// Other rows that refer to the same texts.
  func changed(columns: [ResultColumn], chunks: [DataChunk]) -> ResultSet {
    var result = ResultSet(columns: columns, chunks: chunks, style: style, keeping: keeper)
    result.workerLimit = workerLimit
    return result
  }

  /// Some of the columns.
  func keeping(columns range: Range<Int>) -> ResultSet {
    changed(
      columns: Array(columns[range]),
      chunks: chunks.map { DataChunk(Array($0.columns[range]), count: $0.count) })
  }

  /// The number of the first row of each chunk, and of all rows.
  private static func starts(of chunks: [DataChunk]) -> (starts: [Int], count: Int) {
    var starts: [Int] = []
    starts.reserveCapacity(chunks.count)
    var total = 0
    for chunk in chunks {
      starts.append(total)
      total += chunk.count
    }
    return (starts, total)
  }

  /// The chunk that holds `row` and the row's place in it.
  func locate(_ row: Int) -> (chunk: DataChunk, row: Int) {
    precondition(row >= 0 && row < count, "row \(row) is outside a result of \(count) rows")
    if chunks.count == 1 { return (chunks[0], row) }
    var low = 0
    var high = starts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= row { low = middle } else { high = middle }
    }
    return (chunks[low], row - starts[low])
  }

  /// Whether the value is NULL.
  public func isNull(row: Int, column: Int) -> Bool {
    let place = locate(row)
    return !place.chunk.columns[column].isValid(place.row)
  }

  /// The value of a row's column.
  ///
  /// - Precondition: both are in bounds.
  public func value(row: Int, column: Int) -> SQLValue {
    let place = locate(row)
    return SQLValue(place.chunk.columns[column], row: place.row, formatter)
  }

  /// The value as PostgreSQL prints it; nil for NULL.
  public func text(row: Int, column: Int) -> String? {
    var bytes = ByteBuilder()
    guard appendText(row: row, column: column, to: &bytes) else { return nil }
    return bytes.bytes.string
  }

  /// Adds the value as PostgreSQL prints it; false for NULL.
  package func appendText(row: Int, column: Int, to bytes: inout ByteBuilder) -> Bool {
    let place = locate(row)
    let vector = place.chunk.columns[column]
    guard vector.isValid(place.row) else { return false }
    formatter.append(place.row, of: vector, to: &bytes)
    return true
  }

  /// What writes the values, in the style of the session that asked for them.
  package var formatter: TextFormatter { TextFormatter(style ?? ValueStyle()) }
}

extension ResultSet: RandomAccessCollection {
  /// One row of a result.
  @dynamicMemberLookup
  public struct Row: Sendable {
    let result: ResultSet
    let index: Int

    /// The value of a column by its place.
    public subscript(column: Int) -> SQLValue { result.value(row: index, column: column) }

    /// The value of the first column of this name, nil if there is none.
    public subscript(name: String) -> SQLValue? {
      result.columns.firstIndex { $0.name == name }.map { result.value(row: index, column: $0) }
    }

    /// All values, in the order of the columns.
    public var values: [SQLValue] { result.columns.indices.map { self[$0] } }
  }

  /// The number of the first row.
  public var startIndex: Int { 0 }
  /// The number of rows.
  public var endIndex: Int { count }
  /// A row by its number.
  ///
  /// - Precondition: it is in bounds when a value of it is asked for.
  public subscript(row: Int) -> Row { Row(result: self, index: row) }
}

/// What one statement did.
public struct StatementResult: Sendable {
  /// What the tag is made of when it is asked for.
  private enum Tag {
    case words(String)
    case rows(BoundStatement.Kind, Int)
  }

  private let tag: Tag
  /// The rows, nil for a statement that gives none (a query without rows gives an empty set).
  public let rows: ResultSet?
  /// Remarks made on the way.
  public let notices: [Notice]

  package init(commandTag: String, rows: ResultSet? = nil, notices: [Notice] = []) {
    tag = .words(commandTag)
    self.rows = rows
    self.notices = notices
  }

  /// The result of a query or a change of `rowCount` rows.
  init(command: BoundStatement.Kind, rowCount: Int, rows: ResultSet?) {
    tag = .rows(command, rowCount)
    self.rows = rows
    notices = []
  }

  /// How many rows the statement gave or changed.
  var rowCount: Int {
    if case .rows(_, let count) = tag { return count }
    return rows?.count ?? 0
  }

  /// The rows, with the number of those that were given or changed; no rows for a statement that gives none.
  var answer: ResultSet {
    var answer = rows ?? ResultSet(columns: [], chunks: [])
    answer.rowCount = rowCount
    return answer
  }

  /// The same result with remarks.
  init(_ result: StatementResult, notices: [Notice]) {
    tag = result.tag
    rows = result.rows
    self.notices = notices
  }

  /// What PostgreSQL prints for it, such as `INSERT 0 3` or `CREATE TABLE`.
  public var commandTag: String {
    switch tag {
    case .words(let words): words
    case .rows(.query, let count): "SELECT \(count)"
    case .rows(.insert, let count): "INSERT 0 \(count)"
    case .rows(.update, let count): "UPDATE \(count)"
    case .rows(.delete, let count): "DELETE \(count)"
    case .rows(.merge, let count): "MERGE \(count)"
    }
  }
}
