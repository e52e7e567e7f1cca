import Columnar
import Diagnostics
import Planning
import SQLSyntax

/// What Spark has of PostgreSQL's types.
extension QueryTranslator {
  /// - Throws: for a type whose values Spark cannot hand out as Junction does.
  func requireGivable(_ type: LogicalType, _ name: String) throws(Refusal) {
    switch type {
    case .record, .interval, .timetz, .time, .bit, .varbit, .void:
      throw Refusal("Spark has no values of type \(type.name)", about: .word(name))
    case .array(.uuid): throw Refusal("Spark has no values of type uuid[]", about: .word(name))
    case .array(let element): try requireGivable(element, name)
    case .boolean, .smallint, .integer, .bigint, .real, .double, .numeric, .text, .varchar,
      .character, .name, .bytea, .date, .timestamp, .timestamptz, .uuid, .json, .jsonb, .oid,
      .enumeration, .unknown:
      break
    }
  }

  /// - Throws: for a type whose values may be the same in Junction and differ in Spark, or the reverse.
  func requireComparable(
    _ type: LogicalType, _ what: String, _ subject: Refusal.Subject
  ) throws(Refusal) {
    switch type {
    case .json, .jsonb, .interval, .time, .timetz, .bit, .varbit, .record, .void:
      throw Refusal("\(what) of type \(type.name) means something else in Spark", about: subject)
    case .array(.uuid):
      throw Refusal("\(what) of type uuid[] means something else in Spark", about: subject)
    case .array(let element): try requireComparable(element, what, subject)
    case .boolean, .smallint, .integer, .bigint, .real, .double, .numeric, .text, .varchar,
      .character, .name, .bytea, .date, .timestamp, .timestamptz, .uuid, .oid, .enumeration,
      .unknown:
      break
    }
  }

  /// - Throws: for a type whose order is another in Spark.
  func requireOrder(_ type: LogicalType, _ what: String) throws(Refusal) {
    try requireComparable(type, what, .function(what))
    switch type {
    case .enumeration, .array:
      throw Refusal(
        "\(what) of type \(type.name) means something else in Spark", about: .function(what))
    case .boolean, .smallint, .integer, .bigint, .real, .double, .numeric, .text, .varchar,
      .character, .name, .bytea, .date, .timestamp, .timestamptz, .uuid, .oid, .unknown, .json,
      .jsonb, .interval, .time, .timetz, .bit, .varbit, .record, .void:
      break
    }
  }

  /// A text of fixed length without the blanks at its end, which do not count in comparisons.
  func padded(_ value: SQLSyntax.Expression, _ type: LogicalType) -> SQLSyntax.Expression {
    dialect == .spark && type == .character ? .call("rtrim", value) : value
  }

  func comparable(_ piece: Piece, _ type: LogicalType) throws(Refusal) -> Piece {
    if dialect == .spark { try requireComparable(type, "IN", .word("in")) }
    var piece = piece
    piece.expression = padded(piece.expression, type)
    return piece
  }

  /// A value whose order in Spark is that of Junction's values.
  func orderable(
    _ value: SQLSyntax.Expression, _ type: LogicalType
  ) throws(Refusal) -> SQLSyntax.Expression {
    if dialect == .postgres { return value }
    try requireComparable(type, "an order", .word("order"))
    switch type {
    case .enumeration(let enumeration):
      return .call(
        "array_position", .call("array", enumeration.labels.map { .string($0) }), value)
    case .array(let element):
      // An element that is NULL comes behind all others, and in Spark before them.
      let each = SQLSyntax.Expression(.column(QualifiedName(Identifier("x"))))
      let key = SQLSyntax.Expression.call("struct", each.isNull(), try orderable(each, element))
      return .call("transform", value, .infix(each, "->", key))
    case .boolean, .smallint, .integer, .bigint, .real, .double, .numeric, .text, .varchar,
      .character, .name, .bytea, .date, .timestamp, .timestamptz, .uuid, .oid, .unknown, .json,
      .jsonb, .interval, .time, .timetz, .bit, .varbit, .record, .void:
      return padded(value, type)
    }
  }

  // MARK: Constants

  func sparkConstant(_ value: Value, _ type: LogicalType) throws(Refusal) -> SQLSyntax.Expression {
    func raw(_ text: String) -> SQLSyntax.Expression { Expression(.literal(.decimal(text))) }
    func literal(_ name: String) -> SQLSyntax.Expression {
      Expression(
        .typedLiteral(TypeName(QualifiedName(Identifier(name))), value.text(of: type)))
    }
    let text = value.text(of: type)
    switch type {
    case .boolean: return .boolean(text == "t" || text == "true")
    case .integer: return raw(text)
    case .bigint, .oid:
      return text == "-9223372036854775808" ? cast(.string(text), .bigint) : raw(text + "L")
    case .smallint: return cast(raw(text), .smallint)
    case .numeric:
      if text.contains(where: \.isLetter) {
        throw Refusal("Spark's decimals have no \(text)", about: .statement)
      }
      if text.count(where: \.isNumber) > 38 {
        throw Refusal("Spark's decimals have 38 digits at most", about: .statement)
      }
      return raw(text + "BD")
    case .double, .real:
      let number =
        text.contains(where: { $0 == "N" || $0 == "I" }) ? .string(text) : raw(text + "D")
      return type == .real || text.contains(where: { $0 == "N" || $0 == "I" })
        ? cast(number, type) : number
    case .text, .varchar, .character, .name, .uuid, .enumeration, .json, .jsonb, .unknown:
      return .string(text)
    case .date, .timestamp, .timestamptz:
      if text.contains("infinity") || text.hasSuffix("BC")
        || text.prefix(while: { $0 != "-" }).count > 4
      {
        throw Refusal("Spark has no \(type.name) '\(text)'")
      }
      return literal(
        type == .date ? "date" : type == .timestamp ? "timestamp_ntz" : "timestamp_ltz")
    case .array(let element):
      guard case .list(let list) = value else { throw Refusal("an array of several dimensions") }
      let values = try list.map { (part) throws(Refusal) in try constant(part, element) }
      let array = SQLSyntax.Expression.call("array", values)
      return list.isEmpty ? cast(array, type) : array
    case .record(let record):
      guard case .record(let parts) = value else { throw Refusal("a row as a constant") }
      var arguments: [SQLSyntax.Expression] = []
      for (field, part) in zip(record.fields, parts) {
        arguments += [.string(field.name), try constant(part, field.type)]
      }
      return .call("named_struct", arguments)
    case .bytea:
      let digits = text.hasPrefix("\\x") ? String(text.dropFirst(2)) : text
      return Expression(.literal(.bitString(digits, isHexadecimal: true)))
    case .interval, .time, .timetz, .bit, .varbit, .void:
      throw Refusal("Spark has no constants of type \(type.name) that mean the same")
    }
  }

  // MARK: Conversions

  func sparkCast(
    _ conversion: BoundCast, _ value: SQLSyntax.Expression
  ) throws(Refusal) -> SQLSyntax.Expression {
    let from = conversion.operand.type
    let target = conversion.target
    func refuse() -> Refusal {
      Refusal("a conversion from \(from.name) to \(target.type.name) gives something else in Spark")
    }
    if from == target.type, target.modifier == .none { return value }
    switch target.type {
    case .smallint, .integer, .bigint, .oid:
      return try sparkWhole(value, from, target.type, refuse())
    case .real, .double:
      guard from.isNumeric else { throw refuse() }
      return cast(value, target.type)
    case .numeric: return try sparkNumeric(value, conversion, refuse())
    case .text, .varchar, .character, .name: return try sparkText(value, conversion, refuse())
    case .date:
      guard from == .timestamp || from == .timestamptz || from == .date else { throw refuse() }
      return cast(value, .date)
    case .timestamp, .timestamptz:
      guard [.date, .timestamp, .timestamptz].contains(from), target.modifier == .none else {
        throw refuse()
      }
      return cast(value, target.type)
    case .boolean:
      guard from == .integer || from == .boolean else { throw refuse() }
      return cast(value, .boolean)
    case .uuid, .bytea, .time, .timetz, .interval, .bit, .varbit, .json, .jsonb, .array, .record,
      .enumeration, .unknown, .void:
      if case .constant(.null, _) = conversion.operand { return cast(value, target.type) }
      if case (.array(let one), .array(let other)) = (from, target.type),
        one.isString && other.isString || one.isInteger && other.isInteger
      {
        return cast(value, target.type)
      }
      throw refuse()
    }
  }

  /// Whole numbers: PostgreSQL rounds where Spark cuts.
  private func sparkWhole(
    _ value: SQLSyntax.Expression, _ from: LogicalType, _ target: LogicalType, _ refusal: Refusal
  ) throws(Refusal) -> SQLSyntax.Expression {
    switch from {
    case .smallint, .integer, .bigint, .oid, .boolean: return cast(value, target)
    case .numeric: return cast(.call("round", value), target)
    case .real, .double: return cast(.call("rint", value), target)
    case .text, .varchar: return cast(value, target)
    case .character, .name, .bytea, .date, .time, .timetz, .timestamp, .timestamptz, .interval,
      .bit, .varbit, .uuid, .json, .jsonb, .array, .record, .enumeration, .unknown, .void:
      throw refusal
    }
  }

  private func sparkNumeric(
    _ value: SQLSyntax.Expression, _ conversion: BoundCast, _ refusal: Refusal
  ) throws(Refusal) -> SQLSyntax.Expression {
    if case .numeric = conversion.target.modifier {
      guard conversion.operand.type.isNumeric || conversion.operand.type.isString else {
        throw refusal
      }
      return Expression(.cast(value, Self.typeName(conversion.target)))
    }
    let digits: Int32
    switch conversion.operand.type {
    case .smallint: digits = 5
    case .integer: digits = 10
    case .bigint, .oid: digits = 20
    case .numeric: return value
    case .real, .double: return value
    case .boolean, .text, .varchar, .character, .name, .bytea, .date, .time, .timetz, .timestamp,
      .timestamptz, .interval, .bit, .varbit, .uuid, .json, .jsonb, .array, .record, .enumeration,
      .unknown, .void:
      throw refusal
    }
    return Expression(
      .cast(
        value,
        Self.typeName(ColumnType(.numeric, .numeric(precision: digits, scale: 0)))))
  }

  /// Texts: only of values that both systems write alike.
  private func sparkText(
    _ value: SQLSyntax.Expression, _ conversion: BoundCast, _ refusal: Refusal
  ) throws(Refusal) -> SQLSyntax.Expression {
    let text: SQLSyntax.Expression
    switch conversion.operand.type {
    case .text, .varchar, .name, .uuid, .enumeration, .unknown: text = value
    case .character: text = .call("rtrim", value)
    case .smallint, .integer, .bigint, .oid, .boolean, .date: text = cast(value, .text)
    case .timestamp: text = cast(value, .text)
    case .real, .double, .numeric, .bytea, .time, .timetz, .timestamptz, .interval, .bit, .varbit,
      .json, .jsonb, .array, .record, .void:
      throw refusal
    }
    switch conversion.target.modifier {
    case .length(let length) where conversion.target.type == .character:
      return .call("rpad", .call("left", text, .number(Int(length))), .number(Int(length)))
    case .length(let length): return .call("left", text, .number(Int(length)))
    case .none, .numeric, .precision, .interval: return text
    }
  }
}
