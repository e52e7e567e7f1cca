import Catalog
import Columnar
import Diagnostics
import Execution
import Planning
import SQLSyntax

/// Plans with parameters for texts that differ in their literals only.
///
/// A plan is shared where it finds its rows by keys, so that it would be the same one for every literal: an analysis
/// is planned with its numbers before its eyes. It is made when the second text of a kind comes.
///
/// A session has its own.
final class SharedPlans {
  private enum Entry {
    /// One text of the kind was run.
    case seen
    case plan(PreparedPlan)
    /// Texts of the kind are planned one by one.
    case unshared
  }
  private var entries: [[UInt8]: Entry] = [:]

  private static let capacity = 512

  /// What to do with a text of a kind.
  enum Advice {
    /// Run it as it stands.
    case runAlone
    /// Make a plan for its kind, and say what came of it.
    case makePlan
    case use(PreparedPlan)
  }

  /// What to do with a text of this kind.
  func advice(for key: [UInt8]) -> Advice {
    switch entries[key] {
    case .plan(let plan): return .use(plan)
    case .seen: return .makePlan
    case .unshared: return .runAlone
    case nil:
      if entries.count >= Self.capacity { entries = [:] }
      entries[key] = .seen
      return .runAlone
    }
  }

  /// Notes the plan of a kind; nil if its texts cannot share one.
  func note(_ plan: PreparedPlan?, for key: [UInt8]) {
    entries[key] = plan.map { .plan($0) } ?? .unshared
  }

  func removeAll() { entries = [:] }

  /// How many plans are shared.
  var planCount: Int {
    entries.values.count { entry in
      if case .plan = entry { return true }
      return false
    }
  }
}

extension Session {
  /// Runs a text by the plan that it shares with others; nil if it has none.
  ///
  /// - Throws: what running it throws.
  func runShared(_ sql: String) throws(SQLError) -> StatementResult? {
    guard !isFailed, let general = GeneralizedText(Array(sql.utf8)) else { return nil }
    let key = general.key
    let plan: PreparedPlan
    switch sharedPlans.advice(for: key) {
    case .runAlone: return nil
    case .use(let known): plan = known
    case .makePlan:
      // A transaction of its own may see tables that others do not.
      guard transaction == nil else { return nil }
      let made = sharedPlan(general)
      sharedPlans.note(made, for: key)
      guard let made else { return nil }
      plan = made
    }
    return try runPrepared(plan, general.literals.map(\.value)) {
      sharedPlans.note($0.isShareable(general) ? $0 : nil, for: key)
    }
  }

  /// The plan of a general text; nil if it has none that would serve every literal.
  private func sharedPlan(_ general: GeneralizedText) -> PreparedPlan? {
    guard !PlanCache.dependsOnMoment(String(decoding: general.text, as: UTF8.self)),
      let statements = try? parseStatements(general.text), statements.count == 1,
      let parsed = statements.first
    else { return nil }
    if case .merge = parsed.statement { return nil }
    guard parsed.statement.isQuery else { return nil }
    let evaluation = makeEvaluation()
    let types = general.literals.map(\.type)
    let version = state.current
    let plan = try? plan(
      parsed.statement, version.catalog, version, types: types, evaluation)
    guard let plan, plan.isShareable(general) else { return nil }
    return plan
  }
}

extension GeneralizedText.Literal {
  /// The type that the literal has by itself.
  fileprivate var type: LogicalType? {
    switch self {
    case .integer: .integer
    case .bigint: .bigint
    case .text: nil
    }
  }

  fileprivate var value: SQLValue {
    switch self {
    case .integer(let number), .bigint(let number): .integer(number)
    case .text(let text): .text(text)
    }
  }
}

extension PreparedPlan {
  /// Whether the plan serves every text of a kind: rows are found by keys only, and parameters are of the types that the
  /// literals have.
  func isShareable(_ general: GeneralizedText) -> Bool {
    guard parameterTypes.count == general.literals.count else { return false }
    for (type, literal) in zip(parameterTypes, general.literals) {
      if case .integer = literal, type == .integer { continue }
      if case .bigint = literal, type == .bigint { continue }
      if case .text = literal, type == .text || type == .varchar { continue }
      return false
    }
    return executor.plan.findsByKeys
  }
}

extension PhysicalPlan {
  /// Whether every row that is read is found by its key, so that the plan does not depend on values.
  fileprivate var findsByKeys: Bool {
    switch node {
    case .keyLookup, .adjacencyLookup, .values: return true
    case .scan, .commonReference, .workingTable, .recursive, .withCommon, .tableFunction,
      .projectSet:
      return false
    case .filter, .project, .hashJoin, .nestedLoopJoin, .unlinkedPairs, .lookupJoin, .expand,
      .listJoin, .intersection, .edgeCount, .walk, .neighbourCount, .pairCount, .remainingRows,
      .storedOrder, .neighbourAggregate, .rowSummary, .cycleCount, .pathSearch, .apply, .aggregate,
      .leadingRows, .window, .sort, .topN, .limit, .distinct, .append, .setOperation, .closure,
      .partialGroups,
      .modify:
      return inputs.allSatisfy(\.findsByKeys)
    }
  }
}
