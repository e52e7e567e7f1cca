import Columnar
import Diagnostics
import Planning

/// `left op right`.
final class ComparisonEvaluator: Evaluator {
  let type = LogicalType.boolean
  private let comparison: Comparison
  private let left: any Evaluator
  private let right: any Evaluator

  init(_ comparison: ComparisonOperator, _ left: any Evaluator, _ right: any Evaluator) {
    self.comparison = comparison.kernel
    self.left = left
    self.right = right
  }

  func evaluate(_ chunk: inout DataChunk, _ context: ExecutionContext) throws(SQLError) -> Vector {
    let a = try left.evaluateCompact(&chunk, context)
    let b = try right.evaluateCompact(&chunk, context)
    if a.form == .constant && b.form == .constant {
      let one = Comparisons.compare(comparison, a.resized(to: 1), b.resized(to: 1), count: 1)
      return one.asConstant(count: chunk.count)
    }
    return Comparisons.compare(comparison, a, b, count: chunk.count)
  }
}

/// IS [NOT] DISTINCT FROM.
final class DistinctEvaluator: Evaluator {
  let type = LogicalType.boolean
  private let left: any Evaluator
  private let right: any Evaluator
  private let negated: Bool

  init(_ left: any Evaluator, _ right: any Evaluator, negated: Bool) {
    self.left = left
    self.right = right
    self.negated = negated
  }

  func evaluate(_ chunk: inout DataChunk, _ context: ExecutionContext) throws(SQLError) -> Vector {
    let a = try left.evaluateNormalized(&chunk, context)
    let b = try right.evaluateNormalized(&chunk, context)
    return Comparisons.distinct(a, b, negated: negated, count: chunk.count)
  }
}

/// `x [NOT] IN (…)` where the list is the same for every row of a run: a look-up in a set.
final class SetMembershipEvaluator: Evaluator {
  let type = LogicalType.boolean
  private let operand: any Evaluator
  private let items: [any Evaluator]
  private let negated: Bool
  /// The set, made when the first chunk of a run comes.
  private var set: ConstantSet?
  private var run: UInt64 = 0

  init(_ operand: any Evaluator, _ items: [any Evaluator], negated: Bool) {
    self.operand = operand
    self.items = items
    self.negated = negated
  }

  func evaluate(_ chunk: inout DataChunk, _ context: ExecutionContext) throws(SQLError) -> Vector {
    let values = try operand.evaluateCompact(&chunk, context)
    if set == nil || run != context.runNumber {
      var empty = DataChunk([], count: 1)
      var constants: [Vector] = []
      for item in items {
        constants.append(try item.evaluate(&empty, context).retyped(values.type))
      }
      set = try ConstantSet(
        try Vector.concatenateInSlices(constants, type: values.type))
      run = context.runNumber
    }
    guard let set else { return Vector.null(.boolean, count: chunk.count) }
    if values.form == .constant {
      return try set.contains(values.resized(to: 1), negated: negated, count: 1)
        .asConstant(count: chunk.count)
    }
    return try set.contains(values, negated: negated, count: chunk.count)
  }
}

/// `x op ANY (array)` and `x op ALL (array)`.
///
/// The elements of all arrays of a chunk are compared at once, each with its row's operand; then the answers of each
/// row are brought together.
final class QuantifiedEvaluator: Evaluator {
  enum Test {
    case comparison(ComparisonOperator)
    case kernel(ScalarKernel)
  }
  let type = LogicalType.boolean
  private let operand: any Evaluator
  private let array: any Evaluator
  private let isAll: Bool
  private let test: Test
  /// The set of a constant array, where the test is membership.
  private var set: ConstantSet?
  private var setStorage: MemoryBlock?

  init(operand: any Evaluator, array: any Evaluator, isAll: Bool, test: Test) {
    self.operand = operand
    self.array = array
    self.isAll = isAll
    self.test = test
  }

  func evaluate(_ chunk: inout DataChunk, _ context: ExecutionContext) throws(SQLError) -> Vector {
    let values = try operand.evaluateNormalized(&chunk, context)
    let arrays = try array.evaluateNormalized(&chunk, context)
    let count = chunk.count
    if arrays.isConstantNull { return Vector.null(.boolean, count: count) }
    if arrays.form == .constant, let result = try membership(values, arrays, count) {
      return result
    }
    let flat = arrays.flattened()
    let slices = flat.values(ListSlice.self)
    var total = 0
    for row in 0..<count where flat.validity.isValid(row) { total &+= Int(slices[row].count) }
    let answers = try answers(values.flattened(), flat, slices, total, count, context)
    return fold(answers, flat, slices, count)
  }

  /// `= ANY` and `<> ALL` of one array for all rows.
  private func membership(
    _ values: Vector, _ arrays: Vector, _ count: Int
  ) throws(SQLError) -> Vector? {
    guard case .comparison(let comparison) = test,
      comparison == (isAll ? .notEqual : .equal),
      values.type.physical == arrays.children[0].type.physical
    else { return nil }
    let slice = arrays.values(ListSlice.self)[0]
    if slice.count == 0 { return .boolean(isAll, count: count) }
    if set == nil || setStorage.map({ $0 === arrays.storage }) != true {
      let elements = arrays.children[0]
        .slice(from: Int(slice.offset), count: Int(slice.count)).flattened()
      set = try ConstantSet(elements.retyped(values.type))
      setStorage = arrays.storage
    }
    return try set?.contains(values, negated: isAll, count: count)
  }

  /// The truth of every pair of operand and element, row by row.
  private func answers(
    _ values: Vector, _ arrays: Vector, _ slices: Buffer<ListSlice>, _ total: Int, _ count: Int,
    _ context: ExecutionContext
  ) throws(SQLError) -> TruthValues {
    if total == 0 { return TruthValues(values: Buffer(uninitialized: 0), count: 0) }
    let rows = Buffer<UInt32>(uninitialized: total)
    let elements = Buffer<UInt32>(uninitialized: total)
    var place = 0
    for row in 0..<count where arrays.validity.isValid(row) {
      let slice = slices[row]
      for index in 0..<slice.count {
        rows[place] = UInt32(truncatingIfNeeded: row)
        elements[place] = slice.offset &+ index
        place &+= 1
      }
    }
    let left = values.gathered(rows, count: total).flattened()
    let right = arrays.children[0].gathered(elements, count: total).flattened()
    switch test {
    case .comparison(let comparison):
      let truth = Comparisons.compare(comparison.kernel, left, right, count: total)
      return TruthValues(truth, count: total)
    case .kernel(let kernel):
      return TruthValues(try kernel([left, right], total, context.evaluation), count: total)
    }
  }

  private func fold(
    _ answers: TruthValues, _ arrays: Vector, _ slices: Buffer<ListSlice>, _ count: Int
  ) -> Vector {
    let result = Buffer<UInt8>(uninitialized: max(count, 1))
    let deciding: UInt8 = isAll ? 0 : 1
    var place = 0
    for row in 0..<count {
      guard arrays.validity.isValid(row) else {
        result[row] = TruthValues.unknown
        continue
      }
      var answer = 1 &- deciding
      for _ in 0..<slices[row].count {
        let next = answers.values[place]
        place &+= 1
        if next == deciding {
          answer = deciding
        } else if next == TruthValues.unknown && answer != deciding {
          answer = TruthValues.unknown
        }
      }
      result[row] = answer
    }
    return TruthValues(values: result, count: count).vector()
  }
}
