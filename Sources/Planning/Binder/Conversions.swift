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
    case .integer:
      guard let value = Int32(text) else { throw invalid() }
      return .int32(value)
    case .bigint:
      guard let value = Int64(text) else { throw invalid() }
      return .int64(value)
    default: return .text(bytes)
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
    if !name.isStandard, let type = userType(name.name) { return type }
    throw SQLError(
      .undefinedObject, "type \"\(name.name.joined)\" does not exist", at: name.range)
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
