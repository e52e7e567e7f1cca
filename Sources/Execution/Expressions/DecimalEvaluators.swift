import Columnar
import Diagnostics
import Planning

/// `+`, `-` and `*` of exact numbers: on whole numbers as long as they fit, by the kernel otherwise.
final class DecimalEvaluator: Evaluator {
  let type = LogicalType.numeric
  private let operation: DecimalArithmetic.Operation
  private let left: any Evaluator
  private let right: any Evaluator
  private let kernel: ScalarKernel

  init(
    _ operation: DecimalArithmetic.Operation, _ left: any Evaluator, _ right: any Evaluator,
    kernel: @escaping ScalarKernel
  ) {
    self.operation = operation
    self.left = left
    self.right = right
    self.kernel = kernel
  }

  func evaluate(_ chunk: inout DataChunk, _ context: ExecutionContext) throws(SQLError) -> Vector {
    let count = chunk.count
    let a = try left.evaluateCompact(&chunk, context)
    if a.isConstantNull { return Vector.null(type, count: count) }
    let b = try right.evaluateCompact(&chunk, context)
    if b.isConstantNull { return Vector.null(type, count: count) }
    if a.form == .constant && b.form == .constant {
      let one = try kernel(
        [a.resized(to: 1).normalized(), b.resized(to: 1).normalized()], 1, context.evaluation)
      return one.asConstant(count: count)
    }
    if let result = DecimalArithmetic.combine(operation, a, b, count: count) { return result }
    return try kernel([a.normalized(), b.normalized()], count, context.evaluation)
  }
}

/// Whole numbers as exact ones.
final class WholeAsDecimalEvaluator: Evaluator {
  let type = LogicalType.numeric
  private let operand: any Evaluator

  init(_ operand: any Evaluator) { self.operand = operand }

  func evaluate(_ chunk: inout DataChunk, _ context: ExecutionContext) throws(SQLError) -> Vector {
    let whole = try operand.evaluateNormalized(&chunk, context)
    guard let decimal = DecimalArithmetic.converted(whole) else {
      throw SQLError.internal("a \(whole.type.name) stands where a whole number should")
    }
    return decimal
  }
}

extension BoundCall {
  /// Whether the call is of one exact number, by a kernel that knows its small form.
  var isOfDecimal: Bool {
    type == .numeric && arguments.count == 1 && arguments[0].type == .numeric
      && ["-", "+", "@", "abs", "sign", "ceil", "ceiling", "floor", "round", "trunc"].contains(name)
  }

  /// What the call computes, if that can be done on exact numbers in their small form.
  var decimalOperation: DecimalArithmetic.Operation? {
    guard isOperator, type == .numeric, arguments.count == 2,
      arguments.allSatisfy({ $0.type == .numeric })
    else { return nil }
    switch name {
    case "+": return .add
    case "-": return .subtract
    case "*": return .multiply
    default: return nil
    }
  }
}

extension BoundCast {
  /// Whether an exact number becomes a double, by a kernel that knows its small form.
  var isDecimalAsDouble: Bool { operand.type == .numeric && target.type == .double }

  /// Whether the cast makes an exact number of a whole one, and nothing else.
  var isWholeAsDecimal: Bool {
    guard target == ColumnType(.numeric) else { return false }
    switch operand.type {
    case .smallint, .integer, .bigint: return true
    case .boolean, .real, .double, .numeric, .text, .varchar, .character, .name, .bytea, .date,
      .time, .timetz, .timestamp, .timestamptz, .interval, .bit, .varbit, .uuid, .json, .jsonb,
      .oid, .array, .record, .enumeration, .unknown, .void:
      return false
    }
  }
}
