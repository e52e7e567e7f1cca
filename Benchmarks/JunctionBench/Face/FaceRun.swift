import Diagnostics
import Junction

/// What a Swift program sees of Junction against a loop over SQLite's C interface that fills the same structs by hand.
///
/// Both are in memory, and take turns; what they give is compared before anything is timed.
struct FaceRun {
  let folder: String
  var sampleCount = 15
  /// What the names of lines have to hold to be measured; nil for all of them.
  var only: String?
  private static let rowCount = 100_000

  /// One line of the table.
  struct Line {
    let name: String
    /// The most that Junction may take of the peer's time.
    let goal: Double
    let junction: () throws -> Int
    /// nil where the time itself is the goal, in microseconds.
    let peer: (() throws -> Int)?
    /// How often an execution is repeated within one sample.
    var repetitions = 1
    /// Undoes what an execution did, untimed.
    var afterwards: () throws -> Void = {}
  }

  func run() throws(BenchError) {
    do {
      let database = try Database(folder: folder)
      let sqlite = try SQLiteDatabase(SQLiteLibrary())
      try SQLiteEngine.fill(sqlite, from: folder)
      try FaceTables.fill(database, sqlite, Self.rowCount)
      print("SQLite \(sqlite.library.version) holds the same rows, with both indices\n")
      print(
        Self.row("", "junction µs", "sqlite µs", "ratio", "goal"))
      for line in try lines(database, sqlite) where only.map(line.name.contains) ?? true {
        try measure(line)
      }
      if only != nil { return }
      let watching = try FaceWatching(database)
      for line in watching.lines { try measure(line) }
      let wakes = try watching.wakes()
      print(
        "10,000 observers, 10,000 commits: \(wakes.all) wakes, \(wakes.empty) changed nothing, "
          + "\(wakes.missed) missed")
      print("memory after 1,000,000 commits: \(try watching.growth() / 1024) KB more")
    } catch let error as BenchError {
      throw error
    } catch let error as SQLError {
      throw BenchError(error.rendered(statement: ""))
    } catch {
      throw BenchError("\(error)")
    }
  }

  private func lines(_ database: Database, _ sqlite: SQLiteDatabase) throws -> [Line] {
    try FaceReading(database, sqlite).lines + FaceRelations(database, sqlite).lines
      + FaceWriting(database, sqlite, rowCount: Self.rowCount).lines
  }

  private func measure(_ line: Line) throws {
    let own = try line.junction()
    try line.afterwards()
    if let peer = line.peer {
      let other = try peer()
      try line.afterwards()
      guard own == other else {
        throw BenchError("\(line.name): the answers differ, \(own) and \(other)")
      }
    }
    var times: (own: [Double], other: [Double]) = ([], [])
    for _ in 0..<sampleCount {
      times.own.append(try time(line, line.junction))
      if let peer = line.peer { times.other.append(try time(line, peer)) }
    }
    let ownTime = Self.median(times.own)
    guard line.peer != nil else {
      print(
        Self.row(line.name, Self.text(ownTime), "", "", "≤ \(Self.text(line.goal)) µs"))
      return
    }
    let otherTime = Self.median(times.other)
    print(
      Self.row(
        line.name, Self.text(ownTime), Self.text(otherTime),
        Self.text(ownTime / otherTime, digits: 3), "≤ \(line.goal)"))
  }

  /// Microseconds of one execution.
  private func time(_ line: Line, _ body: () throws -> Int) throws -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    for _ in 0..<line.repetitions { _ = try body() }
    let span = clock.now - start
    try line.afterwards()
    let microseconds =
      Double(span.components.seconds) * 1e6 + Double(span.components.attoseconds) / 1e12
    return microseconds / Double(line.repetitions)
  }

  private static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
  }

  private static func text(_ value: Double, digits: Int = 1) -> String {
    value.formatted(digits: digits)
  }

  private static func row(
    _ name: String, _ own: String, _ other: String, _ ratio: String, _ goal: String
  ) -> String {
    func right(_ text: String, _ width: Int) -> String {
      String(repeating: " ", count: max(0, width - text.count)) + text
    }
    return name + String(repeating: " ", count: max(0, 54 - name.count)) + right(own, 13)
      + right(other, 12) + right(ratio, 8) + right(goal, 12)
  }
}

extension Double {
  /// The number with so many digits behind the point.
  fileprivate func formatted(digits: Int) -> String {
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let scaled = Int((self * scale).rounded())
    let (whole, rest) = scaled.quotientAndRemainder(dividingBy: Int(scale))
    let tail = String(rest.magnitude)
    return "\(whole)." + String(repeating: "0", count: max(0, digits - tail.count)) + tail
  }
}
