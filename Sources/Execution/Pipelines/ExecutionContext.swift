package import Columnar
package import Diagnostics
package import Planning
import Synchronization

/// What functions that act on the session ask of it.
package protocol SessionAccess: AnyObject, Sendable {
  /// Calls a function with the values of one row.
  func call(
    _ function: SessionFunction, _ arguments: [Value], _ context: ExecutionContext
  ) throws(SQLError) -> Value
}

/// Carries out INSERT, UPDATE, DELETE and MERGE for the executor.
package protocol ModificationRunner: AnyObject, Sendable {
  /// Changes the table by the rows that the plan's input gave.
  ///
  /// - Parameters:
  ///   - plan: What to do.
  ///   - columns: The columns of `rows`.
  ///   - rows: All rows of the input, complete before the first change.
  ///   - context: The run.
  /// - Returns: What RETURNING gives, a column for each of `plan.columnsReturned`; nothing without
  ///   RETURNING.
  /// - Throws: whatever the rules of the table say.
  func modify(
    _ plan: ModifyPlan, columns: [PlanColumn], rows: [DataChunk], in context: ExecutionContext
  ) throws(SQLError) -> [DataChunk]
}

/// Everything that one run of a plan reads besides the plan, all of it set before the run starts.
package final class ExecutionContext: Sendable {
  package let evaluation: EvaluationContext
  /// The tables of the database version that the run sees.
  package let tables: any TableSource
  /// The values of `$1`, …: constant vectors.
  package let parameters: [Vector]
  package let session: (any SessionAccess)?
  package let modifications: (any ModificationRunner)?
  package let memory: MemoryBudget
  /// How many workers may take part.
  package let workerLimit: Int
  /// Whether all rows of a table come out and are kept as another, which may take over pages that are in place.
  package let keepsRows: Bool
  /// Tells runs apart, so that what an operator keeps of one run is not taken for another's.
  package let runNumber: UInt64

  private static let runs = Atomic<UInt64>(0)

  package init(
    evaluation: EvaluationContext, tables: any TableSource, parameters: [Vector] = [],
    session: (any SessionAccess)? = nil, modifications: (any ModificationRunner)? = nil,
    memory: MemoryBudget? = nil, workerLimit: Int = .max, keepsRows: Bool = false
  ) {
    self.evaluation = evaluation
    self.tables = tables
    self.parameters = parameters
    self.session = session
    self.modifications = modifications
    self.memory = memory ?? evaluation.memory
    // Threads would take random numbers in no order.
    self.workerLimit = evaluation.surroundings.random == nil ? workerLimit : 1
    self.keepsRows = keepsRows
    runNumber = Self.runs.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// Ends the run if it was cancelled, has taken too long or holds too much; called once a chunk.
  ///
  /// - Throws: 57014, 53200.
  package func check() throws(SQLError) { try evaluation.checkCancellation() }
}
