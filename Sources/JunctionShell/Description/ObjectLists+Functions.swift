import Catalog
import Columnar

/// What `\df` and `\da` show.
extension ObjectLists {
  /// Which functions are meant.
  enum FunctionKind { case all, aggregates }

  /// One line of the list.
  struct FunctionEntry {
    let name: ObjectName
    let result: String
    let arguments: String
    let kind: String
    var volatility = FunctionVolatility.immutable
    var language = "internal"
    var comment = ""
  }

  /// The functions that are meant: those of users, and where a pattern or `S` asks for them those that are built in.
  func functions(_ kind: FunctionKind) -> TextTable {
    var entries: [FunctionEntry] = []
    if kind == .all {
      entries = catalog.functions.values.filter { isMeant($0.name) }.map { function in
        FunctionEntry(
          name: function.name, result: ObjectDescription.resultText(function),
          arguments: ObjectDescription.parameterText(function), kind: "func",
          volatility: function.isVolatile ? .volatile : .stable, language: function.language,
          comment: function.comment ?? "")
      }
    }
    if pattern != nil || showsSystem || kind == .aggregates {
      for name in Builtins.shared.names where isMeantOfSystem(name) {
        entries += Self.builtins(name, kind)
      }
    }
    entries.sort {
      ($0.name.schema, $0.name.name, $0.arguments) < ($1.name.schema, $1.name.name, $1.arguments)
    }
    let isAggregates = kind == .aggregates
    return TextTable(
      title: isAggregates ? "List of aggregate functions" : "List of functions",
      names: ["Schema", "Name", "Result data type", "Argument data types"]
        + (isAggregates ? ["Description"] : ["Type"])
        + (isVerbose && !isAggregates ? ["Volatility", "Owner", "Language", "Description"] : []),
      rows: entries.map { entry in
        [entry.name.schema, entry.name.name, entry.result, entry.arguments]
          + (isAggregates ? [entry.comment] : [entry.kind])
          + (isVerbose && !isAggregates
            ? [Self.word(entry.volatility), Self.owner, entry.language, entry.comment] : [])
      })
  }

  private func isMeantOfSystem(_ name: String) -> Bool {
    pattern.map { $0.matches(ObjectName(schema: "pg_catalog", name), inSystem: true) } ?? true
  }

  private static func word(_ volatility: FunctionVolatility) -> String {
    switch volatility {
    case .immutable: "immutable"
    case .stable: "stable"
    case .volatile: "volatile"
    }
  }

  /// The built-in functions of a name.
  static func builtins(_ name: String, _ kind: FunctionKind = .all) -> [FunctionEntry] {
    let full = ObjectName(schema: "pg_catalog", name)
    let aggregates = Builtins.shared.aggregates(named: name).map { function in
      FunctionEntry(
        name: full, result: text(function.result),
        arguments: function.arguments.isEmpty
          ? "*" : text(function.arguments, function.isVariadic), kind: "agg")
    }
    if kind == .aggregates { return aggregates }
    let scalars = Builtins.shared.functions(named: name).map { function in
      FunctionEntry(
        name: full, result: text(function.result),
        arguments: text(function.arguments, function.isVariadic), kind: "func",
        volatility: function.volatility)
    }
    let sets = Builtins.shared.setReturning(named: name).map { function in
      FunctionEntry(
        name: full,
        result: "SETOF "
          + (function.columns.count == 1 ? text(function.columns[0].type) : "record"),
        arguments: text(function.arguments, function.isVariadic), kind: "func")
    }
    return scalars + sets + aggregates
  }

  private static func text(_ arguments: [ArgumentType], _ isVariadic: Bool) -> String {
    arguments.enumerated().map { index, type in
      (isVariadic && index + 1 == arguments.count ? "VARIADIC " : "") + text(type)
    }.joined(separator: ", ")
  }

  private static func text(_ type: ArgumentType) -> String {
    switch type {
    case .exact(let type): type.name
    case .any: "\"any\""
    case .anyElement: "anyelement"
    case .anyArray: "anyarray"
    case .anyNonArray: "anynonarray"
    case .anyEnum: "anyenum"
    case .anyRecord: "record"
    }
  }

  private static func text(_ type: ResultType) -> String {
    switch type {
    case .exact(let type): type.name
    case .anyElement: "anyelement"
    case .anyArray: "anyarray"
    }
  }
}
