import Columnar
package import Diagnostics
import SQLSyntax

/// One definition of WITH, waiting for the query that it belongs to.
struct CommonDefinition {
  var table: CommonTable
  var plan: LogicalPlan
  /// Whether it may be put where it is used once: no side effects, not MATERIALIZED.
  var mayInline: Bool
}

extension BindingSession {
  /// The definitions of WITH; `scope.commons` knows them afterwards.
  func bindWith(
    _ with: WithClause, in scope: Scope
  ) throws(SQLError) -> [CommonDefinition] {
    var seen: Set<String> = []
    for item in with.expressions where !seen.insert(item.name.name).inserted {
      throw SQLError(
        SQLState("42712"), "WITH query name \"\(item.name.name)\" specified more than once",
        at: item.name.range)
    }
    // Names that stand further down are known, so that a use of them can be explained.
    for item in with.expressions {
      scope.commons = CommonTable(
        name: item.name.name, kind: .forward, id: 0, columns: [], next: scope.commons)
    }
    var result: [CommonDefinition] = []
    for item in with.expressions {
      var definition = try bindCommon(item, isRecursive: with.isRecursive, in: scope)
      if item.isMaterialized == true { definition.mayInline = false }
      scope.commons = CommonTable(
        name: item.name.name, kind: .common, id: definition.table.id,
        columns: definition.table.columns, next: scope.commons)
      if let table = scope.commons {
        table.lacksReturning = definition.table.lacksReturning
        definition.table = table
      }
      result.append(definition)
    }
    return result
  }

  private func bindCommon(
    _ item: CommonTableExpression, isRecursive: Bool, in scope: Scope
  ) throws(SQLError) -> CommonDefinition {
    let id = makeCommonID()
    switch item.statement {
    case .select(let query):
      if isRecursive { return try bindRecursive(item, query, id: id, in: scope) }
      if let clause = item.search?.range ?? item.cycle?.range {
        throw SQLError(
          .syntaxError, "WITH query is not recursive", at: clause)
      }
      let bound = try bindQuery(query, outer: Scope(parent: scope))
      return try define(item, bound, id: id)
    case .insert, .update, .delete:
      guard scope.parent?.parent == nil else {
        throw SQLError(
          .featureNotSupported,
          "WITH clause containing a data-modifying statement must be at the top level",
          at: item.name.range)
      }
      let bound = try bindModification(item.statement, outer: Scope(parent: scope))
      var definition = try define(item, bound, id: id)
      definition.mayInline = false
      definition.table.lacksReturning = bound.columns.isEmpty
      return definition
    case .merge:
      throw SQLError(
        .featureNotSupported, "MERGE not supported in WITH query", at: item.range)
    case .truncate, .copy, .call, .createTable, .createIndex, .createView, .createMaterializedView,
      .refresh, .createSequence, .createSchema, .createType, .createDomain, .createFunction,
      .createPropertyGraph, .alterPropertyGraph, .alterTable, .alterSequence, .alterType,
      .alterDomain, .alterObject, .drop, .comment, .transaction, .setting, .setConstraints,
      .explain, .prepare, .execute, .deallocate, .declareCursor, .fetch, .closeCursor, .doBlock,
      .lock, .maintenance, .checkpoint, .backup, .export, .verify, .describe, .discard, .listen,
      .notify,
      .unlisten, .privileges, .unsupported:
      throw SQLError.unsupported("this statement in WITH", at: item.range)
    }
  }

  /// The columns of a common table under the names given after its name.
  func define(
    _ item: CommonTableExpression, _ bound: BoundQuery, id: Int
  ) throws(SQLError) -> CommonDefinition {
    guard item.columnNames.count <= bound.columns.count else {
      throw SQLError(
        .invalidColumnReference,
        "WITH query \"\(item.name.name)\" has \(bound.columns.count) columns available but"
          + " \(item.columnNames.count) columns specified", at: item.name.range)
    }
    var columns = bound.columns
    for (index, name) in item.columnNames.enumerated() { columns[index].name = name.name }
    makeCollationsImplicit(of: columns)
    let table = CommonTable(
      name: item.name.name, kind: .common, id: id, columns: columns, next: nil)
    return CommonDefinition(
      table: table, plan: exact(bound), mayInline: !isVolatile(bound.plan))
  }

  /// The query's plan with exactly the query's columns.
  func exact(_ query: BoundQuery) -> LogicalPlan {
    if query.plan.outputs.map(\.id) == query.columns.map(\.id) { return query.plan }
    return .project(query.plan, query.columns.map { ProjectedColumn($0, .column($0.id, $0.type)) })
  }

  /// A reference to a common table in FROM; nil if no WITH in sight has the name.
  func bindCommonReference(
    _ table: NamedTable, in scope: Scope
  ) throws(SQLError) -> BoundQuery? {
    var next = scope.commons
    while let common = next {
      next = common.next
      guard common.name == table.name.name else { continue }
      switch common.kind {
      case .forward:
        if let refusal = common.refusal {
          throw SQLError(.invalidRecursion, refusal, at: table.range)
        }
        continue
      case .common, .working:
        if let refusal = common.refusal {
          throw SQLError(.invalidRecursion, refusal, at: table.range)
        }
        if common.lacksReturning {
          throw SQLError(
            .featureNotSupported,
            "WITH query \"\(common.name)\" does not have a RETURNING clause", at: table.range)
        }
        common.referenceCount += 1
        let columns = common.columns.map(makeCopy)
        if case .working = common.kind {
          if common.referenceCount > 1 {
            throw SQLError(
              .invalidRecursion,
              "recursive reference to query \"\(common.name)\" must not appear more than once",
              at: table.range)
          }
          scope.hasSelfReference = true
          return BoundQuery(
            plan: .workingTable(id: common.id, columns: columns), columns: columns, ranges: [])
        }
        return BoundQuery(
          plan: .commonReference(id: common.id, columns: columns), columns: columns, ranges: [])
      }
    }
    return nil
  }

  /// Puts the definitions under a query: each where it is used once, or computed once for all uses.
  ///
  /// Definitions are put into those that follow as they come, so that nothing is walked through twice, however long
  /// the chain.
  ///
  /// - Throws: 54001 for a chain that makes the plan too high.
  /// - Complexity: O(*n*) in the size of all definitions and the query.
  func attach(
    _ definitions: [CommonDefinition], to plan: LogicalPlan, at range: SourceRange
  ) throws(SQLError) -> LogicalPlan {
    var placement = CommonPlacement()
    var computed: [(id: Int, plan: LogicalPlan)] = []
    for definition in definitions {
      let count = definition.table.referenceCount
      if definition.mayInline && count == 0 { continue }
      try placement.checkHeight(of: definition.plan, beside: computed.count, at: range)
      let placed = placement.placed(in: definition.plan)
      if definition.mayInline && count == 1 {
        placement.add(definition, placed)
      } else {
        computed.append((definition.table.id, placed))
      }
    }
    try placement.checkHeight(of: plan, beside: computed.count, at: range)
    var result = placement.placed(in: plan)
    // What found no place is used in the step of a recursion, or by nobody in the end.
    computed += placement.waiting
    for item in computed.sorted(by: { $0.id > $1.id }) {
      result = .withCommon(id: item.id, definition: item.plan, body: result)
    }
    return result
  }

  /// Forbids references to the recursion being bound while `body` runs.
  func refusing<Result>(
    _ place: String, in scope: Scope, _ body: () throws(SQLError) -> Result
  ) throws(SQLError) -> Result {
    var changed: [CommonTable] = []
    var next = scope.commons
    while let common = next {
      if case .working = common.kind, common.refusal == nil {
        common.refusal =
          "recursive reference to query \"\(common.name)\" must not appear within \(place)"
        changed.append(common)
      }
      next = common.next
    }
    defer { for common in changed { common.refusal = nil } }
    return try body()
  }

  /// Whether some part gives another result each time, or changes something.
  func isVolatile(_ plan: LogicalPlan) -> Bool {
    if case .modify = plan { return true }
    return plan.containsExpression { expression in
      expression.contains { part in
        if case .call(let call) = part {
          call.volatility == .volatile
        } else if case .session = part {
          true
        } else if case .subquery(let subquery) = part {
          isVolatile(subquery.plan)
        } else {
          false
        }
      }
    } || plan.containsInput(where: isVolatile)
  }
}

/// Definitions of common tables that are used once, on their way to where that is.
private struct CommonPlacement {
  private var plans: [Int: LogicalPlan] = [:]
  /// How high a definition is with all that was put into it.
  private var heights: [Int: Int] = [:]

  mutating func add(_ definition: CommonDefinition, _ plan: LogicalPlan) {
    let id = definition.table.id
    heights[id] = definition.plan.height(of: { heights[$0] ?? 0 })
    plans[id] = plan
  }

  /// Those that found no place.
  var waiting: [(id: Int, plan: LogicalPlan)] { plans.map { ($0.key, $0.value) } }

  /// - Throws: 54001 where the plan would be too high with what is to be put into it.
  func checkHeight(
    of plan: LogicalPlan, beside count: Int, at range: SourceRange
  ) throws(SQLError) {
    if plan.height(of: { heights[$0] ?? 0 }) + count > LogicalPlan.heightLimit {
      throw LogicalPlan.tooHigh(at: range)
    }
  }

  /// The plan with references replaced by what they refer to; that is not walked through again.
  mutating func placed(in plan: LogicalPlan) -> LogicalPlan {
    if plans.isEmpty { return plan }
    if case .commonReference(let id, let columns) = plan {
      guard let definition = plans.removeValue(forKey: id) else { return plan }
      return .project(
        definition,
        zip(columns, definition.outputs).map { ProjectedColumn($0, .column($1.id, $1.type)) })
    }
    // A step of a recursion would compute the definition anew in each round.
    if case .recursive(var recursion) = plan {
      recursion.anchor = placed(in: recursion.anchor)
      return .recursive(recursion)
    }
    var moving = self
    var result = plan.mapInputs { moving.placed(in: $0) }
    if !moving.plans.isEmpty {
      result = result.mapExpressions { expression in
        guard expression.contains(where: \.isSubquery) else { return expression }
        return expression.rewritten { part in
          guard case .subquery(var subquery) = part else { return part }
          subquery.plan = moving.placed(in: subquery.plan)
          return .subquery(subquery)
        }
      }
    }
    self = moving
    return result
  }
}

extension BoundExpression {
  fileprivate var isSubquery: Bool {
    if case .subquery = self { return true }
    return false
  }
}

extension LogicalPlan {
  /// Higher plans are an error, not a crash: whatever walks a plan recurses.
  package static let heightLimit = 2_000

  /// How many operators stand above each other, subqueries included; `common` says how many a reference stands for.
  package func height(of common: (Int) -> Int = { _ in 0 }) -> Int {
    if case .commonReference(let id, _) = self { return 1 + common(id) }
    var highest = 0
    for input in inputs { highest = max(highest, input.height(of: common)) }
    for expression in expressions {
      _ = expression.contains { part in
        if case .subquery(let subquery) = part {
          highest = max(highest, subquery.plan.height(of: common))
        }
        return false
      }
    }
    return highest + 1
  }

  /// The error of a plan that is too high.
  package static func tooHigh(at range: SourceRange) -> SQLError {
    SQLError(
      .statementTooComplex, "stack depth limit exceeded", at: range,
      detail: "The query would have more than \(heightLimit) operations one above another.",
      hint:
        "Chain fewer common table expressions and subqueries, or store what some of them give in a table."
    )
  }
}
