import Columnar
import Planning

/// Writes bound expressions as SQL with the names of their columns, for EXPLAIN.
struct ExpressionPrinter {
  /// What a column is called, put together where it is named: plans have many columns of which nothing is said.
  private enum Name {
    /// The column of a table, behind the table's name and a point or behind nothing.
    case column(String, of: String, isCode: Bool)
    case text(String)

    var text: String {
      switch self {
      case .column(let name, let prefix, let isCode):
        (isCode ? ExpressionPrinter.codePrefix : "") + prefix + ExpressionPrinter.quoted(name)
      case .text(let text): text
      }
    }
  }
  private var names: ColumnMap<Name> = [:]

  /// A printer for the expressions of a plan; columns carry their table's name where there are
  /// several tables.
  init(_ plan: PhysicalPlan) {
    var aliases: Set<String> = []
    Self.collectAliases(plan, into: &aliases)
    collectNames(plan, isQualified: aliases.count > 1)
  }

  private static func collectAliases(_ plan: PhysicalPlan, into aliases: inout Set<String>) {
    for (alias, _) in plan.tableColumns where !alias.isEmpty { aliases.insert(alias) }
    for input in plan.inputs { collectAliases(input, into: &aliases) }
  }

  private mutating func collectNames(_ plan: PhysicalPlan, isQualified: Bool) {
    for input in plan.inputs { collectNames(input, isQualified: isQualified) }
    for (alias, columns) in plan.tableColumns {
      let prefix = isQualified && !alias.isEmpty ? Self.quoted(alias) + "." : ""
      for column in columns where names[column.column.id] == nil {
        names[column.column.id] = .column(
          column.column.name, of: prefix, isCode: ScanPlan.codedColumn(column.index) != nil)
      }
    }
    if case .project(_, let expressions) = plan.node {
      for (column, expression) in zip(plan.outputs, expressions) where names[column.id] == nil {
        names[column.id] = .text(expression.asConstant == nil ? text(expression) : column.name)
      }
    }
    if case .aggregate(let aggregate) = plan.node {
      for key in aggregate.keys where names[key.column.id] == nil {
        names[key.column.id] = .text(text(key.expression))
      }
      for item in aggregate.aggregates { names[item.column.id] = .text("(\(text(item.call)))") }
    }
    if case .rowSummary(let summary) = plan.node {
      for (column, text) in zip(plan.outputs, texts(summary)) {
        names[column.id] = .text("(\(text))")
      }
    }
    if case .closure(let closure) = plan.node, let rounds = closure.walk.rounds {
      names[plan.outputs[rounds.place].id] = .text(Self.quoted(rounds.column.name))
    }
    if case .neighbourAggregate(let node) = plan.node {
      for item in node.aggregates { names[item.column.id] = .text("(\(text(item.call)))") }
    }
    if case .neighbourCount(let count) = plan.node {
      for column in count.counts { names[column.id] = .text("(count(*))") }
    }
    if case .pairCount(let count) = plan.node {
      for column in count.counts { names[column.id] = .text("(count(*))") }
    }
    for column in plan.outputs where names[column.id] == nil {
      names[column.id] = .column(column.name, of: "", isCode: false)
    }
  }

  /// The aggregates that a summary stands for.
  func texts(_ summary: RowSummary) -> [String] {
    let column = summary.column.map { name(summary.input.outputs[$0]) }
    return summary.measures.map { $0.text(of: column) }
  }

  /// The aggregates of each row's edges, unless they are only counted.
  func texts(_ count: EdgeCount) -> [String] {
    guard let measured = count.measured else { return [] }
    let name = "\(Self.quoted(count.step.edgeAlias)).\(Self.quoted(measured.column.name))"
    return count.measures.map { $0.measure.text(of: name) }
  }

  /// A name as SQL writes it.
  static func quoted(_ name: String) -> String {
    let isPlain = name.utf8.enumerated().allSatisfy { index, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"): true
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "$"): index > 0
      default: byte >= 0x80
      }
    }
    if isPlain && !name.isEmpty { return name }
    var result = "\""
    for scalar in name.unicodeScalars {
      if scalar == "\"" { result += "\"" }
      result.unicodeScalars.append(scalar)
    }
    return result + "\""
  }

  func name(_ column: PlanColumn) -> String { name(column.id) ?? column.name }

  /// nil for a column that the plan does not name.
  func name(_ column: ColumnID) -> String? { names[column]?.text }

  /// Conditions joined by AND.
  func conjunction(_ list: [BoundExpression]) -> String {
    list.count == 1 ? text(list[0]) : text(.and(list))
  }

  func list(_ expressions: [BoundExpression]) -> String {
    var text = ""
    write(expressions, between: ", ", to: &text)
    return text
  }

  func text(_ key: SortKey) -> String {
    var result = text(key.expression)
    if key.isDescending { result += " DESC" }
    if key.nullsFirst != key.isDescending {
      result += key.nullsFirst ? " NULLS FIRST" : " NULLS LAST"
    }
    return result
  }

  func text(_ call: AggregateCall) -> String {
    var inside = call.isDistinct ? "DISTINCT " : ""
    inside += call.arguments.isEmpty && call.name == "count" ? "*" : list(call.arguments)
    if !call.orderBy.isEmpty {
      inside += " ORDER BY " + call.orderBy.map { text($0) }.joined(separator: ", ")
    }
    let filter = call.filter.map { " FILTER (WHERE \(text($0)))" } ?? ""
    return "\(call.name)(\(inside))\(filter)"
  }

  func text(_ expression: BoundExpression) -> String {
    var text = ""
    write(expression, to: &text)
    return text
  }

  private func write(_ list: [BoundExpression], between: String, to text: inout String) {
    for (place, expression) in list.enumerated() {
      if place > 0 { text += between }
      write(expression, to: &text)
    }
  }

  /// Writes the parts of an expression one behind another.
  private func write(_ expression: BoundExpression, to text: inout String) {
    switch expression {
    case .column(let id, _): text += names[id]?.text ?? "\(id)"
    case .constant(let value, let type): text += constant(value, type)
    case .parameter(let index, _): text += "$\(index + 1)"
    case .call(let call): write(call, to: &text)
    case .cast(let cast):
      text += "("
      write(cast.operand, to: &text)
      text += ")::"
      text += cast.target.name
    case .and(let parts): writeInside("(", parts, between: " AND ", to: &text)
    case .or(let parts): writeInside("(", parts, between: " OR ", to: &text)
    case .not(let operand): writeInside("(NOT ", [operand], to: &text)
    case .comparison(let comparison, let left, let right):
      write(left, comparison.rawValue, right, to: &text)
    case .distinct(let left, let right, let negated):
      write(left, negated ? "IS NOT DISTINCT FROM" : "IS DISTINCT FROM", right, to: &text)
    case .isNull(let operand, let negated):
      write(operand, negated ? "IS NOT NULL" : "IS NULL", to: &text)
    case .isBoolean(let operand, let value, let negated):
      write(operand, "IS \(negated ? "NOT " : "")\(value ? "TRUE" : "FALSE")", to: &text)
    case .caseWhen(let branches, let otherwise, _): write(branches, otherwise, to: &text)
    case .coalesce(let parts, _): writeInside("COALESCE(", parts, to: &text)
    case .extreme(let parts, let isGreatest, _):
      writeInside(isGreatest ? "GREATEST(" : "LEAST(", parts, to: &text)
    case .inList(let operand, let parts, let negated):
      text += "("
      write(operand, to: &text)
      text += negated ? " NOT IN " : " IN "
      writeInside("(", parts, to: &text)
      text += ")"
    case .quantified, .quantifiedCall, .array, .row, .field, .shared, .decoded, .local, .session,
      .subquery,
      .aggregate, .window:
      text += rare(expression)
    }
  }

  private static let codePrefix = "code of "

  private static func local(_ index: Int) -> String { "value\(index + 1)" }

  private func rare(_ expression: BoundExpression) -> String {
    switch expression {
    case .quantified(let comparison, let operand, let array, let isAll):
      return "(\(text(operand)) \(comparison.rawValue) \(isAll ? "ALL" : "ANY") (\(text(array))))"
    case .quantifiedCall(let call, let element, let array, let isAll):
      return "(\(text(element)) \(call.name) \(isAll ? "ALL" : "ANY") (\(text(array))))"
    case .array(let parts, _): return "ARRAY[\(list(parts))]"
    case .row(let parts, _): return "ROW(\(list(parts)))"
    case .field(let operand, let index, _):
      if case .record(let record) = operand.type, record.fields.indices.contains(index) {
        return "(\(text(operand))).\(Self.quoted(record.fields[index].name))"
      }
      return "(\(text(operand))).f\(index + 1)"
    case .shared(let values, let body):
      let named = values.enumerated().map { "\(Self.local($0)) := \(text($1))" }
      return "(\(named.joined(separator: ", ")); \(text(body)))"
    case .decoded(let operand, _, _):
      let code = text(operand)
      return code.hasPrefix(Self.codePrefix) ? String(code.dropFirst(Self.codePrefix.count)) : code
    case .local(let index, _): return Self.local(index)
    case .session(let function, let arguments, _):
      return "\(function.rawValue)(\(list(arguments)))"
    case .aggregate(let call): return text(call)
    case .subquery: return "(SubPlan)"
    case .window(let call): return text(call)
    case .column, .constant, .parameter, .call, .cast, .and, .or, .not, .comparison, .distinct,
      .isNull, .isBoolean, .caseWhen, .coalesce, .extreme, .inList:
      return "?"
    }
  }

  private func writeInside(
    _ start: String, _ list: [BoundExpression], between: String = ", ", to text: inout String
  ) {
    text += start
    write(list, between: between, to: &text)
    text += ")"
  }

  private func write(
    _ left: BoundExpression, _ sign: String, _ right: BoundExpression? = nil,
    to text: inout String
  ) {
    text += "("
    write(left, to: &text)
    text += " "
    text += sign
    if let right {
      text += " "
      write(right, to: &text)
    }
    text += ")"
  }

  private func write(
    _ branches: [BoundBranch], _ otherwise: BoundExpression, to text: inout String
  ) {
    text += "CASE"
    for branch in branches {
      text += " WHEN "
      write(branch.condition, to: &text)
      text += " THEN "
      write(branch.result, to: &text)
    }
    text += " ELSE "
    write(otherwise, to: &text)
    text += " END"
  }

  private func write(_ call: BoundCall, to text: inout String) {
    if call.isOperator, call.arguments.count == 2 {
      write(call.arguments[0], call.name, call.arguments[1], to: &text)
    } else if call.isOperator, call.arguments.count == 1 {
      writeInside("(\(call.name) ", call.arguments, to: &text)
    } else {
      writeInside("\(call.name)(", call.arguments, to: &text)
    }
  }

  func text(_ call: WindowCall) -> String {
    let name =
      switch call.function {
      case .rowNumber: "row_number"
      case .rank: "rank"
      case .denseRank: "dense_rank"
      case .percentRank: "percent_rank"
      case .cumeDist: "cume_dist"
      case .ntile: "ntile"
      case .lag: "lag"
      case .lead: "lead"
      case .firstValue: "first_value"
      case .lastValue: "last_value"
      case .nthValue: "nth_value"
      case .aggregate(let aggregate): aggregate.name
      }
    var over: [String] = []
    if !call.partitionBy.isEmpty { over.append("PARTITION BY \(list(call.partitionBy))") }
    if !call.orderBy.isEmpty {
      over.append("ORDER BY " + call.orderBy.map { text($0) }.joined(separator: ", "))
    }
    if case .aggregate(let aggregate) = call.function {
      return "\(text(aggregate)) OVER (\(over.joined(separator: " ")))"
    }
    return "\(name)(\(list(call.arguments))) OVER (\(over.joined(separator: " ")))"
  }

  private func constant(_ value: Value, _ type: LogicalType) -> String {
    if value.isNull { return "NULL::\(type.name)" }
    switch type {
    case .integer, .bigint, .smallint, .oid:
      let text = value.text(of: type)
      return text.hasPrefix("-") ? "'\(text)'::\(type.name)" : text
    case .boolean:
      if case .boolean(let own) = value { return own ? "true" : "false" }
      return "?"
    case .real, .double, .numeric, .text, .varchar, .character, .name, .bytea, .date, .time,
      .timetz, .timestamp, .timestamptz, .interval, .bit, .varbit, .uuid, .json, .jsonb, .array,
      .record, .enumeration, .unknown, .void:
      var quoted = ""
      for scalar in value.text(of: type).unicodeScalars {
        if scalar == "'" { quoted += "'" }
        quoted.unicodeScalars.append(scalar)
      }
      return "'\(quoted)'::\(type.name)"
    }
  }
}

extension PhysicalPlan {
  /// The columns that the operator itself reads from tables, by the name that the table goes by.
  var tableColumns: [(alias: String, columns: [ScanPlan.Column])] {
    func step(_ step: AdjacencyStep) -> [(alias: String, columns: [ScanPlan.Column])] {
      let edge = (alias: step.edgeAlias, columns: step.edgeColumns)
      guard step.neighbourTable != nil else { return [edge] }
      return [edge, (alias: step.neighbourAlias, columns: step.neighbourColumns)]
    }
    func of(_ rows: RemainingRows) -> [(alias: String, columns: [ScanPlan.Column])] {
      [(alias: rows.scan.alias, columns: rows.scan.columns)]
        + rows.exclusions.flatMap { $0.steps.flatMap(step) }
    }
    switch node {
    case .scan(let scan): return [(alias: scan.alias, columns: scan.columns)]
    case .keyLookup(let lookup): return [(alias: lookup.alias, columns: lookup.columns)]
    case .adjacencyLookup(let lookup): return step(lookup.step)
    case .lookupJoin(let join): return [(alias: join.alias, columns: join.columns)]
    case .expand(let expand): return step(expand.step)
    case .listJoin(let join):
      return [
        (alias: join.left.edgeAlias, columns: join.leftMarks.columns),
        (alias: join.right.edgeAlias, columns: join.rightMarks.columns),
      ] + step(join.left) + step(join.right)
    case .intersection(let node):
      let met = node.met.map { [(alias: node.arms[0].step.edgeAlias, columns: [$0.key])] } ?? []
      return met + node.arms.flatMap { step($0.step) }
    case .edgeCount(let count):
      return count.exclusion.map { [(alias: count.step.edgeAlias, columns: [$0.column])] } ?? []
    case .walk(let walk):
      let entry = walk.rounds?.entry.columns ?? []
      return walk.steps.flatMap(step) + [(alias: "", columns: walk.columns + entry)]
    case .neighbourCount(let count):
      return (count.steps + [count.counted]).flatMap(step) + [(alias: "", columns: count.columns)]
    case .pairCount(let count):
      return [(alias: count.sourceAlias, columns: [count.source])] + step(count.first)
        + step(count.second)
    case .cycleCount(let count):
      return count.scans.map { (alias: $0.alias, columns: $0.columns) }
    case .remainingRows(let rows): return of(rows)
    case .storedOrder(let order): return of(order.rows)
    case .neighbourAggregate(let node):
      return [
        (alias: node.parents.alias, columns: node.parents.columns),
        (alias: node.step.edgeAlias, columns: node.edgeConditions.columns),
      ] + step(node.step)
    case .closure(let closure):
      let counted = closure.walk.rounds.map { ScanPlan.Column($0.column, index: $0.place) }
      return step(closure.walk.conditional ?? closure.walk.step)
        + [(alias: "", columns: counted.map { [$0] } ?? [])]
        + [(alias: closure.alias, columns: closure.columns)]
    case .values, .filter, .project, .projectSet, .tableFunction, .hashJoin, .nestedLoopJoin,
      .unlinkedPairs, .rowSummary, .pathSearch, .apply, .aggregate, .leadingRows, .window,
      .sort, .topN, .limit, .distinct, .append, .setOperation, .recursive, .workingTable,
      .partialGroups, .withCommon, .commonReference, .modify:
      return []
    }
  }
}
