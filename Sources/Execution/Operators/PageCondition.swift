import Columnar
import Diagnostics
import Planning
import Storage

/// What a scan's condition asks of whole pages: one whose zone maps say that no row meets it is passed over.
indirect enum PageCondition {
  /// A stored column compared with a value that is known before the scan.
  case comparison(column: Int, ZoneComparison, any Evaluator)
  case nullTest(column: Int, ZoneComparison)
  case all([PageCondition])
  case any([PageCondition])

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
      if let column = left.storedIndex(columns), right.isFixed, let test = comparison.zoneTest {
        self = .comparison(column: column, test, try compiler.compile(right))
      } else if let column = right.storedIndex(columns), left.isFixed,
        let test = comparison.commuted.zoneTest
      {
        self = .comparison(column: column, test, try compiler.compile(left))
      } else {
        return nil
      }
    case .isNull(let operand, let negated):
      guard let column = operand.storedIndex(columns) else { return nil }
      self = .nullTest(column: column, negated ? .isNotNull : .isNull)
    case .inList(let operand, let list, negated: false):
      guard let column = operand.storedIndex(columns), list.count <= Self.listMax,
        list.allSatisfy(\.isFixed)
      else { return nil }
      var equal: [PageCondition] = []
      for value in list {
        equal.append(.comparison(column: column, .equal, try compiler.compile(value)))
      }
      self = .any(equal)
    case .and(let list):
      var known: [PageCondition] = []
      for part in list {
        if let condition = try PageCondition(part, columns, compiler) { known.append(condition) }
      }
      if known.isEmpty { return nil }
      self = .all(known)
    case .or(let list):
      var known: [PageCondition] = []
      for part in list {
        guard let condition = try PageCondition(part, columns, compiler) else { return nil }
        known.append(condition)
      }
      self = .any(known)
    case .column, .constant, .parameter, .call, .cast, .not, .distinct, .isBoolean, .caseWhen,
      .coalesce, .extreme, .inList, .quantified, .quantifiedCall, .array, .row, .field, .shared,
      .decoded, .local, .session, .subquery, .aggregate, .window:
      return nil
    }
  }

  /// The condition with the values of a run.
  ///
  /// - Throws: as the evaluation of its values.
  func prepared(
    for table: TableStore, _ context: ExecutionContext
  ) throws(SQLError) -> PreparedPageCondition {
    switch self {
    case .comparison(let column, let comparison, let evaluator):
      var one = DataChunk([], count: 1)
      let value = try evaluator.evaluate(&one, context)
      // A comparison with NULL is never true.
      if value.isConstantNull { return .never }
      let type = table.types[column]
      guard value.type.physical == type.physical,
        let probe = ZoneProbe(comparison, value.value(at: 0), type: type)
      else { return .always }
      return .test(PageTest(table, column: column, probe))
    case .nullTest(let column, let comparison):
      let probe = ZoneProbe(comparison, .null, type: table.types[column])
      return probe.map { .test(PageTest(table, column: column, $0)) } ?? .always
    case .all(let parts):
      var tests: [PreparedPageCondition] = []
      for part in parts { tests.append(try part.prepared(for: table, context)) }
      return tests.contains(where: \.isNever) ? .never : .all(tests)
    case .any(let parts):
      var tests: [PreparedPageCondition] = []
      for part in parts { tests.append(try part.prepared(for: table, context)) }
      tests.removeAll(where: \.isNever)
      return tests.isEmpty ? .never : .any(tests)
    }
  }
}

/// A condition on pages with the values of a run.
indirect enum PreparedPageCondition: Sendable {
  case test(PageTest)
  case all([PreparedPageCondition])
  case any([PreparedPageCondition])
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
    case .all(let parts): parts.allSatisfy { $0.mayHold(page: page, of: table) }
    case .any(let parts): parts.contains { $0.mayHold(page: page, of: table) }
    case .always: true
    case .never: false
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
  /// The column's place in its table, if the expression is a column that is stored.
  fileprivate func storedIndex(_ columns: [ScanPlan.Column]) -> Int? {
    guard case .column(let id, _) = self,
      let column = columns.first(where: { $0.column.id == id }), column.index >= 0
    else { return nil }
    return column.index
  }

  /// Whether the value is known before any row is read.
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
