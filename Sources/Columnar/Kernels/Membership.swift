package import Diagnostics

/// `x IN (constants)`: the constants in a hash set, which whole vectors are looked up in.
///
/// Sendable by rule: nothing is added once it is made.
package final class ConstantSet: @unchecked Sendable {
  private let table: GroupTable
  private let hasNull: Bool

  /// A set of the values of `constants`, all of one type.
  package init(_ constants: Vector) throws(SQLError) {
    table = GroupTable(types: [constants.type])
    let present = Filtering.selectNull(constants, isNull: false, count: constants.count)
    hasNull = present.count < constants.count
    _ = try table.findOrInsert([constants.gathered(present)], count: present.count)
  }

  /// `operand [NOT] IN` the set: NULL for NULL, and where nothing matches but the set holds NULL.
  ///
  /// - Complexity: O(*n*).
  package func contains(
    _ operand: Vector, negated: Bool, count: Int
  ) throws(SQLError) -> Vector {
    if operand.isConstantNull { return .null(.boolean, count: count) }
    let operand = operand.compactFlattened()
    let groups = try table.find([operand], count: count)
    let result = Buffer<UInt8>(uninitialized: count)
    for row in 0..<count {
      result[row] = UInt8(truncatingIfNeeded: bit((groups[row] == .max) == negated))
    }
    if !hasNull { return Vector(.boolean, result, count: count, validity: operand.validity) }
    var validity = operand.validity.copy(count: count)
    for row in 0..<count where groups[row] == .max { validity.setNull(row, count: count) }
    return Vector(.boolean, result, count: count, validity: validity)
  }

  /// The rows at which `operand` is in the set, among `candidates` if there are any.
  package func select(
    _ operand: Vector, negated: Bool, count: Int, among candidates: SelectionVector? = nil
  ) throws(SQLError) -> SelectionVector {
    let rows = candidates?.count ?? count
    let values = candidates.map { operand.gathered($0) } ?? operand
    let kept = SelectionVector(whereTrue: try contains(values, negated: negated, count: rows))
    return candidates.map { kept.mapped(through: $0) } ?? kept
  }
}
