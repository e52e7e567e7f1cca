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
    case .decoded(_, let source, _): return "decoded\(source.table):\(source.column)"
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

// MARK: Numbers for signatures

extension BoundExpression {
  /// A number that is the same for expressions with the same signature, and mostly another for others.
  ///
  /// Texts are made and compared only where two numbers are equal.
  ///
  /// - Complexity: O(size of the expression).
  package var fingerprint: UInt64 {
    var print = Fingerprint()
    print.add(self) { UInt64(truncatingIfNeeded: $0.number) }
    return print.value
  }
}

extension [BoundExpression] {
  /// The expressions without those that another before them is the same as; volatile ones all stay.
  package var withoutRepetition: [BoundExpression] {
    if count < 2 || !mayRepeat { return self }
    var seen: Set<String> = []
    return filter { $0.isVolatile || seen.insert($0.signature).inserted }
  }

  /// So many numbers are compared with each other in less time than they are hashed.
  private static var fewMax: Int { 16 }

  /// Whether two of the expressions may be the same.
  private var mayRepeat: Bool {
    if count <= Self.fewMax {
      var seen: [UInt64] = []
      seen.reserveCapacity(count)
      return contains { expression in
        let print = expression.fingerprint
        if seen.contains(print) { return true }
        seen.append(print)
        return false
      }
    }
    var seen: Set<UInt64> = []
    seen.reserveCapacity(count)
    return contains { !seen.insert($0.fingerprint).inserted }
  }
}

/// A number for what an expression computes.
package struct Fingerprint: Sendable {
  package private(set) var value: UInt64 = 0x9E37_79B9_7F4A_7C15

  package init() {}

  /// Adds an expression, whose columns go by the numbers that `number` gives.
  package mutating func add(_ expression: BoundExpression, _ number: (ColumnID) -> UInt64) {
    switch expression {
    case .column(let id, _): add(1, number(id))
    case .constant(let value, _): add(value)
    case .parameter(let index, _): add(2, UInt64(truncatingIfNeeded: index))
    case .call(let call): add(3, call.name)
    case .cast(let cast): add(4, UInt64(bitPattern: Int64(cast.target.hashValue)))
    case .and(let list): add(5, UInt64(list.count))
    case .or(let list): add(6, UInt64(list.count))
    case .not: add(7, 0)
    case .comparison(let comparison, _, _): add(8, comparison.rawValue)
    case .distinct(_, _, let negated): add(9, negated ? 1 : 0)
    case .isNull(_, let negated): add(10, negated ? 1 : 0)
    case .isBoolean(_, let value, let negated): add(11, (value ? 2 : 0) + (negated ? 1 : 0))
    case .caseWhen(let branches, _, _): add(12, UInt64(branches.count))
    case .coalesce: add(13, 0)
    case .extreme(_, let isGreatest, _): add(14, isGreatest ? 1 : 0)
    case .inList(_, let list, let negated): add(15, UInt64(list.count) << 1 | (negated ? 1 : 0))
    case .quantified(let comparison, _, _, let isAll): add(isAll ? 16 : 17, comparison.rawValue)
    case .quantifiedCall(let call, _, _, let isAll): add(isAll ? 18 : 19, call.name)
    case .array: add(20, 0)
    case .row: add(21, 0)
    case .field(_, let index, _): add(22, UInt64(truncatingIfNeeded: index))
    case .shared(let values, _): add(23, UInt64(values.count))
    case .decoded(_, let source, _): add(30, UInt64(truncatingIfNeeded: source.column))
    case .local(let index, _): add(24, UInt64(truncatingIfNeeded: index))
    case .session(let function, _, _): add(25, function.rawValue)
    case .subquery: add(26, 0)
    case .aggregate(let call): add(27, call.name)
    case .window: add(28, 0)
    }
    expression.forEachChild { add($0, number) }
  }

  /// Adds a number under another that says what it stands for.
  package mutating func add(_ kind: UInt64, _ detail: UInt64) {
    value = (value ^ kind &* 0xFF51_AFD7_ED55_8CCD ^ detail) &* 0xC4CE_B9FE_1A85_EC53
    value ^= value &>> 29
  }

  private mutating func add(_ kind: UInt64, _ text: String) {
    add(kind, UInt64(text.utf8.count))
    for byte in text.utf8 { add(0, UInt64(byte)) }
  }

  private mutating func add(_ value: Value) {
    switch value {
    case .null: add(32, 0)
    case .boolean(let value): add(33, value ? 1 : 0)
    case .int16(let value): add(34, UInt64(truncatingIfNeeded: value))
    case .int32(let value): add(35, UInt64(truncatingIfNeeded: value))
    case .int64(let value): add(36, UInt64(truncatingIfNeeded: value))
    case .numeric(let number):
      add(37, UInt64(truncatingIfNeeded: number.coefficient) &+ UInt64(number.scale) << 56)
    case .text(let bytes):
      add(38, UInt64(bytes.count))
      for byte in bytes { add(0, UInt64(byte)) }
    case .float(let value): add(39, UInt64(value.bitPattern))
    case .double(let value): add(40, value.bitPattern)
    case .interval(let value): add(41, UInt64(bitPattern: Int64(value.hashValue)))
    case .uuid(let value): add(value.high, value.low)
    case .list(let values), .record(let values):
      add(42, UInt64(values.count))
      for value in values { add(value) }
    }
  }
}
