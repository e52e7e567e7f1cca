package import SQLSyntax

/// Rewrites the names in a syntax tree, so that stored expressions and queries follow renames.
///
/// The height of a tree is bounded by the parser, which bounds the recursion here.
struct TreeMapper {
  var column: (QualifiedName) -> QualifiedName = { $0 }
  /// A table in FROM; the alias may be set to keep a name by which columns are qualified.
  var table: (NamedTable) -> NamedTable = { $0 }
  var type: (TypeName) -> TypeName = { $0 }
  /// Called for each name of a function.
  var function: (QualifiedName) -> QualifiedName = { $0 }
  /// What stands in the place of an item of a select list.
  var item: (SelectItem) -> [SelectItem] = { [$0] }
  /// Called for each SELECT, VALUES, TABLE or set operation, before what is in it.
  var body: (QueryBody) -> QueryBody = { $0 }
  /// Called for each join, before its sides.
  var join: (JoinedTable) -> JoinedTable = { $0 }
  /// Called for each GRAPH_TABLE, before what is in it.
  var graph: (GraphTable) -> GraphTable = { $0 }

  func map(_ expression: Expression) -> Expression {
    Expression(map(expression.kind), at: expression.range)
  }

  private func map(_ list: [Expression]) -> [Expression] { list.map { map($0) } }

  private func map(_ kind: Expression.Kind) -> Expression.Kind {
    switch kind {
    case .literal, .parameter, .sessionValue, .defaultValue, .currentOf: return kind
    case .column(let name): return .column(column(name))
    case .allColumns(let name): return .allColumns(name)
    case .unary(let operation, let operand): return .unary(operation, map(operand))
    case .binary(let operation, let left, let right):
      return .binary(operation, map(left), map(right))
    case .and(let list): return .and(map(list))
    case .or(let list): return .or(map(list))
    case .not(let operand): return .not(map(operand))
    case .isTest(let operand, let test, let negated):
      return .isTest(map(operand), test, negated: negated)
    case .isDistinct(let left, let right, let negated):
      return .isDistinct(map(left), map(right), negated: negated)
    case .between(var between):
      between.operand = map(between.operand)
      between.lower = map(between.lower)
      between.upper = map(between.upper)
      return .between(between)
    case .inList(let operand, let list, let negated):
      return .inList(map(operand), map(list), negated: negated)
    case .pattern(var match):
      match.operand = map(match.operand)
      match.pattern = map(match.pattern)
      match.escape = match.escape.map { map($0) }
      return .pattern(match)
    case .row(let list, let isExplicit): return .row(map(list), isExplicit: isExplicit)
    case .array(let list): return .array(map(list))
    case .conditional(let function, let list): return .conditional(function, map(list))
    case .grouping(let list): return .grouping(map(list))
    case .cast(let operand, let name): return .cast(map(operand), type(name))
    case .typedLiteral(let name, let text): return .typedLiteral(type(name), text)
    case .collate(let operand, let name): return .collate(map(operand), name)
    case .field(let operand, let name): return .field(map(operand), name)
    case .allFields(let operand): return .allFields(map(operand))
    case .subscripted(let operand, let subscripts):
      return .subscripted(map(operand), subscripts.map { map($0) })
    case .function(let call): return .function(map(call))
    case .caseWhen(let expression): return .caseWhen(map(expression))
    case .inSubquery, .quantified, .exists, .subquery, .arraySubquery: return mapQueries(kind)
    }
  }

  private func mapQueries(_ kind: Expression.Kind) -> Expression.Kind {
    if case .inSubquery(let operand, let query, let negated) = kind {
      return .inSubquery(map(operand), map(query), negated: negated)
    }
    if case .quantified(var comparison) = kind {
      comparison.operand = map(comparison.operand)
      switch comparison.source {
      case .subquery(let query): comparison.source = .subquery(map(query))
      case .array(let array): comparison.source = .array(map(array))
      }
      return .quantified(comparison)
    }
    if case .exists(let query) = kind { return .exists(map(query)) }
    if case .subquery(let query) = kind { return .subquery(map(query)) }
    if case .arraySubquery(let query) = kind { return .arraySubquery(map(query)) }
    return kind
  }

  private func map(_ part: Subscript) -> Subscript {
    switch part {
    case .index(let index): .index(map(index))
    case .slice(let lower, let upper):
      .slice(lower: lower.map { map($0) }, upper: upper.map { map($0) })
    }
  }

  private func map(_ expression: CaseExpression) -> CaseExpression {
    var copy = expression
    copy.operand = copy.operand.map { map($0) }
    copy.otherwise = copy.otherwise.map { map($0) }
    for index in copy.branches.indices {
      copy.branches[index].condition = map(copy.branches[index].condition)
      copy.branches[index].result = map(copy.branches[index].result)
    }
    return copy
  }

  func map(_ call: FunctionCall) -> FunctionCall {
    var copy = call
    copy.name = function(call.name)
    for index in copy.arguments.indices {
      copy.arguments[index].value = map(copy.arguments[index].value)
    }
    copy.orderBy = copy.orderBy.map { map($0) }
    copy.filter = copy.filter.map { map($0) }
    if case .inline(let window) = copy.over { copy.over = .inline(map(window)) }
    return copy
  }

  private func map(_ item: SortItem) -> SortItem {
    var copy = item
    copy.expression = map(copy.expression)
    return copy
  }

  private func map(_ window: WindowSpecification) -> WindowSpecification {
    var copy = window
    copy.partitionBy = map(copy.partitionBy)
    copy.orderBy = copy.orderBy.map { map($0) }
    return copy
  }

  func map(_ query: SelectStatement) -> SelectStatement {
    var copy = query
    copy.with = copy.with.map { map($0) }
    copy.body = map(copy.body)
    copy.orderBy = copy.orderBy.map { map($0) }
    copy.limit = copy.limit.map { map($0) }
    copy.offset = copy.offset.map { map($0) }
    return copy
  }

  private func map(_ with: WithClause) -> WithClause {
    var copy = with
    for index in copy.expressions.indices {
      if case .select(let query) = copy.expressions[index].statement {
        copy.expressions[index].statement = .select(map(query))
      }
    }
    return copy
  }

  func map(_ written: QueryBody) -> QueryBody {
    switch body(written) {
    case .select(let core): return .select(map(core))
    case .values(var values):
      values.rows = values.rows.map { map($0) }
      return .values(values)
    case .setOperation(var operation):
      operation.left = map(operation.left)
      operation.right = map(operation.right)
      return .setOperation(operation)
    case .table(let named): return .table(table(named))
    case .parenthesised(let query): return .parenthesised(map(query))
    }
  }

  private func map(_ item: SelectItem) -> SelectItem {
    var copy = item
    switch copy.kind {
    case .expression(let expression): copy.kind = .expression(map(expression))
    case .allFields(let expression): copy.kind = .allFields(map(expression))
    case .all, .allColumns: break
    }
    return copy
  }

  private func map(_ core: SelectCore) -> SelectCore {
    var copy = core
    if case .on(let list) = copy.distinct { copy.distinct = .on(map(list)) }
    copy.items = copy.items.flatMap(item).map { map($0) }
    copy.from = copy.from.map { map($0) }
    copy.filter = copy.filter.map { map($0) }
    copy.having = copy.having.map { map($0) }
    if var groupBy = copy.groupBy {
      groupBy.elements = groupBy.elements.map { map($0) }
      copy.groupBy = groupBy
    }
    for index in copy.windows.indices {
      copy.windows[index].specification = map(copy.windows[index].specification)
    }
    return copy
  }

  /// Names of elements hide names of tables: what they qualify is no column of a table, except for the graph of all
  /// relationships.
  private func map(_ written: GraphTable) -> GraphTable {
    let table = graph(written)
    if table.graph == nil { return mapParts(of: table) }
    var inner = self
    let variables = table.variables
    inner.column = { name in
      if let qualifier = name.qualifier, variables.contains(qualifier) { return name }
      return column(name)
    }
    return inner.mapParts(of: table)
  }

  /// The conditions and columns of a GRAPH_TABLE.
  func mapParts(of written: GraphTable) -> GraphTable {
    var table = written
    for index in table.paths.indices {
      table.paths[index].terms = table.paths[index].terms.map { map($0) }
    }
    table.filter = table.filter.map { map($0) }
    table.columns = table.columns.flatMap(item).map { map($0) }
    return table
  }

  private func map(_ term: PathTerm) -> PathTerm {
    var copy = term
    switch copy.kind {
    case .vertex(let element): copy.kind = .vertex(map(element))
    case .edge(let element, let direction): copy.kind = .edge(map(element), direction)
    case .group(var group):
      group.terms = group.terms.map { map($0) }
      group.filter = group.filter.map { map($0) }
      group.cost = group.cost.map { map($0) }
      copy.kind = .group(group)
    }
    return copy
  }

  private func map(_ element: ElementPattern) -> ElementPattern {
    var copy = element
    copy.filter = copy.filter.map { map($0) }
    copy.cost = copy.cost.map { map($0) }
    return copy
  }

  private func map(_ element: GroupingElement) -> GroupingElement {
    switch element {
    case .expression(let expression): .expression(map(expression))
    case .empty: element
    case .rollup(let list, let range): .rollup(map(list), range)
    case .cube(let list, let range): .cube(map(list), range)
    case .sets(let list, let range): .sets(list.map { map($0) }, range)
    }
  }

  private func map(_ reference: TableReference) -> TableReference {
    switch reference {
    case .graph(let table): return .graph(map(table))
    case .table(let named): return .table(table(named))
    case .subquery(var derived):
      derived.query = map(derived.query)
      return .subquery(derived)
    case .function(var call):
      for index in call.items.indices { call.items[index].call = map(call.items[index].call) }
      return .function(call)
    case .join(let written):
      var join = join(written)
      join.left = map(join.left)
      join.right = map(join.right)
      if case .on(let condition) = join.condition { join.condition = .on(map(condition)) }
      return .join(join)
    }
  }
}

extension Expression {
  /// Every name of a column in the expression.
  package var columnNames: [QualifiedName] {
    let collector = NameCollector()
    _ = TreeMapper(column: { name in
      collector.columns.append(name)
      return name
    }).map(self)
    return collector.columns
  }

  /// The names of the types that the expression names.
  var typeNames: [QualifiedName] {
    let collector = NameCollector()
    _ = collector.typeMapper.map(self)
    return collector.types
  }

  /// The names of the functions that the expression calls.
  var functionNames: [QualifiedName] {
    let collector = NameCollector()
    _ = TreeMapper(function: { name in
      collector.functions.append(name)
      return name
    }).map(self)
    return collector.functions
  }
}

extension SelectStatement {
  /// Every name of a column anywhere in the query, those of USING included.
  var columnNames: [QualifiedName] {
    let collector = NameCollector()
    _ = TreeMapper(
      column: { name in
        collector.columns.append(name)
        return name
      },
      join: { join in
        if case .using(let names, _) = join.condition {
          collector.columns += names.map { QualifiedName([$0]) }
        }
        return join
      }
    ).map(self)
    return collector.columns
  }

  /// Every name of a table or graph in FROM, those of common table expressions included.
  var tableNames: [QualifiedName] {
    let collector = NameCollector()
    _ = TreeMapper(
      table: { named in
        collector.tables.append(named.name)
        return named
      },
      graph: { table in
        if let name = table.graph { collector.tables.append(name) }
        return table
      }
    ).map(self)
    return collector.tables
  }

  /// Whether the query matches patterns over every relationship: `GRAPH_TABLE (* …)`.
  var readsAllRelationships: Bool {
    let collector = NameCollector()
    _ = TreeMapper(graph: { table in
      if table.graph == nil { collector.readsAllRelationships = true }
      return table
    }).map(self)
    return collector.readsAllRelationships
  }

  /// The names of the types that the query names.
  var typeNames: [QualifiedName] {
    let collector = NameCollector()
    _ = collector.typeMapper.map(self)
    return collector.types
  }

  /// The names of the functions that the query calls.
  var functionNames: [QualifiedName] {
    let collector = NameCollector()
    _ = TreeMapper(function: { name in
      collector.functions.append(name)
      return name
    }).map(self)
    return collector.functions
  }
}

/// What a walk over a tree has found.
private final class NameCollector {
  var columns: [QualifiedName] = []
  var tables: [QualifiedName] = []
  var functions: [QualifiedName] = []
  var types: [QualifiedName] = []
  var readsAllRelationships = false

  /// A walk that changes nothing and finds the names of types.
  var typeMapper: TreeMapper {
    TreeMapper(type: { name in
      self.types.append(name.name)
      return name
    })
  }
}
