/// One thing to measure: a small file that says what is asked, in which words, and what the answer is.
struct Workload {
  enum Kind: String {
    /// Prepared, executed with parameters; gives rows.
    case rows
    /// Prepared, executed with parameters; changes rows.
    case change
    /// Sent as a new text each time.
    case text
    /// Loading the data itself.
    case load
  }

  /// What the answer for given parameters at a size of the default seed is.
  struct Expectation: Equatable {
    var size: String
    var parameters: [ParameterValue]
    var answer: Answer
  }

  var id = ""
  var title = ""
  var group = "bulk"
  var kind = Kind.rows
  var parameters: ParameterSource?
  var isOrdered = false
  var jsonColumns: Set<Int> = []
  /// The columns whose numbers engines write with differing digits; six of them count.
  var numericColumns: Set<Int> = []
  /// The workload that it is a near variant of.
  var original: String?
  /// What a near variant has to touch that its original has not.
  var touchesMore: String?
  /// The hand-written loop that is its limit.
  var limit: String?
  /// The hand-written loop that knows the answer, where it is not the limit.
  var reference: String?
  /// The sizes that it runs at; all where none is named.
  var sizes: [String] = []
  /// Peers that cannot do it, and why.
  var unsupported: [String: String] = [:]
  var expectations: [Expectation] = []
  /// PostgreSQL's spelling, which all take but those that have a section of their own.
  var sql = ""
  var dialects: [String: String] = [:]
  /// What is done for each parameter set before and after, untimed, for a change.
  var before: String?
  var after: String?
  /// What must be refused after the change, as keys are checked.
  var mustFail: [String] = []

  /// The query as an engine is asked it.
  func query(for engine: any Engine) -> Query {
    Query(
      id: id, kind: Query.Kind(rawValue: kind.rawValue) ?? .rows,
      sql: dialects[engine.dialect] ?? sql, isOrdered: isOrdered, jsonColumns: jsonColumns,
      numericColumns: numericColumns, loop: limit)
  }

  /// A statement of one of its other sections.
  func statement(_ sql: String, _ purpose: String) -> Query {
    Query(
      id: "\(id) \(purpose)", kind: .change, sql: sql, isOrdered: false, jsonColumns: [],
      loop: nil)
  }
}
