/// What `junction-bench tpch` or `junction-bench tpcds` is asked.
struct SuiteOptions {
  /// A folder with a CSV file for each table.
  var data = ""
  /// A folder with `schema.sql`, `q01.sql` and so on and, for known scales, folders of answers.
  var queries = ""
  var only: [String] = []
  /// Executions of a query by each engine.
  var samples = 5
  var threads = 2
  /// Seconds after which an execution is broken off.
  var timeout = 60
  var peersEnvironment = RunOptions.defaultEnvironment
  /// Whether DuckDB runs too.
  var withPeer = true
  var out: String?

  init(_ arguments: CommandArguments) throws(BenchError) {
    data = arguments.value(.data).orEmpty
    queries = arguments.value(.queries).orEmpty
    only = arguments.value(.only).orEmpty.split(separator: ",").map(Self.padded)
    samples = try arguments.number(.samples, least: 1) ?? samples
    threads = try arguments.number(.threads, least: 1) ?? threads
    timeout = try arguments.number(.timeout, least: 1) ?? timeout
    peersEnvironment = arguments.value(.peersEnvironment) ?? peersEnvironment
    withPeer = !arguments.has(.noPeer)
    out = arguments.value(.out)
    if data.isEmpty { throw BenchError("--data is needed, a folder of CSV files") }
    if queries.isEmpty { queries = "\(data)/queries" }
  }

  /// "q1" and "1" as "q01".
  private static func padded(_ name: Substring) -> String {
    let digits = name.drop { !$0.isNumber }
    return digits.count < 2 ? "q0\(digits)" : "q\(digits)"
  }
}
