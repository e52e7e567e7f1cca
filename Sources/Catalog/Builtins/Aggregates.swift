import Columnar

extension Builtins {
  static var counting: [AggregateFunction] {
    [
      AggregateFunction("count", [], .exact(.bigint), isStrict: false) { _, _ in
        CountAccumulator()
      },
      AggregateFunction("count", [.any], .exact(.bigint)) { _, _ in CountAccumulator() },
    ]
  }

  static var summing: [AggregateFunction] {
    let sums: [(LogicalType, LogicalType)] = [
      (.smallint, .bigint), (.integer, .bigint), (.bigint, .numeric), (.numeric, .numeric),
      (.real, .real), (.double, .double), (.interval, .interval),
    ]
    let averages: [(LogicalType, LogicalType)] = [
      (.smallint, .numeric), (.integer, .numeric), (.bigint, .numeric), (.numeric, .numeric),
      (.real, .double), (.double, .double), (.interval, .interval),
    ]
    return sums.map { argument, result in
      AggregateFunction("sum", [.exact(argument)], .exact(result)) { _, result in
        sum(of: argument, giving: result)
      }
    }
      + averages.map { argument, result in
        AggregateFunction("avg", [.exact(argument)], .exact(result)) { _, _ in
          average(of: argument)
        }
      }
  }

  private static func sum(
    of argument: LogicalType, giving result: LogicalType
  ) -> any AggregateAccumulator {
    switch argument {
    case .smallint, .integer: IntegerSumAccumulator(.bigint)
    case .bigint: IntegerSumAccumulator(.numeric)
    case .numeric: NumericSumAccumulator(isAverage: false)
    case .interval: IntervalSumAccumulator(isAverage: false)
    case .boolean, .real, .double, .text, .varchar, .character, .name, .bytea, .date, .time,
      .timetz, .timestamp, .timestamptz, .bit, .varbit, .uuid, .json, .jsonb, .oid, .array, .record,
      .enumeration, .unknown, .void:
      FloatSumAccumulator(resultType: result)
    }
  }

  private static func average(of argument: LogicalType) -> any AggregateAccumulator {
    switch argument {
    case .smallint, .integer, .bigint: IntegerSumAccumulator(.average)
    case .numeric: NumericSumAccumulator(isAverage: true)
    case .interval: IntervalSumAccumulator(isAverage: true)
    case .boolean, .real, .double, .text, .varchar, .character, .name, .bytea, .date, .time,
      .timetz, .timestamp, .timestamptz, .bit, .varbit, .uuid, .json, .jsonb, .oid, .array, .record,
      .enumeration, .unknown, .void:
      FloatAverageAccumulator()
    }
  }

  static var extremes: [AggregateFunction] {
    let types: [LogicalType] = [
      .smallint, .integer, .bigint, .real, .double, .numeric, .text, .character, .date, .time,
      .timetz,
      .timestamp,
      .timestamptz, .interval, .oid,
    ]
    return [("min", false), ("max", true)].flatMap { name, isMaximum in
      types.map { type in
        AggregateFunction(name, [.exact(type)], .exact(type)) { _, _ in
          ExtremeAccumulator(type: type, isMaximum: isMaximum)
        }
      } + [
        AggregateFunction(name, [.anyEnum], .anyElement) { types, _ in
          ExtremeAccumulator(type: types[0], isMaximum: isMaximum)
        }
      ]
    }
  }

  static var gathering: [AggregateFunction] {
    let booleans: [(String, BitAccumulator.Operation)] = [
      ("bool_and", .and), ("every", .and), ("bool_or", .or),
    ]
    let bits: [(String, BitAccumulator.Operation)] = [
      ("bit_and", .and), ("bit_or", .or), ("bit_xor", .xor),
    ]
    let integers: [LogicalType] = [.smallint, .integer, .bigint]
    return booleans.map { name, operation in
      AggregateFunction(name, [.exact(.boolean)], .exact(.boolean)) { _, _ in
        BitAccumulator(operation, type: .boolean)
      }
    }
      + bits.flatMap { name, operation in
        integers.map { type in
          AggregateFunction(name, [.exact(type)], .exact(type)) { _, _ in
            BitAccumulator(operation, type: type)
          }
        }
      }
      + [("bit_and", BitStrings.Operation.and), ("bit_or", .or), ("bit_xor", .xor)].map {
        name, operation in
        AggregateFunction(name, [.exact(.bit)], .exact(.bit)) { _, _ in
          BitStringAccumulator(operation)
        }
      }
      + [LogicalType.text, .bytea].map { type in
        AggregateFunction(
          "string_agg", [.exact(type), .exact(type)], .exact(type), isStrict: false,
          isOrderSensitive: true
        ) { _, _ in StringAccumulator(resultType: type) }
      }
      + [
        AggregateFunction(
          "array_agg", [.anyNonArray], .anyArray, isStrict: false, isOrderSensitive: true
        ) { types, _ in ArrayAccumulator(elementType: types[0]) }
      ]
  }
}
