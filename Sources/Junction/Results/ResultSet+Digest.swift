import Columnar

extension ResultSet {
  /// Touches every value as a reader would: the sum of whole numbers, and of the lengths and first bytes of texts.
  ///
  /// For benchmarks, which must look at what they asked for. NULL counts nothing.
  ///
  /// - Complexity: O(*n*) in the values; nothing is allocated for one.
  public func digest() -> Int {
    var sum = 0
    for index in chunks.indices { sum &+= chunks[index].digest() }
    return sum
  }
}
