import Columnar

extension BoundExpression {
  /// A text that two expressions share only if they compute the same value from the same columns.
  ///
  /// Expressions hold functions and cannot be compared directly.
  ///
  /// - Complexity: O(size of the expression).
  package var signature: String {
    var text = ""
    appendSignature(to: &text)
    return text
  }

  private func appendSignature(to text: inout String) {
    text += head
    if case .constant = self { return }
    let operands = children
    if operands.isEmpty { return }
    text += "("
    for operand in operands {
      operand.appendSignature(to: &text)
      text += ","
    }
    text += ")"
  }

  /// Lists have constants by the million, and a value that describes itself takes microseconds.
  private static func head(of value: Value, _ type: LogicalType) -> String {
    switch value {
    case .null: return "null:\(type.name)"
    case .int16(let number): return "s\(number):\(type.name)"
    case .int32(let number) where type == .integer: return "i\(number)"
    case .int32(let number): return "i\(number):\(type.name)"
    case .int64(let number): return "l\(number):\(type.name)"
    case .numeric(let number) where number.kind == .finite:
      if let small = Int64(exactly: number.coefficient) {
        return "n\(small)/\(number.scale):\(type.name)"
      }
      return "n\(number.coefficient)/\(number.scale):\(type.name)"
    case .text(let bytes):
      // The length says where the text ends, whatever stands in it.
      var head = "t\(bytes.count):"
      head += String(decoding: bytes, as: UTF8.self)
      if type == .bytea { head += "\(bytes)" }
      return "\(head):\(type.name)"
    case .boolean, .float, .double, .numeric, .interval, .uuid, .list, .record:
      return "'\(value)':\(type.name)"
    }
  }

  /// What tells the expression from others with the same operands.
  private var head: String {
    switch self {
    case .column(let id, _): return id.description
    case .constant(let value, let type): return Self.head(of: value, type)
    case .parameter(let index, _): return "$\(index)"
    case .call(let call): return "\(call.name):\(call.type.name)"
    case .cast(let cast): return "cast:\(cast.target.name):\(cast.operand.type.name)"
    case .and: return "and"
    case .or: return "or"
    case .not: return "not"
    case .comparison(let comparison, _, _): return comparison.rawValue
    case .distinct(_, _, let negated): return negated ? "same" : "distinct"
    case .isNull(_, let negated): return negated ? "notnull" : "isnull"
    case .isBoolean(_, let value, let negated): return "is\(value)\(negated)"
    case .caseWhen(let branches, _, _): return "case\(branches.count)"
    case .coalesce: return "coalesce"
    case .extreme(_, let isGreatest, _): return isGreatest ? "greatest" : "least"
    case .inList(_, let list, let negated): return "in\(negated)\(list.count)"
    case .quantified(let comparison, _, _, let isAll): return "q\(comparison.rawValue)\(isAll)"
    case .quantifiedCall(let call, _, _, let isAll): return "qc\(call.name)\(isAll)"
    case .array(_, let type): return "array:\(type.name)"
    case .row: return "row"
    case .field(_, let index, _): return "field\(index)"
    case .shared(let values, _): return "shared\(values.count)"
    case .local(let index, _): return "local\(index)"
    case .session(let function, _, _): return function.rawValue
    // Subqueries and window calls are never taken for one another: their head counts how they were
    // met.
    case .subquery(let subquery):
      return "subquery\(subquery.plan.outputs.map(\.id))"
    case .aggregate(let call):
      return "\(call.name)\(call.isDistinct)\(call.orderBy.count)\(call.filter != nil)"
    case .window(let call): return "window\(call.function)"
    }
  }
}
