package import Columnar

/// What a built-in function takes in one place.
package enum ArgumentType: Hashable, Sendable {
  case exact(LogicalType)
  /// Any type at all; an unknown literal becomes text.
  case any
  /// Polymorphic types: all of them in one signature stand for one type and its array.
  case anyElement, anyArray, anyNonArray, anyEnum
  /// A row of any shape.
  case anyRecord
}

/// What a built-in function gives.
package enum ResultType: Hashable, Sendable {
  case exact(LogicalType)
  /// The element, or the array, that the polymorphic arguments stand for.
  case anyElement, anyArray
}

/// A built-in function that gives one value for each row.
package struct ScalarFunction: Sendable {
  package let name: String
  package let arguments: [ArgumentType]
  /// Whether the last argument may come any number of times, none included.
  package let isVariadic: Bool
  /// How many of the last arguments may be left out, taking the function's own default.
  package let result: ResultType
  /// Whether a NULL argument makes the result NULL without a call.
  package let isStrict: Bool
  package let volatility: FunctionVolatility
  package let makeKernel: KernelFactory

  package init(
    _ name: String, _ arguments: [ArgumentType], _ result: ResultType, isVariadic: Bool = false,
    isStrict: Bool = true, volatility: FunctionVolatility = .immutable,
    makeKernel: @escaping KernelFactory
  ) {
    self.name = name
    self.arguments = arguments
    self.isVariadic = isVariadic
    self.result = result
    self.isStrict = isStrict
    self.volatility = volatility
    self.makeKernel = makeKernel
  }

  /// A function of settled types with one kernel.
  package init(
    _ name: String, _ arguments: [LogicalType], _ result: LogicalType, isStrict: Bool = true,
    volatility: FunctionVolatility = .immutable, kernel: @escaping ScalarKernel
  ) {
    self.init(
      name, arguments.map(ArgumentType.exact), .exact(result), isStrict: isStrict,
      volatility: volatility
    ) { _, _ in kernel }
  }
}

/// A built-in operator; comparisons of equal types are not among them, the binder knows those.
package struct OperatorFunction: Sendable {
  package let symbol: String
  /// nil for a prefix operator.
  package let left: ArgumentType?
  package let right: ArgumentType
  package let result: ResultType
  package let isStrict: Bool
  package let volatility: FunctionVolatility
  package let makeKernel: KernelFactory

  package init(
    _ symbol: String, _ left: ArgumentType?, _ right: ArgumentType, _ result: ResultType,
    isStrict: Bool = true, volatility: FunctionVolatility = .immutable,
    makeKernel: @escaping KernelFactory
  ) {
    self.symbol = symbol
    self.left = left
    self.right = right
    self.result = result
    self.isStrict = isStrict
    self.volatility = volatility
    self.makeKernel = makeKernel
  }

  /// An operator of settled types with one kernel.
  package init(
    _ symbol: String, _ left: LogicalType?, _ right: LogicalType, _ result: LogicalType,
    kernel: @escaping ScalarKernel
  ) {
    self.init(symbol, left.map(ArgumentType.exact), .exact(right), .exact(result)) { _, _ in
      kernel
    }
  }
}

/// A built-in aggregate.
package struct AggregateFunction: Sendable {
  package let name: String
  /// Empty for `count(*)`; those of an ordered-set aggregate end with the types of its ORDER BY.
  package let arguments: [ArgumentType]
  package let isVariadic: Bool
  package let result: ResultType
  /// Whether rows with a NULL argument are passed over.
  package let isStrict: Bool
  /// Whether it is called with WITHIN GROUP (ORDER BY …).
  package let isOrderedSet: Bool
  /// Whether the order of rows shows in the result.
  package let isOrderSensitive: Bool
  package let makeAccumulator: AggregateFactory

  package init(
    _ name: String, _ arguments: [ArgumentType], _ result: ResultType, isVariadic: Bool = false,
    isStrict: Bool = true, isOrderedSet: Bool = false, isOrderSensitive: Bool = false,
    makeAccumulator: @escaping AggregateFactory
  ) {
    self.name = name
    self.arguments = arguments
    self.isVariadic = isVariadic
    self.result = result
    self.isStrict = isStrict
    self.isOrderedSet = isOrderedSet
    self.isOrderSensitive = isOrderSensitive
    self.makeAccumulator = makeAccumulator
  }
}

/// A built-in function that gives rows.
package struct SetReturningFunction: Sendable {
  /// One column of the rows.
  package struct Column: Sendable, Hashable {
    package let name: String
    package let type: ResultType

    package init(_ name: String, _ type: ResultType) {
      self.name = name
      self.type = type
    }
  }
  package let name: String
  package let arguments: [ArgumentType]
  package let isVariadic: Bool
  /// One column is the function's value; several are a record's fields.
  package let columns: [Column]
  package let isStrict: Bool
  package let volatility: FunctionVolatility
  /// Makes the kernel for settled argument types.
  package let makeKernel: SetReturningFactory

  package init(
    _ name: String, _ arguments: [ArgumentType], _ columns: [Column], isVariadic: Bool = false,
    isStrict: Bool = true, volatility: FunctionVolatility = .immutable,
    makeKernel: @escaping SetReturningFactory
  ) {
    self.name = name
    self.arguments = arguments
    self.isVariadic = isVariadic
    self.columns = columns
    self.isStrict = isStrict
    self.volatility = volatility
    self.makeKernel = makeKernel
  }
}
