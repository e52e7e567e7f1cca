import Catalog
import Columnar
import Diagnostics
import SQLSyntax

extension BindingSession {
  /// How willing a conversion must be to be made at all; nil if there is none.
  func conversionContext(
    from source: LogicalType, to target: LogicalType
  ) -> CastContext? {
    castContext(from: source, to: target)
  }

  /// The kernel that converts; nil if there is none.
  func conversionKernel(
    from source: LogicalType, to target: ColumnType, _ context: CastContext
  ) throws(SQLError) -> ScalarKernel? {
    try castKernel(from: source, to: target, context: context)
  }

  /// The value of a literal of unknown type as a value of `type`.
  ///
  /// - Throws: 22P02 and its like, without a place.
  func parseLiteral(_ bytes: [UInt8], as target: ColumnType) throws(SQLError) -> Value {
    // The fields of an interval say what a bare number counts; other modifiers come into play afterwards.
    if case .interval = target.modifier {
      let text = Vector(constant: .text(bytes), type: .text, count: 1)
      return try literals.parse(text, as: target).value(at: 0)
    }
    let type = target.type
    switch type {
    case .text, .varchar, .name, .unknown: return .text(bytes)
    case .integer:
      if let value = smallInteger(bytes) { return .int32(value) }
    case .bigint:
      if let value = smallInteger(bytes) { return .int64(Int64(value)) }
    case .boolean, .smallint, .real, .double, .numeric, .character, .bytea, .date, .time, .timetz,
      .timestamp, .timestamptz, .interval, .bit, .varbit, .uuid, .json, .jsonb, .oid, .array,
      .record, .enumeration, .void:
      break
    }
    let text = Vector(constant: .text(bytes), type: .text, count: 1)
    return try literals.parse(text, as: ColumnType(type)).value(at: 0)
  }

  /// A number of up to nine plain digits: what most literals are.
  private func smallInteger(_ bytes: [UInt8]) -> Int32? {
    guard (1...9).contains(bytes.count) else { return nil }
    var value: Int32 = 0
    for byte in bytes {
      let digit = byte &- UInt8(ascii: "0")
      guard digit <= 9 else { return nil }
      value = value &* 10 &+ Int32(digit)
    }
    return value
  }

  /// The type that a name means, with its modifier.
  ///
  /// - Throws: 42704.
  func columnType(_ name: TypeName) throws(SQLError) -> ColumnType {
    let element = try elementType(name)
    return name.arrayBounds.isEmpty ? element : ColumnType(.array(element.type), element.modifier)
  }

  private func elementType(_ name: TypeName) throws(SQLError) -> ColumnType {
    if name.isColumnType { return try typeOfColumn(name) }
    if !name.isStandard, let type = userType(name.name) {
      if !name.modifiers.isEmpty {
        throw SQLError(
          .syntaxError, "type modifier is not allowed for type \"\(name.name.name)\"",
          at: name.range)
      }
      return type
    }
    // Without quotes these are words of the grammar, which stand for other names.
    if !name.isStandard, name.name.name == "char" {
      throw SQLError(
        .featureNotSupported, "type \"char\" is not supported", at: name.range,
        hint: "It is PostgreSQL's type of one byte. Use character(1), or char without quotes.")
    }
    switch resolveTypeName(name.name.parts.map(\.name)) {
    case .type(let type)?:
      return ColumnType(type.type, try modifier(of: name, for: type.type))
    case .unsupported?: throw SQLError.unsupported("type \(name.name.name)", at: name.range)
    case nil: break
    }
    switch name.name.name {
    case "record": return ColumnType(.record(RecordType(name: nil, fields: [])))
    case "void": return ColumnType(.void)
    case "regclass", "regtype": return ColumnType(.text)
    default:
      let near = nearest(
        to: name.name.name, among: Self.commonTypeNames + catalog.typeNames.keys.map(\.name))
      throw SQLError(
        .undefinedObject, "type \"\(name.name.joined)\" does not exist", at: name.range,
        hint: near.map { "Perhaps you meant the type \"\($0)\"." })
    }
  }

  /// Names that a misspelt one may mean.
  private static let commonTypeNames = [
    "boolean", "smallint", "integer", "bigint", "real", "numeric", "text", "varchar", "bytea",
    "date", "time", "timestamp", "timestamptz", "interval", "uuid", "json", "jsonb",
  ]

  /// What stands in parentheses behind a type's name.
  ///
  /// - Throws: 22023 for lengths and precisions out of range.
  private func modifier(
    of name: TypeName, for type: LogicalType
  ) throws(SQLError) -> TypeModifier {
    var numbers: [Int] = []
    for modifier in name.modifiers {
      var expression = modifier
      var sign = 1
      if case .unary(let op, let inner) = expression.kind, op.name == "-" {
        (expression, sign) = (inner, -1)
      }
      guard case .literal(.integer(let value)) = expression.kind else {
        throw SQLError(
          .syntaxError, "type modifiers must be simple constants or identifiers",
          at: modifier.range)
      }
      numbers.append(sign * Int(clamping: value))
    }
    func invalid(_ message: String) -> SQLError {
      SQLError(.invalidParameterValue, message, at: name.range)
    }
    if let fields = name.intervalFields, type == .interval,
      let range = IntervalRange.allCases.first(where: { $0.name == fields.rawValue })
    {
      return .interval(range, precision: numbers.first.map { Int32(min($0, 6)) })
    }
    guard let first = numbers.first else { return .none }
    switch type {
    case .varchar, .character:
      let shown = type == .varchar ? "varchar" : "char"
      guard numbers.count == 1 else { throw invalid("invalid type modifier") }
      guard first >= 1 else { throw invalid("length for type \(shown) must be at least 1") }
      guard first <= 10_485_760 else {
        throw invalid("length for type \(shown) cannot exceed 10485760")
      }
      return .length(Int32(first))
    case .numeric:
      guard numbers.count <= 2 else { throw invalid("invalid NUMERIC type modifier") }
      guard (1...1000).contains(first) else {
        throw invalid("NUMERIC precision \(first) must be between 1 and 1000")
      }
      let scale = numbers.count == 2 ? numbers[1] : 0
      guard (-1000...1000).contains(scale) else {
        throw invalid("NUMERIC scale \(scale) must be between -1000 and 1000")
      }
      return .numeric(precision: Int32(first), scale: Int32(scale))
    case .bit, .varbit:
      let shown = type == .bit ? "bit" : "varbit"
      guard numbers.count == 1 else { throw invalid("invalid type modifier") }
      guard first >= 1 else { throw invalid("length for type \(shown) must be at least 1") }
      guard first <= 83_886_080 else {
        throw invalid("length for type \(shown) cannot exceed 83886080")
      }
      return .length(Int32(first))
    case .time, .timetz, .timestamp, .timestamptz, .interval:
      guard numbers.count == 1 else { throw invalid("invalid type modifier") }
      guard first >= 0 else {
        throw invalid("\(type.name.uppercased())(\(first)) precision must not be negative")
      }
      return .precision(Int32(min(first, 6)))
    case .boolean, .smallint, .integer, .bigint, .real, .double, .text, .name, .bytea, .date, .uuid,
      .json, .jsonb, .oid, .array, .record, .enumeration, .unknown, .void:
      throw SQLError(
        .syntaxError, "type modifier is not allowed for type \"\(name.name.name)\"",
        at: name.range)
    }
  }

  /// `table.column%TYPE`.
  private func typeOfColumn(_ name: TypeName) throws(SQLError) -> ColumnType {
    let parts = name.name.parts
    guard parts.count >= 2 else {
      throw SQLError(
        .syntaxError, "improper %TYPE reference (too few dotted names): \(name.name.joined)",
        at: name.range)
    }
    let table = QualifiedName(Array(parts.dropLast()), at: name.range)
    guard
      case .table(let definition)? = catalog.relation(
        schema: table.qualifier, table.name, searchPath: settings.searchPath)
    else { throw missingRelation(table, in: nil) }
    guard let index = definition.column(named: name.name.name) else {
      throw SQLError(
        .undefinedColumn,
        "column \"\(name.name.name)\" of relation \"\(table.name)\" does not exist", at: name.range)
    }
    dependencies.insert(definition.id)
    return definition.columns[index].columnType
  }

  /// An enumeration, composite type, domain, or the row of a table.
  private func userType(_ name: QualifiedName) -> ColumnType? {
    if let type = catalog.type(
      schema: name.qualifier, named: name.name, searchPath: settings.searchPath)
    {
      dependencies.insert(type.id)
      switch type.kind {
      case .enumeration(let enumeration): return ColumnType(.enumeration(enumeration))
      case .composite(let record): return ColumnType(.record(record))
      case .domain(let base, _, _, _): return base
      }
    }
    if case .table(let table)? = catalog.relation(
      schema: name.qualifier, name.name, searchPath: settings.searchPath)
    {
      dependencies.insert(table.id)
      return ColumnType(.record(table.rowType))
    }
    return nil
  }
}
