import Columnar

extension ResultSet {
  /// Touches every value as a reader would: the sum of whole numbers, and of the lengths and first bytes of texts.
  ///
  /// For benchmarks, which must look at what they asked for. NULL counts nothing.
  ///
  /// - Complexity: O(*n*) in the values; nothing is allocated for one.
  public func digest() -> Int {
    var sum = 0
    for chunk in chunks {
      for column in chunk.columns {
        let vector = column.normalized()
        for row in 0..<chunk.count where vector.isValid(row) {
          let position = vector.position(row)
          switch vector.type.physical {
          case .int16: sum &+= Int(vector.values(Int16.self)[position])
          case .int32: sum &+= Int(vector.values(Int32.self)[position])
          case .int64: sum &+= Int(vector.values(Int64.self)[position])
          case .text:
            let bytes = vector.values(TextView.self).bytes(at: position)
            sum &+= bytes.count &+ (bytes.count > 0 ? Int(bytes[0]) : 0)
          default: break
          }
        }
      }
    }
    return sum
  }
}
