import Columnar

extension Value {
  /// The value as a number on the scale of its type, for interpolation.
  var asDouble: Double? {
    switch self {
    case .int16(let value): Double(value)
    case .int32(let value): Double(value)
    case .int64(let value): Double(value)
    case .float(let value): value.isFinite ? Double(value) : nil
    case .double(let value): value.isFinite ? value : nil
    case .numeric(let value):
      value.kind == .finite ? Double(value.coefficient) / Self.powerOfTen(value.scale) : nil
    case .null, .boolean, .interval, .uuid, .text, .list, .record: nil
    }
  }

  private static func powerOfTen(_ exponent: Int16) -> Double {
    var result = 1.0
    for _ in 0..<max(0, Int(exponent)) { result *= 10 }
    return result
  }
}
