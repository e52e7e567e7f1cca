import Diagnostics

/// Assignment to a part of a jsonb value, as in `SET j['a'][0] = '1'`.
///
/// Unlike `jsonb_set` it makes all that is missing on the way, and refuses to go through a scalar.
package enum JSONAssignment {
  /// The greatest number of elements that a gap may be filled up to, as PostgreSQL bounds arrays of jsonb.
  private static let elementCountMax = 0x0FFF_FFFF / 4

  /// The kernel over a value, what is assigned, and the subscripts as texts.
  ///
  /// What is NULL becomes an array where the first subscript is a number, and otherwise an object; NULL that is assigned
  /// is the null of JSON.
  ///
  /// - Throws: 22004 for a subscript that is NULL, 22P02 for one of an array that is no number, 22023 for one before the
  ///   start of an array and for a way through a scalar.
  package static func kernel(startsArray: Bool) -> ScalarKernel {
    let empty = Buffer(Array((startsArray ? "[]" : "{}").utf8))
    let null = Buffer(Array("null".utf8))
    return { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      let texts = arguments.map { Operand($0) }
      return try JSONFunctions.finished([], count, .jsonb) { (row, output) throws(SQLError) in
        var path: [TextBytes] = []
        for index in 2..<max(arguments.count, 2) {
          guard arguments[index].isValid(row) else {
            throw SQLError(.nullNotAllowed, "jsonb subscript in assignment must not be null")
          }
          path.append(texts[index].bytes(row))
        }
        let whole = arguments[0].isValid(row) ? texts[0].bytes(row) : empty.bytes(0..<2)
        let part = arguments[1].isValid(row) ? texts[1].bytes(row) : null.bytes(0..<4)
        try append(whole, path, 0, part, &output)
      }
    }
  }

  private static func append(
    _ text: TextBytes, _ path: [TextBytes], _ step: Int, _ part: TextBytes,
    _ output: inout ByteBuilder
  ) throws(SQLError) {
    if step == path.count {
      output.append(part)
      return
    }
    let value = JSONPath.trimmed(text)
    switch value.count > 0 ? JSONKind(value[0]) : .null {
    case .object: try appendObject(value, path, step, part, &output)
    case .array: try appendArray(value, path, step, part, &output)
    case .string, .number, .boolean, .null:
      throw SQLError(
        .invalidParameterValue, "cannot replace existing key",
        detail: "The path assumes key is a composite object, but it is a scalar value.")
    }
  }

  private static func appendObject(
    _ value: TextBytes, _ path: [TextBytes], _ step: Int, _ part: TextBytes,
    _ output: inout ByteBuilder
  ) throws(SQLError) {
    var members: [(key: TextBytes, value: TextBytes)] = []
    _ = JSONCursor.forEachMember(value) { key, member in
      members.append((key, member))
      return true
    }
    var isFound = false
    output.append(0x7B)
    for (place, member) in members.enumerated() {
      if place > 0 { output.append(0x2C) }
      output.append(member.key)
      output.append(0x3A)
      if JSONPath.isKey(member.key, path[step]) {
        isFound = true
        try append(member.value, path, step + 1, part, &output)
      } else {
        output.append(member.value)
      }
    }
    if !isFound {
      if !members.isEmpty { output.append(0x2C) }
      JSONText.append(quoting: path[step], to: &output)
      output.append(0x3A)
      try appendNew(path, step + 1, part, &output)
    }
    output.append(0x7D)
  }

  private static func appendArray(
    _ value: TextBytes, _ path: [TextBytes], _ step: Int, _ part: TextBytes,
    _ output: inout ByteBuilder
  ) throws(SQLError) {
    guard var index = JSONPath.index(path[step]) else {
      throw SQLError(
        .invalidTextRepresentation,
        "path element at position \(step + 1) is not an integer: \"\(path[step].string)\"")
    }
    var elements: [TextBytes] = []
    _ = JSONCursor.forEachElement(value) { element in
      elements.append(element)
      return true
    }
    if index < 0 {
      guard -index <= elements.count else {
        throw SQLError(
          .invalidParameterValue,
          "path element at position \(step + 1) is out of range: \(index)")
      }
      index += elements.count
    }
    output.append(0x5B)
    for (place, element) in elements.enumerated() {
      if place > 0 { output.append(0x2C) }
      if place == index {
        try append(element, path, step + 1, part, &output)
      } else {
        output.append(element)
      }
    }
    if index >= elements.count {
      if !elements.isEmpty { output.append(0x2C) }
      try appendNulls(index - elements.count, &output)
      try appendNew(path, step + 1, part, &output)
    }
    output.append(0x5D)
  }

  /// Adds what is assigned within what the rest of the path has to be made of: an array for a number.
  private static func appendNew(
    _ path: [TextBytes], _ step: Int, _ part: TextBytes, _ output: inout ByteBuilder
  ) throws(SQLError) {
    if step == path.count {
      output.append(part)
      return
    }
    if let index = JSONPath.index(path[step]) {
      output.append(0x5B)
      try appendNulls(max(index, 0), &output)
      try appendNew(path, step + 1, part, &output)
      output.append(0x5D)
    } else {
      output.append(0x7B)
      JSONText.append(quoting: path[step], to: &output)
      output.append(0x3A)
      try appendNew(path, step + 1, part, &output)
      output.append(0x7D)
    }
  }

  /// - Throws: 54000 for more than an array may have.
  private static func appendNulls(
    _ count: Int, _ output: inout ByteBuilder
  ) throws(SQLError) {
    guard count <= elementCountMax else {
      throw SQLError(
        .programLimitExceeded,
        "total size of jsonb array elements exceeds the maximum of \(0x0FFF_FFFF) bytes")
    }
    for _ in 0..<count { output.append("null,") }
  }
}
