import Catalog
import Columnar
import Diagnostics
import SQLSyntax

extension BindingSession {
  /// Whether a value of type `source` can become `target` in this context.
  func canCoerce(
    _ source: LogicalType, to target: LogicalType, _ context: CastContext = .implicit
  ) -> Bool {
    if source == target || source == .unknown { return true }
    if case (.record(let from), .record(let to)) = (source, target) {
      // A composite type of the same shape under another name is a different type to SQL.
      if to.name == nil { return true }
      if from.name != nil, context != .explicit { return false }
      return from.fields.count == to.fields.count
        && zip(from.fields, to.fields).allSatisfy { canCoerce($0.type, to: $1.type, context) }
    }
    guard let needed = conversionContext(from: source, to: target) else { return false }
    return needed.rawValue <= context.rawValue
  }

  /// `expression` as a value of `target`; nil if there is no such conversion in this context.
  ///
  /// Literals of unknown type are read here, so that their errors have a place.
  /// - Throws: 22P02, 22007 and the like for a literal.
  func coerce(
    _ expression: BoundExpression, to target: ColumnType, _ context: CastContext = .implicit,
    at range: SourceRange
  ) throws(SQLError) -> BoundExpression? {
    let type = target.type
    if expression.type == .unknown, type != .unknown {
      return try coerceUnknown(expression, to: target, context, at: range)
    }
    if expression.type == type {
      if target.modifier == .none || modifier(of: expression) == target.modifier {
        return expression
      }
      return try convert(expression, to: target, context, at: range)
    }
    if case .record(let record) = type {
      return try coerceRow(expression, to: record, context, at: range)
    }
    guard canCoerce(expression.type, to: type, context) else { return nil }
    if case .constant(.null, _) = expression { return .constant(.null, type) }
    return try convert(expression, to: target, context, at: range)
  }

  private func coerceUnknown(
    _ expression: BoundExpression, to target: ColumnType, _ context: CastContext,
    at range: SourceRange
  ) throws(SQLError) -> BoundExpression? {
    let type = target.type
    if case .constant(.null, _) = expression { return .constant(.null, type) }
    if case .constant(.text(let bytes), _) = expression {
      if case .record(let record) = type, record.name == nil {
        throw SQLError(
          .featureNotSupported, "input of anonymous composite types is not implemented", at: range)
      }
      let value = try readLiteral(bytes, as: target, at: range)
      let constant = BoundExpression.constant(value, type)
      if target.modifier == .none { return constant }
      return try convert(constant, to: target, context, at: range)
    }
    if case .parameter(let index, _) = expression {
      settleParameter(index, as: type)
      let parameter = BoundExpression.parameter(index, type)
      if target.modifier == .none { return parameter }
      return try convert(parameter, to: target, context, at: range)
    }
    return try convert(expression, to: target, context, at: range)
  }

  private func settleParameter(_ index: Int, as type: LogicalType) {
    while parameterTypes.count <= index { parameterTypes.append(nil) }
    if parameterTypes[index] == nil { parameterTypes[index] = type }
  }

  private func coerceRow(
    _ expression: BoundExpression, to record: RecordType, _ context: CastContext,
    at range: SourceRange
  ) throws(SQLError) -> BoundExpression? {
    guard case .record(let source) = expression.type else {
      return nil
    }
    if record.name == nil, record.fields.isEmpty { return expression }
    guard source.fields.count == record.fields.count else {
      throw SQLError(
        .cannotCoerce, "cannot cast type \(expression.type.name) to \(record.name ?? "record")",
        at: range,
        detail: source.fields.count < record.fields.count
          ? "Input has too few columns." : "Input has too many columns.")
    }
    if case .row(let list, _) = expression, source.name == nil {
      var fields: [BoundExpression] = []
      for (item, field) in zip(list, record.fields) {
        // A literal in ROW(…) was taken for text only as nothing said what it should be.
        var value = item
        if case .constant(let constant, .text) = item { value = .constant(constant, .unknown) }
        guard let coerced = try coerce(value, to: ColumnType(field.type), context, at: range) else {
          return nil
        }
        fields.append(coerced)
      }
      return .row(fields, record)
    }
    guard canCoerce(.record(source), to: .record(record), context) else { return nil }
    if source.fields.map(\.type) == record.fields.map(\.type) {
      return try convert(expression, to: ColumnType(.record(record)), context, at: range)
    }
    var isPossible = true
    let converted = try sharing([expression]) { (shared) throws(SQLError) in
      let whole = shared[0]
      var fields: [BoundExpression] = []
      for (index, field) in record.fields.enumerated() {
        let part = BoundExpression.field(whole, index, source.fields[index].type)
        guard let coerced = try coerce(part, to: ColumnType(field.type), context, at: range) else {
          isPossible = false
          return whole
        }
        fields.append(coerced)
      }
      return .caseWhen(
        [
          BoundBranch(
            condition: .not(.distinct(whole, .constant(.null, whole.type), negated: false)),
            result: .constant(.null, .record(record)))
        ], otherwise: .row(fields, record), .record(record))
    }
    return isPossible ? converted : nil
  }

  /// The conversion itself; that of a constant literal is done here and now.
  private func convert(
    _ expression: BoundExpression, to target: ColumnType, _ context: CastContext,
    at range: SourceRange
  ) throws(SQLError) -> BoundExpression? {
    if context != .explicit, target.type == .varchar, case .length(let length) = target.modifier,
      case .constant(.text(let bytes), .varchar) = expression, bytes.count <= Int(length)
    {
      // So many bytes are at most so many characters: the value fits as it is.
      return expression
    }
    if case .record = target.type, case .record = expression.type {
      // Only the name of the type differs: the value is the same.
      if case .row(let list, _) = expression, case .record(let record) = target.type {
        return .row(list, record)
      }
      return expression
    }
    guard
      let kernel = try conversionKernel(from: expression.type, to: target, context)
    else { return nil }
    let cast = BoundCast(
      expression, to: target, isExplicit: context == .explicit, kernel: kernel)
    if case .constant(let value, let type) = expression, target.modifier != .none,
      !value.isNull, type == target.type
    {
      do throws(SQLError) {
        let argument = Vector(constant: value, type: type, count: 1)
        let result = try kernel([argument], 1, settings.evaluation)
        if context != .explicit { return .constant(result.value(at: 0), type) }
        // The cast stays where it says what modifier the type has; its operand is the result.
        return .cast(
          BoundCast(
            .constant(result.value(at: 0), type), to: target, isExplicit: context == .explicit,
            kernel: kernel))
      } catch {
        // An assignment is refused for each row; nothing is wrong if there are none.
        if context == .explicit { throw error.located(at: range) }
      }
    }
    return .cast(cast)
  }

  /// The value that a literal stands for as a value of `type`.
  func readLiteral(
    _ bytes: [UInt8], as target: ColumnType, at range: SourceRange
  ) throws(SQLError) -> Value {
    do throws(SQLError) {
      return try parseLiteral(bytes, as: target)
    } catch {
      throw error.located(at: range)
    }
  }

  /// `expression` as a boolean.
  ///
  /// - Throws: 42804 `argument of WHERE must be type boolean, not type integer`.
  func coerceToBoolean(
    _ expression: BoundExpression, for clause: String, at range: SourceRange
  ) throws(SQLError) -> BoundExpression {
    if let coerced = try coerce(expression, to: ColumnType(.boolean), .assignment, at: range) {
      return coerced
    }
    throw SQLError(
      .datatypeMismatch,
      "argument of \(clause) must be type boolean, not type \(expression.type.name)", at: range)
  }

  /// `expression` as a whole number, for LIMIT and its like.
  func coerceToInteger(
    _ expression: BoundExpression, as type: LogicalType, for clause: String, at range: SourceRange
  ) throws(SQLError) -> BoundExpression {
    if let coerced = try coerce(expression, to: ColumnType(type), .assignment, at: range) {
      return coerced
    }
    throw SQLError(
      .datatypeMismatch,
      "argument of \(clause) must be type \(type.name), not type \(expression.type.name)",
      at: range)
  }

  /// `expression` as text if nothing has settled its type.
  func settled(
    _ expression: BoundExpression, at range: SourceRange
  ) throws(SQLError) -> BoundExpression {
    guard expression.type == .unknown else { return expression }
    return try coerce(expression, to: ColumnType(.text), at: range) ?? expression
  }

  /// The value for a column of a table.
  ///
  /// - Throws: 42804 with PostgreSQL's hint.
  func assign(
    _ expression: BoundExpression, to target: ColumnType, column: String, at range: SourceRange
  ) throws(SQLError) -> BoundExpression {
    if let coerced = try coerce(expression, to: target, .assignment, at: range) { return coerced }
    throw SQLError(
      .datatypeMismatch,
      "column \"\(column)\" is of type \(target.type.name) but expression is of type "
        + expression.type.name, at: range,
      hint: "You will need to rewrite or cast the expression.")
  }
}
