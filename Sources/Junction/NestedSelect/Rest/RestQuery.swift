/// A request in PostgREST's way, put together a piece at a time; nothing is read or written before its answer is asked for.
///
/// ```swift
/// let courses: [Course] = try await database.from("course")
///   .select("id, short_code, name, student(id, last_name, first_name)")
///   .gte("student.id", value: 10)
///   .order("short_code")
///   .limit(20)
///   .execute()
///   .value
/// ```
///
/// The words are those of supabase-swift. Columns are named as in a request: `name`, `data->key`, or `student.id` for a column
/// of an embed. Values are never parsed, whatever characters they have. `json()`, `all(as:)` and `single(as:)` answer at once,
/// on the thread that asks.
public struct RestQuery: Sendable {
  /// A part of the request.
  enum Part: Sendable {
    /// A parameter as a request has it.
    case parameter(String, String)
    /// A condition on a column.
    case test(String, RequestOperation, isNegated: Bool)
    /// Conditions as a request has them, and the level that they are about.
    case tree(String, level: String, isAny: Bool)
    /// A column, its direction, where nulls go, and the level.
    case order(String, isDescending: Bool, nulls: RequestOrder.Nulls?, level: String)
  }

  let source: RestSource
  let target: String
  let action: RestAction
  /// The select list; nil for all columns.
  private var list: String?
  private var parts: [Part] = []
  /// Whether the rows are counted.
  var counts = false
  /// Whether no rows are wanted, only their number.
  var isHead = false
  /// What a change has to be for it to stay.
  var terms = RestTerms()
  /// Whether a change gives no rows back, unless a select list asks for them.
  var isMinimal = false

  init(_ source: RestSource, _ action: RestAction, _ target: String) {
    self.source = source
    self.action = action
    self.target = target
  }

  func adding(_ part: Part) -> RestQuery {
    var copy = self
    copy.parts.append(part)
    return copy
  }

  /// The columns and embeds of each row; of a change, those that are given back of the rows that it changed.
  public func select(_ columns: String = "*") -> RestQuery {
    var copy = self
    copy.list = Self.onOneLine(columns)
    return copy
  }

  /// A select list with a blank for each break of a line or tab that is not within quotes.
  private static func onOneLine(_ list: String) -> String {
    var isQuoted = false
    return String(
      list.map { character in
        if character == "\"" { isQuoted.toggle() }
        return character.isWhitespace && !isQuoted ? " " : character
      })
  }

  // MARK: Answers

  /// The rows as one line of JSON: an array of objects whose members stand in the order of the select list.
  ///
  /// - Throws: what is wrong with the request, or the error of the statement that it becomes.
  public func json() throws(NestedSelectError) -> [UInt8] { try answer().json }

  /// The one row there is, as a JSON object.
  ///
  /// - Throws: as `json()`; PGRST116 if there is no row or more than one.
  public func singleJSON() throws(NestedSelectError) -> [UInt8] {
    try asked(for: 1...1).answer().single()
  }

  /// The rows as values of a type, whose properties have the names of the members, or names of which theirs are the snake case.
  ///
  /// - Throws: as `json()`, or a `DecodingError` where a member is missing or of another type.
  public func all<Value: Decodable>(as type: Value.Type = Value.self) throws -> [Value] {
    try answer().value(as: [Value].self)
  }

  /// The one row there is, as a value of a type.
  ///
  /// - Throws: as `singleJSON()`, or a `DecodingError` where a member is missing or of another type.
  public func single<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
    try asked(for: 1...1).answer().only(as: type)
  }

  /// The same, where a change stays only if it gives back so many rows.
  func asked(for counts: ClosedRange<Int>) -> RestQuery {
    var copy = self
    copy.terms.givenCounts = counts
    return copy
  }

  private func answer() throws(NestedSelectError) -> RestAnswer {
    let run = try makeRun(givesRows: true)
    let request = Request(.rest(run))
    switch source {
    case .database(let database):
      return try run.answer { () throws(SQLError) in try database.run(request) }
    case .connection(let connection):
      return try run.answer { () throws(SQLError) in try connection.run(request) }
    }
  }

  /// What a reader is asked to do.
  ///
  /// - Throws: what is wrong with the request's grammar.
  func makeRun(givesRows: Bool) throws(NestedSelectError) -> RestRun {
    let limit: Int? =
      if case .connection(let connection) = source { connection.nestedRowLimit } else { nil }
    return RestRun(
      action, try request(), counts: counts, isHead: isHead,
      givesRows: list != nil || (givesRows && !isMinimal), terms: terms, rowLimit: limit)
  }

  private func request() throws(NestedSelectError) -> ReadRequest {
    var request = ReadRequest(table: target, items: try RequestParser.items(list ?? "*"))
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

/// Whom a request is asked of.
enum RestSource: Sendable {
  case database(Database)
  case connection(Connection)
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
