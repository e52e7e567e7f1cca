import Diagnostics
import Synchronization

/// A request on its way through a session, which keeps what came of it beside the rows.
final class RestRun: Sendable {
  let action: RestAction
  let request: ReadRequest
  /// Whether the rows are counted.
  let counts: Bool
  /// Whether no rows are wanted, only their number.
  let isHead: Bool
  /// Whether a change gives back the rows that it changed.
  let givesRows: Bool
  /// What a change has to be for it to stay.
  let terms: RestTerms
  /// The most rows that each level gives; nil for no limit.
  let rowLimit: Int?

  private struct Outcome {
    var count: Int?
    var isSet = true
    var window: Range<Int>?
    var failure: NestedSelectError?
  }
  private let outcome = Mutex(Outcome())

  init(
    _ action: RestAction, _ request: ReadRequest, counts: Bool, isHead: Bool, givesRows: Bool,
    terms: RestTerms, rowLimit: Int?
  ) {
    self.action = action
    self.request = request
    self.counts = counts
    self.isHead = isHead
    self.givesRows = givesRows
    self.terms = terms
    self.rowLimit = rowLimit
  }

  /// What a trace shows: the method of a request and what it is about.
  var text: String {
    let method =
      switch action {
      case .read: isHead ? "HEAD /" : "GET /"
      case .insert: "POST /"
      case .update: "PATCH /"
      case .delete: "DELETE /"
      case .call: "POST /rpc/"
      }
    return method + request.table
  }

  /// Notes how many rows there are, and what they are.
  func note(count: Int?, _ plan: borrowing RestPlan) {
    let (isSet, window) = (plan.isSet, plan.window)
    outcome.withLock { outcome in
      outcome.count = count
      outcome.isSet = isSet
      outcome.window = window
    }
  }

  /// Notes why there are no rows; the error that is thrown in its place is no one's to see.
  func fail(_ error: NestedSelectError) -> SQLError {
    outcome.withLock { $0.failure = error }
    return SQLError(.invalidParameterValue, error.message)
  }

  /// The answer, for which `perform` has the request run.
  func answer(
    _ perform: () throws(SQLError) -> ResultSet
  ) throws(NestedSelectError) -> RestAnswer {
    do throws(SQLError) {
      let rows = try perform()
      return outcome.withLock { outcome in
        RestAnswer(
          rows: NestedRows(rows, outcome.window), count: outcome.count, isSet: outcome.isSet)
      }
    } catch {
      throw outcome.withLock { $0.failure } ?? NestedSelectError(error)
    }
  }

  /// The same for a task: the error of a statement that was cancelled stays as it is.
  func cancellableAnswer(_ perform: () throws(SQLError) -> ResultSet) throws -> RestAnswer {
    do throws(NestedSelectError) { return try answer(perform) } catch {
      if error.code == SQLState.queryCanceled.code {
        throw SQLError(.queryCanceled, error.message)
      }
      throw error
    }
  }
}

/// What a change has to be for it to stay.
struct RestTerms: Sendable {
  /// How many rows it may give back; nil for any number.
  var givenCounts: ClosedRange<Int>?
  /// The most rows that it may change; nil for any number.
  var changedMax: Int?
  /// Whether nothing of it stays in any case.
  var isTrial = false

  /// Whether it has to be looked at before it is known to stay.
  var areGiven: Bool { givenCounts != nil || changedMax != nil || isTrial }

  /// - Throws: PGRST116 for another number of rows than is asked for, PGRST124 for too many changes.
  func check(given: Int, changed: Int) throws(NestedSelectError) {
    if let changedMax, changed > changedMax {
      throw NestedSelectError(
        "PGRST124", "Query result exceeds max-affected preference constraint",
        details: "The query affects \(changed) rows")
    }
    if let givenCounts, !givenCounts.contains(given) { throw .notSingle(given) }
  }
}

/// The rows of a request, and how many there are without a limit.
struct RestAnswer {
  let rows: NestedRows
  let count: Int?
  /// Whether they are a set of rows; else they are one row, or the value of a function.
  let isSet: Bool

  var isEmpty: Bool { rows.isEmpty }

  var json: [UInt8] { isSet ? rows.json : rows.first }

  /// The one row.
  ///
  /// - Throws: PGRST116 if there is none or more than one.
  func single() throws(NestedSelectError) -> [UInt8] { isSet ? try rows.single() : rows.first }

  /// The rows as a value of a type.
  ///
  /// - Throws: `DecodingError` where a member is missing or of another type.
  func value<Value: Decodable>(as type: Value.Type) throws -> Value {
    try Self.decode(type, from: json)
  }

  /// The one row as a value of a type.
  ///
  /// - Throws: as `single` and `value`.
  func only<Value: Decodable>(as type: Value.Type) throws -> Value {
    try Self.decode(type, from: try single())
  }

  /// What a type decodes from null, where there is no row.
  static func none<Value: Decodable>(as type: Value.Type) throws -> Value {
    try decode(type, from: Array("null".utf8))
  }

  private static func decode<Value: Decodable>(
    _ type: Value.Type, from json: [UInt8]
  ) throws -> Value {
    do {
      return try JSONNodeDecoder(try JSONNode(json), matchesColumns: true).decode(type)
    } catch let error as DecodingError {
      throw error.tellingPath
    }
  }
}
