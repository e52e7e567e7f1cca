import Catalog
import Diagnostics

/// Why a nested select gave no answer, in the parts that PostgREST gives its errors.
///
/// Codes that begin with `PGRST` are about the request, all others are the SQLSTATE of the statement
/// that it became.
public struct NestedSelectError: Error, Hashable, Sendable {
  /// The code for programs, such as `PGRST200` or `22P02`.
  public let code: String
  /// What is wrong, in one line.
  public let message: String
  /// The particulars.
  public let details: String?
  /// What to do about it.
  public let hint: String?
  /// The relationships between which the request leaves the choice; they are the details of PGRST201.
  public let candidates: [Candidate]

  /// One of several relationships that an embed may mean.
  public struct Candidate: Hashable, Sendable {
    /// `many-to-one` and its like.
    public let cardinality: String
    /// The two tables, as in `sites with big_projects`.
    public let embedding: String
    /// The constraints and columns that it follows.
    public let relationship: String
  }

  init(
    _ code: String, _ message: String, details: String? = nil, hint: String? = nil,
    candidates: [Candidate] = []
  ) {
    self.code = code
    self.message = message
    self.details = details
    self.hint = hint
    self.candidates = candidates
  }

  /// An error of the statement that a request became.
  init(_ error: SQLError) {
    self.init(error.state.code, error.message, details: error.detail, hint: error.hint)
  }

  /// The error as an object of JSON with the members code, message, details and hint.
  public var json: [UInt8] {
    var text = JSONWriter()
    text.open("{")
    text.member("code", code)
    text.member("message", message)
    text.key("details")
    if candidates.isEmpty {
      text.value(details)
    } else {
      text.open("[")
      for candidate in candidates {
        text.separate()
        text.open("{")
        text.member("cardinality", candidate.cardinality)
        text.member("embedding", candidate.embedding)
        text.member("relationship", candidate.relationship)
        text.close("}")
      }
      text.close("]")
    }
    text.member("hint", hint)
    text.close("}")
    return text.bytes
  }
}

extension NestedSelectError {
  /// A request whose grammar is wrong.
  static func syntax(_ what: String, details: String) -> NestedSelectError {
    NestedSelectError("PGRST100", what, details: details)
  }

  /// A level that a filter, order or limit is about, but that is not selected.
  static func notEmbedded(_ name: String) -> NestedSelectError {
    NestedSelectError(
      "PGRST108", "'\(name)' is not an embedded resource in this request",
      hint: "Verify that '\(name)' is included in the 'select' query parameter.")
  }

  /// A column that a table does not have.
  static func noColumn(_ name: String, of table: ReadTable) -> NestedSelectError {
    let nearest = nearestNames(to: name, among: table.columns.map(\.name), limit: 1).first
    return NestedSelectError(
      "PGRST204",
      "Could not find the '\(name)' column of '\(table.name.name)' in the schema cache",
      hint: nearest.map { "Perhaps you meant the column '\($0)'." })
  }

  /// A single object was asked for, but the rows are none or several.
  static func notSingle(_ count: Int) -> NestedSelectError {
    NestedSelectError(
      "PGRST116", "Cannot coerce the result to a single JSON object",
      details: "The result contains \(count) rows")
  }
}
