import Diagnostics
import Foundation
import Testing

@testable import Columnar

@Suite("A statement that waits for memory of others")
struct WaitingStatementTests {
  private static func context() -> EvaluationContext {
    EvaluationContext(transactionTime: 0, statementTime: 0)
  }

  /// How long a look at whether the statement has to end takes.
  private static func look(_ context: EvaluationContext) throws(SQLError) -> Duration {
    let start = ContinuousClock.now
    try context.checkCancellation()
    return ContinuousClock.now - start
  }

  /// How long the shortest of some looks takes, as any of them may find both cores busy.
  private static func shortestLook(
    after prepare: (EvaluationContext) -> Void, _ context: EvaluationContext
  ) throws(SQLError) -> Duration {
    var shortest = Duration.seconds(60)
    for _ in 0..<5 {
      prepare(context)
      shortest = min(shortest, try look(context))
    }
    return shortest
  }

  @Test("goes on by itself after a tenth of a second")
  func bounded() throws {
    let context = Self.context()
    context.pause()
    #expect(!context.isInterrupted)
    #expect(try Self.look(context) >= .milliseconds(100))
    #expect(try Self.shortestLook(after: { _ in }, context) < .milliseconds(100))
  }

  @Test("goes on once there is memory")
  func resumed() throws {
    let look = try Self.shortestLook(
      after: {
        $0.pause()
        $0.resume()
      }, Self.context())
    #expect(look < .milliseconds(100))
  }

  @Test("can be ended meanwhile, and has not to wait when it is")
  func ended() {
    let context = Self.context()
    context.pause()
    Thread.detachNewThread {
      Thread.sleep(forTimeInterval: 0.01)
      context.cancel()
    }
    let error = #expect(throws: SQLError.self) { _ = try Self.look(context) }
    #expect(error?.state == .queryCanceled)
    context.pause()
    #expect(context.isInterrupted)
    context.resume()
    #expect(context.isInterrupted)
  }
}
