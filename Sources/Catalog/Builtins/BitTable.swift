import Columnar

extension Builtins {
  /// Functions of bit strings.
  static var bitFunctions: [ScalarFunction] {
    let substring = BitStrings.retyped(TextFunctions.substring, .bit)
    let overlay = BitStrings.retyped(TextFunctions.overlay, .bit)
    let length = BitStrings.retyped(TextFunctions.octetLength, .integer)
    return [
      ScalarFunction("length", [.bit], .integer, kernel: length),
      ScalarFunction("bit_length", [.bit], .integer, kernel: length),
      ScalarFunction("octet_length", [.bit], .integer, kernel: BitStrings.octetLength),
      ScalarFunction("bit_count", [.bit], .bigint, kernel: BitStrings.count),
      ScalarFunction("substring", [.bit, .integer], .bit, kernel: substring),
      ScalarFunction("substring", [.bit, .integer, .integer], .bit, kernel: substring),
      ScalarFunction("overlay", [.bit, .bit, .integer], .bit, kernel: overlay),
      ScalarFunction("overlay", [.bit, .bit, .integer, .integer], .bit, kernel: overlay),
      ScalarFunction("position", [.bit, .bit], .integer, kernel: BitStrings.position),
      ScalarFunction("get_bit", [.bit, .integer], .integer, kernel: BitStrings.getBit),
      ScalarFunction("set_bit", [.bit, .integer, .integer], .bit, kernel: BitStrings.setBit),
    ]
  }

  /// Operators of bit strings.
  static var bitOperators: [OperatorFunction] {
    [
      OperatorFunction("&", .bit, .bit, .bit, kernel: BitStrings.kernel(.and)),
      OperatorFunction("|", .bit, .bit, .bit, kernel: BitStrings.kernel(.or)),
      OperatorFunction("#", .bit, .bit, .bit, kernel: BitStrings.kernel(.xor)),
      OperatorFunction("~", nil, .bit, .bit, kernel: BitStrings.invert),
      OperatorFunction("<<", .bit, .integer, .bit, kernel: BitStrings.shift(isRight: false)),
      OperatorFunction(">>", .bit, .integer, .bit, kernel: BitStrings.shift(isRight: true)),
      OperatorFunction(
        "||", .varbit, .varbit, .varbit,
        kernel: BitStrings.retyped(TextFunctions.concatenate, .varbit)),
    ]
  }
}
