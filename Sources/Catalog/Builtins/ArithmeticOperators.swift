import Columnar

extension Builtins {
  /// Arithmetic of numbers, bits included.
  static var arithmeticOperators: [OperatorFunction] { integerOperators + floatOperators }

  private static var integerOperators: [OperatorFunction] {
    var list: [OperatorFunction] = []
    let arithmetic: [(String, IntegerArithmetic.Operation)] = [
      ("+", .add), ("-", .subtract), ("*", .multiply), ("/", .divide),
    ]
    let types: [LogicalType] = [.smallint, .integer, .bigint]
    for (symbol, operation) in arithmetic {
      for left in types {
        for right in types {
          let wide = MixedOperands.wider(left, right)
          let kernel = IntegerArithmetic.kernel(operation, wide)
          list.append(
            OperatorFunction(
              symbol, left, right, wide,
              kernel: left == right ? kernel : MixedOperands.kernel(left, right, kernel)))
        }
      }
    }
    let bits: [(String, IntegerArithmetic.Operation)] = [
      ("%", .remainder), ("&", .bitAnd), ("|", .bitOr), ("#", .bitXor),
    ]
    let shifts: [(String, IntegerArithmetic.Operation)] = [("<<", .shiftLeft), (">>", .shiftRight)]
    let prefixes: [(String, IntegerArithmetic.UnaryOperation)] = [
      ("-", .negate), ("+", .plus), ("~", .bitNot), ("@", .absolute),
    ]
    for type in types {
      list += bits.map { symbol, operation in
        OperatorFunction(
          symbol, type, type, type, kernel: IntegerArithmetic.kernel(operation, type))
      }
      list += shifts.map { symbol, operation in
        OperatorFunction(
          symbol, type, .integer, type, kernel: IntegerArithmetic.kernel(operation, type))
      }
      list += prefixes.map { symbol, operation in
        OperatorFunction(symbol, nil, type, type, kernel: IntegerArithmetic.kernel(operation, type))
      }
    }
    return list
  }

  private static var floatOperators: [OperatorFunction] {
    var list: [OperatorFunction] = []
    let arithmetic: [(String, FloatArithmetic.Operation)] = [
      ("+", .add), ("-", .subtract), ("*", .multiply), ("/", .divide),
    ]
    let prefixes: [(String, FloatArithmetic.UnaryOperation)] = [
      ("-", .negate), ("+", .plus), ("@", .absolute),
    ]
    let types: [LogicalType] = [.real, .double]
    for left in types {
      for right in types {
        let wide = MixedOperands.wider(left, right)
        list += arithmetic.map { symbol, operation in
          let kernel = FloatArithmetic.kernel(operation, wide)
          return OperatorFunction(
            symbol, left, right, wide,
            kernel: left == right ? kernel : MixedOperands.kernel(left, right, kernel))
        }
      }
      list += prefixes.map { symbol, operation in
        OperatorFunction(symbol, nil, left, left, kernel: FloatArithmetic.kernel(operation, left))
      }
    }
    list.append(OperatorFunction("^", .double, .double, .double, kernel: FloatArithmetic.power))
    return list
  }
}
