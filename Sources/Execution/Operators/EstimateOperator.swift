import Columnar
import Diagnostics

/// Rows that may still be among the first of a sort by what is computed of them, as far as an estimate tells.
final class EstimateOperator: StreamOperator {
  private let bound: SharedSortBound
  private let estimate: KeyEstimate
  private let compiler: ExpressionCompiler

  init(_ bound: SharedSortBound, _ estimate: KeyEstimate, _ compiler: ExpressionCompiler) {
    self.bound = bound
    self.estimate = estimate
    self.compiler = compiler
  }

  override func makeStage(next: Stage) throws(SQLError) -> Stage {
    EstimateStage(bound, try estimate.evaluator(compiler), next: next)
  }
}

private final class EstimateStage: StreamingStage {
  private let bound: SharedSortBound
  private let evaluator: EstimateEvaluator

  init(_ bound: SharedSortBound, _ evaluator: EstimateEvaluator, next: Stage) {
    self.bound = bound
    self.evaluator = evaluator
    super.init(next: next)
  }

  override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
    guard let bound = bound.current else { return try next.push(chunk) }
    var chunk = chunk
    guard let estimates = try evaluator.evaluate(&chunk, try running()),
      let kept = bound.rowsNotBehind(estimates), kept.count < chunk.count
    else { return try next.push(chunk) }
    return kept.count == 0 ? true : try next.push(chunk.gathered(kept))
  }
}
