import Columnar
import Diagnostics
import SQLSyntax

extension BindingSession {
  /// - Throws: 42P20 if two windows have one name.
  func checkWindowNames(_ windows: [NamedWindow]) throws(SQLError) {
    var seen: Set<String> = []
    for window in windows where !seen.insert(window.name.name).inserted {
      throw SQLError(
        .windowingError, "window \"\(window.name.name)\" is already defined",
        at: window.name.range)
    }
  }

  /// A call with OVER; the value is a column that the window operator adds.
  func bindWindowCall(
    _ call: FunctionCall, over: WindowReference, at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    try checkWindowPlace(at: range, in: scope)
    scope.isInWindowCall = true
    defer { scope.isInWindowCall = false }
    var bound: WindowCall
    var values: [BoundExpression]
    var keyedType: LogicalType?
    if let function = Self.windowFunctions[call.name.name], call.name.parts.count == 1 {
      bound = try bindWindowFunction(call, function, at: range, in: scope)
      values = bound.arguments
    } else {
      guard isAggregate(call) else {
        if try functionExists(call, in: scope) {
          throw SQLError(
            .wrongObjectType,
            "OVER specified, but \(call.name.joined) is not a window function"
              + " nor an aggregate function", at: range)
        }
        let arguments = try bindArguments(call, in: scope)
        throw missingFunction(call.name, arguments, at: range)
      }
      if call.isDistinct {
        throw SQLError(
          .featureNotSupported, "DISTINCT is not implemented for window functions", at: range)
      }
      if !call.orderBy.isEmpty {
        throw SQLError(
          .featureNotSupported,
          call.isWithinGroup
            ? "OVER is not supported for ordered-set aggregate \(call.name.name)"
            : "aggregate ORDER BY is not implemented for window functions", at: range)
      }
      let aggregate = try makeAggregate(call, at: range, in: scope)
      values = aggregate.arguments
      let (keyed, isKeyed) = try orderedExtreme(aggregate, at: range)
      if isKeyed { keyedType = aggregate.type }
      bound = WindowCall(
        function: .aggregate(keyed), arguments: [], partitionBy: [], orderBy: [],
        frame: Self.defaultFrame, type: keyed.type)
    }
    let specification = try windowSpecification(over, in: scope)
    try bindWindow(specification, into: &bound, in: scope)
    let column = makeColumn(call.name.name, bound.type)
    note(try statedCollation(of: values, giving: bound.type, at: range), of: column)
    scope.windowCalls.append((column: column, call: bound))
    owners[column.id] = scope
    let value = BoundExpression.column(column.id, column.type)
    return keyedType.map { text(ofKey: value, $0) } ?? value
  }

  private func checkWindowPlace(at range: SourceRange, in scope: Scope) throws(SQLError) {
    if scope.isInWindowCall {
      throw SQLError(.windowingError, "window function calls cannot be nested", at: range)
    }
    switch scope.clause {
    case .selectList, .orderBy, .distinctOn:
      if scope.aggregateDepth > 0 {
        throw SQLError(
          .groupingError, "aggregate function calls cannot contain window function calls",
          at: range)
      }
    case .windowPartition, .windowOrder:
      throw SQLError(
        .windowingError, "window functions are not allowed in window definitions", at: range)
    case .other, .from, .function, .on, .filter, .having, .groupBy, .limit, .offset, .values,
      .returning, .update, .aggregateFilter, .windowRange, .windowRows, .windowGroups, .check,
      .columnDefault, .generated, .graphProperty, .index, .indexPredicate, .copyFilter, .mergeWhen,
      .graphColumns, .pathCost:
      throw SQLError(
        .windowingError, "window functions are not allowed in \(scope.clause.rawValue)", at: range)
    }
  }

  static let windowFunctions: [String: WindowCall.Function] = [
    "row_number": .rowNumber, "rank": .rank, "dense_rank": .denseRank,
    "percent_rank": .percentRank, "cume_dist": .cumeDist, "ntile": .ntile, "lag": .lag,
    "lead": .lead, "first_value": .firstValue, "last_value": .lastValue, "nth_value": .nthValue,
  ]

  private static let defaultFrame = WindowCall.WindowFrame(
    unit: .range, start: .unboundedPreceding, end: .currentRow)

  private func bindWindowFunction(
    _ call: FunctionCall, _ function: WindowCall.Function, at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> WindowCall {
    if call.isDistinct {
      throw SQLError(
        .wrongObjectType, "DISTINCT specified, but \(call.name.name) is not an aggregate function",
        at: range)
    }
    if call.filter != nil {
      throw SQLError(
        .featureNotSupported, "FILTER is not implemented for non-aggregate window functions",
        at: range)
    }
    let arguments = try bindArguments(call, in: scope)
    let shapes: [CandidateShape]
    let result: LogicalType?
    switch function {
    case .rowNumber, .rank, .denseRank:
      (shapes, result) = ([CandidateShape(parameters: [])], .bigint)
    case .percentRank, .cumeDist: (shapes, result) = ([CandidateShape(parameters: [])], .double)
    case .ntile: (shapes, result) = ([CandidateShape(parameters: [.exact(.integer)])], .integer)
    case .lag, .lead:
      shapes = [
        CandidateShape(parameters: [.anyElement]),
        CandidateShape(parameters: [.anyElement, .exact(.integer)]),
        CandidateShape(parameters: [.anyCompatible, .exact(.integer), .anyCompatible]),
      ]
      result = nil
    case .firstValue, .lastValue:
      (shapes, result) = ([CandidateShape(parameters: [.anyElement])], nil)
    case .nthValue:
      (shapes, result) = ([CandidateShape(parameters: [.anyElement, .exact(.integer)])], nil)
    case .aggregate: throw SQLError.internal("an aggregate among window functions")
    }
    let types = arguments.values.map(\.expression.type)
    guard case .one(let index) = choose(among: shapes, for: types),
      let parameters = shapes[index].expanded(to: types.count),
      let targets = settle(parameters, types),
      let values = try coerceArguments(arguments.values, to: targets)
    else { throw missingFunction(call.name, arguments, at: range) }
    return WindowCall(
      function: function, arguments: values, partitionBy: [], orderBy: [],
      frame: Self.defaultFrame, type: result ?? values.first?.type ?? .text)
  }

  /// The window with what it takes over from the named one it extends.
  private func windowSpecification(
    _ reference: WindowReference, in scope: Scope
  ) throws(SQLError) -> WindowSpecification {
    switch reference {
    case .named(let name): return try namedWindow(name, among: scope.windows[...])
    case .inline(let specification): return try extended(specification, among: scope.windows[...])
    }
  }

  /// A window by name; it can extend only windows that stand before it.
  private func namedWindow(
    _ name: Identifier, among windows: ArraySlice<NamedWindow>
  ) throws(SQLError) -> WindowSpecification {
    guard let index = windows.firstIndex(where: { $0.name.name == name.name }) else {
      throw SQLError(
        .undefinedObject, "window \"\(name.name)\" does not exist", at: name.range)
    }
    return try extended(windows[index].specification, among: windows[..<index])
  }

  private func extended(
    _ specification: WindowSpecification, among windows: ArraySlice<NamedWindow>
  ) throws(SQLError) -> WindowSpecification {
    guard let base = specification.base else { return specification }
    let parent = try namedWindow(base, among: windows)
    var result = specification
    result.base = nil
    if !specification.partitionBy.isEmpty {
      throw SQLError(
        .windowingError, "cannot override PARTITION BY clause of window \"\(base.name)\"",
        at: specification.range)
    }
    result.partitionBy = parent.partitionBy
    if !specification.orderBy.isEmpty, !parent.orderBy.isEmpty {
      throw SQLError(
        .windowingError, "cannot override ORDER BY clause of window \"\(base.name)\"",
        at: specification.range)
    }
    if result.orderBy.isEmpty { result.orderBy = parent.orderBy }
    if parent.frame != nil {
      throw SQLError(
        .windowingError, "cannot copy window \"\(base.name)\" because it has a frame clause",
        at: specification.range)
    }
    return result
  }

  private func bindWindow(
    _ specification: WindowSpecification, into call: inout WindowCall, in scope: Scope
  ) throws(SQLError) {
    let outer = scope.clause
    defer { scope.clause = outer }
    scope.isInWindowCall = false
    scope.clause = .windowPartition
    for expression in specification.partitionBy {
      let value = try settled(try bind(expression, in: scope), at: expression.range)
      try checkEquality(value, at: expression.range)
      call.partitionBy.append(value)
    }
    scope.clause = .windowOrder
    for item in specification.orderBy {
      let value = try settled(try bind(item.expression, in: scope), at: item.expression.range)
      if let key = try sortKey(item, value) { call.orderBy.append(key) }
    }
    guard let frame = specification.frame else { return }
    let unit: WindowCall.WindowFrame.Unit =
      switch frame.unit {
      case .rows: .rows
      case .range: .range
      case .groups: .groups
      }
    if unit == .groups, call.orderBy.isEmpty {
      throw SQLError(
        .windowingError, "GROUPS mode requires an ORDER BY clause", at: frame.range)
    }
    let start = try bindFrameBound(frame.start, frame, call, in: scope)
    let end = try bindFrameBound(frame.end, frame, call, in: scope)
    let exclusion: WindowCall.WindowFrame.Exclusion =
      switch frame.exclusion {
      case .noOthers: .none
      case .currentRow: .currentRow
      case .group: .group
      case .ties: .ties
      }
    call.frame = WindowCall.WindowFrame(unit: unit, start: start, end: end, exclusion: exclusion)
  }

  private func bindFrameBound(
    _ bound: WindowFrame.Bound, _ frame: WindowFrame, _ call: WindowCall, in scope: Scope
  ) throws(SQLError) -> WindowCall.WindowFrame.Bound {
    switch bound {
    case .unboundedPreceding: return .unboundedPreceding
    case .currentRow: return .currentRow
    case .unboundedFollowing: return .unboundedFollowing
    case .preceding(let offset):
      return .preceding(try bindFrameOffset(offset, frame, call, in: scope))
    case .following(let offset):
      return .following(try bindFrameOffset(offset, frame, call, in: scope))
    }
  }

  private func bindFrameOffset(
    _ expression: Expression, _ frame: WindowFrame, _ call: WindowCall, in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    switch frame.unit {
    case .rows: scope.clause = .windowRows
    case .range: scope.clause = .windowRange
    case .groups: scope.clause = .windowGroups
    }
    let value = try bind(expression, in: scope)
    let result: BoundExpression
    if frame.unit == .range {
      guard call.orderBy.count == 1, let key = call.orderBy.first?.expression.type else {
        throw SQLError(
          .windowingError,
          "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column",
          at: frame.range)
      }
      let type: LogicalType? =
        switch key {
        case .date, .timestamp, .timestamptz, .time, .interval: .interval
        // Whole numbers of any width may be added to those of another.
        case .smallint, .integer: value.type.isInteger ? .bigint : key
        case .bigint, .numeric, .double: key
        case .real: .double
        case .boolean, .text, .varchar, .character, .name, .bytea, .timetz, .bit, .varbit, .uuid,
          .json, .jsonb, .oid, .array, .record, .enumeration, .unknown, .void:
          nil
        }
      guard let type else {
        throw SQLError(
          .featureNotSupported,
          "RANGE with offset PRECEDING/FOLLOWING is not supported for column type \(key.name)",
          at: expression.range)
      }
      guard let offset = try coerce(value, to: ColumnType(type), at: expression.range) else {
        throw SQLError(
          .featureNotSupported,
          "RANGE with offset PRECEDING/FOLLOWING is not supported for column type \(key.name)"
            + " and offset type \(value.type.name)", at: expression.range,
          hint: "Cast the offset value to an appropriate type.")
      }
      result = offset
    } else {
      result = try coerceToInteger(
        value, as: .bigint, for: frame.unit.rawValue, at: expression.range)
    }
    if !result.columns.isEmpty {
      throw SQLError(
        .invalidColumnReference,
        "argument of \(frame.unit.rawValue) must not contain variables", at: expression.range)
    }
    return result
  }
}
