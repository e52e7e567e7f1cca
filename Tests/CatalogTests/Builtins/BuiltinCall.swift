import Columnar
import Diagnostics

@testable import Catalog

/// Calls of built-in functions and operators with arguments written as text.
enum BuiltinCall {
  static let context = EvaluationContext(
    transactionTime: 0, statementTime: 0)

  /// A vector of the values that `texts` spell; nil is NULL.
  static func vector(_ type: LogicalType, _ texts: [String?]) throws -> Vector {
    let spelled = Vector(.text, texts.map { $0.map(Value.string) ?? .null })
    if type == .text { return spelled }
    return try TextParser(context).parse(spelled, as: ColumnType(type))
  }

  /// The text of a row, nil for NULL.
  static func text(_ vector: Vector, _ row: Int = 0) -> String? {
    guard vector.isValid(row) else { return nil }
    var output = ByteBuilder()
    TextFormatter(context).append(row, of: vector, to: &output)
    return output.bytes.string
  }

  static func fits(_ places: [ArgumentType], _ types: [LogicalType], isVariadic: Bool) -> Bool {
    var places = places
    if isVariadic, let last = places.last {
      while places.count < types.count { places.append(last) }
      if places.count > types.count { places.removeLast() }
    }
    guard places.count == types.count else { return false }
    return zip(places, types).allSatisfy { place, type in
      switch place {
      case .exact(let wanted): wanted == type
      case .anyArray: type.element != nil
      case .any, .anyElement: true
      case .anyNonArray: type.element == nil
      case .anyEnum: false
      case .anyRecord:
        if case .record = type { true } else { false }
      }
    }
  }

  /// What a function or operator gives for one row of arguments.
  static func evaluate(_ name: String, _ arguments: [(LogicalType, String?)]) throws -> String? {
    let types = arguments.map(\.0)
    let vectors = try arguments.map { try vector($0.0, [$0.1]) }
    let kernel: ScalarKernel
    if let found = Builtins.shared.functions(named: name).first(where: {
      fits($0.arguments, types, isVariadic: $0.isVariadic)
    }) {
      kernel = try found.makeKernel(types, .text)
    } else if let found = Builtins.shared.operators(name).first(where: {
      fits(($0.left.map { [$0] } ?? []) + [$0.right], types, isVariadic: false)
    }) {
      kernel = try found.makeKernel(types, .text)
    } else {
      throw SQLError(.undefinedFunction, "no \(name)(\(types.map(\.name)))")
    }
    // Flat and constant operands give the same.
    let flat = text(try kernel(vectors, 1, context))
    let constants = arguments.indices.map { place in
      Vector(constant: vectors[place].value(at: 0), type: types[place], count: 3)
    }
    if !vectors.isEmpty {
      let spread = text(try kernel(constants, 3, context), 2)
      if spread != flat {
        throw SQLError.internal("\(name): flat \(flat ?? "NULL"), constant \(spread ?? "NULL")")
      }
    }
    return flat
  }
}
