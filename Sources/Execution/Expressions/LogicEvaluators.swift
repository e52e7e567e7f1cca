import Columnar
import Diagnostics

/// AND and OR of any number of operands, each evaluated only for the rows that those before it left open, but for the first ones
/// that are as quick to evaluate for all.
final class JunctionEvaluator: Evaluator {
  let type = LogicalType.boolean
  private let operands: [GuardedEvaluator]
  /// So many operands are evaluated for every row: they cannot fail.
  private let wholeCount: Int
  /// The truth that settles a row: false for AND, true for OR.
  private let settling: UInt8

  init(_ operands: [GuardedEvaluator], wholeCount: Int, isAnd: Bool) {
    self.operands = operands
    self.wholeCount = max(1, wholeCount)
    settling = isAnd ? 0 : 1
  }

  func evaluate(_ chunk: inout DataChunk, _ context: ExecutionContext) throws(SQLError) -> Vector {
    let count = chunk.count
    guard let first = operands.first else { return .boolean(settling == 0, count: count) }
    let truth = TruthValues(try first.evaluate(nil, of: chunk, context), count: count)
    let values = truth.values
    for operand in operands.prefix(wholeCount).dropFirst() {
      let next = TruthValues(try operand.evaluate(nil, of: chunk, context), count: count)
      if settling == 0 { truth.and(next) } else { truth.or(next) }
    }
    for operand in operands.dropFirst(wholeCount) {
      let open = truth.rows(not: settling)
      if open.count == 0 { break }
      let vector = try operand.evaluate(open, of: chunk, context)
      let next = TruthValues(vector, count: open.count).values
      // An open row is neutral or unknown; the operand settles it, makes it unknown, or leaves it.
      let neutral = 1 &- settling
      for index in 0..<open.count where next[index] != neutral {
        values[open.positions[index]] = next[index]
      }
    }
    return truth.vector()
  }
}

/// NOT.
final class NotEvaluator: Evaluator {
  let type = LogicalType.boolean
  private let operand: any Evaluator

  init(_ operand: any Evaluator) { self.operand = operand }

  func evaluate(_ chunk: inout DataChunk, _ context: ExecutionContext) throws(SQLError) -> Vector {
    let vector = try operand.evaluateNormalized(&chunk, context)
    let stored = vector.form == .constant ? 1 : vector.count
    let source = vector.values(UInt8.self)
    let result = Buffer<UInt8>(uninitialized: max(stored, 1))
    for row in 0..<stored { result[row] = (source[row] & 1) ^ 1 }
    return Vector(
      type: .boolean, count: vector.count, form: vector.form, storage: result.block,
      validity: vector.validity)
  }
}

/// IS [NOT] NULL.
final class NullTestEvaluator: Evaluator {
  let type = LogicalType.boolean
  private let operand: any Evaluator
  private let negated: Bool

  init(_ operand: any Evaluator, negated: Bool) {
    self.operand = operand
    self.negated = negated
  }

  func evaluate(_ chunk: inout DataChunk, _ context: ExecutionContext) throws(SQLError) -> Vector {
    let vector = try operand.evaluate(&chunk, context)
    let count = chunk.count
    if vector.type.physical == .record { return records(vector.flattened(), count) }
    if vector.form == .constant { return .boolean(vector.isConstantNull != negated, count: count) }
    if vector.validity.isAllValid { return .boolean(negated, count: count) }
    let validity =
      vector.indices.map { vector.validity.gathered($0, count: count) } ?? vector.validity
    let result = Buffer<UInt8>(uninitialized: count)
    for row in 0..<count { result[row] = UInt8(bit(validity.isValid(row) == negated)) }
    return Vector(.boolean, result, count: count)
  }

  /// A record is NULL if all its fields are, and is not NULL if none of them is.
  private func records(_ vector: Vector, _ count: Int) -> Vector {
    let result = Buffer<UInt8>(uninitialized: max(count, 1))
    for row in 0..<count {
      let present = vector.validity.isValid(row)
      let missing = vector.children.count { !present || !$0.validity.isValid(row) }
      let answer =
        negated ? present && missing == 0 : !present || missing == vector.children.count
      result[row] = UInt8(bit(answer))
    }
    return Vector(.boolean, result, count: count)
  }
}

/// IS [NOT] TRUE and IS [NOT] FALSE: never NULL.
final class BooleanTestEvaluator: Evaluator {
  let type = LogicalType.boolean
  private let operand: any Evaluator
  private let wanted: UInt8
  private let negated: Bool

  init(_ operand: any Evaluator, value: Bool, negated: Bool) {
    self.operand = operand
    wanted = value ? 1 : 0
    self.negated = negated
  }

  func evaluate(_ chunk: inout DataChunk, _ context: ExecutionContext) throws(SQLError) -> Vector {
    let vector = try operand.evaluate(&chunk, context)
    let count = chunk.count
    let truth = TruthValues(vector, count: count).values
    let result = Buffer<UInt8>(uninitialized: max(count, 1))
    for row in 0..<count { result[row] = UInt8(bit((truth[row] == wanted) != negated)) }
    return Vector(.boolean, result, count: count)
  }
}
