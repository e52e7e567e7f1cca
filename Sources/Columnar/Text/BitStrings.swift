package import Diagnostics

/// Bit strings, kept as texts of the digits 0 and 1.
///
/// So kept they are in the right order, equal where they are equal, and hashed and sorted as texts are.
package enum BitStrings {
  private static let zero = UInt8(ascii: "0")
  private static let one = UInt8(ascii: "1")

  /// The digits that a text spells: binary ones, perhaps after `B`, or hexadecimal ones after `X`.
  ///
  /// - Throws: 22P02.
  package static func append(_ text: TextBytes, to output: inout ByteBuilder) throws(SQLError) {
    var index = 0
    var isHexadecimal = false
    if text.count > 0 {
      let lead = text[0] | 0x20
      isHexadecimal = lead == UInt8(ascii: "x")
      if isHexadecimal || lead == UInt8(ascii: "b") { index = 1 }
    }
    while index < text.count {
      let byte = text[index]
      if isHexadecimal {
        guard let digit = hexDigit(byte) else {
          throw invalid(text, index, "hexadecimal")
        }
        for place in [3, 2, 1, 0] { output.append(zero &+ (digit &>> UInt8(place) & 1)) }
      } else {
        guard byte == zero || byte == one else { throw invalid(text, index, "binary") }
        output.append(byte)
      }
      index += 1
    }
  }

  private static func invalid(_ text: TextBytes, _ index: Int, _ kind: String) -> SQLError {
    let end = text.offset(of: 1, from: index)
    return SQLError(
      .invalidTextRepresentation,
      "\"\(text.slice(index..<end).string)\" is not a valid \(kind) digit")
  }

  /// The digits of a literal, `B'…'` or `X'…'`.
  ///
  /// - Throws: 22P02.
  package static func literal(_ digits: String, isHexadecimal: Bool) throws(SQLError) -> [UInt8] {
    var source = ByteBuilder()
    source.append(isHexadecimal ? "x" : "b")
    source.append(digits)
    var output = ByteBuilder()
    try append(source.bytes, to: &output)
    return output.bytes.array
  }

  /// Cuts or fills bit strings to the length of `bit(n)`, or cuts them to that of `bit varying(n)`.
  ///
  /// - Throws: 22026, 22001 where that is not asked for by an explicit cast.
  static func resized(
    _ vector: Vector, to length: Int, isExplicit: Bool
  ) throws(SQLError) -> Vector {
    let isFixed = vector.type == .bit
    return try TextLoop.build([vector], vector.count, vector.type) {
      (row, output) throws(SQLError) in
      let bits = Operand(vector).bytes(row)
      if !isExplicit {
        if isFixed && bits.count != length {
          throw SQLError(
            .stringLengthMismatch,
            "bit string length \(bits.count) does not match type bit(\(length))")
        }
        if !isFixed && bits.count > length {
          throw SQLError(
            .stringTooLong, "bit string too long for type bit varying(\(length))")
        }
      }
      output.append(bits.slice(0..<min(bits.count, length)))
      if isFixed { output.append(repeating: zero, count: max(0, length - bits.count)) }
    }
  }

  /// The low `length` bits of whole numbers.
  static func fromNumbers(_ vector: Vector, length: Int) throws(SQLError) -> Vector {
    let isNarrow = vector.type.physical == .int32
    return try TextLoop.build([vector], vector.count, .bit) { (row, output) throws(SQLError) in
      let position = vector.position(row)
      let value =
        isNarrow
        ? Int64(vector.values(Int32.self)[position]) : vector.values(Int64.self)[position]
      for place in (0..<length).reversed() {
        // Beyond 64 bits there are copies of the sign.
        let shift = Int64(min(place, 63))
        output.append(zero &+ UInt8(truncatingIfNeeded: value &>> shift & 1))
      }
    }
  }

  /// Whole numbers out of bit strings.
  ///
  /// - Throws: 22003 for more bits than the number has.
  static func numbers<Number: FixedWidthInteger & BitwiseCopyable>(
    _ vector: Vector, _ type: LogicalType, _ number: Number.Type
  ) throws(SQLError) -> Vector {
    let source = Operand(vector)
    return try TextLoop.compute([vector], vector.count, type) { (row) throws(SQLError) -> Number in
      let bits = source.bytes(row)
      if bits.count > Number.bitWidth {
        throw SQLError(.numericOutOfRange, "\(type.name) out of range")
      }
      var value: Number = 0
      for index in 0..<bits.count {
        value = value &<< 1 | Number(truncatingIfNeeded: bits[index] &- zero)
      }
      return value
    }
  }

  // MARK: Operators

  /// Operations of two bit strings of one length.
  package enum Operation: String, Sendable {
    case and = "AND"
    case or = "OR"
    case xor = "XOR"

    @inline(__always)
    func combine(_ left: UInt8, _ right: UInt8) -> UInt8 {
      switch self {
      case .and: left & right
      case .or: left | right
      case .xor: (left ^ right) | 0x30
      }
    }
  }

  static func differentSizes(_ operation: Operation) -> SQLError {
    SQLError(
      .stringLengthMismatch, "cannot \(operation.rawValue) bit strings of different sizes")
  }

  /// `&`, `|` and `#`.
  ///
  /// - Throws: 22026.
  package static func kernel(_ operation: Operation) -> ScalarKernel {
    { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      let left = Operand(arguments[0])
      let right = Operand(arguments[1])
      return try TextLoop.build(arguments, count, .bit) { (row, output) throws(SQLError) in
        let a = left.bytes(row)
        let b = right.bytes(row)
        if a.count != b.count { throw differentSizes(operation) }
        for index in 0..<a.count { output.append(operation.combine(a[index], b[index])) }
      }
    }
  }

  /// `~`.
  package static func invert(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let source = Operand(arguments[0])
    return try TextLoop.build(arguments, count, .bit) { row, output in
      let bits = source.bytes(row)
      for index in 0..<bits.count { output.append(bits[index] ^ 1) }
    }
  }

  /// `<<`, or `>>` with `isRight`; the length stays, and zeros come in.
  package static func shift(isRight: Bool) -> ScalarKernel {
    { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      let source = Operand(arguments[0])
      let distances = Operand(arguments[1], Int32.self)
      return try TextLoop.build(arguments, count, .bit) { row, output in
        let bits = source.bytes(row)
        let asked = Int(distances[row])
        let left = isRight ? -asked : asked
        let distance = min(Int(left.magnitude), bits.count)
        if left >= 0 {
          output.append(bits.slice(distance..<bits.count))
          output.append(repeating: zero, count: distance)
        } else {
          output.append(repeating: zero, count: distance)
          output.append(bits.slice(0..<(bits.count - distance)))
        }
      }
    }
  }

  /// A function of texts for bit strings.
  package static func retyped(_ kernel: @escaping ScalarKernel, _ type: LogicalType)
    -> ScalarKernel
  {
    { (arguments: [Vector], count: Int, context: EvaluationContext) throws(SQLError) -> Vector in
      let plain = arguments.map { $0.type.isBitString ? $0.retyped(.text) : $0 }
      return try kernel(plain, count, context).retyped(type)
    }
  }

  // MARK: Functions

  /// `position(part IN bits)`, from 1; nothing is in the empty string.
  package static func position(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let source = Operand(arguments[0])
    let parts = Operand(arguments[1])
    return try TextLoop.compute(arguments, count, .integer) { row -> Int32 in
      let bits = source.bytes(row)
      guard bits.count > 0, let hit = bits.firstRange(of: parts.bytes(row)) else { return 0 }
      return Int32(truncatingIfNeeded: hit &+ 1)
    }
  }

  /// `octet_length(bits)`: the bytes that would hold them.
  package static func octetLength(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let source = Operand(arguments[0])
    return try TextLoop.compute(arguments, count, .integer) { row -> Int32 in
      Int32(truncatingIfNeeded: (source.bytes(row).count &+ 7) / 8)
    }
  }

  /// `bit_count(bits)`.
  package static func count(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let source = Operand(arguments[0])
    return try TextLoop.compute(arguments, count, .bigint) { row -> Int64 in
      let bits = source.bytes(row)
      var found: Int64 = 0
      for index in 0..<bits.count { found &+= Int64(bits[index] & 1) }
      return found
    }
  }

  private static func checkIndex(_ index: Int32, _ bits: TextBytes) throws(SQLError) {
    if index < 0 || Int(index) >= bits.count {
      throw SQLError(
        .arraySubscriptError,
        "bit index \(index) out of valid range (0..\(bits.count - 1))")
    }
  }

  /// `get_bit(bits, n)`, counted from 0 on the left.
  ///
  /// - Throws: 2202E.
  package static func getBit(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let source = Operand(arguments[0])
    let indices = Operand(arguments[1], Int32.self)
    return try TextLoop.compute(arguments, count, .integer) { (row) throws(SQLError) -> Int32 in
      let bits = source.bytes(row)
      try checkIndex(indices[row], bits)
      return Int32(bits[Int(indices[row])] &- zero)
    }
  }

  /// `set_bit(bits, n, value)`.
  ///
  /// - Throws: 2202E, 22023.
  package static func setBit(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let source = Operand(arguments[0])
    let indices = Operand(arguments[1], Int32.self)
    let values = Operand(arguments[2], Int32.self)
    return try TextLoop.build(arguments, count, .bit) { (row, output) throws(SQLError) in
      let bits = source.bytes(row)
      let index = Int(indices[row])
      try checkIndex(indices[row], bits)
      guard values[row] == 0 || values[row] == 1 else {
        throw SQLError(.invalidParameterValue, "new bit must be 0 or 1")
      }
      output.append(bits.slice(0..<index))
      output.append(zero &+ UInt8(truncatingIfNeeded: values[row]))
      output.append(bits.slice((index + 1)..<bits.count))
    }
  }
}

extension LogicalType {
  /// Whether the type is one of the bit strings.
  package var isBitString: Bool { self == .bit || self == .varbit }
}
