#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension ByteBuilder {
  /// The forms of C for floating-point numbers.
  enum FloatForm {
    /// `%.*g`: so many significant digits at most.
    case general
    /// `%.*f`: so many digits behind the point.
    case fixed
    /// `%+.*e`: one digit before the point, so many behind it, and an exponent.
    case scientific

    fileprivate var format: String {
      switch self {
      case .general: "%.*g"
      case .fixed: "%.*f"
      case .scientific: "%+.*e"
      }
    }
  }

  /// Adds a number as C writes it.
  mutating func append(_ value: Double, as form: FloatForm, digits: Int) {
    let digits = min(digits, 1 << 16)
    // No double has more than 309 digits before its point.
    let text = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: digits + 400) {
      buffer in
      let length = unsafe withVaList([Int32(truncatingIfNeeded: digits), value]) { arguments in
        unsafe vsnprintf(buffer.baseAddress, buffer.count, form.format, arguments)
      }
      return unsafe buffer.prefix(max(0, Int(length))).map { UInt8(bitPattern: $0) }
    }
    for byte in text { append(byte) }
  }
}
