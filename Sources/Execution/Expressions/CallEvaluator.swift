import Columnar
import Diagnostics
import Planning

/// A call of a kernel: function, operator or cast.
final class CallEvaluator: Evaluator {
  let type: LogicalType
  private let arguments: [any Evaluator]
  private let isStrict: Bool
  private let isVolatile: Bool
  /// Whether the kernel knows exact numbers in their small form.
  private let takesDecimals: Bool
  private let kernel: ScalarKernel

  init(
    _ arguments: [any Evaluator], type: LogicalType, isStrict: Bool, isVolatile: Bool,
    takesDecimals: Bool = false, kernel: @escaping ScalarKernel
  ) {
    self.arguments = arguments
    self.type = type
    self.isStrict = isStrict
    self.isVolatile = isVolatile
    self.takesDecimals = takesDecimals
    self.kernel = kernel
  }

  func evaluate(_ chunk: inout DataChunk, _ context: ExecutionContext) throws(SQLError) -> Vector {
    var vectors: [Vector] = []
    vectors.reserveCapacity(arguments.count)
    var allConstant = true
    for argument in arguments {
      let vector =
        try takesDecimals
        ? argument.evaluateCompact(&chunk, context) : argument.evaluateNormalized(&chunk, context)
      if vector.form == .constant {
        if isStrict && vector.isConstantNull { return Vector.null(type, count: chunk.count) }
      } else {
        allConstant = false
      }
      vectors.append(vector)
    }
    // A volatile function is called for each row even where all rows pass it the same.
    if allConstant && !isVolatile {
      for index in vectors.indices { vectors[index] = vectors[index].resized(to: 1) }
      let one = try kernel(vectors, 1, context.evaluation)
      return one.asConstant(count: chunk.count)
    }
    return try kernel(vectors, chunk.count, context.evaluation)
  }
}

extension Vector {
  /// The first row of a vector of one row as a constant vector.
  func asConstant(count rows: Int) -> Vector {
    if form == .constant { return resized(to: rows) }
    let flat = flattened()
    return Vector(
      type: type, count: rows, form: .constant, storage: flat.storage, validity: flat.validity,
      children: flat.children, heaps: flat.heaps)
  }

  /// One row as a constant vector.
  func constant(at row: Int, count rows: Int) -> Vector {
    if form == .constant { return resized(to: rows) }
    let position = Buffer<UInt32>(repeating: UInt32(truncatingIfNeeded: row), count: 1)
    return gathered(position, count: 1).asConstant(count: rows)
  }
}

/// A function that reads or changes the session: called for one row after another.
final class SessionEvaluator: Evaluator {
  let type: LogicalType
  private let function: SessionFunction
  private let arguments: [any Evaluator]

  init(_ function: SessionFunction, _ arguments: [any Evaluator], type: LogicalType) {
    self.function = function
    self.arguments = arguments
    self.type = type
  }

  func evaluate(_ chunk: inout DataChunk, _ context: ExecutionContext) throws(SQLError) -> Vector {
    guard let session = context.session else {
      throw SQLError.unsupported("\(function.rawValue) outside a session")
    }
    var vectors: [Vector] = []
    for argument in arguments { vectors.append(try argument.evaluate(&chunk, context)) }
    var builder = VectorBuilder(type, capacity: chunk.count)
    for row in 0..<chunk.count {
      builder.append(try session.call(function, vectors.map { $0.value(at: row) }, context))
    }
    return builder.finish()
  }
}
