package import Diagnostics

/// Functions that write values of any type into texts.
package enum OutputFunctions {
  /// `concat(…)`: NULLs are left out.
  package static func concatenate(
    _ arguments: [Vector], _ count: Int, _ context: EvaluationContext
  ) throws(SQLError) -> Vector {
    try concatenated(arguments[...], separators: nil, count, .allValid, context)
  }

  /// `concat_ws(separator, …)`: NULLs are left out, their separators too.
  package static func concatenateSeparated(
    _ arguments: [Vector], _ count: Int, _ context: EvaluationContext
  ) throws(SQLError) -> Vector {
    try concatenated(
      arguments.dropFirst(), separators: Operand(arguments[0]), count,
      RowLoop.spread(arguments[0], count), context)
  }

  private static func concatenated(
    _ parts: ArraySlice<Vector>, separators: Operand<TextView>?, _ count: Int,
    _ validity: ValidityMask, _ context: EvaluationContext
  ) throws(SQLError) -> Vector {
    let formatter = TextFormatter(context)
    var outputs: [Vector] = []
    for part in parts { outputs.append(try Self.outputs(of: part, formatter)) }
    let texts = outputs.map { Operand($0) }
    let present = outputs.map { RowLoop.spread($0, count) }
    return try TextLoop.build(count, .text, validity) { (row, output) throws(SQLError) in
      var isFirst = true
      for place in texts.indices where present[place].isValid(row) {
        if let separators, !isFirst { output.append(separators.bytes(row)) }
        isFirst = false
        output.append(texts[place].bytes(row))
        if output.count > TextLoop.byteCountMax { throw TextLoop.tooLong }
      }
    }
  }

  /// What the output function of a type gives for the values of a vector.
  private static func outputs(
    of vector: Vector, _ formatter: TextFormatter
  ) throws(SQLError) -> Vector {
    if [.text, .varchar, .name].contains(vector.type) { return vector }
    guard vector.type == .boolean else { return try formatter.texts(of: vector) }
    // A cast writes more.
    let values = vector.flattened()
    return try TextLoop.build(values.count, .text, values.validity) { row, output in
      output.append(values.values(UInt8.self)[row] != 0 ? "t" : "f")
    }
  }

  /// `array_to_string(array, separator [, null])`.
  package static func joinList(
    _ arguments: [Vector], _ count: Int, _ context: EvaluationContext
  ) throws(SQLError) -> Vector {
    let formatter = TextFormatter(context)
    let lists = arguments[0].flattened()
    let elements = lists.children[0]
    let slices = lists.values(ListSlice.self)
    let separators = Operand(arguments[1])
    let nulls = arguments.count > 2 ? Operand(arguments[2]) : nil
    let hasNull = arguments.count > 2 ? RowLoop.spread(arguments[2], count) : .allValid
    let validity = RowLoop.validity(Array(arguments.prefix(2)), count)
    return try TextLoop.build(count, .text, validity) { (row, output) throws(SQLError) in
      var isFirst = true
      let slice = slices[row]
      for index in 0..<Int(slice.count) {
        let position = Int(slice.offset) &+ index
        let isPresent = elements.validity.isValid(position)
        if !isPresent && (nulls == nil || !hasNull.isValid(row)) { continue }
        if !isFirst { output.append(separators.bytes(row)) }
        isFirst = false
        if isPresent {
          try formatter.checkLength(position, of: elements)
          formatter.append(position, of: elements, to: &output)
        } else if let nulls {
          output.append(nulls.bytes(row))
        }
        if output.count > TextLoop.byteCountMax { throw TextLoop.tooLong }
      }
    }
  }

  /// `text || anything` and the like: both sides written out.
  package static func concatenateAny(
    _ arguments: [Vector], _ count: Int, _ context: EvaluationContext
  ) throws(SQLError) -> Vector {
    let formatter = TextFormatter(context)
    let sides = try arguments.map { (side) throws(SQLError) in
      side.type.isString ? side : try formatter.texts(of: side)
    }
    return try TextFunctions.concatenate(sides, count, context)
  }

  /// `quote_literal(any)` and `quote_nullable(any)`.
  package static func quoteLiteral(isNullable: Bool) -> ScalarKernel {
    { (arguments: [Vector], count: Int, context: EvaluationContext) throws(SQLError) -> Vector in
      let texts = try TextFormatter(context).texts(of: arguments[0])
      return isNullable
        ? try CodeFunctions.quoteNullable([texts], count, context)
        : try CodeFunctions.quoteLiteral([texts], count, context)
    }
  }

  /// `num_nulls(…)` and `num_nonnulls(…)`.
  package static func countNulls(isPresent: Bool) -> ScalarKernel {
    { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      let result = Buffer<Int32>(zeroed: count)
      for argument in arguments {
        let validity = RowLoop.spread(argument, count)
        for row in 0..<count {
          result[row] &+= Int32(truncatingIfNeeded: bit(validity.isValid(row) == isPresent))
        }
      }
      return Vector(.integer, result, count: count)
    }
  }

  /// `format(text, …)`: `%s`, `%I`, `%L`, `%%`, with positions and widths.
  ///
  /// - Throws: 22023, 22004, 22003, 54000.
  package static func format(isKeyword: @escaping @Sendable (String) -> Bool) -> ScalarKernel {
    { (arguments: [Vector], count: Int, context: EvaluationContext) throws(SQLError) -> Vector in
      let formats = Operand(arguments[0])
      let validity = RowLoop.spread(arguments[0], count)
      var template = FormatTemplate(
        values: Array(arguments.dropFirst()), formatter: TextFormatter(context),
        isKeyword: isKeyword)
      return try TextLoop.build(count, .text, validity) { (row, output) throws(SQLError) in
        try template.write(formats.bytes(row), row, &output)
      }
    }
  }
}

/// The reader of `format`'s templates.
private struct FormatTemplate {
  let values: [Vector]
  let formatter: TextFormatter
  let isKeyword: (String) -> Bool
  private var scratch = ByteBuilder()
  private var piece = ByteBuilder()
  private var next = 0

  init(
    values: [Vector], formatter: TextFormatter, isKeyword: @escaping (String) -> Bool
  ) {
    self.values = values
    self.formatter = formatter
    self.isKeyword = isKeyword
  }

  private static func invalid(_ message: String, hint: String? = nil) -> SQLError {
    SQLError(.invalidParameterValue, message, hint: hint)
  }

  private static let outOfRange = SQLError(.numericOutOfRange, "number is out of range")

  mutating func write(
    _ format: TextBytes, _ row: Int, _ output: inout ByteBuilder
  ) throws(SQLError) {
    next = 0
    var index = 0
    while index < format.count {
      guard format[index] == 0x25 else {
        output.append(format[index])
        index += 1
        continue
      }
      index += 1
      if index < format.count && format[index] == 0x25 {
        output.append(0x25)
        index += 1
        continue
      }
      try writeSpecifier(format, &index, row, &output)
    }
  }

  private static func number(_ format: TextBytes, _ index: inout Int) throws(SQLError) -> Int? {
    var value: Int?
    while index < format.count, isDigit(format[index]) {
      value = (value ?? 0) * 10 + Int(format[index] - 0x30)
      if (value ?? 0) > Int(Int32.max) { throw outOfRange }
      index += 1
    }
    return value
  }

  private mutating func writeSpecifier(
    _ format: TextBytes, _ index: inout Int, _ row: Int, _ output: inout ByteBuilder
  ) throws(SQLError) {
    var position: Int?
    var width: Int?
    var isLeft = false
    var mark = index
    if let number = try Self.number(format, &mark), mark < format.count, format[mark] == 0x24 {
      if number == 0 {
        throw Self.invalid("format specifies argument 0, but arguments are numbered from 1")
      }
      position = number - 1
      index = mark + 1
    }
    while index < format.count && format[index] == 0x2D {
      isLeft = true
      index += 1
    }
    if index < format.count && format[index] == 0x2A {
      index += 1
      width = try starWidth(format, &index, row)
    } else {
      width = try Self.number(format, &index)
    }
    guard index < format.count else {
      throw Self.invalid(
        "unterminated format() type specifier", hint: "For a single \"%\" use \"%%\".")
    }
    let kind = format[index]
    index += 1
    guard kind == 0x73 || kind == 0x49 || kind == 0x4C else {
      throw Self.invalid(
        "unrecognized format() type specifier \"\(String(decoding: [kind], as: UTF8.self))\"",
        hint: "For a single \"%\" use \"%%\".")
    }
    let argument = position ?? next
    next = argument + 1
    guard argument < values.count else { throw Self.invalid("too few arguments for format()") }
    try writeValue(argument, kind, row)
    let missing = max(0, abs(width ?? 0) - piece.bytes.characterCount)
    if missing > TextLoop.byteCountMax { throw TextLoop.tooLong }
    let padsRight = isLeft || (width ?? 0) < 0
    if !padsRight { output.append(repeating: 0x20, count: missing) }
    output.append(piece.bytes)
    if padsRight { output.append(repeating: 0x20, count: missing) }
  }

  private mutating func starWidth(
    _ format: TextBytes, _ index: inout Int, _ row: Int
  ) throws(SQLError) -> Int {
    var mark = index
    if let number = try Self.number(format, &mark), mark < format.count, format[mark] == 0x24 {
      next = max(0, number - 1)
      index = mark + 1
    }
    guard next < values.count else { throw Self.invalid("too few arguments for format()") }
    let vector = values[next]
    next += 1
    guard vector.isValid(row) else { return 0 }
    scratch.removeAll()
    formatter.append(row, of: vector, to: &scratch)
    let width = try NumberText.integer(scratch.bytes, "integer", Int32.self)
    // The least integer says left and how wide, but has no counterpart that is wide.
    if width == .min { throw Self.outOfRange }
    return Int(width)
  }

  private mutating func writeValue(_ argument: Int, _ kind: UInt8, _ row: Int) throws(SQLError) {
    let vector = values[argument]
    piece.removeAll()
    guard vector.isValid(row) else {
      if kind == 0x49 {
        throw SQLError(
          .nullNotAllowed, "null values cannot be formatted as an SQL identifier")
      }
      if kind == 0x4C { piece.append("NULL") }
      return
    }
    scratch.removeAll()
    try formatter.checkLength(row, of: vector)
    formatter.append(row, of: vector, to: &scratch)
    switch kind {
    case 0x49: CodeFunctions.appendIdentifier(scratch.bytes, isKeyword, to: &piece)
    case 0x4C: CodeFunctions.appendLiteral(scratch.bytes, to: &piece)
    default: piece.append(scratch.bytes)
    }
  }
}
