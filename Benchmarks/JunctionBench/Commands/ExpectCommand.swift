import Foundation

/// Writes the answers for a size's default data into the workload files, as the loops or DuckDB give them.
///
/// For one who changes the generator or a workload; a run at that size with peers then shows whether all agree.
struct ExpectCommand {
  let options: RunOptions

  /// How many parameter sets of a workload stand in its file.
  private static let setCount = 2

  func run() throws(BenchError) {
    let home = try options.homeFolder()
    let folder = options.data ?? options.generatedFolder
    if options.group == .near { throw BenchError("near variants keep no answers in their files") }
    let workloads = options.group.folder(home: home)
    let (engine, school) = try loaded(folder)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: workloads)) ?? []
    for name in names.sorted() where name.hasSuffix(".sql") {
      let path = "\(workloads)/\(name)"
      guard let bytes = FileManager.default.contents(atPath: path) else { continue }
      let text = String(decoding: bytes, as: UTF8.self)
      let workload = try WorkloadParser.parse(text, path: path)
      var query = workload.query(for: engine)
      query.loop = workload.reference ?? workload.limit
      let isKnown = options.group.hasAttributes || query.loop != nil
      if !isKnown || workload.kind == .load { continue }
      let all = workload.parameters?.values(of: school, seed: options.seed) ?? [[]]
      let sets = Array(all.prefix(Self.setCount))
      let lines = try zip(sets, answers(engine, query, sets)).map { set, answer in
        let values = set.map(\.literal).joined(separator: ", ")
        return "-- expect \(options.size.rawValue) (\(values)): \(answer)"
      }
      try Self.write(Self.replacing(text, size: options.size.rawValue, by: lines), path)
    }
    try note(folder, workloads)
  }

  /// The engine that knows the answers: a loop, or DuckDB where there are no loops.
  private func loaded(_ folder: String) throws(BenchError) -> (any Engine, SchoolShape) {
    do throws(EngineFailure) {
      if options.group.hasAttributes {
        let engine = try duckDB()
        _ = try engine.load(folder)
        return (engine, try shape(folder))
      }
      let limit = LimitEngine(threads: 1)
      _ = try limit.load(folder)
      guard let school = limit.school else { throw EngineFailure(.error, "nothing is loaded") }
      return (limit, SchoolShape(school))
    } catch {
      throw BenchError("\(error.message); run the size once to generate it")
    }
  }

  private func duckDB() throws(EngineFailure) -> DuckDBEngine {
    do throws(BenchError) {
      return try DuckDBEngine(environment: options.peersEnvironment, threads: options.threads)
    } catch {
      throw EngineFailure(.missing, error.description)
    }
  }

  private func shape(_ folder: String) throws(EngineFailure) -> SchoolShape {
    do throws(BenchError) { return try SchoolShape(folder: folder) } catch {
      throw EngineFailure(.error, error.description)
    }
  }

  private func answers(
    _ engine: any Engine, _ query: Query, _ sets: [[ParameterValue]]
  ) throws(BenchError) -> [Answer] {
    do throws(EngineFailure) {
      return try engine.check(query, sets, until: Deadline(soft: 60, hard: 60))
    } catch {
      throw BenchError("\(query.id): \(error.message)")
    }
  }

  /// The text with a size's answers put in place of those it had, at the end of its head.
  static func replacing(_ text: String, size: String, by lines: [String]) -> String {
    var kept = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    kept.removeAll { $0.hasPrefix("-- expect \(size) ") }
    let end = kept.firstIndex { !$0.hasPrefix("-- ") } ?? kept.count
    kept.insert(contentsOf: lines, at: end)
    return kept.joined(separator: "\n")
  }

  private func note(_ folder: String, _ workloads: String) throws(BenchError) {
    guard let fingerprint = DataFingerprint.of(folder) else { return }
    let path = "\(workloads)/fingerprints"
    let bytes = FileManager.default.contents(atPath: path) ?? Data()
    var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    lines.removeAll { $0.hasPrefix("\(options.size.rawValue) ") }
    lines.append("\(options.size.rawValue) \(fingerprint)")
    try Self.write(lines.sorted().joined(separator: "\n") + "\n", path)
  }

  private static func write(_ text: String, _ path: String) throws(BenchError) {
    do {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    } catch {
      throw BenchError("could not write \"\(path)\": \(error.localizedDescription)")
    }
  }
}
