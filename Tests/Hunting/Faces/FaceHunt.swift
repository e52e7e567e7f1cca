import SimulatedDisk

/// What the Swift interface gives, against a plainer way to the same, over random schemas, rows and commits.
///
/// A round is one history of each kind.
package struct FaceHunt: HuntPart {
  package static let name = "faces"

  package init() {}

  package func round(_ seed: UInt64, _ tally: inout HuntTally) {
    let random = SimulationRandom(seed: seed &* 15_485_863 &+ 11)
    var updates = UpdateHistory(random)
    note("updates", seed, &tally, updates.script) { tally in try updates.run(&tally) }
    var links = LinkHistory(random)
    note("links", seed, &tally, [links.schema]) { tally in try links.run(&tally) }
    let table = DecodedTable(random)
    note("decoding", seed, &tally, [table.schema]) { tally in try table.run(&tally) }
  }

  /// Runs a history, and notes what is wrong with it.
  private func note(
    _ kind: String, _ seed: UInt64, _ tally: inout HuntTally, _ script: [String],
    _ run: (inout HuntTally) throws -> String?
  ) {
    tally.count("\(kind) histories")
    var fault: String?
    do { fault = try run(&tally) } catch { fault = "throws \(error)" }
    guard let fault else { return }
    tally.findings.append(
      Finding(Self.name, seed: seed, kind: kind, script: script, detail: fault))
  }
}
