import Columnar

extension Builtins {
  /// Operators of exact numbers.
  static var numericOperators: [OperatorFunction] {
    let infix: [(String, NumericArithmetic.Operation)] = [
      ("+", .add), ("-", .subtract), ("*", .multiply), ("/", .divide), ("%", .remainder),
    ]
    let prefix: [(String, NumericArithmetic.UnaryOperation)] = [
      ("-", .negate), ("+", .plus), ("@", .absolute),
    ]
    return infix.map { symbol, operation in
      OperatorFunction(
        symbol, .numeric, .numeric, .numeric, kernel: NumericArithmetic.kernel(operation))
    }
      + prefix.map { symbol, operation in
        OperatorFunction(
          symbol, nil, .numeric, .numeric, kernel: NumericArithmetic.kernel(operation))
      } + [
        OperatorFunction("^", .numeric, .numeric, .numeric, kernel: NumericArithmetic.power),
        OperatorFunction("|/", nil, .double, .double, kernel: MathFunctions.kernel(.squareRoot)),
        OperatorFunction("||/", nil, .double, .double, kernel: MathFunctions.kernel(.cubeRoot)),
      ]
  }

  /// Functions of numbers.
  static var numberFunctions: [ScalarFunction] {
    doubleFunctions + exactFunctions + wholeFunctions
  }

  private static var doubleFunctions: [ScalarFunction] {
    let unary: [(String, MathFunctions.Function)] = [
      ("ceil", .ceiling), ("ceiling", .ceiling), ("floor", .floor), ("round", .round),
      ("trunc", .truncate), ("sqrt", .squareRoot), ("cbrt", .cubeRoot), ("exp", .exponential),
      ("ln", .logarithm), ("log", .commonLogarithm), ("log10", .commonLogarithm),
      ("degrees", .degrees), ("radians", .radians), ("sin", .sine), ("cos", .cosine),
      ("tan", .tangent), ("cot", .cotangent), ("asin", .arcSine), ("acos", .arcCosine),
      ("atan", .arcTangent), ("sinh", .hyperbolicSine), ("cosh", .hyperbolicCosine),
      ("tanh", .hyperbolicTangent), ("asinh", .areaSine), ("acosh", .areaCosine),
      ("atanh", .areaTangent), ("sind", .sineDegrees), ("cosd", .cosineDegrees),
      ("tand", .tangentDegrees), ("cotd", .cotangentDegrees), ("asind", .arcSineDegrees),
      ("acosd", .arcCosineDegrees), ("atand", .arcTangentDegrees),
    ]
    var list = unary.map { name, function in
      ScalarFunction(name, [.double], .double, kernel: MathFunctions.kernel(function))
    }
    list += [
      ScalarFunction("atan2", [.double, .double], .double, kernel: MathFunctions.arcTangent2),
      ScalarFunction(
        "atan2d", [.double, .double], .double, kernel: MathFunctions.arcTangent2Degrees),
      ScalarFunction("power", [.double, .double], .double, kernel: FloatArithmetic.power),
      ScalarFunction("pow", [.double, .double], .double, kernel: FloatArithmetic.power),
      ScalarFunction("pi", [], .double, kernel: MathFunctions.pi),
      ScalarFunction("random", [], .double, volatility: .volatile, kernel: MathFunctions.random),
      ScalarFunction(
        "setseed", [.double], .void, volatility: .volatile, kernel: MathFunctions.setSeed),
      ScalarFunction(
        "width_bucket", [.double, .double, .double, .integer], .integer,
        kernel: MathFunctions.widthBucket),
      ScalarFunction(
        "width_bucket", [.numeric, .numeric, .numeric, .integer], .integer,
        kernel: NumericArithmetic.widthBucket),
      ScalarFunction(
        "gen_random_uuid", [], .uuid, volatility: .volatile, kernel: MathFunctions.randomUUID),
    ]
    for type in [LogicalType.real, .double] {
      list.append(
        ScalarFunction("abs", [type], type, kernel: FloatArithmetic.kernel(.absolute, type)))
    }
    list.append(
      ScalarFunction("sign", [.double], .double, kernel: FloatArithmetic.kernel(.sign, .double)))
    return list
  }

  private static var exactFunctions: [ScalarFunction] {
    let unary: [(String, NumericArithmetic.UnaryOperation)] = [
      ("abs", .absolute), ("sign", .sign), ("ceil", .ceiling), ("ceiling", .ceiling),
      ("floor", .floor), ("round", .round), ("trunc", .truncate), ("trim_scale", .trimScale),
    ]
    return unary.map { name, operation in
      ScalarFunction(name, [.numeric], .numeric, kernel: NumericArithmetic.kernel(operation))
    } + [
      ScalarFunction("round", [.numeric, .integer], .numeric, kernel: NumericArithmetic.round),
      ScalarFunction("trunc", [.numeric, .integer], .numeric, kernel: NumericArithmetic.truncate),
      ScalarFunction(
        "mod", [.numeric, .numeric], .numeric, kernel: NumericArithmetic.kernel(.remainder)),
      ScalarFunction(
        "div", [.numeric, .numeric], .numeric, kernel: NumericArithmetic.kernel(.quotient)),
      ScalarFunction(
        "gcd", [.numeric, .numeric], .numeric, kernel: NumericArithmetic.divisor(isMultiple: false)),
      ScalarFunction(
        "lcm", [.numeric, .numeric], .numeric, kernel: NumericArithmetic.divisor(isMultiple: true)),
      ScalarFunction("sqrt", [.numeric], .numeric, kernel: NumericArithmetic.squareRoot),
      ScalarFunction("power", [.numeric, .numeric], .numeric, kernel: NumericArithmetic.power),
      ScalarFunction("pow", [.numeric, .numeric], .numeric, kernel: NumericArithmetic.power),
      ScalarFunction("exp", [.numeric], .numeric, kernel: NumericArithmetic.exponential),
      ScalarFunction("ln", [.numeric], .numeric, kernel: NumericArithmetic.naturalLogarithm),
      ScalarFunction("log", [.numeric], .numeric, kernel: NumericArithmetic.commonLogarithm),
      ScalarFunction("log10", [.numeric], .numeric, kernel: NumericArithmetic.commonLogarithm),
      ScalarFunction("log", [.numeric, .numeric], .numeric, kernel: NumericArithmetic.logarithm),
      ScalarFunction("scale", [.numeric], .integer, kernel: NumericArithmetic.scale),
      ScalarFunction("min_scale", [.numeric], .integer, kernel: NumericArithmetic.minimumScale),
      ScalarFunction("factorial", [.bigint], .numeric, kernel: MathFunctions.factorial),
    ]
  }

  private static var wholeFunctions: [ScalarFunction] {
    var list: [ScalarFunction] = []
    for type in [LogicalType.smallint, .integer, .bigint] {
      list.append(
        ScalarFunction("abs", [type], type, kernel: IntegerArithmetic.kernel(.absolute, type)))
      list.append(
        ScalarFunction(
          "mod", [type, type], type, kernel: IntegerArithmetic.kernel(.remainder, type)))
    }
    for type in [LogicalType.integer, .bigint] {
      list.append(
        ScalarFunction(
          "gcd", [type, type], type, kernel: MathFunctions.divisor(type, isMultiple: false)))
      list.append(
        ScalarFunction(
          "lcm", [type, type], type, kernel: MathFunctions.divisor(type, isMultiple: true)))
    }
    return list
  }
}
