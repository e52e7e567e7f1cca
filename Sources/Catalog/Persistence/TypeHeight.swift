package import Columnar

extension LogicalType {
  /// The most types that may lie in each other in a column: well below what is read from a file, and low enough to be
  /// walked by recursion.
  package static let heightMax = 100

  /// How many records and arrays lie in each other, the type itself counted.
  ///
  /// - Complexity: O(number of different records in it and their fields).
  package var height: Int {
    var known: [ObjectIdentifier: Int] = [:]
    return height(&known)
  }

  private func height(_ known: inout [ObjectIdentifier: Int]) -> Int {
    if case .array(let element) = self { return element.height(&known) + 1 }
    if case .record(let record) = self {
      if let height = known[ObjectIdentifier(record)] { return height }
      let height = (record.fields.map { $0.type.height(&known) }.max() ?? 0) + 1
      known[ObjectIdentifier(record)] = height
      return height
    }
    return 1
  }
}
