import Diagnostics
package import Planning
package import SQLSyntax

/// Writes the plan of a query as SQL again, for a system that lacks some of what queries are written with.
///
/// It starts from the plan that the binder made and unnesting simplified: names are settled, types known, patterns of graphs are joins,
/// and no subquery is correlated but by the condition of a join. Operators are gathered into one SELECT as long as it has room for
/// them, so a plain query comes out much as it was written. What a system has not is refused.
package final class QueryTranslator {
  let dialect: SQLDialect
  let makesRounds: Bool
  let choose: TableChooser
  let factory: ColumnFactory
  private var aliases: Set<String> = []
  /// The common table expressions so far, and what they are called.
  var commons: [CommonTableExpression] = []
  var commonNames: [Int: (name: String, columns: [String])] = [:]
  /// What the rows that a recursion found last are called.
  var working: [Int: (name: String, columns: [String])] = [:]
  /// How often a step reads them.
  var roundReads: [Int: Int] = [:]
  /// Common table expressions within the step of a recursion, which are written wherever they are read.
  var inlined: [Int: LogicalPlan] = [:]
  var rounds: [TranslatedQuery.Rounds] = []
  /// The columns that each column is compared with for being equal.
  private(set) var partners: [ColumnID: Set<ColumnID>] = [:]
  /// The names of the tables that are read.
  private var tableNames: Set<String> = []
  /// The columns that are compared with a constant for being equal.
  private(set) var fixed: Set<ColumnID> = []
  /// The columns of lateral joins' left sides.
  var outer: [ColumnID: Piece] = [:]
  /// Values that are used by place, innermost last.
  var locals: [[SQLSyntax.Expression]] = []
  /// What the value being written amounts to so far.
  var weight = 0
  var hasSubquery = false
  var isInexact = false
  /// Whether values are gathered without an order, so that both systems are free to choose one.
  var gathersInAnyOrder = false

  /// - Parameters:
  ///   - dialect: Whose SQL is written.
  ///   - factory: What made the plan's columns.
  ///   - makesRounds: Whether recursions are taken apart into rounds though the system has them.
  ///   - choose: Which table is read for one of the database.
  package init(
    _ dialect: SQLDialect, _ factory: ColumnFactory, makingRounds makesRounds: Bool = false,
    choosing choose: @escaping TableChooser
  ) {
    self.factory = factory
    self.dialect = dialect
    self.makesRounds = makesRounds
    self.choose = choose
  }

  /// The query that gives what a plan gives, its columns under these names.
  ///
  /// - Throws: the first thing that cannot be said in the dialect.
  package func translate(
    _ plan: LogicalPlan, names: [String]
  ) throws(Refusal) -> TranslatedQuery {
    collectPartners(of: plan)
    let columns = plan.outputs
    for column in columns where dialect == .spark { try requireGivable(column.type, column.name) }
    let block = try block(for: plan)
    var values: [(name: String, value: SQLSyntax.Expression)] = []
    for (place, column) in columns.enumerated() {
      let name = place < names.count ? names[place] : column.name
      values.append((Self.plainName(name), try lookUp(column.id, block.columns).expression))
    }
    var statement = block.statement(values)
    statement.with = withClause()
    return TranslatedQuery(
      rounds: rounds, statement: statement, gathersInAnyOrder: gathersInAnyOrder)
  }

  /// WITH of all common table expressions so far.
  func withClause() -> WithClause? {
    if commons.isEmpty { return nil }
    let isRecursive = commons.contains { $0.recursionLimit != nil }
    return WithClause(isRecursive: isRecursive, expressions: commons)
  }

  // MARK: Names

  /// A name for a table in FROM that no other has.
  func alias(_ wanted: String) -> String {
    var name = wanted
    var number = 1
    while !aliases.insert(name).inserted {
      number += 1
      name = "\(wanted)_\(number)"
    }
    return name
  }

  /// A name for a common table expression, which would hide a table of the same name.
  func commonAlias(_ wanted: String) -> String {
    var name = alias(wanted)
    while tableNames.contains(name) || tableNames.contains(name + "_new") { name = alias(wanted) }
    return name
  }

  static func plainName(_ name: String) -> String {
    name.isEmpty || name == "?column?" ? "column" : name
  }

  /// Names for columns, no two alike.
  func names(of columns: [PlanColumn]) -> [String] {
    var taken: Set<String> = []
    return columns.map { column in
      let wanted = Self.plainName(column.name)
      var name = wanted
      var number = 1
      while !taken.insert(name).inserted {
        number += 1
        name = "\(wanted)_\(number)"
      }
      return name
    }
  }

  // MARK: Blocks

  /// What a column of the plan is in a block.
  func lookUp(_ id: ColumnID, _ columns: [ColumnID: Piece]) throws(Refusal) -> Piece {
    if let piece = columns[id] ?? outer[id] { return piece }
    throw Refusal(
      "it asks for something that only Junction keeps, such as the position of a row, or for a column that is a row"
    )
  }

  /// A block whose FROM is the given one.
  func wrapped(_ block: SelectBlock, _ columns: [PlanColumn]) throws(Refusal) -> SelectBlock {
    let name = alias("q")
    let names = names(of: columns)
    var inner = block
    if inner.limit == nil && inner.offset == nil { inner.orderBy = [] }
    var values: [(name: String, value: SQLSyntax.Expression)] = []
    var outside = SelectBlock()
    for (column, columnName) in zip(columns, names) {
      let piece = try lookUp(column.id, block.columns)
      values.append((columnName, piece.expression))
      outside.columns[column.id] = Piece(
        .column(name, columnName), isInexact: piece.isInexact)
    }
    outside.from = .subquery(
      DerivedTable(
        query: inner.statement(values), alias: TableAlias(Identifier(name)), isLateral: false,
        range: .none))
    return outside
  }

  /// The block of a plan, with room for what belongs to `stage`.
  func block(for plan: LogicalPlan, upTo stage: SelectBlock.Stage) throws(Refusal) -> SelectBlock {
    let block = try block(for: plan)
    return block.stage <= stage ? block : try wrapped(block, plan.outputs)
  }

  /// The block, wrapped if some value in it is too heavy to be written as often as `expressions` use it.
  func lightened(
    _ block: SelectBlock, _ plan: LogicalPlan, for expressions: [BoundExpression],
    allowingSubqueries: Bool = true
  ) throws(Refusal) -> SelectBlock {
    var uses: [ColumnID: Int] = [:]
    for expression in expressions {
      _ = expression.contains { part in
        if case .column(let id, _) = part { uses[id, default: 0] += 1 }
        return false
      }
    }
    let isHeavy = uses.contains { id, count in
      guard let piece = block.columns[id] else { return false }
      return piece.weight > 6 && count > 1
        || piece.hasSubquery && (!allowingSubqueries || count > 1)
    }
    return isHeavy ? try wrapped(block, plan.outputs) : block
  }

  private func collectPartners(of plan: LogicalPlan) {
    if case .scan(let scan) = plan { tableNames.insert(choose(scan.table, []).name.name) }
    _ = plan.containsExpression { expression in
      _ = expression.contains { part in
        if case .comparison(.equal, .column(let one, _), .column(let other, _)) = part {
          partners[one, default: []].insert(other)
          partners[other, default: []].insert(one)
        }
        if case .comparison(.equal, .column(let id, _), .constant) = part { fixed.insert(id) }
        return false
      }
      return false
    }
    plan.forEachInput { collectPartners(of: $0) }
  }
}
