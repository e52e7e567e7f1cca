/// Queries.
extension SQLPrinter {
  mutating func write(_ query: SelectStatement) {
    if let with = query.with { write(with) }
    write(query.body)
    if !query.orderBy.isEmpty { writeOrderBy(query.orderBy, " ") }
    if let limit = query.limit, !query.isWithTies {
      put(" LIMIT ")
      write(limit)
    }
    if let offset = query.offset {
      put(" OFFSET ")
      write(offset)
    }
    if let limit = query.limit, query.isWithTies {
      put(" FETCH FIRST (")
      write(limit)
      put(") ROWS WITH TIES")
    }
    for lock in query.locking {
      put(" FOR " + lock.strength.rawValue)
      for (index, table) in lock.tables.enumerated() {
        put(index == 0 ? " OF " : ", ")
        write(table)
      }
      if lock.wait != .block { put(lock.wait == .noWait ? " NOWAIT" : " SKIP LOCKED") }
    }
  }

  private mutating func write(_ with: WithClause) {
    put(with.isRecursive ? "WITH RECURSIVE " : "WITH ")
    for (index, expression) in with.expressions.enumerated() {
      if index > 0 { put(", ") }
      write(expression)
    }
    put(" ")
  }

  private mutating func write(_ expression: CommonTableExpression) {
    write(expression.name)
    if !expression.columnNames.isEmpty { writeNames(expression.columnNames) }
    if dialect == .spark, let limit = expression.recursionLimit {
      put(" MAX RECURSION LEVEL \(limit)")
    }
    put(" AS ")
    if let isMaterialized = expression.isMaterialized {
      put(isMaterialized ? "MATERIALIZED " : "NOT MATERIALIZED ")
    }
    put("(")
    if case .select(let query) = expression.statement { write(query) }
    put(")")
    if let search = expression.search {
      put(" SEARCH \(search.isBreadthFirst ? "BREADTH" : "DEPTH") FIRST BY ")
      writeBareNames(search.columns)
      put(" SET ")
      write(search.sequenceColumn)
    }
    if let cycle = expression.cycle {
      put(" CYCLE ")
      writeBareNames(cycle.columns)
      put(" SET ")
      write(cycle.markColumn)
      if let value = cycle.markValue, let otherwise = cycle.markDefault {
        put(" TO ")
        write(value)
        put(" DEFAULT ")
        write(otherwise)
      }
      put(" USING ")
      write(cycle.pathColumn)
    }
  }

  private mutating func writeBareNames(_ names: [Identifier]) {
    for (index, name) in names.enumerated() {
      if index > 0 { put(", ") }
      write(name)
    }
  }

  private mutating func write(_ body: QueryBody) {
    switch body {
    case .select(let core): write(core)
    case .values(let list):
      for (index, row) in list.rows.enumerated() {
        put(index == 0 ? "VALUES (" : ", (")
        writeList(row)
        put(")")
      }
    case .table(let table):
      put("TABLE ")
      write(table)
    case .parenthesised(let query): writeInParens(query)
    case .setOperation(let operation):
      writeArm(operation.left, of: operation.kind, isRight: false)
      put(" \(operation.kind.rawValue) " + (operation.isAll ? "ALL " : ""))
      writeArm(operation.right, of: operation.kind, isRight: true)
    }
  }

  /// One input of a set operation, in parentheses if it would otherwise be read differently.
  private mutating func writeArm(
    _ body: QueryBody, of kind: SetOperation.Kind, isRight: Bool
  ) {
    guard case .setOperation(let inner) = body else { return write(body) }
    let isTighter = inner.kind == .intersect && kind != .intersect
    let isEqual = (inner.kind == .intersect) == (kind == .intersect)
    if isTighter || (isEqual && !isRight) { return write(body) }
    put("(")
    write(body)
    put(")")
  }

  private mutating func write(_ core: SelectCore) {
    put("SELECT")
    if dialect == .spark, !core.hints.isEmpty {
      put(" /*+ \(core.hints.joined(separator: ", ")) */")
    }
    switch core.distinct {
    case nil: break
    case .rows: put(" DISTINCT")
    case .on(let keys):
      put(" DISTINCT ON (")
      writeList(keys)
      put(")")
    }
    writeItems(core.items)
    if let into = core.into {
      put(" INTO \(into.persistence.rawValue)\(into.persistence == .permanent ? "" : " ")TABLE ")
      write(into.name)
    }
    for (index, table) in core.from.enumerated() {
      put(index == 0 ? " FROM " : ", ")
      write(table)
    }
    if let filter = core.filter {
      put(" WHERE ")
      write(filter)
    }
    if let groupBy = core.groupBy {
      put(groupBy.isDistinct ? " GROUP BY DISTINCT " : " GROUP BY ")
      write(groupBy.elements)
    }
    if let having = core.having {
      put(" HAVING ")
      write(having)
    }
    for (index, window) in core.windows.enumerated() {
      put(index == 0 ? " WINDOW " : ", ")
      write(window.name)
      put(" AS ")
      write(window.specification)
    }
  }

  mutating func writeItems(_ items: [SelectItem], isSpaced: Bool = true) {
    for (index, item) in items.enumerated() {
      put(index > 0 ? ", " : isSpaced ? " " : "")
      switch item.kind {
      case .all: put("*")
      case .allColumns(let name):
        write(name)
        put(".*")
      case .allFields(let row):
        put("(")
        write(row)
        put(").*")
      case .expression(let value): write(value)
      }
      if let alias = item.alias {
        put(" AS ")
        write(alias)
      }
    }
  }

  private mutating func write(_ elements: [GroupingElement]) {
    for (index, element) in elements.enumerated() {
      if index > 0 { put(", ") }
      switch element {
      case .expression(let key): write(key)
      case .empty: put("()")
      case .rollup(let keys, _):
        put("ROLLUP (")
        writeList(keys)
        put(")")
      case .cube(let keys, _):
        put("CUBE (")
        writeList(keys)
        put(")")
      case .sets(let sets, _):
        put("GROUPING SETS (")
        write(sets)
        put(")")
      }
    }
  }

  // MARK: FROM

  private mutating func write(_ table: NamedTable) {
    if table.isOnly { put("ONLY ") }
    if table.isFile { put(Self.quotedString(table.name.name)) } else { write(table.name) }
    write(table.alias)
    if let sample = table.sample {
      put(" TABLESAMPLE ")
      write(sample.method)
      put("(")
      writeList(sample.arguments)
      put(")")
      if let seed = sample.seed {
        put(" REPEATABLE (")
        write(seed)
        put(")")
      }
    }
  }

  private mutating func write(_ alias: TableAlias?) {
    guard let alias else { return }
    put(" AS ")
    write(alias.name)
    if !alias.columns.isEmpty { writeNames(alias.columns) }
  }

  private mutating func write(_ reference: TableReference) {
    switch reference {
    case .table(let table): write(table)
    case .subquery(let table):
      if table.isLateral { put("LATERAL ") }
      writeInParens(table.query)
      write(table.alias)
    case .function(let function): write(function)
    case .join(let join) where join.alias != nil:
      put("(")
      write(join)
      put(")")
      write(join.alias)
    case .join(let join): write(join)
    case .graph(let table):
      write(table)
      write(table.alias)
    }
  }

  private mutating func write(_ join: JoinedTable) {
    write(join.left)
    if case .natural = join.condition { put(" NATURAL") }
    put(join.kind == .inner ? " JOIN " : " \(join.kind.rawValue) JOIN ")
    if case .join(let inner) = join.right, inner.alias == nil {
      put("(")
      write(inner)
      put(")")
    } else {
      write(join.right)
    }
    switch join.condition {
    case .none, .natural: break
    case .on(let condition):
      put(" ON ")
      write(condition)
    case .using(let columns, let alias):
      put(" USING ")
      writeNames(columns)
      if let alias {
        put(" AS ")
        write(alias)
      }
    }
  }

  private mutating func write(_ function: TableFunction) {
    if function.isLateral { put("LATERAL ") }
    if function.isRowsFrom { put("ROWS FROM (") }
    for (index, item) in function.items.enumerated() {
      if index > 0 { put(", ") }
      if case .cast(let value, let type) = item.call.kind {
        put("CAST(")
        write(value)
        put(" AS ")
        write(type)
        put(")")
      } else {
        write(item.call)
      }
      if !item.columns.isEmpty {
        put(" AS ")
        write(item.columns)
      }
    }
    if function.isRowsFrom { put(")") }
    if function.hasOrdinality { put(" WITH ORDINALITY") }
    write(function.alias)
    if !function.columns.isEmpty {
      put(function.alias == nil ? " AS " : " ")
      write(function.columns)
    }
  }

  /// `(name type, …)`.
  private mutating func write(_ columns: [ColumnDefinition]) {
    put("(")
    for (index, column) in columns.enumerated() {
      if index > 0 { put(", ") }
      write(column.name)
      put(" ")
      write(column.type)
      if let collation = column.collation {
        put(" COLLATE ")
        write(collation)
      }
    }
    put(")")
  }
}
