package import Columnar
package import Diagnostics

/// One node of an expression, made ready to compute whole vectors.
///
/// An evaluator may keep scratch state, so one worker at a time uses it.
package protocol Evaluator: AnyObject {
  /// The type of the result.
  var type: LogicalType { get }
  /// The value of each row of `chunk`, in any form.
  ///
  /// Columns that had to be made flat are put back into `chunk`, so that this is done once.
  ///
  /// - Precondition: the chunk has at least one row.
  func evaluate(
    _ chunk: inout DataChunk, _ context: ExecutionContext
  ) throws(SQLError) -> Vector
  /// The same in flat or constant form, as kernels take it.
  func evaluateNormalized(
    _ chunk: inout DataChunk, _ context: ExecutionContext
  ) throws(SQLError) -> Vector
  /// The same for those that know exact numbers in their small form.
  func evaluateCompact(
    _ chunk: inout DataChunk, _ context: ExecutionContext
  ) throws(SQLError) -> Vector
}

extension Evaluator {
  package func evaluateNormalized(
    _ chunk: inout DataChunk, _ context: ExecutionContext
  ) throws(SQLError) -> Vector {
    try evaluate(&chunk, context).normalized()
  }

  package func evaluateCompact(
    _ chunk: inout DataChunk, _ context: ExecutionContext
  ) throws(SQLError) -> Vector {
    try evaluate(&chunk, context).compactNormalized()
  }
}

/// A column of the input.
final class ColumnEvaluator: Evaluator {
  let type: LogicalType
  let index: Int

  init(_ index: Int, _ type: LogicalType) {
    self.index = index
    self.type = type
  }

  func evaluate(_ chunk: inout DataChunk, _ context: ExecutionContext) throws(SQLError) -> Vector {
    chunk.columns[index]
  }

  func evaluateNormalized(
    _ chunk: inout DataChunk, _ context: ExecutionContext
  ) throws(SQLError) -> Vector {
    try evaluateCompact(&chunk, context).normalized()
  }

  func evaluateCompact(
    _ chunk: inout DataChunk, _ context: ExecutionContext
  ) throws(SQLError) -> Vector {
    let column = chunk.columns[index]
    guard column.form == .indirect else { return column }
    let flat = column.compactFlattened()
    chunk.columns[index] = flat
    return flat
  }
}

/// Where an `apply` puts the value of a column of its left side for the plan on its right.
package final class OuterColumn {
  let type: LogicalType
  /// A constant vector of one row.
  var value: Vector

  init(_ type: LogicalType) {
    self.type = type
    value = Vector.null(type, count: 1)
  }
}

/// A column of a query around this one.
final class OuterColumnEvaluator: Evaluator {
  let column: OuterColumn
  var type: LogicalType { column.type }

  init(_ column: OuterColumn) { self.column = column }

  func evaluate(_ chunk: inout DataChunk, _ context: ExecutionContext) throws(SQLError) -> Vector {
    column.value.resized(to: chunk.count)
  }
}

/// A value written in the query.
final class ConstantEvaluator: Evaluator {
  let type: LogicalType
  let value: Vector

  init(_ value: Value, _ type: LogicalType) {
    self.type = type
    self.value = Vector(constant: value, type: type, count: 1)
  }

  func evaluate(_ chunk: inout DataChunk, _ context: ExecutionContext) throws(SQLError) -> Vector {
    value.resized(to: chunk.count)
  }
}

/// A parameter's value.
final class ParameterEvaluator: Evaluator {
  let type: LogicalType
  let index: Int

  init(_ index: Int, _ type: LogicalType) {
    self.index = index
    self.type = type
  }

  func evaluate(_ chunk: inout DataChunk, _ context: ExecutionContext) throws(SQLError) -> Vector {
    guard index >= 0 && index < context.parameters.count else {
      throw SQLError(.undefinedParameter, "there is no parameter $\(index + 1)")
    }
    let value = context.parameters[index]
    guard value.type.physical == type.physical else {
      throw SQLError.internal("parameter $\(index + 1) is \(value.type.name), not \(type.name)")
    }
    let typed = value.type == type ? value : value.retyped(type)
    return typed.resized(to: chunk.count)
  }
}
