import Diagnostics
import SQLSyntax

/// Short spellings of the syntax that a nested select becomes.
extension Expression {
  /// A column of a table under its alias.
  static func column(_ alias: String, _ name: String) -> Expression {
    Expression(.column(QualifiedName([Identifier(alias), Identifier(name)])))
  }

  /// A constant whose type is left to its surroundings.
  static func text(_ text: String) -> Expression { Expression(.literal(.string(text))) }

  static func number(_ number: Int64) -> Expression { Expression(.literal(.integer(number))) }

  static var yes: Expression { Expression(.literal(.boolean(true))) }

  static func call(
    _ name: String, _ arguments: [Expression], orderBy: [SortItem] = []
  ) -> Expression {
    Expression(
      .function(
        FunctionCall(
          QualifiedName(Identifier(name)), arguments.map { FunctionCall.Argument($0) },
          orderBy: orderBy)))
  }

  /// `count(*)`.
  static var rowCount: Expression {
    Expression(.function(FunctionCall(QualifiedName(Identifier("count")), isStar: true)))
  }

  static func cast(_ value: Expression, to type: String) -> Expression {
    Expression(.cast(value, TypeName(QualifiedName(Identifier(type)), isStandard: true)))
  }

  static func infix(_ left: Expression, _ symbol: String, _ right: Expression) -> Expression {
    Expression(.binary(Operator(symbol), left, right))
  }

  /// All of the conditions at once; nil for none.
  static func all(_ conditions: [Expression]) -> Expression? {
    conditions.count > 1 ? Expression(.and(conditions)) : conditions.first
  }

  /// `json_build_object('a', …, 'b', …)`.
  static func object(_ members: [(name: String, value: Expression)]) -> Expression {
    .call("json_build_object", members.flatMap { [.text($0.name), $0.value] })
  }

  /// The values of all rows as an array of JSON, `[]` without any.
  static func array(_ value: Expression, orderBy: [SortItem]) -> Expression {
    let empty = Expression(.typedLiteral(TypeName(QualifiedName(Identifier("json"))), "[]"))
    return Expression(
      .conditional(.coalesce, [.call("json_agg", [value], orderBy: orderBy), empty]))
  }
}

extension SelectItem {
  /// A value under a name.
  init(_ value: Expression, as name: String) {
    self.init(.expression(value), alias: Identifier(name))
  }
}

extension TableReference {
  /// The rows that a function gives.
  static func call(
    _ call: Expression, as alias: String, columns: [String]
  ) -> TableReference {
    .function(
      TableFunction(
        items: [TableFunction.Item(call: call, columns: [])], isRowsFrom: false,
        hasOrdinality: false, isLateral: false,
        alias: TableAlias(Identifier(alias), columns: columns.map { Identifier($0) }), columns: [],
        range: .none))
  }

  /// Joins a query that may use the columns of all that stands before it, once for each row.
  func leftJoin(lateral query: SelectStatement, as alias: String) -> TableReference {
    joined(
      .left,
      .subquery(
        DerivedTable(
          query: query, alias: TableAlias(Identifier(alias)), isLateral: true, range: .none)),
      on: .yes)
  }

  func joined(
    _ kind: JoinedTable.Kind, _ right: TableReference, on condition: Expression
  ) -> TableReference {
    .join(JoinedTable(kind: kind, condition: .on(condition), left: self, right: right))
  }
}
