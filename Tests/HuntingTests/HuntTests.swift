import Hunting
import Testing

/// A small run of each part of the hunt; the long ones are `.ci/hunt`.
@Suite("A short hunt finds nothing:")
struct HuntTests {
  private func expectNothing(_ part: any HuntPart, seeds: ClosedRange<Int>) {
    for seed in seeds {
      var tally = HuntTally()
      part.round(UInt64(seed), &tally)
      for finding in tally.findings { Issue.record("\(finding.text)") }
    }
  }

  @Test("walks along keys give what tables without keys do", arguments: [1, 11])
  func walks(first: Int) {
    var part = WalkHunt()
    part.questionCount = 10
    expectNothing(part, seeds: first...(first + 2))
  }

  @Test("queries give what their oracles say", arguments: [1, 11])
  func oracles(first: Int) {
    var part = OracleHunt()
    part.questionCount = 10
    expectNothing(part, seeds: first...(first + 3))
  }

  @Test("statements break no rule of the engine's own", arguments: [1, 11])
  func statements(first: Int) {
    var part = StatementHunt()
    part.statementCount = 150
    expectNothing(part, seeds: first...(first + 2))
  }

  @Test("changed texts get an answer or an error", arguments: [1, 11])
  func bytes(first: Int) { expectNothing(ByteHunt(), seeds: first...(first + 2)) }

  @Test("the Swift interface gives what plainer ways give", arguments: [1, 11, 21])
  func faces(first: Int) { expectNothing(FaceHunt(), seeds: first...(first + 4)) }

  /// A part of the catalog, another one for each seed.
  @Test("functions give with columns what they give with constants", arguments: 0..<8)
  func functions(lane: Int) {
    var part = FunctionHunt()
    part.callCount = 4
    part.widths = [65, 2049]
    for number in stride(from: 1 + lane * 10, to: FunctionHunt.roundCount, by: 80) {
      expectNothing(part, seeds: number...number)
    }
  }

  @Test("large statements get an answer or a limit's error", arguments: 0..<8)
  func shapes(lane: Int) {
    var part = ShapeHunt()
    part.mostSize = 512
    part.mostSeconds = 0.1
    part.judgesTime = false
    for number in stride(from: 1 + lane, through: ShapeHunt.roundCount, by: 8) {
      expectNothing(part, seeds: number...number)
    }
  }
}
