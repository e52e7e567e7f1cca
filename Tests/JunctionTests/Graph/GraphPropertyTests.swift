import Diagnostics
import Junction
import Testing

/// Random patterns over random graphs.
@Suite("GRAPH_TABLE over random graphs")
struct GraphPropertyTests {
  private static let laneCount = 8
  private static let patternsPerWorld = 20

  @Test(
    "gives what trying every path gives",
    arguments: 0..<(GraphCases.seed == nil ? laneCount : 1))
  func naive(_ lane: Int) throws {
    let worlds = max(
      1, GraphCases.count(usually: 384) / Self.laneCount / Self.patternsPerWorld)
    var (checked, skipped, refused, failed) = (0, 0, 0, 0)
    for number in 0..<(GraphCases.seed == nil ? worlds : 1) {
      let seed = GraphCases.seed ?? UInt64(lane * 1_000_000 + number)
      var random = GraphRandom(state: seed)
      var graph = try GraphCase(&random)
      for number in 0..<Self.patternsPerWorld {
        if number % 3 == 2 { try graph.change(&random) }
        var generator = PatternGenerator(graph.world)
        let pattern = generator.pattern(&random)
        var search = NaiveSearch(graph.world)
        guard let answer = try? search.answer(to: pattern) else {
          skipped += 1
          continue
        }
        checked += 1
        if let fault = Self.fault(of: pattern, answer, graph, &refused) {
          failed += 1
          Issue.record("seed \(seed): \(fault)\n\(graph.repetition(pattern.sql))")
          if failed > 3 { return }
        }
      }
    }
    #expect(refused * 1000 <= checked, "\(refused) patterns fitted too many combinations of tables")
    GraphCases.report(
      "patterns, lane \(lane): \(checked) checked, of which \(refused) refused; \(skipped) too long to try"
    )
  }

  /// What is wrong with an answer; patterns that fit more combinations of tables than are tried are counted.
  private static func fault(
    of pattern: MatchPattern, _ answer: NaiveAnswer, _ graph: GraphCase, _ refused: inout Int
  ) -> String? {
    do throws(SQLError) {
      return answer.fault(of: try graph.rows(pattern.sql), pattern.columns)
    } catch {
      if error.state == .statementTooComplex {
        refused += 1
        return nil
      }
      return "\(error.state.code) \(error.message)"
    }
  }
}
