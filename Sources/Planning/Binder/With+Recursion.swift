import Columnar
import Diagnostics
import SQLSyntax

extension BindingSession {
  /// A definition under WITH RECURSIVE, which may or may not refer to itself.
  func bindRecursive(
    _ item: CommonTableExpression, _ query: SelectStatement, id: Int, in scope: Scope
  ) throws(SQLError) -> CommonDefinition {
    let name = item.name.name
    let inner = Scope(parent: scope)
    guard case .setOperation(let operation) = query.body, operation.kind == .union else {
      let table = CommonTable(
        name: name, kind: .forward, id: id, columns: [], next: scope.commons)
      table.refusal =
        "recursive query \"\(name)\" does not have the form"
        + " non-recursive-term UNION [ALL] recursive-term"
      inner.commons = table
      let bound = try bindQuery(query, outer: inner)
      return try define(item, bound, id: id)
    }
    var definitions: [CommonDefinition] = []
    if let with = query.with { definitions = try bindWith(with, in: inner) }
    let visible = inner.commons
    let anchorMark = CommonTable(name: name, kind: .forward, id: id, columns: [], next: visible)
    anchorMark.refusal =
      "recursive reference to query \"\(name)\" must not appear within its non-recursive term"
    inner.commons = anchorMark
    let rewritten = try rewriteTraversal(item, operation, in: inner)
    let anchorQuery = try bindOperand(rewritten.operation.left, outer: inner)
    let settledAnchor = try coerceOutputs(
      anchorQuery, to: anchorQuery.columns.map { $0.type == .unknown ? .text : $0.type },
      for: "UNION")
    guard rewritten.columnNames.count <= settledAnchor.columns.count else {
      throw SQLError(
        .invalidColumnReference,
        "WITH query \"\(name)\" has \(settledAnchor.columns.count) columns available but"
          + " \(rewritten.columnNames.count) columns specified", at: item.name.range)
    }
    makeCollationsImplicit(of: settledAnchor.columns)
    var named = settledAnchor.columns
    for (index, column) in rewritten.columnNames.enumerated() { named[index].name = column.name }

    let table = CommonTable(name: name, kind: .working, id: id, columns: named, next: visible)
    inner.commons = table
    let step = try bindOperand(rewritten.operation.right, outer: inner)
    if table.referenceCount == 0 {
      var bound = try combine(
        rewritten.operation.kind, isAll: rewritten.operation.isAll, settledAnchor, step)
      inner.commons = visible
      bound = try finish(bound, query, outer: inner)
      bound.plan = try attach(definitions, to: bound.plan, at: item.name.range)
      return try define(item, bound, id: id)
    }
    if let first = query.orderBy.first {
      throw SQLError(
        .featureNotSupported, "ORDER BY in a recursive query is not implemented",
        at: first.expression.range)
    }
    if let range = query.offset?.range ?? query.limit?.range {
      let what = query.offset != nil ? "OFFSET" : "LIMIT"
      throw SQLError(
        .featureNotSupported, "\(what) in a recursive query is not implemented", at: range)
    }
    if let clause = query.locking.first {
      throw SQLError(
        .featureNotSupported, "FOR UPDATE/SHARE in a recursive query is not implemented",
        at: clause.range)
    }
    var bound = try recurse(rewritten.operation, name, id, settledAnchor, step)
    bound.plan = try attach(definitions, to: bound.plan, at: item.name.range)
    var shape = item
    shape.columnNames = rewritten.columnNames
    return try define(shape, bound, id: id)
  }

  /// - Throws: 42P21 where the step would give a column another collation.
  private func recursiveCollation(
    _ index: Int, of name: String, _ anchor: (column: PlanColumn, range: SourceRange),
    _ step: (column: PlanColumn, range: SourceRange)
  ) throws(SQLError) -> StatedCollation? {
    let overall = try commonCollation(of: [anchor, step], mayDiffer: true)
    let own = collations[anchor.column.id] ?? .standard
    guard let overall, own.strength != .none, overall.collation != own.collation else {
      return overall
    }
    throw SQLError(
      .collationMismatch,
      "recursive query \"\(name)\" column \(index + 1) has collation \"\(own.collation.name)\" in"
        + " non-recursive term but collation \"\(overall.collation.name)\" overall",
      at: anchor.range,
      hint: "Use the COLLATE clause to set the collation of the non-recursive term.")
  }

  private func finish(
    _ bound: BoundQuery, _ query: SelectStatement, outer: Scope
  ) throws(SQLError) -> BoundQuery {
    guard !query.orderBy.isEmpty || query.limit != nil || query.offset != nil else { return bound }
    return try order(bound, by: query, outer: outer)
  }

  private func recurse(
    _ operation: SetOperation, _ name: String, _ id: Int, _ anchor: BoundQuery,
    _ step: BoundQuery
  ) throws(SQLError) -> BoundQuery {
    guard anchor.columns.count == step.columns.count else {
      throw SQLError(
        .syntaxError, "each UNION query must have the same number of columns", at: step.range(0))
    }
    var columns: [PlanColumn] = []
    for (index, (first, second)) in zip(anchor.columns, step.columns).enumerated() {
      let type = try commonType(
        of: [first.type, second.type], for: "UNION", at: [anchor.range(index), step.range(index)])
      guard type == first.type else {
        throw SQLError(
          .datatypeMismatch,
          "recursive query \"\(name)\" column \(index + 1) has type \(first.type.name)"
            + " in non-recursive term but type \(type.name) overall", at: anchor.range(index),
          hint: "Cast the output of the non-recursive term to the correct type.")
      }
      if !operation.isAll { try checkEquality(type, at: anchor.range(index)) }
      let column = makeColumn(first.name, type)
      note(
        try recursiveCollation(
          index, of: name, (first, anchor.range(index)), (second, step.range(index))), of: column)
      columns.append(column)
    }
    let types = columns.map(\.type)
    let plan = RecursivePlan(
      id: id, anchor: exact(anchor), step: exact(try coerceOutputs(step, to: types, for: "UNION")),
      isAll: operation.isAll, columns: columns)
    return BoundQuery(plan: .recursive(plan), columns: columns, ranges: anchor.ranges)
  }
}
