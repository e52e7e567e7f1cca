import Diagnostics
import Junction

/// One prepared query over and over, as food for a profiler.
struct LoopRun {
  let folder: String
  let sql: String
  let seconds: Int
  let parameterLimit: Int
  /// Whether each run sends the text with its number in it, instead of a prepared statement.
  var sendsText = false

  func run() throws(BenchError) {
    do throws(SQLError) {
      try loop()
    } catch {
      throw BenchError(error.rendered(statement: sql))
    }
  }

  private func loop() throws(SQLError) {
    let database = try Database(folder: folder)
    let connection = database.connect()
    let prepared = try connection.prepare(sql)
    let parts = sql.split(separator: "$1", omittingEmptySubsequences: false)
    let takesParameter = sql.contains("$1")
    let clock = ContinuousClock()
    var random = SplitMix(seed: 7)
    var runs = 0
    var digest = 0
    print("ready")
    let start = clock.now
    let end = start + .seconds(seconds)
    while clock.now < end {
      for _ in 0..<8 {
        let number = takesParameter ? random.below(parameterLimit) + 1 : 0
        let rows =
          sendsText
          ? try connection.query(parts.joined(separator: String(number)))
          : takesParameter ? try prepared.query(.integer(Int64(number))) : try prepared.query()
        digest &+= rows.digest()
        runs += 1
      }
    }
    let total = clock.now - start
    let each =
      (Double(total.components.seconds) * 1e6 + Double(total.components.attoseconds) / 1e12)
      / Double(runs)
    print("\(runs) runs, \((each * 100).rounded() / 100) µs each, digest \(digest)")
  }
}
