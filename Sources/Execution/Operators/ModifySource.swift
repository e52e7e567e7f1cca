import Columnar
import Diagnostics
import Planning

/// INSERT, UPDATE, DELETE, MERGE: reads its whole input, then lets the runner of modifications change the table.
final class ModifySource: ChunkListSource {
  private let plan: ModifyPlan
  private let pipeline: Pipeline
  private let sink = CollectorSink()

  init(_ plan: ModifyPlan, _ input: Stream) {
    self.plan = plan
    pipeline = Pipeline(input, into: sink)
  }

  override func prepare(_ context: ExecutionContext) throws(SQLError) {
    guard let runner = context.modifications else {
      throw SQLError(
        .readOnlyTransaction, "cannot change data in a read-only transaction")
    }
    chunks = []
    try pipeline.run(context)
    chunks = try runner.modify(
      plan, columns: pipeline.stream.outputs, rows: sink.takeChunks(), in: context)
  }
}
