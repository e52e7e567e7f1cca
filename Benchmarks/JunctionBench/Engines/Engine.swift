/// A value for a query's parameter.
enum ParameterValue: Equatable, Sendable {
  case integer(Int64)
  case text(String)

  /// The value as it stands in SQL text.
  var literal: String {
    switch self {
    case .integer(let value): String(value)
    case .text(let value):
      "'"
        + value.split(separator: "'", omittingEmptySubsequences: false)
        .joined(separator: "''") + "'"
    }
  }
}

/// Why an engine did not answer.
struct EngineFailure: Error {
  let status: BenchMeasurement.Status
  let message: String

  init(_ status: BenchMeasurement.Status, _ message: String) {
    self.status = status
    self.message = message
  }
}

/// A query as one engine is asked it.
struct Query {
  enum Kind: String {
    /// Prepared once, executed with parameters; gives rows.
    case rows
    /// Prepared once, executed with parameters; changes rows.
    case change
    /// Sent as a new text each time.
    case text
  }

  var id: String
  var kind: Kind
  /// The text in the engine's dialect.
  var sql: String
  /// Whether the query fixes the order of its rows.
  var isOrdered: Bool
  /// Which columns hold JSON arrays.
  var jsonColumns: Set<Int>
  /// Which columns hold numbers that engines write with differing digits.
  var numericColumns: Set<Int> = []
  /// The hand-written loop that does the same.
  var loop: String?

  /// How the values of a column are compared.
  func form(of column: Int) -> AnswerDigest.Form {
    if jsonColumns.contains(column) { return .json }
    return numericColumns.contains(column) ? .number : .text
  }

  /// The text with literals in place of `$1`, `$2`.
  func text(with parameters: [ParameterValue]) -> String {
    var text = ""
    var rest = sql[...]
    while let mark = rest.firstIndex(of: "$") {
      text += rest[..<mark]
      let digits = rest[rest.index(after: mark)...].prefix { $0.isNumber }
      if let number = Int(digits), number >= 1, number <= parameters.count {
        text += parameters[number - 1].literal
      } else {
        text += "$" + digits
      }
      rest = rest[digits.endIndex...]
    }
    return text + rest
  }
}

/// What holding the data costs.
struct EngineMemory: Codable {
  var resident: Int
  var peak: Int
}

/// What loading took.
struct LoadOutcome: Codable {
  var seconds: Double
  var processorSeconds: Double?
  var note: String?
}

/// An engine that the workloads run in.
///
/// One call a query or a block of executions, never one a row.
protocol Engine: AnyObject {
  /// What the record says of it; there before anything is loaded.
  var description: BenchEngine { get }

  /// The section of a workload file that is this engine's dialect.
  var dialect: String { get }

  /// Whether it is asked for changes with keys checked.
  var checksKeys: Bool { get }

  /// Loads a folder of CSV files until queries can run.
  func load(_ folder: String) throws(EngineFailure) -> LoadOutcome

  /// The answers for parameter sets, one after another until `deadline` has gone by, but at least one.
  ///
  /// A change of rows is made, and answered with the number of rows it changed.
  func check(
    _ query: Query, _ parameters: [[ParameterValue]], until deadline: Deadline
  ) throws(EngineFailure) -> [Answer]

  /// Executes a query again and again, reading every value of its rows as a user would.
  func run(
    _ query: Query, _ parameters: [[ParameterValue]], _ block: inout SampleBlock,
    until deadline: Deadline
  ) throws(EngineFailure)

  /// What the process that holds the data takes up now.
  func memory() throws(EngineFailure) -> EngineMemory
}

/// When to stop: softly, between executions, or hard, in the middle of one.
struct Deadline {
  /// No further execution begins after this.
  var soft: Double
  /// An execution that runs at this time is broken off.
  var hard: Double

  init(soft: Double, hard: Double) {
    let now = Stopwatch.now
    self.soft = now + soft
    self.hard = now + max(soft, hard)
  }

  var isOver: Bool { Stopwatch.now >= soft }
  var secondsToHard: Double { max(0.001, hard - Stopwatch.now) }
}
