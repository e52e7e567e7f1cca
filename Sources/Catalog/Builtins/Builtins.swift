/// The functions, operators and aggregates that every database has, found by name.
///
/// Each table is made when the first name is looked up in it: up to some hundreds of microseconds, once a process.
package struct Builtins: Sendable {
  package static let shared = Builtins()

  private static let scalars = Dictionary(grouping: scalarFunctions, by: \.name)
  private static let operatorTable = Dictionary(grouping: operatorFunctions, by: \.symbol)
  private static let aggregateTable = Dictionary(grouping: aggregateFunctions, by: \.name)
  private static let setReturningTable = Dictionary(grouping: setReturningFunctions, by: \.name)

  private init() {}

  /// The scalar functions of this name, in no order that matters.
  package func functions(named name: String) -> [ScalarFunction] { Self.scalars[name] ?? [] }

  /// The operators of this symbol, prefix and infix.
  package func operators(_ symbol: String) -> [OperatorFunction] {
    Self.operatorTable[symbol] ?? []
  }

  /// The aggregates of this name.
  package func aggregates(named name: String) -> [AggregateFunction] {
    Self.aggregateTable[name] ?? []
  }

  /// The set-returning functions of this name.
  package func setReturning(named name: String) -> [SetReturningFunction] {
    Self.setReturningTable[name] ?? []
  }

  /// Every name, for did-you-mean and completion.
  package var names: [String] {
    Array(Self.scalars.keys) + Array(Self.aggregateTable.keys) + Array(Self.setReturningTable.keys)
  }

  private static var scalarFunctions: [ScalarFunction] {
    textFunctions + numberFunctions + listFunctions + enumerationFunctions + temporalFunctions
      + outputFunctions + regexFunctions + jsonFunctions + bitFunctions
  }
  private static var operatorFunctions: [OperatorFunction] {
    arithmeticOperators + numericOperators + textOperators + listOperators + temporalOperators
      + regexOperators + jsonOperators + bitOperators
  }
  private static var aggregateFunctions: [AggregateFunction] {
    counting + summing + extremes + gathering + statistics + jsonAggregates
  }
  private static var setReturningFunctions: [SetReturningFunction] {
    seriesFunctions + regexRows + jsonRows
  }
}
