import Catalog
import Columnar
import Diagnostics
import Execution
import Planning
import SQLSyntax
import Storage
import Synchronization

/// A statement whose plan is made: what is left is to run it.
///
/// Sendable by rule: one session owns it.
final class PreparedPlan: @unchecked Sendable {
  let statement: Statement
  let kind: BoundStatement.Kind
  let columns: [ResultColumn]
  let parameterTypes: [LogicalType]
  /// What runs the plan; made anew after a run that held much, so that a plan at rest keeps little.
  private(set) var executor: QueryExecutor
  /// Whether running it takes a stack of its own.
  let isDeep: Bool
  /// The short way, where the whole plan is a look-up of one number.
  let point: PointLookup?
  /// The numbers that are values of its type, where it is a parameter.
  let pointNumbers: ClosedRange<Int64>
  /// The short way, where the whole plan is a change of one row.
  private let rowChange: PreparedRowChange?
  /// The same, for a run that counts no references.
  let changeAtHand: UncountedReference<PreparedRowChange>
  /// Whether running it needs the right to write.
  let writes: Bool
  /// The rows of files that it reads, which may change: it is planned anew each time.
  let files: [ObjectID: TableStore]
  /// The catalog under which it was planned; under another it is planned anew.
  let catalogVersion: UInt64
  /// The same for the settings.
  let settingsVersion: UInt64
  /// The rows of each table when it was planned: a plan for a small table may be a bad one later.
  private let rowCounts: [ObjectID: Int]
  /// The version for which these were last compared.
  private let checkedIdentity: Atomic<UInt64>
  /// The types that were asked for when it was prepared.
  let requestedTypes: [LogicalType?]

  init(
    statement: Statement, bound: BoundStatement, executor: QueryExecutor, isDeep: Bool,
    rowChange: PreparedRowChange?, tables: any TableSource, files: [ObjectID: TableStore] = [:],
    catalogVersion: UInt64, settingsVersion: UInt64,
    requestedTypes: [LogicalType?]
  ) {
    self.statement = statement
    kind = bound.kind
    columns = bound.columns.map { ResultColumn(name: $0.name, columnType: $0.columnType) }
    parameterTypes = bound.parameterTypes
    self.executor = executor
    self.isDeep = isDeep
    let key = executor.point?.parameter
    let numbers = key.flatMap { bound.parameterTypes[$0].wholeNumbers }
    point = key != nil && numbers == nil ? nil : executor.point
    pointNumbers = numbers ?? 0...0
    self.rowChange = rowChange
    changeAtHand = UncountedReference(rowChange)
    writes = statement.mayWrite
    self.files = files
    self.catalogVersion = catalogVersion
    self.settingsVersion = settingsVersion
    self.requestedTypes = requestedTypes
    var rowCounts: [ObjectID: Int] = [:]
    for id in executor.plan.tables { rowCounts[id] = try? tables.table(id).liveRowCount }
    self.rowCounts = rowCounts
    checkedIdentity = Atomic(tables.identity)
  }

  /// Whether the plan is still right, and still a good one.
  func isCurrent(_ version: DatabaseVersion, settingsVersion: UInt64) -> Bool {
    guard self.settingsVersion == settingsVersion, files.isEmpty else { return false }
    // A version that was looked at has the catalog that it had then.
    if checkedIdentity.load(ordering: .relaxed) == version.identity { return true }
    guard catalogVersion == version.catalog.version else { return false }
    for (id, planned) in rowCounts {
      let now = version.tables[id]?.liveRowCount ?? 0
      if max(now, planned) > Self.smallRowCount && max(now, planned) / 8 > min(now, planned) {
        return false
      }
    }
    checkedIdentity.store(version.identity, ordering: .relaxed)
    return true
  }

  /// Tables of no more rows are planned well enough by any guess.
  private static let smallRowCount = 1000

  /// Whether a run ended somewhere in the middle, and may have left operators half set up.
  private var isSpoiled = false

  /// Notes that a run failed.
  ///
  /// What data may say, a value out of range or a row that breaks a rule, ends a run where operators expect it. A statement that is cancelled or runs
  /// out of memory ends anywhere.
  func noteFailure(_ error: SQLError) {
    let kind = error.state.code.prefix(2)
    if kind != "22" && kind != "23" { isSpoiled = true }
  }

  /// What runs the plan, made anew if the last run has spoiled it.
  ///
  /// - Throws: 57014 and the like.
  func soundExecutor() throws(SQLError) -> QueryExecutor {
    if isSpoiled {
      executor = try QueryExecutor(executor.plan)
      isSpoiled = false
    }
    return executor
  }

  /// Lets go of what a run has left behind.
  ///
  /// - Throws: XX000 for a plan that breaks its own rules.
  func renewExecutor(discarding: Bool = false) throws(SQLError) {
    let old = executor
    executor = try QueryExecutor(old.plan)
    if discarding { StatementWatch.shared.discard(old) }
  }
}

extension LogicalType {
  /// The values of a type of whole numbers; nil for any other.
  fileprivate var wholeNumbers: ClosedRange<Int64>? {
    if case .smallint = self {
      Int64(Int16.min)...Int64(Int16.max)
    } else if case .integer = self {
      Int64(Int32.min)...Int64(Int32.max)
    } else if case .bigint = self {
      Int64.min...Int64.max
    } else {
      nil
    }
  }
}

/// Plans of statements that were run before, by their text.
///
/// A session has its own cache, so that a plan's operator state is never used by two runs at once.
final class PlanCache {
  private var plans: [String: PreparedPlan] = [:]
  private var order: [String] = []
  /// The plans that were asked for last, one for each length of text: a text that comes again is compared, not hashed.
  private var recent = [(text: String, plan: PreparedPlan)?](repeating: nil, count: 16)

  private static let capacity = 256
  /// Longer texts are hardly ever sent twice.
  private static let textLengthMax = 4096
  /// Words that, as a literal, mean another moment each time that they are read.
  private static let moments = ["now", "today", "tomorrow", "yesterday"]

  subscript(text: String) -> PreparedPlan? {
    let place = text.utf8.count & 15
    if let last = recent[place], last.text == text { return last.plan }
    guard let plan = plans[text] else { return nil }
    recent[place] = (text, plan)
    return plan
  }

  /// Keeps a plan, letting go of the oldest when there are too many.
  func insert(_ plan: PreparedPlan, for text: String) {
    guard text.utf8.count <= Self.textLengthMax else { return }
    if Self.dependsOnMoment(text) { return }
    forgetRecent()
    if plans.updateValue(plan, forKey: text) == nil {
      order.append(text)
      if order.count > Self.capacity { plans[order.removeFirst()] = nil }
    }
  }

  /// Whether a text may hold a literal that means another moment each time.
  static func dependsOnMoment(_ text: String) -> Bool {
    let lowered = text.lowercased()
    return moments.contains(where: lowered.contains)
  }

  func removeAll() {
    plans = [:]
    order = []
    forgetRecent()
  }

  private func forgetRecent() {
    for place in recent.indices { recent[place] = nil }
  }
}
