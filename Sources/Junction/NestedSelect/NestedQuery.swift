/// A nested select put together in Swift, a piece at a time; nothing is read before its answer is asked for.
///
/// ```swift
/// let json = try database.from("course")
///   .select("id, short_code, name, student(id, last_name, first_name)")
///   .gte("student.id", 10)
///   .order("short_code")
///   .limit(20)
///   .json()
/// ```
///
/// Columns are named as in a request: `name`, `data->key`, or `student.id` for a column of an embed.
/// Values are never parsed, whatever characters they have.
public struct NestedQuery: Sendable {
  /// A part of the request.
  private enum Part: Sendable {
    /// A parameter as a request has it.
    case parameter(String, String)
    /// A condition on a column.
    case test(String, RequestOperation, isNegated: Bool)
    /// Conditions as a request has them, and the level that they are about.
    case tree(String, level: String, isAny: Bool)
    /// A column, its direction, where nulls go, and the level.
    case order(String, isDescending: Bool, nulls: RequestOrder.Nulls?, level: String)
  }

  private let connection: @Sendable () -> Connection
  private let table: String
  private var list = "*"
  private var parts: [Part] = []

  init(_ table: String, connection: @escaping @Sendable () -> Connection) {
    self.table = table
    self.connection = connection
  }

  private func adding(_ part: Part) -> NestedQuery {
    var copy = self
    copy.parts.append(part)
    return copy
  }

  private func comparing(
    _ column: String, _ comparison: RequestOperation.Comparison, _ value: SQLValue
  ) -> NestedQuery {
    adding(.test(column, .compare(comparison, value.spelling), isNegated: false))
  }

  // MARK: What is shown

  /// The columns and embeds of each row; all columns without it.
  public func select(_ list: String) -> NestedQuery {
    var copy = self
    copy.list = list
    return copy
  }

  // MARK: Filters

  /// Rows whose column has the value; for nil, rows where it is NULL.
  public func eq(_ column: String, _ value: SQLValue) -> NestedQuery {
    value == .null ? isNull(column) : comparing(column, .equal, value)
  }

  /// Rows whose column has another value; for nil, rows where it is not NULL.
  public func neq(_ column: String, _ value: SQLValue) -> NestedQuery {
    value == .null
      ? isNotNull(column) : adding(.test(column, .symbol("<>", value.spelling), isNegated: false))
  }

  /// Rows whose column is greater.
  public func gt(_ column: String, _ value: SQLValue) -> NestedQuery {
    comparing(column, .greater, value)
  }

  /// Rows whose column is greater or equal.
  public func gte(_ column: String, _ value: SQLValue) -> NestedQuery {
    comparing(column, .greaterOrEqual, value)
  }

  /// Rows whose column is less.
  public func lt(_ column: String, _ value: SQLValue) -> NestedQuery {
    comparing(column, .less, value)
  }

  /// Rows whose column is less or equal.
  public func lte(_ column: String, _ value: SQLValue) -> NestedQuery {
    comparing(column, .lessOrEqual, value)
  }

  /// Rows whose column fits a pattern of LIKE, in which `*` is as good as `%`.
  public func like(_ column: String, _ pattern: String) -> NestedQuery {
    comparing(column, .like, .text(pattern))
  }

  /// Rows whose column fits a pattern of LIKE in any case of letters.
  public func ilike(_ column: String, _ pattern: String) -> NestedQuery {
    comparing(column, .ilike, .text(pattern))
  }

  /// Rows whose column is one of the values; none for no values.
  public func `in`(_ column: String, _ values: [SQLValue]) -> NestedQuery {
    adding(.test(column, .isIn(values.map(\.spelling)), isNegated: false))
  }

  /// Rows whose column is NULL, or to which no row of an embed belongs.
  public func isNull(_ column: String) -> NestedQuery {
    adding(.test(column, .isTruth(.null), isNegated: false))
  }

  /// Rows whose column is not NULL, or to which a row of an embed belongs.
  public func isNotNull(_ column: String) -> NestedQuery {
    adding(.test(column, .isTruth(.notNull), isNegated: false))
  }

  /// Rows whose column fulfils a condition as a request has it, such as `not.in.(1,2)` or `cs.{a,b}`.
  public func filter(_ column: String, _ condition: String) -> NestedQuery {
    adding(.parameter(column, condition))
  }

  /// Rows that fulfil one at least of several conditions, such as `age.lt.6,not.and(age.gt.60,name.is.null)`.
  ///
  /// - Parameters:
  ///   - conditions: The conditions as a request has them, without the outer parentheses.
  ///   - level: The embed that they are about; the outermost rows without it.
  /// - Returns: The query with that added.
  public func or(_ conditions: String, on level: String = "") -> NestedQuery {
    adding(.tree(conditions, level: level, isAny: true))
  }

  /// Rows that fulfil all of several conditions.
  ///
  /// - Parameters:
  ///   - conditions: The conditions as a request has them, without the outer parentheses.
  ///   - level: The embed that they are about; the outermost rows without it.
  /// - Returns: The query with that added.
  public func and(_ conditions: String, on level: String = "") -> NestedQuery {
    adding(.tree(conditions, level: level, isAny: false))
  }

  // MARK: Order and limits

  /// Sorts rows by a column, behind those named before; `parent(name)` is a column of a to-one embed.
  ///
  /// - Parameters:
  ///   - column: The column.
  ///   - ascending: Whether the least value comes first.
  ///   - nullsFirst: Where NULL goes; by default behind all values if ascending.
  ///   - level: The embed whose rows are sorted; the outermost rows without it.
  /// - Returns: The query with that added.
  public func order(
    _ column: String, ascending: Bool = true, nullsFirst: Bool? = nil, on level: String = ""
  ) -> NestedQuery {
    adding(
      .order(
        column, isDescending: !ascending, nulls: nullsFirst.map { $0 ? .first : .last },
        level: level))
  }

  /// The most rows, of each parent if it is an embed's.
  public func limit(_ count: Int, on level: String = "") -> NestedQuery {
    adding(.parameter(level.isEmpty ? "limit" : "\(level).limit", String(count)))
  }

  /// The rows that are passed over, of each parent if it is an embed's.
  public func offset(_ count: Int, on level: String = "") -> NestedQuery {
    adding(.parameter(level.isEmpty ? "offset" : "\(level).offset", String(count)))
  }

  // MARK: Answers

  /// The rows as one line of JSON: an array of objects whose members stand in the order of the select list.
  ///
  /// - Throws: what is wrong with the request, or the error of the statement that it becomes.
  public func json() throws(NestedSelectError) -> [UInt8] { try rows().json }

  /// The one row there is, as a JSON object.
  ///
  /// - Throws: as `json()`; PGRST116 if there is no row or more than one.
  public func singleJSON() throws(NestedSelectError) -> [UInt8] { try rows().single() }

  /// The rows as values of a type, whose properties have the names of the members.
  ///
  /// - Throws: as `json()`, or a `DecodingError` where a member is missing or of another type.
  public func all<Value: Decodable>(as type: Value.Type = Value.self) throws -> [Value] {
    try [Value](from: JSONNodeDecoder(try JSONNode(try json())))
  }

  /// The one row there is, as a value of a type.
  ///
  /// - Throws: as `singleJSON()`, or a `DecodingError` where a member is missing or of another type.
  public func single<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
    try Value(from: JSONNodeDecoder(try JSONNode(try singleJSON())))
  }

  func rows() throws(NestedSelectError) -> NestedRows { try connection().rows(of: try request()) }

  private func request() throws(NestedSelectError) -> ReadRequest {
    var request = ReadRequest(table: table, items: try RequestParser.items(list))
    for part in parts {
      switch part {
      case .parameter(let key, let value): try request.add(key, value)
      case .test(let column, let operation, let isNegated):
        let (path, field) = try RequestParser.fieldPath(column)
        let test = RequestTest(field: field, operation: operation, isNegated: isNegated)
        request.filters.append(ReadRequest.Placed(.test(test), at: path))
      case .tree(let conditions, let level, let isAny):
        let tree = try RequestParser.tree("(\(conditions))", isAny: isAny, isNegated: false)
        request.filters.append(ReadRequest.Placed(tree, at: try path(of: level)))
      case .order(let column, let isDescending, let nulls, let level):
        var keys = try RequestParser.orders(column)
        for index in keys.indices {
          keys[index].isDescending = isDescending
          keys[index].nulls = nulls
        }
        request.addOrder(keys, at: try path(of: level))
      }
    }
    return request
  }

  private func path(of level: String) throws(NestedSelectError) -> [String] {
    level.isEmpty ? [] : try RequestParser.levelPath(level.split(separator: "."))
  }
}

extension ReadRequest {
  /// Adds keys behind those that a level has already.
  fileprivate mutating func addOrder(_ keys: [RequestOrder], at path: [String]) {
    if let index = orders.firstIndex(where: { $0.path == path }) {
      orders[index].content += keys
    } else {
      orders.append(Placed(keys, at: path))
    }
  }
}

extension Connection {
  /// Begins a nested select of a table's rows, which is part of the connection's transaction if one is open.
  public func from(_ table: String) -> NestedQuery { NestedQuery(table) { self } }
}

extension Database {
  /// Begins a nested select of a table's rows, read as they are when its answer is asked for.
  public func from(_ table: String) -> NestedQuery { NestedQuery(table) { self.connect() } }
}
