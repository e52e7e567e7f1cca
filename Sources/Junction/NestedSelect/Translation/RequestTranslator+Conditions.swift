import Catalog
import Columnar
import SQLSyntax

extension RequestTranslator {
  /// The filters of a level, and that its inner embeds have rows.
  func conditions(of level: ReadLevel) -> [Expression] {
    level.filters.map { condition($0, in: level) }
      + level.children.filter { $0.embedding?.isInner == true }.map(existence)
  }

  /// Whether an embed has a row for the row of the level above.
  private func existence(of child: ReadLevel) -> Expression {
    let parts = Parts(
      source: linkedTable(of: child), outputs: [],
      conditions: linkConditions(of: child) + conditions(of: child))
    return Expression(
      .exists(
        parts.statement(
          items: [SelectItem(.expression(.number(1)))], limit: child.limit, offset: child.offset)))
  }

  func condition(
    _ condition: ReadLevel.Condition, in level: ReadLevel
  ) -> Expression {
    func negated(_ expression: Expression, if isNegated: Bool) -> Expression {
      isNegated ? Expression(.not(expression)) : expression
    }
    switch condition {
    case .all(let list, let isNegated):
      let parts = list.map { self.condition($0, in: level) }
      return negated(.all(parts) ?? .yes, if: isNegated)
    case .any(let list, let isNegated):
      let parts = list.map { self.condition($0, in: level) }
      return negated(parts.count == 1 ? parts[0] : Expression(.or(parts)), if: isNegated)
    case .test(let test):
      let field = value(of: test.field, in: level)
      return negated(self.test(field, test.operation), if: test.isNegated)
    case .presence(let child, let isPresent):
      return negated(existence(of: level.children[child]), if: !isPresent)
    }
  }

  private func test(_ field: Expression, _ operation: RequestOperation) -> Expression {
    switch operation {
    case .compare(let comparison, let value):
      return .infix(field, comparison.symbol, .text(pattern(value, comparison)))
    case .compareEach(let comparison, let quantifier, let values):
      return Expression(
        .quantified(
          QuantifiedComparison(
            operand: field, comparison: Operator(comparison.symbol), isAll: quantifier == .all,
            source: .array(.text(pattern(values, comparison))))))
    case .symbol(let symbol, let value): return .infix(field, symbol, .text(value))
    case .isIn(let values):
      if values.isEmpty { return Expression(.literal(.boolean(false))) }
      return Expression(.inList(field, values.map { .text($0) }, negated: false))
    case .isTruth(let truth):
      switch truth {
      case .null: return Expression(.isTest(field, .null, negated: false))
      case .notNull: return Expression(.isTest(field, .null, negated: true))
      case .yes: return Expression(.isTest(field, .isTrue, negated: false))
      case .no: return Expression(.isTest(field, .isFalse, negated: false))
      case .unknown: return Expression(.isTest(field, .unknown, negated: false))
      }
    case .isDistinct(let value):
      return Expression(.isDistinct(field, .text(value), negated: false))
    case .textSearch: return Expression(.literal(.boolean(false)))
    }
  }

  /// A value in which `*` is the wildcard of LIKE.
  private func pattern(_ value: String, _ comparison: RequestOperation.Comparison) -> String {
    comparison.hasWildcards ? value.replacing("*", with: "%") : value
  }

  // MARK: Fields

  /// The value of a column, or of what a function computes from the row, and of the steps into it.
  func value(of field: RequestField, in level: ReadLevel) -> Expression {
    let alias = alias(ofTable: level)
    guard let column = level.table.column(named: field.name) else {
      let row = Expression(.column(QualifiedName(Identifier(alias))))
      return stepping(field.path, from: .call(field.name, [row]), type: nil)
    }
    return stepping(field.path, from: .column(alias, field.name), type: column.type)
  }

  /// Follows the steps of a path into a value, which is made JSON unless it is known to be so.
  func stepping(
    _ path: [RequestJSONStep], from value: Expression, type: LogicalType?
  ) -> Expression {
    guard !path.isEmpty else { return value }
    var current = type == .json || type == .jsonb ? value : .call("to_jsonb", [value])
    for step in path {
      let key: Expression =
        switch step.key {
        case .name(let name): .text(name)
        case .index(let index): .number(index)
        }
      current = .infix(current, step.isText ? "->>" : "->", key)
    }
    return current
  }
}
