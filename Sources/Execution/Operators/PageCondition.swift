import Columnar
import Diagnostics
import Planning
import Storage

/// What a scan's condition asks of whole pages: one whose zone maps say that no row meets it is passed over.
indirect enum PageCondition {
  /// A stored column compared with a value that is known before the scan.
  case comparison(column: Int, ZoneComparison, any Evaluator)
  /// The same of an operand that rises or falls with a column.
  case monotone(MonotoneOperand, ZoneComparison, any Evaluator)
  /// A stored column that is to be one of an array's elements.
  case element(column: Int, any Evaluator)
  /// A text that begins as a pattern does.
  case prefix(column: Int, any Evaluator, isPattern: Bool)
  case nullTest(column: Int, ZoneComparison)
  case all([PageCondition])
  case any([PageCondition])
  /// A part of which zone maps say nothing.
  case unknown

  /// Lists of more values are not asked for one by one.
  private static let listMax = 64

  /// nil for a condition of which zone maps say nothing.
  ///
  /// - Throws: as `ExpressionCompiler.compile`.
  init?(
    _ filter: BoundExpression, _ columns: [ScanPlan.Column], _ compiler: ExpressionCompiler
  ) throws(SQLError) {
    switch filter {
    case .comparison(let comparison, let left, let right):
      let known =
        right.isKnown(to: columns) ? (left, comparison, right) : (right, comparison.commuted, left)
      guard let test = known.1.zoneTest,
        let condition = try Self.comparing(known.0, test, known.2, columns, compiler)
      else { return nil }
      self = condition
    case .distinct(let left, let right, negated: true):
      let (operand, value) = right.isKnown(to: columns) ? (left, right) : (right, left)
      guard let column = operand.storedIndex(columns), case .constant(let constant, _) = value,
        !constant.isNull
      else { return nil }
      self = .comparison(column: column, .equal, try compiler.compile(value))
    case .column, .isBoolean(_, _, negated: false), .not(.column):
      guard let (operand, value) = filter.truth, let column = operand.storedIndex(columns) else {
        return nil
      }
      self = .comparison(
        column: column, .equal, try compiler.compile(.constant(.boolean(value), .boolean)))
    case .isNull(let operand, let negated):
      guard let column = operand.storedIndex(columns) else { return nil }
      self = .nullTest(column: column, negated ? .isNotNull : .isNull)
    case .inList(let operand, let list, negated: false):
      guard list.count <= Self.listMax else { return nil }
      var equal: [PageCondition] = []
      for value in list {
        guard let condition = try Self.comparing(operand, .equal, value, columns, compiler) else {
          return nil
        }
        equal.append(condition)
      }
      self = .any(equal)
    case .quantified(.equal, let operand, let array, isAll: false):
      guard let column = operand.storedIndex(columns), array.isKnown(to: columns) else {
        return nil
      }
      self = .element(column: column, try compiler.compile(array))
    case .call(let call):
      guard call.arguments.count == 2, call.name == "~~" || call.name == "starts_with",
        let column = call.arguments[0].storedIndex(columns), call.arguments[1].isKnown(to: columns)
      else { return nil }
      self = .prefix(
        column: column, try compiler.compile(call.arguments[1]), isPattern: call.name == "~~")
    case .and(let list):
      var parts: [PageCondition] = []
      var isKnown = false
      for part in list {
        let condition = try PageCondition(part, columns, compiler)
        if condition != nil { isKnown = true }
        parts.append(condition ?? .unknown)
      }
      if !isKnown { return nil }
      self = .all(parts)
    case .or(let list):
      var known: [PageCondition] = []
      for part in list {
        guard let condition = try PageCondition(part, columns, compiler) else { return nil }
        known.append(condition)
      }
      self = .any(known)
    case .constant, .parameter, .cast, .not, .distinct, .isBoolean, .caseWhen, .coalesce,
      .extreme, .inList, .quantified, .quantifiedCall, .array, .row, .field, .shared,
      .decoded, .local, .session, .subquery, .aggregate, .window:
      return nil
    }
  }

  /// A comparison of an operand with a value that is known before the scan.
  private static func comparing(
    _ operand: BoundExpression, _ test: ZoneComparison, _ value: BoundExpression,
    _ columns: [ScanPlan.Column], _ compiler: ExpressionCompiler
  ) throws(SQLError) -> PageCondition? {
    guard value.isKnown(to: columns) else { return nil }
    if let column = operand.storedIndex(columns) {
      return .comparison(column: column, test, try compiler.compile(value))
    }
    guard let monotone = try MonotoneOperand(operand, columns, compiler) else { return nil }
    return .monotone(monotone, test, try compiler.compile(value))
  }

  /// The condition with the values of a run; one that they cannot be computed for says nothing, as rows will tell why.
  func prepared(
    for table: TableStore, _ context: ExecutionContext
  ) -> PreparedPageCondition {
    switch self {
    case .comparison(let column, let comparison, let evaluator):
      guard let value = Self.value(evaluator, context) else { return .always }
      return Self.test(table, column, comparison, value, evaluator.type)
    case .monotone(let operand, let comparison, let evaluator):
      guard let value = Self.value(evaluator, context) else { return .always }
      if value.isNull { return .never }
      return operand.pages(of: table, comparison, value, context).map { .pages($0) } ?? .always
    case .element(let column, let evaluator):
      guard case .list(let values)? = Self.value(evaluator, context),
        case .array(let type) = evaluator.type, values.count <= Self.listMax
      else { return .always }
      return Self.any(values.map { Self.test(table, column, .equal, $0, type) })
    case .prefix(let column, let evaluator, let isPattern):
      guard case .text(let text)? = Self.value(evaluator, context) else { return .always }
      if !isPattern { return Self.prefixed(table, column, text) }
      // What begins as a pattern does need not go on as it does.
      return .all([
        Self.prefixed(table, column, LikeFunctions.literalPrefix(of: text)), .always,
      ])
    case .nullTest(let column, let comparison):
      let probe = ZoneProbe(comparison, .null, type: table.types[column])
      return probe.map { .test(PageTest(table, column: column, $0)) } ?? .always
    case .all(let parts):
      var tests: [PreparedPageCondition] = []
      for part in parts { tests.append(part.prepared(for: table, context)) }
      return tests.contains(where: \.isNever) ? .never : .all(tests)
    case .any(let parts):
      return Self.any(parts.map { $0.prepared(for: table, context) })
    case .unknown: return .always
    }
  }

  /// The value of an expression without columns; nil where it cannot be computed.
  private static func value(_ evaluator: any Evaluator, _ context: ExecutionContext) -> Value? {
    var one = DataChunk([], count: 1)
    return (try? evaluator.evaluate(&one, context))?.value(at: 0)
  }

  private static func any(_ tests: [PreparedPageCondition]) -> PreparedPageCondition {
    let possible = tests.filter { !$0.isNever }
    return possible.isEmpty ? .never : .any(possible)
  }

  private static func test(
    _ table: TableStore, _ column: Int, _ comparison: ZoneComparison, _ value: Value,
    _ valueType: LogicalType
  ) -> PreparedPageCondition {
    // A comparison with NULL is never true.
    if value.isNull { return .never }
    let type = table.types[column]
    guard valueType.physical == type.physical,
      let probe = ZoneProbe(comparison, value, type: type)
    else { return .always }
    return .test(PageTest(table, column: column, probe))
  }

  /// Whether a text begins with some bytes.
  private static func prefixed(
    _ table: TableStore, _ column: Int, _ prefix: [UInt8]
  ) -> PreparedPageCondition {
    guard let last = prefix.lastIndex(where: { $0 < .max }) else { return .always }
    var beyond = Array(prefix[...last])
    beyond[last] += 1
    return .all([
      test(table, column, .greaterOrEqual, .text(prefix), .text),
      test(table, column, .less, .text(beyond), .text),
    ])
  }
}

/// A condition on pages with the values of a run.
indirect enum PreparedPageCondition: Sendable {
  case test(PageTest)
  /// Whether some row of each page may meet it.
  case pages([Bool])
  case all([PreparedPageCondition])
  case any([PreparedPageCondition])
  /// Any row may meet it, and need not.
  case always
  case never

  /// Whether no row of any page meets it.
  var isNever: Bool {
    if case .never = self { return true }
    return false
  }

  /// Whether some row of a page may meet it.
  ///
  /// - Precondition: the table is the one that it was prepared for.
  func mayHold(page: Int, of table: TableStore) -> Bool {
    switch self {
    case .test(let test): test.mayHold(page: page, of: table)
    case .pages(let flags): flags[page]
    case .all(let parts): parts.allSatisfy { $0.mayHold(page: page, of: table) }
    case .any(let parts): parts.contains { $0.mayHold(page: page, of: table) }
    case .always: true
    case .never: false
    }
  }

  /// A range of pages outside of which none may hold a row that meets it, where that is soon known, and whether all but a few of
  /// those in it may, so that they need not be asked one by one.
  ///
  /// - Precondition: the table is the one that it was prepared for.
  func range(of table: TableStore) -> (pages: Range<Int>, isNear: Bool)? {
    switch self {
    case .test(let test): return test.range(of: table).map { ($0, true) }
    case .all(let parts):
      var found: Range<Int>?
      var isNear = true
      for part in parts {
        let own = part.range(of: table)
        isNear = isNear && own?.isNear ?? false
        if let own { found = found?.clamped(to: own.pages) ?? own.pages }
      }
      return found.map { ($0, isNear || $0.count <= Self.fewPages) }
    case .any(let parts):
      var ranges: [Range<Int>] = []
      var isNear = true
      for part in parts {
        guard let own = part.range(of: table) else { return nil }
        if !own.pages.isEmpty { ranges.append(own.pages) }
        isNear = isNear && own.isNear
      }
      ranges.sort { $0.lowerBound < $1.lowerBound }
      var found = ranges.first ?? 0..<0
      for range in ranges.dropFirst() {
        isNear = isNear && range.lowerBound - found.upperBound <= Self.fewPages
        found = found.lowerBound..<max(found.upperBound, range.upperBound)
      }
      return (found, isNear)
    case .pages, .always, .never: return nil
    }
  }

  /// So few pages are read as soon as asked.
  private static let fewPages = 2

  /// Keeps those of some pages that may hold a row that meets it, in their order, and says how many.
  ///
  /// - Precondition: the table is the one that it was prepared for.
  func keep(_ pages: Buffer<UInt32>, count: Int, of table: TableStore) -> Int {
    var kept = 0
    if case .test(let test) = self {
      for index in 0..<count {
        let page = pages[index]
        pages[kept] = page
        kept &+= bit(test.mayHold(page: Int(truncatingIfNeeded: page), of: table))
      }
      return kept
    }
    if case .all(let parts) = self {
      return parts.reduce(count) { $1.keep(pages, count: $0, of: table) }
    }
    for index in 0..<count {
      let page = pages[index]
      pages[kept] = page
      kept &+= bit(mayHold(page: Int(truncatingIfNeeded: page), of: table))
    }
    return kept
  }

  /// Whether no row of a page meets it, as is known without putting anything in place.
  ///
  /// - Precondition: the table is the one that it was prepared for.
  func isKnownToMiss(page: Int) -> Bool {
    switch self {
    case .test(let test): test.isKnownToMiss(page: page)
    case .pages(let flags): !flags[page]
    case .all(let parts): parts.contains { $0.isKnownToMiss(page: page) }
    case .any(let parts): parts.allSatisfy { $0.isKnownToMiss(page: page) }
    case .always: false
    case .never: true
    }
  }

  /// Whether all rows of a page are known to meet it.
  ///
  /// - Precondition: the table is the one that it was prepared for.
  func mustHold(page: Int) -> Bool {
    switch self {
    case .test(let test): test.mustHold(page: page)
    case .all(let parts): parts.allSatisfy { $0.mustHold(page: page) }
    case .any(let parts): parts.contains { $0.mustHold(page: page) }
    case .pages, .always, .never: false
    }
  }
}

extension ComparisonOperator {
  fileprivate var zoneTest: ZoneComparison? {
    switch self {
    case .equal: .equal
    case .notEqual: nil
    case .less: .less
    case .lessOrEqual: .lessOrEqual
    case .greater: .greater
    case .greaterOrEqual: .greaterOrEqual
    }
  }
}

extension BoundExpression {
  /// Whether the value is known before a scan of some columns: those of other tables are of a row that it is run for.
  fileprivate func isKnown(to columns: [ScanPlan.Column]) -> Bool {
    isKnown { id in !columns.contains { $0.column.id == id } }
  }

  /// The column's place in its table, if the expression is a column that is stored.
  func storedIndex(_ columns: [ScanPlan.Column]) -> Int? {
    guard case .column(let id, _) = self,
      let column = columns.first(where: { $0.column.id == id }), column.index >= 0
    else { return nil }
    return column.index
  }

  /// The operand that is to be true, or false, where the expression is true.
  fileprivate var truth: (operand: BoundExpression, value: Bool)? {
    switch self {
    case .column(_, .boolean): (self, true)
    case .not(let operand): (operand, false)
    case .isBoolean(let operand, let value, negated: false): (operand, value)
    case .column, .constant, .parameter, .call, .cast, .and, .or, .comparison, .distinct, .isNull,
      .isBoolean, .caseWhen, .coalesce, .extreme, .inList, .quantified, .quantifiedCall, .array,
      .row, .field, .shared, .decoded, .local, .session, .subquery, .aggregate, .window:
      nil
    }
  }

  /// Whether the value is a constant or a parameter.
  var isFixed: Bool {
    switch self {
    case .constant, .parameter: true
    case .column, .call, .cast, .and, .or, .not, .comparison, .distinct, .isNull, .isBoolean,
      .caseWhen, .coalesce, .extreme, .inList, .quantified, .quantifiedCall, .array, .row, .field,
      .shared, .decoded, .local, .session, .subquery, .aggregate, .window:
      false
    }
  }
}
