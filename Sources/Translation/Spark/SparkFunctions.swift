import Columnar
import Planning
import SQLSyntax

/// Functions in Spark's words; what does not stand here is refused.
extension QueryTranslator {
  /// Functions that are called alike and mean the same for these types of their first argument.
  private static let same: [String: (name: String, takes: @Sendable (LogicalType) -> Bool)] = {
    let text: @Sendable (LogicalType) -> Bool = { $0.isString || $0 == .unknown }
    let number: @Sendable (LogicalType) -> Bool = { $0.isNumeric }
    let double: @Sendable (LogicalType) -> Bool = { $0 == .double || $0 == .numeric }
    var list: [String: (name: String, takes: @Sendable (LogicalType) -> Bool)] = [:]
    for name in ["lower", "upper", "replace", "translate", "reverse", "split_part", "md5"] {
      list[name] = (name, text)
    }
    for name in ["length", "char_length", "character_length"] { list[name] = ("char_length", text) }
    list["octet_length"] = ("octet_length", text)
    list["repeat"] = ("repeat", text)
    list["strpos"] = ("instr", text)
    list["position"] = ("instr", text)
    list["starts_with"] = ("startswith", text)
    list["lpad"] = ("lpad", text)
    list["rpad"] = ("rpad", text)
    list["concat_ws"] = ("concat_ws", text)
    for name in ["abs", "sign", "mod"] { list[name] = (name, number) }
    for name in [
      "exp", "sin", "cos", "tan", "atan", "atan2", "degrees", "radians", "pi", "cbrt", "tanh",
    ] {
      list[name] = (name, double)
    }
    for name in ["power", "pow"] { list[name] = ("power", double) }
    return list
  }()

  func sparkFunction(
    _ call: BoundCall, _ arguments: [SQLSyntax.Expression]
  ) throws(Refusal) -> SQLSyntax.Expression {
    let first = call.arguments.first?.type ?? .double
    if let found = Self.same[call.name], found.takes(first) {
      if call.arguments.contains(where: { $0.type == .character }) { throw refusal(call) }
      return sign(call, .call(found.name, arguments))
    }
    if let value = try sparkCutting(call, arguments) { return value }
    if let value = try sparkRounding(call, arguments, first) { return value }
    if let value = try sparkDate(call, arguments, first) { return value }
    if let value = try sparkParts(call, arguments, first) { return value }
    throw refusal(call)
  }

  private func refusal(_ call: BoundCall) -> Refusal {
    let types = call.arguments.map(\.type.name).joined(separator: ", ")
    return Refusal(
      "function \(call.name)(\(types)) has no translation", about: .function(call.name))
  }

  /// Spark's `sign` is a double; of a decimal the value is the same.
  private func sign(_ call: BoundCall, _ value: SQLSyntax.Expression) -> SQLSyntax.Expression {
    if call.name == "strpos" || call.name == "position" { return cast(value, .integer) }
    return value
  }

  private func whole(_ expression: BoundExpression) -> Int64? {
    if case .constant(.int32(let number), _) = expression { return Int64(number) }
    if case .constant(.int64(let number), _) = expression { return number }
    return nil
  }

  // MARK: Texts

  private func sparkCutting(
    _ call: BoundCall, _ arguments: [SQLSyntax.Expression]
  ) throws(Refusal) -> SQLSyntax.Expression? {
    switch (call.name, arguments.count) {
    case ("left", 2), ("right", 2):
      if let length = whole(call.arguments[1]), length >= 0 { return .call(call.name, arguments) }
      // A negative length leaves out as many from the other end.
      let rest = SQLSyntax.Expression.infix(.call("char_length", arguments[0]), "+", arguments[1])
      return .cases(
        [(.infix(arguments[1], ">=", .number(0)), .call(call.name, arguments))],
        otherwise: .call(call.name, arguments[0], greatest(rest, .number(0))))
    case ("substr", 2), ("substring", 2), ("substr", 3), ("substring", 3):
      guard call.type == .text, call.arguments[1].type == .integer else { throw refusal(call) }
      return substring(call, arguments)
    case ("btrim", _), ("ltrim", _), ("rtrim", _):
      guard call.type == .text else { throw refusal(call) }
      let name = call.name == "btrim" ? "btrim" : call.name
      if arguments.count == 1 || name == "btrim" { return .call(name, arguments) }
      // Spark's two take the characters first.
      return .call(name, arguments[1], arguments[0])
    case ("concat", _):
      guard
        call.arguments.allSatisfy({ $0.type.isString || $0.type.isInteger || $0.type == .unknown })
      else { throw refusal(call) }
      return .call("concat_ws", [.string("")] + arguments)
    case ("ascii", 1): return .call("ascii", arguments)
    case ("regexp_replace", 4):
      guard case .constant(.text(let pattern), _) = call.arguments[1],
        case .constant(.text(let text), _) = call.arguments[2],
        case .constant(.text(let flags), _) = call.arguments[3], flags == Array("g".utf8),
        !text.contains(UInt8(ascii: "\\")), !text.contains(UInt8(ascii: "$"))
      else { throw refusal(call) }
      let plain = String(decoding: pattern, as: UTF8.self)
      try requireCommonPattern(plain, about: .function(call.name))
      return .call("regexp_replace", arguments[0], .string("(?s)" + plain), arguments[2])
    default: return nil
    }
  }

  private func greatest(
    _ one: SQLSyntax.Expression, _ other: SQLSyntax.Expression
  ) -> SQLSyntax.Expression {
    Expression(.conditional(.greatest, [one, other]))
  }

  /// A part of a text: PostgreSQL counts places before the first, Spark counts them from the end.
  private func substring(
    _ call: BoundCall, _ arguments: [SQLSyntax.Expression]
  ) -> SQLSyntax.Expression {
    let start = whole(call.arguments[1])
    if arguments.count == 2 {
      if let start {
        return .call("substring", arguments[0], .number(Int(max(1, start))))
      }
      return .cases(
        [(arguments[1].isNull(), typed(.null, .text))],
        otherwise: .call("substring", arguments[0], greatest(arguments[1], .number(1))))
    }
    if let start, let length = whole(call.arguments[2]), length >= 0 {
      let begin = max(1, start)
      return .call(
        "substring", arguments[0], .number(Int(begin)),
        .number(Int(max(0, max(start + length, 1) - begin))))
    }
    let begin = greatest(arguments[1], .number(1))
    let end = SQLSyntax.Expression.infix(arguments[1], "+", arguments[2])
    let isUnknown = SQLSyntax.Expression(.or([arguments[1].isNull(), arguments[2].isNull()]))
    let error = cast(.call("raise_error", .string("negative substring length not allowed")), .text)
    return .cases(
      [(isUnknown, typed(.null, .text)), (.infix(arguments[2], "<", .number(0)), error)],
      otherwise: .call(
        "substring", arguments[0], begin, greatest(.infix(end, "-", begin), .number(0))))
  }

  // MARK: Numbers

  private func sparkRounding(
    _ call: BoundCall, _ arguments: [SQLSyntax.Expression], _ first: LogicalType
  ) throws(Refusal) -> SQLSyntax.Expression? {
    switch (call.name, arguments.count) {
    case ("round", 1) where first == .double: return .call("rint", arguments)
    case ("round", 1) where first == .numeric: return .call("round", arguments)
    case ("round", 2) where first == .numeric:
      guard whole(call.arguments[1]) != nil else { throw refusal(call) }
      return .call("round", arguments)
    case ("floor", 1), ("ceil", 1), ("ceiling", 1):
      let name = call.name == "floor" ? "floor" : "ceil"
      let value = SQLSyntax.Expression.call(name, arguments)
      return first == .double ? cast(value, .double) : first == .numeric ? value : nil
    case ("trunc", 1) where first == .numeric || first == .double:
      let value = SQLSyntax.Expression.cases(
        [(.infix(arguments[0], "<", .number(0)), .call("ceil", arguments))],
        otherwise: .call("floor", arguments))
      return first == .double ? cast(value, .double) : value
    case ("sqrt", 1): return sparkRoot(arguments[0])
    case ("ln", 1), ("log", 1), ("log10", 1):
      return guarded(
        .infix(arguments[0], "<=", .number(0)),
        "cannot take logarithm of zero or of a negative number",
        .call(call.name == "ln" ? "ln" : "log10", arguments))
    case ("div", 2) where first.isInteger: return .infix(arguments[0], "div", arguments[1])
    default: return nil
    }
  }

  // MARK: Dates

  private static let fields: Set<String> = [
    "year", "quarter", "month", "week", "day", "hour", "minute", "doy",
  ]

  private func sparkDate(
    _ call: BoundCall, _ arguments: [SQLSyntax.Expression], _ first: LogicalType
  ) throws(Refusal) -> SQLSyntax.Expression? {
    func field() throws(Refusal) -> String {
      guard case .constant(.text(let bytes), _) = call.arguments[0] else { throw refusal(call) }
      return String(decoding: bytes, as: UTF8.self).lowercased()
    }
    switch (call.name, arguments.count) {
    case ("extract", 2), ("date_part", 2):
      let type = call.arguments[1].type
      guard [.date, .timestamp, .timestamptz].contains(type) else { throw refusal(call) }
      let name = try field()
      let value: SQLSyntax.Expression
      switch name {
      case "dow":
        value = .infix(.call("date_part", .string("dow"), arguments[1]), "-", .number(1))
      case "isodow": value = .call("date_part", .string("dayofweek_iso"), arguments[1])
      case "isoyear": value = .call("date_part", .string("yearofweek"), arguments[1])
      case "second" where type != .date:
        value = .call("date_part", .string("second"), arguments[1])
      case "epoch":
        let micros = SQLSyntax.Expression.call("unix_micros", cast(arguments[1], .timestamptz))
        value = .infix(cast(micros, .double), "/", .number(1_000_000))
      default:
        guard Self.fields.contains(name), type != .date || !["hour", "minute"].contains(name) else {
          throw Refusal("field \(name) has no translation", about: .word(name))
        }
        value = .call("date_part", .string(name), arguments[1])
      }
      return call.name == "date_part" ? cast(value, .double) : value
    case ("date_trunc", 2):
      let units = ["year", "quarter", "month", "week", "day", "hour", "minute", "second"]
      let type = call.arguments[1].type
      guard units.contains(try field()), type == .timestamp || type == .timestamptz else {
        throw refusal(call)
      }
      return cast(.call("date_trunc", arguments), type)
    case ("make_date", 3): return .call("make_date", arguments)
    case ("to_char", 2):
      guard case .constant(.text(let bytes), _) = call.arguments[1],
        first == .timestamp || first == .date || first == .timestamptz,
        let pattern = Self.pictures[String(decoding: bytes, as: UTF8.self).uppercased()]
      else { throw refusal(call) }
      return .call("date_format", arguments[0], .string(pattern))
    default: return nil
    }
  }

  private static let pictures = [
    "YYYY": "yyyy", "YYYY-MM": "yyyy-MM", "YYYY-MM-DD": "yyyy-MM-dd", "MM": "MM", "DD": "dd",
    "YYYYMMDD": "yyyyMMdd", "HH24:MI": "HH:mm", "HH24:MI:SS": "HH:mm:ss",
    "YYYY-MM-DD HH24:MI:SS": "yyyy-MM-dd HH:mm:ss", "HH24": "HH", "MI": "mm",
    "YYYY/MM/DD": "yyyy/MM/dd",
  ]

  // MARK: Arrays and JSON

  private func sparkParts(
    _ call: BoundCall, _ arguments: [SQLSyntax.Expression], _ first: LogicalType
  ) throws(Refusal) -> SQLSyntax.Expression? {
    switch (call.name, arguments.count) {
    case ("array_length", 2):
      guard whole(call.arguments[1]) == 1 else { throw refusal(call) }
      return Expression(.conditional(.nullIf, [.call("size", arguments[0]), .number(0)]))
    case ("array_subscript", 2):
      return .cases(
        [(.infix(arguments[1], ">=", .number(1)), .call("try_element_at", arguments))],
        otherwise: nil)
    case ("cardinality", 1): return .call("size", arguments)
    case ("json_build_object", _), ("jsonb_build_object", _):
      return jsonText(try named(call, arguments))
    default: return nil
    }
  }

  /// The struct whose fields are the arguments by turns, the names constants.
  private func named(
    _ call: BoundCall, _ arguments: [SQLSyntax.Expression]
  ) throws(Refusal) -> SQLSyntax.Expression {
    var list: [SQLSyntax.Expression] = []
    guard arguments.count.isMultiple(of: 2), !arguments.isEmpty else { throw refusal(call) }
    for index in stride(from: 0, to: arguments.count, by: 2) {
      guard case .constant(.text(let name), _) = call.arguments[index] else { throw refusal(call) }
      list += [
        .string(String(decoding: name, as: UTF8.self)),
        try jsonValue(call.arguments[index + 1], arguments[index + 1], about: call.name),
      ]
    }
    return .call("named_struct", list)
  }

  /// A value as a part of a JSON text.
  func jsonValue(
    _ bound: BoundExpression, _ value: SQLSyntax.Expression, about name: String
  ) throws(Refusal) -> SQLSyntax.Expression {
    switch bound.type {
    case .boolean, .smallint, .integer, .bigint, .text, .varchar, .double, .real, .numeric,
      .unknown,
      .uuid, .enumeration, .date:
      return value
    case .json, .jsonb:
      // What is made into a text here is taken apart again.
      if case .function(let call) = value.kind, call.name.name == "to_json",
        let inner = call.arguments.first
      {
        return inner.value
      }
      throw Refusal("JSON within JSON", about: .function(name))
    case .record(let record):
      if case .row(let fields, _) = bound, case .function(let call) = value.kind {
        var list: [SQLSyntax.Expression] = []
        for (index, field) in record.fields.enumerated() {
          list += [
            .string(field.name),
            try jsonValue(fields[index], call.arguments[index * 2 + 1].value, about: name),
          ]
        }
        return .call("named_struct", list)
      }
      throw Refusal("a row as JSON", about: .function(name))
    case .array(let element) where element.isNumeric || element.isString: return value
    case .character, .name, .bytea, .time, .timetz, .timestamp, .timestamptz, .interval, .bit,
      .varbit, .oid, .array, .void:
      throw Refusal("JSON of type \(bound.type.name)", about: .function(name))
    }
  }

  func jsonText(_ value: SQLSyntax.Expression) -> SQLSyntax.Expression {
    .call("to_json", value, .call("map", .string("ignoreNullFields"), .string("false")))
  }

  /// The array that a set-returning function gives the elements of.
  func sparkList(
    _ call: TableFunctionCall, _ arguments: [SQLSyntax.Expression]
  ) throws(Refusal) -> SQLSyntax.Expression {
    let types = call.arguments.map(\.type)
    switch call.name {
    case "generate_series" where types.allSatisfy(\.isInteger):
      return try series(call, arguments)
    case "unnest" where arguments.count == 1: return arguments[0]
    default:
      throw Refusal(
        "set-returning function \(call.name)(\(types.map(\.name).joined(separator: ", "))) has no translation",
        about: .function(call.name))
    }
  }

  /// Spark's `sequence` goes down where its end is below its beginning, and PostgreSQL's is then empty.
  private func series(
    _ call: TableFunctionCall, _ arguments: [SQLSyntax.Expression]
  ) throws(Refusal) -> SQLSyntax.Expression {
    let type = call.columns.first?.type ?? .integer
    let step = call.arguments.count > 2 ? whole(call.arguments[2]) : 1
    guard let step, step != 0 else {
      throw Refusal("a series whose step is no constant", about: .function(call.name))
    }
    let bounds = [cast(arguments[0], type), cast(arguments[1], type)]
    let list = SQLSyntax.Expression.call(
      "sequence", bounds + (step == 1 ? [] : [cast(.number(Int(step)), type)]))
    let isThere = SQLSyntax.Expression.infix(bounds[0], step > 0 ? "<=" : ">=", bounds[1])
    if let one = whole(call.arguments[0]), let other = whole(call.arguments[1]),
      step > 0 ? one <= other : one >= other
    {
      return list
    }
    return .cases([(isThere, list)], otherwise: cast(.call("array"), .array(type)))
  }
}
