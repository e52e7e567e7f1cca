import Catalog
import Columnar
import Diagnostics
import SQLSyntax

extension BindingSession {
  /// A graph algorithm in FROM; nil if the call is none.
  ///
  /// A function of the user's with the same name comes first.
  ///
  /// - Throws: 42883, 42P01, 42704, 42703, 42804 and what binding arguments throws.
  func bindGraphFunction(
    _ call: FunctionCall, at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> FunctionSource? {
    guard call.name.parts.count == 1, let function = GraphFunction(rawValue: call.name.name),
      catalog.functions(
        schema: nil, named: call.name.name, searchPath: settings.searchPath
      ).isEmpty
    else { return nil }
    let signature = function.signature
    var arguments = try GraphArguments(call, signature, at: range)
    guard let graph = arguments.take("graph") else {
      throw SQLError(
        .undefinedFunction, "\(function.rawValue) needs a graph", at: range,
        hint: "Name a junction table, a foreign key or a property graph in quotes,"
          + " or write a query that gives pairs: \(function.rawValue)((SELECT a, b FROM t)).")
    }
    var isDirected = signature.direction == .directed
    if let argument = arguments.take("directed") {
      isDirected = try constantBoolean(argument, "directed", in: scope)
    }
    let weight = try arguments.take("weight").map { (argument) throws(SQLError) in
      (try constantText(argument, "weight", in: scope), argument.range)
    }
    var named: [(name: String, range: SourceRange)] = []
    var namedBy: [String] = []
    for parameter in signature.parameters where parameter.kind == .column {
      guard let argument = arguments.take(parameter.name) else {
        if parameter.otherwise != nil { continue }
        throw missing(parameter, of: function, at: range)
      }
      named.append((try constantText(argument, parameter.name, in: scope), argument.range))
      namedBy.append(parameter.name)
    }
    var bound = try bindGraph(
      graph, weight: weight, columns: named, isDirected: isDirected, function, in: scope)
    if let argument = arguments.take("of") {
      let name = try constantText(argument, "of", in: scope)
      try bound.restrict(to: name, at: argument.range, self)
      bound.call.names.append(("of", name))
    }
    bound.call.names += zip(namedBy, named).map { ($0, $1.name) }
    if let weight { bound.call.names.append(("weight", weight.0)) }
    var values: [BoundExpression] = []
    for parameter in signature.parameters {
      values.append(
        try bindArgument(
          arguments.take(parameter.name), for: parameter, of: bound, function, at: range, in: scope)
      )
    }
    let columns = bound.columns(signature, self)
    let set = TableFunctionCall(
      name: function.rawValue, arguments: values, columns: columns, isStrict: false,
      isVolatile: values.contains(where: \.isVolatile), kernel: .rows { _, _, _ in },
      graph: bound.call)
    return FunctionSource(
      name: function.rawValue, kind: .call(set), columns: columns, isScalar: false, rowType: nil)
  }

  /// The value of a parameter.
  private func bindArgument(
    _ argument: Expression?, for parameter: GraphSignature.Parameter, of graph: BoundGraph,
    _ function: GraphFunction, at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    var type: LogicalType
    switch parameter.kind {
    case .value(let own): type = own
    case .column: return .constant(.null, .text)
    case .vertex, .vertices:
      guard let key = graph.vertexType else {
        guard let argument else {
          if parameter.otherwise != nil { return .constant(.null, .text) }
          throw missing(parameter, of: function, at: range)
        }
        return try bindVertex(argument, for: parameter, of: graph, function, in: scope)
      }
      type = key
    }
    guard let argument else {
      if let value = parameter.otherwise { return .constant(value, type) }
      throw missing(parameter, of: function, at: range)
    }
    let value = try bind(argument, in: scope)
    if case .vertices = parameter.kind, value.type.element != nil { type = .array(type) }
    // Integers are as good as fractions here, also where they are given for an integer key of another width.
    guard let converted = try coerce(value, to: ColumnType(type), .assignment, at: argument.range)
    else {
      throw SQLError(
        .datatypeMismatch,
        "argument \"\(parameter.name)\" of \(function.rawValue) must be of type \(type.name),"
          + " not \(value.type.name)", at: argument.range)
    }
    return converted
  }

  /// A key of one of several types, which says of which tables the vertex may be.
  ///
  /// - Throws: 42725 where it may be of several of these types, 42804 where it is of none.
  private func bindVertex(
    _ argument: Expression, for parameter: GraphSignature.Parameter, of graph: BoundGraph,
    _ function: GraphFunction, in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    let value = try bind(argument, in: scope)
    let types = graph.keyTypes
    if case .constant(.null, _) = value { return .constant(.null, .text) }
    let element = parameter.kind == .vertices ? value.type.element : nil
    let given = element ?? value.type
    var fitting = types.filter { $0 == given }
    if fitting.isEmpty {
      fitting = types.filter { given == .unknown || canCoerce(given, to: $0, .implicit) }
    }
    let names = types.map(\.name).joined(separator: ", ")
    guard let type = fitting.first else {
      throw SQLError(
        .datatypeMismatch,
        "argument \"\(parameter.name)\" of \(function.rawValue) must be of one of the types \(names),"
          + " not \(value.type.name)", at: argument.range)
    }
    let target = ColumnType(element == nil ? type : .array(type))
    guard fitting.count == 1,
      let converted = try coerce(value, to: target, .implicit, at: argument.range)
    else {
      throw SQLError(
        .ambiguousFunction,
        "it is not clear of which table argument \"\(parameter.name)\" of \(function.rawValue) is",
        at: argument.range, hint: "Cast it to the type of the table's key, one of \(names).")
    }
    return converted
  }

  private func missing(
    _ parameter: GraphSignature.Parameter, of function: GraphFunction, at range: SourceRange
  ) -> SQLError {
    SQLError(
      .undefinedFunction, "\(function.rawValue) needs the argument \"\(parameter.name)\"",
      at: range, hint: "Write it by name: \(parameter.name) => …")
  }

  private func constantBoolean(
    _ argument: Expression, _ name: String, in scope: Scope
  ) throws(SQLError) -> Bool {
    let value = try coerce(
      try bind(argument, in: scope), to: ColumnType(.boolean), at: argument.range)
    guard case .constant(.boolean(let isTrue), _)? = value else {
      throw SQLError(
        .invalidParameterValue, "argument \"\(name)\" must be true or false",
        at: argument.range)
    }
    return isTrue
  }

  /// A name given as a text.
  func constantText(
    _ argument: Expression, _ name: String, in scope: Scope
  ) throws(SQLError) -> String {
    guard case .constant(.text(let bytes), _) = try bind(argument, in: scope) else {
      throw SQLError(
        .invalidParameterValue, "argument \"\(name)\" must be a name in quotes",
        at: argument.range, hint: "It is needed when the statement is planned.")
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// The arguments of a graph algorithm by name.
struct GraphArguments {
  private var values: [String: Expression] = [:]

  /// - Throws: 42601 for one that comes twice, 42883 for one that is unknown or too many.
  init(_ call: FunctionCall, _ signature: GraphSignature, at range: SourceRange) throws(SQLError) {
    var names = ["graph"] + signature.parameters.map(\.name)
    let positional = names
    if signature.takesWeight { names.append("weight") }
    if signature.direction != .none { names.append("directed") }
    if signature.takesTable { names.append("of") }
    var hasNames = false
    for (index, argument) in call.arguments.enumerated() {
      let place = argument.name?.range ?? argument.value.range
      if argument.name == nil, hasNames {
        throw SQLError(
          .syntaxError, "positional argument cannot follow named argument", at: place)
      }
      hasNames = hasNames || argument.name != nil
      guard let name = argument.name?.name ?? (index < positional.count ? positional[index] : nil),
        names.contains(name)
      else {
        let what = argument.name.map { "has no argument \"\($0.name)\"" } ?? "has fewer arguments"
        throw SQLError(
          .undefinedFunction, "function \(call.name.name) \(what)", at: place,
          hint: "It takes \(names.joined(separator: ", ")).")
      }
      if values.updateValue(argument.value, forKey: name) != nil {
        throw SQLError(
          .syntaxError, "argument name \"\(name)\" used more than once", at: place)
      }
    }
  }

  /// An argument, if it was given.
  mutating func take(_ name: String) -> Expression? { values.removeValue(forKey: name) }
}
