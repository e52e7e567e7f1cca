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

  init(_ arguments: [String]) throws(BenchError) {
    var rest = arguments[...]
    func value(_ option: String) throws(BenchError) -> String {
      guard let text = rest.popFirst() else { throw BenchError("\(option) needs a value") }
      return text
    }
    func number(_ option: String) throws(BenchError) -> Int {
      guard let number = Int(try value(option)), number > 0 else {
        throw BenchError("\(option) takes a number")
      }
      return number
    }
    while let argument = rest.popFirst() {
      switch argument {
      case "--data": data = try value(argument)
      case "--queries": queries = try value(argument)
      case "--only": only = try value(argument).split(separator: ",").map(Self.padded)
      case "--samples": samples = try number(argument)
      case "--threads": threads = try number(argument)
      case "--timeout": timeout = try number(argument)
      case "--peers-env": peersEnvironment = try value(argument)
      case "--no-peer": withPeer = false
      case "--out": out = try value(argument)
      default: throw BenchError("unrecognized argument \"\(argument)\"; try --help")
      }
    }
    if data.isEmpty { throw BenchError("--data is needed, a folder of CSV files") }
    if queries.isEmpty { queries = "\(data)/queries" }
  }

  /// "q1" and "1" as "q01".
  private static func padded(_ name: Substring) -> String {
    let digits = name.drop { !$0.isNumber }
    return digits.count < 2 ? "q0\(digits)" : "q\(digits)"
  }
}
