/// Expressions.
extension SQLPrinter {
  /// How tightly an expression's outermost operator binds; operands of nothing are the tightest.
  private static let tightest = 100

  private static func level(_ expression: Expression) -> Int {
    switch expression.kind {
    case .or: Precedence.or
    case .and: Precedence.and
    case .not: Precedence.not
    case .isTest, .isDistinct: Precedence.isTest
    case .between, .inList, .inSubquery, .pattern: Precedence.membership
    case .binary(let symbol, _, _): level(symbol)
    case .quantified(let node): level(node.comparison)
    case .unary(let symbol, _):
      symbol.schema == nil && (symbol.name == "-" || symbol.name == "+")
        ? Precedence.sign : Precedence.otherOperator
    case .collate: Precedence.collate
    case .cast: Precedence.cast
    case .literal(.integer(let value)): value < 0 ? Precedence.sign : tightest
    case .literal(.decimal(let digits)): digits.hasPrefix("-") ? Precedence.sign : tightest
    case .function(let call): call.notation == .atTimeZone ? Precedence.atTimeZone : tightest
    case .literal, .parameter, .column, .allColumns, .exists, .subquery, .array, .arraySubquery,
      .row, .caseWhen, .typedLiteral, .conditional, .sessionValue, .grouping, .subscripted, .field,
      .allFields, .defaultValue, .currentOf:
      tightest
    }
  }

  private static func level(_ symbol: Operator) -> Int {
    if symbol.schema != nil { return Precedence.otherOperator }
    switch symbol.name {
    case "+", "-": return Precedence.additive
    case "*", "/", "%", "div": return Precedence.multiplicative
    case "^": return Precedence.power
    case "<", ">", "=", "<=", ">=", "<>": return Precedence.comparison
    default: return Precedence.otherOperator
    }
  }

  /// An operand that must bind at least as tightly as `minimum` to need no parentheses.
  private mutating func writeOperand(_ operand: Expression, _ minimum: Int) {
    if Self.level(operand) >= minimum, !needsParentheses(operand, minimum) {
      return write(operand)
    }
    put("(")
    write(operand)
    put(")")
  }

  /// Whether an operand needs parentheses in a dialect though it needs none in PostgreSQL's.
  ///
  /// Spark has one level for all predicates, of which one cannot be the operand of another without parentheses, and an order
  /// of its own among the operators of bits.
  private func needsParentheses(_ operand: Expression, _ minimum: Int) -> Bool {
    if dialect == .postgres || minimum <= Precedence.not { return false }
    return Self.level(operand) <= Precedence.otherOperator
  }

  /// Writes an expression; the one who calls puts parentheses around it where they are needed.
  mutating func write(_ expression: Expression) {
    switch expression.kind {
    case .literal(let literal): write(literal)
    case .parameter(let number): put("$\(number)")
    case .column(let name): write(name)
    case .allColumns(let name):
      write(name)
      put(".*")
    case .unary, .binary, .and, .or, .not, .collate: writeOperator(expression)
    case .isTest, .isDistinct, .between, .inList, .inSubquery, .pattern, .quantified:
      writePredicate(expression)
    case .cast(let value, let type) where dialect == .spark:
      put("CAST(")
      write(value)
      put(" AS ")
      write(type)
      put(")")
    case .cast(let value, let type):
      writeOperand(value, Precedence.cast)
      put("::")
      write(type)
    case .typedLiteral(let type, let value): writeTypedLiteral(type, value)
    case .function(let call): write(call)
    case .caseWhen(let node): write(node)
    case .defaultValue: put("DEFAULT")
    case .currentOf(let cursor):
      put("CURRENT OF ")
      write(cursor)
    case .exists, .subquery, .array, .arraySubquery, .row, .conditional, .sessionValue, .grouping,
      .subscripted, .field, .allFields:
      writeCompound(expression)
    }
  }

  private mutating func write(_ literal: Literal) {
    switch literal {
    case .integer(let value): put(String(value))
    case .decimal(let digits): put(digits)
    case .string(let value): put(dialect.quotedString(value))
    case .bitString(let digits, let isHexadecimal):
      put((isHexadecimal ? "X" : "B") + Self.quotedString(digits))
    case .boolean(let value): put(value ? "true" : "false")
    case .null: put("NULL")
    }
  }

  /// `type 'text'`; the fields of an interval follow its text.
  private mutating func writeTypedLiteral(_ type: TypeName, _ value: String) {
    if type.isStandard, let fields = type.intervalFields {
      put("interval \(Self.quotedString(value)) \(fields.rawValue)")
      if !type.modifiers.isEmpty {
        put("(")
        writeList(type.modifiers)
        put(")")
      }
      return
    }
    if type.isStandard, type.name.name == "bpchar", type.modifiers.isEmpty {
      return put("N" + Self.quotedString(value))
    }
    if dialect == .spark, type.name.name == "interval",
      case .literal(.string(let unit))? = type.modifiers.first?.kind
    {
      return put("INTERVAL \(dialect.quotedString(value)) \(unit.uppercased())")
    }
    write(type)
    put(" " + dialect.quotedString(value))
  }

  mutating func write(_ symbol: Operator) {
    if let schema = symbol.schema {
      put("OPERATOR(\(Self.quoted(schema)).\(symbol.name))")
    } else {
      put(symbol.name)
    }
  }

  private mutating func writeOperator(_ expression: Expression) {
    switch expression.kind {
    case .unary(let symbol, let operand):
      write(symbol)
      put(" ")
      let own = Self.level(expression)
      // A number right after a minus would become part of it.
      if symbol.name == "-", case .literal = operand.kind {
        put("(")
        write(operand)
        put(")")
      } else {
        writeOperand(operand, own == Precedence.sign ? own : own + 1)
      }
    case .binary(let symbol, let left, let right):
      let own = Self.level(symbol)
      writeOperand(left, own == Precedence.comparison ? own + 1 : own)
      put(" ")
      write(symbol)
      put(" ")
      writeOperand(right, own + 1)
    case .and(let operands): writeChain(operands, " AND ", Precedence.and)
    case .or(let operands): writeChain(operands, " OR ", Precedence.or)
    case .not(let operand):
      put("NOT ")
      writeOperand(operand, Precedence.not)
    case .collate(let value, let name):
      writeOperand(value, Precedence.collate)
      put(" COLLATE ")
      write(name)
    case .literal, .parameter, .column, .allColumns, .isTest, .isDistinct, .between, .inList,
      .inSubquery, .pattern, .quantified, .exists, .subquery, .array, .arraySubquery, .row,
      .caseWhen, .cast, .typedLiteral, .function, .conditional, .sessionValue, .grouping,
      .subscripted, .field, .allFields, .defaultValue, .currentOf:
      break
    }
  }

  private mutating func writeChain(_ operands: [Expression], _ word: String, _ own: Int) {
    for (index, operand) in operands.enumerated() {
      if index > 0 { put(word) }
      writeOperand(operand, own + 1)
    }
  }

  // MARK: Predicates

  private mutating func writePredicate(_ expression: Expression) {
    switch expression.kind {
    case .isTest(let operand, let test, let isNegated):
      writeOperand(operand, Precedence.isTest)
      put(" IS " + (isNegated ? "NOT " : "") + test.rawValue)
    case .isDistinct(let left, let right, let isNegated):
      writeOperand(left, Precedence.isTest + 1)
      put(" IS " + (isNegated ? "NOT " : "") + "DISTINCT FROM ")
      writeOperand(right, Precedence.isTest + 1)
    case .between(let node):
      writeOperand(node.operand, Precedence.membership + 1)
      put((node.isNegated ? " NOT" : "") + " BETWEEN " + (node.isSymmetric ? "SYMMETRIC " : ""))
      writeOperand(node.lower, Precedence.membership + 1)
      put(" AND ")
      writeOperand(node.upper, Precedence.membership + 1)
    case .inList(let operand, let list, let isNegated):
      writeOperand(operand, Precedence.membership + 1)
      put((isNegated ? " NOT" : "") + " IN (")
      writeList(list)
      put(")")
    case .inSubquery(let operand, let query, let isNegated):
      writeOperand(operand, Precedence.membership + 1)
      put((isNegated ? " NOT" : "") + " IN ")
      writeInParens(query)
    case .pattern(let node):
      writeOperand(node.operand, Precedence.membership + 1)
      put((node.isNegated ? " NOT " : " ") + node.kind.rawValue + " ")
      writeOperand(node.pattern, Precedence.membership + 1)
      if let escape = node.escape {
        put(" ESCAPE ")
        writeOperand(escape, Precedence.membership + 1)
      }
    case .quantified(let node): write(node)
    case .literal, .parameter, .column, .allColumns, .unary, .binary, .and, .or, .not, .exists,
      .subquery, .array, .arraySubquery, .row, .caseWhen, .cast, .typedLiteral, .collate, .function,
      .conditional, .sessionValue, .grouping, .subscripted, .field, .allFields, .defaultValue,
      .currentOf:
      break
    }
  }

  private mutating func write(_ node: QuantifiedComparison) {
    let own = Self.level(node.comparison)
    writeOperand(node.operand, own == Precedence.comparison ? own + 1 : own)
    put(" ")
    write(node.comparison)
    put(node.isAll ? " ALL " : " ANY ")
    switch node.source {
    case .subquery(let query): writeInParens(query)
    case .array(let array):
      put("(")
      if case .subquery = array.kind { put("+") }
      write(array)
      put(")")
    }
  }

  mutating func writeInParens(_ query: SelectStatement) {
    put("(")
    write(query)
    put(")")
  }

  // MARK: Constructs

  private mutating func writeCompound(_ expression: Expression) {
    switch expression.kind {
    case .exists(let query):
      put("EXISTS ")
      writeInParens(query)
    case .subquery(let query): writeInParens(query)
    case .array(let elements):
      put("ARRAY[")
      writeList(elements)
      put("]")
    case .arraySubquery(let query):
      put("ARRAY")
      writeInParens(query)
    case .row(let fields, let isExplicit):
      put(isExplicit || fields.count < 2 ? "ROW(" : "(")
      writeList(fields)
      put(")")
    case .conditional(let function, let arguments):
      put(function.rawValue + "(")
      writeList(arguments)
      put(")")
    case .sessionValue(let value, let precision):
      put(value.rawValue + (precision.map { "(\($0))" } ?? ""))
    case .grouping(let arguments):
      put("GROUPING(")
      writeList(arguments)
      put(")")
    case .subscripted(let base, let subscripts):
      writeBase(base)
      for subscript_ in subscripts { write(subscript_) }
    case .field(let base, let name):
      writeBase(base, isField: true)
      put(".")
      write(name)
    case .allFields(let base):
      writeBase(base, isField: true)
      put(".*")
    case .literal, .parameter, .column, .allColumns, .unary, .binary, .and, .or, .not, .isTest,
      .isDistinct, .between, .inList, .inSubquery, .pattern, .quantified, .caseWhen, .cast,
      .typedLiteral, .collate, .function, .defaultValue, .currentOf:
      break
    }
  }

  /// What fields or elements are taken of; only columns and parameters stand without parentheses.
  private mutating func writeBase(_ base: Expression, isField: Bool = false) {
    switch base.kind {
    case .column where !isField, .parameter, .field, .subscripted, .subquery: write(base)
    case .literal, .column, .allColumns, .unary, .binary, .and, .or, .not, .isTest, .isDistinct,
      .between, .inList, .inSubquery, .pattern, .quantified, .exists, .array, .arraySubquery, .row,
      .caseWhen, .cast, .typedLiteral, .collate, .function, .conditional, .sessionValue, .grouping,
      .allFields, .defaultValue, .currentOf:
      put("(")
      write(base)
      put(")")
    }
  }

  mutating func write(_ subscript_: Subscript) {
    put("[")
    switch subscript_ {
    case .index(let index): write(index)
    case .slice(let lower, let upper):
      if let lower { write(lower) }
      put(":")
      if let upper { write(upper) }
    }
    put("]")
  }

  private mutating func write(_ node: CaseExpression) {
    put("CASE")
    if let operand = node.operand {
      put(" ")
      write(operand)
    }
    for branch in node.branches {
      put(" WHEN ")
      write(branch.condition)
      put(" THEN ")
      write(branch.result)
    }
    if let otherwise = node.otherwise {
      put(" ELSE ")
      write(otherwise)
    }
    put(" END")
  }

  /// `t AT TIME ZONE z`, whose operands need the operator's own care.
  mutating func writeAtTimeZone(_ value: Expression, _ zone: Expression) {
    writeOperand(value, Precedence.atTimeZone)
    put(" AT TIME ZONE ")
    writeOperand(zone, Precedence.atTimeZone + 1)
  }
}
