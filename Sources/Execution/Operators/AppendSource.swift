import Columnar
import Diagnostics

/// UNION ALL: the rows of one input after those of another.
final class AppendSource: Source {
  private let inputs: [StreamRunner]

  init(_ inputs: [Stream]) { self.inputs = inputs.map { StreamRunner($0) } }

  override func produce(
    _ morsel: Int, into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    for input in inputs where try !input.run(into: stage, context) { return false }
    return true
  }
}
