import Catalog
import Columnar

/// Something of the catalog that can be called: a function, an operator, a cast or an aggregate.
struct Callable: Sendable {
  enum Kind: String, Sendable {
    case function, symbol, cast, reading, aggregate, rows
  }

  let kind: Kind
  let name: String
  let arguments: [ArgumentType]
  var isVariadic = false
  /// Whether equal arguments always give equal results.
  var isPure = true
  var isOrderedSet = false

  /// All of the engine's own tables, in an order that is always the same.
  static let all: [Callable] = functions + symbols + casts

  private static var functions: [Callable] {
    let names = Set(Builtins.shared.names).sorted()
    return names.flatMap { name -> [Callable] in
      let scalars = Builtins.shared.functions(named: name).map {
        Callable(
          kind: .function, name: name, arguments: $0.arguments, isVariadic: $0.isVariadic,
          isPure: $0.volatility == .immutable)
      }
      let aggregates = Builtins.shared.aggregates(named: name).map {
        Callable(
          kind: .aggregate, name: name, arguments: $0.arguments, isVariadic: $0.isVariadic,
          isOrderedSet: $0.isOrderedSet)
      }
      let rows = Builtins.shared.setReturning(named: name).map {
        Callable(kind: .rows, name: name, arguments: $0.arguments, isVariadic: $0.isVariadic)
      }
      return scalars + aggregates + rows
    }
  }

  /// Every operator of up to four characters.
  private static var symbols: [Callable] {
    let characters = "+-*/<>=~!@#%^&|?".map(String.init)
    var all = [""]
    var names: [String] = []
    for _ in 0..<4 {
      all = all.flatMap { start in characters.map { start + $0 } }
      names += all
    }
    var found: [Callable] = []
    for name in names {
      for symbol in Builtins.shared.operators(name) {
        found.append(
          Callable(
            kind: .symbol, name: name, arguments: (symbol.left.map { [$0] } ?? []) + [symbol.right],
            isPure: symbol.volatility == .immutable))
      }
    }
    // The binder knows comparisons by itself.
    for type in types {
      for name in ["=", "<", ">=", "<>"] {
        found.append(Callable(kind: .symbol, name: name, arguments: [.exact(type), .exact(type)]))
      }
    }
    return found
  }

  static let types: [LogicalType] = [
    .boolean, .smallint, .integer, .bigint, .real, .double, .numeric, .text, .varchar, .character,
    .name, .bytea, .date, .time, .timetz, .timestamp, .timestamptz, .interval, .bit, .varbit, .uuid,
    .json,
    .jsonb, .oid, .array(.integer), .array(.text),
  ]

  private static var casts: [Callable] {
    var found: [Callable] = []
    for source in types {
      for target in types where source != target && castContext(from: source, to: target) != nil {
        found.append(Callable(kind: .cast, name: target.name, arguments: [.exact(source)]))
      }
    }
    let shortened = [
      "numeric(5,2)", "numeric(38,20)", "varchar(3)", "character(2)", "timestamp(0)", "time(3)",
      "interval(0)", "bit(3)", "varbit(2)",
    ]
    for name in shortened {
      for source in types {
        found.append(Callable(kind: .cast, name: name, arguments: [.exact(source)]))
      }
    }
    return found + types.map { Callable(kind: .reading, name: $0.name, arguments: [.exact($0)]) }
  }

  /// The call with these arguments.
  func text(_ arguments: [String]) -> String {
    switch kind {
    case .function, .rows: return "\"\(name)\"(\(arguments.joined(separator: ", ")))"
    case .symbol:
      return arguments.count == 1
        ? "\(name) (\(arguments[0]))" : "(\(arguments[0])) \(name) (\(arguments[1]))"
    case .cast, .reading: return "(\(arguments[0]))::\(name)"
    case .aggregate:
      if isOrderedSet {
        return
          "\(name)(\(arguments.dropLast().joined(separator: ", "))) WITHIN GROUP (ORDER BY \(arguments.last ?? "1"))"
      }
      return "\(name)(\(arguments.isEmpty ? "*" : arguments.joined(separator: ", ")))"
    }
  }
}
