/// Positions of the rows of one chunk that an operator has kept.
///
/// - Invariant: positions rise strictly, and each is below the chunk's row count.
package struct SelectionVector: Sendable {
  /// The positions; the first `count` are meaningful.
  package let positions: Buffer<UInt32>
  package let count: Int

  package init(_ positions: Buffer<UInt32>, count: Int) {
    self.positions = positions
    self.count = count
  }

  /// Every row of a chunk of `count`.
  package static func all(_ count: Int) -> SelectionVector {
    let positions = Buffer<UInt32>(uninitialized: count)
    for index in 0..<count { positions[index] = UInt32(truncatingIfNeeded: index) }
    return SelectionVector(positions, count: count)
  }

  /// The rows at which a boolean vector is true; false and NULL are left out.
  package init(whereTrue condition: Vector) {
    let count = condition.count
    if condition.form == .constant {
      let keep = condition.isValid(0) && count > 0 && condition.values(UInt8.self)[0] != 0
      self = keep ? .all(count) : SelectionVector(Buffer(uninitialized: 0), count: 0)
      return
    }
    self = RowMask(whereTrue: condition).selection
  }

  /// The rows of a flat vector with this validity that are not NULL.
  package init(wherePresent validity: ValidityMask, count: Int) {
    self = RowMask(validity, isNull: false, count: count).selection
  }

  /// The rows in which none of some flat vectors is NULL; nil where that is all of them.
  package static func present(in vectors: [Vector], count: Int) -> SelectionVector? {
    var validity = ValidityMask.allValid
    for vector in vectors {
      validity = ValidityMask.both(validity, vector.validity, count: count)
    }
    if validity.isAllValid || validity.nullCount(count) == 0 { return nil }
    return SelectionVector(wherePresent: validity, count: count)
  }

  /// The rows below `count` that this selection does not hold.
  package func complement(of count: Int) -> SelectionVector {
    let isOther = Buffer<UInt8>(repeating: 1, count: max(count, 1))
    for index in 0..<self.count { isOther[positions[index]] = 0 }
    let rest = Buffer<UInt32>(uninitialized: count + 1)
    var found = 0
    for index in 0..<count {
      rest[found] = UInt32(truncatingIfNeeded: index)
      found &+= Int(isOther[index])
    }
    return SelectionVector(rest, count: found)
  }

  /// These rows without those of `others`, all of which are among them and in the same order.
  package func without(_ others: SelectionVector) -> SelectionVector {
    let rest = Buffer<UInt32>(uninitialized: count + 1)
    let last = others.count
    var (found, next) = (0, 0)
    for index in 0..<count {
      let row = positions[index]
      rest[found] = row
      let isOther = next < last && others.positions[next] == row
      next &+= bit(isOther)
      found &+= 1 &- bit(isOther)
    }
    return SelectionVector(rest, count: found)
  }

  /// The rows of a chunk that this selection keeps of those `outer` had kept; nil is all.
  package func within(_ outer: SelectionVector?) -> SelectionVector {
    guard let outer else { return self }
    let result = Buffer<UInt32>(uninitialized: max(count, 1))
    for index in 0..<count { result[index] = outer.positions[positions[index]] }
    return SelectionVector(result, count: count)
  }
}
