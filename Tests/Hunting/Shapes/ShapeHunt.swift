import SimulatedDisk

/// Deep, wide and long statements: an answer or a limit's error, in about linear time, never the end of the process.
///
/// A round takes one shape; the seed says which.
package struct ShapeHunt: HuntPart {
  package static let name = "shapes"
  package static var roundCount: Int { Shape.all.count }
  /// The greatest size; sizes are doubled until there.
  package var mostSize = 200_000
  /// No greater size is tried after one that took as many seconds.
  package var mostSeconds = 2.0
  /// Whether more than linear time is a finding, which it cannot be where other work takes its share of the machine.
  package var judgesTime = true

  package init() {}

  package func round(_ seed: UInt64, _ tally: inout HuntTally) {
    let shapes = Shape.all
    let shape = shapes[Int(truncatingIfNeeded: seed &- 1 & (1 << 62 - 1)) % shapes.count]
    var times: [(size: Int, seconds: Double)] = []
    var size = 8
    var steep = 0
    while size <= min(mostSize, shape.most) {
      let (answer, seconds, message) = Self.measure(shape, size)
      tally.cases += 1
      if let kind = Self.fault(answer) {
        tally.count(kind)
        tally.findings.append(
          Finding(
            Self.name, seed: seed, kind: "\(kind): \(shape.name)", script: shape.script(8),
            detail: "size \(size) gives \(kind) \(message.prefix(200)); the script shows size 8"))
        return
      }
      if case .error(let state) = answer { tally.count("ended by \(state)") }
      // What takes six times as long for twice as much may not end at all at the next size; once more, as a single
      // slow run says nothing.
      if let last = times.last, seconds > 0.01, seconds > last.seconds * 6,
        Self.measure(shape, size).seconds > last.seconds * 6
      {
        steep = 2
      } else if let last = times.last, last.seconds > 0.1, seconds > last.seconds * 3.2 {
        // Otherwise twice as much twice in a row.
        steep += 1
      } else {
        steep = 0
      }
      times.append((size, seconds))
      if steep >= 2 && !judgesTime { return }
      if steep >= 2 {
        let list = times.suffix(4).map { "\($0.size): \(Int($0.seconds * 1000)) ms" }.joined(
          separator: ", ")
        tally.findings.append(
          Finding(
            Self.name, seed: seed, kind: "not linear: \(shape.name)", script: shape.script(8),
            detail: "\(list); the script shows size 8"))
        return
      }
      if seconds > mostSeconds { return }
      size *= 2
    }
  }

  /// The answer to a shape of a size, how long it took, and what an error had to say.
  private static func measure(
    _ shape: Shape, _ size: Int
  ) -> (answer: Answer, seconds: Double, message: String) {
    let asker = Asker(timeoutMilliseconds: 20_000)
    let script = shape.script(size)
    for statement in script.dropLast() { asker.run(statement) }
    let start = ContinuousClock.now
    let answer = asker.answer(script[script.count - 1])
    return (answer, (ContinuousClock.now - start) / .seconds(1), asker.lastMessage)
  }

  /// What is wrong with an answer: anything but rows, a limit, or an error about the statement or its values.
  private static func fault(_ answer: Answer) -> String? {
    guard case .error(let state) = answer else { return nil }
    // 08P01 is for parameters without values.
    let fine = ["54", "42", "22", "53", "0A", "21", "23", "08P01"].contains { state.hasPrefix($0) }
    return fine ? nil : state
  }
}
