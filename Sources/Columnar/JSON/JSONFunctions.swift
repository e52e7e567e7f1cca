package import Diagnostics

/// Functions that look into json and jsonb values.
package enum JSONFunctions {
  /// One text or nothing for each row of which every argument is present.
  @inline(__always)
  static func optional(
    _ arguments: [Vector], _ count: Int, _ type: LogicalType,
    _ body: (_ row: Int, _ output: inout ByteBuilder) throws(SQLError) -> Bool
  ) throws(SQLError) -> Vector {
    if RowLoop.isNull(arguments) { return .null(type, count: count) }
    var validity = RowLoop.validity(arguments, count).copy(count: count)
    let views = Buffer<TextView>(zeroed: count)
    let heap = TextHeap()
    var output = ByteBuilder()
    for row in 0..<count where validity.isValid(row) {
      output.removeAll()
      if try body(row, &output) {
        views[row] = heap.append(output.bytes)
      } else {
        validity.setNull(row, count: count)
      }
    }
    return Vector(type, views, count: count, validity: validity, heaps: [heap])
  }

  /// `->` and `->>` by key or index; `type` is json or jsonb.
  ///
  /// - Throws: 22P05.
  package static func arrow(_ type: LogicalType, byIndex: Bool, asText: Bool) -> ScalarKernel {
    { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      let texts = Operand(arguments[0])
      let keys = byIndex ? nil : Operand(arguments[1])
      let indices = byIndex ? Operand(arguments[1], Int32.self) : nil
      return try optional(arguments, count, asText ? .text : type) {
        (row, output) throws(SQLError) -> Bool in
        var found: TextBytes?
        if let keys { found = JSONPath.member(texts.bytes(row), keys.bytes(row)) }
        if let indices {
          let text = texts.bytes(row)
          found = JSONPath.element(text, Int(indices[row]))
          // PostgreSQL keeps a jsonb scalar as an array of one, and lets that be seen here.
          if type == .jsonb, JSONKind(text[0]).isScalar, indices[row] == 0 || indices[row] == -1 {
            found = text
          }
        }
        guard let found else { return false }
        if asText { return try JSONPath.appendText(found, to: &output) }
        output.append(JSONPath.trimmed(found))
        return true
      }
    }
  }

  /// `#>` and `#>>`, also `json_extract_path` with its path spread over arguments.
  ///
  /// - Throws: 22P05.
  package static func path(_ type: LogicalType, asText: Bool) -> ScalarKernel {
    { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      let texts = Operand(arguments[0])
      let lists =
        arguments.count == 2 && arguments[1].type.element != nil ? arguments[1].flattened() : nil
      let names = lists == nil ? arguments.dropFirst().map { Operand($0) } : []
      var path: [TextBytes] = []
      return try optional(arguments, count, asText ? .text : type) {
        (row, output) throws(SQLError) -> Bool in
        path.removeAll(keepingCapacity: true)
        for name in names { path.append(name.bytes(row)) }
        if let lists {
          let slice = lists.values(ListSlice.self)[row]
          let elements = lists.children[0]
          let steps = elements.values(TextView.self)
          for index in 0..<Int(slice.count) {
            let position = Int(slice.offset) + index
            guard elements.validity.isValid(position) else { return false }
            path.append(steps.bytes(at: position))
          }
        }
        guard let value = JSONPath.value(of: texts.bytes(row), at: path[...]) else { return false }
        if asText { return try JSONPath.appendText(value, to: &output) }
        output.append(JSONPath.trimmed(value))
        return true
      }
    }
  }

  /// `json_typeof`, `jsonb_typeof`.
  package static func typeName(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let texts = Operand(arguments[0])
    return try TextLoop.build(arguments, count) { row, output in
      let value = JSONPath.trimmed(texts.bytes(row))
      output.append(value.count > 0 ? JSONKind(value[0]).name : "null")
    }
  }

  /// `json_array_length`, `jsonb_array_length`.
  ///
  /// - Throws: 22023.
  package static func arrayLength(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let texts = Operand(arguments[0])
    return try TextLoop.compute(arguments, count, .integer) { (row) throws(SQLError) -> Int32 in
      let text = JSONPath.trimmed(texts.bytes(row))
      guard let length = JSONPath.length(text) else {
        let isObject = text.count > 0 && JSONKind(text[0]) == .object
        throw SQLError(
          .invalidParameterValue,
          "cannot get array length of a \(isObject ? "non-array" : "scalar")")
      }
      return Int32(truncatingIfNeeded: length)
    }
  }

  /// Builds JSON, and brings it into jsonb's form where that is the type.
  @inline(__always)
  static func finished(
    _ arguments: [Vector], _ count: Int, _ type: LogicalType,
    _ body: (_ row: Int, _ output: inout ByteBuilder) throws(SQLError) -> Void
  ) throws(SQLError) -> Vector {
    var raw = ByteBuilder()
    return try TextLoop.build(arguments, count, type) { (row, output) throws(SQLError) in
      if type == .json {
        try body(row, &output)
      } else {
        raw.removeAll()
        try body(row, &raw)
        try JSONText.appendCanonical(raw.bytes, to: &output)
      }
      if output.count > TextLoop.byteCountMax { throw TextLoop.tooLong }
    }
  }

  /// `json_strip_nulls`: without members whose value is null.
  ///
  /// - Throws: 22P05.
  package static func stripNulls(_ type: LogicalType) -> ScalarKernel {
    { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      let texts = Operand(arguments[0])
      return try finished(arguments, count, type) { row, output in
        JSONEditing.appendStripped(texts.bytes(row), to: &output)
      }
    }
  }

  /// `jsonb_pretty`.
  package static func pretty(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let texts = Operand(arguments[0])
    return try TextLoop.build(arguments, count) { row, output in
      JSONEditing.appendPretty(texts.bytes(row), indent: 0, to: &output)
    }
  }
}
