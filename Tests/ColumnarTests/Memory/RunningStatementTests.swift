import Diagnostics
import Testing

@testable import Columnar

@Suite("A loop over many rows")
struct RunningStatementTests {
  private func context() -> EvaluationContext {
    EvaluationContext(transactionTime: 0, statementTime: 0)
  }

  @Test("looks between slices whether its statement has to end")
  func cancelled() {
    let context = context()
    var visited = 0
    let error = #expect(throws: SQLError.self) {
      try RunningStatement.within(context) { () throws(SQLError) in
        try (0..<(3 * Range<Int>.sliceLength)).inSlices { slice in
          visited += slice.count
          context.cancel()
        }
      }
    }
    #expect(error?.state == .queryCanceled)
    #expect(visited == Range<Int>.sliceLength)
  }

  @Test("goes through all of them in order otherwise", arguments: [0, 1, 7, 8, 9, 24, 25])
  func whole(_ count: Int) throws {
    var visited: [Int] = []
    try (0..<count).inSlices(of: 8) { slice in visited += Array(slice) }
    #expect(visited == Array(0..<count))
  }

  @Test("works for the statement around it again once one within it has ended")
  func nested() {
    let (outer, inner) = (context(), context())
    RunningStatement.within(outer) {
      RunningStatement.within(inner) { #expect(RunningStatement.current === inner) }
      #expect(RunningStatement.current === outer)
      RunningStatement.within(nil) { #expect(RunningStatement.current == nil) }
      #expect(RunningStatement.current === outer)
    }
    #expect(RunningStatement.current == nil)
  }
}
