/// A fault that was found, with a script that shows it.
package struct Finding: Codable, Sendable {
  /// The part that found it, and the seed that finds it again.
  package var part: String
  package var seed: UInt64
  /// What kind of fault it is; of one kind only the first few are made small.
  package var kind: String
  /// Statements that show it, made as small as was possible.
  package var script: [String]
  /// What was there and what was expected.
  package var detail: String

  package init(_ part: String, seed: UInt64, kind: String, script: [String], detail: String) {
    self.part = part
    self.seed = seed
    self.kind = kind
    self.script = script
    self.detail = detail
  }

  package var text: String {
    (["-- \(part), seed \(seed): \(kind)", "-- \(detail.replacing("\n", with: " "))"]
      + script.map { $0 + ";" }).joined(separator: "\n")
  }
}

/// What rounds of a part have come to.
package struct HuntTally: Codable, Sendable {
  package var cases = 0
  package var figures: [String: Int] = [:]
  package var findings: [Finding] = []

  package init() {}

  package mutating func count(_ figure: String, _ count: Int = 1) {
    figures[figure, default: 0] += count
  }

  package mutating func add(_ other: HuntTally) {
    cases += other.cases
    figures.merge(other.figures, uniquingKeysWith: +)
    findings += other.findings
  }
}

/// A part of the hunt: everything that a round does follows from its seed.
package protocol HuntPart: Sendable {
  static var name: String { get }

  /// Runs one round.
  func round(_ seed: UInt64, _ tally: inout HuntTally)
}

/// Rounds of a part, one after another.
package struct Hunt {
  package let part: any HuntPart
  package var firstSeed: UInt64 = 1
  package var roundCount = Int.max
  package var seconds = Double.infinity
  /// Told the number of a round before it begins, and what it came to when it has ended.
  package var willBegin: (UInt64) -> Void = { _ in }
  package var didEnd: (HuntTally) -> Void = { _ in }

  package init(_ part: any HuntPart) { self.part = part }

  @discardableResult
  package func run() -> HuntTally {
    let start = ContinuousClock.now
    var whole = HuntTally()
    var seed = firstSeed
    var rounds = 0
    while rounds < roundCount, (ContinuousClock.now - start) / .seconds(1) < seconds {
      willBegin(seed)
      var tally = HuntTally()
      part.round(seed, &tally)
      tally.count("rounds")
      didEnd(tally)
      whole.add(tally)
      seed += 1
      rounds += 1
    }
    return whole
  }
}
