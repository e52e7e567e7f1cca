import Columnar
import Diagnostics
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
    default:
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
        let columns = common.columns.map {
          makeColumn($0.name, $0.type, modifiers[$0.id] ?? .none)
        }
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
  func attach(_ definitions: [CommonDefinition], to plan: LogicalPlan) -> LogicalPlan {
    var plan = plan
    for (index, definition) in definitions.enumerated().reversed() {
      let count = definition.table.referenceCount
      if definition.mayInline {
        if count == 0 { continue }
        // A use may stand in this query or in a definition that follows, which is by now part of it.
        if count == 1, let inlined = plan.replacingReference(to: definition) {
          plan = inlined
          continue
        }
      }
      _ = index
      plan = .withCommon(id: definition.table.id, definition: definition.plan, body: plan)
    }
    return plan
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
    return plan.expressions.contains { expression in
      expression.contains { part in
        switch part {
        case .call(let call): call.volatility == .volatile
        case .session: true
        case .subquery(let subquery): isVolatile(subquery.plan)
        default: false
        }
      }
    } || plan.inputs.contains(where: isVolatile)
  }
}

extension LogicalPlan {
  /// The plan with the one reference to a common table replaced by its definition; nil if there is none.
  fileprivate func replacingReference(to definition: CommonDefinition) -> LogicalPlan? {
    var replaced = false
    let result = replaceReference(to: definition, &replaced)
    return replaced ? result : nil
  }

  private func replaceReference(
    to definition: CommonDefinition, _ replaced: inout Bool
  ) -> LogicalPlan {
    if replaced { return self }
    if case .commonReference(let id, let columns) = self, id == definition.table.id {
      replaced = true
      let outputs = definition.plan.outputs
      return .project(
        definition.plan,
        zip(columns, outputs).map { ProjectedColumn($0, .column($1.id, $1.type)) })
    }
    // A step of a recursion would compute the definition anew in each round.
    if case .recursive(var plan) = self {
      plan.anchor = plan.anchor.replaceReference(to: definition, &replaced)
      return .recursive(plan)
    }
    var found = replaced
    var result = mapInputs { $0.replaceReference(to: definition, &found) }
    if !found {
      result = result.mapExpressions { expression in
        expression.rewritten { part in
          guard !found, case .subquery(var subquery) = part else { return part }
          subquery.plan = subquery.plan.replaceReference(to: definition, &found)
          return .subquery(subquery)
        }
      }
    }
    replaced = found
    return result
  }
}
