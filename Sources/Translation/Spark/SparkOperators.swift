import Columnar
import Diagnostics
import Planning
import SQLSyntax

/// Operators in Spark's words.
extension QueryTranslator {
  func sparkCall(
    _ call: BoundCall, _ arguments: [SQLSyntax.Expression]
  ) throws(Refusal) -> SQLSyntax.Expression {
    if call.volatility == .volatile {
      throw Refusal("a value that is another one each time", about: .function(call.name))
    }
    guard call.isOperator || Self.operatorNames.contains(call.name) else {
      return try sparkFunction(call, arguments)
    }
    let types = call.arguments.map(\.type)
    if let value = try sparkArithmetic(call, arguments, types) { return value }
    if let value = try sparkPattern(call, arguments) { return value }
    if let value = sparkBits(call, arguments, types) { return value }
    if let value = sparkContainment(call, arguments, types) { return value }
    if call.name == "^@", types.allSatisfy(\.isString) { return .call("startswith", arguments) }
    if call.name == "||" {
      if case .array = call.type, types[0] == types[1] { return .call("concat", arguments) }
      guard call.type == .text, types.allSatisfy({ $0.isString || $0 == .unknown }) else {
        throw Refusal("|| of these types", about: .symbol("||"))
      }
      return .call("concat", arguments)
    }
    throw Refusal(
      "operator \(call.name) of \(types.map(\.name).joined(separator: " and ")) is not in Spark",
      about: .symbol(call.name))
  }

  /// Operators that come as calls from other notations.
  private static let operatorNames: Set<String> = ["~~", "!~~", "~~*", "!~~*", "~", "!~"]

  // MARK: Arithmetic

  private func sparkArithmetic(
    _ call: BoundCall, _ arguments: [SQLSyntax.Expression], _ types: [LogicalType]
  ) throws(Refusal) -> SQLSyntax.Expression? {
    if types.contains(where: { !$0.isNumeric }) {
      return try sparkMoment(call, arguments, types)
    }
    if arguments.count == 1 {
      switch call.name {
      case "-": return Expression(.unary(Operator("-"), arguments[0]))
      case "+": return arguments[0]
      case "@": return .call("abs", arguments)
      case "|/": return sparkRoot(arguments[0])
      default: return nil
      }
    }
    switch call.name {
    case "+", "-", "*": return .infix(arguments[0], call.name, arguments[1])
    case "%" where call.type.isInteger || call.type == .numeric:
      return .infix(arguments[0], "%", arguments[1])
    case "/" where call.type.isInteger:
      let quotient = SQLSyntax.Expression.infix(arguments[0], "div", arguments[1])
      return call.type == .bigint ? quotient : cast(quotient, call.type)
    case "/" where call.type == .numeric:
      // Decimals would be cut to as few as six digits behind the point.
      isInexact = true
      return .infix(cast(arguments[0], .double), "/", cast(arguments[1], .double))
    case "/": return .infix(arguments[0], "/", arguments[1])
    case "^":
      isInexact = true
      return .call("power", arguments)
    default: return nil
    }
  }

  func sparkRoot(_ value: SQLSyntax.Expression) -> SQLSyntax.Expression {
    guarded(
      .infix(value, "<", .number(0)), "cannot take square root of a negative number",
      .call("sqrt", value))
  }

  /// A value that is an error under a condition, as it is in PostgreSQL.
  func guarded(
    _ condition: SQLSyntax.Expression, _ message: String, _ value: SQLSyntax.Expression
  ) -> SQLSyntax.Expression {
    .cases(
      [(condition, cast(.call("raise_error", .string(message)), .double))], otherwise: value)
  }

  /// Dates and times with whole numbers and constant intervals.
  private func sparkMoment(
    _ call: BoundCall, _ arguments: [SQLSyntax.Expression], _ types: [LogicalType]
  ) throws(Refusal) -> SQLSyntax.Expression? {
    guard arguments.count == 2, call.name == "+" || call.name == "-" else { return nil }
    let isSum = call.name == "+"
    let moments: Set<LogicalType> = [.date, .timestamp, .timestamptz]
    if types == [.date, .integer] { return .call(isSum ? "date_add" : "date_sub", arguments) }
    if types == [.integer, .date], isSum {
      return .call("date_add", arguments[1], arguments[0])
    }
    if types == [.date, .date] { return .call("datediff", arguments) }
    if moments.contains(types[0]), types[1] == .interval {
      return try sparkShifted(call, arguments[0], types[0], call.arguments[1])
    }
    if moments.contains(types[1]), types[0] == .interval, isSum {
      return try sparkShifted(call, arguments[1], types[1], call.arguments[0])
    }
    return nil
  }

  private func sparkShifted(
    _ call: BoundCall, _ moment: SQLSyntax.Expression, _ type: LogicalType, _ by: BoundExpression
  ) throws(Refusal) -> SQLSyntax.Expression {
    guard case .constant(.interval(let interval), _) = by else {
      throw Refusal("an interval that is no constant", about: .symbol(call.name))
    }
    var value = type == .date ? cast(moment, .timestamp) : moment
    // Months first, then days, then time, as in PostgreSQL.
    func add(_ text: String, _ unit: String) {
      let step = SQLSyntax.Expression(
        .typedLiteral(
          TypeName(QualifiedName(Identifier("interval")), modifiers: [.string(unit)]), text))
      value = .infix(value, call.name, step)
    }
    if interval.months != 0 { add("\(interval.months)", "month") }
    if interval.days != 0 { add("\(interval.days)", "day") }
    if interval.microseconds != 0 {
      let isNegative = interval.microseconds < 0
      let (seconds, rest) = interval.microseconds.magnitude.quotientAndRemainder(
        dividingBy: 1_000_000)
      let digits = String(rest)
      let fraction = rest == 0 ? "" : "." + String(repeating: "0", count: 6 - digits.count) + digits
      add((isNegative ? "-" : "") + "\(seconds)\(fraction)", "second")
    }
    return value
  }

  private func sparkBits(
    _ call: BoundCall, _ arguments: [SQLSyntax.Expression], _ types: [LogicalType]
  ) -> SQLSyntax.Expression? {
    guard types.allSatisfy(\.isInteger) else { return nil }
    switch (call.name, arguments.count) {
    case ("&", 2), ("|", 2): return .infix(arguments[0], call.name, arguments[1])
    case ("#", 2): return .infix(arguments[0], "^", arguments[1])
    case ("~", 1): return Expression(.unary(Operator("~"), arguments[0]))
    default: return nil
    }
  }

  /// What is true of two arrays as sets; NULLs among the elements are equal to nothing.
  private func sparkContainment(
    _ call: BoundCall, _ arguments: [SQLSyntax.Expression], _ types: [LogicalType]
  ) -> SQLSyntax.Expression? {
    guard arguments.count == 2, types[0] == types[1], let element = types[0].element,
      element.isInteger || element.isString
    else { return nil }
    switch call.name {
    case "&&":
      let areThere = SQLSyntax.Expression(.or([arguments[0].isNull(), arguments[1].isNull()]))
      return .cases(
        [(areThere, typed(.null, .boolean))],
        otherwise: Expression(
          .conditional(.coalesce, [.call("arrays_overlap", arguments), .boolean(false)])))
    case "@>", "<@":
      let (whole, part) =
        call.name == "@>" ? (arguments[0], arguments[1]) : (arguments[1], arguments[0])
      let present = SQLSyntax.Expression.call("array_compact", part)
      let missing = SQLSyntax.Expression.call("size", .call("array_except", present, whole))
      return Expression(
        .and([
          .infix(missing, "=", .number(0)),
          .infix(.call("size", present), "=", .call("size", part)),
        ]))
    default: return nil
    }
  }

  // MARK: Patterns

  private func sparkPattern(
    _ call: BoundCall, _ arguments: [SQLSyntax.Expression]
  ) throws(Refusal) -> SQLSyntax.Expression? {
    guard arguments.count == 2, call.arguments[0].type.isString else { return nil }
    func negated(_ value: SQLSyntax.Expression) -> SQLSyntax.Expression {
      call.name.hasPrefix("!") ? value.negation : value
    }
    switch call.name {
    case "~~", "!~~", "~~*", "!~~*":
      if case .constant(.text(let bytes), _) = call.arguments[1] {
        try requirePlainEscapes(String(decoding: bytes, as: UTF8.self), call.name)
      }
      let match = PatternMatch(
        kind: call.name.hasSuffix("*") ? .ilike : .like, operand: arguments[0],
        pattern: arguments[1], escape: nil, isNegated: call.name.hasPrefix("!"),
        operatorRange: .none)
      return Expression(.pattern(match))
    case "~", "!~", "~*", "!~*":
      guard case .constant(.text(let bytes), _) = call.arguments[1] else {
        throw Refusal("a pattern that is no constant", about: .symbol(call.name))
      }
      let pattern = String(decoding: bytes, as: UTF8.self)
      try requireCommonPattern(pattern, about: .symbol(call.name))
      let prefix = call.name.hasSuffix("*") ? "(?is)" : "(?s)"
      return negated(.call("regexp", arguments[0], .string(prefix + pattern)))
    default: return nil
    }
  }

  /// Spark refuses a backslash before anything but a wildcard or itself.
  private func requirePlainEscapes(_ pattern: String, _ name: String) throws(Refusal) {
    var rest = Array(pattern)[...]
    while let character = rest.popFirst() {
      guard character == "\\" else { continue }
      guard let next = rest.popFirst(), next == "%" || next == "_" || next == "\\" else {
        throw Refusal("a pattern that escapes what is no wildcard", about: .word("like"))
      }
    }
  }

  /// A pattern of what both languages of patterns read alike.
  func requireCommonPattern(_ pattern: String, about subject: Refusal.Subject) throws(Refusal) {
    var isFine = true
    // Whether a group has just begun that is no plain one.
    var isGroup = false
    var previous: Character = " "
    for character in pattern {
      if previous == "\\" {
        isFine = isFine && ".\\+*?()[]{}|^$-/dswDSW".contains(character)
        previous = " "
        continue
      }
      // Classes by name, intersections and look-around are each one's own.
      if previous == "[" && (character == ":" || character == "[" || character == ".") {
        isFine = false
      }
      if previous == "?" && isGroup && character != ":" { isFine = false }
      isGroup = previous == "(" && character == "?"
      if character == "&" && previous == "&" { isFine = false }
      if "*+?}".contains(previous) && character == "+" { isFine = false }
      previous = character
    }
    if pattern.hasPrefix("***") || !isFine {
      throw Refusal("a pattern that Spark reads in another way", about: subject)
    }
  }
}
