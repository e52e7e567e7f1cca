import Columnar
import Diagnostics
import SQLSyntax

/// A recursive definition after SEARCH and CYCLE have become ordinary columns.
struct RewrittenRecursion {
  var operation: SetOperation
  var columnNames: [Identifier]
}

extension BindingSession {
  /// Rewrites SEARCH and CYCLE into columns of both terms, as PostgreSQL does; without them the definition
  /// stays as it is.
  ///
  /// Each term becomes a subquery, around which the added columns are computed: DEPTH FIRST collects the
  /// rows on the way in an array, BREADTH FIRST counts the steps, CYCLE collects the rows and looks
  /// for the new one among them. Rows that close a cycle are not followed.
  func rewriteTraversal(
    _ item: CommonTableExpression, _ operation: SetOperation, in scope: Scope
  ) throws(SQLError) -> RewrittenRecursion {
    guard let place = item.search?.range ?? item.cycle?.range else {
      return RewrittenRecursion(operation: operation, columnNames: item.columnNames)
    }
    let columns = try outputColumns(of: item, operation.left, in: scope)
    try checkTraversal(item, columns)
    guard let core = selectCore(of: operation.right),
      let reference = recursiveReference(to: item.name.name, in: core.from)
    else {
      throw SQLError(
        .featureNotSupported,
        "with a SEARCH or CYCLE clause, the recursive reference to WITH query"
          + " \"\(item.name.name)\" must be at the top level of its right-hand SELECT",
        at: place)
    }
    let rewriter = TraversalRewriter(item: item, columns: columns, reference: reference)
    var result = operation
    result.left = rewriter.anchor(operation.left)
    result.right = rewriter.step(core)
    return RewrittenRecursion(
      operation: result, columnNames: columns + rewriter.addedColumns)
  }

  /// The names of the columns; those not given come from the non-recursive term.
  private func outputColumns(
    of item: CommonTableExpression, _ anchor: QueryBody, in scope: Scope
  ) throws(SQLError) -> [Identifier] {
    let bound = try bindOperand(anchor, outer: scope)
    return bound.columns.enumerated().map { index, column in
      index < item.columnNames.count ? item.columnNames[index] : Identifier(column.name)
    }
  }

  private func checkTraversal(
    _ item: CommonTableExpression, _ columns: [Identifier]
  ) throws(SQLError) {
    let names = Set(columns.map(\.name))
    func check(_ list: [Identifier], _ word: String, at range: SourceRange) throws(SQLError) {
      var seen: Set<String> = []
      for column in list {
        guard names.contains(column.name) else {
          throw SQLError(
            .undefinedColumn, "\(word) column \"\(column.name)\" not in WITH query column list",
            at: range)
        }
        guard seen.insert(column.name).inserted else {
          throw SQLError(
            .duplicateColumn, "\(word) column \"\(column.name)\" specified more than once",
            at: range)
        }
      }
    }
    func checkNew(_ column: Identifier, _ what: String, at range: SourceRange) throws(SQLError) {
      if names.contains(column.name) {
        throw SQLError(
          .syntaxError,
          "\(what) column name \"\(column.name)\" already used in WITH query column list",
          at: range)
      }
    }
    if let search = item.search {
      try check(search.columns, "search", at: search.range)
      try checkNew(search.sequenceColumn, "search sequence", at: search.range)
    }
    if let cycle = item.cycle {
      try check(cycle.columns, "cycle", at: cycle.range)
      try checkNew(cycle.markColumn, "cycle mark", at: cycle.range)
      try checkNew(cycle.pathColumn, "cycle path", at: cycle.range)
      if cycle.markColumn.name == cycle.pathColumn.name {
        throw SQLError(
          .syntaxError, "cycle mark column name and cycle path column name are the same",
          at: cycle.range)
      }
    }
  }

  private func selectCore(of body: QueryBody) -> SelectCore? {
    switch body {
    case .select(let core): core
    case .parenthesised(let query) where query.with == nil: selectCore(of: query.body)
    case .values, .setOperation, .table, .parenthesised: nil
    }
  }

  /// The name by which the recursive term refers to the rows of the last round.
  private func recursiveReference(to name: String, in from: [TableReference]) -> Identifier? {
    for reference in from {
      switch reference {
      case .table(let table)
      where table.name.parts.count == 1 && table.name.name == name && !table.isFile:
        return table.alias?.name ?? Identifier(name)
      case .join(let join):
        if let found = recursiveReference(to: name, in: [join.left, join.right]) { return found }
      case .table, .subquery, .function, .graph: break
      }
    }
    return nil
  }
}

/// Builds the trees that SEARCH and CYCLE stand for.
private struct TraversalRewriter {
  let item: CommonTableExpression
  let columns: [Identifier]
  /// The alias of the recursive reference.
  let reference: Identifier

  var addedColumns: [Identifier] {
    var added: [Identifier] = []
    if let search = item.search { added.append(search.sequenceColumn) }
    if let cycle = item.cycle { added += [cycle.markColumn, cycle.pathColumn] }
    return added
  }

  private var marked: Expression {
    item.cycle?.markValue ?? Expression(.literal(.boolean(true)))
  }
  private var unmarked: Expression {
    item.cycle?.markDefault ?? Expression(.literal(.boolean(false)))
  }

  private func column(_ name: Identifier) -> Expression {
    Expression(.column(QualifiedName(Identifier(name.name))))
  }

  private func row(_ names: [Identifier]) -> Expression {
    Expression(.row(names.map(column), isExplicit: true))
  }

  private func binary(_ name: String, _ left: Expression, _ right: Expression) -> Expression {
    Expression(.binary(Operator(name), left, right))
  }

  private func select(
    _ items: [(Expression, Identifier)], from body: QueryBody, alias: String, names: [Identifier]
  ) -> QueryBody {
    let table = TableReference.subquery(
      DerivedTable(
        query: SelectStatement(body: body),
        alias: TableAlias(Identifier(alias), columns: names), isLateral: false, range: .none))
    let list = items.map { SelectItem(.expression($0), alias: $1) }
    return .select(SelectCore(items: list, from: [table]))
  }

  /// The non-recursive term: where each way begins.
  func anchor(_ body: QueryBody) -> QueryBody {
    var items = columns.map { (column($0), $0) }
    if let search = item.search {
      let start =
        search.isBreadthFirst
        ? Expression(
          .row(
            [Expression(.literal(.integer(0)))] + search.columns.map(column), isExplicit: true))
        : Expression(.array([row(search.columns)]))
      items.append((start, search.sequenceColumn))
    }
    if let cycle = item.cycle {
      items.append((unmarked, cycle.markColumn))
      items.append((Expression(.array([row(cycle.columns)])), cycle.pathColumn))
    }
    return select(items, from: body, alias: "*TLOCRN*", names: columns)
  }

  /// The recursive term: each way one row longer.
  func step(_ core: SelectCore) -> QueryBody {
    var inner = core
    for added in addedColumns {
      let name = QualifiedName([Identifier(reference.name), Identifier(added.name)])
      inner.items.append(SelectItem(.expression(Expression(.column(name)))))
    }
    if let cycle = item.cycle {
      let mark = Expression(
        .column(QualifiedName([Identifier(reference.name), Identifier(cycle.markColumn.name)])))
      let open = binary("<>", mark, marked)
      inner.filter = inner.filter.map { Expression(.and([$0, open])) } ?? open
    }
    var items = columns.map { (column($0), $0) }
    if let search = item.search {
      let sequence = column(search.sequenceColumn)
      if search.isBreadthFirst {
        let depth = binary(
          "+", Expression(.field(sequence, Identifier("f1"))),
          Expression(.literal(.integer(1))))
        items.append(
          (
            Expression(.row([depth] + search.columns.map(column), isExplicit: true)),
            search.sequenceColumn
          ))
      } else {
        items.append((binary("||", sequence, row(search.columns)), search.sequenceColumn))
      }
    }
    if let cycle = item.cycle {
      let path = column(cycle.pathColumn)
      let isKnown = Expression(
        .quantified(
          QuantifiedComparison(
            operand: row(cycle.columns), comparison: Operator("="), isAll: false,
            source: .array(path))))
      let mark = Expression(
        .caseWhen(
          CaseExpression(
            operand: nil,
            branches: [CaseExpression.Branch(condition: isKnown, result: marked)],
            otherwise: unmarked)))
      items.append((mark, cycle.markColumn))
      items.append((binary("||", path, row(cycle.columns)), cycle.pathColumn))
    }
    return select(
      items, from: .select(inner), alias: "*TROCRN*", names: columns + addedColumns)
  }
}
