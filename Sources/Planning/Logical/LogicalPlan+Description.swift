import Catalog
import Columnar

extension LogicalPlan: CustomStringConvertible {
  /// The plan as an indented tree, an operator a line, for tests and for finding faults.
  package var description: String {
    var lines: [String] = []
    describe(into: &lines, depth: 0)
    return lines.joined(separator: "\n")
  }

  private func describe(into lines: inout [String], depth: Int) {
    lines.append(String(repeating: "  ", count: depth) + headline)
    for expression in expressions { expression.describeSubqueries(into: &lines, depth: depth + 1) }
    for input in inputs { input.describe(into: &lines, depth: depth + 1) }
  }

  /// The operator itself.
  private var headline: String {
    switch self {
    case .scan(let scan):
      "scan \(scan.table.name.name)"
        + (scan.alias == scan.table.name.name ? "" : " as \(scan.alias)")
        + (scan.filters.isEmpty ? "" : " where \(list(scan.filters, " and "))")
    case .values(let rows, let columns): "values \(rows.count) rows \(names(columns))"
    case .filter(_, let conditions): "filter \(list(conditions, " and "))"
    case .project(_, let columns): "project \(projected(columns))"
    case .projectSet(_, _, let calls): "project set \(calls.map(\.name).joined(separator: ", "))"
    case .join(let join):
      "\(join.isLateral ? "lateral " : "")\(join.kind) join"
        + (join.conditions.isEmpty ? "" : " on \(list(join.conditions, " and "))")
    case .path(let path):
      "path from \(path.start) to \(path.end) \(names(path.outputs.map(\.column)))"
    case .aggregate(let plan):
      "aggregate by [\(projected(plan.keys))]"
        + (plan.groupingSets.map { " sets \($0)" } ?? "") + " "
        + plan.aggregates.map { "\($0.column.name)\($0.column.id) = \($0.call.summary)" }
        .joined(separator: ", ")
    case .window(_, let calls):
      "window "
        + calls.map { "\($0.column.name)\($0.column.id)" }.joined(separator: ", ")
    case .sort(_, let keys): "sort \(keys.map(\.summary).joined(separator: ", "))"
    case .limit(_, let limit):
      "limit \(limit.count?.description ?? "all") offset \(limit.offset?.description ?? "0")"
        + (limit.ties == nil ? "" : " with ties")
    case .distinct(_, let on): "distinct" + (on.map { " on \(list($0, ", "))" } ?? "")
    case .setOperation(let plan):
      "\(plan.kind)\(plan.isAll ? " all" : "") \(names(plan.columns))"
    case .recursive(let plan):
      "recursive \(plan.id)\(plan.isAll ? " all" : "") \(names(plan.columns))"
    case .workingTable(let id, let columns): "working table \(id) \(names(columns))"
    case .withCommon(let id, _, _): "with \(id)"
    case .commonReference(let id, let columns): "reference \(id) \(names(columns))"
    case .tableFunction(let plan):
      "function "
        + plan.calls.map { "\($0.name)(\(list($0.arguments, ", ")))" }.joined(separator: ", ")
    case .modify(let plan): "\(plan.actionName) \(plan.table.name.name)"
    }
  }

  private func names(_ columns: [PlanColumn]) -> String {
    "(\(columns.map { "\($0.name)\($0.id)" }.joined(separator: ", ")))"
  }

  private func projected(_ columns: [ProjectedColumn]) -> String {
    columns.map { item in
      if case .column(let id, _) = item.expression, id == item.column.id {
        return "\(item.column.name)\(id)"
      }
      return "\(item.column.name)\(item.column.id) = \(item.expression)"
    }.joined(separator: ", ")
  }

  private func list(_ expressions: [BoundExpression], _ separator: String) -> String {
    expressions.map(\.description).joined(separator: separator)
  }
}

extension ModifyPlan {
  fileprivate var actionName: String {
    switch action {
    case .insert(let conflict): conflict == nil ? "insert into" : "insert on conflict into"
    case .update: "update"
    case .delete: "delete from"
    case .merge: "merge into"
    }
  }
}

extension SortKey {
  fileprivate var summary: String {
    "\(expression)\(isDescending ? " desc" : "")"
      + (nullsFirst == isDescending ? "" : nullsFirst ? " nulls first" : " nulls last")
  }
}

extension AggregateCall {
  fileprivate var summary: String {
    "\(name)(\(isDistinct ? "distinct " : "")"
      + arguments.map(\.description).joined(separator: ", ")
      + (orderBy.isEmpty ? "" : " order by \(orderBy.map(\.summary).joined(separator: ", "))") + ")"
      + (filter.map { " filter \($0)" } ?? "")
  }
}

extension BoundExpression: CustomStringConvertible {
  /// The expression in a notation near to SQL.
  package var description: String {
    func all(_ list: [BoundExpression], _ separator: String = ", ") -> String {
      list.map(\.description).joined(separator: separator)
    }
    switch self {
    case .column(let id, _): return id.description
    case .constant(let value, _): return value.summary
    case .parameter(let index, _): return "$\(index + 1)"
    case .call(let call):
      if call.isOperator, call.arguments.count == 2 {
        return "(\(call.arguments[0]) \(call.name) \(call.arguments[1]))"
      }
      return "\(call.name)(\(all(call.arguments)))"
    case .cast(let cast): return "\(cast.operand)::\(cast.target.name)"
    case .and(let list): return "(\(all(list, " and ")))"
    case .or(let list): return "(\(all(list, " or ")))"
    case .not(let operand): return "not \(operand)"
    case .comparison(let comparison, let left, let right):
      return "(\(left) \(comparison.rawValue) \(right))"
    case .distinct(let left, let right, let negated):
      return "(\(left) is \(negated ? "not " : "")distinct from \(right))"
    case .isNull(let operand, let negated): return "(\(operand) is \(negated ? "not " : "")null)"
    case .isBoolean(let operand, let value, let negated):
      return "(\(operand) is \(negated ? "not " : "")\(value))"
    case .caseWhen(let branches, let otherwise, _):
      let parts = branches.map { "when \($0.condition) then \($0.result)" }
      return "case \(parts.joined(separator: " ")) else \(otherwise) end"
    case .coalesce(let list, _): return "coalesce(\(all(list)))"
    case .extreme(let list, let isGreatest, _):
      return "\(isGreatest ? "greatest" : "least")(\(all(list)))"
    case .inList(let operand, let list, let negated):
      return "(\(operand) \(negated ? "not " : "")in (\(all(list))))"
    case .quantified(let comparison, let operand, let array, let isAll):
      return "(\(operand) \(comparison.rawValue) \(isAll ? "all" : "any") (\(array)))"
    case .quantifiedCall(let call, let element, let array, let isAll):
      return "(\(element) \(call.name) \(isAll ? "all" : "any") (\(array)))"
    case .array(let list, _): return "array[\(all(list))]"
    case .row(let list, _): return "row(\(all(list)))"
    case .field(let operand, let index, _): return "\(operand).\(index)"
    case .decoded(let operand, _, _): return "value(\(operand))"
    case .shared(let values, let body): return "(with \(all(values)): \(body))"
    case .local(let index, _): return "local\(index + 1)"
    case .session(let function, let arguments, _):
      return "\(function.rawValue)(\(all(arguments)))"
    case .subquery(let subquery): return subquery.summary
    case .aggregate(let call): return call.summary
    case .window(let call): return "\(call.function)(\(all(call.arguments))) over (…)"
    }
  }

  fileprivate func describeSubqueries(into lines: inout [String], depth: Int) {
    if case .subquery(let subquery) = self {
      let indent = String(repeating: "  ", count: depth)
      lines.append(indent + "subquery:")
      for line in subquery.plan.description.split(separator: "\n") {
        lines.append(indent + "  " + line)
      }
    }
    for child in children { child.describeSubqueries(into: &lines, depth: depth) }
  }
}

extension BoundSubquery {
  fileprivate var summary: String {
    switch kind {
    case .scalar: return "scalar(…)"
    case .exists(let negated): return "\(negated ? "not " : "")exists(…)"
    case .any(let left, let comparison):
      return "(\(left.map(\.description).joined(separator: ", ")) \(comparison.rawValue) any(…))"
    case .all(let left, let comparison):
      return "(\(left.map(\.description).joined(separator: ", ")) \(comparison.rawValue) all(…))"
    case .array: return "array(…)"
    }
  }
}

extension Value {
  fileprivate var summary: String {
    switch self {
    case .null: "null"
    case .boolean(let value): "\(value)"
    case .int16(let value): "\(value)"
    case .int32(let value): "\(value)"
    case .int64(let value): "\(value)"
    case .float(let value): "\(value)"
    case .double(let value): "\(value)"
    case .numeric(let value): "\(value.coefficient)e-\(value.scale)"
    case .interval(let value): "\(value.months)m\(value.days)d\(value.microseconds)us"
    case .uuid(let value): "\(value.high):\(value.low)"
    case .text(let bytes): "'\(String(decoding: bytes, as: UTF8.self))'"
    case .list(let items): "{\(items.map(\.summary).joined(separator: ","))}"
    case .record(let items): "(\(items.map(\.summary).joined(separator: ",")))"
    }
  }
}
