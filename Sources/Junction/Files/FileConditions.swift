import Columnar
import Parquet
import SQLSyntax
import Storage

/// What a query asks of the rows of a file that is all it reads: row groups without such rows need not be read.
///
/// It is found in the query's text, before anything is bound. Conditions that are not understood here are left out; all of them are
/// asked of every row that is read.
struct FileConditions {
  private struct Condition {
    let column: String
    let comparison: ZoneComparison
    let constant: Expression
  }
  private var conditions: [Condition] = []
  /// The names by which the file's columns may be qualified.
  private let qualifiers: Set<String>

  /// The conditions of a query on a file; nil if there are none, or the file's rows may be used elsewhere in it.
  init?(in query: SelectStatement, on path: String, stem: String) {
    guard case .select(let core) = query.body, core.from.count == 1, let filter = core.filter,
      case .table(let table) = core.from[0], table.isFile, table.name.name == path,
      table.alias?.columns.isEmpty != false
    else { return nil }
    let text = SQLPrinter.text(of: query)
    guard text.components(of: SQLPrinter.quotedString(path)) == 1 else { return nil }
    qualifiers = [table.alias?.name.name ?? stem]
    add(filter)
    if conditions.isEmpty { return nil }
  }

  private mutating func add(_ filter: Expression) {
    switch filter.kind {
    case .and(let list): for part in list { add(part) }
    case .binary(let op, let left, let right):
      guard op.schema == nil, let comparison = Self.comparisons[op.name] else { return }
      if let column = column(left) {
        conditions.append(Condition(column: column, comparison: comparison.own, constant: right))
      } else if let column = column(right) {
        conditions.append(Condition(column: column, comparison: comparison.turned, constant: left))
      }
    case .between(let between):
      guard !between.isNegated, !between.isSymmetric, let column = column(between.operand) else {
        return
      }
      conditions.append(
        Condition(column: column, comparison: .greaterOrEqual, constant: between.lower))
      conditions.append(
        Condition(column: column, comparison: .lessOrEqual, constant: between.upper))
    case .isTest(let operand, .null, let negated):
      guard let column = column(operand) else { return }
      conditions.append(
        Condition(
          column: column, comparison: negated ? .isNotNull : .isNull,
          constant: Expression(.literal(.null))))
    case .literal, .parameter, .column, .allColumns, .unary, .or, .not, .isTest, .isDistinct,
      .inList, .inSubquery, .pattern, .quantified, .exists, .subquery, .array, .arraySubquery, .row,
      .caseWhen, .cast, .typedLiteral, .collate, .function, .conditional, .sessionValue, .grouping,
      .subscripted, .field, .allFields, .defaultValue, .currentOf:
      return
    }
  }

  private static let comparisons: [String: (own: ZoneComparison, turned: ZoneComparison)] = [
    "=": (.equal, .equal), "<": (.less, .greater), "<=": (.lessOrEqual, .greaterOrEqual),
    ">": (.greater, .less), ">=": (.greaterOrEqual, .lessOrEqual),
  ]

  /// The name of a column of the file, if the expression is one.
  private func column(_ expression: Expression) -> String? {
    guard case .column(let name) = expression.kind else { return nil }
    switch name.parts.count {
    case 1: return name.name
    case 2: return qualifiers.contains(name.parts[0].name) ? name.name : nil
    default: return nil
    }
  }

  /// Whether a row group may have rows that meet all conditions, as its statistics say.
  func mayHold(_ file: ParquetFile, _ group: Int, _ parser: TextParser) -> Bool {
    conditions.allSatisfy { condition in
      guard let index = file.columns.firstIndex(where: { $0.name == condition.column }) else {
        return true
      }
      let type = file.columns[index].type.type
      guard let constant = Self.value(condition.constant, as: type, parser),
        let probe = ZoneProbe(condition.comparison, constant, type: type)
      else { return true }
      let known = file.statistics(ofColumn: index, inRowGroup: group)
      let rowCount = file.rowGroups[group].rowCount
      return probe.mayHold(
        minimum: known.minimum, maximum: known.maximum,
        hasValues: known.nullCount.map { $0 < rowCount } ?? true,
        hasNulls: known.nullCount.map { $0 > 0 } ?? true)
    }
  }

  /// A constant as a value of a column's type; nil for one that a comparison would not take to that type.
  private static func value(
    _ constant: Expression, as type: LogicalType, _ parser: TextParser
  ) -> Value? {
    switch constant.kind {
    case .literal(.null): return .null
    case .literal(.integer(let number)): return integer(number, as: type)
    case .unary(let op, let operand):
      guard op.name == "-", case .literal(.integer(let number)) = operand.kind else { return nil }
      return integer(0 - number, as: type)
    case .literal(.string(let text)): return parsed(text, as: type, parser)
    case .typedLiteral(let name, let text):
      return name.modifiers.isEmpty && name.name.name == type.name
        ? parsed(text, as: type, parser) : nil
    case .literal(.decimal), .literal(.bitString), .literal(.boolean), .parameter, .column,
      .allColumns, .binary, .and, .or, .not, .isTest, .isDistinct, .between, .inList, .inSubquery,
      .pattern, .quantified, .exists, .subquery, .array, .arraySubquery, .row, .caseWhen, .cast,
      .collate, .function, .conditional, .sessionValue, .grouping, .subscripted, .field, .allFields,
      .defaultValue, .currentOf:
      return nil
    }
  }

  private static func integer(_ number: Int64, as type: LogicalType) -> Value? {
    switch type {
    case .smallint, .integer, .bigint: .int64(number)
    case .boolean, .real, .double, .numeric, .text, .varchar, .character, .name, .bytea, .date,
      .time, .timetz, .timestamp, .timestamptz, .interval, .bit, .varbit, .uuid, .oid, .json,
      .jsonb, .array, .record, .enumeration, .unknown, .void:
      nil
    }
  }

  /// What a text says; nil if it says nothing of the type, which the comparison will tell.
  private static func parsed(
    _ text: String, as type: LogicalType, _ parser: TextParser
  ) -> Value? {
    switch type {
    case .text, .varchar: return .string(text)
    case .smallint, .integer, .bigint, .date, .timestamp:
      let bytes = Buffer(Array(text.utf8))
      return try? parser.value(bytes.bytes(0..<bytes.count), type)
    // Of others the value may depend on the session.
    case .boolean, .real, .double, .numeric, .character, .name, .bytea, .time, .timetz,
      .timestamptz, .interval, .bit, .varbit, .uuid, .oid, .json, .jsonb, .array, .record,
      .enumeration, .unknown, .void:
      return nil
    }
  }
}

extension String {
  /// How often another text stands in this one.
  fileprivate func components(of other: String) -> Int {
    var count = 0
    var rest = self[...]
    while let found = rest.firstRange(of: other) {
      count += 1
      rest = rest[found.upperBound...]
    }
    return count
  }
}
