import Columnar
import Diagnostics

/// Puts one vector together from parts that each give the values of some rows.
///
/// The parts stand one after another in a store, a constant part as one value, and each row points to its
/// value there: no value is moved twice.
struct RowAssembly {
  private let type: LogicalType
  private let count: Int
  private let indices: Buffer<UInt32>
  private var parts: [Vector] = []
  private var stored = 0

  init(_ type: LogicalType, count: Int) {
    self.type = type
    self.count = count
    indices = Buffer(zeroed: max(count, 1))
  }

  /// Takes row *i* of `vector` as the value of row `rows[i]`.
  mutating func add(_ vector: Vector, at rows: SelectionVector) {
    let base = UInt32(truncatingIfNeeded: stored)
    let isConstant = vector.form == .constant
    let part = isConstant ? vector.resized(to: 1).flattened() : vector.flattened()
    parts.append(part)
    stored += part.count
    if isConstant {
      for index in 0..<rows.count { indices[rows.positions[index]] = base }
    } else {
      for index in 0..<rows.count {
        indices[rows.positions[index]] = base &+ UInt32(truncatingIfNeeded: index)
      }
    }
  }

  /// The whole; rows that no part gave are those of the first part's first row.
  func finish() -> Vector {
    if parts.isEmpty { return Vector.null(type, count: count) }
    let store = Vector.concatenate(parts, type: type)
    return store.gathered(indices, count: count)
  }
}

/// CASE: a condition is tested only for rows that no earlier one took, a result computed only for its rows.
final class CaseEvaluator: Evaluator {
  let type: LogicalType
  private let conditions: [ConjunctiveFilter]
  /// The results of the branches, then that of ELSE.
  private let results: [GuardedEvaluator]
  /// The results one after another where all are written in the query, and no condition but the first can fail: then rows
  /// are told which of them is theirs.
  private let constants: Vector?

  init(conditions: [ConjunctiveFilter], results: [GuardedEvaluator], type: LogicalType) {
    self.conditions = conditions
    self.results = results
    self.type = type
    let values = results.compactMap { ($0.evaluator as? ConstantEvaluator)?.value }
    let isFixed =
      values.count == results.count
      && conditions.dropFirst().allSatisfy(\.isTestedInPlace)
    constants = isFixed ? Vector.concatenate(values.map { $0.flattened() }, type: type) : nil
  }

  func evaluate(_ chunk: inout DataChunk, _ context: ExecutionContext) throws(SQLError) -> Vector {
    if let constants { return try chosen(among: constants, &chunk, context) }
    let count = chunk.count
    var open: SelectionVector?
    var assembly = RowAssembly(type, count: count)
    for branch in conditions.indices {
      guard let taken = try conditions[branch].select(&chunk, among: open, context) else {
        return try results[branch].evaluate(nil, of: chunk, context)
      }
      if taken.count == 0 { continue }
      assembly.add(try results[branch].evaluate(taken, of: chunk, context), at: taken)
      if taken.count == open?.count ?? count { return assembly.finish() }
      open = open?.without(taken) ?? taken.complement(of: count)
    }
    let last = results[results.count - 1]
    guard let rows = open else { return try last.evaluate(nil, of: chunk, context) }
    assembly.add(try last.evaluate(rows, of: chunk, context), at: rows)
    return assembly.finish()
  }

  /// For each row the result of the first condition that is true for it.
  private func chosen(
    among constants: Vector, _ chunk: inout DataChunk, _ context: ExecutionContext
  ) throws(SQLError) -> Vector {
    let count = chunk.count
    let places = Buffer<UInt32>(repeating: UInt32(conditions.count), count: max(count, 1))
    for branch in conditions.indices.reversed() {
      let mask = try conditions[branch].mask(of: &chunk, context)
      mask.write(UInt32(branch), into: places)
    }
    return constants.gathered(places, count: count)
  }
}

/// COALESCE: each operand is evaluated only for the rows for which all before it are NULL.
final class CoalesceEvaluator: Evaluator {
  let type: LogicalType
  private let operands: [GuardedEvaluator]

  init(_ operands: [GuardedEvaluator], type: LogicalType) {
    self.operands = operands
    self.type = type
  }

  func evaluate(_ chunk: inout DataChunk, _ context: ExecutionContext) throws(SQLError) -> Vector {
    let count = chunk.count
    var open: SelectionVector?
    var assembly = RowAssembly(type, count: count)
    for (number, operand) in operands.enumerated() {
      let vector = try operand.evaluate(open, of: chunk, context)
      let isLast = number == operands.count - 1
      if !isLast && vector.isConstantNull { continue }
      if isLast || vector.form == .constant || vector.validity.isAllValid {
        guard let rows = open else { return vector }
        assembly.add(vector, at: rows)
        return assembly.finish()
      }
      let flat = vector.flattened()
      let openCount = open?.count ?? count
      let present = SelectionVector(wherePresent: flat.validity, count: openCount)
      if present.count == openCount && open == nil { return flat }
      if present.count > 0 {
        assembly.add(flat.gathered(present), at: present.within(open))
      }
      let rest = present.complement(of: openCount).within(open)
      if rest.count == 0 { return assembly.finish() }
      open = rest
    }
    return Vector.null(type, count: count)
  }
}

/// GREATEST and LEAST: NULL only where every operand is.
final class ExtremeEvaluator: Evaluator {
  let type: LogicalType
  private let operands: [any Evaluator]
  private let isGreatest: Bool

  init(_ operands: [any Evaluator], isGreatest: Bool, type: LogicalType) {
    self.operands = operands
    self.isGreatest = isGreatest
    self.type = type
  }

  func evaluate(_ chunk: inout DataChunk, _ context: ExecutionContext) throws(SQLError) -> Vector {
    let count = chunk.count
    var best: Vector?
    for operand in operands {
      let candidate = try operand.evaluate(&chunk, context).flattened()
      best =
        best.map {
          Comparisons.extreme($0, candidate, isGreatest: isGreatest, type: type, count: count)
        } ?? candidate
    }
    return best ?? Vector.null(type, count: count)
  }
}
