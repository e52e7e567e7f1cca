import Planning
import SQLSyntax

/// A value as it is written, with what decides where it may stand.
struct Piece {
  var expression: SQLSyntax.Expression
  /// The number of nodes, those of columns that were put in included.
  var weight = 1
  var hasSubquery = false
  /// Whether it is a numeric in Junction and a double there, as quotients are.
  var isInexact = false

  init(
    _ expression: SQLSyntax.Expression, weight: Int = 1, hasSubquery: Bool = false,
    isInexact: Bool = false
  ) {
    self.expression = expression
    self.weight = weight
    self.hasSubquery = hasSubquery
    self.isInexact = isInexact
  }

  /// Whether one of these texts is a part of it.
  func contains(_ texts: [String]) -> Bool {
    let own = SQLPrinter.text(of: expression)
    return texts.contains { own.contains($0) }
  }

  /// Whether it is a column of a table in FROM.
  var isColumn: Bool {
    if case .column = expression.kind { return true }
    return false
  }
}

/// One SELECT under construction, to which operators are added as long as it has room for them.
struct SelectBlock {
  /// How far it has come; an operator that belongs to an earlier part needs a block around this one.
  enum Stage: Int, Comparable {
    case joined, grouped, windowed, distinct, limited

    static func < (left: Stage, right: Stage) -> Bool { left.rawValue < right.rawValue }
  }
  var stage = Stage.joined
  /// nil is one row without columns.
  var from: TableReference?
  var filter: [Piece] = []
  var groupBy: GroupByClause?
  var having: [SQLSyntax.Expression] = []
  /// The texts of the aggregates of a group of all rows.
  var aggregates: [String] = []
  /// What the columns of the plan are here.
  var columns: [ColumnID: Piece] = [:]
  var orderBy: [SortItem] = []
  var limit: SQLSyntax.Expression?
  var offset: SQLSyntax.Expression?
  var hints: [String] = []

  /// The statement with these values as its columns, in order.
  func statement(_ values: [(name: String, value: SQLSyntax.Expression)]) -> SelectStatement {
    var items = values.map { value in
      // A column keeps its name by itself.
      if case .column(let column) = value.value.kind, column.name == value.name {
        return SelectItem(.expression(value.value))
      }
      return SelectItem(.expression(value.value), alias: Identifier(value.name))
    }
    if items.isEmpty { items = [SelectItem(.expression(.number(1)))] }
    var core = SelectCore(
      distinct: stage == .distinct || isDistinct ? .rows : nil, items: items,
      from: from.map { [$0] } ?? [], filter: .conjunction(filter.map(\.expression)),
      groupBy: groupBy, having: .conjunction(having))
    core.hints = hints
    return SelectStatement(
      body: .select(core), orderBy: core.distinct == nil ? orderBy : orderByName(values),
      limit: limit, offset: offset)
  }

  /// ORDER BY with the names of columns in the place of what they are: rows that were made distinct have nothing else.
  private func orderByName(_ values: [(name: String, value: SQLSyntax.Expression)]) -> [SortItem] {
    let texts = values.map { SQLPrinter.text(of: $0.value) }
    return orderBy.map { item in
      let text = SQLPrinter.text(of: item.expression)
      guard let place = texts.firstIndex(of: text) else { return item }
      var named = item
      named.expression = Expression(.column(QualifiedName(Identifier(values[place].name))))
      return named
    }
  }

  /// Whether it was made distinct before it was limited.
  var isDistinct = false
}

extension SQLSyntax.Expression {
  static func number(_ value: Int) -> SQLSyntax.Expression {
    Self(.literal(.integer(Int64(value))))
  }

  static func string(_ text: String) -> SQLSyntax.Expression { Self(.literal(.string(text))) }

  static func boolean(_ value: Bool) -> SQLSyntax.Expression { Self(.literal(.boolean(value))) }

  static var null: SQLSyntax.Expression { Self(.literal(.null)) }

  static func column(_ table: String, _ name: String) -> SQLSyntax.Expression {
    Self(.column(QualifiedName([Identifier(table), Identifier(name)])))
  }

  static func call(_ name: String, _ arguments: SQLSyntax.Expression...) -> SQLSyntax.Expression {
    call(name, arguments)
  }

  static func call(_ name: String, _ arguments: [SQLSyntax.Expression]) -> SQLSyntax.Expression {
    Self(
      .function(
        FunctionCall(QualifiedName(Identifier(name)), arguments.map { FunctionCall.Argument($0) })))
  }

  static func infix(
    _ left: SQLSyntax.Expression, _ symbol: String, _ right: SQLSyntax.Expression
  ) -> SQLSyntax.Expression {
    Self(.binary(Operator(symbol), left, right))
  }

  /// `CASE WHEN condition THEN result … ELSE otherwise END`.
  static func cases(
    _ branches: [(SQLSyntax.Expression, SQLSyntax.Expression)],
    otherwise: SQLSyntax.Expression?
  ) -> SQLSyntax.Expression {
    Self(
      .caseWhen(
        CaseExpression(
          operand: nil,
          branches: branches.map { CaseExpression.Branch(condition: $0.0, result: $0.1) },
          otherwise: otherwise)))
  }

  /// All of them; nil for none.
  static func conjunction(_ parts: [SQLSyntax.Expression]) -> SQLSyntax.Expression? {
    parts.count > 1 ? Self(.and(parts)) : parts.first
  }

  var negation: SQLSyntax.Expression { Self(.not(self)) }

  func isNull(negated: Bool = false) -> SQLSyntax.Expression {
    Self(.isTest(self, .null, negated: negated))
  }
}
