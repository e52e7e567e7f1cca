import Diagnostics

/// The functions of enumerated types: what they give depends on the type, and only a little on the values.
package enum EnumerationFunctions {
  /// `enum_first(any)` and `enum_last(any)`.
  ///
  /// - Throws: 55000 for a type without labels.
  package static func extreme(_ type: LogicalType, isLast: Bool) -> ScalarKernel {
    { (_: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      guard case .enumeration(let enumeration) = type, !enumeration.labels.isEmpty else {
        throw SQLError(
          .objectNotInPrerequisiteState, "enum \(type.name) contains no values")
      }
      let value = isLast ? enumeration.labels.count - 1 : 0
      return Vector(
        type, Buffer<Int32>(repeating: Int32(truncatingIfNeeded: value), count: count),
        count: count)
    }
  }

  /// `enum_range(any)` and `enum_range(from, to)`: the labels between two, all where NULL leaves an end open.
  package static func range(_ type: LogicalType) -> ScalarKernel {
    { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      guard case .enumeration(let enumeration) = type else {
        return .null(.array(type), count: count)
      }
      let labels = enumeration.labels.count
      let lists = Buffer<ListSlice>(zeroed: count)
      var values: [Int32] = []
      for row in 0..<count {
        var lower = 0
        var upper = labels - 1
        if arguments.count == 2 {
          lower = bound(arguments[0], row) ?? lower
          upper = bound(arguments[1], row) ?? upper
        }
        let start = values.count
        if lower <= upper { values += (lower...upper).map { Int32(truncatingIfNeeded: $0) } }
        lists[row] = ListSlice(
          offset: UInt32(truncatingIfNeeded: start),
          count: UInt32(truncatingIfNeeded: values.count - start))
      }
      let elements = Vector(type, Buffer(values), count: values.count)
      return Vector(
        type: .array(type), count: count, storage: lists.block, children: [elements])
    }
  }

  private static func bound(_ vector: Vector, _ row: Int) -> Int? {
    guard RowLoop.spread(vector, row + 1).isValid(row) else { return nil }
    return Int(Operand(vector, Int32.self)[row])
  }
}
