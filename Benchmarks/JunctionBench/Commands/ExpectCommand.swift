import Foundation

/// Writes the answers for a size's default data into the workload files, as the loops give them.
///
/// For one who changes the generator or a workload; a run at that size with peers then shows whether all agree.
struct ExpectCommand {
  let options: RunOptions

  /// How many parameter sets of a workload stand in its file.
  private static let setCount = 2

  func run() throws(BenchError) {
    let home = try options.homeFolder()
    let folder = options.data ?? options.generatedFolder
    let limit = LimitEngine(threads: 1)
    do throws(EngineFailure) {
      _ = try limit.load(folder)
    } catch {
      throw BenchError("\(error.message); run the size once to generate it")
    }
    guard let school = limit.school else { return }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(home)/Workloads")) ?? []
    for name in names.sorted() where name.hasSuffix(".sql") {
      let path = "\(home)/Workloads/\(name)"
      guard let bytes = FileManager.default.contents(atPath: path) else { continue }
      let text = String(decoding: bytes, as: UTF8.self)
      let workload = try WorkloadParser.parse(text, path: path)
      guard let loop = workload.reference ?? workload.limit, workload.kind != .load else {
        continue
      }
      var query = workload.query(for: limit)
      query.loop = loop
      let all = workload.parameters?.values(of: school, seed: options.seed) ?? [[]]
      let sets = Array(all.prefix(Self.setCount))
      let lines = try zip(sets, answers(limit, query, sets)).map { set, answer in
        let values = set.map(\.literal).joined(separator: ", ")
        return "-- expect \(options.size.rawValue) (\(values)): \(answer)"
      }
      try Self.write(Self.replacing(text, size: options.size.rawValue, by: lines), path)
    }
    try note(folder, home)
  }

  private func answers(
    _ limit: LimitEngine, _ query: Query, _ sets: [[ParameterValue]]
  ) throws(BenchError) -> [Answer] {
    do throws(EngineFailure) {
      return try limit.check(query, sets, until: Deadline(soft: 60, hard: 60))
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

  private func note(_ folder: String, _ home: String) throws(BenchError) {
    guard let fingerprint = DataFingerprint.of(folder) else { return }
    let path = "\(home)/Workloads/fingerprints"
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
