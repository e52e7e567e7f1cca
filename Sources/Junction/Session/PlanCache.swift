import Catalog
import Columnar
import Execution
import Planning
import SQLSyntax

/// A statement whose plan is made: what is left is to run it.
///
/// Sendable by rule: one session owns it.
final class PreparedPlan: @unchecked Sendable {
  let statement: Statement
  let kind: BoundStatement.Kind
  let columns: [ResultColumn]
  let parameterTypes: [LogicalType]
  let executor: QueryExecutor
  /// The short way, where the whole plan is a look-up of one number.
  let point: PointLookup?
  /// Whether running it needs the right to write.
  let writes: Bool
  /// The catalog under which it was planned; under another it is planned anew.
  let catalogVersion: UInt64
  /// The same for the search path.
  let pathVersion: UInt64
  /// The types that were asked for when it was prepared.
  let requestedTypes: [LogicalType?]

  init(
    statement: Statement, bound: BoundStatement, executor: QueryExecutor, writes: Bool,
    catalogVersion: UInt64, pathVersion: UInt64, requestedTypes: [LogicalType?]
  ) {
    self.statement = statement
    kind = bound.kind
    columns = bound.columns.map { ResultColumn(name: $0.name, columnType: $0.columnType) }
    parameterTypes = bound.parameterTypes
    self.executor = executor
    point = executor.point
    self.writes = writes
    self.catalogVersion = catalogVersion
    self.pathVersion = pathVersion
    self.requestedTypes = requestedTypes
  }
}

/// Plans of statements that were run before, by their text.
///
/// A session has its own cache, so that a plan's operator state is never used by two runs at once.
final class PlanCache {
  private var plans: [String: PreparedPlan] = [:]
  private var order: [String] = []

  private static let capacity = 256
  /// Longer texts are hardly ever sent twice.
  private static let textLengthMax = 4096

  subscript(text: String) -> PreparedPlan? { plans[text] }

  /// Keeps a plan, letting go of the oldest when there are too many.
  func insert(_ plan: PreparedPlan, for text: String) {
    guard text.utf8.count <= Self.textLengthMax else { return }
    if plans.updateValue(plan, forKey: text) == nil {
      order.append(text)
      if order.count > Self.capacity { plans[order.removeFirst()] = nil }
    }
  }

  func removeAll() {
    plans = [:]
    order = []
  }
}
