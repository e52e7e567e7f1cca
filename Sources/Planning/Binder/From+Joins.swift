import Columnar
import Diagnostics
import SQLSyntax

extension BindingSession {
  /// A join of two entries of FROM.
  func bindJoin(_ syntax: JoinedTable, in scope: Scope) throws(SQLError) -> FromItem {
    let siblings = scope.entries
    defer { scope.entries = siblings }
    let leftRefused = syntax.kind == .right || syntax.kind == .full
    let rightRefused = syntax.kind == .left || syntax.kind == .full
    let left = try bindSide(syntax.left, isNullable: leftRefused, in: scope)
    // Inside the right side, the left one can be referred to laterally.
    var lateral = left.entries
    if syntax.kind == .right || syntax.kind == .full {
      for index in lateral.indices { lateral[index].allowsLateral = false }
    }
    scope.entries = siblings + lateral
    let right = try bindSide(syntax.right, isNullable: rightRefused, in: scope)
    try checkConflicts(left.entries, right.entries, at: syntax.right.range)

    var conditions: [BoundExpression] = []
    // A semi- or anti-join's right side is seen by its condition only.
    let seen = syntax.kind.givesLeftOnly ? [] : right.entries
    var entries = left.entries + seen
    switch syntax.condition {
    case .none: break
    case .on(let condition):
      scope.entries = left.entries + right.entries
      let outer = scope.clause
      scope.clause = .on
      let bound = try bindBoolean(condition, for: "JOIN/ON", in: scope)
      scope.clause = outer
      conditions = conjuncts(bound)
    case .using(let names, let alias):
      let merged = try merge(names, left.entries, right.entries, syntax, &conditions)
      entries = try mergedEntries(
        merged, names.map(\.name), left.entries, seen, alias: alias, in: scope)
    case .natural:
      let rightNames = Set(visibleColumns(right.entries).map(\.name))
      let names = visibleColumns(left.entries).map(\.name).filter(rightNames.contains)
        .map { Identifier($0, at: syntax.range) }
      noteNaturalJoin(at: syntax.range, names)
      let merged = try merge(names, left.entries, right.entries, syntax, &conditions)
      entries = try mergedEntries(
        merged, names.map(\.name), left.entries, seen, alias: nil, in: scope)
    }
    if syntax.kind == .left || syntax.kind == .full { markNullable(right.entries) }
    if syntax.kind == .right || syntax.kind == .full { markNullable(left.entries) }
    if let alias = syntax.alias {
      let columns = try renamed(
        visibleColumns(entries), alias, table: alias.name.name, at: syntax.range)
      let entry = RangeEntry(
        name: alias.name.name, columns: columns, isJoin: false,
        source: RangeSource(outputs: []))
      entries = [register(entry, in: scope)]
    }
    let plan = join(
      joinKind(syntax.kind), left.plan, right.plan, on: conditions,
      isLateral: mayBeLateral(syntax.right))
    return FromItem(plan: plan, entries: entries)
  }

  private func bindSide(
    _ reference: TableReference, isNullable: Bool, in scope: Scope
  ) throws(SQLError) -> FromItem {
    guard isNullable else { return try bindReference(reference, in: scope) }
    return try refusing("an outer join", in: scope) { () throws(SQLError) in
      try bindReference(reference, in: scope)
    }
  }

  private func joinKind(_ kind: JoinedTable.Kind) -> JoinPlan.Kind {
    switch kind {
    case .inner, .cross: .inner
    case .left: .left
    case .right: .right
    case .full: .full
    case .semi: .semi
    case .anti: .anti
    }
  }

  private func markNullable(_ entries: [RangeEntry]) {
    for entry in entries { entry.source?.isNullable = true }
  }

  /// The parts of a condition that must all be true.
  func conjuncts(_ condition: BoundExpression) -> [BoundExpression] {
    if case .and(let list) = condition { return list.flatMap(conjuncts) }
    return [condition]
  }

  /// What `*` gives.
  func visibleColumns(_ entries: [RangeEntry]) -> [RangeColumn] {
    entries.filter(\.areColumnsVisible).flatMap(\.columns)
  }

  /// The columns that USING makes of one from each side.
  private func merge(
    _ names: [Identifier], _ left: [RangeEntry], _ right: [RangeEntry], _ syntax: JoinedTable,
    _ conditions: inout [BoundExpression]
  ) throws(SQLError) -> [RangeColumn] {
    let leftColumns = visibleColumns(left)
    let rightColumns = visibleColumns(right)
    var merged: [RangeColumn] = []
    for name in names {
      if merged.contains(where: { $0.name == name.name }) {
        throw SQLError(
          .duplicateColumn, "column name \"\(name.name)\" appears more than once in USING clause",
          at: name.range)
      }
      let first = try usingColumn(name, leftColumns, side: "left")
      let second = try usingColumn(name, rightColumns, side: "right")
      let type = try commonType(
        of: [first.type, second.type], for: "JOIN/USING", at: [name.range, name.range])
      let leftValue = try coerceToCommon(first, type, for: "JOIN/USING", at: name.range)
      let rightValue = try coerceToCommon(second, type, for: "JOIN/USING", at: name.range)
      conditions.append(
        try compare(
          .equal, Operator("=", at: name.range), (first, name.range), (second, name.range)))
      let expression: BoundExpression =
        switch syntax.kind {
        case .inner, .left, .cross, .semi, .anti: leftValue
        case .right: rightValue
        case .full: .coalesce([leftValue, rightValue], type)
        }
      merged.append(RangeColumn(name: name.name, expression: expression))
    }
    return merged
  }

  private func usingColumn(
    _ name: Identifier, _ columns: [RangeColumn], side: String
  ) throws(SQLError) -> BoundExpression {
    let found = columns.filter { $0.name == name.name }
    guard let first = found.first else {
      throw SQLError(
        .undefinedColumn,
        "column \"\(name.name)\" specified in USING clause does not exist in \(side) table",
        at: name.range)
    }
    guard found.count == 1 else {
      throw SQLError(
        .ambiguousColumn,
        "common column name \"\(name.name)\" appears more than once in \(side) table",
        at: name.range)
    }
    return first.expression
  }

  /// The names after USING: merged columns first, then the others; the sides stay for qualified names.
  private func mergedEntries(
    _ merged: [RangeColumn], _ names: [String], _ left: [RangeEntry], _ right: [RangeEntry],
    alias: Identifier?, in scope: Scope
  ) throws(SQLError) -> [RangeEntry] {
    let hidden = Set(names)
    let rest = (visibleColumns(left) + visibleColumns(right)).filter { !hidden.contains($0.name) }
    let joined = RangeEntry(
      name: nil, columns: merged + rest, isRelationVisible: false, isJoin: true)
    var entries = left + right
    for index in entries.indices { entries[index].areColumnsVisible = false }
    entries.append(joined)
    if let alias {
      let entry = RangeEntry(
        name: alias.name, columns: merged, areColumnsVisible: false, isJoin: true,
        source: RangeSource(outputs: []))
      try checkConflicts(left + right, [entry], at: alias.range)
      entries.append(entry)
    }
    return entries
  }
}

extension JoinedTable.Kind {
  /// Whether only rows of the left side come out, as they are.
  fileprivate var givesLeftOnly: Bool { self == .semi || self == .anti }
}
