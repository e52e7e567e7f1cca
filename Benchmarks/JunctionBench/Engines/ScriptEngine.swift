import Foundation

/// A peer that a Python script drives; `Benchmarks/Peers/PROTOCOL.md` says how it is spoken with.
final class ScriptEngine: Engine {
  private let outline: BenchEngine
  private let process: ScriptProcess
  private let version: String
  private let threads: Int
  let dialect: String
  let checksKeys = false

  static let hyper = BenchEngine(
    id: "hyper", name: "Hyper", kind: .peer,
    access: "a process of its own through tableauhyperapi, from Python",
    settings: "no keys, no indices")
  static let ladybug = BenchEngine(
    id: "ladybug", name: "Ladybug", kind: .peer,
    access: "in a Python process, Cypher, prepared", settings: "in memory, both directions")

  /// - Throws: a sentence that says what is missing.
  init(_ outline: BenchEngine, script: String, python: String, threads: Int) throws(BenchError) {
    self.outline = outline
    self.threads = threads
    dialect = outline.id
    process = try ScriptProcess(python, ["-u", script])
    guard let line = try process.line(within: 60), let greeting = Self.object(line) else {
      process.stop()
      throw BenchError("its script gave no greeting")
    }
    if let missing = greeting["missing"] as? String {
      process.stop()
      throw BenchError("not installed: \(missing)")
    }
    version = greeting["version"] as? String ?? "unknown"
  }

  var description: BenchEngine {
    var description = outline
    description.version = version
    description.settings += ", threads=\(threads)"
    return description
  }

  /// Seconds that a script is waited for after it should have broken off an execution itself.
  private static let grace = 20.0

  private static func object(_ line: String) -> [String: Any]? {
    (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any]
  }

  /// Sends a request and gives the answer, which is neither an error nor late.
  private func ask(
    _ request: [String: Any], within seconds: Double
  ) throws(EngineFailure) -> [String: Any] {
    guard process.isRunning else { throw EngineFailure(.error, "its process has ended") }
    guard let bytes = try? JSONSerialization.data(withJSONObject: request) else {
      throw EngineFailure(.error, "could not write the request")
    }
    let line = try exchange(String(decoding: bytes, as: UTF8.self), within: seconds)
    guard let answer = Self.object(line) else {
      throw EngineFailure(.error, "its script answered what is no JSON object")
    }
    if let message = answer["unsupported"] as? String {
      throw EngineFailure(.unsupported, message)
    }
    if let message = answer["error"] as? String {
      throw EngineFailure(answer["timeout"] as? Bool == true ? .timeout : .error, message)
    }
    return answer
  }

  private func exchange(_ line: String, within seconds: Double) throws(EngineFailure) -> String {
    let answer: String?
    do throws(BenchError) {
      try process.send(line)
      answer = try process.line(within: seconds)
    } catch {
      throw EngineFailure(.error, error.description)
    }
    if let answer { return answer }
    // There is no way to break off one query: the peer is out from here on.
    process.stop()
    throw EngineFailure(.timeout, "broken off: it took too long")
  }

  func load(_ folder: String) throws(EngineFailure) -> LoadOutcome {
    let answer = try ask(["op": "load", "data": folder, "threads": threads], within: 3_600)
    return LoadOutcome(
      seconds: answer["seconds"] as? Double ?? 0, processorSeconds: answer["cpu"] as? Double,
      note: answer["note"] as? String)
  }

  func memory() throws(EngineFailure) -> EngineMemory {
    let answer = try ask(["op": "memory"], within: 60)
    return EngineMemory(
      resident: answer["resident"] as? Int ?? 0, peak: answer["peak"] as? Int ?? 0)
  }

  private static func values(_ parameters: [[ParameterValue]]) -> [[Any]] {
    parameters.map { set in
      set.map { value -> Any in
        switch value {
        case .integer(let number): number
        case .text(let text): text
        }
      }
    }
  }

  func check(
    _ query: Query, _ parameters: [[ParameterValue]], until deadline: Deadline
  ) throws(EngineFailure) -> [Answer] {
    var answers: [Answer] = []
    // Ten at a time, so that the deadline is seen; the first alone, as it may take long.
    var rest = parameters[...]
    while !rest.isEmpty {
      // Texts differ, and so are asked one by one.
      let part = Array(rest.prefix(answers.isEmpty || query.kind == .text ? 1 : 10))
      rest = rest.dropFirst(part.count)
      let answer = try ask(
        [
          "op": "check", "id": query.id,
          "sql": query.kind == .text ? query.text(with: part[0]) : query.sql,
          "parameters": query.kind == .text ? [[]] : Self.values(part),
          "ordered": query.isOrdered, "json": query.jsonColumns.sorted(),
          "numeric": query.numericColumns.sorted(),
          "limit": deadline.secondsToHard,
        ], within: deadline.secondsToHard * Double(part.count) + Self.grace)
      let rows = answer["rows"] as? [Int] ?? []
      let digests = answer["digests"] as? [String] ?? []
      guard rows.count == part.count, digests.count == part.count else {
        throw EngineFailure(.error, "its script answered \(digests.count) of \(part.count) sets")
      }
      for (rows, digest) in zip(rows, digests) {
        answers.append(Answer(rows: rows, digest: UInt64(digest, radix: 16) ?? 0))
      }
      if deadline.isOver { break }
    }
    return answers
  }

  func run(
    _ query: Query, _ parameters: [[ParameterValue]], _ block: inout SampleBlock,
    until deadline: Deadline
  ) throws(EngineFailure) {
    // A request carries no more sets than a block can come to.
    let count = min(parameters.count, block.most, 200)
    let sets = (0..<count).map { parameters[(block.next + $0) % parameters.count] }
    var request: [String: Any] = ["op": "run", "id": query.id, "budget": block.budget]
    if query.kind == .text {
      request["texts"] = sets.map { query.text(with: $0) }
    } else {
      request["sql"] = query.sql
      request["parameters"] = Self.values(sets)
    }
    var left = block.budget
    repeat {
      request["budget"] = left
      request["limit"] = deadline.secondsToHard
      let answer = try ask(request, within: deadline.secondsToHard + Self.grace)
      let seconds = answer["seconds"] as? [Double] ?? []
      guard !seconds.isEmpty else { throw EngineFailure(.error, "its script timed nothing") }
      block.seconds += seconds
      block.executions += seconds.count
      block.rows += (answer["rows"] as? [Int] ?? []).reduce(0, +)
      block.processorSeconds += answer["cpu"] as? Double ?? 0
      block.next = (block.next + seconds.count) % parameters.count
      left -= max(1e-6, seconds.reduce(0, +))
    } while left > 0 && block.seconds.count < block.most && !deadline.isOver
  }
}
