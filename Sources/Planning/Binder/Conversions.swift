import Catalog
import Columnar
import Diagnostics
import SQLSyntax

extension BindingSession {
  /// How willing a conversion must be to be made at all; nil if there is none.
  func conversionContext(
    from source: LogicalType, to target: LogicalType
  ) -> CoercionContext? {
    if source == target { return .implicit }
    if case .array(let from) = source, case .array(let to) = target {
      return conversionContext(from: from, to: to)
    }
    if source.isString {
      if target.isString { return source == .name || target != .name ? .implicit : .assignment }
      if case .void = target { return nil }
      return .explicit
    }
    if target.isString { return target == .name ? .explicit : .assignment }
    let numbers: [LogicalType] = [.smallint, .integer, .bigint, .numeric, .real, .double]
    if let from = numbers.firstIndex(of: source), let to = numbers.firstIndex(of: target) {
      return from < to ? .implicit : .assignment
    }
    switch (source, target) {
    case (.smallint, .oid), (.integer, .oid), (.bigint, .oid): return .implicit
    case (.oid, .integer), (.oid, .bigint): return .assignment
    case (.boolean, .integer), (.integer, .boolean): return .explicit
    case (.date, .timestamp), (.date, .timestamptz), (.timestamp, .timestamptz),
      (.time, .interval):
      return .implicit
    case (.timestamp, .date), (.timestamptz, .date), (.timestamptz, .timestamp),
      (.timestamp, .time), (.timestamptz, .time), (.interval, .time):
      return .assignment
    case (.json, .jsonb), (.jsonb, .json): return .assignment
    case (.jsonb, .boolean): return .explicit
    case (.jsonb, let type) where type.isNumeric && type != .oid: return .explicit
    default: return nil
    }
  }

  /// The kernel that converts; nil if there is none.
  func conversionKernel(
    from source: LogicalType, to target: ColumnType, isExplicit: Bool
  ) -> ScalarKernel? {
    { (_, _, _) throws(SQLError) in throw SQLError.internal("no conversion kernel") }
  }

  /// The value of a literal of unknown type as a value of `type`.
  func parseLiteral(_ bytes: [UInt8], as type: LogicalType) throws(SQLError) -> Value {
    let text = String(decoding: bytes, as: UTF8.self)
    func invalid() -> SQLError {
      SQLError(
        .invalidTextRepresentation, "invalid input syntax for type \(type.name): \"\(text)\"")
    }
    switch type {
    case .smallint:
      guard let value = Int16(text) else { throw invalid() }
      return .int16(value)
    case .integer:
      guard let value = Int32(text) else { throw invalid() }
      return .int32(value)
    case .bigint, .oid:
      guard let value = Int64(text) else { throw invalid() }
      return .int64(value)
    case .double:
      guard let value = Double(text) else { throw invalid() }
      return .double(value)
    case .numeric: return .numeric(Numeric(coefficient: 0, scale: 0))
    case .boolean: return .boolean(text.first == "t")
    case .enumeration(let enumeration):
      guard let index = enumeration.labels.firstIndex(of: text) else {
        throw SQLError(
          .invalidTextRepresentation,
          "invalid input value for enum \(type.name): \"\(text)\"")
      }
      return .int32(Int32(index))
    case .text, .varchar, .character, .name, .json, .jsonb: return .text(bytes)
    default: throw SQLError.unsupported("a literal of type \(type.name)")
    }
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
    let isSystem = name.name.parts.count == 1 || name.name.qualifier == "pg_catalog"
    guard isSystem, let type = Self.typeNames[name.name.name] else {
      let near = nearest(
        to: name.name.name, among: Array(Self.typeNames.keys) + catalog.typeNames.keys.map(\.name))
      throw SQLError(
        .undefinedObject, "type \"\(name.name.joined)\" does not exist", at: name.range,
        hint: near.map { "Perhaps you meant the type \"\($0)\"." })
    }
    return ColumnType(type, try modifier(of: name, for: type))
  }

  /// The types of the system by PostgreSQL's own names.
  private static let typeNames: [String: LogicalType] = [
    "bool": .boolean, "boolean": .boolean, "int2": .smallint, "smallint": .smallint,
    "int4": .integer, "int": .integer, "integer": .integer, "int8": .bigint, "bigint": .bigint,
    "float4": .real, "real": .real, "float8": .double, "numeric": .numeric, "decimal": .numeric,
    "text": .text, "varchar": .varchar, "bpchar": .character, "char": .character, "name": .name,
    "bytea": .bytea, "date": .date, "time": .time, "timestamp": .timestamp,
    "timestamptz": .timestamptz, "interval": .interval, "uuid": .uuid, "json": .json,
    "jsonb": .jsonb, "oid": .oid, "void": .void, "record": .record(anyRecord), "regclass": .text,
    "regtype": .text,
  ]

  private static let anyRecord = RecordType(name: nil, fields: [])

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
    guard let first = numbers.first else { return .none }
    func invalid(_ message: String) -> SQLError {
      SQLError(.invalidParameterValue, message, at: name.range)
    }
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
    case .time, .timestamp, .timestamptz, .interval:
      guard numbers.count == 1 else { throw invalid("invalid type modifier") }
      guard first >= 0 else {
        throw invalid("\(type.name.uppercased())(\(first)) precision must not be negative")
      }
      return .precision(Int32(min(first, 6)))
    default:
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
