import Foundation
import Hunting

/// Runs a part of the hunt for faults in a process of its own, so that one that it dies of is found as well.
///
/// The child says in lines of JSON which round it begins and what each has come to. When it dies or no longer says anything, the
/// round is tried again by a child that names every statement, and another child goes on with the next.
struct HuntProof {
  /// What a child says.
  private enum Message: Codable {
    case begin(UInt64)
    case end(HuntTally)
    case statement(String)
  }

  let part: String
  let isFull: Bool
  var seed: UInt64 = 1
  var seconds: Double
  var peer: String?
  /// How many rounds there are at most.
  var rounds = Int.max
  /// A round that takes longer has not ended.
  private static let limitSeconds = 180.0

  /// The parts by name.
  static func part(named name: String, isFull: Bool) -> (any HuntPart)? {
    switch name {
    case "walks": WalkHunt()
    case "oracles": OracleHunt()
    case "functions": FunctionHunt()
    case "statements": StatementHunt()
    case "shapes": ShapeHunt()
    case "bytes": ByteHunt()
    case "faces": FaceHunt()
    default: nil
    }
  }

  /// - Returns: whether nothing was found.
  func run() throws -> Bool {
    let proof = Proof(part)
    let start = ContinuousClock.now
    var next = seed
    var seen: [String: Int] = [:]
    while true {
      let left = seconds - (ContinuousClock.now - start) / .seconds(1)
      if left <= 0 || Int(next - seed) >= rounds { break }
      let child = try Child(arguments(next, seconds: left))
      var last = next
      var isInRound = false
      let outcome = child.run { line in
        guard let message = try? JSONDecoder().decode(Message.self, from: line) else { return }
        switch message {
        case .begin(let seed):
          last = seed
          isInRound = true
        case .end(let tally):
          isInRound = false
          proof.add(tally.cases)
          for (figure, count) in tally.figures { proof.add(count, to: figure) }
          for finding in tally.findings {
            seen[finding.kind, default: 0] += 1
            proof.fail(finding.kind)
            if seen[finding.kind, default: 0] <= 3 { Self.print(finding.text) }
          }
        case .statement: break
        }
      }
      next = last + 1
      guard outcome != .ended || isInRound else { break }
      proof.fail("\(outcome) in seed \(last)")
      try explain(last, "\(outcome)")
    }
    return proof.report()
  }

  private func arguments(_ seed: UInt64, seconds: Double) -> [String] {
    var list = ["hunt-child", part, "--seed", "\(seed)", "--seconds", "\(seconds)"]
    if isFull { list.append("full") }
    if let peer { list += ["--postgres", peer] }
    if rounds < .max { list += ["--histories", "\(rounds - Int(seed - self.seed))"] }
    return list
  }

  /// Finds the statements that a child dies of.
  private func explain(_ seed: UInt64, _ what: String) throws {
    var statements: [String] = []
    let child = try Child(arguments(seed, seconds: 0.0001) + ["--trace"])
    let outcome = child.run { line in
      guard let message = try? JSONDecoder().decode(Message.self, from: line) else { return }
      if case .statement(let sql) = message { statements.append(sql) }
    }
    guard outcome != .ended else {
      Self.print("-- \(part), seed \(seed): \(what), but not when run again")
      return
    }
    var reducer = Reducer(seconds: 60, checks: 400)
    let least = reducer.reduce(statements) { list in
      let file = NSTemporaryDirectory() + "hunt-\(ProcessInfo.processInfo.processIdentifier).json"
      guard let data = try? JSONEncoder().encode(list),
        (try? data.write(to: URL(filePath: file))) != nil,
        let child = try? Child(["hunt-replay", file])
      else { return false }
      return child.run(limit: 20) { _ in } == outcome
    }
    let finding = Finding(part, seed: seed, kind: "\(outcome)", script: least, detail: what)
    Self.print(finding.text)
  }

  private static func print(_ text: String) {
    try? FileHandle.standardOutput.write(contentsOf: Data((text + "\n\n").utf8))
  }

  // MARK: In the child

  private static func say(_ message: Message) {
    guard let data = try? JSONEncoder().encode(message) else { return }
    try? FileHandle.standardOutput.write(contentsOf: data + [10])
  }

  func runAsChild(tracing: Bool) {
    guard let part = Self.part(named: part, isFull: isFull) else { return }
    if tracing { Asker.traceStatements { Self.say(.statement($0)) } }
    if let peer { SharedPeer.use(peer) }
    var hunt = Hunt(part)
    hunt.firstSeed = seed
    hunt.seconds = seconds
    hunt.roundCount = tracing ? 1 : rounds
    hunt.willBegin = { Self.say(.begin($0)) }
    hunt.didEnd = { Self.say(.end($0)) }
    hunt.run()
  }

  static func replay(_ file: String) throws {
    let list = try JSONDecoder().decode([String].self, from: Data(contentsOf: URL(filePath: file)))
    let asker = Asker()
    for statement in list { asker.run(statement) }
  }
}
