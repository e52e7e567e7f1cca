/// A table, of which rows are asked for or changed in PostgREST's way.
///
/// ```swift
/// let drama: Course = try await database.from("course")
///   .insert(NewCourse(shortCode: "ADA3M", name: "Drama")).select().single().execute().value
/// ```
public struct RestTable: Sendable {
  private let source: RestSource
  private let name: String

  init(_ source: RestSource, _ name: String) {
    self.source = source
    self.name = name
  }

  private func query(_ action: RestAction, _ count: CountOption?) -> RestQuery {
    var query = RestQuery(source, action, name)
    query.counts = count != nil
    return query
  }

  /// Asks for rows.
  ///
  /// - Parameters:
  ///   - columns: The columns and embeds of each row, such as `id, name, students:student(id)`.
  ///   - head: Whether no rows are wanted, only their number.
  ///   - count: Whether the rows are counted, as they were without a limit.
  /// - Returns: The query, to be refined.
  public func select(
    _ columns: String = "*", head: Bool = false, count: CountOption? = nil
  ) -> RestQuery {
    var query = query(.read, count)
    query.isHead = head
    return query.select(columns)
  }

  /// Inserts a row, or an array of rows.
  ///
  /// Properties go to columns of exactly their name, else of its snake case. A column for which a row has no member has its
  /// default; optional properties that are nil have none, if the type does not encode them by itself.
  ///
  /// - Parameters:
  ///   - values: The row as a struct or dictionary, or an array of these.
  ///   - returning: `.minimal` if no rows are to be given back.
  ///   - count: Whether the rows are counted.
  /// - Returns: The query, which does nothing before it is executed; `select(_:)` says what it gives back.
  public func insert(
    _ values: some Encodable & Sendable, returning: ReturningOption? = nil,
    count: CountOption? = nil
  ) -> RestQuery {
    query(.insert(RestBody(values), nil), count).returning(returning)
  }

  /// Inserts rows, and updates those that are there or leaves them alone.
  ///
  /// - Parameters:
  ///   - values: The row as a struct or dictionary, or an array of these.
  ///   - onConflict: The columns of a unique key, with commas between, by which a row is found to be there; the primary key
  ///     without it.
  ///   - returning: `.minimal` if no rows are to be given back.
  ///   - count: Whether the rows are counted.
  ///   - ignoreDuplicates: Whether rows that are there stay as they are.
  /// - Returns: The query, which does nothing before it is executed; `select(_:)` says what it gives back.
  public func upsert(
    _ values: some Encodable & Sendable, onConflict: String? = nil,
    returning: ReturningOption? = nil, count: CountOption? = nil, ignoreDuplicates: Bool = false
  ) -> RestQuery {
    let conflict = RestConflict(columns: onConflict, leavesRows: ignoreDuplicates)
    return query(.insert(RestBody(values), conflict), count).returning(returning)
  }

  /// Changes columns of the rows that filters leave: of all rows without any.
  ///
  /// - Parameters:
  ///   - values: The columns as a struct or dictionary.
  ///   - returning: `.minimal` if no rows are to be given back.
  ///   - count: Whether the rows are counted.
  /// - Returns: The query, which does nothing before it is executed; `select(_:)` says what it gives back.
  public func update(
    _ values: some Encodable & Sendable, returning: ReturningOption? = nil,
    count: CountOption? = nil
  ) -> RestQuery {
    query(.update(RestBody(values)), count).returning(returning)
  }

  /// Deletes the rows that filters leave: all rows without any.
  ///
  /// - Parameters:
  ///   - returning: `.minimal` if no rows are to be given back.
  ///   - count: Whether the rows are counted.
  /// - Returns: The query, which does nothing before it is executed; `select(_:)` says what it gives back.
  public func delete(
    returning: ReturningOption? = nil, count: CountOption? = nil
  ) -> RestQuery {
    query(.delete, count).returning(returning)
  }
}

/// How rows are counted; whichever it is, the number is exact.
public enum CountOption: String, Sendable {
  case exact, planned, estimated
}

/// Whether a change gives back the rows that it changed.
public enum ReturningOption: String, Sendable {
  /// It gives none.
  case minimal
  /// It gives them where they are asked for.
  case representation
}

/// What is done before rows are given.
enum RestAction: Sendable {
  case read
  /// Inserts rows, some of which may be there.
  case insert(RestBody, RestConflict?)
  case update(RestBody)
  case delete
  /// Calls a function by its name, with parameters if there are any.
  case call(RestBody?)

  /// Whether rows are changed.
  var writes: Bool {
    switch self {
    case .read, .call: false
    case .insert, .update, .delete: true
    }
  }
}

/// Values that are encoded when the request is carried out.
struct RestBody: Sendable {
  /// What the values encode themselves as.
  let encode: @Sendable () throws -> JSONTextEncoder.Part

  init(_ values: some Encodable & Sendable) { encode = { try JSONTextEncoder.part(of: values) } }
}

/// What becomes of a row that is there.
struct RestConflict: Sendable {
  /// The names of the columns by which it is found, with commas between; nil for the primary key.
  var columns: String?
  /// Whether it stays as it is.
  var leavesRows: Bool
}

extension Database {
  /// Begins a request about a table's rows, which are read as they are when the answer is asked for.
  public func from(_ table: String) -> RestTable { RestTable(.database(self), table) }

  /// Calls a function by its name.
  ///
  /// - Parameters:
  ///   - function: The function's name.
  ///   - head: Whether no rows are wanted, only their number.
  ///   - count: Whether the rows are counted, as they were without a limit.
  /// - Returns: The query, whose rows are those that the function gives.
  public func rpc(_ function: String, head: Bool = false, count: CountOption? = nil) -> RestQuery {
    RestQuery(.database(self), function, nil, head, count)
  }

  /// Calls a function by its name and the names of its parameters.
  ///
  /// ```swift
  /// let available: [Course] = try await database
  ///   .rpc("get_available_courses", params: ["for_student_id": 1]).execute().value
  /// ```
  ///
  /// - Parameters:
  ///   - function: The function's name.
  ///   - params: The values of parameters by their names, as a struct or dictionary.
  ///   - head: Whether no rows are wanted, only their number.
  ///   - count: Whether the rows are counted, as they were without a limit.
  /// - Returns: The query, whose rows are those that the function gives.
  public func rpc(
    _ function: String, params: some Encodable & Sendable, head: Bool = false,
    count: CountOption? = nil
  ) -> RestQuery {
    RestQuery(.database(self), function, RestBody(params), head, count)
  }
}

extension Connection {
  /// Begins a request about a table's rows, which is part of the connection's transaction if one is open.
  public func from(_ table: String) -> RestTable { RestTable(.connection(self), table) }

  /// Calls a function by its name.
  public func rpc(_ function: String, head: Bool = false, count: CountOption? = nil) -> RestQuery {
    RestQuery(.connection(self), function, nil, head, count)
  }

  /// Calls a function by its name and the names of its parameters.
  public func rpc(
    _ function: String, params: some Encodable & Sendable, head: Bool = false,
    count: CountOption? = nil
  ) -> RestQuery {
    RestQuery(.connection(self), function, RestBody(params), head, count)
  }
}

extension RestQuery {
  fileprivate init(
    _ source: RestSource, _ function: String, _ params: RestBody?, _ isHead: Bool,
    _ count: CountOption?
  ) {
    self.init(source, .call(params), function)
    self.isHead = isHead
    counts = count != nil
  }

  fileprivate func returning(_ option: ReturningOption?) -> RestQuery {
    var copy = self
    copy.isMinimal = option == .minimal
    return copy
  }
}
