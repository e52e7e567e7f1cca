import Columnar
import Diagnostics
import SQLSyntax

/// One entry of a select list once `*` is spread out.
struct OutputItem {
  var expression: BoundExpression
  var name: String
  var range: SourceRange
}

/// A SELECT while its clauses are gathered.
struct SelectParts {
  var input: LogicalPlan
  var items: [OutputItem] = []
  /// What ORDER BY and DISTINCT ON need and the select list does not have.
  var hidden: [OutputItem] = []
  var filter: BoundExpression?
  var having: (expression: BoundExpression, range: SourceRange)?
  var sort: [(item: Int, key: SortKey)] = []
  var grouping: Grouping?
  /// Positions among `items + hidden` of DISTINCT ON; empty for DISTINCT.
  var distinctOn: [Int]?

  func output(_ index: Int) -> OutputItem {
    index < items.count ? items[index] : hidden[index - items.count]
  }
}

extension BindingSession {
  /// One SELECT with the ORDER BY and LIMIT that belong to it.
  func bindSelect(
    _ core: SelectCore, _ query: SelectStatement, outer: Scope, keepsUnknown: Bool
  ) throws(SQLError) -> BoundQuery {
    if let into = core.into {
      throw SQLError(
        .syntaxError, "SELECT ... INTO is not allowed here", at: into.name.range)
    }
    let scope = Scope(parent: outer)
    scope.windows = core.windows
    var parts = SelectParts(input: try bindFrom(core.from, in: scope))
    try checkWindowNames(core.windows)
    scope.clause = .selectList
    parts.items = try bindItems(core.items, in: scope, keepsUnknown: keepsUnknown)
    if let filter = core.filter {
      scope.clause = .filter
      parts.filter = try bindBoolean(filter, for: "WHERE", in: scope)
    }
    if let having = core.having {
      scope.clause = .having
      parts.having = (try bindBoolean(having, for: "HAVING", in: scope), having.range)
    }
    scope.clause = .orderBy
    for item in query.orderBy { try addSortKey(item, to: &parts, in: scope) }
    if let clause = core.groupBy {
      scope.clause = .groupBy
      parts.grouping = try bindGroupBy(clause, items: parts.items, in: scope)
    }
    if let distinct = core.distinct { try bindDistinct(distinct, &parts, core, in: scope) }
    try bindLocking(query.locking, core, in: scope)

    if keepsUnknown { try settleSorted(&parts) }
    if parts.grouping != nil || parts.having != nil || scope.isGrouped {
      try group(&parts, in: scope)
    } else if let filter = parts.filter {
      parts.input = .filter(parts.input, conjuncts(filter))
    }
    return try assemble(parts, query, in: scope)
  }

  /// A constant by which rows are ordered or told apart is text.
  private func settleSorted(_ parts: inout SelectParts) throws(SQLError) {
    guard parts.distinctOn != nil || !parts.sort.isEmpty else { return }
    for index in parts.items.indices {
      parts.items[index].expression = try settled(
        parts.items[index].expression, at: parts.items[index].range)
    }
  }

  /// The select list with `*` spread out.
  func bindItems(
    _ items: [SelectItem], in scope: Scope, keepsUnknown: Bool
  ) throws(SQLError) -> [OutputItem] {
    var result: [OutputItem] = []
    for item in items {
      switch item.kind {
      case .all:
        guard !scope.entries.isEmpty else {
          throw SQLError(
            .syntaxError, "SELECT * with no tables specified is not valid", at: item.range)
        }
        for entry in scope.entries where entry.areColumnsVisible {
          append(entry, to: &result, at: item.range, in: scope)
        }
        noteExpansion(
          of: item, to: scope.entries.filter(\.areColumnsVisible), of: scope, in: scope)
      case .allColumns(let name):
        let schema = name.parts.count > 1 ? name.qualifier : nil
        if let (entry, owner) = try findEntry(
          name.name, schema: schema, at: item.range, in: scope)
        {
          append(entry, to: &result, at: item.range, in: owner)
          noteExpansion(of: item, to: [entry], of: owner, in: scope)
        } else if schema == nil,
          let parameter = scope.parameters?.parameters.first(where: { $0.name == name.name }),
          case .record = parameter.expression.type
        {
          try spread(parameter.expression, to: &result, at: item.range, in: scope)
        } else {
          throw missingEntry(name.name, schema: schema, at: item.range, in: scope)
        }
      case .allFields(let expression):
        let value = try bind(expression, in: scope)
        try spread(value, to: &result, at: expression.range, in: scope)
      case .expression(let expression):
        var value = try bind(expression, in: scope)
        if !keepsUnknown { value = try settled(value, at: expression.range) }
        result.append(
          OutputItem(
            expression: value, name: item.alias?.name ?? outputName(of: expression),
            range: expression.range))
      }
    }
    return result
  }

  private func append(
    _ entry: RangeEntry, to result: inout [OutputItem], at range: SourceRange, in owner: Scope
  ) {
    for column in entry.columns {
      result.append(
        OutputItem(
          expression: note(column.expression, of: owner, at: range), name: column.name,
          range: range))
    }
  }

  /// The fields of a composite value as columns.
  private func spread(
    _ value: BoundExpression, to result: inout [OutputItem], at range: SourceRange, in scope: Scope
  ) throws(SQLError) {
    guard case .record(let record) = value.type else {
      throw SQLError(.wrongObjectType, "type \(value.type.name) is not composite", at: range)
    }
    for (index, field) in record.fields.enumerated() {
      let part: BoundExpression
      if case .row(let list, _) = value {
        part = list[index]
      } else {
        part = .field(value, index, field.type)
      }
      result.append(OutputItem(expression: part, name: field.name, range: range))
    }
  }

  /// The position in the select list that a bare name or number means, as SQL-92 has it.
  ///
  /// - Throws: 42P10, 42601, 42702.
  func outputPosition(
    of expression: Expression, among items: [OutputItem], for clause: String,
    skipsNames: Bool = false
  ) throws(SQLError) -> Int? {
    if case .column(let name) = expression.kind, name.parts.count == 1 && !skipsNames {
      var found: Int?
      for (index, item) in items.enumerated() where item.name == name.name {
        if let first = found {
          if !isSame(items[first].expression, item.expression) {
            throw SQLError(
              .ambiguousColumn, "\(clause) \"\(name.name)\" is ambiguous", at: expression.range)
          }
        } else {
          found = index
        }
      }
      return found
    }
    if case .literal(.integer(let position)) = expression.kind {
      guard position >= 1, position <= items.count else {
        throw SQLError(
          .invalidColumnReference, "\(clause) position \(position) is not in select list",
          at: expression.range)
      }
      return Int(position) - 1
    }
    if case .literal = expression.kind {
      throw SQLError(
        .syntaxError, "non-integer constant in \(clause)", at: expression.range)
    }
    return nil
  }

  /// The position of an expression among the outputs, added as a hidden one if it is not there.
  private func position(
    of expression: BoundExpression, at range: SourceRange, in parts: inout SelectParts
  ) -> Int {
    let all = parts.items + parts.hidden
    if let index = all.firstIndex(where: { isSame($0.expression, expression) }) { return index }
    parts.hidden.append(OutputItem(expression: expression, name: "?column?", range: range))
    return all.count
  }

  private func addSortKey(
    _ item: SortItem, to parts: inout SelectParts, in scope: Scope
  ) throws(SQLError) {
    let range = item.expression.range
    let index: Int
    if let found = try outputPosition(of: item.expression, among: parts.items, for: "ORDER BY") {
      index = found
      parts.items[found].expression = try settled(parts.items[found].expression, at: range)
    } else {
      let value = try settled(try bind(item.expression, in: scope), at: range)
      index = position(of: value, at: range, in: &parts)
    }
    guard let key = try sortKey(item, parts.output(index).expression) else { return }
    if !parts.sort.contains(where: { $0.item == index }) { parts.sort.append((index, key)) }
  }

  private func bindDistinct(
    _ distinct: SelectCore.Distinct, _ parts: inout SelectParts, _ core: SelectCore,
    in scope: Scope
  ) throws(SQLError) {
    switch distinct {
    case .rows:
      parts.distinctOn = []
      for item in parts.items { try checkEquality(item.expression, at: item.range) }
      if let hidden = parts.sort.first(where: { $0.item >= parts.items.count }) {
        throw SQLError(
          .invalidColumnReference,
          "for SELECT DISTINCT, ORDER BY expressions must appear in select list",
          at: parts.output(hidden.item).range)
      }
    case .on(let expressions):
      scope.clause = .distinctOn
      var positions: [Int] = []
      for expression in expressions {
        let index: Int
        if let found = try outputPosition(
          of: expression, among: parts.items, for: "DISTINCT ON")
        {
          index = found
        } else {
          let value = try settled(try bind(expression, in: scope), at: expression.range)
          index = position(of: value, at: expression.range, in: &parts)
        }
        try checkEquality(parts.output(index).expression, at: expression.range)
        if !positions.contains(index) { positions.append(index) }
      }
      var missing = Set(positions)
      for (index, _) in parts.sort {
        if missing.isEmpty { break }
        guard positions.contains(index) else {
          throw SQLError(
            .invalidColumnReference,
            "SELECT DISTINCT ON expressions must match initial ORDER BY expressions",
            at: parts.output(index).range)
        }
        missing.remove(index)
      }
      parts.distinctOn = positions
    }
  }

  /// - Throws: 42883 for a type whose values cannot be told apart, 42P21 for texts of several collations.
  func checkEquality(_ value: BoundExpression, at range: SourceRange) throws(SQLError) {
    try checkEquality(value.type, at: range)
    _ = try keyCollation(of: (value, range))
  }

  /// - Throws: 42883 for a type whose values cannot be told apart.
  func checkEquality(_ type: LogicalType, at range: SourceRange) throws(SQLError) {
    guard isComparable(type) else {
      throw SQLError(
        .undefinedFunction, "could not identify an equality operator for type \(type.name)",
        at: range)
    }
  }

  private func bindLocking(
    _ clauses: [LockingClause], _ core: SelectCore, in scope: Scope
  ) throws(SQLError) {
    for clause in clauses {
      let what: String? =
        if core.distinct != nil { "DISTINCT clause" } else if core.groupBy != nil {
          "GROUP BY clause"
        } else if core.having != nil { "HAVING clause" } else if !scope.aggregates.isEmpty {
          "aggregate functions"
        } else if !scope.windowCalls.isEmpty { "window functions" } else { nil }
      if let what {
        throw SQLError(
          .featureNotSupported, "FOR \(clause.strength.rawValue) is not allowed with \(what)",
          at: clause.range)
      }
      for table in clause.tables
      where !scope.entries.contains(where: { $0.name == table.name }) {
        throw SQLError(
          .undefinedTable,
          "relation \"\(table.name)\" in FOR \(clause.strength.rawValue) clause"
            + " not found in FROM clause", at: table.range)
      }
    }
  }
}
