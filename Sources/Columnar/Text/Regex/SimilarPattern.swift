package import Diagnostics

/// The patterns of SIMILAR TO.
package enum SimilarPattern {
  private static let defaultEscape = Buffer<UInt8>([0x5C])

  /// `similar_to_escape(pattern [, escape])`: the regular expression of a SIMILAR TO pattern.
  ///
  /// - Throws: 22025, 2200C.
  package static func regularExpression(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let patterns = Operand(arguments[0])
    let escapes = arguments.count > 1 ? Operand(arguments[1]) : nil
    return try TextLoop.build(arguments, count) { (row, output) throws(SQLError) in
      let escape = escapes?.bytes(row) ?? defaultEscape.bytes(0..<1)
      if escape.characterCount > 1 { throw LikeFunctions.invalidEscape }
      try append(patterns.bytes(row), escape, &output)
    }
  }

  /// `substring(text SIMILAR pattern ESCAPE escape)`: what the part between the two `escape"` of the pattern matches.
  ///
  /// - Throws: 22025, 2200C, 2201B.
  package static func substring(
    _ arguments: [Vector], _ count: Int, _ context: EvaluationContext
  ) throws(SQLError) -> Vector {
    let pattern = try regularExpression(Array(arguments.dropFirst()), count, context)
    return try RegexFunctions.substring([arguments[0], pattern], count, context)
  }

  /// Parts are set off by an escape character and a quote: `^(?:first){1,1}?(second){1,1}(?:third)$`.
  ///
  /// The first is to match as little as it can, and the second as much.
  private static func append(
    _ pattern: TextBytes, _ escape: TextBytes, _ output: inout ByteBuilder
  ) throws(SQLError) {
    output.append("^(?:")
    var index = 0
    var isInBracket = false
    var isEscaped = false
    var separators = 0
    while index < pattern.count {
      let end = pattern.offset(of: 1, from: index)
      let character = pattern.slice(index..<end)
      index = end
      if isEscaped {
        isEscaped = false
        if character[0] == 0x22 && !isInBracket {
          try appendSeparator(&separators, &output)
        } else {
          output.append(0x5C)
          output.append(character)
        }
      } else if escape.count > 0 && character == escape {
        isEscaped = true
      } else {
        append(character, &isInBracket, &output)
      }
    }
    output.append(")$")
  }

  private static func appendSeparator(
    _ count: inout Int, _ output: inout ByteBuilder
  ) throws(SQLError) {
    count += 1
    guard count <= 2 else {
      throw SQLError(
        SQLState("2200C"),
        "SQL regular expression may not contain more than two escape-double-quote separators")
    }
    output.append(count == 1 ? "){1,1}?(" : "){1,1}(?:")
  }

  private static func append(
    _ character: TextBytes, _ isInBracket: inout Bool, _ output: inout ByteBuilder
  ) {
    let byte = character[0]
    if isInBracket {
      if byte == 0x5C { output.append(0x5C) }
      if byte == 0x5D { isInBracket = false }
      output.append(character)
      return
    }
    switch byte {
    case 0x25: output.append(".*")
    case 0x5F: output.append(0x2E)
    case 0x28: output.append("(?:")
    case 0x5B:
      isInBracket = true
      output.append(character)
    case 0x5C, 0x2E, 0x5E, 0x24:
      output.append(0x5C)
      output.append(character)
    default: output.append(character)
    }
  }
}
