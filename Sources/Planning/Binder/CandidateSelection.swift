import Columnar
import Diagnostics

/// What a parameter of a function accepts.
enum ParameterKind: Hashable {
  case exact(LogicalType)
  /// `anyelement`: all such parameters are of one type; `anyarray` is an array of it.
  case anyElement, anyArray, anyNonArray
  /// `anycompatible`: all such parameters become one common type; `anycompatiblearray` an array of it.
  case anyCompatible, anyCompatibleArray
  /// A row of any shape.
  case anyRecord
  case anyEnum
  /// `"any"`: whatever it is.
  case any

  /// The type, if there is only one.
  var type: LogicalType? {
    if case .exact(let type) = self { return type }
    return nil
  }

  /// The family of the parameter's types.
  var category: TypeCategory {
    switch self {
    case .exact(let type): type.category
    case .anyArray, .anyCompatibleArray: .array
    case .anyRecord: .composite
    case .anyEnum: .enumeration
    case .anyElement, .anyNonArray, .anyCompatible, .any: .pseudo
    }
  }

  var isPreferred: Bool { type?.isPreferred ?? false }
}

/// The parameters of one function among several of a name.
struct CandidateShape {
  var parameters: [ParameterKind]
  /// The last parameter stands for any number of arguments, at least one.
  var isVariadic = false
  /// How many parameters at the end have defaults.
  var defaultCount = 0

  /// The parameters for so many arguments; nil if that is the wrong number.
  func expanded(to count: Int) -> [ParameterKind]? {
    if isVariadic, let last = parameters.last {
      guard count >= parameters.count else { return nil }
      let fixed = parameters.dropLast()
      return fixed + Array(repeating: last, count: count - fixed.count)
    }
    guard count <= parameters.count, count >= parameters.count - defaultCount else { return nil }
    return Array(parameters.prefix(count))
  }
}

/// The outcome of choosing among functions of one name.
enum CandidateChoice {
  case one(Int)
  case ambiguous
  case none
}

extension BindingSession {
  /// PostgreSQL's choice among overloaded functions or operators.
  func choose(among shapes: [CandidateShape], for arguments: [LogicalType]) -> CandidateChoice {
    var candidates: [(index: Int, parameters: [ParameterKind])] = []
    for (index, shape) in shapes.enumerated() {
      guard let parameters = shape.expanded(to: arguments.count) else { continue }
      // Exact types end the search.
      if zip(parameters, arguments).allSatisfy({ $0.type == $1 && $1 != .unknown }) {
        return .one(index)
      }
      candidates.append((index, parameters))
    }
    candidates.removeAll { !accepts($0.parameters, arguments) }
    if candidates.isEmpty { return .none }
    if candidates.count == 1 { return .one(candidates[0].index) }

    func keepBest(_ score: ([ParameterKind]) -> Int) {
      let scores = candidates.map { score($0.parameters) }
      let best = scores.max() ?? 0
      candidates = zip(candidates, scores).filter { $1 == best }.map(\.0)
    }
    let known = arguments.indices.filter { arguments[$0] != .unknown }
    keepBest { parameters in known.count { parameters[$0].type == arguments[$0] } }
    if candidates.count == 1 { return .one(candidates[0].index) }
    keepBest { parameters in
      known.count { index in
        parameters[index].type == arguments[index]
          || (parameters[index].isPreferred
            && parameters[index].category == arguments[index].category)
      }
    }
    if candidates.count == 1 { return .one(candidates[0].index) }
    return chooseByUnknowns(candidates, arguments)
  }

  /// The rules for string constants and parameters without a type.
  private func chooseByUnknowns(
    _ remaining: [(index: Int, parameters: [ParameterKind])], _ arguments: [LogicalType]
  ) -> CandidateChoice {
    var candidates = remaining
    let unknown = arguments.indices.filter { arguments[$0] == .unknown }
    if unknown.isEmpty {
      // Of functions that take the same types, a polymorphic one gives way.
      let exact = candidates.filter { $0.parameters.allSatisfy { $0.type != nil } }
      return exact.count == 1 ? .one(exact[0].index) : .ambiguous
    }
    var isResolved = true
    var wanted: [(position: Int, category: TypeCategory, isPreferred: Bool)] = []
    for position in unknown {
      var categories: [TypeCategory] = []
      for candidate in candidates {
        let category = candidate.parameters[position].category
        if !categories.contains(category) { categories.append(category) }
      }
      guard let category = categories.contains(.string) ? .string : categories.first,
        categories.contains(.string) || categories.count == 1
      else {
        isResolved = false
        break
      }
      let isPreferred = candidates.contains {
        $0.parameters[position].category == category && $0.parameters[position].isPreferred
      }
      wanted.append((position, category, isPreferred))
    }
    if isResolved {
      let kept = candidates.filter { candidate in
        wanted.allSatisfy { position, category, isPreferred in
          let parameter = candidate.parameters[position]
          return parameter.category == category && (!isPreferred || parameter.isPreferred)
        }
      }
      if !kept.isEmpty { candidates = kept }
      if candidates.count == 1 { return .one(candidates[0].index) }
    }
    // If all known arguments are of one type, the unknown ones are taken to be of it.
    let types = Set(arguments.filter { $0 != .unknown })
    if let type = types.first, types.count == 1 {
      let kept = remaining.filter { candidate in
        unknown.allSatisfy { candidate.parameters[$0].type.map { canCoerce(type, to: $0) } ?? true }
      }
      if kept.count == 1 { return .one(kept[0].index) }
    }
    return .ambiguous
  }

  /// Whether implicit conversions make the arguments fit.
  private func accepts(_ parameters: [ParameterKind], _ arguments: [LogicalType]) -> Bool {
    for (parameter, argument) in zip(parameters, arguments) where argument != .unknown {
      switch parameter {
      case .exact(let type): guard canCoerce(argument, to: type) else { return false }
      case .anyArray, .anyCompatibleArray: guard argument.element != nil else { return false }
      case .anyRecord: guard case .record = argument else { return false }
      case .anyEnum: guard case .enumeration = argument else { return false }
      case .anyNonArray: guard argument.element == nil else { return false }
      case .any, .anyElement, .anyCompatible: break
      }
    }
    return settle(parameters, arguments) != nil
  }

  /// The types that the arguments must be converted to; nil if polymorphic ones do not agree.
  ///
  /// An entry is unknown where nothing settles it.
  func settle(_ parameters: [ParameterKind], _ arguments: [LogicalType]) -> [LogicalType]? {
    var element: LogicalType?
    var compatible: [LogicalType] = []
    for (parameter, argument) in zip(parameters, arguments) where argument != .unknown {
      switch parameter {
      case .anyElement, .anyNonArray, .anyEnum:
        guard let merged = merge(element, argument) else { return nil }
        element = merged
      case .anyArray:
        guard let inner = argument.element, let merged = merge(element, inner) else { return nil }
        element = merged
      case .anyCompatible: compatible.append(argument)
      case .anyCompatibleArray:
        guard let inner = argument.element else { return nil }
        compatible.append(inner)
      case .exact, .anyRecord, .any: break
      }
    }
    // An array of which nothing is known can be no argument by itself.
    if element == nil, parameters.contains(.anyArray), !parameters.contains(.anyElement) {
      return nil
    }
    var common: LogicalType?
    if parameters.contains(.anyCompatible) || parameters.contains(.anyCompatibleArray) {
      guard let type = try? commonType(of: compatible, for: "") else { return nil }
      guard compatible.allSatisfy({ canCoerce($0, to: type) }) else { return nil }
      common = type
    }
    var result: [LogicalType] = []
    for (parameter, argument) in zip(parameters, arguments) {
      switch parameter {
      case .exact(let type): result.append(type)
      case .anyElement, .anyNonArray, .anyEnum: result.append(element ?? .text)
      case .anyArray: result.append(.array(element ?? .text))
      case .anyCompatible: result.append(common ?? .text)
      case .anyCompatibleArray: result.append(.array(common ?? .text))
      case .anyRecord: result.append(argument)
      case .any: result.append(argument == .unknown ? .text : argument)
      }
    }
    return result
  }

  /// The one type that polymorphic arguments stand for, widened where they differ.
  private func merge(_ known: LogicalType?, _ next: LogicalType) -> LogicalType? {
    guard let known, known != next else { return next }
    guard let type = try? commonType(of: [known, next], for: ""), canCoerce(known, to: type),
      canCoerce(next, to: type)
    else { return nil }
    return type
  }

  /// The arguments as values of `types`.
  func coerceArguments(
    _ arguments: [Placed], to types: [LogicalType]
  ) throws(SQLError) -> [BoundExpression]? {
    var result: [BoundExpression] = []
    result.reserveCapacity(arguments.count)
    for (argument, type) in zip(arguments, types) {
      guard
        let value = try coerce(argument.expression, to: ColumnType(type), at: argument.range)
      else { return nil }
      result.append(value)
    }
    return result
  }
}
