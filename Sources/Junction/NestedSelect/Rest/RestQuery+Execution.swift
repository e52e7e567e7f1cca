import Diagnostics

/// What came of a request.
public struct RestResponse<Value> {
  /// The rows, or the one row or value.
  public let value: Value
  /// How many rows there are without a limit, or how many were changed; nil if they were not to be counted.
  public let count: Int?
}

extension RestResponse: Sendable where Value: Sendable {}

/// A request whose answer is one row.
public struct RestSingle: Sendable {
  fileprivate let query: RestQuery
  /// Whether there may be none.
  fileprivate let mayBeNone: Bool

  /// Carries the request out on a thread of the engine.
  ///
  /// The value is of an optional type if there may be no row.
  ///
  /// - Throws: as `RestQuery.execute()`; PGRST116 if there are several rows, or none where there has to be one; then nothing is
  ///   changed.
  public func execute<Value: Decodable & Sendable>() async throws -> RestResponse<Value> {
    try await query.carryOut(givesRows: true) { [mayBeNone] answer in
      let value =
        mayBeNone && answer.isEmpty
        ? try RestAnswer.none(as: Value.self) : try answer.only(as: Value.self)
      return RestResponse(value: value, count: answer.count)
    }
  }

  /// Carries the request out on a thread of the engine, and lets go of the row.
  ///
  /// - Throws: as the other form.
  @discardableResult
  public func execute() async throws -> RestResponse<Void> {
    try await query.carryOut(givesRows: true) { [mayBeNone] answer in
      if !(mayBeNone && answer.isEmpty) { _ = try answer.single() }
      return RestResponse(value: (), count: answer.count)
    }
  }
}

extension RestQuery {
  /// Asks for the one row that there is.
  public func single() -> RestSingle { RestSingle(query: asked(for: 1...1), mayBeNone: false) }

  /// Asks for the row that there may be; nil if there is none.
  public func maybeSingle() -> RestSingle { RestSingle(query: asked(for: 0...1), mayBeNone: true) }

  /// Lets a change of more rows than these fail with PGRST124, and leave nothing.
  public func maxAffected(_ count: Int) -> RestQuery {
    var copy = self
    copy.terms.changedMax = count
    return copy
  }

  /// Lets a change give its answer and leave nothing.
  public func dryRun() -> RestQuery {
    var copy = self
    copy.terms.isTrial = true
    return copy
  }

  /// Carries the request out on a thread of the engine.
  ///
  /// The value is an array of rows, or of a function without rows what it gives. What a change gives back is all columns
  /// unless `select(_:)` says otherwise.
  ///
  /// - Throws: `NestedSelectError` for what is wrong with the request or the statement that it becomes, `DecodingError` with the
  ///   path of a value that the type does not take, `CancellationError` if the task is cancelled. Nothing is changed then.
  public func execute<Value: Decodable & Sendable>() async throws -> RestResponse<Value> {
    try await carryOut(givesRows: true) { answer in
      RestResponse(value: try answer.value(as: Value.self), count: answer.count)
    }
  }

  /// Carries the request out on a thread of the engine, and lets go of the rows.
  ///
  /// - Throws: as the other form.
  @discardableResult
  public func execute() async throws -> RestResponse<Void> {
    try await carryOut(givesRows: false) { RestResponse(value: (), count: $0.count) }
  }

  /// Carries the request out on a thread of the engine, where `finish` makes of the answer what is handed on.
  fileprivate func carryOut<Value: Sendable>(
    givesRows: Bool, _ finish: @escaping @Sendable (RestAnswer) throws -> Value
  ) async throws -> Value {
    let run = try makeRun(givesRows: givesRows)
    let request = Request(.rest(run))
    do {
      switch source {
      case .database(let database) where action.writes:
        return try await database.write { db in
          try finish(run.cancellableAnswer { () throws(SQLError) in try db.run(request) })
        }
      case .database(let database):
        let sessions = database.sessions
        return try await Database.away { cancellation in
          try finish(
            run.cancellableAnswer { () throws(SQLError) in
              try sessions.lend { session throws(SQLError) in
                try cancellation.reaching(session) { () throws(SQLError) in
                  try sessions.run(request, in: session)
                }
              }
            })
        }
      case .connection(let connection):
        let session = connection.session
        return try await Database.away { cancellation in
          try finish(
            run.cancellableAnswer { () throws(SQLError) in
              try session.exclusively { () throws(SQLError) in
                try cancellation.reaching(session) { () throws(SQLError) in
                  try session.rows(of: request)
                }
              }
            })
        }
      }
    } catch let error as SQLError {
      throw NestedSelectError(error)
    }
  }
}
