import Catalog
import Columnar
import Diagnostics
import SQLSyntax

extension BindingSession {
  /// `ARRAY[…]`, with the type of its elements if a cast around it says one.
  func bindArray(
    _ list: [Expression], element: LogicalType?, at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    for item in list {
      if case .array = item.kind {
        throw SQLError.unsupported("a multidimensional array", at: item.range)
      }
    }
    let values = try bindAll(list, in: scope)
    let ranges = list.map(\.range)
    if let element {
      var items: [BoundExpression] = []
      for (value, place) in zip(values, ranges) {
        items.append(
          try cast(value, to: ColumnType(element), at: place, written: place))
      }
      return .array(items, .array(element))
    }
    if values.isEmpty {
      throw SQLError(
        .indeterminateDatatype, "cannot determine type of empty array", at: range,
        hint: "Explicitly cast to the desired type, for example ARRAY[]::integer[].")
    }
    let (items, type) = try unify(values, for: "ARRAY", at: ranges)
    if case .array = type { throw SQLError.unsupported("a multidimensional array", at: range) }
    return .array(items, .array(type))
  }

  /// `CAST(x AS type)`.
  func bindCast(
    _ operand: Expression, _ name: TypeName, at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    if name.name.name == "regclass", name.arrayBounds.isEmpty {
      return try relationName(try bind(operand, in: scope), at: range)
    }
    let target = try columnType(name)
    if case .array(let list) = operand.kind, let element = target.type.element {
      return try bindArray(list, element: element, at: operand.range, in: scope)
    }
    let value = try bind(operand, in: scope)
    let result = try cast(value, to: target, at: operand.range, written: range)
    return collated(try checked(result, as: name), as: target)
  }

  /// An explicit conversion.
  ///
  /// - Throws: 42846 `cannot cast type boolean to date`.
  func cast(
    _ value: BoundExpression, to target: ColumnType, at place: SourceRange, written: SourceRange
  ) throws(SQLError) -> BoundExpression {
    if let result = try coerce(value, to: target, .explicit, at: place) { return result }
    throw SQLError(
      .cannotCoerce, "cannot cast type \(value.type.name) to \(target.type.name)", at: written)
  }

  /// `date '2024-01-01'`.
  func bindTypedLiteral(
    _ name: TypeName, _ text: String, at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    if name.name.name == "regclass" {
      return try relationName(.constant(.string(text), .unknown), at: range)
    }
    let target = try columnType(name)
    let value = try cast(
      .constant(.string(text), .unknown), to: target, at: range, written: range)
    return collated(try checked(value, as: name), as: target)
  }

  /// `CURRENT_DATE` and its like.
  func bindSessionValue(
    _ value: SessionValue, precision: Int?, at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    let type: LogicalType
    switch value {
    case .currentDate: type = .date
    case .currentTime: type = .timetz
    case .localTime: type = .time
    case .currentTimestamp: type = .timestamptz
    case .localTimestamp: type = .timestamp
    case .currentUser, .sessionUser, .user, .currentRole:
      return .constant(.string(settings.userName), .name)
    case .currentCatalog: return .constant(.string(settings.databaseName), .name)
    case .currentSchema:
      let schema = settings.searchPath.first { $0 != "pg_temp" && catalog.schemas.contains($0) }
      return .constant(schema.map { .string($0) } ?? .null, .name)
    }
    let now = try callBuiltin("now", [], at: range)
    let modifier: TypeModifier =
      precision.map { .precision(Int32(clamping: min($0, 6))) } ?? .none
    return try cast(now, to: ColumnType(type, modifier), at: range, written: range)
  }

  /// `(x).name`.
  ///
  /// - Throws: 42703 `column "x" not found in data type t`, 42809.
  func selectField(
    _ name: Identifier, of value: BoundExpression, in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    guard case .record(let record) = value.type else {
      if let call = try functionOfRow(name.name, argument: value, at: name.range, in: scope) {
        return call
      }
      throw SQLError(
        .wrongObjectType,
        "column notation .\(name.name) applied to type \(value.type.name),"
          + " which is not a composite type", at: name.range)
    }
    if let index = record.fields.firstIndex(where: { $0.name == name.name }) {
      if case .row(let list, _) = value { return list[index] }
      return .field(value, index, record.fields[index].type)
    }
    if let call = try functionOfRow(name.name, argument: value, at: name.range, in: scope) {
      return call
    }
    if record.name == nil {
      throw SQLError(
        .undefinedColumn, "could not identify column \"\(name.name)\" in record data type",
        at: name.range)
    }
    throw SQLError(
      .undefinedColumn, "column \"\(name.name)\" not found in data type \(record.name ?? "record")",
      at: name.range)
  }

  /// `x[i]` and `x[a:b]`.
  func bindSubscripts(
    _ operand: Expression, _ subscripts: [Subscript], at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    var value = try bind(operand, in: scope)
    for step in subscripts {
      if value.type == .jsonb, case .index(let index) = step {
        value = try jsonElement(value, index, in: scope)
        continue
      }
      guard case .array = value.type else {
        throw SQLError(
          .datatypeMismatch,
          "cannot subscript type \(value.type.name) because it does not support subscripting",
          at: operand.range)
      }
      switch step {
      case .index(let index):
        let position = try bindSubscript(index, in: scope)
        value = arrayElement(value, position)
      case .slice(let lower, let upper):
        var bounds: [BoundExpression] = []
        for bound in [lower, upper] {
          if let bound {
            bounds.append(try bindSubscript(bound, in: scope))
          } else {
            bounds.append(.constant(.int32(bounds.isEmpty ? 1 : .max), .integer))
          }
        }
        value = arraySlice(value, bounds[0], bounds[1])
      }
    }
    return value
  }

  /// `jsonb[subscript]`: a step of a path, which leads nowhere in a scalar.
  ///
  /// - Throws: 42804 for a subscript that is neither a whole number nor a text.
  private func jsonElement(
    _ value: BoundExpression, _ index: Expression, in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    .call(
      BoundCall(
        name: "jsonb_subscript", arguments: [value, try jsonStep(index, in: scope).step],
        type: .jsonb, isStrict: true, volatility: .immutable,
        kernel: JSONFunctions.path(.jsonb, asText: false)))
  }

  /// A jsonb value with `part` put where the subscripts lead to.
  ///
  /// - Throws: 42804 for a subscript that is neither a whole number nor a text.
  func jsonAssignment(
    _ whole: BoundExpression, _ steps: ArraySlice<AssignmentTarget.Step>, _ part: BoundExpression,
    in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    var arguments = [whole, part]
    var startsArray = false
    for step in steps {
      guard case .element(.index(let index)) = step else { continue }
      let (value, isNumber) = try jsonStep(index, in: scope)
      if arguments.count == 2 { startsArray = isNumber }
      arguments.append(value)
    }
    return .call(
      BoundCall(
        name: "jsonb_assignment", arguments: arguments, type: .jsonb, isStrict: false,
        volatility: .immutable, kernel: JSONAssignment.kernel(startsArray: startsArray)))
  }

  /// A subscript of jsonb as a text, and whether it is a number.
  private func jsonStep(
    _ index: Expression, in scope: Scope
  ) throws(SQLError) -> (step: BoundExpression, isNumber: Bool) {
    let bound = try bind(index, in: scope)
    let isNumber = bound.type == .smallint || bound.type == .integer || bound.type == .bigint
    guard isNumber || bound.type.isString || bound.type == .unknown,
      let number = isNumber
        ? try coerce(bound, to: ColumnType(.integer), .assignment, at: index.range) : bound,
      let step = try coerce(number, to: ColumnType(.text), .explicit, at: index.range)
    else {
      throw SQLError(
        .datatypeMismatch, "subscript type \(bound.type.name) is not supported", at: index.range,
        hint: "jsonb subscript must be coercible to either integer or text.")
    }
    return (step, isNumber)
  }

  func bindSubscript(
    _ index: Expression, in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    let value = try bind(index, in: scope)
    guard let position = try coerce(value, to: ColumnType(.integer), .assignment, at: index.range)
    else {
      throw SQLError(
        .datatypeMismatch, "array subscript must have type integer", at: index.range)
    }
    return position
  }
}
