/// The functions, operators and aggregates that every database has, found by name.
///
/// The tables are made when the first name is looked up: some hundreds of microseconds, once a process.
package struct Builtins: Sendable {
  package static let shared = Builtins()

  private let scalars: [String: [ScalarFunction]]
  private let operatorTable: [String: [OperatorFunction]]
  private let aggregateTable: [String: [AggregateFunction]]
  private let setReturningTable: [String: [SetReturningFunction]]

  private init() {
    scalars = Dictionary(grouping: Self.scalarFunctions, by: \.name)
    operatorTable = Dictionary(grouping: Self.operatorFunctions, by: \.symbol)
    aggregateTable = Dictionary(grouping: Self.aggregateFunctions, by: \.name)
    setReturningTable = Dictionary(grouping: Self.setReturningFunctions, by: \.name)
  }

  /// The scalar functions of this name, in no order that matters.
  package func functions(named name: String) -> [ScalarFunction] { scalars[name] ?? [] }

  /// The operators of this symbol, prefix and infix.
  package func operators(_ symbol: String) -> [OperatorFunction] { operatorTable[symbol] ?? [] }

  /// The aggregates of this name.
  package func aggregates(named name: String) -> [AggregateFunction] { aggregateTable[name] ?? [] }

  /// The set-returning functions of this name.
  package func setReturning(named name: String) -> [SetReturningFunction] {
    setReturningTable[name] ?? []
  }

  /// Every name, for did-you-mean and completion.
  package var names: [String] {
    Array(scalars.keys) + Array(aggregateTable.keys) + Array(setReturningTable.keys)
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
